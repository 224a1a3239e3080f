// The result shape of an op, from its operands' shapes, attributes and called computations, and whether they fit
// together.
//
// Threads: may be called from any thread while none edits the module.
#pragma once

#include <span>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// The shape an instruction with these ingredients has. For ops whose row in opcodes.def says kGiven, `stated` (the
// shape that the text gives) is checked as far as can be and returned. Layouts, as XLA has them: an elementwise result
// takes its operand's, a transpose permutes it, everything else gets the default. An error is InvalidArgument and
// describes the conflict, without a place.
StatusOr<Shape> InferShape(HloOpcode opcode, std::span<const Shape* const> operands, const Attributes& attributes,
                           std::span<const HloComputation* const> called, const Shape* stated = nullptr);

// The same, from an instruction as it stands; its own shape is `stated`.
StatusOr<Shape> InferShape(const HloInstruction& instruction);

}  // namespace hloir
