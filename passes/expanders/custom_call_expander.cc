// custom-call-expander: calls of GPU libraries (custom_calls.h), written out in HLO.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[2,3]{1,0} parameter(0)
//   y = f32[3,4]{1,0} parameter(1)
//   ROOT product = f32[2,4]{1,0} custom-call(x, y), custom_call_target="__cublas$gemm", backend_config={"alpha_real":2}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[2,3]{1,0} parameter(0)
//   y = f32[3,4]{1,0} parameter(1)
//   dot = f32[2,4]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   two = f32[] constant(2)
//   twos = f32[2,4]{1,0} broadcast(two), dimensions={}
//   ROOT product = f32[2,4]{1,0} multiply(dot, twos)
// }
// END
//
// Not XLA's: its GPU backend makes such calls (gemm-rewriter, conv-rewriter), and nothing takes them apart again. So a
// dump can be read, compared with the module before optimization, and costed as plain HLO.
#include "hloir/custom_calls.h"
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

HloInstruction* ExpandCustomCall(HloInstruction* call, RuleContext& c) {
  if (!IsKnownCustomCall(*call)) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, HloBuilder::Ops x) {
    StatusOr<HloInstruction*> meaning = BuildCustomCall(b, i, x);
    return meaning.ok() ? *meaning : nullptr;
  });
}

constexpr Rule kCustomCallExpanderRules[] = {
    {HloOpcode::kCustomCall, "expand-custom-call", "custom-call(A, …) of a known library => the same in HLO", kExact,
     kExact, ExpandCustomCall},
};

}  // namespace
}  // namespace rules

PassDefinition DefineCustomCallExpander() { return rules::DefineRulePass(rules::kCustomCallExpanderRules); }

}  // namespace hloir
