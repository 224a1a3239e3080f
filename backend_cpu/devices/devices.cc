// RunOnDevices and, for any engine, RunOnEach: a thread for each device, of which one or several run at a time; devices
// of other processes communicate by messages. Tests: tests/unit/devices_test.cc, transport_test.cc,
// tests/cli/devices.test.
#include "devices/devices.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "hloir/cost.h"
#include "support/format.h"
#include "support/guard.h"
#include "devices/remote.h"
#include "devices/spill.h"

namespace hloir::reference {

namespace {

// The key of one run of a meeting: of a transfer or a collective, its id, the number of its earlier runs, and the
// group's first and last member.
using MeetingKey = std::array<int64_t, 5>;

}  // namespace

// The members that have arrived.
struct Roll {
  std::string name;
  std::vector<int64_t> group;
  std::vector<bool> came, waits;
  size_t arrived = 0;
  bool complete() const { return arrived == group.size(); }

  Status Arrive(const std::string& where, const std::vector<int64_t>& members, size_t mine, bool stays) {
    if (group.empty()) {
      name = where, group = members;
      came.resize(group.size()), waits.resize(group.size());
    }
    if (stays) name = where;
    if (group != members || mine >= group.size() || came[mine])
      return InvalidArgument(Format("{}: devices disagree about who is in their group", where));
    came[mine] = true, waits[mine] = stays;
    ++arrived;
    return OkStatus();
  }
  bool IsAwaited() const { return !complete() && std::find(waits.begin(), waits.end(), true) != waits.end(); }
};

namespace {

void AddNumber(std::string& list, int64_t number) {
  constexpr size_t kEnough = 60;
  if (list.ends_with("…")) return;
  list += list.size() > kEnough ? ", …" : Format("{}{}", list.empty() ? "" : ", ", number);
}

// The waiting devices, their instructions, and the devices for which they wait.
template <class Rolls>
Status Deadlock(const Rolls& rolls) {
  for (const auto& [key, roll] : rolls) {
    if (!roll.IsAwaited()) continue;
    std::string here, others;
    for (size_t m = 0; m < roll.group.size(); ++m) AddNumber(roll.came[m] ? here : others, roll.group[m]);
    return InvalidArgument(Format("{}: deadlock: {} of {} devices wait here ({}) for others that never come ({})",
                                  roll.name, roll.arrived, roll.group.size(), here, others));
  }
  return InvalidArgument("devices wait for each other");
}

// Process 0's view of all devices of all processes. An arrival is reported before its operands are sent, so that all
// actions of a device after a meeting are reported after all arrivals there; hence a message in transit is never taken
// for a deadlock.
class Watcher {
 public:
  explicit Watcher(int64_t devices) : waiting_(static_cast<size_t>(devices)), done_(static_cast<size_t>(devices)) {}
  void Arrive(const Message& m) {
    Roll& roll = rolls_[m.meeting];
    if (!roll.Arrive(m.text, m.group, static_cast<size_t>(m.member), m.waits).ok()) return;  // its own process says so
    if (m.waits) ++waiting_[Device(roll, static_cast<size_t>(m.member))];
    if (!roll.complete()) return;
    for (size_t k = 0; k < roll.group.size(); ++k)
      if (roll.waits[k]) --waiting_[Device(roll, k)];
    rolls_.erase(m.meeting);
  }
  void Done(int64_t device) { done_[static_cast<size_t>(device)] = true; }
  // An error if no device can continue.
  Status Judge() const {
    bool all_done = true;
    for (size_t d = 0; d < waiting_.size(); ++d) {
      if (!done_[d] && waiting_[d] == 0) return OkStatus();
      all_done = all_done && done_[d];
    }
    return all_done ? OkStatus() : Deadlock(rolls_);
  }

 private:
  static size_t Device(const Roll& roll, size_t k) { return static_cast<size_t>(roll.group[k]); }
  std::map<MeetingKey, Roll> rolls_;
  std::vector<int> waiting_;
  std::vector<bool> done_;
};

}  // namespace

// The running devices of this process, and the incomplete meetings. A meeting is evaluated in the process of its last
// member, a transfer in that of the receiver.
class Lockstep {
 public:
  Lockstep(int64_t first, int64_t count, const DeviceRun& how)
      : how_(how),
        first_(first),
        states_(static_cast<size_t>(count), State::kReady),
        turns_(static_cast<size_t>(count)) {
    if (count > 0) Fill(states_.size() - 1);
  }

