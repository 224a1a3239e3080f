// Ops by name: every instruction of the corpus is equal to one rebuilt from its names, and its attributes can be set to
// their values; invalid names are errors that quote them.
#include <filesystem>

#include "catch.h"
#include "hloir/analysis.h"
#include "hloir/builder.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/folders.h"

namespace hloir {
namespace {

// Parameters and constants have separate functions, and asynchronous operations share theirs.
bool IsBuilt(const HloInstruction& i) {
  return !i.IsParameter() && !i.IsConstant() && i.opcode() != HloOpcode::kAsyncStart &&
         i.opcode() != HloOpcode::kAsyncUpdate && i.opcode() != HloOpcode::kAsyncDone &&
         i.extras().unknown_attributes.empty() &&
         // A scan that does not say whether it is associative is printed as one that is not.
         i.opcode() != HloOpcode::kScan &&
         // A number of the module's own table.
         (i.metadata() == nullptr || i.metadata()->stack_frame_id == 0);
}

TEST_CASE("each instruction of the corpus and of tests/ops can be made again from its words") {
  OpcodeSet seen;
  int64_t count = 0;
  for (const std::string& folder : {std::string(kCorpusFolder), std::string(kTestsFolder) + "/ops"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".hlo") continue;
      auto read = ReadModule(entry.path().string());
      if (!read.ok()) continue;
      INFO(entry.path().string());
      HloModule& module = **read;
      const uint64_t hash = StructuralHash(module);
      for (HloComputation* computation : module.computations()) {
        for (HloInstruction* i : computation->instructions()) {
          if (!IsBuilt(*i)) continue;
          INFO(i->ToString());
          const NamedAttributes attributes = PrintAttributes(*i);
          auto made = AddByName(*computation, i->opcode_name(), i->operands(), attributes, &i->shape());
          REQUIRE(made.status().message() == "");
          REQUIRE(StructurallyEqual(*i, **made));
          REQUIRE(std::ranges::equal(i->called_computations(), (*made)->called_computations()));
          REQUIRE(PrintAttributes(**made) == attributes);
          computation->RemoveInstruction(*made);
          for (const auto& [name, value] : attributes) {
            INFO(name);
            REQUIRE(SetAttribute(*i, name, value).message() == "");
          }
          REQUIRE(PrintAttributes(*i) == attributes);
          seen.set(static_cast<size_t>(i->opcode()));
          ++count;
        }
      }
      CHECK(StructuralHash(module) == hash);
    }
  }
  CHECK(count > 2000);
  CHECK(seen.count() > 90);
}

struct Sample {
  std::unique_ptr<HloModule> module = std::move(*ParseModule(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[2,3] parameter(0)
  zero = f32[] constant(0)
  n = f32[2,3] negate(x)
  ROOT r = f32[2] reduce(n, zero), dimensions={1}, to_apply=add
})"));
  HloComputation& main = *module->entry_computation();
  HloInstruction& operator[](std::string_view name) { return *main.FindInstruction(name); }
  std::string Refused(std::string_view opcode, std::vector<HloInstruction*> operands,
                      const NamedAttributes& attributes) {
    auto made = AddByName(main, opcode, operands, attributes);
    return made.ok() ? "made" : made.status().message();
  }
};

TEST_CASE("shapes are inferred") {
  Sample s;
  const auto make = [&](std::string_view opcode, std::vector<HloInstruction*> operands,
                        const NamedAttributes& attributes) {
    auto made = AddByName(s.main, opcode, operands, attributes);
    REQUIRE(made.status().message() == "");
    return (*made)->shape().ToString();
  };
  CHECK(make("reduce", {&s["x"], &s["zero"]}, {{"dimensions", "{0}"}, {"to_apply", "add"}}) == "f32[3]{0}");
  CHECK(make("transpose", {&s["x"]}, {{"dimensions", "{1,0}"}}) == "f32[3,2]{0,1}");
  CHECK(make("slice", {&s["x"]}, {{"slice", "{[0:1], [0:3:2]}"}}) == "f32[1,2]{1,0}");
  CHECK(make("compare", {&s["x"], &s["x"]}, {{"direction", "LT"}}) == "pred[2,3]{1,0}");
  CHECK(make("tuple", {&s["x"], &s["zero"]}, {{"sharding", "{replicated}"}}) == "(f32[2,3]{1,0}, f32[])");
  CHECK(make("after-all", {}, {{"control-predecessors", "{n}"}}) == "token[]");
  const Shape wide = Shape::Array(PrimitiveType::F32, {4, 2});
  CHECK(AddByName(s.main, "broadcast", std::vector{&s["r"]}, {{"dimensions", "{1}"}}, &wide).ok());
  CHECK(VerifyModule(*s.module).message() == "");
}

TEST_CASE("what does not fit is refused, and nothing is left of it") {
  Sample s;
  const std::string before = PrintModule(*s.module);
  CHECK(s.Refused("reduse", {&s["x"]}, {}) == "unknown opcode 'reduse'; did you mean 'reduce'?");
  CHECK(s.Refused("mul", {&s["x"], &s["x"]}, {}) == "unknown opcode 'mul'; did you mean 'multiply'?");
  CHECK(s.Refused("negate", {&s["x"], &s["x"]}, {}) == "negate takes 1 operand, not 2");
  CHECK(s.Refused("negate", {&s["x"]}, {{"dimensions", "{0}"}}).starts_with("negate has no attribute 'dimensions'"));
  CHECK(s.Refused("reduce", {&s["x"], &s["zero"]}, {{"dimensions", "{0}"}}) == "reduce needs the attribute to_apply");
  CHECK(s.Refused("reduce", {&s["x"], &s["zero"]}, {{"dimensions", "{0}"}, {"to_apply", "sum"}}) ==
        "the module has no computation 'sum'");
  CHECK(s.Refused("reduce", {&s["x"], &s["zero"]}, {{"dimensions", "{7}"}, {"to_apply", "add"}}).find("7") !=
        std::string::npos);
  CHECK(s.Refused("call", {&s["x"]}, {{"to_apply", "main"}}) == "'main' would call itself");
  CHECK(s.Refused("add", {&s["x"], &s["zero"]}, {}).find("differ in rank") != std::string::npos);
  CHECK(s.Refused("add", {&s["x"], s.module->computations()[0]->root()}, {}).find("of another computation") !=
        std::string::npos);
  CHECK(s.Refused("custom-call", {}, {{"custom_call_target", "\"f\""}}) ==
        "the result shape of custom-call must be stated");
  CHECK(s.Refused("negate", {&s["x"]}, {{"metadata", "{op_name=\"a\"}\n n2 = f32[2,3] negate(o0"}}) != "made");
  CHECK(PrintModule(*s.module) == before);
}

TEST_CASE("attributes can be set and taken away") {
  Sample s;
  CHECK(SetAttribute(s["r"], "metadata", "{op_name=\"sum\" source_line=3}").ok());
  REQUIRE(s["r"].metadata() != nullptr);
  CHECK(s["r"].metadata()->op_name == "sum");
  CHECK(SetAttribute(s["x"], "sharding", "{replicated}").ok());
  REQUIRE(s["x"].sharding() != nullptr);
  CHECK(SetAttribute(s["x"], "sharding", "").ok());
  CHECK(s["x"].sharding() == nullptr);
  CHECK(SetAttribute(s["r"], "frontend_attributes", "{k=\"v\"}").ok());
  CHECK(s["r"].extras().frontend_attributes == FrontendAttributes{{"k", "v"}});
  CHECK(s["r"].metadata()->op_name == "sum");
  // Another dimension: f32[3], which its place does not take.
  CHECK(SetAttribute(s["r"], "dimensions", "{0}").message() == "the result is f32[3]{0}, not f32[2]{0}");
  CHECK(SetAttribute(s["r"], "dimensions", "").message() == "reduce needs the attribute dimensions");
  CHECK(SetAttribute(s["n"], "control-predecessors", "{zero}").ok());
  CHECK(s["n"].control_predecessors().size() == 1);
  CHECK(SetAttribute(s["n"], "control-predecessors", "{r}").message() == "'r' needs 'n' itself");
  CHECK(s["n"].control_predecessors().size() == 1);
  CHECK(VerifyModule(*s.module).message() == "");
}

TEST_CASE("an asynchronous operation of the short form takes annotations") {
  auto module = std::move(*ParseModule(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  s = ((f32[4]), f32[4], u32[]) cosine-start(x)
  ROOT d = f32[4] cosine-done(s)
})"));
  HloInstruction* start = module->entry_computation()->FindInstruction("s");
  CHECK(SetAttribute(*start, "frontend_attributes", "{k=\"v\"}").message() == "");
  CHECK(start->extras().frontend_attributes == FrontendAttributes{{"k", "v"}});
  CHECK(VerifyModule(*module).message() == "");
}

}  // namespace
}  // namespace hloir
