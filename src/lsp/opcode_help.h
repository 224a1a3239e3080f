// The formula of each opcode, for hovers. r is the result; a, b, c, … are the operands; i, j, k are indices of one or
// more dimensions. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <string_view>

#include "hloir/opcode.h"

namespace hloir::lsp {

std::string_view OpcodeFormula(HloOpcode opcode);

}  // namespace hloir::lsp
