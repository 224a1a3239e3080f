// One face for the two ways to run a module: prepared by PrepareExecutable, or step by step by the reference evaluator.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::tool {

enum class Engine { kFast, kReference };

struct RunnerOptions {
  Engine engine = Engine::kFast;
  int threads = 0;  // 0: as many as the machine has
  ElidedConstants elided = ElidedConstants::kRefuse;
  int64_t max_steps = EvaluatorOptions{}.max_steps;
  int64_t max_bytes = EvaluatorOptions{}.max_bytes;
  bool profile = false;
  bool fuse = true;  // by the engine: what the module fuses is one step anyway
  // As in EvaluatorOptions.
  std::function<StatusOr<Literal>(const Shape&)> infeed;
  std::function<Status(const Literal&)> outfeed;
  std::function<void(const HloInstruction&, const Literal&)> on_result;
  std::function<void(int64_t, int64_t)> on_progress;
};

EvaluatorOptions ToEvaluatorOptions(const RunnerOptions& options);

// Makes a module ready to be run often. It must outlive the runner.
class Runner {
 public:
  static StatusOr<Runner> Prepare(const HloModule& module, const RunnerOptions& options);
  StatusOr<Literal> Run(std::span<const Literal* const> arguments);
  // `result` is what an earlier run has given: its memory is used again.
  Status RunInto(std::span<const Literal* const> arguments, Literal* result);
  ExecutionProfile Profile() const { return executable_ ? executable_->Profile() : ExecutionProfile(); }
  int64_t arena_bytes() const { return executable_ ? executable_->arena_bytes() : 0; }
  // The instruction set in use, or "reference".
  std::string engine() const { return executable_ ? executable_->isa() : "reference"; }

 private:
  explicit Runner(const HloModule& module) : module_(&module) {}
  const HloModule* module_;
  std::unique_ptr<HloExecutable> executable_;  // one of the two
  std::unique_ptr<HloEvaluator> evaluator_;
};

}  // namespace hloir::tool
