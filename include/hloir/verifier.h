// Checks that a graph is legal HLO: shapes, layouts, aliasing, channels, async pairs, fusions, collectives, shardings,
// control edges.
//
// Threads: may be called from any thread while none edits the module.
#pragma once

#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Options of the verifier.
struct VerifierOptions {
  bool layout_sensitive = false;
  int max_errors = 20;
};

// A violated rule and its place.
struct VerifierError {
  const HloInstruction* instruction = nullptr;  // nullptr: the module as a whole
  std::string message;
};

// All rules that the module violates, in printing order, up to max_errors. Empty: the module is legal.
std::vector<VerifierError> VerifyModuleAll(const HloModule& module, const VerifierOptions& options = {});
// The first of them as a Status, with the instruction's name and line.
Status VerifyModule(const HloModule& module, const VerifierOptions& options = {});

}  // namespace hloir
#pragma GCC visibility pop
