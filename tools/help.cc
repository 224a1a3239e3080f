// See help.h. Tested by tests/cli/help.test and mistakes.test.
#include "tools/help.h"

#include <algorithm>
#include <vector>

#include "support/did_you_mean.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

// The innermost subcommand on the command line, or the application.
const CLI::App& Chosen(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::vector<std::string> FlagNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

size_t HelpWidth() { return static_cast<size_t>(std::min(TerminalWidth(stdout), 100)); }

std::string HelpRow(std::string_view name, std::string_view text) {
  return ForLocale(ListRow(name, text, HelpWidth()));
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return ForLocale(Wrap(app->get_description(), HelpWidth(), 0) + "\n");
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = "Usage: " + name;
  if (app->get_parent() == nullptr) return usage + " COMMAND [OPTIONS] FILE...\n";
  usage += " [OPTIONS]";
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) usage += " " + make_option_usage(option);
  }
  return usage + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string text = option->get_description();
  std::string others;
  for (const CLI::Option* other : option->get_excludes()) others += (others.empty() ? "" : ", ") + other->get_name();
  if (!others.empty()) text += " (not with " + others + ")";
  for (const CLI::Option* other : option->get_needs()) text += " (with " + other->get_name() + ")";
  // Inserts a blank in "-o,--output".
  std::string name = make_option_name(option, is_positional);
  if (const size_t brace = name.find('{'); brace != std::string::npos) name.resize(brace);  // "--no-fusion{false}"
  if (const size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  return HelpRow(name + make_option_opts(option), text);
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const std::string value = option->get_type_name().substr(0, option->get_type_name().find(':'));  // "N:POSITIVE"
  return option->get_type_size() == 0 || value.empty() ? "" : " " + value;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return HelpRow(command->get_name(), command->get_description());
}

std::string Explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Chosen(app);
  std::string path;  // "fuzz run "
  for (const CLI::App* part = &command; part->get_parent() != nullptr; part = part->get_parent())
    path = part->get_name() + " " + path;
  const std::string see = fmt::format("; see hloir {}--help", path);
  std::string message = error.what();
  const int kind = error.get_exit_code();
  if (kind == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string extra = message.substr(message.rfind(": ") + 2);
    const std::string word = extra.substr(0, extra.find_first_of(extra.starts_with('-') ? " =" : " "));
    if (!word.starts_with('-')) {
      const auto more = std::count(extra.begin(), extra.end(), ' ');
      return fmt::format("unexpected argument '{}'{}", word, more > 0 ? fmt::format(" and {} more", more) : "") + see;
    }
    const std::string meant = DidYouMean(word, FlagNames(command));
    return fmt::format("unknown flag {}", word) + (meant.empty() ? see : meant);
  }
  if (kind == static_cast<int>(CLI::ExitCodes::RequiredError))
    return message.substr(0, message.find(' ')) + " is missing" + see;
  if (kind == static_cast<int>(CLI::ExitCodes::ExcludesError)) {
    if (const size_t at = message.find(" excludes "); at != std::string::npos)
      return message.substr(0, at) + " and " + message.substr(at + 10) + " exclude each other";
  }
  if (message.ends_with('\n')) message.pop_back();
  return message;
}

// CLI11 takes the next word for the value of "--passes=", and "-o" for that of "--trace".
std::string MissingValue(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  size_t k = 0;
  for (; k < arguments.size(); ++k) {
    const std::vector<const CLI::App*> named =
        command->get_subcommands([&](const CLI::App* each) { return each->get_name() == arguments[k]; });
    if (named.empty()) break;
    command = named.front();
  }
  for (; k < arguments.size() && arguments[k] != "--"; ++k) {
    const std::string& word = arguments[k];
    const size_t equals = word.find('=');
    const CLI::Option* option = word.starts_with("--") ? command->get_option_no_throw(word.substr(0, equals)) : nullptr;
    if (option == nullptr || option->get_expected_min() == 0 || option->get_type_size() == 0) continue;
    const bool has_equals = equals != std::string::npos;
    const bool flag_follows =
        !has_equals && k + 1 < arguments.size() && arguments[k + 1].starts_with('-') &&
        command->get_option_no_throw(arguments[k + 1].substr(0, arguments[k + 1].find('='))) != nullptr;
    if (flag_follows || (has_equals && equals + 1 == word.size())) return word.substr(0, equals) + " needs a value";
  }
  return "";
}

}  // namespace hloir::tool
