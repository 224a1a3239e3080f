// reduce-scatter-decomposer: a part of the sum over devices, as a slice of the whole.
//
// BEFORE
// HloModule example, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   ROOT part = s32[4]{0} reduce-scatter(x), replica_groups={{1,0}}, dimensions={0}, to_apply=add
// }
// AFTER
// HloModule example, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   all = s32[8]{0} all-reduce(x), replica_groups={{1,0}}, to_apply=add
//   places = s32[2]{0} constant({1, 0})
//   replica = u32[] replica-id()
//   id = s32[] convert(replica)
//   place = s32[1]{0} dynamic-slice(places, id), dynamic_slice_sizes={1}
//   number = s32[] reshape(place)
//   size = s32[] constant(4)
//   start = s32[] multiply(number, size)
//   ROOT part = s32[4]{0} dynamic-slice(all, start), dynamic_slice_sizes={4}
// }
// END
//
// Of class rounding for floats: the order of the sum is open. Leaves alone: several operands; devices that are in no
// group.
#include "hloir/rewrite/rules.h"
#include "collective_util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

Op BuildReduceScatter(HloBuilder& b, HloInstruction& i, Ops x) {
  const auto& a = i.attributes<ReduceScatterAttributes>();
  const int64_t d = a.dimensions[0];
  const Op all = b.AllReduce(x[0], i.to_apply(), AllReduceAmong(a));
  return b.DynamicSlice(all, PartStarts(b, i, d, i.shape().dimensions(d)), i.shape().dimensions());
}

HloInstruction* DecomposeReduceScatter(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 1 || !i->shape().IsArray() || i->HasControlDependencies()) return nullptr;
  return i->operand(0)->shape().dimensions(i->attributes<ReduceScatterAttributes>().dimensions[0]) <= INT32_MAX
             ? c.Expand(BuildReduceScatter)
             : nullptr;
}

constexpr Rule kReduceScatterDecomposerRules[] = {
    {HloOpcode::kReduceScatter, "decompose-reduce-scatter", "reduce-scatter(A) => dynamic-slice(all-reduce(A))", kExact,
     kRounding, DecomposeReduceScatter},
};

}  // namespace
}  // namespace rules

PassDefinition DefineReduceScatterDecomposer() { return rules::DefineRulePass(rules::kReduceScatterDecomposerRules); }

}  // namespace hloir
