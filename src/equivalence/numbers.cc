// Numbers: constants as expressions, what an expression is as a number, and coefficients, which what rounds them in the
// modules may not tell apart. See expr.h.
#include <cmath>
#include <limits>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {
namespace {

// A number that f32 holds with its last 12 bits 0.
bool HasFewBits(double value) { return (__builtin_bit_cast(uint32_t, static_cast<float>(value)) & 0xFFF) == 0; }

}  // namespace

double Exprs::Coefficient(double value) {
  // What is written stands for itself; anything else was computed, and is what a constant near it was rounded from.
  if (value == 0 || !std::isfinite(value)) return value;
  const bool wide = tolerance_ < 1e-10;
  const double rounded = wide ? value : static_cast<double>(static_cast<float>(value));
  const auto known = coefficients_.find(rounded);
  const bool written = known != coefficients_.end() && known->second;
  if (!wide && std::isfinite(rounded) && rounded != 0) {
    // What f32 rounds it to, if that is written, or a number of few bits.
    if (written || HasFewBits(rounded)) {
      if (rounded != value) Uses(kConstants);
      return rounded;
    }
  } else if (written) {
    return value;
  }
  // The nearest that is known, if rounding in the type may have made one of the other; two that are one unit apart are
  // never one.
  const double reach = std::fabs(value) * (wide ? tolerance_ : 0x1p-24 * 0.99);
  std::optional<double> best;
  for (auto at = coefficients_.lower_bound(value - reach); at != coefficients_.end() && at->first <= value + reach;
       ++at) {
    if (!best || std::fabs(at->first - value) < std::fabs(*best - value)) best = at->first;
  }
  if (!best) {
    coefficients_.try_emplace(value, false);
    return value;
  }
  if (*best != value) Uses(kConstants);
  return *best;
}

void Exprs::KnowLiteral(double value) {
  if (std::isfinite(value) && value != 0) coefficients_[value] = true;
  if (std::isfinite(value) && value != 0) coefficients_[-value] = true;
}

ExprId Exprs::Real(double value) {
  Expr e;
  if (!std::isfinite(value) || (keep_bits_ && value == 0 && std::signbit(value))) {
    // Infinity and NaN are symbols of their own; where bits are looked at, so are -0 and each NaN.
    e.kind = Expr::Kind::kFunction;
    e.op = HloOpcode::kConstant;
    e.data = {std::isnan(value) ? 0 : value == 0 ? 2 : 1};
    if (keep_bits_ && std::isnan(value)) e.data.push_back(__builtin_bit_cast(int64_t, value));
    if (value == 0) return Make(std::move(e));
    const ExprId symbol = Make(std::move(e));
    if (!(value < 0)) return symbol;
    return Sum({{-1, -1, {{symbol, kOne}}}}, PrimitiveType::F64);
  }
  if (value != 0) e.sum = {{Coefficient(value), 0, {}}};
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

std::optional<double> Exprs::RealOf(ExprId e) const {
  const Expr& x = At(e);
  if (x.kind != Expr::Kind::kSum || !(x.type == PrimitiveType::F64 || x.type == PrimitiveType::C128))
    return std::nullopt;
  if (x.sum.empty()) return 0;
  if (x.sum.size() == 1 && x.sum[0].factors.empty()) return x.sum[0].real;
  return std::nullopt;
}
std::optional<double> Exprs::NumberOf(ExprId e) const {
  if (const auto value = RealOf(e)) return value;
  double sign = 1;
  const Expr* x = &At(e);
  if (x->kind == Expr::Kind::kSum && x->sum.size() == 1 && x->sum[0].factors.size() == 1 &&
      x->sum[0].factors[0].power == kOne && std::fabs(x->sum[0].real) == 1) {
    sign = x->sum[0].real;
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
