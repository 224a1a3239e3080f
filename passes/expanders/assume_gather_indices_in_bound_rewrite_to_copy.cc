// assume-gather-indices-in-bound-rewrite-to-copy: calls that only promise something of indices, as copies.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   indices = s32[4]{0} parameter(0)
//   ROOT promised = s32[4]{0} custom-call(indices), custom_call_target="AssumeGatherIndicesInBound"
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   indices = s32[4]{0} parameter(0)
//   ROOT promised = s32[4]{0} copy(indices)
// }
// END
//
// The custom-calls "AssumeGatherIndicesInBound" and "GatherScatterIndicesBitpacked", as XLA makes them for gathers on
// accelerators. No engine has them.
#include "hloir/custom_call.h"
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

// custom-call(A) => copy(A)
HloInstruction* AssertionToCopy(HloInstruction* i, RuleContext& c) {
  if (!IsCustomCall(*i, CustomCall::kAssumeGatherIndicesInBound) &&
      !IsCustomCall(*i, CustomCall::kGatherScatterIndicesBitpacked))
    return nullptr;
  if (i->operand_count() != 1 || !i->operand(0)->shape().Compatible(i->shape()) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kCopy, i->operand(0));
}

constexpr Rule kAssumeGatherIndicesInBoundRewriteToCopyRules[] = {
    {HloOpcode::kCustomCall, "copy-indices", "custom-call(A), a promise of indices => copy(A)", kExact, kExact,
     AssertionToCopy},
};

}  // namespace
}  // namespace rules

PassDefinition DefineAssumeGatherIndicesInBoundRewriteToCopy() {
  return rules::DefineRulePass(rules::kAssumeGatherIndicesInBoundRewriteToCopyRules);
}

}  // namespace hloir
