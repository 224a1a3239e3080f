// --passes, --pipeline, --load, --disable-rule, --max-instructions and --math, the common flags of `opt` and `verify`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hloir/passes.h"
#include "hloir/pass.h"
#include "tools/flags.h"

namespace hloir::tool {

struct OptimizeFlags {
  const PassRegistry* registry = nullptr;
  std::string passes;         // as SplitPipeline reads it; "": the default pipeline
  std::string pipeline_file;  // instead of `passes`: the same from a file
  MathMode math = MathMode::kExact;
  std::vector<std::string> disabled_rules;
  int64_t max_instructions = 0;  // as PipelineOptions has it
};

// The passes that the flags select (see MakePipeline), and their options.
StatusOr<std::vector<std::string>> PassNames(const OptimizeFlags& flags);
PassOptions PassOptionsOf(const OptimizeFlags& flags);

// Rewrites the module; returns the result of each pass. `rewriter`, unless nullptr, decides on each change.
StatusOr<std::vector<PassRun>> Optimize(HloModule& module, const OptimizeFlags& flags, PipelineOptions pipeline = {},
                                        Rewriter* rewriter = nullptr);

// `registry` has the passes; --load adds to it. It must outlive the flags.
inline void AddOptimizeFlags(CLI::App& command, OptimizeFlags& flags, PassRegistry& registry) {
  flags.registry = &registry;
  static const std::map<std::string, MathMode> kModes = {
      {"exact", MathMode::kExact}, {"rounding", MathMode::kRounding}, {"fast", MathMode::kFast}};
  CLI::Option* passes = AddOption(command, "--passes A,[B,C],...", flags.passes,
                                  "Run these passes; repeat a bracketed list until nothing changes; give options in "
                                  "braces: A{X=1 Y=2} (default: the default pipeline)");
  AddOption(command, "--pipeline FILE", flags.pipeline_file,
            "Read the pipeline from a file: passes separated by commas or newlines, comments after #")
      ->excludes(passes);
  command.add_option("--load", "Load a pass plugin (a shared object); may be repeated")
      ->type_name("FILE.so")
      ->take_all()
      ->allow_extra_args(false)
      ->each([&registry](const std::string& path) {
        const Status loaded = LoadPassPlugin(path, registry);
        if (!loaded.ok()) throw CLI::ValidationError(loaded.message());
      });
  AddOption(command, "--disable-rule NAME", flags.disabled_rules,
            "Disable a rewrite rule by name (see hloir opt --list-rules); may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  AddOption(command, "--max-instructions N", flags.max_instructions,
            "Stop passes that grow the module past N instructions (default: 16 times its size plus 50000)")
      ->check(Between(int64_t{1}, int64_t{1} << 40));
  AddChoice(command, "--math MODE", flags.math, kModes,
            "Allowed changes of results: exact (none, the default), rounding (as XLA's default), fast (fast-math)");
}

}  // namespace hloir::tool
