// TextBuffer's slow paths: growing, and quoting. Covered by tests/unit/printer_test.cc.
#include "text.h"

#include <algorithm>

#include "ir/names.h"
#include "ir/scan.h"

namespace hloir {

// Growing a string zeroes memory; a large one grows in pieces that stay in the cache until they are written.
void TextBuffer::Grow(size_t bytes) {
  constexpr size_t kSmallest = 256, kPiece = 16 << 10;
  const size_t used = held();
  const size_t wanted = used + std::max(bytes, std::clamp(used, kSmallest, kPiece));
  if (wanted > text_.capacity()) text_.reserve(std::max(wanted, 2 * used));
  text_.resize(wanted);
  at_ = text_.data() + used;
  limit_ = text_.data() + wanted;
}

void TextBuffer::Expect(size_t bytes) {
  const size_t used = held();
  text_.reserve(used + bytes);
  at_ = text_.data() + used;
  limit_ = text_.data() + text_.size();
}

void TextBuffer::SendRest() {
  send_(view());
  sent_ += held();
  at_ = text_.data();
}

void TextBuffer::AppendKey(std::string_view key) {
  if (IsWord(key)) Append(key);
  else AppendQuoted(key);
}

void TextBuffer::AppendQuoted(std::string_view text, char quote) {
  const char* at = text.data();
  const char* const end = at + text.size();
  Reserve(text.size() + 2);
  *at_++ = quote;
  while (true) {
    const char* const special = scan::CopyWhile<scan::Plain>(at, end, at_);
    at_ += special - at;
    if (special == end) break;
    at = special + 1;
    Reserve(static_cast<size_t>(end - at) + 6);  // an escape, the rest, and the quote
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
  *at_++ = quote;
}

}  // namespace hloir
