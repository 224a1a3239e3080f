// Proofs: modules with equal and with different normal forms; for proved pairs the reference computes equal bits.
#include "hloir/prove.h"

#include <algorithm>

#include "check/confirm.h"
#include "hloir/check.h"
#include "hloir/parser.h"
#include "support/format.h"
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

// A loop over (counter, elements) with one computation for the body and one for the condition.
std::string LoopOf(const std::string& state, const std::string& body, const std::string& limit,
                   const std::string& direction = "LT", const std::string& name = "") {
  return "body" + name + " { t = " + state + " parameter(0)\n i = s32[] get-tuple-element(t), index=0\n" + body +
         " }\n on" + name + " { t = " + state + " parameter(0)\n i = s32[] get-tuple-element(t), index=0\n" +
         " n = s32[] constant(" + limit + ")\n ROOT c = pred[] compare(i, n), direction=" + direction + " }\n";
}

TEST_CASE("a loop's counter has a range") {
  const auto loop = [](const std::string& index) {
    return LoopOf("(s32[], f32[2,3])",
                  "v = f32[2,3] get-tuple-element(t), index=1\n z = s32[] constant(0)\n k = s32[] constant(20)\n neg = "
                  "pred[] compare(i, z), direction=LT\n more = s32[] add(i, k)\n at = s32[] " +
                      index +
                      "\n f = f32[] convert(at)\n fs = f32[2,3] broadcast(f), dimensions={}\n w = f32[2,3] add(v, fs)\n"
                      " n = s32[] constant(1)\n j = s32[] add(i, n)\n ROOT r = (s32[], f32[2,3]) tuple(j, w)",
                  "20");
  };
  const auto run = [](const std::string& start) {
    return "z = s32[] constant(" + start +
           ")\n s = (s32[], f32[2,3]) tuple(z, x)\n w = (s32[], f32[2,3]) while(s), condition=on, body=body\n ROOT r = "
           "f32[2,3] get-tuple-element(w), index=1";
  };
  const auto same = [&](const std::string& start, const std::string& one, const std::string& two) {
    const auto before = Entry(run(start), loop(one)), after = Entry(run(start), loop(two));
    return Prove(*before, *after, {.solver_work = 0}).holds;
  };
  CHECK(same("0", "select(neg, more, i)", "copy(i)"));
  CHECK(!same("-1", "select(neg, more, i)", "copy(i)"));
  CHECK(same("0", "remainder(i, k)", "copy(i)"));
  CHECK(!same("0", "remainder(more, k)", "copy(more)"));
  // From 0 to 19 the counter is never beyond 19, and reaches it.
  const std::string limit = "clamp(z, i, u)\n q = s32[] copy(z)";
  const auto bounded = [](const std::string& text, const std::string& bound) {
    const std::string constant = "z = s32[] constant(0)\n";
    std::string all = text;
    all.replace(all.find(constant), constant.size(), constant + " u = s32[] constant(" + bound + ")\n");
    return all;
  };
  const auto plain = Entry(run("0"), bounded(loop("copy(i)"), "19"));
  CHECK(Prove(*Entry(run("0"), bounded(loop(limit), "19")), *plain, {.solver_work = 0}).holds);
  CHECK(!Prove(*Entry(run("0"), bounded(loop(limit), "18")), *plain, {.solver_work = 0}).holds);
}

TEST_CASE("a loop is what its results need") {
  const std::string wide = "(s32[], f32[2,3], f32[2,3], f32[2,3])", narrow = "(s32[], f32[2,3])";
  const auto run = [](const std::string& state, const std::string& elements, const std::string& index) {
    return "z = s32[] constant(0)\n s = " + state + " tuple(" + elements + ")\n w = " + state +
           " while(s), condition=on, body=body\n ROOT r = f32[2,3] get-tuple-element(w), index=" + index;
  };
  const std::string three =
      "u = f32[2,3] get-tuple-element(t), index=1\n v = f32[2,3] get-tuple-element(t), index=2\n k "
      "= f32[2,3] get-tuple-element(t), index=3\n n = s32[] constant(1)\n j = s32[] add(i, n)\n";
  // The third element is read alone and never changed, the first is not needed.
  const std::string before = LoopOf(
      wide, three + "uu = f32[2,3] tanh(u)\n vv = f32[2,3] multiply(v, k)\n ROOT r = " + wide + " tuple(j, uu, vv, k)",
      "100");
  const auto alone = [&](const std::string& factor) {
    return LoopOf(
        narrow,
        "v = f32[2,3] get-tuple-element(t), index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n h = f32[] "
        "constant(" +
            factor +
            ")\n k = f32[2,3] broadcast(h), dimensions={}\n vv = f32[2,3] multiply(v, k)\n "
            "ROOT r = (s32[], f32[2,3]) tuple(j, vv)",
        "100");
  };
  const std::string two = "h = f32[] constant(2)\n k = f32[2,3] broadcast(h), dimensions={}\n ";
  const auto whole = Entry(two + run(wide, "z, x, y, k", "2"), before);
  CHECK(Prove(*whole, *Entry(run(narrow, "z, y", "1"), alone("2"))).holds);
  CHECK(!Prove(*whole, *Entry(run(narrow, "z, y", "1"), alone("3"))).holds);
  CHECK(!Prove(*whole, *Entry(run(narrow, "z, x", "1"), alone("2"))).holds);

  // Two elements that begin alike are one only as long as each turn makes them alike.
  const auto pair = [&](const std::string& first, const std::string& second) {
    return LoopOf(wide,
                  three + "uu = f32[2,3] " + first + "\n vv = f32[2,3] " + second +
                      "\n kk = f32[2,3] subtract(u, v)\n " + "ROOT r = " + wide + " tuple(j, uu, vv, kk)",
                  "100");
  };
  const auto difference = [&](const std::string& first, const std::string& second) {
    const auto a = Entry(run(wide, "z, x, x, y", "1"), pair(first, second));
    const auto b = Entry(run(wide, "z, x, x, y", "2"), pair(first, second));
    return Prove(*a, *b, {.solver_work = 0}).holds;
  };
  CHECK(difference("sine(u)", "sine(v)"));
  CHECK(difference("sine(v)", "sine(u)"));
  CHECK(!difference("sine(u)", "cosine(v)"));
  CHECK(!difference("sine(u)", "sine(k)"));
}

