// The instructions of a loop of scalars, with values (scalar_values.h) as operands: selects the values to compute in an
// iteration, the kind of register of each, and instructions that combine two. The entry point is MakeScalarItems.
// scalar_code.cc allocates registers. Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "plan/steps/scalar_code.h"

namespace hloir::cpu {

// The kind of register for a type; nullopt if there is none.
std::optional<ScalarKind> KindOf(TileType type);
// The type in which a number of that kind is stored.
TileType TypeOf(ScalarKind kind, int bytes);

// An instruction with values as operands.
struct ScalarItem {
  RegisterOp op = RegisterOp::kCall;
  TileType type = TileType::kU64, other = TileType::kS64;
  int result = -1, a = -1, b = -1;
  int memory = -1;  // a value that must be in memory
  const void* pointer = nullptr;
  int64_t x = 0, y = 0, z = 0;
};

struct ScalarItems {
  std::vector<ScalarItem> items;
  // By value: its kind (for constants each reader decides); true if it is loop-invariant; true if it is a counter's
  // next value, which follows all uses of the previous one.
  std::vector<std::optional<ScalarKind>> kinds;
  std::vector<bool> steady, last;
  // By carry: true if it needs no instruction, as a counter without readers or a duplicate of another carry; and its
  // increment per iteration, if that is a constant.
  std::vector<bool> counted;
  std::vector<std::optional<int64_t>> steps;
};
// Writes to `code` the parts without registers: iterations, assumptions, carries, and calls with their memory. False if
// a value is read as two kinds, or has no instruction.
bool MakeScalarItems(const ScalarValues& values, ScalarCode& code, ScalarItems& items);

}  // namespace hloir::cpu
