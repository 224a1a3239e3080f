// See optimize.h.
#include "tools/optimize.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "hloir/evaluator.h"

namespace hloir::tool {

StatusOr<std::vector<PassRun>> Optimize(HloModule& module, const OptimizeFlags& flags, PipelineOptions pipeline_options,
                                        Rewriter* rewriter) {
  PassOptions options;
  options.math = flags.math;
  options.rewriter = rewriter;
  EvaluatorOptions evaluator_options;
  evaluator_options.max_steps = options.max_folded_steps;
  const std::unique_ptr<HloEvaluator> evaluator = MakeReferenceEvaluator(evaluator_options);
  options.evaluator = evaluator.get();
  std::vector<std::string> names;
  for (std::string_view rest = flags.passes; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(names, options, std::move(pipeline_options)));
  if (const StatusOr<bool> changed = pipeline.RunOnce(module); !changed.ok()) return changed.status();
  return pipeline.runs();
}

}  // namespace hloir::tool
