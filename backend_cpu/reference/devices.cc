// RunOnDevices and, for any engine, RunOnEach: a thread for each device, of which one or several run at a time. Tests:
// tests/unit/devices_test.cc, tests/cli/devices.test.
#include "reference/devices.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>

#include "support/format.h"
#include "support/guard.h"

namespace hloir::reference {

// Which devices run, and the collectives that not all members have come to yet.
class Lockstep {
 public:
  Lockstep(size_t devices, int64_t at_once) : at_once_(at_once), states_(devices, State::kReady), turns_(devices) {
    Fill(devices - 1);
  }

  void Begin(size_t device) {
    std::unique_lock lock(mutex_);
    WaitForTurn(device, lock);
  }
  void End(size_t device, const Status& status) {
    std::unique_lock lock(mutex_);
    if (!status.ok() && failure_.ok()) Fail(status);
    PassOn(device, State::kDone);
  }
  // Devices from `first` on have no thread: the others cannot wait for them.
  void Abandon(size_t first, const Status& status) {
    std::unique_lock lock(mutex_);
    for (size_t d = first; d < states_.size(); ++d) {
      if (states_[d] == State::kRunning) --running_;
      states_[d] = State::kDone;
    }
    Fail(status);
    Fill(first);
  }
  const Status& failure() const { return failure_; }

  StatusOr<DeviceValues> Rendezvous(Device& device, const HloInstruction& where, const std::vector<int64_t>& group,
                                    DeviceValues operands, const CollectiveFunction& function) {
    const size_t me = static_cast<size_t>(device.index());
    const auto place = std::find(group.begin(), group.end(), device.index());
    if (place == group.end()) return Internal(Format("{}: a device outside of its group", where.name()));
    std::unique_lock lock(mutex_);
    if (!failure_.ok()) return failure_;
    const Key key{where.id(), device.visits[&where]++, group.front()};
    PendingCollective& pending = pending_[key];  // stays where it is: a map's nodes do
    if (pending.group.empty()) {
      pending.where = &where;
      pending.group = group;
      pending.came.resize(group.size());
      pending.values.resize(group.size());
    }
    if (pending.group != group)
      return InvalidArgument(Format("{}: devices disagree about who is in their group", where.name()));
    const size_t mine = static_cast<size_t>(place - group.begin());
    pending.values[mine] = std::move(operands);
    pending.came[mine] = true;
    if (++pending.arrived == group.size()) {
      lock.unlock();  // all other members wait, so nobody else looks at the values
      auto results = function(pending.values);
      lock.lock();
      if (!results.ok()) return results.status();
      pending.values = std::move(*results);
      for (int64_t member : group) {
        State& state = states_[static_cast<size_t>(member)];
        if (member != device.index() && state == State::kWaiting) state = State::kReady;
      }
      Fill(me);
    } else {
      PassOn(me, State::kWaiting);
      WaitForTurn(me, lock);
    }
    if (!failure_.ok()) return failure_;
    DeviceValues result = std::move(pending.values[mine]);
    if (++pending.left == group.size()) pending_.erase(key);
    return result;
  }

 private:
  enum class State : uint8_t { kReady, kRunning, kWaiting, kDone };
  using Key = std::tuple<int64_t, int64_t, int64_t>;  // instruction, which run of it, the group's first member
  struct PendingCollective {
    const HloInstruction* where = nullptr;
    std::vector<int64_t> group;
    std::vector<bool> came;
    std::vector<DeviceValues> values;  // operands; after the last member has come, results
    size_t arrived = 0, left = 0;
  };

  void WaitForTurn(size_t device, std::unique_lock<std::mutex>& lock) {
    turns_[device].wait(lock, [&] { return states_[device] == State::kRunning; });
  }
  // Lets those go on that can, round and round from `after`.
  void Fill(size_t after) {
    for (size_t k = 1; k <= states_.size() && running_ < at_once_; ++k) {
      const size_t d = (after + k) % states_.size();
      if (states_[d] != State::kReady) continue;
      states_[d] = State::kRunning;
      ++running_;
      turns_[d].notify_one();
    }
  }
  // A running device stops. If all the others wait for one another, that is an error for them to report.
  void PassOn(size_t device, State state) {
    states_[device] = state;
    --running_;
    Fill(device);
    if (running_ > 0 || std::find(states_.begin(), states_.end(), State::kWaiting) == states_.end()) return;
    Fail(InvalidArgument(Deadlock()));
    Fill(device);
  }
  // Who waits where, and for whom.
  std::string Deadlock() const {
    for (const auto& [key, pending] : pending_) {
      if (pending.arrived == pending.group.size()) continue;
      std::string here, others;
      for (size_t m = 0; m < pending.group.size(); ++m) AddNumber(pending.came[m] ? here : others, pending.group[m]);
      return Format("{}: deadlock: {} of {} devices wait here ({}) for others that never come ({})",
                    pending.where->name(), pending.arrived, pending.group.size(), here, others);
    }
    return "devices wait for each other";
  }
  static void AddNumber(std::string& list, int64_t number) {
    constexpr size_t kEnough = 60;
    if (list.ends_with("…")) return;
    list += list.size() > kEnough ? ", …" : Format("{}{}", list.empty() ? "" : ", ", number);
  }
  void Fail(const Status& status) {
    failure_ = status;
    for (State& state : states_)
      if (state == State::kWaiting) state = State::kReady;
  }

