// Rules of complex, real and imag.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
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

// real(convert(A)) => convert(A), A real
HloInstruction* RealOfConvert(HloInstruction* i, RuleContext& c) {
  HloInstruction* convert = i->operand(0);
  if (convert->opcode() != HloOpcode::kConvert || !IsComplex(convert->shape().element_type()) ||
      IsComplex(convert->operand(0)->shape().element_type()) || !c.Allow()) {
    return nullptr;
  }
  return convert->operand(0)->shape().element_type() == i->shape().element_type()
             ? convert->operand(0)
             : c.Convert(convert->operand(0), i->shape().element_type());
}
// imag(convert(A)) => 0, A real
HloInstruction* ImagOfConvert(HloInstruction* i, RuleContext& c) {
  HloInstruction* convert = i->operand(0);
  if (convert->opcode() != HloOpcode::kConvert || IsComplex(convert->operand(0)->shape().element_type()) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Splat(i->shape(), 0);
}
// real(-A) => -real(A), and so imag: half the work
HloInstruction* PartOfNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction* negate = i->operand(0);
  if (negate->opcode() != HloOpcode::kNegate || negate->user_count() != 1 ||
      !IsComplex(negate->shape().element_type()) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* part = c.computation()->AddInstruction(i->opcode(), i->shape(), {negate->operand(0)});
  return c.Unary(HloOpcode::kNegate, part);
}

constexpr Rule kComplexRules[] = {
    {HloOpcode::kReal, "real-of-complex", "real(complex(A, B)) => A", kExact, kExact, RealOfComplex},
    {HloOpcode::kImag, "imag-of-complex", "imag(complex(A, B)) => B", kExact, kExact, ImagOfComplex},
    {HloOpcode::kComplex, "complex-of-parts", "complex(real(A), imag(A)) => A", kExact, kExact, ComplexOfParts},
    {HloOpcode::kReal, "real-of-real", "real(A) => A, A real", kExact, kExact, RealOfReal},
    {HloOpcode::kImag, "imag-of-real", "imag(A) => 0, A real", kExact, kExact, ImagOfReal},
    {HloOpcode::kReal, "real-of-convert", "real(convert(A)) => convert(A), A real", kExact, kExact, RealOfConvert},
    {HloOpcode::kImag, "imag-of-convert", "imag(convert(A)) => 0, A real", kExact, kExact, ImagOfConvert},
    {HloOpcode::kReal, "real-of-negate", "real(-A) => -real(A)", kExact, kExact, PartOfNegate},
    {HloOpcode::kImag, "imag-of-negate", "imag(-A) => -imag(A)", kExact, kExact, PartOfNegate},
};

}  // namespace

std::span<const Rule> ComplexRules() { return kComplexRules; }

}  // namespace hloir::rules
