// A module with its results on each set of inputs, by each engine and in wide arithmetic. Each result is computed once,
// on first use. Checker (check.cc) compares two of these.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "check/thresholds.h"
#include "hloir/check.h"
#include "hloir/cost.h"
#include "check/widen.h"

namespace hloir::check {

using Results = std::vector<Literal>;                        // by device
using Errors = std::vector<std::vector<double>>;             // by device and leaf
using Arguments = std::vector<std::vector<const Literal*>>;  // by device

// The options and inputs that all modules of a check share.
struct Context {
  CheckOptions options;
  DeviceCounts counts;
  std::vector<InputSet> inputs;
  // The first module, and the steps within which it has ended on all sets so far. Its results raise them, and limit all
  // other runs: see MostSteps().
  const HloModule* first = nullptr;
  mutable int64_t first_steps = int64_t{1} << 10;
  // What is left of a verdict's work for modules with loops in double-double, which takes a hundred times as long as
  // other arithmetic, in operations on elements. Later comparisons are in f64.
  static constexpr double kPairsWork = 0x1p27;
  mutable double pairs_work = kPairsWork;

  Arguments ArgumentsOf(size_t set) const;
  // The limit on steps of everything but a result of the first module: a generous multiple of what that takes, within
  // the options' limit.
  int64_t MostSteps() const;
  // Returns whether the second of these results on the same inputs is missing since it takes so many times the steps of
  // the first that it does not count as ending.
  bool EndsAlone(const StatusOr<Results>& result, const StatusOr<Results>& other) const;
  // For a run of the module on all devices. The limit on steps is for what is run again, in loops and calls: one run of
  // each instruction comes on top of it.
  RunnerOptions RunnerOptionsFor(const HloModule& module, int64_t steps) const;
  RunnerOptions RunnerOptionsFor(const HloModule& module) const { return RunnerOptionsFor(module, MostSteps()); }
};

class ModuleUnderTest {
 public:
  // `module` and `context` must outlive it. `fold_scalars`: see MakeIdealModule.
  ModuleUnderTest(const HloModule& module, const Context& context, bool fold_scalars = true);

  const HloModule& module() const { return module_; }
  Arguments ArgumentsOf(size_t set) const { return context_.ArgumentsOf(set); }
  // Frees the executables of all variants, which take megabytes each; their results stay.
  void DropVariants() {
    for (auto* variant : {&wide_, &narrow_, &ideal_[0], &ideal_[1]}) variant->reset();
    moved_.clear(), with_constants_.clear();
  }
  // The result of the engine under test.
  const StatusOr<Results>& Result(size_t set);
  // The result of the other engine. Without `whatever_it_takes`, exceeding the work limit is ResourceExhausted.
  const StatusOr<Results>& OtherResult(size_t set, bool whatever_it_takes = false);
  // The result of the reference, whichever engine that is.
  const StatusOr<Results>& ReferenceResult(size_t set);
  // The result of the engine that is not the reference.
  const StatusOr<Results>& FastResult(size_t set);
  // The rounding errors of a result: its distance from the results in other arithmetic; 0 if the module does not run in
  // that arithmetic.
  Errors ErrorsOf(const Results& result, size_t set);

  // Whether wide arithmetic is double-double (pairs of f64 in c128 literals) instead of f64. Changing it drops the
  // results of the former.
  bool pairs() const { return pairs_; }
  void set_pairs(bool pairs);
  // "f64" or "double-double".
  std::string_view wide_name() const { return pairs_ ? "double-double" : "f64"; }
  // The relative size of IdealMoved's perturbations.
  double move_size() const { return pairs_ ? thresholds::kMoveOfPairs : thresholds::kMove; }
  // The results in wide arithmetic, with or without roundings to narrower types (MakeIdealModule).
  const StatusOr<Results>& Ideal(size_t set, bool keep_roundings);
  // The same with each rounding perturbed (MoveRoundings), or with constants perturbed. With `kOpposite` in the
  // pattern, by the same amounts in the other direction.
  static constexpr uint64_t kOpposite = uint64_t{1} << 63;
  StatusOr<Results> IdealMoved(size_t set, bool keep_roundings, uint64_t pattern, bool exact_too = false);
  // `move` must be the same for all sets, except for the pattern.
  StatusOr<Results> IdealWithConstants(size_t set, bool keep_roundings, const ConstantMove& move);
  // Returns whether the module rounds to narrower types. Valid after a call of Ideal().
  bool HasRoundings() const { return roundings_ > 0; }
  const InputSet& InputsOf(size_t set) const { return context_.inputs[set]; }
  const CheckOptions& options() const { return context_.options; }
  const Context& context() const { return context_; }

  // Milliseconds of one more run. Result() must have succeeded.
  StatusOr<double> TimeRun(size_t set);
  // `watch` is called with each value of this module's runs by the reference.
  void set_watch(std::function<void(const HloInstruction&, const Literal&)> watch) { watch_ = std::move(watch); }
  // Operations that the reference has executed so far within its work limit.
  double reference_work() const { return reference_work_; }
  // Drops the results on a set of inputs that has changed.
  void Forget(size_t set) {
    if (set < sets_.size()) sets_[set] = PerSet();
  }
  // The engine's name in the verdict.
  std::string engine() const { return engine_; }
  // Runs this module or a variant of it by the engine under test, or by the reference.
  StatusOr<Results> RunTested(const HloModule& module, size_t set) const;
  StatusOr<Results> RunReference(const HloModule& module, const Arguments& arguments, bool whatever_it_takes) const;
  // Compares the reference's result with another on the same inputs. The bound comes from the reference alone.
  Comparison CompareWithReference(const Results& other, size_t set);

