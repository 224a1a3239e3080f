// A module and its results on each set of inputs, by each engine and in wide arithmetic, each computed once, on first
// use. Checker (check.cc) compares two of these.
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

using Results = std::vector<Literal>;                        // each device's
using Errors = std::vector<std::vector<double>>;             // each device's leaves'
using Arguments = std::vector<std::vector<const Literal*>>;  // each device's

// The options and inputs that all modules of a check share.
struct Context {
  CheckOptions options;
  DeviceCounts counts;
  std::vector<InputSet> inputs;

  Arguments ArgumentsOf(size_t set) const;
};

class ModuleUnderTest {
 public:
  // Both outlive it.
  // `fold_scalars`: as MakeIdealModule has it.
  ModuleUnderTest(const HloModule& module, const Context& context, bool fold_scalars = true);

  const HloModule& module() const { return module_; }
  Arguments ArgumentsOf(size_t set) const { return context_.ArgumentsOf(set); }
  // Frees the executables of all variants of the module, of megabytes each; their results stay.
  void DropVariants() {
    for (auto* variant : {&wide_, &narrow_, &ideal_[0], &ideal_[1]}) variant->reset();
    moved_.clear(), with_constants_.clear();
  }
  // By the engine under test.
  const StatusOr<Results>& Result(size_t set);
  // By the other one. `whatever_it_takes`: without the limit of work; beyond that it is ResourceExhausted.
  const StatusOr<Results>& OtherResult(size_t set, bool whatever_it_takes = false);
  // By the reference, whichever of the two that is.
  const StatusOr<Results>& ReferenceResult(size_t set);
  // By the one that is not the reference.
  const StatusOr<Results>& FastResult(size_t set);
  // The rounding errors of a result on these inputs: its distance from the results in other arithmetic; 0 where that
  // does not run.
  Errors ErrorsOf(const Results& result, size_t set);

  // Wide arithmetic is double-double (pairs of f64 in c128 literals) and not f64. Setting it drops results of the
  // other.
  bool pairs() const { return pairs_; }
  void set_pairs(bool pairs);
  // "f64" or "double-double".
  std::string_view wide_name() const { return pairs_ ? "double-double" : "f64"; }
  // The part of itself that IdealMoved moves results by.
  double move_size() const { return pairs_ ? thresholds::kMoveOfPairs : thresholds::kMove; }
  // The module's results in wide arithmetic, with its roundings to narrower types or without (MakeIdealModule).
  const StatusOr<Results>& Ideal(size_t set, bool keep_roundings);
  // The same with each rounding moved (MoveRoundings), and with constants moved. `kOpposite` in a pattern: by the same
  // amounts, in the other direction.
  static constexpr uint64_t kOpposite = uint64_t{1} << 63;
  StatusOr<Results> IdealMoved(size_t set, bool keep_roundings, uint64_t pattern, bool exact_too = false);
  // `move` is the same for all sets, patterns apart.
  StatusOr<Results> IdealWithConstants(size_t set, bool keep_roundings, const ConstantMove& move);
  // The module has roundings to narrower types. Known after a call of Ideal().
  bool HasRoundings() const { return roundings_ > 0; }
  const InputSet& InputsOf(size_t set) const { return context_.inputs[set]; }
  const CheckOptions& options() const { return context_.options; }
  const Context& context() const { return context_; }

  // Milliseconds of one more run. Only after Result() has been good.
  StatusOr<double> TimeRun(size_t set);
  // `watch` is called with each value of runs of this module by the reference.
  void set_watch(std::function<void(const HloInstruction&, const Literal&)> watch) { watch_ = std::move(watch); }
  // Operations that the reference has done so far within its limit of work.
  double reference_work() const { return reference_work_; }
  // Drops the results on a set of inputs that has changed.
  void Forget(size_t set) {
    if (set < sets_.size()) sets_[set] = PerSet();
  }
  // As the verdict names them.
  std::string engine() const { return engine_; }
  // Runs this or a relative of it by the engine under test, or by the reference.
  StatusOr<Results> RunTested(const HloModule& module, size_t set) const;
  StatusOr<Results> RunReference(const HloModule& module, const Arguments& arguments, bool whatever_it_takes) const;
  // The reference's result against another on the same inputs. The bound comes from the reference alone, not from the
  // other result.
  Comparison CompareWithReference(const Results& other, size_t set);

