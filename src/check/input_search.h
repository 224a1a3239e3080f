// Generates the inputs of a check: sets that reach the branches, comparisons and indices of the first module, and sets
// on which the modules are compared in wide arithmetic only. SearchInputs() is the entry point. Covered by
// tests/unit/check_inputs_test.cc and meaning_test.cc.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "check/module_under_test.h"

namespace hloir::check {

struct SearchedInputs {
  // The number of leading sets that all engines run. On the other sets, the modules are compared in wide arithmetic.
  size_t whole_sets = 0;
  // The number of further sets on which a comparison of bits takes little time; see KindOfFurtherSet.
  uint64_t further_sets = 0;
  // See Verdict. Empty if the reference does not run the module.
  std::vector<std::string> unreached;
  int64_t reached = 0;
};

// Returns whether sets of this kind show a loss of accuracy.
bool ShowsAccuracy(InputKind kind);

using MakeSet = std::function<StatusOr<InputSet>(uint64_t seed, InputKind kind)>;

// Returns the kind of the k-th further set, and the seed that belongs to it. `undefined`: see IsUndefinedForSome.
std::pair<InputKind, uint64_t> KindOfFurtherSet(uint64_t k, bool undefined);

// Appends sets from `make_set` to the context's inputs. `subject` runs on the context. `typical`: `make_set` has
// typical values (InputKind::kTypical).
StatusOr<SearchedInputs> SearchInputs(ModuleUnderTest& subject, Context& context, bool typical,
                                      const MakeSet& make_set);

}  // namespace hloir::check
