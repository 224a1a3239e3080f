// See tune/search.h. A state is a module after some decisions. Its value is the cost after the better of two pipelines:
// the end of the default one, or the same with the widest fusion.
#include "tune/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "hloir/analysis.h"
#include "hloir/pipeline.h"
#include "hloir/verifier.h"
#include "support/guard.h"
#include "support/random.h"

namespace hloir {

std::string_view SearchMethodName(SearchMethod method) {
  switch (method) {
    case SearchMethod::kBeam: return "beam";
    case SearchMethod::kTree: return "tree";
    case SearchMethod::kPolicy: return "policy";
  }
  return "";
}

namespace tune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kNever = std::numeric_limits<double>::infinity();
// Fusion with the widest settings, which propose more than the default.
constexpr std::string_view kWideFusion =
    "fusion{feed-products=true join-products=true least-gain=0 max-copies=8 max-results=32 work-per-byte=4}";
// Further passes whose rewrites are decisions; none is in the default pipeline.
constexpr std::string_view kOthers[] = {"dot-merger", "while-loop-fusible-sinking", "convert-mover"};
constexpr size_t kMostChildren = 24;  // choices per state: the policy's preferred ones, or those that move the most
                                      // bytes
constexpr size_t kMostDepth = 64;     // of a tree
constexpr int64_t kMostSteps = 64;    // for a policy without a search
constexpr int64_t kMostInVain = 12;   // consecutive ones without a new best

// A finished state.
struct Finish {
  double cost = kNever;  // as a part of the default pipeline's
  int pipeline = 0;
};

class Searcher {
 public:
  Searcher(const HloModule& module, const PassRegistry& registry, const SearchOptions& options)
      : module_(module), registry_(registry), options_(options), random_(options.seed) {}

  StatusOr<SearchResult> Run() {
    HLOIR_RETURN_IF_ERROR(Begin());
    switch (options_.method) {
      case SearchMethod::kBeam: HLOIR_RETURN_IF_ERROR(Beam()); break;
      case SearchMethod::kTree: HLOIR_RETURN_IF_ERROR(Tree()); break;
      case SearchMethod::kPolicy: HLOIR_RETURN_IF_ERROR(FollowPolicy()); break;
    }
    HLOIR_RETURN_IF_ERROR(Decide());
    return std::move(result_);
  }

 private:
  // A state, the decisions from the root, and its value.
  struct State {
    Decisions decisions;
    std::vector<std::string> taken;
    Finish finish;
  };
  // A possible next decision: an index of Open(), and its prior probability.
  struct Choice {
    size_t index = 0;
    double score = 0, prior = 0;
    OpportunityFeatures features = {};
  };
  // In the tree.
  struct Node {
    State state;
    std::vector<Choice> choices;
    std::vector<std::unique_ptr<Node>> children;  // by choice; nullptr: untried or impossible
    std::vector<bool> tried;
    std::vector<double> best;  // by choice, the best saving below it
    std::vector<int64_t> visits;
    int64_t visited = 0;
    bool expanded = false;
  };
  // The best states, each with another module.
  struct Finalist {
    Finish finish;
    std::vector<std::string> taken;
    std::unique_ptr<HloModule> module;
  };

  Status Begin();
  Status Beam();
  Status Tree();
  Status FollowPolicy();
  Status Decide();

  double Part() const {
    if (options_.trials > 0) return static_cast<double>(result_.tried) / static_cast<double>(options_.trials);
    return std::chrono::duration<double>(Clock::now() - start_).count() / std::max(options_.seconds, 1e-3);
  }
  bool GoOn() {
    if (options_.progress && !stopped_)
      stopped_ = !options_.progress({"searching", std::min(1.0, Part()), result_.tried, best_});
    return !stopped_ && Part() < 1;
  }
  double MainOf(const TuneCost& cost) const {
    const auto part = [](double now, double first) { return first > 0 ? now / first : 1 + now; };
    if (options_.by == TuneBy::kOperations) return part(cost.operations, result_.first.operations);
    if (options_.by == TuneBy::kBytes) return part(cost.bytes, result_.first.bytes);
    return part(cost.roofline, result_.first.roofline);
  }
  StatusOr<std::unique_ptr<HloModule>> Piped(const HloModule& module, const std::vector<std::string>& names) const {
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(registry_, names, PassOptions()));
    std::unique_ptr<HloModule> copy = module.Clone();
    if (!names.empty()) HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(*copy).status());
    return copy;
  }
  void FinishState(State& state);
  StatusOr<std::vector<Choice>> ChoicesOf(State& state);
  StatusOr<std::optional<State>> Taken(const State& state, const Choice& choice);
  void TellOf(const Node& root) const;

  const HloModule& module_;
  const PassRegistry& registry_;
  const SearchOptions& options_;
  Random random_;
  const Clock::time_point start_ = Clock::now();
  bool stopped_ = false;
  double best_ = 1;

  std::vector<std::string> begin_;
  std::vector<std::vector<std::string>> ends_;  // the default's first
  std::optional<State> first_;
  std::vector<Finalist> finalists_;  // the best last
  SearchResult result_;
};

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

