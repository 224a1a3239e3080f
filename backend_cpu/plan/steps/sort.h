// Sorting by keys: if a comparator compares the elements of one operand, or of several lexicographically, these
// operands are converted once to numbers in the comparator's order, and comparisons need no calls. Other comparators
// are left to the reference.
#pragma once

#include <memory>
#include <vector>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: the operands, in order; the results, and a buffer of `scratch` bytes. nullptr for other comparators.
std::unique_ptr<Step> MakeSort(const HloInstruction& sort, int threads, int64_t* scratch);
// Refs: operand; values, positions, scratch. The k best of each row of the last dimension.
std::unique_ptr<Step> MakeTopK(const HloInstruction& topk, int threads, int64_t* scratch);

}  // namespace hloir::cpu
