// reorder-convert-reduce-add: in a loop that accumulates an all-reduce or reduce-scatter after a convert, converts
// before the collective, to the type of the sum.
//
// BEFORE --math=rounding
// HloModule example, replica_count=2
//
// add {
//   a = bf16[] parameter(0)
//   b = bf16[] parameter(1)
//   ROOT sum = bf16[] add(a, b)
// }
//
// condition {
//   p = (s32[], f32[4]{0}, bf16[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(3)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}, bf16[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next = s32[] add(i, one)
//   x = bf16[4]{0} get-tuple-element(p), index=2
//   over_devices = bf16[4]{0} all-reduce(x), replica_groups={{0,1}}, to_apply=add
//   wide = f32[4]{0} convert(over_devices)
//   so_far = f32[4]{0} get-tuple-element(p), index=1
//   more = f32[4]{0} add(so_far, wide)
//   ROOT state = (s32[], f32[4]{0}, bf16[4]{0}) tuple(next, more, x)
// }
//
// ENTRY main {
//   x = bf16[4]{0} parameter(0)
//   zero = s32[] constant(0)
//   nothing = f32[] constant(0)
//   nothings = f32[4]{0} broadcast(nothing), dimensions={}
//   init = (s32[], f32[4]{0}, bf16[4]{0}) tuple(zero, nothings, x)
//   loop = (s32[], f32[4]{0}, bf16[4]{0}) while(init), condition=condition, body=body
//   ROOT sum = f32[4]{0} get-tuple-element(loop), index=1
// }
// AFTER
// END
//
// So the collective can be hoisted: the sum over iterations of sums over devices is that of the sums over iterations.
// Of class rounding: the sum over devices rounds to the other type. Leaves alone: conversions from and to integers;
// collectives with another user; values that are not added to a loop-carried element; reduce-scatter.
#include "hloir/rules.h"
#include "collective_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kConvertFirst = {"convert-first", "convert(all-reduce(A)) + state => all-reduce(convert(A)) + state",
                                    MathMode::kRounding};

class ReorderConvertReduceAdd : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kAdd, [this](HloInstruction* add) {
      return IsLoopBody(*add->parent()) &&
             (Reorder(add->operand(0), add->operand(1)) || Reorder(add->operand(1), add->operand(0)));
    });
  }

 private:
  // convert(all-reduce(A)) + state => all-reduce(convert(A)) + state
  bool Reorder(HloInstruction* convert, const HloInstruction* state) {
    if (convert->opcode() != HloOpcode::kConvert || convert->user_count() != 1 || convert->HasControlDependencies() ||
        HasAnnotations(*convert))
      return false;
    if (state->opcode() != HloOpcode::kGetTupleElement || !state->operand(0)->IsParameter()) return false;
    HloInstruction* collective = convert->operand(0);
    if (collective->opcode() != HloOpcode::kAllReduce || collective->operand_count() != 1 ||
        collective->user_count() != 1 || !IsPlainCollective(*collective))
      return false;
    const PrimitiveType type = convert->shape().element_type();
    if (!IsFloat(type) || !IsFloat(collective->shape().element_type()) || !rules::BinaryReducer(collective->to_apply()))
      return false;
    if (!Ask(kConvertFirst, *convert)) return false;
    HloComputation& computation = *convert->parent();
    HloInstruction* x = collective->operand(0);
    const Shape shape = x->shape().WithElementType(type);
    HloInstruction* converted = computation.AddClone(*convert, std::span(&x, 1), &shape);
    computation.MoveBefore(converted, convert);
    HloInstruction* reduced = CollectiveOf(*collective, converted, convert->shape(), convert);
    convert->ReplaceAllUsesWith(reduced);
    gate_.Done(reduced);
    computation.RemoveInstruction(convert);
    computation.RemoveInstruction(collective);
    return true;
  }
};

}  // namespace

PassDefinition DefineReorderConvertReduceAdd() { return {MakePassOf<ReorderConvertReduceAdd>, {kConvertFirst}}; }

}  // namespace hloir
