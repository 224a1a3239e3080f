// libhloir_mpi.so: a Transport (hloir/executable.h) over MPI, which OpenMpi loads. It contains no other part of hloir,
// and no part of hloir links to it. Test: tests/cli/mpi.test.
#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include <mpi.h>

#include "hloir/executable.h"

namespace hloir {
namespace {

// A message is its size followed by its bytes, in parts whose sizes fit an int. MPI's own errors end all processes with
// MPI's messages.
class MpiTransport : public Transport {
 public:
  MpiTransport() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTransport() override {
    for (Sent& sent : sent_)
      MPI_Waitall(static_cast<int>(sent.requests.size()), sent.requests.data(), MPI_STATUSES_IGNORE);
    MPI_Finalize();
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void Send(int to, std::string message) override {
    Sent& sent = sent_.emplace_back();
    sent.bytes = std::make_unique<std::string>(std::move(message));
    sent.size = std::make_unique<long long>(static_cast<long long>(sent.bytes->size()));
    MPI_Isend(sent.size.get(), 1, MPI_LONG_LONG, to, kSize, MPI_COMM_WORLD, &sent.requests.emplace_back());
    for (size_t at = 0; at < sent.bytes->size(); at += kPart) {
      MPI_Isend(sent.bytes->data() + at, PartSize(sent.bytes->size(), at), MPI_BYTE, to, kBytes, MPI_COMM_WORLD,
                &sent.requests.emplace_back());
    }
  }

  std::optional<std::pair<int, std::string>> Receive() override {
    std::erase_if(sent_, [](Sent& sent) {
      int done = 0;
      MPI_Testall(static_cast<int>(sent.requests.size()), sent.requests.data(), &done, MPI_STATUSES_IGNORE);
      return done != 0;
    });
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kSize, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    const int from = status.MPI_SOURCE;
    long long size = 0;
    MPI_Recv(&size, 1, MPI_LONG_LONG, from, kSize, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::string message(static_cast<size_t>(size), '\0');
    for (size_t at = 0; at < message.size(); at += kPart) {
      MPI_Recv(message.data() + at, PartSize(message.size(), at), MPI_BYTE, from, kBytes, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    return std::pair(from, std::move(message));
  }

 private:
  static constexpr int kSize = 1, kBytes = 2;  // tags
  static constexpr size_t kPart = size_t{1} << 30;
  struct Sent {
    std::unique_ptr<std::string> bytes;  // where MPI reads until it is done
    std::unique_ptr<long long> size;
    std::vector<MPI_Request> requests;
  };
  static int PartSize(size_t size, size_t at) { return static_cast<int>(std::min(kPart, size - at)); }

  int rank_ = 0, size_ = 1;
  std::deque<Sent> sent_;
};

}  // namespace
}  // namespace hloir

// nullptr if MPI does not start or was started before.
extern "C" __attribute__((visibility("default"))) hloir::Transport* hloir_open_mpi() {
  int is_running = 0, provided = 0;
  MPI_Initialized(&is_running);
  if (is_running != 0 || MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED)
    return nullptr;
  return new hloir::MpiTransport;
}
