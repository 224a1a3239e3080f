// The subcommands: each Add…Command() gives the application its flags and, when the user chose it, sets `action` to
// what main() then runs. An action returns the exit status. Tested by tests/cli.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace hloir {
class PassRegistry;
}

namespace hloir::tool {

using Action = std::function<int()>;

void AddCheckCommand(CLI::App& app, Action& action);
void AddPrintCommand(CLI::App& app, Action& action);
void AddOptCommand(CLI::App& app, Action& action, PassRegistry& registry);
void AddRunCommand(CLI::App& app, Action& action);
void AddVerifyCommand(CLI::App& app, Action& action, PassRegistry& registry);
void AddConvertCommand(CLI::App& app, Action& action);
void AddStatsCommand(CLI::App& app, Action& action);
void AddCostCommand(CLI::App& app, Action& action);
void AddExportCommand(CLI::App& app, Action& action);
void AddReduceCommand(CLI::App& app, Action& action, PassRegistry& registry);
void AddTuneCommand(CLI::App& app, Action& action, PassRegistry& registry);
void AddFuzzCommand(CLI::App& app, Action& action, PassRegistry& registry);
void AddFuzzGenerateCommand(CLI::App& fuzz, Action& action);
void AddDiffCommand(CLI::App& app, Action& action);
void AddFuzzRunCommand(CLI::App& fuzz, Action& action);
void AddFuzzXlaCommand(CLI::App& fuzz, Action& action);
void AddGraphCommand(CLI::App& app, Action& action);
void AddDumpsCommand(CLI::App& app, Action& action);
void AddLspCommand(CLI::App& app, Action& action);
void AddExplainCommand(CLI::App& app, Action& action, PassRegistry& registry);
void AddLessonCommand(CLI::App& app, Action& action);
void AddFuzzMutantsCommand(CLI::App& fuzz, Action& action);
void AddFuzzRulesCommand(CLI::App& fuzz, Action& action, PassRegistry& registry);

}  // namespace hloir::tool
