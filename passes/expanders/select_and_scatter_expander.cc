// select-and-scatter-expander: expands the gradient of max pooling to a reduce-window that returns the index selected
// by each window, and a scatter to these indices.
//
// BEFORE
// HloModule example
//
// greater {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT greater = pred[] compare(a, b), direction=GE
// }
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[4,6]{1,0} parameter(0)
//   source = f32[2,3]{1,0} parameter(1)
//   zero = f32[] constant(0)
//   ROOT result = f32[4,6]{1,0} select-and-scatter(x, source, zero), window={size=2x2 stride=2x2}, select=greater,
//   scatter=add
// }
// AFTER
// HloModule example
//
// greater {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT greater = pred[] compare(a, b), direction=GE
// }
//
// add {
//   a.1 = f32[] parameter(0)
//   b.1 = f32[] parameter(1)
//   ROOT sum = f32[] add(a.1, b.1)
// }
//
// selected {
//   parameter = f32[] parameter(0)
//   parameter.2 = f32[] parameter(2)
//   greater = pred[] compare(parameter, parameter.2), direction=GE
//   parameter.1 = s32[] parameter(1)
//   constant = s32[] constant(-1)
//   compare.1 = pred[] compare(parameter.1, constant), direction=NE
//   and = pred[] and(greater, compare.1)
//   parameter.3 = s32[] parameter(3)
//   compare = pred[] compare(parameter.3, constant), direction=EQ
//   or = pred[] or(and, compare)
//   select = f32[] select(or, parameter, parameter.2)
//   select.1 = s32[] select(or, parameter.1, parameter.3)
//   ROOT tuple = (f32[], s32[]) tuple(select, select.1)
// }
//
// add.1 {
//   a.1 = f32[] parameter(0)
//   b.1 = f32[] parameter(1)
//   ROOT sum = f32[] add(a.1, b.1)
// }
//
// ENTRY main {
//   zero = f32[] constant(0)
//   broadcast = f32[24]{0} broadcast(zero), dimensions={}
//   x = f32[4,6]{1,0} parameter(0)
//   iota = s32[24]{0} iota(), iota_dimension=0
//   reshape = s32[4,6]{1,0} reshape(iota)
//   constant = f32[] constant(0)
//   constant.1 = s32[] constant(-1)
//   reduce-window = (f32[2,3]{1,0}, s32[2,3]{1,0}) reduce-window(x, reshape, constant, constant.1), window={size=2x2
//   stride=2x2}, to_apply=selected get-tuple-element = s32[2,3]{1,0} get-tuple-element(reduce-window), index=1
//   reshape.2 = s32[6,1]{1,0} reshape(get-tuple-element)
//   source = f32[2,3]{1,0} parameter(1)
//   reshape.1 = f32[6]{0} reshape(source)
//   scatter = f32[24]{0} scatter(broadcast, reshape.2, reshape.1), update_window_dims={}, inserted_window_dims={0},
//   scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add.1 ROOT reshape.3 = f32[4,6]{1,0}
//   reshape(scatter)
// }
// END
//
// Indices are linear in the whole array; -1 means none yet; windows of padding only keep -1, which the scatter skips.
// Leaves alone: arrays of more than 2^31 elements.
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// (a, place of a, b, place of b) => the one of them that is selected, and its place.
HloComputation* Chooser(HloModule& module, const HloComputation& select, PrimitiveType type) {
  HloBuilder b(module, "selected");
  const Shape place = Shape::Scalar(PrimitiveType::S32);
  const Op x = b.Parameter(0, Shape::Scalar(type)), at_x = b.Parameter(1, place);
  const Op y = b.Parameter(2, Shape::Scalar(type)), at_y = b.Parameter(3, place);
  HloInstruction* here = b.computation()->AddTuple({});
  const Op keep = InlineBefore(here, select, std::vector{x, y});
  b.computation()->RemoveInstruction(here);
  const Op none = b.Constant(int32_t{-1});
  const Op first = b.Or(b.And(keep, b.Compare(at_x, none, ComparisonDirection::kNe)),
                        b.Compare(at_y, none, ComparisonDirection::kEq));
  const StatusOr<HloComputation*> built = b.Build(b.Tuple({b.Select(first, x, y), b.Select(first, at_x, at_y)}));
  return built.ok() ? *built : nullptr;
}

HloInstruction* ExpandSelectAndScatter(HloInstruction* i, RuleContext& c) {
  const Shape& shape = i->operand(0)->shape();
  const PrimitiveType type = shape.element_type();
  if (shape.ElementCount() > INT32_MAX || shape.ElementCount() == 0 || shape.rank() == 0 ||
      type != i->shape().element_type() || type != i->operand(1)->shape().element_type() ||
      type != i->operand(2)->shape().element_type()) {
    return nullptr;
  }
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    const Shape& shape = x[0]->shape();
    const int64_t count = shape.ElementCount(), windows = x[1]->shape().ElementCount();
    HloComputation* chooser = Chooser(b.module(), *i.called_computations()[0], shape.element_type());
    if (chooser == nullptr) return Op{nullptr};
    const Op places = b.Reshape(b.Iota(Shape::Array(PrimitiveType::S32, {count}), 0), shape.dimensions());
    const std::vector<Op> arrays{x[0], places}, inits{b.Constant(shape.element_type(), 0), b.Constant(int32_t{-1})};
    const Op chosen =
        b.GetTupleElement(b.ReduceWindow(arrays, inits, i.attributes<WindowAttributes>().window, chooser), 1);
    ScatterAttributes numbers;
    numbers.inserted_window_dims = {0};
    numbers.scatter_dims_to_operand_dims = {0};
    numbers.index_vector_dim = 1;
    HloComputation* add = b.module().CloneComputation(*i.called_computations()[1]);
    return b.Reshape(b.Scatter(b.Broadcast(x[2], {count}, {}), b.Reshape(chosen, {windows, 1}),
                               b.Reshape(x[1], {windows}), numbers, add),
                     i.shape().dimensions());
  });
}

constexpr Rule kSelectAndScatterExpanderRules[] = {
    {HloOpcode::kSelectAndScatter, "expand-select-and-scatter",
     "select-and-scatter(A, B, v) => scatter(v, places by reduce-window(A), B)", kExact, kExact,
     ExpandSelectAndScatter},
};

}  // namespace
}  // namespace rules

PassDefinition DefineSelectAndScatterExpander() { return rules::DefineRulePass(rules::kSelectAndScatterExpanderRules); }

}  // namespace hloir
