// Reachability: which instruction of a computation must come before which, by operands and control edges. The table
// answers in constant time and is a picture of the computation as it was when it was made; DependsOn() asks the graph
// itself, for a question or two. The order itself, operands first: HloComputation::PostOrder().
//
// Example:
//
//   const HloComputation& computation = *module.entry_computation();
//   StatusOr<Reachability> table = Reachability::Make(computation);
//   if (!table.ok()) return;  // the computation is too large for a table
//   for (const HloInstruction* i : computation.PostOrder()) {
//     if (!table->AreConnected(*i, *computation.root())) continue;  // may run beside the root
//   }
//
// Tested by tests/unit/analysis_test.cc.
//
// Threads: may be made and asked from any thread while none edits the module.
#pragma once

#include <cstdint>
#include <vector>

#include "hloir/computation.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// `later` is `earlier`, or needs it directly or through others. Looks at as many instructions as stand between them at
// most.
bool DependsOn(const HloInstruction& later, const HloInstruction& earlier);

// Which instructions of a computation depend on which.
class Reachability {
 public:
  // n instructions take n²/8 bytes; more than `max_bytes` are ResourceExhausted.
  static StatusOr<Reachability> Make(const HloComputation& computation, int64_t max_bytes = int64_t{1} << 30);

  // A path leads from `from` to `to`; each instruction reaches itself. Instructions added since then reach nothing.
  bool IsReachable(const HloInstruction& from, const HloInstruction& to) const;
  // One of the two must wait for the other.
  bool AreConnected(const HloInstruction& a, const HloInstruction& b) const {
    return IsReachable(a, b) || IsReachable(b, a);
  }

 private:
  Reachability() = default;
  int64_t PositionOf(const HloInstruction& instruction) const;

  int32_t first_id_ = 0;
  std::vector<int32_t> position_;  // in post-order, by id() - first_id_; -1: not of this computation
  size_t row_words_ = 0;
  std::vector<uint64_t> bits_;  // row i: what reaches the instruction at position i
};

}  // namespace hloir
#pragma GCC visibility pop
