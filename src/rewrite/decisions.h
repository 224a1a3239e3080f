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
// After each step what is dead goes, so that it neither counts nor is a decision. The open rewrites are found afresh
// by the passes themselves, so they are what `hloir opt --dry-run` lists; on 300 instructions by all passes of the
// default pipeline that takes 0.2 ms. To go back, keep a Clone(). Tested by tests/unit/decisions_test.cc.
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
  // As MakePipeline takes them, each pass once; brackets do not count. Empty: those of the registry's default pipeline
  // but dce.
  std::vector<std::string> passes = {};
  // math, disabled_rules and evaluator count.
  PassOptions pass_options = {};
  int64_t max_instructions = 0;  // as in PipelineOptions
};

// The passes and rules that decisions are about, made once for all modules that are decided on.
class DecisionSpace {
 public:
  // Errors are MakePipeline's.
  static StatusOr<std::shared_ptr<DecisionSpace>> Make(const PassRegistry& registry,
                                                       const DecisionOptions& options = {});
  ~DecisionSpace();

  // A rule of a pass. Every rule that the passes declare is there from the beginning, and each stays where it is.
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
  const HloInstruction* instruction = nullptr;  // what it replaces
  const HloInstruction* partner = nullptr;      // as in Rewrite; mostly none
};

// The changes of a step, by instructions' ids, which are never used again in the same module (a clone has its own).
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
  // A copy, to go on from here twice; the open rewrites are the same, in the same order.
  Decisions Clone() const;

  const HloModule& module() const { return *module_; }
  const DecisionSpace& space() const { return *space_; }
  // The possible rewrites, in the order in which the passes find them; valid until the next Take. Computed at the first
  // call.
  StatusOr<std::span<const Opportunity>> Open();
  // Makes the rewrite, and then removes dead instructions. `index`: of Open(). After an error the module is legal, but
  // may be half rewritten.
  StatusOr<DecisionStep> Take(size_t index);
  // As RewriteLog::Entry::id has it: "algebraic-simplifier/add-zero@main/sum".
  std::string Id(const Opportunity& opportunity) const;
  // The cost of the module, as CostAnalysis::total(), and of each of its instructions, by id. Computed at the first
  // call, and after a step only for its changes, in a few microseconds.
  const CostResult& total_cost();
  std::span<const CostResult> instruction_costs();
  // After an edit of attributes that leaves the graph as it was, which a step does not look for.
  void CountAnew() { counted_ = false, cost_.reset(), counted_as_.clear(), computation_costs_.clear(); }
  // The full CostAnalysis. It counts the entry computation again.
  const CostAnalysis& cost();
  // A copy in the order of its text, as pipelines leave modules.
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
  std::optional<CostAnalysis> cost_;  // but for the entry computation, if entry_counted_ is false
  bool entry_counted_ = false;
  std::vector<CostResult> instruction_costs_, computation_costs_;  // by id
  std::vector<uint64_t> counted_as_;  // by instruction's id: the key of its counted cost; 0: not counted
};

}  // namespace hloir
