// Reachability; see hloir/analysis.h.
#include "hloir/analysis.h"

#include <algorithm>

#include "support/format.h"

namespace hloir {
namespace {

template <class Visit>
void VisitPredecessors(const HloInstruction& instruction, Visit visit) {
  for (const HloInstruction* operand : instruction.operands()) visit(*operand);
  for (const HloInstruction* predecessor : instruction.control_predecessors()) visit(*predecessor);
}

}  // namespace

StatusOr<Reachability> Reachability::Make(const HloComputation& computation, int64_t max_bytes) {
  const std::vector<const HloInstruction*> order = computation.PostOrder();
  Reachability table;
  table.row_words_ = (order.size() + 63) / 64;
  if (!order.empty() && table.row_words_ > static_cast<size_t>(max_bytes) / 8 / order.size()) {
    return ResourceExhausted(Format("the table for {} instructions takes more than {} bytes", order.size(), max_bytes));
  }
  if (order.empty()) return table;
  const auto by_id = [](const HloInstruction* a, const HloInstruction* b) { return a->id() < b->id(); };
  const auto [low, high] = std::minmax_element(order.begin(), order.end(), by_id);
  table.first_id_ = (*low)->id();
  table.position_.assign(static_cast<size_t>((*high)->id() - table.first_id_) + 1, -1);
  table.bits_.assign(table.row_words_ * order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    table.position_[order[i]->id() - table.first_id_] = static_cast<int32_t>(i);
    uint64_t* row = table.bits_.data() + i * table.row_words_;
    VisitPredecessors(*order[i], [&](const HloInstruction& predecessor) {
      const int64_t position = table.PositionOf(predecessor);
      if (position < 0) return;  // in a cycle of control edges, which is illegal
      const uint64_t* other = table.bits_.data() + static_cast<size_t>(position) * table.row_words_;
      for (size_t w = 0; w < table.row_words_; ++w) row[w] |= other[w];
    });
    row[i / 64] |= uint64_t{1} << (i % 64);
  }
  return table;
}

int64_t Reachability::PositionOf(const HloInstruction& instruction) const {
  const int64_t at = int64_t{instruction.id()} - first_id_;
  return at < 0 || at >= static_cast<int64_t>(position_.size()) ? -1 : position_[static_cast<size_t>(at)];
}

bool Reachability::IsReachable(const HloInstruction& from, const HloInstruction& to) const {
  const int64_t a = PositionOf(from), b = PositionOf(to);
  if (a < 0 || b < 0) return false;
  return (bits_[static_cast<size_t>(b) * row_words_ + static_cast<size_t>(a) / 64] >> (a % 64) & 1) != 0;
}

}  // namespace hloir
