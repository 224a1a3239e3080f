// Shapes of ops that only move elements, without indices computed at run time: broadcast, reshape, transpose, slice,
// pad, concatenate, …; also iota and the two dimension-size ops.
#include "internal.h"

#include "support/format.h"

namespace hloir::shape_inference {

// With mixed precision, an op that moves elements may round them to another float type.
static Status ExpectElementType(const Shape& operand, const Shape& result) {
  if (SameTypeIgnoringFloatPrecision(operand.element_type(), result.element_type())) return OkStatus();
  return Invalid("the result's element type is {}, the operand's {}", PrimitiveTypeName(result.element_type()),
                 PrimitiveTypeName(operand.element_type()));
}

static bool HasUnbounded(const Shape& shape) { return Contains(shape.dimensions(), Shape::kUnboundedSize); }

static Status ExpectSameElementCount(const Shape& operand, const Shape& result) {
  if (HasUnbounded(operand) || HasUnbounded(result) || operand.ElementCount() == result.ElementCount())
    return OkStatus();
  return Invalid("{} has {} elements, {} has {}", Text(operand), operand.ElementCount(), Text(result),
                 result.ElementCount());
}

// dimensions[i] is the result's dimension that operand dimension i becomes.
StatusOr<Shape> InferBroadcast(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape &x = q.operand(0), &result = *q.stated;
  const DimVector& dims = q.attr<DimensionsAttributes>().dimensions;
  HLOIR_RETURN_IF_ERROR(ExpectArray(result, "the result"));
  HLOIR_RETURN_IF_ERROR(ExpectElementType(x, result));
  if (static_cast<int64_t>(dims.size()) != x.rank()) {
    return Invalid("broadcast dimensions={} must name one dimension for each of the operand's {}", Braced(dims),
                   x.rank());
  }
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(dims, result.rank(), "broadcast dimensions"));
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (!MeetDimensions(x, i, result, dims[i])) {
      return Invalid("operand dimension {} has size {}, but dimension {} of the result, where it goes, has {}", i,
                     x.dimensions(i), dims[i], result.dimensions(dims[i]));
    }
  }
  return result;
}

StatusOr<Shape> InferReshape(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape &x = q.operand(0), &result = *q.stated;
  HLOIR_RETURN_IF_ERROR(ExpectArray(result, "the result"));
  HLOIR_RETURN_IF_ERROR(ExpectElementType(x, result));
  HLOIR_RETURN_IF_ERROR(ExpectSameElementCount(x, result));
  if (q.opcode == HloOpcode::kReshape) {
    int64_t inferred = q.attr<ReshapeAttributes>().inferred_dimension;
    if (inferred != -1 && !InRange(inferred, result.rank())) {
      return Invalid("inferred_dimension={} is not a dimension of the result, whose rank is {}", inferred,
                     result.rank());
    }
    return result;
  }
  if (static_cast<int64_t>(q.operands.size()) != result.rank() + 1) {
    return Invalid("dynamic-reshape to rank {} needs as many size operands, not {}", result.rank(),
                   q.operands.size() - 1);
  }
  for (size_t i = 1; i < q.operands.size(); ++i) {
    if (!q.operand(i).IsScalar() || q.operand(i).element_type() != PrimitiveType::S32) {
      return Invalid("the sizes of dynamic-reshape must be s32 scalars, but operand {} is {}", i, Text(q.operand(i)));
    }
  }
  return result;
}

StatusOr<Shape> InferTranspose(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape& x = q.operand(0);
  const DimVector& dims = q.attr<DimensionsAttributes>().dimensions;
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(dims, x.rank(), "transpose dimensions"));
  if (static_cast<int64_t>(dims.size()) != x.rank()) {
    return Invalid("transpose dimensions={} is not a permutation of the operand's {} dimensions", Braced(dims),
                   x.rank());
  }
  DimVector sizes;
  for (int64_t d : dims) sizes.push_back(x.dimensions(d));
  Shape result = MakeArray(x.element_type(), sizes);
  for (int64_t i = 0; i < result.rank(); ++i) CopyDynamism(x, dims[i], result, i);
  if (x.has_layout()) {
    // No bytes move: the layout is permuted with the dimensions.
    DimVector position(dims.size()), minor_to_major;
    for (size_t i = 0; i < dims.size(); ++i) position[dims[i]] = static_cast<int64_t>(i);
    for (int64_t d : x.layout().minor_to_major()) minor_to_major.push_back(position[d]);
    if (minor_to_major.size() == dims.size()) result.set_layout(Layout(std::move(minor_to_major)));
  }
  return result;
}

