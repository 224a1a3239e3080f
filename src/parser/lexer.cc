// The rarer scans of the lexer: comments, numbers, strings, raw JSON.
#include "lexer.h"

namespace hloir {

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

bool Lexer::ReadInt(int64_t& value) {
  SkipBlank();
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
  const char* start = at_ + 1;
  const char* p = start;
  has_escapes = false;
  while (true) {
    const char* close = static_cast<const char*>(std::memchr(p, quote, static_cast<size_t>(end_ - p)));
    if (close == nullptr) return false;
    // A backslash takes the character after it along, be it the quote.
    const char* slash = static_cast<const char*>(std::memchr(p, '\\', static_cast<size_t>(close - p)));
    if (slash == nullptr) {
      raw = {start, static_cast<size_t>(close - start)};
      at_ = close + 1;
      return true;
    }
    has_escapes = true;
    for (p = slash; p < close; ++p) {
      if (*p == '\\') ++p;
    }
    if (p > end_) return false;
    if (p == close) {
      raw = {start, static_cast<size_t>(close - start)};
      at_ = close + 1;
      return true;
    }
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
