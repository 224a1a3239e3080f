// The cost analysis compared with XLA's numbers for the corpus (corpus/record_cost.py), and its extensions.
#include "hloir/cost.h"

#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

// XLA adds in f32: each of the module's instructions may round the sum.
bool Near(double ours, double xla) { return std::abs(ours - xla) <= 1e-5 * std::abs(xla); }

}  // namespace

TEST_CASE("cost analysis gives XLA's figures on the corpus") {
  const std::filesystem::path corpus = kCorpusFolder;
  auto recorded = ReadFile((corpus / "cost.json").string());
  REQUIRE(recorded.ok());
  constexpr double kRaggedDot = 2880, kScan = 19;
  int64_t modules = 0;
  const nlohmann::json figures = nlohmann::json::parse(*recorded);
  for (const auto& [name, xla] : figures.items()) {
    INFO(name);
    auto text = ReadFile((corpus / name).string());
    REQUIRE(text.ok());
    auto module = Parse(*text);
    const CostResult ours = CostAnalysis(*module).total();
    // XLA subtracts one for each custom-call, for "not known"; we know some.
    const CostAnalysis analysis(*module);
    Cost known;
    double unknown = 0;
    for (const HloInstruction* i : module->AllInstructions()) {
      if (i->opcode() != HloOpcode::kCustomCall) continue;
      known += analysis.Of(*i).once;
      ++unknown;
    }
    // As docs/cost.md explains, XLA counts one row of a ragged dot, and a scan's body once for each element of a slice.
    const double* different = name == "modules/ragged_dot_instruction.hlo" ? &kRaggedDot
                              : name == "modules/scan_instruction.hlo"     ? &kScan
                                                                           : nullptr;
    if (different != nullptr) CHECK(ours.once.flops == *different);
    else CHECK(Near(ours.once.flops - known.flops - unknown, xla[0].get<double>()));
    CHECK(Near(ours.once.transcendentals - known.transcendentals, xla[1].get<double>()));
    CHECK(Near(ours.once.bytes - known.bytes - unknown, xla[2].get<double>()));
    ++modules;
  }
  CHECK(modules >= static_cast<int64_t>(FilesIn(corpus / "modules").size()));
}

TEST_CASE("a loop counts once, and as often as it runs") {
  auto module = Parse(R"(HloModule m
condition {
  p = (s32[], f32[10]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[10]{0} get-tuple-element(p), index=1
  n = s32[] constant(7)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[10]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[10]{0} get-tuple-element(p), index=1
  y = f32[10]{0} exponential(x)
  ROOT r = (s32[], f32[10]{0}) tuple(j, y)
}
ENTRY main {
  x = f32[10]{0} parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[10]{0}) tuple(zero, x)
  ROOT loop = (s32[], f32[10]{0}) while(t), condition=condition, body=body
})");
  constexpr double kBody = 12 + 80 + 16, kCondition = 9, kOutside = 16;
  const CostAnalysis cost(*module);
  CHECK(cost.total().once == Cost{2, 10, kBody + kCondition + kOutside});
  CHECK(cost.total().repeated == Cost{7 + 8, 70, 7 * kBody + 8 * kCondition + kOutside});
  CHECK(cost.total().unknown_loops == 0);
  const HloInstruction& loop = *module->entry_computation()->root();
  CHECK(cost.Of(loop).repeated.transcendentals == 70);
  CHECK(cost.Of(*loop.while_body()).once == Cost{1, 10, kBody});
  CHECK(TripCount(loop) == 7);
}

TEST_CASE("a loop of which only the backend config tells how often it runs") {
  const std::string loop = R"(HloModule m
condition {
  p = f32[10]{0} parameter(0)
  ROOT r = pred[] custom-call(p), custom_call_target="goes_on"
}
body {
  p = f32[10]{0} parameter(0)
  ROOT r = f32[10]{0} negate(p)
}
ENTRY main {
  x = f32[10]{0} parameter(0)
  ROOT loop = f32[10]{0} while(x), condition=condition, body=body)";
  auto module = Parse(loop + ", backend_config={\"known_trip_count\":{\"n\":\"5\"}}\n}\n");
  CHECK(CostAnalysis(*module).total().repeated.flops == 50);
  module = Parse(loop + "\n}\n");
  CHECK(CostAnalysis(*module).total().repeated.flops == 10);
  CHECK(CostAnalysis(*module).total().unknown_loops == 1);
}

