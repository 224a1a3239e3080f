// Rules of complex, real and imag.
#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

namespace m = match;

// real(complex(A, B)) => A
HloInstruction* RealOfComplex(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  return Match(i, m::Real(m::Complex(m::Any(&a), m::Any()))) ? c.ReplaceWith(a) : nullptr;
}
// imag(complex(A, B)) => B
HloInstruction* ImagOfComplex(HloInstruction* i, RuleContext& c) {
  HloInstruction* b;
  return Match(i, m::Imag(m::Complex(m::Any(), m::Any(&b)))) ? c.ReplaceWith(b) : nullptr;
}
// complex(real(A), imag(A)) => A
HloInstruction* ComplexOfParts(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  return Match(i, m::Complex(m::Real(m::Any(&a)), m::Imag(m::Same(&a)))) ? c.ReplaceWith(a) : nullptr;
}
// real(A) => A, A real
HloInstruction* RealOfReal(HloInstruction* i, RuleContext& c) {
  return IsComplex(i->operand(0)->shape().element_type()) ? nullptr : c.ReplaceWith(i->operand(0));
}
// imag(A) => 0, A real
HloInstruction* ImagOfReal(HloInstruction* i, RuleContext& c) {
  return IsComplex(i->operand(0)->shape().element_type()) || !c.Allow() ? nullptr : c.Splat(i->shape(), 0);
}

constexpr Rule kRules[] = {
    {HloOpcode::kReal, "real-of-complex", "real(complex(A, B)) => A", kExact, kExact, RealOfComplex},
    {HloOpcode::kImag, "imag-of-complex", "imag(complex(A, B)) => B", kExact, kExact, ImagOfComplex},
    {HloOpcode::kComplex, "complex-of-parts", "complex(real(A), imag(A)) => A", kExact, kExact, ComplexOfParts},
    {HloOpcode::kReal, "real-of-real", "real(A) => A, A real", kExact, kExact, RealOfReal},
    {HloOpcode::kImag, "imag-of-real", "imag(A) => 0, A real", kExact, kExact, ImagOfReal},
};

}  // namespace

std::span<const Rule> ComplexRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
