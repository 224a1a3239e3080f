// all-reduce-contiguous: several arrays that are reduced over devices at once, as one array.
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
//   y = s32[2,3]{1,0} parameter(1)
//   ROOT all = (s32[8]{0}, s32[2,3]{1,0}) all-reduce(x, y), replica_groups={{0,1}}, to_apply=add
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
//   flat_x = s32[8]{0} reshape(x)
//   y = s32[2,3]{1,0} parameter(1)
//   flat_y = s32[6]{0} reshape(y)
//   both = s32[14]{0} concatenate(flat_x, flat_y), dimensions={0}
//   all = s32[14]{0} all-reduce(both), replica_groups={{0,1}}, to_apply=add
//   part_x = s32[8]{0} slice(all), slice={[0:8]}
//   sum_x = s32[8]{0} reshape(part_x)
//   part_y = s32[6]{0} slice(all), slice={[8:14]}
//   sum_y = s32[2,3]{1,0} reshape(part_y)
//   ROOT sums = (s32[8]{0}, s32[2,3]{1,0}) tuple(sum_x, sum_y)
// }
// END
//
// Leaves alone: arrays of several element types; constrained layouts.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

Op BuildAllReduceContiguous(HloBuilder& b, HloInstruction& i, Ops x) {
  std::vector<Op> flat, results;
  for (Op operand : x) flat.push_back(b.Reshape(operand, {operand->shape().ElementCount()}));
  const Op all = b.AllReduce(b.Concatenate(flat, 0), i.to_apply(), i.attributes<AllReduceAttributes>());
  int64_t start = 0;
  for (Op operand : x) {
    const int64_t count = operand->shape().ElementCount();
    results.push_back(b.Reshape(b.Slice(all, {start}, {start + count}), operand->shape().dimensions()));
    start += count;
  }
  return b.Tuple(results);
}

HloInstruction* Join(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() < 2 || i->HasControlDependencies() || i->attributes<AllReduceAttributes>().constrain_layout)
    return nullptr;
  for (const HloInstruction* operand : i->operands()) {
    if (!operand->shape().IsArray() || operand->shape().element_type() != i->operand(0)->shape().element_type())
      return nullptr;
  }
  return c.Expand(BuildAllReduceContiguous);
}

constexpr Rule kAllReduceContiguousRules[] = {
    {HloOpcode::kAllReduce, "join", "all-reduce(A, B) => slices of all-reduce(concatenate(A, B))", kExact, kExact,
     Join},
};

}  // namespace
}  // namespace rules

PassDefinition DefineAllReduceContiguous() { return rules::DefineRulePass(rules::kAllReduceContiguousRules); }

}  // namespace hloir
