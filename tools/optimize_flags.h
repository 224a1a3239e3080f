// --passes and --math, which `opt` and `verify` both have.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/choices.h"
#include "tools/optimize.h"

namespace hloir::tool {

inline void AddOptimizeFlags(CLI::App& command, OptimizeFlags& flags) {
  static const std::map<std::string, MathMode> kModes = {
      {"exact", MathMode::kExact}, {"rounding", MathMode::kRounding}, {"fast", MathMode::kFast}};
  command.add_option("--passes", flags.passes, "Run these; what is in brackets until nothing changes (default: the whole pipeline)")
      ->type_name("A,[B,C],...");
  AddChoice(command, "--math", flags.math, kModes, "How far results may change: exact (no bit, the default), rounding (as XLA does), fast")
      ->type_name("MODE");
}

}  // namespace hloir::tool
