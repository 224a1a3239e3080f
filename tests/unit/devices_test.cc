// evaluator.h and executable.h, several devices: every collective, in every sense that its groups may have, by the
// reference evaluator and by the engine.
#include "hloir/evaluator.h"
#include "hloir/executable.h"

#include <string>

#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

const std::string kAdd = "add { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT s = s32[] add(a, b) }\n";

// By one way or the other.
StatusOr<std::vector<Literal>> Run(const HloModule& module, const DeviceCounts& counts,
                                   const std::vector<std::vector<const Literal*>>& arguments, bool fast,
                                   const EvaluatorOptions& evaluator = {}) {
  if (!fast) return RunOnDevices(module, counts, arguments, evaluator);
  ExecutableOptions options;
  options.threads = 3;  // fewer than devices, and more than one
  options.evaluator = evaluator;
  auto executable = PrepareOnDevices(module, counts, options);
  if (!executable.ok()) return executable.status();
  auto first = (*executable)->Run(arguments);
  const auto again = (*executable)->Run(arguments);  // nothing stays of a run, not even of one that failed
  CHECK(first.status().message() == again.status().message());
  if (!first.ok() || !again.ok()) return first;
  for (size_t d = 0; d < first->size(); ++d) CHECK((*first)[d].ToString() == (*again)[d].ToString());
  return first;
}

