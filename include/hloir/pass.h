// HloPass and HloPassPipeline: what rewrites a module, and what runs such things in order, to a fixpoint, and checks
// them. The list of passes is passes.def; how to write one is docs/write-a-pass.md. Tested by
// tests/unit/passes_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// How far a rewrite may change results. exact: no bit of any result (but any NaN may become any other NaN); rounding:
// as XLA does by default; fast: as XLA does only with fast-math.
enum class MathMode : uint8_t { kExact, kRounding, kFast };

// One opportunity that a rule found, or one change that was made.
struct Rewrite {
  std::string_view pass, rule;  // "algebraic-simplifier", "add-zero"
  std::string_view formula;     // "A + 0 => A"
  MathMode math = MathMode::kExact;
  const HloInstruction* instruction = nullptr;  // what it replaces; valid during the call only
  std::string reason;  // why it is sound here, or why it pays; often empty, as the formula says it
};

// The one door for rewrites. A rule that matches says so with Allow(); only on true does it change the graph. So
// applying, recording (a trace for teaching), proposing (a dry run) and stopping after n rewrites (fuel) are the same
// code.
class Rewriter {
 public:
  virtual ~Rewriter() = default;
  virtual bool Allow(const Rewrite& rewrite) = 0;
  // After an allowed rewrite was made: what stands there now (nullptr where nothing does).
  virtual void Done(const Rewrite& rewrite, const HloInstruction* replacement) { (void)rewrite, (void)replacement; }
};

// The rewriter that the tools and tests use: allows the first `max_rewrites`, or none, and keeps what it saw.
class RewriteLog : public Rewriter {
 public:
  struct Entry {
    std::string pass, rule, formula, computation, instruction, before, after, reason;
    MathMode math = MathMode::kExact;
  };
  int64_t max_rewrites = INT64_MAX;
  bool propose_only = false;  // nothing is allowed: a list of what could be done
  bool keep_text = true;      // before and after as HLO text; without it only the counts cost anything

  bool Allow(const Rewrite& rewrite) override;
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override;
  const std::vector<Entry>& entries() const { return entries_; }
  // How often each rule fired, by "pass/rule".
  const std::map<std::string, int64_t>& counts() const { return counts_; }

 private:
  std::vector<Entry> entries_;
  std::map<std::string, int64_t> counts_;
  int64_t allowed_ = 0;
};

struct PassOptions {
  MathMode math = MathMode::kExact;
  const HloEvaluator* evaluator = nullptr;  // for constant folding; without one nothing is folded
  int64_t max_folded_elements = int64_t{1} << 16;
  int64_t max_folded_steps = int64_t{1} << 20;
  Rewriter* rewriter = nullptr;  // nullptr: every rewrite is allowed
  std::vector<std::string> disabled_rules;
};

// What a pass asks before each change: PassOptions' switches and its Rewriter, in one call.
class RewriteGate {
 public:
  RewriteGate(std::string_view pass, const PassOptions& options) : pass_(pass), options_(options) {}
  // Whether the rule may run at all, before it looks at anything.
  bool Enabled(std::string_view rule, MathMode math) const;
  // True: make this change now. Assumes Enabled().
  bool Allow(std::string_view rule, std::string_view formula, MathMode math, const HloInstruction& instruction,
             std::string reason = {});
  void Done(const HloInstruction* replacement);

 private:
  std::string_view pass_;
  const PassOptions& options_;
  Rewrite current_;
};

class HloPass {
 public:
  virtual ~HloPass() = default;
  virtual std::string_view name() const = 0;
  // Rewrites a legal module (VerifyModule); true if it changed anything. After an error it is legal, but may be half
  // rewritten.
  virtual StatusOr<bool> Run(HloModule& module) = 0;
};

struct PassInfo {
  std::string_view name, description;
  std::unique_ptr<HloPass> (*make)(const PassOptions& options);
};
// Every pass, in the order of passes.def.
std::span<const PassInfo> AllPasses();
StatusOr<std::unique_ptr<HloPass>> MakePass(std::string_view name, const PassOptions& options);

// What is known of one rule of the algebraic simplifier without running it.
struct RuleInfo {
  std::string_view name, formula;
  MathMode integers, floats;  // its class when the elements are integers (or pred), and when floats (or complex)
};
std::vector<RuleInfo> AlgebraicRules();

// What one pass did, one time.
struct PassRun {
  std::string pass;
  bool changed = false;
  double milliseconds = 0;
  int64_t instructions_before = 0, instructions_after = 0;
};

struct PipelineOptions {
  // The verifier after each pass, and whether `changed` tells the truth (against StructuralHash); a failure names the
  // pass.
  bool verify_each = false;
  // Called before and after each pass that is run; an error stops the pipeline (--dump-to, --check-each stand on
  // these).
  std::function<Status(std::string_view pass, const HloModule&module)> before, after;
  int max_iterations = 50;  // of a fixpoint
};

// Passes in order, and groups of passes that are repeated until a whole round of the group changes nothing.
class HloPassPipeline {
 public:
  explicit HloPassPipeline(PipelineOptions options = {}) : options_(std::move(options)) {}
  void Add(std::unique_ptr<HloPass> pass);
  void AddFixpoint(std::vector<std::unique_ptr<HloPass>> passes);
  // Runs everything in order once (a fixpoint group as often as it needs); true if any pass changed the module.
  StatusOr<bool> RunOnce(HloModule& module);
  // Runs everything again and again until a whole round changes nothing.
  StatusOr<bool> RunToFixpoint(HloModule& module);
  const std::vector<PassRun>& runs() const { return runs_; }

 private:
  struct Stage {
    std::vector<std::unique_ptr<HloPass>> passes;
    bool fixpoint = false;
  };
  StatusOr<bool> RunPass(HloPass& pass, HloModule& module);
  StatusOr<bool> RunStage(Stage& stage, HloModule& module);

  PipelineOptions options_;
  std::vector<Stage> stages_;
  std::vector<PassRun> runs_;
};

// The passes `names` lists, or for an empty list the default pipeline. Brackets make a fixpoint group:
// {"dce", "[cse", "dce]", "fusion"} is what `--passes=dce,[cse,dce],fusion` splits into.
StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string> names, const PassOptions& options,
                                       PipelineOptions pipeline_options = {});
// The list that an empty one stands for. A second RunOnce of it changes nothing.
std::vector<std::string> DefaultPipeline();

}  // namespace hloir
