// reduce-window-to-reduce-and-broadcast: replaces a reduce-window whose every window covers a whole dimension by a
// reduce and a broadcast.
//
// BEFORE
// HloModule example
//
// larger {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT max = f32[] maximum(a, b)
// }
//
// ENTRY main {
//   x = f32[2,4]{1,0} parameter(0)
//   least = f32[] constant(-inf)
//   ROOT most = f32[2,4]{1,0} reduce-window(x, least), window={size=1x7 pad=0_0x3_3}, to_apply=larger
// }
// AFTER
// HloModule example
//
// larger {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT max = f32[] maximum(a, b)
// }
//
// ENTRY main {
//   x = f32[2,4]{1,0} parameter(0)
//   least = f32[] constant(-inf)
//   row = f32[2]{0} reduce(x, least), dimensions={1}, to_apply=larger
//   ROOT most = f32[2,4]{1,0} broadcast(row), dimensions={0}
// }
// END
//
// Of class rounding for sums and products of floats: the order of the sum changes. Leaves alone: windows along several
// dimensions; several arrays; reducers of more than one operation.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// The one dimension along which each window holds everything; -1: it is not of that kind.
int64_t WholeDimension(const HloInstruction& i) {
  if (i.operand_count() != 2 || !i.shape().IsArray() || !i.shape().SameDimensions(i.operand(0)->shape())) return -1;
  const Window& window = i.attributes<WindowAttributes>().window;
  int64_t found = -1;
  for (int64_t d = 0; d < i.shape().rank(); ++d) {
    const int64_t n = i.shape().dimensions(d);
    WindowDimension all, none;
    all.size = 2 * n - 1, all.padding_low = all.padding_high = n - 1;
    if (window[static_cast<size_t>(d)] == none) continue;
    if (n < 2 || window[static_cast<size_t>(d)] != all || found >= 0) return -1;
    found = d;
  }
  return found;
}

Op BuildReduceWindowToReduceAndBroadcast(HloBuilder& b, HloInstruction& i, Ops x) {
  const int64_t whole = WholeDimension(i);
  DimVector others;
  for (int64_t d = 0; d < i.shape().rank(); ++d) {
    if (d != whole) others.push_back(d);
  }
  return b.Broadcast(b.Reduce(x[0], x[1], {whole}, i.to_apply()), i.shape().dimensions(), others);
}

bool IsSum(const HloInstruction* i) {
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  return op == HloOpcode::kAdd || op == HloOpcode::kMultiply;
}
HloInstruction* Deconstruct(HloInstruction* i, RuleContext& c, bool of_sums) {
  return WholeDimension(*i) >= 0 && BinaryReducer(i->to_apply()) && IsSum(i) == of_sums
             ? c.Expand(BuildReduceWindowToReduceAndBroadcast)
             : nullptr;
}
HloInstruction* DeconstructSum(HloInstruction* i, RuleContext& c) { return Deconstruct(i, c, true); }
HloInstruction* DeconstructOther(HloInstruction* i, RuleContext& c) { return Deconstruct(i, c, false); }

constexpr std::string_view kReduceWindowToReduceAndBroadcastFormula =
    "reduce-window(A, v), everything in each window => broadcast(reduce(A, v))";
constexpr Rule kReduceWindowToReduceAndBroadcastRules[] = {
    {HloOpcode::kReduceWindow, "whole-sum", kReduceWindowToReduceAndBroadcastFormula, kExact, kRounding,
     DeconstructSum},
    {HloOpcode::kReduceWindow, "whole-extreme", kReduceWindowToReduceAndBroadcastFormula, kExact, kExact,
     DeconstructOther},
};

}  // namespace
}  // namespace rules

PassDefinition DefineReduceWindowToReduceAndBroadcast() {
  return rules::DefineRulePass(rules::kReduceWindowToReduceAndBroadcastRules);
}

}  // namespace hloir