// Runs `body` on replicas x partitions devices; device d's x is {10 d, 10 d + 1, …}. The results as text, one a device.
std::vector<std::string> Results(const DeviceCounts& counts, int64_t elements, const std::string& body,
                                 std::string* error = nullptr) {
  const auto module = Parse("HloModule m\n" + kAdd + "ENTRY e {\n x = s32[" + std::to_string(elements) +
                            "] parameter(0)\n" + body + "\n}\n");
  INFO(body);
  std::vector<Literal> inputs;
  std::vector<std::vector<const Literal*>> arguments;
  for (int64_t d = 0; d < counts.devices(); ++d) {
    Literal& x = inputs.emplace_back(Shape::Array(PrimitiveType::S32, {elements}));
    for (int64_t i = 0; i < elements; ++i) x.SetFromInt64(i, 10 * d + i);
  }
  for (const Literal& x : inputs) arguments.push_back({&x});
  std::vector<std::string> texts[2];
  std::string errors[2];
  for (const bool fast : {false, true}) {
    const auto results = Run(*module, counts, arguments, fast);
    errors[fast] = results.status().message();
    if (results.ok())
      for (const Literal& result : *results) texts[fast].push_back(result.ToString());
  }
  CHECK(errors[0] == errors[1]);
  CHECK(texts[0] == texts[1]);
  if (error != nullptr) *error = errors[0];
  else REQUIRE(errors[0] == "");
  return texts[0];
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("who takes part in a reduction") {
  const std::string start = " ROOT r = s32[1] all-reduce(x), to_apply=add, ";
  // Two replicas of two partitions: devices 0 1 | 2 3 have 0 10 | 20 30.
  CHECK(Results({2, 2}, 1, start + "replica_groups={}") == Texts{"{20}", "{40}", "{20}", "{40}"});
  CHECK(Results({2, 2}, 1, start + "replica_groups={{0,1}}") == Texts{"{20}", "{40}", "{20}", "{40}"});
  CHECK(Results({2, 2}, 1, start + "replica_groups={{0},{1}}, channel_id=1") == Texts{"{10}", "{10}", "{50}", "{50}"});
  CHECK(Results({2, 2}, 1, start + "replica_groups={}, channel_id=1") == Texts{"{60}", "{60}", "{60}", "{60}"});
  CHECK(Results({2, 2}, 1, start + "replica_groups={{0,3},{1,2}}, channel_id=1, use_global_device_ids=true") ==
        Texts{"{30}", "{30}", "{30}", "{30}"});
  CHECK(Results({1, 4}, 1, start + "replica_groups=[2,2]<=[4], channel_id=1, use_global_device_ids=true") ==
        Texts{"{10}", "{10}", "{50}", "{50}"});
  CHECK(Results({1, 4}, 1, start + "replica_groups=[2,2]<=[2,2]T(1,0), channel_id=1, use_global_device_ids=true") ==
        Texts{"{20}", "{40}", "{20}", "{40}"});
}

TEST_CASE("what each device gets") {
  CHECK(Results({1, 3}, 2,
                " ROOT r = s32[6] all-gather(x), dimensions={0}, replica_groups={{0,2,1}}, channel_id=1, "
                "use_global_device_ids=true") == Texts(3, "{0, 1, 20, 21, 10, 11}"));
  CHECK(Results({1, 2}, 4,
                " ROOT r = s32[2] reduce-scatter(x), dimensions={0}, replica_groups={{0,1}}, channel_id=1, "
                "use_global_device_ids=true, to_apply=add") == Texts{"{10, 12}", "{14, 16}"});
  CHECK(Results({2, 1}, 4, " ROOT r = s32[4] all-to-all(x), dimensions={0}, replica_groups={}") ==
        Texts{"{0, 1, 10, 11}", "{2, 3, 12, 13}"});
  CHECK(Results({2, 1}, 1,
                " y = s32[1] negate(x)\n t = (s32[1], s32[1]) all-to-all(x, y), replica_groups={}\n a = s32[1] "
                "get-tuple-element(t), index=0\n"
                " b = s32[1] get-tuple-element(t), index=1\n ROOT c = s32[2] concatenate(a, b), dimensions={0}") ==
        Texts{"{0, 10}", "{0, -10}"});
  // Of partitions, with a channel; device 0 is sent nothing.
  CHECK(Results({1, 3}, 1, " ROOT r = s32[1] collective-permute(x), source_target_pairs={{0,1},{1,2}}, channel_id=1") ==
        Texts{"{0}", "{0}", "{10}"});
  CHECK(Results({2, 2}, 1, " ROOT r = s32[1] collective-permute(x), source_target_pairs={{0,1}}, channel_id=1") ==
        Texts{"{0}", "{0}", "{0}", "{20}"});
  CHECK(Results({2, 2}, 1, " ROOT r = s32[1] collective-permute(x), source_target_pairs={{0,1},{1,0}}") ==
        Texts{"{20}", "{30}", "{0}", "{10}"});
  CHECK(Results({3, 1}, 1, " ROOT r = s32[1] collective-broadcast(x), replica_groups={{1,0}}") ==
        Texts{"{10}", "{10}", "{0}"});
  CHECK(Results({2, 2}, 1,
                " p = u32[] partition-id()\n r = u32[] replica-id()\n n = u32[] constant(10)\n m = u32[] multiply(r, "
                "n)\n ROOT s = u32[] add(m, p)") == Texts{"0", "1", "10", "11"});
}

TEST_CASE("one device sends, another receives") {
  // All begin to receive before anybody sends; with a channel the pairs are partitions, of each replica.
  const std::string ring =
      " t = token[] after-all()\n r = (s32[1], u32[], token[]) recv(t), channel_id=1PAIRS\n s = (s32[1], u32[], "
      "token[]) "
      "send(x, t), channel_id=1PAIRS\n d = (s32[1], token[]) recv-done(r), channel_id=1\n y = s32[1] "
      "get-tuple-element(d), index=0\n u = token[] send-done(s), channel_id=1\n ROOT z = s32[1] negate(y)";
  const auto with = [&](const std::string& pairs, const std::string& channel = "1") {
    std::string text = ring;
    const std::string attribute = ", frontend_attributes={_xla_send_recv_source_target_pairs=\"" + pairs + "\"}";
    for (size_t at = 0; (at = text.find("PAIRS")) != std::string::npos;) text.replace(at, 5, attribute);
    for (size_t at = 0; (at = text.find("channel_id=1", at)) != std::string::npos; ++at)
      text.replace(at, 12, "channel_id=" + channel);
    return text;
  };
  CHECK(Results({1, 3}, 1, with("{{0,1},{1,2},{2,0}}")) == Texts{"{-20}", "{0}", "{-10}"});
  CHECK(Results({1, 3}, 1, with("{{0,1},{0,2}}")) == Texts{"{0}", "{0}", "{0}"});
  CHECK(Results({2, 2}, 1, with("{{1,0}}")) == Texts{"{-10}", "{0}", "{-30}", "{0}"});
  CHECK(Results({2, 2}, 1, with("{{1,0}}", "0")) == Texts{"{-20}", "{-30}", "{0}", "{0}"});
  CHECK(Results({3, 1}, 1, with("{{2,2},{0,1}}")) == Texts{"{0}", "{0}", "{-20}"});
  // Three iterations of a loop that receives the value sent in the previous iteration.
  const auto module = Parse(
      "HloModule m, num_partitions=2\nbody { t = (s32[], s32[], (s32[], u32[], token[])) parameter(0)\n i = s32[] "
      "get-tuple-element(t), index=0\n f = (s32[], u32[], token[]) get-tuple-element(t), index=2\n d = (s32[], "
      "token[]) "
      "recv-done(f), channel_id=5\n x = s32[] get-tuple-element(d), index=0\n o = token[] get-tuple-element(d), "
      "index=1\n"
      " one = s32[] constant(1)\n j = s32[] add(i, one)\n y = s32[] add(x, one)\n s = (s32[], u32[], token[]) send(y, "
      "o), "
      "channel_id=5, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}\n q = token[] "
      "send-done(s), channel_id=5\n r = (s32[], u32[], token[]) recv(q), channel_id=5, "
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}\n ROOT w = (s32[], s32[], (s32[], "
      "u32[], token[])) tuple(j, y, r) }\non { t = (s32[], s32[], (s32[], u32[], token[])) parameter(0)\n i = s32[] "
      "get-tuple-element(t), index=0\n n = s32[] constant(3)\n ROOT c = pred[] compare(i, n), direction=LT }\n"
      "ENTRY e { p = u32[] partition-id()\n ten = u32[] constant(10)\n m = u32[] multiply(p, ten)\n x = s32[] "
      "convert(m)\n"
      " a = token[] after-all()\n s = (s32[], u32[], token[]) send(x, a), channel_id=5, "
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}\n q = token[] send-done(s), "
      "channel_id=5\n"
      " r = (s32[], u32[], token[]) recv(q), channel_id=5, "
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}\n z = s32[] constant(0)\n"
      " t = (s32[], s32[], (s32[], u32[], token[])) tuple(z, z, r)\n w = (s32[], s32[], (s32[], u32[], token[])) "
      "while(t), "
      "condition=on, body=body\n f = (s32[], u32[], token[]) get-tuple-element(w), index=2\n d = (s32[], token[]) "
      "recv-done(f), channel_id=5\n ROOT g = s32[] get-tuple-element(d), index=0 }\n");
  const std::vector<std::vector<const Literal*>> none(2);
  for (const bool fast : {false, true}) {
    const auto results = Run(*module, {1, 2}, none, fast);
    REQUIRE(results.status().message() == "");
    CHECK((*results)[0].GetAsInt64(0) == 3);  // sent four times, one more in each of three rounds
    CHECK((*results)[1].GetAsInt64(0) == 13);
  }
}

