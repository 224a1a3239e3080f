// conditional-code-motion: moves ops that end all branches after the conditional.
//
// BEFORE
// HloModule example
//
// double {
//   p = f32[4]{0} parameter(0)
//   twice = f32[4]{0} add(p, p)
//   wide = f64[4]{0} convert(twice)
//   ROOT results = (f64[4]{0}) tuple(wide)
// }
//
// square {
//   p = f32[4]{0} parameter(0)
//   product = f32[4]{0} multiply(p, p)
//   wide = f64[4]{0} convert(product)
//   ROOT results = (f64[4]{0}) tuple(wide)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   p = pred[] parameter(1)
//   either = (f64[4]{0}) conditional(p, x, x), true_computation=double, false_computation=square
//   ROOT a = f64[4]{0} get-tuple-element(either), index=0
// }
// AFTER
// HloModule example
//
// double {
//   p = f32[4]{0} parameter(0)
//   twice = f32[4]{0} add(p, p)
//   ROOT results = (f32[4]{0}) tuple(twice)
// }
//
// square {
//   p.1 = f32[4]{0} parameter(0)
//   product = f32[4]{0} multiply(p.1, p.1)
//   ROOT results.1 = (f32[4]{0}) tuple(product)
// }
//
// ENTRY main {
//   p.2 = pred[] parameter(1)
//   x = f32[4]{0} parameter(0)
//   either = (f32[4]{0}) conditional(p.2, x, x), true_computation=double, false_computation=square
//   get-tuple-element = f32[4]{0} get-tuple-element(either), index=0
//   ROOT wide = f64[4]{0} convert(get-tuple-element)
// }
// END
//
// Elementwise operations, broadcasts, reshapes and transposes of one operand, and constants shared by all branches;
// only if that operand is not larger than the result, to keep the conditional's result small. Leaves alone: values with
// other uses in a branch; control dependencies; shardings and frontend attributes.
#include <algorithm>

#include "hloir/match.h"
#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kMoveOutOfConditional = {"move-out",
                                            "conditional(p, A, B), each branch ending in f => f(conditional(p, A, B))"};