Status Searcher::Begin() {
  if (options_.method == SearchMethod::kPolicy && options_.policy == nullptr)
    return InvalidArgument("no policy was given");
  const std::vector<std::string>& all = registry_.default_pipeline();
  const auto is_fusion = [](std::string_view name) { return name.substr(0, name.find('{')) == "fusion"; };
  const auto fusion = std::find_if(all.begin(), all.end(), is_fusion);
  begin_.assign(all.begin(), fusion);
  ends_.emplace_back(fusion, all.end());
  DecisionOptions decisions;
  if (fusion != all.end()) {
    ends_.push_back(ends_[0]);
    ends_[1][0] = kWideFusion;
    decisions.passes.emplace_back(kWideFusion);
  }
  for (std::string_view other : kOthers) {
    if (registry_.Find(other) != nullptr) decisions.passes.emplace_back(other);
  }
  result_.begin = Joined(begin_);
  HLOIR_ASSIGN_OR_RETURN(
      const std::unique_ptr<HloModule> begun,
      begin_.empty() ? StatusOr<std::unique_ptr<HloModule>>(module_.Clone()) : Piped(module_, begin_));
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> first, Piped(*begun, ends_[0]));
  result_.unoptimized = TuneCostOf(module_, options_.operations_per_byte);
  result_.first = TuneCostOf(*first, options_.operations_per_byte);
  finalists_.push_back({{1, 0}, {}, std::move(first)});
  HLOIR_ASSIGN_OR_RETURN(std::shared_ptr<DecisionSpace> space, DecisionSpace::Make(registry_, decisions));
  HLOIR_ASSIGN_OR_RETURN(Decisions root, Decisions::Begin(*begun, std::move(space)));
  first_.emplace(State{std::move(root), {}, {}});
  FinishState(*first_);
  return OkStatus();
}

// Runs the end of a pipeline on a copy, keeps the best module and a log.
void Searcher::FinishState(State& state) {
  ++result_.tried;
  for (size_t end = 0; end < ends_.size(); ++end) {
    auto finished = Piped(state.decisions.module(), ends_[end]);
    if (!finished.ok()) continue;
    const TuneCost cost = TuneCostOf(**finished, options_.operations_per_byte);
    if (cost.unknown_loops > result_.first.unknown_loops || cost.custom_calls > result_.first.custom_calls) continue;
    if (cost.operations > options_.most_operations * result_.first.operations + 64) continue;
    const double main = MainOf(cost);
    if (main < state.finish.cost) state.finish = {main, static_cast<int>(end)};
    if (main >= finalists_.back().finish.cost - 1e-9 || !VerifyModule(**finished).ok()) continue;
    constexpr size_t kKept = 6;
    if (finalists_.size() == kKept) finalists_.erase(finalists_.begin() + 1);  // the default pipeline's stays
    finalists_.push_back({{main, static_cast<int>(end)}, state.taken, *std::move(finished)});
    best_ = main;
  }
}

