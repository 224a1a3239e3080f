// The kernel of a reduce-window, if it has one, and the movement of its window: in rows of results, with the elements
// under one tap of the window contiguous. The step is steps/reduce_window.cc.
#pragma once

#include <optional>

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// Elements under a window; INT64_MAX for absurdly many.
int64_t TapCount(const Window& window);

struct ReduceWindowPlan {
  enum Scan { kNone, kForward, kBackward };

  PrimitiveType type = PrimitiveType::F32;
  TileType tile = TileType::kF32;
  BinaryOp op = BinaryOp::kAdd;
  DimVector dims, out_dims, strides;  // of the operand, the result; operand strides in elements
  Window window;
  int along = 0;      // the last dimension whose window does anything
  int64_t inner = 1;  // elements after it, which lie side by side
  int64_t rows = 1;   // results before it
  int64_t taps = 1;
  Scan scan = kNone;  // each result is made from the last, from the first or from the last one on
  int64_t row() const { return out_dims[along] * inner; }
};

// Nothing if the computation is not a plain binary operation on a type that tiles hold, there are several operands, or
// it is too much for one step. Operand and result lie in `order`, major to minor; empty: as they are numbered.
std::optional<ReduceWindowPlan> PlanReduceWindow(const HloInstruction& reduce_window, const KernelTable& kernels,
                                                 const DimVector& order);

}  // namespace hloir::cpu
