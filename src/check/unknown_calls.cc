// See unknown_calls.h.
#include "check/unknown_calls.h"

#include <map>
#include <set>
#include <string_view>

#include "hloir/evaluator.h"
#include "support/format.h"

namespace hloir::check {
namespace {

// The backend configs of each target.
using UnknownTargets = std::map<std::string_view, std::set<std::string_view>>;
UnknownTargets UnknownTargetsOf(const HloModule& module) {
  UnknownTargets targets;
  for (const HloInstruction* i : module.AllInstructions())
    if (IsUnknownCall(*i))
      targets[i->attributes<CustomCallAttributes>().custom_call_target].insert(i->extras().backend_config);
  return targets;
}

}  // namespace

bool HasUnknownCalls(const HloModule& module) { return !UnknownTargetsOf(module).empty(); }

std::string UnknownCallsNote(const HloModule& before, const HloModule& after) {
  UnknownTargets targets = UnknownTargetsOf(before);
  targets.merge(UnknownTargetsOf(after));
  if (targets.empty()) return "";
  std::string names;
  for (const auto& [target, configs] : targets) names += Format("{}{}", names.empty() ? "" : ", ", target);
  return Format("custom-calls of unknown meaning ran as made-up functions of their operands: {}", names);
}

std::string UnknownCallsDifference(const HloModule& before, const HloModule& after, const std::string& before_name,
                                   const std::string& after_name) {
  const UnknownTargets a = UnknownTargetsOf(before), b = UnknownTargetsOf(after);
  for (const auto& [target, configs] : a)
    if (!b.contains(target)) return Format("{} calls {} and {} does not", before_name, target, after_name);
  for (const auto& [target, configs] : b) {
    if (!a.contains(target)) return Format("{} calls {} and {} does not", after_name, target, before_name);
    if (a.at(target) != configs)
      return Format("{} and {} call {} with different options", before_name, after_name, target);
  }
  return "";
}

}  // namespace hloir::check
