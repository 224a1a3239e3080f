// Comparison of semantics below f32's rounding: wrong modules with small differences, right ones with larger ones.
#include <string>

#include "hloir/check.h"
#include "check/widen.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Verdict VerdictOf(const std::string& a, const std::string& b, const CheckOptions& options = {}) {
  const auto before = Parse(a), after = Parse(b);
  const auto verdict = Check(*before, *after, {}, options);
  INFO(verdict.status().message());
  REQUIRE(verdict.ok());
  return *verdict;
}

std::string Module(const std::string& body) {
  return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
         "  x = f32[64]{0} parameter(0)\n  y = f32[64]{0} parameter(1)\n" +
         body + "\n}\n";
}

const std::string kScaled = "  k = f32[] constant(1.1)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n";

}  // namespace

TEST_CASE("a factor next to 1 is a wrong factor, however next") {
  for (const char* factor : {"1.00390625", "1.00000095", "1.00000024"}) {  // 1 + 2^-8, 2^-20, 2^-22
    INFO(factor);
    const std::string tail = "  s = f32[64]{0} add(x, y)\n  t = f32[64]{0} tanh(s)\n";
    const Verdict v = VerdictOf(Module(tail + "  ROOT r = f32[64]{0} multiply(t, y)"),
                                Module(tail + "  u = f32[64]{0} multiply(t, y)\n  k = f32[] constant(" + factor +
                                       ")\n  ks = f32[64]{0} broadcast(k), dimensions={}\n"
                                       "  ROOT r = f32[64]{0} multiply(u, ks)"));
    CHECK(v.outcome == Outcome::kDisagree);
    CHECK(v.reason.find("out0[") != std::string::npos);
  }
}

TEST_CASE("a constant that is off by one unit is wrong, one that was folded is not") {
  const std::string right = Module(kScaled + "  ROOT r = f32[64]{0} multiply(x, ks)");
  const auto with = [](const std::string& constant) {
    return Module("  k = f32[] constant(" + constant +
                  ")\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  ROOT r = f32[64]{0} multiply(x, ks)");
  };
  CHECK(VerdictOf(right, with("1.10000014")).outcome == Outcome::kDisagree);
  // x / 3 as x * (1/3); and the next number after that.
  const std::string quotient = Module(
      "  k = f32[] constant(3)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  ROOT r = f32[64]{0} divide(x, ks)");
  CHECK(VerdictOf(quotient, with("0.333333343")).agrees());
  CHECK(VerdictOf(quotient, with("0.333333373")).outcome == Outcome::kDisagree);
  // (x / c)^2 as x^2 * k, where k is the rounded square of the rounded reciprocal; and 4 units further.
  const struct {
    const char *type, *c, *folded, *wrong;
  } squares[] = {{"f64", "1e30", "9.999999999999998e-61", "9.999999999999993e-61"},
                 {"f32", "7", "0.020408164709806442", "0.02040817216038704"},
                 {"bf16", "51", "0.0003871917724609375", "0.0003948211669921875"},
                 {"f16", "55", "0.00033092498779296875", "0.000331878662109375"}};
  for (const auto& [type, c, folded, wrong] : squares) {
    INFO(type);
    const auto typed = [type = type](const std::string& constant, const std::string& body) {
      std::string text = "HloModule m\nENTRY e {\n  x = T[64] parameter(0)\n  k = T[] constant(" + constant +
                         ")\n  ks = T[64] broadcast(k), dimensions={}\n" + body + "}\n";
      for (size_t at; (at = text.find("T[")) != std::string::npos;) text.replace(at, 1, type);
      return text;
    };
    const std::string before = typed(c, "  q = T[64] divide(x, ks)\n  ROOT r = T[64] multiply(q, q)\n"),
                      scaled = "  q = T[64] multiply(x, x)\n  ROOT r = T[64] multiply(q, ks)\n";
    CHECK(VerdictOf(before, typed(folded, scaled)).agrees());
    CHECK(VerdictOf(before, typed(wrong, scaled)).outcome == Outcome::kDisagree);
  }
  // A factor that is added is no merged one.
  const auto square = [&](const std::string& factor) {
    return Module(kScaled +
                  "  c = f32[] constant(7)\n  cs = f32[64]{0} broadcast(c), dimensions={}\n"
                  "  q = f32[64]{0} divide(x, cs)\n" +
                  factor + "  ROOT r = f32[64]{0} multiply(p, p)");
  };
  CHECK(VerdictOf(square("  p = f32[64]{0} copy(q)\n"),
                  square("  f = f32[] constant(1.00000024)\n  fs = f32[64]{0} broadcast(f), dimensions={}\n"
                         "  p = f32[64]{0} multiply(q, fs)\n"))
            .outcome == Outcome::kDisagree);
  // Where its bits are the result, a constant may have been rounded up or down.
  const auto bits = [](const std::string& constant, const std::string& op) {
    return Module("  k = f32[] constant(" + constant +
                  ")\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  v = f32[64]{0} " + op +
                  "(x, ks)\n  ROOT r = u32[64]{0} bitcast-convert(v)");
  };
  CHECK(VerdictOf(bits("1e+30", "divide"), bits("1e-30", "multiply")).agrees());
  CHECK(VerdictOf(bits("1e+30", "divide"), bits("1.0000001e-30", "multiply")).outcome == Outcome::kDisagree);
}

TEST_CASE("one wrong small element beside large ones is seen") {
  const std::string body =
      "  l = f32[] constant(1e+06)\n  ls = f32[64]{0} broadcast(l), dimensions={}\n  i = s32[64]{0} iota(), "
      "iota_dimension=0\n  seven = s32[] constant(7)\n  sevens = s32[64]{0} broadcast(seven), dimensions={}\n"
      "  at = pred[64]{0} compare(i, sevens), direction=EQ\n  b = f32[64]{0} select(at, x, ls)\n";
  const Verdict v = VerdictOf(Module(body + "  ROOT r = f32[64]{0} multiply(b, b)"),
                              Module(body + "  n = f32[64]{0} negate(b)\n  c = f32[64]{0} select(at, n, b)\n"
                                            "  ROOT r = f32[64]{0} multiply(c, b)"));
  CHECK(v.outcome == Outcome::kDisagree);
  CHECK(v.reason.find("out0[7]") != std::string::npos);
}

TEST_CASE("sums in another order mean the same, also where they cancel") {
  const std::string sum = "  d = f32[64]{0} subtract(x, y)\n  z = f32[] constant(0)\n";
  CHECK(VerdictOf(Module(sum + "  ROOT r = f32[] reduce(d, z), dimensions={0}, to_apply=add"),
                  Module("  z = f32[] constant(0)\n  a = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
                         "  b = f32[] reduce(y, z), dimensions={0}, to_apply=add\n  ROOT r = f32[] subtract(a, b)"))
            .agrees());
}

TEST_CASE("a rounding to bf16 that is added, or one by an instruction of its own that is left out, loses accuracy") {
  const std::string plain = Module("  ROOT r = f32[64]{0} multiply(x, y)");
  const std::string rounded =
      Module("  n = bf16[64]{0} convert(x)\n  w = f32[64]{0} convert(n)\n  ROOT r = f32[64]{0} multiply(w, y)");
  const Verdict added = VerdictOf(plain, rounded);
  CHECK(added.outcome == Outcome::kLessAccurate);
  CHECK(added.answer == Answer::kLessAccurate);
  CHECK(added.reason.find("after rounds to a narrower type and before does not: ") == 0);
  CHECK(added.reason.ends_with("decimal digits are correct"));
  const Verdict dropped = VerdictOf(rounded, plain);
  CHECK(dropped.outcome == Outcome::kLessAccurate);
  CHECK(dropped.reason.find("after omits the rounding of n to 8 exponent and 7 mantissa bits") == 0);
  const std::string reduced = Module(
      "  n = f32[64]{0} reduce-precision(x), exponent_bits=8, mantissa_bits=7\n  ROOT r = f32[64]{0} multiply(n, y)");
  CHECK(VerdictOf(plain, reduced).outcome == Outcome::kLessAccurate);
  CHECK(VerdictOf(rounded, reduced).agrees());
  const std::string nothing = Module(
      "  n = f32[64]{0} reduce-precision(x), exponent_bits=8, mantissa_bits=23\n  ROOT r = f32[64]{0} multiply(n, y)");
  CHECK(VerdictOf(plain, nothing).agrees());
}

TEST_CASE("beside an added rounding, wrong values are found") {
  const auto product = [](const std::string& middle) {
    return Module(middle + "  ROOT r = f32[64]{0} multiply(m, y)");
  };
  const std::string plain = product("  m = f32[64]{0} abs(x)\n"),
                    rounds = "  n = bf16[64]{0} convert(a)\n  m = f32[64]{0} convert(n)\n";
  const auto at_most = [](const std::string& number) {
    return "  k = f32[] constant(" + number +
           ")\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  b = f32[64]{0} abs(x)\n"
           "  a = f32[64]{0} minimum(b, ks)\n";
  };
  CHECK(VerdictOf(plain, product("  a = f32[64]{0} abs(x)\n" + rounds)).outcome == Outcome::kLessAccurate);
  CHECK(VerdictOf(plain, product("  b = f32[64]{0} abs(x)\n  k = f32[] constant(1.001)\n"
                                 "  ks = f32[64]{0} broadcast(k), dimensions={}\n  a = f32[64]{0} multiply(b, ks)\n" +
                                 rounds))
            .outcome == Outcome::kDisagree);
  // Also those that the first set of inputs does not show.
  CHECK(VerdictOf(plain, product(at_most("5") + rounds)).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(plain, product(at_most("inf") + rounds)).outcome == Outcome::kLessAccurate);
  // Integers that were rounded have no digits to lose.
  const auto whole = [&](const std::string& middle) { return Module(middle + "  ROOT r = s32[64]{0} convert(m)"); };
  const std::string scaled =
      "  k = f32[] constant(1000)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  a = f32[64]{0} multiply(x, ks)\n";
  CHECK(VerdictOf(whole(scaled + "  m = f32[64]{0} copy(a)\n"), whole(scaled + rounds)).outcome == Outcome::kDisagree);
}