TEST_CASE("a loop in a loop does not mix up what the two carry") {
  // The inner loop adds what the outer one carries (or what it carries itself), three times.
  const auto inner = [](const std::string& added) {
    return LoopOf("(s32[], f32[2,3], f32[2,3])",
                  "u = f32[2,3] get-tuple-element(t), index=1\n v = f32[2,3] get-tuple-element(t), index=2\n n = s32[] "
                  "constant(1)\n j = s32[] add(i, n)\n uu = f32[2,3] add(u, " +
                      added + ")\n ROOT r = (s32[], f32[2,3], f32[2,3]) tuple(j, uu, v)",
                  "30", "LT", "1") +
           LoopOf(
               "(s32[], f32[2,3])",
               "v = f32[2,3] get-tuple-element(t), index=1\n z = s32[] constant(0)\n s = (s32[], f32[2,3], f32[2,3]) "
               "tuple(z, v, v)\n w = (s32[], f32[2,3], f32[2,3]) while(s), condition=on1, body=body1\n q = f32[2,3] "
               "get-tuple-element(w), index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n ROOT r = (s32[], "
               "f32[2,3]) tuple(j, q)",
               "40");
  };
  const std::string run =
      "z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, x)\n w = (s32[], f32[2,3]) while(s), condition=on, "
      "body=body\n ROOT r = f32[2,3] get-tuple-element(w), index=1";
  CHECK(!Prove(*Entry(run, inner("v")), *Entry(run, inner("u")), {.solver_work = 0}).holds);
}

TEST_CASE("a loop of a few turns is what they compute") {
  const auto loop = [](const std::string& limit) {
    return LoopOf(
        "(s32[], f32[2,3])",
        "v = f32[2,3] get-tuple-element(t), index=1\n n = s32[] constant(2)\n j = s32[] add(i, n)\n w = f32[2,3] "
        "sine(v)\n ROOT r = (s32[], f32[2,3]) tuple(j, w)",
        limit);
  };
  const std::string run =
      "z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, x)\n w = (s32[], f32[2,3]) while(s), condition=on, "
      "body=body\n ROOT r = f32[2,3] get-tuple-element(w), index=1";
  const std::string twice = "u = f32[2,3] sine(x)\n ROOT r = f32[2,3] sine(u)";
  CHECK(Same(run, twice, loop("4")));
  CHECK(Same(run, twice, loop("3")));
  CHECK(!Same(run, twice, loop("5")));
  CHECK(!Same(run, twice, loop("2")));
  CHECK(Same(run, "ROOT r = f32[2,3] copy(x)", loop("0")));
}

TEST_CASE("a signed quotient by a power of two rounds towards 0") {
  const std::string eight = "k = s32[] constant(8)\n eight = s32[6] broadcast(k), dimensions={}\n";
  const std::string bits =
      "u = s32[] constant(31)\n us = s32[6] broadcast(u), dimensions={}\n h = s32[] constant(29)\n hs = s32[6] "
      "broadcast(h), dimensions={}\n t = s32[] constant(3)\n ts = s32[6] broadcast(t), dimensions={}\n m = s32[] "
      "constant(7)\n ms = s32[6] broadcast(m), dimensions={}\n signs = s32[6] shift-right-arithmetic(a, us)\n bias = "
      "s32[6] shift-right-logical(signs, hs)\n sum = s32[6] add(a, bias)\n low = s32[6] and(sum, ms)\n";
  CHECK(Same(eight + "ROOT r = s32[6] divide(a, eight)", bits + "ROOT r = s32[6] shift-right-arithmetic(sum, ts)"));
  CHECK(!Same(eight + "ROOT r = s32[6] divide(a, eight)", bits + "ROOT r = s32[6] shift-right-arithmetic(a, ts)"));
  CHECK(Same(eight + "ROOT r = s32[6] remainder(a, eight)", bits + "ROOT r = s32[6] subtract(low, bias)"));
  CHECK(!Same(eight + "ROOT r = s32[6] remainder(a, eight)", bits + "ROOT r = s32[6] and(a, ms)"));
}

TEST_CASE("windows at one place") {
  const std::string replace = "second { q = f32[] parameter(0)\n ROOT k = f32[] parameter(1) }\n";
  const std::string start = "s = s32[1] slice(a), slice={[0:1]}\n i = s32[] reshape(s)\n z = s32[] constant(0)\n";
  CHECK(Same(start + "ROOT g = f32[3] gather(x, s), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, "
                     "index_vector_dim=0, slice_sizes={1,3}",
             start + "d = f32[1,3] dynamic-slice(x, i, z), dynamic_slice_sizes={1,3}\n ROOT r = f32[3] reshape(d)"));
  CHECK(!Same(start + "ROOT g = f32[2] gather(x, s), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, "
                      "index_vector_dim=0, slice_sizes={2,1}",
              start + "d = f32[2,1] dynamic-slice(x, z, z), dynamic_slice_sizes={2,1}\n ROOT r = f32[2] reshape(d)"));
  const std::string row = start + "u = f32[1,3] slice(y), slice={[0:1],[0:3]}\n v = f32[3] reshape(u)\n";
  const std::string scatter = row +
                              "ROOT g = f32[2,3] scatter(x, s, v), update_window_dims={0}, inserted_window_dims={0}, "
                              "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=second";
  const std::string updated =
      row +
      "o = s32[] constant(1)\n ge = pred[] compare(i, z), direction=GE\n le = pred[] compare(i, "
      "o), direction=LE\n in = pred[] and(ge, le)\n ins = pred[1,3] broadcast(in), dimensions={}\n "
      "old = f32[1,3] dynamic-slice(x, i, z), dynamic_slice_sizes={1,3}\n new = f32[1,3] select(ins, "
      "u, old)\n";
  CHECK(Same(scatter, updated + "ROOT r = f32[2,3] dynamic-update-slice(x, new, i, z)", replace));
  // Outside of the array nothing is written, where an update would be clamped.
  CHECK(!Same(scatter, updated + "ROOT r = f32[2,3] dynamic-update-slice(x, u, i, z)", replace));
  CHECK(Same(start + "f = f32[2,3] sine(x)\n ROOT d = f32[1,3] dynamic-slice(f, i, z), dynamic_slice_sizes={1,3}",
             start + "d = f32[1,3] dynamic-slice(x, i, z), dynamic_slice_sizes={1,3}\n ROOT r = f32[1,3] sine(d)"));
}

