// HloPassPipeline: runs passes in order and groups of them to a fixpoint; times them, counts instructions, calls the
// caller's hooks, and optionally verifies the module after each and compares its `changed` with the structural hash.
#include "hloir/pipeline.h"

#include <algorithm>

#include "hloir/analysis.h"
#include "ir/mixed_floats.h"
#include "hloir/verifier.h"
#include "support/guard.h"
#include "support/stopwatch.h"

namespace hloir {

struct HloPassPipeline::Stage {
  std::vector<std::unique_ptr<HloPass>> passes;
  bool fixpoint = false;
};

HloPassPipeline::HloPassPipeline() = default;
HloPassPipeline::HloPassPipeline(PipelineOptions options) : options_(std::move(options)) {}
HloPassPipeline::HloPassPipeline(HloPassPipeline&&) noexcept = default;
HloPassPipeline& HloPassPipeline::operator=(HloPassPipeline&&) noexcept = default;
HloPassPipeline::~HloPassPipeline() = default;

void HloPassPipeline::Add(std::unique_ptr<HloPass> pass) {
  Stage& stage = stages_.emplace_back();
  stage.passes.push_back(std::move(pass));
}

void HloPassPipeline::AddFixpoint(std::vector<std::unique_ptr<HloPass>> passes) {
  stages_.push_back({std::move(passes), true});
}

Status HloPassPipeline::InsertBefore(std::string_view name, std::unique_ptr<HloPass> pass) {
  return Insert(name, 0, std::move(pass));
}

Status HloPassPipeline::InsertAfter(std::string_view name, std::unique_ptr<HloPass> pass) {
  return Insert(name, 1, std::move(pass));
}

Status HloPassPipeline::Insert(std::string_view name, int64_t offset, std::unique_ptr<HloPass> pass) {
  for (Stage& stage : stages_) {
    const auto at = std::find_if(stage.passes.begin(), stage.passes.end(), [&](auto& p) { return p->name() == name; });
    if (at == stage.passes.end()) continue;
    if (stage.fixpoint) {
      stage.passes.insert(at + offset, std::move(pass));
    } else {
      Stage& made = *stages_.insert(stages_.begin() + (&stage - stages_.data()) + offset, Stage());
      made.passes.push_back(std::move(pass));
    }
    return OkStatus();
  }
  return InvalidArgument("the pipeline has no pass '" + std::string(name) + "'");
}

StatusOr<bool> HloPassPipeline::RunPass(HloPass& pass, HloModule& module) {
  const std::string name(pass.name());
  PassEvent event{.pass = name, .number = static_cast<int64_t>(runs_.size())};
  if (options_.before) HLOIR_RETURN_IF_ERROR(options_.before(event, module));
  const uint64_t hash = options_.verify_each ? StructuralHash(module) : 0;
  PassRun run;
  run.pass = name;
  run.instructions_before = module.instruction_count();
  if (options_.growth != nullptr) options_.growth->BeginPass(module);
  const Stopwatch watch;
  StatusOr<bool> changed = pass.Run(module);
  run.milliseconds = watch.Milliseconds();
  if (!changed.ok()) return Status(changed.status().code(), "pass " + name + ": " + changed.status().message());
  run.changed = *changed;
  run.stopped = options_.growth != nullptr && options_.growth->stopped();
  run.instructions_after = run.changed ? module.instruction_count() : run.instructions_before;
  runs_.push_back(run);
  if (options_.verify_each) {
    if (Status status = VerifyModule(module); !status.ok()) {
      return Internal("after pass " + name + " the module is not legal: " + status.message());
    }
    // The reverse is not an error: a pass may rename instructions or undo a change.
    if (!run.changed && StructuralHash(module) != hash) {
      return Internal("pass " + name + " changed the module but reported no change");
    }
  }
  event.changed = run.changed;
  event.run = &run;
  if (options_.after) HLOIR_RETURN_IF_ERROR(options_.after(event, module));
  return run.changed;
}

StatusOr<bool> HloPassPipeline::RunStage(Stage& stage, HloModule& module) {
  bool changed = false;
  // In a fixpoint, a pass need not run again once all others in turn have changed nothing since it ran.
  size_t quiet = 0;
  for (int round = 0; round < (stage.fixpoint ? options_.max_iterations : 1); ++round) {
    for (const std::unique_ptr<HloPass>& pass : stage.passes) {
      HLOIR_ASSIGN_OR_RETURN(bool pass_changed, RunPass(*pass, module));
      changed |= pass_changed;
      quiet = pass_changed ? 0 : quiet + 1;
      if (stage.fixpoint && quiet >= stage.passes.size()) return changed;
    }
  }
  return changed;
}

StatusOr<bool> HloPassPipeline::RunOnce(HloModule& module) try {
  if (options_.growth != nullptr) options_.growth->Begin(module);
  return RunStages(module);
} catch (...) {
  return OutOfMemory();
}

StatusOr<bool> HloPassPipeline::RunStages(HloModule& module) {
  bool changed = LegalizeMixedFloats(module);
  for (Stage& stage : stages_) {
    HLOIR_ASSIGN_OR_RETURN(bool stage_changed, RunStage(stage, module));
    changed |= stage_changed;
  }
  changed |= module.PutInTextOrder();
  return changed;
}

StatusOr<bool> HloPassPipeline::RunToFixpoint(HloModule& module) try {
  if (options_.growth != nullptr) options_.growth->Begin(module);
  bool changed = false;
  for (int round = 0; round < options_.max_iterations; ++round) {
    HLOIR_ASSIGN_OR_RETURN(bool round_changed, RunStages(module));
    changed |= round_changed;
    if (!round_changed) break;
  }
  return changed;
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
