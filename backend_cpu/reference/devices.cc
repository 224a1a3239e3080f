// RunOnDevices: a thread for each device, of which one runs at a time. Tests: tests/unit/devices_test.cc,
// tests/cli/devices.test.
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

namespace hloir::reference {

// Which device runs, and the collectives that not all members have come to yet.
class Lockstep {
 public:
  explicit Lockstep(int64_t devices)
      : states_(static_cast<size_t>(devices), State::kReady), turns_(static_cast<size_t>(devices)) {}

  void Begin(int64_t device) {
    std::unique_lock lock(mutex_);
    WaitForTurn(device, lock);
  }
  void End(int64_t device, const Status& status) {
    std::unique_lock lock(mutex_);
    states_[static_cast<size_t>(device)] = State::kDone;
    if (!status.ok() && failure_.ok()) Fail(status);
    PassOn(device);
  }
  // Devices from `first` on have no thread: the others cannot wait for them.
  void Abandon(int64_t first, const Status& status) {
    std::unique_lock lock(mutex_);
    for (size_t d = static_cast<size_t>(first); d < states_.size(); ++d) states_[d] = State::kDone;
    Fail(status);
    PassOn(0);
  }
  const Status& failure() const { return failure_; }

  StatusOr<DeviceValues> Rendezvous(Device& device, const HloInstruction& where, const std::vector<int64_t>& group,
                                    DeviceValues operands, const CollectiveFunction& function) {
    const auto place = std::find(group.begin(), group.end(), device.index());
    if (place == group.end()) return Internal(Format("{}: a device outside of its group", where.name()));
    std::unique_lock lock(mutex_);
    if (!failure_.ok()) return failure_;
    const Key key{where.id(), device.visits[&where]++, group.front()};
    PendingCollective& pending = pending_[key];  // stays where it is: a map's nodes do
    if (pending.group.empty()) {
      pending.where = &where;
      pending.group = group;
      pending.values.resize(group.size());
    }
    if (pending.group != group)
      return InvalidArgument(Format("{}: devices disagree about who is in their group", where.name()));
    const size_t mine = static_cast<size_t>(place - group.begin());
    pending.values[mine] = std::move(operands);
    if (++pending.arrived == group.size()) {
      auto results = function(pending.values);
      if (!results.ok()) return results.status();
      pending.values = std::move(*results);
      for (int64_t member : group)
        if (member != device.index()) states_[static_cast<size_t>(member)] = State::kReady;
    } else {
      states_[static_cast<size_t>(device.index())] = State::kWaiting;
      PassOn(device.index());
      WaitForTurn(device.index(), lock);
      if (!failure_.ok()) return failure_;
    }
    DeviceValues result = std::move(pending.values[mine]);
    if (++pending.left == group.size()) pending_.erase(key);
    return result;
  }

 private:
  enum class State : uint8_t { kReady, kWaiting, kDone };
  using Key = std::tuple<int64_t, int64_t, int64_t>;  // instruction, which run of it, the group's first member
  struct PendingCollective {
    const HloInstruction* where = nullptr;
    std::vector<int64_t> group;
    std::vector<DeviceValues> values;  // operands; after the last member has come, results
    size_t arrived = 0, left = 0;
  };

  void WaitForTurn(int64_t device, std::unique_lock<std::mutex>& lock) {
    turns_[static_cast<size_t>(device)].wait(lock, [&] { return active_ == device; });
  }
  // The next that can go on, round and round. If all the others wait for one another, that is an error for them to
  // report.
  void PassOn(int64_t device) {
    const int64_t count = static_cast<int64_t>(states_.size());
    auto next = [&](State state) {
      for (int64_t k = 1; k <= count; ++k)
        if (states_[static_cast<size_t>((device + k) % count)] == state) return (device + k) % count;
      return int64_t{-1};
    };
    active_ = next(State::kReady);
    if (active_ < 0 && next(State::kWaiting) >= 0) {
      const PendingCollective* stuck = nullptr;
      for (const auto& [key, pending] : pending_)
        if (stuck == nullptr && pending.arrived < pending.group.size()) stuck = &pending;
      Fail(InvalidArgument(stuck == nullptr ? std::string("devices wait for each other")
                                            : Format("{}: {} of {} devices wait here for others that never come",
                                                     stuck->where->name(), stuck->arrived, stuck->group.size())));
      active_ = next(State::kReady);
    }
    if (active_ >= 0) turns_[static_cast<size_t>(active_)].notify_one();
  }
  void Fail(const Status& status) {
    failure_ = status;
    for (State& state : states_)
      if (state == State::kWaiting) state = State::kReady;
  }

  std::mutex mutex_;
  std::vector<State> states_;
  std::vector<std::condition_variable> turns_;
  int64_t active_ = 0;
  std::map<Key, PendingCollective> pending_;
  Status failure_;
};

StatusOr<DeviceValues> Rendezvous(Device& device, const HloInstruction& where, const std::vector<int64_t>& group,
                                  DeviceValues operands, const CollectiveFunction& function) {
  return device.all->Rendezvous(device, where, group, std::move(operands), function);
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

StatusOr<std::vector<Literal>> RunOnDevices(const HloModule& module, const DeviceCounts& counts,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options) {
  if (module.entry_computation() == nullptr) return InvalidArgument("the module has no entry computation");
  HLOIR_RETURN_IF_ERROR(CheckDeviceCounts(counts));
  if (static_cast<int64_t>(arguments.size()) != counts.devices()) {
    return InvalidArgument(
        Format("there are arguments for {} devices, but {} devices", arguments.size(), counts.devices()));
  }
  const size_t devices = static_cast<size_t>(counts.devices());
  reference::Lockstep lockstep(counts.devices());
  std::vector<reference::Device> all(devices);
  std::vector<Literal> results(devices);
  std::vector<std::thread> threads;
  Status no_thread;
  for (size_t d = 0; d < devices; ++d) {
    all[d].all = &lockstep;
    all[d].replica = static_cast<int64_t>(d) / counts.partitions;
    all[d].partition = static_cast<int64_t>(d) % counts.partitions;
    all[d].counts = counts;
    try {
      threads.emplace_back([&, d] {
        lockstep.Begin(static_cast<int64_t>(d));
        auto result = reference::EvaluateOn(&all[d], options, *module.entry_computation(), arguments[d]);
        if (result.ok()) results[d] = std::move(*result);
        lockstep.End(static_cast<int64_t>(d), result.status());
      });
    } catch (const std::system_error&) {
      no_thread = ResourceExhausted(Format("no thread for device {}", d));
      lockstep.Abandon(static_cast<int64_t>(d), no_thread);
      break;
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (!no_thread.ok()) return no_thread;
  if (!lockstep.failure().ok()) return lockstep.failure();
  return results;
}

}  // namespace hloir