TEST_CASE("in place, and from a root that the devices know") {
  // Device 0 sends elements 1 and 2 of its x to elements 2 and 3 of device 1's buffer, all -1.
  CHECK(
      Results({1, 2}, 4,
              " minus = s32[] constant(-1)\n out = s32[4] broadcast(minus), dimensions={}\n one = s32[] constant(1)\n "
              "two = s32[] constant(2)\n a = (s32[]) tuple(one)\n b = (s32[]) tuple(two)\n ROOT r = s32[4] "
              "collective-permute(x, out, a, b), source_target_pairs={{0,1}}, channel_id=1, slice_sizes={{2}}") ==
      Texts{"{-1, -1, -1, -1}", "{-1, -1, 1, 2}"});
  // Two slices of the one buffer.
  CHECK(
      Results({1, 2}, 4,
              " minus = s32[] constant(-1)\n out = s32[4] broadcast(minus), dimensions={}\n zero = s32[] constant(0)\n "
              "three = s32[] constant(3)\n a = (s32[]) tuple(zero)\n b = (s32[]) tuple(three)\n f = ((s32[]), (s32[])) "
              "tuple(a, b)\n t = ((s32[]), (s32[])) tuple(b, a)\n ROOT r = s32[4] collective-permute(x, out, f, t), "
              "source_target_pairs={{0,1},{1,0}}, channel_id=1, slice_sizes={{1},{1}}") ==
      Texts{"{13, -1, -1, 10}", "{3, -1, -1, 0}"});
  CHECK(
      Results({3, 1}, 1,
              " root = s32[1] constant({2})\n ROOT r = s32[1] collective-broadcast(x, root), replica_groups={{0,1,2}}, "
              "has_dynamic_root=true") == Texts{"{20}", "{20}", "{20}"});
  CHECK(Results({3, 1}, 1,
                " root = s32[2] constant({2, 1})\n both = (s32[1], s32[1]) collective-broadcast(x, x, root), "
                "replica_groups={{0,1,2}}, has_dynamic_root=true\n a = s32[1] get-tuple-element(both), index=0\n b = "
                "s32[1] get-tuple-element(both), index=1\n ROOT r = s32[1] subtract(a, b)") ==
        Texts{"{10}", "{10}", "{10}"});
  std::string error;
  Results({2, 1}, 1,
          " p = u32[] replica-id()\n s = s32[] convert(p)\n root = s32[1] reshape(s)\n ROOT r = s32[1] "
          "collective-broadcast(x, root), "
          "replica_groups={{0,1}}, has_dynamic_root=true",
          &error);
  CHECK(error == "r: devices name different roots: 0 and 1");
}

