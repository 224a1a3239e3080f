// Steps that no proof covers, tested by themselves: they agree, differ on values that occur, or on made-up ones alone.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/layer_norm_network.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Verdict VerdictOfSteps(const std::string& a, const std::string& b, Proofs proofs = Proofs::kEnough) {
  const auto before = Parse(a), after = Parse(b);
  CheckOptions options;
  options.proofs = proofs;
  const StatusOr<Verdict> verdict = Check(*before, *after, {}, options);
  REQUIRE(verdict.status().message() == "");
  INFO(verdict->ToString());
  return *verdict;
}

std::string OfTwo(const std::string& body) {
  return "HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n" + body + "}\n";
}

using Names = std::vector<std::string>;

bool HasNote(const Verdict& verdict, const std::string& start) {
  return std::any_of(verdict.notes.begin(), verdict.notes.end(),
                     [&](const std::string& note) { return note.starts_with(start); });
}

// No proof knows the tangent's quotient.
const std::string kTangent = OfTwo(
    " p = f32[8] add(x, y)\n t = f32[8] tan(p), metadata={source_file=\"model.py\" source_line=31}\n"
    " ROOT r = f32[8] multiply(t, y)\n");
std::string Quotient(const std::string& below) {
  return OfTwo(" p = f32[8] add(y, x)\n s = f32[8] sine(p)\n c = f32[8] cosine(" + below +
               ")\n t = f32[8] divide(s, c)\n ROOT r = f32[8] multiply(y, t)\n");
}

}  // namespace

TEST_CASE("a step that is not proved is tested by itself, and the rest is proved") {
  const Verdict verdict = VerdictOfSteps(kTangent, Quotient("p"));
  CHECK(verdict.answer == Answer::kTested);
  CHECK(verdict.tested_steps == Names{"t (model.py:31)"});
  CHECK(verdict.different_steps.empty());
  CHECK(verdict.steps.tested == 1);
  CHECK(verdict.steps.open == 0);
  CHECK(verdict.steps.proved > 0);
  CHECK(verdict.proof.how == "all but one step, which was tested separately: t (model.py:31)");
  CHECK(verdict.finite_only.empty());
}

TEST_CASE("a step that differs is named") {
  const Verdict verdict = VerdictOfSteps(kTangent, Quotient("x"));
  CHECK(verdict.answer == Answer::kDifferent);
  CHECK(verdict.different_steps == Names{"t (model.py:31)"});
  CHECK(HasNote(verdict, "the modules differ only in t (model.py:31): out0"));
}

TEST_CASE("a pair that differs is no difference if what follows agrees") {
  const auto module = [](const char* factor) {
    return OfTwo(
        std::string(" p = f32[8] add(x, y)\n k = f32[] constant(") + factor +
        ")\n ks = f32[8] broadcast(k), dimensions={}\n s = f32[8] multiply(p, ks)\n ROOT r = f32[8] sign(s)\n");
  };
  const Verdict verdict = VerdictOfSteps(module("2"), module("3"));
  CHECK(verdict.answer == Answer::kTested);
  CHECK(verdict.tested_steps == Names{"r"});
}

// The root of a square and a constant of this name.
std::string Root(const std::string& constant, const std::string& number, const std::string& rest) {
  const std::string many = constant + "s";
  return OfTwo(" p = f32[8] multiply(x, x)\n " + constant + " = f32[] constant(" + number + ")\n " + many +
               " = f32[8] broadcast(" + constant + "), dimensions={}\n s = f32[8] add(p, " + many +
               ")\n q = f32[8] rsqrt(s)\n" + rest);
}

TEST_CASE("a step that differs by less than 512 units is a difference") {
  const std::string rest = " ROOT r = f32[8] multiply(q, y)\n";
  const Verdict verdict = VerdictOfSteps(Root("k", "1", rest), Root("l", "1.00001", rest));
  CHECK(verdict.answer == Answer::kDifferent);
  CHECK(verdict.different_steps == Names{"s"});
}

