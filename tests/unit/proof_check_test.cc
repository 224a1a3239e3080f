// Proofs as files: what the prover writes is accepted, and what is false is not: other modules under the same proof,
// pairs that only look equal under each rule, and lines that were altered.
#include "proof_check/proof_check.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "equivalence/write_proof.h"
#include "hloir/evaluator.h"
#include "hloir/parser.h"
#include "proof_check/evaluate.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;
using proof_check::Arithmetic;
using proof_check::CheckedProof;
using proof_check::Number;
using proof_check::Order;

namespace {

std::unique_ptr<HloModule> ModuleOf(const std::string& text) {
  auto module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  return std::move(*module);
}

// Two modules, one behind the other.
struct TwoModules {
  explicit TwoModules(const std::string& text) {
    const size_t second = text.find("HloModule after");
    REQUIRE(second != std::string::npos);
    before = ModuleOf(text.substr(0, second));
    after = ModuleOf(text.substr(second));
  }
  std::unique_ptr<HloModule> before, after;

  // The outcome of a proof with these lines.
  std::string Check(const std::string& lines) const {
    const auto checker = proof_check::Checker::Make(*before, *after);
    REQUIRE(checker.status().message() == "");
    const auto checked =
        proof_check::CheckProof(*before, *after, ProofText(*before, *after, **checker, {}, {}) + lines);
    if (!checked.ok()) return std::string(checked.status().message());
    return checked->outcome == proof_check::Outcome::kHolds ? (checked->bits ? "equal bits" : "holds") : checked->why;
  }
};

TwoModules FileOf(const std::filesystem::path& path) { return TwoModules(TextOf(path)); }

// A line for each result, by one rule.
std::string Claim(const TwoModules& modules, const std::string& rule) {
  const auto checker = proof_check::Checker::Make(*modules.before, *modules.after);
  REQUIRE(checker.ok());
  std::string lines;
  const auto &x = (*checker)->before(), &y = (*checker)->after();
  for (size_t k = 0; k < x.results().size(); ++k) {
    lines +=
        std::to_string(k + 1) + " " + rule + " " + x.NameOf(x.results()[k]) + " = " + y.NameOf(y.results()[k]) + "\n";
  }
  return lines;
}

// Checks by `rule` that two modules have equal results, whose texts begin with `head`.
std::string OutcomeOf(const std::string& head, const std::string& before, const std::string& after,
                      const std::string& rule) {
  const TwoModules modules("HloModule before\n" + head + before + "}\nHloModule after\n" + head + after + "}\n");
  return modules.Check(Claim(modules, rule));
}

// f(x, y) = g(x, y) as bodies of two modules.
TwoModules Bodies(const std::string& before, const std::string& after) {
  const std::string head = " {\n  x = f32[3] parameter(0)\n  y = f32[3] parameter(1)\n";
  return TwoModules("HloModule before\nENTRY e" + head + before + "}\nHloModule after\nENTRY e" + head + after + "}\n");
}

}  // namespace

TEST_CASE("numbers obey the laws of real numbers, and no others") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Arithmetic a(seed, Order::kSigns, false);
    const PrimitiveType f = PrimitiveType::F32;
    const Number x = a.AnyNumber(1), y = a.AnyNumber(2), one = a.Literal(1);
    const auto of = [&](HloOpcode op, const Number& n) {
      Number result;
      REQUIRE(a.Unary(op, n, f, result));
      return result;
    };
    const auto same = [](const Number& m, const Number& n) { return Arithmetic::Same(m, n); };
    using enum HloOpcode;
    CHECK(same(of(kExp, a.Add(x, y, f)), a.Multiply(of(kExp, x), of(kExp, y), f)));
    CHECK(!same(of(kExp, a.Multiply(x, y, f)), a.Multiply(of(kExp, x), of(kExp, y), f)));
    CHECK(same(a.Divide(x, a.Literal(3), f), a.Multiply(x, a.Literal(0.333333343F), f)));
    CHECK(!same(a.Divide(x, a.Literal(3), f), a.Multiply(x, a.Literal(0.333333373F), f)));
    CHECK(same(of(kSqrt, a.Multiply(x, x, f)), of(kAbs, x)));
    CHECK(of(kSqrt, x).undefined != of(kSqrt, a.Negate(x)).undefined);
    CHECK(same(a.Multiply(of(kRsqrt, x), of(kSqrt, x), f), one));
    CHECK(same(of(kSin, a.Negate(x)), a.Negate(of(kSin, x))));
    CHECK(same(of(kLog1p, x), of(kLog, a.Add(one, x, f))));
    CHECK(!same(of(kLog, x), of(kLog, y)));
    CHECK(a.Divide(x, a.Literal(0), f).undefined);
    CHECK(a.Compare(x, y) == -a.Compare(y, x));
    CHECK(a.Compare(a.Literal(2.5), a.Literal(-7)) == 1);
    // By bits, sums commute but are not associative.
    Arithmetic b(seed, Order::kRanks, true);
    const Number u = b.AnyNumber(1), v = b.AnyNumber(2), w = b.AnyNumber(3);
    if (b.IsNaN(u) || b.IsNaN(v) || b.IsNaN(w)) continue;
    CHECK(same(b.Add(u, v, f), b.Add(v, u, f)));
    CHECK(same(b.Multiply(b.Negate(u), v, f), b.Negate(b.Multiply(u, v, f))));
    CHECK(!same(b.Add(b.Negate(u), b.Negate(v), f), b.Negate(b.Add(u, v, f))));  // the sign of 0
    CHECK(same(b.Divide(u, b.Literal(8), f), b.Multiply(u, b.Literal(0.125), f)));
    CHECK(!same(b.Add(b.Add(u, v, f), w, f), b.Add(u, b.Add(v, w, f), f)));
    CHECK(!same(b.Divide(u, b.Literal(3), f), b.Multiply(u, b.Literal(0.333333343F), f)));
  }
}

TEST_CASE("what the prover writes is accepted") {
  size_t holds = 0, all = 0;
  for (const std::filesystem::path& path : FilesIn(std::filesystem::path(kTestsFolder) / "equivalence" / "right")) {
    INFO(path.string());
    const TwoModules modules = FileOf(path);
    const auto written = equivalence::WriteProof(*modules.before, *modules.after);
    REQUIRE(written.status().message() == "");
    const auto checked = proof_check::CheckProof(*modules.before, *modules.after, written->text);
    REQUIRE(checked.status().message() == "");
    // What no rule follows is said to be so, never false.
    CHECK((checked->outcome == proof_check::Outcome::kHolds) == written->unchecked.empty());
    CHECK(checked->outcome != proof_check::Outcome::kFalse);
    if (!written->unchecked.empty()) {
      const std::string& step = written->unchecked[0];
      CHECK(checked->why.find("unchecked: rule " + step) != std::string::npos);
      CHECK(equivalence::NoteOn(written).find(": " + step.substr(step.find(' ') + 1)) != std::string::npos);
    }
    holds += checked->outcome == proof_check::Outcome::kHolds;
    ++all;
    // It is a proof of these modules alone.
    CHECK(!proof_check::CheckProof(*modules.after, *modules.before, written->text).ok());
  }
  CHECK(all >= 46);
  CHECK(holds >= 44);
}

TEST_CASE("pairs that only look equal follow by no rule") {
  for (const std::filesystem::path& path : FilesIn(std::filesystem::path(kTestsFolder) / "equivalence" / "wrong")) {
    const TwoModules modules = FileOf(path);
    if (!proof_check::Checker::Make(*modules.before, *modules.after).ok()) continue;
    for (const char* rule : {"same", "bits", "signs", "ranks"}) {
      INFO(path.string() << " by " << rule);
      const std::string outcome = modules.Check(Claim(modules, rule));
      CHECK((outcome != "holds" && outcome != "equal bits"));
    }
  }
}

TEST_CASE("each rule, and a line of it that is false") {
  const TwoModules reassociated =
      Bodies("  a = f32[3] multiply(x, y)\n  b = f32[3] add(a, x)\n  ROOT r = f32[3] tanh(b)\n",
             "  one = f32[] constant(1)\n  o = f32[3] broadcast(one), dimensions={}\n  a = f32[3] add(y, o)\n"
             "  b = f32[3] multiply(a, x)\n  ROOT r = f32[3] tanh(b)\n");
  CHECK(reassociated.Check("1 signs b = b\n2 same r = r\n") == "holds");
  CHECK(reassociated.Check("1 ranks b = b\n2 signs r = r from 1\n") == "holds");
  CHECK(reassociated.Check("1 signs b = b\n") == "false: no step says that result 0, r and r, is equal");
  CHECK(reassociated.Check("1 same r = r\n") == "line 4: false: same r = r: b and b are not known to be equal");
  CHECK(reassociated.Check("1 bits b = b\n2 same r = r\n") == "line 4: false: bits b = b: they differ at element 0");
  CHECK(reassociated.Check("1 signs b = a\n") == "line 4: false: signs b = a: they differ at element 0");
  CHECK(reassociated.Check("1 signs b = b\n2 sames r = r\n") == "line 5: unchecked: rule sames r = r");
  CHECK(reassociated.Check("1 believe r = r\n2 same b = b\n") ==
        "line 5: a step that is checked comes after one that is not");
  CHECK(reassociated.Check("1 signs c = b\n") == "line 4: 'c' is no value of the first module");
  CHECK(reassociated.Check("1 signs b = b from 1\n") == "line 4: '1' is no number of an earlier step");
  CHECK(reassociated.Check("2 signs b = b\n") == "line 4: expected a step with the number 1");

  const TwoModules halves = Bodies(
      "  t = f32[] constant(8)\n  b = f32[3] broadcast(t), dimensions={}\n"
      "  s = f32[3] add(x, y)\n  ROOT r = f32[3] divide(s, b)\n",
      "  t = f32[] constant(0.125)\n  b = f32[3] broadcast(t), dimensions={}\n"
      "  s = f32[3] add(y, x)\n  ROOT r = f32[3] multiply(b, s)\n");
  CHECK(halves.Check("1 bits s = s\n2 bits r = r from 1\n") == "equal bits");
  CHECK(halves.Check("1 bits r = s\n") == "line 4: false: bits r = s: they differ at element 0");

  // By ranks the order is transitive, by signs differences are known.
  const TwoModules largest =
      Bodies("  a = f32[3] maximum(x, y)\n  ROOT r = f32[3] maximum(a, x)\n", "  ROOT r = f32[3] maximum(y, x)\n");
  CHECK(largest.Check("1 ranks r = r\n") == "holds");
  const TwoModules clipped =
      Bodies("  p = pred[3] compare(x, y), direction=GT\n  ROOT r = f32[3] select(p, x, y)\n",
             "  d = f32[3] subtract(x, y)\n  a = f32[3] abs(d)\n  s = f32[3] add(x, y)\n  t = f32[3] add(a, s)\n"
             "  h = f32[] constant(0.5)\n  b = f32[3] broadcast(h), dimensions={}\n  ROOT r = f32[3] multiply(t, b)\n");
  CHECK(clipped.Check("1 signs r = r\n") == "holds");
  CHECK(clipped.Check("1 ranks r = r\n") != "holds");
}

