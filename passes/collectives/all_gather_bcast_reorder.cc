// all-gather-bcast-reorder: all-gathers the operand of a broadcast, not its result.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   rows = f32[3,4]{1,0} broadcast(x), dimensions={1}
//   ROOT all = f32[3,8]{1,0} all-gather(rows), replica_groups={{0,1}}, dimensions={1}
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   all = f32[8]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT rows = f32[3,8]{1,0} broadcast(all), dimensions={1}
// }
// END
//
// Where the dimension along which parts are put together comes from the broadcast, each device's part is the same row
// repeated: the rows are gathered, and repeated then. Leaves alone: several operands; broadcasts that add nothing.
#include <algorithm>

#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

HloInstruction* BroadcastAfterGather(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 1 || !i->shape().IsArray()) return nullptr;
  HloInstruction* broadcast = i->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  HloInstruction* x = broadcast->operand(0);
  if (x->shape().ElementCount() >= broadcast->shape().ElementCount()) return nullptr;
  const int64_t along = i->attributes<AllGatherAttributes>().dimensions[0];
  const int64_t part = broadcast->shape().dimensions(along);
  if (part == 0 || !c.Allow()) return nullptr;
  const int64_t devices = i->shape().dimensions(along) / part;
  AllGatherAttributes attributes = i->attributes<AllGatherAttributes>();
  const PrimitiveType type = i->shape().element_type();
  const DimVector& where = broadcast->dimensions();
  const auto gather = [&](HloInstruction* operand, int64_t d) {
    Shape shape = Shape::Array(type, operand->shape().dimensions());
    shape.set_dimension(d, shape.dimensions(d) * devices);
    attributes.dimensions = {d};
    return c.Add(HloOpcode::kAllGather, shape, {operand}, attributes);
  };
  const auto found = std::find(where.begin(), where.end(), along);
  if (found != where.end()) return c.Broadcast(gather(x, found - where.begin()), i->shape(), where);
  // [x…] => [devices, x…] => [.., devices, part, ..], in which the two are one dimension in the end.
  DimVector row = x->shape().dimensions(), both = broadcast->shape().dimensions(), places{along};
  row.insert(row.begin(), 1);
  both.insert(both.begin() + along, devices);
  for (int64_t d : where) places.push_back(d + (d > along ? 1 : 0));
  HloInstruction* rows = gather(c.Reshape(x, Shape::Array(type, row)), 0);
  return c.Reshape(c.Broadcast(rows, Shape::Array(type, both), places), i->shape());
}

constexpr Rule kAllGatherBcastReorderRules[] = {
    {HloOpcode::kAllGather, "gather-first", "all-gather(broadcast(A)) => broadcast(all-gather(A))", kExact, kExact,
     BroadcastAfterGather},
};

}  // namespace
}  // namespace rules

PassDefinition DefineAllGatherBcastReorder() { return rules::DefineRulePass(rules::kAllGatherBcastReorderRules); }

}  // namespace hloir
