// Groups of nodes in a loop that one kernel computes.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan/graph/graph.h"

namespace hloir::cpu {

// select(x < 0, x + by, x), an index counted from the end: BinaryOp::kWrap.
struct WrappedIndex {
  ValueId x, by;
};
// The remainder of a by select(b == 0, 1, b) beside the quotient of a by b, which gives it too.
struct GuardedRemainder {
  int32_t remainder, divide;
  ValueId guard;  // b == 0
};
struct LoopPatterns {
  std::unordered_map<int32_t, WrappedIndex> wraps;  // by the select's node
  std::unordered_map<int32_t, ValueId> conjugates;  // complex(real(x), -imag(x)): x, by its node
  SmallVector<GuardedRemainder, 2> guarded;
  SmallVector<int32_t, 16>
      rest;  // nodes to emit, those of wraps and conjugates included, without nodes that only they need
};
LoopPatterns FindPatterns(const Graph& graph, std::span<const int32_t> nodes, std::span<const ValueId> stored);

}  // namespace hloir::cpu
