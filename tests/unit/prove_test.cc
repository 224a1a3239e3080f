// Proofs: modules with equal and with different normal forms; for proved pairs the reference computes equal bits.
#include "hloir/prove.h"

#include <algorithm>

#include "check/confirm.h"
#include "hloir/check.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

// Instructions of an entry over a, b: s32[6], x, y: f32[2,3], p: pred[6], and c: s8[6].
std::unique_ptr<HloModule> Entry(const std::string& body, const std::string& others = "") {
  return Parse("HloModule m\n" + others +
               "\nENTRY e {\n a = s32[6] parameter(0)\n b = s32[6] parameter(1)\n x = f32[2,3] parameter(2)\n"
               " y = f32[2,3] parameter(3)\n p = pred[6] parameter(4)\n c = s8[6] parameter(5)\n" +
               body + "\n}\n");
}

bool Same(const std::string& a, const std::string& b, const std::string& others = "") {
  const auto before = Entry(a, others), after = Entry(b, others);
  const Proof proof = Prove(*before, *after);
  INFO(proof.how);
  CHECK(proof.how != "");
  // Whatever is said to be the same is the same on values.
  if (proof.holds) {
    CheckOptions options;
    options.proofs = Proofs::kNone;
    options.exact = true;
    options.runner.engine = Engine::kReference;
    const auto verdict = Check(*before, *after, {}, options);
    REQUIRE(verdict.status().message() == "");
    INFO(verdict->ToString());
    CHECK(verdict->outcome == Outcome::kSameBits);
  }
  return proof.holds;
}

}  // namespace

TEST_CASE("structure proves modules that differ in names and order alone") {
  const auto one = Entry("s = s32[6] add(a, b)\n t = s32[6] multiply(a, b)\n ROOT r = s32[6] subtract(s, t)");
  const auto two = Entry("u = s32[6] multiply(a, b)\n v = s32[6] add(a, b)\n ROOT w = s32[6] subtract(v, u)");
  CHECK(Prove(*one, *two).holds);
  CHECK(Prove(*one, *two).how == "the two have the same structure");
}

TEST_CASE("integers are polynomials modulo 2^n") {
  CHECK(
      Same("s = s32[6] add(a, b)\n ROOT r = s32[6] multiply(s, s)",
           "aa = s32[6] multiply(a, a)\n bb = s32[6] multiply(b, b)\n ab = s32[6] multiply(b, a)\n t = s32[6] add(ab, "
           "aa)\n u = s32[6] add(t, ab)\n ROOT r = s32[6] add(u, bb)"));
  CHECK(Same("n = s32[6] not(a)\n ROOT r = s32[6] negate(n)",
             "k = s32[] constant(1)\n one = s32[6] broadcast(k), dimensions={}\n ROOT r = s32[6] add(a, one)"));
  CHECK(
      Same("k = s32[] constant(3)\n three = s32[6] broadcast(k), dimensions={}\n ROOT r = s32[6] shift-left(a, three)",
           "k = s32[] constant(8)\n eight = s32[6] broadcast(k), dimensions={}\n ROOT r = s32[6] multiply(a, eight)"));
  // The bits that are cut off do not come back.
  CHECK(
      !Same("k = s32[] constant(8)\n eight = s32[6] broadcast(k), dimensions={}\n m = s32[6] multiply(a, eight)\n ROOT "
            "r = s32[6] divide(m, eight)",
            "ROOT r = s32[6] copy(a)"));
  // A narrow sum is the narrow end of a wide one; a wide one is not the sum of narrow ones.
  CHECK(Same("w = s32[6] convert(c)\n s = s32[6] add(w, a)\n ROOT r = s8[6] convert(s)",
             "n = s8[6] convert(a)\n ROOT r = s8[6] add(n, c)"));
  CHECK(!Same("f = f32[6] convert(c)\n ROOT r = u8[6] convert(f)", "ROOT r = u8[6] convert(c)"));
  CHECK(Same("f = f32[6] convert(c)\n ROOT r = s32[6] convert(f)", "ROOT r = s32[6] convert(c)"));
  CHECK(!Same("w = s32[6] convert(c)\n ROOT r = s32[6] add(w, w)", "n = s8[6] add(c, c)\n ROOT r = s32[6] convert(n)"));
}

