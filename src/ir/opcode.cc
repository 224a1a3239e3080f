// The opcode table, made from opcodes.def, and its reading from text.
#include "hloir/opcode.h"

#include <array>
#include <unordered_map>

namespace hloir {
namespace {

constexpr int kVariadic = -1;
constexpr int kAtLeast(int n) { return -n - 1; }
constexpr int kExact = 0;
constexpr int Ulps(int n) { return n; }

constexpr std::array<OpcodeInfo, kOpcodeCount> MakeTable() {
  using enum CallKind;
  using enum OpShape;
  return {{
#define HLOIR_OP(name, text, arity, attributes, calls, shape, accuracy, traits) \
  {text, arity, calls, shape, accuracy, traits},
#include "hloir/opcodes.def"
#undef HLOIR_OP
  }};
}

constexpr std::array<OpcodeInfo, kOpcodeCount> kTable = MakeTable();

}  // namespace

const OpcodeInfo& GetOpcodeInfo(HloOpcode opcode) { return kTable[static_cast<size_t>(opcode)]; }

std::optional<HloOpcode> ParseOpcode(std::string_view name) {
  static const auto* const kByName = [] {
    auto* map = new std::unordered_map<std::string_view, HloOpcode>;
    for (int i = 0; i < kOpcodeCount; ++i) map->emplace(kTable[i].name, static_cast<HloOpcode>(i));
    return map;
  }();
  auto it = kByName->find(name);
  if (it == kByName->end()) return std::nullopt;
  return it->second;
}

}  // namespace hloir
