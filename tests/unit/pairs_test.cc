// Double-double against known digits and identities, and modules evaluated in it.
#include "backend_cpu/wide/double_double.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "check/widen.h"
#include "wide/evaluate_pairs.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;
using reference::DoubleDouble;

namespace {

// How far `a` is from `b`, in parts of b.
double Apart(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble difference = a - b;
  return std::abs(difference.hi) / std::abs(b.hi);
}

std::string Module(const std::string& body) {
  return "HloModule m\nadd { a = f64[] parameter(0) b = f64[] parameter(1) ROOT c = f64[] add(a, b) }\nENTRY e {\n"
         "  x = f64[64]{0} parameter(0)\n  y = f64[64]{0} parameter(1)\n" +
         body + "\n}\n";
}

Verdict VerdictOf(const std::string& a, const std::string& b) {
  const auto before = Parse(a), after = Parse(b);
  CheckOptions options;
  options.proofs = Proofs::kNone;
  const auto verdict = Check(*before, *after, {}, options);
  INFO(verdict.status().message());
  REQUIRE(verdict.ok());
  return *verdict;
}

}  // namespace

TEST_CASE("double-double functions are exact to 2^-90") {
  using namespace reference;
  // The first 106 bits of each, as two doubles.
  const DoubleDouble pi(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53), ln2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56),
      e(0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53);
  CHECK(Apart(Exp(1.0), e) < 0x1p-100);
  CHECK(Apart(Log(2.0), ln2) < 0x1p-100);
  CHECK(Apart(Atan2(1.0, -1.0), pi * 0.75) < 0x1p-100);
  CHECK(Apart(Acos(-1.0), pi) < 0x1p-100);
  CHECK(Apart(Sin(pi / 6.0), 0.5) < 0x1p-100);
  CHECK(Apart(Erf(0.5), DoubleDouble(0x1.0a7ef5c18edd2p-1, 0x1.5e809f1a31a28p-56)) < 0x1p-90);
  // Exact where the result is a double.
  CHECK(Power(4.0, 0.5) == DoubleDouble(2));
  // At the ends of the range.
  CHECK(Apart(DoubleDouble(0x1.8p+1023) / 3.0 * 3.0, 0x1.8p+1023) < 0x1p-100);
  CHECK(Apart(DoubleDouble(0x1p-950) / 3.0 * 3.0, 0x1p-950) < 0x1p-90);
  CHECK(Cbrt(-27.0) == DoubleDouble(-3));
  CHECK((Exp(0.0) == DoubleDouble(1) && Log(1.0).hi == 0 && Sqrt(9.0) == DoubleDouble(3)));
  // Functions and their inverses, from tiny to large, both signs where there are.
  const DoubleDouble third = DoubleDouble(1) / 3.0;
  struct Inverses {
    const char* name;
    std::function<DoubleDouble(DoubleDouble)> f, inverse;
    std::vector<double> at;
  };
  const std::vector<Inverses> all = {
      {"log exp", Log, Exp, {-600, -30, -1, 1, 30, 600}},
      {"expm1 log1p", Expm1, Log1p, {-0.9, -0.5, -1e-9, 1e-9, 0.3, 2, 1e9}},
      {"sin asin", Sin, Asin, {-0.99, -0.5, -1e-8, 1e-8, 0.5, 0.9}},
      {"cos acos", Cos, Acos, {-0.9, 0.1, 0.9}},
      {"tan atan", Tan, [](DoubleDouble x) { return Atan2(x, 1.0); }, {-100, -1, -1e-8, 1e-8, 0.3, 3}},
      {"sinh asinh", Sinh, Asinh, {-1e9, -3, -1e-8, 1e-8, 0.4, 5, 1e12}},
      {"cosh acosh", Cosh, Acosh, {1.5, 4, 1e9}},
      {"tanh atanh", Tanh, Atanh, {-0.9, -1e-8, 1e-8, 0.5}},
      {"cbrt", Cbrt, [](DoubleDouble x) { return x * x * x; }, {-1e9, -2, 1e-9, 0.3, 7}},
      {"rsqrt", Rsqrt, [](DoubleDouble x) { return DoubleDouble(1) / (x * x); }, {1e-9, 0.3, 7, 1e9}},
      {"logistic", Logistic, [](DoubleDouble p) { return Log(p / (DoubleDouble(1) - p)); }, {1e-9, 0.25, 0.9}},
  };
  for (const Inverses& pair : all) {
    for (const double at : pair.at) {
      INFO(pair.name << " at " << at);
      const DoubleDouble x = third * at * 2.5;
      if ((pair.name == std::string("sin asin") || pair.name == std::string("cos acos") ||
           pair.name == std::string("tanh atanh") || pair.name == std::string("logistic")) &&
          std::abs(x.hi) >= 1)
        continue;
      CHECK(Apart(pair.f(pair.inverse(x)), x) < 0x1p-85);
    }
  }
  // Rounded once, not twice: 1 + 2^-24 + 2^-80 is above the tie between two floats, 1 + 2^-24 - 2^-80 below.
  CHECK(static_cast<float>(RoundToOdd({1 + 0x1p-24, 0x1p-80})) == 1 + 0x1p-23f);
  CHECK(static_cast<float>(RoundToOdd({1 + 0x1p-24, -0x1p-80})) == 1.0f);
  CHECK(RoundEven({2.5, 0x1p-60}) == DoubleDouble(3));
  CHECK(Floor({3.0, -0x1p-60}) == DoubleDouble(2));
}

