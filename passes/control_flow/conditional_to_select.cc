// conditional-to-select: a choice between a few scalar operations is made after computing both.
//
// BEFORE
// HloModule example
//
// less {
//   p = s32[] parameter(0)
//   one = s32[] constant(1)
//   ROOT d = s32[] subtract(p, one)
// }
//
// same {
//   ROOT p = s32[] parameter(0)
// }
//
// ENTRY main {
//   x = s32[] parameter(0)
//   p = pred[] parameter(1)
//   ROOT either = s32[] conditional(p, x, x), true_computation=less, false_computation=same
// }
// AFTER
// HloModule example
//
// less {
//   p = s32[] parameter(0)
//   one = s32[] constant(1)
//   ROOT d = s32[] subtract(p, one)
// }
//
// same {
//   ROOT p = s32[] parameter(0)
// }
//
// ENTRY main {
//   p = pred[] parameter(1)
//   x = s32[] parameter(0)
//   one = s32[] constant(1)
//   d = s32[] subtract(x, one)
//   ROOT either = s32[] select(p, d, x)
// }
// END
//
// At most 16 operations on scalars in both branches together. Leaves alone: arrays; side effects, loops and calls; more
// than two branches.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSelect = {"select",
                              "conditional(p, A, B) => select(p, f(A), g(B)), f and g a few scalar operations"};

constexpr int64_t kMostOperations = 16;

// Elementwise operations on scalars, whatever they cost (a branch costs more), and tuples of them at the ends.
bool IsScalarArithmetic(const HloComputation& branch) {
  for (const HloInstruction* i = branch.first(); i != nullptr; i = i->next()) {
    if (i->HasControlDependencies()) return false;
    if (i->IsParameter() || (i->opcode() == HloOpcode::kTuple && i->IsRoot())) continue;
    const bool cheap = i->opcode() == HloOpcode::kGetTupleElement || i->IsConstant() || i->Is(kElementwise);
    if (!cheap || !i->shape().IsScalar()) return false;
  }
  return true;
}

class ConditionalToSelect : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kConditional, [this](HloInstruction* i) { return Select(i); });
  }

 private:
  // conditional(p, A, B) => select(p, f(A), g(B)), f and g cheap
  bool Select(HloInstruction* i) {
    if (!i->IsPredConditional() || i->HasControlDependencies() || HasAnnotations(*i)) return false;
    int64_t operations = 0;
    for (const HloComputation* branch : i->called_computations()) {
      operations += branch->instruction_count();
      if (operations > kMostOperations + 2) return false;
      const HloInstruction& root = *branch->root();
      // A tuple of scalars, or a scalar.
      if (root.shape().IsTuple() && root.opcode() != HloOpcode::kTuple) return false;
      if (!IsScalarArithmetic(*branch) || !MayBeInlined(*branch, *i->parent())) return false;
    }
    if (!i->shape().IsTuple() && !i->shape().IsScalar()) return false;
    for (const Shape& element : i->shape().tuple_shapes()) {
      if (!element.IsScalar()) return false;
    }
    if (!Ask(kSelect, *i)) return false;
    HloInstruction* results[2];
    for (size_t k = 0; k < 2; ++k) {
      HloInstruction* argument = i->operand(static_cast<int64_t>(k) + 1);
      results[k] = InlineBefore(i, *i->called_computations()[k], std::span(&argument, 1));
    }
    auto select = [&](HloInstruction* a, HloInstruction* b) {
      HloInstruction* made = i->parent()->AddInstruction(HloOpcode::kSelect, a->shape(), {i->operand(0), a, b});
      i->parent()->MoveBefore(made, i);
      made->CopyMetadataOf(*i);
      return made;
    };
    HloInstruction* result = nullptr;
    if (i->shape().IsTuple()) {
      std::vector<HloInstruction*> elements;
      for (int64_t k = 0; k < i->shape().tuple_size(); ++k) {
        elements.push_back(select(results[0]->operand(k), results[1]->operand(k)));
      }
      result = i->parent()->AddTuple(elements);
      i->parent()->MoveBefore(result, i);
    } else {
      result = select(results[0], results[1]);
    }
    PutInPlaceOf(i, result);
    for (HloInstruction* made : results) RemoveIfDead(made);
    return true;
  }
};

}  // namespace

PassDefinition DefineConditionalToSelect() { return {MakePassOf<ConditionalToSelect>, {kSelect}}; }

}  // namespace hloir
