// Running a computation: each instruction after its operands; values are released after their last use. Nested calls
// are the only recursion, which has a limit. The ops themselves are in the other files of this folder. Covered by
// tests/unit/evaluator_test.cc.
#include "reference/evaluation.h"

#include <algorithm>
#include <unordered_set>

#include "support/format.h"
#include "support/random.h"
#include "hloir/custom_calls.h"
#include "hloir/cost.h"
#include "hloir/detail/steps.h"
#include "shape_inference/shape_inference.h"
#include "ir/mixed_floats.h"
#include "reference/dynamic.h"
#include "reference/loop_state.h"
#include "reference/mixed_precision.h"
#include "reference/scalar_ops.h"

namespace hloir::reference {
namespace {

constexpr int kMaxCallDepth = 100;  // some 1.4 kB of stack each

struct CountedLiteral {
  explicit CountedLiteral(Literal given) : literal(std::move(given)), bytes(literal.size_bytes()), count(LiveBytes()) {
    if (count != nullptr) *count += bytes;
  }
  ~CountedLiteral() {
    if (count != nullptr) *count -= bytes;
  }
  CountedLiteral(const CountedLiteral&) = delete;
  Literal literal;
  const int64_t bytes;
  const ByteCount count;
};

}  // namespace

ByteCount& LiveBytes() {
  thread_local ByteCount bytes;
  return bytes;
}

Value::Value(Literal literal) {
  if (!literal.shape().IsTuple()) {
    auto counted = std::make_shared<CountedLiteral>(std::move(literal));
    literal_ = std::shared_ptr<const Literal>(counted, &counted->literal);
    return;
  }
  std::vector<Value> elements;
  for (Literal& element : literal.elements()) elements.emplace_back(std::move(element));
  *this = Tuple(std::move(elements));
}

Value Value::Tuple(std::vector<Value> elements) {
  Value tuple;
  tuple.elements_ = std::make_shared<std::vector<Value>>(std::move(elements));
  return tuple;
}

Value Value::Borrow(const Literal& literal) {
  Value borrowed;
  if (literal.shape().IsTuple()) {
    std::vector<Value> elements;
    for (const Literal& element : literal.elements()) elements.push_back(Borrow(element));
    return Tuple(std::move(elements));
  }
  borrowed.literal_ = std::shared_ptr<const Literal>(std::shared_ptr<void>(), &literal);  // use_count() is 0
  return borrowed;
}

Literal Value::TakeLiteral() && {
  if (!IsTuple()) {
    // Created as a mutable object, which is modified if there is no other reference to it.
    if (literal_.use_count() == 1) return std::move(const_cast<Literal&>(*literal_));
    return *literal_;
  }
  std::vector<Value> elements;
  if (elements_.use_count() == 1) elements = std::move(const_cast<std::vector<Value>&>(*elements_));
  else elements = *elements_;
  elements_.reset();
  std::vector<Literal> literals;
  for (Value& element : elements) literals.push_back(std::move(element).TakeLiteral());
  return Literal::Tuple(std::move(literals));
}

Status Evaluation::CountSteps(int64_t steps) {
  if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
    return Cancelled("the run was cancelled");
  if (steps > options_.max_steps - steps_) {
    return DeadlineExceeded(Format("evaluation exceeds the limit of {} steps", options_.max_steps));
  }
  steps_ += steps;
  return OkStatus();
}

uint64_t Evaluation::NextRandom() { return NextSplitMix64(random_.bits); }

bool Evaluation::NeverEnds(const HloInstruction& loop) {
  auto [it, fresh] = never_ends_.try_emplace(&loop, false);
  if (fresh) it->second = BodyChangesNothing(loop);
  return it->second;
}

StatusOr<const HloComputation*> Evaluation::MeaningOf(const HloInstruction& call) {
  std::unique_ptr<HloModule>& module = meanings_[&call];
  if (module == nullptr) {
    HLOIR_ASSIGN_OR_RETURN(module, CustomCallAsModule(call));
  }
  return module->entry_computation();
}

const HloComputation& Evaluation::Legalized(const HloInstruction& instruction) {
  std::unique_ptr<HloModule>& module = legalized_[&instruction];
  if (module == nullptr) module = LegalizedMixedFloats(instruction);
  return *module->entry_computation();
}

StatusOr<Literal> Evaluation::FillElided(const HloInstruction& constant) {
  Literal filled = constant.literal();
  filled.set_elided(false);
  switch (options_.elided) {
    case ElidedConstants::kRefuse:
      return Unimplemented(
          Format("the values of constant {} are elided ({{...}}) in the text; XLA dumps them with "
                 "--xla_dump_large_constants, and --elided selects values for them",
                 constant.name()));
    case ElidedConstants::kZeros: break;
    case ElidedConstants::kIota:
      for (int64_t i = 0; i < filled.element_count(); ++i) filled.SetFromInt64(i, i);
      break;
    case ElidedConstants::kRandom:
      for (int64_t i = 0; i < filled.element_count(); ++i) {
        const uint64_t bits = NextRandom();
        if (IsFloat(filled.shape().element_type()) || IsComplex(filled.shape().element_type())) {
          filled.SetFromDouble(i, static_cast<double>(bits >> 11) * 0x1p-52 - 1);
        } else {
          filled.SetFromInt64(i, static_cast<int64_t>(bits & 1));
        }
      }
      break;
  }
  // Integers under a byte must stay within their width.
  const PrimitiveType type = filled.shape().element_type();
  if (BitWidth(type) < 8) {
    const Literal wide = filled.Convert(IsFloat(type) ? PrimitiveType::F32 : PrimitiveType::S32);
    ConvertElements(wide.shape().element_type(), wide.untyped_data(), type, filled.untyped_data(),
                    filled.element_count());
  }
  return filled;
}

StatusOr<const Evaluation::Schedule*> Evaluation::ScheduleOf(const HloComputation& computation) {
  std::unique_ptr<Schedule>& plan = schedules_[&computation];
  if (plan != nullptr) return plan.get();
  if (computation.root() == nullptr) return InvalidArgument(Format("computation {} has no root", computation.name()));
  auto made = std::make_unique<Schedule>();
  std::unordered_map<const HloInstruction*, int32_t> index;
  auto add = [&](const HloInstruction* instruction) {
    index.emplace(instruction, static_cast<int32_t>(made->steps.size()));
    made->steps.push_back({instruction, StepsOf(*instruction), {}, {}});
  };
  // Only instructions on which the root depends, or with side effects: a dead infinite loop is not run.
  std::unordered_set<const HloInstruction*> needed;
  std::vector<const HloInstruction*> pending{computation.root()};
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    if (i->Is(kSideEffect)) pending.push_back(i);
  }
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (!needed.insert(instruction).second) continue;
    pending.insert(pending.end(), instruction->operands().begin(), instruction->operands().end());
  }
  // A tuple's elements are extracted directly after it: then the tuple can be released, its elements have one owner,
  // and a loop can update carried arrays in place.
  for (const HloInstruction* instruction : OrderOfRun(computation)) {
    if (index.contains(instruction) || !needed.contains(instruction)) continue;
    add(instruction);
    for (size_t i = made->steps.size() - 1; i < made->steps.size(); ++i) {
      for (const HloInstruction* user : made->steps[i].instruction->users()) {
        if (user->opcode() == HloOpcode::kGetTupleElement && needed.contains(user) && !index.contains(user)) add(user);
      }
    }
  }
  made->root = index.at(computation.root());
  std::vector<int32_t> last_use(made->steps.size());
  for (size_t i = 0; i < made->steps.size(); ++i) {
    Schedule::Step& step = made->steps[i];
    last_use[i] = static_cast<int32_t>(i);
    for (const HloInstruction* operand : step.instruction->operands()) {
      const int32_t at = index.at(operand);
      step.operands.push_back(at);
      last_use[static_cast<size_t>(at)] = static_cast<int32_t>(i);
    }
    // Checks once for all ops that the operands have legal shapes and that the result has the stated shape. The stated
    // type of pairs is c128, which is illegal for some ops that support f64.
    if (pairs_) continue;
    StatusOr<Shape> inferred = InferShape(*step.instruction);
    if (!inferred.ok()) {
      return Status(inferred.status().code(), Format("{}: {}", step.instruction->name(), inferred.status().message()));
    }
    if (!SameButForPrecision(*inferred, step.instruction->shape())) {
      return InvalidArgument(Format("{} has shape {}, but its operands make it {}", step.instruction->name(),
                                    step.instruction->shape().ToString(false), inferred->ToString(false)));
    }
  }
  for (size_t i = 0; i < last_use.size(); ++i) {
    if (static_cast<int32_t>(i) != made->root) {
      made->steps[static_cast<size_t>(last_use[i])].released.push_back(static_cast<int32_t>(i));
    }
  }
  plan = std::move(made);
  return plan.get();
}

