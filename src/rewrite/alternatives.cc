// See rewrite/alternatives.h. This file reads and writes the attributes and resolves alternatives; alternative_graph.cc
// creates them.
#include "rewrite/alternatives.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "hloir/custom_call.h"
#include "support/guard.h"

namespace hloir {
namespace {

std::string Key(std::string_view field, int64_t operand) { return std::string(field) + std::to_string(operand); }

const std::string* FindAttribute(const HloInstruction& i, const std::string& key) {
  for (const auto& [name, value] : i.extras().frontend_attributes) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::vector<std::string> SplitIds(std::string_view text) {
  std::vector<std::string> ids;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) ids.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

template <class I, class M>
std::vector<I*> Alternatives(M& module) {
  std::vector<I*> found;
  for (auto* computation : module.computations()) {
    if (!computation->MayHave(HloOpcode::kCustomCall)) continue;
    for (I* i = computation->first(); i != nullptr; i = i->next()) {
      if (IsAlternative(*i)) found.push_back(i);
    }
  }
  return found;
}

}  // namespace

bool IsAlternative(const HloInstruction& i) {
  return IsCustomCall(i, CustomCall::kAlternative) && i.operand_count() > 0;
}

std::vector<HloInstruction*> AlternativesOf(HloModule& module) { return Alternatives<HloInstruction>(module); }
std::vector<const HloInstruction*> AlternativesOf(const HloModule& module) {
  return Alternatives<const HloInstruction>(module);
}

std::vector<AlternativeChoice> ChoicesOf(const HloInstruction& alternative) {
  std::vector<AlternativeChoice> choices;
  for (int64_t k = 1; k < alternative.operand_count(); ++k) {
    AlternativeChoice& choice = choices.emplace_back();
    if (const std::string* id = FindAttribute(alternative, Key("rewrite_", k))) choice.rewrite = *id;
    if (const std::string* ids = FindAttribute(alternative, Key("conflicts_", k))) choice.conflicts = SplitIds(*ids);
  }
  return choices;
}

void WriteChoices(HloInstruction& alternative, std::span<const AlternativeChoice> choices) {
  FrontendAttributes attributes;
  for (size_t k = 0; k < choices.size(); ++k) {
    attributes.emplace_back(Key("rewrite_", static_cast<int64_t>(k) + 1), choices[k].rewrite);
    if (choices[k].conflicts.empty()) continue;
    std::string ids;
    for (const std::string& id : choices[k].conflicts) ids.append(ids.empty() ? "" : " ").append(id);
    attributes.emplace_back(Key("conflicts_", static_cast<int64_t>(k) + 1), std::move(ids));
  }
  std::sort(attributes.begin(), attributes.end());
  alternative.set_frontend_attributes(std::move(attributes));
}

std::vector<bool> UnreachedComputations(const HloModule& module) {
  std::vector<bool> unreached(static_cast<size_t>(module.computation_id_limit()), true);
  std::vector<const HloComputation*> stack{module.entry_computation()};
  unreached[static_cast<size_t>(stack[0]->id())] = false;
  while (!stack.empty()) {
    const HloComputation* computation = stack.back();
    stack.pop_back();
    if (computation->calling_count() == 0) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      for (const HloComputation* called : i->called_computations()) {
        if (!unreached[static_cast<size_t>(called->id())]) continue;
        unreached[static_cast<size_t>(called->id())] = false;
        stack.push_back(called);
      }
    }
  }
  return unreached;
}

void RemoveUnreached(HloModule& module, const std::vector<bool>& before) {
  const std::vector<bool> unreached = UnreachedComputations(module);
  std::vector<HloComputation*> gone;
  for (HloComputation* computation : module.computations()) {
    const auto id = static_cast<size_t>(computation->id());
    if (unreached[id] && !(id < before.size() && before[id])) gone.push_back(computation);
  }
  module.RemoveComputations(gone);
}

void RemoveAllDead(std::vector<HloInstruction*> candidates) {
  std::unordered_set<const HloInstruction*> gone;
  while (!candidates.empty()) {
    HloInstruction* i = candidates.back();
    candidates.pop_back();
    if (gone.contains(i) || !IsDead(*i)) continue;
    for (HloInstruction* operand : i->operands()) candidates.push_back(operand);
    i->parent()->RemoveInstruction(i);
    gone.insert(i);
  }
}

StatusOr<std::vector<AlternativeOutcome>> ResolveAlternatives(HloModule& module,
                                                              std::span<const AlternativeDecision> decisions) try {
  const std::vector<HloInstruction*> all = AlternativesOf(module);
  std::map<const HloInstruction*, std::vector<AlternativeChoice>> choices;
  std::map<std::string, std::vector<std::pair<const HloInstruction*, int64_t>>, std::less<>> places;  // of an id
  for (const HloInstruction* alternative : all) {
    const std::vector<AlternativeChoice>& here = choices[alternative] = ChoicesOf(*alternative);
    for (size_t k = 0; k < here.size(); ++k)
      places[here[k].rewrite].emplace_back(alternative, static_cast<int64_t>(k) + 1);
  }
  for (const AlternativeDecision& decision : decisions) {
    if (!choices.contains(decision.alternative))
      return InvalidArgument("a decision names something that is not an alternative of the module");
    if (decision.operand < 0 || decision.operand >= decision.alternative->operand_count()) {
      return InvalidArgument("'" + std::string(decision.alternative->name()) + "' has " +
                             std::to_string(decision.alternative->operand_count()) + " operands, and no number " +
                             std::to_string(decision.operand));
    }
  }

  std::vector<AlternativeOutcome> outcomes;
  std::map<const HloInstruction*, int64_t> taken;       // operands
  std::map<const HloInstruction*, std::string> owners;  // the rewrite that decided it
  std::map<std::string, std::string, std::less<>> excluded;
  for (const AlternativeDecision& decision : decisions) {
    if (decision.operand == 0) continue;
    const AlternativeChoice& choice = choices[decision.alternative][static_cast<size_t>(decision.operand) - 1];
    AlternativeOutcome& outcome = outcomes.emplace_back(AlternativeOutcome{choice.rewrite, {}});
    // Without an id (a custom-call from elsewhere) the operand is identified by itself.
    std::vector<std::pair<const HloInstruction*, int64_t>> results{{decision.alternative, decision.operand}};
    if (!choice.rewrite.empty()) {
      if (const auto known = excluded.find(choice.rewrite); known != excluded.end()) {
        outcome.excluded_by = known->second;
        continue;
      }
      results = places[choice.rewrite];
    }
    for (const auto& [alternative, operand] : results) {
      const auto other = taken.find(alternative);
      if (other != taken.end() && other->second != operand) outcome.excluded_by = owners[alternative];
    }
    if (!outcome.excluded_by.empty()) continue;
    for (const auto& [alternative, operand] : results) {
      taken[alternative] = operand, owners[alternative] = choice.rewrite;
      const AlternativeChoice& made = choices[alternative][static_cast<size_t>(operand) - 1];
      for (const std::string& conflict : made.conflicts) excluded.emplace(conflict, choice.rewrite);
    }
  }
  const std::vector<bool> unreached = UnreachedComputations(module);
  for (HloInstruction* alternative : all) alternative->ReplaceAllUsesWith(alternative->operand(taken[alternative]));
  RemoveAllDead(all);
  RemoveUnreached(module, unreached);
  module.PutInTextOrder();
  return outcomes;
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
