// Forms of linear algebra calls: the names and options of LAPACK's custom-calls, current and older, and of XLA's and
// the GPU libraries' equivalents. lapack.cc runs them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/instruction.h"

namespace hloir::reference {

// The forms of a call: in JAX's current typed form the operands are arrays and options are in the backend_config.
// Before about jaxlib 0.4.36 the names have no "_ffi", sizes and options are operands before the arrays, and workspaces
// are results.
struct LapackForm {
  struct Option {
    std::string_view name, letters;  // the operand's value selects a letter; without letters it is the number itself
    size_t operand;
  };
  size_t first_array = 0;
  std::vector<Option> options;
  std::vector<size_t> results;                              // the positions of the current form's results; empty: in
                                                            // order
  int alpha = -1;                                           // the operand that scales
  char uplo = 0;                                            // 'L' or 'U' if neither operand nor option states it
  std::vector<std::pair<std::string_view, int>> said = {};  // other options
  bool sizes_between = false;                               // operands other than matrices are sizes, which follow from
                                                            // shapes
};

// The letter for an element type in a routine's name: s, d, c or z; 0 for a type without routines.
char LapackLetter(PrimitiveType type);
// LAPACK's name for the operation, as in lapack_spotrf_ffi; the target itself if there is none.
std::string LapackTarget(const HloInstruction& call);
// The form before "_ffi" of a routine, by its name without the type's letter; first_array is 0 if there was none.
LapackForm OldLapackForm(std::string_view routine, bool complex);
// The options of calls of other libraries.
void SetOtherOptions(const HloInstruction& call, LapackForm& form);

}  // namespace hloir::reference
