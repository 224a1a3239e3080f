// cost.h: descriptions, bounds, loops, overlap, meshes.
#include "hloir/cost.h"

#include <cmath>
#include <filesystem>
#include <string>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;

namespace {

// A device on which times are round numbers: a FLOP takes a second, of a product half of one; a byte a tenth, and over
// the link one.
DeviceDescription Slow() {
  DeviceDescription device;
  device.name = "slow";
  device.flops["default"] = 1;
  device.products["default"] = 2;
  device.transcendentals = 0.5;
  device.bandwidth = 10;
  device.links = {{"near", 1, 0, 0, 4}, {"far", 0.5, 3}};
  return device;
}

std::unique_ptr<HloModule> Parse(const std::string& body, const std::string& more = "",
                                 const std::string& header = "num_partitions=4, is_scheduled=true") {
  auto module = ParseModule("HloModule m, " + header +
                            "\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n" +
                            more + "ENTRY e {\n x = f32[8] parameter(0)\n" + body + "\n}\n");
  REQUIRE(module.status().message() == "");
  return *std::move(module);
}
const Roofline::Step& StepOf(const Roofline& roofline, const HloModule& module, std::string_view name) {
  for (const HloInstruction* i : module.AllInstructions())
    if (i->name() == name) return *roofline.Of(*i);
  FAIL("no such instruction");
  return roofline.steps()[0];
}

}  // namespace

TEST_CASE("roofline: an instruction takes what it needs longest for") {
  const auto module = Parse(R"(
 n = f32[8] add(x, x)
 t = f32[8] exponential(n)
 c = f32[8,8] broadcast(t), dimensions={0}
 d = f32[8,8] dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
 ROOT r = f32[8,8] transpose(d), dimensions={1,0})");
  const Roofline roofline(*module, Slow());
  CHECK(StepOf(roofline, *module, "n").seconds == 96 / 10.0);
  CHECK(StepOf(roofline, *module, "n").compute == 8);
  CHECK(StepOf(roofline, *module, "n").bound == Roofline::Bound::kMemory);
  CHECK(StepOf(roofline, *module, "t").seconds == 16);
  CHECK(StepOf(roofline, *module, "t").bound == Roofline::Bound::kCompute);
  CHECK(StepOf(roofline, *module, "d").seconds == 2 * 8 * 64 / 2);
  CHECK(StepOf(roofline, *module, "r").seconds == 51.2);
  CHECK(roofline.seconds() == Approx(9.6 + 16 + 28.8 + 512 + 51.2));
  CHECK(roofline.communication_seconds() == 0);
  // Rates given for an opcode take precedence; values that fit a cache move at its rate; and each step has an overhead.
  DeviceDescription device = Slow();
  device.opcodes = {{"transpose", 5}, {"exponential", 100}};
  device.caches = {{96, 96}, {300, 30}};
  device.overhead = 0.25;
  const Roofline other(*module, device);
  CHECK(StepOf(other, *module, "r").seconds == Approx(512 / 5.0 + 0.25));
  CHECK(StepOf(other, *module, "t").seconds == Approx(64 / 96.0 + 0.25));
  CHECK(StepOf(other, *module, "c").memory == Approx(288 / 30.0));
}

TEST_CASE("roofline: a fusion computes all that is in it and moves what goes in and out") {
  const auto module = Parse("ROOT f = f32[8] fusion(x), kind=kLoop, calls=body", R"(body {
 p = f32[8] parameter(0)
 e = f32[8] exponential(p)
 a = f32[8] add(e, p)
 ROOT m = f32[8] multiply(a, p)
}
)");
  const Roofline roofline(*module, Slow());
  CHECK(StepOf(roofline, *module, "f").compute == 16 + 8 + 8);
  CHECK(StepOf(roofline, *module, "f").memory == 6.4);
}

