// See tune/tune.h. A candidate is the first pipeline with a set of changes (plan.h). The search screens all single
// changes, then combines them by simulated annealing, removes unneeded changes from the best set, and verifies the
// result.
#include "tune/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "hloir/analysis.h"
#include "hloir/cost.h"
#include "hloir/pipeline.h"
#include "hloir/verifier.h"
#include "support/guard.h"
#include "support/random.h"
#include "tune/plan.h"

namespace hloir {

std::string_view TuneByName(TuneBy by) {
  switch (by) {
    case TuneBy::kBytes: return "bytes";
    case TuneBy::kOperations: return "operations";
    case TuneBy::kRoofline: return "roofline";
    case TuneBy::kTime: return "time";
  }
  return "";
}

TuneCost TuneCostOf(const HloModule& module, double operations_per_byte) {
  const CostAnalysis analysis(module);
  TuneCost cost;
  const Cost& total = analysis.total().repeated;
  cost.bytes = total.bytes;
  cost.operations = total.flops + total.transcendentals;
  cost.instructions = module.instruction_count();
  cost.unknown_loops = analysis.total().unknown_loops;
  cost.custom_calls = analysis.total().custom_calls;
  // Costs of one run of each computation; callees come first.
  std::vector<double> roofs(static_cast<size_t>(module.computation_id_limit()), 0);
  const auto roof = [&](const HloComputation* c) -> double& { return roofs[static_cast<size_t>(c->id())]; };
  for (const HloComputation* computation : module.PostOrder()) {
    double sum = 0;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      const auto& called = i->called_computations();
      if (i->opcode() == HloOpcode::kWhile) {
        const double trips = static_cast<double>(TripCount(*i).value_or(1));
        sum += (trips + 1) * roof(called[0]) + trips * roof(called[1]);
      } else if (i->opcode() == HloOpcode::kConditional) {
        double most = 0;
        for (const HloComputation* branch : called) most = std::max(most, roof(branch));
        sum += most;
      } else if (i->opcode() == HloOpcode::kCall || i->opcode() == HloOpcode::kAsyncStart) {
        for (const HloComputation* callee : called) sum += roof(callee);
      } else {
        const Cost own = analysis.Of(*i).repeated;
        sum += std::max(own.bytes, (own.flops + own.transcendentals) / operations_per_byte);
      }
    }
    roof(computation) = sum;
    if (computation->IsEntry()) cost.roofline = sum;
  }
  return cost;
}

namespace tune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kNoDeadline = std::numeric_limits<double>::infinity();
constexpr double kScreening = 0.4, kSearching = 0.85;  // parts of the budget, from the beginning
constexpr double kSame = 1e-9;                         // sums of doubles differ by so much
constexpr size_t kKept = 8;                            // candidates, for when the best is refused
constexpr int kFirstNewId = 1000;                      // ids of inserted passes; those of existing ones start at 1

// Less is better. The objective comes first; then fewer operations and instructions, and fewer changes.
struct Score {
  double main = kNoDeadline, operations = kNoDeadline;
  int64_t instructions = 0;
  size_t changes = 0;

  friend bool operator<(const Score& a, const Score& b) {
    if (std::abs(a.main - b.main) > kSame) return a.main < b.main;
    if (std::abs(a.operations - b.operations) > kSame) return a.operations < b.operations;
    return std::pair(a.instructions, a.changes) < std::pair(b.instructions, b.changes);
  }
};

struct Candidate {
  std::vector<Change> changes = {};
  Score score = {};
  uint64_t hash = 0;  // of its module
};

class Tuner {
 public:
  Tuner(const HloModule& module, const PassRegistry& registry, const TuneOptions& options)
      : module_(module), registry_(registry), options_(options), random_(options.seed) {}

  StatusOr<TuneResult> Run() {
    HLOIR_RETURN_IF_ERROR(Begin());
    Screen();
    Combine();
    Prune(best_);
    HLOIR_RETURN_IF_ERROR(Decide());
    return std::move(result_);
  }

 private:
  Status Begin();
  void Screen();
  void Combine();
  void Prune(Candidate& candidate);
  Status Decide();

  StatusOr<std::unique_ptr<HloModule>> Optimized(const Plan& plan, Rewriter* rewriter = nullptr);
  // The plan with these changes; nullopt if one of them has no effect.
  std::optional<Plan> PlanOf(const std::vector<Change>& changes) const;
  std::optional<Candidate> Evaluate(const std::vector<Change>& changes);
  Score ScoreOf(const HloModule& module, uint64_t hash);
  double MainOf(const TuneCost& cost) const;
  std::vector<Change> Mutated(const std::vector<Change>& changes);
  Change RandomMove();
  void Keep(const Candidate& candidate);
  void Finish(const Candidate& candidate, std::unique_ptr<HloModule> module);