TEST_CASE("dots and sums that are narrower lose accuracy") {
  const auto dot = [](const std::string& type, const std::string& result) {
    return Module("  v = " + type + "[64]{0} convert(x)\n  w = " + type + "[64]{0} convert(y)\n  d = " + result +
                  "[] dot(v, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n  ROOT r = f32[] convert(d)");
  };
  const std::string plain = dot("f32", "f32");
  for (const auto& [type, result] : {std::pair("bf16", "f32"), {"bf16", "bf16"}, {"f16", "f16"}}) {
    INFO(type << " " << result);
    CHECK(VerdictOf(plain, dot(type, result)).outcome == Outcome::kLessAccurate);
  }
  CHECK(VerdictOf(dot("bf16", "f32"), dot("bf16", "bf16")).outcome == Outcome::kLessAccurate);
  const auto sum = [](const std::string& type) {
    return "HloModule m\nadd { a = " + type + "[] parameter(0) b = " + type + "[] parameter(1) ROOT c = " + type +
           "[] add(a, b) }\nENTRY e {\n  x = f32[640] parameter(0)\n  n = " + type + "[640] convert(x)\n  z = " + type +
           "[] constant(0)\n  s = " + type +
           "[] reduce(n, z), dimensions={0}, to_apply=add\n"
           "  ROOT r = f32[] convert(s)\n}\n";
  };
  CHECK(VerdictOf(sum("f32"), sum("bf16")).outcome == Outcome::kLessAccurate);
}

TEST_CASE("what was f32 is rounded to f32 by nothing") {
  const std::string wide = "  q = f32[64]{0} divide(x, y)\n  w = f64[64]{0} convert(q)\n";
  const std::string stepped = Module(wide + "  r = f64[64,1]{1,0} reshape(w)\n  ROOT n = f32[64,1]{1,0} convert(r)");
  CHECK(VerdictOf(stepped, Module("  q = f32[64]{0} divide(x, y)\n  ROOT r = f32[64,1]{1,0} reshape(q)")).agrees());
  // Nor on the way through a value that is put together. (Of two roundings, so that no luck makes the results equal.)
  const std::string twice = "  q = f32[64]{0} divide(x, y)\n  p = f32[64]{0} multiply(q, x)\n";
  CHECK(VerdictOf(Module(twice + "  w = f64[64]{0} convert(p)\n  r = f64[128]{0} concatenate(w, w), dimensions={0}\n"
                                 "  ROOT n = f32[128]{0} convert(r)"),
                  Module(twice + "  ROOT r = f32[128]{0} concatenate(p, p), dimensions={0}"))
            .agrees());
  // Here something is rounded.
  const std::string square = "  s = f64[64]{0} multiply(w, w)\n";
  CHECK(VerdictOf(Module(wide + square + "  n = f32[64]{0} convert(s)\n  ROOT r = f64[64]{0} convert(n)"),
                  Module(wide + square + "  ROOT r = f64[64]{0} copy(s)"))
            .outcome == Outcome::kLessAccurate);
}

TEST_CASE("random bits that are floats are those of their own type") {
  const auto module = [](const std::string& bits) {
    return "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  s = u64[2] constant({3, 3})\n" + bits +
           "  a = f32[2] abs(f)\n  k = f32[] constant(1)\n  ks = f32[2] broadcast(k), dimensions={}\n"
           "  m = f32[2] minimum(a, ks)\n  ROOT r = f32[2] multiply(m, x)\n}\n";
  };
  const auto generated = [](const std::string& type) {
    return "  g = (u64[2], " + type + "[2]) rng-bit-generator(s), algorithm=rng_three_fry\n  b = " + type +
           "[2] get-tuple-element(g), index=1\n";
  };
  const std::string floats = module(generated("f32") + "  f = f32[2] copy(b)\n");
  CHECK(VerdictOf(floats, module(generated("u32") + "  f = f32[2] bitcast-convert(b)\n")).agrees());
  CHECK(
      VerdictOf(floats, module(generated("u32") + "  n = u32[2] not(b)\n  f = f32[2] bitcast-convert(n)\n")).outcome ==
      Outcome::kDisagree);
}

TEST_CASE("an infinity that was folded is the one that is computed") {
  const auto times_zero = [](const std::string& power) {
    return Module("  b = f32[] constant(100)\n" + power +
                  "  zero = f32[] constant(0)\n  z = f32[] multiply(p, zero)\n" +
                  "  ROOT t = (f32[], f32[64]{0}) tuple(z, x)");
  };
  CHECK(VerdictOf(times_zero("  p = f32[] power(b, b)\n"), times_zero("  p = f32[] constant(inf)\n")).agrees());
  CHECK(VerdictOf(times_zero("  p = f32[] add(b, b)\n"), times_zero("  p = f32[] constant(inf)\n")).outcome ==
        Outcome::kDisagree);
}

TEST_CASE("an ideal module is legal, and keeps bitcasts and roundings") {
  const auto module = Parse(
      "HloModule m\nENTRY e {\n  x = bf16[4,2]{1,0} parameter(0)\n  b = bf16[8]{0} bitcast(x)\n"
      "  s = bf16[8]{0} add(b, b)\n  f = f32[8]{0} convert(s)\n  bits = u32[8]{0} bitcast-convert(f)\n"
      "  n = f16[8]{0} convert(f)\n  ROOT t = (f16[8]{0}, u32[8]{0}) tuple(n, bits)\n}\n");
  for (const bool keep : {true, false}) {
    const auto ideal = MakeIdealModule(*module, keep);
    REQUIRE(ideal.ok());
    INFO(PrintModule(*ideal->module));
    CHECK(VerifyModule(*ideal->module).ok());
    CHECK(ideal->roundings == 2);
    CHECK(ideal->module->entry_computation()->root()->shape().ToString(false) == "(f64[8], u32[8])");
    CHECK((PrintModule(*ideal->module).find("f64[8]{0} convert(bf16") != std::string::npos ||
           PrintModule(*ideal->module).find("f16[8]{0} convert") != std::string::npos) == keep);
  }
}

TEST_CASE("a program that is nothing but rounding is called that") {
  // The logistic map: after 100 turns nothing is left of where it began.
  const std::string loop =
      "HloModule l\nbody { t = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n v = f32[8] "
      "get-tuple-element(t), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n k = f32[] constant(3.99)\n ks "
      "= "
      "f32[8] broadcast(k), dimensions={}\n u = f32[] constant(1)\n us = f32[8] broadcast(u), dimensions={}\n w = "
      "f32[8] "
      "subtract(us, v)\n ";
  const std::string end =
      " ROOT r = (s32[], f32[8]) tuple(j, n) }\non { t = (s32[], f32[8]) parameter(0)\n i = s32[] "
      "get-tuple-element(t), "
      "index=0\n m = s32[] constant(100)\n ROOT c = pred[] compare(i, m), direction=LT }\nENTRY e { x = f32[8] "
      "parameter(0)\n a = f32[8] logistic(x)\n z = s32[] constant(0)\n t = (s32[], f32[8]) tuple(z, a)\n w = (s32[], "
      "f32[8]) while(t), condition=on, body=body\n ROOT g = f32[8] get-tuple-element(w), index=1 }\n";
  const Verdict v = VerdictOf(loop + "p = f32[8] multiply(ks, v)\n n = f32[8] multiply(p, w)\n" + end,
                              loop + "p = f32[8] multiply(v, w)\n n = f32[8] multiply(ks, p)\n" + end);
  INFO(v.ToString());
  CHECK(v.agrees());
  CHECK(v.ToString().find("is ill-conditioned") != std::string::npos);
}

TEST_CASE("a number that is none in the other module on large inputs is said to hold for finite values only") {
  // 0 times an exponential that overflows.
  const std::string wrong =
      "  z = f32[] constant(0)\n  zs = f32[64]{0} broadcast(z), dimensions={}\n  e = f32[64]{0} exponential(x)\n"
      "  n = f32[64]{0} multiply(e, zs)\n  ROOT r = f32[64]{0} add(y, n)";
  const Verdict large = VerdictOf(Module("  ROOT r = f32[64]{0} copy(y)"), Module(wrong));
  INFO(large.ToString());
  CHECK(large.agrees());
  CHECK(!large.finite_only.empty());
  // The other way round it is what compilers do: the exponentials overflow in one alone.
  CHECK(VerdictOf(Module("  ex = f32[64]{0} exponential(x)\n  ey = f32[64]{0} exponential(y)\n"
                         "  ROOT r = f32[64]{0} divide(ex, ey)"),
                  Module("  d = f32[64]{0} subtract(x, y)\n  ROOT r = f32[64]{0} exponential(d)"))
            .agrees());
  // An infinity by itself.
  const std::string largest =
      "  m = f32[] constant(3.40282347e+38)\n  ms = f32[64]{0} broadcast(m), dimensions={}\n"
      "  ROOT r = f32[64]{0} minimum(x, ms)";
  CHECK(VerdictOf(Module("  ROOT r = f32[64]{0} copy(x)"), Module(largest)).outcome == Outcome::kDisagree);
  // So too where the number is a constant that may have been rounded, which is far more than the others are.
  const std::string selected =
      "  m = f32[] constant(3.40282347e+38)\n  ms = f32[64]{0} broadcast(m), dimensions={}\n"
      "  c = pred[64]{0} compare(x, ms), direction=GT\n  ROOT r = f32[64]{0} select(c, ms, x)";
  CHECK(VerdictOf(Module("  ROOT r = f32[64]{0} copy(x)"), Module(selected)).outcome == Outcome::kDisagree);
}

TEST_CASE("an infinity is not NaN, where nothing has overflowed") {
  const std::string logarithm = "  a = f32[64]{0} abs(x)\n  l = f32[64]{0} log(a)\n";
  const std::string wrong =
      "  z = f32[] constant(0)\n  zs = f32[64]{0} broadcast(z), dimensions={}\n  n = f32[] constant(nan)\n"
      "  ns = f32[64]{0} broadcast(n), dimensions={}\n  c = pred[64]{0} compare(x, zs), direction=EQ\n"
      "  ROOT r = f32[64]{0} select(c, ns, l)";
  CHECK(VerdictOf(Module(logarithm + "  ROOT r = f32[64]{0} copy(l)"), Module(logarithm + wrong)).outcome ==
        Outcome::kDisagree);
  // A batch norm without a variance, or with an infinite one, multiplies an infinity by 0 or does not.
  const auto normed = [](const std::string& norm) {
    return "HloModule m\nENTRY e {\n  x = f32[6,4]{1,0} parameter(0)\n  s = f32[4]{0} parameter(1)\n"
           "  o = f32[4]{0} parameter(2)\n  m = f32[4]{0} parameter(3)\n  v = f32[4]{0} parameter(4)\n" +
           norm + "}\n";
  };
  CHECK(VerdictOf(normed("  ROOT r = f32[6,4]{1,0} batch-norm-inference(x, s, o, m, v), epsilon=0, feature_index=1\n"),
                  normed("  q = f32[4]{0} rsqrt(v)\n  t = f32[4]{0} multiply(q, s)\n"
                         "  ts = f32[6,4]{1,0} broadcast(t), dimensions={1}\n"
                         "  ms = f32[6,4]{1,0} broadcast(m), dimensions={1}\n"
                         "  os = f32[6,4]{1,0} broadcast(o), dimensions={1}\n  d = f32[6,4]{1,0} subtract(x, ms)\n"
                         "  p = f32[6,4]{1,0} multiply(d, ts)\n  ROOT r = f32[6,4]{1,0} add(p, os)\n"))
            .agrees());
}