 private:
  // Made for the first set of inputs that it is run on.
  struct Prepared {
    Status status;
    std::unique_ptr<HloModule> module;
    std::optional<Runner> runner;
  };
  struct PerSet {
    std::optional<StatusOr<Results>> result, other;
    bool other_is_final = false;  // not for lack of work that may be done
    std::optional<StatusOr<Results>> wide, narrow;
    std::optional<StatusOr<Results>> ideal[2];  // without and with roundings
  };
  PerSet& At(size_t set);
  StatusOr<Results> Compute(size_t set);
  StatusOr<std::unique_ptr<HloModule>> MakeIdeal(bool keep_roundings, const ConstantMove* move);
  // On one set by `prepared`, as RunPrepared does, or in double-double.
  StatusOr<Results> RunIdeal(std::unique_ptr<Prepared>& prepared, size_t set,
                             const std::function<StatusOr<std::unique_ptr<HloModule>>()>& make) const;
  StatusOr<Runner> PrepareTested(const HloModule& module) const;
  // On one set by `prepared`, which `make` makes if it is empty.
  StatusOr<Results> RunPrepared(std::unique_ptr<Prepared>& prepared, size_t set,
                                const std::function<StatusOr<std::unique_ptr<HloModule>>()>& make) const;

  const HloModule& module_;
  const Context& context_;
  std::deque<PerSet> sets_;       // grows without moving what references are kept to
  std::optional<Runner> runner_;  // prepared for Result()
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

// Each device's results against such that were computed elsewhere and rounded in another order: CompareWithStored, for
// several devices. It asks `runner` for how the module magnifies rounding, if a few units in the last place do not
// explain the difference. (In stored.cc.)
Comparison CompareRounded(const HloModule& module, const Results& results, const Results& others,
                          const Arguments& arguments, const ModuleRunner& runner);

// A copy of the module in which each rounded float is moved by a unit in its last place, up or down by a pattern; or
// only those that depend on constants alone. How far the result moves is what rounding may change. (In perturb.cc.)
std::unique_ptr<HloModule> PerturbModule(const HloModule& module, uint64_t pattern, bool of_constants_alone = false);
// The module with one NaN for all NaNs and 0 for -0 in all values that it reads and computes, in those that it computes
// alone, or with -0 for 0 in those that it rounds. `denormals`: and the same zero for each denormal of types with f32's
// range. (In perturb.cc.)
enum class FlushMode { kPlus, kPlusIfComputed, kMinusIfRounded };
std::unique_ptr<HloModule> FlushSigns(const HloModule& module, FlushMode mode, bool denormals);
// The module with zeros for the denormals among the bf16 factors of its products, as the dot instructions of some
// processors take them; nullptr if it has no such product.
std::unique_ptr<HloModule> FlushFactors(const HloModule& module);
// In an ideal module: moves each rounded result by a random part of `size`, up or down, and so what is added up.
// Results that have not been rounded stay, unless `exact_too` moves these as well. `pairs`: c128 stands for
// double-double. (In perturb.cc.)
void MoveRoundings(HloModule& ideal, uint64_t pattern, double size, bool exact_too = false, bool pairs = false);
// 1, a unit in the last place more or less.
void FillWithNearlyOne(Literal& literal, uint64_t pattern, double units = 1);

bool HasLoops(const HloModule& module);
bool HasDoubles(const HloModule& module);
bool HasComplexNumbers(const HloModule& module);
// The module's wide arithmetic is to be double-double: it has f64, and a run by the reference is short, so that all
// sets together take about a second. Whether its ops have a double-double form shows when it runs.
bool WantsPairs(const HloModule& module);

// The engine under test is the reference.
bool TestsReference(const Context& context);
// The other engine is the reference.
bool OtherIsReference(const Context& context);

// Operations on elements that this takes in the reference, roughly.
double WorkOf(const Cost& cost);
// The same of one instruction, without what is evaluated as instructions of its own.
double WorkOf(const CostAnalysis& costs, const HloInstruction& instruction);

}  // namespace hloir::check