StatusOr<Value> Evaluation::Call(const HloComputation& computation, std::vector<Value> arguments) {
  if (depth_ >= kMaxCallDepth) {
    return ResourceExhausted(Format("calls nest deeper than {} at computation {}", kMaxCallDepth, computation.name()));
  }
  if (static_cast<int64_t>(arguments.size()) != computation.parameter_count()) {
    return InvalidArgument(Format("computation {} takes {} arguments, not {}", computation.name(),
                                  computation.parameter_count(), arguments.size()));
  }
  HLOIR_ASSIGN_OR_RETURN(const Schedule* plan, ScheduleOf(computation));
  struct DepthScope {
    explicit DepthScope(int& d) : depth(d) { ++depth; }
    ~DepthScope() { --depth; }
    int& depth;
  } scope(depth_);

  std::vector<Value> values(plan->steps.size());
  for (size_t i = 0; i < plan->steps.size(); ++i) {
    const Schedule::Step& step = plan->steps[i];
    if (step.instruction->opcode() == HloOpcode::kParameter) {
      HLOIR_RETURN_IF_ERROR(CountSteps(1));
      values[i] = ConformTo(std::move(arguments[static_cast<size_t>(step.instruction->parameter_number())]),
                            step.instruction->shape());
      if (options_.on_result) options_.on_result(*step.instruction, Value(values[i]).TakeLiteral());
    } else {
      // An operand without later uses is passed by ownership, so that the op may work in place.
      std::vector<Value> operands;
      operands.reserve(step.operands.size());
      for (int32_t operand : step.operands) operands.push_back(values[static_cast<size_t>(operand)]);
      for (int32_t released : step.released) values[static_cast<size_t>(released)] = Value();
      HLOIR_ASSIGN_OR_RETURN(values[i], Evaluate(*step.instruction, step.count, std::move(operands)));
    }
    // A value without users is its own last use.
    if (std::find(step.released.begin(), step.released.end(), static_cast<int32_t>(i)) != step.released.end()) {
      values[i] = Value();
    }
    if (depth_ == 1 && options_.on_progress)
      options_.on_progress(static_cast<int64_t>(i) + 1, static_cast<int64_t>(plan->steps.size()));
  }
  return std::move(values[static_cast<size_t>(plan->root)]);
}

