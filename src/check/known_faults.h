// A table of patterns of incorrect rewrites that compilers are known for. FindKnownFaults() returns the rows that match
// a pair of modules. Checker (check.cc) calls it if the modules differ; a match proves nothing, as the modules may
// differ for other reasons. tests/unit/known_faults_test.cc has, for every row, a pair of modules that it matches and
// one that it does not; docs/findings.md describes the rows.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/module.h"

namespace hloir::check {

struct KnownFault {
  std::string_view name;   // "predicate-product"
  std::string_view what;   // one sentence
  std::string_view issue;  // a public issue, or empty
  // The pattern that the first module has more often, and the pattern that the second has more often instead, or null.
  bool (*before)(const HloInstruction&);
  bool (*after)(const HloInstruction&);
};

std::span<const KnownFault> KnownFaults();

std::vector<Verdict::Fault> FindKnownFaults(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
