// See one_element.h.
#include "plan/steps/one_element.h"

#include <cstdint>
#include <unordered_map>

#include "plan/steps/once_per_isa.h"

namespace hloir::cpu {
namespace {

using KernelMap = std::unordered_map<TileKernel, TileKernel>;

KernelMap MakeMap(const KernelTable& many, const KernelTable& one) {
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
    add(many.to_odd[type], one.to_odd[type]);
    add(many.splat[type], one.splat[type]);
  }
  for (int size = 0; size < 5; ++size) add(many.copy[size], one.copy[size]);
  for (int type = 0; type < 2; ++type) add(many.widen[type], one.widen[type]), add(many.narrow[type], one.narrow[type]);
  for (int move = 0; move < 3; ++move) {
    for (int index = 0; index < 2; ++index) {
      for (int size = 0; size < 4; ++size) add(many.move_one[move][index][size], one.move_one[move][index][size]);
    }
  }
  return map;
}
KernelMap MapToOneElement(const KernelTable& table) { return MakeMap(table, OneElementKernels()); }

void GoOn(const TileOp& op) { return (&op + 1)->kernel(*(&op + 1), 1); }
void End(const TileOp&, int64_t) {}
void GoOnIf(const TileOp& op, int64_t) {
  if (*static_cast<const bool*>(op.in[0])) GoOn(op);
}
// For a kernel without chaining; stored in a field that ops on single elements do not use.
void CallAndGoOn(const TileOp& op, int64_t) {
  reinterpret_cast<TileKernel>(op.divisor)(op, 1);
  GoOn(op);
}

}  // namespace

void ChainOps(std::vector<TileOp>& ops) {
  static const KernelMap map = MakeMap(OneElementKernels(), ChainedKernels());
  for (TileOp& op : ops) {
    if (op.kernel == &GoOnIf) continue;
    if (auto it = map.find(op.kernel); it != map.end()) {
      op.kernel = it->second;
    } else {
      op.divisor = reinterpret_cast<intptr_t>(op.kernel);
      op.kernel = &CallAndGoOn;
    }
  }
  ops.emplace_back().kernel = &End;
}

TileOp StopUnless(const bool* flag) {
  TileOp op;
  op.kernel = &GoOnIf;
  op.in[0] = flag;
  return op;
}

TileKernel OneElementKernel(const KernelTable& table, TileKernel kernel) {
  const KernelMap& map = OncePerIsa<MapToOneElement>(table);
  auto it = map.find(kernel);
  return it == map.end() ? kernel : it->second;
}

}  // namespace hloir::cpu
