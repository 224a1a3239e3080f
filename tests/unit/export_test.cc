// export.h: ParaGraph's text form of a small module, the part of a device, sizes over the limit.
// tests/export/read_back.py reads the bytes with protobuf.
#include "hloir/export.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Roofline Times(const HloModule& module) {
  DeviceDescription device;
  device.flops["default"] = 1;
  device.bandwidth = 10;
  device.links = {{"link", 1}};
  return Roofline(module, device);
}
bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const char* const kPermute = R"(HloModule m, num_partitions=3
ENTRY e {
  x = f32[8] parameter(0)
  p = f32[8] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,2}}
  ROOT r = f32[8] add(p, x)
}
)";

// A loop of `rounds` rounds of `adds` additions each.
std::string Loop(int64_t rounds, int adds) {
  std::string body =
      "b { s = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n o = s32[] constant(1)\n"
      " j = s32[] add(i, o)\n x0 = f32[8] get-tuple-element(s), index=1\n";
  for (int k = 1; k <= adds; ++k)
    body += " x" + std::to_string(k) + " = f32[8] add(x" + std::to_string(k - 1) + ", x0)\n";
  return "HloModule m\n" + body + " ROOT t = (s32[], f32[8]) tuple(j, x" + std::to_string(adds) +
         ") }\nc { s = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(" +
         std::to_string(rounds) +
         ")\n ROOT r = pred[] compare(i, n), direction=LT }\nENTRY e {\n x = f32[8] parameter(0)\n z = s32[] "
         "constant(0)\n"
         " t = (s32[], f32[8]) tuple(z, x)\n ROOT w = (s32[], f32[8]) while(t), condition=c, body=b\n}\n";
}

