// The values of a loop of scalars: its ops on memory as a graph in which each value is computed once and used by
// number, simplified with the values known when the loop begins. The entry point is BuildScalarValues. The next stage
// is scalar_items.h. Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernel_table.h"

namespace hloir::cpu {

// The operation of a kernel, found by its address. Operations that give the same bits share a kernel: for moves, and
// for ops that only depend on low bits, only the width of the type is meaningful.
struct ScalarMeaning {
  enum Kind : uint8_t { kUnary, kBinary, kSelect, kConvert, kCopy, kElement, kSetElement, kSetElementInside, kCall };
  Kind kind = kCall;
  UnaryOp unary = UnaryOp::kAbs;
  BinaryOp binary = BinaryOp::kAdd;
  int inputs = 1;
  TileType in[3] = {}, out = TileType::kPred;
};

struct ScalarValue {
  enum Kind : uint8_t { kConstant, kLeaf, kOp };
  Kind kind = kOp;
  int bytes = 0;
  uint64_t bits = 0;                 // a constant's own bytes, first ones first
  const std::byte* place = nullptr;  // for a leaf: its value at the beginning of an iteration
  ScalarMeaning meaning;
  TileOp op;  // as it was
  int in[3] = {-1, -1, -1};
  bool known_range = false;  // of integers, with their sign
  int64_t low = 0, high = 0;
};
struct ScalarCarry {
  std::byte* place;
  int bytes;
  int leaf, next;  // leaf -1: not read
  int same = -1;   // another carry that is always equal
};
struct ScalarAssumption {
  const std::byte* place;
  int bytes;
  uint64_t value;
};
struct ScalarValues {
  std::vector<ScalarValue> values;  // in the order of the ops
  std::vector<ScalarCarry> carries;
  std::vector<ScalarAssumption> assumptions;
  int condition = -1;                                             // for the round that follows
  int64_t rounds = -1;                                            // number of iterations; -1: unknown
  std::optional<int64_t> Number(int value, TileType type) const;  // of a constant
};

// An iteration is `body`, then `condition` for the next. `results`: begin and end of the memory read after the loop.
struct ScalarPlace {
  const std::byte* begin;
  int64_t bytes;
};
std::optional<ScalarValues> BuildScalarValues(const KernelTable& table, std::span<const TileOp> condition,
                                              const bool* going, std::span<const TileOp> body,
                                              std::span<const ScalarPlace> results);

}  // namespace hloir::cpu
