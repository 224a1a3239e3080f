// check.h: the verdict on pairs of modules, with bugs planted in modules and in engines.
#include "hloir/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check/measure.h"
#include "check/module_under_test.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Verdict VerdictOf(const std::string& a, const std::string& b, const CheckOptions& options = {},
                  std::vector<InputSet> inputs = {}) {
  const auto before = Parse(a), after = Parse(b);
  const auto verdict = Check(*before, *after, std::move(inputs), options);
  INFO(verdict.status().message());
  REQUIRE(verdict.ok());
  return *verdict;
}

InputSet Given(std::vector<Literal> arguments) {
  return {.devices = {std::move(arguments)}, .kind = InputKind::kPlain};
}

Literal S32(std::initializer_list<int32_t> values) {
  Literal literal(Shape::Array(PrimitiveType::S32, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), literal.data<int32_t>().begin());
  return literal;
}

std::string Unary(const std::string& body) {
  return "HloModule m\nENTRY e {\n  x = f32[8]{0} parameter(0)\n" + body + "\n}\n";
}

// An engine that gives this, whatever it is asked.
ModuleRunner EngineThatGives(Literal result) {
  return [result = std::move(result)](const HloModule&, std::span<const std::vector<const Literal*>>) {
    return StatusOr<std::vector<Literal>>(std::vector<Literal>{result});
  };
}

// What the engine under test gives, but for the module of this name, whose first number is wrong.
ModuleRunner EngineWithABug(const std::string& name) {
  return [name](const HloModule& module,
                std::span<const std::vector<const Literal*>> arguments) -> StatusOr<std::vector<Literal>> {
    HLOIR_ASSIGN_OR_RETURN(Literal result,
                           MakeReferenceEvaluator()->EvaluateComputation(*module.entry_computation(), arguments[0]));
    if (module.name() == name && IsFloat(result.shape().element_type()))
      result.SetFromDouble(0, result.GetAsDouble(0) + 1);
    else if (module.name() == name) result.SetFromInt64(0, result.GetAsInt64(0) + 1);
    std::vector<Literal> results;
    results.push_back(std::move(result));
    return results;
  };
}

std::string Reduce(const std::string& reducer, const std::string& input, int init) {
  return "HloModule r\nf {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n" + reducer +
         "\n}\nENTRY e {\n  x = s32[8] parameter(0)\n  z = s32[] constant(" + std::to_string(init) +
         ")\n  y = s32[8] " + input + "\n  ROOT r = s32[] reduce(y, z), dimensions={0}, to_apply=f\n}\n";
}

// A loop that adds 1 until `condition` fails.
std::string Loop(const std::string& condition) {
  return "HloModule l\nbody { t = (s32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] "
         "get-tuple-element(t), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n ROOT r = (s32[], s32[]) "
         "tuple(j, n) }\n"
         "on { t = (s32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] "
         "get-tuple-element(t), index=1\n zero = s32[] constant(0)\n odd = s32[] constant(1)\n ROOT c = pred[] " +
         condition +
         " }\nENTRY e { n = s32[] parameter(0)\n z = s32[] constant(0)\n t = (s32[], s32[]) tuple(z, n)\n w = (s32[], "
         "s32[]) while(t), condition=on, body=body\n ROOT g = s32[] get-tuple-element(w), index=0 }\n";
}

}  // namespace

TEST_CASE("both engines are asked, and named") {
  const Verdict v = VerdictOf(Unary("  ROOT y = f32[8]{0} negate(x)"), Unary("  ROOT y = f32[8]{0} negate(x)"));
  CHECK(v.outcome == Outcome::kSameBits);
  REQUIRE(v.engines.size() == 2);
  CHECK(v.engines[1] == "reference");
  CHECK(v.notes.empty());
  CHECK(v.ToString() == "agree, bit for bit\nproved: the two have the same structure");
}

TEST_CASE("an engine that is wrong about both modules does not make them agree") {
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.engine = EngineWithABug("m");
  const std::string text = Unary("  ROOT y = f32[8]{0} negate(x)");
  const Verdict v = VerdictOf(text, text, options);
  CHECK(v.outcome == Outcome::kEnginesDisagree);
  CHECK(v.reason.starts_with("two engines disagree about before: out0[0] is "));
  options.other_engine_work = 0;
  // So it was the other engine that found it; without one, f64 makes a note.
  CHECK(VerdictOf(text, text, options).ToString().find("times the distance that roundings explain") !=
        std::string::npos);
}

TEST_CASE("an engine that writes over its arguments is found out") {
  CheckOptions options;
  options.engine = [](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    const_cast<Literal*>(arguments[0][0])->SetFromDouble(0, 17);
    return EngineWithABug("")(module, arguments);
  };
  const auto module = Parse(Unary("  ROOT y = f32[8]{0} negate(x)"));
  const auto verdict = Check(*module, *module, {}, options);
  REQUIRE_FALSE(verdict.ok());
  CHECK(verdict.status().code() == StatusCode::kInternal);
  CHECK(verdict.status().message() == "the engine (the caller's) modifies the arguments of m");
}

TEST_CASE("an engine that is wrong about one module does not make the modules disagree") {
  CheckOptions options;
  options.engine = EngineWithABug("other");
  const std::string text = "  ROOT y = f32[8]{0} negate(x)";
  std::string other = Unary(text);
  other.replace(other.find(" m\n"), 2, " other");
  const Verdict v = VerdictOf(Unary(text), other, options);
  CHECK(v.outcome == Outcome::kEnginesDisagree);
  CHECK(v.reason.starts_with("two engines disagree about after: out0[0] is "));
}

TEST_CASE("engines that round differently do not disagree about a chaotic program") {
  // x = 3.9 x (1 - x), 300 times: a unit in the last place of x is as large as x after some fifty, so whether
  // sqrt(x - 0.5) is a number is up to rounding. The engine begins a unit off.
  const std::string text = R"(HloModule chaos
body {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[8] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  unit = f32[8] constant({1, 1, 1, 1, 1, 1, 1, 1})
  rate = f32[8] constant({3.9, 3.9, 3.9, 3.9, 3.9, 3.9, 3.9, 3.9})
  y = f32[8] subtract(unit, x)
  xy = f32[8] multiply(x, y)
  z = f32[8] multiply(rate, xy)
  ROOT r = (s32[], f32[8]) tuple(j, z)
}
on {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(300)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[8] parameter(0)
  s = f32[8] logistic(x)
  zero = s32[] constant(0)
  t = (s32[], f32[8]) tuple(zero, s)
  w = (s32[], f32[8]) while(t), condition=on, body=body
  y = f32[8] get-tuple-element(w), index=1
  half = f32[8] constant({0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5})
  d = f32[8] subtract(y, half)
  ROOT r = f32[8] sqrt(d)
})";
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.engine = [](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    Literal x = *arguments[0][0];
    for (float& element : x.data<float>()) element = std::nextafter(element, 9.0f);
    const std::vector<const Literal*> moved[] = {{&x}};
    return EngineWithABug("")(module, moved);
  };
  const Verdict v = VerdictOf(text, text, options);
  CHECK(v.agrees());
  CHECK(v.ToString().find("out0 of before is ill-conditioned") != std::string::npos);
  CHECK(v.ToString().find("by two engines, out0[") != std::string::npos);
}

TEST_CASE("a unit in the last place of a denormal is one, too, where its bits are the result") {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = u32[8]{0} parameter(0)\n  f = f32[8]{0} bitcast-convert(x)\n"
      "  g = f32[8]{0} exponential-minus-one(f)\n  ROOT r = s32[8]{0} bitcast-convert(g)\n}\n";
  const auto engine = [](int64_t off) -> ModuleRunner {
    return [off](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
      StatusOr<std::vector<Literal>> results = EngineWithABug("")(module, arguments);
      if (module.name() == "m") (*results)[0].SetFromInt64(1, (*results)[0].GetAsInt64(1) + off);
      return results;
    };
  };
  Literal x(Shape::Array(PrimitiveType::U32, {8}));
  for (int64_t k = 0; k < 8; ++k) x.SetFromInt64(k, 5 * k);
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.engine = engine(1);
  CHECK(VerdictOf(text, text, options, {Given({x})}).agrees());
  options.engine = engine(20);
  CHECK(VerdictOf(text, text, options, {Given({x})}).outcome == Outcome::kEnginesDisagree);
}

TEST_CASE("an engine hides no wrong module") {
  // The engine gives the same for both; the reference sees that one adds.
  CheckOptions options;
  options.engine = [](const HloModule&, std::span<const std::vector<const Literal*>> arguments) {
    return StatusOr<std::vector<Literal>>(std::vector<Literal>{*arguments[0][0]});
  };
  const Verdict v = VerdictOf(Unary("  ROOT y = f32[8]{0} copy(x)"), Unary("  ROOT y = f32[8]{0} add(x, x)"), options);
  CHECK(v.outcome == Outcome::kDisagree);
  CHECK(v.reason.ends_with("(by the reference engine)"));
}