TEST_CASE("double-double functions of large arguments") {
  using namespace reference;
  const DoubleDouble ln2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  // Digits by decimal arithmetic of 120 places.
  CHECK(Apart(Sin(0x1p49), DoubleDouble(0x1.06f98b1c26e7ap-2, -0x1.1393a022a4085p-56)) < 0x1p-90);
  CHECK(Apart(Sin(1e15), DoubleDouble(0x1.b76f88136cebap-1, -0x1.b5acbdcf56c2ap-56)) < 0x1p-90);
  CHECK(Apart(Sinh(50.0), Exp(50.0) * 0.5) < 0x1p-90);
  CHECK(Apart(Sinh(-50.0), Exp(50.0) * -0.5) < 0x1p-90);
  CHECK(Apart(Acosh(0x1p600), ln2 * 601.0) < 0x1p-90);
  CHECK(Apart(Asinh(-0x1p600), ln2 * -601.0) < 0x1p-90);
}

TEST_CASE("a double-double remainder is less than its divisor, and differs by whole multiples") {
  using namespace reference;
  for (int n = 1; n <= 200; ++n) {
    for (int d = 3; d <= 17; d += 2) {
      INFO(n << " times 1/" << d);
      const DoubleDouble by = DoubleDouble(1) / static_cast<double>(d), product = by * static_cast<double>(n);
      // The quotients of these are rounded to n, up and down.
      for (const double beside : {0.0, 0x1p-100, -0x1p-100, 0x1p-102, -0x1p-102, 0x1p-104, -0x1p-104}) {
        const DoubleDouble x = product + beside;
        const DoubleDouble rest = Remainder(x, by);
        CHECK((rest >= DoubleDouble(0) && rest < by));
        // From there to the multiples on both sides, one of which is x itself.
        const DoubleDouble above = product - x + rest, below = above - by;
        CHECK(std::min(std::abs(above.hi), std::abs(below.hi)) < 0x1p-96);
        CHECK(Remainder(-x, by) == -rest);
      }
    }
  }
}