TEST_CASE("a second copy of a step that differs is no other difference") {
  const std::string rest = " t = f32[8] log(u)\n ROOT r = f32[8] multiply(q, t)\n";
  const std::string before = Root("k", "1", " u = f32[8] copy(s)\n" + rest);
  const auto names = [&](const std::string& u) {
    return VerdictOfSteps(before, Root("l", "2", " w = f32[8] add(ls, p)\n u = f32[8] " + u + "\n" + rest))
        .different_steps;
  };
  CHECK(names("copy(w)") == Names{"s"});
  CHECK(names("reverse(w), dimensions={0}") == Names{"s", "u"});
}

TEST_CASE("a constant shows in an operation of equal operands, whatever the values and names are") {
  const std::string rest = " t = f32[8] log(q)\n ROOT r = f32[8] multiply(q, t)\n", before = Root("k", "1", rest);
  for (const std::string sum : {"add(p, ls)", "add(ls, p)"}) {
    const Verdict verdict = VerdictOfSteps(
        before, OfTwo(" p = f32[8] multiply(x, x)\n l = f32[] constant(2)\n ls = f32[8] broadcast(l), dimensions={}\n"
                      " other = f32[8] " +
                      sum + "\n another = f32[8] rsqrt(other)\n yet = f32[8] log(another)\n" +
                      " ROOT r = f32[8] multiply(another, yet)\n"));
    CHECK(verdict.different_steps == Names{"s = other"});
  }
}

TEST_CASE("a second step that differs is found far behind the first") {
  const auto module = [](const std::string& one, const std::string& first, const std::string& two,
                         const std::string& second) {
    std::string text = " " + one + " = f32[] constant(" + first + ")\n " + one + "s = f32[8] broadcast(" + one +
                       "), dimensions={}\n p = f32[8] multiply(x, " + one + "s)\n v.0 = f32[8] tanh(p)\n";
    constexpr int kBetween = 16;
    for (int k = 0; k < kBetween; ++k) {
      const std::string v = "v." + std::to_string(k);
      text += " w." + std::to_string(k) + " = f32[8] add(" + v + ", y)\n v." + std::to_string(k + 1) +
              " = f32[8] sine(w." + std::to_string(k) + ")\n";
    }
    return OfTwo(text + " " + two + " = f32[] constant(" + second + ")\n " + two + "s = f32[8] broadcast(" + two +
                 "), dimensions={}\n last = f32[8] add(v.16, " + two + "s)\n ROOT r = f32[8] cosine(last)\n");
  };
  const Verdict verdict = VerdictOfSteps(module("a", "2", "b", "3"), module("c", "2.5", "d", "4"));
  CHECK(verdict.answer == Answer::kDifferent);
  CHECK(verdict.different_steps == Names{"p", "last"});
  CHECK(HasNote(verdict, "the modules differ in p, last: "));
}

TEST_CASE("many steps that differ whatever the others are are all named") {
  constexpr int kSteps = 40;
  const auto text = [](double by) {
    std::string body, results, shapes;
    for (int k = 0; k < kSteps; ++k) {
      const std::string n = std::to_string(k);
      body += " c" + n + " = f32[] constant(" + std::to_string(k + by) + ")\n b" + n + " = f32[8] broadcast(c" + n +
              "), dimensions={}\n p" + n + " = f32[8] multiply(x, b" + n + ")\n t" + n + " = f32[8] tanh(p" + n + ")\n";
      results += (k > 0 ? ", t" : "t") + n;
      shapes += k > 0 ? ", f32[8]" : "f32[8]";
    }
    return OfTwo(body + " ROOT r = (" + shapes + ") tuple(" + results + ")\n");
  };
  const Verdict verdict = VerdictOfSteps(text(0.5), text(0.625));
  CHECK(verdict.answer == Answer::kDifferent);
  REQUIRE(verdict.different_steps.size() == kSteps);
  CHECK(verdict.different_steps[0] == "c0");
  CHECK(verdict.different_steps[kSteps - 1] == "c39");
  CHECK(HasNote(verdict, "the modules differ only in c0, c1, c2 and 37 more: "));
}