TEST_CASE("a reducer that is not associative leaves the result open") {
  const std::string saturating = "  s = s32[] add(a, b)\n  c = s32[] constant(100)\n  ROOT m = s32[] minimum(s, c)";
  const std::vector<InputSet> inputs = {Given({S32({99, 99, -50, 3, 60, 60, -100, 5})})};
  const std::string forward = Reduce(saturating, "copy(x)", 0);
  const std::string backward = Reduce(saturating, "reverse(x), dimensions={0}", 0);
  CheckOptions options;
  options.runner.engine = Engine::kReference;
  const Verdict v = VerdictOf(forward, backward, options, inputs);
  CHECK(v.outcome == Outcome::kUnspecified);
  CHECK_FALSE(v.agrees());
  CHECK(v.reason.find("HLO does not specify the order of r, and another choice changes the result of its reducer f") !=
        std::string::npos);
  // Wrapping addition may be regrouped: what differs then differs.
  const std::string sum = "  ROOT s = s32[] add(a, b)";
  CHECK(VerdictOf(Reduce(sum, "copy(x)", 0), Reduce(sum, "reverse(x), dimensions={0}", 0), options, inputs).agrees());
  CHECK(VerdictOf(Reduce(sum, "copy(x)", 0), Reduce(sum, "negate(x)", 0), options, inputs).outcome ==
        Outcome::kDisagree);
}

TEST_CASE("numbers that rng gives are each implementation's, and stay the same where both modules have the rng") {
  const auto scaled = [](const std::string& numbers, const char* factor) {
    return "HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  lo = f32[] constant(0)\n  hi = f32[] constant(1)\n" +
           ("  r = " + numbers) + "\n  f = f32[] constant(" + factor +
           ")\n  fs = f32[8] broadcast(f), dimensions={}\n" +
           "  s = f32[8] multiply(x, fs)\n  ROOT t = (f32[8], f32[8]) tuple(r, s)\n}";
  };
  const std::string rng = "f32[8] rng(lo, hi), distribution=rng_uniform",
                    other = "f32[8] constant({0.1, 0.3, 0.5, 0.2, 0.9, 0.7, 0.4, 0.6})";
  CHECK(VerdictOf(scaled(rng, "2"), scaled(other, "2")).outcome == Outcome::kUnspecified);
  CHECK(VerdictOf(scaled(other, "2"), scaled(rng, "2")).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(scaled(rng, "2"), scaled(other, "3")).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(scaled(rng, "2"), scaled(rng, "3")).outcome == Outcome::kDisagree);
  // The leaves of nested tuples each have numbers of their own.
  const auto nested = [&](const std::string& numbers, const char* factor) {
    std::string text = scaled(numbers, factor);
    text.erase(text.find("  ROOT"));
    return text +
           "  p = (f32[8], f32[8]) tuple(r, s)\n  q = ((f32[8], f32[8]), f32[8]) tuple(p, x)\n"
           "  e = (f32[8], f32[8]) get-tuple-element(q), index=0\n  again = f32[8] get-tuple-element(e), index=1\n"
           "  n = f32[8] negate(again)\n  ROOT t = (f32[8], ((f32[8], f32[8]), f32[8])) tuple(n, q)\n}";
  };
  CHECK(VerdictOf(nested(rng, "2"), nested(other, "2")).outcome == Outcome::kUnspecified);
  CHECK(VerdictOf(nested(rng, "2"), nested(other, "3")).outcome == Outcome::kDisagree);
}

TEST_CASE("what HLO leaves open excuses no other result, and must be seen to move") {
  const auto with = [](const std::string& reducer, const std::string& window, const std::string& other) {
    return "HloModule m\nf { a = s32[] parameter(0) b = s32[] parameter(1)\n" + reducer +
           "\n}\nENTRY e {\n  x = s32[8]{0} parameter(0)\n  z = s32[] constant(0)\n  w = s32[3]{0} "
           "reduce-window(x, z), window={size=4 stride=2 " +
           window + "}, to_apply=f\n" + other + "  ROOT t = (s32[3]{0}, s32[8]{0}) tuple(w, y)\n}\n";
  };
  // Not recognized as associative, but it is on numbers like these.
  const std::string saturating = "  s = s32[] add(a, b)\n  c = s32[] constant(100)\n  ROOT m = s32[] minimum(s, c)";
  const std::string copy = "  y = s32[8]{0} copy(x)\n", negate = "  y = s32[8]{0} negate(x)\n";
  const std::vector<InputSet> open = {Given({S32({99, 99, -50, 3, 60, 60, -100, 5})})};
  CheckOptions options;
  options.runner.engine = Engine::kReference;
  // The other result is wrong, and depends on nothing that is open.
  CHECK(VerdictOf(with(saturating, "pad=0_0", copy), with(saturating, "pad=0_0", negate), options, open).outcome ==
        Outcome::kDisagree);
  // The window is wrong: left open where its order matters on these inputs, a difference where it does not.
  CHECK(VerdictOf(with(saturating, "pad=0_0", copy), with(saturating, "pad=1_0", copy), options, open).outcome ==
        Outcome::kUnspecified);
  CHECK(VerdictOf(with(saturating, "pad=0_0", copy), with(saturating, "pad=1_0", copy), options,
                  {Given({S32({1, 2, 3, 4, 5, 6, 7, 8})})})
            .outcome == Outcome::kDisagree);
}

TEST_CASE("an initial value that is not neutral leaves the result open") {
  const std::string sum = "  ROOT s = s32[] add(a, b)";
  const std::vector<InputSet> inputs = {Given({S32({1, 2, 3, 4, 5, 6, 7, 8})})};
  // An engine that uses it twice.
  CheckOptions options;
  options.engine = EngineWithABug("r");
  const Verdict v = VerdictOf(Reduce(sum, "copy(x)", 1), Reduce(sum, "copy(x)", 1), options, inputs);
  CHECK(v.outcome == Outcome::kUnspecified);
  CHECK(v.reason.find("the grouping and the number of initial values of r") != std::string::npos);
  CHECK(VerdictOf(Reduce(sum, "copy(x)", 0), Reduce(sum, "copy(x)", 0), options, inputs).outcome ==
        Outcome::kEnginesDisagree);
}

TEST_CASE("the order in which a product runs over is open") {
  const auto product = [](const std::string& input, const std::string& last) {
    return "HloModule p\nf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] multiply(a, b) }\n"
           "ENTRY e {\n  x = f32[104]{0} iota(), iota_dimension=0\n  y = f32[104]{0} " +
           input +
           "\n  one = f32[] constant(1)\n  p = f32[] reduce(y, one), dimensions={0}, to_apply=f\n  ROOT r = f32[] " +
           last + "(p)\n}\n";
  };
  const std::string forward = product("copy(x)", "copy");
  const Verdict v = VerdictOf(forward, product("reverse(x), dimensions={0}", "copy"));
  CHECK(v.outcome == Outcome::kUnspecified);
  CHECK(v.reason.find("the order of p") != std::string::npos);
  // No order makes this of it.
  CHECK(VerdictOf(forward, product("copy(x)", "cosine")).outcome == Outcome::kDisagree);

  // Nor does a comparison hide it: 0 or NaN, as the order has it, is less than 1 or is not.
  const auto compared = [&](const std::string& input, const std::string& direction) {
    std::string text = product(input, "copy");
    const std::string root = "ROOT r = f32[] copy(p)";
    return text.replace(text.find(root), root.size(), "ROOT r = pred[] compare(p, one), direction=" + direction);
  };
  CHECK(VerdictOf(compared("copy(x)", "LT"), compared("reverse(x), dimensions={0}", "LT")).outcome ==
        Outcome::kUnspecified);
  CHECK(VerdictOf(compared("copy(x)", "EQ"), compared("copy(x)", "NE")).outcome == Outcome::kDisagree);
}