TEST_CASE("no law of bits holds for finite numbers alone") {
  const std::string constants =
      "  k = f32[] constant(inf)\n  n = f32[] constant(nan)\n  o = f32[] constant(1)\n  z = f32[] constant(0)\n"
      "  i = f32[3] broadcast(k), dimensions={}\n  j = f32[3] broadcast(n), dimensions={}\n"
      "  l = f32[3] broadcast(o), dimensions={}\n  m = f32[3] broadcast(z), dimensions={}\n"
      "  s = f32[3] add(x, y)\n  p = pred[3] compare(x, y), direction=GT\n";
  const auto outcome = [&](const std::string& before, const std::string& after) {
    return Bodies(constants + before, constants + after).Check("1 bits r = r\n");
  };
  const std::string infinite = "  ROOT r = f32[3] add(i, m)\n", itself = "  ROOT r = f32[3] multiply(x, l)\n";
  CHECK(outcome("  ROOT r = f32[3] add(l, i)\n", infinite) == "equal bits");
  CHECK(outcome("  ROOT r = f32[3] maximum(x, j)\n", "  ROOT r = f32[3] minimum(j, y)\n") == "equal bits");
  CHECK(outcome("  ROOT r = f32[3] add(x, i)\n", infinite) != "equal bits");
  CHECK(outcome("  ROOT r = f32[3] maximum(x, i)\n", infinite) != "equal bits");
  CHECK(outcome("  ROOT r = f32[3] multiply(i, i)\n", infinite) == "equal bits");
  CHECK(outcome("  ROOT r = f32[3] divide(x, i)\n", "  ROOT r = f32[3] add(m, m)\n") != "equal bits");
  for (const char* other : {"y", "s"}) {
    const std::string least = "  t = f32[3] minimum(x, " + std::string(other) + ")\n";
    CHECK(outcome(least + "  ROOT r = f32[3] maximum(x, t)\n", itself) != "equal bits");
    CHECK(outcome(least + "  ROOT r = f32[3] maximum(t, t)\n", least + "  ROOT r = f32[3] maximum(t, x)\n") !=
          "equal bits");
  }
  CHECK(outcome("  ROOT r = f32[3] select(p, x, j)\n", "  ROOT r = f32[3] select(p, x, y)\n") != "equal bits");
  CHECK(outcome("  ROOT r = pred[3] is-finite(x)\n", "  ROOT r = pred[3] compare(m, m), direction=EQ\n") !=
        "equal bits");
  CHECK(outcome("  ROOT r = pred[3] is-finite(x)\n", "  t = f32[3] negate(x)\n  ROOT r = pred[3] is-finite(t)\n") ==
        "equal bits");
  CHECK(outcome("  q = pred[3] compare(x, x), direction=NE\n  ROOT r = f32[3] select(q, x, y)\n",
                "  ROOT r = f32[3] copy(y)\n") != "equal bits");
  CHECK(outcome("  t = f32[3] sign(x)\n  ROOT r = f32[3] abs(t)\n", "  ROOT r = f32[3] add(l, m)\n") != "equal bits");
}

TEST_CASE("not all rows of many numbers have a NaN") {
  const auto sums = [](const std::string& name, const std::string& sum) {
    return "HloModule " + name +
           "\nor { p = pred[] parameter(0)\n  q = pred[] parameter(1)\n  ROOT o = pred[] or(p, q)\n}\n"
           "ENTRY e {\n  x = f32[64] parameter(0)\n  y = f32[] parameter(1)\n  z = f32[] parameter(2)\n"
           "  f = pred[] constant(false)\n  n = f32[] constant(nan)\n  p = pred[64] compare(x, x), direction=NE\n"
           "  q = pred[] reduce(p, f), dimensions={0}, to_apply=or\n  s = f32[] " +
           sum + "\n  ROOT r = f32[] select(q, n, s)\n}\n";
  };
  CHECK(TwoModules(sums("before", "add(y, z)") + sums("after", "add(z, y)")).Check("1 bits r = r\n") == "equal bits");
  CHECK(TwoModules(sums("before", "add(y, z)") + sums("after", "add(y, y)")).Check("1 bits r = r\n") != "equal bits");
}

TEST_CASE("comparisons are tried at ties") {
  const std::string zero = "  z = f32[] constant(0)\n  b = f32[3] broadcast(z), dimensions={}\n";
  const TwoModules ties =
      Bodies(zero + "  p = pred[3] compare(x, b), direction=GT\n  ROOT r = f32[3] select(p, x, y)\n",
             zero + "  p = pred[3] compare(x, b), direction=GE\n  ROOT r = f32[3] select(p, x, y)\n");
  for (const char* line : {"1 signs r = r\n", "1 ranks r = r\n", "1 bits r = r\n"})
    CHECK(ties.Check(line).find("may differ if the numbers that they compare are equal") != std::string::npos);
  // A number that an integer of the inputs became.
  const auto converted = [&](const std::string& direction) {
    return zero + "  i = s32[3] bitcast-convert(y)\n  c = f32[3] convert(i)\n  p = pred[3] compare(c, b), direction=" +
           direction + "\n  ROOT r = f32[3] select(p, x, y)\n";
  };
  const TwoModules integers = Bodies(converted("GT"), converted("GE"));
  for (const char* line : {"1 signs r = r\n", "1 ranks r = r\n", "1 bits r = r\n"})
    CHECK(integers.Check(line).find("may differ if the numbers that they compare are equal") != std::string::npos);
  CHECK(Bodies(converted("GT"), converted("GT")).Check("1 bits r = r\n") == "equal bits");
}

TEST_CASE("comparisons are tried between two constants") {
  const auto below = [](const std::string& bound) {
    return "  k = f32[] constant(" + bound +
           ")\n  b = f32[3] broadcast(k), dimensions={}\n  p = pred[3] compare(x, b), " +
           "direction=LT\n  ROOT r = f32[3] select(p, x, y)\n";
  };
  const TwoModules constants = Bodies(below("0"), below("1.17549435e-38"));
  for (const char* line : {"1 signs r = r\n", "1 ranks r = r\n", "1 bits r = r\n"})
    CHECK(constants.Check(line).find("false") != std::string::npos);
}

TEST_CASE("what follows from an equality is tried") {
  const std::string sums =
      "  s = f32[3] add(x, y)\n  t = f32[3] multiply(x, y)\n  p = pred[3] compare(s, t), direction=";
  const TwoModules chosen =
      Bodies(sums + "EQ\n  ROOT r = f32[3] select(p, x, y)\n", sums + "EQ\n  ROOT r = f32[3] select(p, y, y)\n");
  for (const char* line : {"1 signs r = r\n", "1 ranks r = r\n", "1 bits r = r\n"})
    CHECK(chosen.Check(line).find("false") != std::string::npos);
  const TwoModules same =
      Bodies(sums + "EQ\n  ROOT r = f32[3] select(p, x, y)\n", sums + "NE\n  ROOT r = f32[3] select(p, y, x)\n");
  CHECK(same.Check("1 bits r = r\n") == "equal bits");
}

TEST_CASE("loops by induction") {
  const auto loop = [](const std::string& name, const std::string& turn, const std::string& limit) {
    return "HloModule " + name + R"(
body {
  c = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  v = f32[3] get-tuple-element(c), index=1
  k = f32[3] get-tuple-element(c), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
)" + turn + R"(  ROOT t = (s32[], f32[3], f32[3]) tuple(j, w, k)
}
goes {
  c = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant()" +
           limit + R"()
  ROOT p = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  z = s32[] constant(0)
  c = (s32[], f32[3], f32[3]) tuple(z, x, y)
  l = (s32[], f32[3], f32[3]) while(c), condition=goes, body=body
  ROOT r = f32[3] get-tuple-element(l), index=1
}
)";
  };
  const std::string factored = "  s = f32[3] add(v, k)\n  w = f32[3] multiply(s, k)\n";
  const std::string expanded = "  q = f32[3] multiply(k, k)\n  s = f32[3] multiply(v, k)\n  w = f32[3] add(s, q)\n";
  const TwoModules same(loop("before", factored, "9999") + loop("after", expanded, "9999"));
  CHECK(same.Check("1 same z = z\n2 loop l = l carries 0=0,1=1\n") == "holds");
  // (A value that no turn changes is what the loop began with.)
  CHECK(same.Check("1 same z = z\n2 loop l = l carries 0=0,1=2\n").find("false") != std::string::npos);
  CHECK(same.Check("1 same z = z\n2 loop l = l carries 0=0\n") ==
        "false: no step says that result 0, l#1 and l#1, is equal");
  CHECK(same.Check("1 same z = z\n2 loop l = l carries 0=0,1=7\n") == "line 5: '1=7' is no pair of carried values");
  const TwoModules longer(loop("before", factored, "9999") + loop("after", expanded, "9998"));
  CHECK(longer.Check("1 same z = z\n2 loop l = l carries 0=0,1=1\n") ==
        "line 5: false: loop l = l: one loop continues where the other ends");
  const TwoModules other(loop("before", factored, "9999") +
                         loop("after", "  s = f32[3] add(v, v)\n  w = f32[3] multiply(s, k)\n", "9999"));
  CHECK(other.Check("1 same z = z\n2 loop l = l carries 0=0,1=1\n") ==
        "line 5: false: loop l = l: a turn makes values 1 of the pairs differ");
}

