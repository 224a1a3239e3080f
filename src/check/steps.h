// What is not proved, tested by itself: the cones of two values, cut at the nearest values that are proved equal, run
// as two small modules on inputs made for the cut; a pair that agrees is taken for equal, and the prover asked again.
// Covered by tests/unit/steps_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/module_under_test.h"
#include "check/parameter_uses.h"
#include "equivalence/equivalence.h"

namespace hloir::check {

struct StepTests {
  // Every output is proved if the pairs below are equal; `proof` is that proof.
  bool all = false;
  equivalence::Result proof;
  // "dot.3 = reduce.7 (model.py:31)": they agreed wherever they were run.
  std::vector<std::string> tested;
  // Of these, those that agreed on values that occur in runs, and differed on others, or lost more digits: with how.
  std::vector<std::string> doubtful;
  // They differ on values that occur in a run of the first module, by more than any rounding; nothing else tells the
  // modules apart.
  std::vector<std::string> different;
  std::string how;  // the first of these differs
  // Made-up inputs of the module on which a step differs.
  std::vector<InputSet> inputs;
};

// Of modules of one device. `uses`: of the first module's parameters. `proof`: with its graph of values; it leaves an
// output open. The values that occur are those of runs on the context's inputs, or on generated ones if it has none.
StepTests TestSteps(const HloModule& before, const HloModule& after, const ParameterUses& uses,
                    equivalence::Result proof, const Context& context);

}  // namespace hloir::check