TEST_CASE("modules in f64 are compared in double-double") {
  const std::string tail =
      "  s = f64[64]{0} add(x, y)\n  t = f64[64]{0} tanh(s)\n  u = f64[64]{0} multiply(t, y)\n"
      "  z = f64[] constant(0)\n";
  const std::string right = Module(tail + "  ROOT r = f64[] reduce(u, z), dimensions={0}, to_apply=add");
  for (const char* factor : {"1.0000000000009095", "1.0000000000000036", "1.0000000000000002"}) {  // 2^-40, -48, -52
    INFO(factor);
    const Verdict v =
        VerdictOf(right, Module(tail + "  k = f64[] constant(" + factor +
                                ")\n  ks = f64[64]{0} broadcast(k), dimensions={}\n  v = f64[64]{0} multiply(u, ks)\n"
                                "  ROOT r = f64[] reduce(v, z), dimensions={0}, to_apply=add"));
    CHECK(v.outcome == Outcome::kDisagree);
  }
  // The same sum in another order, and by another formula, are the same.
  CHECK(VerdictOf(right, Module(tail + "  w = f64[64]{0} reverse(u), dimensions={0}\n  q = f64[8,8]{1,0} reshape(w)\n"
                                       "  p = f64[8]{0} reduce(q, z), dimensions={0}, to_apply=add\n"
                                       "  ROOT r = f64[] reduce(p, z), dimensions={0}, to_apply=add"))
            .agrees());
  CHECK(VerdictOf(Module("  e = f64[64]{0} exponential(x)\n  f = f64[64]{0} exponential(y)\n"
                         "  ROOT r = f64[64]{0} multiply(e, f)"),
                  Module("  s = f64[64]{0} add(x, y)\n  ROOT r = f64[64]{0} exponential(s)"))
            .agrees());
  // A constant that was folded has been rounded; one unit beside it is wrong.
  const auto scaled = [](const std::string& op, const std::string& constant) {
    return Module("  k = f64[] constant(" + constant +
                  ")\n  ks = f64[64]{0} broadcast(k), dimensions={}\n  ROOT r = " + "f64[64]{0} " + op + "(x, ks)");
  };
  CHECK(VerdictOf(scaled("divide", "3"), scaled("multiply", "0.33333333333333331")).agrees());
  CHECK(VerdictOf(scaled("divide", "3"), scaled("multiply", "0.33333333333333337")).outcome == Outcome::kDisagree);
  // A value with a step in f32 is not compared as f64.
  CHECK(VerdictOf(scaled("multiply", "1.1"),
                  Module("  c = f32[64]{0} convert(x)\n  d = f64[64]{0} convert(c)\n  k = f64[] constant(1.1)\n"
                         "  ks = f64[64]{0} broadcast(k), dimensions={}\n  ROOT r = f64[64]{0} multiply(d, ks)"))
            .outcome == Outcome::kLessAccurate);
}

TEST_CASE("batch norms are compared in double-double, and mean what they are expanded to") {
  const auto text = [](const std::string& last) {
    return "HloModule m\nENTRY e {\n  x = f64[8,3]{1,0} parameter(0)\n  g = f64[8,3]{1,0} parameter(1)\n"
           "  k = f64[3]{0} parameter(2)\n  o = f64[3]{0} parameter(3)\n"
           "  b = (f64[8,3]{1,0}, f64[3]{0}, f64[3]{0}) batch-norm-training(x, k, o), epsilon=0.01, feature_index=1\n"
           "  y = f64[8,3]{1,0} get-tuple-element(b), index=0\n  m = f64[3]{0} get-tuple-element(b), index=1\n"
           "  v = f64[3]{0} get-tuple-element(b), index=2\n"
           "  d = (f64[8,3]{1,0}, f64[3]{0}, f64[3]{0}) batch-norm-grad(x, k, m, v, g), epsilon=0.01, feature_index=1\n"
           "  i = f64[8,3]{1,0} batch-norm-inference(x, k, o, m, v), epsilon=0.01, feature_index=1\n"
           "  dx = f64[8,3]{1,0} get-tuple-element(d), index=0\n  s = f64[8,3]{1,0} add(y, i)\n"
           "  r = f64[8,3]{1,0} add(s, dx)\n" +
           last + "}\n";
  };
  const auto right = Parse(text("  ROOT c = f64[8,3]{1,0} copy(r)\n"));
  const auto expanded = right->Clone();
  auto pipeline = MakePipeline({{"batchnorm-expander"}}, {});
  REQUIRE(pipeline.ok());
  const auto changed = pipeline->RunOnce(*expanded);
  REQUIRE((changed.ok() && *changed));
  const auto verdict = Check(*right, *expanded);
  REQUIRE(verdict.ok());
  INFO(verdict->ToString());
  CHECK(verdict->agrees());
  CHECK(verdict->ToString().find("not compared in double-double") == std::string::npos);
  CHECK(VerdictOf(PrintModule(*right), text("  f = f64[] constant(1.0000000000000009)\n"  // 1 + 2^-50
                                            "  fs = f64[8,3]{1,0} broadcast(f), dimensions={}\n"
                                            "  ROOT c = f64[8,3]{1,0} multiply(r, fs)\n"))
            .outcome == Outcome::kDisagree);
}

