// PassRegistry: passes by their names.
#include <algorithm>
#include <string_view>
#include <utility>

#include "hloir/pass.h"
#include "pass_options.h"
#include "support/did_you_mean.h"

namespace hloir {
namespace {

// Names are kept with hyphens; XLA has both.
std::string WithHyphens(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

// True if the name can be written in a pipeline.
bool IsPassName(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos;
}

// Names in per-pass dumps of XLA's CPU backend that are not passes here, and why; with hyphens.
constexpr std::pair<std::string_view, std::string_view> kAbsent[] = {
    {"after-layout-assignment", "a pipeline of XLA:CPU that holds its verifier; --verify-each does that"},
    {"apply-xla-transforms", "it replaces parts of the module as a file beside the compiler says"},
    {"cpu-parallel-task-assigner", "it cuts loops for the threads of XLA:CPU; the plan of a run does that here"},
    {"dot-library-rewriter", "it marks dots for the libraries that XLA:CPU is linked with"},
    {"HLO-passes-after-layout-assignment", "a pipeline; its passes have names of their own"},
    {"HLO-passes-after-scheduling", "a pipeline; its passes have names of their own"},
    {"HLO-passes-through-layout-assignment", "a pipeline; its passes have names of their own"},
    {"literal-canonicalizer", "it lets equal constants share memory; the graph's attributes do that here"},
    {"post-scatter-expansion-simplification", "a pipeline; use algebraic-simplifier and dce instead"},
    {"propagate-call-metadata", "it puts a call's op_name before those of its body; call-inliner keeps both"},
    {"shape-canonicalizer", "it lets equal shapes share memory, which a module's shapes always do here"},
    {"simplification", "a pipeline; the default pipeline has its passes between brackets"},
    {"simplification-after-layout-assignment", "a pipeline; use algebraic-simplifier, dce and cse instead"},
    {"small-while-loop-hoisting", "it puts small loops into calls so that XLA:CPU compiles each as one kernel"},
};

}  // namespace

Status NoRule(std::string_view pass, std::span<const RuleInfo> rules, std::string_view rule) {
  std::vector<std::string_view> names;
  for (const RuleInfo& known : rules) names.push_back(known.name);
  const std::string who = pass.empty() ? "no pass has" : "the pass '" + std::string(pass) + "' does not have";
  return InvalidArgument(who + " a rule named '" + std::string(rule) + "'" + DidYouMean(rule, names));
}

Status PassRegistry::Add(std::string name, std::string description, PassDefinition definition) {
  if (!IsPassName(name)) return InvalidArgument("'" + name + "' cannot be a pass's name");
  if (!definition.make) return InvalidArgument("the pass '" + name + "' has no factory");
  if (!places_.emplace(WithHyphens(name), passes_.size()).second)
    return InvalidArgument("there already is a pass named '" + name + "'");
  passes_.push_back({std::move(definition), std::move(name), std::move(description)});
  return OkStatus();
}

Status PassRegistry::AddAlias(std::string alias, std::string name) {
  const auto place = places_.find(WithHyphens(name));
  if (place == places_.end()) return InvalidArgument("unknown pass '" + name + "'");
  if (!IsPassName(alias)) return InvalidArgument("'" + alias + "' cannot be a pass's name");
  if (!places_.emplace(WithHyphens(alias), place->second).second)
    return InvalidArgument("there already is a pass named '" + alias + "'");
  return OkStatus();
}

const PassInfo* PassRegistry::Find(std::string_view name) const {
  const auto place = places_.find(WithHyphens(name));
  return place == places_.end() ? nullptr : &passes_[place->second];
}

StatusOr<std::unique_ptr<HloPass>> PassRegistry::Make(std::string_view text, const PassOptions& options) const {
  std::string_view values;
  if (const size_t brace = text.find('{'); brace != std::string_view::npos && text.ends_with('}')) {
    values = text.substr(brace + 1, text.size() - brace - 2);
    text = text.substr(0, brace);
  }
  const PassInfo* pass = Find(text);
  if (pass == nullptr) {
    for (const auto& [name, why] : kAbsent) {
      if (WithHyphens(text) == name)
        return InvalidArgument("XLA's '" + std::string(text) + "' is not a pass here: " + std::string(why));
    }
    std::vector<std::string_view> names;
    for (const auto& [name, place] : places_) names.push_back(name);
    return InvalidArgument("unknown pass '" + std::string(text) + "'" + DidYouMean(WithHyphens(text), names));
  }
  PassOptions own = options;
  own.values.clear();
  if (own.evaluator == nullptr) own.evaluator = MakeEvaluator();
  HLOIR_RETURN_IF_ERROR(SetPassOptions(own, *pass, values));
  return pass->make(pass->name, own);
}

Status PassRegistry::CheckRules(std::span<const std::string> rules) const {
  if (rules.empty()) return OkStatus();
  std::vector<RuleInfo> all;
  for (const PassInfo& pass : passes_) all.insert(all.end(), pass.rules.begin(), pass.rules.end());
  for (const std::string& name : rules) {
    if (std::none_of(all.begin(), all.end(), [&](const RuleInfo& rule) { return rule.name == name; }))
      return NoRule("", all, name);
  }
  return OkStatus();
}

}  // namespace hloir
