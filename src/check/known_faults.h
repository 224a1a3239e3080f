// Rewrites that change the meaning and that compilers are known for, by their patterns: a table with a row for each.
// FindKnownFaults() names those that a pair of modules shows. Checker (check.cc) asks where the two differ; it proves
// nothing, and a pair may differ for other reasons too. Every row has a pair of modules that it names and one that it
// does not in tests/unit/known_faults_test.cc; docs/findings.md has them at length.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/module.h"

namespace hloir::check {

struct KnownFault {
  std::string_view name;   // "predicate-product"
  std::string_view what;   // a sentence
  std::string_view issue;  // a public one, or ""
  // What the first module has more often, and what the second has more often in its place; nullptr: nothing of its own.
  bool (*before)(const HloInstruction&);
  bool (*after)(const HloInstruction&);
};

std::span<const KnownFault> KnownFaults();

std::vector<Verdict::Fault> FindKnownFaults(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
