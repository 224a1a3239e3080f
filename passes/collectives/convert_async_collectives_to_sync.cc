// convert-async-collectives-to-sync: a collective with nothing between its start and its done becomes synchronous.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   start = (f32[8]{0}, f32[16]{0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT all = f32[16]{0} all-gather-done(start)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   ROOT all = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
// }
// END
//
// In a scheduled module the instructions between the two must not compute anything; in others, all are converted.
// Leaves alone: starts whose result passes through a tuple; asynchronous ops other than collectives.
#include <algorithm>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kJoin = {"join", "op-done(op-start(A)) => op(A)"};

// Nothing is computed by it.
bool IsNop(const HloInstruction& i) {
  return IsOneOf(i.opcode(), HloOpcode::kParameter, HloOpcode::kConstant, HloOpcode::kBitcast, HloOpcode::kTuple,
                 HloOpcode::kGetTupleElement) ||
         i.Is(kAsyncPart);
}

class ConvertAsyncCollectivesToSync : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* done : computation->PostOrder()) changed |= RunOn(done);
    }
    return changed;
  }

 private:
  bool RunOn(HloInstruction* done) {
    const AsyncPair* pair = FindAsyncPair(done->opcode());
    if (pair == nullptr || pair->done != done->opcode()) return false;
    const HloOpcode opcode = pair->synchronous;
    const bool wraps = opcode == HloOpcode::kAsyncStart;
    if (!wraps && !HasTrait(opcode, kCollective)) return false;
    HloInstruction* start = done->operand(0);
    if (!start->Is(kAsyncPart) || start->user_count() != 1 || start->opcode() == HloOpcode::kAsyncUpdate) return false;
    if (wraps && (start->opcode() != opcode || !WrapsCollective(*start->called_computations()[0]))) return false;
    if (done->module()->config().is_scheduled) {
      for (const HloInstruction* i = start->next(); i != done; i = i->next()) {
        if (i == nullptr || !IsNop(*i)) return false;
      }
    }
    if (!Ask(kJoin, *done)) return false;
    HloComputation& computation = *done->parent();
    HloInstruction* made = nullptr;
    if (wraps) {
      made = computation.AddClone(*start->called_computations()[0]->root(), Arguments(*start));
    } else {
      made = computation.AddInstructionWithAttributes(opcode, done->shape(), start->operands(), start->attributes());
      for (HloComputation* called : start->called_computations()) made->AddCalledComputation(called);
    }
    computation.MoveBefore(made, done);
    InheritAnnotations(made, *done);
    for (HloInstruction* half : {start, done}) {
      for (HloInstruction* before :
           std::vector(half->control_predecessors().begin(), half->control_predecessors().end())) {
        if (before != start) before->AddControlDependencyTo(made);
      }
      for (HloInstruction* after : std::vector(half->control_successors().begin(), half->control_successors().end())) {
        if (after != done) made->AddControlDependencyTo(after);
      }
    }
    done->DropAllControlDependencies();
    start->DropAllControlDependencies();
    done->ReplaceAllUsesWith(made);
    gate_.Done(made);
    computation.RemoveInstruction(done);
    HloComputation* body = wraps ? start->called_computations()[0] : nullptr;
    computation.RemoveInstruction(start);
    if (body != nullptr && body->callers().empty()) computation.module()->RemoveComputation(body);
    return true;
  }

  // One collective of parameters.
  static bool WrapsCollective(const HloComputation& body) {
    const HloInstruction& root = *body.root();
    if (!root.Is(kCollective) || root.Is(kAsyncPart) || body.instruction_count() != body.parameter_count() + 1)
      return false;
    return std::all_of(root.operands().begin(), root.operands().end(),
                       [](const HloInstruction* x) { return x->IsParameter(); });
  }
  static std::vector<HloInstruction*> Arguments(HloInstruction& start) {
    std::vector<HloInstruction*> arguments;
    for (const HloInstruction* parameter : start.called_computations()[0]->root()->operands()) {
      arguments.push_back(start.operand(parameter->parameter_number()));
    }
    return arguments;
  }
};

}  // namespace

PassDefinition DefineConvertAsyncCollectivesToSync() { return {MakePassOf<ConvertAsyncCollectivesToSync>, {kJoin}}; }

}  // namespace hloir
