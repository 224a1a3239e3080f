// gather and scatter: slices read from, or combined into, an array at computed offsets. Both compute offsets in the
// same way; they differ in the treatment of slices out of bounds. Tests: tests/ops/gather-*.hlo, scatter-*.hlo.
#include <algorithm>

#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"
#include "reference/scalar_function.h"

namespace hloir::reference {
namespace {

// The starts of slices. The indices array has an index vector for each position of its other ("batch") dimensions:
// component k of it is the start in operand dimension `start_index_map[k]`. Operand batching dimensions take their
// start from the batch position itself.
struct SlicePlaces {
  const Literal& indices;
  const DimVector& start_index_map;
  const DimVector& operand_batching_dims;
  const DimVector& indices_batching_dims;
  int64_t index_vector_dim;

  // Dimensions of the indices array without the index vector's.
  DimVector BatchDims() const {
    DimVector dims = indices.shape().dimensions();
    if (index_vector_dim < indices.shape().rank()) dims.erase(dims.begin() + index_vector_dim);
    return dims;
  }
  // The start, unclamped, of the slice at position `batch`, in an operand of `rank` dimensions.
  DimVector Start(const DimVector& batch, int64_t rank) const {
    const DimVector strides = RowMajorStrides(indices.shape().dimensions());
    DimVector position = batch;
    const bool has_vector = index_vector_dim < indices.shape().rank();
    if (has_vector) position.insert(position.begin() + index_vector_dim, 0);
    const int64_t base = LinearIndex(position, strides);
    const int64_t step = has_vector ? strides[static_cast<size_t>(index_vector_dim)] : 0;
    DimVector start(static_cast<size_t>(rank), 0);
    for (size_t k = 0; k < start_index_map.size(); ++k) {
      int64_t value = indices.GetAsInt64(base + static_cast<int64_t>(k) * step);
      if (indices.shape().element_type() == PrimitiveType::U64 && value < 0) value = INT64_MAX;
      start[static_cast<size_t>(start_index_map[k])] = value;
    }
    for (size_t k = 0; k < operand_batching_dims.size(); ++k) {
      start[static_cast<size_t>(operand_batching_dims[k])] = position[static_cast<size_t>(indices_batching_dims[k])];
    }
    return start;
  }
};

// The elements of `index` at the dimensions that are (or are not) in `dims`.
DimVector Pick(const DimVector& index, const DimVector& dims, bool in_dims) {
  DimVector picked;
  for (size_t d = 0; d < index.size(); ++d) {
    if (Contains(dims, static_cast<int64_t>(d)) == in_dims) picked.push_back(index[d]);
  }
  return picked;
}

}  // namespace

// Result dimensions: `offset_dims` run over the slice (without its collapsed and batching dimensions, all of size 1),
// the others over the batch positions. A start is clamped so that its slice lies inside the operand.
StatusOr<Value> EvaluateGather(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const auto& a = context.attributes<GatherAttributes>();
  const SlicePlaces places{context.operand(1), a.start_index_map, a.operand_batching_dims,
                           a.start_indices_batching_dims, a.index_vector_dim};
  const DimVector& dims = operand.shape().dimensions();
  const DimVector in = RowMajorStrides(dims), out = RowMajorStrides(context.dims());
  DimVector slice_dims;
  Region from, to{0, Pick(out, a.offset_dims, true)};
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t dimension = static_cast<int64_t>(d);
    if (Contains(a.collapsed_slice_dims, dimension) || Contains(a.operand_batching_dims, dimension)) continue;
    slice_dims.push_back(a.slice_sizes[d]);
    from.strides.push_back(in[d]);
  }
  const DimVector batch_strides = Pick(out, a.offset_dims, false);
  Literal result(context.shape);
  if (slice_dims.size() != to.strides.size()) return InvalidArgument("gather's offset_dims do not fit its slice_sizes");
  if (result.element_count() == 0 || operand.element_count() == 0) return result;
  ForEachIndex(places.BatchDims(), [&](const DimVector& batch) {
    DimVector start = places.Start(batch, operand.shape().rank());
    for (size_t d = 0; d < start.size(); ++d)
      start[d] = std::clamp<int64_t>(start[d], 0, dims[d] - std::max<int64_t>(a.slice_sizes[d], 1));
    from.start = LinearIndex(start, in);
    to.start = LinearIndex(batch, batch_strides);
    CopyRegion(slice_dims, operand, from, result, to);
  });
  return result;
}

