// The formatter of the help: within the terminal's width, names on the left and descriptions on the right.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace hloir::tool {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

// Columns of the terminal, up to a readable width.
size_t HelpWidth();
// "  NAME      TEXT", within them.
std::string HelpRow(std::string_view name, std::string_view text);

// A message for the command line error `error`, with the nearest existing flag.
std::string Explain(const CLI::App& app, const CLI::ParseError& error);

// A message if an option among these arguments stands without its value, else "". To be asked before they are parsed.
std::string MissingValue(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace hloir::tool
