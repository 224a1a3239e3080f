// The prover over the reals: right pairs of tests/equivalence are proved, wrong ones are not, proved pairs agree on
// values, and no mutant that differs is proved.
#include "equivalence/equivalence.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "equivalence/double_double.h"
#include "equivalence/expr.h"
#include "hloir/check.h"
#include "fuzz/mutants.h"
#include "hloir/evaluator.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;
using StepAnswer = equivalence::Answer;

namespace {

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  return std::move(*module);
}

// A file has two modules, one behind the other.
std::pair<std::unique_ptr<HloModule>, std::unique_ptr<HloModule>> Pair(const std::filesystem::path& path) {
  const std::string text = TextOf(path);
  const size_t second = text.find("HloModule after");
  REQUIRE(second != std::string::npos);
  return {Parse(text.substr(0, second)), Parse(text.substr(second))};
}

Outcome OnValues(const HloModule& a, const HloModule& b) {
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.runner.engine = Engine::kReference;
  const auto verdict = Check(a, b, {}, options);
  REQUIRE(verdict.status().message() == "");
  return verdict->outcome;
}

// Both by the reference on ordinary numbers: nearly the same?
bool NearOnOrdinary(const HloModule& a, const HloModule& b) {
  std::vector<Literal> inputs;
  std::vector<const Literal*> arguments;
  for (const HloInstruction* parameter : a.entry_computation()->parameters()) {
    Literal& value = inputs.emplace_back(parameter->shape());
    for (int64_t k = 0; k < value.element_count(); ++k) {
      if (IsFloat(parameter->shape().element_type()))
        value.SetFromDouble(k, 0.25 + 0.375 * static_cast<double>((k * 7 + 3) % 11));
      else value.SetFromInt64(k, (k * 5 + 1) % 3);
    }
  }
  for (const Literal& input : inputs) arguments.push_back(&input);
  const auto evaluator = MakeReferenceEvaluator();
  const auto x = evaluator->EvaluateComputation(*a.entry_computation(), arguments);
  const auto y = evaluator->EvaluateComputation(*b.entry_computation(), arguments);
  REQUIRE(x.status().message() == "");
  REQUIRE(y.status().message() == "");
  const auto p = x->Leaves(), q = y->Leaves();
  for (size_t leaf = 0; leaf < p.size(); ++leaf) {
    for (int64_t k = 0; k < p[leaf]->element_count(); ++k) {
      const double u = p[leaf]->GetAsDouble(k), v = q[leaf]->GetAsDouble(k);
      if (!(std::fabs(u - v) <= 1e-5 * (std::fabs(u) + 1))) return false;
    }
  }
  return true;
}

// What is proved must hold on values: on all kinds of them, or, where it is said, on those that are finite.
bool Holds(const equivalence::Result& result, const HloModule& a, const HloModule& b) {
  // What HLO leaves open, each run draws anew.
  if ((result.uses & equivalence::inside::kSameDraws) != 0) return result.answer == StepAnswer::kProvedAssuming;
  const std::vector<std::string> words = equivalence::WordsOf(result.uses);
  for (const char* some : {"for finite values only", "where roots and logarithms take positive values"}) {
    if (std::find(words.begin(), words.end(), some) != words.end()) return NearOnOrdinary(a, b);
  }
  const Outcome outcome = OnValues(a, b);
  return outcome == Outcome::kSameBits || (outcome == Outcome::kAgree && result.answer != StepAnswer::kProvedBitwise);
}

}  // namespace

TEST_CASE("right pairs are proved, and agree on values") {
  const auto files = FilesIn(std::string(kTestsFolder) + "/equivalence/right");
  REQUIRE(files.size() >= 15);
  for (const auto& file : files) {
    INFO(file.string());
    const auto [a, b] = Pair(file);
    const equivalence::Result result = equivalence::ProveInside(*a, *b);
    INFO(result.ToString());
    CHECK(result.answer != StepAnswer::kOpen);
    CHECK(Holds(result, *a, *b));
  }
}

