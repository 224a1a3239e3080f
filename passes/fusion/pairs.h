// Two loops that may become one: what multi_output.cc and general_fusion.cc ask before they join them. A unit is a
// fusion or a single instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hloir/module.h"

namespace hloir::fusion {

// The unit itself, or what its body gives.
const HloInstruction& BodyRoot(const HloInstruction& unit);

// Is it a dot, or a fusion around a dot, convolution or reduce-window?
bool IsProduct(const HloInstruction& unit);

// The dimensions that its loop runs over; nullptr: it is not a loop that others could join. With `products`, what
// follows a product may be joined: it is done on its result before that leaves the registers.
const Shape* LoopShape(const HloInstruction& unit, int64_t max_results = 8, bool products = false);

// What a value comes from: the loop behind an element of several results.
template <class I>
I* UnitOf(I* value) {
  return value->opcode() == HloOpcode::kGetTupleElement ? value->operand(0) : value;
}

// Instructions of its body.
int64_t SizeOf(const HloInstruction& unit);

// Of a computation's instructions, in an order with operands before users. One object for all computations of a module,
// so that a table by id serves them all.
class Positions {
 public:
  void Set(std::span<HloInstruction* const> order) {
    if (order.empty()) return;
    by_id_.resize(static_cast<size_t>(order[0]->module()->instruction_id_limit()), kNone);
    for (size_t at = 0; at < order.size(); ++at)
      by_id_[static_cast<size_t>(order[at]->id())] = static_cast<int32_t>(at);
  }
  // In the computation that was set last; kNone for what came into it later.
  int32_t Of(const HloInstruction* i) const {
    const size_t id = static_cast<size_t>(i->id());
    return id < by_id_.size() ? by_id_[id] : kNone;
  }
  static constexpr int32_t kNone = -1;

 private:
  std::vector<int32_t> by_id_;
};
// Is there a path from `first` to `second` through any other? True also if that is too far to see.
bool HasPathAround(const HloInstruction* first, const HloInstruction* second, const Positions& positions);

}  // namespace hloir::fusion