// The possible decisions, the most promising first.
StatusOr<std::vector<Searcher::Choice>> Searcher::ChoicesOf(State& state) {
  const bool look_ahead = options_.policy != nullptr || options_.sample;
  HLOIR_ASSIGN_OR_RETURN(const std::vector<OpportunityFeatures> features,
                         FeaturesOf(state.decisions, static_cast<int64_t>(state.taken.size()), look_ahead));
  std::vector<Choice> choices(features.size());
  for (size_t k = 0; k < choices.size(); ++k) {
    choices[k].index = k;
    choices[k].features = features[k];
    // Without a policy: choices that move many bytes, and random ones.
    const double chance = static_cast<double>(random_.Below(1000)) / 1000;
    choices[k].score =
        options_.policy != nullptr ? options_.policy->Score(features[k]) : 2 * std::sqrt(features[k][14]) + chance;
  }
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.score > b.score; });
  if (choices.size() > kMostChildren) {
    // Some opportunities with low scores are tried as well, because a policy may be wrong.
    const size_t liked = options_.policy != nullptr ? kMostChildren - kMostChildren / 4 : kMostChildren;
    for (size_t k = liked; k < kMostChildren; ++k)
      std::swap(choices[k], choices[k + static_cast<size_t>(random_.Below(static_cast<int64_t>(choices.size() - k)))]);
    choices.resize(kMostChildren);
  }
  constexpr double kEven = 0.25;  // of all prior is shared evenly
  const auto n = static_cast<double>(choices.size());
  double sum = 0;
  for (Choice& choice : choices) sum += choice.prior = std::exp(std::clamp(choice.score - choices[0].score, -6.0, 6.0));
  for (Choice& choice : choices) choice.prior = choice.prior / sum * (1 - kEven) + kEven / n;
  return choices;
}

// The state after this choice, finished and counted; nullopt if it could not be taken.
StatusOr<std::optional<Searcher::State>> Searcher::Taken(const State& state, const Choice& choice) {
  State next{state.decisions.Clone(), state.taken, {}};
  HLOIR_ASSIGN_OR_RETURN(const std::span<const Opportunity> open, next.decisions.Open());
  if (choice.index >= open.size()) return std::optional<State>();
  next.taken.push_back(next.decisions.Id(open[choice.index]));
  if (!next.decisions.Take(choice.index).ok()) return std::optional<State>();
  FinishState(next);
  return std::optional<State>(std::move(next));
}

// Beam search: keeps the best `width` of all next states.
Status Searcher::Beam() {
  constexpr int kPatience = 4;  // levels without a new best
  std::vector<State> beam;
  beam.push_back(std::move(*first_));
  for (int idle = 0; idle < kPatience && !beam.empty();) {
    const double best = best_;
    std::vector<State> next;
    std::set<uint64_t> seen;
    for (State& state : beam) {
      HLOIR_ASSIGN_OR_RETURN(const std::vector<Choice> choices, ChoicesOf(state));
      for (const Choice& choice : choices) {
        if (!GoOn()) return OkStatus();
        HLOIR_ASSIGN_OR_RETURN(std::optional<State> taken, Taken(state, choice));
        if (taken && seen.insert(StructuralHash(taken->decisions.module())).second) next.push_back(std::move(*taken));
      }
    }
    std::stable_sort(next.begin(), next.end(),
                     [](const State& a, const State& b) { return a.finish.cost < b.finish.cost; });
    if (next.size() > static_cast<size_t>(std::max(1, options_.width)))
      next.erase(next.begin() + std::max(1, options_.width), next.end());
    beam = std::move(next);
    idle = best_ < best - 1e-9 ? 0 : idle + 1;
  }
  return OkStatus();
}

