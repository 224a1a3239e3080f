// HloOpcode and what opcodes.def says of each: name, arity, traits. Generic code asks here instead of switching.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hloir {

enum class HloOpcode : uint8_t {
#define HLOIR_OP(name, ...) k##name,
#include "hloir/opcodes.def"
#undef HLOIR_OP
};

inline constexpr int kOpcodeCount = 0
#define HLOIR_OP(...) +1
#include "hloir/opcodes.def"
#undef HLOIR_OP
    ;

// Bits of OpcodeInfo::traits.
enum OpTrait : uint32_t {
  kElementwise = 1 << 0,     // result element i depends on element i of each operand (or on a scalar operand) alone
  kCommutative = 1 << 1,     // operands 0 and 1 may change places
  kAssociative = 1 << 2,     // in exact arithmetic; float add and multiply round
  kTranscendental = 1 << 3,  // its kernels may differ from others' by a few ulps
  kMovesData = 1 << 4,       // every result element is an element of an operand
  kSideEffect = 1 << 5,      // must not be removed even if nobody uses the result
  kImpure = 1 << 6,          // two equal instances may give different results
  kControlFlow = 1 << 7,     // runs its called computations as code: call, while, conditional
  kCollective = 1 << 8,      // exchanges data between devices
  kAsyncPart = 1 << 9,       // one half of a start/done pair
};

enum class OpShape : uint8_t { kAsOperand, kAsOperandPred, kInferred, kGiven };

// How text names the computations an op calls, in the order of called_computations().
enum class CallKind : uint8_t {
  kNone,
  kToApply,             // to_apply=
  kCalls,               // calls=
  kConditionBody,       // condition=, body=
  kBranches,            // branch_computations={…}, or true_computation= and false_computation= (then in that order)
  kSelectScatter,       // select=, scatter=
  kCalledComputations,  // custom-call: called_computations={…}, or to_apply=
};

struct OpcodeInfo {
  std::string_view name;
  int arity;  // number of operands; if negative, at least -arity-1
  CallKind calls;
  OpShape shape;
  int max_ulps;  // 0: exact
  uint32_t traits;
};

const OpcodeInfo& GetOpcodeInfo(HloOpcode opcode);
// The opcode that text calls `name`; nullopt for none.
std::optional<HloOpcode> ParseOpcode(std::string_view name);

inline std::string_view OpcodeName(HloOpcode opcode) { return GetOpcodeInfo(opcode).name; }
// The traits alone, again, as they are asked for in every loop over instructions.
inline constexpr uint32_t kOpcodeTraits[] = {
#define HLOIR_OP(name, text, arity, attributes, calls, shape, accuracy, traits) traits,
#include "hloir/opcodes.def"
#undef HLOIR_OP
};
constexpr bool HasTrait(HloOpcode opcode, uint32_t trait) {
  return (kOpcodeTraits[static_cast<size_t>(opcode)] & trait) != 0;
}

}  // namespace hloir
