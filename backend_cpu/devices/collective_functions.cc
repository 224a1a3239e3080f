// Collectives between simulated devices: the groups, and the results of their members. Tests:
// tests/unit/devices_test.cc.
#include <algorithm>

#include "hloir/cost.h"
#include "support/format.h"
#include "devices/devices.h"
#include "reference/index.h"
#include "reference/scalar_function.h"

namespace hloir::reference {
namespace {

// The devices of the caller's group, in its order; none if it is in no group.
StatusOr<std::vector<int64_t>> GroupOf(const EvalContext& context) {
  Device& me = *context.run.device();
  const auto [found, is_new] = me.groups.try_emplace(&context.instruction);
  if (is_new) {
    auto groups = MeetingGroups(context.instruction, me.counts.replicas, me.counts.partitions);
    if (!groups.ok()) {
      me.groups.erase(found);
      return groups.status();
    }
    for (std::vector<int64_t>& group : *groups)
      if (std::find(group.begin(), group.end(), me.index()) != group.end()) found->second = std::move(group);
  }
  return found->second;
}

const Shape& ResultShape(const Shape& shape, size_t k) {
  return shape.IsTuple() ? shape.tuple_shapes(static_cast<int64_t>(k)) : shape;
}
size_t ResultCount(const Shape& shape) { return shape.IsTuple() ? static_cast<size_t>(shape.tuple_size()) : 1; }

// Copies the block of `size` along dimension d from from_start to to_start.
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
    if (kernel != nullptr) {  // on whole arrays; equivalent to the operation on each pair of elements
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
  const StatusOr<std::vector<int64_t>> group = GroupOf(context);
  const std::vector<std::vector<int64_t>> groups(1, group.ok() ? *group : std::vector<int64_t>());
  return InvalidArgument(Format("{}: its operands and result do not fit the {} devices of the group {}",
                                context.instruction.name(), groups[0].size(), GroupsText(groups)));
}

// Gives each member its part of every operand, along dimension d.
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
  return std::vector<DeviceValues>{std::move(sums)};
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
  return std::vector<DeviceValues>{std::move(gathered)};
}

// With a dimension: member j gets block j of all members' operands, concatenated. Without one: operand j of all
// members.
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

// The start of a slice: an index for each dimension.
std::vector<DimVector> SliceStarts(const Literal& starts) {
  if (!starts.shape().IsTuple()) return {};
  if (!starts.elements().empty() && starts.elements()[0].shape().IsTuple()) {
    std::vector<DimVector> all;
    for (const Literal& each : starts.elements())
      for (DimVector& start : SliceStarts(each)) all.push_back(std::move(start));
    return all;
  }
  DimVector start;
  for (const Literal& index : starts.elements()) start.push_back(index.GetAsInt64(0));
  return {start};
}

// Copies the k-th slice of `size` from the sender's start to the receiver's.
Status CopySlice(const EvalContext& context, const Literal& from, const DimVector& from_start, Literal& to,
                 const DimVector& to_start, const DimVector& size) {
  const DimVector &in = from.shape().dimensions(), &out = to.shape().dimensions();
  const auto outside = [&](const DimVector& dims, const DimVector& start) {
    for (size_t d = 0; d < dims.size(); ++d)
      if (size[d] < 0 || start[d] < 0 || size[d] > dims[d] || start[d] > dims[d] - size[d]) return true;
    return false;
  };
  if (size.size() != in.size() || size.size() != out.size() || from_start.size() != in.size() ||
      to_start.size() != out.size())
    return Unfit(context);
  if (outside(in, from_start) || outside(out, to_start))
    return InvalidArgument(Format("{}: a slice out of bounds", context.instruction.name()));
  const DimVector in_strides = RowMajorStrides(in), out_strides = RowMajorStrides(out);
  int64_t in_offset = 0, out_offset = 0;
  for (size_t d = 0; d < size.size(); ++d)
    in_offset += from_start[d] * in_strides[d], out_offset += to_start[d] * out_strides[d];
  CopyRegion(size, from, {in_offset, in_strides}, to, {out_offset, out_strides});
  return OkStatus();
}

// Operands: a source buffer, a target buffer, the starts of slices in the source and in the target. Result: the target
// with the received slices.
StatusOr<std::vector<DeviceValues>> PermuteInPlace(const EvalContext& context,
                                                   const std::vector<DeviceValues>& operands) {
  const auto& attributes = context.attributes<CollectivePermuteAttributes>();
  const auto leaves = [](Literal& value) {
    std::vector<Literal*> all;
    if (!value.shape().IsTuple()) all.push_back(&value);
    for (Literal& element : value.elements()) all.push_back(&element);
    return all;
  };
  std::vector<DeviceValues> results;
  for (const DeviceValues& values : operands) results.push_back({values[1]});
  for (const auto& [source, target] : attributes.source_target_pairs) {
    const DeviceValues &from = operands[static_cast<size_t>(source)], &to = operands[static_cast<size_t>(target)];
    const std::vector<DimVector> in = SliceStarts(from[2]), out = SliceStarts(to[3]);
    const std::vector<const Literal*> inputs = from[0].Leaves();
    const std::vector<Literal*> outputs = leaves(results[static_cast<size_t>(target)][0]);
    const size_t slices = attributes.slice_sizes.size();
    if (in.size() != slices || out.size() != slices || inputs.size() != outputs.size() || inputs.empty() ||
        slices % inputs.size() != 0)
      return Unfit(context);
    const size_t of_each = slices / inputs.size();  // the same number for each buffer
    for (size_t k = 0; k < slices; ++k) {
      HLOIR_RETURN_IF_ERROR(CopySlice(context, *inputs[k / of_each], in[k], *outputs[k / of_each], out[k],
                                      DimVector(attributes.slice_sizes[k].begin(), attributes.slice_sizes[k].end())));
    }
  }
  if (results[0][0].shape().IsTuple()) {  // the code below uses the tuple's elements
    for (DeviceValues& values : results) {
      Literal tuple = std::move(values[0]);
      values = std::move(tuple.elements());
    }
  }
  return results;
}

// A device without a source gets zeros.
StatusOr<std::vector<DeviceValues>> Permute(EvalContext& context, const Shape& shape,
                                            const std::vector<DeviceValues>& operands) {
  const int64_t members = static_cast<int64_t>(operands.size());
  for (const auto& [source, target] : context.attributes<CollectivePermuteAttributes>().source_target_pairs)
    if (source < 0 || target < 0 || source >= members || target >= members) return Unfit(context);
  if (!context.attributes<CollectivePermuteAttributes>().slice_sizes.empty() && operands[0].size() == 4)
    return PermuteInPlace(context, operands);
  std::vector<DeviceValues> results(operands.size());
  for (DeviceValues& values : results)
    for (size_t k = 0; k < ResultCount(shape); ++k) values.emplace_back(ResultShape(shape, k));
  for (const auto& [source, target] : context.attributes<CollectivePermuteAttributes>().source_target_pairs)
    results[static_cast<size_t>(target)] = operands[static_cast<size_t>(source)];
  return results;
}

// The first member's operand; with a dynamic root, the last operand has the root's position in the group for each of
// the others.
StatusOr<std::vector<DeviceValues>> Broadcast(const EvalContext& context, const std::vector<DeviceValues>& operands) {
  if (!context.attributes<CollectiveBroadcastAttributes>().has_dynamic_root)
    return std::vector<DeviceValues>{operands[0]};
  DeviceValues values;
  for (size_t k = 0; k + 1 < operands[0].size(); ++k) {
    const auto at = static_cast<int64_t>(k);
    for (const DeviceValues& member : operands) {
      if (at >= member.back().element_count()) return Unfit(context);
    }
    const int64_t root = operands[0].back().GetAsInt64(at);
    for (const DeviceValues& member : operands) {
      const int64_t other = member.back().GetAsInt64(at);
      if (other != root)
        return InvalidArgument(
            Format("{}: devices name different roots: {} and {}", context.instruction.name(), root, other));
    }
    if (root < 0 || root >= static_cast<int64_t>(operands.size()))
      return InvalidArgument(Format("{}: root {} of a group of {}", context.instruction.name(), root, operands.size()));
    values.push_back(operands[static_cast<size_t>(root)][k]);
  }
  return std::vector<DeviceValues>{std::move(values)};
}

// Each member's own operands and rows: see MoveRaggedRows.
StatusOr<std::vector<DeviceValues>> RaggedAllToAll(EvalContext& context, const std::vector<DeviceValues>& operands) {
  std::vector<DeviceValues> results;
  for (const DeviceValues& values : operands) results.push_back({values[1]});
  for (const DeviceValues& from : operands)
    for (size_t j = 0; j < operands.size(); ++j)
      HLOIR_RETURN_IF_ERROR(
          MoveRaggedRows(context, from[0], from[2], from[3], from[4], static_cast<int64_t>(j), results[j][0]));
  return results;
}

StatusOr<std::vector<DeviceValues>> MemberResults(EvalContext& context, const Shape& shape,
                                                  const std::vector<DeviceValues>& operands) {
  const HloOpcode opcode = context.instruction.opcode();
  if (IsOneOf(opcode, HloOpcode::kAllReduce, HloOpcode::kAllReduceStart)) return AllReduce(context, operands);
  if (IsOneOf(opcode, HloOpcode::kAllGather, HloOpcode::kAllGatherStart)) return AllGather(context, shape, operands);
  if (opcode == HloOpcode::kReduceScatter) return ReduceScatter(context, shape, operands);
  if (opcode == HloOpcode::kAllToAll) return AllToAll(context, shape, operands);
  if (opcode == HloOpcode::kRaggedAllToAll) return RaggedAllToAll(context, operands);
  if (opcode == HloOpcode::kCollectiveBroadcast) return Broadcast(context, operands);
  return Permute(context, shape, operands);
}

// Devices that run one program synchronize at its instructions, devices with several programs at channels.
StatusOr<int64_t> MeetingId(const EvalContext& context) {
  if (context.run.device()->programs.empty()) return context.instruction.id();
  OptionalInt64 channel;
  context.instruction.attributes().Visit([&]<class T>(const T& a) {
    if constexpr (requires { a.channel_id; }) channel = a.channel_id;
  });
  if (channel) return *channel;
  return InvalidArgument(Format("{}: a collective of several programs needs a channel_id", context.instruction.name()));
}

}  // namespace

