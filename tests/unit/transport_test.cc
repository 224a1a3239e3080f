// transport.h and executable.h: devices spread over processes give the same bits and the same errors as in one; here
// the processes are threads, and queues carry the messages, some of them late. tests/cli/mpi.test has real processes.
// And values that lie in files.
#include "hloir/executable.h"

#include <unistd.h>

#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "hloir/parser.h"
#include "tests/unit/catch.h"

using namespace hloir;

namespace {

// The messages sent and not yet received, for each pair. Every third poll finds none, so that messages overtake those
// of other senders.
struct Post {
  std::mutex mutex;
  std::vector<std::vector<std::deque<std::string>>> boxes;  // [to][from]
  explicit Post(size_t size) : boxes(size, std::vector<std::deque<std::string>>(size)) {}
};

class QueueTransport : public Transport {
 public:
  QueueTransport(Post& post, int rank) : post_(post), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(post_.boxes.size()); }
  void Send(int to, std::string message) override {
    std::lock_guard lock(post_.mutex);
    post_.boxes[static_cast<size_t>(to)][static_cast<size_t>(rank_)].push_back(std::move(message));
  }
  std::optional<std::pair<int, std::string>> Receive() override {
    std::lock_guard lock(post_.mutex);
    const size_t size = post_.boxes.size();
    if (++looks_ % 3 == 0) return std::nullopt;
    for (size_t k = 0; k < size; ++k) {
      const size_t from = (looks_ / 3 + k) % size;
      std::deque<std::string>& box = post_.boxes[static_cast<size_t>(rank_)][from];
      if (box.empty()) continue;
      std::pair<int, std::string> message(static_cast<int>(from), std::move(box.front()));
      box.pop_front();
      return message;
    }
    return std::nullopt;
  }

 private:
  Post& post_;
  const int rank_;
  size_t looks_ = 0;
};

struct RunOutcome {
  std::string error;
  std::vector<std::string> results;
};

// Prepares and runs twice, in so many processes; device d's x is {d, d + 1}. Returns the result of process 0; the
// others must have the same errors.
RunOutcome RunIn(int processes, const HloModule& module, const std::string& spill = "",
                 const HloModule* of_last = nullptr) {
  const DeviceCounts counts = DeviceCountsOf(module);
  Post post(static_cast<size_t>(processes));
  std::vector<RunOutcome> outcomes(static_cast<size_t>(processes));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < processes; ++rank) {
    threads.emplace_back([&, rank] {
      QueueTransport transport(post, rank);
      ExecutableOptions options;
      options.threads = 2;
      if (processes > 1) options.transport = &transport;
      options.spill_folder = spill;
      std::vector<Literal> inputs;
      std::vector<std::vector<const Literal*>> arguments;
      for (int64_t d = 0; d < counts.devices(); ++d) {
        Literal& x = inputs.emplace_back(Shape::Array(PrimitiveType::F32, {2}));
        x.SetFromDouble(0, static_cast<double>(d)), x.SetFromDouble(1, static_cast<double>(d) + 1);
      }
      for (const Literal& x : inputs) arguments.push_back({&x});
      RunOutcome& outcome = outcomes[static_cast<size_t>(rank)];
      const bool is_last = rank + 1 == processes && of_last != nullptr;
      auto executable = PrepareOnDevices(is_last ? *of_last : module, counts, options);
      outcome.error = executable.status().message();
      for (int run = 0; executable.ok() && run < 2; ++run) {
        const auto results = (*executable)->Run(arguments);
        outcome.error = results.status().message();
        outcome.results.clear();
        for (size_t d = 0; results.ok() && d < results->size(); ++d)
          outcome.results.push_back((*results)[d].ToString());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const RunOutcome& outcome : outcomes) CHECK(outcome.error == outcomes[0].error);
  return outcomes[0];
}

std::unique_ptr<HloModule> Parse(const std::string& body, const std::string& before = "", int partitions = 5) {
  auto module = ParseModule("HloModule m, num_partitions=" + std::to_string(partitions) +
                            "\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n" +
                            before + "ENTRY e {\n x = f32[2] parameter(0)\n" + body + "}\n");
  REQUIRE(module.status().message() == "");
  return std::move(*module);
}

// Reductions whose groups lie in one process and in several, a gather, a ring of sends, a loop of permutes.
const std::string kMuch =
    " a = f32[2] all-reduce(x), replica_groups={{0,1,2,3,4}}, channel_id=1, use_global_device_ids=true, to_apply=add\n"
    " b = f32[2] all-reduce(x), replica_groups={{0,1},{4,2,3}}, channel_id=2, use_global_device_ids=true, "
    "to_apply=add\n"
    " g = f32[10] all-gather(b), dimensions={0}, replica_groups={{3,1,2,0,4}}, channel_id=3, "
    "use_global_device_ids=true\n"
    " t = token[] after-all()\n r = (f32[2], u32[], token[]) recv(t), channel_id=4, "
    "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,3},{3,4},{4,0}}\"}\n"
    " s = (f32[2], u32[], token[]) send(a, t), channel_id=4, "
    "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,3},{3,4},{4,0}}\"}\n"
    " d = (f32[2], token[]) recv-done(r), channel_id=4\n o = f32[2] get-tuple-element(d), index=0\n"
    " u = token[] send-done(s), channel_id=4\n z = s32[] constant(0)\n i = (s32[], f32[2]) tuple(z, x)\n"
    " w = (s32[], f32[2]) while(i), condition=on, body=body\n v = f32[2] get-tuple-element(w), index=1\n"
    " ROOT c = (f32[2], f32[10], f32[2], f32[2]) tuple(a, g, o, v)\n";
const std::string kLoop =
    "body { t = (s32[], f32[2]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n x = f32[2] "
    "get-tuple-element(t), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"
    " y = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,0}}, channel_id=5\n"
    " ROOT r = (s32[], f32[2]) tuple(j, y) }\non { t = (s32[], f32[2]) parameter(0)\n i = s32[] get-tuple-element(t), "
    "index=0\n n = s32[] constant(13)\n ROOT c = pred[] compare(i, n), direction=LT }\n";

}  // namespace

TEST_CASE("devices in several processes compute what they do in one") {
  const auto module = Parse(kMuch, kLoop);
  const RunOutcome one = RunIn(1, *module);
  REQUIRE(one.error == "");
  REQUIRE(one.results.size() == 5);
  CHECK(one.results[3].find("{0, 1}") != std::string::npos);  // 13 places on, in a ring of five
  for (int processes : {2, 3, 5, 7}) {                        // of seven two have no device
    const RunOutcome several = RunIn(processes, *module);
    CHECK(several.error == "");
    CHECK(several.results == one.results);
  }
}

TEST_CASE("who waits in vain is named, in whatever process it is") {
  // Device 3 goes another way; the others reduce with it.
  const auto module = Parse(
      " p = u32[] partition-id()\n three = u32[] constant(3)\n is = pred[] compare(p, three), direction=EQ\n"
      " ROOT c = f32[2] conditional(is, x, x), true_computation=keep, false_computation=sum\n",
      "sum { x = f32[2] parameter(0)\n ROOT r = f32[2] all-reduce(x), replica_groups={{0,1,2,3,4}}, channel_id=1, "
      "use_global_device_ids=true, to_apply=add }\nkeep { ROOT x = f32[2] parameter(0) }\n");
  for (int processes : {1, 2, 5})
    CHECK(RunIn(processes, *module).error ==
          "r: deadlock: 4 of 5 devices wait here (0, 1, 2, 4) for others that never come (3)");
  // Of two transfers between the same devices each receives before it sends.
  const auto stuck = Parse(
      " t = token[] after-all()\n r = (f32[2], u32[], token[]) recv(t), channel_id=1, "
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}\n"
      " d = (f32[2], token[]) recv-done(r), channel_id=1\n u = token[] get-tuple-element(d), index=1\n y = f32[2] "
      "get-tuple-element(d), index=0\n s = (f32[2], u32[], token[]) send(y, u), channel_id=1, "
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}\n"
      " v = token[] send-done(s), channel_id=1\n ROOT n = f32[2] negate(y)\n",
      "", 2);
  for (int processes : {1, 2})
    CHECK(RunIn(processes, *stuck).error == "d: deadlock: 1 of 2 devices wait here (1) for others that never come (0)");
}

