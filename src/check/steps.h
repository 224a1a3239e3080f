// Tests of open steps: two values that the prover leaves open become two small modules, their cones, cut at the nearest
// values that are proved equal. Both run on inputs for the cut. The next proof assumes that a pair that agrees is
// equal. Covered by tests/unit/steps_test.cc.
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
  // Every output is proved under the assumption that the pairs below are equal; `proof` is that proof.
  bool all = false;
  equivalence::Result proof;
  // "dot.3 = reduce.7 (model.py:31)": pairs that agreed in every run.
  std::vector<std::string> tested;
  // The pairs among them that agreed on values of runs, but differed or lost digits on others, with the difference.
  std::vector<std::string> doubtful;
  // Pairs that differ by more than their rounding on values that occur in a run of the first module, and that account
  // for differences of the modules.
  std::vector<std::string> different;
  // Whether they account for all differences, and each of these differs whatever the others are, or a result is known
  // to differ. Else some are only known to differ if those before them are taken for equal, differences may cancel, and
  // others may follow.
  bool independent = true;
  bool narrow = false;  // all of these differ in roundings to narrower types alone
  std::string how;      // the difference of the first of these
  std::pair<const HloInstruction*, const HloInstruction*> first{};
  // Generated inputs of the module on which a step differs; those of the first of `different` come first.
  std::vector<InputSet> inputs;
};

// Tests steps of modules on one device. `uses`: of the first module's parameters. `proof`: with its graph of values,
// and with an open output. The occurring values come from runs on the context's inputs, or on generated ones if it has
// none. `exactly`: the proof, and those that follow, compare bits (equivalence::ProveExactly). The tests are then of
// modules that are the same but for steps that differ: if a step agrees, there is no result.
StepTests TestSteps(const HloModule& before, const HloModule& after, const ParameterUses& uses,
                    equivalence::Result proof, const Context& context, bool exactly = false);

}  // namespace hloir::check