TEST_CASE("roofline: what a device does in its own way") {
  DeviceDescription device = Slow();
  device.startup = 100;
  device.overhead = 7;
  device.scalar_overhead = 0.5;
  device.opcodes = {{"transpose", 4}, {"reduce-window", 2}};
  // Single elements; a running sum, which nobody adds up window by window; a transpose that XLA takes for a bitcast.
  const auto module = Parse(R"(
 c = f32[] constant(1)
 sc = f32[] add(c, c)
 w = f32[8] reduce-window(x, sc), window={size=8 pad=7_0}, to_apply=add
 b = f32[8,2]{1,0} broadcast(w), dimensions={0}
 ROOT t = f32[2,8]{0,1} transpose(b), dimensions={1,0})");
  const Roofline roofline(*module, device);
  CHECK(StepOf(roofline, *module, "sc").seconds == 0.5);
  CHECK(StepOf(roofline, *module, "sc").bound == Roofline::Bound::kOverhead);
  CHECK(StepOf(roofline, *module, "w").compute == 2 * 8 / 2.0);
  CHECK(StepOf(roofline, *module, "t").compute == 2 * 64 / 4.0);
  CHECK(roofline.seconds() == Approx(100 + 0.5 + (8 + 7) + (9.6 + 7) + (32 + 7)));
}

TEST_CASE("roofline: a rate may be one type's alone") {
  DeviceDescription device = Slow();
  device.opcodes = {{"add", 4}, {"add.s32", 2}};
  const auto module = Parse(R"(
 f = f32[8] add(x, x)
 i = s32[8] iota(), iota_dimension=0
 n = s32[8] add(i, i)
 ROOT t = (f32[8], s32[8]) tuple(f, n))");
  const Roofline roofline(*module, device);
  CHECK(StepOf(roofline, *module, "f").compute == 8 / 4.0);
  CHECK(StepOf(roofline, *module, "n").compute == 8 / 2.0);
}

TEST_CASE("roofline: an array of the caller's is copied before it is written to") {
  const std::string body = " u = f32[2] slice(x), slice={[0:2]}\n i = s32[] constant(3)\n";
  const auto kept = Parse(body + " ROOT d = f32[8] dynamic-update-slice(x, u, i)");
  const auto given = Parse(body + " ROOT d = f32[8] dynamic-update-slice(x, u, i)", "",
                           "input_output_alias={ {}: (0, {}, may-alias) }");
  const Roofline copies(*kept, Slow()), writes(*given, Slow());
  CHECK(StepOf(copies, *kept, "d").memory == Approx(StepOf(writes, *given, "d").memory + 2 * 32 / 10.0));
}

TEST_CASE("roofline: loops count as often as they run, branches by the longest") {
  const auto module = Parse(R"(
 i = s32[] constant(0)
 in = (s32[], f32[8]) tuple(i, x)
 l = (s32[], f32[8]) while(in), condition=more, body=body
 y = f32[8] get-tuple-element(l), index=1
 b = s32[] get-tuple-element(l), index=0
 ROOT c = f32[8] conditional(b, y, y), branch_computations={one, two})",
                            R"(more {
 s = (s32[], f32[8]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(5)
 ROOT c = pred[] compare(i, n), direction=LT
}
body {
 s = (s32[], f32[8]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 o = s32[] constant(1)
 j = s32[] add(i, o)
 y = f32[8] get-tuple-element(s), index=1
 z = f32[8] collective-permute(y), channel_id=9, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
 ROOT t = (s32[], f32[8]) tuple(j, z)
}
one {
 p = f32[8] parameter(0)
 ROOT n = f32[8] negate(p)
}
two {
 p = f32[8] parameter(0)
 ROOT e = f32[8] exponential(p)
}
)");
  DeviceDescription device = Slow();
  device.loop_overhead = 2;
  const Roofline roofline(*module, device);
  // Compare 1 (0.9 s of bytes), add 1.2 s of bytes, the permute 32 s.
  CHECK(roofline.seconds() == Approx(6 * 1 + 5 * (1.2 + 32 + 2) + 16));
  CHECK(roofline.communication_seconds() == 5 * 32);
  CHECK(roofline.exposed_seconds() == 5 * 32);
  CHECK(StepOf(roofline, *module, "z").times == 5);
  CHECK(roofline.events().front().depth == 0);
}

