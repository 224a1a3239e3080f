// explanations.h: each row of the table excuses a right pair of modules and refuses a wrong one.
#include "check/explanations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "hloir/check.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"

using namespace hloir;

namespace {

// Two modules, the inputs that they are given, and the engine under test.
struct Pair {
  std::string before, after;
  std::vector<InputSet> inputs = {};
  ModuleRunner engine = nullptr;
  Proofs proofs = Proofs::kNone;
};

// Of one row of the table.
struct Case {
  Pair right, wrong;
};

std::string Module(const std::string& body) {
  return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
         "saturate { a = s32[] parameter(0) b = s32[] parameter(1) s = s32[] add(a, b) k = s32[] constant(5)\n"
         "  ROOT c = s32[] minimum(s, k) }\n"
         "ENTRY e {\n" +
         body + "}\n";
}

Literal Array(PrimitiveType type, DimVector sizes, std::initializer_list<double> values) {
  Literal literal(Shape::Array(type, sizes));
  int64_t at = 0;
  for (const double value : values) literal.SetFromDouble(at++, value);
  return literal;
}
InputSet Given(std::vector<Literal> arguments, InputKind kind = InputKind::kPlain) {
  return {.devices = {std::move(arguments)}, .kind = kind};
}

StatusOr<std::vector<Literal>> RunByReference(const HloModule& module,
                                              std::span<const std::vector<const Literal*>> arguments) {
  HLOIR_ASSIGN_OR_RETURN(Literal result,
                         MakeReferenceEvaluator()->EvaluateComputation(*module.entry_computation(), arguments[0]));
  std::vector<Literal> results;
  results.push_back(std::move(result));
  return results;
}

// The reference, with its results modified by `change`.
ModuleRunner EngineThat(std::function<void(const HloModule&, Literal&)> change) {
  return [change](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    auto results = RunByReference(module, arguments);
    if (results.ok()) change(module, (*results)[0]);
    return results;
  };
}

// x over 3, by a product.
Case FoldedConstants() {
  const std::string x = "  x = f32[64] parameter(0)\n";
  const auto product = [&](const std::string& constant) {
    return Module(x + "  k = f32[] constant(" + constant +
                  ")\n  ks = f32[64] broadcast(k), dimensions={}\n  ROOT r = f32[64] multiply(x, ks)\n");
  };
  const std::string quotient = Module(
      x + "  k = f32[] constant(3)\n  ks = f32[64] broadcast(k), dimensions={}\n  ROOT r = f32[64] divide(x, ks)\n");
  return {{quotient, product("0.333333343")}, {quotient, product("0.333333373")}};
}

// A batch norm of constants.
Case ConstantFolding() {
  const auto with = [](const std::string& result) {
    return Module("  x = f32[4] parameter(0)\n" + result + "  ROOT t = (f32[5,4], f32[4]) tuple(r, x)\n");
  };
  const std::string before = with(
      "  a = f32[] constant(3)\n  as = f32[4] broadcast(a), dimensions={}\n  b = f32[] constant(4)\n"
      "  bs = f32[4] broadcast(b), dimensions={}\n  o = f32[] constant(1)\n"
      "  os = f32[5,4] broadcast(o), dimensions={}\n"
      "  r = f32[5,4] batch-norm-inference(os, as, bs, bs, bs), epsilon=0.5, feature_index=1\n");
  const auto folded = [&](const std::string& value) {
    return with("  k = f32[] constant(" + value + ")\n  r = f32[5,4] broadcast(k), dimensions={}\n");
  };
  return {{before, folded("-0.242640495")}, {before, folded("-0.24265")}};
}

// An intermediate result of bf16 in f32; and one of f8 where none was.
Case ExcessPrecision() {
  const std::string before =
      Module("  x = bf16[64] parameter(0)\n  b = bf16[64] multiply(x, x)\n  ROOT r = bf16[64] add(b, x)\n");
  const auto after = [](const std::string& step) {
    return Module("  x = bf16[64] parameter(0)\n  a = f32[64] convert(x)\n  b = f32[64] multiply(a, a)\n" + step +
                  "  s = f32[64] add(c, a)\n  ROOT r = bf16[64] convert(s)\n");
  };
  return {{before, after("  c = f32[64] copy(b)\n")},
          {before, after("  n = f8e5m2[64] convert(b)\n  c = f32[64] convert(n)\n")}};
}

// A product through bf16; and one of other factors.
Case NarrowerSteps() {
  const auto of = [](const std::string& step) {
    return Module("  x = f32[64] parameter(0)\n  a = f32[64] abs(x)\n" + step + "  ROOT r = f32[64] multiply(b, x)\n");
  };
  const std::string before = of("  b = f32[64] copy(a)\n");
  const auto after = [&](const std::string& value) {
    return of("  n = bf16[64] convert(" + value + ")\n  b = f32[64] convert(n)\n");
  };
  return {{before, after("a")}, {before, after("x")}};
}

// The mean of constants, folded and subtracted from them.
Case ConstantSteps() {
  const std::string x = "  x = f32[3] parameter(0)\n", root = "  ROOT r = f32[3] multiply(d, x)\n";
  const std::string before = Module(x +
                                    "  c = f32[3] constant({1, 88.4, 175.9})\n  k = f32[] constant(0)\n"
                                    "  s = f32[] reduce(c, k), dimensions={0}, to_apply=add\n"
                                    "  n = f32[] constant(3)\n  m = f32[] divide(s, n)\n"
                                    "  ms = f32[3] broadcast(m), dimensions={}\n  d = f32[3] subtract(c, ms)\n" +
                                    root);
  const auto folded = [&](const std::string& middle) {
    return Module(x + "  d = f32[3] constant({-87.4333344, " + middle + ", 87.4666595})\n" + root);
  };
  return {{before, folded("-0.033332825")}, {before, folded("-0.0336")}};
}

// x * 2 / 2, where x * 2 overflows; and where it is NaN beside that.
Case OverflowAtExtremes() {
  const std::string x = "  x = f32[64] parameter(0)\n";
  const std::string twice = Module(x +
                                   "  k = f32[] constant(2)\n  ks = f32[64] broadcast(k), dimensions={}\n"
                                   "  d = f32[64] multiply(x, ks)\n  ROOT r = f32[64] divide(d, ks)\n");
  return {{twice, Module(x + "  ROOT r = f32[64] copy(x)\n")}, {twice, Module(x + "  ROOT r = f32[64] negate(x)\n")}};
}

// A normed variance of three numbers, by two formulas with constants that were folded.
Case Rounding() {
  const std::string x = "  x = f32[3] parameter(0)\n";
  const std::string before =
      Module(x +
             "  o = f32[1] constant({0})\n  y = f32[3,1] reshape(x)\n"
             "  b = (f32[3,1], f32[1], f32[1]) batch-norm-training(y, o, o), epsilon=0, feature_index=1\n"
             "  v = f32[1] get-tuple-element(b), index=2\n  ROOT r = f32[] reshape(v)\n");
  const auto by_formula = [&](const std::string& ninth) {
    return Module(x + "  z = f32[] constant(0)\n  t = f32[] constant(0.333333343)\n  n = f32[] constant(" + ninth +
                  ")\n  q = f32[3] multiply(x, x)\n  s = f32[] reduce(q, z), dimensions={0}, to_apply=add\n"
                  "  e = f32[] multiply(s, t)\n  m = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
                  "  p = f32[] multiply(m, m)\n  w = f32[] multiply(p, n)\n  ROOT r = f32[] subtract(e, w)\n");
  };
  const std::vector<InputSet> inputs = {Given({Array(PrimitiveType::F32, {3}, {0.883, 0.912, 0.896})})};
  return {{before, by_formula("0.111111119"), inputs}, {before, by_formula("0.111112"), inputs}};
}

const std::string kNegate = Module("  x = f32[2] parameter(0)\n  ROOT r = f32[2] negate(x)\n");

// An engine whose largest numbers are infinite; and one that is wrong beside that.
Case EngineExtremes() {
  const auto engine = [](double factor) {
    return EngineThat([factor](const HloModule&, Literal& result) {
      if (std::abs(result.GetAsDouble(0)) > 1e38) result.SetFromDouble(0, -INFINITY);
      result.SetFromDouble(1, factor * result.GetAsDouble(1));
    });
  };
  const std::vector<InputSet> inputs = {Given({Array(PrimitiveType::F32, {2}, {3e38, 1})}, InputKind::kCornerCases)};
  return {{kNegate, kNegate, inputs, engine(1)}, {kNegate, kNegate, inputs, engine(1.5)}};
}

// An engine to which bf16 numbers with bits up to `last` are zeros; the smallest normal number has 0x80.
Case FlushedFactors() {
  const std::string dot = Module(
      "  n = s16[2] parameter(0)\n  x = bf16[2] bitcast-convert(n)\n  y = bf16[2] constant({512, 3})\n"
      "  ROOT d = bf16[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n");
  const auto engine = [](int16_t last) {
    return [last](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
      Literal n = *arguments[0][0];
      for (int16_t& bits : n.data<int16_t>()) bits = bits <= last ? int16_t{0} : bits;
      const std::vector<const Literal*> flushed = {&n};
      return RunByReference(module, std::span(&flushed, 1));
    };
  };
  Literal n(Shape::Array(PrimitiveType::S16, {2}));
  n.data<int16_t>()[0] = 0x40, n.data<int16_t>()[1] = 0x80;
  const std::vector<InputSet> inputs = {Given({n})};
  return {{dot, dot, inputs, engine(0x7f)}, {dot, dot, inputs, engine(0x80)}};
}

// x = 3.9 x (1 - x), again and again, by an engine that begins a unit off; and a few times.
Case IllConditioned() {
  const auto map = [](int steps) {
    std::string text =
        "  x0 = f32[8] parameter(0)\n  one = f32[] constant(1)\n  k = f32[] constant(3.9)\n"
        "  ones = f32[8] broadcast(one), dimensions={}\n  ks = f32[8] broadcast(k), dimensions={}\n";
    for (int i = 0; i < steps; ++i) {
      const std::string n = std::to_string(i), next = std::to_string(i + 1);
      text += "  y" + n + " = f32[8] subtract(ones, x" + n + ")\n  z" + n + " = f32[8] multiply(x" + n + ", y" + n +
              ")\n  x" + next + " = f32[8] multiply(ks, z" + n + ")\n";
    }
    return Module(text +
                  "  h = f32[] constant(0.5)\n  hs = f32[8] broadcast(h), dimensions={}\n  d = f32[8] subtract(x" +
                  std::to_string(steps) + ", hs)\n  ROOT r = f32[8] sqrt(d)\n");
  };
  const auto engine = [](double by) {
    return [by](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
      Literal x = *arguments[0][0];
      for (float& element : x.data<float>()) element *= static_cast<float>(1 + by);
      const std::vector<const Literal*> moved = {&x};
      return RunByReference(module, std::span(&moved, 1));
    };
  };
  const std::vector<InputSet> inputs = {
      Given({Array(PrimitiveType::F32, {8}, {0.11, 0.22, 0.31, 0.42, 0.53, 0.64, 0.75, 0.86})})};
  return {{map(80), map(80), inputs, engine(2e-7)}, {map(2), map(2), inputs, engine(0.05)}};
}

// A product with a converted condition, and a choice by it, where the product is 0 * inf. The square of rsqrt(x) is 1 /
// x for positive x alone.
Case ProvedWhereFinite() {
  const std::string x = "  x = f32[2] parameter(0)\n", p = "  p = pred[2] parameter(1)\n";
  const std::string product = Module(x + p + "  c = f32[2] convert(p)\n  ROOT r = f32[2] multiply(x, c)\n");
  const std::string choice = Module(x + p +
                                    "  z = f32[] constant(0)\n  zs = f32[2] broadcast(z), dimensions={}\n"
                                    "  ROOT r = f32[2] select(p, x, zs)\n");
  const std::string inverse = Module(x +
                                     "  one = f32[] constant(1)\n  ones = f32[2] broadcast(one), dimensions={}\n"
                                     "  ROOT r = f32[2] divide(ones, x)\n");
  const std::string squared = Module(x + "  v = f32[2] rsqrt(x)\n  ROOT r = f32[2] multiply(v, v)\n");
  const std::vector<InputSet> infinite = {
      Given({Array(PrimitiveType::F32, {2}, {INFINITY, 1}), Array(PrimitiveType::PRED, {2}, {0, 1})})};
  return {{product, choice, infinite, nullptr, Proofs::kEnough}, {inverse, squared, {}, nullptr, Proofs::kEnough}};
}

Case UnspecifiedRng() {
  const auto scaled = [](const std::string& numbers, const std::string& factor) {
    return Module("  x = f32[8] parameter(0)\n  lo = f32[] constant(0)\n  hi = f32[] constant(1)\n  r = f32[8] " +
                  numbers + "\n  f = f32[] constant(" + factor +
                  ")\n  fs = f32[8] broadcast(f), dimensions={}\n  s = f32[8] multiply(x, fs)\n"
                  "  ROOT t = (f32[8], f32[8]) tuple(r, s)\n");
  };
  const std::string rng = "rng(lo, hi), distribution=rng_uniform",
                    other = "constant({0.1, 0.3, 0.5, 0.2, 0.9, 0.7, 0.4, 0.6})";
  return {{scaled(rng, "2"), scaled(other, "2")}, {scaled(rng, "2"), scaled(other, "3")}};
}

// A Cholesky factor of a number that has none, and of one that has.
Case UnspecifiedFormula() {
  const auto of = [](const std::string& root) {
    return Module("  a = f32[1,1] parameter(0)\n  ROOT c = f32[1,1] " + root + "\n");
  };
  const std::string before = of("cholesky(a), lower=true"), after = of("abs(a)");
  return {{before, after, {Given({Array(PrimitiveType::F32, {1, 1}, {-1})})}},
          {before, after, {Given({Array(PrimitiveType::F32, {1, 1}, {4})})}}};
}

// A sum that saturates: in reverse it is another, negated it is wrong.
Case UnspecifiedOrder() {
  const auto sum = [](const std::string& input) {
    return Module("  x = s32[4] parameter(0)\n  y = s32[4] " + input +
                  "\n  z = s32[] constant(0)\n  ROOT r = s32[] reduce(y, z), dimensions={0}, to_apply=saturate\n");
  };
  const std::vector<InputSet> inputs = {Given({Array(PrimitiveType::S32, {4}, {9, 8, -7, -6})})};
  const std::vector<InputSet> small = {Given({Array(PrimitiveType::S32, {4}, {1, 1, 0, 1})})};
  return {{sum("copy(x)"), sum("reverse(x), dimensions={0}"), inputs}, {sum("copy(x)"), sum("negate(x)"), small}};
}

// The bits of x + 0, and of x.
Case SignedZero() {
  const auto bits = [](const std::string& value) {
    return Module(
        "  x = f32[64] parameter(0)\n  z = f32[] constant(0)\n  zs = f32[64] broadcast(z), dimensions={}\n"
        "  v = f32[64] " +
        value + "\n  ROOT r = s32[64] bitcast-convert(v)\n");
  };
  return {{bits("add(x, zs)"), bits("copy(x)")}, {bits("add(x, zs)"), bits("negate(x)")}};
}

// x / y and x * (1 / y), where y is a denormal.
Case DenormalFlush() {
  const auto quotient = [](const std::string& body) {
    return Module(
        "  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n  one = f32[] constant(1)\n"
        "  ones = f32[2] broadcast(one), dimensions={}\n" +
        body);
  };
  const std::string before = quotient("  ROOT q = f32[2] divide(x, y)\n");
  const auto given = [](double y) {
    return std::vector<InputSet>{
        Given({Array(PrimitiveType::F32, {2}, {1e-40, 3}), Array(PrimitiveType::F32, {2}, {1e-40, y})})};
  };
  return {{before, quotient("  v = f32[2] divide(ones, y)\n  ROOT q = f32[2] multiply(x, v)\n"), given(2)},
          {before, quotient("  v = f32[2] rsqrt(y)\n  w = f32[2] multiply(v, v)\n  ROOT q = f32[2] multiply(x, w)\n"),
           given(-2)}};
}

std::map<std::string, Case> Cases() {
  std::map<std::string, Case> cases;
  cases["folded-constants"] = FoldedConstants();
  cases["constant-folding"] = ConstantFolding();
  cases["excess-precision"] = ExcessPrecision();
  cases["narrower-steps"] = NarrowerSteps();
  cases["constant-steps"] = ConstantSteps();
  cases["overflow-at-extremes"] = OverflowAtExtremes();
  cases["rounding"] = Rounding();
  cases["engine-extremes"] = EngineExtremes();
  cases["bf16-denormal-flush"] = FlushedFactors();
  cases["ill-conditioned"] = IllConditioned();
  cases["proved-where-finite"] = ProvedWhereFinite();
  cases["unspecified-rng"] = UnspecifiedRng();
  cases["unspecified-formula"] = UnspecifiedFormula();
  cases["unspecified-order"] = UnspecifiedOrder();
  cases["signed-zero"] = SignedZero();
  cases["denormal-flush"] = DenormalFlush();
  return cases;
}

Verdict VerdictOf(const Pair& pair) {
  const auto before = ParseModule(pair.before), after = ParseModule(pair.after);
  INFO(before.status().message() << after.status().message());
  REQUIRE(before.ok());
  REQUIRE(after.ok());
  CheckOptions options;
  options.proofs = pair.proofs;
  options.engine = pair.engine;
  const auto verdict = Check(**before, **after, pair.inputs, options);
  INFO(verdict.status().message());
  REQUIRE(verdict.ok());
  return *verdict;
}

}  // namespace

