// The consistency of the tables of opcodes and element types.
#include "hloir/opcode.h"
#include "hloir/parser.h"

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

TEST_CASE("an unknown opcode is answered with the opcode of that meaning") {
  const auto suggestion = [](const std::string& opcode) {
    const std::string text =
        "HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] " + opcode + "(a)\n}\n";
    const std::string message = ParseModule(text).status().message(), begin = "unknown opcode '" + opcode + "'";
    const size_t at = message.find(begin);
    REQUIRE(at != std::string::npos);
    return message.substr(at + begin.size(), message.find('\n', at) - at - begin.size());
  };
  // Words of NumPy, JAX, StableHLO and XLA's enumerators.
  const std::pair<const char*, HloOpcode> meant[] = {
      {"exp", HloOpcode::kExp},
      {"mul", HloOpcode::kMultiply},
      {"div", HloOpcode::kDivide},
      {"max", HloOpcode::kMaximum},
      {"min", HloOpcode::kMinimum},
      {"pow", HloOpcode::kPower},
      {"cast", HloOpcode::kConvert},
      {"sub", HloOpcode::kSubtract},
      {"sum", HloOpcode::kReduce},
      {"matmul", HloOpcode::kDot},
      {"gemm", HloOpcode::kDot},
      {"conv", HloOpcode::kConvolution},
      {"kExp", HloOpcode::kExp},
      {"sigmoid", HloOpcode::kLogistic},
      {"dynamic_slice", HloOpcode::kDynamicSlice},
      {"stablehlo.dot_general", HloOpcode::kDot},
      {"kDynamicUpdateSlice", HloOpcode::kDynamicUpdateSlice},
      {"multipl", HloOpcode::kMultiply},  // none of these: the nearest spelling
  };
  for (const auto& [word, opcode] : meant)
    CHECK(suggestion(word) == "; did you mean '" + std::string(OpcodeName(opcode)) + "'?");
  CHECK(suggestion("relu") == "; HLO writes relu(x) as maximum(x, 0)");
  CHECK(suggestion("mean") == "; HLO writes mean(x) as reduce with add, then divide by the number of elements");
  CHECK(suggestion("softmax") ==
        "; HLO writes softmax(x) as reduce with maximum, subtract, exponential, reduce with add, divide");
  CHECK(suggestion("frobnicate") == "");
}
