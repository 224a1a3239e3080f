// hloir diff: the structural difference of two modules.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/inspect.h"
#include "hloir/io.h"
#include "tools/command.h"
#include "tools/devices.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/report.h"
#include "tools/unknown_calls.h"

namespace hloir::tool {
namespace {

struct DiffFlags {
  std::string before, after, output, device;
  int64_t top = 10;
  uint64_t seed = 0;
  bool json = false, values = false;
  ElidedValues elided;
};

std::string ColoredDiff(const std::string& report) {
  if (!UseColor(stdout)) return report;
  std::string colored;
  for (size_t begin = 0; begin < report.size();) {
    const size_t end = std::min(report.find('\n', begin), report.size());
    const std::string line = report.substr(begin, end - begin);
    const bool gone = line.starts_with("- "), came = line.starts_with("+ ");
    colored += gone || came ? Paint(line, gone ? Color::kRed : Color::kGreen, true) : line;
    colored += '\n';
    begin = end + 1;
  }
  return colored;
}

int Diff(const DiffFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  std::unique_ptr<HloModule> modules[2];
  for (int side = 0; side < 2; ++side) {
    const std::string& path = side == 0 ? flags.before : flags.after;
    auto loaded = ReadModule(path);
    if (!loaded.ok()) return Fail(loaded.status(), DisplayName(path));
    modules[side] = *std::move(loaded);
    if (Status filled = TakeElided(*modules[side], flags.elided); !filled.ok()) return Fail(filled, DisplayName(path));
  }
  const ModuleDiff diff(*modules[0], *modules[1]);
  if (!flags.output.empty()) {
    auto device = FindDevice(flags.device.empty() ? "h100" : flags.device);
    if (!device.ok() && !flags.device.empty()) return Fail(device.status());
    auto page = DiffPage(diff, device.ok() ? &*device : nullptr);
    if (!page.ok()) return Fail(page.status());
    if (const Status written = WriteOutput(flags.output, *page); !written.ok()) return Fail(written);
    return diff.same() ? kExitGood : kExitDisagree;
  }
  StatusOr<ValueCheck> values = ValueCheck();
  if (flags.values) {
    for (const auto& module : modules) NoteUnknownCalls(*module);
    values = CheckMatchedValues(diff, flags.seed);
  }
  if (!values.ok()) return Fail(values.status());
  if (flags.json) {
    Json json = Json::parse(DiffJson(diff));
    if (flags.values) {
      json["agreeing"] = values->agreeing.size();
      Json mismatches = Json::array();
      for (const ValueMismatch& m : values->mismatches) {
        mismatches.push_back({{"before", m.before->name()},
                              {"after", m.after->name()},
                              {"before_value", m.before_value},
                              {"after_value", m.after_value}});
      }
      json["mismatches"] = std::move(mismatches);
    }
    PrintJson(json);
  } else {
    Write(stdout, ColoredDiff(ForLocale(DiffReport(diff, static_cast<size_t>(flags.top)))));
    if (flags.values) {
      PrintOut("\nvalues of matched arrays: {} agree, {} differ\n", values->agreeing.size(), values->mismatches.size());
      for (const ValueMismatch& m : values->mismatches) {
        PrintOut("- {}: {}\n+ {}: {}\n", Printable(m.before->name()), m.before_value, Printable(m.after->name()),
                 m.after_value);
      }
    }
  }
  return diff.same() ? kExitGood : kExitDisagree;
}

}  // namespace

void AddDiffCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<DiffFlags>();
  AddOption(*command, "BEFORE", flags->before, "HLO text, HloProto, snapshot or JSON, optionally gzipped")->required();
  AddOption(*command, "AFTER", flags->after, "The module to compare with")->required();
  CLI::Option* output = AddOption(*command, "-o,--output OUT.html", flags->output,
                                  "Write both graphs side by side, with matches colored, as an interactive page");
  AddOption(*command, "--device DEVICE", flags->device, "Device whose roofline gives the page's times (default: h100)")
      ->needs(output);
  AddOption(*command, "--top N", flags->top, "Changes shown of each kind (default: 10)")
      ->check(Between(int64_t{1}, INT64_MAX));
  command
      ->add_flag("--values", flags->values,
                 "Run both on the same generated inputs and compare the values of matched instructions")
      ->excludes(output);
  AddOption(*command, "--seed N", flags->seed, "Seed of the generated inputs for --values")->check(AnySeed());
  AddElidedFlag(*command, flags->elided);
  command->add_flag("--json", flags->json, "Print the report as JSON, with every instruction of both")
      ->excludes(output);
  command->footer("Exit status: 0 equal except for names, metadata and order; 1 different.");
  command->callback([flags, &action] { action = [flags] { return Diff(*flags); }; });
}

}  // namespace hloir::tool
