// Mutants: wrong modules, made from right ones as a wrong rewrite or kernel would. The share of them that a check
// detects is its power: `hloir fuzz mutants`, docs/power.md.
//
// Example:
//
//   Checker checker(module, {}, {});
//   for (size_t kind = 0; kind < MutantKinds().size(); ++kind) {
//     std::optional<Mutant> mutant = MakeMutant(module, kind, /*seed=*/1);
//     if (!mutant) continue;  // there is nothing in the module that this could be done to
//     StatusOr<MutantOutcome> outcome = OutcomeOf(module, *mutant, checker);
//     if (outcome.ok() && *outcome == MutantOutcome::kGotAway) std::puts(mutant->instruction.c_str());
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
// The seed chooses among the instructions that this can be done to; the same seed makes the same mutant everywhere.
// Nothing if there are none. Mutants are legal modules with the interface of the original; some compute the same.
std::optional<Mutant> MakeMutant(const HloModule& module, size_t kind, uint64_t seed);

// The outcome of a mutant in a check.
enum class MutantOutcome {
  kCaught,     // the verdict is that they disagree
  kNotJudged,  // the verdict is neither that nor agreement
  kGotAway,    // they agree, and there are inputs on which they do not compute the same
  kSame,       // they agree, and no such inputs were found
};
// `checker` is one of the original. Other inputs are tried only if the two agree: more of them than the checker has, of
// every kind and from other seeds. Errors: those of Checker::Check.
StatusOr<MutantOutcome> OutcomeOf(const HloModule& original, const Mutant& mutant, Checker& checker);

// What becomes of a mutant in a proof over the reals (src/equivalence).
enum class ProofOutcome {
  kOpen,    // it is not proved to compute the same
  kHolds,   // it is proved, and no inputs were found on which it does not, by more than the proof says
  kNotRun,  // it is proved, and could not be run
  kFalse,   // it is proved, and there are such inputs
};
// Proves `before`, which is the original or what a compiler made of it, against the mutant; runs the original and the
// mutant. `proof`: what was proved, in words.
ProofOutcome OutcomeOfProof(const HloModule& original, const HloModule& before, const Mutant& mutant,
                            std::string* proof);
// What hloir check-proof says of the file that is written for a proof of `before` and the mutant. A file that it
// refuses is a bug.
enum class ProofFile { kBelieved, kUnchecked, kRefused };
ProofFile OutcomeOfProofFile(const HloModule& before, const Mutant& mutant);

}  // namespace hloir