TEST_CASE("what a solver gives of a matrix outside its domain is open to another solver") {
  const auto array = [](DimVector sizes, std::initializer_list<double> values) {
    Literal literal(Shape::Array(PrimitiveType::F32, sizes));
    int64_t at = 0;
    for (const double value : values) literal.SetFromDouble(at++, value);
    return literal;
  };
  const auto root = [&](const std::string& result, double a) {
    return VerdictOf(
               "HloModule c\nENTRY e {\n  a = f32[1,1]{1,0} parameter(0)\n  ROOT c = f32[1,1]{1,0} cholesky(a), "
               "lower=true\n}",
               "HloModule c\nENTRY e {\n  a = f32[1,1]{1,0} parameter(0)\n  ROOT c = f32[1,1]{1,0} " + result + "\n}",
               {}, {Given({array({1, 1}, {a})})})
        .outcome;
  };
  CHECK(root("sqrt(a)", 4) == Outcome::kSameBits);
  CHECK(root("abs(a)", 1) == Outcome::kSameBits);
  CHECK(root("abs(a)", -1) == Outcome::kUnspecified);
  CHECK(root("abs(a)", 4) == Outcome::kDisagree);
  // Rounding decides whether the matrix is positive definite.
  const auto factor = [&](double corner) {
    return VerdictOf(
               "HloModule c\nENTRY e {\n  a = f32[2,2]{1,0} parameter(0)\n  ROOT c = f32[2,2]{1,0} cholesky(a), "
               "lower=true\n}",
               "HloModule c\nENTRY e {\n  a = f32[2,2]{1,0} parameter(0)\n  n = f32[] constant(nan)\n"
               "  ROOT c = f32[2,2]{1,0} broadcast(n), dimensions={}\n}",
               {}, {Given({array({2, 2}, {2, 2, 2, corner})})})
        .outcome;
  };
  CHECK(factor(2.0000005) == Outcome::kUnspecified);
  CHECK(factor(2.0001) == Outcome::kDisagree);

  const auto solution = [&](const std::string& before, const std::string& after, double d) {
    const auto module = [](const std::string& body) {
      return "HloModule s\nENTRY e {\n  a = f32[2,2]{1,0} parameter(0)\n  b = f32[2,1]{1,0} parameter(1)\n" + body +
             "\n}\n";
    };
    return VerdictOf(module(before), module(after), {}, {Given({array({2, 2}, {d, 0, 1, 1}), array({2, 1}, {1, 1})})})
        .outcome;
  };
  const std::string
      solve = "  s = f32[2,1]{1,0} triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE\n",
      as_it_is = "  ROOT c = f32[2,1]{1,0} copy(s)", of_one = "  ROOT c = f32[2,1]{1,0} constant({{1}, {0}})";
  CHECK(solution(solve + as_it_is, of_one, 1) == Outcome::kSameBits);
  CHECK(solution(solve + as_it_is, of_one, 0) == Outcome::kUnspecified);
  CHECK(solution(solve + as_it_is, of_one, 2) == Outcome::kDisagree);
  CHECK(solution(solve + as_it_is, of_one, INFINITY) == Outcome::kDisagree);  // every solver has 0 and 1
  // Zeros times a singular matrix.
  const auto of_zeros = [&](double d, const std::string& number) {
    const std::string head =
        "HloModule s\nENTRY e {\n  a = f32[2,2]{1,0} parameter(0)\n  b = f32[1,2]{1,0} parameter(1)\n";
    return VerdictOf(head +
                         "  s = f32[1,2]{1,0} triangular-solve(a, b), lower=true, transpose_a=NO_TRANSPOSE\n"
                         "  l = f32[1,1]{1,0} slice(s), slice={[0:1], [1:2]}\n  ROOT r = f32[1]{0} reshape(l)\n}\n",
                     head + "  n = f32[] constant(" + number + ")\n  ROOT r = f32[1]{0} reshape(n)\n}\n", {},
                     {Given({array({2, 2}, {d, 0, 1, 1}), array({1, 2}, {0, 0})})})
        .outcome;
  };
  CHECK(of_zeros(0, "nan") == Outcome::kUnspecified);
  CHECK(of_zeros(2, "nan") == Outcome::kDisagree);
  // The same solver in both gives the same.
  CHECK(solution(solve + as_it_is, solve + of_one, 0) == Outcome::kDisagree);
}

TEST_CASE("by which formula a batch norm is computed is open, and which formulas there are is not") {
  const auto module = [](const std::string& result) {
    return "HloModule n\nENTRY e {\n  x = f32[2,1]{1,0} parameter(0)\n  s = f32[1]{0} parameter(1)\n"
           "  o = f32[1]{0} parameter(2)\n  m = f32[1]{0} parameter(3)\n  v = f32[1]{0} parameter(4)\n" +
           result + "\n}\n";
  };
  const std::string norm =
      module("  ROOT r = f32[2,1]{1,0} batch-norm-inference(x, s, o, m, v), epsilon=0.5, feature_index=1");
  const auto written_out = [&](const std::string& shift) {
    return module(
        "  c = f32[] constant(0.5)\n  e = f32[1]{0} reshape(c)\n  w = f32[1]{0} add(v, e)\n  i = f32[1]{0} rsqrt(w)\n"
        "  f = f32[1]{0} multiply(s, i)\n  k = f32[1]{0} multiply(m, f)\n  h = f32[1]{0} " +
        shift +
        "\n  fs = f32[2,1]{1,0} broadcast(f), dimensions={1}\n  hs = f32[2,1]{1,0} broadcast(h), dimensions={1}\n"
        "  p = f32[2,1]{1,0} multiply(x, fs)\n  ROOT r = f32[2,1]{1,0} add(p, hs)");
  };
  const auto given = [](double scale) {
    const auto full = [](DimVector sizes, double value) {
      Literal literal(Shape::Array(PrimitiveType::F32, sizes));
      for (int64_t i = 0; i < literal.element_count(); ++i) literal.SetFromDouble(i, value);
      return literal;
    };
    return std::vector<InputSet>{Given({full({2, 1}, 1), full({1}, scale), full({1}, 3), full({1}, 1), full({1}, 1)})};
  };
  CHECK(VerdictOf(norm, written_out("subtract(o, k)"), {}, given(2)).agrees());
  CheckOptions by_runs;
  by_runs.proofs = Proofs::kNone;
  const Verdict v = VerdictOf(norm, written_out("subtract(o, k)"), by_runs, given(1e30));
  CHECK(v.outcome == Outcome::kUnspecified);
  CHECK(v.reason.find("HLO does not specify the formula of r") != std::string::npos);
  for (const double scale : {2.0, 1e30}) {
    CHECK(VerdictOf(norm, written_out("add(o, k)"), {}, given(scale)).outcome == Outcome::kDisagree);
  }
}

TEST_CASE("of one element an initial value may be left out unless it is neutral") {
  const auto module = [](const std::string& initial, const std::string& result) {
    return "HloModule r\nf { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }\n"
           "ENTRY e {\n  x = s32[1]{0} parameter(0)\n  i = s32[] constant(" +
           initial + ")\n" + result + "\n}\n";
  };
  const std::string reduce = "  ROOT r = s32[] reduce(x, i), dimensions={0}, to_apply=f",
                    without = "  ROOT r = s32[] reshape(x)",
                    negated = "  y = s32[] reshape(x)\n  ROOT r = s32[] negate(y)";
  const std::vector<InputSet> inputs = {Given({S32({5})})};
  CHECK(VerdictOf(module("1", reduce), module("1", without), {}, inputs).outcome == Outcome::kUnspecified);
  CHECK(VerdictOf(module("0", reduce), module("0", without), {}, inputs).agrees());
  CHECK(VerdictOf(module("0", reduce), module("0", negated), {}, inputs).outcome == Outcome::kDisagree);
}

TEST_CASE("what is rounded to integers at random is no more rounded before that in f64") {
  const auto module = [](const std::string& result) {
    return "HloModule s\nENTRY e {\n  x = f32[1]{0} parameter(0)\n  r = u32[1]{0} parameter(1)\n"
           "  y = f32[1]{0} multiply(x, x)\n" +
           result + "\n}\n";
  };
  // Random bits that are all ones never round up.
  Literal ones(Shape::Array(PrimitiveType::U32, {1}));
  ones.SetFromInt64(0, 0xffffffff);
  Literal number(Shape::Array(PrimitiveType::F32, {1}));
  number.SetFromDouble(0, 9627.19);  // its square has more digits than f32
  const std::vector<InputSet> inputs = {Given({std::move(number), std::move(ones)})};
  const std::string before = module("  ROOT c = s32[1]{0} stochastic-convert(y, r)");
  const Verdict v = VerdictOf(before, module("  ROOT c = s32[1]{0} convert(y)"), {}, inputs);
  CHECK(v.agrees());
  CHECK(std::none_of(v.notes.begin(), v.notes.end(),
                     [](const std::string& note) { return note.find("not compared") != std::string::npos; }));
  CHECK(VerdictOf(before, module("  z = f32[1]{0} add(y, x)\n  ROOT c = s32[1]{0} convert(z)"), {}, inputs).outcome ==
        Outcome::kDisagree);
}

// The variance of four or three numbers as batch norm gives it, or by its formula with a count's reciprocal as a
// constant.
std::string NormedVariance(const std::string& type, int count) {
  const std::string n = std::to_string(count);
  return "HloModule v\nENTRY e {\n  x = " + type + "[" + n + "]{0} parameter(0)\n  y = " + type + "[" + n +
         ",1]{1,0} reshape(x)\n  k = " + type + "[] constant(1)\n  o = " + type + "[1]{0} reshape(k)\n  b = (" + type +
         "[" + n + ",1], " + type + "[1], " + type +
         "[1]) batch-norm-training(y, o, o), epsilon=0.5, feature_index=1\n  ROOT r = " + type +
         "[1]{0} get-tuple-element(b), index=2\n}\n";
}
std::string VarianceByFormula(const std::string& type, const std::string& wide, int count,
                              const std::string& reciprocal, const std::string& of_square) {
  const std::string n = std::to_string(count), w = wide + "[]";
  return "HloModule v\nadd { a = " + w + " parameter(0) b = " + w + " parameter(1) ROOT c = " + w +
         " add(a, b) }\nENTRY e {\n  g = " + type + "[" + n + "]{0} parameter(0)\n  x = " + wide + "[" + n +
         "]{0} convert(g)\n  z = " + w + " constant(0)\n  q = " + wide + "[" + n + "]{0} multiply(x, x)\n  s = " + w +
         " reduce(x, z), dimensions={0}, to_apply=add\n  t = " + w +
         " reduce(q, z), dimensions={0}, to_apply=add\n  i = " + w + " constant(" + reciprocal + ")\n  j = " + w +
         " constant(" + of_square + ")\n  u = " + w + " multiply(t, i)\n  v = " + w + " multiply(s, s)\n  m = " + w +
         " multiply(v, j)\n  d = " + w + " subtract(u, m)\n  f = " + type + "[] convert(d)\n  ROOT r = " + type +
         "[1]{0} reshape(f)\n}\n";
}
std::vector<InputSet> Numbers(PrimitiveType type, std::initializer_list<double> values) {
  Literal numbers(Shape::Array(type, {static_cast<int64_t>(values.size())}));
  int64_t at = 0;
  for (const double value : values) numbers.SetFromDouble(at++, value);
  return {Given({std::move(numbers)})};
}