  void Begin(const Device& device) {
    std::unique_lock lock(mutex_);
    WaitForTurn(Place(device.index()), lock);
  }
  void End(const Device& device, const Status& status) {
    std::unique_lock lock(mutex_);
    if (!status.ok() && failure_.ok()) Fail(status);
    if (how_.network != nullptr) how_.network->Post(0, {.kind = Message::Kind::kDone, .member = device.index()});
    PassOn(Place(device.index()), State::kDone);
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
  // Of all processes, if another one has reported it.
  void Stop(const Status& status) {
    std::unique_lock lock(mutex_);
    if (failure_.ok()) Fail(status, /*told=*/true);
    if (!states_.empty()) Fill(0);
  }
  Status failure() {
    std::unique_lock lock(mutex_);
    return failure_;
  }

  StatusOr<DeviceValues> Rendezvous(Device& device, const Meeting& meeting, DeviceValues operands,
                                    const CollectiveFunction& function) {
    const std::vector<int64_t>& group = meeting.group;
    if (meeting.mine >= group.size() || group[meeting.mine] != device.index())
      return Internal(Format("{}: a device outside of its group", meeting.where->name()));
    const MeetingKey key{meeting.is_transfer, meeting.id,
                         device.visits[{meeting.is_transfer, meeting.id, group.front(), group.back(), meeting.mine}]++,
                         group.front(), group.back()};
    Message arrival{.kind = Message::Kind::kArrival,
                    .meeting = key,
                    .member = static_cast<int64_t>(meeting.mine),
                    .waits = meeting.waits,
                    .text = std::string(meeting.where->name()),
                    .group = group};
    if (how_.network != nullptr) {
      how_.network->Post(0, arrival);
      if (const int evaluates = how_.network->RankOf(group.back()); evaluates != how_.network->rank()) {
        arrival.kind = Message::Kind::kOperands;
        arrival.values = std::move(operands);
        how_.network->Post(evaluates, std::move(arrival));
        if (!meeting.waits) return DeviceValues();
        std::unique_lock lock(mutex_);
        return Await(Place(device.index()), pending_[key], key, meeting, function, lock);
      }
    }
    std::unique_lock lock(mutex_);
    if (!failure_.ok()) return failure_;
    HLOIR_RETURN_IF_ERROR(Deposit(key, arrival, std::move(operands), meeting.waits));
    if (!meeting.waits) return DeviceValues();
    return Await(Place(device.index()), pending_[key], key, meeting, function, lock);
  }

  // Handles the contribution of a device in another process.
  void TakeOperands(Message message) {
    std::unique_lock lock(mutex_);
    if (!failure_.ok()) return;
    const Status taken = Deposit(message.meeting, message, std::move(message.values), false);
    if (!taken.ok()) Fail(taken);
    if (!states_.empty()) Fill(0);
  }
  void TakeResults(Message message) {
    std::unique_lock lock(mutex_);
    Pending& pending = pending_[message.meeting];
    const size_t member = static_cast<size_t>(message.member);
    if (pending.results.size() <= member) pending.results.resize(member + 1), pending.has_result.resize(member + 1);
    pending.results[member] = std::move(message.values);
    pending.has_result[member] = true;
    Wake(Place(message.group[member]));
    Fill(0);
  }

 private:
  enum class State : uint8_t { kReady, kRunning, kWaiting, kDone };
  struct Pending : Roll {
    std::vector<DeviceValues> values;  // operands
    std::vector<FileBlock> blocks;     // in which they may lie
    bool is_claimed = false;           // somebody evaluates it
    bool is_same = false;              // results[0] is the result of all members
    std::vector<DeviceValues> results;
    std::vector<bool> has_result;
    size_t left = 0;  // members in this process that have received their result
  };

  size_t Place(int64_t device) const { return static_cast<size_t>(device - first_); }
  bool IsHere(int64_t device) const { return device >= first_ && Place(device) < states_.size(); }

  Status Deposit(const MeetingKey& key, const Message& arrival, DeviceValues operands, bool goes_on) {
    Pending& pending = pending_[key];
    const size_t mine = static_cast<size_t>(arrival.member);
    HLOIR_RETURN_IF_ERROR(pending.Arrive(arrival.text, arrival.group, mine, arrival.waits));
    pending.values.resize(pending.group.size());
    if (!how_.spill_folder.empty() && !pending.complete())
      HLOIR_RETURN_IF_ERROR(Spill(how_.spill_folder, operands, pending.blocks));
    pending.values[mine] = std::move(operands);
    if (!pending.complete() || goes_on) return OkStatus();
    // The last arrival was in another process: a waiting device evaluates the meeting.
    for (size_t m = 0; m < pending.group.size(); ++m)
      if (pending.waits[m] && IsHere(pending.group[m])) return Wake(Place(pending.group[m])), OkStatus();
    return OkStatus();
  }

  // Evaluates the meeting after all arrivals, unless another thread does, and waits for the result.
  StatusOr<DeviceValues> Await(size_t me, Pending& pending, const MeetingKey& key, const Meeting& meeting,
                               const CollectiveFunction& function, std::unique_lock<std::mutex>& lock) {
    const size_t mine = meeting.mine;
    while (true) {
      if (!failure_.ok()) return failure_;
      if (pending.is_same || (mine < pending.has_result.size() && pending.has_result[mine])) break;
      if (!pending.group.empty() && pending.complete() && !pending.is_claimed) {
        pending.is_claimed = true;
        lock.unlock();  // all other members wait, so no other thread reads the values
        auto results = function(pending.values);
        lock.lock();
        if (!results.ok()) return results.status();
        HLOIR_RETURN_IF_ERROR(HandOut(me, pending, key, std::move(*results)));
        continue;
      }
      PassOn(me, State::kWaiting);
      WaitForTurn(me, lock);
    }
    DeviceValues result;
    if (pending.is_same || !pending.blocks.empty()) {  // others need it, or it is in a file that is about to be
                                                       // released
      lock.unlock();                                   // it is no longer modified
      result = pending.results[pending.is_same ? 0 : mine];
      lock.lock();
    } else {
      result = std::move(pending.results[mine]);
    }
    size_t here = 0;
    for (size_t m = 0; m < meeting.group.size(); ++m)
      here += IsHere(meeting.group[m]) && (!meeting.is_transfer || m == 1);
    if (++pending.left == here) pending_.erase(key);
    return result;
  }

  Status HandOut(size_t me, Pending& pending, const MeetingKey& key, std::vector<DeviceValues> results) {
    const bool is_same = results.size() == 1;
    if (!is_same && results.size() != pending.group.size())
      return Internal(Format("{}: not as many results as devices", pending.name));
    pending.values.clear(), pending.blocks.clear();
    for (size_t m = 0; m < pending.group.size(); ++m) {
      if (!pending.waits[m] || IsHere(pending.group[m])) continue;
      how_.network->Post(how_.network->RankOf(pending.group[m]), {.kind = Message::Kind::kResults,
                                                                  .meeting = key,
                                                                  .member = static_cast<int64_t>(m),
                                                                  .group = pending.group,
                                                                  .values = results[is_same ? 0 : m]});
    }
    if (!how_.spill_folder.empty())
      for (DeviceValues& values : results) HLOIR_RETURN_IF_ERROR(Spill(how_.spill_folder, values, pending.blocks));
    pending.results = std::move(results);
    pending.is_same = is_same;
    if (!is_same) pending.has_result.assign(pending.group.size(), true);
    for (size_t m = 0; m < pending.group.size(); ++m)
      if (pending.waits[m] && IsHere(pending.group[m])) Wake(Place(pending.group[m]));
    Fill(me);
    return OkStatus();
  }

  void Wake(size_t place) {
    if (states_[place] == State::kWaiting) states_[place] = State::kReady;
  }
  void WaitForTurn(size_t place, std::unique_lock<std::mutex>& lock) {
    turns_[place].wait(lock, [&] { return states_[place] == State::kRunning; });
  }
  // Resumes devices that can continue, round-robin from `after`.
  void Fill(size_t after) {
    for (size_t k = 1; k <= states_.size() && running_ < how_.at_once; ++k) {
      const size_t d = (after + k) % states_.size();
      if (states_[d] != State::kReady) continue;
      states_[d] = State::kRunning;
      ++running_;
      turns_[d].notify_one();
    }
  }
  // A running device stops. If all others wait for one another, they report an error; with several processes, process 0
  // detects it.
  void PassOn(size_t place, State state) {
    states_[place] = state;
    --running_;
    Fill(place);
    if (how_.network != nullptr) return;
    if (running_ > 0 || std::find(states_.begin(), states_.end(), State::kWaiting) == states_.end()) return;
    Fail(Deadlock(pending_));
    Fill(place);
  }
  void Fail(const Status& status, bool told = false) {
    failure_ = status;
    for (State& state : states_)
      if (state == State::kWaiting) state = State::kReady;
    if (how_.network != nullptr && !told)
      how_.network->Post(
          0, {.kind = Message::Kind::kFailure, .text = std::string(status.message()), .code = status.code()});
  }

  const DeviceRun& how_;
  const int64_t first_;  // device of this process
  std::mutex mutex_;
  int64_t running_ = 0;
  std::vector<State> states_;
  std::vector<std::condition_variable> turns_;
  std::map<MeetingKey, Pending> pending_;
  Status failure_;
};

StatusOr<DeviceValues> Rendezvous(Device& device, const Meeting& meeting, DeviceValues operands,
                                  const CollectiveFunction& function) {
  return device.all->Rendezvous(device, meeting, std::move(operands), function);
}

Status CheckDeviceArguments(const DeviceCounts& counts, size_t given) {
  HLOIR_RETURN_IF_ERROR(CheckDeviceCounts(counts));
  if (static_cast<int64_t>(given) == counts.devices()) return OkStatus();
  return InvalidArgument(Format("there are arguments for {} devices, but {} devices", given, counts.devices()));
}

std::vector<Device> MakeDevices(const DeviceCounts& counts, std::span<const HloModule* const> programs) {
  std::vector<Device> devices(static_cast<size_t>(counts.devices()));
  for (size_t d = 0; d < devices.size(); ++d) {
    devices[d].replica = static_cast<int64_t>(d) / counts.partitions;
    devices[d].partition = static_cast<int64_t>(d) % counts.partitions;
    devices[d].counts = counts;
    if (programs.size() > 1) devices[d].programs = programs;
  }
  return devices;
}

namespace {

// Serves messages while this process's devices run, until all processes have finished. `results` are those of this
// process before, and in process 0 those of all devices after.
class Conversation {
 public:
  Conversation(Network& network, Lockstep& lockstep, const DeviceRun& how, std::vector<Literal>& results)
      : network_(network),
        lockstep_(lockstep),
        how_(how),
        results_(results),
        watcher_(static_cast<int64_t>(results.size())),
        left_(network.count()) {
    if (left_ == 0) Finish();
  }
  // Its devices' threads may still be about to end.
  Status Hold() {
    Status outcome;
    HLOIR_RETURN_IF_ERROR(network_.Serve([&](int from, Message m) {
      switch (m.kind) {
        case Message::Kind::kArrival: watcher_.Arrive(m), Judge(); break;
        case Message::Kind::kDone: watcher_.Done(m.member), Judge(); break;
        case Message::Kind::kFailure: StopAll(Status(m.code, m.text)); break;
        case Message::Kind::kFinished: Collect(from, std::move(m)); break;
        case Message::Kind::kOperands: lockstep_.TakeOperands(std::move(m)); break;
        case Message::Kind::kResults: lockstep_.TakeResults(std::move(m)); break;
        case Message::Kind::kStop: lockstep_.Stop(Status(m.code, m.text)); break;
        case Message::Kind::kEnd: outcome = Status(m.code, m.text); return true;
      }
      return false;
    }));
    return outcome;
  }
  // Records a device's result; called in the device's thread.
  void DeviceEnded() {
    if (--left_ == 0) Finish();
  }