// A counter is between what it begins with and the limit, if no turn makes it smaller and no sum wraps around.
TEST_CASE("counters of loops have bounds") {
  const auto loop = [](const std::string& name, const std::string& at, int first, int step, const std::string& goes,
                       const std::string& next) {
    return "HloModule " + name + R"(
body {
  c = (s32[], f32[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  v = f32[4] get-tuple-element(c), index=1
  w = f32[4] get-tuple-element(c), index=2
  zero = s32[] constant(0)
  three = s32[] constant(3)
  four = s32[] constant(4)
  p = pred[] compare(i, zero), direction=LT
  wrapped = s32[] add(i, four)
  index = s32[] select(p, wrapped, i)
  clamped = s32[] clamp(zero, i, three)
  s = f32[1] dynamic-slice(w, )" +
           at + R"(), dynamic_slice_sizes={1}
  u = f32[4] dynamic-update-slice(v, s, )" +
           at + ")\n  step = s32[] constant(" + std::to_string(step) + ")\n  j = s32[] " + next + R"((i, step)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, u, w)
}
goes {
  c = (s32[], f32[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  ROOT p = pred[] compare(i, )" +
           goes + R"(
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  z = s32[] constant()" +
           std::to_string(first) + R"()
  c = (s32[], f32[4], f32[4]) tuple(z, x, y)
  l = (s32[], f32[4], f32[4]) while(c), condition=goes, body=body
  a = f32[4] get-tuple-element(l), index=1
  b = f32[4] get-tuple-element(l), index=2
  ROOT r = (f32[4], f32[4]) tuple(a, b)
}
)";
  };
  const auto outcome = [&](const std::string& at, int first, int step, int limit, const std::string& direction,
                           const std::string& next = "add") {
    std::string goes = "n), direction=" + direction;
    const auto of = [&](const std::string& name, const std::string& index) {
      std::string text = loop(name, index, first, step, goes, next);
      const std::string head = "ROOT p = pred[] compare(i, n)";
      return text.insert(text.find(head), "n = s32[] constant(" + std::to_string(limit) + ")\n  ");
    };
    const TwoModules modules(of("before", at) + of("after", "i"));
    return modules.Check("1 same z = z\n2 loop l = l carries 0=0,1=1\n");
  };
  for (const char* at : {"index", "clamped"}) {
    INFO(at);
    CHECK(outcome(at, 0, 1, 4, "LT") == "holds");
    CHECK(outcome(at, 3, -1, 0, "GE") == "holds");
    CHECK(outcome(at, -1, 1, 4, "LT") != "holds");  // begins below 0
    CHECK(outcome(at, 0, -1, 4, "LT") != "holds");  // falls below 0
    CHECK(outcome(at, 0, 1, 4, "NE") != "holds");
    CHECK(outcome(at, 0, 2000000000, 2000000000, "LE") != "holds");  // wraps around
    CHECK(outcome(at, 1, 3, 2000000000, "LT", "multiply") != "holds");
  }
  CHECK(outcome("clamped", 0, 1, 6, "LT") != "holds");  // passes 3
}

TEST_CASE("constants left out, unknown calls and random numbers") {
  const auto with = [](const std::string& name, const std::string& constant, const std::string& target,
                       const std::string& order) {
    return "HloModule " + name + "\nENTRY e {\n  " + constant +
           " = f32[20] constant({...})\n  l = f32[] constant(0)\n  h = f32[] constant(1)\n  q = f32[20] custom-call(" +
           constant + "), custom_call_target=\"" + target + "\"\n" + order +
           "  s = f32[20] add(q, u)\n  ROOT r = f32[20] subtract(s, v)\n}\n";
  };
  const std::string first =
      "  u = f32[20] rng(l, h), distribution=rng_uniform\n  v = f32[20] rng(l, h), "
      "distribution=rng_uniform\n";
  const TwoModules same(with("before", "k", "f", first) + with("after", "k", "f", first));
  const std::string lines =
      "1 same l = l\n2 same h = h\n3 same k = k\n4 same q = q\n5 same u = u\n6 same v = v\n"
      "7 same s = s\n8 same r = r\n";
  CHECK(same.Check(lines) == "equal bits");
  CHECK(
      same.Check("1 same l = l\n2 same h = h\n3 same u = v\n").find("the order of effects or random numbers differs") !=
      std::string::npos);
  const TwoModules constants(with("before", "k", "f", first) + with("after", "m", "f", first));
  CHECK(constants.Check("1 same k = m\n").find("the operations differ") != std::string::npos);
  const TwoModules targets(with("before", "k", "f", first) + with("after", "k", "g", first));
  CHECK(targets.Check("1 same k = k\n2 same q = q\n").find("the operations differ") != std::string::npos);
}

TEST_CASE("malformed proofs") {
  const TwoModules modules = Bodies("  ROOT r = f32[3] add(x, y)\n", "  ROOT r = f32[3] add(x, y)\n");
  const auto error = [&](std::string_view text) {
    const auto checked = proof_check::CheckProof(*modules.before, *modules.after, text);
    return checked.ok() ? std::string("none") : std::string(checked.status().message());
  };
  CHECK(error("") == "the proof ends before its steps");
  CHECK(error("hloir-proof 2\n") == "line 1: expected 'hloir-proof 1'");
  CHECK(error("hloir-proof 1\nbefore 0123456789abcdef x\n") == "line 2: the proof is of another first module");
  CHECK(error("hloir-proof 1\nbefore\n") == "line 2: expected 'before HASH NAME'");
  CHECK(modules.Check("1 same r = r\n") == "equal bits");
  CHECK(modules.Check("1 same r\n") == "line 4: expected 'NUMBER RULE VALUE = VALUE'");
  CHECK(modules.Check("1 signs r = r to 1\n") ==
        "line 4: expected 'from NUMBERS', 'carries PAIRS' of a loop, or the end of the line");
}

// Values that differ for some integers alone are not taken for equal because trials agree.
TEST_CASE("operations on integers are random functions unless bounds decide them") {
  const auto outcome = [](const std::string& type, const std::string& before, const std::string& after) {
    const std::string head =
        " {\n  x = " + type + "[3] parameter(0)\n  y = " + type + "[3] parameter(1)\n  s = " + type + "[] ";
    const auto with = [&](const std::string& name, std::string body) {
      for (size_t at; (at = body.find('@')) != std::string::npos;) body.replace(at, 1, type + "[3]");
      return "HloModule " + name + "\nENTRY e" + head + "constant(0)\n  zero = " + type +
             "[3] broadcast(s), dimensions={}\n" + body + "}\n";
    };
    const TwoModules modules(with("before", before) + with("after", after));
    return modules.Check(Claim(modules, "bits"));
  };
  const auto number = [](const std::string& name, int64_t value, const std::string& type) {
    return "  " + name + "0 = " + type + "[] constant(" + std::to_string(value) + ")\n  " + name + " = " + type +
           "[3] broadcast(" + name + "0), dimensions={}\n";
  };
  const std::string one = "  ROOT r = @ add(x, y)\n";
  CHECK(outcome("u32", one, "  ROOT r = @ add(y, x)\n") == "equal bits");
  CHECK(outcome("u32", one, "  f = f32[3] convert(x)\n  z = @ convert(f)\n  ROOT r = @ add(z, y)\n") != "equal bits");
  // From 2^24 on f32 has no odd numbers; 4473 * 4473 is one, and no random number is likely to be it.
  const std::string bound =
      "  n = u32[] constant(4473)\n  m = u32[] multiply(n, n)\n  z = @ broadcast(m), dimensions={}\n";
  CHECK(outcome("u32", bound + "  ROOT r = pred[3] compare(x, z), direction=LT\n",
                "  f = f32[3] convert(x)\n  c = u32[3] convert(f)\n" + bound +
                    "  ROOT r = pred[3] compare(c, z), direction=LT\n") != "equal bits");
  const std::string at_one = bound + "  p = pred[3] compare(x, z), direction=EQ\n";
  CHECK(outcome("u32", at_one + "  ROOT r = @ select(p, x, y)\n", at_one + "  ROOT r = @ select(p, y, y)\n") !=
        "equal bits");
  CHECK(outcome("u32", at_one + "  ROOT r = @ select(p, x, y)\n", at_one + "  ROOT r = @ select(p, x, y)\n") ==
        "equal bits");

  // Comparisons.
  const std::string less = "  ROOT r = pred[3] compare(x, y), direction=LT\n";
  CHECK(outcome("u32", less, "  ROOT r = pred[3] compare(y, x), direction=GT\n") == "equal bits");
  CHECK(outcome("u32", less, "  ROOT r = pred[3] compare(x, y), direction=LE\n") != "equal bits");
  CHECK(outcome("s32", number("k", 5, "s32") + "  ROOT r = pred[3] compare(x, k), direction=LT\n",
                number("k", 4, "s32") + "  ROOT r = pred[3] compare(x, k), direction=LE\n") == "equal bits");
  // (They differ at the largest number alone.)
  const std::string raised = "  a = @ add(x, k)\n  b = @ add(y, k)\n  ROOT r = pred[3] compare(a, b), direction=LT\n";
  CHECK(outcome("s32", less, number("k", 1, "s32") + raised) != "equal bits");
  // An elementwise operation of the same elements, in an array of another shape, and of fewer elements.
  const std::string mask = "  p = pred[3] compare(x, y), direction=LT\n  ROOT r = @ select(p, x, y)\n";
  CHECK(outcome("u32", mask,
                "  u = u32[1,3] reshape(x)\n  v = u32[1,3] reshape(y)\n  p = pred[1,3] compare(v, u), "
                "direction=GT\n  t = u32[1,3] select(p, u, v)\n  ROOT r = @ reshape(t)\n") == "equal bits");
  CHECK(outcome("u32", mask,
                "  u = @ reverse(x), dimensions={0}\n  v = @ reverse(y), dimensions={0}\n  q = pred[3] "
                "compare(v, u), direction=GE\n  p = pred[3] reverse(q), dimensions={0}\n  ROOT r = @ "
                "select(p, x, y)\n") != "equal bits");
  const std::string widened = "  c = s64[3] convert(x)\n  ROOT r = s64[2] slice(c), slice={[0:2]}\n";
  CHECK(outcome("s8", widened, "  c = s8[2] slice(x), slice={[0:2]}\n  ROOT r = s64[2] convert(c)\n") == "equal bits");
  CHECK(outcome("s8", widened, "  c = s8[2] slice(x), slice={[1:3]}\n  ROOT r = s64[2] convert(c)\n") != "equal bits");
  // Nothing is below the least number.
  CHECK(outcome("u32", "  p = pred[3] compare(x, zero), direction=LT\n  ROOT r = @ select(p, y, x)\n",
                "  ROOT r = @ copy(x)\n") == "equal bits");
  CHECK(outcome("u32", "  p = pred[3] compare(x, zero), direction=LE\n  ROOT r = @ select(p, y, x)\n",
                "  ROOT r = @ copy(x)\n") != "equal bits");

  // Sums may wrap around before they are widened.
  const std::string sum_widened = "  a = @ add(x, y)\n  ROOT r = s64[3] convert(a)\n";
  const std::string widened_sum = "  u = s64[3] convert(x)\n  v = s64[3] convert(y)\n  ROOT r = s64[3] add(u, v)\n";
  CHECK(outcome("s32", sum_widened, widened_sum) != "equal bits");
  const std::string small = number("k", 3, "s32") + "  u = @ and(x, k)\n";
  CHECK(outcome("s32", small + "  a = @ add(u, k)\n  ROOT r = s64[3] convert(a)\n",
                small + "  a = s64[3] convert(u)\n  b = s64[3] convert(k)\n  ROOT r = s64[3] add(a, b)\n") ==
        "equal bits");
  CHECK(outcome("s64", "  a = @ add(x, y)\n  ROOT r = s32[3] convert(a)\n",
                "  u = s32[3] convert(x)\n  v = s32[3] convert(y)\n  ROOT r = s32[3] add(u, v)\n") == "equal bits");

  // Quotients and remainders by powers of 2, and by other numbers.
  const std::string eight = number("k", 8, "u32"), seven = number("k", 7, "u32"), three = number("k", 3, "u32");
  CHECK(outcome("u32", eight + "  ROOT r = @ remainder(x, k)\n", seven + "  ROOT r = @ and(x, k)\n") == "equal bits");
  CHECK(outcome("u32", eight + "  ROOT r = @ remainder(x, k)\n", eight + "  ROOT r = @ and(x, k)\n") != "equal bits");
  CHECK(outcome("u32", eight + "  ROOT r = @ divide(x, k)\n", three + "  ROOT r = @ shift-right-logical(x, k)\n") ==
        "equal bits");
  CHECK(outcome("u32", eight + "  ROOT r = @ divide(x, k)\n", three + "  ROOT r = @ shift-right-arithmetic(x, k)\n") !=
        "equal bits");
  CHECK(outcome("s32", number("k", 8, "s32") + "  ROOT r = @ divide(x, k)\n",
                number("k", 3, "s32") + "  ROOT r = @ shift-right-logical(x, k)\n") != "equal bits");
  CHECK(outcome("u32", eight + "  a = @ remainder(x, k)\n  ROOT r = @ remainder(a, k)\n",
                eight + "  ROOT r = @ remainder(x, k)\n") == "equal bits");
  CHECK(outcome("u32", eight + "  a = @ remainder(x, k)\n  b = @ remainder(y, k)\n  ROOT r = @ add(a, b)\n",
                eight + "  a = @ add(x, y)\n  ROOT r = @ remainder(a, k)\n") != "equal bits");
  CHECK(outcome("s32", number("k", 8, "s32") + "  ROOT r = @ remainder(x, k)\n",
                number("k", 7, "s32") + "  ROOT r = @ and(x, k)\n") != "equal bits");
  CHECK(outcome("s32", number("k", 8, "s32") + "  ROOT r = @ divide(x, k)\n",
                number("k", 3, "s32") + "  ROOT r = @ shift-right-arithmetic(x, k)\n") != "equal bits");
  const auto rounded = [&](int64_t shift) {
    return number("m", 31, "s32") + number("n", shift, "s32") + number("k", 3, "s32") +
           "  a = @ shift-right-arithmetic(x, m)\n  b = @ shift-right-logical(a, n)\n  c = @ add(x, b)\n"
           "  ROOT r = @ shift-right-arithmetic(c, k)\n";
  };
  CHECK(outcome("s32", number("k", 8, "s32") + "  ROOT r = @ divide(x, k)\n", rounded(29)) == "equal bits");
  CHECK(outcome("s32", number("k", 8, "s32") + "  ROOT r = @ divide(x, k)\n", rounded(30)) != "equal bits");

  // Clamps that bounds decide.
  const auto clamped = [&](int64_t most) {
    return eight + "  a = @ remainder(x, k)\n" + number("m", most, "u32") + "  ROOT r = @ clamp(zero, a, m)\n";
  };
  CHECK(outcome("u32", clamped(7), eight + "  ROOT r = @ remainder(x, k)\n") == "equal bits");
  CHECK(outcome("u32", clamped(6), eight + "  ROOT r = @ remainder(x, k)\n") != "equal bits");
}

TEST_CASE("integers as numbers") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string head = " {\n  x = s32[3] parameter(0)\n  y = f32[3] parameter(1)\n";
    const TwoModules modules("HloModule before\nENTRY e" + head + before + "}\nHloModule after\nENTRY e" + head +
                             after + "}\n");
    return modules.Check(Claim(modules, "signs"));
  };
  const std::string one =
      "  k = s32[] constant(1)\n  i = s32[3] broadcast(k), dimensions={}\n"
      "  o = f32[] constant(1)\n  j = f32[3] broadcast(o), dimensions={}\n";
  // x + 1 is the least number if x is the largest one.
  CHECK(outcome(one + "  a = s32[3] add(x, i)\n  ROOT r = f32[3] convert(a)\n",
                one + "  a = f32[3] convert(x)\n  ROOT r = f32[3] add(a, j)\n") != "holds");
  CHECK(outcome(one + "  b = s32[3] and(x, i)\n  a = s32[3] add(b, i)\n  ROOT r = f32[3] convert(a)\n",
                one + "  b = s32[3] and(x, i)\n  a = f32[3] convert(b)\n  ROOT r = f32[3] add(a, j)\n") == "holds");
  const std::string dot = ", lhs_contracting_dims={0}, rhs_contracting_dims={0}\n";
  CHECK(outcome("  ROOT r = f32[] dot(x, y)" + dot, "  a = f32[3] convert(x)\n  ROOT r = f32[] dot(a, y)" + dot) ==
        "holds");
  CHECK(outcome("  ROOT r = f32[] dot(x, y)" + dot, "  a = f32[3] convert(x)\n  ROOT r = f32[] dot(a, a)" + dot) !=
        "holds");
  CHECK(outcome("  ROOT r = s32[] get-dimension-size(y), dimensions={0}\n", "  ROOT r = s32[] constant(3)\n") ==
        "holds");
  CHECK(outcome("  ROOT r = s32[] get-dimension-size(y), dimensions={0}\n", "  ROOT r = s32[] constant(4)\n") !=
        "holds");
}

TEST_CASE("maps and scans apply their computations") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string steps = R"(
step { a = f32[] parameter(0)
  i = s32[] parameter(1)
  f = f32[] convert(i)
  ROOT s = f32[] add(a, f) }
carry { a = f32[] parameter(0)
  c = f32[] parameter(1)
  s = f32[] add(c, a)
  ROOT t = (f32[], f32[]) tuple(s, s) }
swapped { a = f32[] parameter(0)
  c = f32[] parameter(1)
  s = f32[] add(a, c)
  ROOT t = (f32[], f32[]) tuple(s, s) }
ENTRY e {
  x = s32[3] parameter(0)
  y = f32[3] parameter(1)
  z = f32[] constant(0)
)";
    const TwoModules modules("HloModule before" + steps + before + "}\nHloModule after" + steps + after + "}\n");
    return modules.Check(Claim(modules, "signs"));
  };
  const std::string map = "  ROOT r = f32[3] map(y, x), to_apply=step\n";
  CHECK(outcome(map, "  a = f32[3] convert(x)\n  ROOT r = f32[3] add(a, y)\n") == "holds");
  CHECK(outcome(map, "  a = f32[3] convert(x)\n  ROOT r = f32[3] subtract(a, y)\n") != "holds");
  const auto scan = [](const std::string& step, const std::string& rest) {
    return "  t = (f32[3], f32[]) scan(y, z), dimensions={0}, num_carries=1" + rest + ", to_apply=" + step +
           "\n  ROOT r = f32[3] get-tuple-element(t), index=0\n";
  };
  CHECK(outcome(scan("carry", ""), scan("swapped", "")) == "holds");
  CHECK(outcome(scan("carry", ""), scan("swapped", ", is_reverse=true")) != "holds");
}

