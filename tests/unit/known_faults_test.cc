// check/known_faults.h: for each row a pair of modules that shows the fault, and one that has the same pattern and is
// right.
#include "check/known_faults.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

struct Pair {
  std::string before, wrong, right;
  std::vector<InputSet> inputs = {};  // where made-up ones may not show it
};

// f32[8] of this number.
Literal Full(double number) {
  Literal literal(Shape::Array(PrimitiveType::F32, {8}));
  for (int64_t i = 0; i < 8; ++i) literal.SetFromDouble(i, number);
  return literal;
}

std::string Module(const std::string& body) { return "HloModule m\nENTRY e {\n" + body + "\n}\n"; }

Pair Entries(const std::string& parameters, const std::string& before, const std::string& wrong,
             const std::string& right) {
  return {Module(parameters + before), Module(parameters + wrong), Module(parameters + right), {}};
}

// By the rows' names.
std::map<std::string_view, Pair> Pairs() {
  const std::string x = "  x = f32[8] parameter(0)\n", y = "  y = f32[8] parameter(1)\n";
  const std::string ints = "  a = s32[8] parameter(0)\n  b = s32[8] parameter(1)\n  c = s32[8] parameter(2)\n";
  std::map<std::string_view, Pair> pairs;
  pairs["predicate-product"] = Entries(
      x + "  p = pred[8] parameter(1)\n  zero = f32[] constant(0)\n  zeros = f32[8] broadcast(zero), dimensions={}\n",
      "  c = f32[8] convert(p)\n  ROOT r = f32[8] multiply(x, c)", "  ROOT r = f32[8] select(p, x, zeros)",
      "  c = f32[8] convert(p)\n  ROOT r = f32[8] multiply(c, x)");
  pairs["exponential-product"] =
      Entries(x + y, "  e = f32[8] exponential(x)\n  f = f32[8] exponential(y)\n  ROOT r = f32[8] multiply(e, f)",
              "  s = f32[8] add(x, y)\n  ROOT r = f32[8] exponential(s)",
              "  e = f32[8] exponential(x)\n  f = f32[8] exponential(y)\n  ROOT r = f32[8] multiply(f, e)");
  pairs["log-of-exponential"] =
      Entries(x, "  e = f32[8] exponential(x)\n  ROOT r = f32[8] log(e)", "  ROOT r = f32[8] copy(x)",
              "  d = f32[8] copy(x)\n  e = f32[8] exponential(d)\n  ROOT r = f32[8] log(e)");
  pairs["log-of-power"] = Entries(x + y, "  p = f32[8] power(x, y)\n  ROOT r = f32[8] log(p)",
                                  "  a = f32[8] abs(x)\n  l = f32[8] log(a)\n  ROOT r = f32[8] multiply(l, y)",
                                  "  p = f32[8] power(x, y)\n  c = f32[8] copy(p)\n  ROOT r = f32[8] log(c)");
  pairs["power-of-exponential"] =
      Entries(x + y, "  e = f32[8] exponential(x)\n  ROOT r = f32[8] power(e, y)",
              "  s = f32[8] multiply(x, y)\n  ROOT r = f32[8] exponential(s)",
              "  e = f32[8] exponential(x)\n  c = f32[8] copy(e)\n  ROOT r = f32[8] power(c, y)");
  pairs["root-of-square"] =
      Entries(x, "  s = f32[8] multiply(x, x)\n  ROOT r = f32[8] sqrt(s)", "  ROOT r = f32[8] abs(x)",
              "  s = f32[8] multiply(x, x)\n  t = f32[8] sqrt(s)\n  ROOT r = f32[8] abs(t)");
  const std::string difference =
      x +
      "  c = f32[] constant(1)\n  cs = f32[8] broadcast(c), dimensions={}\n  s = f32[8] subtract(cs, x)\n"
      "  d = f32[] constant(1e-10)\n  ds = f32[8] broadcast(d), dimensions={}\n";
  pairs["lost-constant"] = Entries(difference, "  t = f32[8] add(s, ds)\n  ROOT r = f32[8] log(t)",
                                   "  ROOT r = f32[8] log(s)", "  t = f32[8] add(ds, s)\n  ROOT r = f32[8] log(t)");
  pairs["lost-constant"].inputs = {{.devices = {{Full(1)}}}};
  pairs["integer-inverse"] = Entries(
      ints +
          "  m = s32[] constant(-1)\n  ms = s32[8] broadcast(m), dimensions={}\n  u = s32[] constant(1)\n  us = "
          "s32[8] broadcast(u), dimensions={}\n",
      "  ROOT r = s32[8] power(a, ms)", "  ROOT r = s32[8] divide(us, a)",
      "  d = s32[8] copy(a)\n  ROOT r = s32[8] power(d, ms)");
  // The result of an operation on the constants m and n, beside a parameter, folded to `wrong`.
  const auto folded = [](const std::string& type, const std::string& m, const std::string& n, const std::string& op,
                         const std::string& wrong, const std::string& joined) {
    const std::string sum = "  ROOT r = " + type + joined;
    return Entries("  a = " + type + " parameter(0)\n  m = " + type + " constant(" + m + ")\n  n = " + type +
                       " constant(" + n + ")\n",
                   op + sum + "(a, p)", "  p = " + type + " constant(" + wrong + ")\n" + sum + "(a, p)",
                   op + sum + "(p, a)");
  };
  const std::string power = "  p = s32[] power(m, n)\n";
  pairs["negative-power"] = folded("s32[]", "-1", "-3", power, "0", " add");
  pairs["inverse-of-zero"] = folded("s32[]", "0", "-1", power, "-1", " add");
  pairs["large-power"] = folded("s32[]", "3", "100", power, "-1953380655", " add");
  pairs["log-of-constant-power"] =
      folded("f32[]", "-1", "7", "  q = f32[] power(m, n)\n  p = f32[] log(q)\n", "0", " add");
  pairs["predicate-clamp"] = folded("pred[]", "false", "true", "  p = pred[] clamp(m, m, n)\n", "true", " and");
  pairs["quotient-by-power"] =
      Entries(ints, "  p = s32[8] power(b, c)\n  ROOT r = s32[8] divide(a, p)",
              "  n = s32[8] negate(c)\n  p = s32[8] power(b, n)\n  ROOT r = s32[8] multiply(a, p)",
              "  p = s32[8] power(b, c)\n  q = s32[8] copy(p)\n  ROOT r = s32[8] divide(a, q)");
  const std::string slices = "  x = f32[8] parameter(0)\n  i = s32[] parameter(1)\n  j = s32[] parameter(2)\n";
  const std::string first = "  f = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}\n";
  pairs["slice-of-slice"] =
      Entries(slices, first + "  ROOT r = f32[2] dynamic-slice(f, j), dynamic_slice_sizes={2}",
              "  s = s32[] add(i, j)\n  ROOT r = f32[2] dynamic-slice(x, s), dynamic_slice_sizes={2}",
              first + "  g = f32[4] copy(f)\n  ROOT r = f32[2] dynamic-slice(g, j), dynamic_slice_sizes={2}");
  const std::string large = "  k = f32[] constant(1e30)\n  ks = f32[8] broadcast(k), dimensions={}\n";
  pairs["constant-overflow"] =
      Entries(x, large + "  s = f32[8] multiply(ks, x)\n  ROOT r = f32[8] multiply(ks, s)",
              "  k = f32[] constant(inf)\n  ks = f32[8] broadcast(k), dimensions={}\n  ROOT r = f32[8] multiply(ks, x)",
              large + "  s = f32[8] multiply(x, ks)\n  ROOT r = f32[8] multiply(s, ks)");
  pairs["maximum-of-clamp"] =
      Entries(ints, "  k = s32[8] clamp(a, b, c)\n  ROOT r = s32[8] maximum(a, k)", "  ROOT r = s32[8] clamp(a, b, c)",
              "  k = s32[8] clamp(a, b, c)\n  ROOT r = s32[8] maximum(k, a)");
  pairs["absolute-of-square"] =
      Entries(ints, "  s = s32[8] multiply(a, a)\n  ROOT r = s32[8] abs(s)", "  ROOT r = s32[8] multiply(a, a)",
              "  s = s32[8] multiply(a, a)\n  t = s32[8] copy(s)\n  ROOT r = s32[8] abs(t)");
  pairs["leading-zeros"] =
      Entries("  a = s32[] parameter(0)\n",
              "  p = pred[] constant(true)\n  m = s32[] constant(-3)\n  l = s32[] constant(4)\n"
              "  k = s32[] select(p, m, l)\n  z = s32[] count-leading-zeros(k)\n  ROOT r = s32[] add(a, z)",
              "  z = s32[] constant(-32)\n  ROOT r = s32[] add(a, z)",
              "  k = s32[] constant(-3)\n  z = s32[] count-leading-zeros(k)\n  ROOT r = s32[] add(z, a)");
  const auto random = [](const std::string& type) {
    return Module("  s = u64[2] parameter(0)\n  r = (u64[2], " + type +
                  "[8]) rng-bit-generator(s), algorithm=rng_philox\n  b = " + type +
                  "[8] get-tuple-element(r), index=1\n  ROOT f = f32[8] convert(b)");
  };
  pairs["random-type"] = {random("s16"), random("u16"),
                          Module("  s = u64[2] parameter(0)\n  c = u64[2] copy(s)\n"
                                 "  r = (u64[2], s16[8]) rng-bit-generator(c), algorithm=rng_philox\n"
                                 "  b = s16[8] get-tuple-element(r), index=1\n  ROOT f = f32[8] convert(b)")};
  const std::string add =
      "HloModule m\nf {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(p, q)\n}\nENTRY e {\n  i = s32[4,0] parameter(0)\n"
      "  x = f32[1] parameter(1)\n  u = f32[4] parameter(2)\n";
  const std::string scatter =
      "scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={}, "
      "index_vector_dim=1, to_apply=f\n";
  pairs["scatter-without-index"] = {add + "  ROOT r = f32[1] " + scatter + "}\n",
                                    add + "  l = f32[1] slice(u), slice={[3:4]}\n  ROOT r = f32[1] add(x, l)\n}\n",
                                    add + "  t = f32[1] " + scatter + "  ROOT r = f32[1] copy(t)\n}\n"};
  const std::string images = "  x = f32[1,3,1] parameter(0)\n  w = f32[3,1,1] parameter(1)\n";
  const auto convolution = [](const std::string& window) {
    return "f32[1,1,1] convolution(x, w), window={" + window + "}, dim_labels=b0f_0io->b0f\n";
  };
  pairs["reversed-window"] =
      Entries(images, "  ROOT r = " + convolution("size=3 rhs_reversal=1"), "  ROOT r = " + convolution("size=3"),
              "  c = " + convolution("size=3 rhs_reversal=1") + "  ROOT r = f32[1,1,1] copy(c)");
  const std::string factors = "  x = bf16[4,64] parameter(0)\n  y = bf16[64,4] parameter(1)\n";
  const auto dot = [](const std::string& type) {
    return type + "[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  };
  pairs["integer-dot"] =
      Entries(factors, "  ROOT r = " + dot("s32"), "  d = " + dot("bf16") + "  ROOT r = s32[4,4] convert(d)",
              "  d = " + dot("s32") + "  ROOT r = s32[4,4] copy(d)");
  pairs["stochastic-fraction"] = Entries("  x = f8e4m3b11fnuz[8] parameter(0)\n  b = u8[8] parameter(1)\n",
                                         "  ROOT r = s8[8] stochastic-convert(x, b)", "  ROOT r = s8[8] convert(x)",
                                         "  c = u8[8] copy(b)\n  ROOT r = s8[8] stochastic-convert(x, c)");
  const std::string turns =
      "HloModule m\nc {\n  p = (s32[], f32[8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  n = s32[] constant(1)\n  ROOT l = pred[] compare(i, n), direction=LT\n}\nb {\n"
      "  p = (s32[], f32[8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  x = f32[8] get-tuple-element(p), index=1\n  two = s32[] constant(2)\n  j = s32[] add(i, two)\n"
      "  y = f32[8] add(x, x)\n  ROOT t = (s32[], f32[8]) tuple(j, y)\n}\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  z = s32[] constant(0)\n  t = (s32[], f32[8]) tuple(z, x)\n"
      "  w = (s32[], f32[8]) while(t), condition=c, body=b\n";
  pairs["long-step"] = {turns + "  ROOT r = f32[8] get-tuple-element(w), index=1\n}\n",
                        Module("  x = f32[8] parameter(0)\n  ROOT r = f32[8] copy(x)"),
                        turns + "  g = f32[8] get-tuple-element(w), index=1\n  ROOT r = f32[8] copy(g)\n}\n"};
  // In the branch that a constant selects.
  pairs["denormal-logarithm"] = {
      "HloModule m\nt {\n  p = f32[] parameter(0)\n  ROOT r = (f32[]) tuple(p)\n}\nf {\n  p = s32[] parameter(0)\n"
      "  b = f32[] bitcast-convert(p)\n  ROOT r = (f32[]) tuple(b)\n}\nENTRY e {\n  x = f32[] parameter(0)\n"
      "  no = pred[] constant(false)\n  k = s32[] constant(2)\n"
      "  c = (f32[]) conditional(no, x, k), true_computation=t, false_computation=f\n"
      "  g = f32[] get-tuple-element(c), index=0\n  l = f32[] log(g)\n  ROOT r = f32[] add(x, l)\n}\n",
      Module("  x = f32[] parameter(0)\n  l = f32[] constant(-103.972)\n  ROOT r = f32[] add(x, l)"),
      Module("  x = f32[] parameter(0)\n  k = f32[] constant(2.8026e-45)\n  l = f32[] log(k)\n  ROOT r = f32[] add(x, "
             "l)")};
  const auto given = [&](std::string_view name, std::vector<Literal> arguments) {
    pairs[name].inputs.emplace_back().devices.push_back(std::move(arguments));
  };
  given("exponential-product", {Full(100), Full(-80)});
  given("log-of-exponential", {Full(100)});
  given("power-of-exponential", {Full(100), Full(0.5)});
  given("root-of-square", {Full(1e30)});
  return pairs;
}

}  // namespace

