// How a fused loop walks its elements: which loops there are, which of them reduce, and how tiles are cut.
#pragma once

#include <span>

#include "plan/loops/fused_loop.h"
#include "plan/loops/fused_loop_step.h"

namespace hloir::cpu {

struct LoopSpace {
  DimVector dims;             // the loop's index space; the last is cut into tiles
  bool flat = false;          // rows are too short for a kernel call each: all is one row, other views are loaded
  bool rows_in_tile = false;  // reductions of short rows: each tile holds whole ones
  LoopNest nest;
};
// `views`: what the loop reads, collapsed, where that does not simply lie in order. `reduce`: if it reduces.
// `rows_alone`: it only reduces rows that lie in memory, in order, so tiles of several cost no registers.
LoopSpace ChooseNest(int64_t count, const ReduceShape* reduce, std::span<const View> views, int64_t max_tile,
                     bool rows_alone = false);

}  // namespace hloir::cpu
