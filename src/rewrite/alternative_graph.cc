// AddAlternatives, see rewrite/alternatives.h. Three steps:
//
// Record. Passes run on a scratch copy of the module and make those proposals that do not interfere; the remaining
// proposals are made on further copies. After each rewrite the copy is compared with its previous state, to find edges
// between old instructions that changed. This finds every replaced result, including several results of one rewrite
// (fusion of siblings), and edits in place.
//
// Copy. The new instructions are copied into the module that will be returned, the target. Target and scratch copies
// are clones of one module, so that an old instruction has the same id in all of them.
//
// (Both are in alternative_recorder.cc.)
//
// Connect. Each replaced value gets a custom-call, and the rewrites are connected to these one by one, unless that
// creates a cycle. Operands of the new instructions are also read through custom-calls, if that creates no cycle.
#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "hloir/custom_call.h"
#include "ir/mixed_floats.h"
#include "hloir/pipeline.h"
#include "rewrite/alternative_recorder.h"
#include "rewrite/choices.h"
#include "support/guard.h"

namespace hloir {
namespace {

using alternatives::Recorded, alternatives::Recorder, alternatives::Target;

size_t Index(const HloInstruction* i) { return static_cast<size_t>(i->id()); }

// Moves the recorded rewrites behind custom-calls.
class Connector {
 public:
  Connector(Target& target, std::vector<AlternativeGraph::LeftOut>& left_out) : target_(target), left_out_(left_out) {}

  // The rewrites in `all` that are connected.
  std::vector<Recorded> Run(std::vector<Recorded> all, std::vector<HloInstruction*> in_vain) {
    for (const Recorded& recorded : all) {
      for (const Recorded::Result& result : recorded.results) AddAlternative(result.source);
    }
    std::vector<Recorded> in;
    for (Recorded& recorded : all) {
      const std::string problem = Connect(recorded);
      if (problem.empty()) {
        in.push_back(std::move(recorded));
      } else {
        left_out_.push_back({recorded.entry.id, problem});
        in_vain.insert(in_vain.end(), recorded.made.begin(), recorded.made.end());
      }
    }
    FindConflicts(in);
    for (HloInstruction* alternative : order_) {
      if (alternative->operand_count() == 1) {
        alternative->ReplaceAllUsesWith(alternative->operand(0));
        in_vain.push_back(alternative);
      } else {
        WriteChoices(*alternative, choices_[alternative]);
      }
    }
    RemoveAllDead(std::move(in_vain));
    return in;
  }

 private:
  void AddAlternative(HloInstruction* source) {
    if (alternatives_.contains(source)) return;
    HloComputation& computation = *source->parent();
    if (numbered_.insert(&computation).second) {
      // Sparse numbers: an old instruction has 3k, its new instructions 3k + 1, and its alternatives 3k + 2.
      int64_t k = 0;
      for (const HloInstruction* i : computation.PostOrder()) {
        if (target_.IsOld(i)) Place(i) = 3 * k++;
      }
    }
    const std::vector<HloInstruction*> users(source->users().begin(), source->users().end());
    CustomCallAttributes attributes;
    attributes.custom_call_target = TargetOf(CustomCall::kAlternative);
    HloInstruction* alternative = computation.AddInstruction(HloOpcode::kCustomCall, source->shape(), {source},
                                                             std::move(attributes), "alternative");
    Place(alternative) = Place(source) + 2;
    for (HloInstruction* user : users) {
      if (target_.IsOld(user)) source->ReplaceUseWith(user, alternative);
    }
    if (source->IsRoot()) computation.set_root(alternative);
    alternatives_[source] = alternative;
    order_.push_back(alternative);
  }

  std::string Connect(Recorded& recorded) {
    const HloComputation* computation = recorded.results[0].source->parent();
    int64_t first = INT64_MAX;
    for (const Recorded::Result& result : recorded.results) first = std::min(first, Place(result.source));
    bool in_order = !disordered_.contains(computation);
    for (const HloInstruction* made : recorded.made) Place(made) = first + 1;
    for (const HloInstruction* made : recorded.made) {
      in_order &= std::all_of(made->operands().begin(), made->operands().end(),
                              [&](const HloInstruction* operand) { return Place(operand) <= first + 1; });
    }
    // The numbers are valid within one computation only (two bodies may change together).
    for (const Recorded::Result& result : recorded.results) in_order &= result.source->parent() == computation;

    std::vector<HloInstruction*> connected;
    for (const Recorded::Result& result : recorded.results) {
      HloInstruction* alternative = alternatives_.at(result.source);
      HloInstruction* made = Current(result.made, alternative, in_order);
      if (!(in_order && Place(made) < Place(alternative))) {
        in_order = false;
        if (Reaches(made, alternative)) {
          for (HloInstruction* earlier : connected) {
            earlier->RemoveOperandsFrom(earlier->operand_count() - 1);
            choices_[earlier].pop_back();
          }
          return "it would close a cycle with other alternatives";
        }
      }
      alternative->AppendOperand(made);
      choices_[alternative].push_back({recorded.entry.id, {}});
      connected.push_back(alternative);
    }
    if (!in_order) {
      for (const Recorded::Result& result : recorded.results) disordered_.insert(result.source->parent());
    }
    for (HloInstruction* made : recorded.made) {
      for (int64_t k = 0; k < made->operand_count(); ++k) {
        if (HloInstruction* current = Current(made->operand(k), made, in_order); current != made->operand(k))
          made->ReplaceOperandWith(k, current);
      }
    }
    return "";
  }

