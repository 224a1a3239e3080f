// See text.h.
#include "inspect/text.h"

#include "support/format.h"
#include "support/text.h"

namespace hloir {
namespace {

// Where the code point number `n` begins.
size_t OffsetOf(std::string_view text, size_t n) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((text[at] & 0xC0) != 0x80 && n-- == 0) break;
  }
  return at;
}

}  // namespace

std::string ShortName(std::string_view name, size_t width, bool middle) {
  const std::string text = Printable(name);
  const size_t cells = DisplayWidth(text);
  if (cells <= width) return text;
  const size_t kept = width - 1, end = middle ? kept * 2 / 3 : 0;
  return text.substr(0, OffsetOf(text, kept - end)) + "…" + text.substr(OffsetOf(text, cells - end));
}

std::string HumanCount(double count) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  if (count >= 0x1p60) return Format("{:.3g}", count);
  size_t unit = 0;
  while (count >= 999.5 && unit < 5) count /= 1000, ++unit;
  const bool whole = unit == 0 && count == static_cast<double>(static_cast<int64_t>(count));
  return Format("{:.{}f}{}", count, whole || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2, kUnits[unit]);
}

}  // namespace hloir