TEST_CASE("neutral operands, single elements and other orders of dimensions") {
  const auto bound = [](const std::string& number, const std::string& operation) {
    return "h = f32[] constant(" + number + ")\n cs = f32[2,3] broadcast(h), dimensions={}\n ROOT r = f32[2,3] " +
           operation + "(x, cs)";
  };
  CHECK(Same(bound("-inf", "maximum"), "ROOT r = f32[2,3] copy(x)"));
  CHECK(Same(bound("inf", "minimum"), "ROOT r = f32[2,3] copy(x)"));
  CHECK(!Same(bound("-3e38", "maximum"), "ROOT r = f32[2,3] copy(x)"));
  CHECK(!Same(bound("inf", "maximum"), "ROOT r = f32[2,3] copy(x)"));
  const std::string add = "add { q = f32[] parameter(0)\n k = f32[] parameter(1)\n ROOT s = f32[] add(q, k) }\n";
  const std::string one = "h = f32[] constant(3)\n u = f32[2,3,1] reshape(x)\n ";
  CHECK(Same(one + "ROOT r = f32[2,3] reduce(u, h), dimensions={2}, to_apply=add",
             "h = f32[] constant(3)\n cs = f32[2,3] broadcast(h), dimensions={}\n ROOT r = f32[2,3] add(x, cs)", add));
  CHECK(!Same(one + "ROOT r = f32[2,3] reduce(u, h), dimensions={2}, to_apply=add", "ROOT r = f32[2,3] copy(x)", add));
  const std::string images = "u = f32[1,1,2,3] reshape(x)\n k = f32[1,1,2,3] reshape(y)\n";
  const std::string convolution =
      images + "ROOT r = f32[1,1,1,1] convolution(u, k), window={size=2x3}, dim_labels=bf01_oi01->bf01";
  const auto transposed = [&](const std::string& size) {
    return images +
           "v = f32[1,2,3,1] transpose(u), dimensions={0,2,3,1}\n ROOT r = f32[1,1,1,1] convolution(v, k), "
           "window={size=2x3" +
           size + "}, dim_labels=b01f_oi01->b01f";
  };
  CHECK(Same(convolution, transposed("")));
  CHECK(!Same(convolution, transposed(" rhs_reversal=1x0")));
}

TEST_CASE("a division by a power of two is a product in every IEEE type") {
  const auto of = [](const std::string& type, const std::string& operation, const std::string& number) {
    const std::string shape = type + "[2,3]";
    return "u = " + shape + " convert(x)\n h = " + type + "[] constant(" + number + ")\n hs = " + shape +
           " broadcast(h), dimensions={}\n q = " + shape + " " + operation + "(u, hs)\n ROOT r = f32[2,3] convert(q)";
  };
  for (const std::string type : {"bf16", "f16", "f32", "f64"}) {
    CHECK(Same(of(type, "divide", "1024"), of(type, "multiply", "0.0009765625")));
    CHECK(!Same(of(type, "divide", "1024"), of(type, "multiply", "0.001953125")));
    CHECK(!Same(of(type, "divide", "3"), of(type, "multiply", "0.333333343")));
  }
}

TEST_CASE("conditions as numbers") {
  const std::string zero = "h = f32[] constant(0)\n cs = f32[6] broadcast(h), dimensions={}\n f = f32[6] convert(p)\n";
  CHECK(Same(zero + "ROOT r = pred[6] compare(f, cs), direction=NE", "ROOT r = pred[6] copy(p)"));
  CHECK(Same(zero + "ROOT r = pred[6] compare(cs, f), direction=EQ", "ROOT r = pred[6] not(p)"));
  CHECK(!Same(zero + "ROOT r = pred[6] compare(f, cs), direction=GE", "ROOT r = pred[6] copy(p)"));
  const std::string branches =
      "yes { q = f32[2,3] parameter(0)\n ROOT k = f32[2,3] sine(q) }\n no { q = f32[2,3] parameter(0)\n ROOT k = "
      "f32[2,3] "
      "cosine(q) }\n";
  const std::string first = "s = pred[1] slice(p), slice={[0:1]}\n o = pred[] reshape(s)\n i = s32[] convert(o)\n";
  const std::string chosen =
      first + "ROOT r = f32[2,3] conditional(o, x, y), true_computation=yes, false_computation=no";
  CHECK(Same(chosen, first + "ROOT r = f32[2,3] conditional(i, y, x), branch_computations={no, yes}", branches));
  CHECK(!Same(chosen, first + "ROOT r = f32[2,3] conditional(i, x, y), branch_computations={yes, no}", branches));
  CHECK(Same("f = f32[2,3] abs(x)\n g = f32[2,3] abs(y)\n ROOT r = f32[2,3] multiply(f, g)",
             "f = f32[2,3] multiply(x, y)\n ROOT r = f32[2,3] abs(f)"));
  CHECK(!Same("f = f32[2,3] abs(x)\n ROOT r = f32[2,3] multiply(f, y)",
              "f = f32[2,3] multiply(x, y)\n ROOT r = f32[2,3] abs(f)"));
}

TEST_CASE("a choice of loops by a predicate is one by the number of it") {
  const std::string loops =
      LoopOf("(s32[], f32[2,3])",
             "v = f32[2,3] get-tuple-element(t), index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n"
             " q = f32[2,3] sine(v)\n ROOT r = (s32[], f32[2,3]) tuple(j, q)",
             "40") +
      "yes { q = f32[2,3] parameter(0)\n z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, q)\n"
      " w = (s32[], f32[2,3]) while(s), condition=on, body=body\n ROOT k = f32[2,3] get-tuple-element(w), index=1 }\n"
      "no { q = f32[2,3] parameter(0)\n ROOT k = f32[2,3] cosine(q) }\n";
  const std::string first = "s = pred[1] slice(p), slice={[0:1]}\n o = pred[] reshape(s)\n i = s32[] convert(o)\n";
  const std::string chosen =
      first + "ROOT r = f32[2,3] conditional(o, x, y), true_computation=yes, false_computation=no";
  CHECK(Same(chosen, first + "ROOT r = f32[2,3] conditional(i, y, x), branch_computations={no, yes}", loops));
  CHECK(!Same(chosen, first + "ROOT r = f32[2,3] conditional(i, x, y), branch_computations={no, yes}", loops));
  CHECK(!Same(chosen, first + "ROOT r = f32[2,3] conditional(i, x, y), branch_computations={yes, no}", loops));
}

