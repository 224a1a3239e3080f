// Extracts parts of a module as modules: the computation of one value, or one instruction, repeated for timing.
//
//   std::unique_ptr<HloModule> near = ExtractCone(*module.entry_computation()->root(), 3);  // the last three steps
//
// Tested by tests/unit/extract_test.cc. Threads: reads the module.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "hloir/module.h"

namespace hloir {

// Copies instructions of one module into a computation of another, and each computation that they call once.
class InstructionCopier {
 public:
  explicit InstructionCopier(HloComputation& into) : into_(into) {}
  HloInstruction* Copy(const HloInstruction& i, std::span<HloInstruction* const> operands);

 private:
  HloComputation& into_;
  std::unordered_map<const HloComputation*, HloComputation*> called_;
};

// The module that computes `root`, with copies of its dependences. Its parameters are the values in `boundary`, the
// values `height` edges above the root (none for a negative height), and needed parameters of root's computation, in
// computation order. With height 0, or root in the boundary, the module is one parameter.
std::unique_ptr<HloModule> ExtractCone(const HloInstruction& root, int64_t height = -1,
                                       std::span<const HloInstruction* const> boundary = {});

// A module that computes `instruction` from its operands, each a parameter, `times` times in sequence, ordered by
// control dependencies. The instruction must have no side effect, not be a parameter, and take part in no collective;
// times > 0.
std::unique_ptr<HloModule> RepeatInstruction(const HloInstruction& instruction, int64_t times);

}  // namespace hloir
