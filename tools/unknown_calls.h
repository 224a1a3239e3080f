// --unknown-calls, of run and verify: custom-calls with unknown semantics.
#pragma once

#include <set>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/evaluator.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {

inline CLI::Option* AddUnknownCallsFlag(CLI::App& command, UnknownCalls& calls) {
  return AddChoice<UnknownCalls>(
      command, "--unknown-calls HOW", calls,
      {{"function", UnknownCalls::kUninterpreted}, {"refuse", UnknownCalls::kRefuse}},
      "Custom-calls of unknown meaning: function (the default; a made-up function of target, "
      "config and operands) or refuse");
}

// Reports the results that depend on uninterpreted functions.
inline void NoteUnknownCalls(const HloModule& module) {
  std::set<std::string> targets;
  for (const HloInstruction* i : module.AllInstructions())
    if (IsUnknownCall(*i)) targets.insert(i->attributes<CustomCallAttributes>().custom_call_target);
  if (targets.empty()) return;
  Note(fmt::format("{}: the results of custom-calls of unknown meaning are made up: {}", module.name(),
                   fmt::join(targets, ", ")));
}

}  // namespace hloir::tool
