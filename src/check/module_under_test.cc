// See module_under_test.h.
#include "check/module_under_test.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/trip_count.h"
#include "check/compare.h"
#include "check/extremes.h"
#include "check/widen.h"
#include "wide/evaluate_pairs.h"
#include "hloir/detail/steps.h"
#include "support/format.h"
#include "support/hash.h"
#include "support/stopwatch.h"

namespace hloir::check {
namespace {

// MakeIdealModule would not change the module.
bool IsIdeal(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->opcode() == HloOpcode::kReducePrecision) return false;
    for (const Shape* leaf : i->shape().Leaves()) {
      const PrimitiveType type = ComplexComponentType(leaf->element_type());
      if (IsFloat(type) && type != PrimitiveType::F64) return false;
    }
  }
  return true;
}

size_t HashOf(const InputSet& inputs) {
  size_t hash = 0;
  for (const std::vector<Literal>& device : inputs.devices) {
    for (const Literal& literal : device) hash = Mix(hash, literal.Hash());
  }
  return hash;
}

// The most turns of a loop that a compiler may make of one operation.
int64_t TurnsOfExpansions(const HloModule& module) {
  int64_t most = 1;
  for (const HloInstruction* i : module.AllInstructions()) {
    const HloOpcode op = i->opcode();
    const bool indexed = IsOneOf(op, HloOpcode::kGather, HloOpcode::kScatter);
    if (!indexed && !IsOneOf(op, HloOpcode::kSelectAndScatter, HloOpcode::kSort, HloOpcode::kScan, HloOpcode::kCholesky,
                             HloOpcode::kTriangularSolve, HloOpcode::kCustomCall))
      continue;
    for (const HloInstruction* operand : i->operands()) {
      const bool counts = !indexed || operand == i->operand(op == HloOpcode::kGather ? 1 : i->operand_count() / 2);
      if (counts && operand->shape().IsArray()) most = std::max(most, operand->shape().ElementCount());
    }
  }
  return most;
}

// The reference's fixed work of an instruction, in operations on elements.
constexpr double kWorkAStep = 32;

// Below this work, threads are not worth the measurement noise of waking them, nor the memory that each of them takes
// in dozens of variants.
constexpr double kWorthThreads = 1 << 22;

}  // namespace

Arguments Context::ArgumentsOf(size_t set) const {
  Arguments arguments(static_cast<size_t>(counts.devices()));
  const std::vector<std::vector<Literal>>& given = inputs[set].devices;
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (const Literal& literal : given[d < given.size() ? d : 0]) arguments[d].push_back(&literal);
  }
  return arguments;
}

bool HasLoops(const HloModule& module) { return MayLoop(*module.entry_computation()); }

bool HasDoubles(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    const PrimitiveType type = i->shape().element_type();
    if (type == PrimitiveType::F64 || type == PrimitiveType::C128) return true;
  }
  return false;
}

bool HasComplexNumbers(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions())
    if (IsComplex(i->shape().element_type())) return true;
  return false;
}

bool WantsPairs(const HloModule& module) {
  constexpr double kMostWork = 0x1p19;
  return HasDoubles(module) && !HasComplexNumbers(module) && WorkOf(CostAnalysis(module).total().once) <= kMostWork;
}

ModuleUnderTest::ModuleUnderTest(const HloModule& module, const Context& context, bool fold_scalars)
    : module_(module), context_(context), fold_scalars_(fold_scalars), is_ideal_(IsIdeal(module)) {}

bool TestsReference(const Context& context) {
  return !context.options.engine && context.options.runner.engine == Engine::kReference;
}
bool OtherIsReference(const Context& context) { return !TestsReference(context); }

int64_t Context::MostSteps() const {
  constexpr int64_t kLeast = int64_t{1} << 20;
  const int64_t most = options.runner.max_steps;
  if (first == nullptr) return most;
  const double steps = static_cast<double>(first_steps) + static_cast<double>(StepsOnce(*first));
  const double longer = static_cast<double>(thresholds::kMuchLonger * TurnsOfExpansions(*first)) * steps;
  return longer < static_cast<double>(most) ? std::min(most, std::max(kLeast, static_cast<int64_t>(longer))) : most;
}

bool Context::EndsAlone(const StatusOr<Results>& result, const StatusOr<Results>& other) const {
  return result.ok() && other.status().code() == StatusCode::kDeadlineExceeded &&
         first_steps <= MostSteps() / thresholds::kMuchLonger;
}

