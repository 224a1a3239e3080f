// batched-gather-scatter-normalizer: gathers and scatters in batches, with the batch as one index more.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[3,5]{1,0} parameter(0)
//   at = s32[3,2,1]{2,1,0} parameter(1)
//   ROOT y = f32[3,2]{1,0} gather(x, at), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1},
//   operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[3,5]{1,0} parameter(0)
//   batch = s32[3,2,1]{2,1,0} iota(), iota_dimension=0
//   at = s32[3,2,1]{2,1,0} parameter(1)
//   both = s32[3,2,2]{2,1,0} concatenate(batch, at), dimensions={2}
//   ROOT y = f32[3,2]{1,0} gather(x, both), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1},
//   index_vector_dim=2, slice_sizes={1,1}
// }
// END
//
// Leaves alone: index types in which the batch's numbers have no room.
#include <algorithm>
#include <limits>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// True if `type` holds all numbers below n.
bool CanHoldIndex(PrimitiveType type, int64_t n) {
  const int bits = BitWidth(type) - (IsSigned(type) ? 1 : 0);
  return IsInteger(type) && (bits >= 63 || n <= int64_t{1} << bits);
}

// The indices, and in front of them in each vector the numbers of the batch dimensions.
Op WithBatch(HloBuilder& b, Op indices, int64_t vector, const DimVector& batching) {
  DimVector sizes = indices->shape().dimensions();
  if (vector == static_cast<int64_t>(sizes.size())) {
    sizes.push_back(1);
    indices = b.Reshape(indices, sizes);
  }
  sizes[vector] = 1;
  std::vector<Op> parts;
  for (int64_t d : batching) parts.push_back(b.Iota(Shape::Array(indices->shape().element_type(), sizes), d));
  parts.push_back(indices);
  return b.Concatenate(parts, vector);
}
DimVector Joined(const DimVector& a, const DimVector& b) {
  DimVector all = a;
  for (int64_t d : b) all.push_back(d);
  return all;
}
DimVector Sorted(DimVector list) {
  std::sort(list.begin(), list.end());
  return list;
}

Op BuildGather(HloBuilder& b, HloInstruction& i, Ops x) {
  GatherAttributes a = i.attributes<GatherAttributes>();
  const Op indices = WithBatch(b, x[1], a.index_vector_dim, a.start_indices_batching_dims);
  a.start_index_map = Joined(a.operand_batching_dims, a.start_index_map);
  a.collapsed_slice_dims = Sorted(Joined(a.collapsed_slice_dims, a.operand_batching_dims));
  a.operand_batching_dims = a.start_indices_batching_dims = {};
  return b.Gather(x[0], indices, a);
}
Op BuildScatter(HloBuilder& b, HloInstruction& i, Ops x) {
  ScatterAttributes a = i.attributes<ScatterAttributes>();
  const size_t count = x.size() / 2;
  const Op indices = WithBatch(b, x[count], a.index_vector_dim, a.scatter_indices_batching_dims);
  a.scatter_dims_to_operand_dims = Joined(a.input_batching_dims, a.scatter_dims_to_operand_dims);
  a.inserted_window_dims = Sorted(Joined(a.inserted_window_dims, a.input_batching_dims));
  a.input_batching_dims = a.scatter_indices_batching_dims = {};
  return b.Scatter(x.first(count), indices, x.subspan(count + 1), a, i.to_apply());
}

HloInstruction* Normalize(HloInstruction* i, RuleContext& c) {
  const bool gather = i->opcode() == HloOpcode::kGather;
  const Shape& indices = i->operand(gather ? 1 : i->operand_count() / 2)->shape();
  const DimVector& batching = gather ? i->attributes<GatherAttributes>().start_indices_batching_dims
                                     : i->attributes<ScatterAttributes>().scatter_indices_batching_dims;
  if (batching.empty()) return nullptr;
  for (int64_t d : batching) {
    if (!CanHoldIndex(indices.element_type(), indices.dimensions(d))) return nullptr;
  }
  return c.Expand(gather ? BuildGather : BuildScatter);
}

constexpr Rule kBatchedGatherScatterNormalizerRules[] = {
    {HloOpcode::kGather, "normalize-gather", "gather(A, I) in batches => gather(A, concatenate(iota, I))", kExact,
     kExact, Normalize},
    {HloOpcode::kScatter, "normalize-scatter", "scatter(A, I, B) in batches => scatter(A, concatenate(iota, I), B)",
     kExact, kExact, Normalize},
};

}  // namespace
}  // namespace rules

PassDefinition DefineBatchedGatherScatterNormalizer() {
  return rules::DefineRulePass(rules::kBatchedGatherScatterNormalizerRules);
}

}  // namespace hloir
