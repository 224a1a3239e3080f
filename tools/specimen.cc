// See specimen.h.
#include "tools/specimen.h"

#include <string>
#include <unordered_map>

#include "hloir/evaluator.h"
#include "tools/arguments.h"
#include "tools/shrink.h"

namespace hloir::tool {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 30;  // of values that are kept to be arguments
constexpr int64_t kMaxAttempts = 4000;

using Values = std::unordered_map<std::string, Literal>;

// What the entry computation's parameters are called, and its other arrays as far as there is room for them.
Values NamedValues(const HloModule& module, std::span<const Literal* const> arguments, const RunnerOptions& options) {
  const HloComputation* entry = module.entry_computation();
  Values values;
  for (int64_t k = 0; k < entry->parameter_count(); ++k) {
    values.emplace(entry->parameter(k)->name(), *arguments[static_cast<size_t>(k)]);
  }
  int64_t bytes = 0;
  EvaluatorOptions evaluator = ToEvaluatorOptions(options);
  evaluator.on_progress = nullptr;
  evaluator.on_result = [&](const HloInstruction& i, const Literal& value) {
    if (i.parent() != entry || !i.shape().IsArray() || value.size_bytes() > kMaxBytes - bytes) return;
    if (values.emplace(i.name(), value).second) bytes += value.size_bytes();
  };
  (void)MakeReferenceEvaluator(evaluator)->EvaluateComputation(*entry, arguments);  // what it got to is what there is
  return values;
}

// The arguments by their parameters' names; fewer than there are parameters if one is not known.
std::vector<const Literal*> ArgumentsByName(const HloModule& module, const Values& values) {
  std::vector<const Literal*> arguments;
  const HloComputation* entry = module.entry_computation();
  for (int64_t k = 0; k < entry->parameter_count(); ++k) {
    const auto found = values.find(std::string(entry->parameter(k)->name()));
    if (found == values.end() || !found->second.shape().Compatible(entry->parameter(k)->shape())) break;
    arguments.push_back(&found->second);
  }
  return arguments;
}

}  // namespace

Specimen FindSpecimen(const HloModule& module, std::span<const Literal* const> arguments, const Shows& shows,
                      const RunnerOptions& options) {
  const Values values = NamedValues(module, arguments, options);
  const auto still_shows = [&](const HloModule& smaller) {
    const std::vector<const Literal*> some = ArgumentsByName(smaller, values);
    return static_cast<int64_t>(some.size()) == smaller.entry_computation()->parameter_count() && shows(smaller, some);
  };
  Specimen specimen{Shrink(module, still_shows, kMaxAttempts), {}};
  for (const Literal* argument : ArgumentsByName(*specimen.module, values)) specimen.arguments.push_back(*argument);
  return specimen;
}

}  // namespace hloir::tool