TEST_CASE("steps whose differences cancel are no differences") {
  const auto text = [](const char* p, const char* q) {
    return OfTwo(std::string(" c = f32[] constant(") + p + ")\n cs = f32[8] broadcast(c), dimensions={}\n" +
                 " d = f32[] constant(" + q + ")\n ds = f32[8] broadcast(d), dimensions={}\n" +
                 " p = f32[8] multiply(x, cs)\n q = f32[8] multiply(y, ds)\n ROOT r = f32[8] multiply(p, q)\n");
  };
  const Verdict verdict = VerdictOfSteps(text("3", "0.33333334"), text("7", "0.14285715"));
  CHECK(verdict.agrees());
  CHECK(verdict.different_steps.empty());
}

TEST_CASE("operations of one equal operand are compared, whatever their names are") {
  const std::string before = OfTwo(
      " s = f32[8] sine(x)\n c = f32[8] cosine(x)\n p = f32[8] multiply(s, y)\n t = f32[8] tanh(p)\n u = f32[8] "
      "add(t, y)\n ROOT r = (f32[8], f32[8]) tuple(u, c)\n");
  const std::string after = OfTwo(
      " d = f32[8] cosine(x)\n q = f32[8] multiply(y, d)\n v = f32[8] tanh(q)\n w = f32[8] add(v, y)\n"
      " ROOT r = (f32[8], f32[8]) tuple(w, d)\n");
  CHECK(VerdictOfSteps(before, after).different_steps == Names{"p = q"});
}

// Updates of many parameters with constants of each; over 4,096 instructions in two modules.
std::string Updates(double first, double others) {
  constexpr int kUpdates = 240;
  std::string body, results, shapes;
  for (int k = 0; k < kUpdates; ++k) {
    const std::string n = "." + std::to_string(k), beta = std::to_string(k + (k == 0 ? first : others));
    body += " c" + n + " = f32[] constant(" + beta + ")\n cs" + n + " = f32[8] broadcast(c" + n +
            "), dimensions={}\n a" + n + " = f32[8] add(x, cs" + n + ")\n b" + n + " = f32[8] multiply(y, cs" + n +
            ")\n d" + n + " = f32[8] add(a" + n + ", b" + n + ")\n t" + n + " = f32[8] tanh(d" + n + ")\n w" + n +
            " = f32[8] multiply(t" + n + ", x)\n r" + n + " = f32[8] sine(w" + n + ")\n e" + n + " = f32[8] add(r" + n +
            ", y)\n";
    results += (k > 0 ? ", e" : "e") + n;
    shapes += k > 0 ? ", f32[8]" : "f32[8]";
  }
  return OfTwo(body + " ROOT r = (" + shapes + ") tuple(" + results + ")\n");
}

TEST_CASE("the steps in which large modules differ are found by their bits") {
  const std::string right = Updates(0.875, 0.875);
  const Verdict one = VerdictOfSteps(right, Updates(0.75, 0.875));
  CHECK(one.answer == Answer::kDifferent);
  CHECK(one.different_steps == Names{"c.0"});
  const Verdict all = VerdictOfSteps(right, Updates(0.75, 0.75));
  CHECK(all.different_steps.size() == 240);
  CHECK(all.different_steps[0] == "c.0");
}

TEST_CASE("a constant beside values that are usually large is found where they are small") {
  const auto module = [](const std::string& name, const std::string& epsilon) {
    return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
           " x = f32[512] parameter(0)\n q = f32[512] multiply(x, x)\n zero = f32[] constant(0)\n"
           " p = f32[] reduce(q, zero), dimensions={0}, to_apply=add\n " +
           name + " = f32[] constant(" + epsilon + ")\n s = f32[] add(p, " + name + ")\n ROOT r = f32[] rsqrt(s)\n}\n";
  };
  CHECK(VerdictOfSteps(module("k", "1e-12"), module("l", "2e-12")).different_steps == Names{"s"});
}

