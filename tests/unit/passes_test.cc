// The passes: tests/passes/PASS/*.hlo against *.expected.hlo, and the BEFORE and AFTER in each pass's own file. For
// each the runner checks: it parses, prints and reads back alike; it is legal before and after; the output is the
// expected one; the reference evaluator gives the same results before and after; a second run changes nothing. In these
// files an instruction named …_stays is one that a rule must not touch. HLOIR_UPDATE=FILE writes the expectation of the
// files whose path holds FILE. ctest runs each folder of tests/passes by itself: passes.FOLDER.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "hloir/check.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/analysis.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/lapack.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

// An expectation must read back.
std::string Print(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

std::unique_ptr<HloModule> Parse(const std::string& text, const std::string& name) {
  ParserOptions options;
  options.file_name = name;
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text, options);
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

void RequireLegal(const HloModule& module) {
  Status status = VerifyModule(module);
  INFO(status.message());
  REQUIRE(status.ok());
}

struct RunLine {
  std::vector<std::string> passes;
  MathMode math = MathMode::kExact;
  bool run = true;  // --no-run: not evaluated
};
RunLine ParseRunLine(const std::string& text) {
  RunLine result;
  std::istringstream line(text.substr(0, text.find('\n')));
  std::string word;
  line >> word >> word;
  REQUIRE(word == "RUN:");
  while (line >> word) {
    if (word.starts_with("--passes=")) {
      for (std::string more; word.find('{') != std::string::npos && !word.ends_with('}') && line >> more;)
        word += " " + more;
      std::istringstream names(word.substr(9));
      for (std::string name; std::getline(names, name, ',');) result.passes.push_back(name);
    } else if (word == "--math=rounding") {
      result.math = MathMode::kRounding;
    } else if (word == "--math=fast") {
      result.math = MathMode::kFast;
    } else if (word == "--no-run") {
      result.run = false;
    } else {
      FAIL("unknown word in the RUN line: " << word);
    }
  }
  return result;
}

bool RunPasses(HloModule& module, const RunLine& line, RewriteLog* log) {
  PassOptions options;
  options.math = line.math;
  options.rewriter = log;
  PipelineOptions pipeline_options;
  pipeline_options.verify_each = true;
  StatusOr<HloPassPipeline> pipeline = MakePipeline(line.passes, options, pipeline_options);
  INFO((pipeline.ok() ? "" : pipeline.status().message()));
  REQUIRE(pipeline.ok());
  StatusOr<bool> changed = pipeline->RunOnce(module);
  INFO((changed.ok() ? "" : changed.status().message()));
  REQUIRE(changed.ok());
  return *changed;
}

// By the reference, which does not depend on how an engine orders sums; on each of the module's devices.
void CheckSameResults(const HloModule& before, const HloModule& after, std::initializer_list<uint64_t> seeds,
                      MathMode math) {
  const DeviceCounts counts = UsesDevices(before) ? DeviceCountsOf(before) : DeviceCounts();
  std::vector<InputSet> inputs;
  for (uint64_t seed : seeds) {
    // Odd seeds bring NaN, infinities, -0 and the like, where only exact rules promise anything.
    if (math != MathMode::kExact && seed % 2 == 1) continue;
    StatusOr<InputSet> set =
        MakeInputSet(before, counts, seed, seed % 2 == 1 ? InputKind::kCornerCases : InputKind::kPlain);
    INFO((set.ok() ? "" : set.status().message()));
    REQUIRE(set.ok());
    inputs.push_back(std::move(*set));
  }
  CheckOptions options;
  options.runner.engine = Engine::kReference;
  options.other_engine_work = 0;
  options.exact = math == MathMode::kExact;
  options.proofs = Proofs::kAlso;  // a proved claim must also hold in runs
  const StatusOr<Verdict> verdict = Check(before, after, std::move(inputs), options);
  if (LacksLapack(verdict.status())) return;
  INFO((verdict.ok() ? verdict->reason : verdict.status().message()));
  REQUIRE(verdict.ok());
  INFO("input set " << verdict->input_set);
  CHECK(verdict->outcome != Outcome::kDisagree);
  CHECK(verdict->outcome != Outcome::kEnginesDisagree);
}

void RunFile(const fs::path& path) {
  INFO(path.string());
  const std::string text = TextOf(path);
  const RunLine line = ParseRunLine(text);
  std::unique_ptr<HloModule> module = Parse(text, path.filename().string());
  RequireLegal(*module);
  const std::string printed = Print(*module);
  REQUIRE(Print(*Parse(printed, "printed")) == printed);

  std::unique_ptr<HloModule> before = module->Clone();
  RewriteLog log;
  RunPasses(*module, line, &log);
  RequireLegal(*module);
  const std::string output = Print(*module);

  fs::path expected_path = path;
  expected_path.replace_extension(".expected.hlo");
  const char* update = std::getenv("HLOIR_UPDATE");
  if (update != nullptr && path.string().find(update) != std::string::npos && TextOf(expected_path) != output)
    std::ofstream(expected_path) << output;
  const std::string folder = path.parent_path().filename().string();
  INFO("if the new output is right: HLOIR_UPDATE=" << folder << "/" << path.filename().string()
                                                   << " ctest --preset release -R '^passes." << folder << "$'");
  CHECK(TextOf(expected_path) == output);

  for (const HloComputation* computation : before->computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (!i->name().ends_with("_stays")) continue;
      INFO(i->name());
      const HloComputation* after = module->FindComputation(computation->name());
      REQUIRE(after != nullptr);
      const HloInstruction* kept = after->FindInstruction(i->name());
      REQUIRE(kept != nullptr);
      CHECK(kept->opcode() == i->opcode());
    }
  }

  if (line.run) {
    CheckSameResults(*before, *module, {0, 1, 2, 3}, line.math);
  }

  std::unique_ptr<HloModule> again = Parse(output, "output");
  const std::string read_back = Print(*again);
  RewriteLog second;
  const bool changed_again = RunPasses(*again, line, &second);
  INFO((second.entries().empty() ? "" : second.entries()[0].rule + ": " + second.entries()[0].before));
  CHECK_FALSE(changed_again);
  CHECK(Print(*again) == read_back);
}

