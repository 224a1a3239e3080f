// Parsing by several threads gives the same module or error as parsing by one. Entry point: ParseModule with
// ParserCores that parse any text in parallel. Also run with ThreadSanitizer.
#include "catch.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "src/parser/parser_cores.h"

namespace hloir {
namespace {

struct Outcome {
  std::unique_ptr<HloModule> module;
  std::string error;
  size_t parts = 0;
};

Outcome Read(const std::string& text, int threads, const ParserOptions& options = {}) {
  Outcome outcome;
  auto module = ParseModule(text, options, {threads, /*least_bytes=*/1}, &outcome.parts);
  if (module.ok()) outcome.module = *std::move(module);
  else outcome.error = module.status().message();
  return outcome;
}

// All properties that distinguish two modules, except for addresses.
std::string Told(const HloModule& module) {
  std::string told = PrintModule(module, PrintOptions::Readable());
  for (const HloComputation* computation : module.computations()) {
    told += "\n" + std::string(computation->name()) + " " + std::to_string(computation->id()) + " line " +
            std::to_string(computation->line()) + " thread " + std::string(computation->execution_thread());
    for (const HloInstruction* caller : computation->callers()) told += " called by " + std::string(caller->name());
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      told += "\n  " + std::string(i->name()) + " " + std::to_string(i->id()) + " line " + std::to_string(i->line());
      for (const HloInstruction* user : i->users()) told += " used by " + std::string(user->name());
    }
  }
  return told;
}

// As real modules have it: computations that call those before them, from near and far, and share some names.
std::string Text(int blocks, bool unique_names, const std::string& extra = "") {
  std::string text = R"(HloModule parts, entry_computation_layout={(f32[8]{0})->f32[8]{0}}

FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "f"
2 "g"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=2}
2 {file_name_id=2 function_name_id=2 line=2 end_line=2 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

)";
  const auto name = [&](const char* of, int block) {
    return unique_names ? std::string(of) + "." + std::to_string(block) : std::string(of);
  };
  text += "add {\n  x_ = f32[] parameter(0)\n  y_ = f32[] parameter(1)\n  ROOT sum_ = f32[] add(x_, y_)\n}\n\n";
  std::string calls;
  for (int b = 0; b < blocks; ++b) {
    const std::string n = std::to_string(b), p = name("p", b), t = name("t", b), r = name("r", b), w = name("w", b);
    text += "%block." + n + " (" + p + ": f32[8]) -> f32[8]{0} { // a brace } in a comment\n";
    text += "  " + p + " = f32[8]{0} parameter(0), metadata={op_name=\"it's } {" + n +
            "\" stack_frame_id=" + std::to_string(2 - b % 2) + "}\n";
    text += "  " + t + " = f32[8]{0} tanh(" + p + "), backend_config={\"a\":\"}\",\"b\":{\"c\":[" + n + "]}}\n";
    text += "  " + w + " = f32[8]{0} " +
            (b > 0 ? "call(" + t + "), to_apply=block." + std::to_string(b / 2) : "sine(" + t + ")") + "\n";
    if (extra.empty() || b != blocks / 2) text += "  ROOT " + r + " = f32[8]{0} add(" + p + ", " + w + ")\n";
    else text += "  " + extra + "\n  ROOT " + r + " = f32[8]{0} add(" + p + ", " + w + ")\n";
    text += b % 7 == 0 ? "}, execution_thread=\"main\"\n\n" : "}\n\n";
    calls += "  c." + n + " = f32[8]{0} call(" + (b > 0 ? "c." + std::to_string(b - 1) : "in") + "), to_apply=%block." +
             n + "\n";
    if (b % 3 == 0) {
      calls += "  z." + n + " = f32[] constant(" + n + ")\n  s." + n + " = f32[] reduce(c." + n + ", z." + n +
               "), dimensions={0}, to_apply=add\n";
    }
  }
  text += "aside {\n  ROOT x__ = f32[] parameter(0)\n}, execution_thread=\"other\"\n\n";
  text += "ENTRY main {\n  in = f32[8]{0} parameter(0)\n" + calls + "  ROOT out = f32[8]{0} negate(c." +
          std::to_string(blocks - 1) + ")\n}\n";
  return text;
}

