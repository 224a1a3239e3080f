// See runner.h.
#include "hloir/check/runner.h"

#include "hloir/evaluator.h"

namespace hloir {

EvaluatorOptions ToEvaluatorOptions(const RunnerOptions& options) {
  EvaluatorOptions evaluator;
  evaluator.elided = options.elided;
  evaluator.max_steps = options.max_steps;
  evaluator.max_bytes = options.max_bytes;
  evaluator.cancel = options.cancel;
  evaluator.infeed = options.infeed;
  evaluator.outfeed = options.outfeed;
  evaluator.on_result = options.on_result;
  evaluator.on_progress = options.on_progress;
  return evaluator;
}

StatusOr<Runner> Runner::Prepare(const HloModule& module, const RunnerOptions& options) {
  Runner runner(module, options);
  const bool several = runner.device_count() > 1;
  const EvaluatorOptions evaluator = ToEvaluatorOptions(options);
  if (options.engine == Engine::kReference) {
    if (options.transport != nullptr || !options.spill_folder.empty())
      return Unimplemented("the reference keeps its devices in the memory of one process");
    if (!several) runner.evaluator_ = MakeReferenceEvaluator(evaluator);
    return runner;
  }
  ExecutableOptions executable;
  executable.threads = options.threads;
  executable.isa = options.isa;
  executable.evaluator = evaluator;
  executable.profile = options.profile;
  executable.fuse_elementwise = options.fuse;
  executable.transport = options.transport;
  executable.spill_folder = options.spill_folder;
  if (several) {
    HLOIR_ASSIGN_OR_RETURN(runner.devices_, PrepareOnDevices(module, options.devices, executable));
  } else {
    HLOIR_ASSIGN_OR_RETURN(runner.executable_, PrepareExecutable(module, executable));
  }
  return runner;
}

StatusOr<Literal> Runner::Run(std::span<const Literal* const> arguments) {
  if (executable_) return executable_->Run(arguments);
  if (!evaluator_) return InvalidArgument("the module runs on several devices");
  return evaluator_->EvaluateComputation(*module_->entry_computation(), arguments);
}

Status Runner::RunInto(std::span<const Literal* const> arguments, Literal* result) {
  if (executable_) return executable_->RunInto(arguments, result);
  HLOIR_ASSIGN_OR_RETURN(*result, Run(arguments));
  return OkStatus();
}

StatusOr<std::vector<Literal>> Runner::RunOnAll(std::span<const std::vector<const Literal*>> arguments) {
  if (devices_) return devices_->Run(arguments);
  if (device_count() > 1) return RunOnDevices(*module_, options_.devices, arguments, ToEvaluatorOptions(options_));
  if (arguments.size() != 1) return InvalidArgument("there are arguments for several devices, but one device");
  HLOIR_ASSIGN_OR_RETURN(Literal result, Run(arguments[0]));
  std::vector<Literal> results;
  results.push_back(std::move(result));
  return results;
}

}  // namespace hloir
