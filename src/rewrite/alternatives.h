// The graph of alternatives: a module that has, for each value that passes could compute in another way, all of these
// ways. It is legal HLO, so that it prints, parses, draws and goes through tools like any other. A value with a choice
// is a custom-call with the target kAlternative: operand 0 is the source, the value as it was computed before, and each
// further operand is the replacement by one rewrite.
//
//   a = f32[4] alternative-source(…)
//   b = f32[4] what-the-rewrite-makes(…)
//   c = f32[4] custom-call(a, b), custom_call_target="kAlternative", frontend_attributes={rewrite_1="PASS/RULE@MAIN/a"}
//
// A decision names an operand; resolving moves all uses of the custom-call to it, and prunes what nobody needs any
// more. Until then it computes what its source does. Rewrites whose sources hold each other cannot both be made: each
// lists the others (conflicts_1="ID ID"), and of two that are chosen the first is made. What a rewrite with several
// results gives stands under the same id at each of its sources, and is taken at all of them or at none.
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

// The value that an operand after the source stands for.
struct AlternativeChoice {
  std::string rewrite;                 // its id
  std::vector<std::string> conflicts;  // ids of rewrites at other sources that this one excludes
};

bool IsAlternative(const HloInstruction& instruction);
// All of a module, computation by computation, each in its stored order.
std::vector<HloInstruction*> AlternativesOf(HloModule& module);
std::vector<const HloInstruction*> AlternativesOf(const HloModule& module);
// Of operands 1, 2, …; empty strings where the attributes do not say.
std::vector<AlternativeChoice> ChoicesOf(const HloInstruction& alternative);

// A module with alternatives, and their list.
struct AlternativeGraph {
  // A rewrite that passes offer, and that is not in the module.
  struct LeftOut {
    std::string rewrite, reason;
  };
  std::unique_ptr<HloModule> module;
  std::vector<RewriteLog::Entry> rewrites;  // with the replacement of each; `conflicts` as in the module
  // Rewrites that only remove instructions, act outside, change the signature of a computation, or would close a cycle
  // with present ones. (They are offered again after that decision.)
  std::vector<LeftOut> left_out;
};

// A copy of `module` with every rewrite that these passes would make in it as it is. `names` is what MakePipeline
// takes; `options.rewriter` is not used. Rewrites are made on copies of the module, on each copy all that do not touch
// one another; at most `max_work` instructions are copied, and the rest are left out. Errors: MakePipeline's, those of
// the passes, and of a module that has alternatives already. A schedule is kept, as far as the new edges allow.
StatusOr<AlternativeGraph> AddAlternatives(const HloModule& module, const PassRegistry& registry,
                                           std::span<const std::string> names, const PassOptions& options = {},
                                           int64_t max_work = int64_t{1} << 24);

// The operand that replaces an alternative; 0 is the source.
struct AlternativeDecision {
  const HloInstruction* alternative = nullptr;
  int64_t operand = 0;
};
// The outcome of a decision for another operand than the source.
struct AlternativeOutcome {
  std::string rewrite;
  std::string excluded_by;  // the rewrite before it that it is in conflict with; "": it was made
};

// Decides all alternatives of the module, those that no decision names for their source, and prunes. Outcomes are in
// the order of the decisions, one for each that names no source. Errors: a decision for an instruction that is no
// alternative of this module, or for an operand that it does not have; then nothing was changed.
StatusOr<std::vector<AlternativeOutcome>> ResolveAlternatives(HloModule& module,
                                                              std::span<const AlternativeDecision> decisions);

}  // namespace hloir
