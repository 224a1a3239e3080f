// Errors on stderr and exit statuses; see report.h.
#include "tools/report.h"

#include <cstdio>

#include <fmt/format.h>

#include "tools/terminal.h"

namespace hloir::tool {
namespace {

// Line number `line` (1-based) of the text, without its end.
std::string_view LineOf(std::string_view text, int line) {
  for (; line > 1; --line) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string_view found = text.substr(0, text.find('\n'));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

// The first "error:" in red where stderr is a terminal.
std::string Colored(std::string message) {
  if (!UseColor(stderr)) return message;
  if (size_t at = message.find("error:"); at != std::string::npos) message.replace(at, 6, "\033[1;31merror:\033[0m");
  return message;
}

}  // namespace

int ExitStatusOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return kExitGood;
    case StatusCode::kInvalidArgument: return kExitBadInput;
    case StatusCode::kUnimplemented:
    case StatusCode::kResourceExhausted:
    case StatusCode::kCancelled: return kExitUnsupported;
    case StatusCode::kInternal: return kExitInternal;
  }
  return kExitInternal;
}

int Fail(const Status& status, std::string_view file) {
  std::string message = status.message();
  // The parser's messages carry their place already.
  if (!file.empty() && !message.starts_with(file)) message = fmt::format("{}: error: {}", file, message);
  if (file.empty() && message.find("error: ") == std::string::npos) message = "hloir: error: " + message;
  if (message.empty() || message.back() != '\n') message += '\n';
  if (status.code() == StatusCode::kInternal) message += "This is a bug in hloir; please report it with the input.\n";
  fmt::print(stderr, "{}", Colored(std::move(message)));
  return ExitStatusOf(status.code());
}

std::string ErrorAt(std::string_view file, std::string_view text, int line, std::string_view message) {
  if (line <= 0) return fmt::format("{}: error: {}\n", file, message);
  std::string_view source = LineOf(text, line);
  // The caret stands under the instruction's name; the graph keeps no column.
  size_t column = source.find_first_not_of(" \t");
  if (column == std::string_view::npos) column = 0;
  if (source.substr(column).starts_with("ROOT ")) column += 5;
  constexpr size_t kShown = 200;  // of very long lines, their beginning
  return fmt::format("{}:{}:{}: error: {}\n{}\n{}^\n", file, line, column + 1, message, source.substr(0, kShown),
                     std::string(column, ' '));
}

}  // namespace hloir::tool