  double Part() const {
    if (options_.trials > 0) return static_cast<double>(result_.tried) / static_cast<double>(options_.trials);
    return std::chrono::duration<double>(Clock::now() - start_).count() / std::max(options_.seconds, 1e-3);
  }
  bool GoOn(std::string_view phase, double until) {
    if (options_.progress && !stopped_) {
      stopped_ = !options_.progress({phase, std::min(1.0, Part()), result_.tried, std::min(1.0, best_.score.main)});
    }
    return !stopped_ && Part() < until;
  }

  const HloModule& module_;
  const PassRegistry& registry_;
  const TuneOptions& options_;
  Random random_;
  const Clock::time_point start_ = Clock::now();
  bool stopped_ = false, deadline_ = true;

  std::optional<Plan> plan_;  // the first one
  std::unique_ptr<HloModule> first_;
  uint64_t first_hash_ = 0;
  TuneResult result_;
  // All changes; those that improve by themselves; those that change the module.
  std::vector<Change> single_, better_, other_;
  std::map<std::string, Candidate> seen_;  // by text
  std::unordered_map<uint64_t, Score> measured_;
  Candidate best_;
  std::vector<Candidate> kept_;  // different modules, the best first
};

StatusOr<std::unique_ptr<HloModule>> Tuner::Optimized(const Plan& plan, Rewriter* rewriter) {
  PassOptions options;
  options.math = options_.math;
  options.rewriter = rewriter;
  PipelineOptions pipeline_options;
  if (first_ != nullptr) {  // a candidate may grow, within limits, and must not use the whole time
    pipeline_options.max_instructions = 4 * std::max(first_->instruction_count(), module_.instruction_count()) + 1000;
    pipeline_options.before = [this](const PassEvent&, const HloModule&) {
      return deadline_ && options_.trials == 0 && Part() > 1 ? ResourceExhausted("the time budget is used up")
                                                             : OkStatus();
    };
  }
  const std::vector<std::string> names = plan.Names();
  if (names.empty()) return InvalidArgument("no pass is left");
  HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline,
                         MakePipeline(registry_, names, options, std::move(pipeline_options)));
  std::unique_ptr<HloModule> module = module_.Clone();
  HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(*module).status());
  return module;
}

std::optional<Plan> Tuner::PlanOf(const std::vector<Change>& changes) const {
  Plan plan = *plan_;
  int id = kFirstNewId;
  for (const Change& change : changes) {
    if (!change.Apply(plan, id++)) return std::nullopt;
  }
  return plan;
}

double Tuner::MainOf(const TuneCost& cost) const {
  const auto part = [](double now, double first) { return first > 0 ? now / first : 1 + now; };
  switch (options_.by) {
    case TuneBy::kBytes: return part(cost.bytes, result_.first.bytes);
    case TuneBy::kOperations: return part(cost.operations, result_.first.operations);
    case TuneBy::kRoofline:
    case TuneBy::kTime: return part(cost.roofline, result_.first.roofline);
  }
  return kNoDeadline;
}

Score Tuner::ScoreOf(const HloModule& module, uint64_t hash) {
  const TuneCost cost = TuneCostOf(module, options_.operations_per_byte);
  Score score{MainOf(cost), cost.operations, cost.instructions};
  // Rejects candidates with more uncounted operations (unknown loops, custom-calls), whose cost would seem lower.
  if (cost.unknown_loops > result_.first.unknown_loops || cost.custom_calls > result_.first.custom_calls) return {};
  if (cost.operations > options_.most_operations * result_.first.operations + 64) return {};
  if (options_.by != TuneBy::kTime) return score;
  if (hash == first_hash_) return {1, cost.operations, cost.instructions};
  PairedOptions paired;
  paired.seconds = options_.trials > 0 ? 0.02 : std::min(0.05, options_.seconds / 200);
  paired.max_pairs = 9;
  paired.seed = options_.seed;
  paired.runner = options_.runner;
  const StatusOr<PairedTimes> times = MeasurePaired(*first_, module, paired);
  score.main = times.ok() ? times->ratio : kNoDeadline;
  return score;
}

