// Programs on whole arrays against their partitioned forms: both as modules that every device runs on the same whole
// arrays, so that they can be compared like any other two. The inputs are cut, or split into partial sums, and the
// results put together as the shardings in the texts say, by code that shares nothing with the partitioner.
//
// In: MakeWholeView. Several replicas each have the whole arrays. Covered by tests/unit/sharded_test.cc.
#pragma once

#include <memory>
#include <optional>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::check {

// The two stand for one program on whole arrays, at least one of them as a program of one device on its shards. Then
// the inputs are the whole arrays, the same for each device.
bool AreOfWholeArrays(const HloModule& a, const HloModule& b);

// True for a program on whole arrays with parts that are written for each device: shard_map's before partitioning.
bool HasShardMapBodies(const HloModule& module);

// On how many devices the two run when they are compared.
int64_t DevicesOfBoth(const HloModule& a, const HloModule& b);

// Of such, the one that has the whole arrays for parameters.
const HloModule& WholeOf(const HloModule& a, const HloModule& b);

// The module with whole arrays for parameters and result, to be run on all its devices. If its entry has other shapes
// than `whole`, it is a device's program: each parameter is cut, and the results are gathered, as its own text says, or
// else that of `whole`, or what sharding-propagation finds from that. If they are the same, what is between
// SPMDFullToShardShape and SPMDShardToFullShape gets each device's shard and gives it back. InvalidArgument, naming the
// parameter, where a sharding is missing or does not fit.
// Padding of uneven shards is 0, which is what runs take; kUnknown: a value that nothing may depend on, for proofs.
enum class ShardPadding { kZero, kUnknown };
StatusOr<std::unique_ptr<HloModule>> MakeWholeView(const HloModule& module, const HloModule& whole,
                                                   ShardPadding padding = ShardPadding::kZero);

// The two as modules on whole arrays, for proofs; nothing where they are not AreOfWholeArrays.
struct WholeViews {
  std::unique_ptr<HloModule> before, after;
};
StatusOr<std::optional<WholeViews>> MakeViewsForProof(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