TEST_CASE("a scatter moves elements") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string head =
                          " {\n  x = f32[3] parameter(0)\n  y = f32[2] parameter(1)\n  i = s32[2] parameter(2)\n"
                          "  j = s32[2,1] reshape(i)\n  k = s32[2,1] reverse(j), dimensions={0}\n  v = f32[2] "
                          "reverse(y), dimensions={0}\n  ROOT r = f32[3] scatter(x, ",
                      adds =
                          "\nadd { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n",
                      rest =
                          "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                          "index_vector_dim=1, to_apply=add\n}\n";
    const TwoModules modules("HloModule before" + adds + "ENTRY e" + head + before + rest + "HloModule after" + adds +
                             "ENTRY e" + head + after + rest);
    return modules.Check(Claim(modules, "signs"));
  };
  CHECK(outcome("j, y", "k, v") == "holds");
  CHECK(outcome("j, y", "k, y") != "holds");
}

TEST_CASE("a program and its partitioned form have no proof file") {
  const TwoModules modules =
      FileOf(std::filesystem::path(kTestsFolder) / "equivalence" / "sharded" / "right" / "axes_swapped.hlo");
  CHECK(equivalence::NoteOn(equivalence::WriteProof(*modules.before, *modules.after)) ==
        "no proof is written: a program and its partitioned form have no proof that hloir check-proof reads");
}

TEST_CASE("functions that are exact in a narrow type round nothing") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string head =
        " {\n  x = bf16[3] parameter(0)\n  y = bf16[3] parameter(1)\n  a = f32[3] convert(x)\n"
        "  b = f32[3] convert(y)\n  s = f32[3] add(a, b)\n  m = f32[3] maximum(a, b)\n  n = f32[3] maximum(s, b)\n";
    const TwoModules modules("HloModule before\nENTRY e" + head + before + "}\nHloModule after\nENTRY e" + head +
                             after + "}\n");
    return modules.Check(Claim(modules, "signs"));
  };
  const std::string narrowed = "  p = bf16[3] convert(%)\n  q = f32[3] convert(p)\n  ROOT r = f32[3] tanh(q)\n";
  const auto of = [](std::string text, const std::string& value) { return text.replace(text.find('%'), 1, value); };
  CHECK(outcome("  ROOT r = f32[3] tanh(m)\n", of(narrowed, "m")) == "holds");
  CHECK(outcome("  ROOT r = f32[3] tanh(n)\n", of(narrowed, "n")) != "holds");
  CHECK(outcome("  f = f32[3] floor(m)\n  ROOT r = f32[3] tanh(f)\n", "  f = f32[3] floor(m)\n" + of(narrowed, "f")) ==
        "holds");
  CHECK(outcome("  f = f32[3] exponential(m)\n  ROOT r = f32[3] tanh(f)\n",
                "  f = f32[3] exponential(m)\n" + of(narrowed, "f")) != "holds");
}

TEST_CASE("integers that random functions make are compared and not sampled") {
  // (No number of the texts, which are among the random ones.)
  const std::string zero =
      "  a = s32[] constant(11111)\n  n = s32[] multiply(a, a)\n  z = s32[3] broadcast(n), dimensions={}\n";
  const std::string constant =
      "  c = f32[] constant(0.3)\n  e = f32[] exponential(c)\n  d = s32[] bitcast-convert(e)\n"
      "  b = s32[3] broadcast(d), dimensions={}\n";
  const std::string converted = "  b = s32[3] convert(x)\n";
  for (const std::string& integers : {constant, converted}) {
    const TwoModules modules =
        Bodies(zero + integers + "  p = pred[3] compare(b, z), direction=EQ\n  ROOT r = f32[3] select(p, x, y)\n",
               "  z = f32[] constant(1)\n  o = f32[3] broadcast(z), dimensions={}\n  ROOT r = f32[3] multiply(y, o)\n");
    CHECK(modules.Check("1 signs r = r\n") != "holds");
  }
}

TEST_CASE("windows that overlap combine the same numbers once") {
  // 450 windows of 450 numbers by 43 operations each, which is more than the work of a trial.
  std::string combiner = "f {\n  x = u8[] parameter(0)\n  y = u8[] parameter(1)\n  m0 = u8[] maximum(x, y)\n";
  for (int k = 1; k <= 20; ++k) {
    const std::string n = std::to_string(k), above = "m" + std::to_string(k - 1);
    combiner += "  c" + n + " = u8[] constant(" + std::to_string(255 - k) + ")\n  m" + n + " = u8[] minimum(" + above +
                ", c" + n + ")\n";
  }
  combiner += "  ROOT r = u8[] maximum(m20, x)\n}\n";
  const auto with = [&](const std::string& name, const std::string& operands, const std::string& window) {
    return "HloModule " + name + "\n" + combiner +
           "ENTRY e {\n  a = u8[450] parameter(0)\n  b = u8[450] parameter(1)\n  z = u8[] constant(0)\n"
           "  w = u8[450] reduce-window(a, z), window={size=" +
           window + "}, to_apply=f\n  ROOT p = u8[450] multiply(" + operands + ")\n}\n";
  };
  const std::string wide = "450 pad=449_0";
  CHECK(TwoModules(with("before", "w, b", wide) + with("after", "b, w", wide)).Check("1 bits p = p\n") == "equal bits");
  CHECK(TwoModules(with("before", "w, b", wide) + with("after", "w, a", wide)).Check("1 bits p = p\n") != "equal bits");
}

// A message that lacks a text; empty if it has it.
std::string Without(const std::string& message, std::string_view text) {
  return message.find(text) == std::string::npos ? "\"" + message + '"' : "";
}

TEST_CASE("an extremum of many numbers forgets none") {
  // The last result of a window of 20 elements depends on one more than that of 19.
  const auto windows = [](const std::string& type, const std::string& op, const std::string& init) {
    const auto module = [&](const std::string& name, int size) {
      return "HloModule " + name + "\nc { a = " + type + "[] parameter(0)\n b = " + type +
             "[] parameter(1)\n ROOT r = " + type + "[] " + op + "(a, b) }\nENTRY e { x = " + type +
             "[20] parameter(0)\n i = " + type + "[] constant(" + init + ")\n ROOT w = " + type +
             "[20] reduce-window(x, i), window={size=" + std::to_string(size) + " pad=" + std::to_string(size - 1) +
             "_0}, to_apply=c }\n";
    };
    return TwoModules(module("before", 20) + module("after", 19));
  };
  for (const TwoModules& modules :
       {windows("f32", "maximum", "-inf"), windows("bf16", "minimum", "inf"), windows("u8", "maximum", "0"),
        windows("s32", "minimum", "2147483647"), windows("pred", "and", "true"), windows("pred", "or", "false")}) {
    for (const char* rule : {"bits", "signs", "ranks"})
      CHECK(Without(modules.Check(Claim(modules, rule)), "they differ at element 19") == "");
  }

  // Maxima one by one, and in turns with minima.
  const auto chain = [](const std::string& name, int count, bool turns) {
    std::string text =
        "HloModule " + name + "\nENTRY e { x = f32[20] parameter(0)\n m0 = f32[1] slice(x), slice={[0:1]}\n";
    for (int k = 1; k < count; ++k) {
      const std::string i = std::to_string(k);
      text += "e" + i + " = f32[1] slice(x), slice={[" + i + ":" + std::to_string(k + 1) + "]}\nm" + i + " = f32[1] " +
              (turns && k % 2 == 0 ? "minimum" : "maximum") + "(m" + std::to_string(k - 1) + ", e" + i + ")\n";
    }
    return text + "ROOT r = f32[1] copy(m" + std::to_string(count - 1) + ") }\n";
  };
  const std::string first = "x = f32[20] parameter(0)\n m0 = f32[1] slice(x), slice={[0:1]}";
  const std::string second = "x = f32[20] parameter(0)\n m0 = f32[1] slice(x), slice={[1:2]}";
  for (const bool turns : {false, true}) {
    const std::string before = chain("before", 12, turns);
    std::string after = chain("after", 12, turns);
    after.replace(after.find(first), first.size(), second);
    const TwoModules modules(before + after);
    for (const char* rule : {"bits", "signs", "ranks"})
      CHECK(Without(modules.Check(Claim(modules, rule)), "they differ at element 0") == "");
  }

  // An extremum of extrema is one.
  const TwoModules split(
      "HloModule before\nc { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b) }\n"
      "ENTRY e { x = f32[4,5] parameter(0)\n y = f32[] parameter(1)\n i = f32[] constant(-inf)\n"
      " w = f32[] reduce(x, i), dimensions={0,1}, to_apply=c\n ROOT r = f32[] maximum(w, y) }\n"
      "HloModule after\nc { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b) }\n"
      "ENTRY e { x = f32[4,5] parameter(0)\n y = f32[] parameter(1)\n i = f32[] constant(-inf)\n"
      " w = f32[4] reduce(x, i), dimensions={1}, to_apply=c\n ROOT r = f32[] reduce(w, y), dimensions={0}, to_apply=c "
      "}\n");
  CHECK(split.Check(Claim(split, "bits")) == "equal bits");
  CHECK(split.Check(Claim(split, "ranks")) == "holds");

  // All conditions hold if none of their opposites does.
  const TwoModules none(
      "HloModule before\nc { a = pred[] parameter(0)\n b = pred[] parameter(1)\n ROOT r = pred[] and(a, b) }\n"
      "ENTRY e { x = pred[9] parameter(0)\n i = pred[] constant(true)\n"
      " ROOT w = pred[] reduce(x, i), dimensions={0}, to_apply=c }\n"
      "HloModule after\nc { a = pred[] parameter(0)\n b = pred[] parameter(1)\n ROOT r = pred[] or(a, b) }\n"
      "ENTRY e { x = pred[9] parameter(0)\n i = pred[] constant(false)\n n = pred[9] not(x)\n"
      " w = pred[] reduce(n, i), dimensions={0}, to_apply=c\n ROOT r = pred[] not(w) }\n");
  CHECK(none.Check(Claim(none, "bits")) == "equal bits");
}