TEST_CASE("each explanation excuses a right pair and refuses a wrong one") {
  std::map<std::string, Case> cases = Cases();
  for (const check::Explanation& row : check::Explanations()) {
    const std::string name(row.name);
    INFO(name);
    REQUIRE(cases.contains(name));
    const Case one = std::move(cases[name]);
    cases.erase(name);
    const Verdict right = VerdictOf(one.right), wrong = VerdictOf(one.wrong);
    {
      INFO("right: " << right.ToString());
      CHECK((row.outcome == Outcome::kAgree ? right.agrees() : right.outcome == row.outcome));
      CHECK(std::find(right.explanations.begin(), right.explanations.end(), name) != right.explanations.end());
    }
    INFO("wrong: " << wrong.ToString());
    const bool less = wrong.outcome == Outcome::kLessAccurate && row.name == "excess-precision";
    CHECK((less || wrong.outcome == Outcome::kDisagree || wrong.outcome == Outcome::kEnginesDisagree));
  }
  CHECK(cases.empty());
}

TEST_CASE("a result that HLO does not specify excuses no other result") {
  const auto of = [](const std::string& other, const std::string& reduced) {
    return "HloModule m\nf {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  s = f32[] subtract(p, q)\n"
           "  ROOT r = f32[] multiply(s, s)\n}\nENTRY e {\n  x = f32[8] parameter(0)\n  z = f32[] constant(0)\n"
           "  u = f32[] constant(1)\n  v = f32[8] reverse(x), dimensions={0}\n  r = f32[] reduce(" +
           reduced + ", z), dimensions={0}, to_apply=f\n" + other + "  ROOT t = (f32[8], f32[]) tuple(y, r)\n}\n";
  };
  const std::string exponential = "  y = f32[8] exponential(x)\n";
  const std::string before = of(exponential, "x");
  CHECK(VerdictOf({before, of(exponential, "v")}).outcome == Outcome::kUnspecified);
  CHECK(VerdictOf({before, of("  y = f32[8] tanh(x)\n", "v")}).outcome == Outcome::kDisagree);
  // What only wide arithmetic shows is looked for too.
  const std::string rounded = "  n = f32[8] exponential(x)\n  b = bf16[8] convert(n)\n  y = f32[8] convert(b)\n";
  CHECK(VerdictOf({before, of(rounded, "v")}).outcome == Outcome::kLessAccurate);
  // Two results may be unspecified for different reasons.
  const std::string drawn = "  y = f32[8] rng(z, u), distribution=rng_uniform\n";
  const Verdict both = VerdictOf({of(drawn, "x"), of("  y = f32[8] broadcast(u), dimensions={}\n", "v")});
  CHECK(both.outcome == Outcome::kUnspecified);
  CHECK(both.explanations.size() == 2);
}