class ConditionalCodeMotion : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kConditional, [this](HloInstruction* i) { return RunOn(i); });
  }

 private:
  bool RunOn(HloInstruction* conditional) {
    if (!conditional->shape().IsTuple() || conditional->IsRoot() || conditional->HasControlDependencies() ||
        HasAnnotations(*conditional)) {
      return false;
    }
    for (const HloInstruction* user : conditional->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement || user->HasControlDependencies()) return false;
    }
    for (const HloComputation* branch : conditional->called_computations()) {
      const HloInstruction* root = branch->root();
      if (root->opcode() != HloOpcode::kTuple || root->HasControlDependencies() || HasAnnotations(*root)) return false;
    }
    bool changed = false;
    for (int64_t element = 0; element < conditional->shape().tuple_size(); ++element) {
      while (MoveOut(conditional, element)) changed = true;
    }
    return changed;
  }

  static HloInstruction* LastOf(HloInstruction& conditional, size_t branch, int64_t element) {
    return conditional.called_computations()[branch]->root()->operand(element);
  }
  // The one operand that is not a constant; -1 if there are others, or none.
  static int64_t MovedOperand(const HloInstruction& i) {
    int64_t found = -1;
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      if (IsConstantLike(i.operand(k))) continue;
      if (found >= 0) return -1;
      found = k;
    }
    return found;
  }
  static bool MayMove(const HloInstruction& i) {
    const bool moves =
        i.opcode() == HloOpcode::kBroadcast || i.opcode() == HloOpcode::kReshape || i.opcode() == HloOpcode::kTranspose;
    if ((!i.Is(kElementwise) && !moves) || i.user_count() != 1 || i.parent()->root()->OperandIndex(&i) < 0 ||
        i.IsRoot())
      return false;
    const auto uses = i.parent()->root()->operands();
    if (std::count(uses.begin(), uses.end(), &i) != 1 || !MayRemoveIfUnused(i) || i.Is(kImpure) || HasAnnotations(i))
      return false;
    const int64_t moved = MovedOperand(i);
    return moved >= 0 && i.operand(moved)->shape().IsArray() &&
           i.operand(moved)->shape().ByteSize() <= i.shape().ByteSize();
  }
  // The same constant, or broadcast of it.
  static bool SameConstant(const HloInstruction& a, const HloInstruction& b) {
    if (!StructurallyEqual(a, b)) return false;
    return a.operand_count() == 0 || StructurallyEqual(*a.operand(0), *b.operand(0));
  }
  static bool SameOperation(const HloInstruction& a, const HloInstruction& b) {
    const int64_t moved = MovedOperand(a);
    if (!MayMove(b) || !StructurallyEqual(a, b) || MovedOperand(b) != moved ||
        !(a.operand(moved)->shape() == b.operand(moved)->shape())) {
      return false;
    }
    for (int64_t k = 0; k < a.operand_count(); ++k) {
      if (k != moved && !SameConstant(*a.operand(k), *b.operand(k))) return false;
    }
    return true;
  }

  // conditional(p, A, B), each branch ending in f => f(conditional(p, A, B))
  bool MoveOut(HloInstruction* conditional, int64_t element) {
    const size_t branches = conditional->called_computations().size();
    const HloInstruction* first = LastOf(*conditional, 0, element);
    if (!MayMove(*first)) return false;
    for (size_t k = 1; k < branches; ++k) {
      if (!SameOperation(*first, *LastOf(*conditional, k, element))) return false;
    }
    if (!Ask(kMoveOutOfConditional, *first)) return false;
    for (size_t k = 0; k < branches; ++k) OwnComputation(conditional, static_cast<int64_t>(k));
    first = LastOf(*conditional, 0, element);
    const int64_t moved = MovedOperand(*first);

    // The operation after the conditional, on the new element.
    HloComputation& computation = *conditional->parent();
    std::vector<HloInstruction*> reads;
    for (HloInstruction* user : conditional->users()) {
      if (user->tuple_index() == element) reads.push_back(user);
    }
    const Shape operand_shape = first->operand(moved)->shape();
    for (HloInstruction* read : reads) {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : first->operands())
        operands.push_back(CopyConstant(computation, operand, read));
      HloInstruction* now = computation.AddGetTupleElement(conditional, element);
      computation.MoveBefore(now, read);
      operands[static_cast<size_t>(moved)] = now;
      HloInstruction* after = computation.AddClone(*first, operands);
      computation.MoveBefore(after, read);
      InheritAnnotations(after, *read);
      read->ReplaceAllUsesWith(after);
      gate_.Done(after);
      computation.RemoveInstruction(read);
      now->set_shape(operand_shape);
    }
    // In each branch: its operand in its place.
    for (size_t k = 0; k < branches; ++k) {
      HloComputation* branch = conditional->called_computations()[k];
      HloInstruction *root = branch->root(), *last = root->operand(element);
      root->ReplaceOperandWith(element, last->operand(moved));
      Shape shape = root->shape();
      shape.mutable_tuple_shape(element) = operand_shape;
      root->set_shape(shape);
      RemoveIfDead(last);
    }
    Shape shape = conditional->shape();
    shape.mutable_tuple_shape(element) = operand_shape;
    conditional->set_shape(shape);
    // The new element is no value of the unoptimized module.
    conditional->set_original_value(std::nullopt);
    return true;
  }
  // nullptr if it is no constant.
  static HloInstruction* CopyConstant(HloComputation& computation, const HloInstruction* original,
                                      HloInstruction* before) {
    if (!IsConstantLike(original)) return nullptr;
    std::vector<HloInstruction*> operands;
    if (original->operand_count() > 0) operands.push_back(CopyConstant(computation, original->operand(0), before));
    HloInstruction* copy = computation.AddClone(*original, operands);
    computation.MoveBefore(copy, before);
    return copy;
  }
};

}  // namespace

PassDefinition DefineConditionalCodeMotion() { return {MakePassOf<ConditionalCodeMotion>, {kMoveOutOfConditional}}; }

}  // namespace hloir
