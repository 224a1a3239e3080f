// --passes, --pipeline, --disable-rule and --math, which `opt` and `verify` both have.
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
  CLI::Option* passes = command
                            .add_option("--passes", flags.passes,
                                        "Run these; what is in brackets until nothing changes; options in braces: "
                                        "A{X=1 Y=2} (default: the whole pipeline)")
                            ->type_name("A,[B,C],...");
  command
      .add_option("--pipeline", flags.pipeline_file,
                  "The same from a file: one pass a line or several, # begins a comment")
      ->excludes(passes)
      ->type_name("FILE");
  command
      .add_option("--disable-rule", flags.disabled_rules,
                  "Switch off a rule by its name (see --stats), as often as needed")
      ->type_name("NAME")
      ->take_all()
      ->allow_extra_args(false);
  AddChoice(command, "--math", flags.math, kModes,
            "How far results may change: exact (no bit, the default), rounding (as XLA does), fast")
      ->type_name("MODE");
}

}  // namespace hloir::tool
