// See planned_executable.h. Tests: tests/unit/executable_test.cc and all that runs plans.
#include "plan/planned_executable.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/evaluators.h"
#include "devices/spill.h"
#include "isa/isas.h"
#include "plan/schedule/planner.h"
#include "plan/schedule/profiler.h"
#include "plan/loops/stored_loops.h"
#include "plan/stored_plan.h"
#include "plan/steps/simple_steps.h"
#include "support/format.h"
#include "support/guard.h"
#include "support/huge_pages.h"

namespace hloir::cpu {
namespace {

// The parts of a plan that a file has.
struct StoredParts {
  StoredLoops loops;
  std::vector<int64_t> buffers;  // BufferTable::Assigned's
  bool is_read = false;          // or recorded
};

// The number of words, the words, the loops.
std::string BytesOf(const StoredParts& parts) {
  std::string bytes(sizeof(uint64_t) * (1 + parts.buffers.size()), '\0');
  const uint64_t count = parts.buffers.size();
  std::memcpy(bytes.data(), &count, sizeof(count));
  if (count > 0) std::memcpy(bytes.data() + sizeof(count), parts.buffers.data(), count * sizeof(uint64_t));
  return bytes + parts.loops.bytes();
}

std::optional<StoredParts> PartsOf(const std::string& bytes, const KernelTable& kernels) {
  uint64_t count = 0;
  if (bytes.size() < sizeof(count)) return std::nullopt;
  std::memcpy(&count, bytes.data(), sizeof(count));
  const size_t left = bytes.size() - sizeof(count);
  if (count > left / sizeof(uint64_t)) return std::nullopt;
  std::vector<int64_t> buffers(static_cast<size_t>(count));
  if (count > 0) std::memcpy(buffers.data(), bytes.data() + sizeof(count), buffers.size() * sizeof(int64_t));
  return StoredParts{StoredLoops(kernels, bytes.substr(sizeof(count) * (1 + buffers.size()))), std::move(buffers),
                     true};
}

struct FreeDeleter {
  void operator()(std::byte* p) const { std::free(p); }
};
using AlignedBlock = std::unique_ptr<std::byte[], FreeDeleter>;

// In whole pages, so that the relative alignment of blocks does not depend on the heap.
AlignedBlock AllocateAligned(int64_t bytes) {
  const size_t alignment = bytes >= 4 << 20 ? kHugePage : 4096;
  const size_t rounded = (static_cast<size_t>(std::max<int64_t>(bytes, 1)) + alignment - 1) / alignment * alignment;
  AlignedBlock block(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (alignment == kHugePage && block != nullptr) WishForHugePages(block.get(), rounded);
  return block;
}

template <class L, class F>
void ForEachArray(L& literal, F&& f) {
  if (literal.shape().IsTuple()) {
    for (auto& element : literal.elements()) ForEachArray(element, f);
  } else {
    f(literal);
  }
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
    context_.pack_ahead = options.fuse_elementwise && options.pack_ahead;
    context_.threads = pool_.threads();
    runtime_.kernels = &kernels;
    runtime_.pool = &pool_;
    runtime_.evaluator = evaluator_.get();
    runtime_.cancel = options.evaluator.cancel;
    pool_.set_cancel(runtime_.cancel);
  }

  // `stored` is read, or recorded, if it is not null.
  Status Prepare(LoweredGraph lowered, StoredParts* stored) {
    context_.stored = stored == nullptr ? nullptr : &stored->loops;
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
    extra_steps_ = planner.ExtraSteps();
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
    context_.stored = nullptr;
    if (stored == nullptr || !stored->is_read) arena_bytes_ = buffers.Assign();
    else if (!stored->loops.is_done() || !buffers.AssignAs(stored->buffers, &arena_bytes_))
      return InvalidArgument("it is of another plan");
    if (stored != nullptr && !stored->is_read) stored->buffers = buffers.Assigned(arena_bytes_);
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
  CacheUse cache_use() const override { return cache_use_; }
  void set_cache_use(CacheUse use) { cache_use_ = std::move(use); }
  int threads() const { return pool_.threads(); }
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
  // External memory, and the refs of steps that point into it.
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
      ForEachArray(*argument,
                   [&](const Literal& literal) { MoveTo(parameter_pointers_[leaf++], literal.untyped_data()); });
    }
    leaf = 0;
    ForEachArray(*result, [&](Literal& literal) { MoveTo(result_pointers_[leaf++], literal.untyped_data()); });
    if (!dynamic_parameters_.empty()) LoadDynamicParameters(arguments);
    for (Step* step : moved_) step->Bound(runtime_);
    moved_.clear();
    runtime_.status = OkStatus();
    random_ = {};  // the same numbers in each run
    runtime_.steps_left = options_.evaluator.max_steps;
    if (!runtime_.Tick(extra_steps_)) return runtime_.status;
    // The last step may have left parts undone.
    if (!RunEntry() || pool_.cancelled()) {
      runtime_.Stop();
      return runtime_.status;
    }
    if (!dynamic_results_.empty()) StoreDynamicResults(result);
    return OkStatus();
  }

