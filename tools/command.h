// The subcommands of commands.def: each Add…Command() gives `command` its flags and, when the user chose it, sets
// `action`, which main() then runs. An action returns the exit status. Tested by tests/cli.
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

using AddCommand = void(CLI::App* command, Action& action, PassRegistry& registry);

#define HLOIR_COMMAND(name, ...) AddCommand Add##name##Command;
#define HLOIR_FUZZ_COMMAND(name, ...) AddCommand Add##name##Command;
#include "tools/commands.def"

}  // namespace hloir::tool