namespace {

// Others forward their operands.
bool MakesArray(const HloInstruction& i) {
  return !IsOneOf(i.opcode(), HloOpcode::kTuple, HloOpcode::kGetTupleElement, HloOpcode::kCopy, HloOpcode::kCall,
                  HloOpcode::kWhile, HloOpcode::kConditional, HloOpcode::kFusion, HloOpcode::kConstant,
                  HloOpcode::kOptimizationBarrier, HloOpcode::kDynamicUpdateSlice, HloOpcode::kScatter,
                  HloOpcode::kAddDependency, HloOpcode::kDomain);
}

}  // namespace

StatusOr<Value> Evaluation::Evaluate(const HloInstruction& instruction, int64_t steps, std::vector<Value> operands) {
  HLOIR_RETURN_IF_ERROR(CountSteps(steps));
  const int64_t bytes = instruction.shape().ByteSize();
  if (bytes > options_.max_bytes) {
    return ResourceExhausted(Format("{} of shape {} takes more than {} bytes", instruction.name(),
                                    instruction.shape().ToString(false), options_.max_bytes));
  }
  if (LiveBytes() != nullptr && MakesArray(instruction) && *LiveBytes() > options_.max_bytes - bytes) {
    return ResourceExhausted(Format("with {} of shape {} the values of the run take more than {} bytes",
                                    instruction.name(), instruction.shape().ToString(false), options_.max_bytes));
  }
  auto evaluate = [&]() -> StatusOr<Value> {
    if (MixesFloats(instruction)) return Call(Legalized(instruction), std::move(operands));
    if (NeedsActualSizes(instruction, operands)) return EvaluateAtActualSizes(*this, instruction, std::move(operands));
    EvalContext context{*this, instruction, instruction.shape(), operands};
    return DispatchOp(context);
  };
  StatusOr<Value> result = evaluate();
  if (result.ok()) result = ConformTo(*std::move(result), instruction.shape());
  if (result.ok() && options_.on_result) options_.on_result(instruction, Value(*result).TakeLiteral());
  return result;
}

Value Packed(std::vector<Literal> results, const Shape& shape) {
  if (!shape.IsTuple()) return std::move(results[0]);
  std::vector<Value> values;
  for (Literal& literal : results) values.emplace_back(std::move(literal));
  return Value::Tuple(std::move(values));
}

