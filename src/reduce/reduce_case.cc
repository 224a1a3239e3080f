// ReduceOnInputs(): ReduceModule with the computed values of removed parts as inputs. See reduce.h.
#include <string>
#include <unordered_map>
#include <utility>

#include "hloir/evaluator.h"
#include "reduce/reduce.h"

namespace hloir {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 30;  // limit on the values stored as arguments

// By name, each device's value: the entry computation's parameters, and its other arrays up to a limit on memory.
using CaseValues = std::unordered_map<std::string, std::vector<Literal>>;

CaseValues NamedValues(const HloModule& module, const InputSet& inputs, const RunnerOptions& options) {
  const HloComputation* entry = module.entry_computation();
  CaseValues values;
  for (int64_t k = 0; k < entry->parameter_count(); ++k) {
    std::vector<Literal>& each = values[std::string(entry->parameter(k)->name())];
    for (const std::vector<Literal>& device : inputs.devices) each.push_back(device[static_cast<size_t>(k)]);
  }
  if (inputs.devices.size() != 1) return values;
  int64_t bytes = 0;
  EvaluatorOptions evaluator = ToEvaluatorOptions(options);
  evaluator.on_progress = nullptr;
  evaluator.on_result = [&](const HloInstruction& i, const Literal& value) {
    if (i.parent() != entry || !i.shape().IsArray() || value.size_bytes() > kMaxBytes - bytes) return;
    if (values.emplace(i.name(), std::vector<Literal>{value}).second) bytes += value.size_bytes();
  };
  std::vector<const Literal*> arguments;
  for (const Literal& argument : inputs.devices[0]) arguments.push_back(&argument);
  // The reduction so far is the result.
  (void)MakeReferenceEvaluator(evaluator)->EvaluateComputation(*entry, arguments);
  return values;
}

// The inputs by their parameters' names; nullopt if one is unknown.
std::optional<InputSet> InputsByName(const HloModule& module, const CaseValues& values, const InputSet& original) {
  InputSet inputs;
  inputs.kind = original.kind;
  inputs.devices.resize(original.devices.size());
  for (const HloInstruction* parameter : module.entry_computation()->parameters()) {
    const auto found = values.find(std::string(parameter->name()));
    if (found == values.end() || !found->second[0].shape().Compatible(parameter->shape())) return std::nullopt;
    for (size_t d = 0; d < inputs.devices.size(); ++d) inputs.devices[d].push_back(found->second[d]);
  }
  return inputs;
}

}  // namespace

ReducedCase ReduceOnInputs(const HloModule& module, const InputSet& inputs,
                           const std::function<bool(const HloModule&, const InputSet&)>& property,
                           const RunnerOptions& options, int64_t max_attempts) {
  const CaseValues values = NamedValues(module, inputs, options);
  const auto still_has_it = [&](const HloModule& smaller) {
    const std::optional<InputSet> some = InputsByName(smaller, values, inputs);
    return some.has_value() && property(smaller, *some);
  };
  ReducedCase reduced{ReduceModule(module, still_has_it, max_attempts), {}};
  if (std::optional<InputSet> some = InputsByName(*reduced.module, values, inputs)) reduced.inputs = std::move(*some);
  return reduced;
}

}  // namespace hloir
