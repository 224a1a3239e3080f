// tuple-simplifier: takes tuple elements straight from where they went in, and drops a tuple that is taken apart and
// rebuilt.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = (f32[], s32[]) parameter(0)
//   a = f32[] get-tuple-element(x), index=0
//   b = s32[] get-tuple-element(x), index=1
//   same = (f32[], s32[]) tuple(a, b)
//   pair = (f32[], f32[]) tuple(a, a)
//   first = f32[] get-tuple-element(pair), index=0
//   ROOT result = ((f32[], s32[]), f32[]) tuple(same, first)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = (f32[], s32[]) parameter(0)
//   a = f32[] get-tuple-element(x), index=0
//   ROOT result = ((f32[], s32[]), f32[]) tuple(x, a)
// }
// END
//
// Leaves alone: bodies of fusions and async operations; tuples whose sharding would get lost; control dependencies.
#include <algorithm>

#include "hloir/pass.h"
#include "hloir/rewrite/util.h"

namespace hloir {
namespace {

constexpr RuleInfo kElementOfTuple = {"element-of-tuple", "get-tuple-element(tuple(A, B), 0) => A"};
constexpr RuleInfo kRebuiltTuple = {"rebuilt-tuple", "tuple(get-tuple-element(A, 0), get-tuple-element(A, 1)) => A"};

class TupleSimplifier : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    const auto has_tuples = [](const HloComputation* computation) {
      return computation->MayHave(HloOpcode::kGetTupleElement) || computation->MayHave(HloOpcode::kTuple);
    };
    if (std::none_of(module.computations().begin(), module.computations().end(), has_tuples)) return false;
    for (HloComputation* computation : module.PostOrder()) {
      if (!has_tuples(computation)) continue;
      if (IsWrapped(*computation)) continue;
      // Operands first: when a get-tuple-element comes, what it takes from is as simple as it gets.
      for (HloInstruction* i : computation->PostOrder()) {
        if (i->HasControlDependencies()) continue;
        if (i->opcode() == HloOpcode::kGetTupleElement) changed |= FromTuple(i);
        else if (i->opcode() == HloOpcode::kTuple) changed |= Rebuilt(i);
      }
    }
    return changed;
  }

 private:
  // get-tuple-element(tuple(A, B), i) => A or B
  bool FromTuple(HloInstruction* i) {
    HloInstruction* tuple = i->operand(0);
    return tuple->opcode() == HloOpcode::kTuple && ReplaceWith(i, tuple->operand(i->tuple_index()), kElementOfTuple);
  }
  // tuple(get-tuple-element(A, 0), get-tuple-element(A, 1)) => A
  bool Rebuilt(HloInstruction* i) {
    if (i->operand_count() == 0) return false;
    HloInstruction* source = nullptr;
    for (int64_t k = 0; k < i->operand_count(); ++k) {
      HloInstruction* element = i->operand(k);
      if (element->opcode() != HloOpcode::kGetTupleElement || element->tuple_index() != k || HasAnnotations(*element))
        return false;
      if (source == nullptr) source = element->operand(0);
      if (element->operand(0) != source) return false;
    }
    return source->shape().tuple_size() == i->operand_count() && ReplaceWith(i, source, kRebuiltTuple);
  }
};

}  // namespace

PassDefinition DefineTupleSimplifier() { return {MakePassOf<TupleSimplifier>, {kElementOfTuple, kRebuiltTuple}}; }

}  // namespace hloir
