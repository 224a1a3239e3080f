// Numbers: constants as expressions, the value of an expression, and coefficients. Computed numbers are distinct unless
// they are equal; a constant in the text stands for the one computed number that rounds to it. See expr.h.
#include <cmath>
#include <limits>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {
namespace {

constexpr double kOwnRounding = 0x1p-92;  // relative error of a few DoubleDouble products and quotients

// f32 represents the value with the last 12 bits 0.
bool HasFewBits(double value) {
  return (__builtin_bit_cast(uint32_t, static_cast<float>(value)) & 0xFFF) == 0 && static_cast<float>(value) == value;
}

}  // namespace

// Rounds to the type in which constants are folded.
double Exprs::Folded(const DoubleDouble& value) const {
  return wide_ ? value.high : static_cast<double>(static_cast<float>(value.high));
}

// Returns the representative of the number. `folded`: the value that the type's arithmetic gives, from rounded parts.
DoubleDouble Exprs::Coefficient(DoubleDouble value, double folded) {
  if (value == 0 || !IsFinite(value)) return value;
  if (value.high < 0) return -Coefficient(-value, -folded);
  if (std::fabs(value.low) <= value.high * kOwnRounding) value.low = 0;
  const DoubleDouble reach = value * kOwnRounding, most = value + reach;
  auto known = coefficients_.lower_bound(value - reach);
  if (known == coefficients_.end() || most < known->first) {
    known = coefficients_.emplace(value, value).first;
    if (value != Folded(value) && !TakeConstant(known, Folded(value))) TakeConstant(known, folded);
  }
  if (known->second != known->first) Uses(kConstants);
  return known->second;
}

// Identifies a computed number with the constant that it rounds to, if the text has the constant. Other numbers stay
// distinct, however near: the square of a unit in the last place of a mean's divisor is a difference of a variance.
// Each constant is identified with one number only: two numbers that round to the same constant stay distinct.
bool Exprs::TakeConstant(std::map<DoubleDouble, DoubleDouble>::iterator computed, double constant) {
  const bool written = written_.count(constant) != 0;
  if (constant == 0 || !std::isfinite(constant) || !written || !taken_.insert(constant).second) return false;
  // The number replaces the constant, so that values computed from either are equal. The constant stays if it has few
  // bits or has been used.
  if (HasFewBits(constant) || coefficients_.count(constant) != 0) computed->second = constant;
  else coefficients_[constant] = computed->first;
  return true;
}

void Exprs::KnowLiteral(double value) {
  if (std::isfinite(value) && value != 0) written_.insert(std::fabs(value));
}

ExprId Exprs::StandIn(ExprId e, double folded) {
  const Expr& x = At(e);
  if (x.open || !x.free.empty() || x.type != PrimitiveType::F64 || !std::isfinite(folded) || folded == 0) return e;
  if (const auto known = stands_for_.find(e); known != stands_for_.end()) {
    Uses(kConstants);
    return known->second;
  }
  if (RealOf(e) || written_.count(std::fabs(folded)) == 0 || !taken_.insert(std::fabs(folded)).second) return e;
  Uses(kConstants);
  return stands_for_[e] = Real(folded);
}

ExprId Exprs::RoundedConstant(ExprId e, PrimitiveType to) {
  const std::optional<DoubleDouble> value = RealOf(e);
  if (!value || TypeOf(e) != PrimitiveType::F64) return -1;
  Literal scalar(Shape::Scalar(to));
  scalar.SetFromDouble(0, value->high);
  const double rounded = scalar.GetAsDouble(0);
  if (*value == rounded || written_.count(std::fabs(rounded)) == 0) return -1;
  Uses(kConstants);
  return Real(rounded);
}

ExprId Exprs::Real(DoubleDouble number) {
  Expr e;
  if (const double value = number.high; !std::isfinite(value) || (keep_bits_ && value == 0 && std::signbit(value))) {
    // Infinity and NaN are symbols; where bits matter, so are -0 and each NaN.
    e.kind = Expr::Kind::kFunction;
    e.op = HloOpcode::kConstant;
    e.data = {std::isnan(value) ? 0 : value == 0 ? 2 : 1};
    if (keep_bits_ && std::isnan(value)) e.data.push_back(__builtin_bit_cast(int64_t, value));
    if (value == 0) return Make(std::move(e));
    const ExprId symbol = Make(std::move(e));
    if (!(value < 0)) return symbol;
    return Sum({{-1, 0, {{symbol, kOne}}}}, PrimitiveType::F64);
  }
  if (!(number == 0)) e.sum = {{Coefficient(number), 0, {}}};
  return Make(std::move(e));
}

ExprId Exprs::Integer(int64_t value, PrimitiveType type) {
  if (type == PrimitiveType::PRED) return value != 0 ? True() : False();
  Expr e;
  e.type = type;
  value = Wrapped(value, type);
  if (value != 0) e.sum = {{0, value, {}}};
  return Make(std::move(e));
}

std::optional<DoubleDouble> Exprs::RealOf(ExprId e) const {
  const Expr& x = At(e);
  if (x.kind != Expr::Kind::kSum || !(x.type == PrimitiveType::F64 || x.type == PrimitiveType::C128))
    return std::nullopt;
  if (x.sum.empty()) return DoubleDouble(0);
  if (x.sum.size() == 1 && x.sum[0].factors.empty()) return x.sum[0].real;
  return std::nullopt;
}
std::optional<double> Exprs::NumberOf(ExprId e) const {
  if (const auto value = RealOf(e)) return value->high;
  double sign = 1;
  const Expr* x = &At(e);
  if (x->kind == Expr::Kind::kSum && x->sum.size() == 1 && x->sum[0].factors.size() == 1 &&
      x->sum[0].factors[0].power == kOne && Abs(x->sum[0].real) == 1) {
    sign = x->sum[0].real.high;
    x = &At(x->sum[0].factors[0].base);
  }
  if (x->kind != Expr::Kind::kFunction || x->op != HloOpcode::kConstant) return std::nullopt;
  if (x->data[0] == 2) return sign * -0.0;
  if (x->data[0] == 1) return sign * INFINITY;
  return x->data.size() > 1 ? __builtin_bit_cast(double, x->data[1]) : NAN;
}

std::optional<int64_t> Exprs::IntegerOf(ExprId e) const {
  const Expr& x = At(e);
  if (x.kind == Expr::Kind::kGuard && x.index[0].terms.empty()) return x.index[0].constant >= 0 ? 1 : 0;
  if (x.kind != Expr::Kind::kSum || !IsInteger(x.type)) return std::nullopt;
  if (x.sum.empty()) return 0;
  if (x.sum.size() != 1 || !x.sum[0].factors.empty()) return std::nullopt;
  const int width = BitWidth(x.type);
  if (IsUnsigned(x.type) && width < 64) return x.sum[0].integer & ((int64_t{1} << width) - 1);
  return x.sum[0].integer;
}

}  // namespace hloir::equivalence::inside
