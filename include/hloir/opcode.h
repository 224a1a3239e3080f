// HloOpcode and its properties in opcodes.def: name, arity, element types, cost, traits. Generic code reads these
// instead of switching on opcodes. Immutable: any thread may read. Tested by tests/unit/opcode_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hloir/primitive_type.h"

#pragma GCC visibility push(default)
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
  kAssociative = 1 << 2,     // over the reals; float add and multiply round
  kTranscendental = 1 << 3,  // elementwise and not exact: its kernels may differ from others' by a few ulps. Follows
                             // from the accuracy column; counted as transcendentals by XLA's cost analysis
  kMovesData = 1 << 4,       // every result element is an element of an operand
  kSideEffect = 1 << 5,      // must not be removed even without users
  kImpure = 1 << 6,          // two equal instances may give different results
  kControlFlow = 1 << 7,     // runs its called computations as code: call, while, conditional
  kCollective = 1 << 8,      // exchanges data between devices
  kAsyncPart = 1 << 9,       // one half of a start/done pair
  kAliases = 1 << 10,        // the result aliases its operands' buffers; no data moves
  kFoldable = 1 << 11,       // worth folding if the operands are constants, and safe to fold
};

enum class OpShape : uint8_t { kAsOperand, kAsOperandPred, kAsOperandReal, kInferred, kGiven };

// The attributes by which text names the computations an op calls, in the order of called_computations().
enum class CallKind : uint8_t {
  kNone,
  kToApply,             // to_apply=
  kCalls,               // calls=
  kConditionBody,       // condition=, body=
  kBranches,            // branch_computations={…}, or true_computation= and false_computation= (then in that order)
  kSelectScatter,       // select=, scatter=
  kCalledComputations,  // custom-call: called_computations={…}, or to_apply=
};

// The element types that an elementwise op takes.
enum class OperandTypes : uint8_t {
  kAny,           // those of arrays
  kNumber,        // not pred
  kSignedNumber,  // a number, but no unsigned one
  kRealNumber,    // neither pred nor complex
  kOrdered,       // not complex
  kFloat,
  kFloatOrComplex,
  kComponent,  // f32 and f64, which complex numbers are made of
  kInteger,
  kIntegerOrPred,
};
bool Takes(OperandTypes types, PrimitiveType type);
// "signed number", for messages.
std::string_view OperandTypesText(OperandTypes types);

// The cost of one element of the result, cheapest first, so that classes can be compared. hloir/cost.h has the costs of
// instructions and modules.
enum class OpCost : uint8_t {
  kFree,            // a name for a value, or a value known at compile time
  kMoves,           // a load and a store
  kCheap,           // one simple operation: add, compare, convert, …
  kDivision,        // divide, remainder, square roots: several times the cost of an add
  kTranscendental,  // a polynomial, or a call into libm: tens of times the cost of an add
  kByShape,         // depends on operands' shapes and on attributes: dot, reduce, sort, …
  kCalled,          // that of the called computation
  kCommunicates,    // waits for other devices or the host
};

// A row of opcodes.def.
struct OpcodeInfo {
  std::string_view name;
  int arity;  // number of operands; if negative, at least -arity-1
  CallKind calls;
  OpShape shape;
  OperandTypes operand_types;
  OpCost cost;
  int max_ulps;  // 0: exact
  uint32_t traits;
};

namespace opcode_rows {
using enum CallKind;
using enum OpShape;
using enum OperandTypes;
using enum OpCost;
inline constexpr int kVariadic = -1;
constexpr int kAtLeast(int n) { return -n - 1; }
inline constexpr int kExact = 0;
constexpr int Ulps(int n) { return n; }
constexpr uint32_t AllTraits(int max_ulps, uint32_t traits) {
  return traits | (max_ulps > 0 && (traits & kElementwise) != 0 ? uint32_t{hloir::kTranscendental} : 0);
}
inline constexpr std::array<OpcodeInfo, kOpcodeCount> kTable{{
#define HLOIR_OP(name, text, arity, attributes, calls, shape, types, cost, accuracy, traits) \
  {text, arity, calls, shape, types, cost, accuracy, AllTraits(accuracy, traits)},
#include "hloir/opcodes.def"
#undef HLOIR_OP
}};
// The traits in a table of their own, for loops over all instructions.
inline constexpr std::array<uint32_t, kOpcodeCount> kTraits = [] {
  std::array<uint32_t, kOpcodeCount> traits{};
  for (size_t i = 0; i < traits.size(); ++i) traits[i] = kTable[i].traits;
  return traits;
}();
}  // namespace opcode_rows

constexpr const OpcodeInfo& GetOpcodeInfo(HloOpcode opcode) { return opcode_rows::kTable[static_cast<size_t>(opcode)]; }
constexpr std::string_view OpcodeName(HloOpcode opcode) { return GetOpcodeInfo(opcode).name; }
constexpr OpCost CostClass(HloOpcode opcode) { return GetOpcodeInfo(opcode).cost; }
constexpr bool HasTrait(HloOpcode opcode, uint32_t trait) {
  return (opcode_rows::kTraits[static_cast<size_t>(opcode)] & trait) != 0;
}
// Properties of a few opcodes that share no column. A property that is needed twice belongs into opcodes.def.
template <class... Opcodes>
constexpr bool IsOneOf(HloOpcode opcode, HloOpcode first, Opcodes... others) {
  return opcode == first || ((opcode == others) || ...);
}
// The opcode that text calls `name`; nullopt for none.
std::optional<HloOpcode> ParseOpcode(std::string_view name);

// The two halves of an asynchronous operation, and the synchronous op (`start` if there is none).
struct AsyncPair {
  HloOpcode start, done, synchronous;
  bool HasSynchronousForm() const { return synchronous != start; }
};
// The pair that contains `opcode` as any of the three, or nullptr.
const AsyncPair* FindAsyncPair(HloOpcode opcode);

}  // namespace hloir
#pragma GCC visibility pop
