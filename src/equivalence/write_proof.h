// Writes the prover's result as a file that src/proof_check checks. Covered by tests/unit/proof_check_test.cc.
#pragma once

#include <string>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::equivalence {

struct WrittenProof {
  std::string text;
  int64_t steps = 0, unchecked = 0;  // the latter are those for which no rule was found
};

// Of two modules that ProveInside or Prove proves; steps that no rule of the checker follows are written as such.
// Error: the two are not proved, or the checker does not read them.
StatusOr<WrittenProof> WriteProof(const HloModule& before, const HloModule& after);

// Why there is no proof, or how many steps hloir check-proof cannot check; "": it checks all.
std::string NoteOn(const StatusOr<WrittenProof>& proof);

}  // namespace hloir::equivalence