RunnerOptions Context::RunnerOptionsFor(const HloModule& module, int64_t steps) const {
  RunnerOptions runner = options.runner;
  runner.devices = counts;
  runner.max_steps = steps + std::min(StepsOnce(module), std::numeric_limits<int64_t>::max() - steps);
  return runner;
}

ModuleUnderTest::PerSet& ModuleUnderTest::At(size_t set) {
  if (set >= sets_.size()) sets_.resize(set + 1);
  return sets_[set];
}

StatusOr<Results> ModuleUnderTest::Compute(size_t set) {
  const CheckOptions& options = context_.options;
  const Arguments arguments = context_.ArgumentsOf(set);
  if (options.engine) {
    engine_ = "the caller's";
    return options.engine(module_, arguments);
  }
  // The first module may run long, but not on inputs that are made up for coverage.
  const bool leads = &module_ == context_.first && !IsForCoverage(context_.inputs[set].kind);
  return RunWithin(leads ? options.runner.max_steps : context_.MostSteps(), arguments);
}

// Finds the steps within which the first module ends in a few runs, each of which is short beside the next.
StatusOr<Results> ModuleUnderTest::RunWithin(int64_t most, const Arguments& arguments) {
  constexpr int64_t kFactor = 16;
  const bool is_first = &module_ == context_.first;
  std::optional<Runner> usual;
  const int64_t usual_steps = steps_;
  while (true) {
    if (!runner_) {
      if (steps_ < most) steps_ = is_first ? std::min(most, std::max(context_.first_steps, kFactor * steps_)) : most;
      HLOIR_ASSIGN_OR_RETURN(runner_, PrepareTested(module_, steps_));
      engine_ = runner_->engine();
    }
    StatusOr<Results> results = runner_->RunOnAll(arguments);
    if (is_first && results.ok()) context_.first_steps = std::max(context_.first_steps, steps_);
    const bool ended = results.status().code() != StatusCode::kDeadlineExceeded;
    if (!ended && steps_ < most) {
      if (!usual) usual = std::move(runner_);
      runner_.reset();
      continue;
    }
    // The longer limit of a run that did not end either says nothing of others.
    if (!ended && usual) runner_ = std::move(usual), steps_ = usual_steps;
    return results;
  }
}

const StatusOr<Results>& ModuleUnderTest::Result(size_t set) {
  PerSet& at = At(set);
  if (at.result) return *at.result;
  // Detects an engine that modifies its arguments, since the next engine would run on the modified ones.
  const size_t arguments = HashOf(context_.inputs[set]);
  at.result = Compute(set);
  if (HashOf(context_.inputs[set]) != arguments)
    at.result = Internal(Format("the engine ({}) modifies the arguments of {}", engine_, module_.name()));
  return *at.result;
}

StatusOr<Runner> ModuleUnderTest::PrepareTested(const HloModule& module, int64_t steps) const {
  RunnerOptions options = context_.RunnerOptionsFor(module, steps);
  if (options.threads == 0 && WorkOf(CostAnalysis(module).total().once) < kWorthThreads) options.threads = 1;
  return Runner::Prepare(module, options);
}

StatusOr<Results> ModuleUnderTest::RunTested(const HloModule& module, size_t set) const {
  HLOIR_ASSIGN_OR_RETURN(Runner runner, PrepareTested(module, context_.MostSteps()));
  return runner.RunOnAll(context_.ArgumentsOf(set));
}

StatusOr<Results> ModuleUnderTest::RunPrepared(
    std::unique_ptr<Prepared>& prepared, size_t set,
    const std::function<StatusOr<std::unique_ptr<HloModule>>()>& make) const {
  if (!prepared) {
    prepared = std::make_unique<Prepared>();
    StatusOr<std::unique_ptr<HloModule>> made = make();
    prepared->status = made.status();
    if (made.ok()) {
      prepared->module = std::move(*made);
      StatusOr<Runner> runner = PrepareTested(*prepared->module, context_.MostSteps());
      prepared->status = runner.status();
      if (runner.ok()) prepared->runner = std::move(*runner);
    }
  }
  HLOIR_RETURN_IF_ERROR(prepared->status);
  StatusOr<Results> results = prepared->runner->RunOnAll(context_.ArgumentsOf(set));
  // There are dozens of variants, so variants that need much memory are prepared anew for each run.
  constexpr int64_t kMuchMemory = int64_t{8} << 20;
  if (prepared->runner->arena_bytes() > kMuchMemory) prepared.reset();
  return results;
}

