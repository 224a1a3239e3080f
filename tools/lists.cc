// --list-passes and --list-rules. Tested by tests/cli/help.test and passes.test.
#include <span>
#include <string>

#include <fmt/format.h>

#include "hloir/report.h"
#include "tools/help.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

void ListOptions(std::span<const PassOption> options) {
  for (const PassOption& option : options)
    Write(stdout, HelpRow(fmt::format("  {{{}={}}}", option.name, option.DefaultText()), option.description));
}

}  // namespace

void ListPasses(const PassRegistry& registry) {
  for (const PassInfo& pass : registry.passes()) {
    Write(stdout, HelpRow(pass.name, pass.description));
    ListOptions(pass.options);
  }
  PrintOut("\nOptions of every pass:\n");
  ListOptions(CommonPassOptions());
}

void ListRules(const PassRegistry& registry) {
  for (const PassInfo& pass : registry.passes()) {
    PrintOut("{}\n", pass.name);
    for (const RuleInfo& rule : pass.rules) {
      std::string text(rule.formula);
      if (rule.floats != MathMode::kExact) text += fmt::format("  (floats: --math={})", MathModeName(rule.floats));
      Write(stdout, HelpRow(rule.name, text));
    }
  }
}

}  // namespace hloir::tool
