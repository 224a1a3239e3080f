// Writes the prover's result in the format that src/proof_check checks. Covered by tests/unit/proof_check_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::equivalence {

struct WrittenProof {
  std::string text;
  int64_t steps = 0;
  std::vector<std::string> unchecked;  // "RULE VALUE = VALUE: WHY" of each step for which no rule was found
};

// Writes the proof of two modules that ProveInside or Prove proves; steps for which the checker has no rule are marked
// as unchecked. Returns an error if the modules are not proved, or the checker does not read them.
StatusOr<WrittenProof> WriteProof(const HloModule& before, const HloModule& after);

// Why there is no proof, or which steps hloir check-proof cannot check; empty if it checks all.
std::string NoteOn(const StatusOr<WrittenProof>& proof);

}  // namespace hloir::equivalence
