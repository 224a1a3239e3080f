// hloir fuzz generate: writes generated modules, inputs for them and, with --run, the results of both engines:
// for comparison with another implementation (tools/fuzz_xla.py).
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "fuzz/cases.h"
#include "fuzz/programs.h"
#include "hloir/check.h"
#include "hloir/io.h"
#include "hloir/printer.h"
#include "hloir/runner.h"
#include "report/table.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

struct GenerateFlags {
  std::string kind = "cases", output = ".";
  uint64_t first = 1;
  int64_t count = 1;
  fuzz::CaseOptions cases;
  fuzz::ProgramOptions programs;
  std::vector<int64_t> keep;
  bool run = false, coverage = false, json = false;
};

// The results of one engine, in a separate .npz.
Status WriteResults(const HloModule& module, const std::vector<const Literal*>& arguments, Engine engine,
                    const std::string& path) {
  RunnerOptions options;
  options.engine = engine;
  options.threads = 1;
  options.max_steps = 1 << 22;
  HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
  HLOIR_ASSIGN_OR_RETURN(const Literal result, runner.Run(arguments));
  return WriteLeaves(path, "out", std::vector<std::vector<Literal>>{ResultLeaves(result)});
}

StatusOr<Json> Generate(const GenerateFlags& flags, uint64_t seed) {
  fuzz::CaseModule made;
  if (flags.kind == "cases") {
    made = fuzz::MakeCases(seed, flags.cases);
    if (!flags.keep.empty()) fuzz::KeepCases(made, flags.keep);
  } else {
    fuzz::ProgramOptions programs = flags.programs;
    programs.portable = flags.cases.portable;
    made.module = fuzz::RandomModule(seed, programs);
    HLOIR_ASSIGN_OR_RETURN(made.inputs, MakeFakeInputs(*made.module, seed, InputKind::kPlain));
  }
  const std::string stem = (std::filesystem::path(flags.output) / fmt::format("{}-{}", flags.kind, seed)).string();
  Json report = {{"seed", seed}, {"module", stem + ".hlo"}, {"inputs", stem + ".npz"}, {"cases", Json::array()}};
  HLOIR_RETURN_IF_ERROR(WriteFile(stem + ".hlo", PrintModule(*made.module, PrintOptions::Readable())));
  std::vector<Literal> leaves;
  for (const Literal& input : made.inputs)
    for (Literal& leaf : ResultLeaves(input)) leaves.push_back(std::move(leaf));
  HLOIR_RETURN_IF_ERROR(WriteLeaves(stem + ".npz", "in", std::vector<std::vector<Literal>>{std::move(leaves)}));
  for (const fuzz::Case& one : made.cases) {
    report["cases"].push_back({{"family", one.family},
                               {"what", one.what},
                               {"ulps", one.agreement.ulps},
                               {"leaf_ulps", one.agreement.leaf_ulps},
                               {"term", one.agreement.term},
                               {"loose_zero", one.agreement.loose_zero}});
  }
  if (!flags.run) return report;
  const std::vector<const Literal*> arguments = Pointers(made.inputs);
  for (const auto& [engine, name] : {std::pair(Engine::kFast, "fast"), std::pair(Engine::kReference, "reference")}) {
    const std::string path = fmt::format("{}.{}.npz", stem, name);
    const Status ran = WriteResults(*made.module, arguments, engine, path);
    if (ran.ok()) report[name] = path;
    else report[fmt::format("{}_error", name)] = ran.message();
  }
  return report;
}

