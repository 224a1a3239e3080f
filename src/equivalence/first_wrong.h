// Finds the first wrong step of a partitioned program that is not proved: the first value that is neither a shard nor a
// partial result of a value of the original program, and from which no such value is made.
//
// Interface: FirstWrong. Covered by tests/unit/equivalence_devices_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "equivalence/build.h"
#include "equivalence/shards.h"

namespace hloir::equivalence::inside {

struct Wrong {
  const HloInstruction* device;             // of the partitioned program
  const HloInstruction* whole = nullptr;    // the step of the original program that it is part of; null: unknown
  const HloInstruction* partial = nullptr;  // a partial result that it takes for the whole
  const HloInstruction* source = nullptr;   // the nearest instruction made from it that has a source line
  int32_t record = -1, original = -1;       // of `device`, and of its namesake in the original program; -1: none
  size_t ways = 0;                          // to cut the namesake's value
};

// The candidates, the likeliest first: every value that is not related, though its operands are. Right values may be
// among them, if what reads them reads a wrong one, too. `related`: by record of the partitioned program, whether the
// value is a shard, or need not be one. If all are, a result is a shard of a value that it should not be: the first of
// `results`, records that are not proved. The search goes into loops. An instruction of `view`, which puts results
// together, is no part of the text.
std::vector<Wrong> FirstWrong(Shared& shared, const std::vector<Record>& records, const std::vector<bool>& related,
                              const std::vector<int32_t>& results, ShardMatcher& matcher, const HloComputation* view);

}  // namespace hloir::equivalence::inside
