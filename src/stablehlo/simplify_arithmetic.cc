// Simplifier: constants folded, neutral elements dropped. Part of simplify.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
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

// Computed in double precision and rounded: for sums, products and quotients of narrower numbers that equals one
// rounding.
std::optional<double> FoldFloat(std::string_view name, double a, double b) {
  std::optional<double> result;
  if (name == "add") result = a + b;
  if (name == "subtract") result = a - b;
  if (name == "multiply") result = a * b;
  if (name == "divide") result = a / b;
  if (name == "maximum" && a == a && b == b) result = a >= b ? a : b;
  if (name == "minimum" && a == a && b == b) result = a <= b ? a : b;
  if (name == "remainder") result = std::fmod(a, b);
  // A NaN that arises here is positive on every machine.
  const bool arises = result.has_value() && *result != *result && a == a && b == b;
  return arises ? std::numeric_limits<double>::quiet_NaN() : result;
}

// As XLA's converter computes them: in double precision, then rounded; roots and logarithms only within their domains.
std::optional<double> FoldUnary(std::string_view name, double x) {
  if (name == "negate") return -x;
  if (name == "abs") return std::fabs(x);
  if (name == "sign") return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? std::optional<double>(x) : std::nullopt;
  if (name == "sqrt" && !(x < 0)) return std::sqrt(x);
  if (name == "rsqrt" && !(x <= 0)) return 1 / std::sqrt(x);
  if (name == "exponential") return std::exp(x);
  if (name == "log" && !(x <= 0)) return std::log(x);
  if (name == "sine") return std::sin(x);
  if (name == "cosine") return std::cos(x);
  if (name == "tan") return std::tan(x);
  if (name == "tanh") return std::tanh(x);
  if (name == "logistic") return 1 / (1 + std::exp(-x));
  if (name == "round_nearest_afz") return std::round(x);
  if (name == "round_nearest_even") return std::nearbyint(x);
  return std::nullopt;
}

// Numbers that an integer type holds after truncation; NaN, infinities and -0 are converted at run time.
bool ConvertsExactly(double x, PrimitiveType to) {
  if (x != x || std::isinf(x) || (x == 0 && std::signbit(x))) return false;
  const double whole = std::trunc(x);
  const int bits = BitWidth(to) - (IsSigned(to) ? 1 : 0);
  return whole < std::ldexp(1.0, bits) && whole >= (IsSigned(to) ? -std::ldexp(1.0, bits) : 0.0);
}

bool HoldsAfter(std::string_view direction, bool less, bool equal, bool unordered) {
  if (direction == "EQ") return equal;
  if (direction == "NE") return !equal;
  if (direction == "LT") return less;
  if (direction == "LE") return less || equal;
  return !unordered && (direction == "GT" ? !less && !equal : !less);
}

}  // namespace

bool Simplifier::FoldElements(Operation& op,
                              const std::function<bool(const ConstantElements&, Literal&, int64_t)>& element) {
  ConstantElements operands;
  const Shape& shape = op.results[0]->shape();
  bool all_same = true;
  for (const Value* operand : op.operands) {
    const Attribute* constant = Constant(operand);
    if (constant == nullptr || !operand->shape().SameDimensions(shape)) return false;
    operands.literals.push_back(constant->literal.get());
    all_same &= constant->literal->element_count() == 1;
  }
  Literal result(all_same ? Shape::Scalar(shape.element_type()) : shape);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    if (!element(operands, result, i)) return false;
  }
  return Replace(op, NewConstant(op, shape, std::move(result)));
}

