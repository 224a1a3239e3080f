// topk-decomposer: the largest k elements are the first k of all, sorted.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[2,8]{1,0} parameter(0)
//   ROOT best = (f32[2,3]{1,0}, s32[2,3]{1,0}) topk(x), k=3, largest=true
// }
// AFTER
// HloModule example
//
// before {
//   parameter.2 = s32[] parameter(2)
//   parameter.3 = s32[] parameter(3)
//   parameter = f32[] parameter(0)
//   parameter.1 = f32[] parameter(1)
//   ROOT compare = pred[] compare(parameter, parameter.1), direction=GT, type=TOTALORDER
// }
//
// ENTRY main {
//   x = f32[2,8]{1,0} parameter(0)
//   iota = s32[2,8]{1,0} iota(), iota_dimension=1
//   sort = (f32[2,8]{1,0}, s32[2,8]{1,0}) sort(x, iota), dimensions={1}, is_stable=true, to_apply=before
//   get-tuple-element = f32[2,8]{1,0} get-tuple-element(sort), index=0
//   slice = f32[2,3]{1,0} slice(get-tuple-element), slice={[0:2], [0:3]}
//   get-tuple-element.1 = s32[2,8]{1,0} get-tuple-element(sort), index=1
//   slice.1 = s32[2,3]{1,0} slice(get-tuple-element.1), slice={[0:2], [0:3]}
//   ROOT tuple.1 = (f32[2,3]{1,0}, s32[2,3]{1,0}) tuple(slice, slice.1)
// }
// END
//
// Floats compare by total order; among equals the one that stands first comes first, so the sort is stable.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

HloInstruction* DecomposeTopk(HloInstruction*, RuleContext& c) {
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    const auto& attributes = i.attributes<TopKAttributes>();
    const Shape& shape = x[0]->shape();
    const PrimitiveType type = shape.element_type();
    const int64_t last = shape.rank() - 1;
    HloBuilder before(b.module(), "before");
    const Op a = before.Parameter(0, Shape::Scalar(type)), z = before.Parameter(1, Shape::Scalar(type));
    before.Parameter(2, Shape::Scalar(PrimitiveType::S32)), before.Parameter(3, Shape::Scalar(PrimitiveType::S32));
    const StatusOr<HloComputation*> comparator =
        before.Build(before.Compare(a, z, attributes.largest ? ComparisonDirection::kGt : ComparisonDirection::kLt,
                                    IsFloat(type) ? ComparisonType::kFloatTotalOrder : ComparisonType::kDefault));
    if (!comparator.ok()) return Op{nullptr};
    const Op places = b.Iota(Shape::Array(PrimitiveType::S32, shape.dimensions()), last);
    const Op sorted = b.Sort({x[0], places}, last, *comparator, /*is_stable=*/true);
    DimVector starts(shape.dimensions().size(), 0), limits = shape.dimensions();
    limits[last] = attributes.k;
    return b.Tuple(
        {b.Slice(b.GetTupleElement(sorted, 0), starts, limits), b.Slice(b.GetTupleElement(sorted, 1), starts, limits)});
  });
}

constexpr Rule kTopkDecomposerRules[] = {
    {HloOpcode::kTopK, "decompose-topk", "topk(A) => slices of sort(A, iota)", kExact, kExact, DecomposeTopk},
};

}  // namespace
}  // namespace rules

PassDefinition DefineTopkDecomposer() { return rules::DefineRulePass(rules::kTopkDecomposerRules); }

}  // namespace hloir
