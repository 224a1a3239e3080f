// MeasurePaired(): see tune/paired.h.
#include "tune/paired.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "hloir/check.h"
#include "support/guard.h"
#include "support/random.h"
#include "support/stopwatch.h"

namespace hloir {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLeastPairs = 7;         // the smallest number for which equal signs have a probability below 2 % by
                                       // chance
constexpr double kLeastSample = 2e-4;  // seconds; shorter runs are repeated for one sample

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A module that is ready to run, and its arguments.
class Contender {
 public:
  static StatusOr<Contender> Prepare(const HloModule& module, const RunnerOptions& options,
                                     std::span<const std::vector<const Literal*>> arguments) {
    HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
    Contender contender(std::move(runner), arguments);
    // One run to warm up, one to determine the number of runs per sample.
    HLOIR_RETURN_IF_ERROR(contender.Run().status());
    HLOIR_ASSIGN_OR_RETURN(const double once, contender.Run());
    contender.repeats_ = static_cast<int>(std::clamp(kLeastSample / std::max(once, 1e-7), 1.0, 1000.0));
    return contender;
  }
  // Seconds of one run.
  StatusOr<double> Run() {
    const Clock::time_point start = Clock::now();
    for (int k = 0; k < repeats_; ++k) {
      if (arguments_.size() == 1) {
        if (has_result_) {
          HLOIR_RETURN_IF_ERROR(runner_.RunInto(arguments_[0], &result_));
        } else {
          HLOIR_ASSIGN_OR_RETURN(result_, runner_.Run(arguments_[0]));
          has_result_ = true;
        }
      } else {
        HLOIR_RETURN_IF_ERROR(runner_.RunOnAll(arguments_).status());
      }
    }
    return SecondsSince(start) / repeats_;
  }

 private:
  Contender(Runner runner, std::span<const std::vector<const Literal*>> arguments)
      : runner_(std::move(runner)), arguments_(arguments) {}
  Runner runner_;
  std::span<const std::vector<const Literal*>> arguments_;
  Literal result_;
  bool has_result_ = false;
  int repeats_ = 1;
};

StatusOr<PairedTimes> Measure(const HloModule& before, const HloModule& after, const PairedOptions& options) {
  RunnerOptions runner = options.runner;
  if (runner.devices.devices() <= 1 && UsesDevices(before)) runner.devices = DeviceCountsOf(before);
  HLOIR_ASSIGN_OR_RETURN(const InputSet inputs, MakeInputSet(before, runner.devices, options.seed, InputKind::kPlain));
  std::vector<std::vector<const Literal*>> arguments;
  for (const std::vector<Literal>& device : inputs.devices) {
    std::vector<const Literal*>& pointers = arguments.emplace_back();
    for (const Literal& literal : device) pointers.push_back(&literal);
  }
  HLOIR_ASSIGN_OR_RETURN(Contender a, Contender::Prepare(before, runner, arguments));
  HLOIR_ASSIGN_OR_RETURN(Contender b, Contender::Prepare(after, runner, arguments));
  Random random(options.seed);
  std::vector<double> of_a, of_b;
  const Clock::time_point start = Clock::now();
  while (static_cast<int>(of_a.size()) < std::max(options.max_pairs, kLeastPairs) &&
         (static_cast<int>(of_a.size()) < kLeastPairs || SecondsSince(start) < options.seconds)) {
    const bool a_first = random.Chance(50);
    for (const bool turn_of_a : {a_first, !a_first}) {
      HLOIR_ASSIGN_OR_RETURN(const double seconds, (turn_of_a ? a : b).Run());
      (turn_of_a ? of_a : of_b).push_back(seconds);
    }
  }
  return JudgePairs(of_a, of_b, options.seed);
}

}  // namespace

StatusOr<PairedTimes> MeasurePaired(const HloModule& before, const HloModule& after, const PairedOptions& options) {
  return Guarded([&] { return Measure(before, after, options); });
}

}  // namespace hloir
