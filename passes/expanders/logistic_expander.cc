// logistic-expander: expands the logistic function to elementary operations.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} logistic(x)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   one = f32[] constant(1)
//   ones = f32[4]{0} broadcast(one), dimensions={}
//   x = f32[4]{0} parameter(0)
//   minus_x = f32[4]{0} negate(x)
//   e = f32[4]{0} exponential(minus_x)
//   sum = f32[4]{0} add(ones, e)
//   ROOT y = f32[4]{0} divide(ones, sum)
// }
// END
//
// Not in the default pipeline, whose engine has a kernel for it. Leaves alone: complex numbers.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

// logistic(A) => 1 / (1 + exp(-A))
HloInstruction* ExpandLogistic(HloInstruction* i, RuleContext& c) {
  if (!IsFloating(i)) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, HloBuilder::Ops x) {
    HloInstruction* one = b.Full(i.shape(), 1);
    return b.Divide(one, b.Add(one, b.Exp(b.Negate(x[0]))));
  });
}

constexpr Rule kLogisticExpanderRules[] = {
    {HloOpcode::kLogistic, "expand", "logistic(A) => 1 / (1 + exp(-A))", kRounding, kRounding, ExpandLogistic},
};

}  // namespace
}  // namespace rules

PassDefinition DefineLogisticExpander() { return rules::DefineRulePass(rules::kLogisticExpanderRules); }

}  // namespace hloir
