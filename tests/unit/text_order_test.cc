// After a pipeline a module's text reads back to the same module: order, names, and the used entries of stack frame
// tables.
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "ir/stack_frames.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

// A result that a fusion copies, and three frames: the first belongs to dead code, the third has the second as its
// parent.
constexpr char kText[] = R"(HloModule m

FileNames
1 "a.py"
2 "dead.py"

FunctionNames
1 "f"
2 "g"

FileLocations
1 {file_name_id=2 function_name_id=1 line=1 end_line=1 column=1 end_column=2}
2 {file_name_id=1 function_name_id=2 line=2 end_line=2 column=1 end_column=2}
3 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}
3 {file_location_id=3 parent_frame_id=3}

ENTRY e {
  x = f32[64] parameter(0)
  dead = f32[64] sine(x), metadata={op_name="dead" stack_frame_id=1}
  shared = f32[64] multiply(x, x), metadata={op_name="shared" stack_frame_id=3}
  reversed = f32[64] reverse(shared), dimensions={0}
  a = f32[64] cosine(reversed)
  b = f32[64] exponential(a)
  ROOT both = (f32[64], f32[64]) tuple(b, shared)
}
)";

std::unique_ptr<HloModule> Fused() {
  std::unique_ptr<HloModule> module = Parse(kText);
  const std::vector<std::string> passes = {"dce", "fusion{multi-output=false}"};
  StatusOr<HloPassPipeline> pipeline = MakePipeline(passes, {});
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(*module).ok());
  return module;
}

TEST_CASE("what a pipeline made is printed as it reads back") {
  std::unique_ptr<HloModule> module = Fused();
  REQUIRE(module->computation_count() == 2);
  CompactStackFrames(*module, /*merged=*/false);
  const std::string text = PrintModule(*module);
  CHECK(PrintModule(*Parse(text)) == text);
}

TEST_CASE("names are unique in the module, and bodies of fusions give way") {
  std::unique_ptr<HloModule> module = Fused();
  std::unordered_map<std::string_view, int> count;
  for (const HloInstruction* i : module->AllInstructions()) ++count[i->name()];
  for (const auto& [name, times] : count) {
    INFO(name);
    CHECK(times == 1);
  }
  CHECK(count.contains("param_0"));
  CHECK(module->entry_computation()->FindInstruction("shared") != nullptr);
}

TEST_CASE("stack frame tables keep what is used") {
  for (const bool merged : {false, true}) {
    INFO(merged);
    std::unique_ptr<HloModule> module = Fused();
    HloInstruction* shared = module->entry_computation()->FindInstruction("shared");
    REQUIRE(shared != nullptr);
    // As if something from the dead line had been merged into it.
    OpMetadata gone;
    gone.op_name = "gone";
    gone.stack_frame_id = 1;
    module->config().stack_frames = Parse(kText)->config().stack_frames;
    shared->AddMergedMetadata(gone);
    CompactStackFrames(*module, merged);
    const StackFrameIndex& tables = module->config().stack_frames;
    CHECK(tables.stack_frames.size() == (merged ? 3 : 2));
    REQUIRE(shared->metadata()->stack_frame_id == 2);
    const auto& location = tables.file_locations.at(static_cast<size_t>(tables.stack_frames[1].file_location_id - 1));
    CHECK(location.line == 3);
    CHECK(tables.file_names.at(static_cast<size_t>(location.file_name_id - 1)) == "a.py");
    CHECK(shared->merged_metadata().size() == (merged ? 1 : 0));
    if (merged) CHECK(shared->merged_metadata()[0]->stack_frame_id == 3);
  }
}

}  // namespace
}  // namespace hloir
