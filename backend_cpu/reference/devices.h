// One of several simulated devices, as the run on it sees it: who it is, and how it meets others. See hloir/devices.h.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "hloir/devices.h"
#include "reference/evaluation.h"

namespace hloir::reference {

class Lockstep;

struct Device {
  Lockstep* all = nullptr;
  int64_t replica = 0, partition = 0;
  DeviceCounts counts;
  std::unordered_map<const HloInstruction*, int64_t> visits;  // of each exchange, to tell its runs apart
  int64_t index() const { return replica * counts.partitions + partition; }
};

// What a device brings to an exchange, or takes from it: the operands, or the results.
using Goods = std::vector<Literal>;
// From what each of a group has brought to what each gets, both in the group's order.
using Trade = std::function<StatusOr<std::vector<Goods>>(const std::vector<Goods>& brought)>;
// Waits until all of `group` (devices' numbers, the caller's among them) have come to this run of `where`.
StatusOr<Goods> Meet(Device& device, const HloInstruction& where, const std::vector<int64_t>& group, Goods brought,
                     const Trade& trade);

// A collective's result, of `shape`, on the run's device. (In exchange.cc.)
StatusOr<Value> Exchange(EvalContext& context, const Shape& shape);

}  // namespace hloir::reference
