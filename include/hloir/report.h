// What hloir tells of a module, a pipeline's work and a run: as JSON for programs (docs/json.md has the fields; each
// function returns one value as text) and as tables for people (UTF-8, an end of line after each line).
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
// Threads: all of it only reads what it is given, and may be called from any thread.
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

// A rewrite: its id, formula and class, why it was made (or not), what went and what came, each on a line of its own.
std::string RewriteReport(const RewriteLog::Entry& rewrite);
// In one line.
std::string RewriteReportJson(const RewriteLog::Entry& rewrite);

// What each pass did over all its runs, and how often each rule fired.
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

// How much memory a module takes in its order (buffer_assignment.h), and the values in use at the peak, of these the
// `most` largest.
std::string MemoryReport(const HloModule& module, size_t most = 12);
std::string MemoryReportJson(const HloModule& module, bool all_values = false);  // or only those in use at the peak

// The steps of a plan, those that took longest first; what took next to nothing is summed up in a last row.
std::string ProfileReport(const ExecutionProfile& profile);
std::string ProfileReportJson(const ExecutionProfile& profile);
// The single runs of steps, for chrome://tracing and ui.perfetto.dev.
std::string ChromeTrace(const ExecutionProfile& profile);

// ---- Verdicts ----

// What led to it, a line each: engines, notes, what the inputs reached, the largest difference, the proof.
std::string VerdictReport(const Verdict& verdict);
// How far results are apart: "none", or relative to the largest, "2e-07"; also from the stored ones ("": there are
// none).
std::string LargestDifference(const Verdict& verdict);
std::string StoredDifference(const Verdict& verdict);
std::string VerdictJson(const Verdict& verdict);

// The rewrite that changes what the module computes, or that none does.
std::string BisectionReport(const Bisection& found);
std::string BisectionReportJson(const Bisection& found);

// ---- Errors ----

// One error of a Status that came from a file, with its place there.
struct Diagnostic {
  std::string message;
  int64_t line = 0, column = 0;  // from 1; 0: no place
};
// `file` is the name that the reader was given. A verifier's Status holds several errors.
std::vector<Diagnostic> DiagnosticsOf(const Status& status, std::string_view file);
std::string DiagnosticsJson(const Status& status, std::string_view file);

}  // namespace hloir

#pragma GCC visibility pop
