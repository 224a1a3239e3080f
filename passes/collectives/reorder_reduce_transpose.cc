// reorder-reduce-transpose: in a loop that accumulates a transposed collective, transposes before the collective.
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
// condition {
//   p = (s32[], s32[4,3]{1,0}, s32[3,8]{1,0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(3)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], s32[4,3]{1,0}, s32[3,8]{1,0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next = s32[] add(i, one)
//   x = s32[3,8]{1,0} get-tuple-element(p), index=2
//   part = s32[3,4]{1,0} reduce-scatter(x), replica_groups={{0,1}}, dimensions={1}, to_apply=add
//   turned = s32[4,3]{1,0} transpose(part), dimensions={1,0}
//   so_far = s32[4,3]{1,0} get-tuple-element(p), index=1
//   more = s32[4,3]{1,0} add(so_far, turned)
//   ROOT state = (s32[], s32[4,3]{1,0}, s32[3,8]{1,0}) tuple(next, more, x)
// }
//
// ENTRY main {
//   x = s32[3,8]{1,0} parameter(0)
//   zero = s32[] constant(0)
//   zeros = s32[4,3]{1,0} broadcast(zero), dimensions={}
//   init = (s32[], s32[4,3]{1,0}, s32[3,8]{1,0}) tuple(zero, zeros, x)
//   loop = (s32[], s32[4,3]{1,0}, s32[3,8]{1,0}) while(init), condition=condition, body=body
//   ROOT sum = s32[4,3]{1,0} get-tuple-element(loop), index=1
// }
// AFTER
// END
//
// So the collective can be hoisted out of the loop. Also before a reshape that a dynamic-update-slice takes, as loops
// over layers have it; and with a conversion between, which is of class rounding then. Leaves alone: conversions from
// and to integers; values with another user.
#include <algorithm>

#include "hloir/rules.h"
#include "collective_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kTransposeFirst = {"transpose-first",
                                      "transpose(reduce-scatter(A)) => reduce-scatter(transpose(A))"};
constexpr RuleInfo kConvertAndTransposeFirst = {
    "convert-and-transpose-first", "transpose(convert(reduce-scatter(A))) => reduce-scatter(transpose(convert(A)))",
    MathMode::kRounding};

class ReorderReduceTranspose : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kTranspose, [this](HloInstruction* transpose) {
      return IsLoopBody(*transpose->parent()) && Reorder(transpose);
    });
  }

 private:
  static bool IsOwn(const HloInstruction& i) {
    return i.user_count() == 1 && !i.IsRoot() && !i.HasControlDependencies() && !HasAnnotations(i);
  }
  // Added to a loop-carried element, or written into it.
  static bool GoesIntoState(const HloInstruction& i) {
    const HloInstruction* user = i.users()[0];
    if (user->opcode() == HloOpcode::kReshape)
      return user->user_count() == 1 && user->users()[0]->opcode() == HloOpcode::kDynamicUpdateSlice;
    return user->opcode() == HloOpcode::kAdd &&
           std::any_of(user->operands().begin(), user->operands().end(), [](const HloInstruction* state) {
             return state->opcode() == HloOpcode::kGetTupleElement && state->operand(0)->IsParameter();
           });
  }

  // transpose(reduce-scatter(A)) => reduce-scatter(transpose(A))
  bool Reorder(HloInstruction* transpose) {
    if (!IsOwn(*transpose) || !GoesIntoState(*transpose)) return false;
    HloInstruction *convert = nullptr, *collective = transpose->operand(0);
    if (collective->opcode() == HloOpcode::kConvert) convert = collective, collective = convert->operand(0);
    if (collective->opcode() != HloOpcode::kReduceScatter || collective->operand_count() != 1 || !IsOwn(*collective) ||
        !IsPlainCollective(*collective))
      return false;
    const PrimitiveType type = transpose->shape().element_type();
    if (convert != nullptr && (!IsOwn(*convert) || !IsFloat(type) || !IsFloat(collective->shape().element_type()) ||
                               !rules::BinaryReducer(collective->to_apply())))
      return false;
    if (collective->attributes<ReduceScatterAttributes>().constrain_layout) return false;
    if (!Ask(convert == nullptr ? kTransposeFirst : kConvertAndTransposeFirst, *transpose)) return false;
    HloComputation& computation = *transpose->parent();
    const DimVector& order = transpose->dimensions();
    HloInstruction* x = collective->operand(0);
    if (convert != nullptr) {
      const Shape shape = x->shape().WithElementType(type);
      x = computation.AddClone(*convert, std::span(&x, 1), &shape);
      computation.MoveBefore(x, transpose);
    }
    DimVector sizes;
    for (int64_t d : order) sizes.push_back(x->shape().dimensions(d));
    const Shape whole = Shape::Array(type, sizes);
    HloInstruction* turned = computation.AddClone(*transpose, std::span(&x, 1), &whole);
    computation.MoveBefore(turned, transpose);
    HloInstruction* part = CollectiveOf(*collective, turned, transpose->shape(), transpose);
    int64_t& scattered = part->mutable_attributes<ReduceScatterAttributes>().dimensions[0];
    scattered = std::find(order.begin(), order.end(), scattered) - order.begin();
    transpose->ReplaceAllUsesWith(part);
    gate_.Done(part);
    for (HloInstruction* gone : {transpose, convert, collective}) {
      if (gone != nullptr) computation.RemoveInstruction(gone);
    }
    return true;
  }
};

}  // namespace

PassDefinition DefineReorderReduceTranspose() {
  return {MakePassOf<ReorderReduceTranspose>, {kConvertAndTransposeFirst, kTransposeFirst}};
}

}  // namespace hloir