TEST_CASE("a number that is wrong where another is exactly 1 is wrong, though rounding decides whether it is") {
  const std::string two =
      "  one = f32[] constant(1)\n  ones = f32[64]{0} broadcast(one), dimensions={}\n"
      "  two = f32[] constant(2)\n  twos = f32[64]{0} broadcast(two), dimensions={}\n";
  const std::string tanh = two + "  t = f32[64]{0} tanh(x)\n";
  const std::string wrong =
      "  c = pred[64]{0} compare(t, ones), direction=EQ\n  ROOT r = f32[64]{0} select(c, twos, t)";
  const auto before = Parse(Module(tanh + "  ROOT r = f32[64]{0} copy(t)")), after = Parse(Module(tanh + wrong));
  InputSet large;
  large.kind = InputKind::kMixed;
  std::vector<Literal>& arguments = large.devices.emplace_back();
  for (int k = 0; k < 2; ++k) {
    Literal& x = arguments.emplace_back(Shape::Array(PrimitiveType::F32, {64}));
    for (int64_t i = 0; i < 64; ++i) x.SetFromDouble(i, 40 + static_cast<double>(i));
  }
  std::vector<InputSet> inputs;
  inputs.push_back(std::move(large));
  const auto verdict = Check(*before, *after, std::move(inputs));
  REQUIRE(verdict.ok());
  INFO(verdict->ToString());
  CHECK(verdict->outcome == Outcome::kDisagree);
  // Where rounding makes both jump, none is wrong: 3 times a third is 1, or next to it.
  const std::string third =
      two + "  k = f32[] constant(3)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  t = f32[64]{0} divide(x, ks)\n";
  const std::string product = two +
                              "  k = f32[] constant(0.333333343)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n"
                              "  t = f32[64]{0} multiply(x, ks)\n";
  CHECK(VerdictOf(Module(third + wrong), Module(product + wrong)).agrees());
}

TEST_CASE("a formula that keeps digits is not one that overflows far from 0") {
  const auto entropy = [](const std::string& argument) {
    return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
           "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }\nENTRY e {\n"
           "  x = f32[64]{0} parameter(0)\n  z = f32[] constant(0)\n  i = f32[] constant(-inf)\n"
           "  m = f32[] reduce(x, i), dimensions={0}, to_apply=max\n  ms = f32[64]{0} broadcast(m), dimensions={}\n" +
           argument +
           "  e = f32[64]{0} exponential(d)\n  s = f32[] reduce(e, z), dimensions={0}, to_apply=add\n"
           "  ss = f32[64]{0} broadcast(s), dimensions={}\n  p = f32[64]{0} divide(e, ss)\n"
           "  l = f32[64]{0} log(p)\n  pl = f32[64]{0} multiply(p, l)\n"
           "  ROOT r = f32[] reduce(pl, z), dimensions={0}, to_apply=add\n}\n";
  };
  const std::string right = entropy("  d = f32[64]{0} subtract(x, ms)\n");
  CHECK(VerdictOf(right, entropy("  d = f32[64]{0} add(x, ms)\n")).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(right, entropy("  n = f32[64]{0} negate(ms)\n  d = f32[64]{0} add(x, n)\n")).agrees());
}

TEST_CASE("rows of equal numbers, each of others, are tried") {
  const std::string right =
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
      "  x = f32[4,16]{1,0} parameter(0)\n  z = f32[] constant(0)\n  f = f32[4,1]{1,0} slice(x), slice={[0:4], [0:1]}\n"
      "  c = f32[4]{0} reshape(f)\n  cs = f32[4,16]{1,0} broadcast(c), dimensions={0}\n"
      "  d = f32[4,16]{1,0} subtract(x, cs)\n  a = f32[4,16]{1,0} abs(d)\n"
      "  s = f32[] reduce(a, z), dimensions={0,1}, to_apply=add\n"
      "  f0 = f32[1]{0} slice(c), slice={[0:1]}\n  g0 = f32[] reshape(f0)\n"
      "  f1 = f32[1]{0} slice(c), slice={[1:2]}\n  g1 = f32[] reshape(f1)\n";
  const std::string wrong =
      "  p = pred[] compare(s, z), direction=EQ\n  q = pred[] compare(g0, g1), direction=NE\n"
      "  w = pred[] and(p, q)\n  one = f32[] constant(1)\n  ROOT r = f32[] select(w, one, s)\n}\n";
  CHECK(VerdictOf(right + "  ROOT r = f32[] copy(s)\n}\n", right + wrong).outcome == Outcome::kDisagree);
}

TEST_CASE("a loop that counts is tried on numbers of all sizes") {
  const auto loop = [](const std::string& step) {
    return "HloModule m\nbody {\n  p = (s32[], f32[64]{0}) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
           "  v = f32[64]{0} get-tuple-element(p), index=1\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n" +
           step +
           "  ROOT t = (s32[], f32[64]{0}) tuple(j, w)\n}\ncondition {\n  p = (s32[], f32[64]{0}) parameter(0)\n"
           "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(3)\n"
           "  ROOT l = pred[] compare(i, n), direction=LT\n}\nENTRY e {\n  x = f32[64]{0} parameter(0)\n"
           "  z = s32[] constant(0)\n  t = (s32[], f32[64]{0}) tuple(z, x)\n"
           "  w = (s32[], f32[64]{0}) while(t), condition=condition, body=body\n"
           "  ROOT r = f32[64]{0} get-tuple-element(w), index=1\n}\n";
  };
  const std::string wrong =
      "  k = f32[] constant(1000)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  s = f32[64]{0} sqrt(v)\n"
      "  c = pred[64]{0} compare(v, ks), direction=GT\n  w = f32[64]{0} select(c, v, s)\n";
  CHECK(VerdictOf(loop("  w = f32[64]{0} sqrt(v)\n"), loop(wrong)).outcome == Outcome::kDisagree);
}

TEST_CASE("modules with the same solver are tried on numbers of which many are equal") {
  const auto kernel = [](const std::string& distance) {
    return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
           "  x = f32[8]{0} parameter(0)\n  a = f32[8,8]{1,0} broadcast(x), dimensions={0}\n"
           "  b = f32[8,8]{1,0} broadcast(x), dimensions={1}\n  d = f32[8,8]{1,0} subtract(a, b)\n"
           "  q = f32[8,8]{1,0} multiply(d, d)\n" +
           distance +
           "  n = f32[8,8]{1,0} negate(w)\n  e = f32[8,8]{1,0} exponential(n)\n"
           "  i = s32[8,8]{1,0} iota(), iota_dimension=0\n  j = s32[8,8]{1,0} iota(), iota_dimension=1\n"
           "  o = pred[8,8]{1,0} compare(i, j), direction=EQ\n  f = f32[8,8]{1,0} convert(o)\n"
           "  k = f32[8,8]{1,0} add(e, f)\n  l = f32[8,8]{1,0} cholesky(k), lower=true\n  z = f32[] constant(0)\n"
           "  ROOT r = f32[] reduce(l, z), dimensions={0,1}, to_apply=add\n}\n";
  };
  const std::string wrong =
      "  one = f32[] constant(1)\n  ones = f32[8,8]{1,0} broadcast(one), dimensions={}\n"
      "  c = pred[8,8]{1,0} compare(q, ones), direction=EQ\n  t = f32[8,8]{1,0} add(q, q)\n"
      "  w = f32[8,8]{1,0} select(c, t, q)\n";
  CHECK(VerdictOf(kernel("  w = f32[8,8]{1,0} copy(q)\n"), kernel(wrong)).outcome == Outcome::kDisagree);
}

TEST_CASE("sums that swallow a term, and functions that have come to their limit, have been rounded") {
  const std::string one = "  k = f32[] constant(1)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n";
  const std::pair<std::string, std::string> same[] = {
      {one + "  s = f32[64]{0} add(ks, x)\n  ROOT r = f32[64]{0} log(s)", "  ROOT r = f32[64]{0} log-plus-one(x)"},
      {one + "  s = f32[64]{0} exponential(x)\n  ROOT r = f32[64]{0} subtract(s, ks)",
       "  ROOT r = f32[64]{0} exponential-minus-one(x)"},
  };
  for (const auto& [a, b] : same) {
    INFO(a);
    const auto before = Parse(Module(a)), after = Parse(Module(b));
    InputSet tiny;
    for (int k = 0; k < 2; ++k) {
      Literal& x = tiny.devices.emplace_back().emplace_back(Shape::Array(PrimitiveType::F32, {64}));
      for (int64_t i = 0; i < 64; ++i) x.SetFromDouble(i, 1e-23 * static_cast<double>(1 + i));
    }
    tiny.devices[0].push_back(std::move(tiny.devices[1][0]));
    tiny.devices.pop_back();
    tiny.kind = InputKind::kMixed;
    std::vector<InputSet> inputs;
    inputs.push_back(std::move(tiny));
    const auto verdict = Check(*before, *after, std::move(inputs));
    REQUIRE(verdict.ok());
    INFO(verdict->ToString());
    CHECK(verdict->agrees());
  }
}

TEST_CASE("what is divided by a sum that is 0 but for rounding is no difference") {
  const std::string sum = "  z = f32[] constant(0)\n  a = f32[] reduce(x, z), dimensions={0}, to_apply=add\n";
  const auto divided_by = [&](const std::string& mean) {
    return Module(sum + mean +
                  "  ms = f32[64]{0} broadcast(m), dimensions={}\n  d = f32[64]{0} subtract(x, ms)\n"
                  "  ROOT r = f32[64]{0} divide(d, d)");
  };
  // Where all elements are equal, 64 of them over 48 and three quarters of that is the element, or next to it.
  CHECK(VerdictOf(divided_by("  n = f32[] constant(48)\n  q = f32[] divide(a, n)\n  k = f32[] constant(0.75)\n"
                             "  m = f32[] multiply(q, k)\n"),
                  divided_by("  n = f32[] constant(0.015625)\n  m = f32[] multiply(a, n)\n"))
            .agrees());
}

TEST_CASE("a step of integers through bf16 is wrong where nothing narrow was, whatever another result goes through") {
  const auto with = [](const std::string& second) {
    return Module("  n = bf16[64]{0} convert(x)\n  f = f32[64]{0} convert(n)\n" + second +
                  "  i = s32[64]{0} convert(s)\n  ROOT r = (f32[64]{0}, s32[64]{0}) tuple(f, i)");
  };
  const std::string scaled =
      "  k = f32[] constant(1000)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  s0 = f32[64]{0} multiply(y, ks)\n";
  const std::string stepped = scaled + "  b = bf16[64]{0} convert(s0)\n  s = f32[64]{0} convert(b)\n";
  CHECK(VerdictOf(with(scaled + "  s = f32[64]{0} copy(s0)\n"), with(stepped)).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(with(stepped), with(scaled + "  s = f32[64]{0} copy(s0)\n")).outcome == Outcome::kLessAccurate);
}

