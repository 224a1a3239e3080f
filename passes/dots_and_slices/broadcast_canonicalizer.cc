// broadcast-canonicalizer: makes the dimensions of broadcasts ascending, by a transpose of the operand.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4,6]{1,0} parameter(0)
//   ROOT y = f32[6,2,4]{2,1,0} broadcast(x), dimensions={2,0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4,6]{1,0} parameter(0)
//   t = f32[6,4]{1,0} transpose(x), dimensions={1,0}
//   ROOT y = f32[6,2,4]{2,1,0} broadcast(t), dimensions={0,2}
// }
// END
//
// The operand is transposed, which is no larger than the result.
#include <algorithm>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

HloInstruction* SortDimensions(HloInstruction* i, RuleContext& c) {
  const DimVector& dimensions = i->dimensions();
  if (std::is_sorted(dimensions.begin(), dimensions.end()) || !c.Allow()) return nullptr;
  DimVector order, sorted = dimensions;
  for (int64_t d = 0; d < static_cast<int64_t>(dimensions.size()); ++d) order.push_back(d);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return dimensions[a] < dimensions[b]; });
  std::sort(sorted.begin(), sorted.end());
  return c.Broadcast(c.Transpose(i->operand(0), order), i->shape(), sorted);
}

constexpr Rule kBroadcastCanonicalizerRules[] = {
    {HloOpcode::kBroadcast, "sort-dimensions", "broadcast(A), dimensions out of order => broadcast(transpose(A))",
     kExact, kExact, SortDimensions},
};

}  // namespace
}  // namespace rules

PassDefinition DefineBroadcastCanonicalizer() { return rules::DefineRulePass(rules::kBroadcastCanonicalizerRules); }

}  // namespace hloir
