// hloir fuzz mutants: makes mutants of modules and reports the share that the verdict detects.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/mutants.h"
#include "fuzz/proof_file.h"
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
  std::string against;  // for a single file: its compiled form
  bool json = false, list = false, prove = false;
};

struct Count {
  int64_t caught = 0, not_judged = 0, missed = 0, same = 0;
  int64_t rare = 0, rare_caught = 0;  // of the changed ones: those that no ordinary inputs show
  int64_t changed() const { return caught + not_judged + missed; }
};

// An undetected or unjudged mutant.
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
    case MutantOutcome::kMissed: return "missed";
    case MutantOutcome::kSame: return "the same";
  }
  return "";
}

Status SaveMutant(const MutantsFlags& flags, const Mutant& mutant, const std::string& kind, size_t number) {
  if (flags.save.empty()) return OkStatus();
  return WriteFile(fmt::format("{}/{}-{}.hlo", flags.save, kind, number),
                   PrintModule(*mutant.module, PrintOptions::Readable()));
}

void PrintCounts(const std::vector<Count>& counts, const std::vector<Escape>& escapes) {
  const std::span<const MutantKind> kinds = MutantKinds();
  Table table({"kind", "the same", "changed", "caught", "share"});  // --list-kinds describes each
  Count totals[2];
  for (size_t k = 0; k < kinds.size(); ++k) {
    const Count& c = counts[k];
    if (c.changed() + c.same == 0) continue;
    Count& total = totals[kinds[k].below_rounding];
    total.caught += c.caught, total.not_judged += c.not_judged, total.missed += c.missed, total.same += c.same;
    total.rare += c.rare, total.rare_caught += c.rare_caught;
    table.Add({kinds[k].name, fmt::format("{}", c.same), fmt::format("{}", c.changed()), fmt::format("{}", c.caught),
               Percent(c.caught, c.changed())});
  }
  Write(stdout, ForLocale(table.ToString(UseColor(stdout))));
  for (const bool below : {false, true}) {
    const Count& t = totals[below];
    PrintText(fmt::format("{}: {} changed, {} caught ({}), {} missed, {} not judged; {} the same\n",
                          below ? "below f32's rounding" : "results", t.changed(), t.caught,
                          Percent(t.caught, t.changed()), t.missed, t.not_judged, t.same));
  }
  const int64_t rare = totals[0].rare + totals[1].rare, rare_caught = totals[0].rare_caught + totals[1].rare_caught;
  PrintText(fmt::format("shown by rare values alone: {} changed, {} caught ({})\n", rare, rare_caught,
                        Percent(rare_caught, rare)));
  for (const Escape& e : escapes)
    PrintText(fmt::format("{}: {} in {} ({}, seed {})\n", OutcomeName(e.outcome), e.kind, e.instruction,
                          Printable(e.file), e.seed));
}

struct MadeMutant {
  const std::string& file;
  const HloModule& original;
  size_t kind;
  uint64_t seed;
  const Mutant& mutant;
};

// Calls begin(module) for each file's module, and use(mutant) for each legal mutant of it; `use` returns true if the
// mutant counts towards --count. Returns the exit status of unreadable files; an error of `use` ends the loop.
StatusOr<int> ForEachMutant(const MutantsFlags& flags, const std::function<void(const HloModule&)>& begin,
                            const std::function<StatusOr<bool>(const MadeMutant&)>& use) {
  const std::span<const MutantKind> kinds = MutantKinds();
  int status = kExitGood;
  int64_t made = 0;
  const auto enough = [&] { return flags.count != 0 && made >= flags.count; };
  Progress progress(flags.files.size());
  for (size_t f = 0; f < flags.files.size() && !enough(); ++f) {
    const std::string file = DisplayName(flags.files[f]);
    progress.Show(f, file);
    const StatusOr<ModuleFile> loaded = ReadModuleFile(flags.files[f], {.one_module = true});
    if (!loaded.ok()) {
      progress.Clear();
      status = std::max(status, Fail(loaded.status(), file));
      continue;
    }
    const HloModule& original = loaded->module();
    begin(original);
    for (size_t k = 0; k < kinds.size(); ++k) {
      if (!Wanted(flags, kinds[k].name)) continue;
      for (int64_t n = 0; n < flags.each && !enough(); ++n) {
        const uint64_t seed = flags.seed + static_cast<uint64_t>(n);
        const std::optional<Mutant> mutant = MakeMutant(original, k, seed);
        if (!mutant || !VerifyModule(*mutant->module).ok()) continue;
        HLOIR_ASSIGN_OR_RETURN(const bool counts, use({file, original, k, seed, *mutant}));
        made += counts;
      }
    }
  }
  progress.Clear();
  return status;
}

