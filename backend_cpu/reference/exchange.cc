// Collectives between simulated devices: who takes part, and what each gets. Tests: tests/unit/devices_test.cc.
#include <algorithm>
#include <optional>

#include "support/format.h"
#include "reference/devices.h"
#include "reference/index.h"
#include "reference/scalar_function.h"

namespace hloir::reference {
namespace {

// What the numbers in replica_groups are. Without a channel each partition is by itself; with one, of the ops that can
// say use_global_device_ids, all partitions of the replicas take part, or the devices are named one by one; of the
// other ops the partitions of a replica.
enum class Ids { kReplicas, kPartitions, kReplicasOfAllPartitions, kDevices };

struct Participants {
  Ids ids = Ids::kReplicas;
  std::vector<std::vector<int64_t>> groups;  // empty: everybody
};

template <class A>
Participants ParticipantsOf(const A& attributes) {
  Participants p;
  if constexpr (requires { attributes.use_global_device_ids; }) {
    if (attributes.channel_id) p.ids = attributes.use_global_device_ids ? Ids::kDevices : Ids::kReplicasOfAllPartitions;
  } else {
    if (attributes.channel_id) p.ids = Ids::kPartitions;
  }
  if constexpr (requires { attributes.replica_groups; }) p.groups = attributes.replica_groups.Expand();
  return p;
}

// The devices of the caller's group, in its order; none if it is in no group.
StatusOr<std::vector<int64_t>> GroupOf(const EvalContext& context, const Participants& participants) {
  const Device& me = *context.run.device();
  const int64_t partitions = me.counts.partitions;
  int64_t mine = me.replica, limit = me.counts.replicas;
  if (participants.ids == Ids::kPartitions) mine = me.partition, limit = partitions;
  if (participants.ids == Ids::kDevices) mine = me.index(), limit = me.counts.devices();
  std::vector<int64_t> group;
  if (participants.groups.empty())
    for (int64_t i = 0; i < limit; ++i) group.push_back(i);
  for (const std::vector<int64_t>& each : participants.groups) {
    for (int64_t id : each) {
      if (id < 0 || id >= limit)
        return InvalidArgument(Format("{}: there is no {} in replica_groups' sense", context.instruction.name(), id));
    }
    if (std::find(each.begin(), each.end(), mine) != each.end()) group = each;
  }
  std::vector<int64_t> devices;
  for (int64_t id : group) {
    switch (participants.ids) {
      case Ids::kReplicas: devices.push_back(id * partitions + me.partition); break;
      case Ids::kPartitions: devices.push_back(me.replica * partitions + id); break;
      case Ids::kDevices: devices.push_back(id); break;
      case Ids::kReplicasOfAllPartitions:
        for (int64_t p = 0; p < partitions; ++p) devices.push_back(id * partitions + p);
        break;
    }
  }
  return devices;
}

const Shape& ResultShape(const Shape& shape, size_t k) {
  return shape.IsTuple() ? shape.tuple_shapes(static_cast<int64_t>(k)) : shape;
}
size_t ResultCount(const Shape& shape) { return shape.IsTuple() ? static_cast<size_t>(shape.tuple_size()) : 1; }

// Copies the block of `size` along dimension d that begins at from_start to where to_start says.
void CopyBlock(const Literal& from, int64_t from_start, Literal& to, int64_t to_start, size_t d, int64_t size) {
  DimVector dims = from.shape().dimensions();
  dims[d] = size;
  const DimVector in = RowMajorStrides(from.shape().dimensions()), out = RowMajorStrides(to.shape().dimensions());
  CopyRegion(dims, from, {from_start * in[d], in}, to, {to_start * out[d], out});
}

// The members' operand k, combined element by element in the group's order.
StatusOr<Literal> Combined(EvalContext& context, const std::vector<Goods>& brought, size_t k) {
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction combine, ScalarFunction::Prepare(context.run, *context.instruction.to_apply()));
  if (combine.argument_count() != 2 || combine.result_count() != 1) {
    return InvalidArgument(Format("{}'s computation does not combine two values", context.instruction.name()));
  }
  Literal sum = brought[0][k];
  HLOIR_RETURN_IF_ERROR(
      context.run.CountSteps(sum.element_count() * static_cast<int64_t>(brought.size()) * combine.cost()));
  for (size_t m = 1; m < brought.size(); ++m) {
    for (int64_t i = 0; i < sum.element_count(); ++i) {
      combine.Load(0, sum, i);
      combine.Load(1, brought[m][k], i);
      HLOIR_RETURN_IF_ERROR(combine.Run());
      combine.Store(0, sum, i);
    }
  }
  return sum;
}

Status Unfit(const EvalContext& context) {
  return InvalidArgument(
      Format("{}: its operands and result do not fit the number of devices in its groups", context.instruction.name()));
}

// To each member its own part of every operand, along dimension d.
StatusOr<std::vector<Goods>> Shares(const EvalContext& context, const Goods& whole, const Shape& shape, size_t d,
                                    size_t members) {
  std::vector<Goods> given(members);
  for (size_t k = 0; k < whole.size(); ++k) {
    const Shape& part = ResultShape(shape, k);
    if (d >= part.dimensions().size() || part.rank() != whole[k].shape().rank()) return Unfit(context);
    const int64_t size = part.dimensions(static_cast<int64_t>(d));
    if (size * static_cast<int64_t>(members) != whole[k].shape().dimensions(static_cast<int64_t>(d)))
      return Unfit(context);
    for (size_t m = 0; m < members; ++m)
      CopyBlock(whole[k], static_cast<int64_t>(m) * size, given[m].emplace_back(part), 0, d, size);
  }
  return given;
}

StatusOr<std::vector<Goods>> AllReduce(EvalContext& context, const std::vector<Goods>& brought) {
  Goods sums;
  for (size_t k = 0; k < brought[0].size(); ++k) {
    HLOIR_ASSIGN_OR_RETURN(Literal sum, Combined(context, brought, k));
    sums.push_back(std::move(sum));
  }
  return std::vector<Goods>(brought.size(), sums);
}

StatusOr<std::vector<Goods>> ReduceScatter(EvalContext& context, const Shape& shape,
                                           const std::vector<Goods>& brought) {
  Goods sums;
  for (size_t k = 0; k < brought[0].size(); ++k) {
    HLOIR_ASSIGN_OR_RETURN(Literal sum, Combined(context, brought, k));
    sums.push_back(std::move(sum));
  }
  return Shares(context, sums, shape, static_cast<size_t>(context.attributes<ReduceScatterAttributes>().dimensions[0]),
                brought.size());
}

StatusOr<std::vector<Goods>> AllGather(EvalContext& context, const Shape& shape, const std::vector<Goods>& brought) {
  const size_t d = static_cast<size_t>(context.attributes<AllGatherAttributes>().dimensions[0]);
  Goods gathered;
  for (size_t k = 0; k < brought[0].size(); ++k) {
    const Shape& part = brought[0][k].shape();
    Literal& whole = gathered.emplace_back(ResultShape(shape, k));
    if (d >= part.dimensions().size() || whole.shape().rank() != part.rank()) return Unfit(context);
    const int64_t size = part.dimensions(static_cast<int64_t>(d));
    if (size * static_cast<int64_t>(brought.size()) != whole.shape().dimensions(static_cast<int64_t>(d)))
      return Unfit(context);
    for (size_t m = 0; m < brought.size(); ++m)
      CopyBlock(brought[m][k], 0, whole, static_cast<int64_t>(m) * size, d, size);
  }
  return std::vector<Goods>(brought.size(), gathered);
}

// With a dimension: member j gets block j of everybody's operand, side by side. Without one: everybody's operand j.
StatusOr<std::vector<Goods>> AllToAll(EvalContext& context, const Shape& shape, const std::vector<Goods>& brought) {
  const size_t members = brought.size();
  const DimVector& dimensions = context.attributes<AllToAllAttributes>().dimensions;
  std::vector<Goods> given(members);
  if (dimensions.empty()) {
    if (brought[0].size() != members) return Unfit(context);
    for (size_t j = 0; j < members; ++j)
      for (size_t i = 0; i < members; ++i) given[j].push_back(brought[i][j]);
    return given;
  }
  const size_t d = static_cast<size_t>(dimensions[0]);
  for (size_t k = 0; k < brought[0].size(); ++k) {
    const Shape& whole = ResultShape(shape, k);
    if (d >= whole.dimensions().size() ||
        whole.dimensions(static_cast<int64_t>(d)) % static_cast<int64_t>(members) != 0)
      return Unfit(context);
    const int64_t size = whole.dimensions(static_cast<int64_t>(d)) / static_cast<int64_t>(members);
    for (size_t j = 0; j < members; ++j) {
      Literal& mine = given[j].emplace_back(whole);
      for (size_t i = 0; i < members; ++i) {
        CopyBlock(brought[i][k], static_cast<int64_t>(j) * size, mine, static_cast<int64_t>(i) * size, d, size);
      }
    }
  }
  return given;
}

// Who is sent nothing gets zeros.
StatusOr<std::vector<Goods>> Permute(EvalContext& context, const Shape& shape, const std::vector<Goods>& brought) {
  std::vector<Goods> given(brought.size());
  for (Goods& goods : given)
    for (size_t k = 0; k < ResultCount(shape); ++k) goods.emplace_back(ResultShape(shape, k));
  const int64_t members = static_cast<int64_t>(brought.size());
  for (const auto& [source, target] : context.attributes<CollectivePermuteAttributes>().source_target_pairs) {
    if (source < 0 || target < 0 || source >= members || target >= members) return Unfit(context);
    if (brought[static_cast<size_t>(source)].size() != ResultCount(shape)) return UnimplementedOp(context, "in place");
    given[static_cast<size_t>(target)] = brought[static_cast<size_t>(source)];
  }
  return given;
}

// Operands: what to send, what to receive into, and for each member of the group: from which row on, how many rows, to
// which row of the receiver's, and how many rows to receive.
StatusOr<std::vector<Goods>> RaggedAllToAll(EvalContext& context, const std::vector<Goods>& brought) {
  std::vector<Goods> given;
  for (const Goods& goods : brought) given.push_back({goods[1]});
  for (size_t i = 0; i < brought.size(); ++i) {
    const Goods& from = brought[i];
    for (size_t j = 0; j < brought.size(); ++j) {
      const int64_t at = static_cast<int64_t>(j);
      if (at >= from[2].element_count() || at >= from[3].element_count() || at >= from[4].element_count())
        return Unfit(context);
      const int64_t start = from[2].GetAsInt64(at), rows = from[3].GetAsInt64(at), to = from[4].GetAsInt64(at);
      Literal& target = given[j][0];
      if (rows == 0) continue;
      if (from[0].shape().rank() < 1 || target.shape().rank() < 1 || rows < 0 || start < 0 || to < 0 ||
          rows > from[0].shape().dimensions(0) || start > from[0].shape().dimensions(0) - rows ||
          rows > target.shape().dimensions(0) || to > target.shape().dimensions(0) - rows) {
        return InvalidArgument(Format("{}: rows out of bounds", context.instruction.name()));
      }
      CopyBlock(from[0], start, target, to, 0, rows);
    }
  }
  return given;
}

StatusOr<Participants> ParticipantsIn(const EvalContext& context) {
  switch (context.instruction.opcode()) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart: return ParticipantsOf(context.attributes<AllReduceAttributes>());
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart: return ParticipantsOf(context.attributes<AllGatherAttributes>());
    case HloOpcode::kReduceScatter: return ParticipantsOf(context.attributes<ReduceScatterAttributes>());
    case HloOpcode::kAllToAll: return ParticipantsOf(context.attributes<AllToAllAttributes>());
    case HloOpcode::kRaggedAllToAll: return ParticipantsOf(context.attributes<RaggedAllToAllAttributes>());
    case HloOpcode::kCollectiveBroadcast: return ParticipantsOf(context.attributes<CollectiveBroadcastAttributes>());
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart: return ParticipantsOf(context.attributes<CollectivePermuteAttributes>());
    default: return UnimplementedOp(context, "between several devices");
  }
}

