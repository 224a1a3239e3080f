// HloPass and HloPassPipeline: what rewrites a module, and what runs such things in order, to a fixpoint, and checks
// them. The list of passes is passes.def; how to write one is docs/write-a-pass.md. Tested by
// tests/unit/passes_test.cc.
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
#include "hloir/rewriter.h"
#include "hloir/status.h"

namespace hloir {

// What the fusion pass may do; each can be set as `fusion{multi-output=false}` in a list of passes.
struct FusionOptions {
  bool multi_output = true;        // one loop for several results
  int64_t max_instructions = 256;  // of one fusion
};

// What the while-loop unroller may do.
struct UnrollOptions {
  int64_t max_rounds = 64;         // that are written out whole
  int64_t factor = 1;              // longer loops: so many rounds in each of fewer; 1 leaves them alone
  int64_t max_instructions = 800;  // over all the rounds that are written out
  bool elementwise_only = false;   // only loops whose rounds then fuse into one
};

// What the combiners of exchanges between devices may put together.
struct CombinerOptions {
  int64_t max_bytes = int64_t{30} << 20;  // of the operands
  int64_t max_operands = 256;
};

// Which element types a pass is about.
struct TypeOptions {
  PrimitiveType from = PrimitiveType::INVALID, to = PrimitiveType::INVALID;  // INVALID: the pass's own choice
};

// What rematerialization must get to.
struct RematerializationOptions {
  int64_t max_bytes = 0;  // in use at once; it stops there
};

struct PassOptions {
  MathMode math = MathMode::kExact;
  const HloEvaluator* evaluator = nullptr;  // for constant folding; without one nothing is folded
  int64_t max_folded_elements = int64_t{1} << 16;
  int64_t max_folded_steps = int64_t{1} << 20;
  Rewriter* rewriter = nullptr;  // nullptr: every rewrite is allowed
  std::vector<std::string> disabled_rules;
  FusionOptions fusion;
  UnrollOptions unroll;
  CombinerOptions combiner;
  TypeOptions types;
  RematerializationOptions rematerialization;
};

// An option of one pass, as it can be written behind its name: fusion{max-instructions=64}.
struct PassOptionInfo {
  std::string_view pass;  // "": every pass has it
  std::string_view name, description;
};
std::span<const PassOptionInfo> AllPassOptions();
Status SetPassOption(PassOptions& options, std::string_view pass, std::string_view name, std::string_view value);

// What a pass asks before each change and tells after it: PassOptions' switches and its Rewriter in one place.
//
//   if (!gate_.Enabled("my-rule", MathMode::kExact)) return false;   // before it looks at anything
//   if (!gate_.Allow("my-rule", "A + 0 => A", MathMode::kExact, *old)) continue;
//   HloInstruction* replacement = …build…;
//   old->ReplaceAllUsesWith(replacement);
//   gate_.Done(replacement);                                         // nullptr: nothing stands there now
class RewriteGate {
 public:
  RewriteGate(std::string_view pass, const PassOptions& options) : pass_(pass), options_(options) {}
  // Whether the rule may run at all, before it looks at anything.
  bool Enabled(std::string_view rule, MathMode math) const;
  // True: make this change now. Assumes Enabled(). Nothing may be built before.
  bool Allow(std::string_view rule, std::string_view formula, MathMode math, const HloInstruction& instruction,
             std::string reason = {}, const HloInstruction* partner = nullptr);
  // The change was made and uses were moved; what died is still there or was just removed. The replacement takes over
  // the metadata of the instruction it stands for; if it is new, also of all that died with that.
  void Done(HloInstruction* replacement);
  // The rule matched, but the pass decided against it.
  void Decline(std::string_view rule, std::string_view formula, MathMode math, const HloInstruction& instruction,
               std::string reason, const HloInstruction* partner = nullptr);
  // Does anybody read reasons? If not, spare the work of writing them.
  bool explaining() const { return options_.rewriter != nullptr && options_.rewriter->wants_text(); }

 private:
  void FindConsumed();
  void FindMade(const HloInstruction* replacement);

  std::string_view pass_;
  const PassOptions& options_;
  Rewrite current_;
  int32_t first_new_id_ = 0;
  std::vector<const HloInstruction*> consumed_, made_;
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
  std::string_view rules;  // names, with blanks between them; see RuleNames
  std::unique_ptr<HloPass> (*make)(const PassOptions& options);
};
// Every pass, in the order of passes.def.
std::span<const PassInfo> AllPasses();
// `name` may have options behind it: "cse{disable=merge}".
StatusOr<std::unique_ptr<HloPass>> MakePass(std::string_view name, const PassOptions& options);

// What is known of one rule of the algebraic simplifier without running it.
struct RuleInfo {
  std::string_view name, formula;
  MathMode integers, floats;  // its class when the elements are integers (or pred), and when floats (or complex)
};
std::vector<RuleInfo> AlgebraicRules();

// The names of all the pass's rules, as `disable=` and RewriteLog's counts have them.
std::vector<std::string_view> RuleNames(const PassInfo& pass);

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

// "a,b{x=1 y=2},[c,d]" => "a", "b{x=1 y=2}", "[c", "d]". Commas, blanks and ends of line separate; # begins a comment.
StatusOr<std::vector<std::string>> SplitPipeline(std::string_view text);
// The passes `names` lists, or for an empty list the default pipeline. Brackets make a fixpoint group:
// {"dce", "[cse", "dce]", "fusion"} is what `--passes=dce,[cse,dce],fusion` splits into. A name in
// PassOptions::disabled_rules that no pass has is an error.
StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string> names, const PassOptions& options,
                                       PipelineOptions pipeline_options = {});
// The list that an empty one stands for. A second RunOnce of it changes nothing.
std::vector<std::string> DefaultPipeline();

}  // namespace hloir