TEST_CASE("roofline: communication is hidden behind what the schedule puts between its halves") {
  const auto overlap = [](const std::string& between) {
    const auto module = Parse(R"(
 s = f32[8] all-reduce-start(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
)" + between + R"(
 d = f32[8] all-reduce-done(s)
 ROOT r = f32[8] add(d, d))");
    return Roofline(*module, Slow());
  };
  // 2 * 3/4 * 32 bytes at a byte a second, and the last addition 9.6 s.
  CHECK(overlap("").seconds() == Approx(48 + 9.6));
  CHECK(overlap("").exposed_seconds() == 48);
  const Roofline partly = overlap("e = f32[8] exponential(x)\n");
  CHECK(partly.seconds() == Approx(48 + 9.6));
  CHECK(partly.exposed_seconds() == 32);
  CHECK(partly.communication_seconds() == 48);
  std::string rows = "e0 = f32[8] exponential(x)\n";
  for (int k = 1; k < 4; ++k)
    rows += "e" + std::to_string(k) + " = f32[8] exponential(e" + std::to_string(k - 1) + ")\n";
  CHECK(overlap(rows).seconds() == Approx(64 + 9.6));
  CHECK(overlap(rows).exposed_seconds() == 0);
}

TEST_CASE("roofline: other links, what if the mesh were another") {
  const auto module = Parse(
      "ROOT r = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, "
      "use_global_device_ids=true, to_apply=add",
      "", "num_partitions=8");
  const auto seconds = [&](const char* text) {
    if (text == nullptr) return Roofline(*module, Slow()).seconds();
    const auto mesh = ParseWhatIfMesh(text);
    REQUIRE(mesh.status().message() == "");
    return Roofline(*module, Slow(), *mesh).seconds();
  };
  CHECK(seconds(nullptr) == 48);  // four neighbours
  CHECK(seconds("data=2,model=4") == 48);
  CHECK(seconds("data=2,model=4@far") == 96 + 6 * 3);  // half as fast, and 2 * 3 steps of 3 s
  CHECK(seconds("data=2,model=4:2") == 32);
  // Only the far link joins 8. Of the four in a block, two leave it side by side as fast as the near link is.
  CHECK(seconds("data=2,model=4:8") == 2 * 7 / 8.0 * 32 / (2 * 0.5) + 14 * 3);
  CHECK(seconds("data=2:512,model=4") == 48);
  CHECK(ParseWhatIfMesh("data=2:512,model=4@x")->devices() == 2048);
  for (const char* wrong : {"data=2@", "data=2:", "data=2:x", "data=2:0", "data"}) CHECK(!ParseWhatIfMesh(wrong).ok());
  // An all-gather's whole keeps its size: of four each brings a quarter.
  const auto gather = Parse(
      "ROOT r = f32[32] all-gather(x), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, "
      "use_global_device_ids=true");
  CHECK(Roofline(*gather, Slow(), *ParseWhatIfMesh("a=4")).seconds() == 96);
  CHECK(Roofline(*gather, Slow(), *ParseWhatIfMesh("a=4:2")).seconds() == 64);
}

TEST_CASE("roofline: a ring leaves a block by as many links as the group has devices there") {
  const auto seconds = [](const std::string& opcode, const std::string& groups, const std::string& rest) {
    const auto module = Parse("ROOT r = f32[8] " + opcode + "(x), channel_id=1, replica_groups=" + groups + rest, "",
                              "num_partitions=16");
    DeviceDescription device = Slow();
    device.links = {{"near", 8, 0, 0, 4}, {"far", 1}};
    return Roofline(*module, device).seconds();
  };
  const std::string sum = ", use_global_device_ids=true, to_apply=add";
  CHECK(seconds("all-reduce", "{{0,1,2,3,4,5,6,7},{8,9,10,11,12,13,14,15}}", sum) == 2 * 7 / 8.0 * 32 / 4);
  CHECK(seconds("all-reduce", "{{0,1,4,5},{2,3,6,7},{8,9,12,13},{10,11,14,15}}", sum) == 2 * 3 / 4.0 * 32 / 2);
  CHECK(seconds("all-reduce", "{{0,4,8,12},{1,5,9,13},{2,6,10,14},{3,7,11,15}}", sum) == 2 * 3 / 4.0 * 32);
  // Each device sends to all others of its own, by its own link.
  CHECK(seconds("all-to-all", "{{0,1,2,3,4,5,6,7},{8,9,10,11,12,13,14,15}}", ", dimensions={0}") == 7 / 8.0 * 32);
}

TEST_CASE("roofline: a pair of devices may reach less than a ring on the same link") {
  const auto seconds = [](const std::string& body, double pair_bandwidth) {
    DeviceDescription device = Slow();
    device.links = {{"near", 1, 0, pair_bandwidth, 4}};
    return Roofline(*Parse(body), device).seconds();
  };
  const std::string permute =
      "ROOT r = f32[8] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}";
  const std::string all_reduce =
      "ROOT r = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
      "to_apply=add";
  CHECK(seconds(permute, 0) == 32);
  CHECK(seconds(permute, 0.5) == 64);
  CHECK(seconds(all_reduce, 0.5) == seconds(all_reduce, 0));
}

TEST_CASE("roofline: products and collectives have overheads of their own") {
  DeviceDescription device = Slow();
  device.overhead = 1, device.product_overhead = 100, device.collective_overhead = 1000;
  const auto module = Parse(R"(
 n = f32[8] add(x, x)
 d = f32[] dot(n, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
 f = f32[] fusion(n, x), kind=kOutput, calls=product
 ROOT r = f32[8] all-reduce(n), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add)",
                            R"(product {
 p = f32[8] parameter(0)
 q = f32[8] parameter(1)
 sum = f32[] dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}
 ROOT minus = f32[] negate(sum)
}
)");
  const Roofline plain(*module, Slow()), roofline(*module, device);
  const auto more = [&](const char* name) {
    return StepOf(roofline, *module, name).seconds - StepOf(plain, *module, name).seconds;
  };
  CHECK(more("n") == Approx(1));
  CHECK(more("d") == Approx(100));
  CHECK(more("f") == Approx(100));
  CHECK(more("r") == Approx(1000));
  const auto parsed = ParseDevice(DeviceJson(device));
  REQUIRE(parsed.ok());
  CHECK(parsed->product_overhead == 100);
  CHECK(parsed->collective_overhead == 1000);
}

