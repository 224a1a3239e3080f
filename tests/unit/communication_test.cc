// cost.h: groups of devices in every sense that collectives have, bytes on the wire, mesh axes.
#include "hloir/cost.h"

#include <string>

#include "hloir/parser.h"
#include "tests/unit/catch.h"

using namespace hloir;

namespace {

std::unique_ptr<HloModule> Parse(const std::string& header, const std::string& body, const std::string& more = "") {
  auto module = ParseModule("HloModule m, " + header +
                            "\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n" +
                            more + "ENTRY e {\n x = f32[8] parameter(0)\n" + body + "\n}\n");
  REQUIRE(module.status().message() == "");
  return *std::move(module);
}

// Of the entry's root, in a module of 2 replicas of 4 partitions.
Communication Root(const std::string& body) {
  const auto module = Parse("replica_count=2, num_partitions=4", "ROOT r = " + body);
  const CommunicationAnalysis analysis(*module);
  REQUIRE(analysis.all().size() == 1);
  return analysis.all()[0];
}
std::string Groups(const std::string& body) { return GroupsText(Root(body).groups); }

}  // namespace

TEST_CASE("communication: what the numbers in the groups mean") {
  CHECK(Groups("f32[8] all-reduce(x), replica_groups={{0,1}}, to_apply=add") == "{{0,4},{1,5},{2,6},{3,7}}");
  CHECK(Groups("f32[8] all-reduce(x), replica_groups={}, to_apply=add") == "{{0,4},{1,5},{2,6},{3,7}}");
  CHECK(Groups("f32[8] all-reduce(x), channel_id=1, replica_groups={{0},{1}}, to_apply=add") ==
        "{{0,1,2,3},{4,5,6,7}}");
  CHECK(Groups("f32[8] all-reduce(x), channel_id=1, replica_groups={{0,7},{1,2}}, use_global_device_ids=true, "
               "to_apply=add") == "{{0,7},{1,2}}");
  CHECK(Groups("f32[8] all-reduce(x), channel_id=1, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, "
               "to_apply=add") == "{{0,4},{1,5},{2,6},{3,7}}");
  CHECK(Groups("f32[8] all-to-all(x), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}") ==
        "{{0,1},{2,3},{4,5},{6,7}}");
  CHECK(Groups("f32[8] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{3,0}}") ==
        "{{0,1},{3,0},{4,5},{7,4}}");
  CHECK(Groups("f32[8] collective-permute(x), source_target_pairs={{1,0}}") == "{{4,0},{5,1},{6,2},{7,3}}");
  CHECK(!DeviceGroups(*Parse("replica_count=2", "ROOT r = f32[8] add(x, x)")->entry_computation()->root()).ok());
}

TEST_CASE("communication: the groups count where the header names fewer devices") {
  const auto module = Parse("entry_computation_layout={(f32[8]{0})->f32[8]{0}}",
                            "ROOT r = f32[8] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=add");
  const CommunicationAnalysis analysis(*module);
  CHECK(GroupsText(analysis.all()[0].groups) == "{{0,1,2,3}}");
  CHECK(analysis.sent_bytes() == 4 * 2 * 0.75 * 32);
}

TEST_CASE("communication: bytes on the wire") {
  // 32 bytes in each device; of 8 devices.
  const auto check = [](const std::string& body, double payload, double result, double sent) {
    INFO(body);
    const Communication c = Root(body);
    CHECK(c.payload == payload);
    CHECK(c.result == result);
    CHECK(c.sent == sent);
  };
  const std::string all = "channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true, ";
  check("f32[8] all-reduce(x), " + all + "to_apply=add", 32, 32, 8 * 48);
  check("f32[32] all-gather(x), " + all + "dimensions={0}", 32, 128, 8 * 96);
  check("f32[2] reduce-scatter(x), " + all + "dimensions={0}, to_apply=add", 32, 8, 8 * 24);
  check("f32[8] all-to-all(x), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}", 32, 32, 8 * 24);
  check("f32[8] collective-broadcast(x), replica_groups={{0,1}}", 32, 32, 4 * 32);
  check("f32[8] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,1}}", 32, 32, 2 * 32);
  check("f32[8] all-reduce(x), channel_id=1, replica_groups={{0},{1}}, use_global_device_ids=true, to_apply=add", 32,
        32, 0);
}

