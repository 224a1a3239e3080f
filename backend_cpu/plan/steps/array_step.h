// One elementwise op on whole arrays, for types without tiles: complex numbers, floats of at most 8 bits, integers
// under a byte. It runs the reference's loops over elements, block by block. An op with one operand of a single byte
// uses a table of its 256 results.
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
