// Evaluation with dynamic sizes; get- and set-dimension-size, dynamic-reshape.
#include "reference/dynamic.h"

#include <algorithm>

#include "support/format.h"
#include "shape_inference/shape_inference.h"
#include "reference/index.h"

namespace hloir::reference {
namespace {

// Ops that only forward arrays, or that handle dynamic sizes themselves.
bool TakesDynamicArrays(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kTuple, HloOpcode::kGetTupleElement, HloOpcode::kCall, HloOpcode::kWhile,
                 HloOpcode::kConditional, HloOpcode::kFusion, HloOpcode::kCopy, HloOpcode::kOptimizationBarrier,
                 HloOpcode::kAddDependency, HloOpcode::kDomain, HloOpcode::kCustomCall, HloOpcode::kGetDimensionSize,
                 HloOpcode::kSetDimensionSize, HloOpcode::kDynamicReshape) ||
         HasTrait(opcode, kAsyncPart | kCollective);
}

// The result's shape for operands with these actual shapes.
StatusOr<Shape> ActualShape(const HloInstruction& instruction, const std::vector<Shape>& operands) {
  const Shape& stated = instruction.shape();
  const DimVector& dims = operands[0].dimensions();
  switch (instruction.opcode()) {
    case HloOpcode::kConvert:
    case HloOpcode::kStochasticConvert:
    case HloOpcode::kBitcastConvert:
      if (stated.rank() == operands[0].rank()) return Shape::Array(stated.element_type(), dims);
      break;
    case HloOpcode::kBroadcast: {
      Shape shape = Shape::Array(stated.element_type(), stated.dimensions());
      const DimVector& mapped = instruction.dimensions();
      for (size_t i = 0; i < mapped.size(); ++i) shape.set_dimension(mapped[i], dims[i]);
      return shape;
    }
    case HloOpcode::kReshape: {
      // At most one dimension can follow from the number of elements.
      Shape shape = Shape::Array(stated.element_type(), stated.dimensions());
      int64_t open = -1, fixed = 1;
      for (int64_t d = 0; d < stated.rank(); ++d) {
        if (!stated.is_dynamic_dimension(d)) fixed *= stated.dimensions(d);
        else if (open >= 0) return Unimplemented(Format("{} with more than one dynamic dimension", instruction.name()));
        else open = d;
      }
      if (open >= 0 && fixed > 0) shape.set_dimension(open, Product(dims) / fixed);
      return shape;
    }
    default: break;  // shape inference gives the actual shape
  }
  std::vector<const Shape*> pointers;
  for (const Shape& shape : operands) pointers.push_back(&shape);
  return InferShape(instruction.opcode(), pointers, instruction.attributes(), instruction.called_computations(),
                    &stated);
}

StatusOr<Value> PadValue(Value value, const Shape& bounds) {
  if (value.IsTuple()) {
    std::vector<Value> elements = value.elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      HLOIR_ASSIGN_OR_RETURN(elements[i],
                             PadValue(std::move(elements[i]), bounds.tuple_shapes(static_cast<int64_t>(i))));
    }
    return Value::Tuple(std::move(elements));
  }
  HLOIR_ASSIGN_OR_RETURN(Literal padded, PadToBounds(std::move(value).TakeLiteral(), bounds));
  return padded;
}

DimVector ActualSizes(const Literal& literal) {
  return literal.dynamic_sizes().empty() ? literal.shape().dimensions() : literal.dynamic_sizes();
}

}  // namespace

bool NeedsActualSizes(const HloInstruction& instruction, const std::vector<Value>& operands) {
  const bool dynamic = std::any_of(operands.begin(), operands.end(), [](const Value& value) {
    return !value.IsTuple() && !value.literal().dynamic_sizes().empty();
  });
  return dynamic && !TakesDynamicArrays(instruction.opcode());
}

Literal TrimToActualSizes(const Literal& literal) {
  if (literal.dynamic_sizes().empty()) return literal;
  return ReadRegion(Shape::Array(literal.shape().element_type(), literal.dynamic_sizes()), literal,
                    {0, RowMajorStrides(literal.shape().dimensions())});
}

