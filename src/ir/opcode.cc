// Names of opcodes and of the element types they take, and the pairs of async ops.
#include "hloir/opcode.h"

#include <array>
#include <unordered_map>

namespace hloir {

std::optional<HloOpcode> ParseOpcode(std::string_view name) {
  static const auto* const kByName = [] {
    auto* map = new std::unordered_map<std::string_view, HloOpcode>;
    for (int i = 0; i < kOpcodeCount; ++i) {
      const auto opcode = static_cast<HloOpcode>(i);
      map->emplace(OpcodeName(opcode), opcode);
    }
    return map;
  }();
  auto it = kByName->find(name);
  if (it == kByName->end()) return std::nullopt;
  return it->second;
}

bool Takes(OperandTypes types, PrimitiveType type) {
  if (!IsArrayType(type)) return false;
  switch (types) {
    case OperandTypes::kAny: return true;
    case OperandTypes::kNumber: return type != PrimitiveType::PRED;
    case OperandTypes::kSignedNumber: return type != PrimitiveType::PRED && !IsUnsigned(type);
    case OperandTypes::kRealNumber: return type != PrimitiveType::PRED && !IsComplex(type);
    case OperandTypes::kOrdered: return !IsComplex(type);
    case OperandTypes::kFloat: return IsFloat(type);
    case OperandTypes::kFloatOrComplex: return IsFloat(type) || IsComplex(type);
    case OperandTypes::kComponent: return type == PrimitiveType::F32 || type == PrimitiveType::F64;
    case OperandTypes::kInteger: return IsInteger(type);
    case OperandTypes::kIntegerOrPred: return IsInteger(type) || type == PrimitiveType::PRED;
  }
  return false;
}

std::string_view OperandTypesText(OperandTypes types) {
  switch (types) {
    case OperandTypes::kAny: return "array";
    case OperandTypes::kNumber: return "number";
    case OperandTypes::kSignedNumber: return "signed number";
    case OperandTypes::kRealNumber: return "real number";
    case OperandTypes::kOrdered: return "ordered";
    case OperandTypes::kFloat: return "float";
    case OperandTypes::kFloatOrComplex: return "float or complex";
    case OperandTypes::kComponent: return "f32 or f64";
    case OperandTypes::kInteger: return "integer";
    case OperandTypes::kIntegerOrPred: return "integer or pred";
  }
  return "";
}

const AsyncPair* FindAsyncPair(HloOpcode opcode) {
  static constexpr AsyncPair kPairs[] = {
#define HLOIR_ASYNC_PAIR(start, done, synchronous) {HloOpcode::k##start, HloOpcode::k##done, HloOpcode::k##synchronous},
#include "hloir/opcodes.def"
#undef HLOIR_ASYNC_PAIR
  };
  // By opcode: 1 + its index, or 0. (Not pointers, which g++ with ASan cannot compare in constant expressions.)
  static constexpr std::array<uint8_t, kOpcodeCount> kPlaceOf = [] {
    std::array<uint8_t, kOpcodeCount> places{};
    uint8_t place = 0;
    for (const AsyncPair& pair : kPairs) {
      ++place;
      for (HloOpcode one : {pair.start, pair.done, pair.synchronous}) {
        if (places[static_cast<size_t>(one)] == 0) places[static_cast<size_t>(one)] = place;
      }
    }
    return places;
  }();
  const uint8_t place = kPlaceOf[static_cast<size_t>(opcode)];
  return place == 0 ? nullptr : &kPairs[place - 1];
}

}  // namespace hloir
