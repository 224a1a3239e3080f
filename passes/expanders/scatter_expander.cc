// scatter-expander: a scatter to one list of places as a loop, one window per iteration.
//
// BEFORE
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[10]{0} parameter(0)
//   places = s32[3,1]{1,0} parameter(1)
//   updates = f32[3,1]{1,0} parameter(2)
//   ROOT s = f32[10]{0} scatter(x, places, updates), update_window_dims={1}, inserted_window_dims={},
//   scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
// }
// AFTER
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// for_body {
//   constant.1 = s32[] constant(0)
//   parameter = (f32[10]{0}, s32[3,1]{1,0}, f32[3,1]{1,0}, s32[]) parameter(0)
//   get-tuple-element = f32[10]{0} get-tuple-element(parameter), index=0
//   constant.2 = pred[] constant(true)
//   get-tuple-element.1 = s32[3,1]{1,0} get-tuple-element(parameter), index=1
//   get-tuple-element.3 = s32[] get-tuple-element(parameter), index=3
//   constant = s32[] constant(0)
//   dynamic-slice = s32[1,1]{1,0} dynamic-slice(get-tuple-element.1, get-tuple-element.3, constant),
//   dynamic_slice_sizes={1,1} slice = s32[1,1]{1,0} slice(dynamic-slice), slice={[0:1], [0:1]} reshape = s32[]
//   reshape(slice) constant.3 = s32[] constant(0) compare = pred[] compare(reshape, constant.3), direction=GE and =
//   pred[] and(constant.2, compare) constant.4 = s32[] constant(10) compare.1 = pred[] compare(reshape, constant.4),
//   direction=LT and.1 = pred[] and(and, compare.1) broadcast = pred[1]{0} broadcast(and.1), dimensions={}
//   dynamic-slice.1 = f32[1]{0} dynamic-slice(get-tuple-element, reshape), dynamic_slice_sizes={1}
//   get-tuple-element.2 = f32[3,1]{1,0} get-tuple-element(parameter), index=2
//   dynamic-slice.2 = f32[1,1]{1,0} dynamic-slice(get-tuple-element.2, get-tuple-element.3, constant),
//   dynamic_slice_sizes={1,1} reshape.1 = f32[1]{0} reshape(dynamic-slice.2) map = f32[1]{0} map(dynamic-slice.1,
//   reshape.1), dimensions={0}, to_apply=add select = f32[1]{0} select(broadcast, map, dynamic-slice.1)
//   dynamic-update-slice = f32[10]{0} dynamic-update-slice(get-tuple-element, select, reshape)
//   constant.5 = s32[] constant(1)
//   add = s32[] add(get-tuple-element.3, constant.5)
//   ROOT tuple = (f32[10]{0}, s32[3,1]{1,0}, f32[3,1]{1,0}, s32[]) tuple(dynamic-update-slice, get-tuple-element.1,
//   get-tuple-element.2, add)
// }
//
// for_condition {
//   parameter = (f32[10]{0}, s32[3,1]{1,0}, f32[3,1]{1,0}, s32[]) parameter(0)
//   get-tuple-element = s32[] get-tuple-element(parameter), index=3
//   constant = s32[] constant(3)
//   ROOT compare = pred[] compare(get-tuple-element, constant), direction=LT
// }
//
// ENTRY main {
//   x = f32[10]{0} parameter(0)
//   places = s32[3,1]{1,0} parameter(1)
//   updates = f32[3,1]{1,0} parameter(2)
//   constant = s32[] constant(0)
//   tuple.1 = (f32[10]{0}, s32[3,1]{1,0}, f32[3,1]{1,0}, s32[]) tuple(x, places, updates, constant)
//   while = (f32[10]{0}, s32[3,1]{1,0}, f32[3,1]{1,0}, s32[]) while(tuple.1), condition=for_condition, body=for_body
//   ROOT get-tuple-element = f32[10]{0} get-tuple-element(while), index=0
// }
// END
//
// scatter-simplifier converts others to this form. A window that is not fully in bounds is skipped. Leaves alone:
// several operands; windows of more than one element in an indexed dimension, which may be partly in bounds.
#include <algorithm>

#include "hloir/rules.h"
#include "for_loop.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

Op ScatterLoop(HloBuilder& b, HloInstruction& i, Ops x) {
  const auto& a = i.attributes<ScatterAttributes>();
  const Shape& operand = x[0]->shape();
  const PrimitiveType type = x[1]->shape().element_type();
  const int64_t places = x[1]->shape().dimensions(0), depth = x[1]->shape().dimensions(1);
  DimVector row = x[2]->shape().dimensions(), window(row.begin() + 1, row.end());
  row[0] = 1;
  HloComputation* combine = i.to_apply();
  const std::vector<Op> done = ForLoop(b, places, {x[0], x[1], x[2]}, [&](HloBuilder& c, Op round, Ops state) {
    const Op zero = c.Constant(int32_t{0}), here = c.DynamicSlice(state[1], {round, zero}, {1, depth});
    std::vector<Op> starts(static_cast<size_t>(operand.rank()), c.Constant(type, 0)), place(row.size(), zero);
    place[0] = round;
    Op inside = c.Constant(true);
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t d = a.scatter_dims_to_operand_dims[k];
      const Op start = c.Reshape(c.Slice(here, {0, k}, {1, k + 1}), {});
      starts[static_cast<size_t>(d)] = start;
      // Unsigned numbers are never below 0.
      inside = c.And(inside, c.Compare(start, c.Constant(type, 0), ComparisonDirection::kGe));
      inside = c.And(inside, c.Compare(start, c.Constant(type, static_cast<double>(operand.dimensions(d))),
                                       ComparisonDirection::kLt));
    }
    const Op old = c.DynamicSlice(state[0], starts, window),
             update = c.Reshape(c.DynamicSlice(state[2], place, row), window);
    const std::vector<Op> both{old, update};
    const Op made = c.Map(both, combine);
    return std::vector<Op>{c.DynamicUpdateSlice(state[0], c.Select(c.Broadcast(inside, window, {}), made, old), starts),
                           state[1], state[2]};
  });
  return done[0];
}

HloInstruction* ExpandScatter(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<ScatterAttributes>();
  const Shape& operand = i->operand(0)->shape();
  if (i->operand_count() != 3 || !a.input_batching_dims.empty() || !a.inserted_window_dims.empty() ||
      a.index_vector_dim != 1 || i->operand(1)->shape().rank() != 2 ||
      i->operand(2)->shape().rank() != operand.rank() + 1 || i->operand(2)->shape().ElementCount() == 0 ||
      operand.ElementCount() == 0 || operand.rank() == 0 || !IsSigned(i->operand(1)->shape().element_type()) ||
      BitWidth(i->operand(1)->shape().element_type()) < 32) {
    return nullptr;
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (a.update_window_dims[d] != d + 1) return nullptr;
  }
  for (int64_t d : a.scatter_dims_to_operand_dims) {
    if (i->operand(2)->shape().dimensions(d + 1) != 1) return nullptr;
  }
  return c.Expand(ScatterLoop);
}

constexpr Rule kScatterExpanderRules[] = {
    {HloOpcode::kScatter, "expand-scatter", "scatter(A, indices, B) => a loop of dynamic-update-slices of A", kExact,
     kExact, ExpandScatter},
};

}  // namespace
}  // namespace rules

PassDefinition DefineScatterExpander() { return rules::DefineRulePass(rules::kScatterExpanderRules); }

}  // namespace hloir
