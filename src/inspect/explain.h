// A record of the rewrites that passes make in a module: every rewrite with its formula, its reason, the removed and
// new instructions as text and as a small graph; declined rewrites with reasons; and after each pass the module's cost
// and a comparison of its results. All of it comes from the log of rewrites (rewrite.h); Replay repeats the rewrites.
//
// Example:
//
//   const auto optimize = [](HloModule& m, PipelineOptions options, Rewriter* rewriter) -> Status {
//     PassOptions pass_options;
//     pass_options.rewriter = rewriter;
//     auto pipeline = MakePipeline({}, pass_options, std::move(options));
//     return pipeline.ok() ? pipeline->RunOnce(m).status() : pipeline.status();
//   };
//   StatusOr<RewriteHistory> history = MakeRewriteHistory(module, optimize);
//   if (history.ok()) std::puts(HistoryText(*history).c_str());
//
// Threads: a history is a value; making one edits the module, as its passes do.
// Tested by tests/unit/explain_test.cc, tests/cli/explain.test and, in a browser, tests/pages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hloir/cost.h"
#include "hloir/executable.h"
#include "hloir/inspect.h"
#include "hloir/pipeline.h"
#include "hloir/rewrite.h"
#include "hloir/status.h"

namespace hloir {

// A module's passes and their rewrites.
struct RewriteHistory {
  // A few instructions around a rewrite.
  struct Sketch {
    // An instruction.
    struct Box {
      std::string name, opcode, shape;
      bool marked = false;  // it went, or it came
    };
    std::vector<Box> boxes;
    std::vector<std::pair<int, int>> edges;
  };
  // One rewrite, or one that the pass decided against (see RewriteLog::Entry::outcome).
  struct Step {
    RewriteLog::Entry rewrite;
    Sketch before, after;
    int64_t instructions = 0;  // of the module, right after it
  };
  // Properties of a module at some time.
  struct Figures {
    InstructionCount count;
    Cost cost;
  };
  // The comparison of its values on generated inputs with those of the first module.
  enum class Values : uint8_t { kNotRun, kSameBits, kRounding, kDifferent };
  // One run of a pass: its steps are [first, last).
  struct Run {
    std::string pass;
    int64_t number = 0;  // of this run, over all
    size_t first = 0, last = 0;
    bool changed = false;
    Figures figures;  // after it
    Values values = Values::kNotRun;
    std::string why_not;  // kNotRun
  };
  std::string module;
  Figures initial;
  std::string text_before, text_after;
  std::vector<Step> steps;
  std::vector<Run> runs;              // those that changed the module or have steps
  std::vector<LayoutChoice> layouts;  // of the plan that runs the result
};

// Runs passes: `options` and `rewriter` are for the pipeline.
using Optimizer = std::function<Status(HloModule& module, PipelineOptions options, Rewriter* rewriter)>;

// Runs `optimize` on the module and records its rewrites. Inputs for the comparison are generated from `seed`; a module
// that takes too long is not run, which the runs record.
StatusOr<RewriteHistory> MakeRewriteHistory(HloModule& module, const Optimizer& optimize, uint64_t seed = 0);

// Repeats exactly the history's rewrites, in order, on a copy of the original module. Internal if they do not occur in
// that order.
Status Replay(const RewriteHistory& history, HloModule& module, const Optimizer& optimize);

// The record as text, by pass; and as one HTML file.
std::string HistoryText(const RewriteHistory& history);
std::string RunText(const RewriteHistory& history, const RewriteHistory::Run& run);  // its headline and its figures
std::string StepText(const RewriteHistory& history, size_t step);                    // one rewrite
std::string LayoutsText(const RewriteHistory& history);                              // "" if nothing had to be chosen
StatusOr<std::string> HistoryPage(const RewriteHistory& history);

}  // namespace hloir