TEST_CASE("a step through f16 loses accuracy where there was one through bf16, and so does one that is left out") {
  const auto stepped = [](const std::string& first, const std::string& second) {
    return Module("  n = " + first +
                  "[64]{0} convert(x)\n  f = f32[64]{0} convert(n)\n  p = f32[64]{0} multiply(f, y)\n" +
                  "  m = " + second + "[64]{0} convert(p)\n  ROOT r = f32[64]{0} convert(m)");
  };
  const auto outcome = [&](const std::string& narrow, const std::string& first, const std::string& second) {
    return VerdictOf(stepped(narrow, "f32"), stepped(first, second)).outcome;
  };
  CHECK(outcome("bf16", "bf16", "f16") == Outcome::kLessAccurate);
  CHECK(outcome("f16", "f16", "bf16") == Outcome::kLessAccurate);
  CHECK(outcome("f8e5m2", "f16", "f32") == Outcome::kLessAccurate);
  // Where f16 holds all that comes up, and with more digits.
  const auto between = [](const std::string& narrow) {
    return Module("  t = f32[64]{0} tanh(x)\n  n = " + narrow +
                  "[64]{0} convert(t)\n  f = f32[64]{0} convert(n)\n  ROOT r = f32[64]{0} multiply(f, y)");
  };
  CHECK(VerdictOf(between("bf16"), between("f16")).outcome == Outcome::kLessAccurate);
  CHECK(VerdictOf(between("bf16"), between("f32")).outcome == Outcome::kLessAccurate);
}

TEST_CASE("a step of integers through a float is wrong where the other's drop nothing") {
  // What is random in words becomes numbers in f32, of which there are few enough to hold them all.
  const auto with = [](const std::string& words) {
    return "HloModule m\nENTRY e {\n  x = u32[64]{0} parameter(0)\n" + words +
           "  k = u32[] constant(255)\n  ks = u32[64]{0} broadcast(k), dimensions={}\n"
           "  low = u32[64]{0} and(w, ks)\n  number = f32[64]{0} convert(low)\n  h = f32[] constant(128)\n"
           "  hs = f32[64]{0} broadcast(h), dimensions={}\n"
           "  ROOT r = pred[64]{0} compare(number, hs), direction=LT\n}\n";
  };
  const std::string right = with("  w = u32[64]{0} copy(x)\n");
  const std::string wrong = with("  f = f32[64]{0} convert(x)\n  w = u32[64]{0} convert(f)\n");
  CHECK(VerdictOf(right, wrong).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(wrong, right).outcome == Outcome::kLessAccurate);
  CHECK(VerdictOf(wrong, wrong).agrees());
}

TEST_CASE("what magnifies the roundings of bf16 may magnify more of them") {
  const auto module = [](const std::string& third) {
    return "HloModule m\nENTRY e {\n  x = bf16[] parameter(0)\n" + third + "  ROOT r = bf16[] power(p, p)\n}\n";
  };
  const std::string once = module("  k = bf16[] constant(3)\n  p = bf16[] power(x, k)\n");
  const std::string twice = module("  s = bf16[] multiply(x, x)\n  p = bf16[] multiply(s, x)\n");
  const std::string coarse = module(
      "  k = bf16[] constant(3)\n  o = bf16[] power(x, k)\n"
      "  p = bf16[] reduce-precision(o), exponent_bits=8, mantissa_bits=3\n");
  const auto outcome = [&](const std::string& other) {
    const auto before = Parse(once), after = Parse(other);
    InputSet inputs;
    inputs.devices.emplace_back();
    inputs.devices[0].push_back(
        Literal::Scalar(PrimitiveType::BF16, 1.4765625));  // whose third power is next to a bf16
    return Check(*before, *after, {inputs}, {})->outcome;
  };
  CHECK(outcome(twice) == Outcome::kAgree);
  CHECK(outcome(coarse) == Outcome::kLessAccurate);
}

TEST_CASE("matrices that have an inverse are among the inputs") {
  const std::string factor = "  c = f32[6,6]{1,0} cholesky(s), lower=true\n";
  const auto with = [&](const std::string& scaled) {
    return "HloModule m\nENTRY e {\n  x = f32[6,6]{1,0} parameter(0)\n  t = f32[6,6]{1,0} transpose(x), "
           "dimensions={1,0}\n  s = f32[6,6]{1,0} add(x, t)\n" +
           factor + scaled + "}\n";
  };
  const Verdict v =
      VerdictOf(with("  ROOT r = f32[6,6]{1,0} copy(c)\n"),
                with("  k = f32[] constant(1.00000095)\n  ks = f32[6,6]{1,0} broadcast(k), dimensions={}\n"
                     "  ROOT r = f32[6,6]{1,0} multiply(c, ks)\n"));
  CHECK(v.outcome == Outcome::kDisagree);
}

TEST_CASE("bits that are read back at once are no rounding") {
  const auto module = [](const std::string& product, const std::string& rest) {
    return "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  k = f32[] constant(100)\n  s = f32[] add(x, k)\n"
           "  m = f32[] " +
           product + "\n  p = f32[] power(m, m)\n" + rest + "}\n";
  };
  // Two ways to a product, so that it has to be computed.
  const std::string with = module("dot(x, s), lhs_contracting_dims={}, rhs_contracting_dims={}",
                                  "  b = s32[] bitcast-convert(p)\n  ROOT r = f32[] bitcast-convert(b)\n");
  const std::string without = module("multiply(x, s)", "  ROOT r = f32[] copy(p)\n");
  CHECK(VerdictOf(with, without).agrees());
  CHECK(VerdictOf(without, with).agrees());
}

TEST_CASE("a mark for placement is no rounding") {
  const std::string begin =
      "HloModule m\nENTRY e {\n  x = f32[16,32]{1,0} parameter(0)\n  y = f32[32,16]{1,0} parameter(1)\n  a = "
      "f32[16,16]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  b = f32[16,16]{1,0} tanh(a)\n";
  const std::string marked = begin +
                             "  t = f32[16,16]{1,0} custom-call(b), custom_call_target=\"Sharding\", "
                             "sharding={devices=[2,1]<=[2]}\n  ROOT r = f32[16,16]{1,0} dot(t, a), "
                             "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  // With a product the other way round, so that it has to be computed.
  const std::string turned = begin +
                             "  q = f32[16,16]{1,0} dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}\n"
                             "  ROOT r = f32[16,16]{1,0} transpose(q), dimensions={1,0}\n}\n";
  CHECK(VerdictOf(marked, turned).agrees());
  CHECK(VerdictOf(turned, marked).agrees());
}

TEST_CASE("a NaN in what a solver gets is tried, where both modules have the same solvers") {
  const std::string x = "  x = f32[6,6]{1,0} parameter(0)\n";
  const auto without_nan = [](const std::string& from, const std::string& to, const std::string& sizes) {
    const std::string shape = "f32[" + sizes + "]{1,0}";
    return "  z" + to + " = f32[] constant(0)\n  zs" + to + " = " + shape + " broadcast(z" + to +
           "), dimensions={}\n  is" + to + " = pred[" + sizes + "]{1,0} compare(" + from + ", " + from +
           "), direction=NE\n  " + to + " = " + shape + " select(is" + to + ", zs" + to + ", " + from + ")\n";
  };
  const auto module = [](const std::string& body) { return "HloModule m\nENTRY e {\n" + body + "}\n"; };
  // In what it gets.
  const auto factor = [](const std::string& of) {
    return "  c = f32[6,6]{1,0} cholesky(" + of + "), lower=true\n  ROOT r = f32[6,6]{1,0} negate(c)\n";
  };
  const std::string right = module(x + factor("x"));
  CHECK(VerdictOf(right, module(x + without_nan("x", "y", "6,6") + factor("y"))).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(right, module(x + "  y = f32[6,6]{1,0} copy(x)\n" + factor("y"))).agrees());
  // In what it gives, which is finite where all that it gets is.
  const std::string solve = x +
                            "  b = f32[6,2]{1,0} parameter(1)\n  s = f32[6,2]{1,0} triangular-solve(x, b), "
                            "left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE\n";
  const auto negated = [](const std::string& of) { return "  ROOT r = f32[6,2]{1,0} negate(" + of + ")\n"; };
  CHECK(VerdictOf(module(solve + negated("s")), module(solve + without_nan("s", "t", "6,2") + negated("t"))).outcome ==
        Outcome::kDisagree);
}

TEST_CASE("an element that is farther off than its own roundings explain is seen beside a large one") {
  const std::string body =
      "  l = f32[] constant(1e+06)\n  ls = f32[64]{0} broadcast(l), dimensions={}\n  i = s32[64]{0} iota(), "
      "iota_dimension=0\n  seven = s32[] constant(7)\n  sevens = s32[64]{0} broadcast(seven), dimensions={}\n"
      "  at = pred[64]{0} compare(i, sevens), direction=EQ\n  b = f32[64]{0} select(at, ls, x)\n"
      "  ROOT r = f32[64]{0} multiply(b, b)";
  const auto module = Parse(Module(body));
  for (const double factor : {1.0, 1 + 0x1p-9}) {
    CheckOptions options;
    options.engine = [factor](const HloModule& m, std::span<const std::vector<const Literal*>> arguments) {
      StatusOr<std::vector<Literal>> results = Runner::Prepare(m, {})->RunOnAll(arguments);
      Literal& r = results->front();
      r.SetFromDouble(9, factor * r.GetAsDouble(9));
      return results;
    };
    options.proofs = Proofs::kNone;
    const auto verdict = Check(*module, *module, {}, options);
    REQUIRE(verdict.ok());
    INFO(verdict->ToString());
    CHECK(verdict->agrees());
    const bool noted = verdict->ToString().find("out0[9] is ") != std::string::npos &&
                       verdict->ToString().find("times the distance that roundings explain") != std::string::npos;
    CHECK(noted == (factor != 1));
  }
}

