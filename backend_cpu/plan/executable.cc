// PrepareExecutable and PrepareOnDevices: a plan or, for a module that the planner does not support, the reference
// evaluator for the whole module. Tests: tests/unit/executable_test.cc.
#include "hloir/executable.h"

#include <algorithm>

#include "devices/device_executable.h"
#include "devices/evaluators.h"
#include "isa/isas.h"
#include "plan/lower/build_graph.h"
#include "plan/planned_executable.h"
#include "plan/run/thread_pool.h"
#include "support/guard.h"

namespace hloir {
namespace cpu {
namespace {

// An executable whose runs allocate their result.
class ResultMaker : public HloExecutable {
 public:
  explicit ResultMaker(const HloModule& module) : entry_(*module.entry_computation()) {}
  Status RunInto(std::span<const Literal* const> arguments, Literal* result) override {
    if (!(result->shape() == entry_.root()->shape()))
      return InvalidArgument("the literal for the result has another shape");
    HLOIR_ASSIGN_OR_RETURN(Literal value, Run(arguments));
    result->Take(std::move(value));
    return OkStatus();
  }

 protected:
  const HloComputation& entry_;
};

class ReferenceExecutable : public ResultMaker {
 public:
  ReferenceExecutable(const HloModule& module, const ExecutableOptions& options, std::string why,
                      reference::Device* device)
      : ResultMaker(module),
        evaluator_(reference::MakeStepEvaluator(options.evaluator, nullptr, device)),
        why_(std::move(why)) {}
  StatusOr<Literal> Run(std::span<const Literal* const> arguments) override {
    HLOIR_RETURN_IF_ERROR(CheckArguments(entry_, arguments));
    return evaluator_->EvaluateComputation(entry_, arguments);
  }
  int64_t arena_bytes() const override { return 0; }
  std::string isa() const override { return "reference"; }
  std::string ToString() const override { return "reference: " + why_ + "\n"; }

 private:
  std::unique_ptr<HloEvaluator> evaluator_;
  std::string why_;
};

void AddLayoutChoices(const Graph& graph, std::vector<LayoutChoice>& choices) {
  for (const Node& node : graph.nodes)
    for (const auto& inner : node.graphs) AddLayoutChoices(*inner, choices);
  for (const OrderReason& choice : graph.order_reasons) {
    LayoutChoice& made = choices.emplace_back();
    made.instruction = std::string(choice.instruction->name());
    made.shape = Shape::Array(choice.instruction->shape().element_type(), choice.dims);
    DimVector minor_to_major = choice.order;
    std::reverse(minor_to_major.begin(), minor_to_major.end());
    if (minor_to_major.empty())
      for (int64_t d = made.shape.rank(); d-- > 0;) minor_to_major.push_back(d);
    Layout layout;
    layout.set_minor_to_major(minor_to_major);
    made.shape.set_layout(std::move(layout));
    made.moved = choice.moved;
    made.reason = choice.reason;
  }
}

// The executable of `device`, or, if null, of the only device.
StatusOr<std::unique_ptr<HloExecutable>> PrepareOn(reference::Device* device, const HloModule& module,
                                                   const ExecutableOptions& options) {
  if (module.entry_computation() == nullptr) return InvalidArgument("the module has no entry computation");
  HLOIR_ASSIGN_OR_RETURN(const KernelTable* kernels, ChooseKernels(options.isa));
  const auto lower = [&] {
    return BuildGraph(*module.entry_computation(), options.evaluator, *kernels, device != nullptr,
                      options.choose_layouts);
  };
  auto graph = lower();
  if (!graph.ok()) {
    if (graph.status().code() != StatusCode::kUnimplemented) return graph.status();
    return std::unique_ptr<HloExecutable>(
        std::make_unique<ReferenceExecutable>(module, options, graph.status().message(), device));
  }
  return MakePlannedExecutable(module, std::move(*graph), options, *kernels, device, lower);
}

StatusOr<std::unique_ptr<HloDeviceExecutable>> PrepareDevices(std::span<const HloModule* const> programs,
                                                              const DeviceCounts& counts, ExecutableOptions options) {
  options.threads = ThreadCount(options.threads);
  return reference::PrepareDevices(counts, programs, options,
                                   [](reference::Device& device, const HloModule& program,
                                      const ExecutableOptions& mine) { return PrepareOn(&device, program, mine); });
}

// A module on one device that sends to itself.
class PreparedForItself : public ResultMaker {
 public:
  using ResultMaker::ResultMaker;
  Status Prepare(const HloModule& module, const ExecutableOptions& options) {
    const HloModule* const program = &module;
    HLOIR_ASSIGN_OR_RETURN(devices_, PrepareDevices(std::span(&program, 1), DeviceCounts(), options));
    return OkStatus();
  }
  StatusOr<Literal> Run(std::span<const Literal* const> arguments) override {
    const std::vector<const Literal*> mine(arguments.begin(), arguments.end());
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> results, devices_->Run(std::span(&mine, 1)));
    return std::move(results[0]);
  }
  int64_t arena_bytes() const override { return devices_->device(0).arena_bytes(); }
  std::string isa() const override { return devices_->device(0).isa(); }
  ExecutionProfile Profile() const override { return devices_->device(0).Profile(); }
  std::string ToString() const override { return devices_->device(0).ToString(); }

