// See scalar_loop.h. This file checks the assumptions of compiled code and executes it.
#include "plan/steps/scalar_loop.h"

#include <algorithm>
#include <cstring>

#include "plan/steps/scalar_code.h"

namespace hloir::cpu {
namespace {

// The limit on nested calls, without tail-call optimization.
constexpr int64_t kMostNested = 2048;

bool Same(std::span<const TileOp> a, std::span<const TileOp> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TileOp& x, const TileOp& y) {
    return x.kernel == y.kernel && std::equal(x.in, x.in + 3, y.in) && x.out == y.out && x.extra == y.extra;
  });
}

int64_t ReadInteger(const std::byte* place, int bytes) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, place, sizeof(T));
    return static_cast<int64_t>(value);
  };
  return bytes == 1 ? as(uint8_t()) : bytes == 2 ? as(uint16_t()) : bytes == 4 ? as(uint32_t()) : as(int64_t());
}
void WriteInteger(std::byte* place, int bytes, int64_t number) {
  const auto write = [&](auto value) { std::memcpy(place, &value, sizeof(value)); };
  if (bytes == 1) write(static_cast<uint8_t>(number));
  else if (bytes == 2) write(static_cast<uint16_t>(number));
  else if (bytes == 4) write(static_cast<uint32_t>(number));
  else write(number);
}
// Stores a value to a slot, in the form of operands.
void ReadOperand(const std::byte* place, int bytes, bool integer, int64_t& slot) {
  if (integer) slot = ReadInteger(place, bytes);
  else std::memcpy(&slot, place, static_cast<size_t>(bytes));
}

}  // namespace

bool ScalarLoop::Fits(std::span<const TileOp> condition, std::span<const TileOp> body) const {
  return Same(condition, condition_) && Same(body, body_) &&
         std::all_of(code_.assumptions.begin(), code_.assumptions.end(), [](const ScalarAssumption& assumed) {
           uint64_t now = 0;
           std::memcpy(&now, assumed.place, static_cast<size_t>(assumed.bytes));
           return now == assumed.value;
         });
}

bool ScalarLoop::Prepare(const KernelTable& table, std::span<const TileOp> condition, const bool* going,
                         std::span<const TileOp> body, std::span<const ScalarPlace> results) {
  if (tried_ && Fits(condition, body)) return compiled_;
  tried_ = true;
  condition_.assign(condition.begin(), condition.end());
  body_.assign(body.begin(), body.end());
  code_ = {};
  const auto values = BuildScalarValues(table, condition, going, body, results);
  compiled_ = values && MakeScalarCode(*values, code_);
  return compiled_;
}

bool ScalarLoop::Run(Runtime& runtime, int64_t steps, int64_t& done) {
  LoopFrame frame;
  for (const ScalarCode::Carry& carry : code_.carries) {
    const bool integer = carry.kind == ScalarKind::kInteger;
    if (carry.reg < 0 && carry.slot < 0) continue;
    int64_t slot = 0;
    ReadOperand(carry.place, carry.bytes, integer, slot);
    if (carry.slot >= 0) code_.slots[static_cast<size_t>(carry.slot)] = slot;
    else if (integer) frame.integers[carry.reg] = slot;
    else if (carry.kind == ScalarKind::kFloat) std::memcpy(&frame.floats[carry.reg], &slot, sizeof(float));
    else std::memcpy(&frame.doubles[carry.reg], &slot, sizeof(double));
  }
  for (const ScalarCode::Invariant& invariant : code_.invariants)
    ReadOperand(invariant.place, invariant.bytes, invariant.kind == ScalarKind::kInteger,
                code_.slots[static_cast<size_t>(invariant.slot)]);
  // The condition of an iteration follows the body; the first one has been counted.
  const int64_t batch = std::max<int64_t>(1, kMostNested / static_cast<int64_t>(code_.instructions.size()));
  done = 0;
  frame.more = true;
  while (frame.more) {
    int64_t rounds = code_.rounds < 0 ? batch : std::min(batch, code_.rounds - done);
    rounds = std::clamp<int64_t>(runtime.steps_left / steps, 1, rounds);
    if (!runtime.Tick(steps * rounds)) return false;
    frame.left = rounds;
    RunRegisters(code_.instructions.data(), frame);
    runtime.steps_left += steps * frame.left;
    done += rounds - frame.left;
    if (code_.rounds >= 0) frame.more = done < code_.rounds;
  }
  for (const ScalarCode::Carry& carry : code_.carries) {
    const ScalarCode::Carry& from = carry.same >= 0 ? code_.carries[static_cast<size_t>(carry.same)] : carry;
    const auto bytes = static_cast<size_t>(carry.bytes);
    if (from.kind == ScalarKind::kInteger) {
      const uint64_t added = static_cast<uint64_t>(from.step) * static_cast<uint64_t>(done);
      const int64_t number =
          from.reg >= 0    ? frame.integers[from.reg]
          : from.slot >= 0 ? code_.slots[static_cast<size_t>(from.slot)]
                           : static_cast<int64_t>(static_cast<uint64_t>(ReadInteger(carry.place, carry.bytes)) + added);
      WriteInteger(carry.place, carry.bytes, number);
    } else if (from.slot >= 0) {
      std::memcpy(carry.place, &code_.slots[static_cast<size_t>(from.slot)], bytes);
    } else if (from.kind == ScalarKind::kFloat) {
      std::memcpy(carry.place, &frame.floats[from.reg], bytes);
    } else {
      std::memcpy(carry.place, &frame.doubles[from.reg], bytes);
    }
  }
  return true;
}

}  // namespace hloir::cpu
