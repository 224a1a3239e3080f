// PrepareExecutable: graph, plan, buffers, and the object that runs them. A module that the planner does not take
// is run by the reference evaluator as a whole. Tests: tests/unit/executable_test.cc.
#include "hloir/executable.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <unistd.h>

#include "hloir/printer.h"
#include "support/format.h"
#include "isa/isas.h"
#include "plan/lower/build_graph.h"
#include "plan/schedule/planner.h"
#include "plan/schedule/profiler.h"
#include "plan/steps/simple_steps.h"
#include "reference/devices.h"
#include "reference/remote.h"
#include "reference/spill.h"
#include "support/guard.h"
#include "support/huge_pages.h"

namespace hloir {
namespace cpu {
namespace {

struct FreeDeleter {
  void operator()(std::byte* p) const { std::free(p); }
};
using AlignedBlock = std::unique_ptr<std::byte[], FreeDeleter>;

// In whole pages, so that no two blocks begin in step with one another by chance of the heap.
AlignedBlock AllocateAligned(int64_t bytes) {
  const size_t alignment = bytes >= 4 << 20 ? kHugePage : 4096;
  const size_t rounded = (static_cast<size_t>(std::max<int64_t>(bytes, 1)) + alignment - 1) / alignment * alignment;
  AlignedBlock block(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (alignment == kHugePage && block != nullptr) WishForHugePages(block.get(), rounded);
  return block;
}

template <class L, class F>
void ForEachLeaf(L& literal, F&& f) {
  if (literal.shape().IsTuple()) {
    for (auto& element : literal.elements()) ForEachLeaf(element, f);
  } else {
    f(literal);
  }
}

Status CheckArguments(const HloComputation& entry, std::span<const Literal* const> arguments) {
  if (static_cast<int64_t>(arguments.size()) != entry.parameter_count()) {
    return InvalidArgument(Format("expected {} arguments, got {}", entry.parameter_count(), arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i]->shape().Compatible(entry.parameter(i)->shape())) {
      return InvalidArgument(Format("argument {} has shape {}, the parameter {}", i, arguments[i]->shape().ToString(),
                                    entry.parameter(i)->shape().ToString()));
    }
  }
  return OkStatus();
}

class PlannedExecutable : public HloExecutable {
 public:
  PlannedExecutable(const HloModule& module, const ExecutableOptions& options, const KernelTable& kernels,
                    reference::Device* device)
      : entry_(*module.entry_computation()), options_(options), pool_(options.threads) {
    EvaluatorOptions evaluator = options.evaluator;
    evaluator.on_progress = nullptr;  // of the plan's own steps
    evaluator_ = reference::MakeStepEvaluator(std::move(evaluator), &random_, device);
    context_.kernels = &kernels;
    context_.evaluator = evaluator_.get();
    context_.fuse = options.fuse_elementwise;
    context_.threads = pool_.threads();
    runtime_.kernels = &kernels;
    runtime_.pool = &pool_;
    runtime_.evaluator = evaluator_.get();
    runtime_.cancel = options.evaluator.cancel;
  }

  Status Prepare(LoweredGraph lowered) {
    const Graph& graph = *lowered.graph;
    expanded_ = std::move(lowered.expanded);
    BufferTable& buffers = context_.buffers;
    std::vector<Ref> parameters;
    for (size_t i = 0; i < graph.parameters.size(); ++i) {
      const GraphValue& value = graph.values[graph.parameters[i]];
      if (value.kind == ValueKind::kDynamic) {
        dynamic_parameters_.emplace_back(i, context_.dynamic_count);
        context_.dynamic_bytes += Shape::Array(value.type, value.dims).ByteSize();
        parameters.push_back({.dynamic = context_.dynamic_count++});
        continue;
      }
      const int32_t buffer = buffers.Add(Buffer::kParameter, value.bytes());
      buffers[buffer].index = static_cast<int32_t>(i);
      parameters.push_back({.buffer = buffer});
    }
    Planner planner(context_, graph, steps_, parameters);
    HLOIR_RETURN_IF_ERROR(planner.PlanNodes());
    planner.CloseAll();
    for (size_t i = 0; i < graph.results.size(); ++i) {
      const GraphValue value = graph.values[graph.results[i]];
      if (value.kind == ValueKind::kToken) continue;
      if (value.kind == ValueKind::kDynamic) {
        HLOIR_ASSIGN_OR_RETURN(const Ref ref, planner.Locate(graph.results[i]));
        dynamic_results_.emplace_back(i, ref.dynamic);
        continue;
      }
      const int32_t buffer = buffers.Add(Buffer::kResult, value.bytes(), StorageBytes(value.type));
      buffers[buffer].index = static_cast<int32_t>(i);
      HLOIR_RETURN_IF_ERROR(planner.CopyTo(graph.results[i], {.buffer = buffer}));
    }
    parameter_pointers_.resize(graph.parameters.size());
    result_pointers_.resize(graph.results.size());
    arena_bytes_ = buffers.Assign();
    runtime_.dynamic.resize(static_cast<size_t>(context_.dynamic_count));
    block_bytes_ = std::max<int64_t>(0, context_.block_bytes - kBlockBytes) * pool_.threads();
    const int64_t max_bytes = options_.evaluator.max_bytes, result_bytes = entry_.root()->shape().ByteSize(),
                  dynamic_bytes = context_.dynamic_bytes;
    if (arena_bytes() > max_bytes || result_bytes > max_bytes - arena_bytes() ||
        dynamic_bytes > max_bytes - arena_bytes() - result_bytes) {
      return ResourceExhausted(Format("the values of a run take {} bytes and its result {}, more than the limit of {}",
                                      arena_bytes(), result_bytes, max_bytes));
    }
    if (options_.spill_folder.empty()) {
      arena_ = AllocateAligned(arena_bytes_);
      if (arena_ == nullptr)
        return ResourceExhausted(Format("out of memory: the values of a run take {} bytes", arena_bytes_));
    } else {
      HLOIR_ASSIGN_OR_RETURN(spilled_, reference::FileBlock::Make(options_.spill_folder, arena_bytes_));
    }
    for (int i = 0; i < pool_.threads(); ++i) {
      scratch_.push_back(AllocateAligned(kScratchBytes + std::max(kBlockBytes, context_.block_bytes)));
      if (scratch_.back() == nullptr) return ResourceExhausted("no memory for the threads' registers");
      runtime_.scratch.push_back(scratch_.back().get());
    }
    BindAll();
    if (options_.profile) {
      profiler_ = std::make_unique<Profiler>(buffers);
      runtime_.profiler = profiler_.get();
    }
    return OkStatus();
  }

  StatusOr<Literal> Run(std::span<const Literal* const> arguments) override {
    return Guarded([&]() -> StatusOr<Literal> {
      Literal result(entry_.root()->shape());
      HLOIR_RETURN_IF_ERROR(RunOnce(arguments, &result));
      return result;
    });
  }

  Status RunInto(std::span<const Literal* const> arguments, Literal* result) override {
    return Guarded([&] { return RunOnce(arguments, result); });
  }

  int64_t arena_bytes() const override { return arena_bytes_ + block_bytes_; }
  std::string isa() const override { return IsaName(context_.kernels->isa); }
  ExecutionProfile Profile() const override {
    return profiler_ == nullptr ? ExecutionProfile() : profiler_->Report(*context_.kernels, pool_.threads());
  }

  std::string ToString() const override {
    std::string text;
    std::vector<std::pair<int32_t, const Step*>> order;
    for (const auto& [step, time] : context_.buffers.steps()) order.emplace_back(time, step);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    auto place = [&](const Ref& ref) {
      if (ref.buffer < 0) return std::string("-");
      const Buffer& buffer = context_.buffers.Final(ref.buffer);
      switch (buffer.kind) {
        case Buffer::kArena:
          if (buffer.host >= 0) return Format("out{}+{}", context_.buffers.Final(buffer.host).index, ref.offset);
          return Format("{}", ref.offset);
        case Buffer::kFixed: return Format("constant+{}", ref.offset);
        case Buffer::kParameter: return Format("in{}+{}", buffer.index, ref.offset);
        case Buffer::kResult: return Format("out{}+{}", buffer.index, ref.offset);
      }
      return std::string();
    };
    for (const auto& [time, step] : order) {
      text += Format("{:5} {} (", time, step->Name());
      for (size_t i = 0; i < step->refs().size(); ++i) {
        text += static_cast<int>(i) == step->first_written() ? " -> " : i > 0 ? ", " : "";
        text += place(step->refs()[i]);
      }
      text += ")\n";
    }
    return text;
  }

 private:
  // Someone else's memory, and the refs of steps that point into it.
  struct Outside {
    std::byte* pointer = nullptr;
    std::vector<std::pair<Step*, int>> refs;
  };

  Status RunOnce(std::span<const Literal* const> arguments, Literal* result) {
    HLOIR_RETURN_IF_ERROR(CheckArguments(entry_, arguments));
    if (!(result->shape() == entry_.root()->shape()))
      return InvalidArgument("the literal for the result has another shape");
    size_t leaf = 0;
    for (const Literal* argument : arguments) {
      ForEachLeaf(*argument,
                  [&](const Literal& literal) { MoveTo(parameter_pointers_[leaf++], literal.untyped_data()); });
    }
    leaf = 0;
    ForEachLeaf(*result, [&](Literal& literal) { MoveTo(result_pointers_[leaf++], literal.untyped_data()); });
    if (!dynamic_parameters_.empty()) LoadDynamicParameters(arguments);
    for (Step* step : moved_) step->Bound(runtime_);
    moved_.clear();
    runtime_.status = OkStatus();
    random_ = {};  // the same numbers in each run
    runtime_.steps_left = options_.evaluator.max_steps;
    if (!RunEntry()) {
      runtime_.Stop();
      return runtime_.status;
    }
    if (!dynamic_results_.empty()) StoreDynamicResults(result);
    return OkStatus();
  }

  void LoadDynamicParameters(std::span<const Literal* const> arguments) {
    std::vector<const Literal*> leaves;
    for (const Literal* argument : arguments)
      ForEachLeaf(*argument, [&](const Literal& literal) { leaves.push_back(&literal); });
    for (auto [leaf, dynamic] : dynamic_parameters_) runtime_.dynamic[static_cast<size_t>(dynamic)] = *leaves[leaf];
  }
  // Several results may be one value.
  void StoreDynamicResults(Literal* result) {
    std::vector<Literal*> leaves;
    ForEachLeaf(*result, [&](Literal& literal) { leaves.push_back(&literal); });
    for (auto [leaf, dynamic] : dynamic_results_) {
      const Literal& value = runtime_.dynamic[static_cast<size_t>(dynamic)];
      if (value.size_bytes() > 0)
        std::memcpy(leaves[leaf]->untyped_data(), value.untyped_data(), static_cast<size_t>(value.size_bytes()));
      leaves[leaf]->set_dynamic_sizes(value.dynamic_sizes());
    }
  }

  bool RunEntry() {
    const auto& report = options_.evaluator.on_progress;
    if (!report) return RunSteps(steps_, runtime_);
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (!runtime_.Tick()) return false;
      if (profiler_ != nullptr ? !profiler_->RunStep(*steps_[i], runtime_) : !steps_[i]->Run(runtime_)) return false;
      report(static_cast<int64_t>(i) + 1, static_cast<int64_t>(steps_.size()));
    }
    return true;
  }

  void BindAll() {
    std::byte* const arena = arena_ != nullptr ? arena_.get() : spilled_.data();
    for (const auto& [step, time] : context_.buffers.steps()) {
      for (int i = 0; i < static_cast<int>(step->refs().size()); ++i) {
        Ref& ref = step->refs()[i];
        if (ref.buffer < 0) continue;
        const Buffer& buffer = context_.buffers.Final(ref.buffer);
        switch (buffer.kind) {
          case Buffer::kArena:
            ref.offset += buffer.offset;
            if (buffer.host < 0) ref.pointer = arena + ref.offset;
            else result_pointers_[context_.buffers.Final(buffer.host).index].refs.emplace_back(step, i);
            break;
          case Buffer::kFixed: ref.pointer = const_cast<std::byte*>(buffer.fixed) + ref.offset; break;
          case Buffer::kParameter: parameter_pointers_[buffer.index].refs.emplace_back(step, i); break;
          case Buffer::kResult: result_pointers_[buffer.index].refs.emplace_back(step, i); break;
        }
      }
      step->Bound(runtime_);
    }
  }

  void MoveTo(Outside& outside, const std::byte* pointer) {
    if (outside.pointer == pointer) return;
    outside.pointer = const_cast<std::byte*>(pointer);
    for (auto [step, i] : outside.refs) {
      Ref& ref = step->refs()[i];
      ref.pointer = outside.pointer + ref.offset;
      if (moved_.empty() || moved_.back() != step) moved_.push_back(step);
    }
  }

  const HloComputation& entry_;
  const ExecutableOptions options_;
  std::vector<std::unique_ptr<HloModule>> expanded_;  // steps point into them
  ThreadPool pool_;
  reference::RandomState random_;
  std::unique_ptr<HloEvaluator> evaluator_;
  PlanContext context_;
  StepList steps_;
  int64_t arena_bytes_ = 0, block_bytes_ = 0;  // of products that run block by block, beyond what a thread always has
  AlignedBlock arena_;                         // or in a file:
  reference::FileBlock spilled_;
  std::vector<AlignedBlock> scratch_;
  std::vector<Outside> parameter_pointers_, result_pointers_;
  std::vector<std::pair<size_t, int32_t>> dynamic_parameters_, dynamic_results_;  // leaf, and which of Runtime::dynamic
  std::vector<Step*> moved_;
  Runtime runtime_;
  std::unique_ptr<Profiler> profiler_;
};

// One whose runs make a literal of their own.
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

// What runs on `device`, or, if that is null, on the only one.
StatusOr<std::unique_ptr<HloExecutable>> PrepareOn(reference::Device* device, const HloModule& module,
                                                   const ExecutableOptions& options) {
  if (module.entry_computation() == nullptr) return InvalidArgument("the module has no entry computation");
  HLOIR_ASSIGN_OR_RETURN(const KernelTable* kernels, ChooseKernels(options.isa));
  auto graph =
      BuildGraph(*module.entry_computation(), options.evaluator, *kernels, device != nullptr, options.choose_layouts);
  if (!graph.ok()) {
    if (graph.status().code() != StatusCode::kUnimplemented) return graph.status();
    return std::unique_ptr<HloExecutable>(
        std::make_unique<ReferenceExecutable>(module, options, graph.status().message(), device));
  }
  auto executable = std::make_unique<PlannedExecutable>(module, options, *kernels, device);
  HLOIR_RETURN_IF_ERROR(executable->Prepare(std::move(*graph)));
  return std::unique_ptr<HloExecutable>(std::move(executable));
}

// What this machine, or the container that we are in, has. Nothing is known of others' use of it.
int64_t MachineMemory() {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) bytes = int64_t{pages} * page;
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "r")) {
    long long limit = 0;
    if (std::fscanf(file, "%lld", &limit) == 1 && limit > 0) bytes = std::min<int64_t>(bytes, limit);
    std::fclose(file);
  }
  return bytes;
}

