// Conditions for joining two loops, shared by multi_output.cc and general_fusion.cc. A unit is a fusion or a single
// instruction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hloir/module.h"

namespace hloir::fusion {

// The unit itself, or the root of its body.
const HloInstruction& BodyRoot(const HloInstruction& unit);

// True for a dot, or a fusion around a dot, convolution or reduce-window.
bool IsProduct(const HloInstruction& unit);

// The dimensions of its loop; nullptr: it is not a loop that can be joined. With `products`, ops after a product may be
// joined: they run on its result in registers.
const Shape* LoopShape(const HloInstruction& unit, int64_t max_results = 8, bool products = false);

// The unit that computes a value: the loop behind a get-tuple-element.
template <class I>
I* UnitOf(I* value) {
  return value->opcode() == HloOpcode::kGetTupleElement ? value->operand(0) : value;
}

// Instructions of its body.
int64_t SizeOf(const HloInstruction& unit);

// For a computation's instructions, operands before users. One object for all computations of a module, to share a
// table by id.
class Positions {
 public:
  void Set(std::span<HloInstruction* const> order) {
    if (order.empty()) return;
    by_id_.resize(static_cast<size_t>(order[0]->module()->instruction_id_limit()), kNone);
    for (size_t at = 0; at < order.size(); ++at)
      by_id_[static_cast<size_t>(order[at]->id())] = static_cast<int32_t>(at);
  }
  // In the computation that was set last; kNone for instructions that were added later.
  int32_t Of(const HloInstruction* i) const {
    const size_t id = static_cast<size_t>(i->id());
    return id < by_id_.size() ? by_id_[id] : kNone;
  }
  static constexpr int32_t kNone = -1;

  // The instructions that a search has seen, and those that it has yet to look at; memory that all searches share.
  struct Search {
    std::vector<const HloInstruction*> stack;
    std::vector<uint32_t> seen;  // by id: the number of the last search that saw it
    uint32_t number = 0;

    void Begin() {
      stack.clear();
      if (++number != 0) return;
      seen.clear();
      number = 1;
    }
    // False if it was seen.
    bool See(const HloInstruction* i) {
      const size_t id = static_cast<size_t>(i->id());
      if (id >= seen.size()) seen.resize(std::max(id + 1, 2 * seen.size()));
      return std::exchange(seen[id], number) != number;
    }
  };
  Search& search() const { return search_; }

 private:
  std::vector<int32_t> by_id_;
  mutable Search search_;
};
// True if a path leads from `first` to `second` through another instruction, or if the search was cut short, which is
// noted in `cut_short`. A search is then cut short for all earlier instructions that the second does not read itself.
bool HasPathAround(const HloInstruction* first, const HloInstruction* second, const Positions& positions,
                   bool* cut_short = nullptr);

}  // namespace hloir::fusion
