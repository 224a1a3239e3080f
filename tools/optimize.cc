// See optimize_flags.h.
#include "tools/optimize_flags.h"
#include "tools/report.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "hloir/io.h"

namespace hloir::tool {

PassOptions PassOptionsOf(const OptimizeFlags& flags) {
  PassOptions options;
  options.math = flags.math;
  options.disabled_rules = flags.disabled_rules;
  return options;
}

StatusOr<std::vector<std::string>> PassNames(const OptimizeFlags& flags) {
  std::string text = flags.passes;
  if (!flags.pipeline_file.empty()) {
    StatusOr<std::string> read = ReadFile(flags.pipeline_file);
    if (!read.ok()) return InvalidArgument("--pipeline=" + flags.pipeline_file + ": " + read.status().message());
    text = std::move(*read);
  }
  StatusOr<std::vector<std::string>> names = SplitPipeline(text);
  if (names.ok() && names->empty() && !flags.pipeline_file.empty()) names = InvalidArgument("it has no passes");
  if (names.ok() && names->empty() && !text.empty()) names = InvalidArgument("--passes has no passes");
  if (names.ok() || flags.pipeline_file.empty()) return names;
  return InvalidArgument("--pipeline=" + flags.pipeline_file + ": " + names.status().message());
}

StatusOr<std::vector<PassRun>> Optimize(HloModule& module, const OptimizeFlags& flags, PipelineOptions pipeline_options,
                                        Rewriter* rewriter) {
  PassOptions options = PassOptionsOf(flags);
  options.rewriter = rewriter;
  HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, PassNames(flags));
  pipeline_options.max_instructions = flags.max_instructions;
  std::string running;
  pipeline_options.before = [&running, before = std::move(pipeline_options.before)](const PassEvent& event,
                                                                                    const HloModule& now) {
    running = event.pass;
    return before ? before(event, now) : OkStatus();
  };
  HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline,
                         MakePipeline(*flags.registry, names, options, std::move(pipeline_options)));
  if (const StatusOr<bool> changed = pipeline.RunOnce(module); !changed.ok()) {
    const Status& status = changed.status();
    if (status.code() != StatusCode::kInternal || BuiltinPasses().Find(running) != nullptr) return status;
    // An error in a plugin, or in a command with its own passes.
    return InvalidArgument(fmt::format("{} ({} is not a pass of hloir's own)", status.message(), running));
  }
  std::set<std::string_view> stopped;
  for (const PassRun& run : pipeline.runs()) {
    if (run.stopped && stopped.insert(run.pass).second)
      Note(fmt::format("{} stopped: the module has grown to {} instructions (--max-instructions)", run.pass,
                       run.instructions_after));
  }
  return pipeline.runs();
}

}  // namespace hloir::tool