std::vector<fs::path> TestFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".hlo") && !name.ends_with(".expected.hlo")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("each file in tests/passes gives what is expected", "[files]") {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(fs::path(kTestsFolder) / "passes")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  REQUIRE_FALSE(folders.empty());
  for (const fs::path& folder : folders) {
    DYNAMIC_SECTION(folder.filename().string()) {
      const std::vector<fs::path> files = TestFiles(folder);
      REQUIRE_FALSE(files.empty());
      for (const fs::path& file : files) {
        DYNAMIC_SECTION(file.filename().string()) { RunFile(file); }
      }
    }
  }
}

// The subjects of the files of tests/passes: rules that fire in them, and names of instructions that must stay, without
// their "_stays".
struct Covered {
  std::set<std::string> fired, stays;
};
Covered CoveredByFiles() {
  Covered covered;
  for (const fs::path& file : TestFiles(fs::path(kTestsFolder) / "passes")) {
    INFO(file.string());
    const std::string text = TextOf(file);
    std::unique_ptr<HloModule> module = Parse(text, file.filename().string());
    for (const HloInstruction* i : module->AllInstructions()) {
      if (i->name().ends_with("_stays")) covered.stays.emplace(i->name().substr(0, i->name().size() - 6));
    }
    RewriteLog log;
    log.keep_text = false;
    RunPasses(*module, ParseRunLine(text), &log);
    for (const auto& [rule, count] : log.counts()) covered.fired.insert(rule);
  }
  return covered;
}