std::string Gigabytes(double bytes) { return Format("{:.1f} GB", bytes / 1e9); }

// An executable a device, each on threads of its own. What they exchange goes through reference::Rendezvous.
class PreparedDevices : public HloDeviceExecutable {
 public:
  PreparedDevices(const DeviceCounts& counts, std::span<const HloModule* const> programs)
      : counts_(counts),
        programs_(programs.begin(), programs.end()),
        devices_(reference::MakeDevices(counts, programs_)) {}

  Status Prepare(ExecutableOptions options) {
    const int64_t cores = ThreadCount(options.threads);
    const EvaluatorOptions& evaluator = options.evaluator;
    if (options.transport != nullptr) network_.emplace(*options.transport, counts_.devices());
    first_ = network_ ? network_->first() : 0;
    const int64_t here = network_ ? network_->count() : counts_.devices();
    how_.network = network_ ? &*network_ : nullptr;
    how_.spill_folder = options.spill_folder;
    // Handlers may not bear to be called at once. Progress is the first device's alone. What lies on disk is in memory
    // for one device.
    const bool handlers = evaluator.infeed || evaluator.outfeed || evaluator.host_transfer || evaluator.on_result ||
                          !evaluator.custom_calls.empty();
    how_.at_once = handlers || !options.spill_folder.empty() ? 1 : std::max<int64_t>(std::min(cores, here), 1);
    options.threads = static_cast<int>(std::max<int64_t>(cores / std::max<int64_t>(here, 1), 1));
    executables_.resize(static_cast<size_t>(here));
    // Preparing is a run, too: in as many threads. Its results say what each process has got.
    reference::DeviceRun preparing = how_;
    preparing.judge = [](const std::vector<Literal>& got) { return CheckSame(got); };
    size_t text = 0;
    if (network_)
      for (const HloModule* program : programs_)
        text = 31 * text + std::hash<std::string>()(PrintModule(*program, PrintOptions::Fingerprint()));
    const auto prepared =
        reference::RunOnEach(devices_, preparing, [&](reference::Device& device) -> StatusOr<Literal> {
          ExecutableOptions mine = options;
          const bool is_first = device.index() == first_;
          if (!is_first) mine.profile = false, mine.evaluator.on_progress = nullptr;
          auto& executable = executables_[Place(device)];
          const HloModule& program = device.program(programs_);
          HLOIR_ASSIGN_OR_RETURN(executable, PrepareOn(&device, program, mine));
          if (options.spill_folder.empty() && (is_first || programs_.size() > 1))
            HLOIR_RETURN_IF_ERROR(CheckMemory(program, *executable, programs_.size() > 1 ? 1 : here));
          if (!network_) return Literal();
          Literal got(Shape::Array(PrimitiveType::U64, {2}));
          got.data<uint64_t>()[0] = text;
          got.data<uint64_t>()[1] = std::hash<std::string>()(executable->isa());
          return got;
        });
    return prepared.status();
  }