StatusOr<Shape> InferConcatenate(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const DimVector& dims = q.attr<DimensionsAttributes>().dimensions;
  if (dims.size() != 1) return Invalid("concatenate takes one dimension, not dimensions={}", Braced(dims));
  const int64_t along = dims[0];
  const Shape& first = q.operand(0);
  HLOIR_RETURN_IF_ERROR(ExpectArray(first, "operand 0"));
  if (!InRange(along, first.rank())) return Invalid("concatenate along dimension {} of rank {}", along, first.rank());
  Shape result = MakeArray(first.element_type(), first.dimensions());
  for (int64_t i = 0; i < first.rank(); ++i) CopyDynamism(first, i, result, i);
  Wide total = 0;
  bool unbounded = false;
  for (size_t k = 0; k < q.operands.size(); ++k) {
    const Shape& x = q.operand(k);
    HLOIR_RETURN_IF_ERROR(ExpectArray(x, "operand {}", k));
    if (x.rank() != first.rank())
      return Invalid("operands 0 and {} differ in rank: {} and {}", k, Text(first), Text(x));
    if (!SameTypeIgnoringFloatPrecision(x.element_type(), first.element_type())) {
      return Invalid("operands 0 and {} differ in element type: {} and {}", k, Text(first), Text(x));
    }
    result.set_element_type(HigherPrecisionType(result.element_type(), x.element_type()));
    for (int64_t i = 0; i < x.rank(); ++i) {
      if (i == along) continue;
      std::optional<DimensionSize> size = MeetDimensions(result, i, x, i);
      if (!size)
        return Invalid("operands 0 and {} differ in dimension {}, which is not concatenated: {} and {}", k, i,
                       Text(first), Text(x));
      result.set_dimension(i, size->size);
      result.set_dynamic_dimension(i, size->dynamic);
    }
    unbounded |= x.is_unbounded_dimension(along);
    if (!unbounded) total += x.dimensions(along);
    CopyDynamism(x, along, result, along);
  }
  HLOIR_ASSIGN_OR_RETURN(int64_t size, Narrow(total));
  result.set_dimension(along, unbounded ? Shape::kUnboundedSize : size);
  return result;
}

StatusOr<Shape> InferSlice(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape& x = q.operand(0);
  const SliceRanges& ranges = q.attr<SliceAttributes>().slice;
  if (static_cast<int64_t>(ranges.size()) != x.rank()) {
    return Invalid("slice gives {} ranges for an operand of rank {}", ranges.size(), x.rank());
  }
  DimVector sizes;
  for (int64_t i = 0; i < x.rank(); ++i) {
    auto [start, limit, stride] = ranges[i];
    if (start < 0) return Invalid("slice of dimension {} starts at {}", i, start);
    if (stride <= 0) return Invalid("slice of dimension {} has stride {}, which must be positive", i, stride);
    if (limit < start) return Invalid("slice of dimension {} ends at {}, before its start {}", i, limit, start);
    if (limit > x.dimensions(i) && !x.is_unbounded_dimension(i)) {
      return Invalid("slice of dimension {} ends at {}, past its size {}", i, limit, x.dimensions(i));
    }
    sizes.push_back((limit - start) / stride + ((limit - start) % stride != 0));
  }
  Shape result = MakeArray(x.element_type(), sizes);
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (sizes[i] == x.dimensions(i)) CopyDynamism(x, i, result, i);
  }
  return result;
}

