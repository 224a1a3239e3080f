// conditional-simplifier: takes the branch where it is known which, or where it makes no difference, and drops results
// that are unused.
//
// BEFORE
// HloModule example
//
// double {
//   p = f32[4]{0} parameter(0)
//   twice = f32[4]{0} add(p, p)
//   sine = f32[4]{0} sine(p)
//   ROOT results = (f32[4]{0}, f32[4]{0}) tuple(twice, sine)
// }
//
// square {
//   p = f32[4]{0} parameter(0)
//   product = f32[4]{0} multiply(p, p)
//   cosine = f32[4]{0} cosine(p)
//   ROOT results = (f32[4]{0}, f32[4]{0}) tuple(product, cosine)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   p = pred[] parameter(1)
//   either = (f32[4]{0}, f32[4]{0}) conditional(p, x, x), true_computation=double, false_computation=square
//   a = f32[4]{0} get-tuple-element(either), index=0
//   always = pred[] constant(true)
//   known = (f32[4]{0}, f32[4]{0}) conditional(always, a, a), true_computation=double, false_computation=square
//   ROOT result = f32[4]{0} get-tuple-element(known), index=0
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
//   p = f32[4]{0} parameter(0)
//   product = f32[4]{0} multiply(p, p)
//   ROOT results = (f32[4]{0}) tuple(product)
// }
//
// ENTRY main {
//   p = pred[] parameter(1)
//   x = f32[4]{0} parameter(0)
//   either = (f32[4]{0}) conditional(p, x, x), true_computation=double, false_computation=square
//   a = f32[4]{0} get-tuple-element(either), index=0
//   twice = f32[4]{0} add(a, a)
//   sine = f32[4]{0} sine(a)
//   results = (f32[4]{0}, f32[4]{0}) tuple(twice, sine)
//   ROOT result = f32[4]{0} get-tuple-element(results), index=0
// }
// END
//
// An index out of range takes the last branch. Leaves alone: branches with control dependencies; shardings.
#include <algorithm>

#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kKnownBranch = {"known-branch", "conditional(C, A, B), C constant => f(A)"};
constexpr RuleInfo kEqualBranches = {"equal-branches", "conditional(p, A, A), equal branches => f(A)"};
constexpr RuleInfo kUnreadResult = {"unread-result", "conditional(p, A, B), an unused result => without it"};

class ConditionalSimplifier : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    // Removable conditionals first: after that, the others may be the only callers of their branches.
    const bool changed = ForEach(module, HloOpcode::kConditional, [this](HloInstruction* i) {
      return MayTouch(*i) && (KnownBranch(i) || EqualBranches(i));
    });
    return ForEach(module, HloOpcode::kConditional,
                   [this](HloInstruction* i) { return MayTouch(*i) && UnreadResults(i); }) ||
           changed;
  }

 private:
  static bool MayTouch(const HloInstruction& i) { return !i.HasControlDependencies() && !HasAnnotations(i); }

  bool Take(HloInstruction* i, size_t branch, const RuleInfo& rule) {
    const HloComputation& body = *i->called_computations()[branch];
    if (!gate_.HasRoom(rule, *i, body.instruction_count())) return false;
    if (!MayBeInlined(body, *i->parent()) || !Ask(rule, *i)) return false;
    HloInstruction* argument = i->operand(static_cast<int64_t>(branch) + 1);
    HloInstruction* result = InlineBefore(i, body, std::span(&argument, 1));
    i->ReplaceAllUsesWith(result);
    gate_.Done(result);
    // The branches that are not taken may have side effects; they do not happen.
    i->parent()->RemoveInstructionAndUnusedOperands(i);
    return true;
  }

  // conditional(C, A, B), C constant => the branch's instructions
  bool KnownBranch(HloInstruction* i) {
    const HloInstruction* index = i->operand(0);
    if (!index->IsScalarConstant() || index->literal().elided()) return false;
    const int64_t value = index->literal().GetAsInt64(0),
                  last = static_cast<int64_t>(i->called_computations().size()) - 1;
    int64_t branch = value < 0 || value > last ? last : value;
    if (i->IsPredConditional()) branch = value != 0 ? 0 : 1;
    return Take(i, static_cast<size_t>(branch), kKnownBranch);
  }

  // conditional(p, A, A), f and f => f(A)
  bool EqualBranches(HloInstruction* i) {
    const auto& branches = i->called_computations();
    for (size_t k = 1; k < branches.size(); ++k) {
      if (i->operand(static_cast<int64_t>(k) + 1) != i->operand(1) ||
          (branches[k] != branches[0] && !StructurallyEqual(*branches[k], *branches[0]))) {
        return false;
      }
    }
    return Take(i, 0, kEqualBranches);
  }

  // conditional(p, A, B) => one with fewer results, where the others are unused
  bool UnreadResults(HloInstruction* i) {
    if (!i->shape().IsTuple() || i->IsRoot()) return false;
    std::vector<bool> read(static_cast<size_t>(i->shape().tuple_size()), false);
    for (const HloInstruction* user : i->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement) return false;
      read[static_cast<size_t>(user->tuple_index())] = true;
    }
    if (std::find(read.begin(), read.end(), false) == read.end() ||
        std::find(read.begin(), read.end(), true) == read.end()) {
      return false;
    }
    for (const HloComputation* branch : i->called_computations()) {
      const HloInstruction* root = branch->root();
      if (root->opcode() != HloOpcode::kTuple || root->HasControlDependencies() || HasAnnotations(*root)) return false;
    }
    if (!Ask(kUnreadResult, *i)) return false;
    std::vector<int64_t> moved(read.size(), -1);
    for (size_t k = 0; k < i->called_computations().size(); ++k) {
      HloComputation* branch = OwnComputation(i, static_cast<int64_t>(k));
      HloInstruction* root = branch->root();
      std::vector<HloInstruction*> elements;
      for (size_t e = 0; e < read.size(); ++e) {
        if (!read[e]) continue;
        moved[e] = static_cast<int64_t>(elements.size());
        elements.push_back(root->operand(static_cast<int64_t>(e)));
      }
      HloInstruction* smaller = branch->AddTuple(elements, root->name());
      smaller->CopyMetadataOf(*root);
      branch->set_root(smaller);
      RemoveIfDead(root);
      if (k == 0) i->set_shape(smaller->shape());
    }
    KeepOrigins(*i, read);
    for (HloInstruction* user : i->users()) {
      user->mutable_attributes<GetTupleElementAttributes>().index = moved[static_cast<size_t>(user->tuple_index())];
    }
    gate_.Done(i);
    return true;
  }
};

}  // namespace

PassDefinition DefineConditionalSimplifier() {
  return {MakePassOf<ConditionalSimplifier>, {kKnownBranch, kEqualBranches, kUnreadResult}};
}

}  // namespace hloir
