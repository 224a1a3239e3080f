// Allocates the tile registers of a fused loop in a thread's scratch memory.
#pragma once

#include <vector>

#include "plan/loops/fused_loop_step.h"

namespace hloir::cpu {

struct LoopRegister {
  int64_t bytes;
  bool persistent;  // keeps its value from tile to tile
};
using LoopRegisters = SmallVector<LoopRegister, 16>;
struct LoopOpLists {
  std::vector<LoopOp>*prologue, *body, *first, *next;
};
// Replaces register numbers in the ops by offsets, which are also returned by number. Returns the bytes needed.
int64_t PlaceRegisters(const LoopOpLists& lists, LoopRegisters registers, SmallVector<int64_t, 16>* offsets);

}  // namespace hloir::cpu
