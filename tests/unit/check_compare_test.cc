// check.h: generated inputs, comparison of results, modules in wide arithmetic, and verdicts on pairs of modules.
#include "hloir/check.h"

#include <cmath>
#include <complex>
#include <limits>

#include "check/widen.h"
#include "hloir/evaluator.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Literal F32(std::initializer_list<float> values) {
  Literal literal(Shape::Array(PrimitiveType::F32, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), literal.data<float>().begin());
  return literal;
}

StatusOr<Literal> RunReference(const HloModule& module, std::span<const Literal* const> inputs) {
  return MakeReferenceEvaluator()->EvaluateComputation(*module.entry_computation(), inputs);
}

// By the reference alone.
Comparison CompareTexts(const std::string& a, const std::string& b, uint64_t seed = 0, bool exact = false) {
  auto x = Parse(a), y = Parse(b);
  auto inputs = MakeFakeInputs(*x, seed);
  REQUIRE(inputs.ok());
  CheckOptions options;
  options.runner.engine = Engine::kReference;
  options.other_engine_work = 0;
  options.exact = exact;
  auto verdict = Check(*x, *y, {{.devices = {*inputs}}}, options);
  INFO((verdict.ok() ? "" : verdict.status().message()));
  REQUIRE(verdict.ok());
  return verdict->comparison;
}

std::string Unary(const std::string& body) {
  return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
         "ENTRY e {\n  x = f32[1000]{0} parameter(0)\n" +
         body + "\n}\n";
}

}  // namespace

TEST_CASE("equal results agree bit for bit, NaNs being equal to each other") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Comparison c = CompareResults(F32({1, nan, 3}), F32({1, -nan, 3}), {.exact = true});
  CHECK(c.agree);
  CHECK(c.differing() == 0);
}

TEST_CASE("zeros of different sign are different bits") {
  CHECK_FALSE(CompareResults(F32({0.0f}), F32({-0.0f}), {.exact = true}).agree);
  CHECK(CompareResults(F32({0.0f}), F32({-0.0f})).agree);
}

TEST_CASE("NaNs and infinities must be in the same places") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  CHECK_FALSE(CompareResults(F32({1, nan}), F32({1, 2})).agree);
  CHECK_FALSE(CompareResults(F32({1, inf}), F32({1, -inf})).agree);
  CHECK_FALSE(CompareResults(F32({1, inf}), F32({1, 3})).agree);
  CHECK(CompareResults(F32({nan, inf}), F32({nan, inf})).agree);
}

TEST_CASE("a distance is held against the tolerance that is asked for") {
  const Literal a = F32({100, 1}), b = F32({100.5f, 1});
  CHECK_FALSE(CompareResults(a, b).agree);
  CHECK(CompareResults(a, b, {.relative = 0.006}).agree);
  CHECK_FALSE(CompareResults(a, b, {.relative = 0.004}).agree);
  // In units of each element's own last place: those of 1 are finer than those of 100.
  const float above = std::nextafter(1.0f, 2.0f);
  CHECK(CompareResults(F32({100, 1}), F32({100, above}), {.ulps = 1}).agree);
  CHECK_FALSE(CompareResults(F32({100, 1}), F32({100, above + 2e-7f}), {.ulps = 1}).agree);
  CHECK_FALSE(CompareResults(F32({0.0f}), F32({-0.0f}), {.ulps = 0}).agree);
}

TEST_CASE("64-bit integers are compared as such, not as doubles") {
  for (PrimitiveType type : {PrimitiveType::S64, PrimitiveType::U64}) {
    const Literal a = Literal::Scalar(type, int64_t{1} << 60), b = Literal::Scalar(type, (int64_t{1} << 60) + 1);
    const Comparison c = CompareResults(a, b);
    CHECK(c.differing() == 1);
    CHECK_FALSE(c.agree);
    CHECK(c.max_absolute() == 1);
    CHECK(c.ToString() ==
          "out0 is 1152921504606846976 (before) and 1152921504606846977 (after); 1 of 1 elements differ");
  }
  const Literal low = Literal::Scalar(PrimitiveType::S64, INT64_MIN),
                high = Literal::Scalar(PrimitiveType::S64, INT64_MAX);
  CHECK(CompareResults(low, high).max_absolute() == 0x1p64);
}