TEST_CASE("results may be apart by what folded constants mean beside what each rounds") {
  const std::string before = NormedVariance("f32", 3);
  for (const auto& inputs :
       {Numbers(PrimitiveType::F32, {0.883, 0.912, 0.896}), Numbers(PrimitiveType::F32, {0.881, 0.907, 0.92})}) {
    CHECK(VerdictOf(before, VarianceByFormula("f32", "f32", 3, "0.333333343", "0.111111119"), {}, inputs).agrees());
    CHECK(VerdictOf(before, VarianceByFormula("f32", "f32", 3, "0.333333343", "0.111112"), {}, inputs).outcome ==
          Outcome::kDisagree);
  }
}

TEST_CASE("so may those of f64, of which double-double tells what each rounds") {
  const std::string before = NormedVariance("f64", 3), third = "0.33333333333333331";
  for (const auto& inputs :
       {Numbers(PrimitiveType::F64, {0.883, 0.912, 0.896}), Numbers(PrimitiveType::F64, {0.906, 0.985, 0.97})}) {
    CHECK(VerdictOf(before, VarianceByFormula("f64", "f64", 3, third, "0.1111111111111111"), {}, inputs).agrees());
    CHECK(VerdictOf(before, VarianceByFormula("f64", "f64", 3, third, "0.1111111111112"), {}, inputs).outcome ==
          Outcome::kDisagree);
  }
}

TEST_CASE("a batch norm of f16 may square and add in f16; what is written out in f32 may not become so") {
  const auto inputs = Numbers(PrimitiveType::F16, {30, 30.5, 31, 31.5});
  const std::string norm = NormedVariance("f16", 4), narrow = VarianceByFormula("f16", "f16", 4, "0.25", "0.0625"),
                    wide = VarianceByFormula("f16", "f32", 4, "0.25", "0.0625");
  CHECK(VerdictOf(norm, narrow, {}, inputs).agrees());
  CHECK(VerdictOf(norm, wide, {}, inputs).agrees());
  CHECK(VerdictOf(wide, narrow, {}, inputs).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(norm, VarianceByFormula("f16", "f32", 4, "0.25", "0.06249"), {}, inputs).outcome ==
        Outcome::kDisagree);
}

TEST_CASE("a mean of equal elements is off by what so many sums round, and their variance by the square of that") {
  const std::string text =
      "HloModule b\nENTRY e {\n  x = f32[1]{0} parameter(0)\n  s = f32[1]{0} parameter(1)\n"
      "  q = f32[78,1]{1,0} broadcast(x), dimensions={1}\n"
      "  b = (f32[78,1]{1,0}, f32[1]{0}, f32[1]{0}) batch-norm-training(q, s, s), epsilon=0.5, feature_index=1\n"
      "  ROOT v = f32[1]{0} get-tuple-element(b), index=2\n}\n";
  const auto outcome = [&](double variance) {
    Literal x(Shape(PrimitiveType::F32, {1})), s(Shape(PrimitiveType::F32, {1}));
    x.SetFromDouble(0, 5.3), s.SetFromDouble(0, 1);
    CheckOptions options;
    Literal result(Shape(PrimitiveType::F32, {1}));
    result.SetFromDouble(0, variance);
    options.engine = EngineThatGives(std::move(result));
    return VerdictOf(text, text, options, {Given({x, s})}).outcome;
  };
  CHECK(outcome(1.2e-11) == Outcome::kSameBits);  // 7 units in the last place of 5.3, squared
  CHECK(outcome(1e-10) == Outcome::kEnginesDisagree);
}

// Where a product of even and odd by turns, which begins with `initial`, is NaN by an engine.
Outcome OutcomeOfNaN(const std::string& initial, double even, double odd) {
  const std::string text =
      "HloModule p\nf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] multiply(a, b) }\n"
      "ENTRY e {\n  x = f32[8]{0} parameter(0)\n  initial = f32[] constant(" +
      initial + ")\n  ROOT r = f32[] reduce(x, initial), dimensions={0}, to_apply=f\n}\n";
  Literal x(Shape(PrimitiveType::F32, {8}));
  for (int64_t k = 0; k < 8; ++k) x.SetFromDouble(k, k % 2 == 0 ? even : odd);
  CheckOptions options;
  options.engine = EngineThatGives(Literal::Scalar(PrimitiveType::F32, std::numeric_limits<double>::quiet_NaN()));
  return VerdictOf(text, text, options, {Given({x})}).outcome;
}

TEST_CASE("an initial value of 0 that comes first or last is open where the product runs over") {
  CHECK(OutcomeOfNaN("0", 1e30, 1e30) == Outcome::kUnspecified);
  CHECK(OutcomeOfNaN("0", 1, 1) == Outcome::kEnginesDisagree);
}

TEST_CASE("a product of numbers and zeros by turns is open where the lane of the numbers runs over") {
  CHECK(OutcomeOfNaN("1", 1e30, 0) == Outcome::kUnspecified);
  CHECK(OutcomeOfNaN("1", 1, 0) == Outcome::kEnginesDisagree);
}

TEST_CASE("nothing but NaN is not agreement") {
  const std::string log = "  y = f32[8]{0} abs(x)\n  n = f32[8]{0} negate(y)\n  l = f32[8]{0} log(n)\n";
  const Verdict all =
      VerdictOf(Unary(log + "  ROOT r = f32[8]{0} sqrt(l)"), Unary(log + "  ROOT r = f32[8]{0} cosine(l)"));
  CHECK(all.outcome == Outcome::kNothingFinite);
  CHECK_FALSE(all.agrees());
  // One leaf of two: a note says so, if it is proved that they are the same, and else nothing is known of it.
  const std::string pair = log + "  s = f32[8]{0} sqrt(l)\n  ROOT t = (f32[8]{0}, f32[8]{0}) tuple(s, y)";
  CheckOptions unproved;
  unproved.proofs = Proofs::kNone;
  const Verdict none = VerdictOf(Unary(pair), Unary(pair), unproved);
  CHECK(none.outcome == Outcome::kNothingFinite);
  CHECK(none.answer == Answer::kNotJudged);
  REQUIRE(none.outputs.size() == 2);
  CHECK(none.outputs[0].answer == Answer::kNotJudged);
  CHECK(none.outputs[1].answer == Answer::kTested);
  const Verdict one = VerdictOf(Unary(pair), Unary(pair));
  CHECK(one.answer == Answer::kProvedBitwise);
  CHECK(one.outcome == Outcome::kSameBits);
  CHECK(one.notes == std::vector<std::string>{"out0 has no finite element on any input"});
}

TEST_CASE("where plain inputs give NaN alone, positive ones are tried") {
  // The logarithm of a product of sixteen numbers of both signs, squared roots: NaN unless all are positive.
  const auto text = [](const char* last) {
    return "HloModule m\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT m = f32[] add(a, b)\n}\n"
           "ENTRY e {\n  x = f32[64]{0} parameter(0)\n  l = f32[64]{0} log(x)\n  z = f32[] constant(0)\n"
           "  s = f32[] reduce(l, z), dimensions={0}, to_apply=f\n  ROOT r = f32[] " +
           std::string(last) + "(s)\n}\n";
  };
  const auto module = Parse(text("negate"));
  CheckOptions options;
  options.proofs = Proofs::kNone;
  Checker checker(*module, {}, options);
  const auto same = checker.Check(*module);
  REQUIRE(same.ok());
  CHECK(same->outcome == Outcome::kSameBits);
  CHECK(checker.inputs().size() > 3);
  CHECK(VerdictOf(text("negate"), text("abs")).outcome ==
        Outcome::kDisagree);  // of far or equal numbers the sum is positive
  CHECK(VerdictOf(text("negate"), text("tanh")).outcome == Outcome::kDisagree);
}

TEST_CASE("a sum that is wrong only if it is tiny is found: all terms are small at once") {
  const auto sum = [](const std::string& result) {
    return "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  z = f32[] parameter(2)\n"
           "  s = f32[] add(x, y)\n  t = f32[] add(s, z)\n  a = f32[] abs(t)\n  c = f32[] constant(9.5e-07)\n"
           "  l = pred[] compare(a, c), direction=LT\n  o = f32[] constant(0)\n  w = f32[] select(l, o, t)\n"
           "  ROOT r = f32[] negate(" +
           result + ")\n}\n";
  };
  CHECK(VerdictOf(sum("t"), sum("t")).agrees());
  CHECK(VerdictOf(sum("t"), sum("w")).outcome == Outcome::kDisagree);
}

