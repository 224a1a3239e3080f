// HloPassPipeline: runs passes in order, and groups of them to a fixpoint; checks, times and reports each. Also the
// text syntax of pipelines. Tested by tests/unit/passes_test.cc and tests/unit/registry_test.cc.
//
// Threads: a pipeline belongs to one thread at a time; several may run at once, each on a module of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/pass.h"

#pragma GCC visibility push(default)
namespace hloir {

// The result of one run of one pass.
struct PassRun {
  std::string pass;
  bool changed = false;
  double milliseconds = 0;
  int64_t instructions_before = 0, instructions_after = 0;
  bool stopped = false;  // stopped before its end, because the module reached PipelineOptions::max_instructions
};

// The argument of a hook. Before a pass, only `pass` and `number` are set.
struct PassEvent {
  std::string_view pass;
  int64_t number = 0;            // of this run of a pass, from 0, over all runs of the pipeline
  bool changed = false;          // true if the pass changed the module
  const PassRun* run = nullptr;  // nullptr before the pass; valid during the call
};

// Options of a pipeline: checks, hooks and limits around its passes.
struct PipelineOptions {
  // Runs the verifier after each pass, and holds `changed` against StructuralHash; a failure names the pass.
  bool verify_each = false;
  // Called before and after each run of a pass; an error stops the pipeline.
  using Hook = std::function<Status(const PassEvent& event, const HloModule& module)>;
  Hook before = {}, after = {};
  int max_iterations = 50;  // of a fixpoint
  // The size limit for passes that grow the module (one rewrite may exceed it once): see GrowthBudget. 0: 16 times its
  // initial size, plus 50,000.
  int64_t max_instructions = 0;
  std::shared_ptr<GrowthBudget> growth = {};  // the passes' own. MakePipeline makes it
};

// Passes in order, and groups of passes that are repeated until a whole round of the group changes nothing.
class HloPassPipeline {
 public:
  // These are in pipeline.cc, so that including this costs less.
  HloPassPipeline();
  explicit HloPassPipeline(PipelineOptions options);
  HloPassPipeline(HloPassPipeline&&) noexcept;
  HloPassPipeline& operator=(HloPassPipeline&&) noexcept;
  ~HloPassPipeline();
  void Add(std::unique_ptr<HloPass> pass);
  void AddFixpoint(std::vector<std::unique_ptr<HloPass>> passes);
  // Before (after) the first pass of that name, in the same fixpoint group; an error if there is none.
  Status InsertBefore(std::string_view name, std::unique_ptr<HloPass> pass);
  Status InsertAfter(std::string_view name, std::unique_ptr<HloPass> pass);

  // Runs everything in order once (a fixpoint group as often as it needs), and puts the module into the order of its
  // text (HloModule::PutInTextOrder); true if that or any pass changed it.
  StatusOr<bool> RunOnce(HloModule& module);
  // Repeats the pipeline until a whole round changes nothing.
  StatusOr<bool> RunToFixpoint(HloModule& module);
  const std::vector<PassRun>& runs() const { return runs_; }

 private:
  struct Stage;
  Status Insert(std::string_view name, int64_t offset, std::unique_ptr<HloPass> pass);
  StatusOr<bool> RunPass(HloPass& pass, HloModule& module);
  StatusOr<bool> RunStage(Stage& stage, HloModule& module);
  StatusOr<bool> RunStages(HloModule& module);

  PipelineOptions options_;
  std::vector<Stage> stages_;
  std::vector<PassRun> runs_;
};

// "a,b{x=1 y=2},[c,d]" => "a", "b{x=1 y=2}", "[c", "d]". Commas, blanks and ends of line separate; # begins a comment.
StatusOr<std::vector<std::string>> SplitPipeline(std::string_view text);

// Puts `pass` before (after) the first pass of that name in a list like SplitPipeline's, in the same fixpoint group; an
// error if there is none:
//
//   Status placed = InsertBefore(registry.default_pipeline(), "fusion", "div-to-mul");
Status InsertBefore(std::vector<std::string>& pipeline, std::string_view name, std::string_view pass);
Status InsertAfter(std::vector<std::string>& pipeline, std::string_view name, std::string_view pass);

// The passes that `names` lists, or for an empty list the registry's default pipeline. Brackets make a fixpoint group:
// `--passes=dce,[cse,dce],fusion` splits into {"dce", "[cse", "dce]", "fusion"}. A name in PassOptions::disabled_rules
// that no pass has is an error.
StatusOr<HloPassPipeline> MakePipeline(const PassRegistry& registry, std::span<const std::string> names,
                                       const PassOptions& options, PipelineOptions pipeline_options = {});

}  // namespace hloir
#pragma GCC visibility pop
