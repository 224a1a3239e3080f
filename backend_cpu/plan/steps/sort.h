// Sorting by keys: when a comparator compares one operand's two elements, or several one after the other, these
// operands become numbers in the comparator's order once, and nothing is called for each comparison. Other comparators
// are the reference's.
#pragma once

#include <memory>
#include <vector>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: the operands, in order; the results, and a buffer of `scratch` bytes. nullptr if the comparator is another.
std::unique_ptr<Step> MakeSort(const HloInstruction& sort, int threads, int64_t* scratch);
// Refs: operand; values, positions, scratch. The k best of each row of the last dimension.
std::unique_ptr<Step> MakeTopK(const HloInstruction& topk, int threads, int64_t* scratch);

}  // namespace hloir::cpu