TEST_CASE("communication: halves, wrapped ones, transfers, loops") {
  const auto module = Parse("replica_count=1, num_partitions=4", R"(
 ar = f32[8] all-reduce-start(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
 d = f32[8] all-reduce-done(ar)
 rs = ((f32[8]), f32[2]) async-start(d), calls=wrapped
 rd = f32[2] async-done(rs)
 t = token[] after-all()
 v = (f32[2], u32[], token[]) recv(t), channel_id=3, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2}}"}
 vd = (f32[2], token[]) recv-done(v), channel_id=3
 w = (f32[2], u32[], token[]) send(rd, t), channel_id=3, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2}}"}
 wd = token[] send-done(w), channel_id=3
 h = (f32[2], u32[], token[]) send(rd, t), channel_id=4, is_host_transfer=true
 hd = token[] send-done(h), channel_id=4, is_host_transfer=true
 i = s32[] constant(0)
 in = (s32[], f32[8]) tuple(i, d)
 ROOT l = (s32[], f32[8]) while(in), condition=more, body=body
)",
                            R"(wrapped {
 p = f32[8] parameter(0)
 ROOT r = f32[2] reduce-scatter(p), channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=add
}
more {
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
)");
  const CommunicationAnalysis analysis(*module);
  std::string seen;
  for (const Communication& c : analysis.all()) {
    seen += std::string(c.instruction->name()) + " " + std::string(OpcodeName(c.kind)) +
            (c.is_asynchronous ? " async" : "") + (c.is_host ? " host " : " ") +
            std::to_string(static_cast<int>(c.times)) + "x" + std::to_string(static_cast<int>(c.sent)) + "; ";
  }
  CHECK(seen ==
        "z collective-permute 5x128; ar all-reduce async 1x192; rs reduce-scatter async 1x96; v recv async 1x0; "
        "w send async 1x16; h send async host 1x0; ");
  CHECK(analysis.sent_bytes() == 5 * 128 + 192 + 96 + 16);
  CHECK(analysis.Of(*module->entry_computation()->root()) == nullptr);
  CHECK(analysis.ByKind()[0].key == "collective-permute");
  CHECK(analysis.ByKind()[0].times == 5);
}

TEST_CASE("communication: along which axes of a mesh") {
  const auto mesh = ParseMesh("data=2,model=4");
  REQUIRE(mesh.ok());
  const auto axes = [&](const std::string& groups) {
    const auto module =
        Parse("num_partitions=8", "ROOT r = f32[8] all-reduce(x), channel_id=1, replica_groups=" + groups +
                                      ", use_global_device_ids=true, to_apply=add");
    return CommunicationAnalysis(*module, *mesh).all()[0].axes;
  };
  CHECK(axes("{{0,1,2,3},{4,5,6,7}}") == "model");
  CHECK(axes("[4,2]<=[2,4]T(1,0)") == "data");
  CHECK(axes("[1,8]<=[8]") == "data,model");
  CHECK(axes("{{0,1},{2,3},{4,5},{6,7}}") == "part of model");
  CHECK(axes("{{0,5},{1,4},{2,7},{3,6}}") == "part of data,model");
  CHECK(axes("{{0},{1}}") == "");
  for (const char* wrong : {"", "data", "data=0", "data=x", "=4", "a=2,a=2", "a=99999999999"}) {
    INFO(wrong);
    CHECK(!ParseMesh(wrong).ok());
  }
  // Devices in another order.
  Mesh turned = *mesh;
  turned.device_ids = DeviceList{{}, {}, {0, 2, 4, 6, 1, 3, 5, 7}};
  CHECK(SpanOf({{0, 1}}, turned)->axes == std::vector<size_t>{0});
  CHECK(SpanOf({{0, 2, 4, 6}}, turned)->axes == std::vector<size_t>{1});
  CHECK(!SpanOf({{0, 8}}, turned));
}

