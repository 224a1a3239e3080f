// The inputs that a check generates: sets that reach the branches, comparisons and indices of the first module, and
// sets on which the modules are compared in wide arithmetic alone. SearchInputs() is the entry point. Covered by
// tests/unit/check_inputs_test.cc and meaning_test.cc.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/module_under_test.h"

namespace hloir::check {

struct SearchedInputs {
  // The first sets of the context run by all engines. On the others the modules are compared in wide arithmetic.
  size_t whole_sets = 0;
  // As in Verdict. Empty if the reference does not run the module.
  std::vector<std::string> unreached;
  int64_t reached = 0;
};

// Sets of this kind show a loss of accuracy.
bool ShowsAccuracy(InputKind kind);

using MakeSet = std::function<StatusOr<InputSet>(uint64_t seed, InputKind kind)>;

// Appends sets made by `make_set` to the context's inputs. `subject` runs on the context. `typical`: `make_set` knows
// typical values (InputKind::kTypical).
StatusOr<SearchedInputs> SearchInputs(ModuleUnderTest& subject, Context& context, bool typical,
                                      const MakeSet& make_set);

}  // namespace hloir::check