TEST_CASE("numbers are compared with numbers") {
  const std::string numbers =
      "k = s32[] constant(-3)\n n = s32[] constant(5)\n"
      " u = u32[] constant(4294967295)\n v = u32[] constant(7)\n";
  const auto says = [&](const std::string& compare, bool is) {
    return Same(numbers + " ROOT r = pred[] compare(" + compare,
                std::string(" ROOT t = pred[] constant(") + (is ? "true" : "false") + ")");
  };
  CHECK(says("k, n), direction=LT", true));
  CHECK(says("n, k), direction=LT", false));
  CHECK(says("n, n), direction=LE", true));
  CHECK(says("u, v), direction=LT", false));
  CHECK(says("v, u), direction=GE", false));
}

TEST_CASE("bits are polynomials of and and xor") {
  CHECK(Same("o = s32[6] or(a, b)\n ROOT r = s32[6] not(o)",
             "n = s32[6] not(a)\n m = s32[6] not(b)\n ROOT r = s32[6] and(m, n)"));
  CHECK(Same("o = s32[6] or(a, b)\n ROOT r = s32[6] and(a, o)", "ROOT r = s32[6] copy(a)"));
  CHECK(Same("q = pred[6] not(p)\n ROOT r = s32[6] select(q, a, b)", "ROOT r = s32[6] select(p, b, a)"));
  CHECK(Same("l = pred[6] compare(a, b), direction=LT\n ROOT r = pred[6] not(l)",
             "ROOT r = pred[6] compare(b, a), direction=LE"));
  CHECK(!Same("l = pred[6] compare(a, b), direction=LT\n ROOT r = pred[6] not(l)",
              "ROOT r = pred[6] compare(b, a), direction=LT"));
  // Not of floats: a NaN is neither less nor not less.
  CHECK(!Same("l = pred[2,3] compare(x, y), direction=LT\n ROOT r = pred[2,3] not(l)",
              "ROOT r = pred[2,3] compare(x, y), direction=GE"));
  CHECK(Same("l = pred[6] compare(a, b), direction=GT\n ROOT r = s32[6] select(l, a, b)",
             "ROOT r = s32[6] maximum(b, a)"));
}

TEST_CASE("floats: only what changes no bit") {
  CHECK(Same("ROOT r = f32[2,3] add(x, y)", "ROOT r = f32[2,3] add(y, x)"));
  CHECK(Same("n = f32[2,3] negate(y)\n ROOT r = f32[2,3] add(x, n)", "ROOT r = f32[2,3] subtract(x, y)"));
  CHECK(Same("n = f32[2,3] negate(x)\n m = f32[2,3] negate(y)\n ROOT r = f32[2,3] multiply(n, m)",
             "ROOT r = f32[2,3] multiply(y, x)"));
  // -0 + 0 is 0.
  CHECK(!Same("k = f32[] constant(0)\n z = f32[2,3] broadcast(k), dimensions={}\n ROOT r = f32[2,3] add(x, z)",
              "ROOT r = f32[2,3] copy(x)"));
  CHECK(Same("k = f32[] constant(-0)\n z = f32[2,3] broadcast(k), dimensions={}\n ROOT r = f32[2,3] add(x, z)",
             "ROOT r = f32[2,3] copy(x)"));
  CHECK(!Same("s = f32[2,3] add(x, y)\n t = f32[2,3] add(s, x)\n ROOT r = f32[2,3] negate(t)",
              "u = f32[2,3] add(y, x)\n t = f32[2,3] add(u, y)\n ROOT r = f32[2,3] negate(t)"));
  CHECK(!Same("s = f32[2,3] add(x, y)\n ROOT t = f32[2,3] add(s, y)",
              "s = f32[2,3] add(y, y)\n ROOT t = f32[2,3] add(x, s)"));
  CHECK(
      Same("k = f32[] constant(8)\n e = f32[2,3] broadcast(k), dimensions={}\n ROOT r = f32[2,3] divide(x, e)",
           "k = f32[] constant(0.125)\n e = f32[2,3] broadcast(k), dimensions={}\n ROOT r = f32[2,3] multiply(e, x)"));
  CHECK(!Same(
      "k = f32[] constant(3)\n e = f32[2,3] broadcast(k), dimensions={}\n ROOT r = f32[2,3] divide(x, e)",
      "k = f32[] constant(0.333333343)\n e = f32[2,3] broadcast(k), dimensions={}\n ROOT r = f32[2,3] multiply(e, "
      "x)"));
}