TEST_CASE("bytes divide into those of operands and of the result") {
  auto module = Parse(R"(HloModule m
body {
  a = f32[100]{0} parameter(0)
  u = f32[10]{0} parameter(1)
  i = s32[] parameter(2)
  s = f32[10]{0} slice(a), slice={[0:10]}
  t = f32[10]{0} add(s, u)
  ROOT r = f32[100]{0} dynamic-update-slice(a, t, i)
}
ENTRY main {
  a = f32[100]{0} parameter(0)
  u = f32[10]{0} parameter(1)
  i = s32[] parameter(2)
  n = f32[100]{0} custom-call(a), custom_call_target="unknown"
  ROOT f = f32[100]{0} fusion(n, u, i), kind=kLoop, calls=body
})");
  const CostAnalysis cost(*module);
  const HloInstruction& fusion = *module->entry_computation()->root();
  const CostAnalysis::Bytes bytes = cost.BytesOf(fusion);
  CHECK(bytes.operands == std::vector<double>{40, 40, 4});
  CHECK(bytes.output == 40);
  CHECK(cost.Of(fusion).once == Cost{10, 0, 124});
  CHECK(cost.total().once == Cost{10, 0, 124});
  CHECK(cost.total().custom_calls == 1);
}

TEST_CASE("custom-calls that are known cost what the operation does") {
  const auto cost_of = [](const std::string& parameters, const std::string& call) {
    INFO(call);
    const auto module = Parse("HloModule m\nENTRY e {\n" + parameters + "\nROOT r = " + call + "\n}\n");
    const CostAnalysis cost(*module);
    CHECK(cost.total().custom_calls == 0);
    return cost.Of(*module->entry_computation()->root()).once;
  };
  const std::string ab = "a = f32[16,32] parameter(0)\nb = f32[32,8] parameter(1)";
  const double bytes = 4 * (16 * 32 + 32 * 8 + 16 * 8);
  CHECK(cost_of(ab, R"(f32[16,8] custom-call(a, b), custom_call_target="__cublas$gemm")") == Cost{8192, 0, bytes});
  CHECK(
      cost_of(
          ab,
          R"(f32[16,8] custom-call(a, b), custom_call_target="__cublas$lt$matmul", backend_config={"gemm_backend_config":{"epilogue":"GELU","dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}}})") ==
      Cost{8192, 128, bytes});
  CHECK(
      cost_of(
          "a = f32[4,2,8,16] parameter(0)\nb = f32[4,2,16,8] parameter(1)",
          R"(f32[4,2,8,8] custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={"dot_dimension_numbers":{"lhs_contracting_dimensions":["3"],"lhs_batch_dimensions":["0","1"]}})")
          .flops == 2.0 * 4 * 2 * 8 * 8 * 16);
  // The same as the op; of the gradients the forward convolution's.
  const std::string window = ", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  const std::string xk =
      "x = f32[2,8,8,4] parameter(0)\nk = f32[3,3,4,16] parameter(1)\ny = f32[2,8,8,16] parameter(2)";
  const double forward = cost_of(xk, "f32[2,8,8,16] convolution(x, k)" + window).flops;
  CHECK(
      cost_of(xk, "(f32[2,8,8,16], u8[0]) custom-call(x, k)" + window + ", custom_call_target=\"__cudnn$convForward\"")
          .flops == forward);
  CHECK(cost_of(xk, "(f32[2,8,8,4], u8[0]) custom-call(y, k)" + window +
                        ", custom_call_target=\"__cudnn$convBackwardInput\"")
            .flops == forward);
  CHECK(cost_of(xk, "(f32[3,3,4,16], u8[0]) custom-call(x, y)" + window +
                        ", custom_call_target=\"__cudnn$convBackwardFilter\"")
            .flops == forward);
  // 2 products of [8 x 16] and [16 x 32], for each of 6 heads.
  const Cost attention =
      cost_of("q = f32[2,3,8,16] parameter(0)\nk = f32[2,3,32,16] parameter(1)",
              R"((f32[2,3,8,16], u8[0]) custom-call(q, k, k), custom_call_target="__cudnn$fmhaSoftmax")");
  CHECK(attention.flops == 2 * 2.0 * 6 * 8 * 32 * 16 + 3 * 6 * 8 * 32);
  CHECK(attention.transcendentals == 6 * 8 * 32);
  CHECK(cost_of("x = f32[4,1000] parameter(0)", R"((f32[4,10], s32[4,10]) custom-call(x), custom_call_target="TopK")")
            .flops == 4 * 1000 * 4);
  const std::string sparse =
      "v = f32[9] parameter(0)\nc = s32[9] parameter(1)\np = s32[5] parameter(2)\n"
      "x = f32[7,3] parameter(3)";
  for (const char* target : {"cpu_csr_sparse_dense_ffi", "cusparse_csr_matmat_ffi"})
    CHECK(
        cost_of(sparse, std::string("f32[4,3] custom-call(v, p, c, x), custom_call_target=\"") + target + "\"").flops ==
        2 * 9 * 3);
  CHECK(cost_of("a = f32[4,5] parameter(0)\nc = f32[4,4] parameter(1)\nb = f32[] parameter(2)",
                R"(f32[4,4] custom-call(a, c, b, b), custom_call_target="cusolver_syrk_ffi")")
            .flops == (5 + 3) * 16);
  CHECK(cost_of("x = c64[4,1024] parameter(0)", R"(c64[4,1024] custom-call(x), custom_call_target="ducc_fft")").flops ==
        8 * 10 * 4096);
  const std::string square = "a = f64[5,30,30] parameter(0)";
  CHECK(cost_of(square, R"((f64[5,30,30], s32[5]) custom-call(a), custom_call_target="lapack_dpotrf_ffi")").flops ==
        5 * 9000);
  CHECK(cost_of(square, R"((f64[5,30,30], s32[5,30], s32[5]) custom-call(a), custom_call_target="cusolver_getrf_ffi")")
            .flops == 5 * 18000);
  CHECK(cost_of(square, R"(f64[5,30,30] custom-call(a), custom_call_target="Sharding")") == Cost());
}

