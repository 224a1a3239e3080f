// Turns groups into fusion instructions with bodies, and joins two fusions into one with several results.
#pragma once

#include <span>

#include "fusion/group.h"

namespace hloir::fusion {

class FusionBuilder {
 public:
  // Creates the group's fusion and replaces all uses of `root`, its last member. If `moves`, owned members are moved
  // into the body and the others copied; otherwise all are copied, and the owned ones remain without users.
  HloInstruction* Build(std::span<const Member> members, HloInstruction* root, const Grouper& grouper, bool moves);

  // Creates a fusion with the results of `first`, followed by those of `second`, which comes later and may read the
  // first's; both are fusions or single instructions. Moves uses to elements of the new fusion and removes the two.
  // With `copy_first` the first is kept for its other users, and the fusion has only the second's results.
  HloInstruction* Join(HloInstruction* first, HloInstruction* second, bool copy_first = false);

 private:
  HloComputation* NewBody(HloComputation& computation);

  int64_t next_body_ = 0;  // names up to this one are taken
};

}  // namespace hloir::fusion
