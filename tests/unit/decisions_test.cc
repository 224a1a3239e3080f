// A module as decisions: on random walks over modules of the corpus, the open rewrites equal those of a new search, and
// a step equals making only that rewrite.
#include "rewrite/decisions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "hloir/analysis.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/pipeline.h"
#include "hloir/printer.h"
#include "rewrite/module_arrays.h"
#include "rewrite/proposals.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  y = f32[4] multiply(x, ones)
  n = f32[4] negate(y)
  m = f32[4] negate(n)
  dead = f32[4] sine(m)
  ROOT r = f32[4] add(m, m)
}
)";

std::unique_ptr<HloModule> OfCorpus(const std::string& name) {
  StatusOr<std::string> text = ReadFile((std::filesystem::path(kCorpusFolder) / "modules" / name).string());
  REQUIRE(text.status().message() == "");
  return Parse(*std::move(text));
}

Decisions Begin(const HloModule& module, DecisionOptions options = {}) {
  StatusOr<std::shared_ptr<DecisionSpace>> space = DecisionSpace::Make(BuiltinPasses(), options);
  INFO(space.status().message());
  REQUIRE(space.ok());
  StatusOr<Decisions> state = Decisions::Begin(module, *space);
  REQUIRE(state.ok());
  return std::move(state).value();
}

std::vector<std::string> IdsOf(Decisions& state) {
  StatusOr<std::span<const Opportunity>> open = state.Open();
  INFO(open.status().message());
  REQUIRE(open.ok());
  std::vector<std::string> ids;
  for (const Opportunity& opportunity : *open) ids.push_back(state.Id(opportunity));
  return ids;
}

size_t PlaceOf(Decisions& state, const std::string& id) {
  const std::vector<std::string> ids = IdsOf(state);
  const auto found = std::find(ids.begin(), ids.end(), id);
  REQUIRE(found != ids.end());
  return static_cast<size_t>(found - ids.begin());
}

std::set<std::string> FreshSearch(const HloModule& module, const std::vector<std::string>& passes,
                                  const PassOptions& options) {
  StatusOr<Proposals> found = FindProposals(module, BuiltinPasses(), passes, options, 0);
  REQUIRE(found.ok());
  std::set<std::string> ids;
  for (const RewriteLog::Entry& entry : found->entries) ids.insert(entry.id);
  return ids;
}

// The module after `opt --take` of the one rewrite and dead code elimination.
uint64_t HashAfterTaking(const HloModule& module, const std::string& pass, const std::string& id, PassOptions options) {
  std::unique_ptr<HloModule> copy = module.Clone();
  RewriteLog log;
  log.take_only = true;
  log.take.insert(id);
  options.rewriter = &log;
  StatusOr<HloPassPipeline> pipeline = MakePipeline(std::vector<std::string>{pass}, options);
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(*copy).ok());
  CHECK(log.allowed() == 1);
  options.rewriter = nullptr;
  StatusOr<HloPassPipeline> sweep = MakePipeline(std::vector<std::string>{"dce"}, options);
  REQUIRE(sweep.ok());
  REQUIRE(sweep->RunOnce(*copy).ok());
  return StructuralHash(*copy);
}

std::set<int32_t> InstructionIds(const HloModule& module) {
  std::set<int32_t> ids;
  for (const HloInstruction* i : module.AllInstructions()) ids.insert(i->id());
  return ids;
}

// Sums of whole numbers, in other orders.
bool Same(const CostResult& a, const CostResult& b) {
  const auto same = [](const Cost& x, const Cost& y) {
    const auto near = [](double u, double v) { return std::abs(u - v) <= 1e-12 * std::abs(v); };
    return near(x.flops, y.flops) && near(x.transcendentals, y.transcendentals) && near(x.bytes, y.bytes);
  };
  return same(a.once, b.once) && same(a.repeated, b.repeated) && a.unknown_loops == b.unknown_loops &&
         a.custom_calls == b.custom_calls;
}