TEST_CASE("a relu's gradient at sums that cancel is decided by rounding, and a wrong one is not") {
  // A gate before the dot or after it: on coarse numbers many sums are 0 but for what the gate rounds.
  const auto module = [](const std::string& gated, const std::string& zero) {
    return "HloModule m\nENTRY e {\n  x = f32[64,64]{1,0} parameter(0)\n  w = f32[64,96]{1,0} parameter(1)\n"
           "  z = f32[64]{0} parameter(2)\n  y = f32[64,96]{1,0} parameter(3)\n  g = f32[64]{0} logistic(z)\n" +
           gated + "  k = f32[] constant(" + zero +
           ")\n  ks = f32[64,96]{1,0} broadcast(k), dimensions={}\n"
           "  on = pred[64,96]{1,0} compare(h, ks), direction=GT\n  c = f32[] constant(0)\n"
           "  cs = f32[64,96]{1,0} broadcast(c), dimensions={}\n  d = f32[64,96]{1,0} select(on, y, cs)\n"
           "  ROOT r = f32[64,96]{1,0} dot(x, d), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n}\n";
  };
  const std::string before =
      "  gs = f32[64,64]{1,0} broadcast(g), dimensions={0}\n  xg = f32[64,64]{1,0} multiply(x, gs)\n"
      "  h = f32[64,96]{1,0} dot(xg, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  const std::string after =
      "  gs = f32[64,96]{1,0} broadcast(g), dimensions={0}\n"
      "  xw = f32[64,96]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  h = f32[64,96]{1,0} multiply(xw, gs)\n";
  const Verdict v = VerdictOf(module(before, "0"), module(after, "0"));
  INFO(v.reason);
  CHECK(v.agrees());
  CHECK(VerdictOf(module(before, "0"), module(after, "0.001")).outcome == Outcome::kDisagree);
}

TEST_CASE("a sum that is exact in the end may have been rounded on the way") {
  const auto module = Parse(
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
      "  x = f32[2] parameter(0)\n  k = f32[] constant(16777216)\n  ks = f32[1] broadcast(k), dimensions={}\n"
      "  o = s32[] constant(0)\n  os = s32[2,1] broadcast(o), dimensions={}\n  s = f32[1] scatter(ks, os, x), "
      "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=add\n  ROOT t = f32[1] tan(s)\n}\n");
  Literal ones(Shape::Array(PrimitiveType::F32, {2}));
  for (int64_t i = 0; i < 2; ++i) ones.SetFromDouble(i, 1);
  InputSet set;
  set.devices.emplace_back().push_back(std::move(ones));
  std::vector<InputSet> inputs;
  inputs.push_back(std::move(set));
  CheckOptions options;
  options.proofs = Proofs::kNone;
  const auto verdict = Check(*module, *module, std::move(inputs), options);
  REQUIRE(verdict.ok());
  INFO(verdict->ToString());
  CHECK(verdict->agrees());
  CHECK(verdict->ToString().find("times the distance that roundings explain") == std::string::npos);
}

TEST_CASE("signs of zeros and denormals alone are no difference, and what they stand beside is one") {
  const std::string zeros = "  zero = f32[] constant(0)\n  zeros = f32[64]{0} broadcast(zero), dimensions={}\n";
  const auto bits = [&](const std::string& body) {
    return Module(zeros + body + "  ROOT r = s32[64]{0} bitcast-convert(v)");
  };
  const std::string added = bits("  v = f32[64]{0} add(x, zeros)\n");
  const Verdict sign = VerdictOf(added, bits("  v = f32[64]{0} copy(x)\n"));
  CHECK(sign.agrees());
  CHECK(sign.ToString().find("the modules differ only in the signs of zeros or NaN") != std::string::npos);
  CHECK(VerdictOf(added, bits("  v = f32[64]{0} negate(x)\n")).outcome == Outcome::kDisagree);
  CheckOptions exact;
  exact.exact = true;
  const auto before = Parse(added), after = Parse(bits("  v = f32[64]{0} copy(x)\n"));
  const auto verdict = Check(*before, *after, {}, exact);
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kDisagree);

  // 1 / y overflows where y is a denormal, x / y does not where x is one too, or 0.
  const std::string one = "  one = f32[] constant(1)\n  ones = f32[64]{0} broadcast(one), dimensions={}\n";
  const std::string quotient = Module("  ROOT q = f32[64]{0} divide(x, y)");
  CHECK(VerdictOf(quotient, Module(one + "  v = f32[64]{0} divide(ones, y)\n  ROOT q = f32[64]{0} multiply(x, v)"))
            .agrees());
  CHECK(VerdictOf(quotient, Module("  v = f32[64]{0} rsqrt(y)\n  w = f32[64]{0} multiply(v, v)\n"
                                   "  ROOT q = f32[64]{0} multiply(x, w)"))
            .outcome == Outcome::kDisagree);

  // Which side of its cut the logarithm of a complex number takes.
  const auto cut = [](const std::string& body) {
    return "HloModule m\nENTRY e {\n  x = c64[8]{0} parameter(0)\n" + body + "  ROOT r = c64[8]{0} log(s)\n}\n";
  };
  const std::string zero = "  zero = c64[] constant((0, 0))\n  zeros = c64[8]{0} broadcast(zero), dimensions={}\n";
  CHECK(VerdictOf(cut(zero + "  s = c64[8]{0} add(x, zeros)\n"), cut("  s = c64[8]{0} copy(x)\n")).agrees());
}

TEST_CASE("a reciprocal that was rounded to bf16 is a constant folded, another number is not") {
  const auto of = [](const std::string& body) {
    return "HloModule m\nENTRY e {\n  x = bf16[64]{0} parameter(0)\n" + body + "}\n";
  };
  const auto by = [&](const std::string& op, const std::string& constant) {
    return of("  c = bf16[] constant(" + constant +
              ")\n  cs = bf16[64]{0} broadcast(c), dimensions={}\n  ROOT r = " + "bf16[64]{0} " + op + "(x, cs)\n");
  };
  CHECK(VerdictOf(by("divide", "7"), by("multiply", "0.1426")).agrees());
  CHECK(VerdictOf(by("divide", "7"), by("multiply", "0.1445")).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(by("multiply", "7"), by("multiply", "7.03125")).outcome == Outcome::kDisagree);
}

TEST_CASE("factors whose product is rounded to 1 may be left out, and no others") {
  for (const std::string type : {"f32", "f64"}) {
    INFO(type);
    const auto scaled = [&](std::initializer_list<const char*> factors) {
      std::string body, last = "x";
      for (const char* factor : factors) {
        const std::string n = std::to_string(body.size());
        body += "  c" + n + " = " + type + "[] constant(" + factor + ")\n  b" + n + " = " + type + "[8] broadcast(c" +
                n + "), dimensions={}\n  m" + n + " = " + type + "[8] multiply(" + last + ", b" + n + ")\n";
        last = "m" + n;
      }
      return "HloModule m\nENTRY e {\n  x = " + type + "[8] parameter(0)\n" + body + "  ROOT r = " + type +
             "[8] copy(" + last + ")\n}\n";
    };
    const Verdict kept = VerdictOf(scaled({"0.1", "10"}), scaled({}));
    CHECK(kept.agrees());
    CHECK(kept.explanations == std::vector<std::string>{"folded-constants"});
    CHECK(VerdictOf(scaled({"0.1", "10.00001"}), scaled({})).outcome == Outcome::kDisagree);
    CHECK(VerdictOf(scaled({"0.1", "10"}), scaled({"1.0000005"})).outcome == Outcome::kDisagree);
  }
}

TEST_CASE("a complex power rounds the exponent of its exponential, also where the power is exact") {
  const auto of_seven = [](const std::string& power) {
    return "HloModule m\nENTRY e {\n  k = c64[] constant((7, 0))\n  ROOT r = c64[] " + power + "\n}\n";
  };
  const std::string power = of_seven("power(k, k)");  // 7^7 = 823543 = exp(7 log 7), where f32 rounds 13.6
  const Verdict rounded = VerdictOf(power, of_seven("constant((823542.375, 0))"));
  CHECK(rounded.agrees());
  CHECK(rounded.explanations == std::vector<std::string>{"rounding", "constant-steps"});
  CHECK(VerdictOf(power, of_seven("constant((823540, 0))")).outcome == Outcome::kDisagree);
}

TEST_CASE("a step through c64 is one through f32, and chains of constants are rounded at each step") {
  const auto from_f64 = [](const std::string& body) {
    return "HloModule m\nENTRY e {\n  x = f64[8]{0} parameter(0)\n" + body + "  ROOT r = f32[8]{0} logistic(s)\n}\n";
  };
  CHECK(VerdictOf(from_f64("  c = c64[8]{0} convert(x)\n  s = f32[8]{0} real(c)\n"),
                  from_f64("  s = f32[8]{0} convert(x)\n"))
            .agrees());
  const auto of_s32 = [](const std::string& body) {
    return "HloModule m\nENTRY e {\n  x = s32[8]{0} parameter(0)\n" + body + "  ROOT r = f32[8]{0} log(s)\n}\n";
  };
  CHECK(VerdictOf(of_s32("  d = f64[8]{0} convert(x)\n  s = f32[8]{0} convert(d)\n"),
                  of_s32("  s = f32[8]{0} convert(x)\n"))
            .agrees());
  const auto beside_sum = [](const std::string& body) {
    return Module(body +
                  "  z = f32[] constant(0)\n  s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
                  "  ROOT r = (f32[], f32[]) tuple(s, c)");
  };
  const std::string chain = beside_sum(
      "  k = f32[] constant(4)\n  t = (f32[], f32[64]{0}) tuple(k, y)\n"
      "  g = f32[] get-tuple-element(t), index=0\n  h = f32[] sinh(g)\n  c = f32[] cosh(h)\n");
  CHECK(VerdictOf(chain, beside_sum("  c = f32[] constant(355492429824)\n")).agrees());
  CHECK(VerdictOf(chain, beside_sum("  c = f32[] constant(355495000000)\n")).outcome == Outcome::kDisagree);
}

namespace {

// A module of these parameters, `right` and `wrong` of what it computes: the one agrees with it, the other does not.
void CheckBoth(const std::string& parameters, const std::string& before, const std::string& right,
               const std::string& wrong, Outcome of_wrong = Outcome::kDisagree) {
  const auto module = [&](const std::string& body) {
    return "HloModule m\nadd { a = f64[] parameter(0) b = f64[] parameter(1) ROOT c = f64[] add(a, b) }\n"
           "add32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
           "and { a = pred[] parameter(0) b = pred[] parameter(1) ROOT c = pred[] and(a, b) }\n"
           "ENTRY e {\n" +
           parameters + body + "}\n";
  };
  CheckOptions unproved;
  unproved.proofs = Proofs::kNone;
  const Verdict verdict = VerdictOf(module(before), module(right), unproved);
  INFO(verdict.ToString());
  CHECK(verdict.agrees());
  CHECK(VerdictOf(module(before), module(wrong)).outcome == of_wrong);
}

}  // namespace

