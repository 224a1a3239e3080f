// What the tables of opcodes and element types say, held against itself.
#include "hloir/opcode.h"

#include <set>
#include <string>

#include "tests/unit/catch.h"

using namespace hloir;

TEST_CASE("columns of opcodes.def agree") {
  for (int k = 0; k < kOpcodeCount; ++k) {
    const auto opcode = static_cast<HloOpcode>(k);
    const OpcodeInfo& info = GetOpcodeInfo(opcode);
    INFO(info.name);
    const bool elementwise = HasTrait(opcode, kElementwise);
    CHECK(HasTrait(opcode, kTranscendental) == (elementwise && info.max_ulps > 0));
    if (elementwise) {
      CHECK(info.cost >= OpCost::kMoves);
      CHECK(info.cost <= OpCost::kTranscendental);
    } else {
      CHECK(info.operand_types == OperandTypes::kAny);  // nobody would look
    }
    if (HasTrait(opcode, kAliases)) CHECK(info.cost == OpCost::kFree);
    if (HasTrait(opcode, kCollective)) CHECK(info.cost == OpCost::kCommunicates);
    if (HasTrait(opcode, kFoldable)) CHECK(!HasTrait(opcode, kImpure | kSideEffect | kCollective | kAsyncPart));
    CHECK(ParseOpcode(info.name) == opcode);
  }
}

TEST_CASE("pairs of async ops") {
  CHECK(FindAsyncPair(HloOpcode::kAllReduceDone)->start == HloOpcode::kAllReduceStart);
  CHECK(FindAsyncPair(HloOpcode::kCopy)->done == HloOpcode::kCopyDone);
  CHECK(FindAsyncPair(HloOpcode::kAdd) == nullptr);
  CHECK(!FindAsyncPair(HloOpcode::kSend)->HasSynchronousForm());
  for (int k = 0; k < kOpcodeCount; ++k) {
    const auto opcode = static_cast<HloOpcode>(k);
    INFO(OpcodeName(opcode));
    const AsyncPair* pair = FindAsyncPair(opcode);
    const bool is_half = pair != nullptr && (pair->start == opcode || pair->done == opcode);
    CHECK(HasTrait(opcode, kAsyncPart) == (is_half || opcode == HloOpcode::kAsyncUpdate));
  }
}

TEST_CASE("operand types take what their names say") {
  using T = PrimitiveType;
  CHECK(Takes(OperandTypes::kAny, T::PRED));
  CHECK(!Takes(OperandTypes::kAny, T::TOKEN));
  CHECK(Takes(OperandTypes::kSignedNumber, T::C64));
  CHECK(!Takes(OperandTypes::kSignedNumber, T::U8));
  CHECK(!Takes(OperandTypes::kRealNumber, T::C64));
  CHECK(Takes(OperandTypes::kOrdered, T::PRED));
  CHECK(!Takes(OperandTypes::kFloat, T::C64));
  CHECK(!Takes(OperandTypes::kComponent, T::BF16));
  CHECK(Takes(OperandTypes::kIntegerOrPred, T::PRED));
}

TEST_CASE("each element type has a NumPy name of its own, and floats have a format") {
  std::set<std::string_view> names;
#define HLOIR_TYPE(name, text, number, bits, ...)                                                        \
  {                                                                                                      \
    constexpr PrimitiveType kType = PrimitiveType::name;                                                 \
    INFO(text);                                                                                          \
    CHECK(names.insert(NumpyName(kType)).second);                                                        \
    constexpr FloatFormat kFormat = GetFloatFormat(kType);                                               \
    CHECK(IsFloat(kType) == (kFormat.exponent_bits > 0));                                                \
    if (IsFloat(kType)) CHECK(kFormat.has_sign + kFormat.exponent_bits + kFormat.mantissa_bits == bits); \
  }
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
  CHECK(NumpyName(PrimitiveType::F32) == "float32");
  CHECK(NumpyName(PrimitiveType::F8E4M3FN) == "ml_dtypes.float8_e4m3fn");
  CHECK(NumpyName(PrimitiveType::TOKEN).empty());
  CHECK(GetFloatFormat(PrimitiveType::F8E4M3B11FNUZ).bias == 11);
}
