// The optimizer as `opt` and `verify` call it: a pipeline from flags, with constants folded by the reference.
#pragma once

#include <string>
#include <vector>

#include "hloir/pass.h"
#include "hloir/status.h"

namespace hloir::tool {

struct OptimizeFlags {
  std::string passes;         // as SplitPipeline reads it; "": the default pipeline
  std::string pipeline_file;  // instead of `passes`: the same from a file
  MathMode math = MathMode::kExact;
  std::vector<std::string> disabled_rules;
};

// Rewrites the module; returns what each pass did. `rewriter`, if there is one, is asked before each change.
StatusOr<std::vector<PassRun>> Optimize(HloModule& module, const OptimizeFlags& flags, PipelineOptions pipeline = {},
                                        Rewriter* rewriter = nullptr);

}  // namespace hloir::tool