TEST_CASE("a tuple or its arrays are the same parameters, in this order alone") {
  const char* apart = "ENTRY e { x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n ROOT r = f32[4] subtract(x, y) }";
  const auto a = Parse(std::string("HloModule a\n") + apart);
  for (const bool right : {true, false}) {
    const auto b = Parse(std::string("HloModule b\nENTRY e { t = (f32[4], f32[4]) parameter(0)\n") +
                         "x = f32[4] get-tuple-element(t), index=" + (right ? "0" : "1") +
                         "\n y = f32[4] get-tuple-element(t), index=" + (right ? "1" : "0") +
                         "\n ROOT r = f32[4] subtract(x, y) }");
    CHECK((equivalence::ProveInside(*a, *b).answer != StepAnswer::kOpen) == right);
  }
}

TEST_CASE("wrong pairs that look alike are not proved, in either direction") {
  const auto files = FilesIn(std::string(kTestsFolder) + "/equivalence/wrong");
  REQUIRE(files.size() >= 20);
  for (const auto& file : files) {
    INFO(file.string());
    const auto [a, b] = Pair(file);
    CHECK(equivalence::ProveInside(*a, *b).answer == StepAnswer::kOpen);
    // (Backwards, a rounding to a narrower float is left out, which is said.)
    const equivalence::Result backwards = equivalence::ProveInside(*b, *a);
    CHECK((backwards.answer == StepAnswer::kOpen || file.stem().string().starts_with("through-")));
  }
}

TEST_CASE("mutants that compute something else are not proved") {
  int made = 0;
  for (const char* name :
       {"attention_in_blocks", "arithmetic_f16", "cumulative_gallery", "kmeans_step", "graph_convolution"}) {
    const std::string text = TextOf(std::string(kCorpusFolder) + "/modules/" + name + ".hlo");
    if (text.empty()) continue;
    const auto module = Parse(text);
    for (size_t kind = 0; kind < MutantKinds().size(); ++kind) {
      std::optional<Mutant> mutant = MakeMutant(*module, kind, 1);
      if (!mutant) continue;
      ++made;
      const equivalence::Result result = equivalence::ProveInside(*module, *mutant->module);
      if (result.answer == StepAnswer::kOpen) continue;
      INFO(name << " " << MutantKinds()[kind].name << " at " << mutant->instruction << "\n" << result.ToString());
      CHECK(Holds(result, *module, *mutant->module));
    }
  }
  CHECK(made > 20);
}

TEST_CASE("what cannot be judged says why") {
  const auto a = Parse("HloModule a\nENTRY e { ROOT x = f32[<=4] parameter(0) }");
  const equivalence::Result result = equivalence::ProveInside(*a, *a);
  CHECK(result.answer == StepAnswer::kOpen);
  CHECK(result.why == "x has dynamic sizes");
  equivalence::Options little;
  little.max_work = 4;
  little.try_bits = false;
  little.work_for_each = 0;
  const auto b = Parse(
      "HloModule b\nENTRY e { x = f32[4] parameter(0)\n y = f32[4] exponential(x)\n z = f32[4] tanh(y)\n ROOT r = "
      "f32[4] multiply(y, z) }");
  CHECK(equivalence::ProveInside(*b, *b, little).out_of_budget);
  // No budget would do for what is no real number.
  const auto product = Parse(
      "HloModule p\nENTRY e { x = f32[] parameter(0)\n z = f32[] subtract(x, x)\n i = f32[] constant(inf)\n ROOT r = "
      "f32[] multiply(z, i) }");
  const equivalence::Result refused = equivalence::ProveInside(*product, *product, {.try_bits = false});
  CHECK(refused.refused);
  CHECK(!refused.out_of_budget);
  CHECK(refused.why == "0 times infinity at r");
}

