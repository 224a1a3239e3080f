// EvaluatorOptions::unknown_calls and its verdicts: functions of operands that are equal in both engines, in wide
// arithmetic and in both modules of a pair, and that change with every wrong rewrite.
#include <cmath>

#include "hloir/check.h"
#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "tests/unit/check_module.h"

namespace hloir {
namespace {

EvaluatorOptions Uninterpreted() {
  EvaluatorOptions options;
  options.unknown_calls = UnknownCalls::kUninterpreted;
  return options;
}

Literal Run(const std::string& text) {
  const auto module = Parse(text);
  StatusOr<Literal> result =
      MakeReferenceEvaluator(Uninterpreted())->EvaluateComputation(*module->entry_computation(), {});
  REQUIRE(result.status().message() == "");
  ExecutableOptions options;
  options.evaluator = Uninterpreted();
  const auto executable = PrepareExecutable(*module, options);
  REQUIRE(executable.status().message() == "");
  const StatusOr<Literal> fast = (*executable)->Run({});
  REQUIRE(fast.status().message() == "");
  CHECK(fast->BitwiseEqual(*result));
  return *std::move(result);
}

std::string Call(const std::string& operands, const std::string& shape = "f32[4]", const std::string& config = "a",
                 const std::string& target = "mine") {
  return " ROOT r = " + shape + " custom-call(" + operands + "), custom_call_target=\"" + target +
         "\", backend_config=\"" + config + "\"";
}

TEST_CASE("an unknown custom-call is a function of target, config and operands") {
  const std::string x = " x = f32[4] constant({1, -2, 0.5, 3})\n i = s32[2] constant({1, 2})\n";
  const Literal once = Run(Entry(x + Call("x, i")));
  CHECK(Run(Entry(x + Call("x, i"))).BitwiseEqual(once));
  CHECK(!Run(Entry(x + Call("x, i", "f32[4]", "b"))).BitwiseEqual(once));
  CHECK(!Run(Entry(x + Call("x, i", "f32[4]", "a", "yours"))).BitwiseEqual(once));
  CHECK(!Run(Entry(x + Call("i, x"))).BitwiseEqual(once));
  CHECK(!Run(Entry(" x = f32[4] constant({1, -2, 0.5, 3})\n i = s32[2] constant({1, 3})\n" + Call("x, i")))
             .BitwiseEqual(once));
  // Each element counts in each, and a last bit moves the result by little.
  const Literal other =
      Run(Entry(" x = f32[4] constant({1, -2, 0.5, 4})\n i = s32[2] constant({1, 2})\n" + Call("x, i")));
  const Literal near =
      Run(Entry(" x = f32[4] constant({1, -2, 0.5, 3.0000002})\n i = s32[2] constant({1, 2})\n" + Call("x, i")));
  for (int64_t k = 0; k < 4; ++k) {
    CHECK(std::abs(other.GetAsDouble(k) - once.GetAsDouble(k)) > 1e-3);
    CHECK(std::abs(near.GetAsDouble(k) - once.GetAsDouble(k)) < 2e-6);
  }
  // In f64 it is the same function, rounded less.
  const Literal wide =
      Run(Entry(" x = f64[4] constant({1, -2, 0.5, 3})\n i = s32[2] constant({1, 2})\n" + Call("x, i", "f64[4]")));
  for (int64_t k = 0; k < 4; ++k) CHECK(wide.GetAsDouble(k) == Approx(once.GetAsDouble(k)));
}

TEST_CASE("results of unknown custom-calls have every type") {
  const std::string x =
      " x = f32[4] constant({1, -2, 0.5, 3})\n t = token[] after-all()\n p = (f32[4], token[]) tuple(x, t)\n";
  const Literal result =
      Run(Entry(x + Call("p", "(pred[50], s32[50], (u8[50], c64[2]), f8e4m3fn[3], bf16[0], token[], s4[50])")));
  const auto range = [](const Literal& leaf) {
    int64_t low = 1 << 20, high = -1;
    for (int64_t k = 0; k < leaf.element_count(); ++k)
      low = std::min(low, leaf.GetAsInt64(k)), high = std::max(high, leaf.GetAsInt64(k));
    return std::pair(low, high);
  };
  CHECK(range(result.elements()[0]) == std::pair<int64_t, int64_t>(0, 1));
  CHECK(range(result.elements()[1]) == std::pair<int64_t, int64_t>(0, 7));
  CHECK(range(result.elements()[2].elements()[0]) == std::pair<int64_t, int64_t>(0, 7));
  CHECK(range(result.elements()[6]) == std::pair<int64_t, int64_t>(0, 7));
  CHECK(result.elements()[2].elements()[1].GetAsComplex(0).imag() != 0);
  // NaN and infinities stay where they are.
  const Literal special = Run(Entry(" x = f32[4] constant({1, nan, inf, 3})\n" + Call("x")));
  CHECK(std::isfinite(special.GetAsDouble(0)));
  CHECK(std::isnan(special.GetAsDouble(1)));
  CHECK(std::isinf(special.GetAsDouble(2)));
  // Without operands it is what it is.
  CHECK(Run(Entry(Call("", "f32[2]"))).GetAsDouble(0) != 0);
}

TEST_CASE("calls that are known, or carry a computation, are not made up") {
  const auto unknown = [](const std::string& text) { return IsUnknownCall(*Parse(text)->entry_computation()->root()); };
  const std::string x = " x = f32[4] parameter(0)\n";
  CHECK(unknown(Entry(x + Call("x"))));
  CHECK(unknown(Entry(x + Call("x", "f32[4]", "", "xla_python_cpu_callback"))));
  CHECK(!unknown(Entry(x + Call("x", "f32[4]", "", "MoveToHost"))));
  CHECK(!unknown(Entry(x + Call("x", "f32[4]", "", "QrDecomposition"))));
  CHECK(!unknown(Entry(x + Call("x", "f32[4]", "", "lapack_spotrf_ffi"))));
  CHECK(!unknown(Entry(x + " ROOT y = f32[4] negate(x)")));
  CHECK(
      !unknown("HloModule m\nf {\n ROOT p = f32[4] parameter(0)\n}\nENTRY e {\n x = f32[4] parameter(0)\n"
               " ROOT r = f32[4] custom-call(x), custom_call_target=\"mine\", called_computations={f}\n}"));
}

TEST_CASE("a verdict on modules with unknown custom-calls") {
  const auto judge = [](const std::string& a, const std::string& b) {
    CheckOptions options;
    options.proofs = Proofs::kNone;
    const StatusOr<Verdict> verdict = Check(*Parse(a), *Parse(b), {}, options);
    REQUIRE(verdict.status().message() == "");
    return *verdict;
  };
  const std::string x = " x = f32[64] parameter(0)\n y = f32[64] parameter(1)\n";
  const auto call = [](const std::string& name, const std::string& operand, const std::string& target = "mine",
                       const std::string& config = "a") {
    return " " + name + " = f32[64] custom-call(" + operand + "), custom_call_target=\"" + target +
           "\", backend_config=\"" + config + "\"\n";
  };
  const std::string plain = Entry(x + " s = f32[64] add(x, y)\n" + call("c", "s") + " ROOT r = f32[64] multiply(c, y)");
  // Rounding before the call stays rounding behind it.
  const std::string product = " ROOT r = f32[64] multiply(c, y)";
  const Verdict rounded =
      judge(Entry(x + " p = f32[64] add(x, y)\n s = f32[64] add(p, x)\n" + call("c", "s") + product),
            Entry(x + " p = f32[64] add(y, x)\n s = f32[64] add(x, p)\n" + call("c", "s") + product));
  CHECK(rounded.outcome == Outcome::kSameBits);
  const Verdict other_order =
      judge(Entry(x + " p = f32[64] add(x, y)\n z = f32[64] multiply(x, x)\n s = f32[64] add(p, z)\n" + call("c", "s") +
                  product),
            Entry(x + " z = f32[64] multiply(x, x)\n p = f32[64] add(y, z)\n s = f32[64] add(x, p)\n" + call("c", "s") +
                  product));
  CHECK(other_order.outcome == Outcome::kAgree);
  CHECK(other_order.differing > 0);
  CHECK(rounded.notes.back().find("made-up functions of their operands: mine") != std::string::npos);
  CHECK(judge(plain, plain).outcome == Outcome::kSameBits);
  // A wrong operand, a forgotten call.
  CHECK(judge(plain, Entry(x + " s = f32[64] subtract(x, y)\n" + call("c", "s") + " ROOT r = f32[64] multiply(c, y)"))
            .outcome == Outcome::kDisagree);
  CHECK(judge(plain, Entry(x + " s = f32[64] add(x, y)\n" + call("c", "s") + call("d", "c") +
                           " ROOT r = f32[64] multiply(d, y)"))
            .outcome == Outcome::kDisagree);
  // f(2 x) is not 2 f(x).
  CHECK(judge(Entry(x + " s = f32[64] add(x, x)\n" + call("c", "s") + " ROOT r = f32[64] multiply(c, y)"),
              Entry(x + call("c", "x") + " s = f32[64] add(c, c)\n ROOT r = f32[64] multiply(s, y)"))
            .outcome == Outcome::kDisagree);
  // What only one of the two calls may be anything.
  const Verdict other = judge(
      plain, Entry(x + " s = f32[64] add(x, y)\n" + call("c", "s", "yours") + " ROOT r = f32[64] multiply(c, y)"));
  CHECK(other.outcome == Outcome::kUnspecified);
  CHECK(other.reason.find("before calls mine and after does not") != std::string::npos);
  const Verdict config = judge(
      plain, Entry(x + " s = f32[64] add(x, y)\n" + call("c", "s", "mine", "b") + " ROOT r = f32[64] multiply(c, y)"));
  CHECK(config.outcome == Outcome::kUnspecified);
  CHECK(config.reason.find("call mine with different options") != std::string::npos);
  // Refused if asked.
  CheckOptions refuse;
  refuse.proofs = Proofs::kNone;
  refuse.runner.unknown_calls = UnknownCalls::kRefuse;
  CHECK(Check(*Parse(plain), *Parse(plain), {}, refuse).status().code() == StatusCode::kUnimplemented);
}

TEST_CASE("stored results are not compared with made-up ones") {
  const auto module =
      Parse(Entry(" x = f32[4] parameter(0)\n ROOT r = f32[4] custom-call(x), custom_call_target=\"mine\""));
  CheckOptions options;
  options.stored.push_back(Literal(Shape::Array(PrimitiveType::F32, {4})));
  const StatusOr<Verdict> verdict = Check(*module, *module, {}, options);
  REQUIRE(verdict.ok());
  CHECK(verdict->agrees());
  CHECK(!verdict->stored);
}

}  // namespace
}  // namespace hloir
