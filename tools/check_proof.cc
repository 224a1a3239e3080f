// hloir check-proof: checks a proof that hloir verify --proof=FILE wrote, by a program of its own (src/proof_check).
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "check/flat_interface.h"
#include "hloir/io.h"
#include "proof_check/proof_check.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct CheckProofFlags {
  std::string before, after, proof;
  bool json = false;
};

int CheckProofFile(const CheckProofFlags& flags) {
  const StatusOr<std::unique_ptr<HloModule>> before = ReadModule(flags.before);
  if (!before.ok()) return Fail(before.status(), DisplayName(flags.before));
  const StatusOr<std::unique_ptr<HloModule>> after = ReadModule(flags.after);
  if (!after.ok()) return Fail(after.status(), DisplayName(flags.after));
  // (As hloir verify does.)
  if (const std::string note = check::GiveOneInterface(**before, **after); !note.empty()) Note(note);
  const StatusOr<std::string> text = ReadFile(flags.proof);
  if (!text.ok()) return Fail(text.status(), DisplayName(flags.proof));
  const StatusOr<proof_check::CheckedProof> checked = proof_check::CheckProof(**before, **after, *text);
  if (!checked.ok()) return Fail(checked.status(), DisplayName(flags.proof));
  const bool holds = checked->outcome == proof_check::Outcome::kHolds;
  if (flags.json) {
    PrintJson({{"outcome", std::string(proof_check::OutcomeName(checked->outcome))},
               {"why", checked->why},
               {"bits", holds && checked->bits},
               {"domain", checked->domain},
               {"assumptions", checked->assumptions},
               {"steps", checked->steps},
               {"same", checked->same},
               {"loops", checked->loops}});
  } else if (!holds) {
    PrintText(fmt::format("{}: {}\n", DisplayName(flags.proof), checked->why));
  } else {
    PrintText(
        fmt::format("the proof holds: {}{}\n{} steps: {} by the same operation, {} by evaluation, {} loops\n",
                    checked->bits ? "the modules give equal bits" : "the modules are the same function of real numbers",
                    checked->domain ? ", where roots and quotients are defined" : "", checked->steps, checked->same,
                    checked->steps - checked->same - checked->loops, checked->loops));
    for (const std::string& assumption : checked->assumptions) PrintText(fmt::format("assumes: {}\n", assumption));
  }
  return holds ? kExitGood : checked->outcome == proof_check::Outcome::kUnchecked ? kExitUnsupported : kExitDisagree;
}

}  // namespace

void AddCheckProofCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<CheckProofFlags>();
  AddOption(*command, "BEFORE", flags->before, "The first module that the proof is about")->required();
  AddOption(*command, "AFTER", flags->after, "The second module")->required();
  AddOption(*command, "PROOF", flags->proof, "The file that hloir verify BEFORE AFTER --proof=PROOF wrote")->required();
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->footer(
      "Exit status: 0 the proof holds; 1 a step is false; 2 not a proof of these\n"
      "modules; 3 a step cannot be checked.");
  command->callback([flags, &action] { action = [flags] { return CheckProofFile(*flags); }; });
}

}  // namespace hloir::tool
