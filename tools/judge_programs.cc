// See judge_programs.h.
#include "tools/judge_programs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "support/cores.h"
#include "tools/child.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/memory.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/unknown_calls.h"
#include "triage/blame.h"

namespace hloir::tool {
namespace {

// The last finding that a process wrote, with a note if the process did not end well.
Finding FindingOf(const DumpFolder::Module& program, const ChildEnd& end, double timeout) {
  std::string ending;
  if (end.status == kTimedOut) ending = fmt::format("out of time after {:g} s (see --timeout)", timeout);
  else if (end.status < 0) ending = fmt::format("hloir was killed by signal {}", -end.status);
  else if (end.status != 0) ending = fmt::format("hloir ended with status {}", end.status);
  // The last whole line.
  const size_t last = end.output.rfind('\n');
  const size_t begin = last == std::string::npos || last == 0 ? 0 : end.output.rfind('\n', last - 1) + 1;
  StatusOr<Finding> finding = InvalidArgument("");
  if (last != std::string::npos) finding = ParseFinding(std::string_view(end.output).substr(begin, last - begin));
  const bool crashed = end.status != 0 && end.status != kTimedOut;
  if (!finding.ok()) {
    Finding unknown = UnknownFinding(program.name, ending.empty() ? "the process printed no finding" : ending);
    unknown.stages = static_cast<int64_t>(program.stages.size());
    unknown.bug = end.status != kTimedOut;
    return unknown;
  }
  if (!ending.empty()) finding->notes.push_back("the search for the pass ended early: " + ending);
  finding->bug = finding->bug || crashed;
  return *std::move(finding);
}

void Send(const Finding& finding, int descriptor) { WriteAll(descriptor, FindingJson(finding) + "\n"); }

int Judge(const DumpFolder::Module& program, const JudgeFlags& flags, int threads, int descriptor) {
  std::vector<std::string> files = flags.results;
  for (const DumpFolder::Stage& stage : program.stages) files.push_back(stage.path);
  for (const auto* more : {&program.values, &program.snapshots}) files.insert(files.end(), more->begin(), more->end());
  LimitMemoryFor(files);
  BlameOptions options;
  options.elided = flags.elided, options.results = flags.results;
  options.check.seed = flags.seed;
  options.check.runner.unknown_calls = flags.unknown_calls, options.check.runner.threads = threads;
  options.on_progress = [&](const Finding& finding) { Send(finding, descriptor); };
  Send(Blame(program, options), descriptor);
  return 0;
}

}  // namespace

void AddJudgeFlags(CLI::App& command, JudgeFlags& flags) {
  AddOption(command, "--seed N", flags.seed, "Seed of the generated inputs")->check(AnySeed());
  AddOption(command, "--timeout SECONDS", flags.timeout,
            "Processor time for each program; one that takes longer is reported with its results so far")
      ->check(CLI::PositiveNumber);
  AddElidedFlag(command, flags.elided)
      ->description(
          "Values of elided constants, {...}: assume (the default; random ones, equal for constants "
          "of one shape), refuse, zeros, iota, random, or a file .npz with c0, c1, ... in the order of the text");
  AddUnknownCallsFlag(command, flags.unknown_calls);
}

StatusOr<std::vector<Finding>> JudgePrograms(const std::vector<DumpFolder::Module>& programs, const JudgeFlags& flags) {
  std::vector<Finding> findings(programs.size());
  const int jobs = std::min(flags.jobs > 0 ? flags.jobs : AvailableCores(), static_cast<int>(programs.size()));
  const int threads = jobs > 1 ? 1 : 0;
  Progress progress(programs.size());
  size_t over = 0;
  HLOIR_RETURN_IF_ERROR(ForEachInChild(
      programs.size(), jobs, flags.timeout,
      [&](size_t k, int descriptor) { return Judge(programs[k], flags, threads, descriptor); },
      [&](size_t k, ChildEnd end) {
        findings[k] = FindingOf(programs[k], end, flags.timeout);
        progress.Show(++over, programs[k].name);
      }));
  return findings;
}

int ExitStatusOf(const std::vector<Finding>& findings) {
  const auto any = [&](auto... kinds) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return ((f.kind == kinds) || ...); });
  };
  if (std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.bug; })) return kExitInternal;
  if (any(FindingKind::kFault, FindingKind::kLessAccurate)) return kExitDisagree;
  return any(FindingKind::kDoubt, FindingKind::kUndefined) ? kExitUnsupported : kExitGood;
}

}  // namespace hloir::tool