TEST_CASE("every rule of the algebraic simplifier fires in some file, and must not in some place") {
  const Covered covered = CoveredByFiles();
  // No pass has a rule that --disable-rule would not know.
  std::set<std::string> known;
  for (const PassInfo& pass : BuiltinPasses().passes()) {
    for (const RuleInfo& rule : pass.rules) known.insert(pass.name + "/" + std::string(rule.name));
  }
  for (const std::string& rule : covered.fired) {
    if (rule.ends_with("/dead-instruction")) continue;  // every pass of rules has it
    INFO(rule);
    CHECK(known.contains(rule));
  }
  for (const RuleInfo& rule : BuiltinPasses().Find("algebraic-simplifier")->rules) {
    std::string name(rule.name);
    if (name == "dead-instruction") continue;  // the driver's
    INFO("rule " << name << ": " << rule.formula);
    CHECK(covered.fired.contains("algebraic-simplifier/" + name));
    std::replace(name.begin(), name.end(), '-', '_');
    CHECK(covered.stays.contains(name));
  }
}

// Every sharding and frontend attribute, and how many control edges there are. A fusion has those of its root, which
// keeps them inside as well.
std::multiset<std::string> Annotations(const HloModule& module) {
  std::multiset<std::string> found;
  for (const HloComputation* computation : module.computations()) {
    if (computation->fusion() != nullptr) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      const std::string text = i->ToString();
      for (const char* word : {"sharding=", "frontend_attributes=", "control-predecessors="}) {
        if (const size_t at = text.find(word); at != std::string::npos) found.insert(text.substr(at));
      }
    }
  }
  return found;
}

TEST_CASE("shardings, frontend attributes and control edges go through the pipeline") {
  const std::string text = TextOf(fs::path(kTestsFolder) / "passes/default-pipeline/annotations.hlo");
  std::unique_ptr<HloModule> module = Parse(text, "annotations.hlo");
  const std::multiset<std::string> before = Annotations(*module);
  REQUIRE(before.size() == 10);
  RunPasses(*module, ParseRunLine(text), nullptr);
  CHECK(Annotations(*module) == before);
}

// The comment's lines between `from` and `to`, without their slashes.
std::string CommentBetween(const std::string& text, const std::string& from, const std::string& to) {
  const size_t start = text.find("// " + from), end = text.find("// " + to + "\n");
  REQUIRE(start != std::string::npos);
  REQUIRE(end != std::string::npos);
  std::istringstream lines(text.substr(start, end - start));
  std::string result, line;
  std::getline(lines, line);
  while (std::getline(lines, line)) result += (line.size() > 3 ? line.substr(3) : "") + "\n";
  return result;
}

TEST_CASE("each pass does what the BEFORE and AFTER in its file say; every rule fires there or in tests/passes") {
  RewriteLog log;
  for (const PassInfo& pass : BuiltinPasses().passes()) {
    std::string file = pass.name;
    std::replace(file.begin(), file.end(), '-', '_');
    fs::path path;
    for (const auto& entry : fs::recursive_directory_iterator(kPassesFolder)) {
      if (entry.path().filename() == file + ".cc") path = entry.path();
    }
    INFO(path.string());
    const std::string text = TextOf(path);
    std::unique_ptr<HloModule> module = Parse(CommentBetween(text, "BEFORE", "AFTER"), "BEFORE");
    const std::string after_text = CommentBetween(text, "AFTER", "END");
    RequireLegal(*module);
    const std::unique_ptr<HloModule> before = module->Clone();
    // "BEFORE --math=rounding" for rewrites that are not exact.
    const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
    const MathMode math = says("// BEFORE --math=rounding\n") ? MathMode::kRounding
                          : says("// BEFORE --math=fast\n")   ? MathMode::kFast
                                                              : MathMode::kExact;
    CHECK(RunPasses(*module, {{pass.name}, math}, &log));
    RequireLegal(*module);
    if (after_text.empty()) {  // too long to be read: it computes the same, then
      CheckSameResults(*before, *module, {0}, math);
      continue;
    }
    std::unique_ptr<HloModule> after = Parse(after_text, "AFTER");
    RequireLegal(*after);
    // In structure: names and stored order, of instructions and of computations, are the reader's convenience.
    INFO(PrintModule(*module));
    CHECK(StructuralHash(*module) == StructuralHash(*after));
  }
  std::set<std::string> fired = CoveredByFiles().fired;
  for (const auto& [rule, count] : log.counts()) fired.insert(rule);
  for (const PassInfo& pass : BuiltinPasses().passes()) {
    const bool is_simplifier = pass.name == "algebraic-simplifier" || pass.name == "dce" || pass.name == "fusion";
    for (const RuleInfo& info : pass.rules) {
      // Every pass of rules has this one, from the driver that they share.
      if (info.name == "dead-instruction" && !is_simplifier) continue;
      const std::string rule = pass.name + "/" + std::string(info.name);
      INFO(rule);
      CHECK(fired.contains(rule));
    }
  }
}

