// Tests of open steps: two values that the prover leaves open become two small modules, their cones, cut at the nearest
// values that are proved equal. Both run on inputs made for the cut. A pair that agrees is taken for equal in the next
// proof.
// Covered by tests/unit/steps_test.cc.
#pragma once

#include <optional>
#include <string>
#include <utility>
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
  // Of these, pairs that agreed on values of runs, and differed or lost digits on others: with the difference.
  std::vector<std::string> doubtful;
  // They differ on values that occur in a run of the first module, by more than they round; nothing else tells the
  // modules apart.
  std::vector<std::string> different;
  std::string how;  // the first of these differs
  std::pair<const HloInstruction*, const HloInstruction*> first{};
  // Made-up inputs of the module on which a step differs.
  std::vector<InputSet> inputs;
};

// Of modules of one device. `uses`: of the first module's parameters. `proof`: with its graph of values; it leaves an
// output open. The values that occur are those of runs on the context's inputs, or on generated ones if it has none.
StepTests TestSteps(const HloModule& before, const HloModule& after, const ParameterUses& uses,
                    equivalence::Result proof, const Context& context);

}  // namespace hloir::check
