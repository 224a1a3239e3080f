// Turns groups into fusion instructions with bodies, and joins two fusions into one with several results.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fusion/group.h"

namespace hloir::fusion {

class FusionBuilder {
 public:
  // Creates the group's fusion and replaces all uses of `root`, its last member. If `moves`, owned members are moved
  // into the body and the others copied; otherwise all are copied, and the owned ones remain without users.
  HloInstruction* Build(std::span<const Member> members, HloInstruction* root, const Grouper& grouper, bool moves);

  // Creates a fusion with the results of `first`, followed by those of `second`, which comes later and may read the
  // first's; both are fusions or single instructions. Moves uses to elements of the new fusion and removes the two.
  // With `copy_first` the first is kept for its other users, and the fusion has only the second's results. With
  // `bodies_later` the bodies of the two stay in the module, without callers, until RemoveDeadBodies: removing a
  // computation from the middle of a long list takes time.
  HloInstruction* Join(HloInstruction* first, HloInstruction* second, bool copy_first = false,
                       bool bodies_later = false);
  void RemoveDeadBodies(HloModule& module);

 private:
  HloComputation* NewBody(HloComputation& computation);
  // Removes a dead fusion with its elements and its body.
  void RemoveUnit(HloInstruction* unit, bool body_later);

  int64_t next_body_ = 0;    // names up to this one are taken
  int32_t first_body_ = -1;  // id of the first that was made since RemoveDeadBodies
  std::vector<HloComputation*> dead_bodies_;
};

}  // namespace hloir::fusion
