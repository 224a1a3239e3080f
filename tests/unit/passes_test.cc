// The passes: tests/passes/PASS/*.hlo against *.expected.hlo, and the BEFORE and AFTER in each pass's own file. For
// each the runner checks: it parses, prints and reads back alike; it is legal before and after; the output is the
// expected one; the reference evaluator gives the same results before and after; a second run changes nothing. In these
// files an instruction named …_stays is one that a rule must not touch. HLOIR_UPDATE=1 writes the expectations.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "hloir/devices.h"
#include "hloir/equivalence.h"
#include "hloir/parser.h"
#include "hloir/pass.h"
#include "hloir/printer.h"
#include "hloir/structural.h"
#include "hloir/verifier.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// An expectation must read back.
std::string Print(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

std::unique_ptr<HloModule> Parse(const std::string& text, const std::string& name) {
  ParserOptions options;
  options.file_name = name;
  StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(text, options);
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

void RequireLegal(const HloModule& module) {
  Status status = VerifyModule(module);
  INFO(status.message());
  REQUIRE(status.ok());
}

// Bit for bit; any NaN is every NaN.
bool Same(const Literal& a, const Literal& b) {
  std::vector<const Literal*> x = a.Leaves(), y = b.Leaves();
  if (x.size() != y.size()) return false;
  for (size_t k = 0; k < x.size(); ++k) {
    if (x[k]->BitwiseEqual(*y[k])) continue;
    const PrimitiveType type = x[k]->shape().element_type();
    if (!x[k]->shape().Compatible(y[k]->shape()) || !IsFloat(type)) return false;
    const size_t bytes = static_cast<size_t>(StorageBytes(type));
    for (int64_t i = 0; i < x[k]->element_count(); ++i) {
      const bool equal = std::memcmp(x[k]->untyped_data() + static_cast<size_t>(i) * bytes,
                                     y[k]->untyped_data() + static_cast<size_t>(i) * bytes, bytes) == 0;
      if (!equal && !(std::isnan(x[k]->GetAsDouble(i)) && std::isnan(y[k]->GetAsDouble(i)))) return false;
    }
  }
  return true;
}

// Within a relative error that rounding alone explains in a module of a few operations.
bool Close(const Literal& a, const Literal& b) {
  std::vector<const Literal*> x = a.Leaves(), y = b.Leaves();
  if (x.size() != y.size()) return false;
  for (size_t k = 0; k < x.size(); ++k) {
    if (!x[k]->shape().Compatible(y[k]->shape())) return false;
    const PrimitiveType type = ComplexComponentType(x[k]->shape().element_type());
    if (!IsFloat(type)) {
      if (!x[k]->BitwiseEqual(*y[k])) return false;
      continue;
    }
    const double epsilon = std::ldexp(1.0, -GetFloatFormat(type).mantissa_bits);
    for (int64_t i = 0; i < x[k]->element_count(); ++i) {
      const std::complex<double> p = x[k]->GetAsComplex(i), q = y[k]->GetAsComplex(i);
      const double size = std::max(1.0, std::abs(p));
      auto close = [&](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 64 * epsilon * size;
      };
      if (!close(p.real(), q.real()) || !close(p.imag(), q.imag())) return false;
    }
  }
  return true;
}

// The result on inputs made up for `signature`, of which a seed gives always the same; on each of its devices, if it
// has several.
StatusOr<std::vector<Literal>> Evaluate(const HloModule& module, const HloModule& signature, uint64_t seed) {
  const DeviceCounts counts = UsesDevices(signature) ? DeviceCountsOf(signature) : DeviceCounts();
  std::vector<std::vector<Literal>> inputs;
  std::vector<std::vector<const Literal*>> arguments;
  for (int64_t d = 0; d < counts.devices(); ++d) {
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> made, MakeFakeInputs(signature, seed + 100 * static_cast<uint64_t>(d)));
    inputs.push_back(std::move(made));
    arguments.emplace_back();
    for (const Literal& input : inputs.back()) arguments.back().push_back(&input);
  }
  if (UsesDevices(signature)) return RunOnDevices(module, counts, arguments);
  HLOIR_ASSIGN_OR_RETURN(Literal result,
                         MakeReferenceEvaluator()->EvaluateComputation(*module.entry_computation(), arguments[0]));
  std::vector<Literal> results;
  results.push_back(std::move(result));
  return results;
}

struct RunLine {
  std::vector<std::string> passes;
  MathMode math = MathMode::kExact;
  bool run = true;  // --no-run: what the evaluator is not asked about
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

// Rules that fired, and instructions that must stay, over all files that were run.
std::set<std::string> fired, stays;

bool RunPasses(HloModule& module, const RunLine& line, RewriteLog* log) {
  const std::unique_ptr<HloEvaluator> evaluator = MakeReferenceEvaluator();
  PassOptions options;
  options.math = line.math;
  options.evaluator = evaluator.get();
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

void CheckSameResults(const HloModule& before, const HloModule& after, uint64_t seed, MathMode math) {
  const StatusOr<std::vector<Literal>> a = Evaluate(before, before, seed), b = Evaluate(after, before, seed);
  INFO((a.ok() ? "" : a.status().message()) << (b.ok() ? "" : b.status().message()));
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  for (size_t d = 0; d < a->size(); ++d)
    CHECK((math == MathMode::kExact ? Same((*a)[d], (*b)[d]) : Close((*a)[d], (*b)[d])));
}

void RunFile(const fs::path& path) {
  INFO(path.string());
  const std::string text = ReadFile(path);
  const RunLine line = ParseRunLine(text);
  std::unique_ptr<HloModule> module = Parse(text, path.filename().string());
  RequireLegal(*module);
  const std::string printed = Print(*module);
  REQUIRE(Print(*Parse(printed, "printed")) == printed);

  std::unique_ptr<HloModule> before = module->Clone();
  RewriteLog log;
  RunPasses(*module, line, &log);
  for (const auto& [rule, count] : log.counts()) fired.insert(rule);
  RequireLegal(*module);
  const std::string output = Print(*module);

  fs::path expected_path = path;
  expected_path.replace_extension(".expected.hlo");
  if (std::getenv("HLOIR_UPDATE") != nullptr) {
    std::ofstream(expected_path) << output;
  } else {
    INFO("to accept the new output: HLOIR_UPDATE=1 ctest -R unit.passes");
    CHECK(ReadFile(expected_path) == output);
  }

  for (const HloComputation* computation : before->computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (!i->name().ends_with("_stays")) continue;
      INFO(i->name());
      const HloComputation* after = module->FindComputation(computation->name());
      REQUIRE(after != nullptr);
      const HloInstruction* kept = after->FindInstruction(i->name());
      REQUIRE(kept != nullptr);
      CHECK(kept->opcode() == i->opcode());
      stays.insert(std::string(i->name().substr(0, i->name().size() - 6)));
    }
  }

  if (line.run) {
    // Odd seeds bring NaN, infinities, -0 and the like, where only exact rules promise anything.
    for (uint64_t seed : {0, 1, 2, 3}) {
      if (line.math != MathMode::kExact && seed % 2 == 1) continue;
      INFO("seed " << seed);
      CheckSameResults(*before, *module, seed, line.math);
    }
  }

  std::unique_ptr<HloModule> again = Parse(output, "output");
  const std::string read_back = Print(*again);
  RewriteLog second;
  const bool changed_again = RunPasses(*again, line, &second);
  INFO((second.entries().empty() ? "" : second.entries()[0].rule + ": " + second.entries()[0].before));
  CHECK_FALSE(changed_again);
  CHECK(Print(*again) == read_back);
}

std::vector<fs::path> TestFiles() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HLOIR_TESTS_DIR) / "passes")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".hlo") && !name.ends_with(".expected.hlo")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("each file in tests/passes gives what is expected") {
  for (const fs::path& file : TestFiles()) {
    DYNAMIC_SECTION(file.string()) { RunFile(file); }
  }
}

