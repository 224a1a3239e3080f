// Effects of a proof over the reals on a verdict: the answer, fewer runs or none, and differences that a proof must not
// hide.
#include <algorithm>
#include <memory>
#include <string>

#include "hloir/check.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Verdict Of(const std::string& before, const std::string& after, const CheckOptions& options = {}) {
  const auto a = Parse("HloModule m\nENTRY e {\n" + before + "\n}\n"),
             b = Parse("HloModule m\nENTRY e {\n" + after + "\n}\n");
  const StatusOr<Verdict> verdict = Check(*a, *b, {}, options);
  REQUIRE(verdict.status().message() == "");
  return *verdict;
}

bool WasNotRun(const Verdict& verdict) {
  return std::any_of(verdict.notes.begin(), verdict.notes.end(),
                     [](const std::string& note) { return note.starts_with("neither module was run"); });
}

const char* const kFactored =
    " x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n z = f32[8] parameter(2)\n s = f32[8] add(y, z)\n"
    " ROOT r = f32[8] multiply(x, s)";
const char* const kMultipliedOut =
    " x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n z = f32[8] parameter(2)\n a = f32[8] multiply(x, y)\n"
    " b = f32[8] multiply(x, z)\n ROOT r = f32[8] add(a, b)";

}  // namespace

TEST_CASE("what is proved over the reals says what rounds, and runs for its accuracy") {
  const Verdict verdict = Of(kFactored, kMultipliedOut);
  CHECK(verdict.agrees());
  CHECK(verdict.answer == Answer::kProvedReals);
  REQUIRE(verdict.outputs.size() == 1);
  CHECK(verdict.outputs[0].answer == Answer::kProvedReals);
  CHECK(verdict.rounds_differently == std::vector<std::string>{"r"});
  CHECK(verdict.steps.proved > 0);
  CHECK(verdict.steps.open == 0);
  CHECK(verdict.input_sets > 1);
  CheckOptions none;
  none.proofs = Proofs::kNone;
  CHECK(verdict.input_sets < Of(kFactored, kMultipliedOut, none).input_sets);
}

TEST_CASE("in exact mode the reals prove nothing") {
  CheckOptions options;
  options.exact = true;
  CHECK(Of(kFactored, kMultipliedOut, options).answer == Answer::kDifferent);
}

TEST_CASE("in exact mode modules that cannot be run are not judged by the reals") {
  const auto large = [](std::string text) {
    for (size_t at; (at = text.find("f32[8]")) != std::string::npos;) text.replace(at, 6, "f32[8589934592]");
    return text;
  };
  CheckOptions options;
  options.exact = true;
  const Verdict verdict = Of(large(kFactored), large(kMultipliedOut), options);
  CHECK(verdict.answer == Answer::kNotJudged);
  CHECK(!verdict.agrees());
  CHECK(verdict.reason.find("the same function of real numbers, but not known to be equal bit for bit") !=
        std::string::npos);
  CHECK(Of(large(kFactored), large(kMultipliedOut)).answer == Answer::kProvedReals);
  CHECK(Of(large(kFactored), large(kFactored), options).answer == Answer::kProvedBitwise);
}

TEST_CASE("a proof over the reals hides no loss of accuracy") {
  const char* const two_pass =
      " x = f32[8] parameter(0)\n n = f32[] constant(0.125)\n z = f32[] constant(0)\n"
      " t = f32[] reduce(x, z), dimensions={0}, to_apply=add\n m = f32[] multiply(t, n)\n"
      " w = f32[8] broadcast(m), dimensions={}\n d = f32[8] subtract(x, w)\n q = f32[8] multiply(d, d)\n"
      " u = f32[] reduce(q, z), dimensions={0}, to_apply=add\n ROOT v = f32[] multiply(u, n)";
  const char* const of_squares =
      " x = f32[8] parameter(0)\n n = f32[] constant(0.125)\n z = f32[] constant(0)\n"
      " t = f32[] reduce(x, z), dimensions={0}, to_apply=add\n m = f32[] multiply(t, n)\n"
      " q = f32[8] multiply(x, x)\n u = f32[] reduce(q, z), dimensions={0}, to_apply=add\n"
      " k = f32[] multiply(u, n)\n s = f32[] multiply(m, m)\n ROOT v = f32[] subtract(k, s)";
  const std::string add =
      "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\nENTRY e {\n";
  const auto a = Parse(add + two_pass + "\n}\n"), b = Parse(add + of_squares + "\n}\n");
  const StatusOr<Verdict> verdict = Check(*a, *b);
  REQUIRE(verdict.status().message() == "");
  CHECK(verdict->answer == Answer::kLessAccurate);
  CHECK(verdict->proof.how.starts_with("each result is the same function of the real numbers"));
}

