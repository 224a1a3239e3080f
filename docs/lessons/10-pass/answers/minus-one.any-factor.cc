#include <hloir/passes.h>
#include <hloir/pass.h>
#include <hloir/rules.h>

namespace {

using namespace hloir;
namespace m = match;

// A * -1 => -A
HloInstruction* MultiplyMinusOne(HloInstruction* i, rules::RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::MultiplyAnyOrder(m::Any(&a), m::Any()))) return nullptr;
  if (!c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kNegate, a);
}

constexpr rules::Rule kRules[] = {
    {HloOpcode::kMultiply, "multiply-minus-one", "A * -1 => -A", rules::kExact, rules::kExact, MultiplyMinusOne},
};

}  // namespace

HLOIR_PASS_PLUGIN(registry) {
  return registry.Add("minus-one", "negates in place of multiplying by -1", rules::DefineRulePass(kRules));
}
