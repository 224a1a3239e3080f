// The instructions of a loop of scalars, with values (scalar_values.h) as operands: selects the values to compute in a
// round, the kind of register of each, and the instructions that do the work of two. The entry point is
// MakeScalarItems. scalar_code.cc gives the values registers. Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "plan/steps/scalar_code.h"

namespace hloir::cpu {

// The kind of register for a type; nothing: no register holds it.
std::optional<ScalarKind> KindOf(TileType type);
// The type in which a number of that kind is stored.
TileType TypeOf(ScalarKind kind, int bytes);

// An instruction whose operands are values still.
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
  // By value: the kind of all that are read as one (for constants each reader decides), whether it is loop-invariant,
  // and whether it is a counter's next number, which comes after all uses of the last one.
  std::vector<std::optional<ScalarKind>> kinds;
  std::vector<bool> steady, last;
  // By carry: whether it needs no instruction, like a counter without readers or another carry's equal; and its
  // increment in each round, if that is a constant.
  std::vector<bool> counted;
  std::vector<std::optional<int64_t>> steps;
};
// Writes to `code` the parts without registers: rounds, assumptions, carries, and calls with the memory they work on.
// False: some value is read as two kinds, or has no instruction.
bool MakeScalarItems(const ScalarValues& values, ScalarCode& code, ScalarItems& items);

}  // namespace hloir::cpu
