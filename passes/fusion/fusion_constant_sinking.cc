// fusion-constant-sinking: moves scalar constants into the fusions that use them.
//
// BEFORE
// HloModule example
//
// fused {
//   x = f32[4]{0} parameter(0)
//   c = f32[] parameter(1)
//   cs = f32[4]{0} broadcast(c), dimensions={}
//   ROOT y = f32[4]{0} multiply(x, cs)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   two = f32[] constant(2)
//   ROOT y = f32[4]{0} fusion(x, two), kind=kLoop, calls=fused
// }
// AFTER
// HloModule example
//
// fused {
//   x = f32[4]{0} parameter(0)
//   c = f32[] constant(2)
//   cs = f32[4]{0} broadcast(c), dimensions={}
//   ROOT y = f32[4]{0} multiply(x, cs)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} fusion(x), kind=kLoop, calls=fused
// }
// END
//
// Leaves alone: larger constants, custom fusions, results that share an operand's memory, constants that are the
// result.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSinkIntoFusion = {"sink", "fusion(A, constant) => fusion(A), which has the constant"};

class FusionConstantSinking : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kFusion, [this](HloInstruction* fusion) { return RunOn(fusion); });
  }

 private:
  static bool MaySink(const HloInstruction& fusion, int64_t k) {
    const HloInstruction& operand = *fusion.operand(k);
    return operand.IsScalarConstant() && !operand.literal().elided() &&
           !fusion.fused_computation()->parameter(k)->IsRoot();
  }
  bool RunOn(HloInstruction* fusion) {
    const auto& attributes = fusion->attributes<FusionAttributes>();
    if (attributes.kind == FusionKind::kCustom || !attributes.output_to_operand_aliasing.empty() ||
        fusion->HasControlDependencies())
      return false;
    std::vector<HloInstruction*> kept;
    for (int64_t k = 0; k < fusion->operand_count(); ++k) {
      if (!MaySink(*fusion, k)) kept.push_back(fusion->operand(k));
    }
    if (static_cast<int64_t>(kept.size()) == fusion->operand_count() || !Ask(kSinkIntoFusion, *fusion)) {
      return false;
    }
    HloComputation* body = OwnComputation(fusion, 0);
    for (int64_t k = fusion->operand_count(); k-- > 0;) {
      if (!MaySink(*fusion, k)) continue;
      HloInstruction* constant = body->AddConstant(fusion->operand(k)->literal());
      body->MoveBefore(constant, body->first());
      body->parameter(k)->ReplaceAllUsesWith(constant);
      body->RemoveParameter(k);
      if (constant->user_count() == 0) body->RemoveInstruction(constant);
    }
    HloInstruction* made =
        fusion->parent()->AddInstruction(HloOpcode::kFusion, fusion->shape(), kept, attributes, fusion->name());
    made->AddCalledComputation(body);
    made->CopyExtrasOf(*fusion);
    fusion->parent()->MoveBefore(made, fusion);
    PutInPlaceOf(fusion, made);
    return true;
  }
};

}  // namespace

PassDefinition DefineFusionConstantSinking() { return {MakePassOf<FusionConstantSinking>, {kSinkIntoFusion}}; }

}  // namespace hloir