  StatusOr<std::vector<Literal>> Run(std::span<const std::vector<const Literal*>> arguments) override {
    HLOIR_RETURN_IF_ERROR(reference::CheckDeviceArguments(counts_, arguments.size()));
    return reference::RunOnEach(devices_, how_, [&](reference::Device& device) {
      return executables_[Place(device)]->Run(arguments[static_cast<size_t>(device.index())]);
    });
  }
  const HloExecutable& device(int64_t index) const override { return *executables_[static_cast<size_t>(index)]; }

 private:
  size_t Place(const reference::Device& device) const { return static_cast<size_t>(device.index() - first_); }

  // The plan is the same for all: what one takes, all take.
  static Status CheckMemory(const HloModule& module, const HloExecutable& one, int64_t devices) {
    double results = 0, parameters = 0;
    for (const Shape* leaf : module.entry_computation()->root()->shape().Leaves())
      results += static_cast<double>(leaf->ByteSize());
    for (int64_t i = 0; i < module.entry_computation()->parameter_count(); ++i)
      parameters += static_cast<double>(module.entry_computation()->parameter(i)->shape().ByteSize());
    const double values = static_cast<double>(one.arena_bytes()), each = values + results;
    // Parameters are the caller's, and may be the same for all.
    const double all = each * static_cast<double>(devices) + parameters;
    const double memory = static_cast<double>(MachineMemory());
    if (all <= memory) return OkStatus();
    return ResourceExhausted(
        Format("{} devices take {}, {} for values and {} for results each, and this machine has {}: values can be on "
               "disk (--spill=DIR), or devices on other machines (mpirun)",
               devices, Gigabytes(all), Gigabytes(values), Gigabytes(results), Gigabytes(memory)));
  }