TEST_CASE("the sign of a zero that was folded is no difference") {
  const std::string x = "  x = f32[4] parameter(0)\n", root = "  ROOT t = (s32[], f32[4]) tuple(r, x)\n";
  CheckBoth(x,
            "  a = f32[] constant(0)\n  b = f32[] constant(-3)\n"
            "  d = f32[] dot(a, b), lhs_contracting_dims={}, rhs_contracting_dims={}\n"
            "  r = s32[] bitcast-convert(d)\n" +
                root,
            "  r = s32[] constant(-2147483648)\n" + root, "  r = s32[] constant(-2147483647)\n" + root);
  // Beside one that was folded from a constant -0, which is no other than it was.
  const auto beside = [](const std::string& negated, const std::string& folded) {
    return "  s = f32[] multiply(y, y)\n" + negated +
           "  i = f32[] constant(-inf)\n  q = f32[] divide(i, n)\n  z = f32[] constant(0)\n"
           "  c = f32[] clamp(z, n, q)\n" +
           folded + "  ROOT t = (f32[], f32[]) tuple(c, r)\n";
  };
  CheckBoth("  y = f32[] parameter(0)\n",
            beside("  m = f32[] constant(-1)\n"
                   "  n = f32[] dot(s, m), lhs_contracting_dims={}, rhs_contracting_dims={}\n",
                   "  k = f32[] constant(-0.0)\n  l = f32[] maximum(k, i)\n  r = f32[] rsqrt(l)\n"),
            beside("  n = f32[] negate(s)\n", "  r = f32[] constant(-inf)\n"),
            beside("  n = f32[] copy(s)\n", "  r = f32[] constant(-inf)\n"));
}

TEST_CASE("the sign of a NaN is no difference, where it decides an order") {
  const auto largest = [](const std::string& negated) {
    return "  k = f32[] constant(-1)\n  ks = f32[8] broadcast(k), dimensions={}\n  n = f32[8] " + negated +
           "\n  t = (f32[1], s32[1]) topk(n), k=1, largest=true\n  ROOT r = s32[1] get-tuple-element(t), index=1\n";
  };
  CheckBoth("  x = f32[8] parameter(0)\n", largest("divide(x, ks)"), largest("negate(x)"), largest("abs(x)"));
}

TEST_CASE("a NaN where exponentials overflow may become a number, and no number a NaN") {
  const std::string x = "  x = bf16[8] parameter(0)\n";
  const std::string quotient = "  a = bf16[8] exponential(x)\n  ROOT r = bf16[8] divide(a, a)\n";
  const std::string difference = "  s = bf16[8] subtract(x, x)\n  ROOT r = bf16[8] exponential(s)\n";
  CheckBoth(x, quotient, difference, "  s = bf16[8] add(x, x)\n  ROOT r = bf16[8] exponential(s)\n");
  CheckBoth(x, difference, difference, quotient);
}

TEST_CASE("an order of narrow floats by their bits keeps the ties of these") {
  // 1 + k * 2^-12 are all 1 in bf16, and in the order of their places.
  const auto of = [](const std::string& key, const std::string& operands) {
    return "HloModule m\nless {\n" + operands +
           "}\nENTRY e {\n  x = f32[8]{0} parameter(0)\n"
           "  b = bf16[8]{0} convert(x)\n  i = s32[8]{0} iota(), iota_dimension=0\n" +
           key + "  ROOT r = bf16[8]{0} get-tuple-element(s), index=0\n}\n";
  };
  const std::string sort = "[8]{0}, s32[8]{0}) sort(b, i), dimensions={0}, is_stable=true, to_apply=less\n";
  const std::string places = "  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n";
  const auto by_value = Parse(of("  s = (bf16" + sort, "  p = bf16[] parameter(0)\n  q = bf16[] parameter(1)\n" +
                                                           places + "  ROOT l = pred[] compare(p, q), direction=LT\n"));
  const auto by_bits =
      Parse(of("  s = (bf16" + sort, "  p = bf16[] parameter(0)\n  q = bf16[] parameter(1)\n" + places +
                                         "  k = s16[] bitcast-convert(p)\n"
                                         "  m = s16[] bitcast-convert(q)\n"
                                         "  ROOT l = pred[] compare(k, m), direction=LT\n"));
  Literal x(Shape::Array(PrimitiveType::F32, {8}));
  for (int64_t k = 0; k < 8; ++k) x.SetFromDouble(k, 1 + static_cast<double>(k * 5 % 8) * 0x1p-12);
  const auto verdict = Check(*by_value, *by_bits, {{.devices = {{std::move(x)}}}});
  REQUIRE(verdict.ok());
  INFO(verdict->ToString());
  CHECK(verdict->agrees());
}

TEST_CASE("what overflows in f16 alone says nothing of its integer") {
  // Of -inf the one gives the limit, and of -10^10 the other one more.
  const auto of = [](const std::string& integer) {
    return "HloModule m\nENTRY e {\n  x = f16[8]{0} parameter(0)\n  y = f16[8]{0} sinh(x)\n" + integer + "}\n";
  };
  const std::string written_out =
      "  a = f16[8]{0} abs(y)\n  i = s32[8]{0} convert(a)\n  n = s32[8]{0} negate(i)\n  g = f16[8]{0} sign(y)\n"
      "  z = f16[] constant(0)\n  zs = f16[8]{0} broadcast(z), dimensions={}\n"
      "  less = pred[8]{0} compare(g, zs), direction=LT\n  s = s32[8]{0} select(less, n, i)\n"
      "  k = f16[] constant(-inf)\n  ks = f16[8]{0} broadcast(k), dimensions={}\n"
      "  low = pred[8]{0} compare(y, ks), direction=EQ\n  m = s32[] constant(-2147483648)\n"
      "  ms = s32[8]{0} broadcast(m), dimensions={}\n  ROOT r = s32[8]{0} select(low, ms, s)\n";
  Literal x(Shape::Array(PrimitiveType::F16, {8}));
  for (int64_t k = 0; k < 8; ++k) x.SetFromDouble(k, k < 4 ? -30 - static_cast<double>(k) : 0.25);
  const auto before = Parse(of("  ROOT r = s32[8]{0} convert(y)\n")), after = Parse(of(written_out));
  const auto verdict = Check(*before, *after, {{.devices = {{std::move(x)}}}});
  REQUIRE(verdict.ok());
  INFO(verdict->ToString());
  CHECK(verdict->agrees());
}

TEST_CASE("what overflows in f64 has no wider type to tell") {
  CheckBoth("  x = f64[8] parameter(0)\n  k = f64[] constant(0)\n  z = f64[8] broadcast(k), dimensions={}\n",
            "  a = f64[8] multiply(x, z)\n  ROOT r = f64[8] multiply(a, a)\n",
            "  a = f64[8] multiply(x, x)\n  ROOT r = f64[8] multiply(a, z)\n",
            "  a = f64[8] multiply(x, x)\n  ROOT r = f64[8] add(a, z)\n");
  // Nor beside complex numbers.
  const std::string root = "  ROOT t = (f64[8], c64[2]) tuple(r, c)\n";
  CheckBoth(
      "  x = f64[8] parameter(0)\n  c = c64[2] parameter(1)\n  k = f64[] constant(0)\n  z = f64[8] broadcast(k), "
      "dimensions={}\n",
      "  a = f64[8] multiply(x, z)\n  r = f64[8] multiply(a, a)\n" + root,
      "  a = f64[8] multiply(x, x)\n  r = f64[8] multiply(a, z)\n" + root,
      "  a = f64[8] multiply(x, x)\n  r = f64[8] add(a, z)\n" + root);
}

TEST_CASE("a quotient by a number of elements may be a product with its reciprocal, also where it is exact") {
  const std::string x =
      "  x = f64[3,3,1] parameter(0)\n  y = f64[1] parameter(1)\n  k = f64[] constant(0)\n"
      "  ks = f64[1] broadcast(k), dimensions={}\n  s = f64[1] reduce(x, k), dimensions={0,1}, "
      "to_apply=add\n";
  const auto variance = [](const std::string& direction, const std::string& of_mean) {
    return of_mean +
           "  m = f64[3,3,1] broadcast(mean), dimensions={2}\n  d = f64[3,3,1] subtract(x, m)\n"
           "  q = f64[3,3,1] multiply(d, d)\n  v = f64[1] reduce(q, k), dimensions={0,1}, to_apply=add\n"
           "  ROOT r = pred[1] compare(v, ks), direction=" +
           direction + "\n";
  };
  const std::string product =
      "  n = f64[] constant(0.1111111111111111)\n  ns = f64[1] broadcast(n), dimensions={}\n"
      "  mean = f64[1] multiply(s, ns)\n";
  const std::string quotient =
      "  n = f64[] constant(9)\n  ns = f64[1] broadcast(n), dimensions={}\n"
      "  mean = f64[1] divide(s, ns)\n";
  CheckBoth(x, variance("EQ", quotient), variance("EQ", product), variance("NE", product));
  CheckBoth(x,
            "  b = (f64[3,3,1], f64[1], f64[1]) batch-norm-training(x, y, y), epsilon=0.5, feature_index=2\n"
            "  v = f64[1] get-tuple-element(b), index=2\n  ROOT r = pred[1] compare(v, ks), direction=EQ\n",
            variance("EQ", product), variance("NE", product));
}

TEST_CASE("what was folded step by step may be off by what its steps round, and cancels") {
  const std::string root = "  ROOT r = f32[3] multiply(d, x)\n";
  CheckBoth("  x = f32[3] parameter(0)\n",
            "  c = f32[3] constant({1, 88.4, 175.9})\n  k = f32[] constant(0)\n"
            "  s = f32[] reduce(c, k), dimensions={0}, to_apply=add32\n  n = f32[] constant(3)\n"
            "  m = f32[] divide(s, n)\n  ms = f32[3] broadcast(m), dimensions={}\n  d = f32[3] subtract(c, ms)\n" +
                root,
            "  d = f32[3] constant({-87.4333344, -0.033332825, 87.4666595})\n" + root,
            "  d = f32[3] constant({-87.4333344, -0.0336, 87.4666595})\n" + root);
  // A reduction of nothing is a constant.
  const std::string both = "  ROOT t = (f32[], f32[4]) tuple(d, y)\n";
  CheckBoth("  x = pred[0] parameter(0)\n  y = f32[4] parameter(1)\n",
            "  k = pred[] constant(true)\n  a = pred[] reduce(x, k), dimensions={0}, to_apply=and\n"
            "  c = f32[] convert(a)\n  e = f32[] erf(c)\n  two = f32[] constant(2)\n  d = f32[] subtract(two, e)\n" +
                both,
            "  d = f32[] constant(1.15729928)\n" + both, "  d = f32[] constant(1.15729976)\n" + both);
}

TEST_CASE("a module that rounds to bf16 may round as bf16 does, where its result lies in f64 too") {
  const std::string one =
      "  k = bf16[] constant(1)\n  ks = bf16[64] broadcast(k), dimensions={}\n"
      "  i = bf16[64] divide(ks, x)\n";
  const std::string root = "  ROOT r = f64[64] convert(q)\n";
  CheckBoth("  x = bf16[64] parameter(0)\n", "  q = bf16[64] divide(x, x)\n" + root,
            one + "  q = bf16[64] multiply(x, i)\n" + root,
            one +
                "  j = bf16[64] reduce-precision(i), exponent_bits=8, mantissa_bits=3\n"
                "  q = bf16[64] multiply(x, j)\n" +
                root,
            Outcome::kLessAccurate);
}

