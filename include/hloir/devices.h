// Several devices on one machine: the reference evaluator runs a module for each replica and partition, in lockstep.
// Each device runs until it reaches a collective (all-reduce, all-gather, collective-permute, …) that others have not
// reached yet; then the next device runs. So every run is the same, whatever the devices communicate.
//
// Threads: RunOnDevices may be called from any thread while none edits the module; the handlers in the options are
// called on the calling thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// How many devices a module runs on.
struct DeviceCounts {
  int64_t replicas = 1, partitions = 1;
  int64_t devices() const { return replicas * partitions; }
};
// As the module's header has them.
DeviceCounts DeviceCountsOf(const HloModule& module);
// ResourceExhausted for more devices than are simulated, 1024; to be asked before arguments are made for all of them.
Status CheckDeviceCounts(const DeviceCounts& counts);
// Does what the entry computes depend on which device runs it, or on the others?
bool UsesDevices(const HloModule& module);

// The entry's result on each device. Device d is partition d % partitions of replica d / partitions; arguments[d] are
// its parameters. The limits hold for each device. InvalidArgument, naming the instruction, if the devices
// deadlock.
StatusOr<std::vector<Literal>> RunOnDevices(const HloModule& module, const DeviceCounts& counts,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options = {});

}  // namespace hloir
#pragma GCC visibility pop
