// The devices of other processes: messages over a Transport (hloir/executable.h), and the assignment of devices to
// processes. devices.cc interprets the messages. Tests: tests/unit/transport_test.cc.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hloir/literal.h"
#include "hloir/status.h"
#include "hloir/executable.h"

namespace hloir::reference {

struct Message {
  enum class Kind : uint8_t {
    kArrival,   // to process 0: a device has arrived at a meeting
    kDone,      // to process 0: a device has finished
    kFailure,   // to process 0
    kFinished,  // to process 0: all devices of a process have finished; with their results
    kOperands,  // to the process that evaluates a meeting: a device's contribution
    kResults,   // from there
    kStop,      // from process 0: an error in some process
    kEnd,       // from process 0: all processes have finished; with the common status
  };
  Kind kind = Kind::kArrival;
  int64_t run = 0;  // filled in by Post
  std::array<int64_t, 5> meeting{};
  int64_t member = 0;  // position in the group; the device for kDone
  bool waits = true;
  std::string text{};  // the instruction's name, or an error
  StatusCode code = StatusCode::kOk;
  std::vector<int64_t> group{};
  std::vector<Literal> values{};
};
std::string Encode(const Message& message);
StatusOr<Message> Decode(std::string_view bytes);

// The processes of a run. Any thread may post messages; only the serving thread uses the transport.
class Network {
 public:
  Network(Transport& transport, int64_t devices) : transport_(transport), devices_(devices) {}
  int rank() const { return transport_.rank(); }
  int size() const { return transport_.size(); }
  // Devices are distributed in order and evenly, in consecutive blocks.
  int64_t FirstDevice(int rank) const { return devices_ * rank / size(); }
  int RankOf(int64_t device) const;
  int64_t first() const { return FirstDevice(rank()); }
  int64_t count() const { return FirstDevice(rank() + 1) - first(); }

  // Distinguishes the messages of runs, because processes begin a run at different times.
  void BeginRun() { ++run_; }
  void Post(int to, Message message);
  void PostToAll(const Message& message);
  // Handles messages until `handle` says that this was the last one.
  Status Serve(const std::function<bool(int from, Message)>& handle);

 private:
  std::optional<std::pair<int, std::string>> Next();

  Transport& transport_;
  const int64_t devices_;
  int64_t run_ = 0;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::pair<int, std::string>> outgoing_;
  std::deque<std::pair<int, std::string>> early_;  // of the next run
};

}  // namespace hloir::reference
