// dynamic-index-splitter: dynamic-slices and dynamic-update-slices by a list of places take one operand for each.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4,6]{1,0} parameter(0)
//   at = s32[2]{0} parameter(1)
//   ROOT part = f32[1,2]{1,0} dynamic-slice(x, at), dynamic_slice_sizes={1,2}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4,6]{1,0} parameter(0)
//   at = s32[2]{0} parameter(1)
//   first = s32[1]{0} slice(at), slice={[0:1]}
//   row = s32[] reshape(first)
//   second = s32[1]{0} slice(at), slice={[1:2]}
//   column = s32[] reshape(second)
//   ROOT part = f32[1,2]{1,0} dynamic-slice(x, row, column), dynamic_slice_sizes={1,2}
// }
// END
//
// Of a scalar, which has no places, the operand or the update itself.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

HloInstruction* Split(HloInstruction* i, RuleContext& c) {
  const int64_t first = i->opcode() == HloOpcode::kDynamicSlice ? 1 : 2, rank = i->operand(0)->shape().rank();
  if (rank == 0) return c.ReplaceWith(i->operand(first - 1));
  if (i->operand_count() != first + 1 || i->operand(first)->shape().rank() != 1 || !c.Allow()) return nullptr;
  std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().begin() + first);
  HloInstruction* places = i->operand(first);
  for (int64_t d = 0; d < rank; ++d) {
    operands.push_back(c.Reshape(c.Slice(places, {{d, d + 1, 1}}), Shape::Scalar(places->shape().element_type())));
  }
  return c.computation()->AddClone(*i, operands);
}

constexpr Rule kDynamicIndexSplitterRules[] = {
    {HloOpcode::kDynamicSlice, "split-dynamic-slice", "dynamic-slice(A, {i, j}) => dynamic-slice(A, i, j)", kExact,
     kExact, Split},
    {HloOpcode::kDynamicUpdateSlice, "split-dynamic-update-slice",
     "dynamic-update-slice(A, B, {i, j}) => dynamic-update-slice(A, B, i, j)", kExact, kExact, Split},
};

}  // namespace
}  // namespace rules

PassDefinition DefineDynamicIndexSplitter() { return rules::DefineRulePass(rules::kDynamicIndexSplitterRules); }

}  // namespace hloir
