// TextBuffer's slow paths: growing, and quoting. Covered by tests/unit/printer_test.cc.
#include "text.h"

#include <algorithm>

namespace hloir {

void TextBuffer::Grow(size_t bytes) {
  const size_t used = size();
  text_.resize(std::max<size_t>({256, 2 * used, used + bytes}));
  at_ = text_.data() + used;
  limit_ = text_.data() + text_.size();
}

void TextBuffer::AppendQuoted(std::string_view text) {
  auto is_plain = [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != '\''; };
  Append('"');
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_plain(c)) continue;
    Append(text.substr(start, i - start));
    start = i + 1;
    Append('\\');
    switch (c) {
      case '\n': Append('n'); break;
      case '\r': Append('r'); break;
      case '\t': Append('t'); break;
      case '"':
      case '\'':
      case '\\': Append(c); break;
      default: {
        const uint8_t byte = static_cast<uint8_t>(c);
        Append(static_cast<char>('0' + (byte >> 6)));
        Append(static_cast<char>('0' + (byte >> 3 & 7)));
        Append(static_cast<char>('0' + (byte & 7)));
      }
    }
  }
  Append(text.substr(start));
  Append('"');
}

}  // namespace hloir
