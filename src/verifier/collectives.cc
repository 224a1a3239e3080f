// Rules of collectives: each device in one group at most, groups of one size, all devices in some group if the module
// states their number; no duplicates in source-target pairs; and the sizes of results match the groups.
#include <algorithm>
#include <optional>

#include "internal.h"

namespace hloir::verifier {
namespace {

// The meaning of the numbers in the groups, by XLA's rule from the two attributes; see the table in HLO's
// documentation.
enum class GroupMode { kReplica, kPartition, kReplicaAndPartition, kFlattened };

struct Collective {
  const ReplicaGroups* groups = nullptr;
  OptionalInt64 channel_id;
  OptionalBool use_global_device_ids;  // no value: the op has no such attribute
};

std::optional<Collective> Describe(const HloInstruction& i) {
  // XLA does not check the groups of collective-broadcast.
  if (!i.Is(kCollective) || i.opcode() == HloOpcode::kCollectiveBroadcast) return std::nullopt;
  return i.attributes().Visit([](const auto& a) -> std::optional<Collective> {
    if constexpr (requires { a.replica_groups, a.use_global_device_ids; })
      return Collective{&a.replica_groups, a.channel_id, a.use_global_device_ids};
    else if constexpr (requires { a.replica_groups; }) return Collective{&a.replica_groups, a.channel_id, {}};
    else return std::nullopt;
  });
}

GroupMode ModeOf(const Collective& c) {
  if (!c.channel_id) return GroupMode::kReplica;
  if (!c.use_global_device_ids) return GroupMode::kPartition;
  return *c.use_global_device_ids ? GroupMode::kFlattened : GroupMode::kReplicaAndPartition;
}

int64_t Times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t DeviceCount(GroupMode mode, const ModuleConfig& config) {
  switch (mode) {
    case GroupMode::kReplica:
    case GroupMode::kReplicaAndPartition: return config.replica_count;
    case GroupMode::kPartition: return config.num_partitions;
    case GroupMode::kFlattened: return Times(config.replica_count, config.num_partitions);
  }
  return 1;
}

struct GroupSizes {
  int64_t total = 0, first = 0;  // total 0: no groups, which means one group of all devices
};

// Only the explicit form may name a device twice, miss one, or have groups of different sizes.
std::optional<GroupSizes> VerifyList(const HloInstruction& i, const ReplicaGroups& groups, Errors& errors) {
  GroupSizes sizes;
  for (const auto& group : groups.groups) {
    if (group.empty()) {
      errors.Add(&i, "replica_groups has an empty group");
      return std::nullopt;
    }
    sizes.total += static_cast<int64_t>(group.size());
  }
  if (groups.groups.empty()) return sizes;
  sizes.first = static_cast<int64_t>(groups.groups[0].size());
  std::vector<bool> seen(static_cast<size_t>(sizes.total), false);
  std::optional<int64_t> missing_for;
  for (const auto& group : groups.groups) {
    for (int64_t device : group) {
      if (device < 0 || device >= sizes.total) {
        missing_for = device;
      } else if (seen[device]) {
        errors.Add(&i, "replica_groups names device {} twice", device);
        return std::nullopt;
      } else {
        seen[device] = true;
      }
    }
  }
  if (missing_for) {
    int64_t missing = std::find(seen.begin(), seen.end(), false) - seen.begin();
    errors.Add(&i, "replica_groups names device {}, but not device {}", *missing_for, missing);
    return std::nullopt;
  }
  const bool may_differ = i.opcode() == HloOpcode::kAllReduce || i.opcode() == HloOpcode::kAllReduceStart;
  for (const auto& group : groups.groups) {
    if (!may_differ && static_cast<int64_t>(group.size()) != sizes.first) {
      errors.Add(&i, "replica_groups has groups of {} and of {}", sizes.first, group.size());
      return std::nullopt;
    }
  }
  return sizes;
}

std::optional<GroupSizes> VerifyIota(const HloInstruction& i, const ReplicaGroups& groups, Errors& errors) {
  int64_t named = 0, listed = 1;
  if (__builtin_mul_overflow(groups.num_groups, groups.group_size, &named)) named = -1;
  for (int64_t size : groups.iota.iota_reshape_dims) {
    if (__builtin_mul_overflow(listed, size, &listed)) listed = -2;
  }
  if (named != listed || named <= 0) {
    errors.Add(&i, "replica_groups needs {} groups of {}, from another number of devices", groups.num_groups,
               groups.group_size);
    return std::nullopt;
  }
  return GroupSizes{named, groups.group_size};
}

std::optional<GroupSizes> VerifyMesh(const HloInstruction& i, const ReplicaGroups& groups, Errors& errors) {
  GroupSizes sizes{1, 1};
  for (const auto& [name, size] : groups.mesh.axes) {
    if (size <= 0 || __builtin_mul_overflow(sizes.total, size, &sizes.total)) {
      errors.Add(&i, "mesh axis '{}' has size {}", name, size);
      return std::nullopt;
    }
  }
  if (groups.mesh.device_ids) {
    const int64_t listed = static_cast<int64_t>(groups.mesh.device_ids->Expand().size());
    if (listed != sizes.total) {
      errors.Add(&i, "the mesh lists {} devices, but its axes have {}", listed, sizes.total);
      return std::nullopt;
    }
  }
  for (const MeshAxisRef& ref : groups.axes) {
    auto axis = std::find_if(groups.mesh.axes.begin(), groups.mesh.axes.end(),
                             [&](const auto& a) { return a.first == ref.axis; });
    if (axis == groups.mesh.axes.end()) {
      errors.Add(&i, "replica_groups names axis '{}', which the mesh does not have", ref.axis);
      return std::nullopt;
    }
    int64_t size = ref.sub_axis_size > 0 ? ref.sub_axis_size : axis->second;
    if (axis->second % size != 0 || __builtin_mul_overflow(sizes.first, size, &sizes.first)) {
      errors.Add(&i, "replica_groups takes {} of axis '{}', whose size is {}", size, ref.axis, axis->second);
      return std::nullopt;
    }
  }
  return sizes;
}

// The factor by which a gathered dimension grows or a scattered one shrinks.
std::optional<int64_t> ShardCount(const HloInstruction& i) {
  auto ratio = [](const Shape& whole, const Shape& part, int64_t d) -> std::optional<int64_t> {
    if (!whole.IsArray() || !part.IsArray() || d >= whole.rank() || d >= part.rank()) return std::nullopt;
    if (whole.dimensions(d) <= 0 || part.dimensions(d) <= 0) return std::nullopt;
    return whole.dimensions(d) / part.dimensions(d);
  };
  auto first = [](const Shape& shape) -> const Shape& {
    return shape.IsTuple() && shape.tuple_size() > 0 ? shape.tuple_shapes(0) : shape;
  };
  if (i.operand_count() == 0) return std::nullopt;
  const Shape& operand = i.operand(0)->shape();
  const HloOpcode opcode = i.opcode();
  if (opcode == HloOpcode::kAllGather)
    return ratio(first(i.shape()), operand, i.attributes<AllGatherAttributes>().dimensions[0]);
  if (opcode == HloOpcode::kAllGatherStart)
    return ratio(first(i.shape().tuple_shapes(1)), operand, i.attributes<AllGatherAttributes>().dimensions[0]);
  if (opcode == HloOpcode::kReduceScatter)
    return ratio(operand, first(i.shape()), i.attributes<ReduceScatterAttributes>().dimensions[0]);
  return std::nullopt;
}

void VerifyGroups(const HloInstruction& i, const Collective& c, Errors& errors) {
  if (c.use_global_device_ids.value_or(false) && !c.channel_id) {
    errors.Add(&i, "use_global_device_ids needs a channel_id");
    return;
  }
  const GroupMode mode = ModeOf(c);
  const ModuleConfig& config = i.module()->config();
  std::optional<GroupSizes> sizes;
  switch (c.groups->form) {
    case ReplicaGroups::Form::kList: sizes = VerifyList(i, *c.groups, errors); break;
    case ReplicaGroups::Form::kIota: sizes = VerifyIota(i, *c.groups, errors); break;
    case ReplicaGroups::Form::kMesh: sizes = VerifyMesh(i, *c.groups, errors); break;
  }
  if (!sizes) return;
  // A module without a number of devices has 1, which is not checked.
  const int64_t devices = DeviceCount(mode, config);
  if (sizes->total == 0 && mode == GroupMode::kFlattened) {
    errors.Add(&i, "use_global_device_ids needs replica_groups");
    return;
  }
  if (sizes->total != 0 && devices != 1 && sizes->total != devices) {
    errors.Add(&i, "replica_groups names {} devices, but there are {}", sizes->total, devices);
    return;
  }
  int64_t group_size = sizes->total == 0 ? devices : sizes->first;
  if (mode == GroupMode::kReplicaAndPartition) group_size = Times(group_size, config.num_partitions);
  if (std::optional<int64_t> shards = ShardCount(i); shards && group_size != 1 && *shards != group_size) {
    errors.Add(&i, "the shapes imply {} shards, but the groups have {} devices", *shards, group_size);
  }
  if (i.opcode() == HloOpcode::kAllToAll && (group_size != 1 || sizes->total != 0)) {
    const DimVector& dims = i.attributes<AllToAllAttributes>().dimensions;
    if (dims.empty() && i.operand_count() != group_size) {
      errors.Add(&i, "all-to-all has {} operands for groups of {} devices", i.operand_count(), group_size);
    } else if (!dims.empty() && i.operand_count() == 1) {
      int64_t size = i.operand(0)->shape().dimensions(dims[0]);
      if (size != Shape::kUnboundedSize && (group_size < 1 || size % group_size != 0)) {
        errors.Add(&i, "dimension {} of size {} can't be cut for groups of {} devices", dims[0], size, group_size);
      }
    }
  }
}

void VerifyPairs(const HloInstruction& i, Errors& errors) {
  const auto& a = i.attributes<CollectivePermuteAttributes>();
  const ModuleConfig& config = i.module()->config();
  const int64_t devices = a.channel_id ? config.num_partitions : config.replica_count;
  std::vector<int64_t> sources, targets;
  for (auto [source, target] : a.source_target_pairs) {
    for (int64_t device : {source, target}) {
      if (device < 0 || (devices != 1 && device >= devices)) {
        errors.Add(&i, "source_target_pairs names device {}, but there are {}", device, devices);
        return;
      }
    }
    sources.push_back(source);
    targets.push_back(target);
  }
  // In the in-place form a device participates once per slice, by the first buffer's number of starts. XLA counts the
  // elements of the tuple of starts, also if these are the indices of one start.
  int64_t allowed = 1;
  if (i.operand_count() == 4 && i.operand(2)->shape().IsTuple()) {
    const Shape& starts = i.operand(2)->shape();
    const bool one_buffer = i.operand(0)->shape().IsArray() || starts.tuple_size() == 0;
    allowed = one_buffer ? starts.tuple_size() : static_cast<int64_t>(starts.tuple_shapes(0).tuple_shapes().size());
  }
  for (auto [list, what] : {std::pair{&sources, "source"}, std::pair{&targets, "target"}}) {
    std::sort(list->begin(), list->end());
    for (size_t k = 0; k < list->size();) {
      const auto end = std::upper_bound(list->begin() + k, list->end(), (*list)[k]);
      const int64_t count = end - (list->begin() + k);
      if (count > allowed) {
        errors.Add(&i, "device {} is a {} {} times in source_target_pairs", (*list)[k], what, count);
        break;
      }
      k += count;
    }
  }
}

}  // namespace

void VerifyCollective(const HloInstruction& instruction, Errors& errors) {
  if (!instruction.Is(kCollective)) return;
  if (instruction.opcode() == HloOpcode::kCollectivePermute ||
      instruction.opcode() == HloOpcode::kCollectivePermuteStart) {
    VerifyPairs(instruction, errors);
  } else if (std::optional<Collective> collective = Describe(instruction)) {
    VerifyGroups(instruction, *collective, errors);
  }
}

}  // namespace hloir::verifier