TEST_CASE("a loop around a loop is what its results need") {
  // What the first module carries first, and nobody needs, moves the rest in the state of both loops.
  const auto before =
      LoopOf("(s32[], f32[2,3], f32[2,3])",
             "d = f32[2,3] get-tuple-element(t), index=1\n u = f32[2,3] get-tuple-element(t), index=2\n "
             "n = s32[] constant(1)\n j = s32[] add(i, n)\n dd = f32[2,3] multiply(d, u)\n uu = f32[2,3] "
             "sine(u)\n ROOT r = (s32[], f32[2,3], f32[2,3]) tuple(j, dd, uu)",
             "30", "LT", "1") +
      LoopOf("(s32[], f32[2,3], f32[2,3])",
             "d = f32[2,3] get-tuple-element(t), index=1\n v = f32[2,3] get-tuple-element(t), index=2\n "
             "z = s32[] constant(0)\n s = (s32[], f32[2,3], f32[2,3]) tuple(z, d, v)\n w = (s32[], "
             "f32[2,3], f32[2,3]) while(s), condition=on1, body=body1\n e = f32[2,3] "
             "get-tuple-element(w), index=1\n q = f32[2,3] get-tuple-element(w), index=2\n n = s32[] "
             "constant(1)\n j = s32[] add(i, n)\n ROOT r = (s32[], f32[2,3], f32[2,3]) tuple(j, e, q)",
             "40");
  const auto after = [](const std::string& function) {
    return LoopOf("(s32[], f32[2,3])",
                  "u = f32[2,3] get-tuple-element(t), index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n uu = "
                  "f32[2,3] " +
                      function + "(u)\n ROOT r = (s32[], f32[2,3]) tuple(j, uu)",
                  "30", "LT", "1") +
           LoopOf("(s32[], f32[2,3])",
                  "v = f32[2,3] get-tuple-element(t), index=1\n z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, "
                  "v)\n w = (s32[], f32[2,3]) while(s), condition=on1, body=body1\n q = f32[2,3] get-tuple-element(w), "
                  "index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n ROOT r = (s32[], f32[2,3]) tuple(j, q)",
                  "40");
  };
  const auto whole = Entry(
      "z = s32[] constant(0)\n s = (s32[], f32[2,3], f32[2,3]) tuple(z, y, x)\n w = (s32[], f32[2,3], f32[2,3]) "
      "while(s), condition=on, body=body\n ROOT r = f32[2,3] get-tuple-element(w), index=2",
      before);
  const std::string run =
      "z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, x)\n w = (s32[], f32[2,3]) while(s), condition=on, "
      "body=body\n ROOT r = f32[2,3] get-tuple-element(w), index=1";
  CHECK(Prove(*whole, *Entry(run, after("sine")), {.solver_work = 0}).holds);
  CHECK(!Prove(*whole, *Entry(run, after("cosine")), {.solver_work = 0}).holds);
}

TEST_CASE("whether a loop is unrolled does not depend on how its body is written") {
  const auto sines = [](int count) {
    std::string text;
    for (int k = 0; k < count; ++k)
      text += Format("v{} = f32[2,3] sine({})\n ", k, k == 0 ? "v" : Format("v{}", k - 1));
    return text;
  };
  const auto loop = [](const std::string& made) {
    return LoopOf("(s32[], f32[2,3])",
                  "v = f32[2,3] get-tuple-element(t), index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n " + made +
                      "\n ROOT r = (s32[], f32[2,3]) tuple(j, q)",
                  "8");
  };
  const std::string run =
      "z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, x)\n w = (s32[], f32[2,3]) while(s), condition=on, "
      "body=body\n ROOT r = f32[2,3] get-tuple-element(w), index=1";
  const auto inlined = [&](int count) { return loop(sines(count) + Format("q = f32[2,3] copy(v{})", count - 1)); };
  const auto called = Entry(run, "f { v = f32[2,3] parameter(0)\n " + sines(290) + "ROOT c = f32[2,3] copy(v289) }\n" +
                                     loop("q = f32[2,3] call(v), to_apply=f"));
  CHECK(Prove(*called, *Entry(run, inlined(290)), {.solver_work = 0}).holds);
  CHECK(!Prove(*called, *Entry(run, inlined(289)), {.solver_work = 0}).holds);
}

TEST_CASE("a choice of loops needs what the results need, and none if they end") {
  const auto loops = [](const std::string& turns, const std::string& parameter, const std::string& value) {
    return LoopOf("(s32[], f32[2,3])",
                  "v = f32[2,3] get-tuple-element(t), index=1\n n = s32[] constant(1)\n j = s32[] add(i, n)\n"
                  " q = f32[2,3] sine(v)\n ROOT r = (s32[], f32[2,3]) tuple(j, q)",
                  turns) +
           "yes { " + parameter + " parameter(0)\n " + value +
           " z = s32[] constant(0)\n s = (s32[], f32[2,3]) tuple(z, q)\n w = (s32[], f32[2,3]) while(s), condition=on, "
           "body=body\n ROOT k = f32[2,3] get-tuple-element(w), index=1 }\n"
           "no { q = f32[2,3] parameter(0)\n ROOT k = f32[2,3] cosine(q) }\n";
  };
  const std::string first = "s = pred[1] slice(p), slice={[0:1]}\n o = pred[] reshape(s)\n ";
  const std::string chosen = "ROOT r = f32[2,3] conditional(o, ", by = "), true_computation=yes, false_computation=no";
  const auto narrow = Entry(first + chosen + "x, y" + by, loops("40", "q = f32[2,3]", ""));
  const auto wide = [&](const std::string& elements) {
    return Entry(first + "u = (f32[2,3], f32[2,3]) tuple(" + elements + ")\n " + chosen + "u, y" + by,
                 loops("40", "u = (f32[2,3], f32[2,3])", "q = f32[2,3] get-tuple-element(u), index=1\n"));
  };
  CHECK(Prove(*narrow, *wide("y, x"), {.solver_work = 0}).holds);
  CHECK(!Prove(*narrow, *wide("x, y"), {.solver_work = 0}).holds);

  const std::string all =
      first +
      "os = pred[2,3] broadcast(o), dimensions={}\n v = f32[2,3] sine(x)\n w = f32[2,3] sine(v)\n n = "
      "f32[2,3] cosine(y)\n ROOT r = f32[2,3] select(os, w, n)";
  CHECK(Same(first + chosen + "x, y" + by, all, loops("2", "q = f32[2,3]", "")));
  CHECK(!Same(first + chosen + "x, y" + by, all, loops("3", "q = f32[2,3]", "")));
}

TEST_CASE("a part of counted numbers begins at its clamped start") {
  const std::string start = "s = s32[1] slice(a), slice={[0:1]}\n i = s32[] reshape(s)\n ";
  const std::string part =
      start + "n = s32[9] iota(), iota_dimension=0\n ROOT r = s32[2] dynamic-slice(n, i), dynamic_slice_sizes={2}";
  const auto sum = [&](const std::string& room) {
    return start + "z = s32[] constant(0)\n k = s32[] constant(" + room +
           ")\n m = s32[] clamp(z, i, k)\n cs = s32[2] broadcast(m), dimensions={}\n n = s32[2] iota(), "
           "iota_dimension=0\n ROOT r = s32[2] add(n, cs)";
  };
  CHECK(Same(part, sum("7")));
  CHECK(!Same(part, sum("8")));
}

TEST_CASE("a choice of two values of a function is the function of the one chosen") {
  const std::string split = "u = f32[6] convert(a)\n v = f32[6] convert(b)\n ROOT r = f32[6] select(p, u, v)";
  CHECK(Same(split, "s = s32[6] select(p, a, b)\n ROOT r = f32[6] convert(s)"));
  CHECK(!Same(split, "s = s32[6] select(p, b, a)\n ROOT r = f32[6] convert(s)"));
  CHECK(!Same("u = f32[6] convert(a)\n v = f32[6] convert(c)\n ROOT r = f32[6] select(p, u, v)",
              "t = s32[6] convert(c)\n s = s32[6] select(p, b, t)\n ROOT r = f32[6] convert(s)"));
}

