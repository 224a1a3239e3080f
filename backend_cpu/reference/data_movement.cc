// Ops that move elements of an operand: broadcast, reshape, transpose, reverse, slice, concatenate, pad, and
// dynamic-slice and dynamic-update-slice. Each is a choice of start and strides for one copying loop (index.h).
#include <algorithm>

#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"

namespace hloir::reference {
namespace {

// Start indices are scalars, one per dimension, or in old text one vector. Each is clamped so that the slice fits.
StatusOr<DimVector> ClampedStarts(EvalContext& context, int64_t first, const DimVector& dims, const DimVector& sizes) {
  DimVector starts;
  for (int64_t i = first; i < context.operand_count(); ++i) {
    const Literal& index = context.operand(i);
    const bool is_u64 = index.shape().element_type() == PrimitiveType::U64;
    for (int64_t k = 0; k < index.element_count(); ++k) {
      const int64_t start = index.GetAsInt64(k);
      starts.push_back(is_u64 && start < 0 ? INT64_MAX : start);
    }
  }
  if (starts.size() != dims.size() || sizes.size() != dims.size()) {
    return InvalidArgument(
        Format("{} has {} start indices for {} dimensions", context.instruction.name(), starts.size(), dims.size()));
  }
  for (size_t d = 0; d < dims.size(); ++d) starts[d] = std::clamp<int64_t>(starts[d], 0, dims[d] - sizes[d]);
  return starts;
}

Literal Reshaped(Literal literal, const Shape& shape) {
  literal.set_shape_layout(shape);  // the data is unchanged
  literal.set_dynamic_sizes(AtBounds());
  return literal;
}

}  // namespace

// dimensions[i] is the result dimension of operand dimension i; the operand is repeated along the others.
StatusOr<Value> EvaluateBroadcast(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const DimVector strides = RowMajorStrides(operand.shape().dimensions());
  Region from{0, DimVector(context.dims().size(), 0)};
  const DimVector& dimensions = context.attributes<DimensionsAttributes>().dimensions;
  for (size_t i = 0; i < dimensions.size(); ++i) from.strides[static_cast<size_t>(dimensions[i])] = strides[i];
  return ReadRegion(context.shape, operand, from);
}

// Reshapes keep the row-major order of elements, regardless of layouts.
StatusOr<Value> EvaluateReshape(EvalContext& context) {
  if (context.shape.ElementCount() != context.operand(0).element_count()) {
    return InvalidArgument(Format("{} changes the number of elements", context.instruction.name()));
  }
  return Reshaped(std::move(context.operands[0]).TakeLiteral(), context.shape);
}

// Result dimension i is operand dimension dimensions[i].
StatusOr<Value> EvaluateTranspose(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const DimVector strides = RowMajorStrides(operand.shape().dimensions());
  Region from;
  for (int64_t d : context.attributes<DimensionsAttributes>().dimensions)
    from.strides.push_back(strides[static_cast<size_t>(d)]);
  return ReadRegion(context.shape, operand, from);
}

StatusOr<Value> EvaluateReverse(EvalContext& context) {
  Region from{0, RowMajorStrides(context.dims())};
  for (int64_t d : context.attributes<DimensionsAttributes>().dimensions) {
    const size_t i = static_cast<size_t>(d);
    from.start += (context.dims()[i] - 1) * from.strides[i];
    from.strides[i] = -from.strides[i];
  }
  return ReadRegion(context.shape, context.operand(0), from);
}

StatusOr<Value> EvaluateSlice(EvalContext& context) {
  const Literal& operand = context.operand(0);
  Region from{0, RowMajorStrides(operand.shape().dimensions())};
  const SliceRanges& ranges = context.attributes<SliceAttributes>().slice;
  for (size_t d = 0; d < ranges.size(); ++d) {
    from.start += ranges[d].start * from.strides[d];
    from.strides[d] *= ranges[d].stride;
  }
  return ReadRegion(context.shape, operand, from);
}

StatusOr<Value> EvaluateConcatenate(EvalContext& context) {
  const size_t dimension = static_cast<size_t>(context.attributes<DimensionsAttributes>().dimensions[0]);
  Literal result(context.shape);
  Region to{0, RowMajorStrides(context.dims())};
  for (int64_t i = 0; i < context.operand_count(); ++i) {
    const DimVector& dims = context.operand(i).shape().dimensions();
    CopyRegion(dims, context.operand(i), {0, RowMajorStrides(dims)}, result, to);
    to.start += dims[dimension] * to.strides[dimension];
  }
  return result;
}

// Operand element i is at low + i * (interior + 1); other elements are the padding value. Negative low and high
// truncate.
StatusOr<Value> EvaluatePad(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const PaddingConfig& padding = context.attributes<PadAttributes>().padding;
  Literal result = ReadRegion(context.shape, context.operand(1), {0, DimVector(context.dims().size(), 0)});
  const DimVector out = RowMajorStrides(context.dims()), in = RowMajorStrides(operand.shape().dimensions());
  Region from{0, in}, to{0, out};
  DimVector kept;  // the number of operand elements of each dimension inside the result
  for (size_t d = 0; d < padding.size(); ++d) {
    const int64_t step = padding[d].interior + 1, low = padding[d].low;
    const int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
    const int64_t room = context.dims()[d] - low;  // positions from the operand's first element to the result's end
    const int64_t end =
        std::min(operand.shape().dimensions(static_cast<int64_t>(d)), room <= 0 ? 0 : (room + step - 1) / step);
    kept.push_back(std::max<int64_t>(0, end - first));
    from.start += first * in[d];
    to.start += (low + first * step) * out[d];
    to.strides[d] *= step;
  }
  CopyRegion(kept, operand, from, result, to);
  return result;
}

StatusOr<Value> EvaluateDynamicSlice(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const DimVector& dims = operand.shape().dimensions();
  HLOIR_ASSIGN_OR_RETURN(const DimVector starts, ClampedStarts(context, 1, dims, context.dims()));
  const DimVector strides = RowMajorStrides(dims);
  return ReadRegion(context.shape, operand, {LinearIndex(starts, strides), strides});
}

StatusOr<Value> EvaluateDynamicUpdateSlice(EvalContext& context) {
  const Literal& update = context.operand(1);
  const DimVector& sizes = update.shape().dimensions();
  HLOIR_ASSIGN_OR_RETURN(const DimVector starts, ClampedStarts(context, 2, context.dims(), sizes));
  Literal result = std::move(context.operands[0]).TakeLiteral();
  const DimVector strides = RowMajorStrides(context.dims());
  CopyRegion(sizes, update, {0, RowMajorStrides(sizes)}, result, {LinearIndex(starts, strides), strides});
  return result;
}

}  // namespace hloir::reference
