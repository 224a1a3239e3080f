// Runs the contents of a dump folder: stages one after the other, and snapshots; see inspect/dumps.h.
#include <memory>
#include <optional>
#include <utility>

#include "inspect/dumps.h"
#include "hloir/analysis.h"
#include "hloir/io.h"

namespace hloir {
namespace {

// Runs a snapshot's module on its inputs and compares the result with the stored one.
Status RunSnapshot(SnapshotVerdict& verdict) {
  HLOIR_ASSIGN_OR_RETURN(const ModuleFile file, ReadModuleFile(verdict.path, {.one_module = true}));
  if (!file.has_arguments() && file.module().entry_computation()->parameter_count() > 0)
    return InvalidArgument("it has no inputs");
  HLOIR_ASSIGN_OR_RETURN(StoredValues stored, StoredValuesOf(file.proto));
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> arguments,
                         ArgumentsFromLeaves(file.module(), std::move(stored.inputs)));
  const ModuleRunner run = [](const HloModule& module,
                              std::span<const std::vector<const Literal*>> inputs) -> StatusOr<std::vector<Literal>> {
    HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, RunnerOptions{}));
    return runner.RunOnAll(inputs);
  };
  const std::vector<std::vector<const Literal*>> pointers = {Pointers(arguments)};
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> results, run(file.module(), pointers));
  verdict.has_results = !stored.results.empty();
  if (verdict.has_results)
    verdict.comparison =
        CompareWithStored(file.module(), results[0], Literal::Tuple(std::move(stored.results)), pointers[0], run);
  return OkStatus();
}

}  // namespace

StatusOr<DumpVerdict> VerifyStages(const DumpFolder::Module& module, const CheckOptions& options,
                                   const ElidedValues& elided, std::vector<InputSet> inputs) {
  std::unique_ptr<HloModule> first;
  std::optional<Checker> checker;
  DumpVerdict result;
  std::optional<uint64_t> last_structure;  // of folders that were listed it is not known what changed
  for (size_t k = 0; k < module.stages.size(); ++k) {
    const DumpFolder::Stage& stage = module.stages[k];
    if (!stage.status.ok() || !stage.changed) continue;
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> now, ReadModule(stage.path));
    HLOIR_ASSIGN_OR_RETURN(const int64_t filled, FillElided(*now, elided));
    const uint64_t structure = StructuralHash(*now);
    if (std::exchange(last_structure, structure) == structure) continue;
    if (first == nullptr) {
      result.elided = filled;
      first = std::move(now);
      checker.emplace(*first, std::move(inputs), options);
      continue;
    }
    HLOIR_ASSIGN_OR_RETURN(result.verdict, checker->Check(*now));
    ++result.stages;
    result.assumptions.insert(result.verdict.assumptions.begin(), result.verdict.assumptions.end());
    if (result.verdict.agrees()) continue;
    result.guilty = static_cast<int64_t>(k);
    return result;
  }
  return result;
}

std::vector<SnapshotVerdict> RunSnapshots(const DumpFolder::Module& module) {
  std::vector<SnapshotVerdict> verdicts;
  for (const std::string& path : module.snapshots) {
    SnapshotVerdict& verdict = verdicts.emplace_back();
    verdict.path = path;
    verdict.status = RunSnapshot(verdict);
  }
  return verdicts;
}

}  // namespace hloir