TEST_CASE("the order of products that overflow excuses no lost NaN") {
  const auto product = [](const std::string& input, const std::string& result) {
    return "HloModule m\nmul { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] multiply(a, b) }\n"
           "ENTRY e {\n  x = f32[2,3] parameter(0)\n  y = f32[2,3] " +
           input +
           "\n  one = f32[] constant(1)\n  p = f32[2] reduce(y, one), dimensions={1}, to_apply=mul\n"
           "  n = pred[2] compare(p, p), direction=NE\n  z = f32[] constant(0)\n"
           "  zs = f32[2] broadcast(z), dimensions={}\n  s = f32[2] select(n, zs, p)\n  ROOT r = f32[2] copy(" +
           result + ")\n}\n";
  };
  // The order decides between 0 and NaN in the second row alone.
  const std::vector<InputSet> inputs = {
      Given({Array(PrimitiveType::F32, {2, 3}, {NAN, 1, 1, 0, 1e30, 1e30})}, InputKind::kCornerCases)};
  const std::string before = product("copy(x)", "p");
  const Verdict right = VerdictOf({before, product("reverse(x), dimensions={1}", "p"), inputs}),
                wrong = VerdictOf({before, product("copy(x)", "s"), inputs});
  INFO(right.ToString() << wrong.ToString());
  CHECK(right.outcome != Outcome::kDisagree);
  CHECK(wrong.outcome == Outcome::kDisagree);
}
