// Counts of `hloir stats`, on modules small enough to count by hand.
#include "hloir/inspect.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

const ModuleStats::Tally* Find(const std::vector<ModuleStats::Tally>& tallies, std::string_view key) {
  for (const ModuleStats::Tally& tally : tallies)
    if (tally.key == key) return &tally;
  return nullptr;
}

// A loop of 5 rounds over a fusion, beside a reduction and a collective.
constexpr char kLoop[] = R"(HloModule m, replica_count=4
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
fused {
  p = f32[8]{0} parameter(0)
  e = f32[8]{0} exponential(p), metadata={op_name="f/layer/exp" source_file="a.py" source_line=3}
  ROOT m = f32[8]{0} multiply(e, p), metadata={op_name="f/layer/mul" source_file="a.py" source_line=4}
}
condition {
  s = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[8]{0} get-tuple-element(s), index=1
  y = f32[8]{0} fusion(x), kind=kLoop, calls=fused, metadata={op_name="f/layer"}
  ROOT t = (s32[], f32[8]{0}) tuple(next, y)
}
ENTRY e {
  x = f32[8]{0} parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[8]{0}) tuple(zero, x)
  loop = (s32[], f32[8]{0}) while(start), condition=condition, body=body
  y = f32[8]{0} get-tuple-element(loop), index=1
  all = f32[8]{0} all-reduce(y), replica_groups={{0,1},{2,3}}, to_apply=sum
  nought = f32[] constant(0)
  ROOT r = f32[] reduce(all, nought), dimensions={0}, to_apply=sum
}
)";

}  // namespace

TEST_CASE("instructions are counted as the text has them, and at top level") {
  auto module = Parse(kLoop);
  const InstructionCount count = CountInstructions(*module);
  CHECK(count.instructions == 3 + 3 + 4 + 7 + 8);
  CHECK(count.instructions == module->instruction_count());
  CHECK(count.top_level == 4 + 7 + 8);  // neither reducers nor fusion bodies
}

TEST_CASE("what a loop runs counts as often as it runs, and a fusion's operations where they are written") {
  auto module = Parse(kLoop);
  const ModuleStats stats(*module);
  const ModuleStats::Tally* exponential = Find(stats.opcodes, "exponential");
  REQUIRE(exponential != nullptr);
  CHECK(exponential->instructions == 1);
  CHECK(exponential->cost == Cost{0, 5 * 8, 0});
  CHECK(Find(stats.opcodes, "multiply")->cost == Cost{5 * 8, 0, 0});
  CHECK(Find(stats.opcodes, "fusion")->cost.flops == 0);
  CHECK(Find(stats.opcodes, "fusion")->cost.bytes == 5 * (32 + 32));
  CHECK(Find(stats.opcodes, "compare")->cost.flops == 6);  // the condition also evaluates to false once
  CHECK(Find(stats.opcodes, "reduce")->cost.flops == 7);
  CHECK(Find(stats.types, "f32")->instructions == 3 + 3 + 2 + 5);
  CHECK(Find(stats.types, "tuple")->instructions == 2 + 1 + 2);

  CHECK(Find(stats.scopes, "f")->instructions == 3);
  CHECK(Find(stats.scopes, "f/layer")->cost == Cost{5 * 8, 5 * 8, 5 * 64});
  CHECK(Find(stats.scopes, "f/layer/exp")->cost == Cost{0, 5 * 8, 0});
  CHECK(Find(stats.source_lines, "a.py:4")->cost == Cost{5 * 8, 0, 0});

  // The sum of the steps is the whole, as nothing is conditional.
  Cost sum;
  for (const ModuleStats::Step& step : stats.steps) sum += step.cost;
  CHECK(sum == stats.cost.repeated);
  Cost by_opcode;
  for (const ModuleStats::Tally& tally : stats.opcodes) by_opcode += tally.cost;
  CHECK(by_opcode == stats.cost.repeated);
  CHECK(stats.steps.front().instruction->name() == "y");
  CHECK(stats.steps.front().times == 5);
  CHECK(stats.cost.once.transcendentals == 8);
}

TEST_CASE("fusions, collectives, constants and paths") {
  auto module = Parse(kLoop);
  const ModuleStats stats(*module);
  REQUIRE(stats.fusions.size() == 1);
  CHECK(stats.fusions[0].contents == std::vector<std::pair<std::string, int64_t>>{{"exponential", 1}, {"multiply", 1}});
  CHECK(stats.fusions[0].step.times == 5);
  CHECK(stats.fusions[0].step.cost == Cost{5 * 8, 5 * 8, 5 * 64});
  CHECK(stats.fusions[0].step.once == Cost{8, 8, 64});
  REQUIRE(stats.fusions[0].body.size() == 2);
  CHECK(stats.fusions[0].body[0].first->opcode_name() == "exponential");
  CHECK(stats.fusions[0].body[0].second == Cost{0, 8, 0});
  REQUIRE(stats.collectives.size() == 1);
  CHECK(stats.collectives[0].groups == std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}});
  CHECK(stats.collectives[0].payload == 32);
  CHECK(stats.constants.size() == 4);
  CHECK(stats.parameters.size() == 1);
  std::vector<std::string_view> names;
  for (const HloInstruction* i : stats.longest.instructions) names.push_back(i->name());
  CHECK(names == std::vector<std::string_view>{"loop", "all", "r"});
  CHECK(stats.costliest.share == Approx(1));
  for (const ModuleStats::Computation& computation : stats.computations) {
    const std::string_view name = computation.computation->name();
    CHECK(computation.times == (name == "e" ? 1 : name == "body" ? 5 : name == "condition" ? 6 : 0));
  }
}

