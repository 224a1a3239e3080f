// hlo-constant-splitter: copies a constant for each user, so that each copy can be placed, sharded or fused separately.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[] parameter(0)
//   two = f32[] constant(2)
//   sum = f32[] add(x, two)
//   ROOT product = f32[] multiply(sum, two)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[] parameter(0)
//   two = f32[] constant(2)
//   sum = f32[] add(x, two)
//   two_again = f32[] constant(2)
//   ROOT product = f32[] multiply(sum, two_again)
// }
// END
//
// cse merges them again, so the two do not belong into one group. Leaves alone: constants of more than 4096 bytes, to
// limit copies; control dependencies.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSplitConstant = {"split", "f(C), g(C), C constant => f(C), g(C'), C' the same"};

constexpr int64_t kMaxSplitBytes = 4096;

class HloConstantSplitter : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kConstant, [this](HloInstruction* constant) {
      const int64_t needed = constant->user_count() + constant->IsRoot();
      if (needed < 2 || constant->HasControlDependencies() || !constant->shape().IsArray() ||
          constant->shape().ByteSize() > kMaxSplitBytes) {
        return false;
      }
      if (!Ask(kSplitConstant, *constant)) return false;
      // The first user (or the computation, whose root it is) keeps the constant.
      std::vector<HloInstruction*> users(constant->users().begin() + !constant->IsRoot(), constant->users().end());
      HloInstruction* copy = nullptr;
      for (HloInstruction* user : users) {
        copy = constant->parent()->AddClone(*constant, {});
        constant->parent()->MoveBefore(copy, constant->next());
        constant->ReplaceUseWith(user, copy);
      }
      gate_.Done(copy);
      return true;
    });
  }
};

}  // namespace

PassDefinition DefineHloConstantSplitter() { return {MakePassOf<HloConstantSplitter>, {kSplitConstant}}; }

}  // namespace hloir
