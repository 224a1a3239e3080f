// SuggestOpcode: the second half of the message about an unknown opcode. Users of NumPy, JAX, PyTorch, StableHLO and
// XLA's C++ enumerators write `exp`, `mul` or `kDivide`, for which the edit distance finds the wrong opcode; a table in
// the source maps them. Tested by tests/unit/opcode_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// "; did you mean 'exponential'?" for "exp"; "; HLO writes relu(x) as maximum(x, 0)" for an operation that HLO
// composes;
// "" if no opcode is similar.
std::string SuggestOpcode(std::string_view word);

}  // namespace hloir
