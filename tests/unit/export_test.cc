// export.h: ParaGraph's text form of a small module, what of it a device has, sizes that are refused. That the
// bytes are what protobuf reads, tests/export/read_back.py checks.
#include "hloir/export.h"

#include <string>

#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Roofline Times(const HloModule& module) {
  DeviceDescription device;
  device.flops["default"] = 1;
  device.bandwidth = 10;
  device.links = {{"link", 1, 0, 0}};
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

}  // namespace

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
