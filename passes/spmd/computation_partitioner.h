// Partitions one computation of a module into the program of one device: parameters and results by their shardings,
// each op on shards by partition_op.h, or unpartitioned without a rule. For spmd_partitioning.cc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "merge_pads.h"
#include "partition_op.h"

namespace hloir::spmd {

// For each leaf; nullopt: any.
using Wanted = std::vector<std::optional<ArraySharding>>;

inline size_t LeafCount(const Shape& shape) { return shape.Leaves().size(); }
// The shardings in the text; leaves without one stay open.
StatusOr<Wanted> ReadLeaves(const DeviceMesh& mesh, const HloInstruction& i);
std::vector<ArraySharding> OrReplicated(const Wanted& wanted, const Shape& shape);

// State shared by all computations of a module.
struct PartitionState {
  HloModule& module;
  const DeviceMesh& mesh;
  Reducers reducers;
  int64_t next_channel = 1;
  int64_t room = 0;  // instructions that may still be added
  const PaddedByValue& padded;
};

// A new computation of that name. `parameters`: the shardings of their leaves, one after the other. `wanted`: the
// sharding of the result; the one that it gets is written to `result`, unless nullptr. Called computations are
// partitioned for each call.
StatusOr<HloComputation*> PartitionComputation(PartitionState& state, const HloComputation& old, std::string_view name,
                                               const std::vector<ArraySharding>& parameters, const Wanted& wanted,
                                               std::vector<ArraySharding>* result);

}  // namespace hloir::spmd
