// A loop while it is brought into normal form. See prove_loops.cc.
#pragma once

#include <optional>
#include <vector>

#include "equivalence/prove_terms.h"

namespace hloir::equivalence {

struct Terms::Loop {
  const HloInstruction& instruction;
  int depth = 0;
  Operands initial = {};          // of each carried value
  std::vector<int> classes = {};  // of each carried value; -1: invariant
  // Of each class:
  std::vector<size_t> first = {};  // a carried value
  Operands variables = {};         // at the start of an iteration, with their ranges
  // The same without the ranges, which the condition implies. The condition itself reads these: under the ranges it
  // holds.
  Operands unbounded = {};
  Operands next = {};                           // after the iteration
  std::vector<std::vector<size_t>> needs = {};  // the classes that it reads; at the end, those that the condition reads
  std::vector<Term::Range> ranges = {};
  const Term* test = nullptr;         // the condition
  std::optional<int64_t> turns = {};  // the trip count, if it is known
};

}  // namespace hloir::equivalence
