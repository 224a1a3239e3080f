// Sends and receives that no pairs are given for, of one device with itself, between programs, and with the host; by
// the reference evaluator and by the engine.
#include <algorithm>
#include <map>
#include <string>

#include "hloir/cost.h"
#include "hloir/runner.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

using Texts = std::vector<std::string>;

// Device d's x is 10 d + 1. Results, or the error, which both engines have in common.
Texts RunOn(std::vector<const HloModule*> programs, const DeviceCounts& counts, std::string* error = nullptr,
            const HostTransferHandler& host = nullptr) {
  std::vector<Literal> inputs;
  for (int64_t d = 0; d < counts.devices(); ++d) inputs.push_back(Literal::Scalar(PrimitiveType::S32, 10 * d + 1));
  std::vector<std::vector<const Literal*>> arguments;
  for (const Literal& x : inputs) arguments.push_back({&x});
  Texts texts[2];
  std::string errors[2];
  for (const Engine engine : {Engine::kReference, Engine::kFast}) {
    RunnerOptions options;
    options.engine = engine;
    options.threads = 2;
    options.devices = counts;
    options.host_transfer = host;
    const size_t at = engine == Engine::kFast;
    auto runner = Runner::Prepare(programs, options);
    REQUIRE(runner.status().message() == "");
    auto results = runner->RunOnAll(arguments);
    errors[at] = results.status().message();
    if (!results.ok()) continue;
    for (const Literal& result : *results) texts[at].push_back(result.ToString());
  }
  CHECK(errors[0] == errors[1]);
  CHECK(texts[0] == texts[1]);
  if (error != nullptr) *error = errors[0];
  else REQUIRE(errors[0] == "");
  return texts[0];
}

Texts RunText(const std::string& text, const DeviceCounts& counts, std::string* error = nullptr,
              const HostTransferHandler& host = nullptr) {
  INFO(text);
  const auto module = Parse(text);
  return RunOn({module.get()}, counts, error, host);
}

std::string Error(const std::string& text, const DeviceCounts& counts) {
  std::string error;
  RunText(text, counts, &error);
  return error;
}

// x is sent over one channel; the value received over the other is the result.
std::string Exchange(const std::string& send, const std::string& recv) {
  return "HloModule m\nENTRY e { x = s32[] parameter(0)\n t = token[] after-all()\n r = (s32[], u32[], token[]) "
         "recv(t)" +
         recv + "\n s = (s32[], u32[], token[]) send(x, t)" + send +
         "\n d = (s32[], token[]) recv-done(r), channel_id=1\n ROOT y = s32[] get-tuple-element(d), index=0\n"
         " u = token[] send-done(s), channel_id=1 }\n";
}

// Partition 0 goes one way, all others the other.
std::string ByPartition(const std::string& condition) {
  return "HloModule m\nsends { x = s32[] parameter(0)\n t = token[] after-all()\n s = (s32[], u32[], token[]) send(x, "
         "t), "
         "channel_id=3\n u = token[] send-done(s), channel_id=3\n ROOT n = s32[] negate(x) }\n"
         "receives { x = s32[] parameter(0)\n t = token[] after-all()\n r = (s32[], u32[], token[]) recv(t), "
         "channel_id=3\n"
         " d = (s32[], token[]) recv-done(r), channel_id=3\n ROOT y = s32[] get-tuple-element(d), index=0 }\n"
         "ENTRY e { x = s32[] parameter(0)\n p = u32[] partition-id()\n zero = u32[] constant(0)\n " +
         condition + "\n ROOT c = s32[] conditional(is, x, x), true_computation=sends, false_computation=receives }\n";
}

}  // namespace

