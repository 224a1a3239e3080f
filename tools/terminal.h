// The standard streams: printing, and properties of the terminal (respecting NO_COLOR, COLUMNS and the locale). Errors
// of a full or closed stream do not end the process: FlushStdout reports those of stdout; those of stderr are ignored.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hloir/status.h"
#include "support/text.h"

namespace hloir::tool {

// On a terminal control characters are printed as \x1b, so that the content of a file cannot control it. Files and
// pipes get the bytes unchanged.
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
// Replaces closed standard streams by failing ones, so that no file is opened with their descriptors.
void OpenStandardStreams();

bool IsTerminal(FILE* stream);
bool UseColor(FILE* stream);
// Columns: the variable COLUMNS, else the terminal's width, else 80.
int TerminalWidth(FILE* stream);
// Converts the command's own text: in a locale without UTF-8, ASCII replaces lines, arrows and µ.
std::string ForLocale(std::string text);
// The same, with long lines wrapped to the width of stdout. Not for tables, which are narrow enough.
std::string Folded(std::string text, size_t indent = 2);
inline void PrintText(std::string text) { Write(stdout, Folded(std::move(text))); }

enum class Color { kGreen, kRed, kYellow };
inline constexpr std::string_view kNoColor = "\033[0m";
std::string ColorCode(Color color);
std::string Paint(std::string_view text, Color color, bool use_color);

}  // namespace hloir::tool