StatusOr<Value> DispatchOp(EvalContext& context) {
  switch (context.instruction.opcode()) {
#define HLOIR_OP(name, ...)                                                   \
  case HloOpcode::k##name:                                                    \
    if constexpr (HasScalarOp<name##Op>) return EvaluateElementwise(context); \
    else return Evaluate##name(context);
#include "hloir/opcodes.def"
#undef HLOIR_OP
  }
  return Internal("no such opcode");
}

Status UnimplementedOp(const EvalContext& context, std::string_view why) {
  return Unimplemented(Format("{} {}: {}", context.instruction.opcode_name(), context.instruction.name(), why));
}

namespace {

Status CheckArgument(const Shape& wanted, const Literal& given, size_t i) {
  if (wanted.Compatible(given.shape())) return OkStatus();
  return InvalidArgument(
      Format("argument {} has shape {}, not {}", i, given.shape().ToString(false), wanted.ToString(false)));
}

// A lower bound on the steps of a run: repeated calls and maps may double the work with each level of nesting, which is
// detected before the run. Loops and branches count once.
class LeastSteps {
 public:
  double Of(const HloInstruction& i) {
    const HloOpcode opcode = i.opcode();
    // Ops that run a computation for each element.
    if (IsOneOf(opcode, HloOpcode::kParameter, HloOpcode::kConstant, HloOpcode::kTuple, HloOpcode::kGetTupleElement))
      return 0;
    if (IsOneOf(opcode, HloOpcode::kCall, HloOpcode::kFusion)) return Of(*i.called_computations()[0]);
    if (opcode == HloOpcode::kMap)
      return i.shape().IsStatic() ? static_cast<double>(i.shape().ElementCount()) * Of(*i.to_apply()) : 1;
    return static_cast<double>(StepsOf(i));
  }
  double Of(const HloComputation& computation) {
    if (const auto found = known_.find(&computation); found != known_.end()) return found->second;
    if (depth_ >= kMaxDepth) return 1;
    ++depth_;
    double steps = 0;
    for (const HloInstruction* i : computation.PostOrder()) steps += Of(*i);
    --depth_;
    return known_[&computation] = steps;
  }

 private:
  static constexpr int kMaxDepth = 256;
  int depth_ = 0;
  std::unordered_map<const HloComputation*, double> known_;
};

Status CheckLeastSteps(double steps, const EvaluatorOptions& options) {
  if (steps <= static_cast<double>(options.max_steps)) return OkStatus();
  return DeadlineExceeded(Format("evaluation takes {:.2g} steps, and the limit is {}", steps, options.max_steps));
}

// With the stated shape, including the layout.
Literal Finish(Value value, const Shape& shape) {
  Literal result = std::move(value).TakeLiteral();
  if (result.shape().Compatible(shape)) result.set_shape_layout(shape);
  return result;
}

}  // namespace

StatusOr<Literal> EvaluateOn(Device* device, const EvaluatorOptions& options, const HloComputation& computation,
                             std::span<const Literal* const> arguments, bool pairs) {
  HLOIR_RETURN_IF_ERROR(CheckLeastSteps(LeastSteps().Of(computation), options));
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (static_cast<int64_t>(i) < computation.parameter_count()) {
      HLOIR_RETURN_IF_ERROR(CheckArgument(computation.parameter(static_cast<int64_t>(i))->shape(), *arguments[i], i));
    }
    values.push_back(Value::Borrow(*arguments[i]));
  }
  const CountsBytes counts;
  Evaluation run(options, nullptr, pairs);
  run.set_device(device);
  HLOIR_ASSIGN_OR_RETURN(Value result, run.Call(computation, std::move(values)));
  return Finish(std::move(result), computation.root()->shape());
}

StatusOr<Literal> EvaluateOne(Device* device, const EvaluatorOptions& options, RandomState* random,
                              const HloInstruction& instruction, std::span<const Literal* const> operands) {
  if (static_cast<int64_t>(operands.size()) != instruction.operand_count()) {
    return InvalidArgument(
        Format("{} takes {} operands, not {}", instruction.name(), instruction.operand_count(), operands.size()));
  }
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& wanted = instruction.operand(static_cast<int64_t>(i))->shape();
    HLOIR_RETURN_IF_ERROR(CheckArgument(wanted, *operands[i], i));
    values.push_back(Value::Borrow(*operands[i]));
  }
  StatusOr<Shape> inferred = InferShape(instruction);
  if (!inferred.ok()) return inferred.status();
  // The instruction's own work is bounded by its shapes, and plans count it; that of the computations that it calls is
  // not.
  if (!instruction.called_computations().empty())
    HLOIR_RETURN_IF_ERROR(CheckLeastSteps(LeastSteps().Of(instruction), options));
  const CountsBytes counts;
  Evaluation run(options, random);
  run.set_device(device);
  HLOIR_ASSIGN_OR_RETURN(Value result, run.Evaluate(instruction, 1, std::move(values)));
  return Finish(std::move(result), instruction.shape());
}

}  // namespace hloir::reference