TEST_CASE("a channel that no pairs are given for joins its two ends") {
  const std::string channel = ", channel_id=1", pairs = ", frontend_attributes={_xla_send_recv_source_target_pairs=";
  // If all send and receive, each sends to itself; also a module that runs on one device, and one that waits for its
  // own value before sending it.
  CHECK(RunText(Exchange(channel, channel), {1, 1}) == Texts{"1"});
  CHECK(RunText(Exchange(channel, channel), {1, 3}) == Texts{"1", "11", "21"});
  std::string waits_first = Exchange(channel, channel);
  const std::string root = " ROOT y = s32[] get-tuple-element(d), index=0\n";
  waits_first.replace(waits_first.find(root), root.size(), "");
  waits_first.insert(waits_first.find(" u = token"), " ROOT y = s32[] get-tuple-element(d), index=0\n");
  CHECK(RunText(waits_first, {1, 2}) == Texts{"1", "11"});
  // By shardings: partition 2 sends, partition 0 receives.
  const auto on = [&](int device) {
    const std::string d = "{maximal device=" + std::to_string(device) + "}";
    return channel + ", sharding={" + d + ", " + d + ", " + d + "}";
  };
  CHECK(RunText(Exchange(on(2), on(0)), {1, 3}) == Texts{"21", "0", "0"});
  CHECK(RunText(Exchange(on(1), on(0)), {2, 2}) == Texts{"11", "0", "31", "0"});
  CHECK(RunText(Exchange(on(1), on(0)), {2, 1}) == Texts{"11", "0"});
  CHECK(RunText(Exchange(on(1), on(0)), {1, 1}) == Texts{"1"});
  // By the branches that devices take.
  const std::string is_first = "is = pred[] compare(p, zero), direction=EQ";
  CHECK(RunText(ByPartition(is_first), {1, 2}) == Texts{"-1", "1"});
  CHECK(RunText(ByPartition(is_first), {2, 2}) == Texts{"-1", "1", "-21", "21"});
  // The pairs of the other end.
  CHECK(RunText(Exchange(channel, channel + pairs + "\"{{0,1},{1,2}}\"}"), {1, 3}) == Texts{"0", "1", "11"});

  CHECK(Error(ByPartition(is_first), {1, 3}) ==
        "s: over channel 3 devices 0 send and devices 1, 2 receive, and no _xla_send_recv_source_target_pairs says who "
        "to whom");
  CHECK(Error(ByPartition("is = pred[] compare(x, x), direction=EQ"), {1, 2})
            .ends_with("which devices come to it follows from data, and no _xla_send_recv_source_target_pairs says who "
                       "sends to whom"));
}

TEST_CASE("a done whose beginning is not its operand has its channel's") {
  // Device 0 sends x over channel 1, device 1 twice x over channel 2; the values in flight pass through a tuple.
  const std::string flight = "(s32[], u32[], token[])",
                    pairs = ", frontend_attributes={_xla_send_recv_source_target_pairs=",
                    one = ", channel_id=1" + pairs + "\"{{0,1}}\"}\n",
                    two = ", channel_id=2" + pairs + "\"{{1,0}}\"}\n";
  CHECK(
      RunText("HloModule m\nENTRY e { x = s32[] parameter(0)\n w = s32[] add(x, x)\n t = token[] after-all()\n send.1 "
              "= " +
                  flight + " send(x, t)" + one + " sent.1 = token[] send-done(send.1)" + one + " send.2 = " + flight +
                  " send(w, sent.1)" + two + " sent.2 = token[] send-done(send.2)" + two + " recv.1 = " + flight +
                  " recv(sent.2)" + one + " recv.2 = " + flight + " recv(sent.2)" + two + " both = (" + flight + ", " +
                  flight + ") tuple(recv.1, recv.2)\n in_flight = " + flight +
                  " get-tuple-element(both), index=1\n done.2 = (s32[], token[]) recv-done(in_flight), channel_id=2\n "
                  "done.1 = (s32[], token[]) recv-done(recv.1), channel_id=1\n y = s32[] get-tuple-element(done.2), "
                  "index=0\n z = s32[] get-tuple-element(done.1), index=0\n hundred = s32[] constant(100)\n h = s32[] "
                  "multiply(y, hundred)\n ROOT o = s32[] add(h, z) }\n",
              {1, 2}) == Texts{"2200", "1"});
}

TEST_CASE("a channel whose ends have other shapes") {
  const std::string channel = ", channel_id=1";
  std::string text = Exchange(channel, channel);
  for (const auto& [from, to] : {std::pair("r = (s32[]", "r = (f32[]"), std::pair("d = (s32[]", "d = (f32[]"),
                                 std::pair("y = s32[]", "y = f32[]")})
    text.replace(text.find(from), std::string(from).size(), to);
  CHECK(Error(text, {1, 1}) == "d: device 0 sends device 0 something of another shape");
}

TEST_CASE("what order a run takes lets devices send before they wait") {
  const auto module = Parse(
      "HloModule m\nENTRY e { x = s32[] parameter(0)\n t = token[] after-all()\n r = (s32[], u32[], token[]) recv(t), "
      "channel_id=1\n d = (s32[], token[]) recv-done(r), channel_id=1\n ROOT y = s32[] get-tuple-element(d), index=0\n"
      " s = (s32[], u32[], token[]) send(x, t), channel_id=1\n u = token[] send-done(s), channel_id=1 }\n");
  CHECK(RunOn({module.get()}, {1, 1}) == Texts{"1"});
  std::map<std::string, size_t> place;
  for (const HloInstruction* i : OrderOfRun(*module->entry_computation()))
    place.emplace(std::string(i->name()), place.size());
  CHECK(place.size() == 7);
  CHECK(place.at("s") < place.at("d"));
  CHECK(place.at("u") < place.at("d"));
  CHECK(place.at("d") < place.at("y"));
}

