// hloir fuzz: campaigns over generated modules. Each subcommand has a file of its own.
#include <CLI/CLI.hpp>

#include "tools/command.h"
#include "tools/report.h"

namespace hloir::tool {

void AddFuzzCommand(CLI::App& app, Action& action, PassRegistry& registry) {
  CLI::App* fuzz = app.add_subcommand("fuzz", "Test hloir on generated modules");
  fuzz->require_subcommand(0, 1);
  for (AddCommand* add :
       {&AddFuzzGenerateCommand, &AddFuzzRunCommand, &AddFuzzMutantsCommand, &AddFuzzRulesCommand, &AddFuzzXlaCommand})
    add(*fuzz, action, registry);
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