std::optional<Candidate> Tuner::Evaluate(const std::vector<Change>& changes) {
  const std::optional<Plan> plan = PlanOf(changes);
  if (!plan) return std::nullopt;
  const auto [seen, is_new] = seen_.try_emplace(plan->Text());
  if (!is_new) {
    Candidate known = seen->second;
    known.changes = changes;
    known.score.changes = changes.size();
    return known;
  }
  ++result_.tried;
  Candidate& candidate = seen->second;
  candidate.changes = changes;
  const auto module = Optimized(*plan);
  if (!module.ok()) {
    ++result_.failed;
    return candidate;
  }
  candidate.hash = StructuralHash(**module);
  const auto known = measured_.find(candidate.hash);
  if (known != measured_.end()) {
    candidate.score = known->second;
  } else {
    candidate.score = ScoreOf(**module, candidate.hash);
    if (candidate.score < best_.score && !VerifyModule(**module).ok()) ++result_.failed, candidate.score = {};
    measured_.emplace(candidate.hash, candidate.score);
    ++result_.modules;
  }
  candidate.score.changes = changes.size();
  Keep(candidate);
  return candidate;
}

void Tuner::Keep(const Candidate& candidate) {
  if (candidate.score < best_.score) best_ = candidate;
  if (candidate.score.main >= 1 - kSame) return;
  const auto same =
      std::find_if(kept_.begin(), kept_.end(), [&](const Candidate& k) { return k.hash == candidate.hash; });
  if (same != kept_.end()) {
    if (candidate.score < same->score) *same = candidate;
    return;
  }
  kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), candidate,
                                [](const Candidate& a, const Candidate& b) { return a.score < b.score; }),
               candidate);
  if (kept_.size() > kKept) kept_.pop_back();
}

Status Tuner::Begin() {
  plan_.emplace(options_.start.empty() ? registry_.default_pipeline() : options_.start, registry_);
  RewriteLog log;
  log.keep_text = false;
  HLOIR_ASSIGN_OR_RETURN(first_, Optimized(*plan_, &log));
  result_.by = options_.by, result_.seed = options_.seed;
  result_.unoptimized = TuneCostOf(module_, options_.operations_per_byte);
  result_.first = TuneCostOf(*first_, options_.operations_per_byte);
  first_hash_ = StructuralHash(*first_);
  best_ = {{}, {1, result_.first.operations, result_.first.instructions}, first_hash_};
  measured_.emplace(first_hash_, best_.score);
  seen_.emplace(plan_->Text(), best_);
  result_.tried = result_.modules = 1;
  std::vector<std::string> fired;
  for (const auto& [id, count] : log.counts()) fired.push_back(id);
  single_ = SingleChanges(*plan_, registry_, fired);
  random_.Shuffle(single_);
  return OkStatus();
}

// Tries every single change, in random order, within the budget.
void Tuner::Screen() {
  for (const Change& change : single_) {
    if (!GoOn("screening", kScreening)) {
      result_.ended = false;
      return;
    }
    const std::optional<Candidate> candidate = Evaluate({change});
    if (!candidate || candidate->hash == 0 || candidate->hash == first_hash_) continue;
    if (candidate->score.main < 1 - kSame) better_.push_back(change);
    else if (candidate->score.main < 1.05) other_.push_back(change);
  }
}

Change Tuner::RandomMove() {
  std::vector<int> ids;
  for (const Stage& stage : plan_->stages()) {
    for (const PassCall& call : stage.passes) ids.push_back(call.id);
  }
  const int call = random_.From(ids);
  ids.push_back(0);
  return {Change::Kind::kMove, call, "", "", "", random_.From(ids), random_.Chance(50)};
}

std::vector<Change> Tuner::Mutated(const std::vector<Change>& changes) {
  std::vector<Change> mutated = changes;
  for (int steps = random_.Chance(30) ? 2 : 1; steps > 0; --steps) {
    const int64_t kind = random_.Below(100);
    if (kind < 25 && !mutated.empty()) {
      mutated.erase(mutated.begin() + random_.Below(static_cast<int64_t>(mutated.size())));
      continue;
    }
    Change change;
    if (kind < 60 && !better_.empty()) change = random_.From(better_);
    else if (kind < 80 && !other_.empty()) change = random_.From(other_);
    else if (kind < 92) change = RandomMove();
    else change = random_.From(single_);
    std::erase_if(mutated, [&](const Change& old) { return old.Clashes(change); });
    // At the front, before the existing passes, or at the end.
    mutated.insert(random_.Chance(30) ? mutated.begin() : mutated.end(), std::move(change));
  }
  return mutated;
}

void Tuner::Combine() {
  constexpr double kWarmest = 0.02;   // initial temperature: the relative increase of cost accepted with probability
                                      // 1/e
  constexpr int kMostUseless = 2000;  // consecutive steps without a new candidate
  constexpr int kPatience = 80;       // steps without a new best before the search returns to the best
  Candidate current = best_;
  int useless = 0, since_best = 0;
  while (GoOn("combining", kSearching) && useless < kMostUseless && !single_.empty()) {
    const int64_t tried = result_.tried;
    const Score best = best_.score;
    const std::optional<Candidate> next = Evaluate(Mutated(current.changes));
    useless = result_.tried > tried ? 0 : useless + 1;
    since_best = best_.score < best ? 0 : since_best + 1;
    if (!next || next->score.main == kNoDeadline) continue;
    const double warmth = kWarmest * std::max(0.0, 1 - Part() / kSearching);
    const double u = static_cast<double>(random_.Below(1 << 20) + 1) / (1 << 20);
    if (next->score < current.score || next->score.main - current.score.main < -warmth * std::log(u)) current = *next;
    if (since_best > kPatience) current = best_, since_best = 0;
  }
}

