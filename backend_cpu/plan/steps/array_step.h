// One elementwise op on whole arrays, for the types that no tile holds: complex numbers, floats of 8 bits and fewer,
// integers under a byte. It runs the reference's own loops over elements, block by block. An op of one operand of a
// single byte is a table of its 256 results.
#pragma once

#include <memory>
#include <vector>

#include "plan/run/step.h"

namespace hloir::cpu {

class ArrayStep : public Step {
 public:
  // The operands that have a single element.
  virtual void SetUniform(const std::vector<bool>& uniform) = 0;
};
// Refs: the operands; the result. nullptr if the operands are of several types that the op would have to bring
// together.
std::unique_ptr<ArrayStep> MakeArrayStep(const HloInstruction& instruction);

}  // namespace hloir::cpu
