// Rules of and, or, xor and shifts, for pred and for the bits of integers alike.
#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

namespace m = match;

// C & A => A & C, and so or, xor
HloInstruction* ConstantRight(HloInstruction* i, RuleContext& c) {
  if (!IsConstantLike(i->operand(0)) || IsConstantLike(i->operand(1)) || !c.Allow()) return nullptr;
  return c.Binary(i->opcode(), i->operand(1), i->operand(0));
}

// The operand beside one that `is`, or nullptr.
template <class F>
HloInstruction* OtherThan(HloInstruction* i, F is) {
  if (is(i->operand(1))) return i->operand(0);
  if (is(i->operand(0))) return i->operand(1);
  return nullptr;
}
bool IsZero(const HloInstruction* i) {
  const HloInstruction* constant = SplatConstant(i);
  return constant != nullptr && constant->literal().IsAll(0);
}

// A & ones => A
HloInstruction* AndOnes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsAllOnes);
  return a == nullptr ? nullptr : c.ReplaceWith(a);
}
// A & 0 => 0
HloInstruction* AndZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsZero);
  return a == nullptr ? nullptr : c.ReplaceWith(i->operand(a == i->operand(0) ? 1 : 0));
}
// A | ones => ones
HloInstruction* OrOnes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsAllOnes);
  return a == nullptr ? nullptr : c.ReplaceWith(i->operand(a == i->operand(0) ? 1 : 0));
}
// A | 0 => A, A ^ 0 => A
HloInstruction* KeepZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsZero);
  return a == nullptr ? nullptr : c.ReplaceWith(a);
}
// A ^ ones => not A
HloInstruction* XorOnes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsAllOnes);
  return a == nullptr || !c.Allow() ? nullptr : c.Unary(HloOpcode::kNot, a);
}
// A & A => A, A | A => A
HloInstruction* Same(HloInstruction* i, RuleContext& c) {
  return i->operand(0) != i->operand(1) ? nullptr : c.ReplaceWith(i->operand(0));
}
// A ^ A => 0
HloInstruction* XorSame(HloInstruction* i, RuleContext& c) {
  return i->operand(0) != i->operand(1) || !c.Allow() ? nullptr : c.Splat(i->shape(), 0);
}
// (A & B) & B => A & B, and so or
HloInstruction* Absorbed(HloInstruction* i, RuleContext& c) {
  for (int64_t k = 0; k < 2; ++k) {
    HloInstruction *inner = i->operand(k), *other = i->operand(1 - k);
    if (inner->opcode() == i->opcode() && (inner->operand(0) == other || inner->operand(1) == other)) {
      return c.ReplaceWith(inner);
    }
  }
  return nullptr;
}
// (A op C1) op C2 => A op (C1 op C2), op of and, or, xor
HloInstruction* MergeConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *inner = i->operand(0), *c2 = i->operand(1);
  if (inner->opcode() != i->opcode() || SplatConstant(c2) == nullptr || SplatConstant(inner->operand(1)) == nullptr ||
      !c.Allow()) {
    return nullptr;
  }
  HloInstruction* x = const_cast<HloInstruction*>(SplatConstant(inner->operand(1)));
  HloInstruction* y = const_cast<HloInstruction*>(SplatConstant(c2));
  return c.Binary(i->opcode(), inner->operand(0), c.BroadcastScalar(c.Binary(i->opcode(), x, y), i->shape()));
}
// A << 0 => A, A >> 0 => A
HloInstruction* ShiftZero(HloInstruction* i, RuleContext& c) {
  return IsZero(i->operand(1)) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

constexpr Rule kRules[] = {
    {HloOpcode::kAnd, "and-constant-right", "C & A => A & C", kExact, kExact, ConstantRight},
    {HloOpcode::kAnd, "and-ones", "A & ones => A", kExact, kExact, AndOnes},
    {HloOpcode::kAnd, "and-zero", "A & 0 => 0", kExact, kExact, AndZero},
    {HloOpcode::kAnd, "and-same", "A & A => A", kExact, kExact, Same},
    {HloOpcode::kAnd, "and-absorbed", "(A & B) & B => A & B", kExact, kExact, Absorbed},
    {HloOpcode::kAnd, "and-and-constants", "(A & C1) & C2 => A & (C1 & C2)", kExact, kExact, MergeConstants},
    {HloOpcode::kOr, "or-constant-right", "C | A => A | C", kExact, kExact, ConstantRight},
    {HloOpcode::kOr, "or-ones", "A | ones => ones", kExact, kExact, OrOnes},
    {HloOpcode::kOr, "or-zero", "A | 0 => A", kExact, kExact, KeepZero},
    {HloOpcode::kOr, "or-same", "A | A => A", kExact, kExact, Same},
    {HloOpcode::kOr, "or-absorbed", "(A | B) | B => A | B", kExact, kExact, Absorbed},
    {HloOpcode::kOr, "or-or-constants", "(A | C1) | C2 => A | (C1 | C2)", kExact, kExact, MergeConstants},
    {HloOpcode::kXor, "xor-constant-right", "C ^ A => A ^ C", kExact, kExact, ConstantRight},
    {HloOpcode::kXor, "xor-zero", "A ^ 0 => A", kExact, kExact, KeepZero},
    {HloOpcode::kXor, "xor-ones", "A ^ ones => not A", kExact, kExact, XorOnes},
    {HloOpcode::kXor, "xor-same", "A ^ A => 0", kExact, kExact, XorSame},
    {HloOpcode::kXor, "xor-xor-constants", "(A ^ C1) ^ C2 => A ^ (C1 ^ C2)", kExact, kExact, MergeConstants},
    {HloOpcode::kShiftLeft, "shift-left-zero", "A << 0 => A", kExact, kExact, ShiftZero},
    {HloOpcode::kShiftRightArithmetic, "shift-right-arithmetic-zero", "A >> 0 => A", kExact, kExact, ShiftZero},
    {HloOpcode::kShiftRightLogical, "shift-right-logical-zero", "A >> 0 => A", kExact, kExact, ShiftZero},
};

}  // namespace

std::span<const Rule> LogicalRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
