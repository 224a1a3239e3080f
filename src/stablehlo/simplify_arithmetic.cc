// Simplifier: constants folded, neutral elements dropped. Part of simplify.h.
#include <algorithm>
#include <cmath>
#include <optional>

#include "simplify.h"

namespace hloir::stablehlo {
namespace {

std::optional<int64_t> FoldInteger(std::string_view name, PrimitiveType type, int64_t a, int64_t b) {
  const bool is_unsigned = IsUnsigned(type) || type == PrimitiveType::PRED;
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const bool pred = type == PrimitiveType::PRED;
  if (name == "add") return pred ? (a | b) : static_cast<int64_t>(ua + ub);
  if (name == "subtract" && !pred) return static_cast<int64_t>(ua - ub);
  if (name == "multiply") return pred ? (a & b) : static_cast<int64_t>(ua * ub);
  if (name == "maximum") return is_unsigned ? (ua > ub ? a : b) : std::max(a, b);
  if (name == "minimum") return is_unsigned ? (ua < ub ? a : b) : std::min(a, b);
  if ((name == "divide" || name == "remainder") && b != 0 && !pred && !(a == INT64_MIN && b == -1)) {
    if (is_unsigned) return static_cast<int64_t>(name == "divide" ? ua / ub : ua % ub);
    return name == "divide" ? a / b : a % b;
  }
  if (name == "and") return a & b;
  if (name == "or") return a | b;
  return std::nullopt;
}

// In double precision, and rounded: once, as the sum, product or quotient of two narrower numbers needs no more.
std::optional<double> FoldFloat(std::string_view name, double a, double b) {
  if (name == "add") return a + b;
  if (name == "subtract") return a - b;
  if (name == "multiply") return a * b;
  if (name == "divide") return a / b;
  if (name == "maximum" && a == a && b == b) return a >= b ? a : b;
  if (name == "minimum" && a == a && b == b) return a <= b ? a : b;
  if (name == "remainder") return std::fmod(a, b);
  return std::nullopt;
}

// As XLA's converter computes them: in the type itself, by the standard library.
template <class T>
std::optional<T> FoldFunction(std::string_view name, T x) {
  if (name == "negate") return -x;
  if (name == "abs") return std::fabs(x);
  if (name == "sign") return x != x ? x : x > 0 ? T{1} : x < 0 ? T{-1} : x;
  if (name == "sqrt") return std::sqrt(x);
  if (name == "rsqrt") return T{1} / std::sqrt(x);
  if (name == "exponential") return std::exp(x);
  if (name == "log") return std::log(x);
  if (name == "sine") return std::sin(x);
  if (name == "cosine") return std::cos(x);
  if (name == "tan") return std::tan(x);
  if (name == "tanh") return std::tanh(x);
  if (name == "logistic") return T{1} / (T{1} + std::exp(-x));
  if (name == "round_nearest_afz") return std::round(x);
  return std::nullopt;
}

}  // namespace

bool Simplifier::Binary(Operation& op, std::string_view name) {
  static constexpr std::string_view kCommutative[] = {"add", "and", "maximum", "minimum", "multiply", "or", "xor"};
  Value *&x = op.operands[0], *&y = op.operands[1];
  if (x->shape != y->shape || !x->shape.SameDimensions(op.results[0]->shape)) return false;
  if (std::find(std::begin(kCommutative), std::end(kCommutative), name) != std::end(kCommutative) &&
      Constant(x) != nullptr && Constant(y) == nullptr) {
    std::swap(x, y);
    return true;
  }
  const Shape& shape = op.results[0]->shape;
  const bool is_integer = IsIntegerType(shape.element_type());
  if (is_integer && Splat(x) != nullptr && Splat(y) != nullptr && x->shape.element_type() == shape.element_type()) {
    const std::optional<int64_t> folded =
        FoldInteger(name, shape.element_type(), Splat(x)->GetAsInt64(0), Splat(y)->GetAsInt64(0));
    if (folded.has_value()) return Replace(op, NewInteger(op, shape, *folded));
  }
  if (IsFloat(shape.element_type()) && Splat(x) != nullptr && Splat(y) != nullptr) {
    const std::optional<double> folded = FoldFloat(name, Splat(x)->GetAsDouble(0), Splat(y)->GetAsDouble(0));
    Literal literal(Shape::Scalar(shape.element_type()));
    if (folded.has_value()) {
      literal.SetFromDouble(0, *folded);
      return Replace(op, NewConstant(op, shape, std::move(literal)));
    }
  }
  if (name == "add" || name == "subtract") {
    if (IsSplatOf(y, 0)) return Replace(op, x);
    if (name == "subtract" && x == y && is_integer) return Replace(op, NewInteger(op, shape, 0));
  } else if (name == "multiply") {
    if (IsSplatOf(y, 0, true)) return Replace(op, y);
    if (IsSplatOf(y, 1)) return Replace(op, x);
  } else if (name == "and") {
    if (IsSplatOf(y, 0, true)) return Replace(op, y);
    if (IsAllOnes(y)) return Replace(op, x);
  } else if (name == "or") {
    if (IsAllOnes(y)) return Replace(op, y);
    if (IsSplatOf(y, 0, true)) return Replace(op, x);
  } else if (name == "xor") {
    if (x == y) return Replace(op, NewInteger(op, shape, 0));
    if (IsSplatOf(y, 0, true)) return Replace(op, x);
  }
  return false;
}

bool Simplifier::Unary(Operation& op, std::string_view name) {
  const Literal* x = Splat(op.operands[0]);
  const Shape& shape = op.results[0]->shape;
  if (x == nullptr || !shape.IsArray() || !shape.SameDimensions(op.operands[0]->shape)) return false;
  const PrimitiveType type = shape.element_type();
  Literal result(Shape::Scalar(type));
  if (IsFloat(type) && x->shape().element_type() == type) {
    const double value = x->GetAsDouble(0);
    std::optional<double> folded;
    if (type == PrimitiveType::F64) folded = FoldFunction(name, value);
    else if (type == PrimitiveType::F32) folded = FoldFunction(name, static_cast<float>(value));
    else if (name == "negate" || name == "abs" || name == "sign") folded = FoldFunction(name, value);
    if (!folded.has_value()) return false;
    result.SetFromDouble(0, *folded);
  } else if (IsSigned(type) && name == "negate") {
    result.SetFromInt64(0, static_cast<int64_t>(0 - static_cast<uint64_t>(x->GetAsInt64(0))));
  } else if (type == PrimitiveType::PRED && name == "not") {
    result.SetFromInt64(0, x->GetAsInt64(0) == 0);
  } else {
    return false;
  }
  return Replace(op, NewConstant(op, shape, std::move(result)));
}

bool Simplifier::Compare(Operation& op) {
  Attribute* direction = nullptr;
  for (auto& [key, attribute] : op.attributes.entries) {
    if (key == "comparison_direction") direction = &attribute;
  }
  Value *&x = op.operands[0], *&y = op.operands[1];
  if (direction == nullptr || op.results[0]->shape.element_type() != PrimitiveType::PRED || x->shape != y->shape ||
      !x->shape.SameDimensions(op.results[0]->shape))
    return false;
  std::string& d = direction->text;
  const PrimitiveType type = x->shape.element_type();
  const Shape& shape = op.results[0]->shape;
  if (type == PrimitiveType::PRED) {
    if ((d == "NE" && IsSplatOf(y, 0)) || (d == "EQ" && IsSplatOf(y, 1))) return Replace(op, x);
  }
  if (IsIntegerType(type) && x == y) return Replace(op, NewInteger(op, shape, d == "EQ" || d == "LE" || d == "GE"));
  if (IsIntegerType(type) && Constant(x) != nullptr && Constant(y) == nullptr) {
    std::swap(x, y);
    if (d == "GE") d = "LE";
    else if (d == "LE") d = "GE";
    else if (d == "GT") d = "LT";
    else if (d == "LT") d = "GT";
    return true;
  }
  if (IsIntegerType(type) && Splat(x) != nullptr && Splat(y) != nullptr) {
    const int64_t a = Splat(x)->GetAsInt64(0), b = Splat(y)->GetAsInt64(0);
    const bool is_unsigned = !IsSigned(type);
    const bool less = is_unsigned ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
    const bool result = d == "EQ"   ? a == b
                        : d == "NE" ? a != b
                        : d == "LT" ? less
                        : d == "LE" ? less || a == b
                        : d == "GT" ? !less && a != b
                                    : !less;
    return Replace(op, NewInteger(op, shape, result));
  }
  if (IsFloat(type) && Splat(x) != nullptr && Splat(y) != nullptr) {
    const Attribute* order = op.Find("compare_type");
    if (order != nullptr && order->text == "TOTALORDER") return false;
    const double a = Splat(x)->GetAsDouble(0), b = Splat(y)->GetAsDouble(0);
    const bool result = d == "EQ"   ? a == b
                        : d == "NE" ? a != b
                        : d == "LT" ? a < b
                        : d == "LE" ? a <= b
                        : d == "GT" ? a > b
                                    : a >= b;
    return Replace(op, NewInteger(op, shape, result));
  }
  return false;
}

bool Simplifier::Convert(Operation& op) {
  Value* x = op.operands[0];
  const Shape& shape = op.results[0]->shape;
  if (x->shape == shape) return Replace(op, x);
  const Attribute* constant = Constant(x);
  if (constant == nullptr || !x->shape.SameDimensions(shape)) return false;
  const PrimitiveType from = x->shape.element_type(), to = shape.element_type();
  if (!(IsIntegerType(from) || IsFloat(from)) || !(IsIntegerType(to) || IsFloat(to))) return false;
  return Replace(op, NewConstant(op, shape, constant->literal->Convert(to)));
}

bool Simplifier::Select(Operation& op) {
  if (op.operands.size() != 3) return false;
  Value *&pred = op.operands[0], *&yes = op.operands[1], *&no = op.operands[2];
  if (yes == no) return Replace(op, yes);
  if (const Literal* which = Splat(pred)) return Replace(op, which->GetAsInt64(0) != 0 ? yes : no);
  if (Operation* inverted = Def(pred, "stablehlo.not")) {
    pred = inverted->operands[0];
    std::swap(yes, no);
    return true;
  }
  Operation* broadcast = Def(pred, "stablehlo.broadcast_in_dim");
  if (broadcast == nullptr || Uses(pred) != 1) return false;
  Operation* inverted = Def(broadcast->operands[0], "stablehlo.not");
  if (inverted == nullptr) return false;
  Operation& made = New("stablehlo.broadcast_in_dim", *broadcast, {inverted->operands[0]}, pred->shape);
  made.attributes = broadcast->attributes;
  pred = made.results[0];
  std::swap(yes, no);
  return true;
}

}  // namespace hloir::stablehlo