void ModuleUnderTest::set_pairs(bool pairs) {
  if (std::exchange(pairs_, pairs) == pairs) return;
  for (PerSet& set : sets_) set.ideal[0].reset(), set.ideal[1].reset();
  ideal_[0].reset(), ideal_[1].reset();
  moved_.clear();
  with_constants_.clear();
}

StatusOr<std::unique_ptr<HloModule>> ModuleUnderTest::MakeIdeal(bool keep_roundings, const ConstantMove* move) {
  HLOIR_ASSIGN_OR_RETURN(IdealModule ideal, MakeIdealModule(module_, keep_roundings, move, fold_scalars_));
  roundings_ = ideal.roundings;
  if (pairs_) return MakePairModule(*ideal.module, move);
  return std::move(ideal.module);
}

StatusOr<Results> ModuleUnderTest::RunIdeal(std::unique_ptr<Prepared>& prepared, size_t set,
                                            const std::function<StatusOr<std::unique_ptr<HloModule>>()>& make) const {
  if (!pairs_) return RunPrepared(prepared, set, make);
  if (!prepared) {
    prepared = std::make_unique<Prepared>();
    StatusOr<std::unique_ptr<HloModule>> made = make();
    prepared->status = made.status();
    if (made.ok()) prepared->module = std::move(*made);
  }
  HLOIR_RETURN_IF_ERROR(prepared->status);
  EvaluatorOptions options = ToEvaluatorOptions(context_.RunnerOptionsFor(*prepared->module));
  options.on_progress = nullptr;
  options.on_result = nullptr;
  std::atomic<bool> stop = false;
  if (HasLoops(module_)) {
    if (context_.pairs_work < 0) return ResourceExhausted("its loops take too many operations");
    options.cancel = &stop;
    options.on_result = [&](const HloInstruction&, const Literal& value) {
      const double elements = value.shape().IsArray() ? static_cast<double>(value.element_count()) : 0;
      if ((context_.pairs_work -= kWorkAStep + elements) < 0) stop = true;
    };
  }
  StatusOr<Literal> evaluated = EvaluateInPairs(*prepared->module, context_.ArgumentsOf(set)[0], options);
  if (stop) return ResourceExhausted("its loops take too many operations");
  HLOIR_ASSIGN_OR_RETURN(Literal result, std::move(evaluated));
  Results results;
  results.push_back(std::move(result));
  return results;
}

const StatusOr<Results>& ModuleUnderTest::Ideal(size_t set, bool keep_roundings) {
  // A module without narrower floats is its own ideal module.
  if (is_ideal_ && !pairs_ && !context_.options.engine) return Result(set);
  std::optional<StatusOr<Results>>& ideal = At(set).ideal[keep_roundings];
  if (!ideal) ideal = RunIdeal(ideal_[keep_roundings], set, [&] { return MakeIdeal(keep_roundings, nullptr); });
  return *ideal;
}

StatusOr<Results> ModuleUnderTest::IdealMoved(size_t set, bool keep_roundings, uint64_t pattern, bool exact_too) {
  return RunIdeal(moved_[{keep_roundings, pattern, exact_too}], set, [&]() -> StatusOr<std::unique_ptr<HloModule>> {
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> ideal, MakeIdeal(keep_roundings, nullptr));
    const double size = (pattern & kOpposite) != 0 ? -move_size() : move_size();
    MoveRoundings(*ideal, pattern & ~kOpposite, size, exact_too, pairs_);
    return ideal;
  });
}

StatusOr<Results> ModuleUnderTest::IdealWithConstants(size_t set, bool keep_roundings, const ConstantMove& move) {
  return RunIdeal(with_constants_[{keep_roundings, move.pattern}], set,
                  [&] { return MakeIdeal(keep_roundings, &move); });
}