// The number of types and kinds (with types and attributes) of each opcode in the cases of these seeds.
int Coverage(const GenerateFlags& flags) {
  std::map<HloOpcode, std::pair<std::set<std::string>, std::set<std::string>>> seen;
  std::set<HloOpcode> occur;
  for (int64_t k = 0; k < flags.count; ++k) {
    const fuzz::CaseModule made = fuzz::MakeCases(flags.first + static_cast<uint64_t>(k), flags.cases);
    for (const HloInstruction* i : made.module->AllInstructions()) occur.insert(i->opcode());
    for (const fuzz::Case& one : made.cases) {
      auto& [types, kinds] = seen[one.opcode];
      const size_t type = one.what.find(' ') + 1;
      types.insert(one.what.substr(type, one.what.find(' ', type) - type));
      kinds.insert(one.what);
    }
  }
  Json json = {{"opcodes", Json::array()}, {"not_made", Json::array()}};
  Table table({"opcode", "types", "kinds"});
  for (int k = 0; k < kOpcodeCount; ++k) {
    const auto opcode = static_cast<HloOpcode>(k);
    const auto found = seen.find(opcode);
    if (found == seen.end()) continue;
    const auto& [types, kinds] = found->second;
    table.Add({std::string(OpcodeName(opcode)), std::to_string(types.size()), std::to_string(kinds.size())});
    json["opcodes"].push_back({{"opcode", OpcodeName(opcode)}, {"types", types.size()}, {"kinds", kinds.size()}});
  }
  std::vector<std::string> missing;
  for (int k = 0; k < kOpcodeCount && flags.cases.only.empty(); ++k) {
    const auto opcode = static_cast<HloOpcode>(k);
    if (!occur.contains(opcode)) missing.emplace_back(OpcodeName(opcode));
  }
  if (flags.json) {
    json["not_made"] = missing;
    PrintJson(json);
    return kExitGood;
  }
  Write(stdout, ForLocale(table.ToString()));
  if (!missing.empty()) Write(stdout, fmt::format("not made: {}\n", fmt::join(missing, ", ")));
  return kExitGood;
}

int Run(const GenerateFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  if (flags.coverage) return Coverage(flags);
  std::error_code error;
  std::filesystem::create_directories(flags.output, error);
  for (int64_t k = 0; k < flags.count; ++k) {
    StatusOr<Json> report = Generate(flags, flags.first + static_cast<uint64_t>(k));
    if (!report.ok()) return Fail(report.status());
    Write(stdout, report->dump() + "\n");
    if (Status flushed = FlushStdout(); !flushed.ok()) return Fail(flushed);
  }
  return kExitGood;
}

}  // namespace

void AddFuzzGenerateCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<GenerateFlags>();
  AddOption(*command, "--kind KIND", flags->kind,
            "cases: many independent operations; programs: nested and mixed operations")
      ->check(OneOf({"cases", "programs"}));
  AddOption(*command, "--only FAMILY", flags->cases.only, "Generate cases of one family")
      ->check(CLI::Validator(
          [](const std::string& name) {
            const std::vector<std::string> all = fuzz::CaseFamilies();
            if (std::find(all.begin(), all.end(), name) != all.end()) return std::string();
            return fmt::format("unknown family '{}'; known are {}", name, fmt::join(all, ", "));
          },
          ""));
  AddOption(*command, "--first N", flags->first, "First seed");
  AddOption(*command, "--count N", flags->count, "Number of modules, from consecutive seeds")
      ->check(CLI::NonNegativeNumber);
  AddOption(*command, "--cases N", flags->cases.count, "Cases per module")->check(CLI::PositiveNumber);
  AddOption(*command, "--elements N", flags->programs.most_elements,
            "Elements of the largest arrays of programs, as in 1000000 (default: 512, in dimensions of at most 4)")
      ->check(Between<int64_t>(1, int64_t{1} << 26));
  AddOption(*command, "--rank N", flags->programs.most_rank, "Largest rank of the arrays drawn for programs")
      ->check(Between<int64_t>(0, 16));
  command->add_flag("--portable", flags->cases.portable,
                    "Only operations that every implementation supports and whose results are specified");
  AddOption(*command, "--keep N,...", flags->keep, "Keep only the cases with these indices, as in 0,3,7")
      ->delimiter(',');
  command->add_flag("--run", flags->run,
                    "Also write the results of both engines, SEED.fast.npz and SEED.reference.npz");
  command->add_flag("--coverage", flags->coverage,
                    "List how many types and variants of each opcode occur, and write no modules");
  AddOption(*command, "-o,--output DIR", flags->output, "Output folder");
  command->add_flag("--json", flags->json, "Print errors and --coverage as JSON, as the lines for modules always are");
  command->callback([flags, &action] { action = [flags] { return Run(*flags); }; });
}

}  // namespace hloir::tool
