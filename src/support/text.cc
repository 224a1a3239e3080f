// See text.h.
#include "support/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/format.h"
#include "support/plain_text.h"

namespace hloir {
namespace {

// The offset of code point number `n`.
size_t OffsetOf(std::string_view text, size_t n) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((text[at] & 0xC0) != 0x80 && n-- == 0) break;
  }
  return at;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (char c : text) width += (c & 0xC0) != 0x80;
  return width;
}

std::string HumanBytes(int64_t bytes) {
  if (bytes < 0 || bytes == std::numeric_limits<int64_t>::max()) return "unknown";  // as Shape documents for `?`
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 999.5 && unit < 6) value /= 1000, ++unit;
  return Format("{:.{}f} {}", value, unit == 0 || value >= 99.95 ? 0 : 1, kUnits[unit]);
}

std::string HumanTime(double milliseconds) {
  if (milliseconds >= 999.5) return Format("{:.1f} s", milliseconds / 1000);
  if (milliseconds >= 0.9995) return Format("{:.{}f} ms", milliseconds, milliseconds < 99.95 ? 1 : 0);
  const double us = milliseconds * 1000;
  return Format("{:.{}f} µs", us, us < 9.995 ? 2 : us < 99.95 ? 1 : 0);
}

std::string HumanCount(double count) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  if (std::isnan(count)) return "unknown";
  if (count >= 0x1p60) return Format("{:.3g}", count);
  size_t unit = 0;
  while (count >= 999.5 && unit < 5) count /= 1000, ++unit;
  const bool whole = unit == 0 && count == static_cast<double>(static_cast<int64_t>(count));
  return Format("{:.{}f}{}", count, whole || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2, kUnits[unit]);
}

std::string Wrap(std::string_view text, size_t width, size_t indent) {
  std::string result;
  size_t column = indent;  // the caller has printed as much
  bool line_begins = true;
  while (!text.empty()) {
    if (text[0] == '\n') {
      result += '\n' + std::string(indent, ' ');
      text.remove_prefix(1), column = indent, line_begins = true;
      continue;
    }
    const std::string_view word = text.substr(0, std::min(text.find_first_of(" \n"), text.size()));
    const size_t cells = DisplayWidth(word);
    if (!line_begins && column + 1 + cells > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent, line_begins = true;
    }
    if (!line_begins) result += ' ', ++column;
    result += word;
    column += cells, line_begins = false;
    text.remove_prefix(word.size());
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return result;
}

std::string Fold(std::string_view text, size_t width, size_t indent) {
  constexpr size_t kLeast = 10;  // of a line, however deep it stands
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    size_t begin = 0;  // cells before the rest of the line
    while (begin + DisplayWidth(line) > width) {
      const size_t room = std::max(width, begin + kLeast) - begin;
      const std::string_view fits = line.substr(0, OffsetOf(line, room));
      // The blank at which a line breaks is dropped; this includes a blank directly after the limit.
      const size_t blank = line.substr(0, fits.size() + 1).rfind(' '), comma = fits.rfind(',');
      const size_t least = begin == 0 ? blanks : 0;
      const bool at_blank = blank != std::string_view::npos && blank > least;
      const size_t cut = at_blank ? blank : comma != std::string_view::npos ? comma + 1 : fits.size();
      result += line.substr(0, cut);
      line.remove_prefix(cut + (at_blank ? 1 : 0));
      begin = std::min(blanks + indent, width / 2);
      result += '\n' + std::string(begin, ' ');
    }
    result += line;
    if (end < text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string ShortName(std::string_view name, size_t width, bool middle) {
  const std::string text = Printable(name);
  const size_t cells = DisplayWidth(text);
  if (cells <= width) return text;
  const size_t kept = width - 1, end = middle ? kept * 2 / 3 : 0;
  return text.substr(0, OffsetOf(text, kept - end)) + "…" + text.substr(OffsetOf(text, cells - end));
}

std::string Printable(std::string_view text) {
  constexpr size_t kLongest = 200, kBegin = 80, kEnd = 20;
  std::string result;
  while (!text.empty()) {
    const size_t blank = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, blank);
    if (word.size() <= kLongest) result += WithoutControls(word);
    else result += WithoutControls(word.substr(0, kBegin)) + "…" + WithoutControls(word.substr(word.size() - kEnd));
    if (blank < text.size()) result += text[blank];
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return result;
}

std::string ListRow(std::string_view name, std::string_view text, size_t width) {
  constexpr size_t kNameColumns = 26;
  std::string row = "  " + std::string(name);
  const size_t cells = DisplayWidth(row);
  row += cells + 2 > kNameColumns ? "\n" + std::string(kNameColumns, ' ') : std::string(kNameColumns - cells, ' ');
  return row + Wrap(text, width, kNameColumns) + "\n";
}

}  // namespace hloir
