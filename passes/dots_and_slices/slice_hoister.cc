// slice-hoister: slices the operands of an elementwise operation instead of its result, to compute fewer elements.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[8]{0} parameter(0)
//   b = f32[8]{0} parameter(1)
//   sum = f32[8]{0} add(a, b)
//   ROOT part = f32[2]{0} slice(sum), slice={[3:5]}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[8]{0} parameter(0)
//   pa = f32[2]{0} slice(a), slice={[3:5]}
//   b = f32[8]{0} parameter(1)
//   pb = f32[2]{0} slice(b), slice={[3:5]}
//   ROOT part = f32[2]{0} add(pa, pb)
// }
// END
//
// The reverse of slice-sinker. Leaves alone: results that are also used as a whole; slices with more elements in total
// than the result.
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

// slice(f(A, B)) => f(slice(A), slice(B)), f elementwise
HloInstruction* Hoist(HloInstruction* i, RuleContext& c) {
  HloInstruction* f = i->operand(0);
  if (!f->Is(kElementwise) || f->operand_count() < 2 || f->HasControlDependencies() || HasAnnotations(*f))
    return nullptr;
  int64_t taken = 0;
  for (const HloInstruction* user : f->users()) {
    if (user->opcode() != HloOpcode::kSlice) return nullptr;
    taken += user->shape().ElementCount();
  }
  if (f->IsRoot() || taken > f->shape().ElementCount() || i->shape().SameDimensions(f->shape()) || !c.Allow())
    return nullptr;
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : f->operands()) {
    const bool whole = operand->shape().SameDimensions(f->shape());  // else a scalar bound or predicate
    operands.push_back(whole ? c.Slice(operand, i->attributes<SliceAttributes>().slice) : operand);
  }
  return c.CloneOver(f, operands, i->shape());
}

constexpr Rule kSliceHoisterRules[] = {
    {HloOpcode::kSlice, "hoist", "slice(f(A, B)) => f(slice(A), slice(B)), f elementwise", kExact, kExact, Hoist},
};

}  // namespace
}  // namespace rules

PassDefinition DefineSliceHoister() { return rules::DefineRulePass(rules::kSliceHoisterRules); }

}  // namespace hloir
