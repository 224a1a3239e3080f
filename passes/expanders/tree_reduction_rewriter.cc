// tree-reduction-rewriter: splits long sums into steps: sums of 16 adjacent elements each, then of those sums.
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
//   x = f32[64]{0} parameter(0)
//   zero = f32[] constant(0)
//   ROOT total = f32[] reduce(x, zero), dimensions={0}, to_apply=add
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
//   x = f32[64]{0} parameter(0)
//   zero = f32[] constant(0)
//   reduce-window = f32[4]{0} reduce-window(x, zero), window={size=16 stride=16}, to_apply=add
//   ROOT reduce = f32[] reduce(reduce-window, zero), dimensions={0}, to_apply=add
// }
// END
//
// Such a sum has smaller rounding errors. Of class rounding for sums and products of floats. Leaves alone: dimensions
// of up to 16; init values that are not neutral.
#include <algorithm>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;
constexpr int64_t kStep = 16;

// reduce(A, v) => reduce(reduce-window(A, v), v)
HloInstruction* InSteps(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 2 || !i->shape().IsArray()) return nullptr;
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !HasTrait(*op, kAssociative) || i->operand(0)->shape().ElementCount() == 0) return nullptr;
  if (!IsIdentityElement(*op, i->operand(1)) && !(*op == HloOpcode::kAdd && IsSplatZero(i->operand(1)))) return nullptr;
  const bool is_long = std::any_of(i->dimensions().begin(), i->dimensions().end(),
                                   [&](int64_t d) { return i->operand(0)->shape().dimensions(d) > kStep; });
  if (!is_long) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    Window window(static_cast<size_t>(x[0]->shape().rank()));
    for (int64_t d : i.dimensions()) {
      const int64_t n = x[0]->shape().dimensions(d);
      if (n <= kStep) continue;
      window[d].size = window[d].stride = kStep;
      window[d].padding_high = (kStep - n % kStep) % kStep;
    }
    return b.Reduce(b.ReduceWindow(x[0], x[1], window, i.to_apply()), x[1], i.dimensions(), i.to_apply());
  });
}

constexpr Rule kTreeReductionRewriterRules[] = {
    {HloOpcode::kReduce, "reduce-in-steps", "reduce(A, v) => reduce(reduce-window(A, v), v)", kExact, kRounding,
     InSteps},
};

}  // namespace
}  // namespace rules

PassDefinition DefineTreeReductionRewriter() { return rules::DefineRulePass(rules::kTreeReductionRewriterRules); }

}  // namespace hloir
