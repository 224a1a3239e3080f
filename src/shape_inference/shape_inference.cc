// The entry point of shape inference: checks operand counts and attribute types, then calls the rule of the op in the
// file of its family. Also helpers for all families. The verifier has the rules that depend on the graph around an
// instruction (callers, pairs, devices). tests/unit/shape_inference_test.cc.
#include "shape_inference/shape_inference.h"
#include "support/format.h"

#include <algorithm>
#include <tuple>

#include "internal.h"

namespace hloir {
namespace shape_inference {

StatusOr<int64_t> Narrow(Wide value) {
  if (value > INT64_MAX || value < INT64_MIN + 1) return InvalidArgument("a dimension of the result passes 64 bits");
  return static_cast<int64_t>(value);
}

Status NotAnArray(const Shape& shape, std::string_view what) {
  return Invalid("{} must be an array, not {}", what, Text(shape));
}

bool AreDimensions(const DimVector& dimensions, int64_t rank) {
  uint64_t seen = 0;  // of the first 64
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i];
    if (!InRange(d, rank)) return false;
    const bool again = d < 64 ? (seen >> d & 1) != 0
                              : std::find(dimensions.begin(), dimensions.begin() + i, d) != dimensions.begin() + i;
    if (again) return false;
    if (d < 64) seen |= uint64_t{1} << d;
  }
  return true;
}

Status NotDimensions(const DimVector& dimensions, int64_t rank, std::string_view what) {
  for (int64_t d : dimensions) {
    if (!InRange(d, rank))
      return Invalid("{}={} names dimension {}, but the rank is {}", what, Braced(dimensions), d, rank);
  }
  return Invalid("{}={} names a dimension twice", what, Braced(dimensions));
}

bool StrictlyAscending(const DimVector& list) {
  return std::adjacent_find(list.begin(), list.end(), std::greater_equal<int64_t>()) == list.end();
}

bool SameTypeIgnoringFloatPrecision(PrimitiveType a, PrimitiveType b) { return a == b || (IsFloat(a) && IsFloat(b)); }

// By range, then digits, then bits, then sign: f16 with bf16 gives bf16.
PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b) {
  if (a == b) return a;
  auto rank = [](PrimitiveType type) {
    PrimitiveType component = ComplexComponentType(type);
    FloatFormat f = GetFloatFormat(component);
    int largest_exponent = IsFloat(component) ? (1 << f.exponent_bits) - 1 - f.has_infinity - f.bias : -1;
    int digits = IsFloat(component) ? f.mantissa_bits + 1 : -1;
    return std::tuple(IsComplex(type), largest_exponent, digits, BitWidth(component), IsSigned(component));
  };
  return rank(a) < rank(b) ? b : a;
}

namespace {
bool SizesMeet(const Shape& a, int64_t i, const Shape& b, int64_t j) {
  return a.dimensions(i) == b.dimensions(j) || a.is_unbounded_dimension(i) || b.is_unbounded_dimension(j);
}

// Iterative, because the nesting of shapes is not bounded here.
template <class SameType>
bool SameTree(const Shape& a, const Shape& b, SameType same_type) {
  auto alike_at_top = [&](const Shape& x, const Shape& y) {
    bool alike = same_type(x.element_type(), y.element_type()) && x.rank() == y.rank() &&
                 x.tuple_shapes().size() == y.tuple_shapes().size();
    for (int64_t i = 0; alike && i < x.rank(); ++i) alike = SizesMeet(x, i, y, i);
    return alike;
  };
  if (&a == &b) return true;
  if (a.tuple_shapes().empty()) return alike_at_top(a, b);
  std::vector<std::pair<const Shape*, const Shape*>> pending{{&a, &b}};
  while (!pending.empty()) {
    auto [x, y] = pending.back();
    pending.pop_back();
    if (x == y) continue;
    if (!alike_at_top(*x, *y)) return false;
    for (size_t i = 0; i < x->tuple_shapes().size(); ++i)
      pending.emplace_back(&x->tuple_shapes(i), &y->tuple_shapes(i));
  }
  return true;
}

}  // namespace

bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b) {
  return SameTree(a, b, SameTypeIgnoringFloatPrecision);
}
bool SameBuffer(const Shape& a, const Shape& b) { return SameTree(a, b, std::equal_to<PrimitiveType>()); }

Shape MakeArray(PrimitiveType type, DimVector dimensions) {
  bool unbounded = Contains(dimensions, Shape::kUnboundedSize);
  Shape shape = Shape::Array(type, std::move(dimensions));
  if (unbounded) {
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (shape.is_unbounded_dimension(i)) shape.set_dynamic_dimension(i, true);
    }
  }
  return shape;
}

std::optional<DimensionSize> MeetDimensions(const Shape& a, int64_t i, const Shape& b, int64_t j) {
  if (!SizesMeet(a, i, b, j)) return std::nullopt;
  if (a.is_unbounded_dimension(i)) return DimensionSize{b.dimensions(j), b.is_dynamic_dimension(j)};
  if (b.is_unbounded_dimension(j)) return DimensionSize{a.dimensions(i), a.is_dynamic_dimension(i)};
  return DimensionSize{a.dimensions(i), a.is_dynamic_dimension(i) || b.is_dynamic_dimension(j)};
}

