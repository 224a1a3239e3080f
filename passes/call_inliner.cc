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
// The called computation itself stays for dce. Leaves alone: calls with inlineable="false", or whose sharding the
// body's root does not have; bodies with control dependencies or for another thread; bodies for the Shardy partitioner,
// which looks for them by name; and what is left once the module has grown a hundredfold, as calls of calls of calls
// can.
#include "hloir/pass.h"
#include "pass_util.h"

namespace hloir {
namespace {

bool MayInline(const HloInstruction& call) {
  const HloComputation& body = *call.to_apply();
  if (call.operand_count() != body.parameter_count()) return false;  // a part of a call that is bound bit by bit
  if (call.HasControlDependencies() || body.execution_thread() != call.parent()->execution_thread()) return false;
  if (body.name().find("xla.sdy") != std::string_view::npos) return false;
  const HloInstruction& root = *body.root();
  for (const auto& [key, value] : call.extras().frontend_attributes) {
    if (key == "inlineable" && value == "false") return false;
  }
  if (call.sharding() != nullptr && (root.sharding() == nullptr || !(*root.sharding() == *call.sharding())))
    return false;
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (i->HasControlDependencies()) return false;
  }
  return true;
}

class CallInliner : public HloPass {
 public:
  explicit CallInliner(const PassOptions& options) : options_(options), gate_(name(), options_) {}
  std::string_view name() const override { return "call-inliner"; }

  StatusOr<bool> Run(HloModule& module) override {
    if (!gate_.Enabled("inline-call", MathMode::kExact)) return false;
    bool changed = false;
    int64_t budget = 100 * module.instruction_count() + 100000;
    // Callees before callers, so that what is copied has no calls left in it.
    for (HloComputation* computation : module.MakeComputationPostOrder()) {
      if (IsWrapped(*computation)) continue;
      std::vector<HloInstruction*> calls;
      for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
        if (i->opcode() == HloOpcode::kCall) calls.push_back(i);
      }
      for (HloInstruction* call : calls) {
        if (!MayInline(*call) || call->to_apply()->instruction_count() > budget) continue;
        if (!gate_.Allow("inline-call", "call(A), f => f's instructions on A", MathMode::kExact, *call)) continue;
        budget -= call->to_apply()->instruction_count();
        Inline(call);
        changed = true;
      }
    }
    return changed;
  }

 private:
  void Inline(HloInstruction* call) {
    HloComputation& computation = *call->parent();
    HloComputation& body = *call->to_apply();
    std::unordered_map<const HloInstruction*, HloInstruction*> copies;
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* i : body.MakeInstructionPostOrder()) {
      HloInstruction*& copy = copies[i];
      if (i->IsParameter()) {
        copy = call->operand(i->parameter_number());
        continue;
      }
      operands.clear();
      for (const HloInstruction* operand : i->operands()) operands.push_back(copies.at(operand));
      copy = computation.AddClone(*i, operands);
      // The body of a fusion belongs to that one fusion.
      if (i->opcode() == HloOpcode::kFusion || i->opcode() == HloOpcode::kAsyncStart) {
        copy->set_called_computation(0, computation.module()->CloneComputation(*i->called_computations()[0]));
      }
      if (copy->metadata() == nullptr) copy->set_metadata(call->metadata());
      computation.MoveBefore(copy, call);
    }
    HloInstruction* result = copies[body.root()];
    call->ReplaceAllUsesWith(result);
    gate_.Done(result);
    computation.RemoveInstruction(call);
  }

  PassOptions options_;
  RewriteGate gate_;
};

}  // namespace

std::unique_ptr<HloPass> MakeCallInliner(const PassOptions& options) { return std::make_unique<CallInliner>(options); }

}  // namespace hloir