TEST_CASE("a constant that differs is a step although values inside a branch are open") {
  const auto from = [](const std::string& start) {
    return "HloModule m\nt {\n  ROOT p = f32[8] parameter(0)\n}\nf {\n  p = f32[8] parameter(0)\n"
           "  ROOT r = f32[8] reverse(p), dimensions={0}\n}\nENTRY e {\n  x = f32[8] parameter(0)\n"
           "  flip = pred[] parameter(1)\n  k = s32[] constant(" +
           start +
           ")\n  s = f32[4] dynamic-slice(x, k), dynamic_slice_sizes={4}\n"
           "  y = f32[8] concatenate(s, s), dimensions={0}\n"
           "  c = f32[8] conditional(flip, y, y), true_computation=t, false_computation=f\n"
           "  ck = f32[] convert(k)\n  b = f32[8] broadcast(ck), dimensions={}\n  ROOT m = f32[8] maximum(c, b)\n}\n";
  };
  const Verdict verdict = VerdictOfSteps(from("0"), from("1"));
  CHECK(verdict.outcome == Outcome::kDisagree);
  CHECK(verdict.different_steps == Names{"k"});
}

TEST_CASE("a step is no difference because the values it starts from are rounded") {
  // 1 + tan^2 from the tangent, and from the cosine, which are both rounded.
  const auto of = [](const std::string& one, const std::string& step) {
    return "HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  t = f32[8] tan(x)\n  c = f32[8] cosine(x)\n  one = "
           "f32[] "
           "constant(" +
           one + ")\n  ones = f32[8] broadcast(one), dimensions={}\n" + step +
           "  ROOT z = (f32[8], f32[8], f32[8]) tuple(t, c, r)\n}\n";
  };
  const std::string of_tangent = "  q = f32[8] multiply(t, t)\n  r = f32[8] add(q, ones)\n";
  const std::string of_cosine = "  q = f32[8] multiply(c, c)\n  r = f32[8] divide(ones, q)\n";
  const Verdict right = VerdictOfSteps(of("1", of_tangent), of("1", of_cosine));
  CHECK(right.agrees());
  CHECK(right.tested_steps == Names{"r"});
  const Verdict wrong = VerdictOfSteps(of("1", of_tangent), of("1.000002", of_cosine));
  CHECK(wrong.outcome == Outcome::kDisagree);
}

TEST_CASE("a step is no difference because one of two equal values loses digits by cancellation") {
  // As in the second step of Adam, written out: both variances are x^2 over the reals, and 1 - b^2 loses ten bits.
  const std::string head =
      "ENTRY e {\n  x = f32[8] parameter(0)\n  a = f32[8] parameter(1)\n  x2 = f32[8] multiply(x, x)\n"
      "  k = f32[] constant(0.001)\n  ks = f32[8] broadcast(k), dimensions={}\n  m = f32[8] multiply(x2, ks)\n";
  const std::string tail =
      "  r1 = f32[8] sqrt(d1)\n  r2 = f32[8] sqrt(d2)\n  q1 = f32[8] divide(a, r1)\n  q2 = f32[8] divide(a, r2)\n"
      "  ROOT r = (f32[8], f32[8]) tuple(q1, q2)\n}\n";
  const std::string before =
      "HloModule before\n" + head +
      "  b = f32[] constant(0.999)\n  bs = f32[8] broadcast(b), dimensions={}\n  one = f32[] constant(1)\n"
      "  p1 = f32[] subtract(one, b)\n  p1s = f32[8] broadcast(p1), dimensions={}\n  d1 = f32[8] divide(m, p1s)\n"
      "  n = f32[8] multiply(m, bs)\n  s = f32[8] add(m, n)\n  bb = f32[] multiply(b, b)\n"
      "  p2 = f32[] subtract(one, bb)\n  p2s = f32[8] broadcast(p2), dimensions={}\n  d2 = f32[8] divide(s, p2s)\n" +
      tail;
  const auto folded = [&](const std::string& reciprocal) {
    return "HloModule after\n" + head +
           "  c = f32[] constant(1.00001287)\n  cs = f32[8] broadcast(c), dimensions={}\n  d1 = f32[8] multiply(x2, "
           "cs)\n"
           "  l = f32[] constant(0.000999)\n  ls = f32[8] broadcast(l), dimensions={}\n  n = f32[8] multiply(x2, ls)\n"
           "  s = f32[8] add(m, n)\n  p2 = f32[] constant(" +
           reciprocal + ")\n  p2s = f32[8] broadcast(p2), dimensions={}\n  d2 = f32[8] multiply(s, p2s)\n" + tail;
  };
  const Verdict right = VerdictOfSteps(before, folded("500.259888"));
  CHECK(right.agrees());
  CHECK(!right.tested_steps.empty());
  CHECK(VerdictOfSteps(before, folded("500.3")).outcome == Outcome::kDisagree);
}

