// Lexer: a cursor over HLO text. There is no token stream: the grammar determines the possible next tokens, and the
// cursor reads the expected one (a comma, a word, a number) in place, without allocating. It skips blanks and comments
// before a token. The text is followed by a NUL byte, at which every scan ends. Tested by tests/unit/parser_test.cc.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "ir/names.h"
#include "ir/scan.h"

namespace hloir {

// A name or keyword in the text, with its hash, which every table of names uses.
struct Word {
  const char* data = nullptr;
  uint32_t size = 0;
  uint32_t hash = 0;
  std::string_view text() const { return {data, size}; }
  bool empty() const { return size == 0; }
};

inline bool MayBeKeyword(std::string_view word) {
  static constexpr WordFilter kFilter = [] {
    WordFilter keywords;
    for (std::string_view keyword : kKeywords) keywords.Add(keyword);
    return keywords;
  }();
  return kFilter.MayHave(word);
}

namespace lexer_internal {
enum CharClass : uint8_t { kWordStart = 1, kWordPart = 2, kDigit = 4, kNumberPart = 8 };
inline constexpr auto kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 128; ++c) {
    if (!scan::WordPart::Holds(static_cast<char>(c))) continue;
    const bool digit = c >= '0' && c <= '9';
    classes[c] = kWordPart | kNumberPart | (digit ? kDigit : c != '.' && c != '-' ? kWordStart : 0);
  }
  classes['+'] = kNumberPart;
  return classes;
}();
inline bool Is(char c, uint8_t classes) { return (kClasses[static_cast<uint8_t>(c)] & classes) != 0; }
}  // namespace lexer_internal

inline bool IsDigit(char c) { return lexer_internal::Is(c, lexer_internal::kDigit); }
inline bool IsWordStart(char c) { return lexer_internal::Is(c, lexer_internal::kWordStart); }

namespace lexer_internal {
template <class Chunk>
constexpr uint64_t Load(const char* p) {
  Chunk chunk = 0;
  if (std::is_constant_evaluated()) {
    for (size_t i = sizeof(Chunk); i-- > 0;) {
      chunk = static_cast<Chunk>(
          chunk << 4 << 4 |
          static_cast<uint8_t>(p[std::endian::native == std::endian::little ? i : sizeof(Chunk) - 1 - i]));
    }
  } else {
    std::memcpy(&chunk, p, sizeof(Chunk));
  }
  return chunk;
}
constexpr uint64_t Load8(const char* p) { return Load<uint64_t>(p); }
constexpr uint64_t Load4(const char* p) { return Load<uint32_t>(p); }
}  // namespace lexer_internal

namespace lexer_internal {
constexpr uint64_t Fold(uint64_t a, uint64_t b) {
  constexpr uint64_t kFirst = 0x9E3779B97F4A7C15u, kSecond = 0xD6E8FEB86659FD93u;
  const __uint128_t product = static_cast<__uint128_t>(a ^ kFirst) * (b ^ kSecond);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}
}  // namespace lexer_internal

