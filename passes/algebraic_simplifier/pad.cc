// Rules of pad.
#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

const PaddingConfig& PaddingOf(const HloInstruction* i) { return i->attributes<PadAttributes>().padding; }

// pad(A) => A, no padding
HloInstruction* Nothing(HloInstruction* i, RuleContext& c) {
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const PaddingDimension& p = PaddingOf(i)[d];
    if (p.low != 0 || p.high != 0 || (p.interior != 0 && i->shape().dimensions(d) > 1)) return nullptr;
  }
  return c.ReplaceWith(i->operand(0));
}

// pad(empty, v) => broadcast(v)
HloInstruction* OfEmpty(HloInstruction* i, RuleContext& c) {
  if (i->operand(0)->shape().ElementCount() != 0 || i->shape().rank() == 0 || !c.Allow()) return nullptr;
  return c.Broadcast(i->operand(1), i->shape(), {});
}

// pad(A), interior padding along a dimension of size 1 => without it
HloInstruction* InteriorOfOne(HloInstruction* i, RuleContext& c) {
  PaddingConfig padding = PaddingOf(i);
  bool found = false;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    if (padding[d].interior == 0 || i->operand(0)->shape().dimensions(d) != 1) continue;
    padding[d].interior = 0;
    found = true;
  }
  if (!found || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kPad, i->shape(), {i->operand(0), i->operand(1)}, PadAttributes{padding});
}

// pad(broadcast(v), v) => broadcast(v)
HloInstruction* OfSame(HloInstruction* i, RuleContext& c) {
  HloInstruction *a = i->operand(0), *value = i->operand(1);
  if (a->opcode() != HloOpcode::kBroadcast || !a->operand(0)->shape().IsScalar()) return nullptr;
  const HloInstruction *x = SplatConstant(a), *y = SplatConstant(value);
  const bool equal = x != nullptr && y != nullptr && x->literal().BitwiseEqual(y->literal());
  if ((a->operand(0) != value && !equal) || !c.Allow()) return nullptr;
  return c.Broadcast(value, i->shape(), {});
}

constexpr Rule kRules[] = {
    {HloOpcode::kPad, "pad-nothing", "pad(A) => A, no padding", kExact, kExact, Nothing},
    {HloOpcode::kPad, "pad-empty", "pad(empty, v) => broadcast(v)", kExact, kExact, OfEmpty},
    {HloOpcode::kPad, "pad-interior-of-one", "pad(A), interior along a 1 => without it", kExact, kExact, InteriorOfOne},
    {HloOpcode::kPad, "pad-same", "pad(broadcast(v), v) => broadcast(v)", kExact, kExact, OfSame},
};

}  // namespace

std::span<const Rule> PadRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
