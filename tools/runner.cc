// See runner.h.
#include "tools/runner.h"

namespace hloir::tool {

EvaluatorOptions ToEvaluatorOptions(const RunnerOptions& options) {
  EvaluatorOptions evaluator;
  evaluator.elided = options.elided;
  evaluator.max_steps = options.max_steps;
  evaluator.max_bytes = options.max_bytes;
  evaluator.infeed = options.infeed;
  evaluator.outfeed = options.outfeed;
  evaluator.on_result = options.on_result;
  evaluator.on_progress = options.on_progress;
  return evaluator;
}

StatusOr<Runner> Runner::Prepare(const HloModule& module, const RunnerOptions& options) {
  Runner runner(module);
  const EvaluatorOptions evaluator = ToEvaluatorOptions(options);
  if (options.engine == Engine::kReference) {
    runner.evaluator_ = MakeReferenceEvaluator(evaluator);
    return runner;
  }
  ExecutableOptions executable;
  executable.threads = options.threads;
  executable.evaluator = evaluator;
  executable.profile = options.profile;
  executable.fuse_elementwise = options.fuse;
  HLOIR_ASSIGN_OR_RETURN(runner.executable_, PrepareExecutable(module, executable));
  return runner;
}

StatusOr<Literal> Runner::Run(std::span<const Literal* const> arguments) {
  if (executable_) return executable_->Run(arguments);
  return evaluator_->EvaluateComputation(*module_->entry_computation(), arguments);
}

Status Runner::RunInto(std::span<const Literal* const> arguments, Literal* result) {
  if (executable_) return executable_->RunInto(arguments, result);
  HLOIR_ASSIGN_OR_RETURN(*result, Run(arguments));
  return OkStatus();
}

}  // namespace hloir::tool