TEST_CASE("groups of collectives in each spelling") {
  const auto groups = [](const std::string& attribute, const std::string& opcode) {
    const std::string to_apply = opcode == "all-reduce" ? ", to_apply=sum" : "";
    auto module = Parse(
        "HloModule m, replica_count=8\nsum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] "
        "add(a, b)\n}\nENTRY e {\n x = f32[8]{0} parameter(0)\n ROOT r = f32[8]{0} " +
        opcode + "(x), " + attribute + to_apply + "\n}");
    const ModuleStats stats(*module);
    REQUIRE(stats.collectives.size() == 1);
    return std::pair(static_cast<int64_t>(stats.collectives[0].groups.size()), stats.collectives[0].group_size);
  };
  CHECK(groups("replica_groups={}", "all-reduce") == std::pair<int64_t, int64_t>(1, 8));
  CHECK(groups("replica_groups=[2,4]<=[8]", "all-reduce") == std::pair<int64_t, int64_t>(2, 4));
  CHECK(groups("source_target_pairs={{0,1},{1,2},{2,0}}", "collective-permute") == std::pair<int64_t, int64_t>(3, 2));
}

TEST_CASE("a source line comes from metadata or from the innermost stack frame") {
  auto module = Parse(R"(HloModule m

FileNames
1 "model.py"
2 "main.py"

FunctionNames
1 "layer"
2 "main"

FileLocations
1 {file_name_id=2 function_name_id=2 line=90}
2 {file_name_id=1 function_name_id=1 line=7}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}


ENTRY e {
  x = f32[2]{0} parameter(0), metadata={source_file="direct.py" source_line=12}
  n = f32[2]{0} negate(x), metadata={op_name="n" stack_frame_id=2}
  ROOT a = f32[2]{0} abs(n)
}
)");
  const HloComputation& e = *module->entry_computation();
  CHECK(SourceOf(*e.FindInstruction("x"))->ToString() == "direct.py:12");
  REQUIRE(SourceOf(*e.FindInstruction("n")));
  CHECK(SourceOf(*e.FindInstruction("n"))->ToString() == "model.py:7");
  CHECK(SourceOf(*e.FindInstruction("n"))->function == "layer");
  CHECK(!SourceOf(*e.FindInstruction("a")));
}

TEST_CASE("on the corpus the parts add up to the whole") {
  int64_t modules = 0;
  for (const std::filesystem::path& path : FilesIn(std::string(kCorpusFolder) + "/modules")) {
    INFO(path.string());
    auto module = ReadModule(path.string());
    REQUIRE(module.ok());
    const ModuleStats stats(**module);
    int64_t instructions = 0;
    for (const ModuleStats::Tally& tally : stats.opcodes) instructions += tally.instructions;
    CHECK(instructions == stats.count.instructions);
    bool conditional = false;
    for (const HloInstruction* i : (*module)->AllInstructions())
      conditional = conditional || i->opcode() == HloOpcode::kConditional;
    Cost sum;
    for (const ModuleStats::Tally& tally : stats.opcodes) sum += tally.cost;
    if (!conditional) {
      CHECK(sum.flops == Approx(stats.cost.repeated.flops));
      CHECK(sum.transcendentals == Approx(stats.cost.repeated.transcendentals));
      CHECK(sum.bytes == Approx(stats.cost.repeated.bytes));
    }
    const nlohmann::json json = nlohmann::json::parse(StatsJson(stats));
    CHECK(json["flops"].get<double>() == stats.cost.once.flops);
    ++modules;
  }
  CHECK(modules > 200);
}

TEST_CASE("what a loop holds at the peak is told, from the outside in") {
  auto module = Parse(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
condition {
  s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  big = f32[1000]{0} broadcast(x), dimensions={}
  zero = f32[] constant(0)
  y = f32[] reduce(big, zero), dimensions={0}, to_apply=sum
  ROOT t = (s32[], f32[]) tuple(i, y)
}
ENTRY e {
  p = (s32[], f32[]) parameter(0)
  ROOT loop = (s32[], f32[]) while(p), condition=condition, body=body
}
)");
  const nlohmann::json memory = nlohmann::json::parse(StatsJson(ModuleStats(*module)))["memory"];
  REQUIRE(memory["within"].size() == 1);
  const nlohmann::json& within = memory["within"][0];
  CHECK(within["instruction"] == "loop");
  CHECK(within["computation"] == "body");
  int64_t held = 0;
  for (const nlohmann::json& value : within["live_at_peak"]) held += value["bytes"].get<int64_t>();
  CHECK(held == within["peak_bytes"]);
  CHECK(held >= 4000);
  CHECK(StatsReport(ModuleStats(*module)).find("inside loop, at ") != std::string::npos);
}