TEST_CASE("effects, and operations with several values, are steps of a written proof") {
  const auto with = [](const std::string& name, const std::string& sum) {
    return "HloModule " + name + R"(
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  cosines = ((f32[4]), f32[4], u32[]) cosine-start(x)
  updated = ((f32[4]), f32[4], u32[]) cosine-update(cosines)
  c = f32[4] cosine-done(updated)
  a = f32[4] )" +
           sum + R"(
  ready = token[] after-all()
  sent = (f32[4], u32[], token[]) send(a, ready), channel_id=2, is_host_transfer=true
  after = token[] send-done(sent), channel_id=2, is_host_transfer=true
  received = (f32[4], u32[], token[]) recv(after), channel_id=3, is_host_transfer=true
  arrived = (f32[4], token[]) recv-done(received), channel_id=3, is_host_transfer=true
  v = f32[4] get-tuple-element(arrived), index=0
  ROOT r = f32[4] add(v, c)
}
)";
  };
  const TwoModules modules(with("before", "add(x, y)") + with("after", "add(y, x)"));
  const auto written = equivalence::WriteProof(*modules.before, *modules.after);
  REQUIRE(written.status().message() == "");
  CHECK(written->unchecked.empty());
  const auto checked = proof_check::CheckProof(*modules.before, *modules.after, written->text);
  REQUIRE(checked.status().message() == "");
  CHECK(checked->why == "");
  CHECK(checked->outcome == proof_check::Outcome::kHolds);
  // The same steps for a module that sends something else.
  const TwoModules other(with("before", "add(x, y)") + with("after", "add(x, x)"));
  CHECK(!equivalence::WriteProof(*other.before, *other.after).ok());
}

namespace {

// `text` with each @N replaced by the Nth type.
std::string Typed(std::string text, const std::vector<std::string>& types) {
  for (size_t at; (at = text.find('@')) != std::string::npos;)
    text.replace(at, 2, types[static_cast<size_t>(text[at + 1] - '0')]);
  return text;
}

// The first operation of the entry that is no parameter, by its definition and by the reference evaluator, whose
// results agree to `bits` of the numbers.
void CheckDefinition(const std::string& text, const std::vector<Literal>& inputs, double tolerance) {
  INFO(text);
  const auto module = ModuleOf(text);
  const HloInstruction& i = *module->entry_computation()->root();
  proof_check::Shared shared;
  const HloComputation* definition = shared.DefinitionOf(i, false);
  REQUIRE(definition != nullptr);
  CHECK((shared.DefinitionOf(i, true) != nullptr) == (tolerance == 0));
  const auto evaluator = MakeReferenceEvaluator({});
  std::vector<const Literal*> operands;
  for (const Literal& input : inputs) operands.push_back(&input);
  const auto x = evaluator->EvaluateComputation(*module->entry_computation(), operands),
             y = evaluator->EvaluateComputation(*definition, operands);
  REQUIRE(x.status().message() == "");
  REQUIRE(y.status().message() == "");
  const auto same = [&](const Literal& a, const Literal& b) {
    REQUIRE(a.element_count() == b.element_count());
    for (int64_t k = 0; k < a.element_count(); ++k) {
      const double u = a.GetAsDouble(k), v = b.GetAsDouble(k);
      CHECK(((std::isnan(u) && std::isnan(v)) || u == v || std::abs(u - v) <= tolerance * (1 + std::abs(u))));
    }
  };
  const auto of_x = x->Leaves(), of_y = y->Leaves();
  REQUIRE(of_x.size() == of_y.size());
  for (size_t k = 0; k < of_x.size(); ++k) same(*of_x[k], *of_y[k]);
}

Literal NumbersOf(PrimitiveType type, const DimVector& sizes, const std::vector<double>& values) {
  Literal literal(Shape::Array(type, sizes));
  for (int64_t k = 0; k < literal.element_count(); ++k)
    literal.SetFromDouble(k, values[static_cast<size_t>(k) % values.size()]);
  return literal;
}

}  // namespace

TEST_CASE("definitions are what the reference evaluator computes") {
  const std::vector<double> some = {0.5, -1.25, 3, 0.75, 2, -0.5, 1.5};
  const PrimitiveType f32 = PrimitiveType::F32;
  const auto feature = [&](double first) { return NumbersOf(f32, {3}, {first, 1.5, 0.25}); };
  const Literal image = NumbersOf(f32, {4, 3, 2}, some);
  const std::string head = "HloModule m\nENTRY e {\n  x = f32[4,3,2] parameter(0)\n";
  const std::string parameters =
      head + "  a = f32[3] parameter(1)\n  b = f32[3] parameter(2)\n  c = f32[3] parameter(3)\n";
  const std::string rest = ", epsilon=0.01, feature_index=1\n}\n";
  CheckDefinition(head +
                      "  a = f32[3] parameter(1)\n  b = f32[3] parameter(2)\n"
                      "  ROOT r = (f32[4,3,2], f32[3], f32[3]) batch-norm-training(x, a, b)" +
                      rest,
                  {image, feature(2), feature(-1)}, 1e-5);
  CheckDefinition(
      parameters + "  d = f32[3] parameter(4)\n  ROOT r = f32[4,3,2] batch-norm-inference(x, a, b, c, d)" + rest,
      {image, feature(2), feature(-1), feature(0.5), feature(3)}, 1e-5);
  CheckDefinition(parameters +
                      "  g = f32[4,3,2] parameter(4)\n"
                      "  ROOT r = (f32[4,3,2], f32[3], f32[3]) batch-norm-grad(x, a, b, c, g)" +
                      rest,
                  {image, feature(2), feature(-1), feature(0.5), NumbersOf(f32, {4, 3, 2}, {1, -2, 0.5, 3, 0.25})},
                  1e-5);

  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> corners = {0,   -0.0,  inf,    -inf,  nan,    -nan, 1,     -1,   0.5,   -0.5, 127.5, -128.5,
                                       1e9, 126.9, -127.9, 1e-40, -1e-40, 3.25, -3.75, 2e10, -2e10, 6e-8, 127,   -128};
  const int64_t n = static_cast<int64_t>(corners.size());
  const std::string sizes = "[" + std::to_string(n * n) + "]";
  for (const auto& [type, name] : {std::pair(PrimitiveType::F16, "f16"), std::pair(PrimitiveType::BF16, "bf16"),
                                   std::pair(f32, "f32"), std::pair(PrimitiveType::F64, "f64")}) {
    Literal x(Shape::Array(type, {n * n})), y = x;
    for (int64_t k = 0; k < n * n; ++k) {
      x.SetFromDouble(k, corners[static_cast<size_t>(k / n)]);
      y.SetFromDouble(k, corners[static_cast<size_t>(k % n)]);
    }
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      CheckDefinition("HloModule m\nENTRY e {\n  x = " + (name + sizes) + " parameter(0)\n  y = " + name + sizes +
                          " parameter(1)\n  ROOT r = pred" + sizes + " compare(x, y), direction=" + direction +
                          ", type=TOTALORDER\n}\n",
                      {x, y}, 0);
    }
  }
  Literal random(Shape::Array(PrimitiveType::U32, {n * n}));
  Literal x(Shape::Array(f32, {n * n}));
  for (int64_t k = 0; k < n * n; ++k) {
    x.SetFromDouble(k, corners[static_cast<size_t>(k / n)]);
    random.SetFromInt64(k, k % n == 0 ? 0 : static_cast<int64_t>(0xFFFFFFFFU >> (k % n)));
  }
  for (const char* largest : {"true", "false"}) {
    CheckDefinition("HloModule m\nENTRY e {\n  x = f32" + sizes +
                        " parameter(0)\n  ROOT r = (f32[9], s32[9]) topk(x), k=9, largest=" + largest + "\n}\n",
                    {x}, 0);
  }
  for (const char* type : {"s8", "s16", "s32"}) {
    CheckDefinition("HloModule m\nENTRY e {\n  x = f32" + sizes + " parameter(0)\n  y = u32" + sizes +
                        " parameter(1)\n  ROOT r = " + type + sizes + " stochastic-convert(x, y)\n}\n",
                    {x, random}, 0);
  }
}

