// See loop_registers.h.
#include "plan/loops/loop_registers.h"

#include <algorithm>
#include <utility>

namespace hloir::cpu {

// Padding between tiles, most of which have 4 or 2 kB: without it, elements at equal indices share cache sets, and
// loads wait for stores to addresses with the same low bits.
constexpr int64_t kApart = 576;

int64_t PlaceRegisters(const LoopOpLists& lists, LoopRegisters registers, SmallVector<int64_t, 16>* offsets) {
  std::vector<LoopOp>& body = *lists.body;
  const int64_t body_end = static_cast<int64_t>(body.size());
  SmallVector<int64_t, 16> last_use(registers.size(), -1);
  auto use = [&](const LoopOp& op, int64_t at) {
    for (const TilePlace& place : op.in) {
      if (place.kind == TilePlace::kRegister) last_use[place.index] = std::max(last_use[place.index], at);
    }
    if (op.out.kind == TilePlace::kRegister) last_use[op.out.index] = std::max(last_use[op.out.index], at);
  };
  for (int64_t i = 0; i < body_end; ++i) use(body[i], i);
  for (const auto* list : {lists.prologue, lists.first, lists.next}) {
    for (const LoopOp& op : *list) use(op, body_end);
  }
  // Registers of one size share memory if their live ranges are disjoint.
  offsets->clear();
  offsets->resize(registers.size(), -1);
  struct Free {
    int64_t bytes, offset;
  };
  SmallVector<Free, 16> free;
  int64_t top = 0;
  auto take = [&](int32_t r) {
    if ((*offsets)[r] >= 0) return;
    const int64_t bytes = (registers[r].bytes + 63) / 64 * 64;
    // Not rounded: an op may write over equal elements only. The latest first, as it may still be in the cache.
    size_t found = free.size();  // one more
    while (found > 0 && free[found - 1].bytes != registers[r].bytes) --found;
    if (!registers[r].persistent && found > 0) {
      (*offsets)[r] = free[found - 1].offset;
      free.erase(&free[found - 1]);
    } else {
      (*offsets)[r] = top;
      top += bytes + (bytes >= 1024 ? kApart : 0);
    }
  };
  for (const auto* list : {lists.prologue, lists.first, lists.next}) {
    for (const LoopOp& op : *list) {
      for (const TilePlace& place : op.in)
        if (place.kind == TilePlace::kRegister && registers[place.index].persistent) take(place.index);
      if (op.out.kind == TilePlace::kRegister) registers[op.out.index].persistent = true, take(op.out.index);
    }
  }
  for (int64_t i = 0; i < body_end; ++i) {
    const LoopOp& op = body[i];
    auto release = [&] {
      for (int k = 0; k < 3; ++k) {
        const TilePlace& place = op.in[k];
        if (place.kind != TilePlace::kRegister || last_use[place.index] != i || registers[place.index].persistent)
          continue;
        bool again = false;
        for (int j = 0; j < k; ++j)
          again = again || (op.in[j].kind == TilePlace::kRegister && op.in[j].index == place.index);
        if (!again) free.push_back({registers[place.index].bytes, (*offsets)[place.index]});
      }
    };
    // An elementwise op may overwrite its operand: element i is read before it is written, in equal sizes.
    if (op.op.extra == 0 && op.op.aux == nullptr) {
      release();
      if (op.out.kind == TilePlace::kRegister) take(op.out.index);
    } else {
      if (op.out.kind == TilePlace::kRegister) take(op.out.index);
      release();
    }
    if (op.out.kind == TilePlace::kRegister && last_use[op.out.index] == i && !registers[op.out.index].persistent) {
      free.push_back({registers[op.out.index].bytes, (*offsets)[op.out.index]});
    }
  }
  for (auto* list : {lists.prologue, lists.body, lists.first, lists.next}) {
    for (LoopOp& op : *list) {
      for (TilePlace& place : op.in)
        if (place.kind == TilePlace::kRegister) place.index = static_cast<int32_t>((*offsets)[place.index]);
      if (op.out.kind == TilePlace::kRegister) op.out.index = static_cast<int32_t>((*offsets)[op.out.index]);
    }
  }
  return (top + 63) / 64 * 64;
}

}  // namespace hloir::cpu
