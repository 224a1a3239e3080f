// See one_element.h.
#include "plan/one_element.h"

#include <unordered_map>

namespace hloir::cpu {
namespace {

using KernelMap = std::unordered_map<TileKernel, TileKernel>;

KernelMap MakeMap(const KernelTable& many) {
  const KernelTable& one = OneElementKernels();
  KernelMap map;
  auto add = [&](TileKernel from, TileKernel to) {
    if (from != nullptr && to != nullptr) map.emplace(from, to);
  };
  for (int type = 0; type < kTileTypes; ++type) {
    for (int op = 0; op < static_cast<int>(UnaryOp::kCount); ++op) add(many.unary[op][type], one.unary[op][type]);
    for (int op = 0; op < static_cast<int>(BinaryOp::kCount); ++op) {
      for (int mode = 0; mode < 3; ++mode) add(many.binary[op][type][mode], one.binary[op][type][mode]);
    }
    for (int mode = 0; mode < kOperandModes; ++mode) add(many.select[type][mode], one.select[type][mode]);
    for (int to = 0; to < kTileTypes; ++to) add(many.convert[type][to], one.convert[type][to]);
    add(many.splat[type], one.splat[type]);
  }
  for (int size = 0; size < 4; ++size) add(many.copy[size], one.copy[size]);
  for (int type = 0; type < 2; ++type) add(many.widen[type], one.widen[type]), add(many.narrow[type], one.narrow[type]);
  return map;
}

// Each made when it is first asked for: a table may be filled by code that this machine cannot run.
const KernelMap& MapOf(const KernelTable& table) {
  switch (table.vector_bytes) {
    case 16: {
      static const KernelMap map = MakeMap(table);
      return map;
    }
    case 32: {
      static const KernelMap map = MakeMap(table);
      return map;
    }
    default: {
      static const KernelMap map = MakeMap(table);
      return map;
    }
  }
}

}  // namespace

TileKernel OneElementKernel(const KernelTable& table, TileKernel kernel) {
  const KernelMap& map = MapOf(table);
  auto it = map.find(kernel);
  return it == map.end() ? kernel : it->second;
}

}  // namespace hloir::cpu
