// See simple_steps.h.
#include "plan/steps/simple_steps.h"

#include <algorithm>
#include <cstring>

#include "support/format.h"
#include "plan/steps/one_element.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kPartBytes = 1 << 18;
constexpr double kCopyNanosPerByte = 0.1;  // memory's

}  // namespace

void Runtime::Stop() {
  if (!status.ok()) return;
  if (steps_left < 0) status = DeadlineExceeded("the limit of executed steps is reached");
  else status = Cancelled("the run was cancelled");
}

bool BlockCopy::Run(Runtime& runtime) {
  const std::byte* from = ref(0).pointer;
  std::byte* to = written(0).pointer;
  if (from == to || bytes_ == 0) return true;
  if (bytes_ <= 8 && (bytes_ & (bytes_ - 1)) == 0) {
    switch (bytes_) {
      case 1: *to = *from; break;
      case 2: __builtin_memcpy(to, from, 2); break;
      case 4: __builtin_memcpy(to, from, 4); break;
      default: __builtin_memcpy(to, from, 8); break;
    }
    return true;
  }
  if (bytes_ < 2 * kPartBytes) {
    std::memmove(to, from, bytes_);
    return true;
  }
  const int64_t parts = std::min<int64_t>(8, bytes_ / kPartBytes);
  runtime.pool->For(parts, kCopyNanosPerByte * static_cast<double>(bytes_), [&](int64_t part, int) {
    const int64_t begin = bytes_ * part / parts, end = bytes_ * (part + 1) / parts;
    std::memcpy(to + begin, from + begin, end - begin);
  });
  return true;
}

bool BlockCopy::AppendScalarOps(std::vector<TileOp>& ops) const {
  if (refs()[0].pointer == refs()[1].pointer) return true;
  if (bytes_ != 1 && bytes_ != 2 && bytes_ != 4 && bytes_ != 8) return false;
  TileOp op;
  op.kernel = OneElementKernels().copy[bytes_ == 8 ? 3 : bytes_ / 2];
  op.in[0] = refs()[0].pointer;
  op.out = refs()[1].pointer;
  ops.push_back(op);
  return true;
}

std::string BlockCopy::Name() const { return Format("copy {} bytes", bytes_); }

bool ViewCopy::Run(Runtime& runtime) {
  std::byte* to = written(0).pointer;
  int64_t all = 0;
  for (const StridedCopy& copy : copies_) all += copy.count * copy.bytes;
  for (size_t i = 0; i < copies_.size(); ++i) {
    const StridedCopy& copy = copies_[i];
    const std::byte* from = ref(static_cast<int>(i)).pointer;
    const int64_t bytes = copy.count * copy.bytes;
    const int64_t parts = std::min({copy.parts(), bytes / kPartBytes, int64_t{16}});
    if (parts < 2) {
      copy.Run(from, to, runtime.kernels);
      continue;
    }
    runtime.pool->For(parts, kCopyNanosPerByte * static_cast<double>(all), [&](int64_t part, int) {
      copy.RunPart(from, to, copy.parts() * part / parts, copy.parts() * (part + 1) / parts, runtime.kernels);
    });
  }
  return true;
}

// Initially one list of ops: condition, test, body.
bool WhileStep::RunScalarLoop(Runtime& runtime) {
  constexpr int kRoundsUncompiled = 1000;  // about as long as compiling takes
  const bool* going = refs()[0].as<bool>();
  const int64_t steps = static_cast<int64_t>(1 + condition.size() + body.size()) + extra_steps;
  const TileOp& first = chain_.front();
  const int64_t compile_at = turns_often_ ? 0 : kRoundsUncompiled;
  turns_often_ = false;
  for (int64_t round = 0;; ++round) {
    if (!runtime.Tick(steps)) return false;
    if (round == compile_at) {
      for (const TileOp& op : condition_ops_) op.kernel(op, 1);
      if (!*going) return true;
      if (compiled_.Prepare(*runtime.kernels, condition_ops_, going, body_ops_, results_)) {
        int64_t rounds = 0;
        const bool done = compiled_.Run(runtime, steps, rounds);
        turns_often_ = round + rounds >= kRoundsUncompiled;
        return done;
      }
    }
    first.kernel(first, 1);
    if (!*going) return true;
  }
}

// Repeated in each run, because operands may have moved; costs no more than an iteration.
bool WhileStep::MakeScalarLoop() {
  const auto append = [](const StepList& steps, std::vector<TileOp>& ops) {
    ops.clear();
    return std::all_of(steps.begin(), steps.end(), [&](const auto& step) { return step->AppendScalarOps(ops); });
  };
  if (!append(condition, condition_ops_) || !append(body, body_ops_)) return false;
  if (condition_ops_.size() + body_ops_.size() >= kMaxChain) return false;
  chain_.assign(condition_ops_.begin(), condition_ops_.end());
  chain_.push_back(StopUnless(refs()[0].as<bool>()));
  chain_.insert(chain_.end(), body_ops_.begin(), body_ops_.end());
  ChainOps(chain_);
  results_.clear();
  for (size_t i = 0; i < carry_bytes.size(); ++i) results_.push_back({refs()[i + 1].pointer, carry_bytes[i]});
  return true;
}

