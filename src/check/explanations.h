// Why two results that are not the same may still both be right: an ordered table of explanations, for two modules and
// for two engines alike. Explain() walks it; Checker (check.cc) and MeaningComparer (meaning.cc) ask. A verdict names
// the rows that it used. Every row has a pair of modules that it excuses and one that it refuses in
// tests/unit/explanations_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "check/meaning.h"
#include "check/module_under_test.h"

namespace hloir::check {

// Which two results differ.
enum class Between : unsigned {
  kModules = 1,        // those of the two modules, by one engine
  kEngines = 2,        // those of one module, by the reference and by another engine
  kWide = 4,           // those of the two modules in wide arithmetic
  kWideModules = 8,    // the same, where no row for kWide explains them
  kExactModules = 16,  // results of the two modules that must have equal bits
};

struct ResultDifference {
  Between between;
  size_t set;                       // of inputs
  ModuleUnderTest &before, &after;  // one and the same between engines
  // Null in wide arithmetic. Between engines `a` is the reference's.
  const Results *a = nullptr, *b = nullptr;
  Comparison seen;
  MeaningComparer* meaning = nullptr;  // of the two modules; null between engines
  Nonfinite nonfinite = Nonfinite::kAlways;
  std::string module_name = {};  // between engines: what messages call the module
  bool by_other = false;         // `a` and `b` are those of the engine that is not under test
  bool whole_arrays = false;     // the modules are views of partitioned ones (sharded.h)

  // The results of the engine that is not under test agree.
  bool OthersAgree() const;
  const CheckOptions& options() const { return before.options(); }
  // The difference in words, by the names of the modules or engines.
  std::string ToString() const;
};

struct Explanation {
  std::string_view name;  // "signed-zero"
  std::string_view what;  // one sentence, for docs/accuracy.md
  unsigned between;       // of enum Between
  Outcome outcome;        // of a pair that the row explains: kAgree or kUnspecified
  bool (*applies)(const ResultDifference&);
  // The evidence, for a note; "" if the name says it all, nullopt if the row does not explain the difference.
  std::optional<std::string> (*check)(ResultDifference&);
  int cost;  // how many runs of a module that takes, at most
};

// In the order in which they are tried.
std::span<const Explanation> Explanations();

struct Explained {
  const Explanation* row = nullptr;  // null: none explains it
  std::string evidence;
};
Explained Explain(ResultDifference& difference);
// Tries the rows alone that find a result unspecified by HLO.
Explained ExplainAsUnspecified(ResultDifference& difference);

}  // namespace hloir::check