TEST_CASE("rows of different numbers to each") {
  // Device 0 sends row 0 to itself and row 1 to device 1; that sends rows 1 and 2 to device 0 and row 0 to itself.
  const std::string sizes =
      " r = u32[] replica-id()\n z = u32[] constant(0)\n first = pred[] compare(r, z), direction=EQ\n a = s32[2] "
      "constant({0, 1})\n b = s32[2] constant({1, 0})\n"
      " from = s32[2] select(first, a, b)\n sa = s32[2] constant({1, 1})\n sb = s32[2] constant({2, 1})\n send = "
      "s32[2] select(first, sa, sb)\n"
      " ta = s32[2] constant({0, 1})\n tb = s32[2] constant({1, 0})\n to = s32[2] select(first, ta, tb)\n out = s32[4] "
      "broadcast(minus), dimensions={}\n";
  CHECK(Results({2, 1}, 4,
                " minus = s32[] constant(-1)\n" + sizes +
                    " ROOT g = s32[4] ragged-all-to-all(x, out, from, send, to, send), replica_groups={{0,1}}") ==
        Texts{"{0, 11, 12, -1}", "{10, 1, -1, -1}"});
}

TEST_CASE("in two halves, in loops and in branches") {
  CHECK(
      Results(
          {1, 2}, 1,
          " s = s32[1] all-reduce-start(x), to_apply=add, replica_groups={}, channel_id=1\n d = s32[1] "
          "all-reduce-done(s)\n"
          " g = (s32[1], s32[2]) all-gather-start(d), dimensions={0}, replica_groups={}, channel_id=2\n h = s32[2] "
          "all-gather-done(g)\n"
          " p = (s32[2], s32[2], u32[], u32[]) collective-permute-start(h), source_target_pairs={{1,0}}, channel_id=3\n"
          " ROOT q = s32[2] collective-permute-done(p)") == Texts{"{10, 10}", "{0, 0}"});
  // A ring: after three steps on four devices each has the value from three positions before.
  const auto module = Parse(
      "HloModule m, num_partitions=4\nbody { t = (s32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(t), "
      "index=0\n"
      " x = s32[] get-tuple-element(t), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"
      " y = s32[] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}, channel_id=1\n ROOT r = "
      "(s32[], s32[]) tuple(j, y) }\n"
      "on { t = (s32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] constant(3)\n ROOT c "
      "= pred[] compare(i, n), direction=LT }\n"
      "ENTRY e { p = u32[] partition-id()\n x = s32[] convert(p)\n z = s32[] constant(0)\n t = (s32[], s32[]) tuple(z, "
      "x)\n"
      " w = (s32[], s32[]) while(t), condition=on, body=body\n ROOT r = s32[] get-tuple-element(w), index=1 }\n");
  CHECK(DeviceCountsOf(*module).partitions == 4);
  CHECK(UsesDevices(*module));
  const std::vector<std::vector<const Literal*>> none(4);
  for (const bool fast : {false, true}) {
    const auto results = Run(*module, DeviceCountsOf(*module), none, fast);
    REQUIRE(results.ok());
    for (int64_t d = 0; d < 4; ++d) CHECK((*results)[static_cast<size_t>(d)].GetAsInt64(0) == (d + 1) % 4);
  }
}

