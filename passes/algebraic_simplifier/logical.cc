// Rules of and, or, xor and shifts, for pred and for the bits of integers alike.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

// The operand beside one that `is`, or nullptr.
template <class F>
HloInstruction* OtherThan(HloInstruction* i, F is) {
  if (is(i->operand(1))) return i->operand(0);
  if (is(i->operand(0))) return i->operand(1);
  return nullptr;
}
// A & ones => A
HloInstruction* AndOnes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsAllOnes);
  return a == nullptr ? nullptr : c.ReplaceWith(a);
}
// A & 0 => 0
HloInstruction* AndZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsSplatZero);
  return a == nullptr ? nullptr : c.ReplaceWith(i->operand(a == i->operand(0) ? 1 : 0));
}
// A | ones => ones
HloInstruction* OrOnes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsAllOnes);
  return a == nullptr ? nullptr : c.ReplaceWith(i->operand(a == i->operand(0) ? 1 : 0));
}
// A | 0 => A, A ^ 0 => A
HloInstruction* KeepZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsSplatZero);
  return a == nullptr ? nullptr : c.ReplaceWith(a);
}
// A ^ ones => not A
HloInstruction* XorOnes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = OtherThan(i, IsAllOnes);
  return a == nullptr || !c.Allow() ? nullptr : c.Unary(HloOpcode::kNot, a);
}
// A & A => A, A | A => A
HloInstruction* LogicalOfSame(HloInstruction* i, RuleContext& c) {
  return i->operand(0) != i->operand(1) ? nullptr : c.ReplaceWith(i->operand(0));
}
// A ^ A => 0
HloInstruction* XorSame(HloInstruction* i, RuleContext& c) {
  return i->operand(0) != i->operand(1) || !c.Allow() ? nullptr : c.Splat(i->shape(), 0);
}
// (A & B) & B => A & B, and so or
HloInstruction* AbsorbedLogical(HloInstruction* i, RuleContext& c) {
  for (int64_t k = 0; k < 2; ++k) {
    HloInstruction *inner = i->operand(k), *other = i->operand(1 - k);
    if (inner->opcode() == i->opcode() && (inner->operand(0) == other || inner->operand(1) == other)) {
      return c.ReplaceWith(inner);
    }
  }
  return nullptr;
}
// A << 0 => A, A >> 0 => A
HloInstruction* ShiftZero(HloInstruction* i, RuleContext& c) {
  return IsSplatZero(i->operand(1)) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

bool IsNotOf(const HloInstruction* i, const HloInstruction* a) {
  return i->opcode() == HloOpcode::kNot && i->operand(0) == a;
}
// A & not A => 0, A | not A => ones, A ^ not A => ones
HloInstruction* WithItsNot(HloInstruction* i, RuleContext& c) {
  if (!IsNotOf(i->operand(0), i->operand(1)) && !IsNotOf(i->operand(1), i->operand(0))) return nullptr;
  if (!c.Allow()) return nullptr;
  HloInstruction* zero = c.Splat(i->shape(), 0);
  return i->opcode() == HloOpcode::kAnd ? zero : c.Unary(HloOpcode::kNot, zero);
}
// not A & not B => not(A | B), not A | not B => not(A & B)
HloInstruction* OfNots(HloInstruction* i, RuleContext& c) {
  HloInstruction *x = i->operand(0), *y = i->operand(1);
  if (x == y || x->opcode() != HloOpcode::kNot || y->opcode() != HloOpcode::kNot || x->user_count() != 1 ||
      y->user_count() != 1 || !c.Allow()) {
    return nullptr;
  }
  const HloOpcode opcode = i->opcode() == HloOpcode::kAnd ? HloOpcode::kOr : HloOpcode::kAnd;
  return c.Unary(HloOpcode::kNot, c.Binary(opcode, x->operand(0), y->operand(0)));
}
// A & (A | B) => A, A | (A & B) => A
HloInstruction* AbsorbedByOther(HloInstruction* i, RuleContext& c) {
  const HloOpcode other = i->opcode() == HloOpcode::kAnd ? HloOpcode::kOr : HloOpcode::kAnd;
  for (int64_t k = 0; k < 2; ++k) {
    HloInstruction *a = i->operand(k), *b = i->operand(1 - k);
    if (b->opcode() == other && (b->operand(0) == a || b->operand(1) == a)) return c.ReplaceWith(a);
  }
  return nullptr;
}
// (A ^ B) ^ B => A
HloInstruction* XorTwice(HloInstruction* i, RuleContext& c) {
  for (int64_t k = 0; k < 2; ++k) {
    HloInstruction *inner = i->operand(k), *b = i->operand(1 - k);
    if (inner->opcode() != HloOpcode::kXor) continue;
    if (inner->operand(0) == b) return c.ReplaceWith(inner->operand(1));
    if (inner->operand(1) == b) return c.ReplaceWith(inner->operand(0));
  }
  return nullptr;
}
// (A < C1) & (A < C2) => A < min(C1, C2), and so the other orders, on integers
HloInstruction* AndOfBounds(HloInstruction* i, RuleContext& c) {
  using D = ComparisonDirection;
  HloInstruction *x = i->operand(0), *y = i->operand(1);
  if (x == y || x->opcode() != HloOpcode::kCompare || y->opcode() != HloOpcode::kCompare) return nullptr;
  const auto &p = x->attributes<CompareAttributes>(), &q = y->attributes<CompareAttributes>();
  HloInstruction *c1 = x->operand(1), *c2 = y->operand(1);
  if (p.direction != q.direction || p.type != q.type || x->operand(0) != y->operand(0) || !IsIntegral(c1) ||
      SplatConstant(c1) == nullptr || SplatConstant(c2) == nullptr || p.direction == D::kEq || p.direction == D::kNe ||
      !c.Allow()) {
    return nullptr;
  }
  const bool below = p.direction == D::kLt || p.direction == D::kLe;
  HloInstruction* bound =
      c.Binary(below ? HloOpcode::kMinimum : HloOpcode::kMaximum, SplatConstant(c1), SplatConstant(c2));
  return c.Compare(p.direction, x->operand(0), c.BroadcastScalar(bound, c1->shape()), p.type);
}
// (A << C1) << C2 => A << (C1 + C2), and so both right shifts
HloInstruction* ShiftShift(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != i->opcode()) return nullptr;
  std::optional<int64_t> x = SplatInteger(inner->operand(1)), y = SplatInteger(i->operand(1));
  const int64_t bits = BitWidth(i->shape().element_type());
  if (!x || !y || *x < 0 || *y < 0 || *x >= bits || *y >= bits || bits < 8) return nullptr;
  if (!c.Allow()) return nullptr;
  if (*x + *y < bits)
    return c.Binary(i->opcode(), inner->operand(0), c.Splat(i->shape(), static_cast<double>(*x + *y)));
  if (i->opcode() != HloOpcode::kShiftRightArithmetic) return c.Splat(i->shape(), 0);
  return c.Binary(i->opcode(), inner->operand(0), c.Splat(i->shape(), static_cast<double>(bits - 1)));
}
// A << C => 0, A >> C => 0, C at least the width
HloInstruction* ShiftOut(HloInstruction* i, RuleContext& c) {
  const HloInstruction* constant = SplatConstant(i->operand(1));
  if (constant == nullptr) return nullptr;
  const int64_t bits = BitWidth(i->shape().element_type()), amount = constant->literal().GetAsInt64(0);
  // Amounts are unsigned: a negative one is a huge one.
  if ((amount >= 0 && amount < bits) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}
// 0 << A => 0, 0 >> A => 0
HloInstruction* ShiftOfZero(HloInstruction* i, RuleContext& c) {
  return IsSplatZero(i->operand(0)) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

constexpr Rule kLogicalRules[] = {
    {HloOpcode::kAnd, "and-constant-right", "C & A => A & C", kExact, kExact, ConstantRight},
    {HloOpcode::kAnd, "and-ones", "A & ones => A", kExact, kExact, AndOnes},
    {HloOpcode::kAnd, "and-zero", "A & 0 => 0", kExact, kExact, AndZero},
    {HloOpcode::kAnd, "and-same", "A & A => A", kExact, kExact, LogicalOfSame},
    {HloOpcode::kAnd, "and-absorbed", "(A & B) & B => A & B", kExact, kExact, AbsorbedLogical},
    {HloOpcode::kAnd, "and-and-constants", "(A & C1) & C2 => A & (C1 & C2)", kExact, kExact, MergeConstants},
    {HloOpcode::kOr, "or-constant-right", "C | A => A | C", kExact, kExact, ConstantRight},
    {HloOpcode::kOr, "or-ones", "A | ones => ones", kExact, kExact, OrOnes},
    {HloOpcode::kOr, "or-zero", "A | 0 => A", kExact, kExact, KeepZero},
    {HloOpcode::kOr, "or-same", "A | A => A", kExact, kExact, LogicalOfSame},
    {HloOpcode::kOr, "or-absorbed", "(A | B) | B => A | B", kExact, kExact, AbsorbedLogical},
    {HloOpcode::kOr, "or-or-constants", "(A | C1) | C2 => A | (C1 | C2)", kExact, kExact, MergeConstants},
    {HloOpcode::kXor, "xor-constant-right", "C ^ A => A ^ C", kExact, kExact, ConstantRight},
    {HloOpcode::kXor, "xor-zero", "A ^ 0 => A", kExact, kExact, KeepZero},
    {HloOpcode::kXor, "xor-ones", "A ^ ones => not A", kExact, kExact, XorOnes},
    {HloOpcode::kXor, "xor-same", "A ^ A => 0", kExact, kExact, XorSame},
    {HloOpcode::kXor, "xor-xor-constants", "(A ^ C1) ^ C2 => A ^ (C1 ^ C2)", kExact, kExact, MergeConstants},
    {HloOpcode::kShiftLeft, "shift-left-zero", "A << 0 => A", kExact, kExact, ShiftZero},
    {HloOpcode::kShiftRightArithmetic, "shift-right-arithmetic-zero", "A >> 0 => A", kExact, kExact, ShiftZero},
    {HloOpcode::kShiftRightLogical, "shift-right-logical-zero", "A >> 0 => A", kExact, kExact, ShiftZero},
    {HloOpcode::kAnd, "and-not", "A & not A => 0", kExact, kExact, WithItsNot},
    {HloOpcode::kOr, "or-not", "A | not A => ones", kExact, kExact, WithItsNot},
    {HloOpcode::kXor, "xor-not", "A ^ not A => ones", kExact, kExact, WithItsNot},
    {HloOpcode::kAnd, "and-of-nots", "not A & not B => not(A | B)", kExact, kExact, OfNots},
    {HloOpcode::kOr, "or-of-nots", "not A | not B => not(A & B)", kExact, kExact, OfNots},
    {HloOpcode::kAnd, "and-or-absorbed", "A & (A | B) => A", kExact, kExact, AbsorbedByOther},
    {HloOpcode::kOr, "or-and-absorbed", "A | (A & B) => A", kExact, kExact, AbsorbedByOther},
    {HloOpcode::kXor, "xor-twice", "(A ^ B) ^ B => A", kExact, kExact, XorTwice},
    {HloOpcode::kAnd, "and-of-bounds", "(A < C1) & (A < C2) => A < min(C1, C2), integer", kExact, kExact, AndOfBounds},
    {HloOpcode::kShiftLeft, "shift-left-twice", "(A << C1) << C2 => A << (C1 + C2)", kExact, kExact, ShiftShift},
    {HloOpcode::kShiftRightLogical, "shift-right-logical-twice", "(A >> C1) >> C2 => A >> (C1 + C2)", kExact, kExact,
     ShiftShift},
    {HloOpcode::kShiftRightArithmetic, "shift-right-arithmetic-twice", "(A >> C1) >> C2 => A >> (C1 + C2)", kExact,
     kExact, ShiftShift},
    {HloOpcode::kShiftLeft, "shift-left-out", "A << C => 0, C at least the width", kExact, kExact, ShiftOut},
    {HloOpcode::kShiftRightLogical, "shift-right-logical-out", "A >> C => 0, C at least the width", kExact, kExact,
     ShiftOut},
    {HloOpcode::kShiftLeft, "shift-left-of-zero", "0 << A => 0", kExact, kExact, ShiftOfZero},
    {HloOpcode::kShiftRightLogical, "shift-right-logical-of-zero", "0 >> A => 0", kExact, kExact, ShiftOfZero},
    {HloOpcode::kShiftRightArithmetic, "shift-right-arithmetic-of-zero", "0 >> A => 0", kExact, kExact, ShiftOfZero},
};

}  // namespace

std::span<const Rule> LogicalRules() { return kLogicalRules; }

}  // namespace hloir::rules