TEST_CASE("an engine that computes f64 in a narrower type is found by its results alone") {
  const auto module = Parse(Module("  s = f64[64]{0} add(x, y)\n  ROOT r = f64[64]{0} exponential(s)"));
  CheckOptions options;
  options.proofs = Proofs::kNone;
  options.other_engine_work = 0;
  int calls = 0;
  // Off by 2^-40 in every second module it is given, as a wrong kernel in one shape of a program would be.
  options.engine = [&](const HloModule& m,
                       std::span<const std::vector<const Literal*>> arguments) -> StatusOr<std::vector<Literal>> {
    auto result = MakeReferenceEvaluator()->EvaluateComputation(*m.entry_computation(), arguments[0]);
    if (!result.ok()) return result.status();
    if (&m != module.get())
      for (double& value : result->data<double>()) value *= 1 + 0x1p-40;
    ++calls;
    std::vector<Literal> results;
    results.push_back(std::move(*result));
    return results;
  };
  const auto copy = module->Clone();
  const auto verdict = Check(*module, *copy, {}, options);
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kLessAccurate);
  CHECK(calls > 1);
}

TEST_CASE("pairs go through every kind of op that moves, chooses, converts and adds up") {
  const auto module = Parse(R"(HloModule m
add { a = f64[] parameter(0) b = f64[] parameter(1) ROOT c = f64[] add(a, b) }
less { a = f64[] parameter(0) b = f64[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT, type=TOTALORDER }
ENTRY e {
  x = f64[4]{0} parameter(0)
  k = f64[] constant(3)
  ks = f64[4]{0} broadcast(k), dimensions={}
  t = f64[4]{0} divide(x, ks)
  s = f64[4]{0} sort(t), dimensions={0}, to_apply=less
  d = f64[] dot(s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  n = s64[4]{0} convert(x)
  w = f64[4]{0} convert(n)
  f = f32[4]{0} convert(t)
  g = f64[4]{0} convert(f)
  z = f64[] constant(0)
  v = f64[2]{0} reduce-window(t, z), window={size=2 stride=2}, to_apply=add
  p = pred[4]{0} compare(t, s), direction=LE
  c = f64[4]{0} select(p, t, w)
  ROOT r = (f64[4]{0}, f64[], f64[4]{0}, f64[2]{0}, f64[4]{0}) tuple(s, d, g, v, c)
})");
  const auto ideal = MakeIdealModule(*module, true, nullptr, true);
  REQUIRE(ideal.ok());
  const auto pairs = MakePairModule(*ideal->module);
  REQUIRE(pairs.ok());
  Literal x(Shape::Array(PrimitiveType::F64, {4}));
  for (int64_t i = 0; i < 4; ++i) x.SetFromDouble(i, static_cast<double>(4 - i));
  const Literal* arguments[] = {&x};
  const auto result = EvaluateInPairs(**pairs, arguments, {});
  INFO(result.status().message());
  REQUIRE(result.ok());
  const auto element = [&](size_t leaf, int64_t i) {
    const std::complex<double> z = result->Leaves()[leaf]->GetAsComplex(i);
    return DoubleDouble(z.real(), z.imag());
  };
  const DoubleDouble third = DoubleDouble(1) / 3.0;
  CHECK(element(0, 0) == third);
  CHECK(element(0, 1) == DoubleDouble(2) / 3.0);
  CHECK(Apart(element(1, 0), DoubleDouble(30) / 9.0) < 0x1p-100);
  CHECK(element(2, 3) == DoubleDouble(static_cast<float>(1.0 / 3)));
  CHECK(Apart(element(3, 1), 1.0) < 0x1p-100);
  CHECK(element(4, 0) == DoubleDouble(4));
  CHECK(element(4, 3) == third);
}
