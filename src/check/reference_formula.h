// Instructions that another module may have written out by a formula other than the reference evaluator's, and what
// else these formulas give. For UnspecifiedFormula() of unspecified.h.
#pragma once

#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir::check {

using Rewrite = void (*)(HloInstruction&);

// A batch norm or a solver, and what may stand in its place.
struct ReferenceFormula {
  const HloInstruction* instruction;
  std::vector<Rewrite> variants;
  bool is_known;  // the variant is the other module's formula, and must give what that gives
  std::string what_is_unspecified;
};
// Those of the module of which `other` has fewer, or others.
std::vector<ReferenceFormula> FindReferenceFormulas(const HloModule& module, const HloModule& other);

}  // namespace hloir::check
