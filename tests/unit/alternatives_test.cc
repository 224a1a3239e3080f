// The graph of alternatives: legal, printable, resolved by rerouting and pruning; conflicts, rewrites with several
// results, cycles; and that any choice on the corpus computes what the module computed.
#include <algorithm>
#include <string>
#include <vector>

#include "hloir/analysis.h"
#include "hloir/check.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "rewrite/alternatives.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

AlternativeGraph Add(const HloModule& module, std::vector<std::string> passes, MathMode math = MathMode::kExact) {
  PassOptions options;
  options.math = math;
  StatusOr<AlternativeGraph> graph = AddAlternatives(module, BuiltinPasses(), passes, options);
  REQUIRE(graph.status().message() == "");
  REQUIRE(VerifyModule(*graph->module).message() == "");
  return std::move(graph).value();
}

std::vector<AlternativeOutcome> Resolve(HloModule& module, std::span<const AlternativeDecision> decisions) {
  StatusOr<std::vector<AlternativeOutcome>> outcomes = ResolveAlternatives(module, decisions);
  REQUIRE(outcomes.status().message() == "");
  REQUIRE(VerifyModule(module).message() == "");
  CHECK(AlternativesOf(module).empty());
  return std::move(outcomes).value();
}

std::vector<AlternativeDecision> EachTakes(const HloModule& module, int64_t operand) {
  std::vector<AlternativeDecision> decisions;
  for (const HloInstruction* alternative : AlternativesOf(module)) decisions.push_back({alternative, operand});
  return decisions;
}

constexpr char kTwo[] = R"(HloModule two
ENTRY e {
  x = f32[4] parameter(0)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  y = f32[4] multiply(x, ones)
  s = f32[4] sine(y)
  n = f32[4] negate(s)
  ROOT m = f32[4] negate(n)
}
)";

TEST_CASE("an alternative is a custom-call of the source and what would take its place") {
  const std::unique_ptr<HloModule> module = Parse(kTwo);
  const AlternativeGraph graph = Add(*module, {"algebraic-simplifier"});
  REQUIRE(graph.rewrites.size() == 2);
  CHECK(graph.left_out.empty());
  const std::vector<const HloInstruction*> all = AlternativesOf(std::as_const(*graph.module));
  REQUIRE(all.size() == 2);
  CHECK(all[0]->operand(0)->name() == "y");
  CHECK(all[0]->operand(1)->name() == "x");
  CHECK(all[0]->users()[0]->name() == "s");
  CHECK(all[1]->operand(0)->name() == "m");
  CHECK(all[1]->IsRoot());
  CHECK(ChoicesOf(*all[0])[0].rewrite == "algebraic-simplifier/multiply-one@e/y");
  CHECK(ChoicesOf(*all[0])[0].conflicts.empty());
  // The original is untouched, and the text is all there is to it.
  CHECK(PrintModule(*module) == PrintModule(*Parse(kTwo)));
  const std::unique_ptr<HloModule> again = Parse(PrintModule(*graph.module, PrintOptions::Readable()));
  CHECK(StructuralHash(*again) == StructuralHash(*graph.module));
  CHECK(AlternativesOf(std::as_const(*again)).size() == 2);
}

TEST_CASE("a schedule is kept, and comes back with the sources") {
  std::string text = kTwo;
  text.replace(text.find("two\n"), 4, "two, is_scheduled=true\n");
  const std::unique_ptr<HloModule> module = Parse(text);
  AlternativeGraph graph = Add(*module, {"algebraic-simplifier", "fusion"});
  REQUIRE(AlternativesOf(std::as_const(*graph.module)).size() > 2);
  CHECK(graph.module->config().is_scheduled);
  // New instructions come before their possible users, and not before everything.
  CHECK(graph.module->entry_computation()->first()->name() == "x");
  const std::unique_ptr<HloModule> last = graph.module->Clone();
  Resolve(*graph.module, {});
  CHECK(PrintModule(*graph.module) == PrintModule(*module));
  Resolve(*last, EachTakes(*last, 1));
  const StatusOr<Verdict> verdict = Check(*module, *last);
  REQUIRE(verdict.status().message() == "");
  CHECK(verdict->agrees());
}

TEST_CASE("what is undecided computes what the sources do, in both engines") {
  const std::unique_ptr<HloModule> module = Parse(kTwo);
  const AlternativeGraph graph = Add(*module, {"algebraic-simplifier", "fusion"});
  REQUIRE(AlternativesOf(std::as_const(*graph.module)).size() > 2);
  const StatusOr<Verdict> verdict = Check(*module, *graph.module);
  REQUIRE(verdict.status().message() == "");
  CHECK(verdict->agrees());
}