TEST_CASE("a value that differs has one counterpart") {
  // p and n are products of x and a constant.
  const std::string before = OfTwo(
      " k = f32[] constant(0.4132)\n ks = f32[8] broadcast(k), dimensions={}\n p = f32[8] multiply(x, ks)\n"
      " l = f32[] constant(2.84)\n ls = f32[8] broadcast(l), dimensions={}\n ROOT r = f32[8] divide(p, ls)\n");
  const std::string after =
      OfTwo(" m = f32[] constant(0.146)\n ms = f32[8] broadcast(m), dimensions={}\n ROOT n = f32[8] multiply(x, ms)\n");
  CHECK(VerdictOfSteps(before, after).different_steps == Names{"r = n"});
}

TEST_CASE("the first epsilon of a deep network is found in its step") {
  std::vector<double> epsilons(kNorms, 1e-6);
  const std::string before = LayerNormNetwork(epsilons, false), right = LayerNormNetwork(epsilons, true);
  epsilons.front() = 1e-4;
  const Verdict verdict = VerdictOfSteps(before, LayerNormNetwork(epsilons, true));
  CHECK(verdict.answer == Answer::kDifferent);
  REQUIRE(verdict.outputs.size() == 1);
  CHECK(verdict.outputs[0].answer == Answer::kDifferent);
  CHECK(verdict.different_steps == Names{"ve.11"});
  const Verdict same = VerdictOfSteps(before, right);
  CHECK(same.different_steps.empty());
  CHECK(same.agrees());
}

TEST_CASE("what differs on made-up values alone, which nothing reaches, is a note") {
  // A cosine is at most 1; the moves hide it from the cone.
  const auto module = [](const char* limit) {
    return OfTwo(std::string(" a = f32[8] cosine(x)\n b = f32[8] reverse(a), dimensions={0}\n c = f32[8] negate(b)\n"
                             " d = f32[8] reverse(c), dimensions={0}\n f = f32[8] abs(d)\n g = f32[8] reverse(f), "
                             "dimensions={0}\n h = f32[8] sqrt(g)\n k = f32[8] reverse(h), dimensions={0}\n l = f32[] "
                             "constant(") +
                 limit +
                 ")\n ls = f32[8] broadcast(l), dimensions={}\n m = f32[8] minimum(k, ls)\n ROOT r = f32[8] "
                 "multiply(m, y)\n");
  };
  const Verdict verdict = VerdictOfSteps(module("7"), module("2"));
  CHECK(verdict.answer == Answer::kTested);
  CHECK(verdict.agrees());
  CHECK(verdict.tested_steps == Names{"m"});
  CHECK(HasNote(verdict, "not confirmed by a run: m: "));
}

TEST_CASE("a step that differs for NaN alone leaves the decision to whole runs") {
  // The products after it hide the step.
  const std::string before = TextOf(std::string(kCorpusFolder) + "/modules/cnn_forward.hlo");
  const std::string relu = "ROOT %max.7 = f32[2,8,8,16]{3,2,1,0} maximum(%Arg_0.3, %max.6)";
  const size_t at = before.find(relu);
  REQUIRE(at != std::string::npos);
  std::string after = before;
  after.replace(at, relu.size(),
                "%above = pred[2,8,8,16]{3,2,1,0} compare(%Arg_0.3, %max.6), direction=GT\n"
                "  ROOT %max.7 = f32[2,8,8,16]{3,2,1,0} select(%above, %Arg_0.3, %max.6)");
  CHECK(VerdictOfSteps(before, after).outcome == Outcome::kDisagree);
}