TEST_CASE("device descriptions are read, written, and refused by name") {
  DeviceDescription slow = Slow();
  slow.links[1].pair_bandwidth = 0.25;
  const auto parsed = ParseDevice(DeviceJson(slow));
  REQUIRE(parsed.status().message() == "");
  CHECK(DeviceJson(*parsed) == DeviceJson(slow));
  CHECK(parsed->links[1].latency == 3);
  CHECK(parsed->links[1].pair_bandwidth == 0.25);
  const auto error = [](const char* text) { return ParseDevice(text).status().message(); };
  CHECK(error("{") == "device description: not JSON");
  CHECK(error("[]") == "device description: it is not an object");
  CHECK(error(R"({"name": "x", "flops": {}})") == "device description: bandwidth is missing");
  CHECK(error(R"({"name": "x", "flops": 3, "bandwidth": 1})") == "device description: flops is not an object of rates");
  CHECK(error(R"({"name": "x", "flops": {}, "bandwidth": -1})") ==
        "device description: bandwidth is not a non-negative number");
  CHECK(error(R"({"name": "x", "flops": {}, "bandwidth": 1, "links": [{"name": "l"}]})") ==
        "device description: links: bandwidth is missing");
}

TEST_CASE("the devices that come with hloir are read, with their sources") {
  int devices = 0;
  for (const std::filesystem::path& path : FilesIn(kCorpusFolder + std::string("/../docs/devices"), ".json")) {
    INFO(path);
    const auto text = ReadFile(path.string());
    REQUIRE(text.ok());
    const auto device = ParseDevice(*text);
    REQUIRE(device.status().message() == "");
    CHECK(device->sources.size() >= 2);
    CHECK(device->bandwidth > 1e11);
    CHECK(device->memory_bytes > 1e10);
    CHECK(DeviceDescription::RateOf(device->products, "bf16") > 1e14);
    CHECK(!device->links.empty());
    ++devices;
  }
  CHECK(devices >= 9);
}
