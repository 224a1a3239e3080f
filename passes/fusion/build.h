// Turns groups into fusion instructions with bodies, and joins two fusions into one with several results.
#pragma once

#include <span>

#include "fusion/group.h"

namespace hloir::fusion {

class FusionBuilder {
 public:
  // Makes the group's fusion and gives it all uses of `root`, its last member. The owned members move into its body, of
  // the others it has copies; unless that `moves`, copies of all, and the owned ones are still there without users.
  HloInstruction* Build(std::span<const Member> members, HloInstruction* root, const Grouper& grouper, bool moves);

  // The results of `first`, and after them those of `second`, which may read them and comes later; both are fusions or
  // single instructions. Uses move to elements of the new fusion; the two are gone then. With `copy_first` the first
  // stays for its other users, and the fusion gives the second's results alone.
  HloInstruction* Join(HloInstruction* first, HloInstruction* second, bool copy_first = false);

 private:
  HloComputation* NewBody(HloComputation& computation);

  int64_t next_body_ = 0;  // names up to this one are taken
};

}  // namespace hloir::fusion