TEST_CASE("beside an operation that is too much work the rest is proved") {
  const std::string folder = std::string(kCorpusFolder) + "/modules/cnn_train_step";
  const std::string text = TextOf(folder + ".hlo"), compiled = TextOf(folder + ".opt.hlo");
  REQUIRE(!text.empty());
  const auto before = Parse(text), after = Parse(compiled);
  const equivalence::Result result = equivalence::ProveInside(*before, *after, {.try_bits = false});
  INFO(result.ToString());
  CHECK(result.gave_up);
  CHECK(result.matched > result.values / 2);
  CHECK(result.unproved < result.values - result.matched);
  CHECK(std::any_of(result.outputs.begin(), result.outputs.end(),
                    [](const auto& output) { return output.answer != StepAnswer::kOpen; }));
}

TEST_CASE("coefficients keep what a double rounds off") {
  using equivalence::inside::DoubleDouble;
  const DoubleDouble third = DoubleDouble(1) / 3.0;
  CHECK(third.low != 0);
  CHECK(std::fabs(static_cast<double>(third * 3.0 - 1)) < 0x1p-100);
  const double c = 1 + 0x1p-52;
  CHECK(DoubleDouble(c) * c == DoubleDouble(c * c) + 0x1p-104);
  CHECK(DoubleDouble(c) * c > DoubleDouble(c * c));
  const DoubleDouble root = equivalence::inside::Power(2, 6, 12);
  CHECK(std::fabs(static_cast<double>(root * root - 2)) < 0x1p-100);
  CHECK(equivalence::inside::Power(2, -24, 12) == 0.25);
  CHECK(Floor(DoubleDouble(3) - 0x1p-80) == 2);
  CHECK(Floor(DoubleDouble(3) + 0x1p-80) == 3);
}

TEST_CASE("an index by its digits, modulo a number") {
  equivalence::inside::Exprs x(1 << 20);
  const auto i = x.Var(x.Dimension(0, 12));
  // 4 is 1 modulo 3.
  CHECK(x.Mod(x.Plus(x.Mod(i, 4), x.Div(i, 4)), 3) == x.Mod(i, 3));
  CHECK(!(x.Mod(x.Plus(x.Mod(i, 4), x.Div(i, 4), 2), 3) == x.Mod(i, 3)));
  CHECK(x.Mod(x.Plus(x.Mod(i, 4), x.Div(i, 4), 2), 2) == x.Mod(i, 2));
}

TEST_CASE("a multiple is NaN where the number is, a difference need not be") {
  const auto chosen = [](const std::string& tested) {
    return Parse("HloModule m\nENTRY e { x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n n = f32[4] " + tested +
                 "\n p = pred[4] compare(n, n), direction=EQ\n ROOT r = f32[4] select(p, y, x) }");
  };
  const auto a = chosen("negate(x)"), b = chosen("copy(x)"), c = chosen("subtract(x, y)");
  CHECK(equivalence::ProveInside(*a, *b).answer != StepAnswer::kOpen);
  CHECK(equivalence::ProveInside(*a, *c).answer == StepAnswer::kOpen);
}

TEST_CASE("effects that differ are open, and with them all results") {
  const auto sends = [](const std::string& value) {
    return Parse("HloModule m\nENTRY e { x = f32[4] parameter(0)\n y = f32[4] " + value +
                 "(x)\n t = token[] after-all()\n s = token[] outfeed(y, t), outfeed_shape=f32[4]\n ROOT r = f32[4] "
                 "tanh(x) }");
  };
  const auto a = sends("negate"), b = sends("abs");
  CHECK(equivalence::ProveInside(*a, *a).answer == StepAnswer::kProvedBitwise);
  const equivalence::Result result = equivalence::ProveInside(*a, *b);
  CHECK(result.answer == StepAnswer::kOpen);
  REQUIRE(result.outputs.size() == 1);
  CHECK(result.outputs[0].answer == StepAnswer::kOpen);
  REQUIRE(!result.open.empty());
  CHECK(result.open[0].after == "effects");
}
