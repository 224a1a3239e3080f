// The answers of a verdict: what is known of each output and of the module after all sets of inputs. Covered by
// tests/unit/check_test.cc and check_proved_test.cc.
#pragma once

#include <string>
#include <vector>

#include "check/prove_first.h"
#include "hloir/check.h"

namespace hloir::check {

// The findings of all sets of inputs for one output.
struct OutputEvidence {
  std::string where;
  int64_t total = 0, finite = 0;  // elements
  // On some set the output had a number and was determined by more than rounding errors: one that is not 0 (`judged`),
  // or 0 (`zero`). `undetermined`: on some set rounding errors determined it. A saturated softmax is 0 or rounding
  // error everywhere: its zeros prove nothing.
  bool judged = false, zero = false, undetermined = false;
  std::string how_undetermined;

  void Add(bool has_number, bool is_zero, bool is_undetermined);
  bool known() const { return total == 0 || judged || (zero && !undetermined); }
};

// Sets the answers of the outputs and of the module, and the outcome of a verdict that agrees.
void Conclude(const std::vector<OutputEvidence>& outputs, const Proved& proved, Verdict& verdict);

// The same by the proof alone, which `why` neither module ran after.
void ConcludeWithoutRuns(const HloModule& before, const Proved& proved, const std::string& why, Verdict& verdict);

}  // namespace hloir::check
