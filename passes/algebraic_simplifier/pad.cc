// Rules of pad.
#include <algorithm>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

const PaddingConfig& PaddingOf(const HloInstruction* i) { return i->attributes<PadAttributes>().padding; }

// pad(A) => A, no padding
HloInstruction* PadOfNothing(HloInstruction* i, RuleContext& c) {
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const PaddingDimension& p = PaddingOf(i)[d];
    if (p.low != 0 || p.high != 0 || (p.interior != 0 && i->shape().dimensions(d) > 1)) return nullptr;
  }
  return c.ReplaceWith(i->operand(0));
}

// pad(empty, v) => broadcast(v)
HloInstruction* PadOfEmpty(HloInstruction* i, RuleContext& c) {
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

// pad(pad(A, v), v) => pad(A, v), the outer one only at the edges
HloInstruction* PadTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kPad) return nullptr;
  const HloInstruction *x = SplatConstant(i->operand(1)), *y = SplatConstant(inner->operand(1));
  const bool equal = x != nullptr && y != nullptr && x->literal().BitwiseEqual(y->literal());
  if (i->operand(1) != inner->operand(1) && !equal) return nullptr;
  PaddingConfig padding = PaddingOf(inner);
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const PaddingDimension& p = PaddingOf(i)[d];
    // An edge of negative size may remove more than padding.
    if (p.interior != 0 || p.low < 0 || p.high < 0 || padding[d].low < 0 || padding[d].high < 0) return nullptr;
    padding[d].low += p.low;
    padding[d].high += p.high;
  }
  if (!c.Allow()) return nullptr;
  return c.Add(HloOpcode::kPad, i->shape(), {inner->operand(0), i->operand(1)}, PadAttributes{padding});
}

// pad(broadcast(A), v) => broadcast(pad(A, v)), along dimensions of A alone
HloInstruction* PadOfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast || broadcast->operand(0)->shape().rank() == 0) return nullptr;
  const DimVector& of_a = broadcast->dimensions();
  PaddingConfig padding;
  DimVector sizes;
  for (int64_t d : of_a) {
    padding.push_back(PaddingOf(i)[d]);
    sizes.push_back(i->shape().dimensions(d));
  }
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const bool has = std::find(of_a.begin(), of_a.end(), d) != of_a.end();
    if (!has && !(PaddingOf(i)[d] == PaddingDimension{})) return nullptr;
  }
  if (!c.Allow()) return nullptr;
  HloInstruction* pad = c.Add(HloOpcode::kPad, Shape::Array(i->shape().element_type(), sizes),
                              {broadcast->operand(0), i->operand(1)}, PadAttributes{padding});
  return c.Broadcast(pad, i->shape(), of_a);
}

// pad(A), taking away at the edges => slice(A)
HloInstruction* Negative(HloInstruction* i, RuleContext& c) {
  SliceRanges ranges;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const PaddingDimension& p = PaddingOf(i)[d];
    const int64_t size = i->operand(0)->shape().dimensions(d);
    if (p.interior != 0 || p.low > 0 || p.high > 0 || -p.low > size + p.high) return nullptr;
    ranges.push_back({-p.low, size + p.high, 1});
  }
  if (!c.Allow()) return nullptr;
  return c.Slice(i->operand(0), ranges);
}

constexpr Rule kPadRules[] = {
    {HloOpcode::kPad, "pad-nothing", "pad(A) => A, no padding", kExact, kExact, PadOfNothing},
    {HloOpcode::kPad, "pad-empty", "pad(empty, v) => broadcast(v)", kExact, kExact, PadOfEmpty},
    {HloOpcode::kPad, "pad-interior-of-one", "pad(A), interior along a 1 => without it", kExact, kExact, InteriorOfOne},
    {HloOpcode::kPad, "pad-same", "pad(broadcast(v), v) => broadcast(v)", kExact, kExact, OfSame},
    {HloOpcode::kPad, "pad-pad", "pad(pad(A, v), v) => pad(A, v), the outer one only at the edges", kExact, kExact,
     PadTwice},
    {HloOpcode::kPad, "pad-broadcast", "pad(broadcast(A), v) => broadcast(pad(A, v)), along dimensions of A", kExact,
     kExact, PadOfBroadcast},
    {HloOpcode::kPad, "pad-negative", "pad(A), taking away at the edges => slice(A)", kExact, kExact, Negative},
};

}  // namespace

std::span<const Rule> PadRules() { return kPadRules; }

}  // namespace hloir::rules