TEST_CASE("what moves data is a walk over it") {
  CHECK(
      Same("t = f32[3,2] transpose(x), dimensions={1,0}\n s = f32[2,2] slice(t), slice={[1:3], [0:2]}\n e = f32[2,2] "
           "exponential(s)\n ROOT r = f32[4] reshape(e)",
           "e = f32[2,3] exponential(x)\n s = f32[2,2] slice(e), slice={[0:2], [1:3]}\n t = f32[2,2] transpose(s), "
           "dimensions={1,0}\n ROOT r = f32[4] reshape(t)"));
  CHECK(
      !Same("t = f32[3,2] transpose(x), dimensions={1,0}\n ROOT r = f32[6] reshape(t)", "ROOT r = f32[6] reshape(x)"));
  CHECK(
      Same("l = f32[2,1] slice(x), slice={[0:2], [0:1]}\n m = f32[2,2] slice(x), slice={[0:2], [1:3]}\n ROOT r = "
           "f32[2,3] concatenate(l, m), dimensions={1}",
           "ROOT r = f32[2,3] copy(x)"));
  CHECK(
      Same("k = s32[] constant(9)\n z = s32[] constant(0)\n ROOT r = f32[2,2] dynamic-slice(x, z, k), "
           "dynamic_slice_sizes={2,2}",
           "ROOT r = f32[2,2] slice(x), slice={[0:2], [1:3]}"));
  CHECK(
      Same("k = f32[] constant(1)\n ROOT r = f32[4,3] pad(x, k), padding=1_1x0_0",
           "k = f32[] constant(1)\n o = f32[1,3] broadcast(k), dimensions={}\n ROOT r = f32[4,3] concatenate(o, x, o), "
           "dimensions={0}"));
  CHECK(Same(
      "i = s32[6] iota(), iota_dimension=0\n ROOT v = s32[6] reverse(i), dimensions={0}",
      "i = s32[6] iota(), iota_dimension=0\n k = s32[] constant(5)\n f = s32[6] broadcast(k), dimensions={}\n ROOT r "
      "= s32[6] subtract(f, i)"));
}

