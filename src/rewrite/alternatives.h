// The graph of alternatives: a module that contains, for each value, the alternatives that passes could replace it by.
// It is legal HLO, so all tools accept it. A value with alternatives is a custom-call with the target kAlternative:
// operand 0 is the source, the original value, and each further operand is the replacement by one rewrite.
//
//   a = f32[4] alternative-source(…)
//   b = f32[4] what-the-rewrite-makes(…)
//   c = f32[4] custom-call(a, b), custom_call_target="kAlternative", frontend_attributes={rewrite_1="PASS/RULE@MAIN/a"}
//
// A decision selects an operand; resolving moves all uses of the custom-call to it and removes dead code. An unresolved
// custom-call computes its source. Rewrites that contain each other's sources exclude each other: each lists the others
// (conflicts_1="ID ID"), and only the first of several selected ones is made. A rewrite with several results has the
// same id at each of its sources, and is made at all of them or at none.
//
//   HLOIR_ASSIGN_OR_RETURN(AlternativeGraph graph, AddAlternatives(module, BuiltinPasses(), {"fusion"}));
//   const std::vector<HloInstruction*> all = AlternativesOf(*graph.module);
//   std::vector<AlternativeDecision> first;
//   for (HloInstruction* alternative : all) first.push_back({alternative, 1});
//   HLOIR_ASSIGN_OR_RETURN(const std::vector<AlternativeOutcome> made, ResolveAlternatives(*graph.module, first));
//
// Tested by tests/unit/alternatives_test.cc. Threads: a module belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/pass.h"

namespace hloir {

// An operand after the source.
struct AlternativeChoice {
  std::string rewrite;                 // its id
  std::vector<std::string> conflicts;  // ids of rewrites at other sources that this one excludes
};

bool IsAlternative(const HloInstruction& instruction);
// All alternatives of a module, by computation, each in stored order.
std::vector<HloInstruction*> AlternativesOf(HloModule& module);
std::vector<const HloInstruction*> AlternativesOf(const HloModule& module);
// For operands 1, 2, …; empty strings for missing attributes.
std::vector<AlternativeChoice> ChoicesOf(const HloInstruction& alternative);

// A module with alternatives, and their list.
struct AlternativeGraph {
  // A proposed rewrite that is not in the module.
  struct LeftOut {
    std::string rewrite, reason;
  };
  std::unique_ptr<HloModule> module;
  std::vector<RewriteLog::Entry> rewrites;  // with the replacement of each; `conflicts` as in the module
  // Rewrites that only remove instructions, have side effects, change the signature of a computation, or would create a
  // cycle with present ones. (The last kind is proposed again after a decision.)
  std::vector<LeftOut> left_out;
};

// A copy of `module` with every rewrite that these passes would make in it. `names` is as for MakePipeline;
// `options.rewriter` is not used. Rewrites are made on copies of the module, several per copy if they do not interfere;
// at most `max_work` instructions are copied, and the remaining rewrites are omitted. Errors: MakePipeline's, those of
// the passes, and an error for a module with alternatives. A schedule is kept if the new edges allow it.
StatusOr<AlternativeGraph> AddAlternatives(const HloModule& module, const PassRegistry& registry,
                                           std::span<const std::string> names, const PassOptions& options = {},
                                           int64_t max_work = int64_t{1} << 24);

// The operand that replaces an alternative; 0 is the source.
struct AlternativeDecision {
  const HloInstruction* alternative = nullptr;
  int64_t operand = 0;
};
// The outcome of a decision for a replacement.
struct AlternativeOutcome {
  std::string rewrite;
  std::string excluded_by;  // the earlier rewrite that excludes it; "": it was made
};

// Resolves all alternatives of the module, those without a decision to their source, and removes dead code. Outcomes
// are in the order of the decisions, without those for a source. Errors: a decision for an instruction that is not an
// alternative of this module, or for an operand out of range; then the module is unchanged.
StatusOr<std::vector<AlternativeOutcome>> ResolveAlternatives(HloModule& module,
                                                              std::span<const AlternativeDecision> decisions);

}  // namespace hloir
