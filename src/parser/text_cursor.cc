// See text_cursor.h.
#include "text_cursor.h"

#include <algorithm>

#include "support/format.h"

namespace hloir {

bool TextCursor::Fail(const char* place, std::string message) {
  if (error_code_ == StatusCode::kOk) {
    error_code_ = StatusCode::kInvalidArgument;
    error_at_ = place;
    error_message_ = std::move(message);
  }
  return false;
}

bool TextCursor::FailLimit(const char* place, std::string message) {
  Fail(place, std::move(message));
  if (error_at_ == place) error_code_ = StatusCode::kResourceExhausted;
  return false;
}

bool TextCursor::FailExpected(std::string_view what) {
  std::string found = DescribeNext();
  return Fail(lexer_.at(), Format("expected {}, found {}", what, found));
}

bool TextCursor::FailEquals() {
  const char* place = lexer_.at();
  return lexer_.Peek() == '=' ? Fail(place, "no space is allowed before '='") : FailExpected('=');
}

bool TextCursor::FailKeyword(std::string_view name, std::string_view what) {
  return Fail(name.data(), Format("expected {}, found the keyword '{}'; as a name it is %{}", what, name, name));
}

bool TextCursor::FailExpected(char c) { return FailExpected(std::string{'\'', c, '\''}); }

// The text at the lexer, for messages.
std::string TextCursor::DescribeNext() {
  constexpr size_t kLongest = 40;
  const char c = lexer_.Peek();
  const char* at = lexer_.at();
  if (at == lexer_.end()) return "the end of the text";
  if (c == '\0') return "a NUL byte";
  if (c == '/' && at[1] == '*') return "an unterminated comment";
  if (c == '"' || c == '\'') {
    std::string_view raw;
    bool has_escapes;
    if (!lexer_.ReadQuoted(raw, has_escapes)) return "an unterminated string";
    lexer_.set_at(at);
    return raw.size() <= kLongest ? Format("{}{}{}", c, raw, c) : "a string";
  }
  const char* stop = at;
  if (c == '%') ++stop;
  while (lexer_internal::Is(*stop, lexer_internal::kWordPart)) ++stop;
  if (stop == at) ++stop;
  if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') {
    return Format("byte 0x{:02x}", static_cast<unsigned char>(c));
  }
  return Format("'{}'", std::string_view(at, std::min<size_t>(stop - at, kLongest)));
}

bool TextCursor::ExpectEnd() { return lexer_.AtEnd() || FailExpected("the end of the text"); }

Status TextCursor::TakeStatus() const {
  if (error_code_ == StatusCode::kOk) return OkStatus();
  const char* begin = lexer_.begin();
  const char* line_start = error_at_;
  while (line_start > begin && line_start[-1] != '\n') --line_start;
  const char* line_end = std::find(error_at_, lexer_.end(), '\n');
  const auto line_number = 1 + std::count(begin, line_start, '\n');
  // Long lines are cut around the location. Tabs are kept, so that the caret is correct for any tab width.
  constexpr ptrdiff_t kBefore = 100, kAfter = 60;
  const char* from = error_at_ - line_start > kBefore ? error_at_ - kBefore : line_start;
  const char* to = line_end - error_at_ > kAfter ? error_at_ + kAfter : line_end;
  std::string source(from, to), caret(from, error_at_);
  for (char& c : source) {
    if (static_cast<unsigned char>(c) < ' ' && c != '\t') c = ' ';
  }
  for (char& c : caret) {
    if (c != '\t') c = ' ';
  }
  return Status(error_code_, Format("{}:{}:{}: error: {}\n{}\n{}^", options().file_name, line_number,
                                    error_at_ - line_start + 1, error_message_, source, caret));
}

bool TextCursor::AtWord(std::string_view word) {
  const char* before = lexer_.at();
  const bool found = lexer_.AcceptWord(word);
  lexer_.set_at(before);
  return found;
}

// A value of unknown form: a string, braces, or the text up to the next comma.
bool TextCursor::SkipAttributeValue(std::string_view& raw) {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  if (*start == '{') {
    if (!lexer_.ReadBraces(raw)) return Fail(start, "the braces are not balanced");
    return true;
  }
  bool has_escapes;
  if (lexer_.ReadQuoted(raw, has_escapes)) {
    raw = {start, static_cast<size_t>(lexer_.at() - start)};
    return true;
  }
  const char* stop = start;
  int64_t open = 0;
  for (; *stop != '\0' && *stop != '\n'; ++stop) {
    if (*stop == '[' || *stop == '(') ++open;
    if (*stop == ']' || *stop == ')') --open;
    if (open < 0 || (open == 0 && (*stop == ',' || *stop == '}' || *stop == ' '))) break;
  }
  if (stop == start || *start == '"' || *start == '\'') return FailExpected("an attribute's value");
  raw = {start, static_cast<size_t>(stop - start)};
  lexer_.set_at(stop);
  return true;
}

}  // namespace hloir
