// FusedLoop: a step that runs a cluster of elementwise operations, and reductions of their results, tile by tile. Each
// tile op is one kernel call; intermediate tiles stay in a few tile registers in L1. The entry point is LoopBuilder.
//
// The loop runs over the elements of one index space, in row-major order. An operand is a View of memory; its strides
// along the loop decide whether it is read in place, as a scalar, or loaded into a register first.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "plan/graph/graph.h"
#include "plan/run/step.h"
#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {

struct LoopRequest {
  const Graph* graph = nullptr;
  const KernelTable* kernels = nullptr;
  int64_t count = 0;               // elements of the index space
  std::span<const int32_t> nodes;  // elementwise ones and reductions, operands before users
  SmallVector<ValueId, 8> stored;  // results used outside, including those of reductions
  bool reduces = false;
  ReduceShape reduce;         // shared by all reductions
  ValueId copied = kNoValue;  // instead of nodes: a value that is copied to memory
  // The buffers of operands and results.
  std::function<Ref(ValueId root)> read, write;
};
std::unique_ptr<Step> BuildFusedLoop(const LoopRequest& request);
// Bytes for partial reductions: a buffer to be added to those that the loop writes. 0: none.
int64_t FusedLoopPartialBytes(const Step& loop);

}  // namespace hloir::cpu
