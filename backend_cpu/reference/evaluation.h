// The reference evaluator: values (Value), a run (Evaluation), and the function of each opcode. evaluation.cc runs
// computations; the other files implement families of ops. The public entry point is MakeReferenceEvaluator
// (hloir/evaluator.h), in devices/evaluators.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::reference {

// The value of an instruction: an array (or token), shared and immutable, or a tuple of values. Forwarding it, packing
// it into a tuple and unpacking it copy no elements; the last owner may modify it in place, see TakeLiteral.
class Value {
 public:
  Value() = default;
  Value(Literal literal);  // counted in the run's bytes during its lifetime: see LiveBytes
  static Value Tuple(std::vector<Value> elements);
  // The literal must outlive the value unchanged.
  static Value Borrow(const Literal& literal);

  bool IsTuple() const { return elements_ != nullptr; }
  const Literal& literal() const { return *literal_; }
  const std::vector<Value>& elements() const { return *elements_; }
  // The value as a literal: moved out if this is the only owner, otherwise copied.
  Literal TakeLiteral() &&;

 private:
  std::shared_ptr<const Literal> literal_;
  std::shared_ptr<const std::vector<Value>> elements_;
};

// Bytes of the arrays that the run on this thread holds; null outside of a run. A value may outlive its run, so it
// shares the count.
using ByteCount = std::shared_ptr<int64_t>;
ByteCount& LiveBytes();
// A run on this thread; one may be inside another.
class CountsBytes {
 public:
  CountsBytes() : outer_(std::exchange(LiveBytes(), std::make_shared<int64_t>(0))) {}
  ~CountsBytes() { LiveBytes() = std::move(outer_); }
  CountsBytes(const CountsBytes&) = delete;
  CountsBytes& operator=(const CountsBytes&) = delete;

 private:
  ByteCount outer_;
};

class Evaluation;
struct Device;  // devices/devices.h

// The arguments of an op's function.
struct EvalContext {
  Evaluation& run;
  const HloInstruction& instruction;
  const Shape& shape;  // the result's; for dynamic arrays at their actual sizes
  std::span<Value> operands;

  const Literal& operand(int64_t i) const { return operands[static_cast<size_t>(i)].literal(); }
  int64_t operand_count() const { return static_cast<int64_t>(operands.size()); }
  const DimVector& dims() const { return shape.dimensions(); }
  template <class A>
  const A& attributes() const {
    return instruction.attributes<A>();
  }
};

// EvaluateCopy, EvaluateDot, …: one for each row of opcodes.def without a scalar op (scalar_ops.h). A new row with
// neither does not link. EvaluateElementwise implements rows with one, and compare.
StatusOr<Value> EvaluateElementwise(EvalContext& context);
#define HLOIR_OP(name, ...) StatusOr<Value> Evaluate##name(EvalContext& context);
#include "hloir/opcodes.def"
#undef HLOIR_OP

// The state of rng and rng-get-and-update-state.
struct RandomState {
  uint64_t bits = 0, counter = 0;
};

// One run: counts steps, enforces the limits, and caches each computation's order of evaluation.
class Evaluation {
 public:
  // `random`: the caller's state to continue; null: a new state. `pairs`: c128 represents double-double (pairs.h).
  explicit Evaluation(const EvaluatorOptions& options, RandomState* random = nullptr, bool pairs = false)
      : options_(options), pairs_(pairs), random_(random != nullptr ? *random : own_random_) {}
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  // The root's value. Shapes are checked once per instruction, so ops need not check them.
  StatusOr<Value> Call(const HloComputation& computation, std::vector<Value> arguments);
  // `steps` are counted, beside those of computations that it calls.
  StatusOr<Value> Evaluate(const HloInstruction& instruction, int64_t steps, std::vector<Value> operands);

  // Adds work to the count for max_steps.
  Status CountSteps(int64_t steps);
  const EvaluatorOptions& options() const { return options_; }
  bool pairs() const { return pairs_; }
  // The device of this run, if there are several.
  Device* device() const { return device_; }
  void set_device(Device* device) { device_ = device; }
  // True if a true condition of a while loop stays true. Computed once per loop.
  bool NeverEnds(const HloInstruction& loop);
  // The HLO of a known custom-call (custom_calls.h), made once for each.
  StatusOr<const HloComputation*> MeaningOf(const HloInstruction& call);
  // An elided constant, filled according to the options.
  StatusOr<Literal> FillElided(const HloInstruction& constant);
  // State of rng and rng-get-and-update-state: the same sequence in every run.
  uint64_t NextRandom();
  uint64_t AdvanceRngState(uint64_t delta) { return std::exchange(random_.counter, random_.counter + delta); }

 private:
  // The order in which a computation is evaluated, and the values that are dead after each step.
  struct Schedule {
    struct Step {
      const HloInstruction* instruction;
      int64_t count;                  // StepsOf(*instruction)
      std::vector<int32_t> operands;  // indices of steps
      std::vector<int32_t> released;  // steps whose value has its last use here
    };
    std::vector<Step> steps;
    int32_t root = 0;
  };
  // For an instruction with mixed floats: the computation with its converts. Created once for each.
  const HloComputation& Legalized(const HloInstruction& instruction);
  StatusOr<const Schedule*> ScheduleOf(const HloComputation& computation);

  const EvaluatorOptions& options_;
  const bool pairs_;
  std::unordered_map<const HloComputation*, std::unique_ptr<Schedule>> schedules_;
  std::unordered_map<const HloInstruction*, bool> never_ends_;
  std::unordered_map<const HloInstruction*, std::unique_ptr<HloModule>> meanings_, legalized_;
  Device* device_ = nullptr;
  int64_t steps_ = 0;
  int depth_ = 0;
  RandomState own_random_;
  RandomState& random_;
};

// A whole run: the value of the computation's root, on `device`, or, if that is null, on the only one.
StatusOr<Literal> EvaluateOn(Device* device, const EvaluatorOptions& options, const HloComputation& computation,
                             std::span<const Literal* const> arguments, bool pairs = false);

// The value of one instruction, given its operands' values. `random`: see Evaluation.
StatusOr<Literal> EvaluateOne(Device* device, const EvaluatorOptions& options, RandomState* random,
                              const HloInstruction& instruction, std::span<const Literal* const> operands);

// The results of an op with one or several: an array, or a tuple of arrays.
Value Packed(std::vector<Literal> results, const Shape& shape);

// The function of the instruction's opcode.
StatusOr<Value> DispatchOp(EvalContext& context);

// Unimplemented, naming the instruction.
Status UnimplementedOp(const EvalContext& context, std::string_view why);

}  // namespace hloir::reference
