// all-reduce-reassociate: sums over devices of several values, summed, are one sum over devices.
//
// BEFORE
// HloModule example, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   y = s32[8]{0} parameter(1)
//   sum_x = s32[8]{0} all-reduce(x), replica_groups={{0,1}}, to_apply=add
//   sum_y = s32[8]{0} all-reduce(y), replica_groups={{0,1}}, to_apply=add
//   ROOT both = s32[8]{0} add(sum_x, sum_y)
// }
// AFTER
// HloModule example, entry_computation_layout={(s32[8]{0}, s32[8]{0})->s32[8]{0}}, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   y = s32[8]{0} parameter(1)
//   both.1 = s32[8]{0} add(x, y)
//   ROOT sum_x.1 = s32[8]{0} all-reduce(both.1), replica_groups={{0,1}}, to_apply=add
// }
// END
//
// And so products, maxima, minima. Of class rounding for sums and products of floats. Leaves alone: several operands;
// exchanges that somebody else reads, or that differ in anything but their operand.
#include "algebraic_simplifier/rules.h"
#include "exchanges.h"
#include "pass_util.h"

namespace hloir {
namespace {

class AllReduceReassociate : public RewritingPass {
 public:
  explicit AllReduceReassociate(const PassOptions& options) : RewritingPass("all-reduce-reassociate", options) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* op : computation->MakeInstructionPostOrder()) changed |= RunOn(op);
    }
    return changed;
  }

 private:
  static bool IsPlain(const HloInstruction& i) {
    return i.opcode() == HloOpcode::kAllReduce && i.operand_count() == 1 && i.user_count() == 1 && !i.HasControlDependencies() &&
           !HasAnnotations(i) && !i.attributes<AllReduceAttributes>().constrain_layout;
  }
  bool RunOn(HloInstruction* op) {
    if (op->operand_count() != 2 || !op->Is(kAssociative) || op->HasControlDependencies() || HasAnnotations(*op)) return false;
    HloInstruction *a = op->operand(0), *b = op->operand(1);
    if (a == b || !IsPlain(*a) || !IsPlain(*b) || !(a->shape() == op->shape()) || !(a->shape() == b->shape()) || !SameExchange(*a, *b) ||
        algebraic_simplifier::BinaryReducer(a->to_apply()) != op->opcode()) {
      return false;
    }
    const PrimitiveType type = op->shape().element_type();
    const bool rounds =
        (IsFloat(type) || IsComplex(type)) && (op->opcode() == HloOpcode::kAdd || op->opcode() == HloOpcode::kMultiply);
    if (!Ask("reassociate", "op(all-reduce(A), all-reduce(B)) => all-reduce(op(A, B))", *op,
             rounds ? MathMode::kRounding : MathMode::kExact)) {
      return false;
    }
    HloComputation& computation = *op->parent();
    HloInstruction* joined = computation.AddClone(*op, std::vector{a->operand(0), b->operand(0)});
    HloInstruction* reduced = computation.AddClone(*a, std::span(&joined, 1));
    computation.MoveBefore(joined, op);
    computation.MoveBefore(reduced, op);
    reduced->MergeMetadataOf(*b);
    op->ReplaceAllUsesWith(reduced);
    gate_.Done(reduced);
    for (HloInstruction* gone : {op, a, b}) computation.RemoveInstruction(gone);
    return true;
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeAllReduceReassociate(const PassOptions& options) {
  return std::make_unique<AllReduceReassociate>(options);
}

}  // namespace hloir
