// See remote.h.
#include "devices/remote.h"

#include <chrono>
#include <cstring>

#include "hloir/parser.h"
#include "support/format.h"

namespace hloir::reference {
namespace {

class MessageWriter {
 public:
  void Number(int64_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void Text(std::string_view text) {
    Number(static_cast<int64_t>(text.size()));
    out_ += text;
  }
  void Numbers(std::span<const int64_t> numbers) {
    Number(static_cast<int64_t>(numbers.size()));
    for (int64_t each : numbers) Number(each);
  }
  void Value(const Literal& value) {
    const bool is_none = value.shape() == Shape();  // of a device that failed
    Text(is_none ? std::string() : value.shape().ToString());
    if (is_none) return;
    for (const Literal* leaf : value.Leaves()) {
      Text({reinterpret_cast<const char*>(leaf->untyped_data()), static_cast<size_t>(leaf->size_bytes())});
      Numbers(std::span(leaf->dynamic_sizes().begin(), leaf->dynamic_sizes().end()));
    }
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class MessageReader {
 public:
  explicit MessageReader(std::string_view in) : in_(in) {}
  int64_t Number() {
    int64_t value = 0;
    const std::string_view bytes = Bytes(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view Text() { return Bytes(Number()); }
  std::vector<int64_t> Numbers() {
    std::vector<int64_t> numbers;
    for (int64_t count = Number(); count > 0 && good_; --count) numbers.push_back(Number());
    return numbers;
  }
  Literal Value() {
    const std::string_view text = Text();
    if (text.empty()) return Literal();
    const StatusOr<Shape> shape = ParseShape(text);
    if (!shape.ok() || !good_) return good_ = false, Literal();
    Literal value(*shape);
    Fill(value);
    return value;
  }
  bool good() const { return good_; }

 private:
  std::string_view Bytes(int64_t count) {
    if (count < 0 || static_cast<size_t>(count) > in_.size()) return good_ = false, std::string_view();
    const std::string_view bytes = in_.substr(0, static_cast<size_t>(count));
    in_.remove_prefix(static_cast<size_t>(count));
    return bytes;
  }
  void Fill(Literal& value) {
    if (value.shape().IsTuple()) {
      for (Literal& element : value.elements()) Fill(element);
      return;
    }
    const std::string_view bytes = Text();
    if (static_cast<int64_t>(bytes.size()) != value.size_bytes()) good_ = false;
    else if (!bytes.empty()) std::memcpy(value.untyped_data(), bytes.data(), bytes.size());
    DimVector sizes;
    for (int64_t size : Numbers()) sizes.push_back(size);
    value.set_dynamic_sizes(std::move(sizes));
  }

  std::string_view in_;
  bool good_ = true;
};

}  // namespace

// Both ends are the same program on machines of one kind: numbers and elements are sent as in memory.
std::string Encode(const Message& message) {
  MessageWriter out;
  out.Number(static_cast<int64_t>(message.kind));
  out.Number(message.run);
  for (int64_t part : message.meeting) out.Number(part);
  out.Number(message.member);
  out.Number(message.waits);
  out.Text(message.text);
  out.Number(static_cast<int64_t>(message.code));
  out.Numbers(message.group);
  out.Number(static_cast<int64_t>(message.values.size()));
  for (const Literal& value : message.values) out.Value(value);
  return out.Take();
}

StatusOr<Message> Decode(std::string_view bytes) {
  MessageReader in(bytes);
  Message message;
  message.kind = static_cast<Message::Kind>(in.Number());
  message.run = in.Number();
  for (int64_t& part : message.meeting) part = in.Number();
  message.member = in.Number();
  message.waits = in.Number() != 0;
  message.text = in.Text();
  message.code = static_cast<StatusCode>(in.Number());
  message.group = in.Numbers();
  for (int64_t count = in.Number(); count > 0 && in.good(); --count) message.values.push_back(in.Value());
  if (!in.good()) return InvalidArgument("a message from another process is not hloir's");
  return message;
}

int Network::RankOf(int64_t device) const {
  int rank = static_cast<int>(device * size() / devices_);  // or the next one, if they are not divisible
  while (rank + 1 < size() && FirstDevice(rank + 1) <= device) ++rank;
  while (rank > 0 && FirstDevice(rank) > device) --rank;
  return rank;
}

void Network::Post(int to, Message message) {
  message.run = run_;
  std::string bytes = Encode(message);
  {
    std::lock_guard lock(mutex_);
    outgoing_.emplace_back(to, std::move(bytes));
  }
  posted_.notify_one();
}

void Network::PostToAll(const Message& message) {
  for (int to = 0; to < size(); ++to) Post(to, message);
}

// Sends the messages for other processes; returns those for this process and those that have arrived.
std::optional<std::pair<int, std::string>> Network::Next() {
  constexpr std::chrono::microseconds kShort{50}, kLong{1000};
  for (std::chrono::microseconds pause = kShort;; pause = std::min(2 * pause, kLong)) {
    while (true) {
      std::pair<int, std::string> message;
      {
        std::lock_guard lock(mutex_);
        if (outgoing_.empty()) break;
        message = std::move(outgoing_.front());
        outgoing_.pop_front();
      }
      if (message.first == rank()) return message;
      transport_.Send(message.first, std::move(message.second));
    }
    if (auto message = transport_.Receive()) return message;
    std::unique_lock lock(mutex_);
    posted_.wait_for(lock, pause, [&] { return !outgoing_.empty(); });
  }
}

Status Network::Serve(const std::function<bool(int from, Message)>& handle) {
  std::deque<std::pair<int, std::string>> waiting = std::exchange(early_, {});
  while (true) {
    if (waiting.empty()) waiting.push_back(*Next());
    const auto [from, bytes] = std::move(waiting.front());
    waiting.pop_front();
    StatusOr<Message> decoded = Decode(bytes);
    if (!decoded.ok()) {  // messages must not be delayed
      for (int to = 0; to < size(); ++to)
        if (to != rank())
          transport_.Send(to, Encode({.kind = Message::Kind::kEnd,
                                      .run = run_,
                                      .text = std::string(decoded.status().message()),
                                      .code = decoded.status().code()}));
      return decoded.status();
    }
    Message& message = *decoded;
    if (message.run > run_) early_.emplace_back(from, bytes);
    else if (message.run == run_ && handle(from, std::move(message))) break;
  }
  // Other processes still wait for messages in flight.
  std::lock_guard lock(mutex_);
  for (auto& [to, bytes] : std::exchange(outgoing_, {}))
    if (to != rank()) transport_.Send(to, std::move(bytes));
  return OkStatus();
}

}  // namespace hloir::reference