// Random steps; after each, all results of Decisions are compared with those computed from the module alone.
int64_t Walk(const HloModule& module, const DecisionOptions& options, int steps, uint32_t seed) {
  Decisions state = Begin(module, options);
  std::minstd_rand random(seed);
  int64_t taken = 0;
  for (; taken < steps; ++taken) {
    const uint64_t hash = StructuralHash(state.module());
    const std::vector<std::string> ids = IdsOf(state);
    CHECK(StructuralHash(state.module()) == hash);
    CHECK(std::set<std::string>(ids.begin(), ids.end()) ==
          FreshSearch(state.module(), options.passes, options.pass_options));
    if (ids.empty()) break;
    const size_t choice = random() % ids.size();
    INFO(ids[choice]);
    const Opportunity chosen = (*state.Open())[choice];
    const int32_t pass = state.space().kinds()[static_cast<size_t>(chosen.kind)].pass_index;
    const uint64_t expected = HashAfterTaking(state.module(), state.space().passes()[static_cast<size_t>(pass)],
                                              ids[choice], options.pass_options);
    Decisions copy = state.Clone();
    CHECK(IdsOf(copy) == ids);

    const std::set<int32_t> before = InstructionIds(state.module());
    StatusOr<DecisionStep> step = state.Take(choice);
    INFO(step.status().message());
    REQUIRE(step.ok());
    CHECK(step->kind == chosen.kind);
    CHECK(StructuralHash(state.module()) == expected);
    const Status legal = VerifyModule(state.module());
    INFO(legal.message());
    REQUIRE(legal.ok());
    const CostAnalysis fresh(state.module());
    CHECK(Same(state.total_cost(), fresh.total()));
    CHECK(Same(state.cost().total(), fresh.total()));
    ModuleArrays arrays, from_fresh;
    arrays.Fill(state.module(), state.instruction_costs());
    from_fresh.Fill(state.module(), fresh);
    CHECK(arrays.features == from_fresh.features);
    std::set<int32_t> after = InstructionIds(state.module());
    for (int32_t id : step->added) CHECK(after.erase(id) == 1);
    for (int32_t id : step->removed) after.insert(id);
    CHECK(after == before);
    // A clone, taken where the other was: the same again.
    REQUIRE(copy.Take(choice).ok());
    CHECK(StructuralHash(copy.module()) == expected);
  }
  return taken;
}

TEST_CASE("what is dead is not a decision, and what is open has the ids of a dry run") {
  const std::unique_ptr<HloModule> module = Parse(kText);
  Decisions state = Begin(*module);
  CHECK(state.module().entry_computation()->FindInstruction("dead") == nullptr);
  const std::vector<std::string> ids = IdsOf(state);
  CHECK(std::count(ids.begin(), ids.end(), "algebraic-simplifier/multiply-one@e/y") == 1);
  CHECK(std::count(ids.begin(), ids.end(), "algebraic-simplifier/negate-negate@e/m") == 1);
  CHECK(module->entry_computation()->FindInstruction("dead") != nullptr);  // of the caller's module nothing went
}

TEST_CASE("a step takes one rewrite, says what went, and a clone goes on by itself") {
  const std::unique_ptr<HloModule> module = Parse(kText);
  Decisions state = Begin(*module);
  const double bytes = state.cost().total().once.bytes;
  Decisions other = state.Clone();
  StatusOr<DecisionStep> step = state.Take(PlaceOf(state, "algebraic-simplifier/negate-negate@e/m"));
  REQUIRE(step.ok());
  CHECK(state.space().kinds()[static_cast<size_t>(step->kind)].rule == "negate-negate");
  CHECK(step->removed.size() == 2);
  CHECK(step->added.empty());
  CHECK(state.cost().total().once.bytes == bytes - 2 * 32);
  CHECK(other.cost().total().once.bytes == bytes);
  REQUIRE(other.Take(PlaceOf(other, "algebraic-simplifier/multiply-one@e/y")).ok());
  CHECK(other.module().entry_computation()->FindInstruction("n") != nullptr);
  CHECK(PrintModule(*state.Finished()).find("negate") == std::string::npos);
}