TEST_CASE("64-bit integers that differ by one disagree") {
  const auto text = [](const char* add) {
    return std::string(
               "HloModule m\nENTRY e {\n  x = u64[4]{0} parameter(0)\n  k = u64[] constant(9223372036854775808)\n"
               "  ks = u64[4]{0} broadcast(k), dimensions={}\n  o = u64[4]{0} or(x, ks)\n  c = u64[] constant(") +
           add + ")\n  cs = u64[4]{0} broadcast(c), dimensions={}\n  ROOT r = u64[4]{0} xor(o, cs)\n}\n";
  };
  CHECK(VerdictOf(text("0"), text("1")).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(text("0"), text("0")).outcome == Outcome::kSameBits);
}

TEST_CASE("a loop that never ends in one module alone is a disagreement") {
  const std::string ends = Loop("compare(i, n), direction=LT");
  // Never: i is not negative for 2^31 rounds.
  const std::string endless = Loop("compare(i, zero), direction=GE");
  CheckOptions options;
  options.runner.max_steps = 1 << 16;
  for (Engine engine : {Engine::kFast, Engine::kReference}) {
    options.runner.engine = engine;
    const Verdict v = VerdictOf(ends, endless, options);
    CHECK(v.outcome == Outcome::kDisagree);
    CHECK(v.reason ==
          "after does not end where before does: it has not within 65536 steps, and before has within 1024");
    const auto before = Parse(endless), after = Parse(endless);
    const auto both = Check(*before, *after, {}, options);
    REQUIRE_FALSE(both.ok());
    CHECK(both.status().code() == StatusCode::kDeadlineExceeded);
  }
}

TEST_CASE("a loop that never ends is followed for a multiple of the steps of the other, not to the limit") {
  // By the reference, the 2^28 steps of the limit take minutes. No proof or step shows the difference first.
  CheckOptions options;
  options.runner.engine = Engine::kReference;
  options.proofs = Proofs::kNone;
  const Verdict v = VerdictOf(Loop("compare(i, n), direction=LT"), Loop("compare(i, zero), direction=GE"), options);
  CHECK(v.outcome == Outcome::kDisagree);
  CHECK(v.reason ==
        "after does not end where before does: it has not within 1048576 steps, and before has within 1024");
}

TEST_CASE("a module may take a multiple of the steps of the other, of which a compiler may make loops") {
  const auto plain = Parse(Loop("compare(i, n), direction=LT"));
  check::Context context;
  context.options.runner.max_steps = int64_t{1} << 30;
  CHECK(context.MostSteps() == context.options.runner.max_steps);  // nothing is known
  context.first = plain.get();
  CHECK(context.MostSteps() == int64_t{1} << 20);
  context.first_steps = int64_t{1} << 18;
  CHECK(context.MostSteps() >= int64_t{1} << 24);
  CHECK(context.MostSteps() < int64_t{1} << 25);
  context.first_steps = int64_t{1} << 28;
  CHECK(context.MostSteps() == context.options.runner.max_steps);
  const StatusOr<check::Results> ended{check::Results()}, late = DeadlineExceeded("");
  CHECK_FALSE(context.EndsAlone(ended, late));  // it may still be right
  // A loop over 10,000 updates, each a slice, an update and more.
  const auto scatter = Parse(
      "HloModule m\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\nENTRY e {\n"
      " x = f32[64] parameter(0)\n i = s32[10000] parameter(1)\n u = f32[10000] parameter(2)\n ROOT s = f32[64] "
      "scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=add }\n");
  context.first = scatter.get(), context.first_steps = int64_t{1} << 10;
  CHECK(context.MostSteps() > int64_t{64} * 10000 * 1000);
  CHECK(context.EndsAlone(ended, late));
  CHECK_FALSE(context.EndsAlone(late, late));
  CHECK_FALSE(context.EndsAlone(ended, ended));
}

TEST_CASE("the first module's results find the steps that it takes, but not those of a run that does not end") {
  const auto module = Parse(Loop("compare(i, n), direction=LT"));
  check::Context context;
  context.first = module.get();
  context.options.runner.max_steps = 1 << 22;
  for (const int32_t turns : {100, 100000, 2000000000, 100}) {
    Literal n(Shape::Scalar(PrimitiveType::S32));
    n.SetFromInt64(0, turns);
    InputSet set;
    set.devices.emplace_back();
    set.devices[0].push_back(std::move(n));
    context.inputs.push_back(std::move(set));
  }
  check::ModuleUnderTest runs(*module, context);
  CHECK(runs.Result(0).ok());
  CHECK(context.first_steps == 1 << 10);
  CHECK(runs.Result(1).ok());
  const int64_t most = context.first_steps;
  CHECK(most >= 100000);
  CHECK(runs.Result(2).status().code() == StatusCode::kDeadlineExceeded);
  CHECK(runs.Result(3).ok());
  CHECK(context.first_steps == most);
}

TEST_CASE("runs in double-double share a limit of work if the module loops") {
  const auto module = Parse(
      "HloModule m\nbody { t = (s32[], f64[4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n x = f64[4] "
      "get-tuple-element(t), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n y = f64[4] add(x, x)\n ROOT "
      "r = (s32[], f64[4]) tuple(j, y) }\non { t = (s32[], f64[4]) parameter(0)\n i = s32[] get-tuple-element(t), "
      "index=0\n n = s32[] constant(50)\n ROOT c = pred[] compare(i, n), direction=LT }\nENTRY e { x = f64[4] "
      "parameter(0)\n z = s32[] constant(0)\n t = (s32[], f64[4]) tuple(z, x)\n w = (s32[], f64[4]) while(t), "
      "condition=on, body=body\n ROOT g = f64[4] get-tuple-element(w), index=1 }\n");
  check::Context context;
  context.pairs_work = 20000;
  for (int k = 0; k < 3; ++k) context.inputs.push_back({.devices = {*MakeFakeInputs(*module, 0)}});
  check::ModuleUnderTest runs(*module, context);
  runs.set_pairs(true);
  CHECK(runs.Ideal(0, true).ok());
  CHECK(context.pairs_work < 20000);
  CHECK(context.pairs_work > 0);
  CHECK(runs.Ideal(1, true).status().code() == StatusCode::kResourceExhausted);
  runs.set_pairs(false);
  CHECK(runs.Ideal(2, true).ok());
}

TEST_CASE("modules that communicate are checked on all their devices") {
  const auto text = [](const std::string& groups, const std::string& op) {
    return "HloModule m, num_partitions=4\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = "
           "f32[] " +
           op +
           "(a, b)\n}\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} all-reduce(x), replica_groups=" +
           groups + ", use_global_device_ids=true, channel_id=1, to_apply=add\n}\n";
  };
  const std::string all = text("{{0,1,2,3}}", "add");
  const Verdict same = VerdictOf(all, all);
  CHECK(same.outcome == Outcome::kSameBits);
  CHECK(same.devices == 4);
  CHECK(same.engines.size() == 2);
  CHECK(same.notes.empty());
  const Verdict groups = VerdictOf(all, text("{{0,1},{2,3}}", "add"));
  CHECK(groups.outcome == Outcome::kDisagree);
  CHECK(groups.reason.starts_with("device0.out0"));
  CHECK(VerdictOf(all, text("{{0,1,2,3}}", "maximum")).outcome == Outcome::kDisagree);
  // Devices get inputs of their own: else the maximum would be that of one.
  CHECK(VerdictOf(text("{{0,1,2,3}}", "maximum"), text("{{0,1},{2,3}}", "maximum")).outcome == Outcome::kDisagree);
}

TEST_CASE("an unpartitioned module against a partitioned one is refused where no text says how it is sharded") {
  const auto whole = Parse("HloModule m\nENTRY e {\n  x = f32[8]{0} parameter(0)\n  ROOT r = f32[8]{0} negate(x)\n}\n");
  const auto part = Parse(
      "HloModule m, num_partitions=2\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} negate(x)\n}\n");
  const auto verdict = Check(*whole, *part);
  REQUIRE_FALSE(verdict.ok());
  CHECK(verdict.status().code() == StatusCode::kInvalidArgument);
  CHECK(verdict.status().message() ==
        "parameter 0 is f32[4] on a device and f32[8] in the whole program, and has no sharding in either module");
}

TEST_CASE("the other engine is not asked for more than its work") {
  CheckOptions options;
  options.other_engine_work = 7;
  const Verdict v =
      VerdictOf(Unary("  ROOT y = f32[8]{0} negate(x)"), Unary("  ROOT y = f32[8]{0} negate(x)"), options);
  CHECK(v.agrees());
  CHECK(v.engines.size() == 1);
  REQUIRE(v.notes.size() == 1);
  CHECK(v.notes[0] == "the other engine was not run: the reference needs more than 7 operations");
  // Loops are counted while they run.
  options.other_engine_work = 50;
  const std::string loop = Loop("compare(i, n), direction=LT");
  const Verdict looping = VerdictOf(loop, loop, options, {Given({Literal::Scalar(PrimitiveType::S32, 1000)})});
  CHECK(looping.agrees());
  CHECK(looping.notes.size() == 1);
}

