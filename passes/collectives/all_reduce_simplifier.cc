// all-reduce-simplifier: removes collectives that change nothing.
//
// BEFORE
// HloModule example, replica_count=2
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// max {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT larger = f32[] maximum(a, b)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   alone = f32[4]{0} all-reduce(x), replica_groups={{0},{1}}, to_apply=add
//   one = f32[] constant(1)
//   ones = f32[4]{0} broadcast(one), dimensions={}
//   largest = f32[4]{0} all-reduce(ones), replica_groups={{0,1}}, to_apply=max
//   ROOT result = (f32[4]{0}, f32[4]{0}) tuple(alone, largest)
// }
// AFTER
// HloModule example, replica_count=2
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// max {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT larger = f32[] maximum(a, b)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   one = f32[] constant(1)
//   ones = f32[4]{0} broadcast(one), dimensions={}
//   ROOT result = (f32[4]{0}, f32[4]{0}) tuple(x, ones)
// }
// END
//
// A group of one device returns its operand; the maximum (minimum, …) of equal constants is that constant. A sum of
// equal constants is their product with the group's size, of class rounding for floats. Leaves alone: several operands;
// groups of unknown size; collectives with other programs (constrain_layout).
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

// The number of devices in each group, if all groups are equally large; else 0.
int64_t GroupSize(const HloInstruction* i) {
  const ReplicaGroups* groups = nullptr;
  int64_t partitions = 1;  // with a channel, groups of replicas have all partitions of each
  AttributesTypeSwitch(i->opcode(), [&]<class T>(std::type_identity<T>) {
    if constexpr (requires(T attributes) { attributes.replica_groups; }) {
      const T& attributes = i->attributes<T>();
      groups = &attributes.replica_groups;
      if constexpr (requires { attributes.use_global_device_ids; }) {
        if (attributes.channel_id && !attributes.use_global_device_ids)
          partitions = i->module()->config().num_partitions;
      }
    }
  });
  if (groups == nullptr || partitions < 1 || partitions > 1 << 20) return 0;
  if (groups->form == ReplicaGroups::Form::kIota)
    return groups->group_size <= 1 << 20 ? groups->group_size * partitions : 0;
  if (groups->form != ReplicaGroups::Form::kList || groups->groups.empty()) return 0;
  for (const auto& group : groups->groups) {
    if (group.size() != groups->groups[0].size()) return 0;
  }
  return static_cast<int64_t>(groups->groups[0].size()) * partitions;
}

bool IsPlainAllReduce(const HloInstruction* i) {
  return i->operand_count() == 1 && i->shape().IsArray() && !i->HasSideEffect() && !i->HasControlDependencies();
}

// all-reduce(A) => A, in groups of one
HloInstruction* GroupOfOne(HloInstruction* i, RuleContext& c) {
  return IsPlainAllReduce(i) && GroupSize(i) == 1 ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// all-reduce(C) => C, with max, min, and, or
HloInstruction* SameConstant(HloInstruction* i, RuleContext& c) {
  if (!IsPlainAllReduce(i) || SplatConstant(i->operand(0)) == nullptr) return nullptr;
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (op != HloOpcode::kMaximum && op != HloOpcode::kMinimum && op != HloOpcode::kAnd && op != HloOpcode::kOr) {
    return nullptr;
  }
  if (i->shape().SameDimensions(i->operand(0)->shape())) return c.ReplaceWith(i->operand(0));
  return c.Allow() ? c.SplatOf(i->shape(), SplatConstant(i->operand(0))->literal()) : nullptr;
}

// all-reduce(C), with + => C * n, in groups of n
HloInstruction* SumOfConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction* constant = SplatConstant(i->operand(0));
  const int64_t size = GroupSize(i);
  const PrimitiveType type = i->shape().IsArray() ? i->shape().element_type() : PrimitiveType::INVALID;
  if (!IsPlainAllReduce(i) || constant == nullptr || size == 0 || BinaryReducer(i->to_apply()) != HloOpcode::kAdd ||
      BitWidth(type) < 32 || size > 1 << 20 || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* product =
      c.Binary(HloOpcode::kMultiply, constant, c.Splat(constant->shape(), static_cast<double>(size)));
  return c.BroadcastScalar(product, i->shape());
}

// all-gather(broadcast(s)) => broadcast(s), s constant
HloInstruction* GatherConstant(HloInstruction* i, RuleContext& c) {
  if (!IsPlainAllReduce(i) || SplatConstant(i->operand(0)) == nullptr || !c.Allow()) return nullptr;
  return c.SplatOf(i->shape(), SplatConstant(i->operand(0))->literal());
}

constexpr std::string_view kOne = "all-reduce(A) => A, in groups of one";
constexpr std::string_view kSame = "all-reduce(C) => C, with max, min, and, or";
constexpr std::string_view kSum = "all-reduce(C), with + => C * n, in groups of n";
constexpr std::string_view kGather = "all-gather(C) => C, larger";
constexpr Rule kAllReduceSimplifierRules[] = {
    {HloOpcode::kAllReduce, "all-reduce-alone", kOne, kExact, kExact, GroupOfOne},
    {HloOpcode::kAllReduce, "all-reduce-constant", kSame, kExact, kExact, SameConstant},
    {HloOpcode::kAllReduce, "all-reduce-sum-of-constant", kSum, kExact, kRounding, SumOfConstant},
    {HloOpcode::kReduceScatter, "reduce-scatter-alone", kOne, kExact, kExact, GroupOfOne},
    {HloOpcode::kReduceScatter, "reduce-scatter-constant", kSame, kExact, kExact, SameConstant},
    {HloOpcode::kReduceScatter, "reduce-scatter-sum-of-constant", kSum, kExact, kRounding, SumOfConstant},
    {HloOpcode::kAllGather, "all-gather-alone", kOne, kExact, kExact, GroupOfOne},
    {HloOpcode::kAllGather, "all-gather-constant", kGather, kExact, kExact, GatherConstant},
    {HloOpcode::kAllToAll, "all-to-all-alone", kOne, kExact, kExact, GroupOfOne},
    {HloOpcode::kAllToAll, "all-to-all-constant", kGather, kExact, kExact, GatherConstant},
};

}  // namespace
}  // namespace rules

PassDefinition DefineAllReduceSimplifier() { return rules::DefineRulePass(rules::kAllReduceSimplifierRules); }

}  // namespace hloir