// Descends from the root by value and number of visits (PUCT); a new state is evaluated at once, and its value is
// propagated to the root as the best known below. Evaluation is deterministic, so the best counts, not the mean.
Status Searcher::Tree() {
  constexpr int64_t kMostIdle = 500;  // consecutive descents to states without decisions
  constexpr double kExplore = 0.6;    // of the spread of savings seen so far
  Node root{std::move(*first_), {}, {}, {}, {}, {}, 0, false};
  double most = 1e-3;  // the largest saving relative to the root so far, the scale for exploring
  const double base = root.state.finish.cost;
  for (int64_t idle = 0; GoOn() && idle < kMostIdle; ++idle) {
    std::vector<std::pair<Node*, size_t>> path;
    Node* node = &root;
    double value = kNever;
    while (true) {
      if (!node->expanded) {
        HLOIR_ASSIGN_OR_RETURN(node->choices, ChoicesOf(node->state));
        const size_t n = node->choices.size();
        node->children.resize(n);
        node->tried.assign(n, false);
        node->best.assign(n, 0);
        node->visits.assign(n, 0);
        node->expanded = true;
      }
      size_t chosen = node->choices.size();
      double highest = -kNever;
      for (size_t k = 0; k < node->choices.size(); ++k) {
        if (node->tried[k] && node->children[k] == nullptr) continue;
        const double known = node->tried[k] ? node->best[k] : base - node->state.finish.cost;
        const double wonder = kExplore * most * node->choices[k].prior * static_cast<double>(node->choices.size()) *
                              std::sqrt(static_cast<double>(node->visited + 1)) /
                              static_cast<double>(1 + node->visits[k]) / 4;
        if (known + wonder > highest) highest = known + wonder, chosen = k;
      }
      if (chosen == node->choices.size() || path.size() == kMostDepth) break;  // a leaf
      path.emplace_back(node, chosen);
      if (!node->tried[chosen]) {
        node->tried[chosen] = true;
        idle = 0;
        HLOIR_ASSIGN_OR_RETURN(std::optional<State> taken, Taken(node->state, node->choices[chosen]));
        if (taken && taken->finish.cost < kNever) {
          value = base - taken->finish.cost;
          node->best[chosen] = value;
          node->children[chosen] = std::make_unique<Node>(Node{std::move(*taken), {}, {}, {}, {}, {}, 0, false});
        }
        break;
      }
      node = node->children[chosen].get();
    }
    if (path.empty()) break;  // nothing is open at all
    if (value == kNever) value = -1;
    most = std::max(most, value);
    for (size_t level = path.size(); level-- > 0;) {
      auto [at, k] = path[level];
      ++at->visits[k];
      ++at->visited;
      at->best[k] = std::max(at->best[k], value);
    }
  }
  TellOf(root);
  return OkStatus();
}

// Policy only: always takes its first choice, and keeps the best module.
Status Searcher::FollowPolicy() {
  State state = std::move(*first_);
  for (int64_t step = 0, in_vain = 0; step < kMostSteps && in_vain < kMostInVain && GoOn(); ++step) {
    const double best = best_;
    HLOIR_ASSIGN_OR_RETURN(const std::vector<Choice> choices, ChoicesOf(state));
    if (choices.empty()) break;
    HLOIR_ASSIGN_OR_RETURN(std::optional<State> next, Taken(state, choices[0]));
    if (!next) break;
    state = std::move(*next);
    in_vain = best_ < best - 1e-9 ? 0 : in_vain + 1;
  }
  return OkStatus();
}

// The result of each tried choice: the best known below it.
void Searcher::TellOf(const Node& root) const {
  if (!options_.sample) return;
  const double base = root.state.finish.cost;
  std::vector<const Node*> nodes = {&root};
  for (int64_t state = 0; !nodes.empty(); ++state) {
    const Node& node = *nodes.back();
    nodes.pop_back();
    for (size_t k = 0; k < node.choices.size(); ++k) {
      if (node.children[k] == nullptr) continue;
      const double gain = 100 * (node.best[k] - (base - node.state.finish.cost));
      options_.sample({node.choices[k].features, gain, state, node.visits[k]});
      nodes.push_back(node.children[k].get());
    }
  }
}

Status Searcher::Decide() {
  CheckOptions check_options;
  check_options.exact = true;
  check_options.seed = options_.seed;
  if (UsesDevices(module_)) check_options.runner.devices = DeviceCountsOf(module_);
  std::optional<Checker> checker;
  if (options_.verify) checker.emplace(module_, std::vector<InputSet>(), check_options);
  while (!finalists_.empty()) {
    Finalist finalist = std::move(finalists_.back());
    finalists_.pop_back();
    const bool is_last = finalists_.empty();
    if (checker) {
      StatusOr<Verdict> verdict = checker->Check(*finalist.module);
      if (!verdict.ok() && is_last) return verdict.status();
      if (!verdict.ok() || (!verdict->agrees() && !is_last)) {
        ++result_.refused;
        continue;
      }
      result_.verdict = *std::move(verdict);
    }
    result_.best = TuneCostOf(*finalist.module, options_.operations_per_byte);
    result_.taken = std::move(finalist.taken);
    result_.finish = Joined(ends_[static_cast<size_t>(finalist.finish.pipeline)]);
    result_.module = std::move(finalist.module);
    break;
  }
  return OkStatus();
}

}  // namespace
}  // namespace tune

StatusOr<SearchResult> SearchRewrites(const HloModule& module, const PassRegistry& registry,
                                      const SearchOptions& options) {
  return Guarded([&] { return tune::Searcher(module, registry, options).Run(); });
}

}  // namespace hloir
