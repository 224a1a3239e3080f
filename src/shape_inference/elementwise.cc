// Shapes of elementwise ops: the operands' dimensions, and the element types of operands and result.
#include "internal.h"

namespace hloir::shape_inference {

using Type = PrimitiveType;

static Status ExpectArrays(const Query& q) {
  for (size_t i = 0; i < q.operands.size(); ++i) {
    if (!q.operand(i).IsArray())
      return Invalid("{} takes arrays, but operand {} is {}", OpcodeName(q.opcode), i, Text(q.operand(i)));
  }
  return OkStatus();
}

// Checks the types against the op's column.
static Status ExpectTypes(const Query& q, Type type) {
  const OperandTypes types = GetOpcodeInfo(q.opcode).operand_types;
  if (Takes(types, type)) return OkStatus();
  return Invalid("{} takes {} elements, not {}", OpcodeName(q.opcode), OperandTypesText(types),
                 PrimitiveTypeName(type));
}

// Operand 0's shape, with the element type from the op's result-shape column.
static Shape LikeOperand(const Query& q, Shape shape) {
  const Type type = shape.element_type();
  switch (GetOpcodeInfo(q.opcode).shape) {
    case OpShape::kAsOperandPred: return shape.WithElementType(Type::PRED);
    case OpShape::kAsOperandReal: return IsComplex(type) ? shape.WithElementType(ComplexComponentType(type)) : shape;
    case OpShape::kAsOperand:
    case OpShape::kInferred:
    case OpShape::kGiven: return shape;
  }
  return shape;
}

// The common shape of all arrays in `shapes`; element type and layout are the first one's.
static StatusOr<Shape> Merge(std::span<const Shape* const> shapes) {
  Shape result = *shapes[0];
  for (const Shape* other : shapes.subspan(1)) {
    if (other == shapes[0]) continue;  // the common case: a module has one copy of each shape
    if (other->rank() != result.rank()) {
      return Invalid("operands differ in rank: {} and {}", Text(*shapes[0]), Text(*other));
    }
    for (int64_t i = 0; i < result.rank(); ++i) {
      std::optional<DimensionSize> size = MeetDimensions(result, i, *other, i);
      if (!size) return Invalid("operands differ in dimensions: {} and {}", Text(*shapes[0]), Text(*other));
      result.set_dimension(i, size->size);
      result.set_dynamic_dimension(i, size->dynamic);
    }
  }
  return result;
}

static StatusOr<Shape> InferUnary(const Query& q) {
  const Shape& x = q.operand(0);
  HLOIR_RETURN_IF_ERROR(ExpectTypes(q, x.element_type()));
  if (q.opcode == HloOpcode::kReducePrecision) {
    const auto& a = q.attr<ReducePrecisionAttributes>();
    if (a.exponent_bits < 1) return Invalid("exponent_bits={} must be at least 1", a.exponent_bits);
    if (a.mantissa_bits < 0) return Invalid("mantissa_bits={} must not be negative", a.mantissa_bits);
  }
  return LikeOperand(q, x);
}

// The new element type is that of the stated shape; only the dimensions that the op fixes are checked here.
StatusOr<Shape> InferConvert(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArrays(q));
  const Shape& x = q.operand(0);
  HLOIR_RETURN_IF_ERROR(ExpectArray(*q.stated, "the result"));
  return x.WithElementType(q.stated->element_type());
}

StatusOr<Shape> InferBitcastConvert(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArrays(q));
  const Shape& x = q.operand(0);
  HLOIR_RETURN_IF_ERROR(ExpectArray(*q.stated, "the result"));
  Type from = x.element_type(), to = q.stated->element_type();
  if (IsComplex(from) != IsComplex(to)) {
    return Invalid("bitcast-convert between complex and other types: {} to {}", PrimitiveTypeName(from),
                   PrimitiveTypeName(to));
  }
  int from_bits = BitWidth(from), to_bits = BitWidth(to);
  if (from_bits == to_bits) return x.WithElementType(to);
  if (std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return Invalid("bitcast-convert from {} to {}: neither width divides the other", PrimitiveTypeName(from),
                   PrimitiveTypeName(to));
  }
  DimVector dimensions = x.dimensions();
  if (from_bits > to_bits) {
    dimensions.push_back(from_bits / to_bits);
  } else {
    int64_t ratio = to_bits / from_bits;
    if (x.rank() == 0 || (dimensions.back() != ratio && !x.is_unbounded_dimension(x.rank() - 1))) {
      return Invalid("bitcast-convert from {} to {} needs a last dimension of {}", Text(x), PrimitiveTypeName(to),
                     ratio);
    }
    dimensions.pop_back();
  }
  Shape result = MakeArray(to, dimensions);
  for (int64_t i = 0; i < std::min(result.rank(), x.rank()); ++i) CopyDynamism(x, i, result, i);
  return result;
}