TEST_CASE("devices that wait in vain, and other mistakes") {
  std::string error;
  // Only device 0 takes the branch with the reduction.
  const auto module =
      Parse("HloModule m\n" + kAdd +
            "sum { a = s32[] parameter(0)\n ROOT r = s32[] all-reduce(a), to_apply=add, replica_groups={} }\n"
            "keep { ROOT a = s32[] parameter(0) }\nENTRY e { r = u32[] replica-id()\n x = s32[] convert(r)\n"
            " ROOT c = s32[] conditional(x, x, x), branch_computations={sum, keep} }\n");
  const std::vector<std::vector<const Literal*>> two(2), three(3);
  for (const bool fast : {false, true}) {
    auto stuck = Run(*module, {2, 1}, two, fast);
    CHECK(stuck.status().code() == StatusCode::kInvalidArgument);
    CHECK(stuck.status().message() == "r: deadlock: 1 of 2 devices wait here (0) for others that never come (1)");
    CHECK(Run(*module, {2, 1}, three, fast).status().code() == StatusCode::kInvalidArgument);
    CHECK(Run(*module, {int64_t{1} << 40, int64_t{1} << 40}, two, fast).status().code() ==
          StatusCode::kResourceExhausted);
  }
  Results({2, 1}, 1, " ROOT r = s32[1] all-reduce(x), to_apply=add, replica_groups={{0}}", &error);
  CHECK(error == "r: device 1 is in no group");
  Results({2, 1}, 1, " ROOT r = s32[1] all-reduce(x), to_apply=add, replica_groups={{0,1,2}}", &error);
  CHECK(error == "r: replica_groups names replica 2, and the module runs on 2 replicas of 1 partition");
  Results({3, 1}, 2, " ROOT r = s32[4] all-gather(x), dimensions={0}, replica_groups={}", &error);
  CHECK(error == "r: its operands and result do not fit the 3 devices of the group {{0,1,2}}");
  const std::string transfer =
      " t = token[] after-all()\n w = (s32[1], u32[], token[]) send(x, t), channel_id=1PAIRS\n u = token[] "
      "send-done(w), channel_id=1\n r = (s32[1], u32[], token[]) recv(u), channel_id=1PAIRS\n d = (s32[1], token[]) "
      "recv-done(r), channel_id=1\n ROOT y = s32[1] get-tuple-element(d), index=0";
  const auto with = [&](const std::string& pairs) {
    std::string text = transfer;
    for (size_t at = 0; (at = text.find("PAIRS")) != std::string::npos;) text.replace(at, 5, pairs);
    return text;
  };
  const std::string attribute = ", frontend_attributes={_xla_send_recv_source_target_pairs=\"";
  Results({1, 2}, 1, with(attribute + "{{0,2}}\"}"), &error);
  CHECK(error == "w: source_target_pairs names partition 2, and the module runs on 1 replica of 2 partitions");
  Results({1, 3}, 1, with(attribute + "{{0,2},{1,2}}\"}"), &error);
  CHECK(error == "r: devices 0 and 1 both send to device 2");
}

TEST_CASE("counts of devices are judged without their arguments, and without overflow") {
  CHECK(CheckDeviceCounts({32, 32}).ok());
  CHECK_FALSE(CheckDeviceCounts({33, 32}).ok());
  CHECK_FALSE(CheckDeviceCounts({0, 1}).ok());
  CHECK_FALSE(CheckDeviceCounts({int64_t{1} << 32, int64_t{1} << 32}).ok());
}

TEST_CASE("limits hold on each device") {
  const auto module = Parse(
      "HloModule m\n" + kAdd +
      "ENTRY e { x = s32[1000] parameter(0)\n ROOT r = s32[1000] all-reduce(x), to_apply=add, replica_groups={} }\n");
  const Literal x(Shape::Array(PrimitiveType::S32, {1000}));
  const std::vector<std::vector<const Literal*>> arguments{{&x}, {&x}};
  for (const bool fast : {false, true}) {
    EvaluatorOptions options;
    options.max_steps = 500;
    CHECK(Run(*module, {2, 1}, arguments, fast, options).status().code() == StatusCode::kDeadlineExceeded);
    std::atomic<bool> cancel = true;
    options = {};
    options.cancel = &cancel;
    CHECK(Run(*module, {2, 1}, arguments, fast, options).status().code() == StatusCode::kCancelled);
  }
}
