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
