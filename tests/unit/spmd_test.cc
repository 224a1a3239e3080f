// Shardings by the axes of a mesh, the plans that take an array from one to another, and the factors of ops. Results of
// the passes: tests/passes/spmd-partitioning.
#include <string>
#include <vector>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "passes/spmd/choice.h"
#include "passes/spmd/device_mesh.h"
#include "passes/spmd/op_rule.h"
#include "passes/spmd/reshard.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir::spmd {
namespace {

// A module with a parameter of rank 2 for each sharding.
std::unique_ptr<HloModule> WithShardings(const std::vector<std::string>& shardings) {
  std::string text = "HloModule m, num_partitions=8\nENTRY main {\n";
  for (size_t k = 0; k < shardings.size(); ++k) {
    text +=
        "  p" + std::to_string(k) + " = f32[8,8] parameter(" + std::to_string(k) + "), sharding=" + shardings[k] + "\n";
  }
  return Parse(text + "  ROOT r = f32[] constant(0)\n}\n");
}

DeviceMesh MeshOf(const HloModule& module) {
  StatusOr<DeviceMesh> mesh = DeviceMesh::Of(module, 8);
  INFO((mesh.ok() ? "" : mesh.status().message()));
  REQUIRE(mesh.ok());
  return std::move(*mesh);
}

ArraySharding Read(const DeviceMesh& mesh, const HloModule& module, int64_t parameter) {
  StatusOr<ArraySharding> read = mesh.Read(*module.entry_computation()->parameter(parameter)->sharding(), 2);
  INFO((read.ok() ? "" : read.status().message()));
  REQUIRE(read.ok());
  return *read;
}

TEST_CASE("shardings of every form are lists of axes, and written back") {
  const std::vector<std::string> texts = {"{devices=[2,4]<=[8]}",
                                          "{devices=[4,2]<=[2,4]T(1,0)}",
                                          "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
                                          "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
                                          "{devices=[1,2,4]<=[8] last_tile_dims={manual}}",
                                          "{replicated}",
                                          "{manual}"};
  const auto module = WithShardings(texts);
  const DeviceMesh mesh = MeshOf(*module);
  CHECK(mesh.axis_count() == 3);  // 2, 2, 2
  for (size_t k = 0; k < texts.size(); ++k) {
    const ArraySharding sharding = Read(mesh, *module, static_cast<int64_t>(k));
    CHECK(PrintSharding(mesh.Write(sharding)) == texts[k]);
  }
  CHECK(Read(mesh, *module, 1).dims == std::vector<Axes>{{1, 2}, {0}});
  CHECK(Read(mesh, *module, 4).manual == Axes{1, 2});
  CHECK(mesh.ShardShape(Shape::Array(PrimitiveType::F32, {7, 9}), Read(mesh, *module, 0)).dimensions() ==
        DimVector{4, 3});
}

TEST_CASE("the same sharding in other words reads the same") {
  const auto module = WithShardings({"{devices=[2,4]<=[8]}", "{devices=[2,4]0,1,2,3,4,5,6,7}",
                                     "{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}", "{mesh['x'=8], [{'x':(1)2}, {'x':(2)4}]}"});
  const DeviceMesh mesh = MeshOf(*module);
  for (int64_t k = 1; k < 4; ++k) CHECK(Read(mesh, *module, k) == Read(mesh, *module, 0));
}

TEST_CASE("an order of devices that fits no mesh with the others changes places") {
  const auto module = WithShardings({"{devices=[8,1]0,1,3,2,4,5,7,6}", "{devices=[8,1]0,3,1,2,4,5,6,7}"});
  const DeviceMesh mesh = MeshOf(*module);
  const auto reordering = [&](int64_t k) {
    return mesh.Reordering(*module->entry_computation()->parameter(k)->sharding());
  };
  CHECK(reordering(0).empty());
  CHECK(reordering(1) == Int64Pairs{{0, 0}, {3, 1}, {1, 3}, {2, 2}, {4, 4}, {5, 5}, {6, 7}, {7, 6}});
  CHECK(Read(mesh, *module, 1) == Read(mesh, *module, 0));
  // Nor do these numbers of parts fit one mesh: in its order, device 3 has the second's part 1.
  const auto other = WithShardings({"{devices=[2,3]<=[6]}", "{devices=[3,2]<=[6]}"});
  const StatusOr<DeviceMesh> six = DeviceMesh::Of(*other, 6);
  REQUIRE(six.ok());
  const Sharding& second = *other->entry_computation()->parameter(1)->sharding();
  CHECK(six->Reordering(*other->entry_computation()->parameter(0)->sharding()).empty());
  CHECK(six->Reordering(second) == Int64Pairs{{0, 0}, {1, 3}, {2, 1}, {3, 4}, {4, 2}, {5, 5}});
  CHECK(six->Read(second, 2)->dims == std::vector<Axes>{{1}, {0}});
}

// The steps from sharding 0 to 1, a letter each, and the bytes that they move.
std::string PlanOf(const std::string& from, const std::string& to, const DimVector& sizes, double* bytes = nullptr) {
  const auto module = WithShardings({from, to});
  const DeviceMesh mesh = MeshOf(*module);
  const Shape shape = Shape::Array(PrimitiveType::F32, sizes);
  const auto steps = PlanReshard(mesh, shape, Read(mesh, *module, 0), Read(mesh, *module, 1));
  std::string text;
  for (const ReshardStep& step : steps) text += "SGAP"[static_cast<size_t>(step.kind)];
  if (bytes != nullptr) *bytes = ReshardBytes(mesh, shape, Read(mesh, *module, 0), Read(mesh, *module, 1));
  if (!steps.empty()) CHECK(steps.back().after == Read(mesh, *module, 1));
  return text;
}

TEST_CASE("plans slice where they can, exchange where they must, and gather last") {
  double bytes = 0;
  CHECK(PlanOf("{replicated}", "{devices=[2,4]<=[8]}", {8, 8}, &bytes) == "SS");
  CHECK(bytes == 0);
  CHECK(PlanOf("{devices=[8,1]<=[8]}", "{replicated}", {8, 8}, &bytes) == "G");
  CHECK(bytes == 7 * 32);
  CHECK(PlanOf("{devices=[8,1]<=[8]}", "{devices=[1,8]<=[8]}", {8, 8}, &bytes) == "A");
  CHECK(bytes == 28);
  CHECK(PlanOf("{devices=[4,2]<=[8]}", "{devices=[4,2]<=[2,4]T(1,0)}", {8, 8}, &bytes) == "P");
  CHECK(bytes == 24);  // two devices keep their part
  // The minor axis leaves: one gather of a half.
  CHECK(PlanOf("{devices=[8,1]<=[8]}", "{devices=[4,1,2]<=[8] last_tile_dim_replicate}", {8, 8}, &bytes) == "G");
  CHECK(bytes == 32);
  // The major axis leaves: the parts change places first.
  CHECK(PlanOf("{devices=[8,1]<=[8]}", "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", {8, 8}) == "PG");
  // Half of a part goes to the other dimension, and half of the devices get another part.
  CHECK(PlanOf("{devices=[2,4]<=[8]}", "{devices=[4,2]<=[2,4]T(1,0)}", {8, 8}, &bytes) == "AP");
  CHECK(bytes == 32);
  // Parts of 1, 1, 1, 1, 1, 1, 0 and 0 rows are put together before they are cut otherwise.
  CHECK(PlanOf("{devices=[8,1]<=[8]}", "{devices=[4,1,2]<=[8] last_tile_dim_replicate}", {6, 8}) == "GS");
}

OpRule RuleOfRoot(const std::string& instructions) {
  const auto module = Parse("HloModule m\nENTRY main {\n" + instructions + "\n}\n");
  return RuleOf(*module->entry_computation()->root());
}

TEST_CASE("a reshape's factors are the common parts of both sides") {
  const OpRule merge = RuleOfRoot("x = f32[6,4] parameter(0)\n ROOT y = f32[24] reshape(x)");
  CHECK(merge.operands[0] == OpRule::Array{{0}, {1}});
  CHECK(merge.results[0] == OpRule::Array{{0, 1}});
  const OpRule mixed = RuleOfRoot("x = f32[6,4,5] parameter(0)\n ROOT y = f32[4,6,5] reshape(x)");
  CHECK(mixed.factors.size() == 2);  // 2, the major part of both; and 5
  CHECK(mixed.operands[0] == OpRule::Array{{0}, {}, {1}});
  CHECK(mixed.results[0] == OpRule::Array{{0}, {}, {1}});
}

TEST_CASE("a product's factors are rows, columns and what is summed") {
  const OpRule dot = RuleOfRoot(
      "x = f32[2,3,5] parameter(0)\n y = f32[2,5,7] parameter(1)\n"
      "ROOT z = f32[2,3,7] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}");
  CHECK(dot.operands[0] == OpRule::Array{{0}, {2}, {1}});
  CHECK(dot.operands[1] == OpRule::Array{{0}, {1}, {3}});
  CHECK(dot.results[0] == OpRule::Array{{0}, {2}, {3}});
  CHECK(dot.factors[1].kind == FactorKind::kReduce);
}

TEST_CASE("of a ragged dimension and of the groups every device needs all") {
  const OpRule rows = RuleOfRoot(
      "x = f32[6,5] parameter(0)\n y = f32[4,5,7] parameter(1)\n sizes = s32[4] parameter(2)\n"
      "ROOT z = f32[6,7] ragged-dot(x, y, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
      "lhs_ragged_dims={0}, rhs_group_dims={0}");
  CHECK(rows.operands[0] == OpRule::Array{{}, {0}});
  CHECK(rows.operands[1] == OpRule::Array{{}, {0}, {1}});
  CHECK(rows.results[0] == OpRule::Array{{}, {1}});
  // The contracted dimension is ragged: the groups are the result's first dimension.
  const OpRule sums = RuleOfRoot(
      "x = f32[6,5] parameter(0)\n y = f32[5,7] parameter(1)\n sizes = s32[4] parameter(2)\n"
      "ROOT z = f32[4,6,7] ragged-dot(x, y, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "lhs_ragged_dims={1}");
  CHECK(sums.operands[0] == OpRule::Array{{0}, {}});
  CHECK(sums.operands[1] == OpRule::Array{{}, {1}});
  CHECK(sums.results[0] == OpRule::Array{{}, {0}, {1}});
}

TEST_CASE("a factor that is part of a dimension is cut evenly, and wholly before the next") {
  const auto module = Parse("HloModule m\nENTRY main {\n x = f32[4,6] parameter(0)\n ROOT y = f32[24] reshape(x)\n}\n");
  const DeviceMesh mesh = *DeviceMesh::Of(*WithShardings({"{devices=[2,4]<=[8]}"}), 8);
  const OpRule rule = RuleOf(*module->entry_computation()->root());
  FactorAxes axes = {{0}, {1}};
  Legalize(mesh, rule, axes);
  CHECK(axes == FactorAxes{{0}, {}});
  axes = {{0, 1}, {2}};
  Legalize(mesh, rule, axes);
  CHECK(axes == FactorAxes{{0, 1}, {2}});
  // The meaning of a dimension's axes for its factors.
  ArraySharding whole = Replicated(1);
  whole.dims[0] = {0, 1, 2};
  CHECK(ToFactors(mesh, rule, rule.results[0], whole) == FactorAxes{{0, 1}, {2}});
}

TEST_CASE("the way that moves least is taken") {
  const auto module = Parse(
      "HloModule m\nENTRY main {\n x = f32[8,16] parameter(0)\n w = f32[16,1024] parameter(1)\n"
      "ROOT y = f32[8,1024] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  const HloInstruction& dot = *module->entry_computation()->root();
  const DeviceMesh mesh = *DeviceMesh::Of(*WithShardings({"{devices=[8,1]<=[8]}"}), 8);
  const OpRule rule = RuleOf(dot);
  ArraySharding rows = Replicated(2), columns = Replicated(2);
  rows.dims[0] = mesh.AllAxes();
  columns.dims[1] = mesh.AllAxes();
  // Rows of a small array against columns of a large one, and any result: the small one is put together.
  const std::vector<ArraySharding> have = {rows, columns};
  const auto bytes = [&](size_t k, const ArraySharding& to) {
    return ReshardBytes(mesh, dot.operand(static_cast<int64_t>(k))->shape(), have[k], to);
  };
  const OpProblem problem{dot, rule, have, {std::nullopt}, bytes, {}, std::vector<bool>(3, true), nullptr};
  const OpChoice choice = ChoosePartition(mesh, problem);
  CHECK(choice.operands[0].IsReplicated());
  CHECK(choice.operands[1] == columns);
  CHECK(choice.results[0] == columns);
  CHECK(choice.bytes == 7 * 64);
  // With a factor that cannot be partitioned, all parts are gathered.
  OpProblem none = problem;
  none.allowed.assign(3, false);
  CHECK(ChoosePartition(mesh, none).operands[1].IsReplicated());
}

}  // namespace
}  // namespace hloir::spmd