TEST_CASE("resolving moves the uses and prunes") {
  const std::unique_ptr<HloModule> module = Parse(kTwo);
  const std::unique_ptr<HloModule> sources = Add(*module, {"algebraic-simplifier"}).module;
  CHECK(Resolve(*sources, {}).empty());
  CHECK(PrintModule(*sources) == PrintModule(*module));

  const std::unique_ptr<HloModule> rewritten = Add(*module, {"algebraic-simplifier"}).module;
  const std::vector<AlternativeOutcome> outcomes = Resolve(*rewritten, EachTakes(*rewritten, 1));
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes[0].rewrite == "algebraic-simplifier/multiply-one@e/y");
  CHECK(outcomes[0].excluded_by.empty());
  CHECK(rewritten->instruction_count() == 2);  // x, s

  const std::unique_ptr<HloModule> one = Add(*module, {"algebraic-simplifier"}).module;
  Resolve(*one, std::vector<AlternativeDecision>{{AlternativesOf(*one)[1], 1}});
  CHECK(one->entry_computation()->root()->name() == "s");
  CHECK(one->entry_computation()->FindInstruction("y") != nullptr);
}

TEST_CASE("a decision that cannot be is an error, and changes nothing") {
  const std::unique_ptr<HloModule> module = Parse(kTwo);
  const std::unique_ptr<HloModule> graph = Add(*module, {"algebraic-simplifier"}).module;
  const std::string before = PrintModule(*graph);
  const HloInstruction* alternative = AlternativesOf(*graph)[0];
  for (const AlternativeDecision& wrong :
       {AlternativeDecision{alternative, 2}, {alternative, -1}, {alternative->operand(0), 0}, {nullptr, 0}}) {
    CHECK(ResolveAlternatives(*graph, std::vector<AlternativeDecision>{{alternative, 1}, wrong}).status().code() ==
          StatusCode::kInvalidArgument);
  }
  CHECK(PrintModule(*graph) == before);
  CHECK(AddAlternatives(*graph, BuiltinPasses(), std::vector<std::string>{"dce"}).status().code() ==
        StatusCode::kInvalidArgument);
}

TEST_CASE("sources that hold each other exclude each other") {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule chain
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] negate(a)
  ROOT c = f32[4] negate(b)
}
)");
  AlternativeGraph graph = Add(*module, {"algebraic-simplifier"});
  const std::vector<HloInstruction*> all = AlternativesOf(*graph.module);
  REQUIRE(all.size() == 2);  // b: x in its place; c: a in its place
  const std::string of_b = ChoicesOf(*all[0])[0].rewrite, of_c = ChoicesOf(*all[1])[0].rewrite;
  CHECK(of_b == "algebraic-simplifier/negate-negate@e/b");
  CHECK(ChoicesOf(*all[0])[0].conflicts == std::vector<std::string>{of_c});
  CHECK(ChoicesOf(*all[1])[0].conflicts == std::vector<std::string>{of_b});
  CHECK(graph.rewrites[0].conflicts == std::vector<std::string>{of_c});

  const std::vector<AlternativeOutcome> outcomes =
      Resolve(*graph.module, std::vector<AlternativeDecision>{{all[1], 1}, {all[0], 1}});
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes[0].rewrite == of_c);
  CHECK(outcomes[0].excluded_by.empty());
  CHECK(outcomes[1].excluded_by == of_c);
  CHECK(graph.module->entry_computation()->root()->name() == "a");
}

constexpr char kSiblings[] = R"(HloModule siblings
ENTRY e {
  x = f32[64] parameter(0)
  s = f32[64] sine(x)
  c = f32[64] cosine(x)
  ROOT t = (f32[64], f32[64]) tuple(s, c)
}
)";

TEST_CASE("a rewrite with several results is taken at all of them") {
  const std::unique_ptr<HloModule> module = Parse(kSiblings);
  const AlternativeGraph graph = Add(*module, {"general-fusion"});
  REQUIRE(graph.rewrites.size() == 1);
  const std::vector<HloInstruction*> all = AlternativesOf(*graph.module);
  REQUIRE(all.size() == 2);
  CHECK(ChoicesOf(*all[0])[0].rewrite == ChoicesOf(*all[1])[0].rewrite);
  CHECK(all[0]->operand(1)->operand(0) == all[1]->operand(1)->operand(0));  // elements of one fusion
  Resolve(*graph.module, std::vector<AlternativeDecision>{{all[1], 1}});
  CHECK(graph.module->entry_computation()->FindInstruction("s") == nullptr);
  CHECK(graph.module->entry_computation()->FindInstruction("c") == nullptr);
  StatusOr<Verdict> verdict = Check(*module, *graph.module);
  REQUIRE(verdict.ok());
  CHECK(verdict->agrees());
}

