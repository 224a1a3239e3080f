// Forms of linear algebra calls: the names and options of LAPACK's custom-calls, current and older, and of XLA's and
// the GPU libraries' equivalents. lapack.cc runs them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/instruction.h"

namespace hloir::reference {

// The forms of a call: in JAX's current typed form the arrays are the operands and options are in the backend_config.
// Before jaxlib 0.4.36 or so the names had no "_ffi", and sizes and options came as operands before the arrays;
// workspaces were results.
struct LapackForm {
  struct Option {
    std::string_view name, letters;  // the operand's value picks a letter; no letters: it is the number itself
    size_t operand;
  };
  size_t first_array = 0;
  std::vector<Option> options;
  std::vector<size_t> results;                              // where today's results are; empty: in order
  int alpha = -1;                                           // the operand that scales
  char uplo = 0;                                            // 'L' or 'U', where neither operand nor option says it
  std::vector<std::pair<std::string_view, int>> said = {};  // other options
  bool sizes_between = false;                               // operands that are no matrices are sizes, which shapes say
};

// LAPACK's name for the operation, as in lapack_spotrf_ffi; the target itself, if it has none.
std::string LapackTarget(const HloInstruction& call);
// The form before "_ffi" of a routine, by its name without the type's letter; first_array is 0 if there was none.
LapackForm OldLapackForm(std::string_view routine, bool complex);
// The options of calls that are not LAPACK's.
void SetOtherOptions(const HloInstruction& call, LapackForm& form);

}  // namespace hloir::reference