TEST_CASE("the reason says what kind of difference it is") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  CHECK(CompareResults(F32({1, nan}), F32({1, inf})).ToString() ==
        "out0[1] is nan (before) and inf (after); 1 of 2 elements differ, 1 of them because one is NaN or infinite");
  // The NaN is the cause, though a finite element differs too.
  CHECK(CompareResults(F32({1, 2, nan}), F32({1.0000001f, 2, 3})).ToString("a.hlo", "b.hlo") ==
        "out0[2] is nan (a.hlo) and 3 (b.hlo); 2 of 3 elements differ, 1 of them because one is NaN or infinite");
  CHECK(CompareResults(F32({1, 2}), F32({1, 3})).ToString() ==
        "out0[1] is 2 (before) and 3 (after); 1 of 2 elements differ, by up to 0.5 of the largest; rounding explains "
        "4.77e-07");
  CHECK(CompareResults(F32({1, 2}), F32({1})).ToString() == "out0 is f32[2] (before) and f32[1] (after)");
}

TEST_CASE("results of other shapes or types do not agree") {
  CHECK_FALSE(CompareResults(F32({1, 2}), F32({1})).agree);
  CHECK_FALSE(CompareResults(F32({1}), Literal::Tuple({})).agree);
}

TEST_CASE("sums in another order agree, a wrong sum does not") {
  const std::string zero = "  z = f32[] constant(0)\n";
  const std::string straight = Unary(zero + "  ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=add");
  const std::string turned =
      Unary(zero +
            "  r = f32[10,100]{1,0} reshape(x)\n  t = f32[100,10]{1,0} transpose(r), dimensions={1,0}\n"
            "  ROOT s = f32[] reduce(t, z), dimensions={0,1}, to_apply=add");
  const std::string without_last = Unary(zero +
                                         "  y = f32[999]{0} slice(x), slice={[0:999]}\n"
                                         "  ROOT s = f32[] reduce(y, z), dimensions={0}, to_apply=add");
  CHECK(CompareTexts(straight, turned).agree);
  CHECK_FALSE(CompareTexts(straight, without_last).agree);
  CHECK_FALSE(CompareTexts(straight, without_last, 2).agree);
}

TEST_CASE("corner cases tell x + 0 from x") {
  const std::string same = Unary("  ROOT y = f32[1000]{0} copy(x)");
  const std::string plus = Unary(
      "  z = f32[] constant(0)\n  zs = f32[1000]{0} broadcast(z), dimensions={}\n"
      "  ROOT y = f32[1000]{0} add(x, zs)");
  CHECK(CompareTexts(same, plus, 0, /*exact=*/true).agree);        // no -0 among plain numbers
  CHECK_FALSE(CompareTexts(same, plus, 1, /*exact=*/true).agree);  // but there
}

TEST_CASE("made-up inputs are the same for the same seed") {
  auto module = Parse(
      "HloModule m\nENTRY e {\n  a = f32[16]{0} parameter(0)\n  b = (s32[4]{0}, pred[3]{0}) parameter(1)\n"
      "  ROOT t = (f32[16]{0}, (s32[4]{0}, pred[3]{0})) tuple(a, b)\n}\n");
  auto first = MakeFakeInputs(*module, 4), again = MakeFakeInputs(*module, 4), other = MakeFakeInputs(*module, 6);
  REQUIRE((first.ok() && again.ok() && other.ok()));
  for (size_t i = 0; i < 2; ++i) CHECK((*first)[i].BitwiseEqual((*again)[i]));
  CHECK_FALSE((*first)[0].BitwiseEqual((*other)[0]));
}

