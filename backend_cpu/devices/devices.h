// A simulated device for the run on it: its number, and synchronization with the others at collectives. See
// hloir/evaluator.h; the devices of other processes: remote.h.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "hloir/cost.h"
#include "hloir/evaluator.h"
#include "reference/evaluation.h"

namespace hloir::reference {

class Lockstep;
class Network;  // remote.h

struct Device {
  Lockstep* all = nullptr;
  int64_t replica = 0, partition = 0;
  DeviceCounts counts;
  std::span<const HloModule* const> programs;  // of each partition; empty: all run the same
  // The number of arrivals at a meeting (a Meeting's space, id and the group's ends, and the position in it), to
  // distinguish its executions.
  std::map<std::tuple<bool, int64_t, int64_t, int64_t, size_t>, int64_t> visits;
  std::unordered_map<const HloInstruction*, std::vector<int64_t>> groups;  // the current collective
  std::unordered_map<const HloInstruction*, ChannelPairs> channels;        // of transfers without pairs
  int64_t index() const { return replica * counts.partitions + partition; }
  const HloModule& program(std::span<const HloModule* const> all) const {
    return *all[all.size() > 1 ? static_cast<size_t>(partition) : 0];
  }
};
// Checks that there are as many arguments as devices, and no more devices than the limit.
Status CheckDeviceArguments(const DeviceCounts& counts, size_t given);
// All devices, in order. Partition p runs programs[p] if there are several; these are not owned.
std::vector<Device> MakeDevices(const DeviceCounts& counts, std::span<const HloModule* const> programs = {});

// Options of RunOnEach.
struct DeviceRun {
  int64_t at_once = 1;         // the number of devices that run at a time
  Network* network = nullptr;  // the processes of the other devices, if any
  std::string spill_folder;    // the folder for data of incomplete exchanges; "": in memory
  // Checks the results of all devices before any process continues; in process 0.
  std::function<Status(const std::vector<Literal>&)> judge;
};
// Runs `run` for each device of this process in a separate thread. With one at a time, runs are deterministic including
// the order of handler calls; with several, only the results are. The first failure ends the run of all.
// InvalidArgument if all wait for one another.
StatusOr<std::vector<Literal>> RunOnEach(std::span<Device> devices, const DeviceRun& how,
                                         const std::function<StatusOr<Literal>(Device&)>& run);

// One device's operands of a collective, or its results.
using DeviceValues = std::vector<Literal>;
// Maps all members' operands to all members' results, both in the group's order. A single result is for all.
using CollectiveFunction =
    std::function<StatusOr<std::vector<DeviceValues>>(const std::vector<DeviceValues>& operands)>;

// A synchronization point of devices: a collective, or the two ends of a transfer.
struct Meeting {
  const HloInstruction* where = nullptr;
  bool is_transfer = false;  // identified by its channel; a collective is identified by the instruction
  int64_t id = 0;
  std::vector<int64_t> group;  // device numbers, including the caller's
  size_t mine = 0;             // the caller's place there
  bool waits = true;           // a sender deposits its operand and gets no result
};
// Waits until the whole group has arrived at this execution; then one of them evaluates the function.
StatusOr<DeviceValues> Rendezvous(Device& device, const Meeting& meeting, DeviceValues operands,
                                  const CollectiveFunction& function);

// A collective's result, of `shape`, on the run's device. (In collective_functions.cc.)
StatusOr<Value> EvaluateCollective(EvalContext& context, const Shape& shape);
// A copy of ragged-all-to-all between a device and the `member`-th of its group: rows of `from`, from an offset on, to
// an offset in `to`. An error if they are out of bounds.
Status MoveRaggedRows(const EvalContext& context, const Literal& from, const Literal& starts, const Literal& counts,
                      const Literal& targets, int64_t member, Literal& to);
// The two ends of a transfer, also with the host: send deposits its operand, recv-done waits for it. (In transfers.cc.)
Status PostTransfer(EvalContext& context);
StatusOr<Literal> AwaitTransfer(EvalContext& context, const Shape& shape);
// True if the module sends to itself or to other devices. Then a run on one device needs a Device as well.
bool HasTransfers(const HloModule& module);

}  // namespace hloir::reference