TEST_CASE("programs of their own meet at channels") {
  const std::string add = "add { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT s = s32[] add(a, b) }\n";
  const std::string sum =
      " all-reduce(v), channel_id=9, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add }\n";
  // One sends a value that the other doubles and sends back; then both sum their values.
  const auto one = Parse("HloModule one\n" + add +
                         "ENTRY e { x = s32[] parameter(0)\n t = token[] after-all()\n s = (s32[], u32[], token[]) "
                         "send(x, t), channel_id=1\n u = token[] send-done(s), channel_id=1\n r = (s32[], u32[], "
                         "token[]) recv(u), channel_id=2\n d = (s32[], token[]) recv-done(r), channel_id=2\n v = s32[] "
                         "get-tuple-element(d), index=0\n ROOT q = s32[]" +
                         sum);
  const auto two =
      Parse("HloModule two\n" + add +
            "ENTRY e { v = s32[] parameter(0)\n t = token[] after-all()\n r = (s32[], u32[], token[]) "
            "recv(t), channel_id=1\n d = (s32[], token[]) recv-done(r), channel_id=1\n y = s32[] "
            "get-tuple-element(d), index=0\n w = s32[] add(y, y)\n s = (s32[], u32[], token[]) send(w, t), "
            "channel_id=2\n u = token[] send-done(s), channel_id=2\n ROOT q = s32[]" +
            sum);
  CHECK(RunOn({one.get(), two.get()}, {1, 2}) == Texts{"13", "13"});
  std::string error;
  RunOn({two.get(), two.get()}, {1, 2}, &error);
  CHECK(error == "r: no send has channel 1: its other end is in another program");
  const auto without = Parse("HloModule w\n" + add +
                             "ENTRY e { v = s32[] parameter(0)\n ROOT q = s32[] all-reduce(v), replica_groups={}, "
                             "to_apply=add }\n");
  RunOn({without.get(), without.get()}, {1, 2}, &error);
  CHECK(error == "q: a collective of several programs needs a channel_id");
}

TEST_CASE("the host's side of transfers is the caller's") {
  const std::string with_host = ", is_host_transfer=true";
  std::string text = Exchange(", channel_id=1" + with_host, ", channel_id=2" + with_host);
  text.replace(text.find("recv-done(r), channel_id=1"), 26, "recv-done(r), channel_id=2" + with_host);
  text.replace(text.find("send-done(s), channel_id=1"), 26, "send-done(s), channel_id=1" + with_host);
  CHECK(Error(text, {1, 1}) == "s: sends to the host, and no host transfers were given");
  CHECK(Error(text, {1, 2}) == "s: sends to the host, and no host transfers were given");
  std::map<int64_t, int64_t> sent;
  const HostTransferHandler host = [&](const HostTransfer& transfer) -> StatusOr<Literal> {
    CHECK(transfer.instruction.opcode() == (transfer.sent != nullptr ? HloOpcode::kSend : HloOpcode::kRecv));
    CHECK(transfer.channel == (transfer.sent != nullptr ? 1 : 2));
    if (transfer.sent != nullptr) sent[transfer.device] = transfer.sent->GetAsInt64(0);
    return Literal::Scalar(PrimitiveType::S32, 100 + transfer.device);
  };
  CHECK(RunText(text, {1, 1}, nullptr, host) == Texts{"100"});
  CHECK(sent == std::map<int64_t, int64_t>{{0, 1}});
  CHECK(RunText(text, {1, 2}, nullptr, host) == Texts{"100", "101"});
  CHECK(sent == std::map<int64_t, int64_t>{{0, 1}, {1, 11}});
  std::string error;
  RunText(text, {1, 1}, &error,
          [](const HostTransfer&) -> StatusOr<Literal> { return Literal::Scalar(PrimitiveType::F32, 1.0f); });
  CHECK(error == "r is given f32[], not s32[]");
  // Of a transfer that one device alone is to make.
  sent.clear();
  std::string owned = text;
  for (const char* begin : {"recv(t)", "send(x, t)"}) {
    const size_t at = owned.find('\n', owned.find(begin));
    owned.insert(at, ", sharding={{maximal device=1}, {maximal device=1}, {maximal device=1}}");
  }
  CHECK(RunText(owned, {1, 2}, nullptr, host) == Texts{"0", "101"});
  CHECK(sent == std::map<int64_t, int64_t>{{1, 11}});
  // Of replicas, the replica.
  sent.clear();
  CHECK(RunText(owned, {2, 1}, nullptr, host) == Texts{"0", "101"});
  CHECK(sent == std::map<int64_t, int64_t>{{1, 11}});
  // The other end of a channel may be in a program that is not there.
  const std::string alone =
      "HloModule m\nENTRY e { x = s32[] parameter(0)\n t = token[] after-all()\n s = (s32[], u32[], token[]) send(x, "
      "t), "
      "channel_id=1\n ROOT u = token[] send-done(s), channel_id=1 }\n";
  CHECK(Error(alone, {1, 1}) == "s: no recv has channel 1: its other end is in another program");
  sent.clear();
  RunText(alone, {1, 1}, nullptr, host);
  CHECK(sent == std::map<int64_t, int64_t>{{0, 1}});
}

