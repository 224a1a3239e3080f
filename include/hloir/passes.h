// The passes that come with hloir: the collection in passes/, listed in passes.def. Here too: a pipeline of them in one
// call. Link hloir::passes.
//
// Example:
//
//   auto pipeline = MakePipeline({}, {});  // the default pipeline, constant folding included
//   if (pipeline.ok()) (void)pipeline->RunOnce(module);
//
// Threads: a pipeline belongs to one thread at a time; several may run at once, each on a module of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hloir/pass.h"
#include "hloir/pipeline.h"

#pragma GCC visibility push(default)
namespace hloir {

// Every pass of passes.def in its order, XLA's names as aliases, the default pipeline, and the reference evaluator to
// fold constants. Made once; copy it to add passes. A second RunOnce of its default pipeline changes nothing.
const PassRegistry& BuiltinPasses();

StatusOr<std::unique_ptr<HloPass>> MakePass(std::string_view text, const PassOptions& options);
StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string> names, const PassOptions& options,
                                       PipelineOptions pipeline_options = {});

}  // namespace hloir
#pragma GCC visibility pop