TEST_CASE("rounding errors of modules that are proved equal are no difference") {
  // Conjugate gradients for least squares whose columns have the mean 0. The matrix is singular, so when the loop ends,
  // and how far it has gone, is rounding error, in wide arithmetic too; without an end within 7 iterations, the result
  // is NaN.
  const std::string carried = "(f32[6], f32[6], f32[6], f32[], f32[6], s32[], f32[6,6])";
  const auto with_mean = [&](const std::string& mean) {
    return "HloModule m\n"
           "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }\n"
           "max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] maximum(x, y) }\n"
           "body {\n c = " +
           carried +
           " parameter(0)\n"
           " x = f32[6] get-tuple-element(c), index=0\n r = f32[6] get-tuple-element(c), index=1\n"
           " p = f32[6] get-tuple-element(c), index=2\n g = f32[] get-tuple-element(c), index=3\n"
           " k = s32[] get-tuple-element(c), index=5\n a = f32[6,6] get-tuple-element(c), index=6\n"
           " ap = f32[6] dot(a, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
           " q = f32[6] dot(a, ap), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
           " pq = f32[] dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
           " l = f32[] divide(g, pq)\n ls = f32[6] broadcast(l), dimensions={}\n"
           " d = f32[6] multiply(ls, p)\n e = f32[6] multiply(ls, q)\n"
           " nx = f32[6] add(x, d)\n nr = f32[6] subtract(r, e)\n"
           " ng = f32[] dot(nr, nr), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
           " b = f32[] divide(ng, g)\n bs = f32[6] broadcast(b), dimensions={}\n"
           " bp = f32[6] multiply(bs, p)\n np = f32[6] add(nr, bp)\n"
           " one = s32[] constant(1)\n nk = s32[] add(k, one)\n"
           " ROOT t = " +
           carried +
           " tuple(nx, nr, np, ng, d, nk, a)\n}\n"
           "condition {\n c = " +
           carried +
           " parameter(0)\n"
           " x = f32[6] get-tuple-element(c), index=0\n d = f32[6] get-tuple-element(c), index=4\n"
           " k = s32[] get-tuple-element(c), index=5\n z = f32[] constant(0)\n"
           " ds = f32[6] abs(d)\n dm = f32[] reduce(ds, z), dimensions={0}, to_apply=max\n"
           " xs = f32[6] abs(x)\n xm = f32[] reduce(xs, z), dimensions={0}, to_apply=max\n"
           " tolerance = f32[] constant(1e-05)\n part = f32[] multiply(tolerance, xm)\n"
           " most = f32[] add(part, tolerance)\n moves = pred[] compare(dm, most), direction=GT\n"
           " seven = s32[] constant(7)\n few = pred[] compare(k, seven), direction=LT\n"
           " ROOT r = pred[] and(moves, few)\n}\n"
           "ENTRY e {\n given = f32[6,6] parameter(0)\n v = f32[6] parameter(1)\n z = f32[] constant(0)\n"
           " s = f32[6] reduce(given, z), dimensions={0}, to_apply=add\n" +
           mean +
           " ms = f32[6,6] broadcast(m), dimensions={1}\n a = f32[6,6] subtract(given, ms)\n"
           " y = f32[6] dot(a, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
           " yy = f32[] dot(y, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
           " zs = f32[6] broadcast(z), dimensions={}\n far = f32[] constant(inf)\n"
           " fars = f32[6] broadcast(far), dimensions={}\n k = s32[] constant(0)\n"
           " c = " +
           carried +
           " tuple(zs, y, y, yy, fars, k, a)\n"
           " w = " +
           carried +
           " while(c), condition=condition, body=body\n"
           " x = f32[6] get-tuple-element(w), index=0\n i = s32[] get-tuple-element(w), index=5\n"
           " seven = s32[] constant(7)\n ends = pred[] compare(i, seven), direction=LT\n"
           " which = pred[6] broadcast(ends), dimensions={}\n none = f32[] constant(nan)\n"
           " nones = f32[6] broadcast(none), dimensions={}\n ROOT r = f32[6] select(which, x, nones)\n}\n";
  };
  const auto before = Parse(with_mean(
                 " n = f32[] constant(6)\n ns = f32[6] broadcast(n), dimensions={}\n m = f32[6] divide(s, ns)\n")),
             after = Parse(with_mean(" n = f32[] constant(0.166666672)\n ns = f32[6] broadcast(n), dimensions={}\n"
                                     " m = f32[6] multiply(s, ns)\n"));
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CheckOptions options;
    options.seed = seed;
    const StatusOr<Verdict> verdict = Check(*before, *after, {}, options);
    REQUIRE(verdict.status().message() == "");
    INFO("seed " << seed << ": " << verdict->ToString());
    CHECK(verdict->outcome != Outcome::kDisagree);
    CHECK(verdict->outcome != Outcome::kLessAccurate);
    // No engine flushes denormals of bf16 where there are none.
    const std::vector<std::string>& rows = verdict->explanations;
    CHECK(std::find(rows.begin(), rows.end(), "bf16-denormal-flush") == rows.end());
  }
}