  void LoadDynamicParameters(std::span<const Literal* const> arguments) {
    std::vector<const Literal*> leaves;
    for (const Literal* argument : arguments)
      ForEachArray(*argument, [&](const Literal& literal) { leaves.push_back(&literal); });
    for (auto [leaf, dynamic] : dynamic_parameters_) runtime_.dynamic[static_cast<size_t>(dynamic)] = *leaves[leaf];
  }
  // Several results may be one value.
  void StoreDynamicResults(Literal* result) {
    std::vector<Literal*> leaves;
    ForEachArray(*result, [&](Literal& literal) { leaves.push_back(&literal); });
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
  // For products that run block by block, after each thread's scratch memory.
  int64_t arena_bytes_ = 0, block_bytes_ = 0;
  int64_t extra_steps_ = 0;  // of the entry, beside its steps
  AlignedBlock arena_;       // or in a file:
  reference::FileBlock spilled_;
  std::vector<AlignedBlock> scratch_;
  std::vector<Outside> parameter_pointers_, result_pointers_;
  std::vector<std::pair<size_t, int32_t>> dynamic_parameters_, dynamic_results_;  // leaf, and which of Runtime::dynamic
  std::vector<Step*> moved_;
  Runtime runtime_;
  std::unique_ptr<Profiler> profiler_;
  CacheUse cache_use_;
};

}  // namespace

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

StatusOr<std::unique_ptr<HloExecutable>> MakePlannedExecutable(const HloModule& module, LoweredGraph lowered,
                                                               const ExecutableOptions& options,
                                                               const KernelTable& kernels, reference::Device* device,
                                                               const std::function<StatusOr<LoweredGraph>()>& lower) {
  auto executable = std::make_unique<PlannedExecutable>(module, options, kernels, device);
  if (options.cache.empty() || device != nullptr) {
    HLOIR_RETURN_IF_ERROR(executable->Prepare(std::move(lowered), nullptr));
    return std::unique_ptr<HloExecutable>(std::move(executable));
  }
  const StoredPlan file(module, options, kernels, executable->threads());
  CacheUse use;
  auto contents = file.Read();
  if (contents.ok() && !contents->empty()) {
    std::optional<StoredParts> parts = PartsOf(*contents, kernels);
    const Status status =
        parts.has_value() ? executable->Prepare(std::move(lowered), &*parts) : InvalidArgument("it is damaged");
    if (status.ok()) {
      executable->set_cache_use({true, ""});
      return std::unique_ptr<HloExecutable>(std::move(executable));
    }
    contents = status;
    HLOIR_ASSIGN_OR_RETURN(lowered, lower());
    executable = std::make_unique<PlannedExecutable>(module, options, kernels, device);
  }
  if (!contents.ok()) use.message = Format("{} is not used: {}", file.path(), contents.status().message());
  StoredParts made{StoredLoops(kernels), {}, false};
  HLOIR_RETURN_IF_ERROR(executable->Prepare(std::move(lowered), &made));
  if (made.loops.ok()) {
    if (Status written = file.Write(BytesOf(made)); !written.ok())
      use.message = Format("the plan is not kept: {}", written.message());
  }
  executable->set_cache_use(std::move(use));
  return std::unique_ptr<HloExecutable>(std::move(executable));
}

}  // namespace hloir::cpu