StatusOr<std::vector<Goods>> Trades(EvalContext& context, const Shape& shape, const std::vector<Goods>& brought) {
  switch (context.instruction.opcode()) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart: return AllReduce(context, brought);
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart: return AllGather(context, shape, brought);
    case HloOpcode::kReduceScatter: return ReduceScatter(context, shape, brought);
    case HloOpcode::kAllToAll: return AllToAll(context, shape, brought);
    case HloOpcode::kRaggedAllToAll: return RaggedAllToAll(context, brought);
    case HloOpcode::kCollectiveBroadcast: return std::vector<Goods>(brought.size(), brought[0]);
    default: return Permute(context, shape, brought);
  }
}

}  // namespace

StatusOr<Value> Exchange(EvalContext& context, const Shape& shape) {
  HLOIR_ASSIGN_OR_RETURN(const Participants participants, ParticipantsIn(context));
  HLOIR_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(context, participants));
  Goods goods;
  for (const Value& operand : context.operands)
    goods.push_back(Value(operand).TakeLiteral());  // copies: an exchange in flight shows its operands
  if (group.empty()) {
    // Nobody broadcasts to this device.
    if (context.instruction.opcode() != HloOpcode::kCollectiveBroadcast)
      return InvalidArgument(Format("{}: a device is in no group", context.instruction.name()));
    for (size_t k = 0; k < goods.size(); ++k) goods[k] = Literal(ResultShape(shape, k));
  } else {
    HLOIR_ASSIGN_OR_RETURN(goods,
                           Meet(*context.run.device(), context.instruction, group, std::move(goods),
                                [&](const std::vector<Goods>& brought) { return Trades(context, shape, brought); }));
  }
  if (goods.size() != ResultCount(shape)) return Unfit(context);
  for (size_t k = 0; k < goods.size(); ++k)
    if (!goods[k].shape().Compatible(ResultShape(shape, k))) return Unfit(context);
  if (!shape.IsTuple()) return Value(std::move(goods[0]));
  std::vector<Value> elements;
  for (Literal& literal : goods) elements.emplace_back(std::move(literal));
  return Value::Tuple(std::move(elements));
}

}  // namespace hloir::reference
