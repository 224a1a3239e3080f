// One of several simulated devices, as the run on it sees it: its number, and how it waits for the others at a
// collective. See hloir/evaluator.h.
#pragma once

#include <functional>
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
