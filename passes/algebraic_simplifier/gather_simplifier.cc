// gather-simplifier: a gather of one slice is a dynamic-slice; one that takes everything, or from equal elements, is a
// broadcast.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[10,8]{1,0} parameter(0)
//   row = s32[1]{0} parameter(1)
//   ROOT g = f32[8]{0} gather(x, row), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0},
//   index_vector_dim=0, slice_sizes={1,8}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[10,8]{1,0} parameter(0)
//   row = s32[1]{0} parameter(1)
//   index = s32[] reshape(row)
//   zero = s32[] constant(0)
//   s = f32[1,8]{1,0} dynamic-slice(x, index, zero), dynamic_slice_sizes={1,8}
//   ROOT g = f32[8]{0} reshape(s)
// }
// END
//
// Both clamp an index out of range so that the slice lies inside. Leaves alone: batching dimensions; results without
// elements, which are zero-sized-hlo-elimination's.
#include <algorithm>

#include "algebraic_simplifier/families.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

// The number of slices.
int64_t SliceCount(const HloInstruction* i) {
  const Shape& indices = i->operand(1)->shape();
  const int64_t vector = i->attributes<GatherAttributes>().index_vector_dim;
  int64_t count = 1;
  for (int64_t d = 0; d < indices.rank(); ++d) count *= d == vector ? 1 : indices.dimensions(d);
  return count;
}

// A collapsed dimension may be 0 long, and the result has elements all the same.
bool HasEmptySlices(const HloInstruction* gather) {
  return Contains(gather->attributes<GatherAttributes>().slice_sizes, 0);
}

// gather(A, indices) => 0, slices without elements
HloInstruction* EmptySlices(HloInstruction* i, RuleContext& c) {
  return HasEmptySlices(i) && c.Allow() ? c.Splat(i->shape(), 0) : nullptr;
}

// gather(A, index) => reshape(dynamic-slice(A, index)), one slice
HloInstruction* OneSlice(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<GatherAttributes>();
  const Shape& shape = i->operand(0)->shape();
  if (SliceCount(i) != 1 || !a.operand_batching_dims.empty() || HasEmptySlices(i)) return nullptr;
  if (!std::is_sorted(a.offset_dims.begin(), a.offset_dims.end()) || !c.Allow()) return nullptr;
  const int64_t indices = static_cast<int64_t>(a.start_index_map.size());
  const PrimitiveType type = i->operand(1)->shape().element_type();
  HloInstruction* list = indices == 1 ? nullptr : c.Reshape(i->operand(1), Shape::Array(type, {indices}));
  std::vector<HloInstruction*> operands{i->operand(0)};
  HloInstruction* zero = nullptr;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const auto found = std::find(a.start_index_map.begin(), a.start_index_map.end(), d);
    if (found == a.start_index_map.end()) {
      if (zero == nullptr) zero = c.Splat(Shape::Scalar(type), 0);
      operands.push_back(zero);
      continue;
    }
    const int64_t at = found - a.start_index_map.begin();
    HloInstruction* index = list == nullptr ? i->operand(1) : c.Slice(list, {{at, at + 1, 1}});
    operands.push_back(index->shape().rank() == 0 ? index : c.Reshape(index, Shape::Scalar(type)));
  }
  HloInstruction* slice =
      c.computation()->AddInstruction(HloOpcode::kDynamicSlice, Shape::Array(shape.element_type(), a.slice_sizes),
                                      operands, DynamicSliceAttributes{a.slice_sizes});
  return slice->shape().SameDimensions(i->shape()) ? slice : c.Reshape(slice, i->shape());
}

// gather(A, indices) => broadcast(A), slices as large as A
HloInstruction* WholeSlices(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<GatherAttributes>();
  HloInstruction* operand = i->operand(0);
  if (a.slice_sizes != operand->shape().dimensions() || HasEmptySlices(i) || !a.operand_batching_dims.empty() ||
      SliceCount(i) < 2 || !std::is_sorted(a.offset_dims.begin(), a.offset_dims.end()) || !c.Allow()) {
    return nullptr;
  }
  DimVector sizes;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    if (!Contains(a.collapsed_slice_dims, d)) sizes.push_back(operand->shape().dimensions(d));
  }
  const Shape kept = Shape::Array(operand->shape().element_type(), sizes);
  return c.Broadcast(kept.SameDimensions(operand->shape()) ? operand : c.Reshape(operand, kept), i->shape(),
                     a.offset_dims);
}

// gather(broadcast(s), indices) => broadcast(s), s a scalar
HloInstruction* GatherOfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (HasEmptySlices(i) || broadcast->opcode() != HloOpcode::kBroadcast || !broadcast->operand(0)->shape().IsScalar())
    return nullptr;
  if (i->shape().rank() == 0) return c.ReplaceWith(broadcast->operand(0));
  return c.Allow() ? c.Broadcast(broadcast->operand(0), i->shape(), {}) : nullptr;
}

constexpr Rule kGatherSimplifierRules[] = {
    {HloOpcode::kGather, "gather-empty-slices", "gather(A, indices) => 0, slices without elements", kExact, kExact,
     EmptySlices},
    {HloOpcode::kGather, "gather-broadcast", "gather(broadcast(s), indices) => broadcast(s)", kExact, kExact,
     GatherOfBroadcast},
    {HloOpcode::kGather, "gather-one-slice", "gather(A, index) => reshape(dynamic-slice(A, index)), one slice", kExact,
     kExact, OneSlice},
    {HloOpcode::kGather, "gather-whole-slices", "gather(A, indices) => broadcast(A), slices as large as A", kExact,
     kExact, WholeSlices},
};

}  // namespace

std::span<const Rule> GatherRules() { return kGatherSimplifierRules; }

}  // namespace rules

PassDefinition DefineGatherSimplifier() { return rules::DefineRulePass(rules::GatherRules()); }

}  // namespace hloir