 private:
  std::unique_ptr<HloDeviceExecutable> devices_;
};

}  // namespace
}  // namespace cpu

ExecutionProfile HloExecutable::Profile() const { return {}; }
CacheUse HloExecutable::cache_use() const { return {}; }

StatusOr<std::vector<LayoutChoice>> ChosenLayouts(const HloModule& module, const ExecutableOptions& options) {
  return Guarded([&]() -> StatusOr<std::vector<LayoutChoice>> {
    std::vector<LayoutChoice> choices;
    if (module.entry_computation() == nullptr) return InvalidArgument("the module has no entry computation");
    HLOIR_ASSIGN_OR_RETURN(const cpu::KernelTable* kernels, cpu::ChooseKernels(options.isa));
    const auto lowered =
        cpu::BuildGraph(*module.entry_computation(), options.evaluator, *kernels, false, options.choose_layouts);
    if (lowered.ok()) cpu::AddLayoutChoices(*lowered->graph, choices);
    else if (lowered.status().code() != StatusCode::kUnimplemented) return lowered.status();
    return choices;
  });
}

StatusOr<std::unique_ptr<HloExecutable>> PrepareExecutable(const HloModule& module, const ExecutableOptions& options) {
  return Guarded([&]() -> StatusOr<std::unique_ptr<HloExecutable>> {
    const bool is_whole = module.entry_computation() != nullptr && DeviceCountsOf(module).devices() == 1;
    if (!is_whole || !reference::HasTransfers(module)) return cpu::PrepareOn(nullptr, module, options);
    auto prepared = std::make_unique<cpu::PreparedForItself>(module);
    HLOIR_RETURN_IF_ERROR(prepared->Prepare(module, options));
    return std::unique_ptr<HloExecutable>(std::move(prepared));
  });
}

namespace {

StatusOr<std::unique_ptr<HloDeviceExecutable>> PreparePrograms(std::span<const HloModule* const> programs,
                                                               const DeviceCounts& counts,
                                                               const ExecutableOptions& options) {
  return Guarded([&]() -> StatusOr<std::unique_ptr<HloDeviceExecutable>> {
    HLOIR_RETURN_IF_ERROR(CheckDeviceCounts(counts));
    return cpu::PrepareDevices(programs, counts, options);
  });
}

}  // namespace

StatusOr<std::unique_ptr<HloDeviceExecutable>> PrepareOnDevices(const HloModule& module, const DeviceCounts& counts,
                                                                const ExecutableOptions& options) {
  const HloModule* const program = &module;
  return PreparePrograms(std::span(&program, 1), counts, options);
}

StatusOr<std::unique_ptr<HloDeviceExecutable>> PrepareOnDevices(std::span<const HloModule* const> programs,
                                                                const ExecutableOptions& options) {
  return PreparePrograms(programs, {1, static_cast<int64_t>(programs.size())}, options);
}

}  // namespace hloir