TEST_CASE("made-up indices are legal") {
  auto module = Parse(R"(HloModule m
inner {
  p = s32[] parameter(0)
  ROOT q = s32[] copy(p)
}
ENTRY e {
  a = f32[100,7]{1,0} parameter(0)
  i = s64[50,1]{1,0} parameter(1)
  j = (s32[], s32[]) parameter(2)
  j0 = s32[] get-tuple-element(j), index=0
  j1 = s32[] get-tuple-element(j), index=1
  k = s32[] call(j1), to_apply=inner
  g = f32[50,7]{1,0} gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}
  d = f32[98,2]{1,0} dynamic-slice(a, j0, k), dynamic_slice_sizes={98,2}
  ROOT t = (f32[50,7]{1,0}, f32[98,2]{1,0}) tuple(g, d)
})");
  int64_t largest = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    auto inputs = MakeFakeInputs(*module, seed);
    REQUIRE(inputs.ok());
    for (int n = 0; n < 50; ++n) {
      const int64_t index = (*inputs)[1].GetAsInt64(n);
      REQUIRE((0 <= index && index <= 99));
      largest = std::max(largest, index);
    }
    const int64_t j0 = (*inputs)[2].elements()[0].GetAsInt64(0), j1 = (*inputs)[2].elements()[1].GetAsInt64(0);
    REQUIRE((0 <= j0 && j0 <= 2));
    REQUIRE((0 <= j1 && j1 <= 5));
  }
  CHECK(largest > 90);
}

TEST_CASE("corner cases stay away from loops") {
  auto module = Parse(R"(HloModule m
cond { c = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(c), index=0 n = s32[] get-tuple-element(c), index=1 ROOT l = pred[] compare(i, n), direction=LT }
body { b = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(b), index=0 n = s32[] get-tuple-element(b), index=1 o = s32[] constant(1) j = s32[] add(i, o) ROOT t = (s32[], s32[]) tuple(j, n) }
ENTRY e { n = s32[] parameter(0) z = s32[] constant(0) t = (s32[], s32[]) tuple(z, n) ROOT w = (s32[], s32[]) while(t), condition=cond, body=body }
)");
  for (uint64_t seed = 1; seed < 200; seed += 2) {
    const int64_t n = (*MakeFakeInputs(*module, seed))[0].GetAsInt64(0);
    REQUIRE((0 <= n && n < 10));
  }
}

TEST_CASE("a widened module is legal, takes the same inputs and rounds less") {
  auto module = Parse(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  p = (f32[4]{0}, bf16[4]{0}, s32[4]{0}) parameter(0)
  x = f32[4]{0} get-tuple-element(p), index=0
  h = bf16[4]{0} get-tuple-element(p), index=1
  n = s32[4]{0} get-tuple-element(p), index=2
  bits = s32[4]{0} bitcast-convert(x)
  back = f32[4]{0} bitcast-convert(bits)
  hf = f32[4]{0} convert(h)
  nf = f32[4]{0} convert(n)
  third = f32[] constant(0.333333343)
  thirds = f32[4]{0} broadcast(third), dimensions={}
  s = f32[4]{0} add(back, hf)
  q = f32[4]{0} divide(s, thirds)
  r = f32[4]{0} add(q, nf)
  z = f32[] constant(0)
  sum = f32[] reduce(r, z), dimensions={0}, to_apply=add
  ROOT t = (f32[], s32[4]{0}, bf16[4]{0}) tuple(sum, bits, h)
})");
  auto wide = WidenModule(*module);
  REQUIRE(wide.ok());
  INFO(PrintModule(**wide));
  const Status legal = VerifyModule(**wide);
  INFO(legal.message());
  CHECK(legal.ok());
  CHECK((*wide)->entry_computation()->program_shape().parameters ==
        module->entry_computation()->program_shape().parameters);
  CHECK((*wide)->entry_computation()->root()->shape().ToString(false) == "(f64[], s32[4], f32[4])");
  auto inputs = MakeFakeInputs(*module, 0);
  REQUIRE(inputs.ok());
  const Literal* pointers[] = {&(*inputs)[0]};
  auto narrow_result = RunReference(*module, pointers), wide_result = RunReference(**wide, pointers);
  INFO((wide_result.ok() ? "" : wide_result.status().message()));
  REQUIRE((narrow_result.ok() && wide_result.ok()));
  const double a = narrow_result->elements()[0].GetAsDouble(0), b = wide_result->elements()[0].GetAsDouble(0);
  CHECK(a != b);
  CHECK(std::abs(a - b) < 1e-4);
  CHECK(narrow_result->elements()[1].BitwiseEqual(wide_result->elements()[1]));
}

