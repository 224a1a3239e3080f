// Collectives between simulated devices: each one's group, and what each member gets. Tests:
// tests/unit/devices_test.cc.
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

// What the numbers count, for messages.
std::string_view KindOf(Ids ids) {
  switch (ids) {
    case Ids::kReplicas:
    case Ids::kReplicasOfAllPartitions: return "replica";
    case Ids::kPartitions: return "partition";
    case Ids::kDevices: return "device";
  }
  return "";
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
        return InvalidArgument(
            Format("{}: replica_groups names {} {}, and the module runs on {} replica{} of {} partition{}",
                   context.instruction.name(), KindOf(participants.ids), id, me.counts.replicas,
                   me.counts.replicas == 1 ? "" : "s", partitions, partitions == 1 ? "" : "s"));
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
StatusOr<Literal> Combined(EvalContext& context, const std::vector<DeviceValues>& operands, size_t k) {
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction combine, ScalarFunction::Prepare(context.run, *context.instruction.to_apply()));
  if (combine.argument_count() != 2 || combine.result_count() != 1) {
    return InvalidArgument(Format("{}'s computation does not combine two values", context.instruction.name()));
  }
  Literal sum = operands[0][k];
  HLOIR_RETURN_IF_ERROR(
      context.run.CountSteps(sum.element_count() * static_cast<int64_t>(operands.size()) * combine.cost()));
  const HloInstruction& root = *context.instruction.to_apply()->root();
  const PrimitiveType type = sum.shape().element_type();
  const Kernel kernel = combine.IsBinary(root.opcode()) && ComputeType(type) == type &&
                                combine.argument_type(0) == type && combine.argument_type(1) == type &&
                                combine.result_type(0) == type
                            ? FindKernel(root, type)
                            : nullptr;
  for (size_t m = 1; m < operands.size(); ++m) {
    if (kernel != nullptr) {  // whole arrays; what it does to each pair of elements is the same
      KernelArgs args;
      args.in[0] = sum.untyped_data(), args.in[1] = operands[m][k].untyped_data(), args.out = sum.untyped_data();
      args.count = sum.element_count(), args.bits = BitWidth(type);
      kernel(args);
      continue;
    }
    for (int64_t i = 0; i < sum.element_count(); ++i) {
      combine.Load(0, sum, i);
      combine.Load(1, operands[m][k], i);
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
StatusOr<std::vector<DeviceValues>> Shares(const EvalContext& context, const DeviceValues& whole, const Shape& shape,
                                           size_t d, size_t members) {
  std::vector<DeviceValues> results(members);
  for (size_t k = 0; k < whole.size(); ++k) {
    const Shape& part = ResultShape(shape, k);
    if (d >= part.dimensions().size() || part.rank() != whole[k].shape().rank()) return Unfit(context);
    const int64_t size = part.dimensions(static_cast<int64_t>(d));
    if (size * static_cast<int64_t>(members) != whole[k].shape().dimensions(static_cast<int64_t>(d)))
      return Unfit(context);
    for (size_t m = 0; m < members; ++m)
      CopyBlock(whole[k], static_cast<int64_t>(m) * size, results[m].emplace_back(part), 0, d, size);
  }
  return results;
}

StatusOr<std::vector<DeviceValues>> AllReduce(EvalContext& context, const std::vector<DeviceValues>& operands) {
  DeviceValues sums;
  for (size_t k = 0; k < operands[0].size(); ++k) {
    HLOIR_ASSIGN_OR_RETURN(Literal sum, Combined(context, operands, k));
    sums.push_back(std::move(sum));
  }
  return std::vector<DeviceValues>(operands.size(), sums);
}

StatusOr<std::vector<DeviceValues>> ReduceScatter(EvalContext& context, const Shape& shape,
                                                  const std::vector<DeviceValues>& operands) {
  DeviceValues sums;
  for (size_t k = 0; k < operands[0].size(); ++k) {
    HLOIR_ASSIGN_OR_RETURN(Literal sum, Combined(context, operands, k));
    sums.push_back(std::move(sum));
  }
  return Shares(context, sums, shape, static_cast<size_t>(context.attributes<ReduceScatterAttributes>().dimensions[0]),
                operands.size());
}

StatusOr<std::vector<DeviceValues>> AllGather(EvalContext& context, const Shape& shape,
                                              const std::vector<DeviceValues>& operands) {
  const size_t d = static_cast<size_t>(context.attributes<AllGatherAttributes>().dimensions[0]);
  DeviceValues gathered;
  for (size_t k = 0; k < operands[0].size(); ++k) {
    const Shape& part = operands[0][k].shape();
    Literal& whole = gathered.emplace_back(ResultShape(shape, k));
    if (d >= part.dimensions().size() || whole.shape().rank() != part.rank()) return Unfit(context);
    const int64_t size = part.dimensions(static_cast<int64_t>(d));
    if (size * static_cast<int64_t>(operands.size()) != whole.shape().dimensions(static_cast<int64_t>(d)))
      return Unfit(context);
    for (size_t m = 0; m < operands.size(); ++m)
      CopyBlock(operands[m][k], 0, whole, static_cast<int64_t>(m) * size, d, size);
  }
  return std::vector<DeviceValues>(operands.size(), gathered);
}

// With a dimension: member j gets block j of everybody's operand, side by side. Without one: everybody's operand j.
StatusOr<std::vector<DeviceValues>> AllToAll(EvalContext& context, const Shape& shape,
                                             const std::vector<DeviceValues>& operands) {
  const size_t members = operands.size();
  const DimVector& dimensions = context.attributes<AllToAllAttributes>().dimensions;
  std::vector<DeviceValues> results(members);
  if (dimensions.empty()) {
    if (operands[0].size() != members) return Unfit(context);
    for (size_t j = 0; j < members; ++j)
      for (size_t i = 0; i < members; ++i) results[j].push_back(operands[i][j]);
    return results;
  }
  const size_t d = static_cast<size_t>(dimensions[0]);
  for (size_t k = 0; k < operands[0].size(); ++k) {
    const Shape& whole = ResultShape(shape, k);
    if (d >= whole.dimensions().size() ||
        whole.dimensions(static_cast<int64_t>(d)) % static_cast<int64_t>(members) != 0)
      return Unfit(context);
    const int64_t size = whole.dimensions(static_cast<int64_t>(d)) / static_cast<int64_t>(members);
    for (size_t j = 0; j < members; ++j) {
      Literal& mine = results[j].emplace_back(whole);
      for (size_t i = 0; i < members; ++i) {
        CopyBlock(operands[i][k], static_cast<int64_t>(j) * size, mine, static_cast<int64_t>(i) * size, d, size);
      }
    }
  }
  return results;
}

// Who is sent nothing gets zeros.
StatusOr<std::vector<DeviceValues>> Permute(EvalContext& context, const Shape& shape,
                                            const std::vector<DeviceValues>& operands) {
  std::vector<DeviceValues> results(operands.size());
  for (DeviceValues& values : results)
    for (size_t k = 0; k < ResultCount(shape); ++k) values.emplace_back(ResultShape(shape, k));
  const int64_t members = static_cast<int64_t>(operands.size());
  for (const auto& [source, target] : context.attributes<CollectivePermuteAttributes>().source_target_pairs) {
    if (source < 0 || target < 0 || source >= members || target >= members) return Unfit(context);
    if (operands[static_cast<size_t>(source)].size() != ResultCount(shape)) return UnimplementedOp(context, "in place");
    results[static_cast<size_t>(target)] = operands[static_cast<size_t>(source)];
  }
  return results;
}

// Operands: what to send, what to receive into, and for each member of the group: from which row on, how many rows, to
// which row of the receiver's, and how many rows to receive.
StatusOr<std::vector<DeviceValues>> RaggedAllToAll(EvalContext& context, const std::vector<DeviceValues>& operands) {
  std::vector<DeviceValues> results;
  for (const DeviceValues& values : operands) results.push_back({values[1]});
  for (size_t i = 0; i < operands.size(); ++i) {
    const DeviceValues& from = operands[i];
    for (size_t j = 0; j < operands.size(); ++j) {
      const int64_t at = static_cast<int64_t>(j);
      if (at >= from[2].element_count() || at >= from[3].element_count() || at >= from[4].element_count())
        return Unfit(context);
      const int64_t start = from[2].GetAsInt64(at), rows = from[3].GetAsInt64(at), to = from[4].GetAsInt64(at);
      Literal& target = results[j][0];
      if (rows == 0) continue;
      if (from[0].shape().rank() < 1 || target.shape().rank() < 1 || rows < 0 || start < 0 || to < 0 ||
          rows > from[0].shape().dimensions(0) || start > from[0].shape().dimensions(0) - rows ||
          rows > target.shape().dimensions(0) || to > target.shape().dimensions(0) - rows) {
        return InvalidArgument(Format("{}: rows out of bounds", context.instruction.name()));
      }
      CopyBlock(from[0], start, target, to, 0, rows);
    }
  }
  return results;
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

StatusOr<std::vector<DeviceValues>> MemberResults(EvalContext& context, const Shape& shape,
                                                  const std::vector<DeviceValues>& operands) {
  switch (context.instruction.opcode()) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart: return AllReduce(context, operands);
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart: return AllGather(context, shape, operands);
    case HloOpcode::kReduceScatter: return ReduceScatter(context, shape, operands);
    case HloOpcode::kAllToAll: return AllToAll(context, shape, operands);
    case HloOpcode::kRaggedAllToAll: return RaggedAllToAll(context, operands);
    case HloOpcode::kCollectiveBroadcast: return std::vector<DeviceValues>(operands.size(), operands[0]);
    default: return Permute(context, shape, operands);
  }
}

}  // namespace

StatusOr<Value> EvaluateCollective(EvalContext& context, const Shape& shape) {
  HLOIR_ASSIGN_OR_RETURN(const Participants participants, ParticipantsIn(context));
  HLOIR_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(context, participants));
  DeviceValues values;
  for (const Value& operand : context.operands)
    values.push_back(Value(operand).TakeLiteral());  // copies: an exchange in flight shows its operands
  if (group.empty()) {
    // No device broadcasts to this one.
    if (context.instruction.opcode() != HloOpcode::kCollectiveBroadcast)
      return InvalidArgument(Format("{}: a device is in no group", context.instruction.name()));
    for (size_t k = 0; k < values.size(); ++k) values[k] = Literal(ResultShape(shape, k));
  } else {
    HLOIR_ASSIGN_OR_RETURN(values, Rendezvous(*context.run.device(), context.instruction, group, std::move(values),
                                              [&](const std::vector<DeviceValues>& operands) {
                                                return MemberResults(context, shape, operands);
                                              }));
  }
  if (values.size() != ResultCount(shape)) return Unfit(context);
  for (size_t k = 0; k < values.size(); ++k)
    if (!values[k].shape().Compatible(ResultShape(shape, k))) return Unfit(context);
  if (!shape.IsTuple()) return Value(std::move(values[0]));
  std::vector<Value> elements;
  for (Literal& literal : values) elements.emplace_back(std::move(literal));
  return Value::Tuple(std::move(elements));
}

}  // namespace hloir::reference