TEST_CASE("rules are named once, and can be switched off, counted and only proposed") {
  std::set<std::string_view> names;
  for (const RuleInfo& rule : BuiltinPasses().Find("algebraic-simplifier")->rules) {
    INFO(rule.name);
    CHECK(names.insert(rule.name).second);
    CHECK_FALSE(rule.formula.empty());
  }
  CHECK(names.size() >= 330);

  const std::string text =
      "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  low = f32[] constant(-inf)\n"
      "  lows = f32[4] broadcast(low), dimensions={}\n  y = f32[4] maximum(x, lows)\n  n = f32[4] negate(y)\n"
      "  ROOT r = f32[4] negate(n)\n}\n";
  auto run = [&](PassOptions options) {
    std::unique_ptr<HloModule> module = Parse(text, "text");
    StatusOr<std::unique_ptr<HloPass>> pass = MakePass("algebraic-simplifier", options);
    REQUIRE(pass.ok());
    REQUIRE((*pass)->Run(*module).ok());
    return module->entry_computation()->root()->opcode();
  };
  CHECK(run({}) == HloOpcode::kParameter);
  PassOptions disabled;
  disabled.disabled_rules = {"maximum-lowest"};
  CHECK(run(disabled) == HloOpcode::kMaximum);
  RewriteLog dry_run;
  dry_run.propose_only = true;
  PassOptions proposing;
  proposing.rewriter = &dry_run;
  CHECK(run(proposing) == HloOpcode::kNegate);
  CHECK(dry_run.entries().size() == 2);
  RewriteLog fuel;
  fuel.max_rewrites = 1;
  PassOptions limited;
  limited.rewriter = &fuel;
  CHECK(run(limited) == HloOpcode::kNegate);
  CHECK(fuel.counts().at("algebraic-simplifier/maximum-lowest") == 1);
}

TEST_CASE("pipelines are spelled as lists of names") {
  const PassOptions options;
  auto make = [&](std::vector<std::string> names) { return MakePipeline(names, options).ok(); };
  CHECK(make({}));
  CHECK(make({"cse", "dce"}));
  CHECK(make({"[cse", "dce]"}));
  CHECK(make({"[cse]"}));
  CHECK(make({"algsimp", "zero_sized_hlo_elimination", "simplify-while-loops"}));  // XLA's names
  CHECK_FALSE(make({"no-such-pass"}));
  CHECK_FALSE(make({"[cse", "dce"}));
  CHECK_FALSE(make({"cse", "dce]"}));
  CHECK_FALSE(make({"[cse", "[dce]"}));
  CHECK_FALSE(make({""}));
}

