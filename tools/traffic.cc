// See traffic.h.
#include "tools/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace hloir::tool {
namespace {

// Ops that only name or group values, or that stand for values which are there before the module runs.
bool MovesNothing(HloOpcode opcode) {
  return opcode == HloOpcode::kParameter || opcode == HloOpcode::kConstant || opcode == HloOpcode::kTuple ||
         opcode == HloOpcode::kGetTupleElement || opcode == HloOpcode::kBitcast || opcode == HloOpcode::kAfterAll ||
         opcode == HloOpcode::kAddDependency || opcode == HloOpcode::kOptimizationBarrier ||
         opcode == HloOpcode::kDomain || opcode == HloOpcode::kPartitionId || opcode == HloOpcode::kReplicaId ||
         HasTrait(opcode, kControlFlow);
}

// What an op really touches: a slice of its operand, or the part that it replaces, not the whole.
int64_t BytesOf(const HloInstruction& instruction) {
  const int64_t result = instruction.shape().ByteSize();
  switch (instruction.opcode()) {
    case HloOpcode::kSlice:
    case HloOpcode::kDynamicSlice: return 2 * result;
    case HloOpcode::kGather: return 2 * result + instruction.operand(1)->shape().ByteSize();
    case HloOpcode::kDynamicUpdateSlice: return 2 * instruction.operand(1)->shape().ByteSize();
    case HloOpcode::kIota: return result;
    default: {
      int64_t bytes = result;
      for (const HloInstruction* operand : instruction.operands()) {
        if (__builtin_add_overflow(bytes, operand->shape().ByteSize(), &bytes))
          return std::numeric_limits<int64_t>::max();
      }
      return bytes;
    }
  }
}

}  // namespace

Traffic MeasureTraffic(const HloModule& module) {
  Traffic traffic;
  std::vector<bool> seen(module.computation_id_limit());
  std::vector<const HloComputation*> todo;
  const auto visit = [&](const HloComputation* computation) {
    if (seen[computation->id()]) return;
    seen[computation->id()] = true;
    todo.push_back(computation);
  };
  if (module.entry_computation() != nullptr) visit(module.entry_computation());
  while (!todo.empty()) {
    const HloComputation* computation = todo.back();
    todo.pop_back();
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      ++traffic.instructions;
      if (!MovesNothing(i->opcode())) {
        const int64_t bytes = BytesOf(*i);
        if (__builtin_add_overflow(traffic.bytes, bytes, &traffic.bytes))
          traffic.bytes = std::numeric_limits<int64_t>::max();
      }
      // Only control flow runs its computations as code of its own; what a fusion or reduction applies is part of it.
      if (i->Is(kControlFlow)) std::for_each(i->called_computations().begin(), i->called_computations().end(), visit);
    }
  }
  return traffic;
}

std::string HumanBytes(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 999.5 && unit < 6) value /= 1000, ++unit;
  return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 99.95 ? 0 : 1, kUnits[unit]);
}

std::string HumanTime(double milliseconds) {
  if (milliseconds >= 999.5) return fmt::format("{:.1f} s", milliseconds / 1000);
  if (milliseconds >= 0.9995) return fmt::format("{:.{}f} ms", milliseconds, milliseconds < 99.95 ? 1 : 0);
  const double us = milliseconds * 1000;
  return fmt::format("{:.{}f} µs", us, us < 9.995 ? 2 : us < 99.95 ? 1 : 0);
}

}  // namespace hloir::tool
