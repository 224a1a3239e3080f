// What another module may have written out by another formula: where HLO leaves open what comes of that.
#pragma once

#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir::check {

using Rewrite = void (*)(HloInstruction&);

// A batch norm or a solver, and what may stand in its place.
struct WrittenOut {
  const HloInstruction* instruction;
  std::vector<Rewrite> variants;
  bool is_known;  // is it the other's formula, and must give what the other gives?
  std::string what_is_open;
};
// Those of the module of which `other` has fewer, or others.
std::vector<WrittenOut> FindWrittenOut(const HloModule& module, const HloModule& other);

}  // namespace hloir::check
