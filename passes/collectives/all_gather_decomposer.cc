// all-gather-decomposer: rewrites an all-gather as an all-reduce of arrays that hold the device's part, and zeros in
// place of the others' parts.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = s32[4]{0} parameter(0)
//   ROOT all = s32[8]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
// }
// AFTER
// HloModule example, replica_count=2
//
// add_s32 {
//   x = s32[] parameter(0)
//   y = s32[] parameter(1)
//   ROOT add = s32[] add(x, y)
// }
//
// ENTRY main {
//   zero = s32[] constant(0)
//   zeros = s32[8]{0} broadcast(zero), dimensions={}
//   x = s32[4]{0} parameter(0)
//   places = s32[2]{0} constant({0, 1})
//   replica = u32[] replica-id()
//   id = s32[] convert(replica)
//   place = s32[1]{0} dynamic-slice(places, id), dynamic_slice_sizes={1}
//   number = s32[] reshape(place)
//   size = s32[] constant(4)
//   start = s32[] multiply(number, size)
//   part = s32[8]{0} dynamic-update-slice(zeros, x, start)
//   ROOT all = s32[8]{0} all-reduce(part), replica_groups={{0,1}}, to_apply=add_s32
// }
// END
//
// Of class rounding for floats: -0 + 0 is 0. Leaves alone: several operands; devices that are in no group.
#include "hloir/rules.h"
#include "collective_util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

Op BuildAllGather(HloBuilder& b, HloInstruction& i, Ops x) {
  const auto& a = i.attributes<AllGatherAttributes>();
  const int64_t d = a.dimensions[0];
  const PrimitiveType type = i.shape().element_type();
  const Op part = b.DynamicUpdateSlice(b.Full(i.shape().WithDefaultLayout(), 0), x[0],
                                       PartStarts(b, i, d, x[0]->shape().dimensions(d)));
  return b.AllReduce(part,
                     MakeReducer(b.module(), type == PrimitiveType::PRED ? HloOpcode::kOr : HloOpcode::kAdd, type),
                     AllReduceAmong(a));
}

HloInstruction* DecomposeAllGather(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 1 || !i->shape().IsArray() || i->HasControlDependencies()) return nullptr;
  return i->shape().dimensions(i->attributes<AllGatherAttributes>().dimensions[0]) <= INT32_MAX
             ? c.Expand(BuildAllGather)
             : nullptr;
}

constexpr Rule kAllGatherDecomposerRules[] = {
    {HloOpcode::kAllGather, "decompose-all-gather", "all-gather(A) => all-reduce(dynamic-update-slice(0, A))", kExact,
     kRounding, DecomposeAllGather},
};

}  // namespace
}  // namespace rules

PassDefinition DefineAllGatherDecomposer() { return rules::DefineRulePass(rules::kAllGatherDecomposerRules); }

}  // namespace hloir