TEST_CASE("reshapes of deep terms cost what they add") {
  std::string text = "v = f32[2,3] copy(x)\n ", plain = text;
  for (int k = 0; k < 90; ++k) {
    text += Format("av{} = f32[6] reshape({})\n bv{} = f32[6] sine(av{})\n cv{} = f32[2,3] reshape(bv{})\n ", k,
                   k == 0 ? "v" : Format("dv{}", k - 1), k, k, k, k) +
            Format("dv{} = f32[2,3] sine(cv{})\n ", k, k);
    plain += Format("bv{} = f32[2,3] sine({})\n dv{} = f32[2,3] sine(bv{})\n ", k, k == 0 ? "v" : Format("dv{}", k - 1),
                    k, k);
  }
  const auto a = Entry(text + "ROOT r = f32[2,3] copy(dv89)"), b = Entry(plain + "ROOT r = f32[2,3] copy(dv89)");
  CHECK(Prove(*a, *b, {.max_work = 0, .work_for_each = 16, .solver_work = 0}).holds);
  CHECK(!Prove(*a, *Entry(plain + "ROOT r = f32[2,3] cosine(dv88)"), {.solver_work = 0}).holds);
}

TEST_CASE("a number is finite whatever its sign") {
  const std::string finite = "ROOT r = pred[2,3] is-finite(x)";
  CHECK(Same("u = f32[2,3] abs(x)\n v = f32[2,3] negate(u)\n ROOT r = pred[2,3] is-finite(v)", finite));
  CHECK(!Same("u = f32[2,3] exponential(x)\n ROOT r = pred[2,3] is-finite(u)", finite));
}

TEST_CASE("a choice of two numbers is a multiple of its condition") {
  const std::string number =
      "n = s32[6] convert(p)\n k = s32[] constant(2)\n ks = s32[6] broadcast(k), dimensions={}\n";
  const auto choice = [](const std::string& yes, const std::string& no, const std::string& type = "s32") {
    return "v = " + type + "[] constant(" + yes + ")\n w = " + type + "[] constant(" + no + ")\n vs = " + type +
           "[6] broadcast(v), dimensions={}\n ws = " + type + "[6] broadcast(w), dimensions={}\n s = " + type +
           "[6] select(p, vs, ws)\n";
  };
  const std::string sum = number + "m = s32[6] multiply(n, ks)\n ROOT r = s32[6] subtract(m, ks)";
  CHECK(Same(sum, choice("0", "-2") + "ROOT r = s32[6] copy(s)"));
  CHECK(!Same(sum, choice("-2", "0") + "ROOT r = s32[6] copy(s)"));
  const std::string negated = number + "ROOT r = s32[6] not(n)";
  CHECK(Same(negated, choice("-2", "-1") + "ROOT r = s32[6] copy(s)"));
  CHECK(!Same(negated, choice("-1", "-2") + "ROOT r = s32[6] copy(s)"));
  const std::string converted = choice("300", "2") + "ROOT r = s8[6] convert(s)";
  CHECK(Same(converted, choice("44", "2", "s8") + "ROOT r = s8[6] copy(s)"));
  CHECK(!Same(converted, choice("127", "2", "s8") + "ROOT r = s8[6] copy(s)"));
  const std::string both =
      "q = pred[6] compare(a, b), direction=LT\n f = f32[6] convert(q)\n o = f32[] constant(1)\n "
      "os = f32[6] broadcast(o), dimensions={}\n ";
  const std::string chosen = both + "ROOT r = f32[6] select(p, os, f)";
  CHECK(Same(chosen, both + "e = pred[6] or(p, q)\n ROOT r = f32[6] convert(e)"));
  CHECK(!Same(chosen, both + "e = pred[6] and(p, q)\n ROOT r = f32[6] convert(e)"));
}

TEST_CASE("an integer of one value is that value") {
  const auto shifted = [](const std::string& by) {
    return "k = s32[] constant(15)\n ks = s32[6] broadcast(k), dimensions={}\n m = s32[6] and(a, ks)\n h = s32[] "
           "constant(" +
           by +
           ")\n hs = s32[6] broadcast(h), dimensions={}\n ROOT r = s32[6] "
           "shift-right-arithmetic(m, hs)";
  };
  const std::string zero = "k = s32[] constant(0)\n ROOT r = s32[6] broadcast(k), dimensions={}";
  CHECK(Same(shifted("4"), zero));
  CHECK(!Same(shifted("3"), zero));
}

TEST_CASE("comparisons of floats, and their signs") {
  const std::string larger = "m = f32[2,3] maximum(x, y)\n ";
  CHECK(Same(larger + "ROOT r = pred[2,3] compare(m, y), direction=GT",
             "ROOT r = pred[2,3] compare(x, y), direction=GT"));
  CHECK(!Same(larger + "ROOT r = pred[2,3] compare(m, y), direction=GE",
              "ROOT r = pred[2,3] compare(x, y), direction=GE"));
  CHECK(Same(larger + "ROOT r = pred[2,3] compare(m, y), direction=LE",
             "ROOT r = pred[2,3] compare(x, y), direction=LE"));
  const std::string smaller = "m = f32[2,3] minimum(x, y)\n ";
  CHECK(Same(smaller + "ROOT r = pred[2,3] compare(m, y), direction=LT",
             "ROOT r = pred[2,3] compare(x, y), direction=LT"));
  CHECK(!Same(smaller + "ROOT r = pred[2,3] compare(m, y), direction=GT",
              "ROOT r = pred[2,3] compare(x, y), direction=GT"));
  const auto says = [](const std::string& value) {
    return "k = pred[] constant(" + value + ")\n ROOT r = pred[2,3] broadcast(k), dimensions={}";
  };
  CHECK(Same("ROOT r = pred[2,3] compare(x, x), direction=LT", says("false")));
  CHECK(!Same("ROOT r = pred[2,3] compare(x, x), direction=LE", says("true")));
  const std::string opposites = "n = f32[2,3] negate(x)\n m = f32[2,3] negate(y)\n ";
  CHECK(Same(opposites + "ROOT r = pred[2,3] compare(n, m), direction=LT",
             "ROOT r = pred[2,3] compare(y, x), direction=LT"));
  CHECK(!Same(opposites + "ROOT r = pred[2,3] compare(n, m), direction=LT",
              "ROOT r = pred[2,3] compare(x, y), direction=LT"));
  CHECK(Same(smaller + "n = f32[2,3] minimum(m, y)\n ROOT r = f32[2,3] negate(n)",
             smaller + "ROOT r = f32[2,3] negate(m)"));
  CHECK(!Same(smaller + "n = f32[2,3] maximum(m, y)\n ROOT r = f32[2,3] negate(n)",
              smaller + "ROOT r = f32[2,3] negate(m)"));
  const auto rest = [](const std::string& of) {
    return "i = f32[2,3] iota(), iota_dimension=1\n k = f32[] constant(0)\n z = f32[2,3] broadcast(k), dimensions={}\n "
           "q = f32[2,3] remainder(" +
           of + ")\n ROOT r = pred[2,3] compare(q, z), direction=LT";
  };
  CHECK(Same(rest("i, y"), says("false")));
  CHECK(!Same(rest("y, i"), says("false")));
  const std::string signs = "u = f32[2,3] abs(x)\n v = f32[2,3] abs(y)\n ";
  CHECK(Same(signs + "q = f32[2,3] divide(u, v)\n s = f32[2,3] sqrt(q)\n ROOT r = f32[2,3] abs(s)",
             signs + "q = f32[2,3] divide(u, v)\n ROOT r = f32[2,3] sqrt(q)"));
  CHECK(
      !Same(signs + "q = f32[2,3] divide(u, y)\n ROOT r = f32[2,3] abs(q)", signs + "ROOT r = f32[2,3] divide(u, y)"));
}

