// The cost analysis against XLA's own figures of the corpus (corpus/record_cost.py), and what it says beyond those.
#include "hloir/cost.h"

#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/listing.h"

using namespace hloir;

namespace {

// XLA adds in f32: each of the module's instructions may round the sum.
bool Near(double ours, double xla) { return std::abs(ours - xla) <= 1e-5 * std::abs(xla); }

std::unique_ptr<HloModule> Parse(std::string_view text) {
  auto module = ParseHloModule(std::string(text));
  REQUIRE(module.ok());
  return *std::move(module);
}

}  // namespace

TEST_CASE("cost analysis gives XLA's figures on the corpus") {
  const std::filesystem::path corpus = HLOIR_CORPUS_DIR;
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
    // XLA subtracts one for each custom-call, for "not known".
    const double unknown = static_cast<double>(ours.custom_calls);
    // What docs/cost.md explains: XLA counts one row of a ragged dot, and a scan's body once for each element of a
    // slice.
    const double* different = name == "modules/ragged_dot_instruction.hlo" ? &kRaggedDot
                              : name == "modules/scan_instruction.hlo"     ? &kScan
                                                                           : nullptr;
    if (different != nullptr) CHECK(ours.once.flops == *different);
    else CHECK(Near(ours.once.flops - unknown, xla[0].get<double>()));
    CHECK(Near(ours.once.transcendentals, xla[1].get<double>()));
    CHECK(Near(ours.once.bytes - unknown, xla[2].get<double>()));
    ++modules;
  }
  CHECK(modules >= ListedFiles("corpus/modules/"));
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
  ROOT r = pred[] constant(false)
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