Status ExpectSameDimensions(const Query& q, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(i), "operand {}", i));
    const Shape &a = q.operand(first), &b = q.operand(i);
    bool same = a.rank() == b.rank();
    for (int64_t d = 0; same && d < a.rank(); ++d) same = SizesMeet(a, d, b, d);
    if (!same) return Invalid("operands {} and {} differ in dimensions: {} and {}", first, i, Text(a), Text(b));
  }
  return OkStatus();
}

Shape OneOrTuple(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes[0]);
  return Shape::Tuple(std::move(shapes));
}

namespace {

Status CheckIngredients(const Query& q) {
  const OpcodeInfo& info = GetOpcodeInfo(q.opcode);
  int64_t count = static_cast<int64_t>(q.operands.size());
  if (info.arity >= 0 ? count != info.arity : count < -info.arity - 1) {
    return Invalid("{} takes {}{} operand{}, not {}", info.name, info.arity < 0 ? "at least " : "",
                   info.arity >= 0 ? info.arity : -info.arity - 1, info.arity == 1 || info.arity == -2 ? "" : "s",
                   count);
  }
  bool attributes_fit = AttributesTypeSwitch(q.opcode, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, NoAttributes>) return q.attributes.empty();
    else return q.attributes.GetIf<T>() != nullptr;
  });
  if (!attributes_fit) return Invalid("{} lacks the attributes of its opcode", info.name);
  for (const HloComputation* computation : q.called) {
    if (computation == nullptr || computation->root() == nullptr) {
      return Invalid("{} calls a computation without root", info.name);
    }
    for (const HloInstruction* parameter : computation->parameters()) {
      if (parameter == nullptr) return Invalid("{} has a gap in its parameter numbers", computation->name());
    }
  }
  size_t called = q.called.size();
  switch (info.calls) {
    case CallKind::kNone:
      // async-update and async-done may repeat the computation of their start.
      if (q.opcode == HloOpcode::kAsyncUpdate || q.opcode == HloOpcode::kAsyncDone) break;
      if (called != 0) return Invalid("{} calls no computations, but has {}", info.name, called);
      break;
    case CallKind::kToApply:
    case CallKind::kCalls:
      if (called != 1) return Invalid("{} calls one computation, not {}", info.name, called);
      break;
    case CallKind::kConditionBody:
    case CallKind::kSelectScatter:
      if (called != 2) return Invalid("{} calls two computations, not {}", info.name, called);
      break;
    case CallKind::kBranches:
      if (called == 0) return Invalid("{} needs at least one branch", info.name);
      break;
    case CallKind::kCalledComputations: break;
  }
  if (info.shape == OpShape::kGiven && q.stated == nullptr)
    return Invalid("the result shape of {} must be stated", info.name);
  return OkStatus();
}

// Rows whose result is as operand 0; some have further checks.
StatusOr<Shape> InferAsOperand(const Query& q) {
  if (q.opcode == HloOpcode::kReverse) return InferReverse(q);
  if (q.opcode == HloOpcode::kDynamicUpdateSlice) return InferDynamicUpdateSlice(q);
  if (q.opcode == HloOpcode::kAddDependency) return InferAddDependency(q);
  if (HasTrait(q.opcode, kElementwise) && q.opcode != HloOpcode::kCopy) return InferElementwise(q);
  if (q.opcode == HloOpcode::kCopy && q.operand(0).IsOpaque())
    return InvalidArgument("an opaque value cannot be copied");
  return q.operand(0);
}

// By opcode.
constexpr StatusOr<Shape> (*kShapeRules[])(const Query&) = {
#define HLOIR_RULE_kAsOperand(name) InferAsOperand
#define HLOIR_RULE_kAsOperandPred(name) InferElementwise
#define HLOIR_RULE_kAsOperandReal(name) InferElementwise
#define HLOIR_RULE_kInferred(name) Infer##name
#define HLOIR_RULE_kGiven(name) Infer##name
#define HLOIR_OP(name, text, arity, attributes, calls, shape, ...) HLOIR_RULE_##shape(name),
#include "hloir/opcodes.def"
#undef HLOIR_OP
#undef HLOIR_RULE_kAsOperand
#undef HLOIR_RULE_kAsOperandPred
#undef HLOIR_RULE_kAsOperandReal
#undef HLOIR_RULE_kInferred
#undef HLOIR_RULE_kGiven
};

StatusOr<Shape> Infer(const Query& q) {
  HLOIR_RETURN_IF_ERROR(CheckIngredients(q));
  return kShapeRules[static_cast<size_t>(q.opcode)](q);
}

}  // namespace
}  // namespace shape_inference

StatusOr<Shape> InferShape(HloOpcode opcode, std::span<const Shape* const> operands, const Attributes& attributes,
                           std::span<const HloComputation* const> called, const Shape* stated) {
  return shape_inference::Infer({opcode, operands, attributes, called, stated});
}

StatusOr<Shape> InferShape(const HloInstruction& instruction) {
  SmallVector<const Shape*, 8> operands;
  for (const HloInstruction* operand : instruction.operands()) operands.push_back(&operand->shape());
  return InferShape(instruction.opcode(), {operands.data(), operands.size()}, instruction.attributes(),
                    instruction.called_computations(), &instruction.shape());
}

}  // namespace hloir