TEST_CASE("operations that are defined by others") {
  const auto outcome = [](const std::string& before, const std::string& after, const std::string& rule) {
    const std::string head =
        "add { p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = f32[] add(p, q)\n}\n"
        "ENTRY e {\n  x = f32[4,3] parameter(0)\n  a = f32[3] parameter(1)\n  b = f32[3] parameter(2)\n";
    return OutcomeOf(head, before, after, rule);
  };
  const auto scalar = [](const std::string& name, const std::string& value, const std::string& sizes) {
    return "  " + name + "0 = f32[] constant(" + value + ")\n  " + name + " = f32" + sizes + " broadcast(" + name +
           "0), dimensions={}\n";
  };
  // Batch norm: over 4 elements of each of 3 features.
  const std::string training =
      "  t = (f32[4,3], f32[3], f32[3]) batch-norm-training(x, a, b), epsilon=0.01, feature_index=1\n"
      "  ROOT r = f32[4,3] get-tuple-element(t), index=0\n";
  const auto written = [&](const std::string& count, const std::string& epsilon, const std::string& scaled) {
    return scalar("n", count, "[3]") + scalar("f", epsilon, "[3]") +
           "  z = f32[] constant(0)\n  s = f32[3] reduce(x, z), dimensions={0}, to_apply=add\n"
           "  m = f32[3] divide(s, n)\n  u = f32[4,3] broadcast(m), dimensions={1}\n  c = f32[4,3] subtract(x, u)\n"
           "  k = f32[4,3] multiply(c, c)\n  l = f32[3] reduce(k, z), dimensions={0}, to_apply=add\n"
           "  v = f32[3] divide(l, n)\n  w = f32[3] add(v, f)\n  h = f32[3] sqrt(w)\n  g = f32[3] divide(a, h)\n"
           "  i = f32[4,3] broadcast(g), dimensions={1}\n  j = f32[4,3] multiply(" +
           scaled +
           ", i)\n"
           "  o = f32[4,3] broadcast(b), dimensions={1}\n  ROOT r = f32[4,3] add(j, o)\n";
  };
  CHECK(outcome(training, written("4", "0.01", "c"), "signs") == "holds");
  CHECK(outcome(training, written("3", "0.01", "c"), "signs").find("false") != std::string::npos);
  CHECK(outcome(training, written("4", "0.011", "c"), "signs").find("false") != std::string::npos);
  CHECK(outcome(training, written("4", "0.01", "x"), "signs").find("false") != std::string::npos);
  CHECK(outcome(training, written("4", "0.01", "c"), "bits").find("false") != std::string::npos);

  // The total order, by integers.
  const std::string ordered =
      "  y = f32[4,3] broadcast(a), dimensions={1}\n  ROOT r = pred[4,3] compare(x, y), direction=LT, "
      "type=TOTALORDER\n";
  const auto keys = [](const std::string& inverted, const std::string& last) {
    return "  y = f32[4,3] broadcast(a), dimensions={1}\n  z0 = s32[] constant(0)\n"
           "  z = s32[4,3] broadcast(z0), dimensions={}\n  m0 = s32[] constant(" +
           inverted +
           ")\n"
           "  m = s32[4,3] broadcast(m0), dimensions={}\n  u = s32[4,3] bitcast(x)\n  v = s32[4,3] bitcast(y)\n"
           "  p = pred[4,3] compare(u, z), direction=LT\n  q = pred[4,3] compare(v, z), direction=LT\n"
           "  i = s32[4,3] xor(m, u)\n  j = s32[4,3] xor(m, v)\n  k = s32[4,3] select(p, i, u)\n"
           "  l = s32[4,3] select(q, j, v)\n  ROOT r = pred[4,3] compare(" +
           last + "\n";
  };
  CHECK(outcome(ordered, keys("2147483647", "k, l), direction=LT"), "bits") == "equal bits");
  CHECK(outcome(ordered, keys("2147483647", "l, k), direction=GT"), "bits") == "equal bits");
  CHECK(outcome(ordered, keys("2147483647", "k, l), direction=LE"), "bits").find("false") != std::string::npos);
  CHECK(outcome(ordered, keys("2147483646", "k, l), direction=LT"), "bits").find("false") != std::string::npos);
  CHECK(outcome(ordered, keys("2147483647", "u, v), direction=LT"), "bits").find("false") != std::string::npos);

  // Rounding at random.
  const std::string rounds =
      "  i = u32[4,3] bitcast-convert(x)\n  y = f32[4,3] broadcast(a), dimensions={1}\n"
      "  ROOT r = s8[4,3] stochastic-convert(y, i)\n";
  const auto steps = [&](const std::string& direction, const std::string& scale) {
    return "  i = u32[4,3] bitcast-convert(x)\n  y = f32[4,3] broadcast(a), dimensions={1}\n" +
           scalar("z", "0", "[4,3]") + scalar("f", scale, "[4,3]") + scalar("m", "127", "[4,3]") +
           scalar("l", "-128", "[4,3]") +
           "  o0 = s8[] constant(1)\n  o = s8[4,3] broadcast(o0), dimensions={}\n  t0 = s8[] constant(127)\n"
           "  t = s8[4,3] broadcast(t0), dimensions={}\n  s0 = s8[] constant(-128)\n"
           "  s = s8[4,3] broadcast(s0), dimensions={}\n  g = f32[4,3] sign(y)\n"
           "  n = pred[4,3] compare(g, z), direction=LT\n  h = f32[4,3] abs(y)\n  w = f32[4,3] floor(h)\n"
           "  d = f32[4,3] subtract(h, w)\n  e1 = f32[4,3] multiply(d, f)\n  k = u32[4,3] convert(e1)\n"
           "  u = pred[4,3] compare(i, k), direction=" +
           direction +
           "\n  v = s8[4,3] convert(w)\n"
           "  q = s8[4,3] add(v, o)\n  c = s8[4,3] select(u, q, v)\n  j = s8[4,3] negate(c)\n"
           "  p = s8[4,3] select(n, j, c)\n  le = pred[4,3] compare(y, l), direction=LE\n"
           "  ge = pred[4,3] compare(y, m), direction=GE\n  lo = s8[4,3] select(le, s, p)\n"
           "  ROOT r = s8[4,3] select(ge, t, lo)\n";
  };
  CHECK(outcome(rounds, steps("LT", "4294967296"), "signs") == "holds");
  CHECK(outcome(rounds, steps("LE", "4294967296"), "signs").find("false") != std::string::npos);
  CHECK(outcome(rounds, steps("LT", "2147483648"), "signs").find("false") != std::string::npos);
}

TEST_CASE("the parts of a real number") {
  CHECK(
      Bodies("  ROOT r = f32[3] imag(x)\n", "  z = f32[] constant(0)\n  ROOT r = f32[3] broadcast(z), dimensions={}\n")
          .Check("1 bits r = r\n") == "equal bits");
  CHECK(
      Bodies("  ROOT r = f32[3] imag(x)\n", "  z = f32[] constant(-0)\n  ROOT r = f32[3] broadcast(z), dimensions={}\n")
          .Check("1 bits r = r\n") != "equal bits");
  CHECK(Bodies("  ROOT r = f32[3] real(x)\n", "  ROOT r = f32[3] copy(x)\n").Check("1 bits r = x\n") == "equal bits");
  CHECK(Bodies("  ROOT r = f32[3] real(x)\n", "  ROOT r = f32[3] copy(x)\n").Check("1 bits r = y\n") != "equal bits");
}

TEST_CASE("a window selects where an element of the source goes") {
  const auto outcome = [](const std::string& direction, const std::string& start, const std::string& chosen) {
    const std::string regions =
        "keeps { p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = pred[] compare(p, q), direction=GE\n}\n"
        "add { p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = f32[] add(p, q)\n}\n"
        "ENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[2] parameter(1)\n";
    const TwoModules modules(
        "HloModule before\n" + regions +
        "  z = f32[] constant(3)\n  ROOT r = f32[4] select-and-scatter(x, y, z), window={size=2 stride=2}, "
        "select=keeps, scatter=add\n}\nHloModule after\n" +
        regions + "  z = f32[] constant(" + start +
        ")\n  t = f32[2] broadcast(z), dimensions={}\n  w = f32[2] add(t, y)\n"
        "  i = f32[2] slice(x), slice={[0:4:2]}\n  j = f32[2] slice(x), slice={[1:4:2]}\n"
        "  p = pred[2] compare(i, j), direction=" +
        direction + "\n  a = f32[2] select(p, " + chosen +
        ")\n  b = f32[2] select(p, t, w)\n  c = f32[2,1] reshape(a)\n  d = f32[2,1] reshape(b)\n"
        "  s = f32[2,2] concatenate(c, d), dimensions={1}\n  ROOT r = f32[4] reshape(s)\n}\n");
    return modules.Check(Claim(modules, "signs"));
  };
  CHECK(outcome("GE", "3", "w, t") == "holds");
  CHECK(outcome("GT", "3", "w, t").find("may differ if the numbers") != std::string::npos);
  CHECK(outcome("LE", "3", "w, t") != "holds");
  CHECK(outcome("GE", "2", "w, t").find("false") != std::string::npos);
  CHECK(outcome("GE", "3", "w, w").find("false") != std::string::npos);
}

TEST_CASE("maxima, minima and clamps of integers do not depend on how they are written") {
  for (const char* type : {"s32", "u32", "s64", "u64", "s8"}) {
    const auto outcome = [&](const std::string& before, const std::string& after) {
      const std::string head =
          " {\n  x = @0[3] parameter(0)\n  y = @0[3] parameter(1)\n  k = @0[] constant(100)\n"
          "  z = @0[] constant(0)\n  b = @0[3] broadcast(k), dimensions={}\n"
          "  a = @0[3] broadcast(z), dimensions={}\n";
      const TwoModules modules(Typed(
          "HloModule before\nENTRY e" + head + before + "}\nHloModule after\nENTRY e" + head + after + "}\n", {type}));
      return modules.Check(Claim(modules, "bits"));
    };
    INFO(type);
    const std::string most = "  ROOT r = @0[3] maximum(x, y)\n", least = "  ROOT r = @0[3] minimum(x, y)\n";
    const auto selects = [](const std::string& direction, const std::string& chosen) {
      return "  p = pred[3] compare(x, y), direction=" + direction + "\n  ROOT r = @0[3] select(p, " + chosen + ")\n";
    };
    CHECK(outcome(most, "  ROOT r = @0[3] maximum(y, x)\n") == "equal bits");
    CHECK(outcome(most, least) != "equal bits");
    for (const char* direction : {"LT", "LE", "GT", "GE"}) {
      const bool less = direction[0] == 'L';
      CHECK(outcome(most, selects(direction, less ? "y, x" : "x, y")) == "equal bits");
      CHECK(outcome(least, selects(direction, less ? "x, y" : "y, x")) == "equal bits");
      CHECK(outcome(most, selects(direction, less ? "x, y" : "y, x")) != "equal bits");
      CHECK(outcome(least, selects(direction, less ? "y, x" : "x, y")) != "equal bits");
      CHECK(outcome(most, selects(direction, less ? "y, a" : "x, a")) != "equal bits");
    }
    CHECK(outcome(most, selects("EQ", "x, y")) != "equal bits");
    CHECK(outcome(most, selects("NE", "x, y")) != "equal bits");
    const std::string clamped = "  ROOT r = @0[3] clamp(a, x, b)\n";
    CHECK(outcome(clamped, "  m = @0[3] maximum(a, x)\n  ROOT r = @0[3] minimum(b, m)\n") == "equal bits");
    CHECK(outcome(clamped, "  m = @0[3] maximum(x, a)\n  ROOT r = @0[3] minimum(m, b)\n") == "equal bits");
    if (type[0] == 's') {
      CHECK(outcome(clamped, "  m = @0[3] minimum(b, x)\n  ROOT r = @0[3] minimum(b, m)\n") != "equal bits");
      CHECK(outcome(clamped, "  ROOT r = @0[3] minimum(b, x)\n") != "equal bits");
    }
    CHECK(outcome(clamped, "  ROOT r = @0[3] maximum(a, x)\n") != "equal bits");
    // Nothing unsigned is below 0.
    const std::string wrapped = "  p = pred[3] compare(x, a), direction=LT\n  ROOT r = @0[3] select(p, y, x)\n";
    CHECK((outcome(wrapped, "  ROOT r = @0[3] copy(x)\n") == "equal bits") == (type[0] == 'u'));
  }
}

TEST_CASE("numbers with few differences are compared") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string head =
        " {\n  x = s32[3] parameter(0)\n  k = s32[] constant(2)\n  o = s32[] constant(1)\n  n = s32[] constant(31)\n"
        "  z0 = s32[] constant(0)\n  t = s32[3] broadcast(k), dimensions={}\n  u = s32[3] broadcast(o), dimensions={}\n"
        "  m = s32[3] broadcast(n), dimensions={}\n  z = s32[3] broadcast(z0), dimensions={}\n";
    const TwoModules modules("HloModule before\nENTRY e" + head + before + "}\nHloModule after\nENTRY e" + head +
                             after + "}\n");
    return modules.Check(Claim(modules, "bits"));
  };
  const auto by_division = [](const std::string& compared) {
    return "  a = s32[3] remainder(x, t)\n  ROOT r = pred[3] compare(a, " + compared + "\n";
  };
  const auto by_bits = [](const std::string& compared) {
    return "  s = s32[3] shift-right-arithmetic(x, m)\n  l = s32[3] shift-right-logical(s, m)\n"
           "  c = s32[3] add(x, l)\n  d = s32[3] and(c, u)\n  a = s32[3] subtract(d, l)\n"
           "  ROOT r = pred[3] compare(" +
           compared + "\n";
  };
  CHECK(outcome(by_division("z), direction=LT"), by_bits("a, z), direction=LT")) == "equal bits");
  CHECK(outcome(by_division("z), direction=NE"), by_bits("d, l), direction=NE")) == "equal bits");
  CHECK(outcome(by_division("z), direction=LT"), by_bits("a, z), direction=LE")) != "equal bits");
  CHECK(outcome(by_division("z), direction=NE"), by_bits("d, z), direction=NE")) != "equal bits");
  CHECK(outcome(by_division("u), direction=LT"), by_division("u), direction=LE")) != "equal bits");
  CHECK(outcome(by_division("u), direction=LT"), by_division("u), direction=NE")) == "equal bits");
}