TEST_CASE("one device's mistake is everybody's, and so is another module") {
  const auto module = Parse(
      " ROOT r = f32[2] all-reduce(x), replica_groups={{0,1,2,3}}, channel_id=1, "
      "use_global_device_ids=true, to_apply=add\n");
  for (int processes : {1, 3}) CHECK(RunIn(processes, *module).error == "r: device 4 is in no group");
  const auto other = Parse(" ROOT r = f32[2] negate(x)\n");
  CHECK(RunIn(2, *module, "", other.get()).error == "device 2 has another module than device 0");
}

TEST_CASE("values and exchanges may lie on disk") {
  const auto module = Parse(kMuch, kLoop);
  const RunOutcome one = RunIn(1, *module);
  CHECK(RunIn(1, *module, "/tmp").results == one.results);
  CHECK(RunIn(2, *module, "/tmp").results == one.results);
  CHECK(RunIn(1, *module, "/nonexistent").error.find("no file can be made in /nonexistent") == 0);
}

TEST_CASE("what does not fit into memory is refused with the numbers") {
  // Sorted rows are 8 GB of values on each device, with no page touched yet.
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t devices = memory / 8'000'000'000 + 2;
  const std::string count = std::to_string(devices);
  const auto module = ParseModule(
      "HloModule m, num_partitions=" + count +
      "\nless { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] "
      "compare(a, b), direction=LT }\nENTRY e { i = f32[1000,1000000] iota(), iota_dimension=1\n s = "
      "f32[1000,1000000] sort(i), dimensions={1}, to_apply=less\n ROOT r = f32[1,1] slice(s), slice={[0:1],[0:1]} }\n");
  REQUIRE(module.ok());
  const auto refused = PrepareOnDevices(**module, {1, devices});
  CHECK(refused.status().code() == StatusCode::kResourceExhausted);
  const std::string message(refused.status().message());
  INFO(message);
  CHECK(message.find(count + " devices take ") == 0);
  CHECK(message.find("for values and 0.0 GB for results each, and this machine has ") != std::string::npos);
}
