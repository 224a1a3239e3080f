// The result shape of an op, from its operands' shapes, attributes and called computations, and checks that these are
// consistent.
//
// Threads: may be called from any thread while none edits the module.
#pragma once

#include <span>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// The result shape of an op. For ops with kGiven in opcodes.def, `stated` (the shape in the text) is checked where
// possible and returned. Layouts are as in XLA: an elementwise result takes its operand's, a transpose permutes it,
// others get the default. Errors are InvalidArgument and describe the conflict, without a location.
StatusOr<Shape> InferShape(HloOpcode opcode, std::span<const Shape* const> operands, const Attributes& attributes,
                           std::span<const HloComputation* const> called, const Shape* stated = nullptr);

// The same for an instruction; its shape is `stated`.
StatusOr<Shape> InferShape(const HloInstruction& instruction);

}  // namespace hloir
