// Steps that move elements by positions known only at run time, or that fill: pad, dynamic-slice, dynamic-update-slice,
// gather and scatter (those two in gather_scatter.cc). The planner gives each its operands as views.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plan/graph/graph.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: operand, padding value; the result.
std::unique_ptr<Step> MakePad(const HloInstruction& pad, const View& operand);
// The same with zeros as padding, to `dims`. Refs: operand; the result.
std::unique_ptr<Step> MakeZeroPad(PrimitiveType type, const PaddingConfig& padding, const DimVector& dims,
                                  const View& operand);
// Refs: operand, one scalar index for each dimension; the result.
std::unique_ptr<Step> MakeDynamicSlice(const HloInstruction& slice, const View& operand);
// Refs: operand, update, indices; the result, which may reuse the operand's buffer. `operand` is contiguous.
std::unique_ptr<Step> MakeDynamicUpdateSlice(const HloInstruction& update_slice, const View& update);
// Refs: operand, indices; the result, or the array of which the result is the view `result`.
std::unique_ptr<Step> MakeGather(const HloInstruction& gather, const View& operand, const View& indices,
                                 const View* result);
// Refs: operand, indices, updates; the result, which may reuse the operand's buffer. `operand` is contiguous. nullptr
// if there is no kernel for the computation.
std::unique_ptr<Step> MakeScatter(const HloInstruction& scatter, const View& indices, const View& updates,
                                  const KernelTable& kernels);

}  // namespace hloir::cpu
