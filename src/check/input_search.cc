// See input_search.h.
#include "check/input_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "check/extremes.h"
#include "check/reach.h"
#include "hloir/cost.h"

namespace hloir::check {
namespace {

// Numbers of sets of inputs, for wide arithmetic and for a comparison of bits, within a limit of work each. `ran`: the
// reference ran the whole sets.
struct SetCounts {
  uint64_t wide = 0, further = 0;
};
SetCounts CountSets(ModuleUnderTest& subject, const Context& context, size_t whole_sets, bool ran) {
  constexpr double kMostWide = 72, kMostFurther = 256;
  constexpr double kMostWork = 0x1p25, kWorkOfAnInstruction = 128;  // in operations on elements
  constexpr double kWorkOfPairs = 16;                               // relative to f64
  const HloModule& module = subject.module();
  const bool loops = HasLoops(module);
  if (context.counts.devices() > 1 || (loops && !ran) || module.entry_computation()->parameter_count() == 0) return {};
  // The reference has counted the iterations.
  const double once = ran && loops ? subject.reference_work() / static_cast<double>(whole_sets)
                                   : WorkOf(CostAnalysis(module).total().once);
  const double each = std::max(once + kWorkOfAnInstruction * static_cast<double>(module.instruction_count()), 1.0);
  const double wide = WantsPairs(module) ? kWorkOfPairs * each : each;
  const bool is_engine_known = !context.options.engine;
  return {static_cast<uint64_t>(std::min(kMostWide, kMostWork / wide)),
          is_engine_known ? static_cast<uint64_t>(std::min(kMostFurther, kMostWork / each)) : 0};
}

}  // namespace

bool ShowsAccuracy(InputKind kind) {
  return kind == InputKind::kFar || kind == InputKind::kWide || kind == InputKind::kPositive ||
         kind == InputKind::kDominant;
}

std::pair<InputKind, uint64_t> KindOfFurtherSet(uint64_t k, bool undefined) {
  constexpr uint64_t kSeedOfFurther = 1000, kSeedsOfAKind = 1000;
  constexpr InputKind kKinds[] = {InputKind::kPlain, InputKind::kEdges,   InputKind::kMixed, InputKind::kSpecials,
                                  InputKind::kEdges, InputKind::kUniform, InputKind::kPlain, InputKind::kWide};
  const uint64_t which = k % std::size(kKinds);
  const InputKind kind = !undefined || !IsForCoverage(kKinds[which]) ? kKinds[which] : InputKind::kDominant;
  return {kind, kSeedOfFurther + kSeedsOfAKind * which + k / std::size(kKinds)};
}

StatusOr<SearchedInputs> SearchInputs(ModuleUnderTest& subject, Context& context, bool typical,
                                      const MakeSet& make_set) {
  constexpr uint64_t kSeedOfWide = 100, kSeedOfSpecials = 200, kSeedOfTypical = 300;
  constexpr uint64_t kMostTries = 32;
  constexpr double kMostSearchWork = 0x1p23;  // a module with long runs gets few inputs
  const HloModule& module = subject.module();
  const uint64_t seed = context.options.seed;
  const auto add = [&](uint64_t offset, InputKind kind) -> Status {
    HLOIR_ASSIGN_OR_RETURN(InputSet made, make_set(seed + offset, kind));
    context.inputs.push_back(std::move(made));
    return OkStatus();
  };
  Reach reach(module);
  bool runs = context.options.other_engine_work > 0 && OtherIsReference(context);
  if (runs) subject.set_watch([&](const HloInstruction& i, const Literal& value) { reach.See(i, value); });
  // Inputs of these kinds may make a loop endless.
  const bool may_not_end = HasLoops(module), undefined = IsUndefinedForSome(module);
  if (typical) HLOIR_RETURN_IF_ERROR(add(kSeedOfTypical, InputKind::kTypical));
  for (size_t set = 0; runs && set < context.inputs.size(); ++set) runs = subject.OtherResult(set).ok();
  // Logarithms and roots need positive numbers. One of the two sets of edges uses the module's constants.
  const InputKind kinds[] = {InputKind::kEdges, InputKind::kEdges, InputKind::kWide, InputKind::kPositive,
                             undefined ? InputKind::kDominant : InputKind::kPlain};
  const uint64_t tries = module.entry_computation()->parameter_count() > 0 ? kMostTries : 0;
  for (uint64_t k = 0; k < tries; ++k) {
    const InputKind kind = kinds[k % std::size(kinds)];
    if (undefined && IsForCoverage(kind)) continue;
    const bool always = k < std::size(kinds);  // later sets must increase coverage
    if (!always && (!runs || reach.reached() == reach.total())) break;
    if (subject.reference_work() > kMostSearchWork || (may_not_end && !runs)) break;
    const size_t set = context.inputs.size();
    HLOIR_RETURN_IF_ERROR(add(2 + 2 * k, kind));
    const int64_t reached = reach.reached();
    const bool ends = runs && subject.OtherResult(set).ok();
    if (runs ? ends && (always || reach.reached() > reached) : !may_not_end) continue;
    context.inputs.pop_back();
    subject.Forget(set);
  }
  subject.set_watch(nullptr);
  SearchedInputs found;
  found.whole_sets = context.inputs.size();
  if (runs) found.unreached = reach.Missing(), found.reached = reach.reached();

  const InputKind wide_kinds[] = {InputKind::kMixed,   InputKind::kSpecials, InputKind::kEdges,    InputKind::kMixed,
                                  InputKind::kWide,    InputKind::kSpecials, InputKind::kFar,      InputKind::kUniform,
                                  InputKind::kMixed,   InputKind::kPositive, InputKind::kDominant, InputKind::kSpecials,
                                  InputKind::kSpecials};
  uint64_t specials = 0;
  const SetCounts counts = CountSets(subject, context, found.whole_sets, runs);
  found.further_sets = counts.further;
  for (uint64_t k = 0; k < counts.wide; ++k) {
    const InputKind kind = wide_kinds[k % std::size(wide_kinds)];
    HLOIR_RETURN_IF_ERROR(add(kind == InputKind::kSpecials ? kSeedOfSpecials + specials++ : kSeedOfWide + k, kind));
  }
  return found;
}

}  // namespace hloir::check