TEST_CASE("what a step saves in a loop's body, the loop and the module save as often as it runs") {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
cond {
  c = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(3)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  c = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[16] get-tuple-element(c), index=1
  s = f32[16] sine(x)
  y = f32[16] negate(s)
  z = f32[16] negate(y)
  ROOT t = (s32[], f32[16]) tuple(j, z)
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[16] parameter(0)
  start = (s32[], f32[16]) tuple(zero, x)
  ROOT w = (s32[], f32[16]) while(start), condition=cond, body=body
}
)");
  Decisions state = Begin(*module);
  const int32_t loop = state.module().entry_computation()->FindInstruction("w")->id();
  const auto loop_bytes = [&] { return state.instruction_costs()[static_cast<size_t>(loop)].repeated.bytes; };
  const double before = state.total_cost().repeated.bytes, loop_before = loop_bytes();
  REQUIRE(state.Take(PlaceOf(state, "algebraic-simplifier/negate-negate@body/z")).ok());
  CHECK(before - state.total_cost().repeated.bytes == 3 * 2 * 128);
  CHECK(loop_before - loop_bytes() == 3 * 2 * 128);
  CHECK(Same(state.cost().total(), CostAnalysis(state.module()).total()));
}

TEST_CASE("the spaces of decisions: passes by name, rules switched off, mistakes") {
  const std::unique_ptr<HloModule> module = Parse(kText);
  DecisionOptions options;
  options.passes = {"[algebraic-simplifier", "cse]", "cse"};
  options.pass_options.disabled_rules = {"negate-negate"};
  Decisions state = Begin(*module, options);
  CHECK(state.space().passes().size() == 2);
  const std::vector<std::string> ids = IdsOf(state);
  CHECK(std::count(ids.begin(), ids.end(), "algebraic-simplifier/multiply-one@e/y") == 1);
  CHECK(std::count(ids.begin(), ids.end(), "algebraic-simplifier/negate-negate@e/m") == 0);
  CHECK(state.Take(ids.size()).status().message() == "no such opportunity");
  options.passes = {"no-such-pass"};
  CHECK_FALSE(DecisionSpace::Make(BuiltinPasses(), options).ok());
  options.passes = {};
  options.pass_options.disabled_rules = {"no-such-rule"};
  CHECK_FALSE(DecisionSpace::Make(BuiltinPasses(), options).ok());
}

TEST_CASE("on walks through the corpus, a fresh search and a fresh pass say the same") {
  int64_t steps = 0;
  MathMode math = MathMode::kExact;
  for (const char* name : {"attention_forward.hlo", "categorical_sampling.hlo", "lstm_backward.hlo",
                           "resnet_block_backward.hlo", "scanned_layers.hlo", "cholesky_solve.hlo"}) {
    INFO(name);
    const std::unique_ptr<HloModule> module = OfCorpus(name);
    DecisionOptions options;
    options.pass_options.math = math;
    math = math == MathMode::kExact ? MathMode::kFast : MathMode::kExact;
    steps += Walk(*module, options, 12, static_cast<uint32_t>(steps + 1));
  }
  CHECK(steps > 60);
}