TEST_CASE("a custom-call whose operands do not fit its target is not known") {
  for (
      const char* call :
      {R"(f32[] custom-call(), custom_call_target="__cublas$gemm")",
       R"(f32[4] custom-call(a), custom_call_target="__cudnn$convForward", window={size=3}, dim_labels=bf0_0io->bf0)",
       R"(f32[4] custom-call(a, a), custom_call_target="__cudnn$convForward", window={size=3}, dim_labels=bf0_0io->bf0)",
       R"(f32[4] custom-call(a), custom_call_target="lapack_spotrf_ffi")",
       R"(f32[4] custom-call(a), custom_call_target="my_potrf")"}) {
    INFO(call);
    const auto module =
        Parse("HloModule m\nENTRY e {\na = f32[4] parameter(0)\nROOT r = " + std::string(call) + "\n}\n");
    CHECK(CostAnalysis(*module).total().custom_calls == 1);
  }
}

TEST_CASE("what runs in a loop of unknown trip count is known to be so") {
  auto module = Parse(R"(HloModule m
condition {
  p = s32[] parameter(0)
  n = s32[] constant(5)
  ROOT r = pred[] compare(p, n), direction=LT
}
body {
  p = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT r = s32[] add(p, one)
}
f {
  p = s32[] parameter(0)
  ROOT loop = s32[] while(p), condition=condition, body=body
}
ENTRY main {
  x = s32[] parameter(0)
  ROOT r = s32[] call(x), to_apply=f
})");
  const std::vector<bool> known = KnownExecutionCounts(*module);
  const auto of = [&](std::string_view name) {
    return known[static_cast<size_t>(module->FindComputation(name)->id())];
  };
  CHECK(of("main"));
  CHECK(of("f"));
  CHECK(!of("body"));
  CHECK(!of("condition"));
}

TEST_CASE("what depends on an unbounded dimension costs an unknown number") {
  auto module = Parse(R"(HloModule m
ENTRY main {
  x = f32[?,8] parameter(0)
  w = f32[8,8] parameter(1)
  t = f32[?,8] tanh(x)
  d = f32[?,8] dot(t, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[8,8] negate(w)
  ROOT r = (f32[?,8], f32[8,8]) tuple(d, n)
})");
  const CostAnalysis cost(*module);
  CHECK(std::isnan(cost.total().once.flops));
  CHECK(std::isnan(cost.total().once.transcendentals));
  CHECK(std::isnan(cost.total().once.bytes));
  for (const HloInstruction* i : module->AllInstructions())
    if (i->name() == "n") CHECK(cost.Of(*i).once == Cost{64, 0, 512});
}