StatusOr<Literal> PadToBounds(Literal literal, const Shape& bounds) {
  if (!bounds.IsArray() || literal.shape().dimensions() == bounds.dimensions()) return literal;
  const DimVector& dims = literal.shape().dimensions();
  for (int64_t d = 0; d < bounds.rank(); ++d) {
    const int64_t actual = literal.shape().dimensions(d);
    if (actual > bounds.dimensions(d) || (actual != bounds.dimensions(d) && !bounds.is_dynamic_dimension(d))) {
      return InvalidArgument(
          Format("a result of shape {} does not fit into {}", literal.shape().ToString(false), bounds.ToString(false)));
    }
  }
  Literal padded(bounds);
  CopyRegion(dims, literal, {0, RowMajorStrides(dims)}, padded, {0, RowMajorStrides(bounds.dimensions())});
  padded.set_dynamic_sizes(dims);
  return padded;
}

StatusOr<Value> EvaluateAtActualSizes(Evaluation& run, const HloInstruction& instruction, std::vector<Value> operands) {
  std::vector<Shape> shapes;
  for (Value& value : operands) {
    if (value.IsTuple()) return Unimplemented(Format("{} takes tuples of dynamic arrays", instruction.name()));
    value = TrimToActualSizes(value.literal());
    shapes.push_back(value.literal().shape());
  }
  HLOIR_ASSIGN_OR_RETURN(const Shape shape, ActualShape(instruction, shapes));
  EvalContext context{run, instruction, shape, operands};
  HLOIR_ASSIGN_OR_RETURN(Value result, DispatchOp(context));
  return PadValue(std::move(result), instruction.shape());
}

StatusOr<Value> EvaluateGetDimensionSize(EvalContext& context) {
  const DimVector sizes = ActualSizes(context.operand(0));
  const size_t dimension = static_cast<size_t>(context.attributes<DimensionsAttributes>().dimensions[0]);
  if (dimension >= sizes.size())
    return InvalidArgument("get-dimension-size of a dimension that its operand does not have");
  Literal size(context.shape);
  size.SetFromInt64(0, sizes[dimension]);
  return size;
}

// The elements are not moved; fewer of them are valid.
StatusOr<Value> EvaluateSetDimensionSize(EvalContext& context) {
  Literal result = std::move(context.operands[0]).TakeLiteral();
  DimVector sizes = ActualSizes(result);
  const size_t dimension = static_cast<size_t>(context.attributes<DimensionsAttributes>().dimensions[0]);
  if (dimension >= sizes.size())
    return InvalidArgument("set-dimension-size of a dimension that its operand does not have");
  const int64_t size = context.operand(1).GetAsInt64(0);
  if (size < 0 || size > result.shape().dimensions()[dimension]) {
    return InvalidArgument(Format("{} sets a size of {} where the bound is {}", context.instruction.name(), size,
                                  result.shape().dimensions()[dimension]));
  }
  sizes[dimension] = size;
  result.set_shape_layout(context.shape);
  result.set_dynamic_sizes(sizes == context.dims() ? AtBounds() : sizes);
  return result;
}

// Operands: the array, and for each result dimension its actual size.
StatusOr<Value> EvaluateDynamicReshape(EvalContext& context) {
  Literal trimmed = TrimToActualSizes(context.operand(0));
  DimVector sizes;
  for (int64_t i = 1; i < context.operand_count(); ++i) sizes.push_back(context.operand(i).GetAsInt64(0));
  const bool negative = std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; });
  const Shape shape = Shape::Array(context.shape.element_type(), sizes);
  if (negative || sizes.size() != context.dims().size() || shape.ElementCount() != trimmed.element_count()) {
    return InvalidArgument(Format("{} changes the number of elements", context.instruction.name()));
  }
  trimmed.set_shape_layout(shape);
  HLOIR_ASSIGN_OR_RETURN(Literal padded, PadToBounds(std::move(trimmed), context.shape));
  return padded;
}

}  // namespace hloir::reference
