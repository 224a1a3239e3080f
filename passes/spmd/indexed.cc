// Gather, scatter and dynamic-update-slice on arrays that are cut along the dimension that is indexed: each device
// subtracts the start of its part from the indices, and ignores indices outside its part. See partition_op.h.
#include <algorithm>

#include "hloir/rewrite_util.h"
#include "partition_op.h"

namespace hloir::spmd {
namespace {

// Indices minus an offset may be negative.
PrimitiveType SignedIndexType(PrimitiveType type) {
  const bool narrow = BitWidth(type) < 32 || type == PrimitiveType::S32;
  return narrow ? PrimitiveType::S32 : PrimitiveType::S64;
}

}  // namespace

OpPartitioner::Op OpPartitioner::Scalar(Op like, int64_t value) {
  return like == nullptr ? nullptr : b.Convert(spmd_.Scalar(value), like->shape().element_type());
}

OpPartitioner::Op OpPartitioner::LocalIndices(Op indices, const DimVector& index_map, int64_t index_vector_dim,
                                              int64_t d, bool clamp, Op* inside) {
  if (indices == nullptr) return nullptr;
  const int64_t column = std::find(index_map.begin(), index_map.end(), d) - index_map.begin();
  const int64_t size = i_.operand(0)->shape().dimensions(d);
  const Axes& axes = choice_.operands[0].dims[static_cast<size_t>(d)];
  const int64_t part = local_[0]->shape().dimensions(d);
  const bool is_vector = index_vector_dim < indices->shape().rank();
  const PrimitiveType type = SignedIndexType(indices->shape().element_type());
  indices = b.Convert(indices, type);
  Op component = is_vector ? spmd_.SliceOf(indices, index_vector_dim, column, column + 1) : indices;
  if (component == nullptr) return nullptr;
  const DimVector sizes = component->shape().dimensions();
  const auto all = [&](Op scalar) { return b.Broadcast(b.Convert(scalar, type), sizes, {}); };
  if (clamp) {
    component = b.Clamp(b.Convert(spmd_.Scalar(0), type), component, b.Convert(spmd_.Scalar(size - 1), type));
  }
  component = b.Subtract(component, all(spmd_.Offset(axes, part)));
  if (inside != nullptr) {
    *inside = b.And(b.Compare(component, all(spmd_.Scalar(0)), ComparisonDirection::kGe),
                    b.Compare(component, all(spmd_.Scalar(part)), ComparisonDirection::kLt));
  }
  if (!is_vector || index_map.size() == 1) return component;
  std::vector<Op> columns;
  const int64_t count = static_cast<int64_t>(index_map.size());
  if (column > 0) columns.push_back(spmd_.SliceOf(indices, index_vector_dim, 0, column));
  columns.push_back(component);
  if (column + 1 < count) columns.push_back(spmd_.SliceOf(indices, index_vector_dim, column + 1, count));
  return b.Concatenate(columns, index_vector_dim);
}

OpPartitioner::Op OpPartitioner::EmitGather() {
  const auto& gather = i_.attributes<GatherAttributes>();
  Op indices = local_[1], inside = nullptr;
  bool indexed = false;
  for (int64_t d = 0; d < i_.operand(0)->shape().rank(); ++d) {
    if (CutFactor(0, d, FactorKind::kIndexed) < 0) continue;
    indexed = true;
    Op inside_d = nullptr;
    indices = LocalIndices(indices, gather.start_index_map, gather.index_vector_dim, d, /*clamp=*/true, &inside_d);
    if (indices == nullptr) return nullptr;
    inside = inside == nullptr ? inside_d : b.And(inside, inside_d);
  }
  if (!indexed) return Clone(local_);
  const Op operands[] = {local_[0], indices};
  Op found = Clone(operands);
  if (found == nullptr || inside == nullptr) return nullptr;
  // The dimensions of `inside` but for the index vector are the result's batch dimensions.
  DimVector batch, sizes;
  for (int64_t d = 0; d < found->shape().rank(); ++d) {
    if (!Contains(gather.offset_dims, d)) batch.push_back(d), sizes.push_back(found->shape().dimensions(d));
  }
  const DimVector& all = found->shape().dimensions();
  return b.Select(b.Broadcast(b.Reshape(inside, sizes), all, batch), found,
                  b.Broadcast(spmd_.Zero(found->shape()), all, {}));
}

std::vector<OpPartitioner::Op> OpPartitioner::EmitScatter() {
  const auto& scatter = i_.attributes<ScatterAttributes>();
  const int64_t inputs = i_.operand_count() / 2;
  std::vector<Op> operands = local_;
  for (int64_t d = 0; d < i_.operand(0)->shape().rank(); ++d) {
    if (CutFactor(0, d, FactorKind::kUpdate) < 0) continue;
    Op& indices = operands[static_cast<size_t>(inputs)];
    indices = LocalIndices(indices, scatter.scatter_dims_to_operand_dims, scatter.index_vector_dim, d,
                           /*clamp=*/false, nullptr);
  }
  if (const Axes among = AxesOf(FactorKind::kReduce); !among.empty() && operands[0] != nullptr) {
    const DimVector& sizes = operands[0]->shape().dimensions();
    const PrimitiveType type = operands[0]->shape().element_type();
    Op first = b.Compare(spmd_.Offset(among, 1), spmd_.Scalar(0), ComparisonDirection::kEq);
    Op identity = b.Constant(IdentityOf(*SimpleReducer(*i_.to_apply()), type));
    operands[0] = b.Select(b.Broadcast(first, sizes, {}), operands[0], b.Broadcast(identity, sizes, {}));
  }
  if (!b.status().ok()) return {leaves_.size(), nullptr};
  return Leaves(Clone(operands));
}

// The update is written into a part extended by its size on both sides, which receive the elements outside of the part.
OpPartitioner::Op OpPartitioner::EmitDynamicUpdateSlice() {
  std::vector<Op> operands = local_;
  const DimVector part = local_[0]->shape().dimensions();
  std::vector<std::pair<int64_t, int64_t>> widened;
  for (int64_t d = 0; d < i_.shape().rank(); ++d) {
    if (CutFactor(0, d, FactorKind::kUpdate) < 0) continue;
    const int64_t update = i_.operand(1)->shape().dimensions(d), size = part[static_cast<size_t>(d)];
    Op& start = operands[static_cast<size_t>(2 + d)];
    const PrimitiveType type = SignedIndexType(start->shape().element_type());
    const auto scalar = [&](int64_t value) { return b.Convert(spmd_.Scalar(value), type); };
    Op inside = b.Clamp(scalar(0), b.Convert(start, type), scalar(i_.shape().dimensions(d) - update));
    Op offset = b.Convert(spmd_.Offset(choice_.operands[0].dims[static_cast<size_t>(d)], size), type);
    start = b.Clamp(scalar(0), b.Add(b.Subtract(inside, offset), scalar(update)), scalar(size + update));
    operands[0] = spmd_.PadOf(operands[0], d, update, update, spmd_.Zero(local_[0]->shape()));
    widened.emplace_back(d, update);
  }
  if (widened.empty()) return Clone(operands);
  // All starts have one type.
  for (size_t k = 2; k < operands.size(); ++k) operands[k] = b.Convert(operands[k], PrimitiveType::S64);
  Op updated = b.DynamicUpdateSlice(operands[0], operands[1], std::span<const Op>(operands).subspan(2));
  for (const auto& [d, update] : widened)
    updated = spmd_.SliceOf(updated, d, update, update + part[static_cast<size_t>(d)]);
  return updated;
}

}  // namespace hloir::spmd