// For a test case that is asked for alone.
void RunFilesOnce() {
  if (!fired.empty()) return;
  for (const fs::path& file : TestFiles()) RunFile(file);
}

TEST_CASE("every rule of the algebraic simplifier fires in some file, and must not in some place") {
  RunFilesOnce();
  REQUIRE(TestFiles().size() >= 40);
  // No pass has a rule that --disable-rule would not know.
  std::set<std::string> known;
  for (const PassInfo& pass : AllPasses()) {
    for (std::string_view rule : RuleNames(pass)) known.insert(std::string(pass.name) + "/" + std::string(rule));
  }
  for (const std::string& rule : fired) {
    if (rule.ends_with("/dead-instruction")) continue;  // every pass of rules has it
    INFO(rule);
    CHECK(known.contains(rule));
  }
  for (const RuleInfo& rule : AlgebraicRules()) {
    std::string name(rule.name);
    INFO("rule " << name << ": " << rule.formula);
    CHECK(fired.contains("algebraic-simplifier/" + name));
    std::replace(name.begin(), name.end(), '-', '_');
    CHECK(stays.contains(name));
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
  const std::string text = ReadFile(fs::path(HLOIR_TESTS_DIR) / "passes/default-pipeline/annotations.hlo");
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
  for (const PassInfo& pass : AllPasses()) {
    std::string file(pass.name);
    std::replace(file.begin(), file.end(), '-', '_');
    fs::path path;
    for (const auto& entry : fs::recursive_directory_iterator(HLOIR_PASSES_DIR)) {
      if (entry.path().filename() == file + ".cc") path = entry.path();
    }
    INFO(path.string());
    const std::string text = ReadFile(path);
    std::unique_ptr<HloModule> module = Parse(CommentBetween(text, "BEFORE", "AFTER"), "BEFORE");
    const std::string after_text = CommentBetween(text, "AFTER", "END");
    RequireLegal(*module);
    const std::unique_ptr<HloModule> before = module->Clone();
    // "BEFORE --math=rounding" for what no exact pass may do.
    const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
    const MathMode math = says("// BEFORE --math=rounding\n") ? MathMode::kRounding
                          : says("// BEFORE --math=fast\n")   ? MathMode::kFast
                                                              : MathMode::kExact;
    CHECK(RunPasses(*module, {{std::string(pass.name)}, math}, &log));
    RequireLegal(*module);
    if (after_text.empty()) {  // too long to be read: it computes the same, then
      CheckSameResults(*before, *module, 0, math);
      continue;
    }
    std::unique_ptr<HloModule> after = Parse(after_text, "AFTER");
    RequireLegal(*after);
    // In structure: names and stored order, of instructions and of computations, are the reader's convenience.
    INFO(PrintModule(*module));
    CHECK(StructuralHash(*module) == StructuralHash(*after));
  }
  RunFilesOnce();
  for (const auto& [rule, count] : log.counts()) fired.insert(rule);
  for (const PassInfo& pass : AllPasses()) {
    for (std::string_view name : RuleNames(pass)) {
      const std::string rule = std::string(pass.name) + "/" + std::string(name);
      INFO(rule);
      CHECK(fired.contains(rule));
    }
  }
}

TEST_CASE("rules are named once, and can be switched off, counted and only proposed") {
  std::set<std::string_view> names;
  for (const RuleInfo& rule : AlgebraicRules()) {
    INFO(rule.name);
    CHECK(names.insert(rule.name).second);
    CHECK_FALSE(rule.formula.empty());
  }
  CHECK(names.size() >= 250);

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
  CHECK(message("cse{multi-output=false}") == "the pass 'cse' has no option 'multi-output'");
  CHECK(message("fusion{max-instructions=x}") ==
        "the option 'max-instructions' of the pass 'fusion' must be a number, not 'x'");
  CHECK(message("fusion{multi-output=1}") ==
        "the option 'multi-output' of the pass 'fusion' must be true or false, not '1'");
  CHECK(message("fusion{math=sloppy}") ==
        "the option 'math' of the pass 'fusion' must be exact, rounding or fast, not 'sloppy'");
  CHECK(message("fusion{fast}") == "the option 'fast' of the pass 'fusion' has no '=VALUE'");
  for (const PassOptionInfo& option : AllPassOptions()) {
    INFO(option.pass << " " << option.name);
    CHECK_FALSE(option.description.empty());
    PassOptions options;
    CHECK_FALSE(SetPassOption(options, option.pass.empty() ? "cse" : option.pass, "no-such-option", "1").ok());
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
