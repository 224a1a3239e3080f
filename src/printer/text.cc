// TextBuffer's slow paths: growing, and quoting. Covered by tests/unit/printer_test.cc.
#include "text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "ir/names.h"
#include "ir/scan.h"
#include "support/huge_pages.h"

namespace hloir {

// Growing a string zeroes memory; a large one grows in pieces that stay in the cache until they are written.
char* TextBuffer::GrowAt(const char* at, size_t bytes) {
  constexpr size_t kSmallest = 256, kPiece = 16 << 10;
  const size_t used = static_cast<size_t>(at - text_.data());
  const size_t wanted = used + std::max(bytes, std::clamp(used, kSmallest, kPiece)) + kSlack;
  if (wanted > text_.capacity()) text_.reserve(std::max(wanted, 2 * used));
  text_.resize(wanted);
  limit_ = text_.data() + (wanted - kSlack);
  return text_.data() + used;
}

void TextBuffer::Expect(size_t bytes) {
  const size_t used = held();
  text_.reserve(used + bytes);
  WishForHugePages(text_.data(), text_.capacity());
  at_ = text_.data() + used;
  Grow(0);
}

// At least two digits; up to four, as most are, by pairs.
char* TextBuffer::PutDigits(char* at, int64_t value) {
  static constexpr std::array<char, 200> kPairs = [] {
    std::array<char, 200> pairs{};
    for (size_t i = 0; i < 100; ++i) {
      pairs[2 * i] = static_cast<char>('0' + i / 10);
      pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
  }();
  if (static_cast<uint64_t>(value) >= 10000) return std::to_chars(at, at + kIntegerSize, value).ptr;
  const uint32_t digits = static_cast<uint32_t>(value), high = digits / 100;
  if (high > 0) {
    *at = kPairs[2 * high];
    if (high >= 10) ++at;
    *at++ = kPairs[2 * high + 1];
  }
  std::memcpy(at, &kPairs[2 * (digits % 100)], 2);
  return at + 2;
}

void TextBuffer::AppendUnsigned(uint64_t value) {
  Reserve(kIntegerSize);
  at_ = std::to_chars(at_, at_ + kIntegerSize, value).ptr;
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
