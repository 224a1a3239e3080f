// collective-transformation-reorderer: reshapes before all-gathers, and after all-reduces.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[2,6]{1,0} parameter(0)
//   all = f32[4,6]{1,0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT boxes = f32[4,3,2]{2,1,0} reshape(all)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[2,6]{1,0} parameter(0)
//   box = f32[2,3,2]{2,1,0} reshape(x)
//   ROOT boxes = f32[4,3,2]{2,1,0} all-gather(box), replica_groups={{0,1}}, dimensions={0}
// }
// END
//
// The parts must lie along a dimension of the reshaped array too, with as many elements before and after it. Leaves
// alone: several operands; values with another user; collectives that hold on to a layout.
#include "collective_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kReshapeFirst = {"reshape-first", "reshape(all-gather(A)) => all-gather(reshape(A))"};
constexpr RuleInfo kReduceFirst = {"reduce-first", "all-reduce(reshape(A)) => reshape(all-reduce(A))"};

// Elements before dimension d.
int64_t CountBefore(const Shape& shape, int64_t d) {
  int64_t count = 1;
  for (int64_t k = 0; k < d; ++k) count *= shape.dimensions(k);
  return count;
}

class CollectiveTransformationReorderer : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* i : computation->PostOrder()) {
        if (i->opcode() == HloOpcode::kReshape) changed |= ReshapeFirst(i);
        else if (i->opcode() == HloOpcode::kAllReduce) changed |= ReduceFirst(i);
      }
    }
    return changed;
  }

 private:
  static bool IsOwn(const HloInstruction& i) {
    return i.user_count() == 1 && !i.IsRoot() && !i.HasControlDependencies() && !HasAnnotations(i);
  }
  static HloInstruction* Reshape(const HloInstruction& reshape, HloInstruction* x, const Shape& shape,
                                 HloInstruction* place) {
    HloInstruction* made = place->parent()->AddClone(reshape, std::span(&x, 1), &shape);
    place->parent()->MoveBefore(made, place);
    return made;
  }

  // reshape(all-gather(A)) => all-gather(reshape(A))
  bool ReshapeFirst(HloInstruction* reshape) {
    HloInstruction* gather = reshape->operand(0);
    if (gather->opcode() != HloOpcode::kAllGather || gather->operand_count() != 1 || !IsOwn(*gather) ||
        !IsPlainCollective(*gather) || reshape->HasControlDependencies() || HasAnnotations(*reshape) ||
        !reshape->shape().IsStatic() || !gather->shape().IsStatic() || reshape->shape().ElementCount() == 0)
      return false;
    const auto& attributes = gather->attributes<AllGatherAttributes>();
    if (attributes.constrain_layout) return false;
    const int64_t d = attributes.dimensions[0], before = CountBefore(gather->shape(), d);
    int64_t along = -1;
    for (int64_t k = 0; k < reshape->shape().rank(); ++k) {
      const bool same = reshape->shape().dimensions(k) == gather->shape().dimensions(d);
      if (along < 0 && same && CountBefore(reshape->shape(), k) == before) along = k;
    }
    if (along < 0 || !Ask(kReshapeFirst, *reshape)) return false;
    Shape part = Shape::Array(reshape->shape().element_type(), reshape->shape().dimensions());
    part.set_dimension(along, gather->operand(0)->shape().dimensions(d));
    HloInstruction* made =
        CollectiveOf(*gather, Reshape(*reshape, gather->operand(0), part, reshape), reshape->shape(), reshape);
    made->mutable_attributes<AllGatherAttributes>().dimensions = {along};
    Replace(reshape, made, gather);
    return true;
  }

  // all-reduce(reshape(A)) => reshape(all-reduce(A))
  bool ReduceFirst(HloInstruction* reduce) {
    if (reduce->operand_count() != 1 || !IsPlainCollective(*reduce) ||
        reduce->attributes<AllReduceAttributes>().constrain_layout)
      return false;
    HloInstruction* reshape = reduce->operand(0);
    if (reshape->opcode() != HloOpcode::kReshape || !IsOwn(*reshape) || !reshape->shape().IsStatic()) return false;
    if (!Ask(kReduceFirst, *reduce)) return false;
    HloInstruction* x = reshape->operand(0);
    const Shape shape = Shape::Array(x->shape().element_type(), x->shape().dimensions());
    Replace(reduce, Reshape(*reshape, CollectiveOf(*reduce, x, shape, reduce), reduce->shape(), reduce), reshape);
    return true;
  }

  void Replace(HloInstruction* old, HloInstruction* made, HloInstruction* operand) {
    old->ReplaceAllUsesWith(made);
    gate_.Done(made);
    old->parent()->RemoveInstruction(old);
    operand->parent()->RemoveInstruction(operand);
  }
};

}  // namespace

PassDefinition DefineCollectiveTransformationReorderer() {
  return {MakePassOf<CollectiveTransformationReorderer>, {kReduceFirst, kReshapeFirst}};
}

}  // namespace hloir
