// Makes chains of a fused loop's ops: see kernels/chain_table.h.
#pragma once

#include <vector>

#include "plan/loops/fused_loop_step.h"
#include "plan/loops/loop_registers.h"

namespace hloir::cpu {

// Reorders the body's ops so that those of a chain lie together, and adds links to them. A chain is
//   a head: no kernel; extra: how many ops; divisor: how many links; out: see NoteDistinct
//   the ops, for what is left behind the last whole block, if one more block cannot compute it; extra: bytes from an
//     element to the next, of in[0], in[1], in[2] and out, eight bits each, 0 of what is the same for all
//   the links; extra of the first: elements of a block
// Registers are numbers yet, which `others` (lists that run beside the body) may read. `tile`: elements of one.
void MakeChains(const KernelTable& kernels, int64_t tile, const std::vector<const std::vector<LoopOp>*>& others,
                std::vector<LoopOp>* body);

// Notes in a head whose links have their addresses that none of them writes over an operand, for as long as equal
// operands and results stay equal: RunChain then need not look.
void NoteDistinct(TileOp* head);
// True if RunChain on n elements calls none of the chain's ops, where NoteDistinct has looked.
bool RunsLinksAlone(const TileOp* head, int64_t n);

// Runs the chain that begins at `head` on n elements; returns the op after the chain.
const TileOp* RunChain(const TileOp* head, int64_t n);

}  // namespace hloir::cpu