// Removes each change without effect, and computes the effects of the others.
void Tuner::Prune(Candidate& candidate) {
  for (size_t k = candidate.changes.size(); k-- > 0;) {
    GoOn("pruning", 1);
    std::vector<Change> fewer = candidate.changes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    const std::optional<Candidate> without = Evaluate(fewer);
    if (!without || without->hash == 0) continue;
    // For times, a change is removed only if the module is the same without it.
    const bool no_worse = options_.by == TuneBy::kTime ? without->hash == candidate.hash
                                                       : without->score.main <= candidate.score.main + kSame;
    if (no_worse) candidate = *without;
  }
}

void Tuner::Finish(const Candidate& candidate, std::unique_ptr<HloModule> module) {
  const std::optional<Plan> plan = PlanOf(candidate.changes);
  result_.passes = plan->Text();
  result_.best = TuneCostOf(*module, options_.operations_per_byte);
  result_.changes.clear();
  for (size_t k = 0; k < candidate.changes.size(); ++k) {
    std::vector<Change> fewer = candidate.changes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    const std::optional<Candidate> without = Evaluate(fewer);
    TuneChange& change = result_.changes.emplace_back();
    change.text = candidate.changes[k].Text(*plan_);
    const bool known = without && without->score.main < kNoDeadline && candidate.score.main > 0;
    if (known && options_.by != TuneBy::kTime) change.without = without->score.main / candidate.score.main;
  }
  result_.module = std::move(module);
}

// The best candidate that agrees with the module and, for the objective time, is significantly faster.
Status Tuner::Decide() {
  deadline_ = false;
  const int64_t tried = result_.tried;
  CheckOptions check_options;
  check_options.exact = options_.math == MathMode::kExact;
  check_options.seed = options_.seed;
  check_options.runner.threads = options_.runner.threads;
  if (UsesDevices(module_)) check_options.runner.devices = DeviceCountsOf(module_);
  std::optional<Checker> checker;
  if (options_.verify) checker.emplace(module_, std::vector<InputSet>(), check_options);

  std::vector<Candidate> finalists = {best_};
  for (const Candidate& kept : kept_) {
    if (kept.hash != best_.hash) finalists.push_back(kept);
  }
  if (best_.hash != first_hash_)
    finalists.push_back({{}, {1, result_.first.operations, result_.first.instructions}, first_hash_});
  for (Candidate& finalist : finalists) {
    const bool is_first = finalist.changes.empty();
    if (&finalist != &finalists.front()) Prune(finalist);
    const std::optional<Plan> plan = PlanOf(finalist.changes);
    StatusOr<std::unique_ptr<HloModule>> module = is_first ? first_->Clone() : Optimized(*plan);
    if (!module.ok()) continue;
    if (checker) {
      GoOn("verifying", 1);
      StatusOr<Verdict> verdict = checker->Check(**module);
      if (!verdict.ok() && is_first) return verdict.status();
      if (!verdict.ok() || (!verdict->agrees() && !is_first)) {
        ++result_.refused;
        result_.refused_because = verdict.ok() ? verdict->ToString() : verdict.status().message();
        continue;
      }
      result_.verdict = *std::move(verdict);
    }
    result_.times.reset();
    if (finalist.hash != first_hash_) {
      GoOn("measuring", 1);
      PairedOptions paired;
      paired.seconds = stopped_ ? 0.2 : std::clamp(0.1 * options_.seconds, 0.2, 10.0);
      paired.seed = options_.seed + 1;  // other inputs and turns than the search saw
      paired.runner = options_.runner;
      const StatusOr<PairedTimes> times = MeasurePaired(*first_, **module, paired);
      if (times.ok()) result_.times = *times;
      const bool is_faster = times.ok() && times->differ() && times->ratio < 1;
      if (options_.by == TuneBy::kTime && !is_faster && !is_first) continue;
    }
    Finish(finalist, *std::move(module));
    break;
  }
  result_.tried = tried;
  return OkStatus();
}

}  // namespace
}  // namespace tune

StatusOr<TuneResult> Tune(const HloModule& module, const PassRegistry& registry, const TuneOptions& options) {
  return Guarded([&] { return tune::Tuner(module, registry, options).Run(); });
}

}  // namespace hloir
