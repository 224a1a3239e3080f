// hloir fuzz mutants: makes modules wrong, one instruction at a time, and reports how many of them the verdict detects.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/mutants.h"
#include "hloir/io.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "report/table.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/help.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct MutantsFlags {
  std::vector<std::string> files;
  std::vector<std::string> kinds;  // parts of names; empty: all
  int64_t each = 1, count = 0;
  uint64_t seed = 1;
  std::string save;
  bool json = false, list = false;
};

struct Count {
  int64_t caught = 0, not_judged = 0, got_away = 0, same = 0;
  int64_t changed() const { return caught + not_judged + got_away; }
};

// One that got away, or was not judged.
struct Escape {
  std::string file, kind, instruction;
  uint64_t seed;
  MutantOutcome outcome;
};

bool Wanted(const MutantsFlags& flags, const std::string& name) {
  return flags.kinds.empty() || std::any_of(flags.kinds.begin(), flags.kinds.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

std::string Percent(int64_t part, int64_t whole) {
  return whole == 0 ? "" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string_view OutcomeName(MutantOutcome outcome) {
  switch (outcome) {
    case MutantOutcome::kCaught: return "caught";
    case MutantOutcome::kNotJudged: return "not judged";
    case MutantOutcome::kGotAway: return "got away";
    case MutantOutcome::kSame: return "the same";
  }
  return "";
}

void PrintCounts(const std::vector<Count>& counts, const std::vector<Escape>& escapes) {
  const std::span<const MutantKind> kinds = MutantKinds();
  Table table({"kind", "the same", "changed", "caught", "share"});  // --list-kinds describes each
  Count totals[2];
  for (size_t k = 0; k < kinds.size(); ++k) {
    const Count& c = counts[k];
    if (c.changed() + c.same == 0) continue;
    Count& total = totals[kinds[k].below_rounding];
    total.caught += c.caught, total.not_judged += c.not_judged, total.got_away += c.got_away, total.same += c.same;
    table.Add({kinds[k].name, fmt::format("{}", c.same), fmt::format("{}", c.changed()), fmt::format("{}", c.caught),
               Percent(c.caught, c.changed())});
  }
  Write(stdout, ForLocale(table.ToString(UseColor(stdout))));
  for (const bool below : {false, true}) {
    const Count& t = totals[below];
    PrintText(fmt::format("{}: {} changed, {} caught ({}), {} missed, {} not judged; {} the same\n",
                          below ? "below f32's rounding" : "results", t.changed(), t.caught,
                          Percent(t.caught, t.changed()), t.got_away, t.not_judged, t.same));
  }
  for (const Escape& e : escapes)
    PrintText(fmt::format("{}: {} in {} ({}, seed {})\n", OutcomeName(e.outcome), e.kind, e.instruction,
                          Printable(e.file), e.seed));
}

int Mutants(const MutantsFlags& flags) {
  const std::span<const MutantKind> kinds = MutantKinds();
  if (flags.list) {
    for (const MutantKind& kind : kinds) Write(stdout, HelpRow(kind.name, kind.what));
    return kExitGood;
  }
  std::vector<Count> counts(kinds.size());
  std::vector<Escape> escapes;
  int status = kExitGood;
  int64_t made = 0;
  Progress progress(flags.files.size());
  for (size_t f = 0; f < flags.files.size() && (flags.count == 0 || made < flags.count); ++f) {
    const std::string file = DisplayName(flags.files[f]);
    progress.Show(f, file);
    const StatusOr<ModuleFile> loaded = ReadModuleFile(flags.files[f], {.one_module = true});
    if (!loaded.ok()) {
      progress.Clear();
      status = std::max(status, Fail(loaded.status(), file));
      continue;
    }
    const HloModule& original = loaded->module();
    Checker checker(original, {}, {});
    for (size_t k = 0; k < kinds.size(); ++k) {
      if (!Wanted(flags, kinds[k].name)) continue;
      for (int64_t n = 0; n < flags.each && (flags.count == 0 || made < flags.count); ++n) {
        const uint64_t seed = flags.seed + static_cast<uint64_t>(n);
        const std::optional<Mutant> mutant = MakeMutant(original, k, seed);
        if (!mutant || !VerifyModule(*mutant->module).ok()) continue;
        const StatusOr<MutantOutcome> outcome = OutcomeOf(original, *mutant, checker);
        if (!outcome.ok()) continue;  // it does not run
        ++made;
        Count& c = counts[k];
        (*outcome == MutantOutcome::kCaught      ? c.caught
         : *outcome == MutantOutcome::kNotJudged ? c.not_judged
         : *outcome == MutantOutcome::kGotAway   ? c.got_away
                                                 : c.same) += 1;
        if (*outcome != MutantOutcome::kGotAway && *outcome != MutantOutcome::kNotJudged) continue;
        escapes.push_back({file, kinds[k].name, mutant->instruction, seed, *outcome});
        if (flags.save.empty()) continue;
        const std::string path = fmt::format("{}/{}-{}.hlo", flags.save, kinds[k].name, escapes.size());
        if (Status saved = WriteFile(path, PrintModule(*mutant->module, PrintOptions::Readable())); !saved.ok())
          return Fail(saved, path);
      }
    }
  }
  progress.Clear();
  if (!flags.json) {
    PrintCounts(counts, escapes);
    return status;
  }
  Json json = {{"kinds", Json::array()}, {"escapes", Json::array()}};
  for (size_t k = 0; k < kinds.size(); ++k) {
    const Count& c = counts[k];
    json["kinds"].push_back({{"kind", kinds[k].name},
                             {"what", kinds[k].what},
                             {"below_rounding", kinds[k].below_rounding},
                             {"same", c.same},
                             {"caught", c.caught},
                             {"not_judged", c.not_judged},
                             {"got_away", c.got_away}});
  }
  for (const Escape& e : escapes) {
    json["escapes"].push_back({{"file", e.file},
                               {"kind", e.kind},
                               {"instruction", e.instruction},
                               {"seed", e.seed},
                               {"fate", std::string(OutcomeName(e.outcome))}});
  }
  PrintJson(json);
  return status;
}

}  // namespace

void AddFuzzMutantsCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<MutantsFlags>();
  AddOption(*command, "FILE", flags->files, "Modules");
  AddOption(*command, "--kinds PART,…", flags->kinds, "Only kinds of mutation whose name contains one of these")
      ->delimiter(',')
      ->allow_extra_args(false);
  AddOption(*command, "--each N", flags->each, "Mutants per kind and module (default: 1)")
      ->check(Between(int64_t{1}, INT64_MAX));
  AddOption(*command, "--count N", flags->count, "Stop after this many")->check(Between(int64_t{1}, INT64_MAX));
  AddOption(*command, "--seed N", flags->seed, "Seed that selects the instructions (default: 1)")->check(AnySeed());
  AddOption(*command, "--save DIR", flags->save, "Write undetected mutants to this folder");
  command->add_flag("--list-kinds", flags->list, "Print the kinds and exit");
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, &action] { action = [flags] { return Mutants(*flags); }; });
}

}  // namespace hloir::tool