int Mutants(const MutantsFlags& flags) {
  const std::span<const MutantKind> kinds = MutantKinds();
  if (flags.list) {
    for (const MutantKind& kind : kinds) Write(stdout, HelpRow(kind.name, kind.what));
    return kExitGood;
  }
  std::vector<Count> counts(kinds.size());
  std::vector<Escape> escapes;
  std::optional<Checker> checker;
  const StatusOr<int> status = ForEachMutant(
      flags, [&](const HloModule& original) { checker.emplace(original, std::vector<InputSet>(), CheckOptions()); },
      [&](const MadeMutant& made) -> StatusOr<bool> {
        const StatusOr<MutantOutcome> outcome = OutcomeOf(made.original, made.mutant, *checker);
        if (!outcome.ok()) return false;  // it does not run
        Count& c = counts[made.kind];
        (*outcome == MutantOutcome::kCaught      ? c.caught
         : *outcome == MutantOutcome::kNotJudged ? c.not_judged
         : *outcome == MutantOutcome::kMissed    ? c.missed
                                                 : c.same) += 1;
        if (*outcome != MutantOutcome::kSame && !ShowsOnOrdinaryInputs(made.original, made.mutant)) {
          ++c.rare;
          c.rare_caught += *outcome == MutantOutcome::kCaught;
        }
        if (*outcome != MutantOutcome::kMissed && *outcome != MutantOutcome::kNotJudged) return true;
        escapes.push_back({made.file, kinds[made.kind].name, made.mutant.instruction, made.seed, *outcome});
        HLOIR_RETURN_IF_ERROR(SaveMutant(flags, made.mutant, kinds[made.kind].name, escapes.size()));
        return true;
      });
  if (!status.ok()) return Fail(status.status(), flags.save);
  if (!flags.json) {
    PrintCounts(counts, escapes);
    return *status;
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
                             {"missed", c.missed},
                             {"rare", c.rare},
                             {"rare_caught", c.rare_caught}});
  }
  for (const Escape& e : escapes) {
    json["escapes"].push_back({{"file", e.file},
                               {"kind", e.kind},
                               {"instruction", e.instruction},
                               {"seed", e.seed},
                               {"outcome", std::string(OutcomeName(e.outcome))}});
  }
  PrintJson(json);
  return *status;
}

// ---- --prove ----

struct ProofCount {
  int64_t open = 0, holds = 0, not_run = 0, wrong = 0;
  fuzz::ProofFiles files;  // of those that are proved
};
struct FalseProof {
  std::string file, kind, instruction, proof;
  uint64_t seed;
};

