// dead-dynamic-update-slice-elimination: makes a slice that shares no element with a dynamic-update-slice read the
// array before the update.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[8]{0} parameter(0)
//   update = f32[2]{0} parameter(1)
//   k = s32[] constant(1)
//   b = f32[8]{0} dynamic-update-slice(a, update, k)
//   ROOT part = f32[4]{0} slice(b), slice={[3:7]}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   update = f32[2]{0} parameter(1)
//   a = f32[8]{0} parameter(0)
//   ROOT part = f32[4]{0} slice(a), slice={[3:7]}
// }
// END
//
// Slices are rewritten one by one; an unused update is removed. Leaves alone: updates at unknown indices; slices that
// share an element with the update, or might.
#include <algorithm>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

// slice(dynamic-update-slice(A, B, constants)) => slice(A), of other elements
HloInstruction* BesideUpdate(HloInstruction* i, RuleContext& c) {
  HloInstruction* updated = i->operand(0);
  if (updated->opcode() != HloOpcode::kDynamicUpdateSlice || updated->operand_count() != 2 + i->shape().rank() ||
      i->shape().ElementCount() == 0) {
    return nullptr;
  }
  const Shape &whole = updated->shape(), &update = updated->operand(1)->shape();
  bool beside = false;
  for (int64_t d = 0; d < whole.rank() && !beside; ++d) {
    const std::optional<int64_t> index = SplatInteger(updated->operand(2 + d));
    if (!index) continue;
    const int64_t start = std::clamp<int64_t>(*index, 0, whole.dimensions(d) - update.dimensions(d));
    const SliceRange& r = i->attributes<SliceAttributes>().slice[d];
    const int64_t last = r.start + (i->shape().dimensions(d) - 1) * r.stride;
    beside = last < start || r.start >= start + update.dimensions(d);
  }
  if (!beside || !c.Allow()) return nullptr;
  return c.Slice(updated->operand(0), i->attributes<SliceAttributes>().slice);
}

constexpr Rule kDeadDynamicUpdateSliceEliminationRules[] = {
    {HloOpcode::kSlice, "slice-beside-update",
     "slice(dynamic-update-slice(A, B, constants)) => slice(A), of other elements", kExact, kExact, BesideUpdate},
};

}  // namespace
}  // namespace rules

PassDefinition DefineDeadDynamicUpdateSliceElimination() {
  return rules::DefineRulePass(rules::kDeadDynamicUpdateSliceEliminationRules);
}

}  // namespace hloir
