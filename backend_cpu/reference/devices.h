// One of several simulated devices, as the run on it sees it: its number, and how it waits for the others at a
// collective. See hloir/evaluator.h.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "hloir/evaluator.h"
#include "reference/evaluation.h"

namespace hloir::reference {

class Lockstep;

struct Device {
  Lockstep* all = nullptr;
  int64_t replica = 0, partition = 0;
  DeviceCounts counts;
  std::unordered_map<const HloInstruction*, int64_t> visits;  // of each collective, to tell its runs apart
  int64_t index() const { return replica * counts.partitions + partition; }
};
// As many arguments as devices, and no more of these than are simulated.
Status CheckDeviceArguments(const DeviceCounts& counts, size_t given);
// All of them, in order.
std::vector<Device> MakeDevices(const DeviceCounts& counts);

// Runs `run` for each device in a thread of its own, of which at most `at_once` go on at a time; the others wait for
// their turn or at a collective. With one at a time, every run is the same down to the order of the handlers' calls;
// with several only the results are. The first failure ends the run of all. InvalidArgument where all wait for one
// another.
StatusOr<std::vector<Literal>> RunOnEach(std::span<Device> devices, int64_t at_once,
                                         const std::function<StatusOr<Literal>(Device&)>& run);

// One device's operands of a collective, or its results.
using DeviceValues = std::vector<Literal>;
// From every member's operands to every member's results, both in the group's order.
using CollectiveFunction =
    std::function<StatusOr<std::vector<DeviceValues>>(const std::vector<DeviceValues>& operands)>;
// Waits until all of `group` (devices' numbers, the caller's among them) have come to this run of `where`.
StatusOr<DeviceValues> Rendezvous(Device& device, const HloInstruction& where, const std::vector<int64_t>& group,
                                  DeviceValues operands, const CollectiveFunction& function);

// A collective's result, of `shape`, on the run's device. (In collective_functions.cc.)
StatusOr<Value> EvaluateCollective(EvalContext& context, const Shape& shape);

}  // namespace hloir::reference