StatusOr<Shape> InferStochasticConvert(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArrays(q));
  Type from = q.operand(0).element_type(), random = q.operand(1).element_type();
  HLOIR_RETURN_IF_ERROR(ExpectTypes(q, from));
  if (!IsUnsigned(random) || BitWidth(random) != BitWidth(from)) {
    return Invalid("the random operand must be unsigned and as wide as {}, not {}", PrimitiveTypeName(from),
                   PrimitiveTypeName(random));
  }
  HLOIR_ASSIGN_OR_RETURN(Shape merged, Merge(q.operands));
  HLOIR_RETURN_IF_ERROR(ExpectArray(*q.stated, "the result"));
  return merged.WithElementType(q.stated->element_type());
}

// The comparison type must be that of the element type; only floats have two.
static bool ComparisonFits(ComparisonType comparison, Type type) {
  switch (comparison) {
    case ComparisonType::kDefault: return true;
    case ComparisonType::kFloat: return IsFloat(type) || IsComplex(type);
    case ComparisonType::kFloatTotalOrder: return IsFloat(type);
    case ComparisonType::kSigned: return IsInteger(type) && IsSigned(type);
    case ComparisonType::kUnsigned: return IsUnsigned(type) || type == Type::PRED;
  }
  return false;
}

static StatusOr<Shape> InferBinary(const Query& q) {
  Type a = q.operand(0).element_type(), b = q.operand(1).element_type();
  if (!SameTypeIgnoringFloatPrecision(a, b)) {
    return Invalid("operands differ in element type: {} and {}", Text(q.operand(0)), Text(q.operand(1)));
  }
  HLOIR_RETURN_IF_ERROR(ExpectTypes(q, a));
  if (q.opcode == HloOpcode::kComplex && a != b) {
    return Invalid("operands differ in element type: {} and {}", Text(q.operand(0)), Text(q.operand(1)));
  }
  if (q.opcode == HloOpcode::kCompare) {
    const auto& c = q.attr<CompareAttributes>();
    if (IsComplex(a) && c.direction != ComparisonDirection::kEq && c.direction != ComparisonDirection::kNe) {
      return InvalidArgument("complex numbers have no order: direction must be EQ or NE");
    }
    if (!ComparisonFits(c.type, a)) {
      return Invalid("type={} does not fit {} operands", EnumWord(c.type), PrimitiveTypeName(a));
    }
  }
  HLOIR_ASSIGN_OR_RETURN(Shape result, Merge(q.operands));
  if (q.opcode == HloOpcode::kComplex) return result.WithElementType(a == Type::F64 ? Type::C128 : Type::C64);
  Type type = HigherPrecisionType(a, b);
  return LikeOperand(q, type == a ? result : result.WithElementType(type));
}

// Each bound of a clamp may be a scalar for an array.
StatusOr<Shape> InferClamp(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArrays(q));
  const Shape& x = q.operand(1);
  for (size_t i : {0, 2}) {
    if (!SameTypeIgnoringFloatPrecision(q.operand(i).element_type(), x.element_type())) {
      return Invalid("operands differ in element type: {} and {}", Text(x), Text(q.operand(i)));
    }
  }
  SmallVector<const Shape*, 3> shapes{&x};
  for (size_t i : {0, 2}) {
    if (!q.operand(i).IsScalar()) shapes.push_back(&q.operand(i));
  }
  return Merge({shapes.data(), shapes.size()});
}

// A scalar predicate chooses whole arrays (and, in old texts, whole tuples).
StatusOr<Shape> InferSelect(const Query& q) {
  const Shape &pred = q.operand(0), &a = q.operand(1), &b = q.operand(2);
  if (pred.element_type() != Type::PRED) return Invalid("the first operand of select must be pred, not {}", Text(pred));
  if (!CompatibleIgnoringFloatPrecision(a, b))
    return Invalid("select between different shapes: {} and {}", Text(a), Text(b));
  if (!a.IsArray()) {
    if (!pred.IsScalar()) return Invalid("select of {} needs a scalar predicate, not {}", Text(a), Text(pred));
    return a;
  }
  const Shape* shapes[] = {&a, &b, &pred};
  HLOIR_ASSIGN_OR_RETURN(Shape result, Merge({shapes, pred.IsScalar() ? size_t{2} : size_t{3}}));
  Type type = HigherPrecisionType(a.element_type(), b.element_type());
  return type == a.element_type() ? result : result.WithElementType(type);
}

StatusOr<Shape> InferElementwise(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArrays(q));
  return q.operands.size() == 1 ? InferUnary(q) : InferBinary(q);
}
StatusOr<Shape> InferComplex(const Query& q) { return InferElementwise(q); }

}  // namespace hloir::shape_inference
