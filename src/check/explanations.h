// An ordered table of explanations: reasons for which two different results may both be correct, for two modules and
// for two engines. Explain() searches it; Checker (check.cc) and MeaningComparer (meaning.cc) use it. A verdict names
// the rows that it used. tests/unit/explanations_test.cc has, for every row, a pair of modules that the row excuses and
// one that it refuses.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "check/meaning.h"
#include "check/module_under_test.h"

namespace hloir::check {

struct Proved;

// The kinds of differences, by the two results that differ.
enum class Between : unsigned {
  kModules = 1,        // results of the two modules by one engine
  kEngines = 2,        // results of one module by the reference and by another engine
  kWide = 4,           // results of the two modules in wide arithmetic
  kWideModules = 8,    // the same, after no kWide row explained the difference
  kExactModules = 16,  // results of two modules that must have equal bits
};

struct ResultDifference {
  Between between;
  size_t set;                       // of inputs
  ModuleUnderTest &before, &after;  // the same module twice for kEngines
  // Null in wide arithmetic. For kEngines, `a` is the reference's result.
  const Results *a = nullptr, *b = nullptr;
  Comparison seen;
  MeaningComparer* meaning = nullptr;  // compares the two modules; null for kEngines
  Nonfinite nonfinite = Nonfinite::kAlways;
  std::string module_name = {};    // for kEngines: the module's name in messages
  bool by_other = false;           // `a` and `b` come from the engine that is not under test
  bool whole_arrays = false;       // the modules are views of partitioned ones (sharded.h)
  bool generated = false;          // the check generated the inputs
  const Proved* proved = nullptr;  // a proof that excuses differences

  // Returns whether the results of the engine that is not under test agree.
  bool OthersAgree() const;
  const CheckOptions& options() const { return before.options(); }
  // Describes the difference by the names of the modules or engines.
  std::string ToString() const;
};

struct Explanation {
  std::string_view name;  // "signed-zero"
  std::string_view what;  // one sentence, for docs/accuracy.md
  unsigned between;       // a mask of Between
  // Of a difference that the row explains: kAgree, kLessAccurate, or kUnspecified, which may leave a part of it.
  Outcome outcome;
  bool (*applies)(const ResultDifference&);
  // Returns the evidence for a note, empty if the name is sufficient; nullopt if the row does not explain the
  // difference.
  std::optional<std::string> (*check)(ResultDifference&);
  int cost;                  // the largest number of runs that `check` needs
  bool finite_only = false;  // of the modules, what the verdict says holds for finite values only
};

// In the order in which they are tried.
std::span<const Explanation> Explanations();

struct Explained {
  const Explanation* row = nullptr;  // null: no row explains the difference
  std::string evidence;
};
Explained Explain(ResultDifference& difference);
// Tries only the rows with the outcome kUnspecified.
Explained ExplainAsUnspecified(ResultDifference& difference);

}  // namespace hloir::check
