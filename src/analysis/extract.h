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

// The module that computes `root`, with copies of all that this needs. Its parameters are the values in `boundary`,
// those `height` edges above the root (of a negative height none), and parameters of root's computation that it needs;
// in the order of their computation. A height of 0 and a boundary that holds the root give a module of one parameter.
std::unique_ptr<HloModule> ExtractCone(const HloInstruction& root, int64_t height = -1,
                                       std::span<const HloInstruction* const> boundary = {});

// A module that computes `instruction` from its operands, each a parameter, `times` times in sequence, ordered by
// control dependencies. The instruction must have no side effect, not be a parameter, and take part in no collective;
// times > 0.
std::unique_ptr<HloModule> RepeatInstruction(const HloInstruction& instruction, int64_t times);

}  // namespace hloir
