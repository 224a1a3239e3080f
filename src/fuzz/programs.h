// RandomModule: a small legal module from a seed, for testing properties of all modules. Legal by construction: shape
// inference accepts each instruction before it is added. Contains all opcodes that the reference runs on one device
// without side effects, all common types, terminating loops, branches, calls, fusions, custom reducers and comparators.
// Sizes are small unless the options set others, constants and operands are reused, and operands of simplifications
// (zeros, ones, splats, iotas, pairs of inverse operations) have a raised probability. A quarter of them have metadata,
// frontend attributes, shardings and control dependencies. See checks.h.
#pragma once

#include <cstdint>
#include <memory>

#include "hloir/module.h"

namespace hloir::fuzz {

inline constexpr int64_t kSmallElements = 512, kSmallRank = 3;
struct ProgramOptions {
  bool portable = false;                   // as in CaseOptions
  int64_t most_elements = kSmallElements;  // of an array
  int64_t most_rank = kSmallRank;          // of an array that is drawn; operations may give one of a higher rank
};
std::unique_ptr<HloModule> RandomModule(uint64_t seed, const ProgramOptions& options = {});

}  // namespace hloir::fuzz