StatusOr<Shape> InferPad(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape &x = q.operand(0), &value = q.operand(1);
  const PaddingConfig& padding = q.attr<PadAttributes>().padding;
  if (!value.IsScalar()) return Invalid("the padding value must be a scalar, not {}", Text(value));
  if (!SameTypeIgnoringFloatPrecision(x.element_type(), value.element_type())) {
    return Invalid("the padding value's element type differs from the operand's: {} and {}", Text(value), Text(x));
  }
  if (static_cast<int64_t>(padding.size()) != x.rank()) {
    return Invalid("padding has {} dimensions, the operand {}", padding.size(), x.rank());
  }
  DimVector sizes;
  for (int64_t i = 0; i < x.rank(); ++i) {
    auto [low, high, interior] = padding[i];
    if (interior < 0) return Invalid("interior padding of dimension {} is negative: {}", i, interior);
    if (x.is_unbounded_dimension(i)) {
      sizes.push_back(Shape::kUnboundedSize);
      continue;
    }
    Wide size = Wide{x.dimensions(i)} + low + high + Wide{std::max<int64_t>(x.dimensions(i) - 1, 0)} * interior;
    if (size < 0) return Invalid("padding makes the size of dimension {} negative", i);
    HLOIR_ASSIGN_OR_RETURN(int64_t narrow, Narrow(size));
    sizes.push_back(narrow);
  }
  Shape result = MakeArray(HigherPrecisionType(x.element_type(), value.element_type()), sizes);
  for (int64_t i = 0; i < x.rank(); ++i) CopyDynamism(x, i, result, i);
  return result;
}

// The size in bytes depends on the layout: the layout-sensitive verifier checks it.
StatusOr<Shape> InferBitcast(const Query& q) {
  const Shape &x = q.operand(0), &result = *q.stated;
  if (x.IsArray() != result.IsArray()) return Invalid("bitcast from {} to {}", Text(x), Text(result));
  return result;
}

StatusOr<Shape> InferIota(const Query& q) {
  const Shape& result = *q.stated;
  HLOIR_RETURN_IF_ERROR(ExpectArray(result, "the result"));
  int64_t dimension = q.attr<IotaAttributes>().iota_dimension;
  if (!InRange(dimension, result.rank()))
    return Invalid("iota_dimension={} is not a dimension of {}", dimension, Text(result));
  if (result.element_type() == PrimitiveType::PRED) return InvalidArgument("iota can't count in pred");
  return result;
}

static StatusOr<Shape> InferDimensionSize(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape& x = q.operand(0);
  const DimVector& dims = q.attr<DimensionsAttributes>().dimensions;
  if (dims.size() != 1) return Invalid("{} takes one dimension, not dimensions={}", OpcodeName(q.opcode), Braced(dims));
  if (!InRange(dims[0], x.rank())) return Invalid("dimensions={{{}}} is not a dimension of {}", dims[0], Text(x));
  if (x.dimensions(dims[0]) > INT32_MAX)
    return Invalid("{} counts in s32, which dimension {} of {} passes", OpcodeName(q.opcode), dims[0], Text(x));
  if (q.opcode == HloOpcode::kGetDimensionSize) return MakeArray(PrimitiveType::S32, {});
  if (!q.operand(1).IsScalar() || q.operand(1).element_type() != PrimitiveType::S32) {
    return Invalid("the size must be an s32 scalar, not {}", Text(q.operand(1)));
  }
  Shape result = x;
  result.set_dynamic_dimension(dims[0], true);
  return result;
}

StatusOr<Shape> InferReverse(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  HLOIR_RETURN_IF_ERROR(
      ExpectDimensions(q.attr<DimensionsAttributes>().dimensions, q.operand(0).rank(), "reverse dimensions"));
  return q.operand(0);
}
StatusOr<Shape> InferDynamicReshape(const Query& q) { return InferReshape(q); }
StatusOr<Shape> InferGetDimensionSize(const Query& q) { return InferDimensionSize(q); }
StatusOr<Shape> InferSetDimensionSize(const Query& q) { return InferDimensionSize(q); }

}  // namespace hloir::shape_inference
