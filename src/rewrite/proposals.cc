// See rewrite/proposals.h. For each proposal, its pass runs on a fresh copy and makes that rewrite only.
#include "rewrite/proposals.h"

#include <algorithm>
#include <memory>

#include "ir/mixed_floats.h"
#include "hloir/pipeline.h"
#include "support/guard.h"

namespace hloir {
namespace {

// The log entry of the rewrite; false if no pass of that name made it.
StatusOr<bool> Try(const HloModule& module, const PassRegistry& registry, std::span<const std::string> names,
                   PassOptions options, RewriteLog::Entry& entry) {
  for (std::string_view name : names) {
    while (name.starts_with('[')) name.remove_prefix(1);
    while (name.ends_with(']')) name.remove_suffix(1);
    const PassInfo* info = registry.Find(name.substr(0, name.find('{')));
    if (info == nullptr || info->name != entry.pass) continue;
    RewriteLog log;
    log.take_only = true;
    log.take.insert(entry.id);
    options.rewriter = &log;
    HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloPass> pass, registry.Make(name, options));
    const std::unique_ptr<HloModule> copy = module.Clone();
    HLOIR_RETURN_IF_ERROR(pass->Run(*copy).status());
    if (log.entries().empty()) continue;
    const RewriteLog::Entry& made = log.entries().front();
    entry.before = made.before, entry.after = made.after, entry.sources = made.sources;
    return true;
  }
  return false;
}

}  // namespace

StatusOr<Proposals> FindProposals(const HloModule& given_module, const PassRegistry& registry,
                                  std::span<const std::string> names, const PassOptions& given, int64_t max_work,
                                  const std::atomic<bool>* cancel) try {
  if (names.empty()) names = registry.default_pipeline();
  PassOptions options = given;
  if (options.evaluator == nullptr) options.evaluator = registry.MakeEvaluator();
  RewriteLog log;
  log.propose_only = true;
  options.rewriter = &log;
  const auto stopped = [cancel] { return cancel != nullptr && *cancel ? Cancelled("stopped") : OkStatus(); };
  PipelineOptions around;
  around.before = [&](const PassEvent&, const HloModule&) { return stopped(); };
  HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(registry, names, options, around));
  // The initial steps of a pipeline, for the copies on which single passes run.
  const std::unique_ptr<HloModule> legalized = given_module.Clone();
  LegalizeMixedFloats(*legalized);
  const HloModule& module = *legalized;
  const std::unique_ptr<HloModule> copy = module.Clone();
  HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(*copy).status());

  Proposals proposals;
  proposals.entries = log.entries();
  const int64_t tries = max_work / std::max<int64_t>(1, module.instruction_count());
  for (size_t at = 0; at < proposals.entries.size(); ++at) {
    HLOIR_RETURN_IF_ERROR(stopped());
    bool tried = false;
    if (static_cast<int64_t>(at) < tries) {
      HLOIR_ASSIGN_OR_RETURN(tried, Try(module, registry, names, options, proposals.entries[at]));
    }
    if (!tried) ++proposals.untried;
  }
  return proposals;
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
