// ScalarLoop: a loop of operations on single elements as a program over machine registers (kernels/register_ops.h), for
// loops with so many iterations that compiling them pays. Compiled from the loop's bound ops while it runs, so that
// invariants are known: limits, strides, initial values of counters. These assumptions are checked before each later
// run.
//
// Entry points: Prepare, then Run. Unsupported loops are left to the caller, which runs the ops one by one: kernels on
// more than one element, and values whose bytes are read as two types. Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <span>
#include <vector>

#include "plan/run/step.h"
#include "plan/steps/scalar_code.h"
#include "plan/steps/scalar_values.h"

namespace hloir::cpu {

class ScalarLoop {
 public:
  // A round is `condition`, which writes `going`, and, if that is true, `body`. The condition has just been found true.
  // `results`: where memory must be right after the loop. False: this loop cannot be compiled.
  bool Prepare(const KernelTable& table, std::span<const TileOp> condition, const bool* going,
               std::span<const TileOp> body, std::span<const ScalarPlace> results);
  // From after that condition to the loop's end, each round counted as `steps`; `done`: how many. False: the run
  // stops.
  bool Run(Runtime& runtime, int64_t steps, int64_t& done);

 private:
  bool Fits(std::span<const TileOp> condition, std::span<const TileOp> body) const;

  std::vector<TileOp> condition_, body_;  // what the code was made of
  bool tried_ = false, compiled_ = false;
  ScalarCode code_;
};

}  // namespace hloir::cpu