 private:
  // A variant, prepared for its first set of inputs.
  struct Prepared {
    Status status;
    std::unique_ptr<HloModule> module;
    std::optional<Runner> runner;
  };
  struct PerSet {
    std::optional<StatusOr<Results>> result, other;
    bool other_is_final = false;  // false if it failed for lack of work that may be granted
    std::optional<StatusOr<Results>> wide, narrow;
    std::optional<StatusOr<Results>> ideal[2];  // without and with roundings
  };
  PerSet& At(size_t set);
  StatusOr<Results> Compute(size_t set);
  StatusOr<Results> RunWithin(int64_t most, const Arguments& arguments);
  StatusOr<std::unique_ptr<HloModule>> MakeIdeal(bool keep_roundings, const ConstantMove* move);
  // Runs `prepared` on one set, as RunPrepared does, or in double-double.
  StatusOr<Results> RunIdeal(std::unique_ptr<Prepared>& prepared, size_t set,
                             const std::function<StatusOr<std::unique_ptr<HloModule>>()>& make) const;
  StatusOr<Runner> PrepareTested(const HloModule& module, int64_t steps) const;
  // Runs `prepared` on one set. An empty `prepared` is made by `make`.
  StatusOr<Results> RunPrepared(std::unique_ptr<Prepared>& prepared, size_t set,
                                const std::function<StatusOr<std::unique_ptr<HloModule>>()>& make) const;

  const HloModule& module_;
  const Context& context_;
  std::deque<PerSet> sets_;       // references to elements stay valid as it grows
  std::optional<Runner> runner_;  // prepared for Result(),
  int64_t steps_ = 0;             // with this limit on steps
  std::unique_ptr<Prepared> wide_, narrow_, ideal_[2];
  std::map<std::tuple<bool, uint64_t, bool>, std::unique_ptr<Prepared>> moved_;
  std::map<std::pair<bool, uint64_t>, std::unique_ptr<Prepared>> with_constants_;
  int64_t roundings_ = 0;
  mutable double reference_work_ = 0;
  bool fold_scalars_, is_ideal_, pairs_ = false;
  Results scratch_;  // of timed runs
  std::function<void(const HloInstruction&, const Literal&)> watch_;
  std::string engine_;
};

// Compares each device's results with results that were computed elsewhere, with roundings in another order:
// CompareWithStored for several devices. If a few units in the last place do not explain the difference, `runner`
// measures how the module amplifies rounding errors. (In stored.cc.)
Comparison CompareRounded(const HloModule& module, const Results& results, const Results& others,
                          const Arguments& arguments, const ModuleRunner& runner);

// A copy of the module that perturbs each rounded float by a unit in the last place, in the direction that the pattern
// gives; or only those that depend on constants alone. The change of the result bounds its rounding error. (In
// perturb.cc.)
std::unique_ptr<HloModule> PerturbModule(const HloModule& module, uint64_t pattern, bool of_constants_alone = false);
// A copy with one NaN for all NaNs, and with 0 for -0 in all values that it reads and computes, or in computed values
// only, or with -0 for 0 in rounded values. `denormals`: also flushes denormals of types with f32's range to that zero.
// (In perturb.cc.)
enum class FlushMode { kPlus, kPlusIfComputed, kMinusIfRounded };
std::unique_ptr<HloModule> FlushSigns(const HloModule& module, FlushMode mode, bool denormals);
// A copy that flushes denormals among the bf16 factors of its products, as some processors' dot instructions do. Null
// if it has no such product.
std::unique_ptr<HloModule> FlushFactors(const HloModule& module);
// Perturbs each rounded result, and each summand, of an ideal module by a random part of `size`, up or down. Results
// without rounding are perturbed only if `exact_too`. `pairs`: c128 stores double-double. (In perturb.cc.)
void MoveRoundings(HloModule& ideal, uint64_t pattern, double size, bool exact_too = false, bool pairs = false);
// Fills with 1 plus or minus a unit in the last place.
void FillWithNearlyOne(Literal& literal, uint64_t pattern, double units = 1);

bool HasLoops(const HloModule& module);
bool HasDoubles(const HloModule& module);
bool HasComplexNumbers(const HloModule& module);
// Returns whether double-double should be the wide arithmetic: the module has f64, and the reference runs it fast
// enough for all sets to take about a second. A run shows whether its operations have a double-double form.
bool WantsPairs(const HloModule& module);

// Returns whether the engine under test is the reference.
bool TestsReference(const Context& context);
// Returns whether the other engine is the reference.
bool OtherIsReference(const Context& context);

// The approximate number of the reference's operations on elements.
double WorkOf(const Cost& cost);
// The same for one instruction, without called computations.
double WorkOf(const CostAnalysis& costs, const HloInstruction& instruction);

}  // namespace hloir::check
