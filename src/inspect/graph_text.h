// An instruction in a few words, for boxes of pictures. Tested by tests/unit/graph_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "hloir/module.h"

namespace hloir {

// Its kind, for its color: "contraction", "reduction", …
const char* KindOf(const HloInstruction& instruction);
// Short, without layout.
std::string ShapeText(const Shape& shape);
// Its text without metadata; of a long one the begin.
std::string InstructionText(const HloInstruction& instruction);
// The opcode; of a custom-call also whom it calls.
std::string OperationText(const HloInstruction& instruction);

}  // namespace hloir
