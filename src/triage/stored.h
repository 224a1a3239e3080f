// Stored results of a run elsewhere, held against those of a module: do they agree, and what explains them if they do
// not. Tested by tests/unit/blame_test.cc.
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
  Literal results;  // a tuple of leaves; empty: the file has inputs alone
};

// An .npz, or a snapshot. The arguments are those of `module`.
StatusOr<StoredSet> ReadStoredSet(const std::string& file, const HloModule& module);

// The module's results ("a") by one engine against the stored ones, by CompareWithStored.
StatusOr<Comparison> CompareStored(const HloModule& module, const StoredSet& set, RunnerOptions runner, Engine engine);

struct StoredExplanation {
  FindingKind kind = FindingKind::kFine;
  Culprit culprit = Culprit::kNone;
  std::string summary, detail;
};

// Of results that do not agree (`plain`): a habit of a machine that makes them agree, or a row of the verdict's table
// for two engines (check/explanations.h) that finds them unspecified by HLO or ill-conditioned. nullopt: nothing
// explains them.
std::optional<StoredExplanation> ExplainStored(const HloModule& module, const StoredSet& set, const Comparison& plain,
                                               const CheckOptions& options);

}  // namespace hloir::triage
