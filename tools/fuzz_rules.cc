// hloir fuzz rules: checks every exact rule of the algebraic simplifier by its formula: on all values of small
// integers, by proof on wide ones, and on given modules. Generates the table in docs/proofs.md.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/rules.h"
#include "hloir/io.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/help.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct RulesFlags {
  std::vector<std::string> files;
  std::vector<std::string> only;  // parts of names; empty: all
  bool json = false, markdown = false;
};

constexpr PrimitiveType kTypes[] = {PrimitiveType::PRED, PrimitiveType::S4,  PrimitiveType::U4,  PrimitiveType::S8,
                                    PrimitiveType::U8,   PrimitiveType::S16, PrimitiveType::U16, PrimitiveType::S32,
                                    PrimitiveType::U32,  PrimitiveType::S64, PrimitiveType::U64};

// The result for a rule.
struct RuleRow {
  RuleInfo info;
  std::vector<fuzz::RuleTrial> trials;  // by formula, one for each type
  fuzz::RuleTrial given;                // on given modules
};

std::string Types(const RuleRow& row, bool exhaustive, bool (*counts)(const fuzz::RuleTrial&)) {
  std::string types;
  for (const fuzz::RuleTrial& trial : row.trials) {
    if (trial.exhaustive == exhaustive && counts(trial))
      types += (types.empty() ? "" : " ") + std::string(PrimitiveTypeName(trial.type));
  }
  return types;
}
std::string Exhausted(const RuleRow& row) {
  return Types(row, true, [](const fuzz::RuleTrial&) { return true; });
}
std::string Proved(const RuleRow& row) {
  return Types(row, false, [](const fuzz::RuleTrial& trial) { return trial.proved == trial.modules; });
}
std::string Tested(const RuleRow& row) {
  return Types(row, false, [](const fuzz::RuleTrial& trial) { return trial.proved < trial.modules; });
}
std::string OnGiven(const RuleRow& row) {
  if (row.given.modules == 0) return "";
  if (row.given.proved == row.given.modules) return fmt::format("{} proved", row.given.modules);
  if (row.given.proved == 0) return fmt::format("{} tested", row.given.modules);
  return fmt::format("{} proved, {} tested", row.given.proved, row.given.modules - row.given.proved);
}
std::string Wrong(const RuleRow& row) {
  for (const fuzz::RuleTrial& trial : row.trials)
    if (!trial.wrong.empty()) return trial.wrong;
  return row.given.wrong;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

void PrintMarkdown(const std::vector<RuleRow>& rows) {
  PrintOut("| rule | formula | all values of | proved on | tested on | modules |\n|---|---|---|---|---|---|\n");
  for (const RuleRow& row : rows) {
    PrintOut("| `{}` | {} | {} | {} | {} | {} |\n", row.info.name, Escaped(row.info.formula), Exhausted(row),
             Proved(row), Tested(row), OnGiven(row));
  }
}

Json ToJson(const RuleRow& row) {
  Json json = {{"rule", row.info.name}, {"formula", row.info.formula}, {"types", Json::array()}};
  for (const fuzz::RuleTrial& trial : row.trials) {
    json["types"].push_back({{"type", PrimitiveTypeName(trial.type)},
                             {"exhaustive", trial.exhaustive},
                             {"modules", trial.modules},
                             {"values", trial.values},
                             {"proved", trial.proved}});
  }
  json["given"] = {{"modules", row.given.modules}, {"proved", row.given.proved}};
  if (const std::string wrong = Wrong(row); !wrong.empty()) json["wrong"] = wrong;
  return json;
}

int Rules(const RulesFlags& flags, const PassRegistry& registry) {
  constexpr std::string_view kPass = "algebraic-simplifier";
  fuzz::RuleTester tester(registry, kPass);
  std::vector<std::unique_ptr<HloModule>> modules;
  for (const std::string& file : flags.files) {
    StatusOr<std::unique_ptr<HloModule>> module = ReadModule(file);
    if (!module.ok()) return Fail(module.status(), file);
    modules.push_back(*std::move(module));
  }
  std::vector<RuleRow> rows;
  for (const RuleInfo& rule : registry.Find(kPass)->rules) {
    const bool wanted = flags.only.empty() || std::any_of(flags.only.begin(), flags.only.end(), [&](const auto& part) {
                          return rule.name.find(part) != std::string_view::npos;
                        });
    if (wanted && rule.integers == MathMode::kExact && rule.name != "dead-instruction") rows.push_back({rule, {}, {}});
  }
  bool wrong = false;
  Progress progress(rows.size());
  for (size_t k = 0; k < rows.size(); ++k) {
    RuleRow& row = rows[k];
    progress.Show(k, std::string(row.info.name));
    for (PrimitiveType type : kTypes) {
      if (std::optional<fuzz::RuleTrial> trial = tester.Try(row.info, type)) row.trials.push_back(*std::move(trial));
    }
    for (const auto& module : modules) {
      const std::optional<fuzz::RuleTrial> trial = tester.TryOn(row.info.name, *module);
      if (!trial) continue;
      row.given.modules += trial->modules;
      row.given.proved += trial->proved;
      if (row.given.wrong.empty()) row.given.wrong = trial->wrong;
    }
    if (const std::string what = Wrong(row); !what.empty()) {
      progress.Clear();
      PrintError("{}: {}\n", row.info.name, what);
      wrong = true;
    }
  }
  progress.Clear();
  size_t exhausted = 0, proved = 0, tested = 0, none = 0;
  for (const RuleRow& row : rows) {
    const bool all_proved = Tested(row).empty() && row.given.proved == row.given.modules;
    const bool any = !row.trials.empty() || row.given.modules > 0;
    if (!Exhausted(row).empty()) ++exhausted;
    else if (!any) ++none;
    else if (all_proved) ++proved;
    else ++tested;
  }
  if (flags.json) {
    Json json = Json::array();
    for (const RuleRow& row : rows) json.push_back(ToJson(row));
    PrintJson(json);
  } else if (flags.markdown) {
    PrintMarkdown(rows);
  } else {
    for (const RuleRow& row : rows) {
      std::string known;
      for (const auto& [what, types] : {std::pair("all values: ", Exhausted(row)), std::pair("proved: ", Proved(row)),
                                        std::pair("tested: ", Tested(row)), std::pair("on modules: ", OnGiven(row))})
        if (!types.empty()) known += (known.empty() ? "" : "; ") + (what + types);
      Write(stdout, HelpRow(row.info.name, known.empty() ? "not tried" : known));
    }
  }
  Note(fmt::format("{} exact rules: {} on all small values, {} proved, {} tested, {} not tried", rows.size(), exhausted,
                   proved, tested, none));
  return wrong ? kExitDisagree : kExitGood;
}

}  // namespace

void AddFuzzRulesCommand(CLI::App* command, Action& action, PassRegistry& registry) {
  auto flags = std::make_shared<RulesFlags>();
  AddOption(*command, "MODULE", flags->files, "Modules on which to test rules without an elementwise formula");
  AddOption(*command, "--rule NAME", flags->only, "Only rules whose name contains this; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--markdown", flags->markdown, "Print the table of docs/proofs.md");
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, &action, &registry] { action = [flags, &registry] { return Rules(*flags, registry); }; });
}

}  // namespace hloir::tool