 private:
  void Finish() {
    Message finished{.kind = Message::Kind::kFinished};
    if (network_.rank() != 0) {
      const auto begin = results_.begin() + network_.first();
      finished.values.assign(std::make_move_iterator(begin), std::make_move_iterator(begin + network_.count()));
      std::fill(begin, begin + network_.count(), Literal());
    }
    network_.Post(0, std::move(finished));
  }
  void Judge() {
    if (Status stuck = watcher_.Judge(); !stuck.ok()) StopAll(stuck);
  }
  void StopAll(const Status& status) {
    if (!failure_.ok()) return;
    failure_ = status;
    network_.PostToAll({.kind = Message::Kind::kStop, .text = std::string(status.message()), .code = status.code()});
  }
  void Collect(int from, Message m) {
    for (size_t k = 0; k < m.values.size(); ++k)
      results_[static_cast<size_t>(network_.FirstDevice(from)) + k] = std::move(m.values[k]);
    if (++finished_ < network_.size()) return;
    if (failure_.ok() && how_.judge) failure_ = how_.judge(results_);
    network_.PostToAll({.kind = Message::Kind::kEnd, .text = std::string(failure_.message()), .code = failure_.code()});
  }

  Network& network_;
  Lockstep& lockstep_;
  const DeviceRun& how_;
  std::vector<Literal>& results_;
  Watcher watcher_;  // these three in process 0
  Status failure_;
  int finished_ = 0;
  std::atomic<int64_t> left_;
};

}  // namespace

StatusOr<std::vector<Literal>> RunOnEach(std::span<Device> devices, const DeviceRun& how,
                                         const std::function<StatusOr<Literal>(Device&)>& run) {
  const size_t first = how.network != nullptr ? static_cast<size_t>(how.network->first()) : 0;
  const size_t count = how.network != nullptr ? static_cast<size_t>(how.network->count()) : devices.size();
  Lockstep lockstep(static_cast<int64_t>(first), static_cast<int64_t>(count), how);
  std::vector<Literal> results(devices.size());
  std::optional<Conversation> conversation;
  if (how.network != nullptr) {
    how.network->BeginRun();
    conversation.emplace(*how.network, lockstep, how, results);
  }
  std::vector<std::thread> threads;
  Status no_thread;
  for (size_t d = first; d < first + count; ++d) {
    devices[d].all = &lockstep;
    devices[d].visits.clear();
    try {
      threads.emplace_back([&, d] {
        lockstep.Begin(devices[d]);
        StatusOr<Literal> result = Guarded([&] { return run(devices[d]); });
        if (result.ok()) results[d] = std::move(*result);
        lockstep.End(devices[d], result.status());
        if (conversation) conversation->DeviceEnded();
      });
    } catch (const std::system_error&) {
      no_thread = ResourceExhausted(Format("out of memory: no thread for device {}", d));
      lockstep.Abandon(d - first, no_thread);
      if (conversation)
        for (size_t lost = d; lost < first + count; ++lost) conversation->DeviceEnded();
      break;
    }
  }
  Status outcome;
  if (conversation) outcome = conversation->Hold();
  if (!outcome.ok()) lockstep.Stop(outcome);
  for (std::thread& thread : threads) thread.join();
  if (!outcome.ok()) return outcome;
  if (!no_thread.ok()) return no_thread;
  HLOIR_RETURN_IF_ERROR(lockstep.failure());
  return results;
}

}  // namespace hloir::reference

namespace hloir {

DeviceCounts DeviceCountsOf(const HloModule& module) {
  const NamedDevices devices = NamedDevicesOf(module);
  return {devices.replicas, devices.partitions};
}

Status CheckDeviceCounts(const DeviceCounts& counts) {
  constexpr int64_t kMaxDevices = 1024;
  const bool some = counts.replicas >= 1 && counts.partitions >= 1;
  if (some && counts.replicas <= kMaxDevices && counts.partitions <= kMaxDevices / counts.replicas) return OkStatus();
  return ResourceExhausted(Format("{} replicas of {} partitions are more than {} devices, or none", counts.replicas,
                                  counts.partitions, kMaxDevices));
}

bool UsesDevices(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->Is(kCollective) || i->opcode() == HloOpcode::kReplicaId || i->opcode() == HloOpcode::kPartitionId)
      return true;
    if (const auto* transfer = i->attributes().GetIf<TransferAttributes>())
      if (!transfer->is_host_transfer) return true;
  }
  return false;
}