void CheckSame(const std::string& text) {
  const Outcome one = Read(text, 1), four = Read(text, 4);
  CHECK(one.parts == 0);
  CHECK(one.error == four.error);
  REQUIRE((one.module == nullptr) == (four.module == nullptr));
  if (one.module == nullptr) return;
  CHECK(Told(*one.module) == Told(*four.module));
  CHECK(VerifyModule(*four.module).ok() == VerifyModule(*one.module).ok());
}

TEST_CASE("parallel parser: the same module") {
  for (const bool unique : {true, false}) {
    const std::string text = Text(40, unique);
    const Outcome four = Read(text, 4);
    REQUIRE(four.error == "");
    CHECK(four.parts > 4);
    CheckSame(text);
    // Equal shapes are one object, whoever read them.
    const Shape* shape = &four.module->entry_computation()->root()->shape();
    for (const HloComputation* computation : four.module->computations()) {
      if (computation->root()->shape().rank() == 1) CHECK(&computation->root()->shape() == shape);
    }
    // It can be changed like any other.
    HloModule& module = *four.module;
    HloComputation* block = module.FindComputation("block.3");
    REQUIRE(block != nullptr);
    block->ReplaceInstruction(block->root(), block->AddInstruction(HloOpcode::kNegate, *shape, {block->parameter(0)}));
    CHECK(VerifyModule(module).message() == "");
    CHECK(module.Clone()->instruction_count() == module.instruction_count());
  }
}

TEST_CASE("parallel parser: what needs the whole module") {
  for (const char* extra : {
           "i = f32[8]{0} call(p), to_apply={ q = f32[8]{0} parameter(0) ROOT v = f32[8]{0} negate(q) }",
           "n = f32[8]{0} negate(f32[8]{0} negate(p))",
           "n = call(p), to_apply=block.1",
           "s = ((f32[8]{0}), f32[8]{0}, s32[]) negate-start(p)\n  d = f32[8]{0} negate-done(s)",
           "u = (f32[8]{0}, f32[8]{0}) tuple(p, p)\n  e = f32[8]{0} negate(u#1)",
       }) {
    const std::string text = Text(20, false, extra);
    INFO(extra);
    const Outcome four = Read(text, 4);
    CHECK(four.error == "");
    CHECK(four.parts == 0);
    CheckSame(text);
  }
}

TEST_CASE("parallel parser: the same error") {
  for (const char* extra : {
           "p = f32[8]{0} negate(p)",
           "n = f32[8]{0} negate(nobody)",
           "n = f32[8]{0} nogate(p)",
           "n = f32[8]{0} call(p), to_apply=block.19",
           "n = f32[8]{0} call(p), to_apply=main",
           "n = f32[8]{0} negate(p), metadata={op_name=\"open}",
           "n = f32[8]{0} negate(p)\n}",
           "{",
           "/* open",
           "ROOT n = f32[8]{0} negate(p)",
           "n = f32[8]{0} parameter(3)",
       }) {
    INFO(extra);
    CHECK(Read(Text(20, true, extra), 4).error != "");
    CheckSame(Text(20, true, extra));
  }
  // Of two, the first.
  std::string text = Text(20, true);
  const size_t early = text.find("tanh(p.4)"), late = text.find("tanh(p.17)");
  text[late] = text[early] = 'T';
  CheckSame(text);
  CHECK(Read(text, 4).error.find("Tanh") != std::string::npos);
  text = Text(20, true);
  text.replace(text.find("ROOT r.9 = f32[8]{0} add(p.9, w.9)"), 5, "ROOT ");
  text.replace(text.find("(p.9: f32[8]) -> f32[8]{0}"), 26, "(p.9: f32[8]) -> f32[9]{0}");
  CHECK(Read(text, 4).error.find("f32[9]") != std::string::npos);
  CheckSame(text);
  CheckSame(Text(20, true) + "ENTRY again {\n  ROOT p = f32[] parameter(0)\n}\n");
  CheckSame(Text(20, true) + "block.3 {\n  ROOT p = f32[] parameter(0)\n}\n");
  ParserOptions few;
  few.max_instructions = 100;
  CHECK(Read(Text(40, true), 4, few).error == Read(Text(40, true), 1, few).error);
  CHECK(Read(Text(40, true), 4, few).error != "");
}

}  // namespace
}  // namespace hloir
