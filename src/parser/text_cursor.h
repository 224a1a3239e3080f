// TextCursor: a position in a text, the depth of nesting, and the first error. Every Parse… and Read… function of the
// derived classes reads one item at the position and returns true, or records the error and returns false; only the
// first error is reported. A cursor can be copied: a ModuleReader starts with a copy of the text's cursor and returns
// it after the module. Tested by tests/unit/parser_test.cc and tests/parse_errors.
#pragma once

#include <string>
#include <string_view>

#include "hloir/parser.h"
#include "lexer.h"

namespace hloir {

class TextCursor {
 public:
  // `text` must be followed by a NUL byte. Text and options must outlive the cursor.
  TextCursor(std::string_view text, const ParserOptions& options)
      : lexer_(text), lines_(text.data()), options_(&options) {}

  bool AtEnd() { return lexer_.AtEnd(); }
  bool ExpectEnd();
  // The first error, as "FILE:LINE:COLUMN: error: …" with its line and a caret; OK if there is none.
  Status TakeStatus() const;

 protected:
  const ParserOptions& options() const { return *options_; }

  // ---- Errors. All return false. They are cold functions, so that the parser's own code takes less of the caches.
  [[gnu::cold]] bool Fail(const char* place, std::string message);
  [[gnu::cold]] bool FailLimit(const char* place, std::string message);
  // "expected <what>, found <the text at the cursor>".
  [[gnu::cold]] bool FailExpected(std::string_view what);
  [[gnu::cold]] bool FailExpected(char c);
  [[gnu::cold]] bool FailKeyword(std::string_view name, std::string_view what);
  [[gnu::cold]] bool FailEquals();
  [[gnu::cold]] bool FailDepth(const char* place) { return FailLimit(place, "nested too deeply"); }
  bool failed() const { return error_code_ != StatusCode::kOk; }

  // Counts nesting, in units of a small stack frame, so that no input can exhaust the stack.
  class Nesting {
   public:
    Nesting(TextCursor& cursor, int weight) : cursor_(cursor), weight_(weight) { cursor_.depth_ += weight_; }
    ~Nesting() { cursor_.depth_ -= weight_; }
    bool TooDeep() const { return cursor_.depth_ > cursor_.options().max_depth || cursor_.depth_ > kMaxDepth; }

   private:
    TextCursor& cursor_;
    int weight_;
  };
  static constexpr int kMaxDepth = 512;
  static constexpr int kInstructionWeight = 16, kValueWeight = 4;

  bool Expect(char c) { return lexer_.Accept(c) || FailExpected(c); }
  // The `=` of an attribute directly follows its name.
  bool ExpectEquals() {
    if (*lexer_.at() != '=') return FailEquals();
    lexer_.set_at(lexer_.at() + 1);
    return true;
  }
  // True if `word` is next; does not consume it.
  bool AtWord(std::string_view word);
  bool ReadName(Word& name, std::string_view what) {
    std::string_view text;
    if (!ReadName(text, what)) return false;
    name = {text.data(), static_cast<uint32_t>(text.size()), HashBytes(text.data(), text.size())};
    return true;
  }
  bool ReadName(std::string_view& name, std::string_view what) {
    const bool marked = lexer_.Peek() == '%';
    if (marked) lexer_.set_at(lexer_.at() + 1);
    // No blank between % and the name.
    if (!IsWordStart(*lexer_.at())) return FailExpected(what);
    name = lexer_.ReadIdentifier();
    if (!marked && *lexer_.at() != ':' && MayBeKeyword(name) && IsKeyword(name)) return FailKeyword(name, what);
    // Dumps of 2017 and 2018 have a colon after some names.
    if (*lexer_.at() == ':') lexer_.set_at(lexer_.at() + 1);
    return true;
  }
  // "{" [item {"," item}] "}"; read() reads an item.
  template <class ReadItem>
  bool ReadList(ReadItem&& read) {
    if (!Expect('{')) return false;
    if (lexer_.Accept('}')) return true;
    do {
      if (!read()) return false;
    } while (lexer_.Accept(','));
    return Expect('}');
  }
  // A value of unknown form: a string, braces, or the text up to the next comma.
  bool SkipAttributeValue(std::string_view& raw);

  Lexer lexer_;
  LineCounter lines_;
  int depth_ = 0;

 private:
  std::string DescribeNext();

  const ParserOptions* options_;
  StatusCode error_code_ = StatusCode::kOk;
  const char* error_at_ = nullptr;
  std::string error_message_;
};

}  // namespace hloir