namespace {

StatusOr<std::vector<Literal>> RunPrograms(std::span<const HloModule* const> programs, const DeviceCounts& counts,
                                           std::span<const std::vector<const Literal*>> arguments,
                                           const EvaluatorOptions& options) {
  for (const HloModule* program : programs)
    if (program->entry_computation() == nullptr) return InvalidArgument("the module has no entry computation");
  HLOIR_RETURN_IF_ERROR(reference::CheckDeviceArguments(counts, arguments.size()));
  std::vector<reference::Device> devices = reference::MakeDevices(counts, programs);
  return reference::RunOnEach(devices, {}, [&](reference::Device& device) {
    return reference::EvaluateOn(&device, options, *device.program(programs).entry_computation(),
                                 arguments[static_cast<size_t>(device.index())]);
  });
}

}  // namespace

StatusOr<std::vector<Literal>> RunOnDevices(const HloModule& module, const DeviceCounts& counts,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options) {
  const HloModule* const program = &module;
  return Guarded([&] { return RunPrograms({&program, 1}, counts, arguments, options); });
}

StatusOr<std::vector<Literal>> RunOnDevices(std::span<const HloModule* const> programs,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options) {
  const DeviceCounts counts{1, static_cast<int64_t>(programs.size())};
  return Guarded([&] { return RunPrograms(programs, counts, arguments, options); });
}

}  // namespace hloir