// The first of `parts`, which keep their memory, become those of these steps.
std::span<const WhileStep::Part> WhileStep::MakeParts(const StepList& steps, Parts& parts) {
  size_t used = 0;
  const auto begin = [&](Step* step) {
    if (used == parts.size()) parts.emplace_back();
    parts[used].step = step, parts[used].ops.clear();
  };
  const auto end_chain = [&] {
    if (!parts[used].ops.empty()) ChainOps(parts[used++].ops);
  };
  begin(nullptr);
  for (const auto& step : steps) {
    std::vector<TileOp>& ops = parts[used].ops;
    if (ops.size() < kMaxChain / 2 && step->AppendScalarOps(ops)) continue;
    end_chain();
    begin(step.get());
    ++used;
    begin(nullptr);
  }
  end_chain();
  return {parts.data(), used};
}

bool WhileStep::RunParts(std::span<const Part> parts, Runtime& runtime) {
  for (const Part& part : parts) {
    if (part.step == nullptr) part.ops.front().kernel(part.ops.front(), 1);
    else if (!part.step->Run(runtime)) return false;
  }
  return true;
}

// Made again in each run, as a scalar loop.
bool WhileStep::RunByParts(Runtime& runtime) {
  const bool* going = ref(0).as<bool>();
  const std::span<const Part> conditions = MakeParts(condition, condition_parts_), parts = MakeParts(body, body_parts_);
  while (true) {
    if (!runtime.Tick(static_cast<int64_t>(condition.size())) || !RunParts(conditions, runtime)) return false;
    if (!*going) return true;
    if (!runtime.Tick(static_cast<int64_t>(1 + body.size()) + extra_steps) || !RunParts(parts, runtime)) return false;
  }
}

bool WhileStep::Run(Runtime& runtime) {
  constexpr int kRoundsBySteps = 16;  // making parts takes some rounds
  if (!runtime.Tick(prologue_extra_steps) || !RunSteps(prologue, runtime)) return false;
  if (MakeScalarLoop()) return RunScalarLoop(runtime);
  const bool* going = ref(0).as<bool>();
  for (int round = 0;; ++round) {
    if (round == kRoundsBySteps && runtime.profiler == nullptr) return RunByParts(runtime);
    if (!RunSteps(condition, runtime)) return false;
    if (!*going) return true;
    // Iterations without steps are counted as well, so that every endless loop reaches the limit.
    if (!runtime.Tick(1 + extra_steps) || !RunSteps(body, runtime)) return false;
  }
}

bool ConditionalStep::Run(Runtime& runtime) {
  size_t branch;
  if (by_pred_) {
    branch = *ref(0).as<bool>() ? 0 : 1;
  } else {
    const int32_t index = *ref(0).as<int32_t>();
    branch =
        index < 0 || static_cast<size_t>(index) >= branches.size() ? branches.size() - 1 : static_cast<size_t>(index);
  }
  if (!runtime.Tick(extra_steps[branch])) return false;
  return RunSteps(branches[branch], runtime);
}

namespace {

// Fills a literal's leaves, depth first, from consecutive refs.
template <class F>
void ForEachLeaf(Literal& literal, F&& f) {
  if (literal.shape().IsTuple()) {
    for (Literal& element : literal.elements()) ForEachLeaf(element, f);
  } else {
    f(literal);
  }
}

}  // namespace

bool ReferenceStep::Run(Runtime& runtime) {
  std::vector<Literal> operands;
  operands.reserve(instruction_.operand_count());
  int index = 0;
  for (const HloInstruction* operand : instruction_.operands()) {
    Literal& literal = operands.emplace_back(operand->shape());
    ForEachLeaf(literal, [&](Literal& leaf) {
      const Ref& from = ref(index++);
      if (from.dynamic >= 0) leaf = runtime.dynamic[static_cast<size_t>(from.dynamic)];
      else if (leaf.size_bytes() > 0) std::memcpy(leaf.untyped_data(), from.pointer, leaf.size_bytes());
    });
  }
  std::vector<const Literal*> pointers;
  for (const Literal& literal : operands) pointers.push_back(&literal);
  StatusOr<Literal> result = runtime.evaluator->EvaluateInstruction(instruction_, pointers);
  if (!result.ok()) {
    runtime.status = result.status();
    return false;
  }
  index = 0;
  ForEachLeaf(*result, [&](Literal& leaf) {
    const Ref& to = written(index++);
    if (to.dynamic >= 0) runtime.dynamic[static_cast<size_t>(to.dynamic)] = std::move(leaf);
    else if (leaf.size_bytes() > 0 && to.pointer != nullptr)
      std::memcpy(to.pointer, leaf.untyped_data(), leaf.size_bytes());
  });
  return true;
}

std::string ReferenceStep::Name() const {
  return Format("reference {} {}: {}", instruction_.opcode_name(), instruction_.name(), reason_);
}

}  // namespace hloir::cpu
