// Formatting of text for terminals: width, line breaks, numbers with units, and escapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hloir {

// The width of UTF-8 text on a terminal in cells: its code points. Wide and combining characters are not supported.
size_t DisplayWidth(std::string_view text);

std::string HumanBytes(int64_t bytes);       // "999 B", "1.5 kB", "12 MB"
std::string HumanTime(double milliseconds);  // "1.25 µs", "18 ms", "3.4 s"
std::string HumanCount(double count);        // "0", "12", "3.42 M"; beyond 10^18 as 1.2e+20

// Breaks lines at blanks so that none takes more than `width` cells where words allow it; lines after the first begin
// with `indent` blanks.
std::string Wrap(std::string_view text, size_t width, size_t indent);
// "  NAME      TEXT" and an end of line: an entry of a list, within `width` columns.
std::string ListRow(std::string_view name, std::string_view text, size_t width);

// Breaks each line of more than `width` cells, at a blank, else after a comma, else anywhere; the rest is indented by
// `indent` more than the beginning of the line.
std::string Fold(std::string_view text, size_t width, size_t indent = 4);

// At most `width` cells, control characters spelled out; a longer text loses its middle, or its end.
std::string ShortName(std::string_view name, size_t width, bool middle = true);

// Makes text from a file safe for a terminal: control characters and broken UTF-8 as \x1b, words of more than 200 bytes
// cut in the middle.
std::string Printable(std::string_view text);

}  // namespace hloir
