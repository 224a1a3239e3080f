// abs-negate: |-A| is |A|, so the negate can go.
#include <hloir/passes.h>
#include <hloir/pass.h>
#include <hloir/rules.h>

namespace {

using namespace hloir;
namespace m = match;

// abs(-A) => abs(A)
HloInstruction* AbsNegate(HloInstruction* i, rules::RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Abs(m::Negate(m::Any(&a))))) return nullptr;  // another instruction: leave it alone
  if (!c.Allow()) return nullptr;                                // ask before anything is built
  return c.Unary(HloOpcode::kAbs, a);                            // what stands in its place
}

constexpr rules::Rule kRules[] = {
    // opcode, name, formula, what it may do to integers and to floats, and how
    {HloOpcode::kAbs, "abs-negate", "abs(-A) => abs(A)", rules::kExact, rules::kExact, AbsNegate},
};

}  // namespace

HLOIR_PASS_PLUGIN(registry) {
  return registry.Add("abs-negate", "drops a negate under an abs", rules::DefineRulePass(kRules));
}
