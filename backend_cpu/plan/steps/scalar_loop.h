// ScalarLoop: a loop of operations on single elements as a program over machine registers (kernels/register_ops.h), for
// loops with enough iterations to pay for compilation. Compiled from the loop's bound ops at run time, when invariants
// are known: limits, strides, initial values of counters. These assumptions are checked before each later run.
//
// Entry points: Prepare, then Run. Loops with kernels on more than one element, or with values whose bytes are read as
// two types, are not supported: the caller interprets their ops. Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <span>
#include <vector>

#include "plan/run/step.h"
#include "plan/steps/scalar_code.h"
#include "plan/steps/scalar_values.h"

namespace hloir::cpu {

class ScalarLoop {
 public:
  // An iteration is `condition`, which writes `going`, and, if that is true, `body`. The condition has just been
  // evaluated to true. `results`: memory that is read after the loop. Returns false if the loop cannot be compiled.
  bool Prepare(const KernelTable& table, std::span<const TileOp> condition, const bool* going,
               std::span<const TileOp> body, std::span<const ScalarPlace> results);
  // Runs from after that condition to the loop's end, counting `steps` per iteration; `done`: the number of iterations.
  // Returns false if the run must stop.
  bool Run(Runtime& runtime, int64_t steps, int64_t& done);

 private:
  bool Fits(std::span<const TileOp> condition, std::span<const TileOp> body) const;

  std::vector<TileOp> condition_, body_;  // the ops from which the code was compiled
  bool tried_ = false, compiled_ = false;
  ScalarCode code_;
};

}  // namespace hloir::cpu
