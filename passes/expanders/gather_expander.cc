// gather-expander: a gather as a loop, one slice per iteration.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[10,8]{1,0} parameter(0)
//   rows = s32[3,1]{1,0} parameter(1)
//   ROOT g = f32[3,8]{1,0} gather(x, rows), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
//   index_vector_dim=1, slice_sizes={1,8}
// }
// AFTER
// HloModule example
//
// for_body {
//   parameter = (f32[10,8]{1,0}, s32[3,1]{1,0}, f32[3,8]{1,0}, s32[]) parameter(0)
//   get-tuple-element = f32[10,8]{1,0} get-tuple-element(parameter), index=0
//   get-tuple-element.1 = s32[3,1]{1,0} get-tuple-element(parameter), index=1
//   get-tuple-element.2 = f32[3,8]{1,0} get-tuple-element(parameter), index=2
//   get-tuple-element.3 = s32[] get-tuple-element(parameter), index=3
//   constant = s32[] constant(0)
//   dynamic-slice = s32[1,1]{1,0} dynamic-slice(get-tuple-element.1, get-tuple-element.3, constant),
//   dynamic_slice_sizes={1,1} slice = s32[1,1]{1,0} slice(dynamic-slice), slice={[0:1], [0:1]} reshape = s32[]
//   reshape(slice) constant.1 = s32[] constant(0) dynamic-slice.1 = f32[1,8]{1,0} dynamic-slice(get-tuple-element,
//   reshape, constant.1), dynamic_slice_sizes={1,8} reshape.1 = f32[1,8]{1,0} reshape(dynamic-slice.1) constant.2 =
//   s32[] constant(0) dynamic-update-slice = f32[3,8]{1,0} dynamic-update-slice(get-tuple-element.2, reshape.1,
//   get-tuple-element.3, constant.2) constant.3 = s32[] constant(1) add = s32[] add(get-tuple-element.3, constant.3)
//   ROOT tuple = (f32[10,8]{1,0}, s32[3,1]{1,0}, f32[3,8]{1,0}, s32[]) tuple(get-tuple-element, get-tuple-element.1,
//   dynamic-update-slice, add)
// }
//
// for_condition {
//   parameter = (f32[10,8]{1,0}, s32[3,1]{1,0}, f32[3,8]{1,0}, s32[]) parameter(0)
//   get-tuple-element = s32[] get-tuple-element(parameter), index=3
//   constant = s32[] constant(3)
//   ROOT compare = pred[] compare(get-tuple-element, constant), direction=LT
// }
//
// ENTRY main {
//   x = f32[10,8]{1,0} parameter(0)
//   rows = s32[3,1]{1,0} parameter(1)
//   reshape = s32[3,1]{1,0} reshape(rows)
//   constant = f32[] constant(0)
//   broadcast = f32[3,8]{1,0} broadcast(constant), dimensions={}
//   constant.1 = s32[] constant(0)
//   tuple.1 = (f32[10,8]{1,0}, s32[3,1]{1,0}, f32[3,8]{1,0}, s32[]) tuple(x, reshape, broadcast, constant.1)
//   while = (f32[10,8]{1,0}, s32[3,1]{1,0}, f32[3,8]{1,0}, s32[]) while(tuple.1), condition=for_condition,
//   body=for_body get-tuple-element.2 = f32[3,8]{1,0} get-tuple-element(while), index=2 ROOT reshape.1 = f32[3,8]{1,0}
//   reshape(get-tuple-element.2)
// }
// END
//
// A dynamic-slice keeps inside as a gather does. Leaves alone: batching dimensions; results without elements.
#include <algorithm>

#include "hloir/rewrite/rules.h"
#include "for_loop.h"
#include "hloir/rewrite/util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

Op GatherLoop(HloBuilder& b, HloInstruction& i, Ops x) {
  const auto& a = i.attributes<GatherAttributes>();
  const Shape &operand = x[0]->shape(), &result = i.shape();
  const PrimitiveType type = x[1]->shape().element_type();
  // The places as [places, coordinates].
  DimVector order, batch_sizes;
  int64_t places = 1;
  for (int64_t d = 0; d < x[1]->shape().rank(); ++d) {
    if (d != a.index_vector_dim)
      order.push_back(d), batch_sizes.push_back(x[1]->shape().dimensions(d)), places *= batch_sizes.back();
  }
  if (a.index_vector_dim < x[1]->shape().rank()) order.push_back(a.index_vector_dim);
  const int64_t depth = static_cast<int64_t>(a.start_index_map.size());
  const Op indices = b.Reshape(IsIdentity(order) ? x[1] : b.Transpose(x[1], order), {places, depth});
  // A row of the result for each place: the slice without its collapsed dimensions.
  DimVector row{1}, rows{places}, sizes = batch_sizes;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (Contains(a.collapsed_slice_dims, d)) continue;
    row.push_back(a.slice_sizes[d]), rows.push_back(a.slice_sizes[d]), sizes.push_back(a.slice_sizes[d]);
  }
  const std::vector<Op> done =
      ForLoop(b, places, {x[0], indices, b.Full(Shape::Array(operand.element_type(), rows), 0)},
              [&](HloBuilder& c, Op round, Ops state) {
                const Op here = c.DynamicSlice(state[1], {round, c.Constant(int32_t{0})}, {1, depth});
                std::vector<Op> starts(static_cast<size_t>(operand.rank()), c.Constant(type, 0));
                for (int64_t k = 0; k < depth; ++k) {
                  starts[static_cast<size_t>(a.start_index_map[k])] = c.Reshape(c.Slice(here, {0, k}, {1, k + 1}), {});
                }
                const Op slice = c.Reshape(c.DynamicSlice(state[0], starts, a.slice_sizes), row);
                std::vector<Op> place(row.size(), c.Constant(int32_t{0}));
                place[0] = round;
                return std::vector<Op>{state[0], state[1], c.DynamicUpdateSlice(state[2], slice, place)};
              });
  // [places…, offsets…] to where the result has them.
  DimVector where;
  int64_t batch = 0, offset = static_cast<int64_t>(batch_sizes.size());
  for (int64_t d = 0; d < result.rank(); ++d) where.push_back(Contains(a.offset_dims, d) ? offset++ : batch++);
  const Op spread = b.Reshape(done[2], sizes);
  return IsIdentity(where) ? spread : b.Transpose(spread, where);
}

HloInstruction* ExpandGather(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<GatherAttributes>();
  if (!a.operand_batching_dims.empty() || i->shape().ElementCount() == 0 ||
      !std::is_sorted(a.offset_dims.begin(), a.offset_dims.end())) {
    return nullptr;
  }
  return c.Expand(GatherLoop);
}

constexpr Rule kGatherExpanderRules[] = {
    {HloOpcode::kGather, "expand-gather", "gather(A, indices) => a loop of dynamic-slices of A", kExact, kExact,
     ExpandGather},
};

}  // namespace
}  // namespace rules

PassDefinition DefineGatherExpander() { return rules::DefineRulePass(rules::kGatherExpanderRules); }

}  // namespace hloir