bool Simplifier::Binary(Operation& op, std::string_view name) {
  static constexpr std::string_view kCommutative[] = {"add", "and", "maximum", "minimum", "multiply", "or", "xor"};
  Value *&x = op.operands[0], *&y = op.operands[1];
  if (x->shape() != y->shape() || !x->shape().SameDimensions(op.results[0]->shape())) return false;
  if (Constant(x) != nullptr && Constant(y) == nullptr &&
      std::find(std::begin(kCommutative), std::end(kCommutative), name) != std::end(kCommutative)) {
    std::swap(x, y);
    return true;
  }
  const Shape& shape = op.results[0]->shape();
  const bool is_integer = IsIntegerType(shape.element_type());
  if (x->shape().element_type() == shape.element_type() &&
      FoldElements(op, [&](const ConstantElements& c, Literal& to, int64_t i) {
        if (is_integer) {
          const std::optional<int64_t> folded =
              FoldInteger(name, shape.element_type(), c.Integer(0, i), c.Integer(1, i));
          if (folded.has_value()) to.SetFromInt64(i, *folded);
          return folded.has_value();
        }
        const std::optional<double> folded =
            IsFloat(shape.element_type()) ? FoldFloat(name, c.Double(0, i), c.Double(1, i)) : std::nullopt;
        if (folded.has_value()) to.SetFromDouble(i, *folded);
        return folded.has_value();
      }))
    return true;
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
    if (SameValue(x, y)) return Replace(op, NewInteger(op, shape, 0));
    if (IsSplatOf(y, 0, true)) return Replace(op, x);
  }
  return false;
}

bool Simplifier::Unary(Operation& op, std::string_view name) {
  const Shape& shape = op.results[0]->shape();
  const PrimitiveType type = shape.element_type();
  if (!shape.IsArray() || op.operands[0]->shape().element_type() != type) return false;
  return FoldElements(op, [&](const ConstantElements& c, Literal& to, int64_t i) {
    if (IsFloat(type)) {
      const std::optional<double> folded = FoldUnary(name, c.Double(0, i));
      if (folded.has_value()) to.SetFromDouble(i, *folded);
      return folded.has_value();
    }
    if (!IsIntegerType(type)) return false;
    const int64_t x = c.Integer(0, i);
    const auto bits = static_cast<uint64_t>(x);
    if (name == "not") to.SetFromInt64(i, type == PrimitiveType::PRED ? x == 0 : ~x);
    else if (type == PrimitiveType::PRED) return false;
    else if (name == "negate") to.SetFromInt64(i, static_cast<int64_t>(0 - bits));
    else if (name == "abs" && IsSigned(type)) to.SetFromInt64(i, static_cast<int64_t>(x < 0 ? 0 - bits : bits));
    else if (name == "sign" && IsSigned(type)) to.SetFromInt64(i, (x > 0) - (x < 0));
    else return false;
    return true;
  });
}

// For three arrays of one shape.
bool Simplifier::Clamp(Operation& op) {
  const Shape& shape = op.results[0]->shape();
  const PrimitiveType type = shape.element_type();
  for (const Value* operand : op.operands) {
    if (operand->shape().element_type() != type) return false;
  }
  return FoldElements(op, [&](const ConstantElements& c, Literal& to, int64_t i) {
    if (IsFloat(type))
      return to.SetFromDouble(i, std::fmin(std::fmax(c.Double(1, i), c.Double(0, i)), c.Double(2, i))), true;
    if (!IsInteger(type)) return false;
    int64_t x = c.Integer(1, i);
    const auto less = [&](int64_t a, int64_t b) {
      return IsUnsigned(type) ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
    };
    if (less(x, c.Integer(0, i))) x = c.Integer(0, i);
    if (less(c.Integer(2, i), x)) x = c.Integer(2, i);
    to.SetFromInt64(i, x);
    return true;
  });
}

