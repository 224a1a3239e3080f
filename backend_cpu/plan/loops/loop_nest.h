// The loop nest of a fused loop: its loops, which of them reduce, and the tiles.
#pragma once

#include <span>

#include "plan/loops/fused_loop.h"
#include "plan/loops/fused_loop_step.h"

namespace hloir::cpu {

struct LoopSpace {
  DimVector dims;             // the loop's index space; the last is cut into tiles
  bool flat = false;          // rows are too short for a kernel call each: everything is one row, other views are
                              // loaded
  bool rows_in_tile = false;  // reductions of short rows: each tile holds whole ones
  LoopNest nest;
};
// `views`: the loop's operands, collapsed, if they are not contiguous in order. `reduce`: if it reduces. `rows_alone`:
// it only reduces contiguous rows, so tiles of several rows need no registers. `few`: it has a few ops, so that larger
// tiles fit the first-level cache.
LoopSpace ChooseNest(int64_t count, const ReduceShape* reduce, std::span<const View> views, int64_t max_tile,
                     bool rows_alone = false, bool few = false);

}  // namespace hloir::cpu
