// See one_element.h.
#include "plan/steps/one_element.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>

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

// Each made when it is first asked for: a table may be filled by code that this machine cannot run.
const KernelMap& MapOf(const KernelTable& table) {
  constexpr int kIsas = static_cast<int>(Isa::kCount);
  static std::once_flag made[kIsas];
  static KernelMap maps[kIsas];
  const int isa = static_cast<int>(table.isa);
  std::call_once(made[isa], [&] { maps[isa] = MakeMap(table, OneElementKernels()); });
  return maps[isa];
}

void GoOn(const TileOp& op) { return (&op + 1)->kernel(*(&op + 1), 1); }
void End(const TileOp&, int64_t) {}
void GoOnIf(const TileOp& op, int64_t) {
  if (*static_cast<const bool*>(op.in[0])) GoOn(op);
}
// For a kernel that knows of no chain; it stands where ops on single elements have no use for the field.
void CallAndGoOn(const TileOp& op, int64_t) {
  reinterpret_cast<TileKernel>(op.divisor)(op, 1);
  GoOn(op);
}

// Kernels that touch what their pointers point to and nothing else.
bool TouchesOneElement(TileKernel kernel) {
  static const KernelMap map = [] {
    KernelTable plain = OneElementKernels();
    std::fill_n(&plain.move_one[0][0][0], sizeof(plain.move_one) / sizeof(TileKernel), nullptr);
    std::fill_n(&plain.combine_at[0][0], sizeof(plain.combine_at) / sizeof(TileKernel), nullptr);
    return MakeMap(plain, plain);
  }();
  return map.contains(kernel);
}
// Whether the elements at these places may have bytes in common: an element has 16 at most.
bool MayTouch(const void* a, const void* b) {
  const auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return (x > y ? x - y : y - x) < 16;
}
// Whether `op` may run after `other` instead of before.
bool MayFollow(const TileOp& op, const TileOp& other) {
  if (!TouchesOneElement(other.kernel) || MayTouch(op.out, other.out)) return false;
  for (const void* in : op.in)
    if (MayTouch(in, other.out)) return false;
  for (const void* in : other.in)
    if (MayTouch(in, op.out)) return false;
  return true;
}

// Moves an op that another can take its operand from to its side. If both operands come from such ops, the one that
// depends on the round before goes: what goes from round to round is what a loop waits for.
void BringTogether(std::vector<TileOp>& ops) {
  constexpr size_t kReach = 16;
  const auto carried = [&](const TileOp& op, size_t at) {
    for (size_t i = at; i < ops.size(); ++i)
      if (MayTouch(op.in[0], ops[i].out) || MayTouch(op.in[1], ops[i].out)) return true;
    return false;
  };
  for (size_t j = 2; j < ops.size(); ++j) {
    size_t best = j;
    for (size_t k = j; k-- > 0 && j - k <= kReach;) {
      const int side = ops[k].out == ops[j].in[0] ? 0 : 1;
      if (ops[k].out == ops[j].in[side] && PairedKernel(ops[k].kernel, ops[j].kernel, side) != nullptr &&
          (best == j || (carried(ops[k], j) && !carried(ops[best], j)))) {
        bool free = true;
        for (size_t m = k + 1; m < j; ++m) free = free && MayFollow(ops[k], ops[m]);
        if (free) best = k;
      }
    }
    if (best < j) std::rotate(ops.begin() + best, ops.begin() + best + 1, ops.begin() + j);
  }
}

}  // namespace

void ChainOps(std::vector<TileOp>& ops) {
  static const KernelMap map = MakeMap(OneElementKernels(), ChainedKernels());
  BringTogether(ops);
  for (size_t i = 0; i < ops.size(); ++i) {
    TileOp& op = ops[i];
    if (op.kernel == &GoOnIf) continue;
    if (i + 1 < ops.size()) {
      const int side = op.out == ops[i + 1].in[0] ? 0 : 1;
      const TileKernel pair =
          op.out == ops[i + 1].in[side] ? PairedKernel(op.kernel, ops[i + 1].kernel, side) : nullptr;
      if (pair != nullptr) {
        op.kernel = pair;
        ++i;  // the second op's kernel is not called
        continue;
      }
    }
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
  const KernelMap& map = MapOf(table);
  auto it = map.find(kernel);
  return it == map.end() ? kernel : it->second;
}

}  // namespace hloir::cpu
