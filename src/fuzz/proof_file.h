// What hloir check-proof says of the file that is written for a proof of two modules. Campaigns call it for each proof.
// Tested by the command's own campaigns in ctest (random.*, fuzz.test).
#pragma once

#include <cstdint>
#include <string>

#include "hloir/module.h"

namespace hloir::fuzz {

enum class ProofFile : uint8_t {
  kNone,       // no proof, or none that is written
  kAccepted,   // every step holds
  kUnchecked,  // the checker has no rule for a step
  kRefused,    // a step is false: a bug
};

struct ProofFiles {
  int64_t accepted = 0, unchecked = 0, refused = 0;

  void Count(ProofFile outcome) {
    accepted += outcome == ProofFile::kAccepted;
    unchecked += outcome == ProofFile::kUnchecked;
    refused += outcome == ProofFile::kRefused;
  }
  std::string ToString() const;
};

// Proves that the two are equal, writes the proof and checks it. `why`: the step that is not accepted.
ProofFile OutcomeOfProofFile(const HloModule& before, const HloModule& after, std::string* why);

}  // namespace hloir::fuzz