TEST_CASE("each known fault is named in a pair that shows it, and not where the pattern stays") {
  const std::map<std::string_view, Pair> pairs = Pairs();
  CHECK(pairs.size() == check::KnownFaults().size());
  for (const check::KnownFault& fault : check::KnownFaults()) {
    INFO(fault.name);
    REQUIRE(pairs.count(fault.name) == 1);
    const Pair& pair = pairs.at(fault.name);
    const auto before = Parse(pair.before), wrong = Parse(pair.wrong), right = Parse(pair.right);
    const auto found = check::FindKnownFaults(*before, *wrong);
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == fault.name);
    CHECK((fault.after == nullptr) == found[0].after.empty());
    CHECK(check::FindKnownFaults(*before, *right).empty());
    CHECK(check::FindKnownFaults(*wrong, *before).empty());
  }
}

TEST_CASE("a verdict names the known fault where modules differ, and none where they agree") {
  for (const auto& [name, pair] : Pairs()) {
    const auto before = Parse(pair.before), wrong = Parse(pair.wrong), right = Parse(pair.right);
    const auto verdict = Check(*before, *wrong, pair.inputs), other = Check(*before, *right);
    INFO(name);
    REQUIRE((verdict.ok() && other.ok()));
    INFO(verdict->ToString() << "\n" << other->ToString());
    CHECK((verdict->outcome == Outcome::kDisagree || !verdict->finite_only.empty()));
    REQUIRE(verdict->faults.size() == 1);
    CHECK(verdict->faults[0].name == name);
    CHECK(verdict->ToString().find("known fault: " + std::string(name)) != std::string::npos);
    CHECK(other->agrees());
    CHECK(other->faults.empty());
  }
}

TEST_CASE("a known fault is seen through fusions, broadcasts and copies") {
  const auto before = Parse(
      Module("  x = f32[8] parameter(0)\n  p = pred[] parameter(1)\n  c = f32[] convert(p)\n  b = f32[8] broadcast(c), "
             "dimensions={}\n  ROOT r = f32[8] multiply(x, b)"));
  const auto after = Parse(
      "HloModule m\nf {\n  x = f32[8] parameter(0)\n  p = pred[8] parameter(1)\n  z = f32[8] parameter(2)\n  ROOT s = "
      "f32[8] select(p, x, z)\n}\nENTRY e {\n  x = f32[8] parameter(0)\n  p = pred[] parameter(1)\n  b = pred[8] "
      "broadcast(p), dimensions={}\n  zero = f32[] constant(0)\n  zeros = f32[8] broadcast(zero), dimensions={}\n  "
      "ROOT r = f32[8] fusion(x, b, zeros), kind=kLoop, calls=f\n}\n");
  const auto found = check::FindKnownFaults(*before, *after);
  REQUIRE(found.size() == 1);
  CHECK(found[0].before == "r");
  CHECK(found[0].after == "s");
}
