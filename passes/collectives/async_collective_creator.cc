// async-collective-creator: splits collectives into a start and a done, so that other work can run between them.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   ROOT all = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   start = (f32[8]{0}, f32[16]{0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT all = f32[16]{0} all-gather-done(start)
// }
// END
//
// all-reduce, all-gather and collective-permute have opcodes for that; the others are wrapped into an async-start.
// convert-async-collectives-to-sync undoes it. Leaves alone: permutations in place, ops that are wrapped already,
// scheduled modules.
#include <algorithm>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSplitCollective = {"split", "op(A) => op-done(op-start(A))"};

class AsyncCollectiveCreator : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().is_scheduled) return false;
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* i : computation->PostOrder()) {
        if (!i->Is(kCollective) || i->Is(kAsyncPart) || i->operand_count() == 0) continue;
        const bool arrays = std::all_of(i->operands().begin(), i->operands().end(),
                                        [](const HloInstruction* x) { return x->shape().IsArray(); });
        if (!arrays || !Ask(kSplitCollective, *i)) continue;
        Split(i);
        changed = true;
      }
    }
    return changed;
  }

 private:
  void Split(HloInstruction* i) {
    HloComputation& computation = *i->parent();
    HloInstruction *start = nullptr, *done = nullptr;
    if (const AsyncPair* pair = FindAsyncPair(i->opcode())) {
      const Shape shape = i->opcode() == HloOpcode::kAllReduce ? i->shape() : InFlight(*i);
      start = computation.AddInstructionWithAttributes(pair->start, shape, i->operands(), i->attributes());
      for (HloComputation* called : i->called_computations()) start->AddCalledComputation(called);
      done = computation.AddInstruction(pair->done, i->shape(), {start});
    } else {
      HloComputation* body = i->module()->AddComputation("async_computation");
      std::vector<HloInstruction*> parameters;
      std::vector<Shape> shapes;
      for (const HloInstruction* operand : i->operands()) {
        parameters.push_back(body->AddParameter(static_cast<int64_t>(parameters.size()), operand->shape(), "operand"));
        shapes.push_back(operand->shape());
      }
      body->set_root(body->AddClone(*i, parameters));
      const Shape state =
          Shape::Tuple({Shape::Tuple(std::move(shapes)), i->shape(), Shape::Scalar(PrimitiveType::U32)});
      start = computation.AddInstruction(HloOpcode::kAsyncStart, state, i->operands(), AsyncAttributes{});
      start->AddCalledComputation(body);
      done = computation.AddInstruction(HloOpcode::kAsyncDone, i->shape(), {start}, AsyncAttributes{});
    }
    start->CopyMetadataOf(*i);
    InheritAnnotations(done, *i);
    for (HloInstruction* before : std::vector(i->control_predecessors().begin(), i->control_predecessors().end()))
      before->AddControlDependencyTo(start);
    for (HloInstruction* after : std::vector(i->control_successors().begin(), i->control_successors().end()))
      done->AddControlDependencyTo(after);
    i->DropAllControlDependencies();
    i->ReplaceAllUsesWith(done);
    gate_.Done(done);
    computation.RemoveInstruction(i);
  }
  // (operands, results)
  static Shape InFlight(const HloInstruction& i) {
    std::vector<Shape> shapes;
    for (const HloInstruction* operand : i.operands()) shapes.push_back(operand->shape());
    return Shape::Tuple({shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes), i.shape()});
  }
};

}  // namespace

PassDefinition DefineAsyncCollectiveCreator() { return {MakePassOf<AsyncCollectiveCreator>, {kSplitCollective}}; }

}  // namespace hloir
