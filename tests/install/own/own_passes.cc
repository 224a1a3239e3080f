// Passes as an author outside the tree writes them, from installed headers alone: one that is a table of rules, and one
// with an option that walks the module itself. The second is wrong on purpose, for --check-each and --bisect to find.
#include "own_passes.h"

#include <cmath>

#include <hloir/rewrite_util.h>
#include <hloir/rules.h>

namespace {

using namespace hloir;
namespace m = match;

// A / C => A * (1 / C), C a power of two
HloInstruction* DivideByPowerOfTwo(HloInstruction* i, rules::RuleContext& c) {
  HloInstruction *a, *divisor;
  if (!Match(i, m::Divide(m::Any(&a), m::Any(&divisor))) || !rules::IsFloating(i)) return nullptr;
  const HloInstruction* scalar = SplatConstant(divisor);
  if (scalar == nullptr) return nullptr;
  int exponent = 0;
  const double value = scalar->literal().GetAsDouble(0);
  if (std::abs(std::frexp(value, &exponent)) != 0.5 || std::abs(exponent) > 100 || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kMultiply, a, c.Splat(i->shape(), 1 / value));
}

constexpr rules::Rule kDivideRules[] = {
    {HloOpcode::kDivide, "divide-by-power-of-two", "A / C => A * (1 / C), C a power of two", rules::kExact,
     rules::kExact, DivideByPowerOfTwo},
};

constexpr RuleInfo kSwap = {"swap-operands", "A - B => B - A"};
constexpr NumberOption kLimit = {"limit", "subtractions in one run", 1};

class SwapSubtract : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;
  StatusOr<bool> Run(HloModule& module) override {
    int64_t count = 0;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* i : InstructionsOf(*computation, HloOpcode::kSubtract)) {
        if (count == options_.Get(kLimit) || !Ask(kSwap, *i)) continue;
        ++count;
        PutInPlaceOf(i, computation->AddInstruction(i->opcode(), i->shape(), {i->operand(1), i->operand(0)}));
      }
    }
    return count > 0;
  }
};

}  // namespace

hloir::Status AddOwnPasses(hloir::PassRegistry& registry) {
  HLOIR_RETURN_IF_ERROR(
      registry.Add("div-to-mul", "divides by powers of two by multiplying", rules::DefineRulePass(kDivideRules)));
  HLOIR_RETURN_IF_ERROR(registry.Add("swap-subtract", "swaps the operands of subtractions, which is wrong",
                                     {MakePassOf<SwapSubtract>, {kSwap}, {kLimit}}));
  return InsertBefore(registry.default_pipeline(), "fusion", "div-to-mul");
}
