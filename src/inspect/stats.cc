// Counts of a module; see hloir/inspect.h. Costs come from hloir/cost.h, and numbers of executions from the trip counts
// of enclosing loops.
#include "hloir/inspect.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "support/format.h"

namespace hloir {
namespace {

using Tally = ModuleStats::Tally;

// Tallies by key, in the order of insertion.
class Tallies {
 public:
  void Count(std::string_view key) { ++At(key).instructions; }
  void Add(std::string_view key, const Cost& cost, bool times_known) {
    Tally& tally = At(key);
    tally.cost += cost;
    tally.times_known = tally.times_known && times_known;
  }
  template <class Before>
  std::vector<Tally> Sorted(Before before) {
    std::stable_sort(tallies_.begin(), tallies_.end(), before);
    return std::move(tallies_);
  }
  std::vector<Tally> MostFirst() {
    return Sorted([](const Tally& a, const Tally& b) { return a.instructions > b.instructions; });
  }

 private:
  Tally& At(std::string_view key) {
    const auto [it, inserted] = index_.try_emplace(std::string(key), tallies_.size());
    if (inserted) tallies_.emplace_back().key = key;
    return tallies_[it->second];
  }
  std::unordered_map<std::string, size_t> index_;
  std::vector<Tally> tallies_;
};

double Operations(const Cost& cost) { return cost.flops + cost.transcendentals; }

std::string TypeName(const Shape& shape) {
  if (shape.IsTuple()) return "tuple";
  return std::string(PrimitiveTypeName(shape.element_type()));
}

// "jit(f)/a/b" => "jit(f)", "jit(f)/a", "jit(f)/a/b". Up to a limit on depth.
constexpr int kMostScopes = 12;
template <class F>
void ForEachScope(std::string_view op_name, F&& f) {
  size_t at = 0;
  for (int depth = 0; depth < kMostScopes; ++depth) {
    at = op_name.find('/', at);
    if (at == std::string_view::npos) break;
    if (at > 0) f(op_name.substr(0, at));
    ++at;
  }
  if (!op_name.empty()) f(op_name);
}

std::vector<std::pair<std::string, int64_t>> ContentsOf(const HloComputation& body) {
  std::map<std::string_view, int64_t> counts;
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next())
    if (!i->IsParameter()) ++counts[i->opcode_name()];
  std::vector<std::pair<std::string, int64_t>> contents(counts.begin(), counts.end());
  std::stable_sort(contents.begin(), contents.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return contents;
}

std::vector<std::pair<const HloInstruction*, Cost>> CostsIn(const HloInstruction& fusion,
                                                            const CostAnalysis& analysis) {
  std::vector<std::pair<const HloInstruction*, Cost>> costs;
  for (const HloInstruction* i = fusion.fused_computation()->first(); i != nullptr; i = i->next()) {
    Cost cost = analysis.Of(*i).repeated;
    cost.bytes = 0;
    if (cost != Cost()) costs.emplace_back(i, cost);
  }
  return costs;
}

// The chain of operands in the entry with the largest sum of `value`.
template <class Value>
std::vector<const HloInstruction*> BestChain(const HloComputation& computation, Value value, double& best) {
  const std::vector<const HloInstruction*> order = computation.PostOrder();
  std::unordered_map<const HloInstruction*, std::pair<double, const HloInstruction*>> sums;
  const HloInstruction* end = nullptr;
  best = -1;
  for (const HloInstruction* i : order) {
    double most = 0;
    const HloInstruction* from = nullptr;
    for (const HloInstruction* operand : i->operands()) {
      const double sum = sums[operand].first;
      if (from == nullptr || sum > most) most = sum, from = operand;
    }
    most += value(*i);
    sums[i] = {most, from};
    if (most > best) best = most, end = i;
  }
  std::vector<const HloInstruction*> chain;
  for (; end != nullptr; end = sums[end].second) {
    if (value(*end) > 0) chain.push_back(end);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

InstructionCount CountInstructions(const HloModule& module) {
  InstructionCount count{module.instruction_count(), 0};
  const CallGraph graph(module);
  for (const HloComputation* computation : module.computations()) {
    const CallContext context = graph.node(*computation).context;
    if (context == CallContext::kControlFlow || context == CallContext::kBoth)
      count.top_level += computation->instruction_count();
  }
  return count;
}

double ModuleStats::Share(const Cost& part) const {
  const double operations = Operations(cost.repeated), bytes = cost.repeated.bytes;
  return std::max(operations > 0 ? Operations(part) / operations : 0, bytes > 0 ? part.bytes / bytes : 0);
}

ModuleStats::ModuleStats(const HloModule& of) : module(&of), count(CountInstructions(of)) {
  const CostAnalysis analysis(of);
  cost = analysis.total();
  const CallGraph graph(of);
  const std::vector<const HloComputation*> order = of.PostOrder();
  const std::vector<double> run = ExecutionCounts(of);
  const std::vector<bool> known = KnownExecutionCounts(of);
  const auto times_of = [&](const HloComputation& c) { return run[static_cast<size_t>(c.id())]; };

  Tallies by_opcode, by_type, by_layout, by_scope, by_line, by_target;
  const auto count_one = [&](const HloInstruction& i) {
    by_opcode.Count(i.opcode_name());
    by_type.Count(TypeName(i.shape()));
    if (i.shape().IsArray() && i.shape().has_layout() && i.shape().rank() > 1)
      by_layout.Count(i.shape().layout().ToString());
    if (i.metadata() != nullptr) ForEachScope(i.metadata()->op_name, [&](auto scope) { by_scope.Count(scope); });
    if (const auto line = SourceOf(i)) by_line.Count(line->ToString());
  };
  const auto add_cost = [&](const HloInstruction& i, const Cost& each, bool is_known) {
    by_opcode.Add(i.opcode_name(), each, is_known);
    if (i.opcode() == HloOpcode::kCustomCall)
      by_target.Add(i.attributes<CustomCallAttributes>().custom_call_target, each, is_known);
    by_type.Add(TypeName(i.shape()), each, is_known);
    if (i.metadata() != nullptr)
      ForEachScope(i.metadata()->op_name, [&](auto scope) { by_scope.Add(scope, each, is_known); });
    if (const auto line = SourceOf(i)) by_line.Add(line->ToString(), each, is_known);
  };
  // Operations of a fusion are counted in its body. Nested fusions are as deep as calls may be.
  std::vector<std::pair<const HloComputation*, double>> bodies;
  for (const HloComputation* computation : order) {
    const double times = times_of(*computation);
    const bool is_known = known[static_cast<size_t>(computation->id())];
    computations.push_back(
        {computation, graph.node(*computation).context, times, analysis.Of(*computation).repeated, is_known});
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      count_one(*i);
      switch (i->opcode()) {
        case HloOpcode::kFusion:
          fusions.push_back({{i, 0, {}, {}, 0, true}, ContentsOf(*i->fused_computation()), CostsIn(*i, analysis)});
          break;
        case HloOpcode::kConstant: constants.push_back({i, i->shape().ByteSize()}); break;
        case HloOpcode::kCustomCall: by_target.Count(i->attributes<CustomCallAttributes>().custom_call_target); break;
        case HloOpcode::kCopy:
        case HloOpcode::kBitcast: {
          const Shape &from = i->operand(0)->shape(), &to = i->shape();
          if (from.has_layout() && to.has_layout() && from.rank() == to.rank() && !(from.layout() == to.layout()))
            ++layout_changes;
          break;
        }
        default: break;  // not counted separately
      }
      if (times == 0 || i->Is(kControlFlow) || i->opcode() == HloOpcode::kAsyncStart) continue;
      const CostResult each = analysis.Of(*i);
      const Cost all = each.repeated * times;
      const Step step{i, times, all, each.once, Share(all), is_known};
      if (CostClass(i->opcode()) != OpCost::kFree || all != Cost()) steps.push_back(step);
      if (i->opcode() != HloOpcode::kFusion) {
        add_cost(*i, all, is_known);
        continue;
      }
      fusions.back().step = step;
      add_cost(*i, {0, 0, all.bytes}, is_known);
      bodies.assign(1, {i->fused_computation(), times});
      while (!bodies.empty()) {
        const auto [body, often] = bodies.back();
        bodies.pop_back();
        for (const HloInstruction* fused = body->first(); fused != nullptr; fused = fused->next()) {
          if (fused->opcode() == HloOpcode::kFusion) bodies.push_back({fused->fused_computation(), often});
          Cost inner = analysis.Of(*fused).repeated * often;
          inner.bytes = 0;  // it never leaves the fusion
          if (fused->opcode() != HloOpcode::kFusion && inner != Cost()) add_cost(*fused, inner, is_known);
        }
      }
    }
  }
  opcodes = by_opcode.MostFirst(), types = by_type.MostFirst(), layouts = by_layout.MostFirst();
  custom_calls = by_target.MostFirst();
  const auto dearer = [&](const Tally& a, const Tally& b) { return Share(a.cost) > Share(b.cost); };
  scopes = by_scope.Sorted(dearer), source_lines = by_line.Sorted(dearer);
  const CommunicationAnalysis sent(of);
  for (const Communication& communication : sent.all())
    if (communication.collective->Is(kCollective)) collectives.push_back(communication);
  const auto costlier = [](const Step& a, const Step& b) { return a.share > b.share; };
  std::stable_sort(steps.begin(), steps.end(), costlier);
  std::stable_sort(fusions.begin(), fusions.end(),
                   [&](const Fusion& a, const Fusion& b) { return costlier(a.step, b.step); });
  std::stable_sort(constants.begin(), constants.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });

  const HloComputation& entry = *of.entry_computation();
  for (const HloInstruction* parameter : entry.parameters()) parameters.push_back(parameter);
  double best = 0;
  longest.instructions = BestChain(
      entry, [](const HloInstruction& i) { return CostClass(i.opcode()) == OpCost::kFree ? 0.0 : 1.0; }, best);
  for (const HloInstruction* i : longest.instructions) longest.share += Share(analysis.Of(*i).repeated);
  costliest.instructions = BestChain(
      entry, [&](const HloInstruction& i) { return Share(analysis.Of(i).repeated); }, costliest.share);
  double all = 0;  // shares of operations and of bytes may sum to more than 1
  for (const HloInstruction* i = entry.first(); i != nullptr; i = i->next()) all += Share(analysis.Of(*i).repeated);
  for (Path* path : {&longest, &costliest}) path->share = all > 0 ? path->share / all : 0;
}

}  // namespace hloir
