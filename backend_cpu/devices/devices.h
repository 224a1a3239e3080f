// One of several simulated devices, as the run on it sees it: its number, and how it waits for the others at a
// collective. See hloir/evaluator.h; the devices of other processes: remote.h.
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
  // The number of arrivals at a meeting (a Meeting's space, id and group's ends, and its place there), to distinguish
  // its runs.
  std::map<std::tuple<bool, int64_t, int64_t, int64_t, size_t>, int64_t> visits;
  std::unordered_map<const HloInstruction*, std::vector<int64_t>> groups;  // of collectives: the one that it is in
  std::unordered_map<const HloInstruction*, ChannelPairs> channels;        // of transfers without pairs
  int64_t index() const { return replica * counts.partitions + partition; }
  const HloModule& program(std::span<const HloModule* const> all) const {
    return *all[all.size() > 1 ? static_cast<size_t>(partition) : 0];
  }
};
// As many arguments as devices, and no more of these than are simulated.
Status CheckDeviceArguments(const DeviceCounts& counts, size_t given);
// All of them, in order. Partition p runs programs[p], if there are several; the caller keeps these.
std::vector<Device> MakeDevices(const DeviceCounts& counts, std::span<const HloModule* const> programs = {});

// Options of RunOnEach.
struct DeviceRun {
  int64_t at_once = 1;         // devices that go on at a time; the others wait for their turn or at a collective
  Network* network = nullptr;  // the processes that have the other devices, if any
  std::string spill_folder;    // where exchanges wait for the devices that are late; "": in memory
  // Looks at the results of all devices before any process goes on; in process 0.
  std::function<Status(const std::vector<Literal>&)> judge;
};
// Runs `run` for each device of this process in a thread of its own. With one at a time, every run is the same down to
// the order of the handlers' calls; with several only the results are. The first failure ends the run of all.
// InvalidArgument where all wait for one another.
StatusOr<std::vector<Literal>> RunOnEach(std::span<Device> devices, const DeviceRun& how,
                                         const std::function<StatusOr<Literal>(Device&)>& run);

// One device's operands of a collective, or its results.
using DeviceValues = std::vector<Literal>;
// From every member's operands to every member's results, both in the group's order. One result: all get the same.
using CollectiveFunction =
    std::function<StatusOr<std::vector<DeviceValues>>(const std::vector<DeviceValues>& operands)>;

// A point where devices wait for one another: a collective, or the two ends of a transfer.
struct Meeting {
  const HloInstruction* where = nullptr;
  bool is_transfer = false;  // whose id is its channel; a collective's is the instruction's
  int64_t id = 0;
  std::vector<int64_t> group;  // devices' numbers, the caller's among them
  size_t mine = 0;             // the caller's place there
  bool waits = true;           // a sender leaves its operand and gets nothing
};
// Waits until all of the group have come to this run of it; then one that waits evaluates the function.
StatusOr<DeviceValues> Rendezvous(Device& device, const Meeting& meeting, DeviceValues operands,
                                  const CollectiveFunction& function);

// A collective's result, of `shape`, on the run's device. (These in collective_functions.cc.)
StatusOr<Value> EvaluateCollective(EvalContext& context, const Shape& shape);
// A copy of ragged-all-to-all between one device and the `member`-th of its group: a number of rows of `from`, from a
// start on, to a place in `to`. An error if they are out of bounds.
Status MoveRaggedRows(const EvalContext& context, const Literal& from, const Literal& starts, const Literal& counts,
                      const Literal& targets, int64_t member, Literal& to);
// The two ends of a transfer, also with the host: send leaves its operand, recv-done waits for it. (In transfers.cc.)
Status PostTransfer(EvalContext& context);
StatusOr<Literal> AwaitTransfer(EvalContext& context, const Shape& shape);
// True if the module sends to itself or to other devices. Then a run on one device needs a Device, too.
bool HasTransfers(const HloModule& module);

}  // namespace hloir::reference
