// The instructions of a loop of scalars, with values (scalar_values.h) for operands: what has to be computed in a
// round, which kind of register each value is in, and which instructions do the work of two. One way in:
// MakeScalarItems. scalar_code.cc gives the values registers. Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "plan/steps/scalar_code.h"

namespace hloir::cpu {

// What a number of that type is in; nothing: no register holds such.
std::optional<ScalarKind> KindOf(TileType type);
// What a number of that kind is stored as.
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
  // By value: the kind of all that are read as one (of constants each reader says), whether it is the same in every
  // round, and whether it is a counter's next number, which comes behind all that need the last one.
  std::vector<std::optional<ScalarKind>> kinds;
  std::vector<bool> steady, last;
  // By carry: whether it needs no instruction, as a counter that nothing reads or another carry's equal; what each
  // round adds, if that is a constant.
  std::vector<bool> counted;
  std::vector<std::optional<int64_t>> steps;
};
// Writes to `code` what is not about registers: rounds, assumptions, carries, and calls with the memory they work on.
// False: some value is read as two kinds, or has no instruction.
bool MakeScalarItems(const ScalarValues& values, ScalarCode& code, ScalarItems& items);

}  // namespace hloir::cpu