  std::mutex mutex_;
  const int64_t at_once_;
  int64_t running_ = 0;
  std::vector<State> states_;
  std::vector<std::condition_variable> turns_;
  std::map<Key, PendingCollective> pending_;
  Status failure_;
};

StatusOr<DeviceValues> Rendezvous(Device& device, const HloInstruction& where, const std::vector<int64_t>& group,
                                  DeviceValues operands, const CollectiveFunction& function) {
  return device.all->Rendezvous(device, where, group, std::move(operands), function);
}

Status CheckDeviceArguments(const DeviceCounts& counts, size_t given) {
  HLOIR_RETURN_IF_ERROR(CheckDeviceCounts(counts));
  if (static_cast<int64_t>(given) == counts.devices()) return OkStatus();
  return InvalidArgument(Format("there are arguments for {} devices, but {} devices", given, counts.devices()));
}

std::vector<Device> MakeDevices(const DeviceCounts& counts) {
  std::vector<Device> devices(static_cast<size_t>(counts.devices()));
  for (size_t d = 0; d < devices.size(); ++d) {
    devices[d].replica = static_cast<int64_t>(d) / counts.partitions;
    devices[d].partition = static_cast<int64_t>(d) % counts.partitions;
    devices[d].counts = counts;
  }
  return devices;
}

StatusOr<std::vector<Literal>> RunOnEach(std::span<Device> devices, int64_t at_once,
                                         const std::function<StatusOr<Literal>(Device&)>& run) {
  Lockstep lockstep(devices.size(), at_once);
  std::vector<Literal> results(devices.size());
  std::vector<std::thread> threads;
  Status no_thread;
  for (size_t d = 0; d < devices.size(); ++d) {
    devices[d].all = &lockstep;
    devices[d].visits.clear();
    try {
      threads.emplace_back([&, d] {
        lockstep.Begin(d);
        StatusOr<Literal> result = Guarded([&] { return run(devices[d]); });
        if (result.ok()) results[d] = std::move(*result);
        lockstep.End(d, result.status());
      });
    } catch (const std::system_error&) {
      no_thread = ResourceExhausted(Format("no thread for device {}", d));
      lockstep.Abandon(d, no_thread);
      break;
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (!no_thread.ok()) return no_thread;
  if (!lockstep.failure().ok()) return lockstep.failure();
  return results;
}

}  // namespace hloir::reference

namespace hloir {

DeviceCounts DeviceCountsOf(const HloModule& module) {
  return {std::max<int64_t>(module.config().replica_count, 1), std::max<int64_t>(module.config().num_partitions, 1)};
}

Status CheckDeviceCounts(const DeviceCounts& counts) {
  constexpr int64_t kMaxDevices = 1024;
  const bool some = counts.replicas >= 1 && counts.partitions >= 1;
  if (some && counts.replicas <= kMaxDevices && counts.partitions <= kMaxDevices / counts.replicas) return OkStatus();
  return ResourceExhausted(Format("{} replicas of {} partitions are more than {} devices, or none", counts.replicas,
                                  counts.partitions, kMaxDevices));
}

bool UsesDevices(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->Is(kCollective) || i->opcode() == HloOpcode::kReplicaId || i->opcode() == HloOpcode::kPartitionId)
        return true;
    }
  }
  return false;
}

namespace {

StatusOr<std::vector<Literal>> UnguardedRunOnDevices(const HloModule& module, const DeviceCounts& counts,
                                                     std::span<const std::vector<const Literal*>> arguments,
                                                     const EvaluatorOptions& options) {
  if (module.entry_computation() == nullptr) return InvalidArgument("the module has no entry computation");
  HLOIR_RETURN_IF_ERROR(reference::CheckDeviceArguments(counts, arguments.size()));
  std::vector<reference::Device> devices = reference::MakeDevices(counts);
  return reference::RunOnEach(devices, /*at_once=*/1, [&](reference::Device& device) {
    return reference::EvaluateOn(&device, options, *module.entry_computation(),
                                 arguments[static_cast<size_t>(device.index())]);
  });
}

}  // namespace

StatusOr<std::vector<Literal>> RunOnDevices(const HloModule& module, const DeviceCounts& counts,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options) {
  return Guarded([&] { return UnguardedRunOnDevices(module, counts, arguments, options); });
}

}  // namespace hloir
