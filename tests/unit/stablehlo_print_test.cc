// PrintStablehlo: every module of the corpus comes back with the same structure when its StableHLO is read as written,
// or is refused by name. That jaxlib reads and runs the text is measured by bench/stablehlo_out.py.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hloir/inspect.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/pipeline.h"
#include "hloir/printer.h"
#include "hloir/stablehlo.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

using namespace hloir;
namespace fs = std::filesystem;

namespace {

std::string Text(const HloModule& module) {
  auto text = PrintStablehlo(module);
  INFO((text.ok() ? "" : text.status().message()));
  REQUIRE(text.ok());
  return *std::move(text);
}

std::string Refusal(std::string_view text) {
  const auto printed = PrintStablehlo(*Parse(text));
  REQUIRE(!printed.ok());
  CHECK(printed.status().code() == StatusCode::kUnimplemented);
  return printed.status().message();
}

std::unique_ptr<HloModule> ReadAsWritten(const std::string& text) {
  StablehloOptions options;
  options.simplify = false;
  auto module = ParseStablehlo(text, options);
  INFO(text);
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  const Status legal = VerifyModule(**module);
  INFO(legal.message());
  REQUIRE(legal.ok());
  return *std::move(module);
}

// Without what StableHLO has no place for: elements that nobody reads, tuples between ops, layouts, and annotations of
// elements of tuples.
void Normalize(HloModule& module) {
  auto pipeline = MakePipeline(std::vector<std::string>{"tuple-simplifier", "dce"}, {});
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(module).ok());
  for (HloInstruction* i : module.AllInstructions()) {
    i->set_shape(i->shape().WithoutLayout().WithDefaultLayout());
    if (i->opcode() != HloOpcode::kGetTupleElement) continue;
    i->set_frontend_attributes({});
    i->set_sharding(std::nullopt);
  }
}

}  // namespace

TEST_CASE("the corpus as StableHLO comes back, or is refused by name") {
  // The reasons why modules are refused, or come back otherwise.
  const std::map<std::string, std::string> refused = {
      {"asynchronous_forms", "all-gather-start %gather_start: it has no asynchronous ops"},
      {"map_and_plumbing", "add-dependency %waited: it has no such op"},
      {"rng_distributions", "rng-get-and-update-state %state: it has no such op"},
      {"scaled_dot_instruction", "scaled-dot %product: it has no such op"},
      {"scan_instruction", "scan %states: it has no such op"},
      {"stochastic_rounding", "stochastic-convert %bytes: it has no such op"},
      {"bitcast-beside-reshape", "bitcast %same: its values have no layouts"},
      {"bitcast-of-narrow-types", "parameter %z: it lacks the type s1[2]"},
      {"call-with-another-layout", "add-dependency %add-dependency: it has no such op"},
      {"conversions-on-the-way", "slice %sliced: its types differ where StableHLO does not convert"},
      {"names-of-wrapped-operations", "async-start %start: it has no asynchronous ops"},
      {"one-of-s1", "parameter %x: it lacks the type s1[4]"},
      {"permute-of-two-arrays", "collective-permute %both: it takes one array"},
      {"stochastic-convert-of-64-bits", "stochastic-convert %r: it has no such op"},
      {"true-through-a-float-to-s1", "convert %s: it lacks the type s1[]"},
      {"work-in-flight-to-a-call", "async-start %start: it has no asynchronous ops"},
      {"wrapped-parameter", "async-start %start: it has no asynchronous ops"},
      {"xla-stochastic-convert-of-narrow-floats", "stochastic-convert %r: it has no such op"},
      {"xla-stochastic-convert-without-a-zero", "stochastic-convert %r: it has no such op"},
  };
  const std::map<std::string, std::string> different = {
      {"attributes-of-equal-elements", "has a control dependency on dead code"},
      {"padded-once-a-branch-is-chosen", "passes a tuple of one element to a branch"},
      {"result-that-nobody-reads", "passes to a branch what it does not use"},
  };
  size_t same = 0;
  const fs::path corpus = kCorpusFolder;
  for (const char* folder : {"modules", "with_metadata", "regressions"}) {
    for (const fs::path& path : FilesIn(corpus / folder, ".hlo")) {
      const std::string name = path.stem().string();
      if (name.ends_with(".opt")) continue;  // XLA's output, which has fusions and layouts
      INFO(folder << '/' << name);
      auto module = ReadModule(path.string());
      if (!module.ok()) continue;  // texts that are not modules
      const auto text = PrintStablehlo(**module);
      const auto reason = refused.find(name);
      REQUIRE(text.ok() == (reason == refused.end()));
      if (!text.ok()) {
        CHECK(text.status().message().find("StableHLO cannot express " + reason->second) != std::string::npos);
        continue;
      }
      const auto back = ReadAsWritten(*text);
      Normalize(**module);
      Normalize(*back);
      const ModuleDiff diff(**module, *back);
      INFO((diff.same() ? "" : DiffReport(diff)));
      CHECK(diff.same() != different.contains(name));
      same += diff.same() ? 1 : 0;
    }
  }
  CHECK(same > 250);
}