StatusOr<Results> ModuleUnderTest::RunReference(const HloModule& module, const Arguments& arguments,
                                                bool whatever_it_takes) const {
  RunnerOptions options = context_.RunnerOptionsFor(module);
  options.engine = Engine::kReference;
  options.on_progress = nullptr;
  options.on_result = nullptr;
  const double limit = static_cast<double>(context_.options.other_engine_work);
  const auto too_much = [&] {
    return ResourceExhausted(Format("the reference needs more than {:.2g} operations", limit));
  };
  std::atomic<bool> stop = false;
  double work = 0;
  if (!whatever_it_takes) {
    const auto costs = std::make_shared<CostAnalysis>(module);
    const double once = WorkOf(costs->total().once) * static_cast<double>(context_.counts.devices());
    if (once > limit) return too_much();
    reference_work_ += once;
    if (HasLoops(module)) {
      options.cancel = &stop;
      options.on_result = [&work, &stop, limit, costs](const HloInstruction& instruction, const Literal&) {
        if ((work += kWorkAStep + WorkOf(*costs, instruction)) > limit) stop = true;
      };
    }
  }
  if (watch_ && &module == &module_) {
    options.on_result = [this, limited = std::move(options.on_result)](const HloInstruction& i, const Literal& value) {
      if (limited) limited(i, value);
      watch_(i, value);
    };
  }
  HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
  StatusOr<Results> results = runner.RunOnAll(arguments);
  reference_work_ += work;
  return stop ? too_much() : std::move(results);
}

const StatusOr<Results>& ModuleUnderTest::OtherResult(size_t set, bool whatever_it_takes) {
  PerSet& at = At(set);
  if (at.other && (at.other_is_final || !whatever_it_takes)) return *at.other;
  if (OtherIsReference(context_)) {
    at.other = RunReference(module_, context_.ArgumentsOf(set), whatever_it_takes);
    at.other_is_final = whatever_it_takes || at.other->ok();
  } else {
    RunnerOptions options = context_.RunnerOptionsFor(module_);
    options.engine = Engine::kFast;
    StatusOr<Runner> runner = Runner::Prepare(module_, options);
    if (runner.ok()) at.other = runner->RunOnAll(context_.ArgumentsOf(set));
    else at.other = runner.status();
    at.other_is_final = true;
  }
  return *at.other;
}

const StatusOr<Results>& ModuleUnderTest::ReferenceResult(size_t set) {
  return TestsReference(context_) ? Result(set) : OtherResult(set);
}

const StatusOr<Results>& ModuleUnderTest::FastResult(size_t set) {
  return TestsReference(context_) ? OtherResult(set) : Result(set);
}

Comparison ModuleUnderTest::CompareWithReference(const Results& other, size_t set) {
  const ModuleRunner runner = [&](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    return RunReference(module, {arguments.begin(), arguments.end()}, /*whatever_it_takes=*/true);
  };
  return CompareRounded(module_, *ReferenceResult(set), other, context_.ArgumentsOf(set), runner);
}

Errors ModuleUnderTest::ErrorsOf(const Results& result, size_t set) {
  PerSet& at = At(set);
  if (!at.wide) at.wide = RunPrepared(wide_, set, [&] { return WidenModule(module_); });
  if (!at.narrow) {
    if (HasDoubles(module_)) at.narrow = RunPrepared(narrow_, set, [&] { return NarrowModule(module_); });
    else at.narrow = Unimplemented("it has no f64");
  }
  Errors errors;
  for (size_t d = 0; d < result.size(); ++d) {
    errors.push_back(MeasureErrors(result[d], at.wide->ok() ? &(**at.wide)[d] : nullptr));
    if (!at.narrow->ok()) continue;
    const std::vector<double> narrow = MeasureErrors(result[d], &(**at.narrow)[d]);
    for (size_t i = 0; i < narrow.size(); ++i) errors[d][i] = std::max(errors[d][i], std::ldexp(narrow[i], 23 - 52));
  }
  return errors;
}

StatusOr<double> ModuleUnderTest::TimeRun(size_t set) {
  const Arguments arguments = context_.ArgumentsOf(set);
  if (scratch_.empty()) scratch_.resize(1);
  const Stopwatch watch;
  if (runner_ && context_.counts.devices() == 1) {
    if (scratch_[0].shape() == module_.entry_computation()->root()->shape()) {
      HLOIR_RETURN_IF_ERROR(runner_->RunInto(arguments[0], &scratch_[0]));
    } else {
      HLOIR_ASSIGN_OR_RETURN(scratch_[0], runner_->Run(arguments[0]));
    }
  } else if (runner_) {
    HLOIR_ASSIGN_OR_RETURN(scratch_, runner_->RunOnAll(arguments));
  } else {
    HLOIR_ASSIGN_OR_RETURN(scratch_, context_.options.engine(module_, arguments));
  }
  return watch.Milliseconds();
}

}  // namespace hloir::check
