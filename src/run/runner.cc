// See runner.h.
#include "hloir/runner.h"

#include <utility>

#include "hloir/evaluator.h"
#include "run/fit_memory.h"

namespace hloir {

EvaluatorOptions ToEvaluatorOptions(const RunnerOptions& options) {
  EvaluatorOptions evaluator;
  evaluator.elided = options.elided;
  evaluator.unknown_calls = options.unknown_calls;
  evaluator.max_steps = options.max_steps;
  evaluator.max_bytes = options.max_bytes;
  evaluator.cancel = options.cancel;
  evaluator.infeed = options.infeed;
  evaluator.outfeed = options.outfeed;
  evaluator.host_transfer = options.host_transfer;
  evaluator.on_result = options.on_result;
  evaluator.on_progress = options.on_progress;
  return evaluator;
}

StatusOr<Runner> Runner::Prepare(const HloModule& module, const RunnerOptions& options) {
  const HloModule* const program = &module;
  return PreparePrograms(std::span(&program, 1), options);
}

StatusOr<Runner> Runner::Prepare(std::span<const HloModule* const> programs, RunnerOptions options) {
  if (programs.size() > 1) options.devices = {1, static_cast<int64_t>(programs.size())};
  return PreparePrograms(programs, options);
}

StatusOr<Runner> Runner::PreparePrograms(std::span<const HloModule* const> programs, const RunnerOptions& options) {
  Runner runner(programs, options);
  if (options.memory_limit > 0 && programs.size() > 1)
    return Unimplemented("a limit of memory is for one program, not several");
  if (options.engine == Engine::kReference) {
    if (options.transport != nullptr || !options.spill_folder.empty())
      return Unimplemented("the reference keeps its devices in the memory of one process");
    if (options.memory_limit > 0) return Unimplemented("the reference has no arena to limit");
    if (runner.device_count() <= 1) runner.evaluator_ = MakeReferenceEvaluator(ToEvaluatorOptions(options));
    return runner;
  }
  if (options.memory_limit > 0) HLOIR_RETURN_IF_ERROR(runner.FitPlan());
  else HLOIR_RETURN_IF_ERROR(runner.PreparePlan(programs));
  return runner;
}

Status Runner::PreparePlan(std::span<const HloModule* const> programs) {
  ExecutableOptions executable;
  executable.threads = options_.threads;
  executable.isa = options_.isa;
  executable.evaluator = ToEvaluatorOptions(options_);
  executable.profile = options_.profile;
  executable.fuse_elementwise = options_.fuse;
  executable.choose_layouts = options_.choose_layouts;
  executable.pack_ahead = options_.memory_limit == 0;
  executable.transport = options_.transport;
  executable.spill_folder = options_.spill_folder;
  if (options_.memory_limit == 0) executable.cache = options_.cache;
  devices_.reset();
  executable_.reset();
  if (programs.size() > 1) {
    HLOIR_ASSIGN_OR_RETURN(devices_, PrepareOnDevices(programs, executable));
  } else if (device_count() > 1) {
    HLOIR_ASSIGN_OR_RETURN(devices_, PrepareOnDevices(*programs[0], options_.devices, executable));
  } else {
    HLOIR_ASSIGN_OR_RETURN(executable_, PrepareExecutable(*programs[0], executable));
  }
  return OkStatus();
}

// Prepares the plan, of the module itself or of a rewritten one.
Status Runner::FitPlan() {
  HLOIR_ASSIGN_OR_RETURN(
      fitted_, FitToMemory(*programs_[0], options_.memory_limit, [&](const HloModule& module) -> StatusOr<int64_t> {
        const HloModule* const program = &module;
        HLOIR_RETURN_IF_ERROR(PreparePlan(std::span(&program, 1)));
        return arena_bytes();
      }));
  return OkStatus();
}

StatusOr<Literal> Runner::Run(std::span<const Literal* const> arguments) {
  if (executable_) return executable_->Run(arguments);
  if (!evaluator_) return InvalidArgument("the module runs on several devices");
  return evaluator_->EvaluateComputation(*programs_[0]->entry_computation(), arguments);
}

Status Runner::RunInto(std::span<const Literal* const> arguments, Literal* result) {
  if (executable_) return executable_->RunInto(arguments, result);
  HLOIR_ASSIGN_OR_RETURN(*result, Run(arguments));
  return OkStatus();
}

StatusOr<std::vector<Literal>> Runner::RunOnAll(std::span<const std::vector<const Literal*>> arguments) {
  if (devices_) return devices_->Run(arguments);
  if (programs_.size() > 1) return RunOnDevices(programs_, arguments, ToEvaluatorOptions(options_));
  if (device_count() > 1) return RunOnDevices(*programs_[0], options_.devices, arguments, ToEvaluatorOptions(options_));
  if (arguments.size() != 1) return InvalidArgument("there are arguments for several devices, but one device");
  HLOIR_ASSIGN_OR_RETURN(Literal result, Run(arguments[0]));
  std::vector<Literal> results;
  results.push_back(std::move(result));
  return results;
}

}  // namespace hloir