TEST_CASE("steps are tested where the whole is too large to run") {
  const auto module = [](const std::string& tangent) {
    return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
           " x = f32[20000,20000] parameter(0)\n zero = f32[] constant(0)\n"
           " p = f32[20000] reduce(x, zero), dimensions={1}, to_apply=add\n" +
           tangent + " ROOT r = f32[20000] negate(t)\n}\n";
  };
  const Verdict verdict =
      VerdictOfSteps(module(" t = f32[20000] tan(p)\n"),
                     module(" s = f32[20000] sine(p)\n c = f32[20000] cosine(p)\n t = f32[20000] divide(s, c)\n"));
  CHECK(verdict.answer == Answer::kTested);
  CHECK(verdict.input_sets == 0);
  CHECK(verdict.tested_steps == Names{"t"});
  CHECK(HasNote(verdict, "neither module was run"));
}

TEST_CASE("where steps alone differ, other outputs keep their answers") {
  const auto module = [](const std::string& factor) {
    return "HloModule m\nf {\n p = f32[] parameter(0)\n q = f32[] parameter(1)\n s = f32[] subtract(p, q)\n"
           " ROOT r = f32[] multiply(s, s)\n}\nENTRY e {\n x = f32[64] parameter(0)\n y = f32[64] parameter(1)\n"
           " k = f32[] constant(" +
           factor +
           ")\n ks = f32[64] broadcast(k), dimensions={}\n a = f32[64] multiply(x, ks)\n z = f32[] constant(0)\n"
           " n = f32[] reduce(a, z), dimensions={0}, to_apply=f\n b = f32[64] sine(a)\n c = f32[] constant(1000)\n"
           " cs = f32[64] broadcast(c), dimensions={}\n d = f32[64] add(b, cs)\n g = f32[64] tanh(y)\n"
           " ROOT t = (f32[64], f32[], f32[64]) tuple(d, n, g)\n}\n";
  };
  const Verdict verdict = VerdictOfSteps(module("3"), module("3.00003"));
  REQUIRE(verdict.outputs.size() == 3);
  CHECK(verdict.answer == Answer::kDifferent);
  CHECK(verdict.outputs[0].answer == Answer::kDifferent);
  CHECK(verdict.outputs[1].answer == Answer::kNotJudged);  // the order of its reduction is not specified
  CHECK(verdict.outputs[2].answer == Answer::kProvedBitwise);
}

TEST_CASE("a rounding that both modules have hides none before it") {
  const auto module = [](const std::string& product) {
    return OfTwo(" p = f32[8] multiply(x, y)\n" + product +
                 " t = f32[8] tanh(q)\n n = bf16[8] convert(t)\n ROOT r = f32[8] convert(n)\n");
  };
  const std::string before = module(" q = f32[8] add(p, y)\n");
  const Verdict rounded =
      VerdictOfSteps(before, module(" b = bf16[8] convert(p)\n w = f32[8] convert(b)\n q = f32[8] add(w, y)\n"));
  CHECK(rounded.answer == Answer::kLessAccurate);
  CHECK(rounded.different_steps == Names{"q"});
  CHECK(VerdictOfSteps(before, module(" q = f32[8] add(y, p)\n")).agrees());
}

TEST_CASE("a result that is computed from a value of both modules is a step") {
  const std::string product = " p = f32[8] multiply(x, y)\n";
  const Verdict verdict =
      VerdictOfSteps(OfTwo(product + " ROOT r = f32[8] tanh(p)\n"),
                     OfTwo(product + " t = f32[8] tanh(p)\n n = bf16[8] convert(t)\n ROOT u = f32[8] convert(n)\n"));
  CHECK(verdict.answer == Answer::kLessAccurate);
  CHECK(verdict.different_steps == Names{"r = u"});
}

TEST_CASE("a product that may round inside excuses no rounding of the result") {
  const std::string dot = "x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32\n";
  const Verdict verdict =
      VerdictOfSteps(OfTwo(" ROOT r = f32[] dot(" + dot),
                     OfTwo(" d = f32[] dot(" + dot + " n = bf16[] convert(d)\n ROOT u = f32[] convert(n)\n"));
  CHECK(verdict.different_steps == Names{"r = u"});
}