TEST_CASE("a loop whose values moved, and one whose values begin alike") {
  const auto loop = [](const std::string& name, const std::string& type, const std::string& body,
                       const std::string& start, const std::string& result, const std::string& goes_on) {
    return "HloModule " + name + "\nbody {\n  p = " + type + " parameter(0)\n" + body + "}\ngoes {\n  p = " + type +
           " parameter(0)\n  ROOT i = pred[] get-tuple-element(p), index=" + goes_on +
           "\n}\nENTRY e {\n"
           "  x = f32[3] parameter(0)\n  first = pred[] parameter(1)\n" +
           start + "  w = " + type +
           " while(t), condition=goes, body=body\n  ROOT r = f32[3] get-tuple-element(w), index=" + result + "\n}\n";
  };
  // Both begin with x twice, in which order is seen in the turns alone. (The loops may never end, so that they are not
  // evaluated.)
  const std::string step = "  s = f32[3] tanh(b)\n";
  const std::string before =
      loop("before", "(pred[], f32[3], f32[3])",
           "  i = pred[] get-tuple-element(p), index=0\n  a = f32[3] get-tuple-element(p), index=1\n"
           "  b = f32[3] get-tuple-element(p), index=2\n" +
               step + "  u = f32[3] add(a, b)\n  ROOT t = (pred[], f32[3], f32[3]) tuple(i, u, s)\n",
           "  t = (pred[], f32[3], f32[3]) tuple(first, x, x)\n", "1", "0");
  const auto after = [&](const std::string& sum) {
    return loop("after", "(f32[3], f32[3], pred[])",
                "  i = pred[] get-tuple-element(p), index=2\n  a = f32[3] get-tuple-element(p), index=0\n"
                "  b = f32[3] get-tuple-element(p), index=1\n" +
                    step + "  u = f32[3] add(" + sum + ")\n  ROOT t = (f32[3], f32[3], pred[]) tuple(u, s, i)\n",
                "  t = (f32[3], f32[3], pred[]) tuple(x, x, first)\n", "0", "2");
  };
  const TwoModules moved(before + after("b, a"));
  const auto written = equivalence::WriteProof(*moved.before, *moved.after);
  REQUIRE(written.status().message() == "");
  CHECK(written->unchecked.empty());
  const TwoModules other(before + after("a, a"));
  CHECK(other.Check("1 loop w = w carries 0=2,1=0,2=1\n") ==
        "line 4: false: loop w = w: a turn makes values 1 of the pairs differ");
}

TEST_CASE("sums of integers, conditions and choices have bounds") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string head =
        "add { a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = s32[] add(a, b) }\n"
        "last { a = pred[] parameter(0)\n  ROOT b = pred[] parameter(1) }\n"
        "ENTRY e {\n  x = s32[3] parameter(0)\n  y = s32[3] parameter(1)\n  s = s32[] constant(0)\n"
        "  zero = s32[3] broadcast(s), dimensions={}\n  p = pred[3] compare(x, y), direction=LT\n";
    return OutcomeOf(head, before, after, "bits");
  };
  const auto number = [](const std::string& name, int64_t value) {
    return "  " + name + "0 = s32[] constant(" + std::to_string(value) + ")\n  " + name + " = s32[3] broadcast(" +
           name + "0), dimensions={}\n";
  };
  // A count of conditions is not negative; a sum of any numbers may wrap around.
  const auto count = [&](const std::string& of) {
    return "  n = s32[3] reduce-window(" + of + ", s), window={size=3 pad=2_0}, to_apply=add\n";
  };
  const std::string ones = "  o = s32[3] convert(p)\n",
                    guarded =
                        "  l = pred[3] compare(n, zero), direction=LT\n  m = s32[3] add(n, k)\n"
                        "  ROOT r = s32[3] select(l, m, n)\n",
                    same = "  ROOT r = s32[3] copy(n)\n", k = number("k", 3);
  CHECK(outcome(k + ones + count("o") + guarded, ones + count("o") + same) == "equal bits");
  CHECK(outcome(k + count("x") + guarded, count("x") + same) != "equal bits");
  CHECK(outcome(k + number("d", -1) + ones + "  q = s32[3] add(o, d)\n" + count("q") + guarded,
                number("d", -1) + ones + "  q = s32[3] add(o, d)\n" + count("q") + same) != "equal bits");
  const auto most = [&](const std::string& number) {
    return ones + count("o") + number + "  ROOT r = s32[3] minimum(n, k)\n";
  };
  CHECK(outcome(most(number("k", 4)), ones + count("o") + same) == "equal bits");
  CHECK(outcome(most(number("k", 2)), ones + count("o") + same) != "equal bits");

  // Quotients by 1, rounded down, and what follows from their remainder.
  const auto floored = [&](int64_t by) {
    return number("k", by) + "  q = s32[3] divide(n, k)\n  z = s32[3] remainder(n, k)\n" +
           "  a = s32[3] sign(n)\n  b = s32[3] sign(k)\n  i = pred[3] compare(a, b), direction=NE\n" +
           "  j = pred[3] compare(z, zero), direction=NE\n  w = pred[3] and(i, j)\n" + number("g", 1) +
           "  h = s32[3] subtract(q, g)\n  f = s32[3] select(w, h, q)\n";
  };
  const std::string rest = number("t", 5) + "  ROOT r = s32[3] remainder(";
  CHECK(outcome(ones + count("o") + floored(1) + rest + "f, t)\n", ones + count("o") + rest + "n, t)\n") ==
        "equal bits");
  CHECK(outcome(ones + count("o") + floored(2) + rest + "f, t)\n", ones + count("o") + rest + "n, t)\n") !=
        "equal bits");
  CHECK(outcome(number("k", 1) + "  ROOT r = s32[3] divide(x, k)\n", "  ROOT r = s32[3] copy(x)\n") == "equal bits");
  CHECK(outcome(number("k", -1) + "  ROOT r = s32[3] divide(x, k)\n", "  ROOT r = s32[3] copy(x)\n") != "equal bits");

  // The remainder by 8 of a negative number, by its absolute value.
  const std::string by_eight = number("k", 8) + "  ROOT r = s32[3] remainder(x, k)\n";
  const auto by_bits = [&](const std::string& negative, const std::string& wrapped, int64_t mask) {
    return number("k", mask) + "  l = pred[3] compare(x, zero), direction=LT\n  n = s32[3] " + negative +
           "\n  a = s32[3] select(l, n, x)\n  b = s32[3] and(a, k)\n  c = s32[3] " + wrapped +
           "\n  ROOT r = s32[3] select(l, c, b)\n";
  };
  CHECK(outcome(by_eight, by_bits("negate(x)", "negate(b)", 7)) == "equal bits");
  CHECK(outcome(by_eight, by_bits("copy(x)", "negate(b)", 7)) != "equal bits");
  CHECK(outcome(by_eight, by_bits("negate(x)", "copy(b)", 7)) != "equal bits");
  CHECK(outcome(by_eight, by_bits("negate(x)", "negate(b)", 15)) != "equal bits");
  CHECK(outcome(by_eight, by_bits("not(x)", "not(b)", 7)) != "equal bits");  // 0 for -8, but -1 for -9

  // Conditions that a scatter replaces are conditions.
  const std::string placed = "  i = s32[1] constant({0})\n  v = pred[2] slice(p), slice={[1:3]}\n";
  const std::string scattered =
      placed +
      "  f = pred[] constant(false)\n  g = pred[3] broadcast(f), dimensions={}\n"
      "  q = pred[3] scatter(g, i, v), update_window_dims={0}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=last\n  ROOT r = s32[3] convert(q)\n";
  const auto padded = [&](const std::string& value) {
    return placed + "  f = pred[] constant(" + value +
           ")\n  q = pred[3] pad(v, f), padding=0_1\n  ROOT r = s32[3] convert(q)\n";
  };
  CHECK(outcome(scattered, padded("false")) == "equal bits");
  CHECK(outcome(scattered, padded("true")) != "equal bits");
  // What is selected by a constant, beside a number whose bits are unknown.
  const auto chosen = [&](const std::string& first) {
    return "  f = f32[] constant(nan)\n  u = s32[] bitcast-convert(f)\n  h = f32[] constant(-2)\n"
           "  v = s32[] bitcast-convert(h)\n  w = pred[] constant(" +
           first + ")\n  t = s32[] select(w, u, v)\n  o = s32[] constant(1)\n  ROOT r = s32[] subtract(t, o)\n";
  };
  CHECK(outcome(chosen("false"), "  ROOT r = s32[] constant(-1073741825)\n") == "equal bits");
  CHECK(outcome(chosen("true"), "  ROOT r = s32[] constant(-1073741825)\n") != "equal bits");
  CHECK(outcome(chosen("false"), "  ROOT r = s32[] constant(-1073741824)\n") != "equal bits");
}

TEST_CASE("matrix equations have one solution") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string head =
        "ENTRY e {\n  x = f32[2,2] parameter(0)\n  y = f32[2,2] parameter(1)\n"
        "  i = s32[2,2] iota(), iota_dimension=0\n  j = s32[2,2] iota(), iota_dimension=1\n"
        "  ge = pred[2,2] compare(i, j), direction=GE\n  le = pred[2,2] compare(i, j), direction=LE\n"
        "  eq = pred[2,2] compare(i, j), direction=EQ\n  c0 = f32[] constant(0)\n"
        "  zero = f32[2,2] broadcast(c0), dimensions={}\n  c1 = f32[] constant(1)\n"
        "  one = f32[2,2] broadcast(c1), dimensions={}\n  xt = f32[2,2] transpose(x), dimensions={1,0}\n";
    return OutcomeOf(head, before, after, "signs");
  };
  const auto dot = [](const std::string& a, const std::string& b, int x, int y) {
    return "f32[2,2] dot(" + a + ", " + b + "), lhs_contracting_dims={" + std::to_string(x) +
           "}, rhs_contracting_dims={" + std::to_string(y) + "}\n";
  };
  // A column of l l^T, or a row of u^T u, is one of the matrix; the last root is one of what is left.
  const std::string lower = "  l = f32[2,2] cholesky(x), lower=true\n",
                    upper = "  l = f32[2,2] cholesky(x), lower=false\n";
  const auto part = [](const std::string& name, const std::string& of, int row, int column) {
    const auto range = [](int at) { return "[" + std::to_string(at) + ":" + std::to_string(at + 1) + "]"; };
    return "  " + name + " = f32[1,1] slice(" + of + "), slice={" + range(row) + ", " + range(column) + "}\n";
  };
  const auto expanded = [&](int below, bool turned, const std::string& rest) {
    return part("a", "x", 0, 0) + part("b", "x", below, 1 - below) + part("c", "x", 1, 1) +
           "  p = f32[1,1] sqrt(a)\n  q = f32[1,1] divide(b, p)\n  m = f32[1,1] multiply(" + rest +
           ")\n  s = f32[1,1] subtract(c, m)\n  t = f32[1,1] sqrt(s)\n" + part("z", "zero", 0, 0) +
           "  u = f32[1,2] concatenate(p, z), dimensions={1}\n  v = f32[1,2] concatenate(q, t), dimensions={1}\n"
           "  w = f32[2,2] concatenate(u, v), dimensions={0}\n  ROOT r = f32[2,2] transpose(w), dimensions={" +
           (turned ? "1,0}\n" : "0,1}\n");
  };
  const std::string as_it_is = "  ROOT r = f32[2,2] copy(l)\n";
  CHECK(outcome(lower + as_it_is, expanded(1, false, "q, q")) == "holds");
  CHECK(outcome(upper + as_it_is, expanded(0, true, "q, q")) == "holds");
  CHECK(outcome(lower + as_it_is, expanded(0, false, "q, q")) != "holds");
  CHECK(outcome(upper + as_it_is, expanded(1, true, "q, q")) != "holds");
  CHECK(outcome(lower + as_it_is, expanded(1, true, "q, q")) != "holds");
  CHECK(outcome(lower + as_it_is, expanded(1, false, "q, b")) != "holds");
  // The other triangle is zero, and the diagonal positive.
  CHECK(outcome(lower + as_it_is, lower + "  ROOT r = f32[2,2] select(ge, l, zero)\n") == "holds");
  CHECK(outcome(lower + as_it_is, lower + "  n = f32[2,2] abs(l)\n  ROOT r = f32[2,2] select(eq, n, l)\n") == "holds");
  CHECK(outcome(lower + as_it_is, lower + "  n = f32[2,2] abs(l)\n  ROOT r = f32[2,2] copy(n)\n") != "holds");
  CHECK(outcome(lower + as_it_is, lower + "  n = f32[2,2] negate(l)\n  ROOT r = f32[2,2] copy(n)\n") != "holds");

  // The triangle times the solution is the right-hand side.
  const std::string same = "  ROOT r = f32[2,2] copy(y)\n";
  for (const bool left : {true, false}) {
    for (const bool is_lower : {true, false}) {
      for (const bool turned : {true, false}) {
        for (const bool unit : {true, false}) {
          const auto product = [&](bool lower_read, bool turn) {
            return "  s = f32[2,2] triangular-solve(x, y), left_side=" + std::string(left ? "true" : "false") +
                   ", lower=" + (is_lower ? "true" : "false") +
                   ", transpose_a=" + (turned ? "TRANSPOSE" : "NO_TRANSPOSE") +
                   ", unit_diagonal=" + (unit ? "true" : "false") + "\n  t = f32[2,2] select(" +
                   (lower_read ? "ge" : "le") + ", x, zero)\n  d = f32[2,2] select(eq, " + (unit ? "one" : "t") +
                   ", t)\n  ROOT r = " + (left ? dot("d", "s", turn ? 0 : 1, 0) : dot("s", "d", 1, turn ? 1 : 0));
          };
          INFO(product(is_lower, turned));
          CHECK(outcome(product(is_lower, turned), same) == "holds");
          CHECK(outcome(product(!is_lower, turned), same) != "holds");
          CHECK(outcome(product(is_lower, !turned), same) != "holds");
        }
      }
    }
  }
}