TEST_CASE("a finite part beside an infinite one may round") {
  auto c64 = [](std::complex<float> value) {
    Literal literal(Shape::Scalar(PrimitiveType::C64));
    literal.data<std::complex<float>>()[0] = value;
    return literal;
  };
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(CompareResults(c64({inf, 1}), c64({inf, 1.0000001f})).leaves[0].nonfinite == 0);
  CHECK_FALSE(CompareResults(c64({inf, 1}), c64({-inf, 1})).agree);
  CHECK_FALSE(CompareResults(c64({inf, 1}), c64({3e38f, 1})).agree);
  CHECK_FALSE(CompareResults(c64({inf, 1}), c64({inf, 2})).agree);
}

TEST_CASE("a narrowed module works in f32") {
  auto module = Parse(
      "HloModule m\nENTRY e {\n  x = f64[8]{0} parameter(0)\n  y = f64[8]{0} exponential(x)\n"
      "  ROOT z = c128[8]{0} complex(y, x)\n}\n");
  auto narrow = NarrowModule(*module);
  REQUIRE(narrow.ok());
  CHECK(VerifyModule(**narrow).ok());
  CHECK((*narrow)->entry_computation()->root()->shape().ToString(false) == "c64[8]");
}

TEST_CASE("XLA's own calls have no type of their own") {
  auto module = Parse(
      "HloModule m\nENTRY e {\n  x = c64[3,2]{1,0} parameter(0)\n"
      "  ROOT q = (c64[3,2]{1,0}, c64[2]{0}) custom-call(x), custom_call_target=\"Qr\"\n}\n");
  auto wide = WidenModule(*module);
  REQUIRE(wide.ok());
  CHECK((*wide)->entry_computation()->root()->opcode() == HloOpcode::kCustomCall);
  CHECK((*wide)->entry_computation()->root()->shape().ToString(false) == "(c128[3,2], c128[2])");
}

TEST_CASE("f64 modules that round differently agree, wrong ones do not") {
  const std::string head = "HloModule m\nENTRY e {\n  x = f64[64]{0} parameter(0)\n  y = f64[64]{0} parameter(1)\n";
  const std::string one = head + "  s = f64[64]{0} add(x, y)\n  ROOT p = f64[64]{0} multiply(s, s)\n}\n";
  const std::string two =
      head +
      "  a = f64[64]{0} multiply(x, x)\n  b = f64[64]{0} multiply(x, y)\n  c = f64[64]{0} multiply(y, y)\n"
      "  ab = f64[64]{0} add(a, b)\n  abb = f64[64]{0} add(ab, b)\n  ROOT p = f64[64]{0} add(abb, c)\n}\n";
  const std::string wrong =
      head +
      "  a = f64[64]{0} multiply(x, x)\n  b = f64[64]{0} multiply(x, y)\n  c = f64[64]{0} multiply(y, y)\n"
      "  ab = f64[64]{0} add(a, b)\n  ROOT p = f64[64]{0} add(ab, c)\n}\n";
  CHECK(CompareTexts(one, two).agree);
  CHECK_FALSE(CompareTexts(one, wrong).agree);
}

TEST_CASE("a LAPACK call is widened to the routine for the wider type") {
  const auto module = ParseModule(R"(HloModule m
ENTRY e {
  x = f32[2,4,4]{1,2,0} parameter(0)
  ROOT c = (f32[2,4,4]{1,2,0}, s32[2]{0}) custom-call(x), custom_call_target="lapack_spotrf_ffi", operand_layout_constraints={f32[2,4,4]{1,2,0}}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
})");
  REQUIRE(module.status().message() == "");
  const auto wide = WidenModule(**module);
  REQUIRE(wide.status().message() == "");
  CHECK(PrintModule(**wide).find("lapack_dpotrf_ffi") != std::string::npos);
  CHECK(VerifyModule(**wide).ok());
  const auto back = NarrowModule(**wide);
  REQUIRE(back.status().message() == "");
  CHECK(PrintModule(**back).find("lapack_spotrf_ffi") != std::string::npos);
}
