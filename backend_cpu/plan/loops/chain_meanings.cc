// See chain_meanings.h. Tests: tests/unit/loop_chains_test.cc.
#include "plan/loops/chain_meanings.h"

#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {
namespace {

// Computed by more than a few instructions.
bool IsFunction(UnaryOp op) {
  switch (op) {
    case UnaryOp::kAbs:
    case UnaryOp::kNegate:
    case UnaryOp::kNot:
    case UnaryOp::kConjugate: return false;
    default: return true;
  }
}

}  // namespace

int Bytes(ChainType type) {
  switch (type) {
    case ChainType::kS8: return 1;
    case ChainType::kS16: return 2;
    case ChainType::kF32:
    case ChainType::kS32: return 4;
    case ChainType::kF64:
    case ChainType::kS64:
    case ChainType::kC64: return 8;
  }
  return 0;
}

ChainMeanings MakeChainMeanings(const KernelTable& table) {
  const ChainTable& chains = table.chains();
  ChainMeanings meanings;
  auto add = [&](TileKernel kernel, const Meaning& meaning) {
    if (kernel != nullptr) meanings.emplace(kernel, meaning);
  };
  constexpr TileType kTiles[kChainTypes] = {TileType::kF32, TileType::kF64, TileType::kS32, TileType::kS64,
                                            TileType::kS8,  TileType::kS16, TileType::kC64};
  constexpr int kPred = static_cast<int>(TileType::kPred), kF32 = static_cast<int>(TileType::kF32);
  for (int t = 0; t < kChainTypes; ++t) {
    const int tile = static_cast<int>(kTiles[t]);
    Meaning meaning;
    meaning.type = static_cast<ChainType>(t);
    for (int op = 0; op < static_cast<int>(UnaryOp::kCount); ++op) {
      meaning.link = chains.unary[op][t];
      meaning.function = IsFunction(static_cast<UnaryOp>(op));
      if (meaning.link != nullptr) add(table.unary[op][tile], meaning);
    }
    meaning.function = false;
    meaning.link = chains.to_f32;
    if (tile == static_cast<int>(TileType::kS32)) add(table.convert[tile][kF32], meaning);
    meaning.kind = Meaning::kOfMask;
    meaning.link = chains.of_mask[t];
    if (meaning.link != nullptr) add(table.convert[kPred][tile], meaning);
    for (int mode = 0; mode < kOperandModes; ++mode) {
      meaning.mode = static_cast<OperandMode>(mode);
      meaning.kind = Meaning::kBinary;
      for (int op = 0; mode < 3 && op < static_cast<int>(BinaryOp::kCount); ++op) {
        meaning.binary = static_cast<BinaryOp>(op);
        if (chains.binary[op][t][0][0] != nullptr) add(table.binary[op][tile][mode], meaning);
      }
      meaning.kind = Meaning::kSelect;
      if (chains.select[t][mode] != nullptr) add(table.select[tile][mode], meaning);
    }
    meaning.mode = kVectorVector;
    meaning.kind = Meaning::kCopy;
    add(table.copy[Log2Bytes(Bytes(meaning.type))], meaning);
    meaning.streams = true;
    add(table.stream[Log2Bytes(Bytes(meaning.type))], meaning);
    meaning.streams = false;
    meaning.kind = Meaning::kRuns;
    if (chains.load[t][static_cast<int>(ChainOperand::kRuns)] != nullptr)
      add(LoadRunsKernel(Bytes(meaning.type), table.isa), meaning);
    if (t != 0) continue;
    for (NarrowFloat narrow : {NarrowFloat::kBf16, NarrowFloat::kF16}) {
      const int n = static_cast<int>(narrow);
      meaning.narrow = narrow;
      meaning.kind = Meaning::kWiden;
      if (chains.load[0][static_cast<int>(ChainOperand::kBf16) + n] != nullptr) add(table.widen[n], meaning);
      meaning.kind = Meaning::kNarrow;
      if (chains.store[0][static_cast<int>(ChainResult::kBf16) + n][1] != nullptr) add(table.narrow[n], meaning);
    }
  }
  return meanings;
}

bool IsCompare(const Meaning& meaning) {
  return meaning.kind == Meaning::kBinary && meaning.binary >= BinaryOp::kEq && meaning.binary <= BinaryOp::kLt;
}
BinaryOp Exchanged(BinaryOp compare) {
  switch (compare) {
    case BinaryOp::kGe: return BinaryOp::kLe;
    case BinaryOp::kGt: return BinaryOp::kLt;
    case BinaryOp::kLe: return BinaryOp::kGe;
    case BinaryOp::kLt: return BinaryOp::kGt;
    default: return compare;
  }
}

}  // namespace hloir::cpu
