// Reports on modules, pipelines and runs: as JSON for programs (docs/json.md has the fields; each function returns one
// value as text) and as tables for people (UTF-8, an end of line after each line).
//
// Example:
//
//   PassOptions options;
//   RewriteLog log;
//   options.rewriter = &log;
//   StatusOr<HloPassPipeline> pipeline = MakePipeline({}, options);
//   if (!pipeline.ok() || !pipeline->RunOnce(module).ok()) return;
//   for (const RewriteLog::Entry& rewrite : log.entries()) std::puts(RewriteReport(rewrite).c_str());
//   std::puts(PassReport(pipeline->runs(), log).c_str());   // which pass did what, and how often each rule fired
//   std::puts(MemoryReportJson(module).c_str());
//
// Tested by tests/cli/json.test, help.test and passes.test.
//
// Threads: functions only read their arguments and may be called from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/module.h"
#include "hloir/pass.h"
#include "hloir/pipeline.h"
#include "hloir/rewrite.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)

namespace hloir {

// ---- Passes ----

// A rewrite: its id, formula and class, the reason, removed and new instructions, each on a line of its own.
std::string RewriteReport(const RewriteLog::Entry& rewrite);
// In one line.
std::string RewriteReportJson(const RewriteLog::Entry& rewrite);

// Totals of each pass over all its runs, and counts of each rule.
std::string PassReport(std::span<const PassRun> runs, const RewriteLog& log);
std::string PassReportJson(std::span<const PassRun> runs, const RewriteLog& log);

// All passes with their options and rules; all rules with their formulas. Text is wrapped to `columns`.
std::string PassListReport(const PassRegistry& registry, size_t columns = 80);
std::string RuleListReport(const PassRegistry& registry, size_t columns = 80);
std::string PassListJson(const PassRegistry& registry);
std::string RuleListJson(const PassRegistry& registry);

// "exact", "rounding", "fast".
std::string_view MathModeName(MathMode math);

// ---- Memory and time ----

// Memory of a module in its order (AssignBuffers of analysis.h), and the `most` largest values in use at the peak.
std::string MemoryReport(const HloModule& module, size_t most = 12);
std::string MemoryReportJson(const HloModule& module, bool all_values = false);  // or only those in use at the peak

// The steps of a plan, slowest first; a last row sums up the negligible ones.
std::string ProfileReport(const ExecutionProfile& profile);
std::string ProfileReportJson(const ExecutionProfile& profile);
// The single runs of steps, for chrome://tracing and ui.perfetto.dev.
std::string ChromeTrace(const ExecutionProfile& profile);

// ---- Verdicts ----

// The evidence, a line each: engines, notes, coverage of the inputs, the largest difference, the proof.
std::string VerdictReport(const Verdict& verdict);
// The largest difference of results: "none", or relative to the largest element, "2e-07"; also from stored results (""
// without these).
std::string LargestDifference(const Verdict& verdict);
std::string StoredDifference(const Verdict& verdict);
std::string VerdictJson(const Verdict& verdict);

// The rewrite that changes results, or a statement that none does.
std::string BisectionReport(const Bisection& found);
std::string BisectionReportJson(const Bisection& found);

// ---- Errors ----

// One error about a file, with its location.
struct Diagnostic {
  std::string message;
  int64_t line = 0, column = 0;  // from 1; 0: no place
};
// `file` is the file name in the reader's messages. A verifier's Status holds several errors.
std::vector<Diagnostic> DiagnosticsOf(const Status& status, std::string_view file);
std::string DiagnosticsJson(const Status& status, std::string_view file);

}  // namespace hloir

#pragma GCC visibility pop
