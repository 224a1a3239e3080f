// stable-sort-expander: a stable sort is one that also sorts the places by which it breaks ties.
//
// BEFORE
// HloModule example
//
// less {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT less = pred[] compare(a, b), direction=LT
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   ROOT sorted = s32[8]{0} sort(x), dimensions={0}, is_stable=true, to_apply=less
// }
// AFTER
// HloModule example
//
// less {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT less = pred[] compare(a, b), direction=LT
// }
//
// less.1 {
//   parameter = s32[] parameter(0)
//   parameter.1 = s32[] parameter(1)
//   less = pred[] compare(parameter, parameter.1), direction=LT
//   less.1 = pred[] compare(parameter.1, parameter), direction=LT
//   compare = pred[] compare(less, less.1), direction=EQ
//   parameter.2 = s32[] parameter(2)
//   parameter.3 = s32[] parameter(3)
//   compare.1 = pred[] compare(parameter.2, parameter.3), direction=LT
//   ROOT select = pred[] select(compare, compare.1, less)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   iota = s32[8]{0} iota(), iota_dimension=0
//   sort = (s32[8]{0}, s32[8]{0}) sort(x, iota), dimensions={0}, to_apply=less.1
//   ROOT get-tuple-element = s32[8]{0} get-tuple-element(sort), index=0
// }
// END
//
// Where neither of two elements comes before the other, or each does, their places decide. A NaN ties with everything,
// which is not an order at all: with floats among the arrays, of class rounding. Leaves alone: dimensions of more than
// 2^31 elements.
#include <algorithm>

#include "hloir/rewrite/rules.h"
#include "hloir/rewrite/util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// The comparator for one more pair of operands: f(a, b) == f(b, a) ? place(a) < place(b) : f(a, b).
HloComputation* WithPlaces(HloModule& module, const HloComputation& f) {
  HloBuilder b(module, f.name());
  std::vector<HloInstruction*> straight, swapped;
  for (const HloInstruction* p : f.parameters()) straight.push_back(b.Parameter(p->parameter_number(), p->shape()));
  for (size_t k = 0; k < straight.size(); ++k) swapped.push_back(straight[k ^ 1]);
  const int64_t n = f.parameter_count();
  const Op here = b.Parameter(n, Shape::Scalar(PrimitiveType::S32)),
           there = b.Parameter(n + 1, Shape::Scalar(PrimitiveType::S32));
  HloInstruction* place = b.computation()->AddTuple({});
  const Op forth = InlineBefore(place, f, straight), back = InlineBefore(place, f, swapped);
  b.computation()->RemoveInstruction(place);
  const Op tie = b.Compare(forth, back, ComparisonDirection::kEq);
  const StatusOr<HloComputation*> built =
      b.Build(b.Select(tie, b.Compare(here, there, ComparisonDirection::kLt), forth));
  return built.ok() ? *built : nullptr;
}

bool HasFloats(const HloInstruction& i) {
  return std::any_of(i.operands().begin(), i.operands().end(), [](const HloInstruction* x) { return IsFloating(x); });
}

HloInstruction* ExpandStableSort(HloInstruction* i, RuleContext& c) {
  const auto& attributes = i->attributes<SortAttributes>();
  if (!attributes.is_stable || i->operand(0)->shape().dimensions(attributes.dimensions[0]) > INT32_MAX) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    const int64_t dimension = i.attributes<SortAttributes>().dimensions[0];
    HloComputation* comparator = WithPlaces(b.module(), *i.to_apply());
    if (comparator == nullptr) return Op{nullptr};
    std::vector<Op> arrays(x.begin(), x.end());
    arrays.push_back(b.Iota(Shape::Array(PrimitiveType::S32, x[0]->shape().dimensions()), dimension));
    const Op sorted = b.Sort(arrays, dimension, comparator, /*is_stable=*/false);
    std::vector<Op> results;
    for (size_t k = 0; k < x.size(); ++k) results.push_back(b.GetTupleElement(sorted, static_cast<int64_t>(k)));
    return i.shape().IsTuple() ? b.Tuple(results) : results[0];
  });
}

HloInstruction* OfIntegers(HloInstruction* i, RuleContext& c) {
  return HasFloats(*i) ? nullptr : ExpandStableSort(i, c);
}
HloInstruction* OfFloats(HloInstruction* i, RuleContext& c) { return HasFloats(*i) ? ExpandStableSort(i, c) : nullptr; }

constexpr std::string_view kStableSortFormula = "sort(A), stable => sort(A, iota), ties by place";
constexpr Rule kStableSortExpanderRules[] = {
    {HloOpcode::kSort, "expand-stable-sort", kStableSortFormula, kExact, kExact, OfIntegers},
    {HloOpcode::kSort, "expand-stable-sort-of-floats", kStableSortFormula, kRounding, kRounding, OfFloats},
};

}  // namespace
}  // namespace rules

PassDefinition DefineStableSortExpander() { return rules::DefineRulePass(rules::kStableSortExpanderRules); }

}  // namespace hloir
