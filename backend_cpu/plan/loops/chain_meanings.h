// What the kernels of a loop's ops compute, for loop_chains.cc: an op whose kernel has a meaning can be a link.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "kernels/chain_table.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

// The operation of a kernel of the table.
struct Meaning {
  enum Kind : uint8_t { kUnary, kOfMask, kBinary, kSelect, kWiden, kRuns, kNarrow, kCopy };
  Kind kind = kUnary;
  ChainType type = ChainType::kF32;
  TileKernel link = nullptr;  // of kUnary and kOfMask
  BinaryOp binary = BinaryOp::kAdd;
  OperandMode mode = kVectorVector;
  NarrowFloat narrow = NarrowFloat::kBf16;
  bool streams = false;   // of kCopy: with non-temporal stores
  bool function = false;  // of kUnary: its link may overwrite a kept block
};
using ChainMeanings = std::unordered_map<TileKernel, Meaning>;

// For all kernels of the table that have links. Made once for each instruction set.
ChainMeanings MakeChainMeanings(const KernelTable& table);

// By element size: not every size has blocks of every kind.
int Bytes(ChainType type);
bool IsCompare(const Meaning& meaning);
// The comparison with its operands exchanged.
BinaryOp Exchanged(BinaryOp compare);

}  // namespace hloir::cpu
