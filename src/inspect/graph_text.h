// Short descriptions of instructions, for boxes of pictures. Tested by tests/unit/graph_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "hloir/module.h"

namespace hloir {

// Its kind, for its color: "contraction", "reduction", …
const char* KindOf(const HloInstruction& instruction);
// Short, without layout.
std::string ShapeText(const Shape& shape);
// Its text without metadata, shortened if it is long.
std::string InstructionText(const HloInstruction& instruction);
// The opcode; for a custom-call with its target.
std::string OperationText(const HloInstruction& instruction);

}  // namespace hloir