  static Status CheckSame(const std::vector<Literal>& got) {
    for (size_t d = 1; d < got.size(); ++d) {
      if (got[d].element_count() != 2 || got[0].element_count() != 2) continue;  // one process
      if (got[d].GetAsInt64(0) != got[0].GetAsInt64(0))
        return InvalidArgument(Format("device {} has another module than device 0", d));
      if (got[d].GetAsInt64(1) != got[0].GetAsInt64(1))
        return InvalidArgument(
            Format("device {} runs on other instructions than device 0: choose one set for all by "
                   "the environment variable HLOIR_FORCE_ISA",
                   d));
    }
    return OkStatus();
  }

  const DeviceCounts counts_;
  const std::vector<const HloModule*> programs_;  // one, or each partition's
  std::vector<reference::Device> devices_;        // of all processes
  std::optional<reference::Network> network_;
  reference::DeviceRun how_;
  int64_t first_ = 0;  // of this process
  std::vector<std::unique_ptr<HloExecutable>> executables_;
};

// A module on one device that sends to itself.
class PreparedForItself : public ResultMaker {
 public:
  using ResultMaker::ResultMaker;
  Status Prepare(const HloModule& module, const ExecutableOptions& options) {
    const HloModule* const program = &module;
    devices_ = std::make_unique<PreparedDevices>(DeviceCounts(), std::span(&program, 1));
    return devices_->Prepare(options);
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
  std::unique_ptr<PreparedDevices> devices_;
};

}  // namespace
}  // namespace cpu

ExecutionProfile HloExecutable::Profile() const { return {}; }

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
    auto prepared = std::make_unique<cpu::PreparedDevices>(counts, programs);
    HLOIR_RETURN_IF_ERROR(prepared->Prepare(options));
    return std::unique_ptr<HloDeviceExecutable>(std::move(prepared));
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
