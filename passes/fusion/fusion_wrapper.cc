// fusion-wrapper: wraps each op that would be a loop into a fusion.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} tanh(x)
// }
// AFTER
// HloModule example
//
// wrapped {
//   p = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} tanh(p)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} fusion(x), kind=kLoop, calls=wrapped
// }
// END
//
// XLA's back ends do this for ops that fusion left alone, so that they emit one kind of kernel: elementwise ops, data
// movement, reductions and scatters. Leaves alone: ops with control dependencies; bitcasts and ops that cost nothing.
#include <algorithm>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kWrap = {"wrap", "op(A) => fusion(A)"};

bool BecomesLoop(const HloInstruction& i) {
  if (!i.shape().IsArray() || i.HasControlDependencies() || ActsOutside(i)) return false;
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kBitcast, HloOpcode::kReshape, HloOpcode::kBitcastConvert)) return false;
  if (IsOneOf(opcode, HloOpcode::kIota, HloOpcode::kReduce, HloOpcode::kReduceWindow, HloOpcode::kScatter)) return true;
  return i.Is(kElementwise) || i.Is(kMovesData);
}

class FusionWrapper : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* i : InOrder(*computation)) {
        if (!BecomesLoop(*i) || !Ask(kWrap, *i)) continue;
        HloComputation* body = module.AddComputation("wrapped_" + std::string(i->opcode_name()) + "_computation");
        std::vector<HloInstruction*> parameters, operands;
        for (HloInstruction* operand : i->operands()) {
          size_t k = 0;  // an operand that is there twice is read by one parameter
          while (k < operands.size() && operands[k] != operand) ++k;
          if (k == operands.size()) operands.push_back(operand);
        }
        std::vector<HloInstruction*> made;
        for (size_t k = 0; k < operands.size(); ++k)
          made.push_back(
              body->AddParameter(static_cast<int64_t>(k), operands[k]->shape(), "param_" + std::to_string(k)));
        for (HloInstruction* operand : i->operands()) {
          const auto at = std::find(operands.begin(), operands.end(), operand) - operands.begin();
          parameters.push_back(made[static_cast<size_t>(at)]);
        }
        body->set_root(body->AddClone(*i, parameters));
        HloInstruction* fusion = computation->AddInstruction(HloOpcode::kFusion, i->shape(), operands,
                                                             FusionAttributes{.kind = FusionKind::kLoop},
                                                             "wrapped_" + std::string(i->opcode_name()));
        fusion->AddCalledComputation(body);
        computation->MoveBefore(fusion, i);
        PutInPlaceOf(i, fusion);
        changed = true;
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineFusionWrapper() { return {MakePassOf<FusionWrapper>, {kWrap}}; }

}  // namespace hloir
