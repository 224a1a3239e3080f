// hloir stats: contents and costs of modules.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/report.h"
#include "hloir/inspect.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct StatsFlags {
  std::vector<std::string> files;
  int64_t top = 10;
  bool json = false;
};

int Stats(const StatsFlags& flags) {
  int worst = kExitGood;
  Json all = Json::array();
  bool first = true;
  for (const std::string& path : flags.files) {
    const std::string file = DisplayName(path);
    auto loaded = ReadModuleFile(path);
    if (!loaded.ok()) {
      const int status = Fail(loaded.status(), file);
      worst = std::max(worst, status);
      all.push_back(
          {{"file", file}, {"errors", Json::parse(DiagnosticsJson(loaded.status(), file))}, {"exit_status", status}});
      continue;
    }
    for (const auto& module : loaded->modules) {
      const ModuleStats stats(*module);
      if (flags.json) {
        Json json = {{"file", file}};
        json.update(Json::parse(StatsJson(stats)));
        json["exit_status"] = static_cast<int>(kExitGood);
        all.push_back(std::move(json));
        continue;
      }
      if (!first) PrintOut("\n\n");
      first = false;
      if (flags.files.size() > 1) PrintOut("{}\n\n", Printable(file));
      Write(stdout, ForLocale(StatsReport(stats, static_cast<size_t>(flags.top))));
    }
  }
  if (flags.json) PrintJson(all);
  return worst;
}

}  // namespace

void AddStatsCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<StatsFlags>();
  AddOption(*command, "FILE", flags->files, "Modules: HLO text, HloProto, snapshot or JSON, optionally gzipped")
      ->required();
  AddOption(*command, "--top N", flags->top, "Rows of each table (default: 10)")->check(Between(int64_t{1}, INT64_MAX));
  command->add_flag("--json", flags->json, "Print the report as JSON, with every instruction and complete lists");
  command->callback([flags, &action] { action = [flags] { return Stats(*flags); }; });
}

}  // namespace hloir::tool