TEST_CASE("a folded constant is none of the steps through narrower types beside it") {
  const auto sum = [](const std::string& of_mean) {
    return "  c = f64[9] reduce-precision(x), exponent_bits=5, mantissa_bits=2\n  k = f64[] constant(0)\n"
           "  s = f64[] reduce(c, k), dimensions={0}, to_apply=add\n" +
           of_mean +
           "  ms = f64[9] broadcast(m), dimensions={}\n  d = f64[9] subtract(c, ms)\n  h = f64[] constant(600)\n"
           "  q = f64[] reduce(d, k), dimensions={0}, to_apply=add\n  ROOT r = f64[] add(q, h)\n";
  };
  CheckBoth("  x = f64[9] parameter(0)\n", sum("  n = f64[] constant(9)\n  m = f64[] divide(s, n)\n"),
            sum("  n = f64[] constant(0.1111111111111111)\n  m = f64[] multiply(s, n)\n"),
            sum("  n = f64[] constant(0.1111111111111119)\n  m = f64[] multiply(s, n)\n"));
}

TEST_CASE("a constant folded to bf16 may have few digits") {
  const std::string root = "  r = bf16[24] add(d, x)\n  ROOT t = (bf16[24], bf16[24]) tuple(d, r)\n";
  const auto folded = [&](const std::string& value) {
    return "  k = bf16[] constant(" + value + ")\n  d = bf16[24] broadcast(k), dimensions={}\n" + root;
  };
  CheckBoth("  x = bf16[24] parameter(0)\n",
            "  s = bf16[] constant(7)\n  ss = bf16[24] broadcast(s), dimensions={}\n  h = bf16[] constant(100)\n"
            "  hs = bf16[24] broadcast(h), dimensions={}\n  d = bf16[24] divide(ss, hs)\n" +
                root,
            folded("0.0703125"), folded("0.0712890625"));
}

TEST_CASE("one number of f16 may have been rounded by next to nothing") {
  const auto of = [](const std::string& quotient) {
    return quotient +
           "  c = f32[] convert(q)\n  cs = f32[8] broadcast(c), dimensions={}\n  ROOT r = f32[8] multiply(cs, x)\n";
  };
  const std::string negated = "  n = f16[] negate(z)\n  p = f16[] power(y, n)\n";
  CheckBoth("  x = f32[8] parameter(0)\n  y = f16[] parameter(1)\n  z = f16[] parameter(2)\n",
            of("  p = f16[] power(y, z)\n  q = f16[] divide(y, p)\n"), of(negated + "  q = f16[] multiply(y, p)\n"),
            of(negated + "  g = f16[] reduce-precision(p), exponent_bits=5, mantissa_bits=4\n"
                         "  q = f16[] multiply(y, g)\n"));
}

TEST_CASE("what f64 only held for a while was rounded to f32 before") {
  const auto module = [](const std::string& sinh) {
    return "HloModule m\nright { y = f32[] parameter(0) s = f32[] sinh(y) c = f64[] convert(s) ROOT t = (f64[]) "
           "tuple(c) }\n"
           "left { y = f32[] parameter(0) c = f64[] constant(0) ROOT t = (f64[]) tuple(c) }\n"
           "ENTRY e {\n  x = f32[] parameter(0)\n  d = f32[] multiply(x, x)\n" +
           sinh + "  ROOT t = (f32[], f32[]) tuple(d, r)\n}\n";
  };
  const std::string before = module(
      "  k = pred[] constant(true)\n  c = (f64[]) conditional(k, x, d), true_computation=right, "
      "false_computation=left\n"
      "  g = f64[] get-tuple-element(c), index=0\n  r = f32[] convert(g)\n");
  CheckOptions unproved;
  unproved.proofs = Proofs::kNone;
  CHECK(VerdictOf(before, module("  r = f32[] sinh(x)\n"), unproved).agrees());
  CHECK(VerdictOf(before,
                  module("  s = f32[] sinh(x)\n  r = f32[] reduce-precision(s), exponent_bits=8, mantissa_bits=20\n"))
            .outcome == Outcome::kLessAccurate);
}

TEST_CASE("a batch norm that was folded has rounded as its steps do") {
  const auto inference = [](const std::string& result) {
    return result + "  ROOT t = (f32[5,4], f32[4]) tuple(r, x)\n";
  };
  const auto folded = [&](const std::string& value) {
    return inference("  k = f32[] constant(" + value + ")\n  r = f32[5,4] broadcast(k), dimensions={}\n");
  };
  CheckBoth("  x = f32[4] parameter(0)\n",
            inference("  a = f32[] constant(3)\n  as = f32[4] broadcast(a), dimensions={}\n  b = f32[] constant(4)\n"
                      "  bs = f32[4] broadcast(b), dimensions={}\n  o = f32[] constant(1)\n"
                      "  os = f32[5,4] broadcast(o), dimensions={}\n"
                      "  r = f32[5,4] batch-norm-inference(os, as, bs, bs, bs), epsilon=0.5, feature_index=1\n"),
            folded("-0.242640495"), folded("-0.24265"));
  const auto variance = [](const std::string& value) {
    return "  v = f32[] constant(" + value +
           ")\n  r = f32[2] broadcast(v), dimensions={}\n  ROOT t = (f32[2], f32[2]) tuple(r, x)\n";
  };
  CheckBoth("  x = f32[2] parameter(0)\n",
            "  a = f32[] constant(-3)\n  as = f32[7,4,2] broadcast(a), dimensions={}\n"
            "  b = (f32[7,4,2], f32[2], f32[2]) batch-norm-training(as, x, x), epsilon=0.5, feature_index=2\n"
            "  r = f32[2] get-tuple-element(b), index=2\n  ROOT t = (f32[2], f32[2]) tuple(r, x)\n",
            variance("5.684e-14"), variance("5.684e-10"));
  CheckBoth("  x = f32[2] parameter(0)\n",
            "  a = f32[] constant(100)\n  as = f32[7,2] broadcast(a), dimensions={}\n"
            "  b = (f32[7,2], f32[2], f32[2]) batch-norm-training(as, x, x), epsilon=0.5, feature_index=1\n"
            "  r = f32[2] get-tuple-element(b), index=2\n  ROOT t = (f32[2], f32[2]) tuple(r, x)\n",
            variance("5.82076609e-11"), variance("5.82076609e-8"));
  // The mean is off by one unit, which is all that is left of the difference.
  const auto off = [](const std::string& value) {
    return "  k = f32[] constant(" + value +
           ")\n  ks = f32[3] broadcast(k), dimensions={}\n  m = f32[3] multiply(ks, x)\n  r = f32[3] add(m, x)\n"
           "  q = f32[7,3] broadcast(r), dimensions={1}\n  ROOT t = (f32[7,3], f32[3]) tuple(q, x)\n";
  };
  CheckBoth("  x = f32[3] parameter(0)\n",
            "  a = f32[] constant(6)\n  as = f32[7,3] broadcast(a), dimensions={}\n"
            "  b = (f32[7,3], f32[3], f32[3]) batch-norm-training(as, x, x), epsilon=0.5, feature_index=1\n"
            "  q = f32[7,3] get-tuple-element(b), index=0\n  ROOT t = (f32[7,3], f32[3]) tuple(q, x)\n",
            off("-6.74349565e-07"), off("-6.74e-05"));
  // Its epsilon is the only constant here.
  const auto scaled = [](const std::string& root) {
    return "  k = f64[] constant(" + root +
           ")\n  ks = f64[2] broadcast(k), dimensions={}\n  f = f64[2] multiply(x, ks)\n"
           "  d = f64[2] subtract(y, x)\n  m = f64[2] multiply(d, f)\n  ROOT r = f64[2] add(m, x)\n";
  };
  CheckBoth("  x = f64[2] parameter(0)\n  y = f64[2] parameter(1)\n  z = s16[2] parameter(2)\n",
            "  n = s16[2] subtract(z, z)\n  v = f64[2] convert(n)\n"
            "  ROOT r = f64[2] batch-norm-inference(y, x, x, x, v), epsilon=0.5, feature_index=0\n",
            scaled("1.4142135623730949"), scaled("1.4142135623730985"));
}

TEST_CASE("an iota is a constant, too: what is computed from it may have been folded") {
  const auto folded = [](const std::string& first) {
    return "  u = f32[4]{0} constant({" + first +
           ", 4.35424852, 9.64575195, 14.9372535})\n  ROOT r = f32[4]{0} multiply(u, x)\n";
  };
  CheckBoth("  x = f32[4]{0} parameter(0)\n",
            "  i = s8[3,4]{1,0} iota(), iota_dimension=1\n  c = f32[3,4]{1,0} convert(i)\n"
            "  k = f32[] constant(7)\n  s = f32[1]{0} broadcast(k), dimensions={}\n"
            "  d = f32[3,4,1]{2,1,0} reshape(c)\n  b = (f32[3,4,1], f32[1], f32[1]) batch-norm-training(d, s, s), "
            "epsilon=0.5, feature_index=2\n  q = f32[3,4,1]{2,1,0} get-tuple-element(b), index=0\n"
            "  t = f32[1,4,1]{2,1,0} slice(q), slice={[0:1], [0:4], [0:1]}\n  u = f32[4]{0} reshape(t)\n"
            "  ROOT r = f32[4]{0} multiply(u, x)\n",
            folded("-0.937253475"), folded("-0.93723"));
}

TEST_CASE("a step through a narrower type beside another result of its fusion is none of that one's") {
  const std::string reduced = "  p = f16[12]{0} reduce-precision(x), exponent_bits=8, mantissa_bits=2\n";
  const std::string once =
      "HloModule m\nENTRY e {\n  x = f16[12]{0} parameter(0)\n" + reduced +
      "  k = f16[] constant(3)\n  ks = f16[12]{0} broadcast(k), dimensions={}\n  q = f16[12]{0} power(x, ks)\n"
      "  ROOT t = (f16[12]{0}, f16[12]{0}) tuple(p, q)\n}\n";
  const auto fused = [&](const std::string& factor) {
    return "HloModule m\nf {\n  x = f16[12]{0} parameter(0)\n" + reduced + "  s = f16[12]{0} multiply(x, " + factor +
           ")\n  q = f16[12]{0} multiply(s, x)\n  ROOT t = (f16[12]{0}, f16[12]{0}) tuple(p, q)\n}\n"
           "ENTRY e {\n  x = f16[12]{0} parameter(0)\n  ROOT t = (f16[12]{0}, f16[12]{0}) fusion(x), kind=kLoop, "
           "calls=f\n}\n";
  };
  CHECK(VerdictOf(once, fused("x")).agrees());
  CHECK(VerdictOf(once, fused("p")).outcome == Outcome::kLessAccurate);
}