TEST_CASE("the text of a pipeline: commas, lines, comments, brackets and options") {
  using Names = std::vector<std::string>;
  auto split = [](std::string_view text) {
    StatusOr<Names> names = SplitPipeline(text);
    return names.ok() ? *names : Names{"error: " + names.status().message()};
  };
  CHECK(split("").empty());
  CHECK(split("cse,[dce,fusion]") == Names{"cse", "[dce", "fusion]"});
  CHECK(split("# first\ncse  # then\n[\n  dce\n  fusion{max-instructions=4 multi-output=false}\n]\n") ==
        Names{"cse", "[dce", "fusion{max-instructions=4 multi-output=false}]"});
  CHECK(split("cse{x=1,2}") == Names{"cse{x=1,2}"});
  CHECK(split("cse{x=1\n}")[0] == "error: line 1: a '{' without its '}'");
  CHECK(split("cse{x=1")[0] == "error: line 1: a '{' without its '}'");
  CHECK(split("]")[0].starts_with("error: "));

  auto message = [](std::string name) {
    StatusOr<std::unique_ptr<HloPass>> pass = MakePass(name, {});
    return pass.ok() ? "" : pass.status().message();
  };
  CHECK(message("fusion{max-instructions=4 multi-output=false math=fast disable=fuse}") == "");
  CHECK(message("cse{}") == "");
  CHECK(message("cse{multi-output=false}") == "the pass 'cse' has no option 'multi-output'; it has disable, math");
  CHECK(message("fusion{max=3}") ==
        "the pass 'fusion' has no option 'max'; it has max-instructions, max-copies, work-per-byte, feed-products, "
        "multi-output, max-results, least-gain, join-products, disable, math");
  CHECK(message("fusion{disable=fues}") == "the pass 'fusion' does not have a rule named 'fues'; did you mean 'fuse'?");
  CHECK(message("fusion{max-instructions=x}") ==
        "the option 'max-instructions' of the pass 'fusion' must be a number, not 'x'");
  CHECK(message("fusion{multi-output=1}") ==
        "the option 'multi-output' of the pass 'fusion' must be true or false, not '1'");
  CHECK(message("fusion{math=sloppy}") ==
        "the option 'math' of the pass 'fusion' must be exact, rounding or fast, not 'sloppy'");
  CHECK(message("fusion{fast}") == "the option 'fast' of the pass 'fusion' has no '=VALUE'");
  for (const PassInfo& pass : BuiltinPasses().passes()) {
    for (const PassOption& option : pass.options) {
      INFO(pass.name << " " << option.name);
      CHECK_FALSE(option.description.empty());
      // The default values in the list of passes are accepted as options.
      const std::string set = pass.name + "{" + std::string(option.name) + "=" + option.DefaultText() + "}";
      CHECK(message(set) == "");
    }
  }

  // An option is this pass's alone.
  std::unique_ptr<HloModule> module = Parse(
      "HloModule m\nENTRY e {\n  x = s32[2] parameter(0)\n  c = s32[2] constant({1, 2})\n  n = s32[2] negate(c)\n  "
      "ROOT r = s32[2] add(x, n)\n}\n",
      "text");
  std::unique_ptr<HloModule> other = module->Clone();
  CHECK_FALSE(RunPasses(*module, {{"constant-folding{max-elements=1}", "cse"}}, nullptr));
  CHECK(RunPasses(*other, {{"constant-folding{max-elements=1}", "constant-folding{max-elements=2}"}}, nullptr));
}

TEST_CASE("structure is what counts, not names") {
  auto a = Parse("HloModule a\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n", "a");
  auto b = Parse("HloModule b\nENTRY f {\n  p = f32[4] parameter(0)\n  ROOT q = f32[4] negate(p)\n}\n", "b");
  auto c = Parse("HloModule b\nENTRY f {\n  p = f32[5] parameter(0)\n  ROOT q = f32[5] negate(p)\n}\n", "c");
  CHECK(StructuralHash(*a) == StructuralHash(*b));
  CHECK(StructuralHash(*a) != StructuralHash(*c));
  CHECK(StructurallyEqual(*a->entry_computation(), *b->entry_computation()));
  CHECK_FALSE(StructurallyEqual(*a->entry_computation(), *c->entry_computation()));
}

}  // namespace
}  // namespace hloir
