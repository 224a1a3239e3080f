// See stored.h.
#include "triage/stored.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "check/explanations.h"
#include "check/module_under_test.h"
#include "check/sources.h"
#include "hloir/io.h"
#include "support/format.h"
#include "triage/machine.h"

namespace hloir::triage {
namespace {

bool IsFiniteDifference(const Comparison& comparison) {
  return std::all_of(comparison.leaves.begin(), comparison.leaves.end(),
                     [](const LeafDifference& leaf) { return leaf.nonfinite == 0; });
}

std::optional<StoredExplanation> ByMachine(const HloModule& module, const StoredSet& set, const Comparison& plain,
                                           const CheckOptions& options) {
  constexpr double kNearer = 16;
  for (const MachineHabit& habit : MachineHabits()) {
    const std::unique_ptr<HloModule> rewritten = habit.rewrite(module);
    if (rewritten == nullptr) continue;
    const StatusOr<Comparison> other = CompareStored(*rewritten, set, options.runner, Engine::kFast);
    if (!other.ok() || !other->agree) continue;
    // The rewritten module may round more; that must not be the reason.
    if (IsFiniteDifference(plain) && other->max_relative() * kNearer > plain.max_relative()) continue;
    return StoredExplanation{habit.kind, Culprit::kMachine,
                             Format("the stored results are those of a machine where {} ({})", habit.what, habit.name),
                             Format("with this arithmetic they differ by {:.2g}; without it, {}", other->max_relative(),
                                    plain.ToString("computed", "stored"))};
  }
  return std::nullopt;
}

// The stored leaves in the shape of the module's result; nullopt for nested tuples.
std::optional<Literal> InFormOf(const Shape& shape, const Literal& stored) {
  if (shape.IsArray()) return stored.elements().size() == 1 ? std::optional(stored.elements()[0]) : std::nullopt;
  if (!shape.IsTuple() || static_cast<size_t>(shape.tuple_size()) != stored.elements().size()) return std::nullopt;
  for (const Shape& element : shape.tuple_shapes())
    if (!element.IsArray()) return std::nullopt;
  return stored;
}

// Treats the stored results as those of another engine.
std::optional<StoredExplanation> ByTable(const HloModule& module, const StoredSet& set, const Comparison& plain,
                                         const CheckOptions& options) {
  for (const HloInstruction* i : check::SourcesOf(module, plain)) {
    if (i->opcode() == HloOpcode::kRng || i->opcode() == HloOpcode::kRngGetAndUpdateState)
      return StoredExplanation{FindingKind::kUndefined, Culprit::kProgram,
                               Format("HLO does not specify the result of {}", i->name()), ""};
  }
  std::optional<Literal> stored = InFormOf(module.entry_computation()->root()->shape(), set.results);
  if (!stored) return std::nullopt;
  InputSet inputs;
  inputs.devices.push_back(set.arguments);
  const check::Context context{options, DeviceCounts(), {std::move(inputs)}};
  check::ModuleUnderTest subject(module, context);
  const StatusOr<check::Results>& reference = subject.ReferenceResult(0);
  if (!reference.ok()) return std::nullopt;
  const check::Results other = {*std::move(stored)};
  for (const check::Explanation& row : check::Explanations()) {
    // The other rows are about hloir's own engines.
    const bool of_results = row.outcome == Outcome::kUnspecified || row.name == "ill-conditioned";
    if ((row.between & static_cast<unsigned>(check::Between::kEngines)) == 0 || !of_results) continue;
    check::ResultDifference difference{check::Between::kEngines, 0, subject, subject, &*reference, &other, plain};
    difference.module_name = "the last stage";
    if (!row.applies(difference)) continue;
    const std::optional<std::string> evidence = row.check(difference);
    if (!evidence) continue;
    if (row.outcome == Outcome::kUnspecified)
      return StoredExplanation{FindingKind::kUndefined, Culprit::kProgram, *evidence,
                               plain.ToString("computed", "stored")};
    return StoredExplanation{FindingKind::kRounding, Culprit::kRounding,
                             "rounding decides the results: " + plain.ToString("computed", "stored"), *evidence};
  }
  return std::nullopt;
}

}  // namespace

StatusOr<StoredSet> ReadStoredSet(const std::string& file, const HloModule& module) {
  StoredValues values;
  if (file.ends_with(".npz")) {
    HLOIR_ASSIGN_OR_RETURN(values, ReadStoredValues(file));
  } else {
    HLOIR_ASSIGN_OR_RETURN(const ModuleFile snapshot, ReadModuleFile(file, {.one_module = true}));
    HLOIR_ASSIGN_OR_RETURN(values, StoredValuesOf(snapshot.proto));
  }
  StoredSet set;
  set.file = file;
  HLOIR_ASSIGN_OR_RETURN(set.arguments, ArgumentsFromLeaves(module, std::move(values.inputs)));
  set.results = Literal::Tuple(std::move(values.results));
  return set;
}

StatusOr<Comparison> CompareStored(const HloModule& module, const StoredSet& set, RunnerOptions runner, Engine engine) {
  runner.engine = engine;
  const ModuleRunner run =
      [&](const HloModule& variant,
          std::span<const std::vector<const Literal*>> arguments) -> StatusOr<std::vector<Literal>> {
    HLOIR_ASSIGN_OR_RETURN(Runner prepared, Runner::Prepare(variant, runner));
    return prepared.RunOnAll(arguments);
  };
  const std::vector<std::vector<const Literal*>> arguments = {Pointers(set.arguments)};
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> results, run(module, arguments));
  return CompareWithStored(module, results[0], set.results, arguments[0], run);
}

std::optional<StoredExplanation> ExplainStored(const HloModule& module, const StoredSet& set, const Comparison& plain,
                                               const CheckOptions& options) {
  if (auto machine = ByMachine(module, set, plain, options)) return machine;
  return ByTable(module, set, plain, options);
}

}  // namespace hloir::triage