TEST_CASE("exact rewrites may change no bit, others may round") {
  const std::string one = Unary("  ROOT y = f32[8]{0} tanh(x)");
  const std::string other = Unary(
      "  c = f32[] constant(3)\n  cs = f32[8]{0} broadcast(c), dimensions={}\n  t = f32[8]{0} tanh(x)\n"
      "  m = f32[8]{0} multiply(t, cs)\n  ROOT y = f32[8]{0} divide(m, cs)");
  CHECK(VerdictOf(one, other).outcome == Outcome::kAgree);
  CheckOptions options;
  options.exact = true;
  const Verdict exact = VerdictOf(one, other, options);
  CHECK(exact.outcome == Outcome::kDisagree);
  CHECK(exact.reason.starts_with("an exact rewrite changed bits: out0"));
}

TEST_CASE("in exact mode an overflow is a difference, else it is said where nothing overflows") {
  const std::string twice = Unary(
      "  c = f32[] constant(2)\n  cs = f32[8]{0} broadcast(c), dimensions={}\n  m = f32[8]{0} multiply(x, cs)\n"
      "  ROOT y = f32[8]{0} divide(m, cs)");
  const std::string copy = Unary("  ROOT y = f32[8]{0} copy(x)");
  const Verdict plain = VerdictOf(twice, copy);
  CHECK(plain.agrees());
  CHECK(plain.answer == Answer::kProvedReals);
  CHECK(plain.Headline() == "agree where nothing overflows");
  REQUIRE(plain.finite_only.size() == 1);
  CHECK(plain.finite_only[0].starts_with("out0["));
  for (const Engine engine : {Engine::kFast, Engine::kReference}) {
    CheckOptions options;
    options.exact = true;
    options.runner.engine = engine;
    const Verdict exact = VerdictOf(twice, copy, options);
    CHECK(exact.outcome == Outcome::kDisagree);
    CHECK(exact.answer == Answer::kDifferent);
  }
}

namespace {

// Two ways to compute the variance of 64 numbers.
std::string Variance(const std::string& result) {
  return "HloModule v\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n"
         "ENTRY e {\n  x = f32[64] parameter(0)\n  z = f32[] constant(0)\n  n = f32[] constant(64)\n"
         "  s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n  m = f32[] divide(s, n)\n" +
         result + "}\n";
}
const char* const kTwoPasses =
    "  ms = f32[64] broadcast(m), dimensions={}\n  d = f32[64] subtract(x, ms)\n  q = f32[64] multiply(d, d)\n"
    "  t = f32[] reduce(q, z), dimensions={0}, to_apply=add\n  ROOT v = f32[] divide(t, n)\n";
const char* const kOnePass =
    "  q = f32[64] multiply(x, x)\n  t = f32[] reduce(q, z), dimensions={0}, to_apply=add\n"
    "  u = f32[] divide(t, n)\n  w = f32[] multiply(m, m)\n  ROOT v = f32[] subtract(u, w)\n";

}  // namespace

TEST_CASE("a formula that loses digits is less accurate, on given inputs and on made-up ones") {
  Literal x(Shape::Array(PrimitiveType::F32, {64}));
  for (int64_t i = 0; i < 64; ++i) x.SetFromDouble(i, 5000 + std::sin(static_cast<double>(i)));
  const Verdict given = VerdictOf(Variance(kTwoPasses), Variance(kOnePass), {}, {Given({x})});
  INFO(given.ToString());
  CHECK(given.outcome == Outcome::kLessAccurate);
  CHECK(given.answer == Answer::kLessAccurate);
  REQUIRE(given.outputs.size() == 1);
  CHECK(given.outputs[0].answer == Answer::kLessAccurate);
  CHECK(given.reason.find("decimal digits are correct") != std::string::npos);
  CHECK(VerdictOf(Variance(kTwoPasses), Variance(kOnePass)).outcome == Outcome::kLessAccurate);
  // The other way round nothing is lost; but rounding errors alone decide the first result, so that it tells nothing
  // without a proof. A sum in another order loses no more.
  CHECK(VerdictOf(Variance(kOnePass), Variance(kTwoPasses), {}, {Given({x})}).answer == Answer::kProvedReals);
  CheckOptions by_runs;
  by_runs.proofs = Proofs::kNone;
  CHECK(VerdictOf(Variance(kOnePass), Variance(kTwoPasses), by_runs, {Given({x})}).answer == Answer::kNotJudged);
  const char* const by_halves =
      "  ms = f32[64] broadcast(m), dimensions={}\n  d = f32[64] subtract(x, ms)\n  q = f32[64] multiply(d, d)\n"
      "  h = f32[8,8] reshape(q)\n  p = f32[8] reduce(h, z), dimensions={1}, to_apply=add\n"
      "  t = f32[] reduce(p, z), dimensions={0}, to_apply=add\n  i = f32[] constant(0.015625)\n"
      "  ROOT v = f32[] multiply(t, i)\n";
  CHECK(VerdictOf(Variance(kTwoPasses), Variance(by_halves), {}, {Given({x})}).agrees());

  const auto log = [](const std::string& type, const std::string& body) {
    return "HloModule l\nENTRY e {\n  a = " + type + "[8] parameter(0)\n" + body + "}\n";
  };
  for (const PrimitiveType type : {PrimitiveType::F32, PrimitiveType::F64}) {
    const std::string name = type == PrimitiveType::F32 ? "f32" : "f64";
    // As wide arithmetic of f32 is f64, log(1 + 1e-20) is 0 there, too, and so another function.
    const double smallest = type == PrimitiveType::F32 ? 1e-6 : 1e-20;
    Literal small(Shape::Array(type, {8}));
    for (int64_t i = 0; i < 8; ++i) small.SetFromDouble(i, static_cast<double>(i + 1) * smallest);
    const std::string one_plus = log(name, "  o = " + name + "[] constant(1)\n  os = " + name +
                                               "[8] broadcast(o), dimensions={}\n  x = " + name +
                                               "[8] add(a, os)\n  ROOT r = " + name + "[8] log(x)\n");
    const std::string exact = log(name, "  ROOT r = " + name + "[8] log-plus-one(a)\n");
    CHECK(VerdictOf(exact, one_plus, {}, {Given({small})}).outcome == Outcome::kLessAccurate);
    CHECK(VerdictOf(one_plus, exact, {}, {Given({small})}).agrees());
  }
}

TEST_CASE("a rounding by an instruction of its own may not be left out, excess precision may") {
  const auto module = [](const std::string& body) { return Unary(body); };
  const std::string copy = module("  ROOT r = f32[8]{0} copy(x)");
  CHECK(VerdictOf(module("  ROOT r = f32[8]{0} reduce-precision(x), exponent_bits=5, mantissa_bits=3"), copy).outcome ==
        Outcome::kLessAccurate);
  CHECK(VerdictOf(module("  n = bf16[8]{0} convert(x)\n  ROOT r = f32[8]{0} convert(n)"), copy).outcome ==
        Outcome::kLessAccurate);
  const auto integers = [](const std::string& body) {
    return "HloModule i\nENTRY e {\n  x = s32[8]{0} parameter(0)\n" + body + "}\n";
  };
  const std::string through_f32 = integers("  f = f32[8]{0} convert(x)\n  ROOT r = s32[8]{0} convert(f)\n"),
                    same = integers("  ROOT r = s32[8]{0} copy(x)\n");
  CHECK(VerdictOf(through_f32, same).outcome == Outcome::kLessAccurate);
  CHECK(VerdictOf(through_f32, same, {}, {Given({S32({16777217, 99999999, 1, 2, 3, 4, 5, 6})})}).outcome ==
        Outcome::kLessAccurate);
  // No element of these is rounded.
  CHECK(VerdictOf(through_f32, same, {}, {Given({S32({1, 2, 3, 4, 5, 6, 7, 8})})}).agrees());
  // Arithmetic of bf16 that is done in f32.
  const auto chain = [](const std::string& body) {
    return "HloModule b\nENTRY e {\n  x = bf16[8]{0} parameter(0)\n" + body + "}\n";
  };
  CHECK(
      VerdictOf(chain("  m = bf16[8]{0} multiply(x, x)\n  a = bf16[8]{0} add(m, x)\n  ROOT r = f32[8]{0} convert(a)\n"),
                chain("  w = f32[8]{0} convert(x)\n  m = f32[8]{0} multiply(w, w)\n  ROOT r = f32[8]{0} add(m, w)\n"))
          .agrees());
}

