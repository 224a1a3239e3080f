// See optimize.h.
#include "tools/optimize.h"

#include <memory>
#include <utility>

#include "hloir/evaluator.h"
#include "tools/files.h"

namespace hloir::tool {

StatusOr<std::vector<PassRun>> Optimize(HloModule& module, const OptimizeFlags& flags, PipelineOptions pipeline_options,
                                        Rewriter* rewriter) {
  PassOptions options;
  options.math = flags.math;
  options.rewriter = rewriter;
  options.disabled_rules = flags.disabled_rules;
  EvaluatorOptions evaluator_options;
  evaluator_options.max_steps = options.max_folded_steps;
  const std::unique_ptr<HloEvaluator> evaluator = MakeReferenceEvaluator(evaluator_options);
  options.evaluator = evaluator.get();
  std::string text = flags.passes;
  if (!flags.pipeline_file.empty()) {
    StatusOr<std::string> read = ReadFile(flags.pipeline_file);
    if (!read.ok()) return InvalidArgument("--pipeline=" + flags.pipeline_file + ": " + read.status().message());
    text = std::move(*read);
  }
  StatusOr<std::vector<std::string>> names = SplitPipeline(text);
  if (names.ok() && names->empty() && !flags.pipeline_file.empty()) names = InvalidArgument("it names no pass");
  if (!names.ok()) {
    return flags.pipeline_file.empty()
               ? names.status()
               : InvalidArgument("--pipeline=" + flags.pipeline_file + ": " + names.status().message());
  }
  HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(*names, options, std::move(pipeline_options)));
  if (const StatusOr<bool> changed = pipeline.RunOnce(module); !changed.ok()) return changed.status();
  return pipeline.runs();
}

}  // namespace hloir::tool
