// The answers of a verdict: the conclusion for each output and for the module after all sets of inputs. Covered by
// tests/unit/check_test.cc and check_proved_test.cc.
#pragma once

#include <string>
#include <vector>

#include "check/prove_first.h"
#include "hloir/check.h"

namespace hloir::check {

// The findings about one output on all sets of inputs.
struct OutputEvidence {
  std::string where;
  int64_t total = 0, finite = 0;  // elements
  // On some set the output had a number that was not rounding error: a nonzero one (`judged`), or 0 (`zero`).
  // `undetermined`: on some set the output was rounding error. A saturated softmax is 0 or rounding error everywhere,
  // so its zeros are no evidence.
  bool judged = false, zero = false, undetermined = false;
  std::string how_undetermined;
  bool unspecified = false;    // by HLO, on some set
  bool less_accurate = false;  // on some set, by roundings to narrower types

  void Add(bool has_number, bool is_zero, bool is_undetermined);
  bool known() const { return !unspecified && (total == 0 || judged || (zero && !undetermined)); }
};

// Sets the answers of the outputs and of the module, and the outcome of a verdict that agrees.
void Conclude(const std::vector<OutputEvidence>& outputs, const Proved& proved, Verdict& verdict);

// The same from the proof alone. `why`: the reason for which no module ran.
void ConcludeWithoutRuns(const HloModule& before, const Proved& proved, const std::string& why, Verdict& verdict);

}  // namespace hloir::check
