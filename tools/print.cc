// hloir print: text to graph to text, as XLA prints it.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "tools/choices.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/median.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

enum class Style { kDefault, kCanonical, kShort, kFingerprint };

struct PrintFlags {
  std::string file;
  Style style = Style::kDefault;
  bool large_constants = false, json = false;
  int bench = 0;
};

PrintOptions OptionsOf(const PrintFlags& flags) {
  PrintOptions options;
  switch (flags.style) {
    case Style::kDefault: options = PrintOptions::Default(); break;
    case Style::kCanonical: options = PrintOptions::Canonical(); break;
    case Style::kShort: options = PrintOptions::ShortParsable(); break;
    case Style::kFingerprint: options = PrintOptions::Fingerprint(); break;
  }
  if (flags.large_constants) options.print_large_constants = true;
  return options;
}

// Times parsing and printing, `flags.bench` times each.
int Bench(const PrintFlags& flags, const std::string& text, const ParserOptions& parser_options) {
  std::vector<double> parse_ms, print_ms;
  size_t printed_bytes = 0;
  int64_t instructions = 0;
  for (int i = 0; i < flags.bench; ++i) {
    std::string copy = text;  // the parser keeps the text it is given; the copy is not part of its time
    const Stopwatch parse;
    auto module = ParseHloModule(std::move(copy), parser_options);
    parse_ms.push_back(parse.Milliseconds());
    if (!module.ok()) return Fail(module.status(), parser_options.file_name);
    instructions = (*module)->instruction_count();
    const Stopwatch print;
    const std::string printed = PrintModule(**module, OptionsOf(flags));
    print_ms.push_back(print.Milliseconds());
    printed_bytes = printed.size();
  }
  const double parse = Median(parse_ms), print = Median(print_ms);
  if (flags.json) {
    nlohmann::ordered_json report = {{"file", parser_options.file_name}, {"bytes", text.size()}, {"instructions", instructions},
                                     {"parse_ms", parse}, {"print_ms", print}};
    fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("parse {:.3f} ms ({:.0f} MB/s), print {:.3f} ms ({:.0f} MB/s), medians of {}; {} instructions\n", parse,
               static_cast<double>(text.size()) / parse / 1e3, print, static_cast<double>(printed_bytes) / print / 1e3, flags.bench,
               instructions);
  }
  return kExitGood;
}

int Print(const PrintFlags& flags) {
  ParserOptions parser_options;
  parser_options.file_name = DisplayName(flags.file);
  StatusOr<std::string> text = ReadFile(flags.file);
  if (!text.ok()) return Fail(text.status(), parser_options.file_name);
  if (flags.bench > 0) return Bench(flags, *text, parser_options);
  auto module = ParseHloModule(std::move(*text), parser_options);
  if (!module.ok()) return Fail(module.status(), parser_options.file_name);
  if (Status written = WriteFile("-", PrintModule(**module, OptionsOf(flags))); !written.ok()) return Fail(written);
  return kExitGood;
}

}  // namespace

void AddPrintCommand(CLI::App& app, Action& action) {
  static const std::map<std::string, Style> kStyles = {{"default", Style::kDefault},
                                                       {"canonical", Style::kCanonical},
                                                       {"short", Style::kShort},
                                                       {"fingerprint", Style::kFingerprint}};
  auto flags = std::make_shared<PrintFlags>();
  CLI::App* command = app.add_subcommand("print", "Print a module as XLA prints it");
  command->add_option("FILE", flags->file, "HLO text")->required()->type_name("");
  AddChoice(*command, "--style", flags->style, kStyles, "default, canonical, short or fingerprint, as XLA's HloPrintOptions")
      ->type_name("STYLE");
  command->add_flag("--large-constants", flags->large_constants, "Print every element of every constant");
  CLI::Option* bench = command->add_option("--bench", flags->bench, "Print no module: parse and print N times and report the medians")
                           ->check(CLI::Range(1, 1000000).description(""))->type_name("N");
  command->add_flag("--json", flags->json, "Report the medians as JSON: parse_ms, print_ms")->needs(bench);
  command->callback([flags, &action] { action = [flags] { return Print(*flags); }; });
}

}  // namespace hloir::tool
