// Complex numbers as sums of products with the imaginary unit as a factor: its powers, and real and imaginary parts.
// See expr.h.
#include "equivalence/expr.h"

namespace hloir::equivalence::inside {

ExprId Exprs::ImaginaryUnit() {
  Expr e;
  e.kind = Expr::Kind::kFunction;
  e.type = PrimitiveType::C128;
  e.op = HloOpcode::kConstant;
  e.data = {2};
  return Make(std::move(e));
}

ExprId Exprs::Complex(ExprId re, ExprId im) {
  Polynomial sum = PolynomialOf(re);
  const ExprId unit = ImaginaryUnit();
  for (Monomial m : PolynomialOf(im)) {
    m.factors.push_back({unit, kOne});
    sum.push_back(std::move(m));
  }
  for (Monomial& m : sum) Tidy(m, PrimitiveType::C128);
  return Sum(std::move(sum), PrimitiveType::C128);
}

// Reduces powers of the imaginary unit by i^2 = -1. Returns whether the product changed.
bool Exprs::TakeUnits(Monomial& m) {
  for (size_t k = 0; k < m.factors.size(); ++k) {
    const Expr& x = At(m.factors[k].base);
    if (x.type != PrimitiveType::C128 || x.kind != Expr::Kind::kFunction || x.op != HloOpcode::kConstant ||
        m.factors[k].power % kOne != 0 || m.factors[k].power == kOne)
      continue;
    const int32_t power = ((m.factors[k].power / kOne) % 4 + 4) % 4;
    if (power >= 2) m.real = -m.real;
    m.factors[k].power = power % 2 * kOne;
    if (power % 2 == 0) m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
  }
  return false;
}

// The real or imaginary part: extracts each product's real factors and imaginary unit.
ExprId Exprs::PartOf(ExprId e, bool real) {
  const ExprId unit = ImaginaryUnit();
  const Polynomial p = PolynomialOf(e);
  Polynomial sum;
  for (const Monomial& m : p) {
    Monomial outside, inside;
    outside.real = m.real, inside.real = 1;
    bool turned = false;
    for (const Factor& f : m.factors) {
      if (f.base == unit && f.power == kOne) turned = true;
      else (TypeOf(f.base) == PrimitiveType::C128 ? inside : outside).factors.push_back(f);
    }
    // re(i z) is -im(z), and im(i z) is re(z).
    const bool part = turned ? !real : real;
    if (turned && real) outside.real = -outside.real;
    if (inside.factors.empty()) {
      if (part) sum.push_back(std::move(outside));
      continue;
    }
    Expr function;
    function.kind = Expr::Kind::kFunction;
    function.op = part ? HloOpcode::kReal : HloOpcode::kImag;
    function.args = {Sum({std::move(inside)}, PrimitiveType::C128)};
    outside.factors.push_back({Make(std::move(function)), kOne});
    for (Monomial& product : Expanded(std::move(outside), PrimitiveType::F64)) sum.push_back(std::move(product));
  }
  return Sum(std::move(sum), PrimitiveType::F64);
}

}  // namespace hloir::equivalence::inside