TEST_CASE("constants that are combined, and numbers computed from constants") {
  const auto constant = [](const std::string& name, const std::string& value) {
    return "  " + name + "0 = f32[] constant(" + value + ")\n  " + name + " = f32[3] broadcast(" + name +
           "0), dimensions={}\n";
  };
  const auto outcome = [&](const std::string& a, const std::string& op, const std::string& b, const std::string& c,
                           const std::string& rule) {
    const TwoModules modules = Bodies(
        constant("a", a) + constant("b", b) + "  u = f32[3] multiply(x, a)\n  ROOT r = f32[3] " + op + "(u, b)\n",
        constant("c", c) + "  ROOT r = f32[3] multiply(x, c)\n");
    return modules.Check(Claim(modules, rule));
  };
  CHECK(outcome("0.434294492", "multiply", "10", "4.3429451", "signs") == "holds");
  CHECK(outcome("0.434294492", "multiply", "10", "4.34294558", "signs").find("false") != std::string::npos);
  CHECK(outcome("0.434294492", "multiply", "10", "4.34294462", "signs").find("false") != std::string::npos);
  CHECK(outcome("0.434294492", "multiply", "-10", "4.3429451", "signs").find("false") != std::string::npos);
  CHECK(outcome("0.434294492", "multiply", "20", "4.3429451", "signs").find("false") != std::string::npos);
  CHECK(outcome("0.434294492", "multiply", "10", "4.3429451", "bits").find("false") != std::string::npos);
  CHECK(outcome("1.553774", "divide", "1.41421354", "1.09868419", "signs") == "holds");
  CHECK(outcome("1.553774", "divide", "1.41421354", "1.09868407", "signs").find("false") != std::string::npos);
  CHECK(outcome("1.553774", "multiply", "1.41421354", "1.09868419", "signs").find("false") != std::string::npos);
  CHECK(outcome("1.553774", "add", "1.41421354", "2.96798754", "signs").find("false") != std::string::npos);
  // In f64 the product has more digits.
  const auto wide = [](const std::string& product) {
    const std::string head = "ENTRY e {\n  x = f64[] parameter(0)\n  a = f64[] constant(0.43429449200630188)\n";
    return TwoModules("HloModule before\n" + head +
                      "  b = f64[] constant(10)\n  u = f64[] multiply(x, a)\n"
                      "  ROOT r = f64[] multiply(u, b)\n}\nHloModule after\n" +
                      head + "  c = f64[] constant(" + product + ")\n  ROOT r = f64[] multiply(x, c)\n}\n");
  };
  const TwoModules exact = wide("4.3429449200630188"), narrow = wide("4.3429450988769531");
  CHECK(exact.Check(Claim(exact, "signs")) == "holds");
  CHECK(narrow.Check(Claim(narrow, "signs")).find("false") != std::string::npos);

  // Remainders of whole constants.
  const auto rest = [&](const std::string& by) {
    return "  i = f32[3] iota(), iota_dimension=0\n" + constant("k", "2") + constant("n", by) +
           "  a = f32[3] add(i, k)\n  b = f32[3] remainder(a, n)\n  ROOT r = f32[3] multiply(x, b)\n";
  };
  const std::string known = "  k = f32[3] constant({2, 0, 1})\n  ROOT r = f32[3] multiply(x, k)\n";
  const auto check = [](const TwoModules& modules) { return modules.Check(Claim(modules, "signs")); };
  CHECK(check(Bodies(rest("3"), known)) == "holds");
  CHECK(check(Bodies(rest("4"), known)).find("false") != std::string::npos);
  const auto widened = [](const std::string& value) {
    return "  c = c64[3] convert(x)\n  n = s32[] constant(" + value +
           ")\n  z = c64[] convert(n)\n  k = c64[3] broadcast(z), dimensions={}\n  m = c64[3] multiply(c, k)\n"
           "  ROOT r = f32[3] real(m)\n";
  };
  CHECK(check(Bodies(widened("2"), "  ROOT r = f32[3] add(x, x)\n")) == "holds");
  CHECK(check(Bodies(widened("3"), "  ROOT r = f32[3] add(x, x)\n")).find("false") != std::string::npos);
}

TEST_CASE("a scatter of two operands, and the first of a sort") {
  const std::string regions =
      "both { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n"
      "  p = f32[] add(a, c)\n  q = f32[] multiply(b, d)\n  ROOT t = (f32[], f32[]) tuple(p, q) }\n"
      "add { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b) }\n"
      "multiply { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] multiply(a, b) }\n"
      "greater { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n"
      "  ROOT c = pred[] compare(a, b), direction=GT, type=TOTALORDER }\n"
      "less { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n";
  const auto outcome = [&](const std::string& before, const std::string& after, const std::string& rule) {
    const std::string head = regions +
                             "ENTRY e {\n  x = f32[5] parameter(0)\n  y = f32[5] parameter(1)\n"
                             "  i = s32[3,1] parameter(2)\n  u = f32[3] parameter(3)\n  v = f32[3] parameter(4)\n";
    return OutcomeOf(head, before, after, rule);
  };
  const std::string places =
      "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=";
  const std::string together = "  ROOT s = (f32[5], f32[5]) scatter(x, y, i, u, v" + places + "both\n";
  const auto apart = [&](const std::string& first, const std::string& second) {
    return "  s = f32[5] scatter(" + first + "\n  t = f32[5] scatter(" + second +
           "\n  ROOT r = (f32[5], f32[5]) tuple(s, t)\n";
  };
  CHECK(outcome(together, apart("x, i, u" + places + "add", "y, i, v" + places + "multiply"), "signs") == "holds");
  CHECK(outcome(together, apart("x, i, u" + places + "add", "y, i, v" + places + "add"), "signs") != "holds");
  CHECK(outcome(together, apart("x, i, v" + places + "add", "y, i, u" + places + "multiply"), "signs") != "holds");

  const auto sorted = [](const std::string& comparator, int first) {
    const std::string part = ", slice={[" + std::to_string(first) + ":" + std::to_string(first + 2) + "]}\n";
    return "  n = s32[5] iota(), iota_dimension=0\n  o = (f32[5], s32[5]) sort(x, n), dimensions={0}, "
           "is_stable=true, to_apply=" +
           comparator + "\n  a = f32[5] get-tuple-element(o), index=0\n  b = s32[5] get-tuple-element(o), index=1\n" +
           "  p = f32[2] slice(a)" + part + "  q = s32[2] slice(b)" + part +
           "  ROOT r = (f32[2], s32[2]) tuple(p, q)\n";
  };
  const std::string first = "  ROOT r = (f32[2], s32[2]) topk(x), k=2, largest=true\n",
                    least = "  ROOT r = (f32[2], s32[2]) topk(x), k=2, largest=false\n",
                    call = "  ROOT r = (f32[2], s32[2]) custom-call(x), custom_call_target=\"TopK\"\n";
  CHECK(outcome(first, sorted("greater", 0), "bits") == "equal bits");
  CHECK(outcome(least, sorted("less", 0), "bits") == "equal bits");
  CHECK(outcome(call, first, "ranks") == "holds");
  CHECK(outcome(first, sorted("less", 0), "bits") != "equal bits");
  CHECK(outcome(first, sorted("greater", 1), "bits") != "equal bits");
  CHECK(outcome(call, least, "ranks") != "holds");
}

TEST_CASE("what a side does with equal numbers alone is tried") {
  const auto outcome = [](const std::string& before, const std::string& after) {
    const std::string numbers =
        "  a = f32[3] add(x, y)\n  b = f32[3] multiply(y, y)\n  p = pred[3] compare(a, b), direction=LT\n"
        "  q = pred[3] compare(a, b), direction=GT\n  m = f32[3] multiply(x, x)\n";
    const TwoModules modules = Bodies(numbers + before, numbers + after);
    return modules.Check(Claim(modules, "signs"));
  };
  // z if x + y = y * y, which no random numbers are.
  const auto chosen = [](const std::string& above, const std::string& equal) {
    return "  s = f32[3] select(q, " + above + ", " + equal + ")\n  ROOT r = f32[3] select(p, m, s)\n";
  };
  CHECK(outcome(chosen("x", "y"), chosen("x", "y")) == "holds");
  CHECK(outcome(chosen("x", "y"), "  s = f32[3] select(p, m, y)\n  ROOT r = f32[3] select(q, x, s)\n") == "holds");
  CHECK(outcome("  ROOT r = f32[3] copy(m)\n", chosen("m", "m")) == "holds");
  CHECK(outcome("  ROOT r = f32[3] copy(m)\n", chosen("m", "y")).find("unchecked") != std::string::npos);
  CHECK(outcome(chosen("m", "y"), "  ROOT r = f32[3] copy(m)\n").find("unchecked") != std::string::npos);
  CHECK(outcome(chosen("x", "y"), chosen("x", "m")).find("unchecked") != std::string::npos);
  // A comparison of a difference with 0 is one of its operands.
  const auto by_difference = [](const std::string& direction, const std::string& operands) {
    return "  d = f32[3] subtract(" + operands +
           ")\n  c = f32[] constant(0)\n  z = f32[3] broadcast(c), dimensions={}\n"
           "  g = pred[3] compare(d, z), direction=" +
           direction + "\n  ROOT r = f32[3] select(g, x, y)\n";
  };
  const std::string compared = "  ROOT r = f32[3] select(p, x, y)\n";
  CHECK(outcome(compared, by_difference("LT", "a, b")) == "holds");
  CHECK(outcome(compared, by_difference("GT", "b, a")) == "holds");
  CHECK(outcome(compared, by_difference("LE", "a, b")).find("unchecked") != std::string::npos);
  CHECK(outcome(compared, by_difference("GE", "b, a")).find("unchecked") != std::string::npos);
}
