// call-inliner: puts the body of each called computation in the call's place.
//
// BEFORE
// HloModule example
//
// square {
//   p = f32[4]{0} parameter(0)
//   ROOT product = f32[4]{0} multiply(p, p)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   call = f32[4]{0} call(x), to_apply=square
//   ROOT sum = f32[4]{0} add(call, x)
// }
// AFTER
// HloModule example
//
// square {
//   p = f32[4]{0} parameter(0)
//   ROOT product = f32[4]{0} multiply(p, p)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   product = f32[4]{0} multiply(x, x)
//   ROOT sum = f32[4]{0} add(product, x)
// }
// END
//
// The called computation itself stays for dce. Leaves alone: calls with inlineable="false", or whose sharding differs
// from the body root's; bodies with control dependencies or for another thread; bodies for the Shardy partitioner,
// which finds them by name; and all calls that are left once the module has grown a hundredfold.
#include "hloir/pass.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kInlineCall = {"inline-call", "call(A), f => f's instructions on A"};

bool MayInline(const HloInstruction& call) {
  const HloComputation& body = *call.to_apply();
  if (call.operand_count() != body.parameter_count()) return false;  // a part of a call that is bound bit by bit
  if (call.HasControlDependencies() || !MayBeInlined(body, *call.parent())) return false;
  const HloInstruction& root = *body.root();
  const FrontendAttributes& attributes = call.extras().frontend_attributes;
  for (const auto& [key, value] : attributes) {
    if (key == "inlineable" && value == "false") return false;
  }
  // The annotations that the result takes over; if the root is a parameter, there is no instruction to take them.
  if (!attributes.empty() && (root.IsParameter() || !root.extras().frontend_attributes.empty())) return false;
  if (call.sharding() != nullptr && (root.sharding() == nullptr || !(*root.sharding() == *call.sharding())))
    return false;
  return true;
}

class CallInliner : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (!gate_.Enabled(kInlineCall)) return false;
    bool changed = false;
    // Callees before callers, so that a copied body has no calls.
    for (HloComputation* computation : InFetchedOrder(module.PostOrder())) {
      if (!computation->MayHave(HloOpcode::kCall) || IsWrapped(*computation)) continue;
      std::vector<HloInstruction*> calls;
      for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
        if (i->opcode() == HloOpcode::kCall) calls.push_back(i);
      }
      for (HloInstruction* call : calls) {
        if (!MayInline(*call) || !gate_.HasRoom(kInlineCall, *call, call->to_apply()->instruction_count())) continue;
        if (!gate_.Allow(kInlineCall, *call)) continue;
        HloInstruction* result = InlineBefore(call, *call->to_apply(), call->operands());
        if (!call->to_apply()->root()->IsParameter()) InheritAnnotations(result, *call);
        call->ReplaceAllUsesWith(result);
        gate_.Done(result);
        computation->RemoveInstruction(call);
        changed = true;
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineCallInliner() { return {MakePassOf<CallInliner>, {kInlineCall}}; }

}  // namespace hloir
