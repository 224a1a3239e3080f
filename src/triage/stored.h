// Compares stored results of a run elsewhere with a module's results, and explains differences. Tested by
// tests/unit/blame_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "triage/finding.h"

namespace hloir::triage {

struct StoredSet {
  std::string file;
  std::vector<Literal> arguments;
  Literal results;  // a tuple of leaves; empty if the file has only inputs
};

// Reads an .npz file, or a snapshot. The arguments are for `module`.
StatusOr<StoredSet> ReadStoredSet(const std::string& file, const HloModule& module);

// Compares the module's results ("a") by one engine with the stored ones, by CompareWithStored.
StatusOr<Comparison> CompareStored(const HloModule& module, const StoredSet& set, RunnerOptions runner, Engine engine);

struct StoredExplanation {
  FindingKind kind = FindingKind::kFine;
  Culprit culprit = Culprit::kNone;
  std::string summary, detail;
};

// Explains results that do not agree (`plain`): by a machine whose arithmetic makes them agree, or by a row of the
// table for two engines (check/explanations.h) that finds them unspecified by HLO or ill-conditioned. nullopt if there
// is no explanation.
std::optional<StoredExplanation> ExplainStored(const HloModule& module, const StoredSet& set, const Comparison& plain,
                                               const CheckOptions& options);

}  // namespace hloir::triage