// Hash of some bytes; all 32 bits are well mixed.
[[gnu::always_inline]] constexpr uint32_t HashBytes(const char* data, size_t size) {
  using lexer_internal::Fold, lexer_internal::Load4, lexer_internal::Load8;
  // Reads 16 bytes at a time as two words. The last ones overlap others, so that no branch depends on their number.
  uint64_t hash = size;
  const char* const end = data + size;
  uint64_t a = 0, b = 0;
  if (size >= 16) {
    for (; end - data > 16; data += 16) hash = Fold(Load8(data) ^ hash, Load8(data + 8));
    a = Load8(end - 16);
    b = Load8(end - 8);
  } else if (size >= 8) {
    a = Load8(data);
    b = Load8(end - 8);
  } else if (size >= 4) {
    a = Load4(data);
    b = Load4(end - 4);
  } else if (size > 0) {
    a = static_cast<uint8_t>(data[0]) << 16 | static_cast<uint8_t>(data[size / 2]) << 8 |
        static_cast<uint8_t>(data[size - 1]);
  }
  hash = Fold(a ^ hash, b);
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

// Equality of short texts, most of which differ in their first bytes or are equal. The last word overlaps the one
// before it, because a loop over the remaining bytes would be mispredicted.
[[gnu::always_inline]] inline bool SameBytes(const char* a, const char* b, size_t size) {
  using lexer_internal::Load4, lexer_internal::Load8;
  if (size >= 16) {
    if (!scan::Same16(a, b)) return false;
    for (size_t i = 16; i + 16 < size; i += 16) {
      if (!scan::Same16(a + i, b + i)) return false;
    }
    return scan::Same16(a + size - 16, b + size - 16);
  }
  if (size >= 8) return Load8(a) == Load8(b) && Load8(a + size - 8) == Load8(b + size - 8);
  if (size >= 4) return Load4(a) == Load4(b) && Load4(a + size - 4) == Load4(b + size - 4);
  for (; size > 0; ++a, ++b, --size) {
    if (*a != *b) return false;
  }
  return true;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : begin_(text.data()), end_(text.data() + text.size()), at_(begin_) {}

  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  const char* at() const { return at_; }
  void set_at(const char* at) { at_ = at; }

  // At the end of a line: skips the two spaces before the next instruction, too.
  [[gnu::always_inline]] void SkipLineEnd() {
    if (at_[0] == '\n' && at_[1] == ' ' && at_[2] == ' ' && !MaySkip(at_[3])) at_ += 3;
  }
  // The same if the next line begins as an instruction is printed, with a % or ROOT; otherwise reads nothing.
  [[gnu::always_inline]] bool AcceptLineEnd() {
    if (at_[0] != '\n' || at_[1] != ' ' || at_[2] != ' ' || (at_[3] != '%' && at_[3] != 'R')) return false;
    at_ += 3;
    return true;
  }
  // Usually there is nothing to skip, or one space.
  [[gnu::always_inline]] void SkipBlank() {
    if (!MaySkip(*at_)) return;
    if (*at_ == ' ' && !MaySkip(at_[1])) ++at_;
    else SkipBlanks();
  }
  bool AtEnd() {
    SkipBlank();
    return at_ == end_;
  }
  // The next character that is not a blank; NUL at the end.
  [[gnu::always_inline]] char Peek() {
    SkipBlank();
    return *at_;
  }
  [[gnu::always_inline]] bool Accept(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  // Skips these letters, regardless of the next. A template, so that the text is a compile-time constant.
  template <size_t N>
  bool Accept(const char (&text)[N]) {
    SkipBlank();
    if (static_cast<size_t>(end_ - at_) < N - 1 || std::memcmp(at_, text, N - 1) != 0) return false;
    at_ += N - 1;
    return true;
  }
  // A whole word, not the beginning of a longer one.
  bool AcceptWord(std::string_view word) {
    SkipBlank();
    if (*at_ != word[0]) return false;
    if (static_cast<size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0) return false;
    if (lexer_internal::Is(at_[word.size()], lexer_internal::kWordPart)) return false;
    at_ += word.size();
    return true;
  }
  // Reads an identifier, [A-Za-z_][A-Za-z0-9_.-]*; empty if there is none.
  [[gnu::always_inline]] std::string_view ReadIdentifier() {
    SkipBlank();
    if (!IsWordStart(*at_)) return {};
    const char* start = at_;
    at_ = scan::WordEnd(start, end_);
    // In `x->y` the arrow ends the word.
    if (*at_ == '>' && at_[-1] == '-') --at_;
    return {start, static_cast<size_t>(at_ - start)};
  }
  // The same with its hash, for look-ups.
  Word ReadWord() {
    const std::string_view text = ReadIdentifier();
    if (text.empty()) return {};
    return {text.data(), static_cast<uint32_t>(text.size()), HashBytes(text.data(), text.size())};
  }
  // Reads `%name = `, as it is printed; reads nothing at any other text.
  [[gnu::always_inline]] bool AcceptDefinition(Word& name) {
    if (*at_ != '%' || !IsWordStart(at_[1])) return false;
    const char* const start = at_ + 1;
    const char* const end = scan::WordEnd(start, end_);
    if (end[0] != ' ' || end[1] != '=' || end[2] != ' ') return false;
    const uint32_t size = static_cast<uint32_t>(end - start);
    name = {start, size, HashBytes(start, size)};
    at_ = end + 3;
    return true;
  }
  // A decimal integer with an optional minus, of 64 bits signed or unsigned (kept as bits). Returns false without
  // moving if there is none or if it does not fit.
  bool ReadInt(int64_t& value) {
    SkipBlank();
    const bool negative = *at_ == '-';
    const char* const first = at_ + negative;
    const char* p = first;
    uint64_t number = 0;
    for (; IsDigit(*p); ++p) number = number * 10 + static_cast<uint64_t>(*p - '0');
    constexpr ptrdiff_t kSurelyFit = 18;
    if (p == first) return false;
    if (p - first > kSurelyFit) return ReadLongInt(value);
    value = negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
    at_ = p;
    return true;
  }
  // Reads digits only, as in `3x3` or `0_1`, where a number need not end at a word boundary.
  bool ReadDigits(int64_t& value);
  // Reads `"…"` or `'…'`: the text between the quotes, including escapes. Returns false without moving if there is no
  // string or no closing quote.
  bool ReadQuoted(std::string_view& raw, bool& has_escapes);
  // Reads `{…}` with balanced braces, not counting those in `"…"`; the braces are included.
  bool ReadBraces(std::string_view& raw);

 private:
  // A blank, the NUL at the end, or the first character of a comment.
  static bool MaySkip(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '/'; }
  void SkipBlanks();
  bool ReadLongInt(int64_t& value);
  // At a '/': skips a comment. Returns false if there is none or if it does not end.
  bool SkipComment();

  const char* begin_;
  const char* end_;
  const char* at_;
};

// Counts lines up to places that come in increasing order.
class LineCounter {
 public:
  explicit LineCounter(const char* begin, int32_t line = 1) : at_(begin), line_(line) {}
  int32_t LineOf(const char* place) {
    line_ += static_cast<int32_t>(scan::CountFew<'\n'>(at_, place));
    at_ = place;
    return line_;
  }
  // Skip the text from `from` to `to`, in which no line, or one line, ends; unless it was not counted up to `from`.
  void PassText(const char* from, const char* to) {
    if (at_ == from) at_ = to;
  }
  void PassLine(const char* from, const char* to) {
    if (at_ == from) at_ = to, ++line_;
  }

 private:
  const char* at_;
  int32_t line_;
};

}  // namespace hloir