TEST_CASE("a proof over the reals excuses no result of which all digits are lost") {
  // Accuracy is not measured inside a map.
  const auto mapped = [](const std::string& result) {
    return Parse(
        "HloModule m\nf {\n x = f32[] parameter(0)\n k = f32[] constant(1e+30)\n s = f32[] add(x, k)\n"
        " d = f32[] subtract(s, k)\n ROOT r = f32[] copy(" +
        result +
        ")\n}\n"
        "ENTRY e {\n x = f32[8] parameter(0)\n ROOT r = f32[8] map(x), dimensions={0}, to_apply=f\n}\n");
  };
  const auto before = mapped("x"), after = mapped("d");
  const StatusOr<Verdict> verdict = Check(*before, *after);
  REQUIRE(verdict.status().message() == "");
  INFO(verdict->ToString());
  // The second module has two values that are x over the reals, and only one has the bits of x.
  CHECK(!verdict->proof.holds);
  CHECK(verdict->proof.how.starts_with("each result is the same function of the real numbers"));
  CHECK((verdict->answer == Answer::kDifferent || verdict->answer == Answer::kLessAccurate));
}

TEST_CASE("what holds for finite values only is listed, and is no disagreement") {
  const Verdict verdict =
      Of(" p = pred[8] parameter(0)\n x = f32[8] parameter(1)\n c = f32[8] convert(p)\n ROOT r = f32[8] multiply(x, c)",
         " p = pred[8] parameter(0)\n x = f32[8] parameter(1)\n z = f32[] constant(0)\n"
         " o = f32[8] broadcast(z), dimensions={}\n ROOT r = f32[8] select(p, x, o)");
  CHECK(verdict.agrees());
  CHECK(verdict.answer == Answer::kProvedReals);
  CHECK(!verdict.finite_only.empty());
  CHECK(verdict.Headline().ends_with("where nothing overflows"));
}

TEST_CASE("an output keeps its own answer where another differs") {
  const auto of = [](const std::string& function, const std::string& tangent) {
    return " x = f32[8] parameter(0)\n a = f32[8] add(x, x)\n y = f32[8] " + function + "(x)\n" + tangent +
           " ROOT t = (f32[8], f32[8], f32[8]) tuple(a, y, q)";
  };
  const std::string before = of("exponential", " q = f32[8] tan(x)\n");
  const std::string after = of("tanh", " s = f32[8] sine(x)\n c = f32[8] cosine(x)\n q = f32[8] divide(s, c)\n");
  const Verdict verdict = Of(before.c_str(), after.c_str());
  CHECK(verdict.outcome == Outcome::kDisagree);
  REQUIRE(verdict.outputs.size() == 3);
  CHECK(verdict.outputs[0].answer == Answer::kProvedBitwise);
  CHECK(verdict.outputs[1].answer == Answer::kDifferent);
  CHECK(verdict.outputs[2].answer == Answer::kTested);
}

