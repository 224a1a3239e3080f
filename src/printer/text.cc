// TextBuffer's slow paths: growing, and quoting. Covered by tests/unit/printer_test.cc.
#include "text.h"

#include <algorithm>

#include "ir/scan.h"

namespace hloir {

void TextBuffer::Grow(size_t bytes) {
  const size_t used = size();
  text_.resize(std::max<size_t>({256, 2 * used, used + bytes}));
  at_ = text_.data() + used;
  limit_ = text_.data() + text_.size();
}

void TextBuffer::AppendQuoted(std::string_view text) {
  Append('"');
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    const char* const special = scan::FindNot<scan::Plain>(at, end);
    Append({at, static_cast<size_t>(special - at)});
    if (special == end) break;
    at = special + 1;
    Append('\\');
    switch (*special) {
      case '\n': Append('n'); break;
      case '\r': Append('r'); break;
      case '\t': Append('t'); break;
      case '"':
      case '\'':
      case '\\': Append(*special); break;
      default: {
        const uint8_t byte = static_cast<uint8_t>(*special);
        Append(static_cast<char>('0' + (byte >> 6)));
        Append(static_cast<char>('0' + (byte >> 3 & 7)));
        Append(static_cast<char>('0' + (byte & 7)));
      }
    }
  }
  Append('"');
}

}  // namespace hloir
