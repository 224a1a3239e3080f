// sort-simplifier: a sort of several arrays drops those that are unused.
//
// BEFORE
// HloModule example
//
// less {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   c = s32[] parameter(2)
//   d = s32[] parameter(3)
//   ROOT less = pred[] compare(a, b), direction=LT
// }
//
// ENTRY main {
//   keys = f32[8]{0} parameter(0)
//   values = s32[8]{0} parameter(1)
//   sorted = (f32[8]{0}, s32[8]{0}) sort(keys, values), dimensions={0}, to_apply=less
//   ROOT sorted_keys = f32[8]{0} get-tuple-element(sorted), index=0
// }
// AFTER
// HloModule example
//
// less {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT less = pred[] compare(a, b), direction=LT
// }
//
// ENTRY main {
//   keys = f32[8]{0} parameter(0)
//   values = s32[8]{0} parameter(1)
//   ROOT sorted = f32[8]{0} sort(keys), dimensions={0}, to_apply=less
// }
// END
//
// An unstable sort of fewer arrays still puts the keys in the same order. Leaves alone: arrays that the comparator
// reads; control dependencies, shardings.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kUnreadArray = {"unread-array", "sort(A, B), B unused => sort(A)"};

class SortSimplifier : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : InFetchedOrder(module.PostOrder())) {
      if (IsWrapped(*computation)) continue;
      for (HloInstruction* sort : InstructionsOf(*computation, HloOpcode::kSort)) changed |= DropUnread(sort);
    }
    return changed;
  }

 private:
  // sort(A, B), B unused => sort(A)
  bool DropUnread(HloInstruction* sort) {
    if (!sort->shape().IsTuple() || sort->IsRoot() || sort->user_count() == 0 || sort->HasControlDependencies() ||
        HasAnnotations(*sort)) {
      return false;
    }
    std::vector<bool> kept(static_cast<size_t>(sort->operand_count()), false);
    for (const HloInstruction* user : sort->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement || user->HasControlDependencies()) return false;
      kept[static_cast<size_t>(user->tuple_index())] = true;
    }
    const HloComputation& comparator = *sort->to_apply();
    std::vector<HloInstruction*> operands;
    std::vector<int64_t> moved(kept.size(), -1);
    for (size_t k = 0; k < kept.size(); ++k) {
      for (int64_t side : {0, 1}) {
        const HloInstruction* parameter = comparator.parameter(static_cast<int64_t>(2 * k) + side);
        kept[k] = kept[k] || parameter->user_count() > 0 || parameter->IsRoot();
      }
      if (!kept[k]) continue;
      moved[k] = static_cast<int64_t>(operands.size());
      operands.push_back(sort->operand(static_cast<int64_t>(k)));
    }
    if (operands.size() == kept.size() || operands.empty()) return false;
    if (!Ask(kUnreadArray, *sort)) return false;

    HloComputation* own = OwnComputation(sort, 0);
    for (size_t k = kept.size(); k-- > 0;) {
      if (kept[k]) continue;
      own->RemoveParameter(static_cast<int64_t>(2 * k) + 1);
      own->RemoveParameter(static_cast<int64_t>(2 * k));
    }
    std::vector<Shape> shapes;
    for (const HloInstruction* operand : operands) shapes.push_back(operand->shape());
    const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
    HloInstruction* smaller = sort->parent()->AddClone(*sort, operands, &shape);
    sort->parent()->MoveBefore(smaller, sort);
    std::vector<HloInstruction*> reads(sort->users().begin(), sort->users().end());
    for (HloInstruction* read : reads) {
      const int64_t index = moved[static_cast<size_t>(read->tuple_index())];
      HloInstruction* now = shape.IsTuple() ? sort->parent()->AddGetTupleElement(smaller, index) : smaller;
      if (now != smaller) sort->parent()->MoveBefore(now, read);
      InheritAnnotations(now, *read);
      read->ReplaceAllUsesWith(now);
    }
    gate_.Done(smaller);
    // The old sort is removed even if its comparator has side effects: the new sort has them too.
    for (HloInstruction* read : reads) sort->parent()->RemoveInstruction(read);
    sort->parent()->RemoveInstructionAndUnusedOperands(sort);
    return true;
  }
};

}  // namespace

PassDefinition DefineSortSimplifier() { return {MakePassOf<SortSimplifier>, {kUnreadArray}}; }

}  // namespace hloir
