// hloir fuzz: campaigns over generated modules. Each subcommand has a file of its own.
#include <CLI/CLI.hpp>

#include "tools/command.h"
#include "tools/report.h"

namespace hloir::tool {

void AddFuzzCommand(CLI::App* fuzz, Action& action, PassRegistry& registry) {
  fuzz->require_subcommand(0, 1);
#define HLOIR_FUZZ_COMMAND(name, text, description) \
  Add##name##Command(fuzz->add_subcommand(text, description), action, registry);
#include "tools/commands.def"
  for (CLI::App* command : fuzz->get_subcommands({})) command->group("Commands");
  fuzz->callback([fuzz, &action] {
    if (!fuzz->get_subcommands().empty()) return;
    action = [fuzz] {
      Write(stderr, fuzz->help("hloir"));
      return static_cast<int>(kExitBadInput);
    };
  });
}

}  // namespace hloir::tool
