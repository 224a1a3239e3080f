// HloPass and HloPassPipeline: what rewrites a module, and what runs such things in order, to a fixpoint, and checks them.
// The list of passes is passes.def.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// How far a rewrite may change results. exact: no bit of any result; rounding: as XLA does by default; fast: as XLA does
// only with fast-math.
enum class MathMode : uint8_t { kExact, kRounding, kFast };

// One opportunity that a rule found, or one change that was made.
struct Rewrite {
  std::string_view pass, rule;      // "algebraic-simplifier", "add-zero"
  std::string_view formula;         // "A + 0 => A"
  MathMode math = MathMode::kExact;
  const HloInstruction* instruction = nullptr;  // what it replaces; valid during the call only
  std::string reason;               // why it is sound here, or why it pays
};

// The one door for rewrites. A rule that matches says so with Allow(); only on true does it change the graph. So applying,
// recording (a trace for teaching), proposing (a dry run) and stopping after n rewrites (fuel) are the same code.
class Rewriter {
 public:
  virtual ~Rewriter() = default;
  virtual bool Allow(const Rewrite& rewrite) = 0;
  // After an allowed rewrite was made: what stands there now (nullptr where nothing does).
  virtual void Done(const Rewrite& rewrite, const HloInstruction* replacement) { (void)rewrite, (void)replacement; }
};

struct PassOptions {
  MathMode math = MathMode::kExact;
  const HloEvaluator* evaluator = nullptr;  // for constant folding; without one nothing is folded
  int64_t max_folded_elements = int64_t{1} << 16;
  int64_t max_folded_steps = int64_t{1} << 20;
  Rewriter* rewriter = nullptr;             // nullptr: every rewrite is allowed
  std::vector<std::string> disabled_rules;
};

class HloPass {
 public:
  virtual ~HloPass() = default;
  virtual std::string_view name() const = 0;
  // Rewrites the module; true if it changed anything. After an error the module is legal, but may be half rewritten.
  virtual StatusOr<bool> Run(HloModule& module) = 0;
};

struct PassInfo {
  std::string_view name, description;
  std::unique_ptr<HloPass> (*make)(const PassOptions& options);
};
// Every pass, in the order of passes.def.
std::span<const PassInfo> AllPasses();
StatusOr<std::unique_ptr<HloPass>> MakePass(std::string_view name, const PassOptions& options);

// What one pass did, one time.
struct PassRun {
  std::string pass;
  bool changed = false;
  double milliseconds = 0;
  int64_t instructions_before = 0, instructions_after = 0;
};

struct PipelineOptions {
  bool verify_each = false;   // the verifier after each pass; its failure names the pass
  // Called before and after each pass that is run; an error stops the pipeline (--dump-to, --check-each stand on these).
  std::function<Status(std::string_view pass, const HloModule& module)> before, after;
  int max_iterations = 50;    // of the fixpoint
};

class HloPassPipeline {
 public:
  explicit HloPassPipeline(PipelineOptions options = {}) : options_(std::move(options)) {}
  void Add(std::unique_ptr<HloPass> pass) { passes_.push_back(std::move(pass)); }
  // Runs the passes in order once; true if any changed the module.
  StatusOr<bool> RunOnce(HloModule& module);
  // Runs them again and again until a whole round changes nothing.
  StatusOr<bool> RunToFixpoint(HloModule& module);
  const std::vector<PassRun>& runs() const { return runs_; }

 private:
  PipelineOptions options_;
  std::vector<std::unique_ptr<HloPass>> passes_;
  std::vector<PassRun> runs_;
};

// The passes `names` lists, or for an empty list the default pipeline.
StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string> names, const PassOptions& options,
                                       PipelineOptions pipeline_options = {});
std::vector<std::string> DefaultPipeline();

}  // namespace hloir