// The attributes of that name in a trace, in order: a varint of the field that int64_val or uint64_val has.
std::vector<uint64_t> Attributes(const std::string& trace, const std::string& name) {
  std::vector<uint64_t> values;
  const std::string key = std::string("\x0a") + static_cast<char>(name.size()) + name;
  for (size_t at = trace.find(key); at != std::string::npos; at = trace.find(key, at)) {
    at += key.size() + 1;
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(trace[at++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    values.push_back(value);
  }
  return values;
}
std::vector<uint64_t> TraceAttributes(const std::string& body, const std::string& name) {
  const auto module = Parse(
      "HloModule m, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT s = f32[] add(a, b) }\n" +
      body);
  DeviceDescription device;
  device.flops["default"] = 1e12;
  device.bandwidth = 1e12;
  const auto traces = ChakraTrace(*module, Roofline(*module, device));
  REQUIRE(traces.status().message() == "");
  return Attributes(traces->ranks[1], name);
}
std::string GraphText(const std::string& body, std::optional<int64_t> device = {}) {
  const auto module = Parse(body);
  const auto graph = ParagraphGraph(*module, Times(*module), {.device = device, .text = true});
  REQUIRE(graph.status().message() == "");
  return *graph;
}
int64_t CountOf(const std::string& text, const std::string& part) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("export: a trace's comm_size is what a rank brings") {
  const std::string groups = ", channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";
  CHECK(TraceAttributes("ENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[256] all-gather(x), dimensions={0}" +
                            groups + "\n}\n",
                        "comm_size") == std::vector<uint64_t>{256});
  CHECK(TraceAttributes("ENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[16] reduce-scatter(x), dimensions={0}, "
                        "to_apply=add" +
                            groups + "\n}\n",
                        "comm_size") == std::vector<uint64_t>{256});
  CHECK(TraceAttributes(
            "ENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[64] all-reduce(x), to_apply=add" + groups + "\n}\n",
            "comm_size") == std::vector<uint64_t>{256});
}

TEST_CASE("export: a fusion's collectives are collectives in a trace and a graph") {
  const std::string fused =
      "f {\n  p = f32[64] parameter(0)\n  n = f32[64] negate(p)\n  ROOT a = f32[64] all-reduce(n), channel_id=1, "
      "replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add\n}\n"
      "ENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[64] fusion(x), kind=kCustom, calls=f\n}\n";
  CHECK(TraceAttributes(fused, "comm_size") == std::vector<uint64_t>{256});
  CHECK(TraceAttributes(fused, "num_ops").size() == 1);
  const std::string graph = GraphText(
      "HloModule m, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] "
      "parameter(1)\n ROOT s = f32[] add(a, b) }\n" +
      fused);
  CHECK(CountOf(graph, "opcode: \"all-reduce\"") == 1);
}

TEST_CASE("export: no node of a trace is without operations, or shorter than a nanosecond of memory") {
  const std::string text =
      "ENTRY e {\n  x = f32[2,8] parameter(0)\n  t = f32[8,2] transpose(x), dimensions={1,0}\n"
      "  ROOT c = f32[8,2] negate(t)\n}\n";
  CHECK(TraceAttributes(text, "num_ops") == std::vector<uint64_t>{1, 16});
  CHECK(TraceAttributes(text, "tensor_size") == std::vector<uint64_t>{1100, 1100});
}

TEST_CASE("export: ParaGraph has transfers for all-to-all and broadcast") {
  const std::string exchange =
      "HloModule m, num_partitions=4\nENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[64] all-to-all(x), "
      "channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}\n}\n";
  const std::string whole = GraphText(exchange);
  CHECK(!Has(whole, "all-to-all"));
  CHECK(CountOf(whole, "opcode: \"sendrecv\"") == 3);
  CHECK(CountOf(whole, "communication_groups") == 12);
  CHECK(CountOf(whole, "bytes_out: 64\n") == 3);  // a fourth of 256 bytes, three times
  const std::string one = GraphText(exchange, 1);
  CHECK(Has(one, "communication_groups {\n      group_ids: 0\n      group_ids: 2\n    }"));  // round 1: from 0, to 2
  const std::string broadcast = GraphText(
      "HloModule m, replica_count=3\nENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[64] "
      "collective-broadcast(x), replica_groups={{0,1,2}}\n}\n");
  CHECK(!Has(broadcast, "broadcast\"\n    instruction_id"));
  CHECK(CountOf(broadcast, "opcode: \"send\"") == 2);  // 0 to 1; then 0 to 2
  CHECK(CountOf(broadcast, "opcode: \"recv\"") == 2);
  CHECK(CountOf(broadcast, "bytes_out: 256\n") == 4);
}

TEST_CASE("export: ParaGraph's text form") {
  const auto module = Parse("HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT r = f32[8] add(x, x)\n}\n");
  const auto graph = ParagraphGraph(*module, Times(*module), {.device = {}, .text = true});
  REQUIRE(graph.status().message() == "");
  CHECK(*graph == R"(name: "m"
processor_id: -1
entry_subroutine {
  name: "e"
  subroutine_root_id: 2
  execution_probability: 1
  execution_count: 1
  instructions {
    name: "x"
    opcode: "delay"
    instruction_id: 1
  }
  instructions {
    name: "r"
    opcode: "delay"
    instruction_id: 2
    ops: 8
    bytes_in: 64
    bytes_out: 32
    seconds: 9.6
    operand_ids: 1
  }
}
)");
}

TEST_CASE("export: of a permute each device has its part") {
  const auto module = Parse(kPermute);
  const Roofline times = Times(*module);
  const auto of = [&](std::optional<int64_t> device) { return *ParagraphGraph(*module, times, {device, true}); };
  const std::string all = of({});
  CHECK(Has(all, "opcode: \"sendrecv\""));
  CHECK(Has(all, "communication_groups {\n      group_ids: 0\n      group_ids: 1\n      group_ids: 2\n    }"));
  CHECK(Has(of(0), "opcode: \"send\""));
  CHECK(!Has(of(0), "recv"));
  CHECK(Has(of(1), "opcode: \"sendrecv\""));
  CHECK(Has(of(2), "opcode: \"recv\""));
  const auto traces = ChakraTrace(*module, times);
  REQUIRE(traces.status().message() == "");
  CHECK(traces->ranks.size() == 3);
  CHECK(traces->groups == "{\n}\n");
  CHECK(traces->ranks[1].size() > traces->ranks[0].size());  // it sends and receives
}

TEST_CASE("export: loops count in a graph and are unrolled in a trace") {
  const auto module = Parse(Loop(1000, 10));
  const Roofline times = Times(*module);
  CHECK(Has(*ParagraphGraph(*module, times, {{}, true}), "execution_count: 1000"));
  const auto traces = ChakraTrace(*module, times);
  REQUIRE(traces.status().message() == "");
  CHECK(traces->ranks[0].size() > 10000 * 30);
  const auto none = Parse(Loop(0, 1));
  CHECK(Has(*ParagraphGraph(*none, Times(*none), {{}, true}), "opcode: \"null\""));
  const auto long_one = Parse(Loop(10000000, 10));
  CHECK(ChakraTrace(*long_one, Times(*long_one)).status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("export: calls that nest too deeply for protobuf are refused") {
  std::string text = "HloModule m\nc0 { p = f32[8] parameter(0)\n ROOT r = f32[8] add(p, p) }\n";
  for (int k = 1; k < 60; ++k) {
    text += "c" + std::to_string(k) + " { p = f32[8] parameter(0)\n ROOT r = f32[8] call(p), to_apply=c" +
            std::to_string(k - 1) + " }\n";
  }
  const auto module = Parse(text + "ENTRY e { p = f32[8] parameter(0)\n ROOT r = f32[8] call(p), to_apply=c59 }\n");
  CHECK(ParagraphGraph(*module, Times(*module)).status().code() == StatusCode::kResourceExhausted);
  CHECK(ChakraTrace(*module, Times(*module)).ok());
}
