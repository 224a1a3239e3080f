// Passes through hloir_c.h: optimize, dry-run and take. See handles.h.
#include <memory>
#include <vector>

#include "handles.h"
#include "hloir/passes.h"
#include "rewrite/proposals.h"

namespace hloir::c_api {
namespace {

StatusOr<PassOptions> OptionsOf(hloir_math math, Rewriter* rewriter) {
  if (math < HLOIR_MATH_EXACT || math > HLOIR_MATH_FAST) return InvalidArgument("no such hloir_math");
  PassOptions options;
  options.math = static_cast<MathMode>(math);
  options.rewriter = rewriter;
  return options;
}

Status Optimize(HloModule& module, const char* passes, hloir_math math, Rewriter* rewriter) {
  HLOIR_ASSIGN_OR_RETURN(const PassOptions options, OptionsOf(math, rewriter));
  HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes != nullptr ? passes : ""));
  HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(names, options));
  return pipeline.RunOnce(module).status();
}

}  // namespace
}  // namespace hloir::c_api

using namespace hloir;
using namespace hloir::c_api;

struct hloir_rewrites {
  std::vector<RewriteLog::Entry> entries;
};

bool hloir_optimize(hloir_module* module, const char* passes, hloir_math math, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}}));
    HLOIR_RETURN_IF_ERROR(Optimize(*module->module, passes, math, nullptr));
    return true;
  });
}

hloir_rewrites* hloir_dry_run(const hloir_module* module, const char* passes, hloir_math math, hloir_error** error) {
  return Guarded<hloir_rewrites*>(error, [&]() -> StatusOr<hloir_rewrites*> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}}));
    HLOIR_ASSIGN_OR_RETURN(const PassOptions options, OptionsOf(math, nullptr));
    HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes != nullptr ? passes : ""));
    // hloir_rewrite has no field for the results of rewrites, so none is tried.
    HLOIR_ASSIGN_OR_RETURN(Proposals found, FindProposals(*module->module, BuiltinPasses(), names, options, 0));
    return new hloir_rewrites{std::move(found.entries)};
  });
}

size_t hloir_rewrites_count(const hloir_rewrites* rewrites) {
  return rewrites != nullptr ? rewrites->entries.size() : 0;
}

hloir_rewrite hloir_rewrites_get(const hloir_rewrites* rewrites, size_t i) {
  if (i >= hloir_rewrites_count(rewrites)) return {};
  const RewriteLog::Entry& entry = rewrites->entries[i];
  return {.id = Text(entry.id),
          .pass = Text(entry.pass),
          .rule = Text(entry.rule),
          .formula = Text(entry.formula),
          .computation = Text(entry.computation),
          .instruction = Text(entry.instruction),
          .before = Text(entry.before),
          .reason = Text(entry.reason),
          .math = static_cast<hloir_math>(entry.math)};
}

void hloir_rewrites_free(hloir_rewrites* rewrites) { delete rewrites; }

bool hloir_take(hloir_module* module, const char* passes, hloir_math math, const char* const* ids, size_t id_count,
                size_t* taken, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}}));
    if (id_count > 0) HLOIR_RETURN_IF_ERROR(Given({{"ids", ids}}));
    for (size_t i = 0; i < id_count; ++i) HLOIR_RETURN_IF_ERROR(Given({{"an id", ids[i]}}));
    RewriteLog log;
    log.take_only = true;
    log.keep_text = false;
    log.take.insert(ids, ids + id_count);
    HLOIR_RETURN_IF_ERROR(Optimize(*module->module, passes, math, &log));
    if (taken != nullptr) *taken = static_cast<size_t>(log.allowed());
    return true;
  });
}