int ReportProofs(const MutantsFlags& flags, const std::vector<ProofCount>& counts, const std::vector<FalseProof>& wrong,
                 int status) {
  const std::span<const MutantKind> kinds = MutantKinds();
  if (flags.json) {
    Json json = {{"kinds", Json::array()}, {"false_proofs", Json::array()}};
    for (size_t k = 0; k < kinds.size(); ++k) {
      json["kinds"].push_back({{"kind", kinds[k].name},
                               {"open", counts[k].open},
                               {"holds", counts[k].holds},
                               {"not_run", counts[k].not_run},
                               {"false", counts[k].wrong},
                               {"accepted", counts[k].files.accepted},
                               {"unchecked", counts[k].files.unchecked},
                               {"refused", counts[k].files.refused}});
    }
    for (const FalseProof& f : wrong) {
      json["false_proofs"].push_back(
          {{"file", f.file}, {"kind", f.kind}, {"instruction", f.instruction}, {"seed", f.seed}, {"proof", f.proof}});
    }
    PrintJson(json);
  } else {
    ProofCount all;
    for (const ProofCount& c : counts) {
      all.open += c.open, all.holds += c.holds, all.not_run += c.not_run, all.wrong += c.wrong;
      all.files.accepted += c.files.accepted, all.files.unchecked += c.files.unchecked;
      all.files.refused += c.files.refused;
    }
    for (const FalseProof& f : wrong)
      PrintText(fmt::format("false proof: {} in {} ({}, seed {})\n{}", f.kind, f.instruction, Printable(f.file), f.seed,
                            f.proof));
    PrintText(
        fmt::format("{} mutants: {} not proved, {} proved and equal on all inputs tried, {} proved and not run, "
                    "{} proved falsely\n",
                    all.open + all.holds + all.not_run + all.wrong, all.open, all.holds, all.not_run, all.wrong));
    PrintText(all.files.ToString() + "\n");
  }
  return wrong.empty() ? status : std::max<int>(status, kExitDisagree);
}

int ProveMutants(const MutantsFlags& flags) {
  const std::span<const MutantKind> kinds = MutantKinds();
  std::vector<ProofCount> counts(kinds.size());
  std::vector<FalseProof> wrong;
  std::unique_ptr<HloModule> against;
  if (!flags.against.empty()) {
    StatusOr<std::unique_ptr<HloModule>> read = ReadModule(flags.against);
    if (!read.ok()) return Fail(read.status(), DisplayName(flags.against));
    against = *std::move(read);
  }
  const StatusOr<int> status = ForEachMutant(
      flags, [](const HloModule&) {},
      [&](const MadeMutant& made) -> StatusOr<bool> {
        const HloModule& other = against != nullptr ? *against : made.original;
        ProofCount& count = counts[made.kind];
        std::string proof;
        const ProofOutcome outcome = OutcomeOfProof(made.original, other, made.mutant, &proof);
        if (outcome != ProofOutcome::kOpen) {
          std::string why;
          const fuzz::ProofFile file = fuzz::OutcomeOfProofFile(other, *made.mutant.module, &why);
          count.files.Count(file);
          if (file == fuzz::ProofFile::kRefused) {
            wrong.push_back({made.file, kinds[made.kind].name, made.mutant.instruction,
                             fmt::format("check-proof refuses the file that was written: {}\n", why), made.seed});
          }
        }
        switch (outcome) {
          case ProofOutcome::kOpen: ++count.open; break;
          case ProofOutcome::kHolds: ++count.holds; break;
          case ProofOutcome::kNotRun: ++count.not_run; break;
          case ProofOutcome::kFalse:
            ++count.wrong;
            wrong.push_back({made.file, kinds[made.kind].name, made.mutant.instruction, proof, made.seed});
            HLOIR_RETURN_IF_ERROR(SaveMutant(flags, made.mutant, kinds[made.kind].name, wrong.size()));
            break;
        }
        return true;
      });
  if (!status.ok()) return Fail(status.status(), flags.save);
  return ReportProofs(flags, counts, wrong, *status);
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
  command->add_flag("--prove", flags->prove,
                    "Try to prove each mutant equal to the original, and run those that are proved; exit status 1 if "
                    "one of these is not equal");
  AddOption(*command, "--against AFTER", flags->against,
            "With --prove and one FILE: prove this module, made from FILE by a compiler, against the mutants of FILE");
  command->add_flag("--list-kinds", flags->list, "Print the kinds and exit");
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, &action] {
    action = [flags] { return flags->prove && !flags->list ? ProveMutants(*flags) : Mutants(*flags); };
  });
}

}  // namespace hloir::tool
