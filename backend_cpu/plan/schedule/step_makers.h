// The table of step makers by opcode, tried in order by the planner. A maker that declines has a reason, which the
// plan's text prints at the step of the reference. To add a step: a row here, and the opcode in capability/steps.def.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "hloir/instruction.h"
#include "plan/graph/view.h"
#include "plan/run/step.h"

namespace hloir::cpu {

struct StepRequest {
  const HloInstruction& instruction;
  const KernelTable& kernels;
  int threads;
  const DimVector& order;        // Node::order
  std::vector<View> views;       // of the operands that are read along their views, in order
  const View* result = nullptr;  // of a gather that writes into a part of another array
  int64_t scratch = 0;           // bytes of a buffer that the step writes after its results
};

struct StepMaker {
  HloOpcode opcode;
  uint32_t views;         // bit set of operands that need not be in order (the last bit is for all further ones)
  bool updates_in_place;  // result k may reuse operand k's buffer
  size_t most_results;    // takes no node with more
  std::unique_ptr<Step> (*make)(StepRequest& request);  // nullptr: declines
  std::string_view otherwise;                           // why: a clause

  bool ReadsView(size_t operand) const { return views >> (operand < 31 ? operand : 31) & 1; }
};

std::vector<const StepMaker*> StepMakersOf(HloOpcode opcode);

}  // namespace hloir::cpu