TEST_CASE("an op of StableHLO for each instruction") {
  const auto module = Parse(R"(HloModule m, num_partitions=2

larger (a: s32[], b: s32[]) -> pred[] {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GT
}
ENTRY e {
  x = s32[3] parameter(0), sharding={replicated}
  odd = f32[2] constant({nan, -0})
  sorted = s32[3] sort(x), dimensions={0}, to_apply=larger, metadata={op_name="a/\"b\"" source_file="f.py" source_line=7}
  sum = s32[3] add(x, sorted), frontend_attributes={key="\\value"}
  ROOT t = (s32[3], f32[2]) tuple(sum, odd)
})");
  CHECK(Text(*module) == R"(module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<3xi32> {mhlo.sharding = "{replicated}"}) -> (tensor<3xi32>, tensor<2xf32>) {
    %sorted = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
    ^larger(%a: tensor<i32>, %b: tensor<i32>):
      %r = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%r) : (tensor<i1>) -> ()
    }) : (tensor<3xi32>) -> tensor<3xi32> loc("a/\"b\""("f.py":7:0))
    %sum = stablehlo.add %x, %sorted {mhlo.frontend_attributes = {key = "\\value"}} : tensor<3xi32>
    %odd = stablehlo.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>
    return %sum, %odd : tensor<3xi32>, tensor<2xf32>
  }
}
)");
}

TEST_CASE("regions of one computation are one again") {
  const auto module = Parse(R"(HloModule m
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[3] parameter(0)
  zero = f32[] constant(0)
  one = f32[] reduce(x, zero), dimensions={0}, to_apply=plus
  two = f32[] reduce(x, one), dimensions={0}, to_apply=plus
  ROOT t = (f32[], f32[]) tuple(one, two)
})");
  const std::string text = Text(*module);
  CHECK(ReadAsWritten(text)->computation_count() == 2);
  CHECK((*ParseStablehlo(text))->computation_count() == 3);  // as XLA's converter does
  // Labels alone do not make two regions one.
  std::string other = text;
  other.replace(other.rfind("stablehlo.add"), 13, "stablehlo.multiply");
  CHECK(ReadAsWritten(other)->computation_count() == 3);
}

TEST_CASE("what StableHLO cannot express is named") {
  CHECK(Refusal("HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT c = f32[2] copy(x)\n}") ==
        "line 4: StableHLO cannot express copy %c: its values have no layouts");
  CHECK(Refusal("HloModule m\nENTRY e {\n  ROOT c = f32[2000] constant({...})\n}") ==
        "line 3: StableHLO cannot express constant %c: its elements are elided ({...})");
  CHECK(Refusal(R"(HloModule m
f { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }
ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] fusion(x), kind=kLoop, calls=f })") ==
        "line 3: StableHLO cannot express fusion %y: it has no fusions (hloir opt --passes=defuser takes them apart)");
}

TEST_CASE("computations that double in regions end in an error") {
  std::string text = "HloModule m\nstep0 { p = s32[] parameter(0) ROOT n = s32[] negate(p) }\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string number = std::to_string(i), called = "step" + std::to_string(i - 1);
    text += "step" + number +
            " { p = s32[] parameter(0) b = pred[] constant(true)\n  ROOT c = s32[] conditional(b, p, p), " +
            "true_computation=" + called + ", false_computation=" + called + " }\n";
  }
  text +=
      "ENTRY e { x = s32[] parameter(0) b = pred[] constant(true)\n  ROOT c = s32[] conditional(b, x, x), "
      "true_computation=step40, false_computation=step40 }\n";
  const auto printed = PrintStablehlo(*Parse(text));
  REQUIRE(!printed.ok());
  CHECK(printed.status().code() == StatusCode::kResourceExhausted);
}
