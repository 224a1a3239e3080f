// conditional-canonicalizer: branches give tuples, so that a result may be added to them.
//
// BEFORE
// HloModule example
//
// negated {
//   x = f32[4]{0} parameter(0)
//   ROOT n = f32[4]{0} negate(x)
// }
//
// same {
//   x = f32[4]{0} parameter(0)
//   ROOT c = f32[4]{0} copy(x)
// }
//
// ENTRY main {
//   p = pred[] parameter(0)
//   x = f32[4]{0} parameter(1)
//   ROOT y = f32[4]{0} conditional(p, x, x), true_computation=negated, false_computation=same
// }
// AFTER
// HloModule example
//
// negated {
//   x = f32[4]{0} parameter(0)
//   n = f32[4]{0} negate(x)
//   ROOT t = (f32[4]{0}) tuple(n)
// }
//
// same {
//   x = f32[4]{0} parameter(0)
//   c = f32[4]{0} copy(x)
//   ROOT t = (f32[4]{0}) tuple(c)
// }
//
// ENTRY main {
//   p = pred[] parameter(0)
//   x = f32[4]{0} parameter(1)
//   y = (f32[4]{0}) conditional(p, x, x), true_computation=negated, false_computation=same
//   ROOT element = f32[4]{0} get-tuple-element(y), index=0
// }
// END
//
// A branch that is called elsewhere too gets a copy. Leaves alone: shardings, control dependencies, scheduled modules.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kWrapResult = {
    "wrap-result", "conditional(p, A, B) => get-tuple-element(conditional(p, A, B), 0), branches give tuples"};

class ConditionalCanonicalizer : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().is_scheduled) return false;
    return ForEach(module, HloOpcode::kConditional, [this](HloInstruction* i) {
      if (i->shape().IsTuple() || i->HasControlDependencies() || HasAnnotations(*i)) return false;
      if (!Ask(kWrapResult, *i)) return false;
      Wrap(i);
      return true;
    });
  }

 private:
  void Wrap(HloInstruction* i) {
    HloComputation& computation = *i->parent();
    const Shape shape = Shape::Tuple({i->shape()});
    HloInstruction* made = computation.AddClone(*i, i->operands(), &shape);
    computation.MoveBefore(made, i);
    HloInstruction* element = computation.AddGetTupleElement(made, 0);
    computation.MoveBefore(element, i);
    i->ReplaceAllUsesWith(element);
    gate_.Done(element);
    computation.RemoveInstruction(i);
    for (int64_t k = 0; k < static_cast<int64_t>(made->called_computations().size()); ++k) {
      HloComputation* branch = OwnComputation(made, k);
      HloInstruction* root = branch->root();
      branch->set_root(branch->AddTuple(std::span(&root, 1)));
    }
  }
};

}  // namespace

PassDefinition DefineConditionalCanonicalizer() { return {MakePassOf<ConditionalCanonicalizer>, {kWrapResult}}; }

}  // namespace hloir
