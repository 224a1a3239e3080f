// The standard streams: printing, and whether a stream is a terminal (NO_COLOR, COLUMNS and the locale are respected).
// Errors of a full or closed stream do not end the process: FlushStdout reports those of stdout; those of stderr are
// ignored.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hloir/status.h"
#include "support/text.h"

namespace hloir::tool {

// To a terminal's stdout control characters go spelled out, as \x1b: what a file holds must not command it. To files
// and pipes goes each byte as it is.
void Write(FILE* stream, std::string_view text);
template <class... Args>
void PrintOut(fmt::format_string<Args...> format, Args&&... args) {
  Write(stdout, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void PrintError(fmt::format_string<Args...> format, Args&&... args) {
  Write(stderr, fmt::format(format, std::forward<Args>(args)...));
}
// True if all printed text has reached stdout.
Status FlushStdout();
// Standard streams that are closed become ones that fail, so that no file is opened in their place.
void OpenStandardStreams();

bool IsTerminal(FILE* stream);
bool UseColor(FILE* stream);
// Columns: the variable COLUMNS, else the terminal's width, else 80.
int TerminalWidth(FILE* stream);
// The command's own text; in a locale without UTF-8 with ASCII in place of lines, arrows and µ.
std::string ForLocale(std::string text);
// The same, with lines that are wider than stdout broken: text for people, but for tables, which are narrow enough.
std::string Folded(std::string text, size_t indent = 2);
inline void PrintText(std::string text) { Write(stdout, Folded(std::move(text))); }

enum class Color { kGreen, kRed, kYellow };
inline constexpr std::string_view kNoColor = "\033[0m";
std::string ColorCode(Color color);
std::string Paint(std::string_view text, Color color, bool use_color);

}  // namespace hloir::tool