TEST_CASE("a module as arrays: nodes, edges of each kind, features") {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[8,3] parameter(0)
  zero = f32[] constant(0)
  y = f32[8,3] exponential(x), control-predecessors={zero}
  ROOT r = f32[8] reduce(y, zero), dimensions={1}, to_apply=sum
}
)");
  ModuleArrays arrays;
  for (int again = 0; again < 2; ++again) arrays.Fill(*module, CostAnalysis(*module));
  REQUIRE(arrays.node_count() == 7);
  const auto node = [&](const char* name) {
    for (const HloComputation* computation : std::as_const(*module).computations()) {
      if (const HloInstruction* i = computation->FindInstruction(name)) return arrays.NodeOf(i->id());
    }
    return -1;
  };
  using Edge = std::array<int32_t, 3>;  // from, kind, slot
  const auto edges_of = [&](const char* name) {
    std::vector<Edge> edges;
    const size_t to = static_cast<size_t>(node(name));
    for (int32_t at = arrays.offsets[to]; at < arrays.offsets[to + 1]; ++at) {
      const size_t e = static_cast<size_t>(at);
      CHECK(arrays.targets[e] == static_cast<int32_t>(to));
      edges.push_back({arrays.sources[e], arrays.kinds[e], arrays.slots[e]});
    }
    return edges;
  };
  using A = ModuleArrays;
  CHECK(edges_of("x").empty());
  CHECK(edges_of("y") == std::vector<Edge>{{node("x"), A::kOperand, 0}, {node("zero"), A::kControl, 0}});
  CHECK(edges_of("r") ==
        std::vector<Edge>{{node("y"), A::kOperand, 0}, {node("zero"), A::kOperand, 1}, {node("s"), A::kCalled, 0}});
  CHECK(edges_of("b") == std::vector<Edge>{{node("r"), A::kArgument, 1}});
  CHECK(arrays.edge_count() == arrays.offsets.back());
  CHECK(arrays.NodeOf(module->instruction_id_limit()) == -1);

  const auto feature = [&](const char* name, std::string_view column) {
    const auto at = std::find(A::kFeatures.begin(), A::kFeatures.end(), column);
    REQUIRE(at != A::kFeatures.end());
    return arrays.features[static_cast<size_t>(node(name)) * A::kFeatures.size() +
                           static_cast<size_t>(at - A::kFeatures.begin())];
  };
  CHECK(feature("y", "rank") == 2);
  CHECK(feature("y", "log_elements") == static_cast<float>(std::log2(25)));
  CHECK(feature("y", "log_bytes") == static_cast<float>(std::log2(97)));
  CHECK(feature("y", "log_dim_0") == 2);  // three
  CHECK(feature("y", "log_dim_1") == static_cast<float>(std::log2(9)));
  CHECK(feature("y", "log_dim_2") == 0);
  CHECK(feature("y", "log_transcendentals") == static_cast<float>(std::log2(25)));
  CHECK(feature("y", "log_flops") == 0);
  CHECK(feature("y", "log_moved") == static_cast<float>(std::log2(193)));
  CHECK(feature("y", "is_elementwise") == 1);
  CHECK(feature("r", "is_root") == 1);
  CHECK(feature("r", "in_entry") == 1);
  CHECK(feature("a", "in_entry") == 0);
  CHECK(feature("zero", "log_users") == 1);
  CHECK(arrays.opcodes[static_cast<size_t>(node("r"))] == static_cast<int32_t>(HloOpcode::kReduce));
  CHECK(arrays.element_types[static_cast<size_t>(node("r"))] == static_cast<int32_t>(PrimitiveType::F32));
}

// Every pass that there is, most of them no part of any default, changes nothing while it is only asked.
TEST_CASE("passes that may do nothing do nothing") {
  for (const char* name : {"scanned_layers.hlo", "attention_bf16.opt.hlo", "qr_decomposition.hlo"}) {
    const std::unique_ptr<HloModule> module = OfCorpus(name);
    for (const PassInfo& pass : BuiltinPasses().passes()) {
      INFO(name << " " << pass.name);
      DecisionOptions options;
      options.passes = {pass.name};
      Decisions state = Begin(*module, options);
      const std::string text = PrintModule(state.module());
      IdsOf(state);
      CHECK(PrintModule(state.module()) == text);
    }
  }
}

}  // namespace
}  // namespace hloir
