// --passes, --pipeline, --load, --disable-rule, --max-instructions and --math, which `opt` and `verify` both have, and
// what they do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hloir/passes.h"
#include "hloir/rewrite/plugin.h"
#include "tools/choices.h"

namespace hloir::tool {

struct OptimizeFlags {
  const PassRegistry* registry = nullptr;
  std::string passes;         // as SplitPipeline reads it; "": the default pipeline
  std::string pipeline_file;  // instead of `passes`: the same from a file
  MathMode math = MathMode::kExact;
  std::vector<std::string> disabled_rules;
  int64_t max_instructions = 0;  // as PipelineOptions has it
};

// What the flags say the passes are (see MakePipeline), and how they are to run.
StatusOr<std::vector<std::string>> PassNames(const OptimizeFlags& flags);
PassOptions PassOptionsOf(const OptimizeFlags& flags);

// Rewrites the module; returns what each pass did. `rewriter`, if there is one, is asked before each change.
StatusOr<std::vector<PassRun>> Optimize(HloModule& module, const OptimizeFlags& flags, PipelineOptions pipeline = {},
                                        Rewriter* rewriter = nullptr);

// `registry` has the passes; --load adds to it. It must outlive the flags.
inline void AddOptimizeFlags(CLI::App& command, OptimizeFlags& flags, PassRegistry& registry) {
  flags.registry = &registry;
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
  command.add_option("--load", "Add the passes of this plugin, a shared object; as often as needed")
      ->type_name("FILE.so")
      ->take_all()
      ->allow_extra_args(false)
      ->each([&registry](const std::string& path) {
        const Status loaded = LoadPassPlugin(path, registry);
        if (!loaded.ok()) throw CLI::ValidationError(loaded.message());
      });
  command
      .add_option("--disable-rule", flags.disabled_rules,
                  "Switch off a rule by its name (see --stats), as often as needed")
      ->type_name("NAME")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--max-instructions", flags.max_instructions,
                  "Passes stop when they have grown the module past N instructions (default: 16 times what it has, "
                  "and 50000)")
      ->type_name("N")
      ->check(Between(int64_t{1}, int64_t{1} << 40));
  AddChoice(command, "--math", flags.math, kModes,
            "How far results may change: exact (no bit, the default), rounding (as XLA does), fast")
      ->type_name("MODE");
}

}  // namespace hloir::tool
