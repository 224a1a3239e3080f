// The kernel of a reduce-window, if there is one, and its loops: over rows of results, with contiguous elements for
// each tap of the window. The step is steps/reduce_window.cc.
#pragma once

#include <optional>

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// Elements under a window; INT64_MAX on overflow.
int64_t TapCount(const Window& window);

struct ReduceWindowPlan {
  enum Scan { kNone, kForward, kBackward };

  PrimitiveType type = PrimitiveType::F32;
  TileType tile = TileType::kF32;
  BinaryOp op = BinaryOp::kAdd;
  DimVector dims, out_dims, strides;  // of the operand, the result; operand strides in elements
  Window window;
  int along = 0;      // the last dimension with a nontrivial window
  int64_t inner = 1;  // contiguous elements after it
  int64_t rows = 1;   // results before it
  int64_t taps = 1;
  Scan scan = kNone;  // a scan: each result is computed from the previous one, forwards or backwards
  int64_t row() const { return out_dims[along] * inner; }
};

// nullopt if the computation is not a plain binary operation on a tile type, if there are several operands, or if it is
// too much for one step. Operand and result have the layout `order`, major to minor; empty: row-major.
std::optional<ReduceWindowPlan> PlanReduceWindow(const HloInstruction& reduce_window, const KernelTable& kernels,
                                                 const DimVector& order);

}  // namespace hloir::cpu
