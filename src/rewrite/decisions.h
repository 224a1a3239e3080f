// A module as a series of decisions: list the possible rewrites, make one, get the changes and the new cost. The base
// of learned optimizers, searches over rewrites and interactive tools; hloir.gym (docs/gym.md) is one.
//
// Example:
//
//   StatusOr<std::shared_ptr<DecisionSpace>> space = DecisionSpace::Make(BuiltinPasses());
//   StatusOr<Decisions> state = Decisions::Begin(module, *space);
//   while (state.ok()) {
//     StatusOr<std::span<const Opportunity>> open = state->Open();
//     if (!open.ok() || open->empty() || !state->Take(0).ok()) break;
//     std::printf("%.0f bytes\n", state->cost().total().repeated.bytes);
//   }
//
// Each step removes dead code, so that it has no cost and no decisions. The passes find the open rewrites anew after
// each step, so these equal the list of `hloir opt --dry-run`; for 300 instructions and all passes of the default
// pipeline that takes 0.2 ms. To go back, keep a Clone(). Tested by tests/unit/decisions_test.cc.
//
// Threads: a space and all the Decisions made in it belong to one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hloir/cost.h"
#include "hloir/module.h"
#include "hloir/pass.h"

namespace hloir {

// The set of rewrites that are decisions.
struct DecisionOptions {
  // As for MakePipeline, each pass once; brackets are ignored. Empty: the registry's default pipeline without dce.
  std::vector<std::string> passes = {};
  // Only math, disabled_rules and evaluator are used.
  PassOptions pass_options = {};
  int64_t max_instructions = 0;  // as in PipelineOptions
};

// The passes and rules of decisions, created once for all modules.
class DecisionSpace {
 public:
  // Errors are MakePipeline's.
  static StatusOr<std::shared_ptr<DecisionSpace>> Make(const PassRegistry& registry,
                                                       const DecisionOptions& options = {});
  ~DecisionSpace();

  // A rule of a pass. All rules of the passes, with fixed positions.
  struct Kind {
    std::string pass, rule, formula;
    int32_t pass_index = 0;
  };
  const std::deque<Kind>& kinds() const { return kinds_; }
  std::span<const std::string> passes() const { return {passes_.data(), passes_.size()}; }  // with their options

 private:
  friend class Decisions;
  class Asked;
  DecisionSpace();

  std::deque<Kind> kinds_;  // strings stay where they are
  std::vector<std::string> passes_;
  int64_t max_instructions_ = 0;
  std::shared_ptr<GrowthBudget> growth_;
  std::unique_ptr<Asked> asked_;
  std::vector<std::unique_ptr<HloPass>> made_;  // by pass
  std::unique_ptr<HloPass> sweep_;              // nullptr: the registry has no dce
};

// A rewrite that could be made.
struct Opportunity {
  int32_t kind = 0;  // of DecisionSpace::kinds()
  MathMode math = MathMode::kExact;
  const HloInstruction* instruction = nullptr;  // the replaced instruction
  const HloInstruction* partner = nullptr;      // as in Rewrite; mostly none
};

// The changes of a step, by instruction ids, which are never reused in a module (a clone has other ids).
struct DecisionStep {
  int32_t kind = 0;
  std::vector<int32_t> removed, added;  // in all computations
};

// A module and its open rewrites.
class Decisions {
 public:
  // Copies the module. It must be legal.
  static StatusOr<Decisions> Begin(const HloModule& module, std::shared_ptr<DecisionSpace> space);
  Decisions(Decisions&&) noexcept;
  Decisions& operator=(Decisions&&) noexcept;
  ~Decisions();
  // A copy for branching; its open rewrites are the same, in the same order.
  Decisions Clone() const;

  const HloModule& module() const { return *module_; }
  const DecisionSpace& space() const { return *space_; }
  // The possible rewrites, in the order in which the passes find them; valid until the next Take. Computed at the first
  // call.
  StatusOr<std::span<const Opportunity>> Open();
  // Makes the rewrite, and then removes dead instructions. `index`: of Open(). After an error the module is legal, but
  // may be half rewritten.
  StatusOr<DecisionStep> Take(size_t index);
  // As RewriteLog::Entry::id: "algebraic-simplifier/add-zero@main/sum".
  std::string Id(const Opportunity& opportunity) const;
  // The cost of the module, as CostAnalysis::total(), and of each of its instructions, by id. Computed at the first
  // call, and after a step only for its changes, in a few microseconds.
  const CostResult& total_cost();
  std::span<const CostResult> instruction_costs();
  // Call it after an edit of attributes that does not change the graph, which a step does not detect.
  void CountAnew() { counted_ = false, cost_.reset(), counted_as_.clear(), computation_costs_.clear(); }
  // The full CostAnalysis. It recounts the entry computation.
  const CostAnalysis& cost();
  // A copy in text order, as after a pipeline.
  std::unique_ptr<HloModule> Finished() const;

 private:
  Decisions() = default;
  Status Find();
  Status Sweep();
  StatusOr<bool> Run(HloPass& pass);
  void Count();

  std::shared_ptr<DecisionSpace> space_;
  std::unique_ptr<HloModule> module_;
  GrowthBudget growth_;
  bool found_ = false;
  std::vector<Opportunity> open_;

  bool counted_ = false;              // true if the next four are valid for the current module
  std::optional<CostAnalysis> cost_;  // except for the entry computation, if entry_counted_ is false
  bool entry_counted_ = false;
  std::vector<CostResult> instruction_costs_, computation_costs_;  // by id
  std::vector<uint64_t> counted_as_;  // by instruction's id: the key of its counted cost; 0: not counted
};

}  // namespace hloir
