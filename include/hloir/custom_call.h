// CustomCall, a known target of custom-calls, and its properties in custom_calls.def. Code uses these instead of
// comparing the text of targets. The meaning of calls: custom_calls.h. Tested by tests/unit/custom_call_test.cc.
//
//   if (IsCustomCall(*i, CustomCall::kSharding)) …
//   if (GetCustomCallInfo(CustomCallOf(*i)).Is(kMemoryPlacement)) …
//
// Threads: as HloInstruction.
#pragma once

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)
namespace hloir {

class HloInstruction;

enum class CustomCall : uint8_t {
  kUnknown,  // a target without a row, or an instruction of another opcode
#define HLOIR_CUSTOM_CALL(name, ...) k##name,
#include "hloir/custom_calls.def"
};

inline constexpr int kCustomCallCount = 1
#define HLOIR_CUSTOM_CALL(...) +1
#include "hloir/custom_calls.def"
    ;

// Bits of CustomCallInfo::traits.
enum CustomCallTrait : uint8_t {
  kForwardsOperands = 1 << 0,      // on one device it returns its operands, where the shapes agree
  kForwardsFirstOperand = 1 << 1,  // it returns its first operand, where the shapes agree
  kShardingAnnotation = 1 << 2,    // states how values are sharded
  kMemoryPlacement = 1 << 3,       // states in which memory a value lies
  kBufferBoundary = 1 << 4,        // makes a buffer of an array, or an array of a buffer
  kAnyElementType = 1 << 5,        // computes the same on floats of any type, in that type
};

// A row of custom_calls.def, without the functions, which belong to the rooms that implement them.
struct CustomCallInfo {
  std::string_view target;
  std::string_view computes;
  std::string_view expander;  // the pass that rewrites or removes such calls; empty: none
  uint8_t traits;

  bool Is(uint8_t trait) const { return (traits & trait) != 0; }
};
const CustomCallInfo& GetCustomCallInfo(CustomCall call);
inline std::string_view TargetOf(CustomCall call) { return GetCustomCallInfo(call).target; }

CustomCall FindCustomCall(std::string_view target);
CustomCall CustomCallOf(const HloInstruction& instruction);
bool IsCustomCall(const HloInstruction& instruction, CustomCall call);

// True if `call` annotates the sharding of its operands; on one device its result equals its operands.
bool IsShardingAnnotation(const HloInstruction& call);
// The number of leading operands that `call` returns unchanged; 0 if it computes its result.
int64_t ForwardedOperands(const HloInstruction& call);

}  // namespace hloir
#pragma GCC visibility pop