namespace {

std::unique_ptr<HloModule> Partitioned(const std::string& text) {
  auto module = Parse(text);
  const std::vector<std::string> names = {"sharding-propagation", "spmd-partitioning", "dce"};
  StatusOr<HloPassPipeline> pipeline = MakePipeline(names, {});
  REQUIRE(pipeline.ok());
  CHECK(pipeline->RunOnce(*module).status().message() == "");
  CHECK(VerifyModule(*module).message() == "");
  return module;
}

}  // namespace

TEST_CASE("what one device sends or receives is so after partitioning, and told the others") {
  const std::string text =
      "HloModule m, num_partitions=2\nENTRY e { x = s32[] parameter(0), sharding={replicated}\n t = token[] "
      "after-all()\n"
      " s = (s32[], u32[], token[]) send(x, t), channel_id=1, sharding={{maximal device=0}, {maximal device=0}, "
      "{maximal "
      "device=0}}\n r = (s32[], u32[], token[]) recv(t), channel_id=1, sharding={{maximal device=1}, {maximal "
      "device=1}, "
      "{maximal device=1}}\n d = (s32[], token[]) recv-done(r), channel_id=1, sharding={{maximal device=1}, {maximal "
      "device=1}}\n u = token[] send-done(s), channel_id=1\n y = s32[] get-tuple-element(d), index=0\n ROOT z = s32[] "
      "add(x, y), sharding={replicated} }\n";
  const auto module = Partitioned(text);
  CHECK(RunOn({module.get()}, {1, 2}) == Texts{"2", "12"});
}

TEST_CASE("feeds go in parts after partitioning, and one device's are told the others") {
  const auto module = Partitioned(R"(HloModule feeds, num_partitions=2
ENTRY main {
  t = token[] after-all()
  in = (f32[4,2], token[]) infeed(t), sharding={{devices=[2,1]<=[2]}, {maximal device=0}}
  x = f32[4,2] get-tuple-element(in), index=0
  next = token[] get-tuple-element(in), index=1
  one = (f32[2], token[]) infeed(next), sharding={{maximal device=1}, {maximal device=1}}
  y = f32[2] get-tuple-element(one), index=0
  u = token[] get-tuple-element(one), index=1
  b = f32[4,2] broadcast(y), dimensions={1}
  z = f32[4,2] add(x, b), sharding={devices=[2,1]<=[2]}
  out = token[] outfeed(z, u), outfeed_shape=f32[4,2], sharding={devices=[2,1]<=[2]}
  ROOT last = token[] outfeed(y, out), outfeed_shape=f32[2], sharding={maximal device=0}
})");
  for (const Engine engine : {Engine::kReference, Engine::kFast}) {
    Texts fed, taken;
    RunnerOptions options;
    options.engine = engine;
    options.devices = {1, 2};
    // A half is full of ones and the one device's feed of tens, in whatever order they are asked for.
    options.infeed = [&](const Shape& shape) -> StatusOr<Literal> {
      fed.push_back(shape.ToString(false));
      Literal value(shape);
      for (int64_t i = 0; i < value.element_count(); ++i) value.SetFromDouble(i, shape.rank() == 1 ? 10 : 1);
      return value;
    };
    options.outfeed = [&](const Literal& value) {
      taken.push_back(value.shape().ToString(false) + " " + value.ToString());
      return OkStatus();
    };
    auto runner = Runner::Prepare(*module, options);
    REQUIRE(runner.status().message() == "");
    const std::vector<std::vector<const Literal*>> arguments(2);
    CHECK(runner->RunOnAll(arguments).status().message() == "");
    std::sort(fed.begin(), fed.end());
    std::sort(taken.begin(), taken.end());
    CHECK(fed == Texts{"f32[2,2]", "f32[2,2]", "f32[2]"});
    const std::string half = "f32[2,2] { { 11, 11 }, { 11, 11 } }";
    CHECK(taken == Texts{half, half, "f32[2] {10, 10}"});
  }
}