TEST_CASE("the limit of memory is none of steps, whatever the values are called") {
  const std::string small = "HloModule a\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] add(p, p)\n}\n";
  const auto large = [](const std::string& name) {
    return "HloModule b\nf {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT m = f32[] maximum(x, y)\n}\n"
           "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
           "  d = f32[] parameter(3)\n  ROOT l = pred[] compare(a, b), direction=LT\n}\n"
           "ENTRY e {\n  p = f32[] parameter(0)\n  " +
           name +
           " = f32[400000,400000] broadcast(p), dimensions={}\n  s = (f32[400000,400000], f32[400000,400000]) sort(" +
           name + ", " + name +
           "), dimensions={0}, to_apply=less\n  g = f32[400000,400000] get-tuple-element(s), index=0\n"
           "  q = f32[] reduce(g, p), dimensions={0,1}, to_apply=f\n  ROOT r = f32[] add(q, p)\n}\n";
  };
  for (const char* name : {"steps", "stack"}) {
    const auto before = Parse(small), after = Parse(large(name));
    const auto verdict = Check(*before, *after);
    REQUIRE_FALSE(verdict.ok());
    CHECK(verdict.status().code() == StatusCode::kResourceExhausted);
  }
}

TEST_CASE("what one module gives is computed once, however many it is compared with") {
  int runs = 0;
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.engine = [&](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    ++runs;
    return EngineWithABug("")(module, arguments);
  };
  const auto before = Parse(Unary("  ROOT y = f32[8]{0} negate(x)")), after = before->Clone(), third = before->Clone();
  Checker checker(*before, {}, options);
  REQUIRE(checker.Check(*after).ok());
  // Of more sets only the meaning is compared, which is not for this engine to say.
  const int sets = runs / 2;
  CHECK(sets >= 7);
  CHECK(sets < static_cast<int>(checker.inputs().size()));
  CHECK(runs == 2 * sets);
  REQUIRE(checker.Check(*third).ok());
  CHECK(runs == 3 * sets);
  checker.Advance();
  REQUIRE(checker.Check(*after).ok());
  CHECK(runs == 4 * sets);
}

TEST_CASE("stored results may be apart as far as the module magnifies rounding, and no further") {
  // 1000 * sin(n) - 1000 * sin(n + 0.001): few digits are left, and no float is given that could be moved.
  const std::string text =
      "HloModule m\nENTRY e {\n  n = s32[4]{0} parameter(0)\n  x = f32[4]{0} convert(n)\n  k = f32[] constant(1000)\n"
      "  ks = f32[4]{0} broadcast(k), dimensions={}\n  d = f32[] constant(0.001)\n"
      "  ds = f32[4]{0} broadcast(d), dimensions={}\n  y = f32[4]{0} add(x, ds)\n  s = f32[4]{0} sine(x)\n"
      "  t = f32[4]{0} sine(y)\n  a = f32[4]{0} multiply(ks, s)\n  b = f32[4]{0} multiply(ks, t)\n"
      "  ROOT r = f32[4]{0} subtract(a, b)\n}\n";
  const auto module = Parse(text);
  const std::vector<InputSet> inputs = {Given({S32({1, 2, 3, 4})})};
  const Literal* arguments[] = {&inputs[0].devices[0][0]};
  const auto result = MakeReferenceEvaluator()->EvaluateComputation(*module->entry_computation(), arguments);
  REQUIRE(result.ok());
  const auto verdict_with = [&](double off) {
    Literal stored = *result;
    stored.SetFromDouble(0, stored.GetAsDouble(0) * (1 + off));
    CheckOptions options;
    options.stored = {stored};
    return VerdictOf(text, text, options, inputs).outcome;
  };
  CHECK(verdict_with(0) == Outcome::kSameBits);
  CHECK(verdict_with(1e-4) == Outcome::kSameBits);  // a unit in the last place of 1000 * sin(n)
  CHECK(verdict_with(0.1) == Outcome::kNotAsStored);
}

TEST_CASE("long sums of equal products may be apart as far as they round the same way each time, and no further") {
  const auto verdict_with = [](int64_t terms, double off) {
    const std::string dims = "f32[" + std::to_string(terms) + "]";
    const std::string text = "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  xs = " + dims +
                             " broadcast(x), dimensions={}\n  k = f32[] constant(1e+30)\n  ks = " + dims +
                             " broadcast(k), dimensions={}\n  ROOT r = f32[] dot(xs, ks), lhs_contracting_dims={0}, "
                             "rhs_contracting_dims={0}\n}\n";
    CheckOptions options;
    options.runner.engine = Engine::kReference;  // which adds up in f64, so that nothing of this is seen in it
    options.stored = {Literal::Scalar(PrimitiveType::F32, static_cast<double>(terms) * 1e30 * (1 + off))};
    return VerdictOf(text, text, options, {Given({Literal::Scalar(PrimitiveType::F32, 1)})}).outcome;
  };
  CHECK(verdict_with(237, 2.5e-6) == Outcome::kSameBits);
  CHECK(verdict_with(237, 1e-4) == Outcome::kNotAsStored);
}

TEST_CASE("a mean of equal elements may be off as far as its sum rounds the same way each time, and no further") {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  xs = f32[288,2] broadcast(x), dimensions={}\n"
      "  y = f32[2] parameter(1)\n  b = (f32[288,2], f32[2], f32[2]) batch-norm-training(xs, y, y), epsilon=0.5, "
      "feature_index=1\n  ROOT m = f32[2] get-tuple-element(b), index=1\n}\n";
  const auto verdict_with = [&](double off) {
    CheckOptions options;
    options.runner.engine = Engine::kReference;
    Literal stored(Shape::Array(PrimitiveType::F32, {2}));
    for (int64_t k = 0; k < 2; ++k) stored.SetFromDouble(k, 0.6 * (1 + off));
    options.stored = {std::move(stored)};
    Literal y(Shape::Array(PrimitiveType::F32, {2}));
    return VerdictOf(text, text, options, {Given({Literal::Scalar(PrimitiveType::F32, 0.6), std::move(y)})}).outcome;
  };
  CHECK(verdict_with(4e-6) == Outcome::kSameBits);
  CHECK(verdict_with(4e-5) == Outcome::kNotAsStored);
}

TEST_CASE("what complex numbers and normalized batches round is known too") {
  const auto outcome = [](const std::string& text, InputSet inputs, int64_t element, double by) {
    const auto module = Parse(text);
    const Literal* arguments[] = {&inputs.devices[0][0]};
    auto stored = MakeReferenceEvaluator()->EvaluateComputation(*module->entry_computation(), arguments);
    REQUIRE(stored.ok());
    if (IsFloat(stored->shape().element_type())) stored->SetFromDouble(element, stored->GetAsDouble(element) + by);
    else stored->SetFromInt64(element, stored->GetAsInt64(element) + static_cast<int64_t>(by));
    CheckOptions options;
    options.stored = {*stored};
    return VerdictOf(text, text, options, {std::move(inputs)}).outcome;
  };
  // re² - im², of parts that are nearly equal.
  const std::string real =
      "HloModule m\nENTRY e {\n  z = c64[] parameter(0)\n  y = c64[] multiply(z, z)\n  ROOT r = f32[] real(y)\n}\n";
  Literal z(Shape::Scalar(PrimitiveType::C64));
  z.data<std::complex<float>>()[0] = {1.001f, 1};
  CHECK(outcome(real, Given({z}), 0, 1e-7) == Outcome::kSameBits);
  CHECK(outcome(real, Given({z}), 0, 1e-4) == Outcome::kNotAsStored);
  // The bits of numbers that were never given as floats.
  const std::string bits =
      "HloModule m\nENTRY e {\n  n = s32[8,1]{1,0} parameter(0)\n  x = f32[8,1]{1,0} convert(n)\n  k = f32[1]{0} "
      "constant({-1})\n  b = (f32[8,1]{1,0}, f32[1]{0}, f32[1]{0}) batch-norm-training(x, k, k), epsilon=0.5, "
      "feature_index=1\n  y = f32[8,1]{1,0} get-tuple-element(b), index=0\n  ROOT r = u32[8,1]{1,0} "
      "bitcast-convert(y)\n}\n";
  Literal n(Shape::Array(PrimitiveType::S32, {8, 1}));
  for (int64_t i = 0; i < 8; ++i) n.SetFromInt64(i, i * i);
  CHECK(outcome(bits, Given({n}), 3, 4) == Outcome::kSameBits);
  CHECK(outcome(bits, Given({n}), 3, 4000) == Outcome::kNotAsStored);
  // A variance beside which the mean is large. Its first step is a difference of what has been rounded.
  const std::string variance =
      "HloModule m\nENTRY e {\n  n = s32[8,1]{1,0} parameter(0)\n  x = f32[8,1]{1,0} convert(n)\n  k = f32[1]{0} "
      "constant({-1})\n  b = (f32[8,1]{1,0}, f32[1]{0}, f32[1]{0}) batch-norm-training(x, k, k), epsilon=0.5, "
      "feature_index=1\n  ROOT v = f32[1]{0} get-tuple-element(b), index=2\n}\n";
  for (int64_t i = 0; i < 8; ++i) n.SetFromInt64(i, 1000000 + i);
  CHECK(outcome(variance, Given({n}), 0, 0.25) == Outcome::kSameBits);
  CHECK(outcome(variance, Given({n}), 0, 25) == Outcome::kNotAsStored);
}

