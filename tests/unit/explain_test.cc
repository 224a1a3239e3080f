// The history of rewrites that `hloir explain` shows: it is the record, and the record makes the pipeline's output
// again.
#include "inspect/explain.h"

#include <filesystem>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;

namespace {

Status Optimize(HloModule& module, PipelineOptions options, Rewriter* rewriter) {
  PassOptions pass_options;
  pass_options.rewriter = rewriter;
  auto pipeline = MakePipeline({}, pass_options, std::move(options));
  return pipeline.ok() ? pipeline->RunOnce(module).status() : pipeline.status();
}

}  // namespace

TEST_CASE("replaying the record gives the pipeline's output byte for byte") {
  int64_t modules = 0, steps = 0;
  for (const std::filesystem::path& path : FilesIn(std::string(kCorpusFolder) + "/with_metadata")) {
    INFO(path.string());
    auto original = ReadModule(path.string());
    REQUIRE(original.ok());
    const auto plain = (*original)->Clone(), recorded = (*original)->Clone(), replayed = (*original)->Clone();
    REQUIRE(Optimize(*plain, {}, nullptr).ok());
    const auto history = MakeRewriteHistory(*recorded, Optimize);
    REQUIRE(history.ok());
    CHECK(PrintModule(*recorded) == PrintModule(*plain));
    CHECK(Replay(*history, *replayed, Optimize).ok());
    CHECK(PrintModule(*replayed, PrintOptions::Readable()) == PrintModule(*plain, PrintOptions::Readable()));
    CHECK(history->text_after == PrintModule(*plain));
    for (const RewriteHistory::Run& run : history->runs) CHECK(run.values != RewriteHistory::Values::kDifferent);
    ++modules, steps += static_cast<int64_t>(history->steps.size());
  }
  CHECK(modules > 40);
  CHECK(steps > 1000);
}

TEST_CASE("runs have their steps, figures and values") {
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  x = f32[4]{0} parameter(0)
  one = f32[] constant(1)
  ones = f32[4]{0} broadcast(one), dimensions={}
  y = f32[4]{0} multiply(x, ones)
  n = f32[4]{0} negate(y)
  ROOT r = f32[4]{0} negate(n)
}
)");
  REQUIRE(module.ok());
  const auto again = (*module)->Clone();
  const Optimizer optimize = [](HloModule& m, PipelineOptions options, Rewriter* rewriter) {
    PassOptions pass_options;
    pass_options.rewriter = rewriter;
    const std::vector<std::string> names = {"algebraic-simplifier", "dce"};
    auto pipeline = MakePipeline(names, pass_options, std::move(options));
    return pipeline.ok() ? pipeline->RunOnce(m).status() : pipeline.status();
  };
  const auto history = MakeRewriteHistory(**module, optimize);
  REQUIRE(history.ok());
  CHECK(history->initial.count.instructions == 6);
  REQUIRE(history->steps.size() == 2);
  CHECK(history->steps[0].rewrite.rule == "multiply-one");
  CHECK(history->steps[0].before.boxes.size() == 4);  // y, ones, one, x
  CHECK(history->steps[0].after.boxes.front().name == "x");
  REQUIRE(!history->runs.empty());
  CHECK(history->runs[0].pass == "algebraic-simplifier");
  CHECK(history->runs[0].first == 0);
  CHECK(history->runs[0].last == 2);
  CHECK(history->runs[0].values == RewriteHistory::Values::kSameBits);
  CHECK(history->runs.back().figures.count.instructions == 1);
  CHECK(HistoryText(*history).find("A * 1 => A") != std::string::npos);

  // A record that is not of this module cannot be replayed.
  RewriteHistory other = *history;
  other.steps[0].rewrite.id = "algebraic-simplifier/multiply-one@e/z";
  CHECK(Replay(other, *again, optimize).code() == StatusCode::kInternal);
}

TEST_CASE("a large module is run by the engine, and a larger one has the reason why not") {
  for (const int size : {300, 1024}) {
    const std::string n = std::to_string(size), shape = "f32[" + n + "," + n + "]{1,0}";
    auto module = ParseModule("HloModule m\nENTRY e {\n  x = " + shape + " parameter(0)\n  d = " + shape +
                              " dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  n = " + shape +
                              " negate(d)\n  ROOT r = " + shape + " negate(n)\n}\n");
    REQUIRE(module.ok());
    const auto history = MakeRewriteHistory(**module, [](HloModule& m, PipelineOptions options, Rewriter* rewriter) {
      PassOptions pass_options;
      pass_options.rewriter = rewriter;
      const std::vector<std::string> names = {"algebraic-simplifier"};
      auto pipeline = MakePipeline(names, pass_options, std::move(options));
      return pipeline.ok() ? pipeline->RunOnce(m).status() : pipeline.status();
    });
    REQUIRE(history.ok());
    REQUIRE(history->runs.size() == 1);
    INFO(history->runs[0].why_not);
    CHECK((history->runs[0].values == RewriteHistory::Values::kSameBits) == (size == 300));
    CHECK(history->runs[0].why_not.empty() == (size == 300));
  }
}

TEST_CASE("what changes the values is seen") {
  auto module =
      ParseModule("HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT n = f32[4]{0} negate(x)\n}\n");
  REQUIRE(module.ok());
  // Not a built-in pass: it only reports that it ran.
  const auto history = MakeRewriteHistory(**module, [](HloModule& m, PipelineOptions options, Rewriter*) -> Status {
    m.entry_computation()->set_root(m.entry_computation()->parameter(0));
    return options.after({.pass = "wrong", .number = 0, .changed = true}, m);
  });
  REQUIRE(history.ok());
  REQUIRE(history->runs.size() == 1);
  CHECK(history->runs[0].values == RewriteHistory::Values::kDifferent);
}
