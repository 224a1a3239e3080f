// Several devices on one machine: the reference evaluator runs a module for each replica and partition, in lockstep.
// One device runs until it comes to an exchange (all-reduce, all-gather, collective-permute, …) that others have not
// come to yet; then it is the next one's turn. So a run is the same each time, whatever the devices exchange.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

struct DeviceCounts {
  int64_t replicas = 1, partitions = 1;
  int64_t devices() const { return replicas * partitions; }
};
// As the module's header has them.
DeviceCounts DeviceCountsOf(const HloModule& module);
// Does what the entry computes depend on which device runs it, or on the others?
bool UsesDevices(const HloModule& module);

// The entry's result on each device. Device d is partition d % partitions of replica d / partitions; arguments[d] are
// its parameters. The limits hold for each device. InvalidArgument, naming the instruction, if devices wait for each
// other in vain.
StatusOr<std::vector<Literal>> RunOnDevices(const HloModule& module, const DeviceCounts& counts,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options = {});

}  // namespace hloir
