// The optimizer as `opt` and `verify` call it: a pipeline from --passes and --math, with constants folded by the reference.
#pragma once

#include <string>
#include <vector>

#include "hloir/pass.h"
#include "hloir/status.h"

namespace hloir::tool {

struct OptimizeFlags {
  std::string passes;  // "a,b,[c,d]", in this order, what is in brackets until nothing changes; "": the default pipeline
  MathMode math = MathMode::kExact;
};

// Rewrites the module; returns what each pass did. `rewriter`, if there is one, is asked before each change.
StatusOr<std::vector<PassRun>> Optimize(HloModule& module, const OptimizeFlags& flags, PipelineOptions pipeline = {},
                                        Rewriter* rewriter = nullptr);

}  // namespace hloir::tool
