// Updates of a verdict that several files share.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hloir/check.h"

namespace hloir::check {

inline void AddOnce(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

inline void SetOutcome(Verdict& verdict, Outcome outcome, std::string reason) {
  verdict.outcome = outcome;
  verdict.reason = std::move(reason);
}

// Adds an output that overflows in one module only to `finite_only`.
void AddOverflow(const LeafDifference& leaf, const CheckOptions& options, Verdict& verdict);

}  // namespace hloir::check