Status MoveRaggedRows(const EvalContext& context, const Literal& from, const Literal& starts, const Literal& counts,
                      const Literal& targets, int64_t member, Literal& to) {
  if (member >= starts.element_count() || member >= counts.element_count() || member >= targets.element_count())
    return Unfit(context);
  const int64_t start = starts.GetAsInt64(member), rows = counts.GetAsInt64(member), at = targets.GetAsInt64(member);
  if (rows == 0) return OkStatus();
  if (from.shape().rank() < 1 || to.shape().rank() < 1 || rows < 0 || start < 0 || at < 0 ||
      rows > from.shape().dimensions(0) || start > from.shape().dimensions(0) - rows ||
      rows > to.shape().dimensions(0) || at > to.shape().dimensions(0) - rows)
    return InvalidArgument(Format("{}: rows out of bounds", context.instruction.name()));
  CopyBlock(from, start, to, at, 0, rows);
  return OkStatus();
}

StatusOr<Value> EvaluateCollective(EvalContext& context, const Shape& shape) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(context));
  Device& me = *context.run.device();
  DeviceValues values;
  for (const Value& operand : context.operands)
    values.push_back(Value(operand).TakeLiteral());  // copies, because a started exchange exposes its operands
  if (group.empty()) {
    // No device broadcasts to this one.
    if (context.instruction.opcode() != HloOpcode::kCollectiveBroadcast)
      return InvalidArgument(Format("{}: device {} is in no group", context.instruction.name(), me.index()));
    values.clear();
    for (size_t k = 0; k < ResultCount(shape); ++k) values.emplace_back(ResultShape(shape, k));
  } else {
    HLOIR_ASSIGN_OR_RETURN(const int64_t id, MeetingId(context));
    const Meeting meeting{
        .where = &context.instruction,
        .id = id,
        .group = group,
        .mine = static_cast<size_t>(std::find(group.begin(), group.end(), me.index()) - group.begin())};
    HLOIR_ASSIGN_OR_RETURN(values,
                           Rendezvous(me, meeting, std::move(values), [&](const std::vector<DeviceValues>& operands) {
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