TEST_CASE("calls, fusions, tuples and products are looked through") {
  const std::string others =
      "f { q = f32[2,3] parameter(0)\n k = f32[2,3] parameter(1)\n t = f32[2,3] tanh(q)\n ROOT m = f32[2,3] "
      "multiply(t, k) "
      "}";
  CHECK(Same("ROOT r = f32[2,3] fusion(y, x), kind=kLoop, calls=f",
             "h = f32[2,3] tanh(y)\n ROOT m = f32[2,3] multiply(h, x)", others));
  CHECK(
      Same("t = f32[3,2] transpose(y), dimensions={1,0}\n ROOT d = f32[2,2] dot(x, t), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}",
           "ROOT d = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
  CHECK(
      Same("t = f32[2,2] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n ROOT r = f32[2,2] "
           "transpose(t), dimensions={1,0}",
           "ROOT d = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
  CHECK(!Same("ROOT d = f32[2,2] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
              "ROOT d = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
}

TEST_CASE("what a loop leaves alone is what it began with") {
  const auto loop = [](const std::string& kept) {
    return "body { t = (s32[], f32[2,3]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n v = f32[2,3] "
           "get-tuple-element(t), index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n w = f32[2,3] " +
           kept +
           "(v)\n ROOT r = (s32[], f32[2,3]) tuple(j, w) }\n on { t = (s32[], f32[2,3]) parameter(0)\n i = s32[] "
           "get-tuple-element(t), index=0\n n = s32[] constant(5)\n ROOT c = pred[] compare(i, n), direction=LT }\n";
  };
  const std::string run =
      "z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, x)\n w = (s32[], f32[2,3]) while(s), condition=on, "
      "body=body\n ROOT r = f32[2,3] get-tuple-element(w), index=1";
  CHECK(Same(run, "ROOT r = f32[2,3] copy(x)", loop("copy")));
  CHECK(!Same(run, "ROOT r = f32[2,3] copy(x)", loop("abs")));
}

TEST_CASE("a solver decides about integers where normal forms do not") {
  if (!HasProofSolver()) return;  // checked where z3 is
  const std::string less = "l = pred[6] compare(a, b), direction=LT\n";
  CHECK(Same(less + "m = s32[6] minimum(a, b)\n n = pred[6] compare(m, b), direction=LT\n ROOT r = pred[6] copy(n)",
             less + "ROOT r = pred[6] copy(l)"));
  // Rounding towards zero by a shift.
  CHECK(Same(
      "k = s32[] constant(8)\n e = s32[6] broadcast(k), dimensions={}\n ROOT r = s32[6] divide(a, e)",
      "k = s32[] constant(31)\n e = s32[6] broadcast(k), dimensions={}\n s = s32[6] shift-right-arithmetic(a, e)\n "
      "m = s32[] constant(7)\n f = s32[6] broadcast(m), dimensions={}\n t = s32[6] and(s, f)\n u = s32[6] add(a, "
      "t)\n n = s32[] constant(3)\n g = s32[6] broadcast(n), dimensions={}\n ROOT r = s32[6] "
      "shift-right-arithmetic(u, g)"));
  // Indices: an iota of six is below six, and one that is shifted is cut off at the edge.
  CHECK(
      Same("i = s32[6] iota(), iota_dimension=0\n k = s32[] constant(6)\n n = s32[6] broadcast(k), dimensions={}\n "
           "ROOT r = s32[6] remainder(i, n)",
           "ROOT i = s32[6] iota(), iota_dimension=0"));
  // Floats that integers choose.
  CHECK(Same(
      "o = s32[6] or(a, b)\n z = s32[] constant(0)\n zs = s32[6] broadcast(z), dimensions={}\n q = pred[6] "
      "compare(o, zs), direction=EQ\n v = f32[6] reshape(x)\n w = f32[6] reshape(y)\n s = f32[6] select(q, v, w)\n "
      "ROOT r = f32[6] exponential(s)",
      "z = s32[] constant(0)\n zs = s32[6] broadcast(z), dimensions={}\n q = pred[6] compare(a, zs), direction=EQ\n "
      "u = pred[6] compare(b, zs), direction=EQ\n h = pred[6] and(q, u)\n v = f32[6] reshape(x)\n w = f32[6] "
      "reshape(y)\n s = f32[6] select(h, v, w)\n ROOT r = f32[6] exponential(s)"));
}

TEST_CASE("a solver finds the one value on which two modules differ") {
  if (!HasProofSolver()) return;
  const auto one = Entry("ROOT r = s32[6] copy(a)");
  const auto two = Entry(
      "k = s32[] constant(123456789)\n e = s32[6] broadcast(k), dimensions={}\n q = pred[6] compare(a, e), "
      "direction=EQ\n n = s32[6] negate(a)\n ROOT r = s32[6] select(q, n, a)");
  ProveOptions options;
  options.confirm = check::ConfirmDifference;
  const Proof proof = Prove(*one, *two, options);
  INFO(proof.how);
  CHECK(!proof.holds);
  REQUIRE(proof.counterexample.size() == 6);
  const std::span<const int32_t> a = proof.counterexample[0].data<int32_t>();
  CHECK(std::find(a.begin(), a.end(), 123456789) != a.end());
  const auto verdict = Check(*one, *two);
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kDisagree);
}

TEST_CASE("what is not a function is not proved by its form, and what is too large is not proved at all") {
  const std::string draw =
      "k = f32[] constant(0)\n l = f32[] constant(1)\n u = f32[2,3] rng(k, l), distribution=rng_uniform\n";
  const auto twice =
      Entry(draw + "v = f32[2,3] rng(k, l), distribution=rng_uniform\n ROOT r = f32[2,3] subtract(u, v)");
  const auto once = Entry(draw + "ROOT r = f32[2,3] subtract(u, u)");
  CHECK(!Prove(*twice, *once).holds);
  CHECK(Prove(*twice, *twice).holds);
  const auto sum = Entry("ROOT r = s32[6] add(a, b)"), other = Entry("ROOT r = s32[6] add(b, a)");
  CHECK(Prove(*sum, *other).holds);
  ProveOptions few;
  few.max_work = 3;
  CHECK(!Prove(*sum, *other, few).holds);
}

TEST_CASE("what is proved runs once, and is not doubted for lack of numbers") {
  const auto one = Entry("ROOT r = f32[2,3] add(x, y)"), two = Entry("ROOT r = f32[2,3] add(y, x)");
  const auto enough = Check(*one, *two);
  REQUIRE(enough.ok());
  CHECK(enough->proof.holds);
  CHECK(enough->ToString().find("\nproved: the two have the same normal form") != std::string::npos);
  Checker checker(*one, {}, {});
  REQUIRE(checker.Check(*two).ok());
  CHECK(checker.inputs().size() == 1);
  // The same checker, for what a step tells apart: up to the first inputs on which the results differ.
  const auto third = Entry("ROOT r = f32[2,3] subtract(y, x)");
  const auto verdict = checker.Check(*third);
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kDisagree);
  CHECK(!verdict->proof.holds);
  CHECK(checker.inputs().size() == 1);
  CheckOptions also;
  also.proofs = Proofs::kAlso;
  Checker all(*one, {}, also);
  REQUIRE(all.Check(*two).ok());
  CHECK(all.inputs().size() > 1);
}
