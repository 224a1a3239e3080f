// The code of a loop of scalars: its values (scalar_values.h) in machine registers and slots of memory. Entry point:
// MakeScalarCode. Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "kernels/register_ops.h"
#include "plan/steps/scalar_values.h"

namespace hloir::cpu {

enum class ScalarKind : uint8_t { kInteger, kFloat, kDouble };
struct ScalarCode {
  // A value that goes from round to round, or is wanted after the last.
  struct Carry {
    std::byte* place;
    int bytes;
    ScalarKind kind = ScalarKind::kInteger;
    int reg = -1, slot = -1;  // its location between iterations
    int same = -1;            // without either: a carry that is equal
    int64_t step = 0;         // or the increment of each round
  };
  struct Invariant {
    const std::byte* place;
    int bytes;
    ScalarKind kind;
    int slot;
  };
  int64_t rounds = -1;  // their number; -1: determined by the condition
  std::vector<ScalarAssumption> assumptions;
  std::vector<Carry> carries;
  std::vector<Invariant> invariants;
  std::vector<Instruction> instructions;
  std::deque<int64_t> slots;                     // operands in memory: an int64_t, a float or a double each
  std::deque<std::array<std::byte, 8>> natural;  // operands and results of calls
  std::vector<std::unique_ptr<TileOp>> calls;
};
// False: some value is read as two kinds, or has no instruction.
bool MakeScalarCode(const ScalarValues& values, ScalarCode& code);

}  // namespace hloir::cpu
