// PassRegistry: passes by their names.
#include <algorithm>
#include <string_view>
#include <utility>

#include "hloir/pass.h"
#include "pass_options.h"
#include "rewrite/absent_passes.h"
#include "support/did_you_mean.h"

namespace hloir {
namespace {

// Names are stored with hyphens; XLA uses both.
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

// TopkDecomposer as topk-decomposer: some names in XLA are those of classes.
std::string Kebab(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !result.empty() && result.back() != '-') result += '-';
    result += capital ? static_cast<char>(c - 'A' + 'a') : c == '_' ? '-' : c;
  }
  return result;
}

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
  auto place = places_.find(WithHyphens(name));
  if (place == places_.end()) place = places_.find(Kebab(name));
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
    for (const std::string& name : {WithHyphens(text), Kebab(text)})
      if (std::string why = WhyPassIsAbsent(name); !why.empty()) return InvalidArgument(std::move(why));
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