TEST_CASE("stored results of bf16 may have been computed with more digits") {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = bf16[4]{0} parameter(0)\n  k = bf16[] constant(100)\n"
      "  ks = bf16[4]{0} broadcast(k), dimensions={}\n  a = bf16[4]{0} add(x, ks)\n"
      "  ROOT r = bf16[4]{0} subtract(a, ks)\n}\n";
  Literal x(Shape::Array(PrimitiveType::BF16, {4}));
  for (int64_t i = 0; i < 4; ++i) x.SetFromDouble(i, 0.3 * static_cast<double>(i + 1));
  CheckOptions options;
  options.stored = {x};  // with more digits inside, x + 100 - 100 is x
  CHECK(VerdictOf(text, text, options, {Given({x})}).outcome == Outcome::kSameBits);
  x.SetFromDouble(0, 40);
  CHECK(VerdictOf(text, text, options, {Given({x})}).outcome == Outcome::kNotAsStored);
}

// As the dot instructions of some processors do.
TEST_CASE("factors of bf16 that are denormals may count as zeros, nothing else may") {
  const std::string text = R"(HloModule m
ENTRY e {
  n = s16[2] parameter(0)
  x = bf16[2] bitcast-convert(n)
  y = bf16[2] constant({512, 3})
  ROOT d = bf16[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
})";
  // An engine to which bf16 numbers with bits up to `last` are zeros; the smallest normal number has 0x80.
  const auto outcome = [&](int16_t last) {
    CheckOptions options;
    options.proofs = Proofs::kNone;
    options.engine = [last](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
      Literal n = *arguments[0][0];
      for (int16_t& bits : n.data<int16_t>()) bits = bits <= last ? int16_t{0} : bits;
      const std::vector<const Literal*> flushed = {&n};
      return EngineWithABug("")(module, std::span(&flushed, 1));
    };
    Literal n(Shape::Array(PrimitiveType::S16, {2}));
    n.data<int16_t>()[0] = 0x40;
    n.data<int16_t>()[1] = 0x80;
    return VerdictOf(text, text, options, {Given({std::move(n)})}).outcome;
  };
  CHECK(outcome(0) == Outcome::kSameBits);
  CHECK(outcome(0x7f) == Outcome::kSameBits);
  CHECK(outcome(0x80) == Outcome::kEnginesDisagree);
}

TEST_CASE("a product that flushes denormals beside a multiplication that does not is no difference") {
  const auto module = [](const std::string& product) {
    return "HloModule m\nENTRY e {\n  n = s16[2] parameter(0)\n  x = bf16[2] bitcast-convert(n)\n  y = bf16[] "
           "parameter(1)\n" +
           product + "  ROOT q = bf16[2] divide(x, p)\n}\n";
  };
  const std::string dot = module("  p = bf16[2] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={}\n");
  const std::string multiplied = module("  b = bf16[2] broadcast(y), dimensions={}\n  p = bf16[2] multiply(x, b)\n");
  // An engine to which the dot's denormal product is a zero, and which may be wrong beside it.
  const auto outcome = [&](double other) {
    const auto before = Parse(dot), after = Parse(multiplied);
    CheckOptions options;
    options.proofs = Proofs::kNone;
    options.engine = [other](const HloModule& m, std::span<const std::vector<const Literal*>> arguments) {
      auto results = EngineWithABug("")(m, arguments);
      const bool flushes = m.entry_computation()->root()->operand(1)->opcode() == HloOpcode::kDot;
      if (results.ok() && flushes) {
        (*results)[0].SetFromDouble(0, std::numeric_limits<double>::infinity());
        (*results)[0].SetFromDouble(1, other * (*results)[0].GetAsDouble(1));
      }
      return results;
    };
    Literal n(Shape::Array(PrimitiveType::S16, {2}));
    n.data<int16_t>()[0] = 0x40;
    n.data<int16_t>()[1] = 0x3f80;
    const Literal y = Literal::Scalar(PrimitiveType::BF16, 3);
    return Check(*before, *after, {Given({n, y})}, options)->outcome;
  };
  CHECK(outcome(1) == Outcome::kAgree);
  CHECK(outcome(1.5) == Outcome::kEnginesDisagree);
}

// The verdict on a module and itself, by an engine whose first element is off by so much.
Outcome OutcomeOfEngineThatIsOff(const std::string& text, const Literal& x, double off) {
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.engine = [off](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    auto results = EngineWithABug("")(module, arguments);
    if (results.ok()) (*results)[0].SetFromDouble(0, (*results)[0].GetAsDouble(0) + off);
    return results;
  };
  return VerdictOf(text, text, options, {Given({x})}).outcome;
}

TEST_CASE("what is left of sums far larger is rounding, by whatever engine") {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = f32[6]{0} parameter(0)\n  two = f32[] constant(2)\n  twos = f32[6]{0} "
      "broadcast(two), dimensions={}\n  ROOT d = f32[] dot(x, twos), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}\n}\n";
  Literal x(Shape::Array(PrimitiveType::F32, {6}));
  const float values[] = {2147483648.0f, 17, -2147483648.0f, 3, 2147483648.0f, -2147483648.0f};
  std::copy(std::begin(values), std::end(values), x.data<float>().begin());
  CHECK(OutcomeOfEngineThatIsOff(text, x, 38) == Outcome::kSameBits);
  CHECK(OutcomeOfEngineThatIsOff(text, x, 38000) == Outcome::kEnginesDisagree);
}

TEST_CASE("an asynchronous op rounds as the op does, by whatever engine") {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  s = ((f32[]), f32[], u32[]) tanh-start(x)\n"
      "  t = f32[] tanh-done(s)\n  ROOT l = f32[] log(t)\n}\n";
  const Literal x = Literal::Scalar(PrimitiveType::F32, 30.0);
  CHECK(OutcomeOfEngineThatIsOff(text, x, -6e-8) == Outcome::kSameBits);  // tanh is one unit short of 1
  CHECK(OutcomeOfEngineThatIsOff(text, x, -6e-5) == Outcome::kEnginesDisagree);
}

TEST_CASE("two modules run by turns until their times tell") {
  std::vector<int> turns;
  // Each run takes as long as the list says, and the last ones as its last.
  const auto measured = [&](std::vector<double> before, std::vector<double> after) {
    turns.clear();
    size_t done[2] = {0, 0};
    const auto times = check::MeasureByTurns([&](int module) -> StatusOr<double> {
      turns.push_back(module);
      const std::vector<double>& list = module == 0 ? before : after;
      return list[std::min(done[module]++, list.size() - 1)];
    });
    REQUIRE(times.ok());
    CHECK(times->before.runs == times->after.runs);
    return *times;
  };
  // The quicker one is to run for 20 ms; the first run of each does not count.
  const check::TimesOfPair thrice = measured({9, 2}, {5, 6});
  CHECK(turns.size() == 2 * 9);
  CHECK(std::vector<int>(turns.begin(), turns.begin() + 6) == std::vector<int>{0, 1, 1, 0, 0, 1});
  CHECK(thrice.before.runs == 8);
  CHECK(thrice.before.median == 2);
  CHECK(thrice.after.low == 6);
  CHECK(thrice.after.high == 6);
  CHECK(thrice.differ);
  measured({1}, {1.5});
  CHECK(turns.size() == 2 * 20);
  CHECK_FALSE(measured({0.001}, {0.001}).differ);
  CHECK(turns.size() == 2 * 50);
  // Too slow for as many runs as could tell them apart.
  const check::TimesOfPair slow = measured({1}, {60});
  CHECK(turns.size() == 2 * 4);
  CHECK_FALSE(slow.differ);
  CHECK(slow.after.median == 60);
  CHECK(measured({1}, {300}).after.runs == 1);
  CHECK_FALSE(check::MeasureByTurns([](int) -> StatusOr<double> { return Internal("no run"); }).ok());
}

TEST_CASE("times are measured where they are asked for") {
  const std::string text = "HloModule m\nENTRY e { ROOT x = f32[4] parameter(0) }\n";
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.timing = true;
  const Verdict verdict = VerdictOf(text, text, options);
  CHECK(verdict.before.runs > 0);
  CHECK(verdict.before.runs == verdict.after.runs);
  options.timing = false;
  CHECK(VerdictOf(text, text, options).before.runs == 0);
}

TEST_CASE("a runner runs on one device or on all") {
  const auto module =
      Parse("HloModule m, num_partitions=2\nENTRY e {\n  i = u32[] partition-id()\n  ROOT r = s32[] convert(i)\n}\n");
  RunnerOptions options;
  options.devices = {1, 2};
  for (const Engine engine : {Engine::kFast, Engine::kReference}) {
    options.engine = engine;
    auto runner = Runner::Prepare(*module, options);
    REQUIRE(runner.ok());
    CHECK((runner->engine() == "reference") == (engine == Engine::kReference));
    const std::vector<const Literal*> none[2];
    const auto results = runner->RunOnAll(none);
    REQUIRE(results.ok());
    REQUIRE(results->size() == 2);
    CHECK((*results)[1].GetAsInt64(0) == 1);
    CHECK(runner->Run({}).status().code() == StatusCode::kInvalidArgument);
  }
}