// For each batch position, a window of the updates is combined into the operand: the computation maps the operands' and
// the updates' elements to the new elements. A window that is not in bounds is skipped as a whole. Several updates of
// an element are applied in row-major order of the updates; HLO does not specify the order.
StatusOr<Value> EvaluateScatter(EvalContext& context) {
  const size_t n = context.operands.size() / 2;
  const auto& a = context.attributes<ScatterAttributes>();
  const SlicePlaces places{context.operand(static_cast<int64_t>(n)), a.scatter_dims_to_operand_dims,
                           a.input_batching_dims, a.scatter_indices_batching_dims, a.index_vector_dim};
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction combiner,
                         ScalarFunction::Prepare(context.run, *context.instruction.to_apply()));
  if (combiner.argument_count() != 2 * n || combiner.result_count() != n) {
    return InvalidArgument(Format("{}'s computation does not combine {} arrays", context.instruction.name(), n));
  }
  std::vector<Literal> results;
  for (size_t k = 0; k < n; ++k) results.push_back(std::move(context.operands[k]).TakeLiteral());
  const Literal& updates = context.operand(static_cast<int64_t>(n + 1));
  const DimVector dims = results[0].shape().dimensions();
  const DimVector operand_strides = RowMajorStrides(dims);
  const DimVector update_strides = RowMajorStrides(updates.shape().dimensions());
  // The window's dimensions: the window dimensions of the updates, and the operand dimension of each.
  const DimVector window_dims = Pick(updates.shape().dimensions(), a.update_window_dims, true);
  const DimVector window_strides = Pick(update_strides, a.update_window_dims, true);
  const DimVector batch_dims = Pick(updates.shape().dimensions(), a.update_window_dims, false);
  const DimVector batch_strides = Pick(update_strides, a.update_window_dims, false);
  DimVector operand_window_strides, window_size(dims.size(), 1);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t dimension = static_cast<int64_t>(d);
    if (Contains(a.inserted_window_dims, dimension) || Contains(a.input_batching_dims, dimension)) continue;
    if (operand_window_strides.size() == window_dims.size())
      return InvalidArgument("scatter's window has too few dimensions");
    window_size[d] = window_dims[operand_window_strides.size()];
    operand_window_strides.push_back(operand_strides[d]);
  }
  HLOIR_RETURN_IF_ERROR(context.run.CountSteps(updates.element_count() * combiner.cost()));
  Status status;
  if (updates.element_count() > 0) {
    ForEachIndex(batch_dims, [&](const DimVector& batch) {
      if (!status.ok()) return;
      const DimVector start = places.Start(batch, static_cast<int64_t>(dims.size()));
      for (size_t d = 0; d < dims.size(); ++d) {
        if (start[d] < 0 || start[d] > dims[d] - window_size[d]) return;
      }
      const int64_t target = LinearIndex(start, operand_strides), source = LinearIndex(batch, batch_strides);
      ForEachIndex(window_dims, [&](const DimVector& window) {
        if (!status.ok()) return;
        const int64_t at = target + LinearIndex(window, operand_window_strides);
        const int64_t update = source + LinearIndex(window, window_strides);
        for (size_t k = 0; k < n; ++k) {
          combiner.Load(k, results[k], at);
          combiner.Load(n + k, context.operand(static_cast<int64_t>(n + 1 + k)), update);
        }
        status = combiner.Run();
        for (size_t k = 0; k < n; ++k) combiner.Store(k, results[k], at);
      });
    });
  }
  HLOIR_RETURN_IF_ERROR(status);
  return Packed(std::move(results), context.shape);
}

}  // namespace hloir::reference
