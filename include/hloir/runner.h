// One interface to the ways of running a module: prepared by PrepareExecutable, step by step by the reference
// evaluator, or on several simulated devices.
//
// Example:
//
//   RunnerOptions options;
//   options.engine = Engine::kReference;
//   StatusOr<Runner> runner = Runner::Prepare(module, options);
//   Literal x(Shape::Array(PrimitiveType::F32, {2}));
//   const Literal* arguments[] = {&x};
//   if (runner.ok() && runner->Run(arguments).ok()) std::puts(runner->engine().c_str());  // reference
//
// A Runner is used by one thread at a time; several runners of one module may run at once. Tested by
// tests/unit/check_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

enum class Engine { kFast, kReference };

// The engine that runs a module, its devices and limits.
struct RunnerOptions {
  Engine engine = Engine::kFast;
  int threads = 0;  // 0: as many as the machine has
  std::string isa;  // as in ExecutableOptions
  ElidedConstants elided = ElidedConstants::kRefuse;
  UnknownCalls unknown_calls = UnknownCalls::kRefuse;
  int64_t max_steps = EvaluatorOptions{}.max_steps;
  int64_t max_bytes = EvaluatorOptions{}.max_bytes;
  const std::atomic<bool>* cancel = nullptr;
  bool profile = false;
  bool fuse = true;            // the engine's own fusion; fused instructions are one step
  bool choose_layouts = true;  // see ExecutableOptions
  // As in EvaluatorOptions.
  std::function<StatusOr<Literal>(const Shape&)> infeed;
  std::function<Status(const Literal&)> outfeed;
  HostTransferHandler host_transfer;
  std::function<void(const HloInstruction&, const Literal&)> on_result;
  std::function<void(int64_t, int64_t)> on_progress;
  DeviceCounts devices{};          // with more than one, `profile` describes the first
  Transport* transport = nullptr;  // as in ExecutableOptions, for several devices of the fast engine
  std::string spill_folder;
  // Limit in bytes on the fast engine's arena. If a module's plan needs more, its instructions are reordered and values
  // rematerialized; if it still does not fit, Prepare fails with both sizes. 0: no limit.
  int64_t memory_limit = 0;
  std::string cache;  // as in ExecutableOptions; not with a limit of memory: see PlanCache
};

EvaluatorOptions ToEvaluatorOptions(const RunnerOptions& options);

// Prepares a module for repeated runs. It must outlive the runner.
class Runner {
 public:
  static StatusOr<Runner> Prepare(const HloModule& module, const RunnerOptions& options);
  // Partition p of one replica runs programs[p], of at least one.
  static StatusOr<Runner> Prepare(std::span<const HloModule* const> programs, RunnerOptions options);
  // On one device. InvalidArgument if there are several.
  StatusOr<Literal> Run(std::span<const Literal* const> arguments);
  // Like Run, but writes into `result`, the result of an earlier run, whose memory is reused.
  Status RunInto(std::span<const Literal* const> arguments, Literal* result);
  // On each device; also if there is one. arguments[d] are device d's.
  StatusOr<std::vector<Literal>> RunOnAll(std::span<const std::vector<const Literal*>> arguments);
  int64_t device_count() const { return options_.devices.devices(); }
  // For the fast engine; with several devices, the first one's.
  ExecutionProfile Profile() const { return prepared() ? prepared()->Profile() : ExecutionProfile(); }
  // The number of instructions that were added to meet the limit.
  int64_t added_instructions() const {
    return fitted_ ? fitted_->instruction_count() - programs_[0]->instruction_count() : 0;
  }
  int64_t arena_bytes() const { return prepared() ? prepared()->arena_bytes() : 0; }
  CacheUse cache_use() const { return prepared() ? prepared()->cache_use() : CacheUse(); }
  // The instruction set in use, or "reference".
  std::string engine() const { return prepared() ? prepared()->isa() : "reference"; }

 private:
  Runner(std::span<const HloModule* const> programs, const RunnerOptions& options)
      : programs_(programs.begin(), programs.end()), options_(options) {}
  static StatusOr<Runner> PreparePrograms(std::span<const HloModule* const> programs, const RunnerOptions& options);
  Status PreparePlan(std::span<const HloModule* const> programs);
  Status FitPlan();
  const HloExecutable* prepared() const { return devices_ ? &devices_->device(0) : executable_.get(); }
  std::vector<const HloModule*> programs_;
  RunnerOptions options_;
  std::unique_ptr<HloModule> fitted_;          // the module that is run instead
  std::unique_ptr<HloExecutable> executable_;  // one of these three; the reference on several devices needs none
  std::unique_ptr<HloEvaluator> evaluator_;
  std::unique_ptr<HloDeviceExecutable> devices_;
};

}  // namespace hloir
#pragma GCC visibility pop