TEST_CASE("computations that are applied to elements") {
  const std::string maps =
      "f { u = f32[] parameter(0)\n v = f32[] parameter(1)\n d = f32[] subtract(u, v)\n k = f32[] "
      "constant(2)\n ROOT m = f32[] multiply(d, k) }\n";
  const std::string map = "ROOT r = f32[2,3] map(x, y), dimensions={0,1}, to_apply=f";
  const std::string two = "k = f32[] constant(2)\n ks = f32[2,3] broadcast(k), dimensions={}\n ";
  CHECK(Same(map, two + "d = f32[2,3] subtract(x, y)\n ROOT r = f32[2,3] multiply(d, ks)", maps));
  CHECK(!Same(map, two + "d = f32[2,3] subtract(y, x)\n ROOT r = f32[2,3] multiply(d, ks)", maps));
  // Reductions of few integers, in any order; not of floats.
  const std::string add =
      "f { u = s32[] parameter(0)\n v = s32[] parameter(1)\n ROOT s = s32[] add(u, v) }\n"
      "g { u = f32[] parameter(0)\n v = f32[] parameter(1)\n ROOT s = f32[] add(u, v) }\n";
  const std::string pair =
      "k = s32[] constant(0)\n h = f32[] constant(0)\n d = s32[1,6] reshape(a)\n e = s32[1,6] "
      "reshape(b)\n c2 = s32[2,6] concatenate(d, e), dimensions={0}\n ";
  CHECK(Same(pair + "ROOT r = s32[6] reduce(c2, k), dimensions={0}, to_apply=f", "ROOT r = s32[6] add(b, a)", add));
  CHECK(
      !Same(pair + "ROOT r = s32[6] reduce(c2, k), dimensions={0}, to_apply=f", "ROOT r = s32[6] subtract(b, a)", add));
  const auto rows = [](const std::string& order) {
    return "h = f32[] constant(0)\n v = f32[2,3] reverse(x), dimensions={" + order +
           "}\n ROOT r = f32[3] reduce(v, h), dimensions={0}, to_apply=g";
  };
  CHECK(!Same(rows("0"), rows(""), add));
  const auto scatter = [](const std::string& with) {
    return "i = s32[6,1] reshape(a)\n ROOT r = s32[6] scatter(b, i, a), update_window_dims={}, "
           "inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=" +
           with;
  };
  const std::string scattered =
      "f { u = s32[] parameter(0)\n v = s32[] parameter(1)\n ROOT s = s32[] add(u, v) }\n"
      "g { u = s32[] parameter(0)\n v = s32[] parameter(1)\n ROOT s = s32[] add(v, u) }\n"
      "h { u = s32[] parameter(0)\n v = s32[] parameter(1)\n ROOT s = s32[] maximum(v, u) }\n";
  CHECK(Same(scatter("f"), scatter("g"), scattered));
  CHECK(!Same(scatter("f"), scatter("h"), scattered));
  // The reference evaluator folds constants.
  const auto windows = [](const std::string& first) {
    return "k = s32[] constant(0)\n i = s32[3] constant({" + first +
           ", 2, 4})\n ROOT r = s32[3] reduce-window(i, k), window={size=2 pad=1_0}, to_apply=f";
  };
  CHECK(Same(windows("1"), "ROOT r = s32[3] constant({1, 3, 6})", add));
  CHECK(!Same(windows("3"), "ROOT r = s32[3] constant({1, 3, 6})", add));
  CHECK(Same("ROOT r = (s32[2], f32[]) constant(({1, 2}, 3))",
             "i = s32[2] constant({1, 2})\n k = f32[] constant(3)\n ROOT r = (s32[2], f32[]) tuple(i, k)"));
  CHECK(!Same("ROOT r = (s32[2], f32[]) constant(({1, 2}, 3))",
              "i = s32[2] constant({1, 2})\n k = f32[] constant(4)\n ROOT r = (s32[2], f32[]) tuple(i, k)"));
}

TEST_CASE("layouts and frontend attributes that give a meaning") {
  const auto bitcast = [](const std::string& tiles) {
    return Parse(
        "HloModule m\nENTRY e { x = f32[16,256]{1,0:T(8,128)} parameter(0)\n n = f32[16,256]{1,0:T(8,128)} negate(x)"
        "\n m = f32[16,256]{1,0:T(8,128)} negate(n)\n ROOT b = f32[256,16]{1,0:T(" +
        tiles + ")} bitcast(m) }");
  };
  CHECK(Prove(*bitcast("8,128"), *bitcast("8,128")).holds);
  CHECK(!Prove(*bitcast("8,128"), *bitcast("4,128")).holds);
  const auto sends = [](const std::string& value, const std::string& to) {
    return Entry(
        "t = token[] after-all()\n n = f32[2,3] negate(x)\n m = f32[2,3] negate(n)\n s = (f32[2,3], u32[], "
        "token[]) send(" +
        value + ", t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0," + to +
        "}}\"}\n d = token[] send-done(s), channel_id=1\n ROOT r = f32[2,3] copy(y)");
  };
  CHECK(Prove(*sends("m", "1"), *sends("x", "1")).holds);
  CHECK(!Prove(*sends("m", "1"), *sends("x", "2")).holds);
}

TEST_CASE("windows and views that read one part") {
  const std::string parts =
      "f = f32[6] reshape(x)\n g = f32[6] reshape(y)\n c2 = f32[12] concatenate(f, g), "
      "dimensions={0}\n v = f32[4,3] reshape(c2)\n ";
  CHECK(Same(parts + "ROOT r = f32[2,3] slice(v), slice={[2:4], [0:3]}", "ROOT r = f32[2,3] copy(y)"));
  CHECK(!Same(parts + "ROOT r = f32[2,3] slice(v), slice={[1:3], [0:3]}", "ROOT r = f32[2,3] copy(y)"));
  const std::string index = "o = s32[1] slice(a), slice={[0:1]}\n i = s32[] reshape(o)\n z = s32[] constant(0)\n ";
  const std::string moved = index +
                            "v = f32[1,2,3] reshape(x)\n t = f32[3,1,2] transpose(v), dimensions={2,0,1}\n d = "
                            "f32[1,1,2] dynamic-slice(t, i, z, z), dynamic_slice_sizes={1,1,2}\n ";
  const std::string column = index + "d = f32[2,1] dynamic-slice(x, z, i), dynamic_slice_sizes={2,1}\n ";
  CHECK(Same(moved + "ROOT r = f32[2] reshape(d)", column + "ROOT r = f32[2] reshape(d)"));
  CHECK(!Same(moved + "ROOT r = f32[2] reshape(d)",
              column + "w = f32[2] reshape(d)\n ROOT r = f32[2] reverse(w), dimensions={0}"));
}

