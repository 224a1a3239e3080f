// Runs chains, block by block. See loop_chains.h.
#include <bit>
#include <cstdint>

#include "kernels/chain_table.h"
#include "plan/loops/loop_chains.h"

namespace hloir::cpu {
namespace {

// True if a link writes where it or an earlier one reads: a block is then not computed twice. (Buffers and registers
// either coincide or are disjoint.)
bool WritesOverOperand(const TileOp* begin, const TileOp* end) {
  for (const TileOp* write = begin; write != end; ++write) {
    if (write->out == nullptr) continue;
    for (const TileOp* read = begin; read <= write; ++read) {
      for (const void* in : read->in)
        if (in == write->out) return true;
    }
  }
  return false;
}

// The last element up to `block` whose result is the first in its cache line. `op`: the last one of the chain.
int64_t SecondBlock(const TileOp& op, const void* out, int64_t block) {
  constexpr int64_t kLine = 64;
  const int64_t bytes = op.extra >> 24 & 0xff, past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) % kLine);
  return (past & (bytes - 1)) != 0 || block * bytes < kLine ? block
                                                            : block - (past >> std::countr_zero<uint64_t>(bytes));
}

}  // namespace

void NoteDistinct(TileOp* head) {
  const TileOp *links = head + 1 + head->extra, *end = links + head->divisor;
  head->out = WritesOverOperand(links, end) ? nullptr : head;
}

bool RunsLinksAlone(const TileOp* head, int64_t n) {
  const int64_t block = head[1 + head->extra].extra;
  return (n & (block - 1)) == 0 || (n > block && head->out != nullptr);
}

const TileOp* RunChain(const TileOp* head, int64_t n) {
  const TileOp *ops = head + 1, *links = ops + head->extra, *end = links + head->divisor;
  const int64_t block = links->extra, below = block - 1;  // a power of two, without divisions
  int64_t i = 0;
  const auto start = reinterpret_cast<ChainStart>(reinterpret_cast<void (*)()>(links->kernel));
  // Blocks may overlap, as an element that is computed twice has the same operands, if these still exist.
  if (n > block && (n & below) != 0 && (head->out != nullptr || !WritesOverOperand(links, end))) {
    start(links, 0);
    // The next block begins at a cache line of the result, if that takes no more blocks.
    const int64_t line = SecondBlock(links[-1], end[-1].out, block);
    for (i = n - line <= ((n - 1) & ~below) ? line : block; i + block <= n; i += block) start(links, i);
    if (i < n) start(links, n - block);
    return end;
  }
  for (; i + block <= n; i += block) start(links, i);
  if (i == n) return end;
  for (const TileOp* op = ops; op != links; ++op) {
    TileOp rest = *op;
    const auto step = [&](int k) { return (op->extra >> (8 * k) & 0xff) * i; };
    for (int k = 0; k < 3; ++k) rest.in[k] = static_cast<const char*>(op->in[k]) + step(k);
    rest.out = static_cast<char*>(op->out) + step(3);
    op->kernel(rest, n - i);
  }
  return end;
}

}  // namespace hloir::cpu
