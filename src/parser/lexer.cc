// The rarer scans of the lexer: comments, numbers, strings, raw JSON.
#include "lexer.h"

namespace hloir {

void Lexer::SkipBlanks() {
  do {
    const char* p = at_;
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') ++p;
    at_ = p;
  } while (*at_ == '/' && SkipComment());
}

bool Lexer::SkipComment() {
  if (at_[1] == '/') {
    const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    at_ = newline != nullptr ? static_cast<const char*>(newline) + 1 : end_;
    return true;
  }
  if (at_[1] != '*') return false;
  const char* close = at_ + 2;
  while (true) {
    close = static_cast<const char*>(std::memchr(close, '*', static_cast<size_t>(end_ - close)));
    if (close == nullptr) return false;
    if (close[1] == '/') break;
    ++close;
  }
  at_ = close + 2;
  return true;
}

bool Lexer::ReadDigits(int64_t& value) {
  if (!IsDigit(*at_)) return false;
  const char* p = at_;
  uint64_t number = 0;
  for (; IsDigit(*p); ++p) {
    if (__builtin_mul_overflow(number, uint64_t{10}, &number) ||
        __builtin_add_overflow(number, static_cast<uint64_t>(*p - '0'), &number)) {
      return false;
    }
  }
  value = static_cast<int64_t>(number);
  at_ = p;
  return true;
}

// The slow path of ReadInt, for numbers of many digits, which may overflow.
bool Lexer::ReadLongInt(int64_t& value) {
  const char* start = at_;
  const bool negative = *at_ == '-';
  if (negative) ++at_;
  int64_t magnitude = 0;
  if (!ReadDigits(magnitude) || (negative && static_cast<uint64_t>(magnitude) > uint64_t{1} << 63)) {
    at_ = start;
    return false;
  }
  value = negative ? static_cast<int64_t>(-static_cast<uint64_t>(magnitude)) : magnitude;
  return true;
}

bool Lexer::ReadQuoted(std::string_view& raw, bool& has_escapes) {
  SkipBlank();
  const char quote = *at_;
  if (quote != '"' && quote != '\'') return false;
  const char* const start = at_ + 1;
  has_escapes = false;
  for (const char* p = start;; p += 2) {
    p = quote == '"' ? scan::FindEither<'"', '\\'>(p, end_) : scan::FindEither<'\'', '\\'>(p, end_);
    // A backslash escapes the next character, which may be a quote.
    if (end_ - p < 1 || (*p == '\\' && end_ - p < 2)) return false;
    if (*p == quote) {
      raw = {start, static_cast<size_t>(p - start)};
      at_ = p + 1;
      return true;
    }
    has_escapes = true;
  }
}

bool Lexer::ReadBraces(std::string_view& raw) {
  if (Peek() != '{') return false;
  int64_t depth = 0;
  bool in_string = false;
  for (const char* p = at_; p < end_; ++p) {
    if (in_string) {
      if (*p == '\\' && p + 1 < end_) ++p;
      else if (*p == '"') in_string = false;
      continue;
    }
    if (*p == '"') in_string = true;
    if (*p == '{') ++depth;
    if (*p == '}' && --depth == 0) {
      raw = {at_, static_cast<size_t>(p + 1 - at_)};
      at_ = p + 1;
      return true;
    }
  }
  return false;
}

}  // namespace hloir