TEST_CASE("padding between elements and around windows") {
  const auto padded = [](int64_t columns, const std::string& padding) {
    const std::string n = std::to_string(columns);
    return "z = f32[] constant(0)\n s = f32[2," + n + "] slice(x), slice={[0:2], [0:" + n +
           "]}\n ROOT r = f32[2,3] pad(s, z), padding=0_0x" + padding;
  };
  CHECK(Same(padded(1, "1_1_1"), padded(1, "1_1")));
  CHECK(!Same(padded(2, "0_0_1"), padded(2, "0_1")));

  const auto windows = [](const std::string& operand, const std::string& initial, const std::string& window,
                          const std::string& combine) {
    return "k = f32[] constant(" + initial +
           ")\n q = f32[2,5] pad(x, k), padding=0_0x1_1\n ROOT r = f32[2,3] reduce-window(" + operand +
           ", k), window={size=1x3" + window + "}, to_apply=" + combine;
  };
  const std::string others =
      "sum { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] add(p, q)\n}\n"
      "largest { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] maximum(p, q)\n}\n"
      "product { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] multiply(p, q)\n}\n";
  const auto same = [&](const std::string& initial, const std::string& combine) {
    return Same(windows("q", initial, "", combine), windows("x", initial, " pad=0_0x1_1", combine), others);
  };
  CHECK(same("0", "sum"));
  CHECK(same("-0", "sum"));
  CHECK(same("1", "product"));
  CHECK(same("5", "largest"));
  CHECK(!same("1", "sum"));       // the padding is added, too
  CHECK(!same("-0", "product"));  // -0 * -0 is 0
}

TEST_CASE("a stable sort depends on what it compares") {
  const std::string compares =
      "two { u = s32[] parameter(0)\n v = s32[] parameter(1)\n s = s32[] parameter(2)\n t = s32[] parameter(3)\n ROOT "
      "l "
      "= pred[] compare(u, v), direction=LT }\none { u = s32[] parameter(0)\n v = s32[] parameter(1)\n ROOT l = pred[] "
      "compare(u, v), direction=LT }\n";
  const auto two = [](const std::string& how, const std::string& which) {
    return "s = (s32[6], s32[6]) sort(a, b), dimensions={0}, to_apply=two" + how +
           "\n ROOT r = s32[6] get-tuple-element(s), index=" + which;
  };
  const std::string one = "ROOT r = s32[6] sort(a), dimensions={0}, to_apply=one, is_stable=true";
  CHECK(Same(two(", is_stable=true", "0"), one, compares));
  CHECK(!Same(two(", is_stable=true", "1"), one, compares));
  CHECK(!Same(two("", "0"), "ROOT r = s32[6] sort(a), dimensions={0}, to_apply=one", compares));
  const auto moved = [](const std::string& key, const std::string& value) {
    return "s = (s32[6], s32[6]) sort(" + key + ", " + value +
           "), dimensions={0}, to_apply=two, is_stable=true\n ROOT r = s32[6] get-tuple-element(s), index=1";
  };
  CHECK(!Same(moved("a", "b"), moved("b", "a"), compares));
}

TEST_CASE("instructions whose result follows from their shapes") {
  const auto gather = [](const std::string& sizes, const std::string& rest) {
    return "i = s32[6,1] reshape(a)\n ROOT g = f32[6,3] gather(z, i), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes=" +
           sizes + rest;
  };
  const auto row = [](const std::string& k) { return "z = f32[1,3] slice(x), slice={[" + k + "], [0:3]}\n "; };
  const std::string repeated = "v = f32[3] reshape(z)\n ROOT r = f32[6,3] broadcast(v), dimensions={1}";
  CHECK(Same(row("0:1") + gather("{1,3}", ""), row("0:1") + repeated));
  CHECK(!Same(row("0:1") + gather("{1,3}", ""), row("1:2") + repeated));
  CHECK(!Same("z = f32[2,3] copy(x)\n " + gather("{1,3}", ""), row("0:1") + repeated));
  // Mixed types compute in the wider one.
  const std::string narrow = "n = f16[2,3] convert(x)\n ";
  CHECK(Same(narrow + "ROOT r = f32[2,3] multiply(n, y)", narrow + "w = f32[2,3] convert(n)\n ROOT r = f32[2,3] "
                                                                   "multiply(w, y)"));
  CHECK(!Same(narrow + "ROOT r = f32[2,3] multiply(n, y)", narrow +
                                                               "w = f16[2,3] convert(y)\n m = f16[2,3] multiply(w, "
                                                               "n)\n ROOT r = f32[2,3] convert(m)"));
  const std::string add = "g { u = f32[] parameter(0)\n v = f32[] parameter(1)\n ROOT s = f32[] add(u, v) }\n";
  const auto sum = [](const std::string& groups) {
    return "ROOT r = f32[2,3] all-reduce(x), replica_groups={" + groups + "}, to_apply=g";
  };
  CHECK(Prove(*Entry(sum("{0},{1}"), add), *Entry("ROOT r = f32[2,3] copy(x)", add)).holds);
  CHECK(!Prove(*Entry(sum("{0,1}"), add), *Entry("ROOT r = f32[2,3] copy(x)", add)).holds);
}

TEST_CASE("the trip count counts where the counter is not read") {
  const auto loop = [](const std::string& limit, const std::string& values) {
    return "body { t = (s32[], f32[2,3]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n k = s32[] "
           "constant(1)\n j "
           "= s32[] add(i, k)\n u = f32[2,3] get-tuple-element(t), index=1\n v = f32[2,3] " +
           values +
           "\n ROOT n = (s32[], "
           "f32[2,3]) tuple(j, v) }\ngoes { t = (s32[], f32[2,3]) parameter(0)\n i = s32[] get-tuple-element(t), "
           "index=0\n k = s32[] constant(" +
           limit + ")\n ROOT l = pred[] compare(i, k), direction=LT }\n";
  };
  const std::string runs =
      "z = s32[] constant(0)\n t = (s32[], f32[2,3]) tuple(z, x)\n l = (s32[], f32[2,3]) while(t), "
      "condition=goes, body=body\n ROOT r = f32[2,3] get-tuple-element(l), index=1";
  const auto ten = Entry(runs, loop("10", "add(u, u)"));
  CHECK(Prove(*ten, *Entry(runs, loop("10", "add(u, u)\n w = f32[2,3] negate(v)"))).holds);
  CHECK(!Prove(*ten, *Entry(runs, loop("9", "add(u, u)"))).holds);
  const std::string from_one =
      "z = s32[] constant(1)\n t = (s32[], f32[2,3]) tuple(z, x)\n l = (s32[], f32[2,3]) while(t), "
      "condition=goes, body=body\n ROOT r = f32[2,3] get-tuple-element(l), index=1";
  CHECK(!Prove(*ten, *Entry(from_one, loop("10", "add(u, u)"))).holds);
}