TEST_CASE("communication: the mesh that a module names") {
  const auto named = Parse("num_partitions=8",
                           "ROOT r = f32[8] all-reduce(x), channel_id=1, "
                           "replica_groups=mesh['a'=2,'b'=4] {'b'}, use_global_device_ids=true, to_apply=add");
  const auto mesh = FindMesh(*named);
  REQUIRE(mesh);
  CHECK(DeviceCount(*mesh) == 8);
  CHECK(CommunicationAnalysis(*named, mesh).all()[0].axes == "b");
  CHECK(!FindMesh(*Parse("num_partitions=8", "ROOT r = f32[8] add(x, x)")));
  const auto header =
      Parse("frontend_attributes={xla.sdy.meshes={empty = #sdy.mesh<[]>, mesh = #sdy.mesh<[\"x\"=8, \"y\"=2]>}}",
            "ROOT r = f32[8] add(x, x)");
  REQUIRE(FindMesh(*header));
  CHECK(FindMesh(*header)->axes == std::vector<std::pair<std::string, int64_t>>{{"x", 8}, {"y", 2}});
}

TEST_CASE("communication: what fusions and asynchronous computations wrap counts, each collective by itself") {
  const std::string fused =
      "f { p = f32[8] parameter(0)\n n = f32[8] negate(p)\n a = f32[8] all-reduce(n), channel_id=1, "
      "replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add\n ROOT g = f32[32] all-gather(a), "
      "channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0} }\n";
  const auto fusion = Parse("num_partitions=4", "ROOT r = f32[32] fusion(x), kind=kCustom, calls=f", fused);
  const CommunicationAnalysis analysis(*fusion);
  REQUIRE(analysis.all().size() == 2);
  const HloInstruction& root = *fusion->entry_computation()->root();
  CHECK(analysis.all()[0].instruction == &root);
  CHECK(analysis.all()[0].kind == HloOpcode::kAllReduce);
  CHECK(analysis.all()[1].collective->name() == "g");
  CHECK(analysis.AllOf(root).size() == 2);
  CHECK(analysis.sent_bytes() == 4 * 2 * 0.75 * 32 + 4 * 3 * 32);
  const auto halves = Parse(
      "num_partitions=4", "s = ((f32[8]), f32[32], s32[]) async-start(x), calls=w\n ROOT r = f32[32] async-done(s)",
      fused + "w { p = f32[8] parameter(0)\n ROOT r = f32[32] fusion(p), kind=kCustom, calls=f }\n");
  CHECK(CommunicationAnalysis(*halves).sent_bytes() == 4 * 2 * 0.75 * 32 + 4 * 3 * 32);
  CHECK(CommunicationAnalysis(*halves).all()[0].is_asynchronous);
}

TEST_CASE("communication: of a conditional the branch that sends most") {
  const auto module =
      Parse("replica_count=2",
            "p = pred[] parameter(1)\n ROOT r = f32[8] conditional(p, x, x), true_computation=one, "
            "false_computation=two",
            "one { p = f32[8] parameter(0)\n ROOT a = f32[8] all-reduce(p), replica_groups={}, "
            "to_apply=add }\n"
            "two { p = f32[8] parameter(0)\n b = f32[8] all-reduce(p), replica_groups={}, to_apply=add\n"
            " ROOT c = f32[8] all-reduce(b), replica_groups={}, to_apply=add }\n");
  const CommunicationAnalysis analysis(*module);
  CHECK(analysis.all().size() == 3);
  CHECK(analysis.sent_bytes() == 2 * 2 * 32);  // of the second branch: twice 2 devices, each (n-1)/n of twice 32
}

TEST_CASE("communication: as many devices as the header or else the collectives name") {
  const auto devices = [](const std::string& header, const std::string& body) {
    const NamedDevices named = NamedDevicesOf(*Parse(header, "ROOT r = " + body));
    return std::to_string(named.replicas) + "x" + std::to_string(named.partitions);
  };
  const std::string none = "entry_computation_layout={(f32[8]{0})->f32[8]{0}}";
  CHECK(devices(none, "f32[8] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=add") == "4x1");
  CHECK(devices(none,
                "f32[8] all-reduce(x), channel_id=1, replica_groups={{0,5}}, use_global_device_ids=true, "
                "to_apply=add") == "1x6");
  CHECK(devices(none, "f32[8] collective-permute(x), channel_id=1, source_target_pairs={{0,2}}") == "1x3");
  CHECK(devices(none, "f32[8] add(x, x)") == "1x1");
  CHECK(devices("replica_count=2", "f32[8] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=add") == "2x1");
}