TEST_CASE("what a branch computes from the constant that it is handed may have been folded") {
  // A loop that ends with 4, which hardly any pass sees through.
  const auto module = [](const std::string& branch, const std::string& loop) {
    return "HloModule m\nright {\n  k = u32[] parameter(0)\n" + branch +
           "  ROOT t = (f32[2]) tuple(r)\n}\nleft { x = f32[2] parameter(0) ROOT t = (f32[2]) tuple(x) }\n"
           "body { p = (u32[]) parameter(0) i = u32[] get-tuple-element(p), index=0 two = u32[] constant(2) n = u32[] "
           "add(i, two) ROOT t = (u32[]) tuple(n) }\n"
           "condition { p = (u32[]) parameter(0) i = u32[] get-tuple-element(p), index=0 three = u32[] constant(3) "
           "ROOT less = pred[] compare(i, three), direction=LT }\n"
           "ENTRY e {\n  p = pred[] parameter(0)\n  x = f32[2] parameter(1)\n" +
           loop +
           "  c = (f32[2]) conditional(p, four, x), true_computation=right, false_computation=left\n"
           "  y = f32[2] get-tuple-element(c), index=0\n  ROOT r = f32[2] multiply(y, x)\n}\n";
  };
  const auto folded = [&](const std::string& value) {
    return module("  q = f32[] constant(" + value + ")\n  r = f32[2] broadcast(q), dimensions={}\n",
                  "  four = u32[] constant(4)\n");
  };
  const std::string computed = module(
      "  c = f32[] convert(k)\n  e = f32[] exponential-minus-one(c)\n  q = f32[] remainder(e, c)\n"
      "  r = f32[2] broadcast(q), dimensions={}\n",
      "  zero = u32[] constant(0)\n  s = (u32[]) tuple(zero)\n  w = (u32[]) while(s), condition=condition, body=body\n"
      "  four = u32[] get-tuple-element(w), index=0\n");
  CHECK(VerdictOf(computed, folded("1.59814835")).agrees());
  CHECK(VerdictOf(computed, folded("1.5982")).outcome == Outcome::kDisagree);
}

TEST_CASE("a function of constants is folded as exactly as functions are computed") {
  const auto folded = [](const std::string& value) {
    return "  k = f64[] constant(" + value + ")\n  ks = f64[3] broadcast(k), dimensions={}\n" +
           "  ROOT r = f64[3] multiply(ks, x)\n";
  };
  CheckBoth("  x = f64[3] parameter(0)\n",
            "  e = pred[3] compare(x, x), direction=EQ, type=TOTALORDER\n  o = f64[3] convert(e)\n"
            "  m = f64[3] exponential-minus-one(o)\n  ROOT r = f64[3] multiply(m, x)\n",
            folded("1.7182818284590451"), folded("1.7182818284590473"));
}

TEST_CASE("many constants may have been folded at once, and what their roundings do cancel") {
  // Their parts of the sum are as large as one another, up to the sign.
  const auto sum = [](const std::string& third, const std::string& seventh, const std::string& root) {
    return "  a = f32[] constant(" + third + ")\n  as = f32[4] broadcast(a), dimensions={}\n  b = f32[] constant(" +
           seventh + ")\n  bs = f32[4] broadcast(b), dimensions={}\n" + root;
  };
  const auto root = [](const std::string& op) {
    return "  p = f32[4] " + op + "(x, as)\n  q = f32[4] " + op +
           "(x, bs)\n  s = f32[4] subtract(p, q)\n  ROOT r = f32[4] multiply(s, x)\n";
  };
  const std::string divide = root("divide"), multiply = root("multiply");
  CheckBoth("  x = f32[4] parameter(0)\n", sum("13", "13.00005", divide), sum("0.0769230798", "0.0769227818", multiply),
            sum("0.0769230798", "0.0769227371", multiply));
}

TEST_CASE("a rounding in a map counts as one of an elementwise operation") {
  const auto module = [](const std::string& body) {
    return "HloModule m\nconverted { n = s32[] parameter(0) ROOT c = f32[] convert(n) }\nENTRY e {\n  n = s32[8] "
           "parameter(0)\n  y = f32[8] parameter(1)\n" +
           body + "  ROOT r = f32[8] multiply(c, y)\n}\n";
  };
  const std::string map = module("  c = f32[8] map(n), dimensions={0}, to_apply=converted\n");
  CheckOptions unproved;
  unproved.proofs = Proofs::kNone;
  CHECK(VerdictOf(map, module("  c = f32[8] convert(n)\n"), unproved).agrees());
  CHECK(VerdictOf(map, module("  b = bf16[8] convert(n)\n  c = f32[8] convert(b)\n"), unproved).outcome ==
        Outcome::kLessAccurate);
}

TEST_CASE("double-double has no low parts where f64 ends") {
  // As the corner cases of an input are as large as f64 goes.
  const std::string inverse =
      "  k = f64[] constant(1)\n  ks = f64[3] broadcast(k), dimensions={}\n  i = f64[3] divide(ks, x)\n";
  CheckBoth("  x = f64[3] parameter(0)\n", "  ROOT r = f64[3] divide(x, x)\n",
            inverse + "  ROOT r = f64[3] multiply(x, i)\n",
            inverse +
                "  o = f64[] constant(1.0000000000000002)\n  os = f64[3] broadcast(o), dimensions={}\n"
                "  m = f64[3] multiply(x, i)\n  ROOT r = f64[3] multiply(m, os)\n");
}

TEST_CASE("a reciprocal may be negated before it is rounded, and quotients in a loop be products") {
  const auto product = [](const std::string& constant) {
    return "  c = bf16[] constant(" + constant + ")\n  ROOT r = bf16[] multiply(x, c)\n";
  };
  CheckBoth("  x = bf16[] parameter(0)\n",
            "  n = bf16[] negate(x)\n  c = bf16[] constant(100)\n  ROOT r = bf16[] divide(n, c)\n", product("-0.01001"),
            product("-0.0102"));
  const auto module = [](const std::string& value) {
    return "HloModule m\nbody { p = (f32[], s32[]) parameter(0) v = f32[] get-tuple-element(p), index=0 i = s32[] "
           "get-tuple-element(p), index=1 three = f32[] constant(3) q = f32[] divide(v, three) one = s32[] constant(1) "
           "n = s32[] add(i, one) ROOT t = (f32[], s32[]) tuple(q, n) }\n"
           "condition { p = (f32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=1 four = s32[] "
           "constant(4) "
           "ROOT less = pred[] compare(i, four), direction=LT }\n"
           "ENTRY e {\n  x = f32[] parameter(0)\n" +
           value + "  ROOT t = (f32[], f32[]) tuple(v, x)\n}\n";
  };
  const std::string loop = module(
      "  two = f32[] constant(2)\n  zero = s32[] constant(0)\n  s = (f32[], s32[]) tuple(two, zero)\n"
      "  w = (f32[], s32[]) while(s), condition=condition, body=body\n  v = f32[] get-tuple-element(w), index=0\n");
  CheckOptions unproved;
  unproved.proofs = Proofs::kNone;
  CHECK(VerdictOf(loop, module("  v = f32[] constant(0.0246913619)\n"), unproved).agrees());
  CHECK(VerdictOf(loop, module("  v = f32[] constant(0.02469140)\n")).outcome == Outcome::kDisagree);
}

TEST_CASE("a rounding to bf16 hides no difference before it, and a constant may have been folded to bf16") {
  const auto rounded = [](const std::string& constant) {
    return Module("  k = f32[] constant(" + constant +
                  ")\n  ks = f32[64]{0} broadcast(k), dimensions={}\n  p = f32[64]{0} multiply(x, ks)\n"
                  "  ROOT r = bf16[64]{0} convert(p)");
  };
  const Verdict wrong = VerdictOf(rounded("1.1"), rounded("1.10000014"));
  CHECK(wrong.outcome == Outcome::kDisagree);
  const auto folded = [](const std::string& constant) {
    return Module("  n = bf16[64]{0} convert(x)\n" + constant +
                  "  ks = bf16[64]{0} broadcast(k), dimensions={}\n  ROOT r = bf16[64]{0} multiply(n, ks)");
  };
  const std::string before = folded("  c = f32[] constant(1.1)\n  k = bf16[] convert(c)\n");
  CHECK(VerdictOf(before, folded("  k = bf16[] constant(1.1015625)\n")).agrees());
  CHECK(VerdictOf(before, folded("  k = bf16[] constant(1.109375)\n")).outcome == Outcome::kDisagree);
}

TEST_CASE("a result that loses its sign at a point where the other module is infinite is wrong") {
  // At 1 and -1 the formula alone gives the other infinity.
  const std::string formula =
      "  s = f32[64]{0} multiply(x, x)\n  n = f32[64]{0} negate(s)\n  l = f32[64]{0} log-plus-one(n)\n"
      "  f = f32[64]{0} multiply(l, x)\n";
  const std::string before =
      Module(formula +
             "  a = f32[64]{0} abs(x)\n  k = f32[] constant(1)\n  ks = f32[64]{0} broadcast(k), dimensions={}\n"
             "  at = pred[64]{0} compare(a, ks), direction=EQ\n  i = f32[] constant(inf)\n"
             "  is = f32[64]{0} broadcast(i), dimensions={}\n  m = f32[64]{0} multiply(x, is)\n"
             "  ROOT r = f32[64]{0} select(at, m, f)");
  CHECK(VerdictOf(before, Module(formula + "  ROOT r = f32[64]{0} add(f, f)")).outcome == Outcome::kDisagree);
  CHECK(VerdictOf(before, Module(formula + "  ROOT r = f32[64]{0} copy(f)")).outcome == Outcome::kDisagree);
}

TEST_CASE("steps that are exact in bf16 do not excuse a rounding to it") {
  const std::string exact =
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
      "  u = u4[96] parameter(0)\n  x = f32[96] parameter(1)\n  b = bf16[96] convert(u)\n  k = bf16[] constant(8)\n"
      "  ks = bf16[96] broadcast(k), dimensions={}\n  d = bf16[96] subtract(b, ks)\n  f = f32[96] convert(d)\n";
  const std::string before = exact + "  ROOT r = f32[96] multiply(f, x)\n}\n";
  const std::string after = exact +
                            "  p = f32[96] multiply(f, x)\n  n = bf16[96] convert(p)\n"
                            "  ROOT r = f32[96] convert(n)\n}\n";
  CheckOptions unproved;
  unproved.proofs = Proofs::kNone;
  CHECK(VerdictOf(before, after, unproved).outcome == Outcome::kLessAccurate);
}
