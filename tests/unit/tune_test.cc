// Pipelines found by search (tune/tune.h) with the changes of pipelines that they are made of, rewrites found
// by search (rewrite/search.h), and pairs of timed runs (check/paired.h).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tune/paired.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "tune/search.h"
#include "tune/tune.h"
#include "tests/unit/catch.h"
#include "tune/plan.h"

namespace hloir {
namespace {

using tune::Change;
using tune::Plan;

// Two products that share an operand: dot-merger, which is not in the default pipeline, reads it once.
constexpr const char* kTwoDots = R"(
HloModule two_dots
ENTRY main {
  x = f32[64,64] parameter(0)
  a = f32[64,8] parameter(1)
  b = f32[64,8] parameter(2)
  p = f32[64,8] dot(x, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  q = f32[64,8] dot(x, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[64,8] subtract(p, q)
})";

std::unique_ptr<HloModule> Parse(const char* text) {
  auto module = ParseModule(text);
  REQUIRE(module.ok());
  return *std::move(module);
}

std::vector<std::string> Split(const std::string& text) { return *SplitPipeline(text); }

TEST_CASE("a plan is the pipeline it was made from") {
  for (const char* text : {"dce", "dce,[cse,dce],fusion", "[dce]", "a,[b{x=1 y=2},c{disable=r disable=s}],d"}) {
    CHECK(Plan(Split(text), BuiltinPasses()).Text() == text);
  }
  // An alias is its pass.
  CHECK(Plan(Split("algsimp"), BuiltinPasses()).Text() == "algebraic-simplifier");
}

TEST_CASE("changes of a plan") {
  const Plan first(Split("dce,[cse,reshape-mover],fusion"), BuiltinPasses());
  const auto changed = [&](const Change& change) {
    Plan plan = first;
    return change.Apply(plan, 100) ? plan.Text() : "nothing";
  };
  using Kind = Change::Kind;
  CHECK(changed({Kind::kDrop, 2}) == "dce,[reshape-mover],fusion");
  CHECK(changed({Kind::kDrop, 9}) == "nothing");
  CHECK(changed({Kind::kInsert, 0, "dot-merger", "", "", 3, false}) == "dce,[cse,dot-merger,reshape-mover],fusion");
  CHECK(changed({Kind::kInsert, 0, "dot-merger", "", "", 2, true}) == "dce,dot-merger,[cse,reshape-mover],fusion");
  CHECK(changed({Kind::kInsert, 0, "dot-merger", "", "", 0, true}) == "dce,[cse,reshape-mover],fusion,dot-merger");
  CHECK(changed({Kind::kMove, 4, "", "", "", 1, true}) == "fusion,dce,[cse,reshape-mover]");
  CHECK(changed({Kind::kOption, 4, "", "multi-output", "false"}) ==
        "dce,[cse,reshape-mover],fusion{multi-output=false}");
  CHECK(changed({Kind::kDisable, 0, "fusion", "fuse"}) == "dce,[cse,reshape-mover],fusion{disable=fuse}");
  CHECK(changed({Kind::kDisable, 0, "dot-merger", "merge"}) == "nothing");
  CHECK(Change{Kind::kInsert, 0, "dot-merger", "", "", 4, true}.Text(first) == "dot-merger before fusion");
  CHECK(Change{Kind::kDrop, 2}.Clashes({Kind::kMove, 2, "", "", "", 4}));
  CHECK_FALSE(Change{Kind::kDrop, 2}.Clashes({Kind::kDrop, 3}));
}

TEST_CASE("every single change of the default pipeline makes a pipeline") {
  const PassRegistry& registry = BuiltinPasses();
  const Plan first(registry.default_pipeline(), registry);
  CHECK(first.Names() == registry.default_pipeline());
  const std::vector<std::string> fired = {"fusion/fuse", "algebraic-simplifier/add-zero"};
  const std::vector<Change> changes = tune::SingleChanges(first, registry, fired);
  CHECK(changes.size() > 400);
  for (const Change& change : changes) {
    Plan plan = first;
    INFO(change.Text(first));
    REQUIRE(change.Apply(plan, 1000));
    CHECK(plan.Text() != first.Text());
    CHECK(MakePipeline(plan.Names(), {}).ok());
    CHECK(SplitPipeline(plan.Text()).value() == plan.Names());
  }
}

TEST_CASE("a module that the default pipeline leaves something to gain") {
  const auto module = Parse(kTwoDots);
  TuneOptions options;
  options.trials = 900;
  options.start = Split("algebraic-simplifier,dce,fusion");
  options.math = MathMode::kRounding;
  double last = 0;
  options.progress = [&](const TuneProgress& at) { return last = at.done, true; };
  const auto tuned = Tune(*module, BuiltinPasses(), options);
  REQUIRE(tuned.ok());
  CHECK(last > 0.4);
  CHECK(tuned->passes.find("dot-merger") != std::string::npos);
  CHECK(tuned->best.bytes < 0.95 * tuned->first.bytes);
  CHECK(tuned->best.operations <= 1.25 * tuned->first.operations);
  REQUIRE(tuned->verdict);
  CHECK(tuned->verdict->agrees());
  CHECK(tuned->ended);
  // Each change is one that matters, and the pipeline, given to another, makes the same module.
  REQUIRE_FALSE(tuned->changes.empty());
  for (const TuneChange& change : tuned->changes) CHECK(change.without.value_or(0) > 1);
  PassOptions rounding;
  rounding.math = MathMode::kRounding;
  auto pipeline = MakePipeline(Split(tuned->passes), rounding);
  REQUIRE(pipeline.ok());
  const auto again = module->Clone();
  REQUIRE(pipeline->RunOnce(*again).ok());
  CHECK(TuneCostOf(*again).bytes == tuned->best.bytes);

  options.progress = {};
  const auto twice = Tune(*module, BuiltinPasses(), options);
  REQUIRE(twice.ok());
  CHECK(twice->passes == tuned->passes);
  CHECK(twice->tried == tuned->tried);
}

TEST_CASE("a search that is stopped gives the first pipeline, verified") {
  const auto module = Parse(kTwoDots);
  TuneOptions options;
  options.progress = [](const TuneProgress&) { return false; };
  const auto tuned = Tune(*module, BuiltinPasses(), options);
  REQUIRE(tuned.ok());
  CHECK(tuned->changes.empty());
  CHECK_FALSE(tuned->ended);
  CHECK(Split(tuned->passes) == BuiltinPasses().default_pipeline());
  CHECK((tuned->verdict && tuned->verdict->agrees()));
  CHECK_FALSE(tuned->times);
}

// "halve" costs less than any other pass, and is wrong.
class Halve : public HloPass {
 public:
  std::string_view name() const override { return "halve"; }
  StatusOr<bool> Run(HloModule& module) override {
    HloInstruction* root = module.entry_computation()->root();
    if (root->opcode() != HloOpcode::kSubtract) return false;
    root->ReplaceAllUsesWith(root->operand(0));
    module.entry_computation()->RemoveInstruction(root);
    return true;
  }
};

TEST_CASE("what is better and wrong is refused") {
  PassRegistry registry = BuiltinPasses();
  PassDefinition halve;
  halve.make = [](std::string_view, const PassOptions&) { return std::make_unique<Halve>(); };
  REQUIRE(registry.Add("halve", "wrong", std::move(halve)).ok());
  const auto module = Parse(kTwoDots);
  TuneOptions options;
  options.trials = 900;
  options.start = Split("algebraic-simplifier,dce,fusion");
  const auto tuned = Tune(*module, registry, options);
  REQUIRE(tuned.ok());
  CHECK(tuned->refused > 0);
  CHECK_FALSE(tuned->refused_because.empty());
  CHECK(tuned->passes.find("halve") == std::string::npos);
  CHECK((tuned->verdict && tuned->verdict->agrees()));
  options.verify = false;
  const auto trusting = Tune(*module, registry, options);
  REQUIRE(trusting.ok());
  CHECK(trusting->passes.find("halve") != std::string::npos);
}

TEST_CASE("costs") {
  const auto module = Parse(R"(
HloModule loop
body {
  p = (s32[], f32[256]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[256] get-tuple-element(p), index=1
  y = f32[256] sine(x)
  ROOT t = (s32[], f32[256]) tuple(next, y)
}
condition {
  p = (s32[], f32[256]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[256] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[256]) tuple(zero, x)
  w = (s32[], f32[256]) while(t), condition=condition, body=body
  ROOT r = f32[256] get-tuple-element(w), index=1
})");
  const TuneCost cost = TuneCostOf(*module, 8);
  CHECK(cost.operations == 5 * 257 + 6);
  CHECK(cost.roofline == cost.bytes);
  // With expensive computation it dominates: 256 sines of a byte's worth each are 5 times 256 * 2 / (1 / 8) more.
  CHECK(TuneCostOf(*module, 1.0 / 64).roofline > 5 * 256 * 64);
}

TEST_CASE("pairs of times") {
  std::vector<double> slow, fast, noise;
  for (int k = 0; k < 31; ++k) {
    const double jitter = 1 + 0.01 * std::sin(37.0 * k);
    slow.push_back(2e-3 * jitter);
    fast.push_back(1.8e-3 * (1 + 0.01 * std::cos(11.0 * k)));
    noise.push_back(2e-3 * (1 + 0.01 * std::sin(101.0 * k + 1)));
  }
  const PairedTimes faster = JudgePairs(slow, fast);
  CHECK(faster.differ());
  CHECK(faster.pairs == 31);
  CHECK(faster.ratio == Approx(0.9).epsilon(0.01));
  CHECK(faster.low <= faster.ratio);
  CHECK(faster.ratio <= faster.high);
  CHECK(faster.before_ms == Approx(2).epsilon(0.01));
  CHECK(faster.sign_p < 1e-6);
  CHECK_FALSE(JudgePairs(slow, noise).differ());
  CHECK_FALSE(JudgePairs(slow, slow).differ());
  // Four pairs show nothing, however clear.
  CHECK_FALSE(JudgePairs(std::span(slow).first(4), std::span(fast).first(4)).differ());
  CHECK_FALSE(JudgePairs({}, {}).differ());
}

TEST_CASE("a module against one that does more") {
  const auto once = Parse(
      "HloModule m\nENTRY e {\n  x = f32[96,96] parameter(0)\n  ROOT a = f32[96,96] dot(x, x), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}");
  const auto thrice = Parse(R"(
HloModule m
ENTRY e {
  x = f32[96,96] parameter(0)
  a = f32[96,96] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[96,96] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[96,96] dot(b, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT d = f32[96,96] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  PairedOptions options;
  options.runner.threads = 1;
  // As many pairs on a busy machine.
  options.seconds = 600;
  options.max_pairs = 31;
  const auto times = MeasurePaired(*once, *thrice, options);
  REQUIRE(times.ok());
  CHECK(times->differ());
  CHECK(times->ratio > 1.5);
  CHECK_FALSE(MeasurePaired(*once, *Parse("HloModule m\nENTRY e {\n  ROOT x = f32[3] parameter(0)\n}")).ok());
}

// A layer and its gradient: shared values and chains allow several partitions into loops.
constexpr const char* kLayer = R"(
HloModule layer
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[16,32] parameter(0)
  w = f32[32,24] parameter(1)
  g = f32[16,24] parameter(2)
  z = f32[16,24] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  y = f32[16,24] tanh(z)
  yy = f32[16,24] multiply(y, y)
  one = f32[] constant(1)
  ones = f32[16,24] broadcast(one), dimensions={}
  slope = f32[16,24] subtract(ones, yy)
  dz = f32[16,24] multiply(g, slope)
  zero = f32[] constant(0)
  db = f32[24] reduce(dz, zero), dimensions={0}, to_apply=add
  dw = f32[32,24] dot(x, dz), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  dx = f32[16,32] dot(dz, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = (f32[16,24], f32[24], f32[32,24], f32[16,32]) tuple(y, db, dw, dx)
})";

TEST_CASE("rewrites by beam and by tree") {
  const auto module = Parse(kLayer);
  PassRegistry registry = BuiltinPasses();
  registry.default_pipeline() = {"dce", "fusion", "dce"};  // which leaves something to gain
  for (const SearchMethod method : {SearchMethod::kBeam, SearchMethod::kTree}) {
    INFO(SearchMethodName(method));
    SearchOptions options;
    options.method = method;
    options.trials = 60;
    const auto found = SearchRewrites(*module, registry, options);
    REQUIRE(found.ok());
    CHECK(found->best.bytes < found->first.bytes);
    CHECK(found->best.operations <= 1.25 * found->first.operations + 64);
    CHECK(found->tried <= 61);
    REQUIRE(found->verdict);
    CHECK(found->verdict->agrees());
    CHECK(TuneCostOf(*found->module).bytes == found->best.bytes);
    const auto again = SearchRewrites(*module, registry, options);
    REQUIRE(again.ok());
    CHECK(again->taken == found->taken);
    CHECK(again->best.bytes == found->best.bytes);
  }
}

TEST_CASE("a search whose time is over gives the default pipeline's module or a better one") {
  const auto module = Parse(kLayer);
  SearchOptions options;
  options.progress = [](const TuneProgress&) { return false; };
  const auto found = SearchRewrites(*module, BuiltinPasses(), options);
  REQUIRE(found.ok());
  CHECK(found->taken.empty());
  CHECK(found->tried == 1);
  CHECK(found->best.bytes <= found->first.bytes);
}

std::string PolicyText(size_t hidden, float weight) {
  std::string text = "hloir-policy 2\n32 " + std::to_string(hidden);
  for (size_t k = 0; k < hidden * (kOpportunityFeatures.size() + 2) + 1; ++k) text += " " + std::to_string(weight);
  return text + "\n";
}

TEST_CASE("policies") {
  CHECK(RewritePolicy::Parse(PolicyText(3, 0.5)).ok());
  for (const std::string& wrong :
       {std::string("nothing"), std::string("hloir-policy 2"), std::string("hloir-policy 2 32 x"),
        std::string("hloir-policy 2 31 1"), std::string("hloir-policy 2 32 0"), std::string("hloir-policy 2 32 1e9"),
        std::string("hloir-policy 1 28 1 0"), PolicyText(3, 0.5) + "1"}) {
    INFO(wrong);
    CHECK(RewritePolicy::Parse(wrong).status().code() == StatusCode::kInvalidArgument);
  }
  // Two hidden units, all weights 1: each gives the sum of the features and 1, if that is positive; then 1 more.
  const auto policy = RewritePolicy::Parse(PolicyText(2, 1));
  REQUIRE(policy.ok());
  OpportunityFeatures features = {};
  features[0] = 1, features[4] = 0.5;
  CHECK(policy->Score(features) == Approx(2 * 2.5 + 1));
  features[4] = -3;
  CHECK(policy->Score(features) == Approx(1));

  const auto module = Parse(kLayer);
  SearchOptions options;
  options.method = SearchMethod::kPolicy;
  options.trials = 50;
  CHECK_FALSE(SearchRewrites(*module, BuiltinPasses(), options).ok());
  options.policy = &*policy;
  const auto found = SearchRewrites(*module, BuiltinPasses(), options);
  REQUIRE(found.ok());
  CHECK(found->tried > 1);
  CHECK(found->best.bytes <= found->first.bytes);
  CHECK((found->verdict && found->verdict->agrees()));
}

TEST_CASE("samples say what the features are and what was won") {
  const auto module = Parse(kLayer);
  SearchOptions options;
  options.trials = 40;
  options.verify = false;
  std::vector<SearchSample> samples;
  options.sample = [&](const SearchSample& sample) { samples.push_back(sample); };
  const auto found = SearchRewrites(*module, BuiltinPasses(), options);
  REQUIRE(found.ok());
  REQUIRE(samples.size() > 10);
  for (const SearchSample& sample : samples) {
    CHECK(sample.features[0] == 1);
    CHECK(sample.features[1] + sample.features[2] + sample.features[3] == 1);
    for (float feature : sample.features) CHECK((feature >= 0 && feature <= 4));
    CHECK(sample.visits > 0);
  }
  // The open rewrites of the first state, some of which save at once; and the states after it.
  const auto saves = [](const SearchSample& sample) { return sample.state == 0 && sample.features[28] > 0; };
  CHECK(std::any_of(samples.begin(), samples.end(), saves));
  CHECK(samples.back().state > 0);
  CHECK_FALSE(found->verdict);
}

}  // namespace
}  // namespace hloir
