// VerifierReport: the verifier's errors with their source lines, in the format of the parser's.
#include <algorithm>

#include "hloir/io.h"
#include "hloir/verifier.h"
#include "support/format.h"

namespace hloir {
namespace {

// Line number `line` (1-based) of the text, without its end.
std::string_view LineOf(std::string_view text, int line) {
  for (; line > 1; --line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// "FILE:LINE:COLUMN: error: MESSAGE", the line of `text` and a caret. Line 0: no location.
std::string ErrorAt(std::string_view file, std::string_view text, int line, std::string_view message) {
  if (line <= 0) return Format("{}: error: {}\n", file, message);
  constexpr size_t kShown = 160;  // very long lines are shortened
  std::string source(LineOf(text, line).substr(0, kShown));
  // The caret is under the instruction's name, because the graph has no columns.
  size_t column = source.find_first_not_of(" \t");
  if (column == std::string::npos) column = 0;
  if (source.compare(column, 5, "ROOT ") == 0) column += 5;
  std::string caret = source.substr(0, column);
  for (char& c : source) {
    if ((static_cast<unsigned char>(c) < ' ' || c == '\x7F') && c != '\t') c = ' ';  // no escape sequences
  }
  for (char& c : caret) {
    if (c != '\t') c = ' ';
  }
  return Format("{}:{}:{}: error: {}\n{}\n{}^\n", file, line, column + 1, message, source, caret);
}

}  // namespace

std::string VerifierReport(const HloModule& module, const std::string& file, const std::string* text) {
  std::string report;
  for (const VerifierError& error : VerifyModuleAll(module)) {
    const HloInstruction* at = error.instruction;
    if (text != nullptr) {
      report += ErrorAt(file, *text, at != nullptr ? at->line() : 0, error.message);
    } else if (at != nullptr) {
      report += ErrorAt(file, "", 0, Format("%{} in %{}: {}", at->name(), at->parent()->name(), error.message));
    } else {
      report += ErrorAt(file, "", 0, error.message);
    }
  }
  return report;
}

}  // namespace hloir