bool Simplifier::Compare(Operation& op) {
  Attribute* direction = nullptr;
  for (auto& [key, attribute] : op.attributes.entries) {
    if (key == "comparison_direction") direction = &attribute;
  }
  Value *&x = op.operands[0], *&y = op.operands[1];
  if (direction == nullptr || op.results[0]->shape().element_type() != PrimitiveType::PRED ||
      x->shape() != y->shape() || !x->shape().SameDimensions(op.results[0]->shape()))
    return false;
  std::string_view& d = direction->text;
  const PrimitiveType type = x->shape().element_type();
  const Shape& shape = op.results[0]->shape();
  if (type == PrimitiveType::PRED) {
    if ((d == "NE" && IsSplatOf(y, 0)) || (d == "EQ" && IsSplatOf(y, 1))) return Replace(op, x);
  }
  // A comparison without a type keeps its operands' order.
  const Attribute* order = op.Find("compare_type");
  const bool is_typed = order != nullptr && (order->text == "SIGNED" || order->text == "UNSIGNED");
  if (is_typed && IsIntegerType(type) && x == y)
    return Replace(op, NewInteger(op, shape, d == "EQ" || d == "LE" || d == "GE"));
  if (is_typed && IsIntegerType(type) && Constant(x) != nullptr && Constant(y) == nullptr) {
    std::swap(x, y);
    if (d == "GE") d = "LE";
    else if (d == "LE") d = "GE";
    else if (d == "GT") d = "LT";
    else if (d == "LT") d = "GT";
    return true;
  }
  if (order != nullptr && order->text == "TOTALORDER") return false;
  return FoldElements(op, [&](const ConstantElements& c, Literal& to, int64_t i) {
    if (IsIntegerType(type)) {
      const int64_t a = c.Integer(0, i), b = c.Integer(1, i);
      const bool less = IsSigned(type) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
      to.SetFromInt64(i, HoldsAfter(d, less, a == b, false));
      return true;
    }
    if (!IsFloat(type)) return false;
    const double a = c.Double(0, i), b = c.Double(1, i);
    to.SetFromInt64(i, HoldsAfter(d, a < b, a == b, a != a || b != b));
    return true;
  });
}

bool Simplifier::Convert(Operation& op) {
  Value* x = op.operands[0];
  const Shape& shape = op.results[0]->shape();
  if (x->shape() == shape) return Replace(op, x);
  const Attribute* constant = Constant(x);
  if (constant == nullptr || !x->shape().SameDimensions(shape)) return false;
  const PrimitiveType from = x->shape().element_type(), to = shape.element_type();
  if (!(IsIntegerType(from) || IsFloat(from)) || !(IsIntegerType(to) || IsFloat(to))) return false;
  if (IsFloat(from) && IsInteger(to)) {
    for (int64_t i = 0; i < constant->literal->element_count(); ++i) {
      if (!ConvertsExactly(constant->literal->GetAsDouble(i), to)) return false;
    }
  }
  return Replace(op, NewConstant(op, shape, constant->literal->Convert(to)));
}

bool Simplifier::Select(Operation& op) {
  if (op.operands.size() != 3 || op.operands[0]->shape().element_type() != PrimitiveType::PRED) return false;
  Value *&pred = op.operands[0], *&yes = op.operands[1], *&no = op.operands[2];
  if (SameValue(yes, no)) return Replace(op, yes);
  if (const Literal* which = Splat(pred)) return Replace(op, which->GetAsInt64(0) != 0 ? yes : no);
  const PrimitiveType type = op.results[0]->shape().element_type();
  if (yes->shape().element_type() == type && no->shape().element_type() == type &&
      FoldElements(op, [&](const ConstantElements& c, Literal& to, int64_t i) {
        const int chosen = c.Integer(0, i) != 0 ? 1 : 2;
        const auto width = static_cast<size_t>(StorageBytes(type));
        std::memcpy(to.untyped_data() + static_cast<size_t>(i) * width,
                    c.literals[chosen]->untyped_data() + static_cast<size_t>(c.At(chosen, i)) * width, width);
        return true;
      }))
    return true;
  if (Operation* inverted = Def(pred, "stablehlo.not")) {
    pred = inverted->operands[0];
    std::swap(yes, no);
    return true;
  }
  Operation* broadcast = Def(pred, "stablehlo.broadcast_in_dim");
  if (broadcast == nullptr || Uses(pred) != 1) return false;
  Operation* inverted = Def(broadcast->operands[0], "stablehlo.not");
  if (inverted == nullptr) return false;
  Operation& made = New("stablehlo.broadcast_in_dim", *broadcast, {inverted->operands[0]}, pred->shape());
  made.attributes = broadcast->attributes;
  pred = made.results[0];
  std::swap(yes, no);
  return true;
}

}  // namespace hloir::stablehlo
