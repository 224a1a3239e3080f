// Instructions for which another module may use another formula than the reference evaluator, and those formulas. For
// UnspecifiedFormula() of unspecified.h.
#pragma once

#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir::check {

using Rewrite = void (*)(HloInstruction&);

// A batch norm or a solver, and its alternative formulas.
struct ReferenceFormula {
  const HloInstruction* instruction;
  std::vector<Rewrite> variants;
  bool is_known;  // the variant is the other module's formula, so it must give the other module's result
  std::string unspecified_part;
};
// Finds such instructions of the module that `other` has fewer of, or different ones.
std::vector<ReferenceFormula> FindReferenceFormulas(const HloModule& module, const HloModule& other);

}  // namespace hloir::check
