// Is this graph legal HLO? Shapes, layouts, aliasing, channels, async pairs, fusions, collectives, shardings, control
// edges.
//
// Threads: may be called from any thread while none edits the module.
#pragma once

#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// How strict the verifier is.
struct VerifierOptions {
  bool layout_sensitive = false;
  int max_errors = 20;
};

// A rule that is broken, and where.
struct VerifierError {
  const HloInstruction* instruction = nullptr;  // nullptr: of the module as a whole
  std::string message;
};

// Every rule that the module breaks, in printing order, up to max_errors. Empty: the module is legal.
std::vector<VerifierError> VerifyModuleAll(const HloModule& module, const VerifierOptions& options = {});
// The first of them as a Status, with the instruction's name and line.
Status VerifyModule(const HloModule& module, const VerifierOptions& options = {});

}  // namespace hloir
#pragma GCC visibility pop