TEST_CASE("counters of a known trip count have a last value") {
  const auto loop = [](const std::string& limit, const std::string& step, const std::string& result) {
    return std::pair(
        "body { t = (s32[], s32[6], s32[6]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n k = "
        "s32[] constant(1)\n j = s32[] add(i, k)\n u = s32[6] get-tuple-element(t), index=1\n v = s32[6] "
        "get-tuple-element(t), index=2\n w = s32[6] add(u, " +
            step +
            ")\n ROOT n = (s32[], s32[6], s32[6]) "
            "tuple(j, w, v) }\ngoes { t = (s32[], s32[6], s32[6]) parameter(0)\n i = s32[] "
            "get-tuple-element(t), index=0\n k = s32[] constant(" +
            limit +
            ")\n ROOT l = pred[] compare(i, k), "
            "direction=LT }\n",
        "z = s32[] constant(0)\n t = (s32[], s32[6], s32[6]) tuple(z, a, b)\n l = (s32[], s32[6], s32[6]) "
        "while(t), condition=goes, body=body\n ROOT r = " +
            result);
  };
  const auto same = [](const std::pair<std::string, std::string>& a, const std::string& b) {
    return Same(a.second, b, a.first);
  };
  const auto count = loop("100", "v", "s32[] get-tuple-element(l), index=0");
  CHECK(same(count, "ROOT r = s32[] constant(100)"));
  CHECK(!same(count, "ROOT r = s32[] constant(99)"));
  const std::string sum =
      "k = s32[] constant(100)\n ks = s32[6] broadcast(k), dimensions={}\n m = s32[6] multiply(b, "
      "ks)\n ROOT r = s32[6] add(a, m)";
  CHECK(same(loop("100", "v", "s32[6] get-tuple-element(l), index=1"), sum));
  CHECK(!same(loop("101", "v", "s32[6] get-tuple-element(l), index=1"), sum));
  CHECK(!same(loop("100", "u", "s32[6] get-tuple-element(l), index=1"), sum));
  // A state of one array.
  const std::string doubles =
      "body { i = s32[] parameter(0)\n k = s32[] constant(3)\n ROOT j = s32[] multiply(i, k) }\n"
      "goes { i = s32[] parameter(0)\n k = s32[] constant(100)\n ROOT l = pred[] compare(i, k), "
      "direction=LT }\n";
  const std::string power = "o = s32[] constant(1)\n ROOT r = s32[] while(o), condition=goes, body=body";
  CHECK(Same(power, "ROOT r = s32[] constant(243)", doubles));
  CHECK(!Same(power, "ROOT r = s32[] constant(81)", doubles));
}

TEST_CASE("effects and random numbers come in order, and elided constants have names") {
  const std::string draw =
      "k = f32[] constant(0)\n l = f32[] constant(1)\n u = f32[2,3] rng(k, l), distribution=rng_uniform\n v = f32[2,3] "
      "rng(k, l), distribution=rng_uniform\n";
  const auto negated = Entry(draw + "w = f32[2,3] negate(v)\n ROOT r = f32[2,3] add(u, w)");
  CHECK(Prove(*negated, *Entry(draw + "ROOT r = f32[2,3] subtract(u, v)")).holds);
  const std::string product = draw + "m = f32[2,3] multiply(u, v)\n ROOT r = f32[2,3] add(m, ";
  CHECK(
      Prove(*Entry(product + "u)"), *Entry(draw + "m = f32[2,3] multiply(u, v)\n ROOT r = f32[2,3] add(u, m)")).holds);
  CHECK(!Prove(*Entry(product + "u)"), *Entry(product + "v)")).holds);
  const auto sends = [](const std::string& value) {
    return Entry("t = token[] after-all()\n n = f32[2,3] negate(x)\n m = f32[2,3] negate(n)\n o = token[] outfeed(" +
                 value + ", t)\n ROOT r = f32[2,3] copy(y)");
  };
  CHECK(Prove(*sends("m"), *sends("x")).holds);
  CHECK(!Prove(*sends("m"), *sends("n")).holds);
  CHECK(!Prove(*sends("m"), *Entry("ROOT r = f32[2,3] copy(y)")).holds);
  // Each turn of a loop has random numbers of its own.
  const std::string loop =
      "body { q = f32[] parameter(0)\n k = f32[] constant(0)\n l = f32[] constant(1)\n u = f32[] "
      "rng(k, l), distribution=rng_uniform\n ROOT s = f32[] add(q, u) }\ngoes { q = f32[] "
      "parameter(0)\n k = f32[] constant(1)\n ROOT l = pred[] compare(q, k), direction=LT }\n";
  const std::string runs = "k = f32[] constant(0)\n w = f32[] while(k), condition=goes, body=body\n ";
  CHECK(!Prove(*Entry(runs + "ROOT r = f32[] negate(w)", loop),
               *Entry(runs + "v = f32[] negate(w)\n m = f32[] negate(v)\n ROOT r = f32[] negate(m)", loop))
             .holds);
  const std::string table = "t = f32[2,3] constant({...})\n ";
  CHECK(Prove(*Entry(table + "ROOT r = f32[2,3] add(x, t)"), *Entry(table + "ROOT r = f32[2,3] add(t, x)")).holds);
  CHECK(!Prove(*Entry(table + "ROOT r = f32[2,3] add(x, t)"),
               *Entry("v = f32[2,3] constant({...})\n ROOT r = f32[2,3] add(v, x)"))
             .holds);
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
  few.max_work = 3, few.work_for_each = 0;
  CHECK(!Prove(*sum, *other, few).holds);
  few.work_for_each = 32;
  CHECK(Prove(*sum, *other, few).holds);
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
  // The same checker, for what a step tells apart: with the inputs on which the step differs.
  const auto third = Entry("ROOT r = f32[2,3] subtract(y, x)");
  const auto verdict = checker.Check(*third);
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kDisagree);
  CHECK(!verdict->proof.holds);
  CHECK(checker.inputs().size() == 2);
  CheckOptions also;
  also.proofs = Proofs::kAlso;
  Checker all(*one, {}, also);
  REQUIRE(all.Check(*two).ok());
  CHECK(all.inputs().size() > 1);
}