  // The operand of `reader` for `value`: its custom-call, if it has alternatives and that creates no cycle.
  HloInstruction* Current(HloInstruction* value, const HloInstruction* reader, bool in_order) {
    const auto found = alternatives_.find(value);
    if (found == alternatives_.end() || found->second == reader) return value;
    if (in_order ? Place(found->second) < Place(reader) : !Reaches(found->second, reader)) return found->second;
    return value;
  }

  // True if `from` depends on `goal`.
  bool Reaches(const HloInstruction* from, const HloInstruction* goal) {
    seen_.clear();
    std::vector<const HloInstruction*> stack{from};
    while (!stack.empty()) {
      const HloInstruction* i = stack.back();
      stack.pop_back();
      if (i == goal) return true;
      if (static_cast<size_t>(i->id()) >= seen_.size()) seen_.resize(Index(i) + 1, false);
      if (seen_[Index(i)]) continue;
      seen_[Index(i)] = true;
      stack.insert(stack.end(), i->operands().begin(), i->operands().end());
      stack.insert(stack.end(), i->control_predecessors().begin(), i->control_predecessors().end());
    }
    return false;
  }

  void FindConflicts(std::vector<Recorded>& all) {
    std::unordered_map<const HloInstruction*, std::vector<size_t>> by_place;
    std::vector<std::set<size_t>> conflicts(all.size());
    for (size_t at = 0; at < all.size(); ++at) {
      for (const HloInstruction* place :
           std::set<const HloInstruction*>(all[at].region.begin(), all[at].region.end())) {
        for (size_t other : by_place[place]) conflicts[at].insert(other), conflicts[other].insert(at);
        by_place[place].push_back(at);
      }
    }
    std::map<std::string, std::vector<std::string>, std::less<>> ids;
    for (size_t at = 0; at < all.size(); ++at) {
      std::vector<std::string>& here = ids[all[at].entry.id];
      for (size_t other : conflicts[at]) {
        if (!ShareSource(all[at], all[other])) here.push_back(all[other].entry.id);
      }
      all[at].entry.conflicts = here;
    }
    for (auto& [alternative, choices] : choices_) {
      for (AlternativeChoice& choice : choices) choice.conflicts = ids[choice.rewrite];
    }
  }
  static bool ShareSource(const Recorded& a, const Recorded& b) {
    return std::any_of(a.results.begin(), a.results.end(), [&](const Recorded::Result& x) {
      return std::any_of(b.results.begin(), b.results.end(),
                         [&](const Recorded::Result& y) { return x.source == y.source; });
    });
  }

  int64_t& Place(const HloInstruction* i) {
    if (Index(i) >= places_.size()) places_.resize(Index(i) + 1, 0);
    return places_[Index(i)];
  }

