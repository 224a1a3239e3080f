// reduce-window-rewriter: long running sums, by blocks: within each block, then over the blocks' totals.
//
// BEFORE --math=rounding
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[300]{0} parameter(0)
//   zero = f32[] constant(0)
//   ROOT sums = f32[300]{0} reduce-window(x, zero), window={size=300 pad=299_0}, to_apply=add
// }
// AFTER
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[300]{0} parameter(0)
//   zero = f32[] constant(0)
//   pad = f32[384]{0} pad(x, zero), padding=0_84
//   reshape = f32[3,128]{1,0} reshape(pad)
//   reduce-window = f32[3,128]{1,0} reduce-window(reshape, zero), window={size=1x128 pad=0_0x127_0}, to_apply=add
//   slice = f32[3,1]{1,0} slice(reduce-window), slice={[0:3], [127:128]}
//   reshape.1 = f32[3]{0} reshape(slice)
//   pad.1 = f32[3]{0} pad(reshape.1, zero), padding=1_-1
//   reduce-window.1 = f32[3]{0} reduce-window(pad.1, zero), window={size=3 pad=2_0}, to_apply=add
//   broadcast = f32[3,128]{1,0} broadcast(reduce-window.1), dimensions={0}
//   add = f32[3,128]{1,0} add(broadcast, reduce-window)
//   reshape.2 = f32[384]{0} reshape(add)
//   ROOT slice.1 = f32[300]{0} slice(reshape.2), slice={[0:300]}
// }
// END
//
// A window over all that came before costs n*n additions, written out; n*(block + n/block) this way. From either end;
// running products, maxima, … too. Of class rounding for sums and products of floats. Leaves alone: up to 128 elements;
// init values that the reducer notices; windows in several dimensions.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;
constexpr int64_t kBlock = 128;

// The one dimension along which each window reaches from this end to its place; -1: it is not of that kind.
int64_t ScanDimension(const HloInstruction& i) {
  const Shape& shape = i.operand(0)->shape();
  const Window& window = i.attributes<WindowAttributes>().window;
  int64_t found = -1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const WindowDimension& w = window[d];
    if (w.stride != 1 || w.base_dilation != 1 || w.window_dilation != 1) return -1;
    const int64_t n = shape.dimensions(d);
    if (w.size == 1 && w.padding_low == 0 && w.padding_high == 0) continue;
    const bool forward = w.padding_low == n - 1 && w.padding_high == 0,
               backward = w.padding_high == n - 1 && w.padding_low == 0;
    if (found >= 0 || w.size != n || (!forward && !backward)) return -1;
    found = d;
  }
  return found;
}

// The running sums of x along d, from its low end or its high end.
Op Scan(HloBuilder& b, Op x, Op init, int64_t d, bool forward, HloComputation* reducer) {
  if (x == nullptr) return nullptr;
  Window window(static_cast<size_t>(x->shape().rank()));
  const int64_t n = x->shape().dimensions(d);
  window[d].size = n;
  (forward ? window[d].padding_low : window[d].padding_high) = n - 1;
  return b.ReduceWindow(x, init, window, reducer);
}

Op Blocks(HloBuilder& b, HloInstruction& i, Ops x) {
  const Shape& shape = x[0]->shape();
  const int64_t d = ScanDimension(i), n = shape.dimensions(d), rank = shape.rank(), blocks = (n + kBlock - 1) / kBlock;
  const bool forward = i.attributes<WindowAttributes>().window[d].padding_low > 0;
  const HloOpcode op = *BinaryReducer(i.to_apply());
  PaddingConfig fill(static_cast<size_t>(rank));
  (forward ? fill[d].high : fill[d].low) = blocks * kBlock - n;
  DimVector split, starts(static_cast<size_t>(rank) + 1, 0), along;
  for (int64_t k = 0; k < rank; ++k) {
    if (k == d) split.push_back(blocks);
    split.push_back(k == d ? kBlock : shape.dimensions(k));
  }
  const Op blocked = b.Reshape(b.Pad(x[0], x[1], fill), split);
  const Op within = Scan(b, blocked, x[1], d + 1, forward, i.to_apply());
  // Each block's total, added to the blocks after it.
  DimVector limits = split, totals = split;
  starts[d + 1] = forward ? kBlock - 1 : 0;
  limits[d + 1] = starts[d + 1] + 1;
  totals.clear();
  for (int64_t k = 0; k <= rank; ++k) {
    if (k != d + 1) totals.push_back(split[k]), along.push_back(k);
  }
  const Op total = b.Reshape(b.Slice(within, starts, limits), totals);
  PaddingConfig shift(static_cast<size_t>(rank));
  shift[d].low = forward ? 1 : -1;
  shift[d].high = forward ? -1 : 1;
  const Op before = Scan(b, b.Pad(total, x[1], shift), x[1], d, forward, i.to_apply());
  const Op spread = b.Broadcast(before, split, along);
  const Op sums = forward ? b.Make(op, {spread, within}) : b.Make(op, {within, spread});
  DimVector whole = shape.dimensions(), first(static_cast<size_t>(rank), 0), last = whole;
  whole[d] = blocks * kBlock;
  first[d] = forward ? 0 : blocks * kBlock - n;
  last[d] = first[d] + n;
  const Op flat = b.Reshape(sums, whole);
  return blocks * kBlock == n ? flat : b.Slice(flat, first, last);
}

HloInstruction* Rewrite(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 2 || !i->shape().IsArray() || !i->shape().SameDimensions(i->operand(0)->shape()))
    return nullptr;
  const int64_t d = ScanDimension(*i);
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (d < 0 || i->shape().dimensions(d) <= kBlock || !op || !HasTrait(*op, kAssociative)) return nullptr;
  // In this class, a sum may start from +0.
  if (!IsIdentityElement(*op, i->operand(1)) && !(*op == HloOpcode::kAdd && IsSplatZero(i->operand(1)))) return nullptr;
  return c.Expand(Blocks);
}

// The order does not show in integers, nor in the larger of two floats.
HloInstruction* RewriteSum(HloInstruction* i, RuleContext& c) {
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  return op == HloOpcode::kAdd || op == HloOpcode::kMultiply ? Rewrite(i, c) : nullptr;
}
HloInstruction* RewriteOther(HloInstruction* i, RuleContext& c) {
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  return op == HloOpcode::kAdd || op == HloOpcode::kMultiply ? nullptr : Rewrite(i, c);
}

constexpr std::string_view kScanFormula = "reduce-window(A, v), all before each => by blocks";
constexpr Rule kReduceWindowRewriterRules[] = {
    {HloOpcode::kReduceWindow, "running-sum", kScanFormula, kExact, kRounding, RewriteSum},
    {HloOpcode::kReduceWindow, "running-extreme", kScanFormula, kExact, kExact, RewriteOther},
};

}  // namespace
}  // namespace rules

PassDefinition DefineReduceWindowRewriter() { return rules::DefineRulePass(rules::kReduceWindowRewriterRules); }

}  // namespace hloir
