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
    kArrival,   // to process 0: a device has come to a meeting
    kDone,      // to process 0: a device has no more to do
    kFailure,   // to process 0
    kFinished,  // to process 0: all devices of a process are done; with their results
    kOperands,  // to the process that evaluates a meeting: a device's contribution
    kResults,   // from there
    kStop,      // from process 0: an error somewhere
    kEnd,       // from process 0: all processes have finished; with the status that all return
  };
  Kind kind = Kind::kArrival;
  int64_t run = 0;  // filled in by Post
  std::array<int64_t, 5> meeting{};
  int64_t member = 0;  // place in the group; of kDone the device
  bool waits = true;
  std::string text{};  // the instruction's name, or an error
  StatusCode code = StatusCode::kOk;
  std::vector<int64_t> group{};
  std::vector<Literal> values{};
};
std::string Encode(const Message& message);
StatusOr<Message> Decode(std::string_view bytes);

// The processes of a run. Any thread may post; one thread serves, and only that touches the transport.
class Network {
 public:
  Network(Transport& transport, int64_t devices) : transport_(transport), devices_(devices) {}
  int rank() const { return transport_.rank(); }
  int size() const { return transport_.size(); }
  // Devices are dealt out in order and evenly: those of a process follow one another.
  int64_t FirstDevice(int rank) const { return devices_ * rank / size(); }
  int RankOf(int64_t device) const;
  int64_t first() const { return FirstDevice(rank()); }
  int64_t count() const { return FirstDevice(rank() + 1) - first(); }

  // The messages of one run are not those of another, though processes begin it at different times.
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