TEST_CASE("an output that is proved for finite values may be infinite beside one that is tested") {
  const std::string end = " ROOT r = (f32[8], f32[8]) tuple(p, q)";
  const std::string before =
      " x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n s = f32[8] add(x, y)\n"
      " p = f32[8] multiply(s, x)\n q = f32[8] tan(x)\n" +
      end;
  const std::string after =
      " x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n a = f32[8] multiply(x, x)\n"
      " b = f32[8] multiply(y, x)\n p = f32[8] add(a, b)\n s = f32[8] sine(x)\n"
      " c = f32[8] cosine(x)\n q = f32[8] divide(s, c)\n" +
      end;
  const Verdict verdict = Of(before.c_str(), after.c_str());
  CHECK(verdict.agrees());
  CHECK(verdict.outputs[0].answer == Answer::kProvedReals);
  CHECK(verdict.outputs[1].answer == Answer::kTested);
}

TEST_CASE("what takes too long to run is answered by the proof") {
  const char* const product =
      " x = f32[40000,40000] parameter(0)\n y = f32[40000,40000] parameter(1)\n"
      " ROOT r = f32[40000,40000] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const char* const transposed =
      " x = f32[40000,40000] parameter(0)\n y = f32[40000,40000] parameter(1)\n"
      " t = f32[40000,40000] transpose(y), dimensions={1,0}\n"
      " ROOT r = f32[40000,40000] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  const Verdict verdict = Of(product, transposed);
  CHECK(verdict.agrees());
  CHECK(verdict.answer <= Answer::kProvedReals);
  CHECK(verdict.input_sets == 0);
  CHECK(WasNotRun(verdict));
  REQUIRE(verdict.outputs.size() == 1);
  CHECK(verdict.outputs[0].where == "out0");
}

TEST_CASE("unknown custom-calls are answered by the proof, with what it assumes") {
  const char* const one =
      " x = f32[4] parameter(0)\n y = f32[4] custom-call(x), custom_call_target=\"nobody_knows\"\n"
      " ROOT r = f32[4] add(y, x)";
  const char* const other =
      " x = f32[4] parameter(0)\n y = f32[4] custom-call(x), custom_call_target=\"nobody_knows\"\n"
      " n = f32[4] negate(x)\n ROOT r = f32[4] subtract(y, n)";
  CheckOptions refuse;
  refuse.runner.unknown_calls = UnknownCalls::kRefuse;
  for (const CheckOptions& options : {CheckOptions(), refuse}) {
    const bool refused = options.runner.unknown_calls == UnknownCalls::kRefuse;
    const Verdict verdict = Of(one, other, options);
    CHECK(verdict.answer == Answer::kProvedAssuming);
    CHECK(WasNotRun(verdict) == refused);
    CHECK((verdict.input_sets == 0) == refused);
    CHECK(verdict.assumptions ==
          std::vector<std::string>{"custom-calls of one target are one function of their operands"});
  }
}

TEST_CASE("a collective over other devices is not the same function") {
  const auto of = [](int replicas) {
    return Parse("HloModule m, replica_count=" + std::to_string(replicas) +
                 "\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
                 "ENTRY e {\n x = f32[4] parameter(0)\n n = f32[4] negate(x)\n m = f32[4] negate(n)\n"
                 " ROOT r = f32[4] all-reduce(" +
                 (replicas == 2 ? "x" : "m") + "), replica_groups={}, to_apply=add\n}\n");
  };
  const StatusOr<Verdict> verdict = Check(*of(2), *of(4));
  CHECK((!verdict.ok() || verdict->answer > Answer::kProvedAssuming));
}