TEST_CASE("what would close a cycle is left out until the others are decided") {
  // a and b become one loop, or c and d; but b needs d, and c needs a.
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule crossed
less {
  l = f32[] parameter(0)
  r = f32[] parameter(1)
  ROOT o = pred[] compare(l, r), direction=LT
}

ENTRY e {
  x = f32[64] parameter(0)
  y = f32[64] parameter(1)
  a = f32[64] sine(x)
  d = f32[64] sine(y)
  after_a = f32[64,1] reshape(a)
  after_d = f32[64,1] reshape(d)
  p = f32[64] reduce-precision(a), exponent_bits=5, mantissa_bits=2
  far_a = f32[64] sort(p), dimensions={0}, to_apply=less
  q = f32[64] reduce-precision(d), exponent_bits=5, mantissa_bits=2
  far_d = f32[64] sort(q), dimensions={0}, to_apply=less
  b = f32[64] atan2(x, far_d)
  c = f32[64] atan2(y, far_a)
  ROOT t = (f32[64], f32[64], f32[64,1], f32[64,1]) tuple(b, c, after_a, after_d)
}
)");
  const AlternativeGraph graph = Add(*module, {"general-fusion"});
  const auto offers = [&](std::string_view id) {
    return std::any_of(graph.rewrites.begin(), graph.rewrites.end(), [&](const auto& r) { return r.id == id; });
  };
  const auto left_out = std::find_if(graph.left_out.begin(), graph.left_out.end(), [](const auto& out) {
    return out.reason == "it would close a cycle with other alternatives";
  });
  REQUIRE(left_out != graph.left_out.end());
  CHECK(offers("general-fusion/fuse-siblings@e/a+b"));
  CHECK(left_out->rewrite == "general-fusion/fuse-siblings@e/c+d");
}

TEST_CASE("dead code stays as dead as it was") {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule dead
ENTRY e {
  x = f32[4] parameter(0)
  unused = f32[4] sine(x)
  used = f32[4] sine(x)
  ROOT n = f32[4] negate(used)
}
)");
  const AlternativeGraph graph = Add(*module, {"cse"});
  CHECK(graph.rewrites.empty());
  REQUIRE(graph.left_out.size() == 1);
  CHECK(graph.left_out[0].reason == "it takes up dead code");
  Resolve(*graph.module, {});
  CHECK(PrintModule(*graph.module) == PrintModule(*module));
}

TEST_CASE("what a rewrite calls is the module's own, where it has the same") {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule reducer
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  x = f32[8,4] parameter(0)
  zero = f32[] constant(0)
  n = f32[8,4] negate(x)
  ROOT r = f32[8] reduce(n, zero), dimensions={1}, to_apply=add
}
)");
  const AlternativeGraph graph = Add(*module, {"general-fusion"});
  REQUIRE(graph.rewrites.size() == 1);
  CHECK(graph.module->computation_count() == 3);  // add, e, and the body of the fusion
  CHECK(graph.module->FindComputation("add")->callers().size() == 2);
}

// On real programs: sources alone give the module back; any decisions give one that computes the same.
TEST_CASE("any choice among alternatives computes the same, on the corpus") {
  uint64_t state = 42;
  const auto random = [&](int64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(limit));
  };
  int64_t rewrites = 0, decided = 0, left_out = 0;
  for (const char* name : {"attention_forward", "cnn_train_step", "conjugate_gradient", "beam_search"}) {
    const std::string path = std::string(kCorpusFolder) + "/modules/" + name + ".hlo";
    INFO(path);
    auto read = ReadModule(path);
    REQUIRE(read.status().message() == "");
    const std::unique_ptr<HloModule> module = std::move(read).value();
    for (const std::vector<std::string>& passes : std::vector<std::vector<std::string>>{
             {"algebraic-simplifier", "cse"}, {"general-fusion"}, {"fusion"}, {"reshape-mover", "dot-decomposer"}}) {
      INFO(passes[0]);
      AlternativeGraph graph = Add(*module, passes, MathMode::kRounding);
      rewrites += static_cast<int64_t>(graph.rewrites.size()), left_out += static_cast<int64_t>(graph.left_out.size());
      const std::unique_ptr<HloModule> sources = graph.module->Clone();
      Resolve(*sources, {});
      CHECK(StructuralHash(*sources) == StructuralHash(*module));
      std::vector<AlternativeDecision> decisions;
      for (const HloInstruction* alternative : AlternativesOf(*graph.module))
        decisions.push_back({alternative, random(alternative->operand_count())});
      const std::vector<AlternativeOutcome> outcomes = Resolve(*graph.module, decisions);
      decided += std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.excluded_by.empty(); });
      StatusOr<Verdict> verdict = Check(*module, *graph.module);
      REQUIRE(verdict.ok());
      INFO(verdict->ToString());
      CHECK(verdict->agrees());
    }
  }
  CHECK(rewrites > 100);
  CHECK(decided > 50);
  CHECK(left_out * 4 < rewrites);
}

}  // namespace
}  // namespace hloir
