// Compares programs on whole arrays with their partitioned forms. Both become modules that every device runs on the
// same whole arrays, so that they are compared like any two modules. The inputs are cut, or split into partial sums,
// and the results gathered, as the shardings in the texts state. The code is independent of the partitioner.
//
// Interface: MakeWholeView. Each replica has the whole arrays. Covered by tests/unit/sharded_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::check {

// Returns whether both modules are the same program on whole arrays, at least one of them as a device's program on
// shards. If so, the inputs are the whole arrays, the same for each device.
bool AreOfWholeArrays(const HloModule& a, const HloModule& b);

// Returns whether the module is a program on whole arrays with parts for each device, as shard_map's are before
// partitioning.
bool HasShardMapBodies(const HloModule& module);

// The number of devices that the comparison runs on.
int64_t DevicesOfBoth(const HloModule& a, const HloModule& b);

// The module, of such a pair, whose parameters are whole arrays.
const HloModule& WholeOf(const HloModule& a, const HloModule& b);

// The module with whole arrays as parameters and result, to be run on all its devices. If its entry's shapes differ
// from those of `whole`, the module is a device's program: parameters are cut, and results gathered, by its own
// shardings, or else those of `whole`, or those that sharding-propagation infers from `whole`. If the shapes are the
// same, the code between SPMDFullToShardShape and SPMDShardToFullShape gets each device's shard and returns it.
// InvalidArgument, with the parameter's name, if a sharding is missing or does not fit.
// The padding of uneven shards: 0, as in runs, or (kUnknown, for proofs) a value that nothing may depend on.
enum class ShardPadding { kZero, kUnknown };
StatusOr<std::unique_ptr<HloModule>> MakeWholeView(const HloModule& module, const HloModule& whole,
                                                   ShardPadding padding = ShardPadding::kZero);

// Both modules as modules on whole arrays, for proofs; nothing unless AreOfWholeArrays, or shapes allow it: if neither
// text has shardings and only one has collectives, an array that is smaller there is assumed to be split along one
// dimension among all devices that the collectives name, in their order, padded with zeros.
struct WholeViews {
  std::unique_ptr<HloModule> before, after;
  std::vector<std::string> inferred;  // "parameter 3 is cut along dimension 1 into 8 parts of 96": assumptions
};
StatusOr<std::optional<WholeViews>> MakeViewsForProof(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
