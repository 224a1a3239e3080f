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

using AddCommand = void(CLI::App& app, Action& action, PassRegistry& registry);

AddCommand AddCheckCommand, AddPrintCommand, AddOptCommand, AddRunCommand, AddVerifyCommand, AddConvertCommand,
    AddStatsCommand, AddCostCommand, AddExportCommand, AddReduceCommand, AddTuneCommand, AddFuzzCommand, AddDiffCommand,
    AddGraphCommand, AddDumpsCommand, AddExplainCommand, AddLspCommand, AddLessonCommand;
// Of `hloir fuzz`.
AddCommand AddFuzzGenerateCommand, AddFuzzRunCommand, AddFuzzMutantsCommand, AddFuzzRulesCommand, AddFuzzXlaCommand;

}  // namespace hloir::tool
