// Mutants: modules with a fault as of a wrong rewrite or kernel. The share of mutants that a check detects is its
// power: `hloir fuzz mutants`, docs/power.md.
//
// Example:
//
//   Checker checker(module, {}, {});
//   for (size_t kind = 0; kind < MutantKinds().size(); ++kind) {
//     std::optional<Mutant> mutant = MakeMutant(module, kind, /*seed=*/1);
//     if (!mutant) continue;  // the mutation does not apply to this module
//     StatusOr<MutantOutcome> outcome = OutcomeOf(module, *mutant, checker);
//     if (outcome.ok() && *outcome == MutantOutcome::kMissed) std::puts(mutant->instruction.c_str());
//   }
//
// Threads: any. Tested by tests/unit/mutants_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hloir/check.h"
#include "hloir/module.h"

namespace hloir {

// One way to be wrong.
struct MutantKind {
  std::string name;  // "compare-lt-as-le"
  std::string what;  // "less or equal in place of less"
  // The change is smaller than f32's rounding.
  bool below_rounding = false;
};
std::span<const MutantKind> MutantKinds();

// A copy with one instruction made wrong.
struct Mutant {
  std::unique_ptr<HloModule> module;
  std::string instruction;  // its name in the original
};
// The seed chooses among the applicable instructions, reproducibly on all machines; nullopt if there are none. Mutants
// are legal modules with the interface of the original; some are equivalent to it.
std::optional<Mutant> MakeMutant(const HloModule& module, size_t kind, uint64_t seed);

// The outcome of a mutant in a check.
enum class MutantOutcome {
  kCaught,     // the verdict is that they disagree, or that the mutant is less accurate
  kNotJudged,  // the verdict is neither that nor agreement
  kMissed,     // they agree, but other inputs show a difference
  kSame,       // they agree, and no inputs show a difference
};
// `checker` is for the original. If the two agree, other inputs are tried: more than those of the checker, of every
// kind and from other seeds. Errors: those of Checker::Check.
StatusOr<MutantOutcome> OutcomeOf(const HloModule& original, const Mutant& mutant, Checker& checker);

// Whether ordinary inputs show the fault: the results have other bits on one of six sets without corner cases. The
// faults of other mutants show for rare values alone, such as NaN, 1 or numbers below 2^-20.
bool ShowsOnOrdinaryInputs(const HloModule& original, const Mutant& mutant);

// The outcome of a proof over the reals (src/equivalence) for a mutant.
enum class ProofOutcome {
  kOpen,    // it is not proved to compute the same
  kHolds,   // proved, and no inputs show a difference beyond the proof's conditions
  kNotRun,  // it is proved, and could not be run
  kFalse,   // proved, but inputs show a difference
};
// Tries to prove `before`, the original or its compiled form, equal to the mutant; runs the original and the mutant.
// `proof`: a description of the proof.
ProofOutcome OutcomeOfProof(const HloModule& original, const HloModule& before, const Mutant& mutant,
                            std::string* proof);

}  // namespace hloir
