// zero-sized-hlo-elimination: replaces arrays without elements by constants.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4,0]{1,0} parameter(0)
//   y = f32[4,3]{1,0} parameter(1)
//   sine = f32[4,0]{1,0} sine(x)
//   both = f32[4,3]{1,0} concatenate(sine, y), dimensions={1}
//   ROOT result = (f32[4,0]{1,0}, f32[4,3]{1,0}) tuple(sine, both)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4,0]{1,0} parameter(0)
//   nothing = f32[4,0]{1,0} constant({{}, {}, {}, {}})
//   y = f32[4,3]{1,0} parameter(1)
//   both = f32[4,3]{1,0} concatenate(nothing, y), dimensions={1}
//   ROOT result = (f32[4,0]{1,0}, f32[4,3]{1,0}) tuple(nothing, both)
// }
// END
//
// Leaves alone: side effects, collectives, control dependencies, shardings; dynamic shapes; constants and parameters
// themselves (but not users of a parameter).
#include <algorithm>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kNoElements = {"no-elements", "A, without elements => constant"};

class ZeroSizedHloElimination : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (!module.AnyShape(IsEmptyArray)) return false;
    for (HloComputation* computation : InFetchedOrder(module.PostOrder())) {
      if (IsWrapped(*computation) || !HasEmptyArray(*computation)) continue;
      // Parameters last: most of their readers have no elements either.
      std::vector<HloInstruction*> order = computation->instructions();
      std::stable_partition(order.begin(), order.end(), [](const HloInstruction* i) { return !i->IsParameter(); });
      for (HloInstruction* i : order) {
        if (!i->shape().IsArray() || i->shape().ElementCount() != 0 || !i->shape().IsStatic()) continue;
        if (i->IsConstant() || i->HasControlDependencies() || HasAnnotations(*i)) continue;
        if (i->IsParameter() ? i->user_count() == 0
                             : !MayRemoveIfUnused(*i) || (i->user_count() == 0 && !i->IsRoot())) {
          continue;
        }
        changed |= MakeConstant(i);
      }
    }
    return changed;
  }

 private:
  static bool IsEmptyArray(const Shape& shape) { return shape.IsArray() && shape.ElementCount() == 0; }
  static bool HasEmptyArray(const HloComputation& computation) {
    for (const HloInstruction* i : computation.AllInstructions()) {
      if (IsEmptyArray(i->shape())) return true;
    }
    return false;
  }
  // A, without elements => constant
  bool MakeConstant(HloInstruction* i) {
    if (!Ask(kNoElements, *i)) return false;
    const bool was_root = i->IsRoot();
    HloInstruction* constant = i->parent()->AddConstant(Literal(i->shape()));
    i->parent()->MoveBefore(constant, i->IsParameter() ? i->next() : i);
    constant->CopyMetadataOf(*i);
    i->ReplaceAllUsesWith(constant);
    if (was_root && i->IsParameter()) i->parent()->set_root(i);
    gate_.Done(constant);
    // Its operands have other users or are left to dce; the walk may still reach them.
    if (IsDead(*i)) i->parent()->RemoveInstruction(i);
    return true;
  }
};

}  // namespace

PassDefinition DefineZeroSizedHloElimination() { return {MakePassOf<ZeroSizedHloElimination>, {kNoElements}}; }

}  // namespace hloir