  Target& target_;
  std::vector<AlternativeGraph::LeftOut>& left_out_;
  std::unordered_map<const HloInstruction*, HloInstruction*> alternatives_;  // of a source
  std::vector<HloInstruction*> order_;                                       // all of them
  std::unordered_map<const HloInstruction*, std::vector<AlternativeChoice>> choices_;
  // Topological numbers of a computation, valid until an edge contradicts them.
  std::vector<int64_t> places_;
  std::set<const HloComputation*> numbered_, disordered_;
  std::vector<bool> seen_;
};

// In a module with a schedule: old instructions keep their order if their new operands allow it, and new ones directly
// precede the instruction that they replace.
void Schedule(HloComputation& computation, const Target& target) {
  std::unordered_map<const HloInstruction*, int64_t> places, unmet;
  int64_t count = 0;
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next())
    places[i] = target.IsOld(i) ? ++count : INT64_MAX;
  const std::vector<HloInstruction*> post_order = computation.PostOrder();
  for (size_t at = post_order.size(); at-- > 0;) {
    const HloInstruction* i = post_order[at];
    for (const HloInstruction* user : i->users()) ++unmet[user];
    for (const HloInstruction* successor : i->control_successors()) ++unmet[successor];
    if (target.IsOld(i)) continue;
    if (IsAlternative(*i)) places[i] = places[i->operand(0)];
    for (const HloInstruction* user : i->users()) places[i] = std::min(places[i], places[user]);
  }
  using Ready = std::tuple<int64_t, size_t, HloInstruction*>;  // the position in post_order
  std::unordered_map<const HloInstruction*, size_t> numbers;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (size_t at = 0; at < post_order.size(); ++at) {
    numbers[post_order[at]] = at;
    if (!unmet.contains(post_order[at])) ready.emplace(places[post_order[at]], at, post_order[at]);
  }
  while (!ready.empty()) {
    HloInstruction* i = std::get<2>(ready.top());
    ready.pop();
    computation.MoveBefore(i, nullptr);
    const auto meet = [&](HloInstruction* next) {
      if (--unmet[next] == 0) ready.emplace(places[next], numbers[next], next);
    };
    for (HloInstruction* user : i->users()) meet(user);
    for (HloInstruction* successor : i->control_successors()) meet(successor);
  }
}

}  // namespace

StatusOr<AlternativeGraph> AddAlternatives(const HloModule& given_module, const PassRegistry& registry,
                                           std::span<const std::string> names, const PassOptions& given,
                                           int64_t max_work) try {
  if (!AlternativesOf(given_module).empty()) return InvalidArgument("the module has alternatives already");
  // Legalizes mixed floats in the copies, which is the first step of a pipeline.
  const std::unique_ptr<HloModule> legalized = given_module.Clone();
  LegalizeMixedFloats(*legalized);
  const HloModule& module = *legalized;
  PassOptions options = given;
  if (options.evaluator == nullptr) options.evaluator = registry.MakeEvaluator();
  const auto run = [&](HloModule& scratch, Rewriter& rewriter) -> Status {
    options.rewriter = &rewriter;
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(registry, names, options));
    return pipeline.RunOnce(scratch).status();
  };

  RewriteLog offers;
  offers.propose_only = true;
  HLOIR_RETURN_IF_ERROR(run(*module.Clone(), offers));
  std::map<std::string, size_t, std::less<>> order;
  std::set<std::string, std::less<>> wanted;
  for (const RewriteLog::Entry& entry : offers.entries()) {
    order.emplace(entry.id, order.size());
    wanted.insert(entry.id);
  }

  AlternativeGraph graph;
  Target target(module.Clone());
  const std::vector<bool> unreached = UnreachedComputations(target.module());
  std::vector<Recorded> recorded;
  std::vector<HloInstruction*> in_vain;
  const int64_t copies = max_work / std::max<int64_t>(1, module.instruction_count());
  for (int64_t copy = 0; !wanted.empty(); ++copy) {
    if (copy >= copies) {
      for (const std::string& id : wanted) graph.left_out.push_back({id, "trying it would have taken too long"});
      break;
    }
    const std::unique_ptr<HloModule> scratch = module.Clone();
    Recorder recorder(*scratch, target, wanted);
    HLOIR_RETURN_IF_ERROR(run(*scratch, recorder));
    if (recorder.recorded_.empty() && recorder.left_out_.empty()) {
      for (const std::string& id : wanted) graph.left_out.push_back({id, "its pass did not apply it"});
      break;
    }
    for (Recorded& made : recorder.recorded_) {
      wanted.erase(made.entry.id);
      recorded.push_back(std::move(made));
    }
    for (AlternativeGraph::LeftOut& left_out : recorder.left_out_) {
      wanted.erase(left_out.rewrite);
      graph.left_out.push_back(std::move(left_out));
    }
    in_vain.insert(in_vain.end(), recorder.made_in_vain_.begin(), recorder.made_in_vain_.end());
  }

  std::stable_sort(recorded.begin(), recorded.end(), [&](const Recorded& a, const Recorded& b) {
    return order.find(a.entry.id)->second < order.find(b.entry.id)->second;
  });
  for (Recorded& made : Connector(target, graph.left_out).Run(std::move(recorded), std::move(in_vain)))
    graph.rewrites.push_back(std::move(made.entry));
  RemoveUnreached(target.module(), unreached);
  if (module.config().is_scheduled) {
    for (HloComputation* computation : target.module().computations()) {
      if (computation->fusion() == nullptr) Schedule(*computation, target);
    }
  }
  graph.module = target.Release();
  graph.module->PutInTextOrder();
  return graph;
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
