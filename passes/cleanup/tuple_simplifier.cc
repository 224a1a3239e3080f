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
#include <vector>

#include "hloir/pass.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kElementOfTuple = {"element-of-tuple", "get-tuple-element(tuple(A, B), 0) => A"};
constexpr RuleInfo kRebuiltTuple = {"rebuilt-tuple", "tuple(get-tuple-element(A, 0), get-tuple-element(A, 1)) => A"};

class TupleSimplifier : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    // Before the computations are put in order, which in a large module takes longer.
    std::vector<bool> wanted(static_cast<size_t>(module.computation_id_limit()), false);
    bool any = false, changed = false;
    for (const HloComputation* computation : InFetchedOrder(module.computations())) {
      if (!MayApply(*computation)) continue;
      wanted[static_cast<size_t>(computation->id())] = any = true;
    }
    if (!any) return false;
    for (HloComputation* computation : InFetchedOrder(module.PostOrder())) {
      if (!wanted[static_cast<size_t>(computation->id())]) continue;
      // Operands first: when a get-tuple-element is visited, its operand is already simplified.
      const std::vector<HloInstruction*> instructions = computation->PostOrder();
      constexpr size_t kFetched = 16;
      for (size_t at = 0; at < instructions.size(); ++at) {
        if (at + kFetched < instructions.size()) Fetch(instructions[at + kFetched]);
        HloInstruction* i = instructions[at];
        if (i->HasControlDependencies()) continue;
        if (i->opcode() == HloOpcode::kGetTupleElement) changed |= FromTuple(i);
        else if (i->opcode() == HloOpcode::kTuple) changed |= Rebuilt(i);
      }
    }
    return changed;
  }

 private:
  // True if the computation has a candidate for a rewrite.
  static bool MayApply(const HloComputation& computation) {
    if (!computation.MayHave(HloOpcode::kTuple) || IsWrapped(computation)) return false;
    for (const HloInstruction* i : computation.AllInstructions()) {
      const bool tuple = i->opcode() == HloOpcode::kTuple, element = i->opcode() == HloOpcode::kGetTupleElement;
      if (element ? i->operand(0)->opcode() == HloOpcode::kTuple : tuple && RebuiltFrom(*i) != nullptr) return true;
    }
    return false;
  }
  // get-tuple-element(tuple(A, B), i) => A or B
  bool FromTuple(HloInstruction* i) {
    HloInstruction* tuple = i->operand(0);
    return tuple->opcode() == HloOpcode::kTuple && ReplaceWith(i, tuple->operand(i->tuple_index()), kElementOfTuple);
  }
  // tuple(get-tuple-element(A, 0), get-tuple-element(A, 1)) => A
  bool Rebuilt(HloInstruction* i) {
    return RebuiltFrom(*i) != nullptr && ReplaceWith(i, i->operand(0)->operand(0), kRebuiltTuple);
  }
  // The tuple whose elements, all and in order, are this one's; nullptr if there is none.
  static const HloInstruction* RebuiltFrom(const HloInstruction& tuple) {
    if (tuple.operand_count() == 0) return nullptr;
    const HloInstruction* source = nullptr;
    for (int64_t k = 0; k < tuple.operand_count(); ++k) {
      const HloInstruction* element = tuple.operand(k);
      if (element->opcode() != HloOpcode::kGetTupleElement || element->tuple_index() != k || HasAnnotations(*element))
        return nullptr;
      if (source == nullptr) source = element->operand(0);
      if (element->operand(0) != source) return nullptr;
    }
    return source->shape().tuple_size() == tuple.operand_count() ? source : nullptr;
  }
};

}  // namespace

PassDefinition DefineTupleSimplifier() { return {MakePassOf<TupleSimplifier>, {kElementOfTuple, kRebuiltTuple}}; }

}  // namespace hloir
