// hloir print: parses modules and prints them as XLA does.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/printer.h"
#include "support/stopwatch.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

using Style = PrintOptions (*)();

struct PrintFlags {
  std::string file;
  Style style = &PrintOptions::Default;
  bool large_constants = false, inline_stack_frames = false, allow_unknown = false, json = false;
  int bench = 0;
};

PrintOptions OptionsOf(const PrintFlags& flags) {
  PrintOptions options = flags.style();
  if (flags.large_constants) options.print_large_constants = true;
  options.print_inline_stack_frames = flags.inline_stack_frames;
  return options;
}

ReadOptions ReadOptionsOf(const PrintFlags& flags) {
  return {.verify = false, .allow_unknown = flags.allow_unknown, .file_name = DisplayName(flags.file)};
}

// Several modules are printed one after another.
std::string PrintAll(const ModuleFile& file, const PrintOptions& options) {
  std::string printed = PrintModule(file.module(), options);
  for (size_t i = 1; i < file.modules.size(); ++i) printed += PrintModule(*file.modules[i], options);
  return printed;
}

// Times parsing and printing, `flags.bench` times each.
int Bench(const PrintFlags& flags, const std::string& content, const std::string& file) {
  std::vector<double> parse_ms, print_ms;
  size_t printed_bytes = 0;
  int64_t instructions = 0;
  const ReadOptions options = ReadOptionsOf(flags);
  for (int i = 0; i < flags.bench; ++i) {
    std::string copy = content;  // the parser keeps its text; the time excludes this copy
    const Stopwatch parse;
    auto loaded = ParseModuleFile(std::move(copy), options);
    parse_ms.push_back(parse.Milliseconds());
    if (!loaded.ok()) return Fail(loaded.status(), file);
    instructions = 0;
    for (const auto& module : loaded->modules) instructions += module->instruction_count();
    const Stopwatch print;
    const std::string printed = PrintAll(*loaded, OptionsOf(flags));
    print_ms.push_back(print.Milliseconds());
    printed_bytes = printed.size();
  }
  const double parse = Median(parse_ms), print = Median(print_ms);
  if (flags.json) {
    Json report = {{"file", file},
                   {"bytes", content.size()},
                   {"instructions", instructions},
                   {"parse_ms", parse},
                   {"print_ms", print}};
    PrintJson(report);
  } else {
    PrintOut("parse {:.3f} ms ({:.0f} MB/s), print {:.3f} ms ({:.0f} MB/s), medians of {}; {} instructions\n", parse,
             static_cast<double>(content.size()) / parse / 1e3, print, static_cast<double>(printed_bytes) / print / 1e3,
             flags.bench, instructions);
  }
  return kExitGood;
}

int Print(const PrintFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const std::string file = DisplayName(flags.file);
  StatusOr<std::string> content = ReadFile(flags.file);
  if (!content.ok()) return Fail(content.status(), file);
  if (flags.bench > 0) return Bench(flags, *content, file);
  auto loaded = ParseModuleFile(*std::move(content), ReadOptionsOf(flags));
  if (!loaded.ok()) return Fail(loaded.status(), file);
  for (const auto& module : loaded->modules) {
    (void)PrintModule(*module, OptionsOf(flags), [](std::string_view piece) {
      Write(stdout, piece);
      return OkStatus();
    });
  }
  return kExitGood;
}

}  // namespace

void AddPrintCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  static const std::map<std::string, Style> kStyles = {{"default", &PrintOptions::Default},
                                                       {"canonical", &PrintOptions::Canonical},
                                                       {"short", &PrintOptions::ShortParsable},
                                                       {"fingerprint", &PrintOptions::Fingerprint}};
  auto flags = std::make_shared<PrintFlags>();
  AddOption(*command, "FILE", flags->file, "HLO text, HloProto, snapshot or JSON, optionally gzipped")->required();
  AddChoice(*command, "--style STYLE", flags->style, kStyles,
            "default, canonical, short or fingerprint, as in XLA's HloPrintOptions");
  command->add_flag("--large-constants", flags->large_constants, "Print every element of every constant");
  command->add_flag("--inline-stack-frames", flags->inline_stack_frames,
                    "Print source file and line where metadata has a stack_frame_id");
  command->add_flag("--allow-unknown", flags->allow_unknown,
                    "Keep unknown opcodes and attributes and print them unchanged");
  CLI::Option* bench = AddOption(*command, "--bench N", flags->bench,
                                 "Parse and print N times and report the median times instead of the module")
                           ->check(Between(1, 1000000));
  command->add_flag("--json", flags->json, "Print the medians as JSON: parse_ms, print_ms")->needs(bench);
  command->callback([flags, &action] { action = [flags] { return Print(*flags); }; });
}

}  // namespace hloir::tool
