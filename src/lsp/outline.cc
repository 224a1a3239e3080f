// See outline.h. A text is read once, from left to right; unrecognized text is skipped token by token. An unterminated
// quote, bracket or parenthesis affects only its statement: strings end on their line, and the apparent beginning of a
// statement ends all brackets. So an edit that opens one costs no more than others.
#include "lsp/outline.h"

#include <algorithm>
#include <unordered_map>

#include "hloir/primitive_type.h"

namespace hloir::lsp {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c) || c == '.' || c == '-'; }

// The attributes that name computations, and the form of their values: a name, or several in braces.
bool NamesComputations(std::string_view key) {
  for (const std::string_view known :
       {"to_apply", "calls", "condition", "body", "true_computation", "false_computation", "branch_computations",
        "select", "scatter", "called_computations", "async_wrapped_computation"})
    if (key == known) return true;
  return false;
}

bool IsTypeWord(std::string_view word) {
  return word == "token" || word == "opaque" || word == "opaque_type" || word == "buffer" || ParsePrimitiveType(word);
}

class Reader {
 public:
  // Results go to `outline` and to the lists, if given.
  Reader(std::string_view text, Outline& outline, std::vector<Spot>* spots, std::vector<Outline::Edit>* layout)
      : text_(text), outline_(outline), spots_(spots), layout_(layout) {}

  void ReadAll() {
    while (Skip(), at_ < text_.size()) {
      const size_t before = at_;
      ReadTop();
      at_ += at_ == before;
    }
    EndModule();
    if (gap_begin_ > 0 && gap_begin_ < at_) Lay(gap_begin_, at_, gap_has_comment_, "\n");
    outline_.bytes_read += text_.size();
  }
  // One statement of a body, or a computation's head, that begins there.
  void ReadStatementAt(size_t begin) {
    at_ = begin;
    ReadStatement();
  }
  void ReadHeadAt(size_t begin) {
    at_ = begin;
    Outline::Computation computation;
    ReadHead(computation);
  }
  // Statements of a body from `begin` on, until `stops` returns true; false if the body ends before. `stops` is called
  // with the position of each statement and of the body's end.
  template <class Stops>
  bool ReadStatements(size_t begin, const Stops& stops) {
    at_ = begin;
    while (true) {
      Skip();
      if (at_ >= text_.size()) break;
      if (stops(at_)) {
        outline_.bytes_read += at_ - begin;
        return true;
      }
      if (Peek() == '}' || !ReadStatement()) break;
    }
    outline_.bytes_read += at_ - begin;
    return false;
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Range From(size_t begin) const { return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}; }

  // Blanks and comments; gap_ has their range and a flag for comments.
  void Skip() {
    gap_begin_ = at_, gap_has_comment_ = false;
    while (at_ < text_.size()) {
      if (IsBlank(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '/' && Peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size()), gap_has_comment_ = true;
      } else if (AtComment()) {
        at_ = text_.find("*/", at_ + 2) + 2, gap_has_comment_ = true;
      } else {
        return;
      }
    }
  }
  // Skips to `c`, if it is next.
  bool NextIs(char c, std::string_view wanted = "") {
    const size_t before = at_;
    Skip();
    const bool is = Peek() == c;
    at_ = before;
    if (is) SkipTo(wanted);
    return is;
  }
  // Skips blanks, and records that formatting replaces them by `wanted`. Line breaks within a statement are kept.
  void SkipTo(std::string_view wanted) {
    Skip();
    if (layout_ == nullptr) return;
    const std::string_view gap = text_.substr(gap_begin_, at_ - gap_begin_);
    if (gap_has_comment_ || gap == wanted) return;
    if (!wanted.starts_with('\n') && gap.find('\n') != std::string_view::npos) return;
    layout_->push_back({From(gap_begin_), wanted});
  }

  void Unclosed(size_t at) { outline_.unclosed = std::min(outline_.unclosed, static_cast<uint32_t>(at)); }
  // True if the comment that begins here ends.
  bool AtComment() {
    if (text_[at_] != '/' || Peek(1) != '*' || !comments_end_) return false;
    comments_end_ = text_.find("*/", at_ + 2) != std::string_view::npos;
    if (!comments_end_) Unclosed(at_);
    return comments_end_;
  }
  // The limit of the search for an end, after one without an end: searching the whole text for each would take
  // quadratic time.
  static constexpr size_t kNear = 1024;
  // At a quote: past the string, or past the quote if it does not end on its line. (The parser takes a string of
  // several lines, which XLA does not print.)
  void SkipString() {
    const char quote = text_[at_];
    size_t p = at_ + 1;
    const size_t end = at_ < no_quote_before_ ? std::min(at_ + kNear, text_.size()) : text_.size();
    for (; p < end && text_[p] != '\n'; ++p) {
      if (text_[p] == '\\' && p + 1 < end && text_[p + 1] != '\n') {
        ++p;
      } else if (text_[p] == quote) {
        at_ = p + 1;
        return;
      }
    }
    no_quote_before_ = std::max(no_quote_before_, p);
    ++at_;
  }
  // `name = ` or `ROOT name = `, after a line's first blanks.
  bool IsStatementLine(size_t at) const {
    const auto blanks = [&] {
      const size_t before = at;
      while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
      return at != before;
    };
    blanks();
    if (text_.substr(at).starts_with("ROOT ")) at += 5, blanks();
    if (at < text_.size() && text_[at] == '%') ++at;
    const size_t name = at;
    while (at < text_.size() && IsWordPart(text_[at])) ++at;
    return at > name && IsLetter(text_[name]) && blanks() && text_.substr(at).starts_with("= ");
  }
  // At an opening bracket: past the one that closes it, or to the end of the line if there is none before the next
  // statement. An inline body (`has_body`) has statements.
  void SkipBalanced(bool has_body = false) {
    const size_t start = at_;
    int64_t depth = 0;
    while (at_ < text_.size() && (brackets_end_ || (text_[at_] != '\n' && at_ - start < kNear))) {
      const char c = text_[at_];
      if (c == '"') {
        SkipString();
        continue;
      }
      if (c == '/' && AtComment()) {
        const size_t end = text_.find("*/", at_ + 2) + 2;
        if (!has_body && text_.find('\n', at_) < end) break;
        at_ = end;
        continue;
      }
      if (c == '\n' && !has_body && IsStatementLine(at_ + 1)) break;
      ++at_;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth <= 0) return;
    }
    if (at_ >= text_.size()) brackets_end_ = false, Unclosed(start);
    looked_at_ = std::max(looked_at_, std::min(text_.find('\n', at_), text_.size()));
    at_ = std::min(text_.find('\n', start), text_.size());
  }
  Range ReadWord() {
    const size_t begin = at_;
    if (!IsLetter(Peek())) return From(begin);
    while (at_ < text_.size() && IsWordPart(text_[at_])) ++at_;
    if (Peek() == '>' && text_[at_ - 1] == '-') --at_;
    return From(begin);
  }
  Range ReadName() {
    if (Peek() == '%') ++at_;
    return ReadWord();
  }
  // Anything: a name, a number, a string, one character.
  void SkipToken() {
    const char c = Peek();
    if (c == '"' || c == '\'') return SkipString();
    if (c == '(' || c == '[' || c == '{') return SkipBalanced();
    if (IsWordPart(c)) {
      while (at_ < text_.size() && IsWordPart(text_[at_])) ++at_;
      return;
    }
    at_ += at_ < text_.size();
  }
  void ReadTop() {
    if (IsDigit(Peek())) {  // an entry of the stack-frame tables: 1 "file" or 1 {…}
      SkipToken();
      Skip();
      if (Peek() == '"' || Peek() == '{') SkipToken();
      return;
    }
    const size_t begin = at_, gap_begin = gap_begin_;
    const bool gap_has_comment = gap_has_comment_;
    Range name = ReadName();
    if (name.empty()) return SkipToken();
    if (name.In(text_) == "HloModule") {
      EndModule();
      outline_.modules.push_back({});
      SkipTo(" ");
      outline_.modules.back().whole.begin = static_cast<uint32_t>(begin);
      outline_.modules.back().name = ReadName();
      outline_.modules.back().first = static_cast<int32_t>(outline_.computations.size());
      while (NextIs(',')) ReadAttribute(-1);
      return;
    }
    at_ = begin;
    Outline::Computation computation;
    const size_t first_spot = SpotCount(), first_edit = layout_ == nullptr ? 0 : layout_->size();
    if (!ReadHead(computation)) {
      if (spots_ != nullptr) spots_->resize(first_spot);
      if (layout_ != nullptr) layout_->resize(first_edit);
      return;
    }
    Lay(gap_begin, begin, gap_has_comment, gap_begin > 0 ? "\n\n" : "");
    ++at_;
    if (outline_.modules.empty()) outline_.modules.push_back({});
    computation.first = static_cast<int32_t>(outline_.instructions.size());
    ReadBody();
    computation.whole = From(begin);
    computation.end = static_cast<int32_t>(outline_.instructions.size());
    outline_.computations.push_back(computation);
    while (NextIs(',')) ReadAttribute(-1);  // execution_thread="…"
  }

  // ENTRY name (…) -> shape, up to the brace; false, with at_ past the name, if there is none.
  bool ReadHead(Outline::Computation& computation) {
    Range name = ReadName();
    computation.is_entry = name.In(text_) == "ENTRY";
    if (computation.is_entry) {
      SkipTo(" ");
      name = ReadName();
      if (name.empty()) return false;
    }
    computation.name = name;
    AddSpot(name, Spot::Kind::kComputation, true, -1);
    Skip();
    if (Peek() == '(') {
      ReadHeadParameters();
      Skip();
      if (Peek() == '-' && Peek(1) == '>') {
        at_ += 2;
        Skip();
        ReadShape(-1);
      }
    } else {
      at_ = name.end;
    }
    return NextIs('{', " ");
  }

  // (name: shape, …), where names are those of the parameters.
  void ReadHeadParameters() {
    ++at_;
    int64_t depth = 0;
    while (Skip(), at_ < text_.size()) {
      const char c = Peek();
      if (c == ')' && depth-- == 0) {
        ++at_;
        return;
      }
      if (c == '\n' || c == '=') return;
      if (c == '%' || IsLetter(c)) {
        const Range name = ReadName();
        Skip();
        if (Peek() == ':') AddSpot(name, Spot::Kind::kInstruction, false, -1);
        continue;
      }
      if (c == '(') ++depth, ++at_;
      else if (c == '[' || c == '{') SkipBalanced();
      else ++at_;
    }
  }

  void ReadBody() {
    is_first_ = true;
    while (true) {
      Skip();
      if (at_ >= text_.size()) return;
      if (Peek() == '}') {
        Lay(gap_begin_, at_, gap_has_comment_, "\n");
        ++at_;
        return;
      }
      if (!ReadStatement()) return;
    }
  }
  // A statement, or another token; false before the apparent next computation.
  bool ReadStatement() {
    const size_t begin = at_, gap_begin = gap_begin_;
    const bool has_comment = gap_has_comment_;
    Range name = ReadName();
    const bool is_root = name.In(text_) == "ROOT" && (Skip(), Peek() == '%' || IsLetter(Peek()));
    if (is_root) {
      at_ = name.end;
      SkipTo(" ");
      name = ReadName();
    }
    const size_t after_name = at_;
    Skip();
    if (name.empty() || Peek() != '=') {
      // A missing `}`: the next text looks like another head.
      at_ = std::max(after_name, begin);
      if (LooksLikeHead(begin)) {
        at_ = begin;
        return false;
      }
      if (at_ == begin) SkipToken();
      return true;
    }
    // One blank line between statements is kept.
    if (layout_ != nullptr) {
      const std::string_view gap = text_.substr(gap_begin, begin - gap_begin);
      const bool keeps_line = !is_first_ && std::count(gap.begin(), gap.end(), '\n') > 1;
      Lay(gap_begin, begin, has_comment, keeps_line ? "\n\n  " : "\n  ");
    }
    is_first_ = false;
    ReadInstruction(begin, name, is_root);
    return true;
  }
  void Lay(size_t begin, size_t end, bool has_comment, std::string_view wanted) {
    if (layout_ != nullptr && !has_comment && text_.substr(begin, end - begin) != wanted)
      layout_->push_back({{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, wanted});
  }
  // `ENTRY …`, `HloModule …` or `name (…) -> … {` at the beginning of a line.
  bool LooksLikeHead(size_t begin) const {
    if (begin > 0 && text_[begin - 1] != '\n') return false;
    const std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
    return line.starts_with("ENTRY ") || line.starts_with("HloModule ") ||
           (line.find('=') == std::string_view::npos && line.ends_with('{'));
  }

  void ReadInstruction(size_t begin, Range name, bool is_root) {
    // Here the text of an earlier bracket does not end at the next statement.
    if (begin < looked_at_) Unclosed(begin);
    const int32_t index = static_cast<int32_t>(outline_.instructions.size());
    outline_.instructions.push_back({});
    outline_.instructions.back().name = name;
    outline_.instructions.back().is_root = is_root;
    AddSpot(name, Spot::Kind::kInstruction, true, index);
    at_ = name.end;
    SkipTo(" ");
    ++at_;  // =
    SkipTo(" ");
    if (const Range shape = ReadShape(index); !shape.empty()) {
      outline_.instructions[static_cast<size_t>(index)].shape = shape;
      SkipTo(" ");
    }
    const Range opcode = ReadWord();
    outline_.instructions[static_cast<size_t>(index)].opcode = opcode;
    if (!opcode.empty()) AddSpot(opcode, Spot::Kind::kOpcode, false, index);
    const size_t end_of_opcode = at_;
    Skip();
    if (Peek() == '(') {
      at_ = end_of_opcode;
      SkipTo("");
      const std::string_view op = opcode.In(text_);
      if (op == "constant" || op == "parameter") SkipBalanced();
      else ReadOperands(index);
    } else {
      at_ = end_of_opcode;
    }
    while (NextIs(',')) ReadAttribute(index);
    outline_.instructions[static_cast<size_t>(index)].whole = From(begin);
  }

  // A type with dimensions and layout, or a tuple of types; empty if there is none.
  Range ReadShape(int32_t owner) {
    const size_t begin = at_;
    if (Peek() == '(') {
      // A tuple's shape; instructions have no other parentheses before their opcode.
      SkipBalanced();
    } else {
      ReadWord();
      if (Peek() != '[') {
        at_ = begin;
        return From(begin);
      }
      SkipBalanced();
      if (Peek() == '{') SkipBalanced();
    }
    const Range shape = From(begin);
    AddSpot(shape, Spot::Kind::kShape, false, owner);
    return shape;
  }

  // At "(": names are those before a comma or the end.
  void ReadOperands(int32_t owner) {
    ++at_;
    int64_t depth = 0;
    bool first = true;
    while (true) {
      const size_t before = at_;
      if (first) SkipTo("");
      else Skip();
      first = false;
      if (at_ >= text_.size()) return;
      const size_t line = text_.substr(before, at_ - before).rfind('\n');
      if (line != std::string_view::npos && IsStatementLine(before + line + 1)) {
        at_ = before;
        return;  // half written
      }
      const char c = Peek();
      if (c == ')') {
        ++at_;
        if (depth-- == 0) return;
        continue;
      }
      if (c == '}' || c == '=') return;  // half written
      if (c == ',') {
        ++at_;
        SkipTo(" ");
        continue;
      }
      if (c == '(') {
        ++at_, ++depth;
        continue;
      }
      if (c != '%' && !IsLetter(c)) {
        SkipToken();
        continue;
      }
      const Range name = ReadName();
      if (name.empty()) continue;
      const size_t after = at_;
      const std::string_view word = name.In(text_);
      if (Peek() == '[' && IsTypeWord(word)) {
        SkipBalanced();
        if (Peek() == '{') SkipBalanced();
        continue;
      }
      Skip();
      if (Peek() == '=' && text_.substr(after, at_ - after).find('\n') != std::string_view::npos) {
        at_ = name.begin - (name.begin > 0 && text_[name.begin - 1] == '%');
        return;  // the next instruction: this one is incomplete
      }
      if (Peek() == '(') {  // an instruction in place
        if (word == "constant" || word == "parameter") SkipBalanced();
        continue;
      }
      if (Peek() == ',' || Peek() == ')' || text_[name.begin - 1] == '%' || !IsTypeWord(word))
        AddSpot(name, Spot::Kind::kInstruction, false, owner);
      at_ = after;
      if (Peek(0) != ',' && Peek(0) != ')') SkipToEnd();
    }
  }
  // No blanks before a comma or parenthesis.
  void SkipToEnd() {
    const size_t before = at_;
    Skip();
    const bool ends = Peek() == ',' || Peek() == ')';
    at_ = before;
    if (ends) SkipTo("");
  }

  // At ",": name=value. Owner -1: the head of a computation or module.
  void ReadAttribute(int32_t owner) {
    ++at_;
    SkipTo(" ");
    const Range key = ReadWord();
    Skip();
    if (key.empty() || Peek() != '=') {
      if (!key.empty()) at_ = key.end;
      return;
    }
    at_ = key.end;
    SkipTo("");
    ++at_;
    SkipTo("");
    const std::string_view word = key.In(text_);
    const size_t begin = at_;
    if (owner >= 0 && NamesComputations(word)) return ReadNames(Spot::Kind::kComputation, owner);
    if (owner >= 0 && word == "control-predecessors") return ReadNames(Spot::Kind::kInstruction, owner);
    // A value may have several parts: [2,4]<=[8]T(1,0), {{0,1},{2,3}}, b01f_01io->b01f.
    while (at_ < text_.size() && text_[at_] != ',' && !IsBlank(text_[at_]) && text_[at_] != ')' && text_[at_] != '}') {
      if (text_[at_] == '/' && (Peek(1) == '*' || Peek(1) == '/')) break;
      SkipToken();
    }
    if (owner >= 0 && word == "metadata") outline_.instructions[static_cast<size_t>(owner)].metadata = From(begin);
  }
  // A name, or names in braces. Skips an inline body.
  void ReadNames(Spot::Kind kind, int32_t owner) {
    if (Peek() != '{') {
      const Range name = ReadName();
      if (!name.empty()) AddSpot(name, kind, false, owner);
      return;
    }
    const size_t begin = at_, first_spot = SpotCount();
    ++at_;
    while (true) {
      Skip();
      if (Peek() == '}') {
        ++at_;
        return;
      }
      const Range name = ReadName();
      Skip();
      if (name.empty() || (Peek() != ',' && Peek() != '}')) {
        if (spots_ != nullptr) spots_->resize(first_spot);
        at_ = begin;
        return SkipBalanced(true);
      }
      AddSpot(name, kind, false, owner);
      if (Peek() == ',') ++at_;
    }
  }

  size_t SpotCount() const { return spots_ == nullptr ? 0 : spots_->size(); }
  void AddSpot(Range range, Spot::Kind kind, bool defines, int32_t owner) {
    if (spots_ != nullptr) spots_->push_back({range, kind, defines, -1, owner});
  }

  void EndModule() {
    if (outline_.modules.empty()) return;
    Outline::Module& module = outline_.modules.back();
    module.end = static_cast<int32_t>(outline_.computations.size());
    module.whole.end = module.first < module.end ? outline_.computations.back().whole.end : module.name.end;
  }

  std::string_view text_;
  size_t at_ = 0, gap_begin_ = 0, no_quote_before_ = 0, looked_at_ = 0;
  bool gap_has_comment_ = false, comments_end_ = true, brackets_end_ = true, is_first_ = true;
  Outline& outline_;
  std::vector<Spot>* spots_;
  std::vector<Outline::Edit>* layout_;
};

void Move(Range& range, int64_t by) {
  if (range.end == 0) return;  // none
  range.begin = static_cast<uint32_t>(range.begin + by), range.end = static_cast<uint32_t>(range.end + by);
}
// The last entry of a sorted list that begins at or before the byte; -1 if there is none.
template <class List>
int32_t LastBefore(const List& list, size_t offset) {
  const auto it = std::upper_bound(list.begin(), list.end(), offset,
                                   [](size_t at, const auto& each) { return at < each.whole.begin; });
  return static_cast<int32_t>(it - list.begin()) - 1;
}
template <class List>
int32_t LastFrom(const List& list, int32_t first) {
  const auto it =
      std::upper_bound(list.begin(), list.end(), first, [](int32_t at, const auto& each) { return at < each.first; });
  return static_cast<int32_t>(it - list.begin()) - 1;
}

// Rereads the statements around an edit within a body; false if more text must be reread.
bool UpdateBody(Outline& outline, std::string_view text, Range replaced, size_t size) {
  if (outline.unclosed < replaced.end || replaced.begin == 0) return false;
  // An edit at the first byte of a statement may affect the previous one.
  int32_t first = LastBefore(outline.instructions, replaced.begin - 1);
  const int32_t c = LastBefore(outline.computations, replaced.begin);
  if (first < 0 || c < 0) return false;
  Outline::Computation& computation = outline.computations[static_cast<size_t>(c)];
  if (first < computation.first || first >= computation.end || replaced.end >= computation.whole.end) return false;
  // A half-written statement ends where the next one begins.
  if (first > computation.first) --first;
  const int64_t by = static_cast<int64_t>(size) - (replaced.end - replaced.begin);
  const size_t edit_end = replaced.begin + size;
  int32_t next = first;
  Outline found;
  Reader reader(text, found, nullptr, nullptr);
  const bool joined =
      reader.ReadStatements(outline.instructions[static_cast<size_t>(first)].whole.begin, [&](size_t at) {
        if (at < edit_end || (at == edit_end && text[at] != '}')) return false;
        const auto before = static_cast<size_t>(static_cast<int64_t>(at) - by);
        while (next < computation.end && outline.instructions[static_cast<size_t>(next)].whole.begin < before) ++next;
        if (next < computation.end) return outline.instructions[static_cast<size_t>(next)].whole.begin == before;
        return text[at] == '}' && before + 1 == computation.whole.end;
      });
  outline.bytes_read += found.bytes_read;
  if (!joined || found.unclosed != UINT32_MAX) return false;
  const auto begin = outline.instructions.begin();
  const int32_t more = static_cast<int32_t>(found.instructions.size()) - (next - first);
  if (more == 0) {
    std::copy(found.instructions.begin(), found.instructions.end(), begin + first);
  } else {
    outline.instructions.erase(begin + first, begin + next);
    // Avoids the doubling of capacity, which would be large compared with the text.
    const size_t count = outline.instructions.size() + found.instructions.size();
    if (count > outline.instructions.capacity()) outline.instructions.reserve(count + 1000);
    outline.instructions.insert(outline.instructions.begin() + first, found.instructions.begin(),
                                found.instructions.end());
  }
  for (size_t k = static_cast<size_t>(next + more); k < outline.instructions.size(); ++k) {
    Outline::Instruction& i = outline.instructions[k];
    for (Range* range : {&i.name, &i.shape, &i.opcode, &i.metadata, &i.whole}) Move(*range, by);
  }
  computation.end += more;
  computation.whole.end = static_cast<uint32_t>(computation.whole.end + by);
  for (size_t k = static_cast<size_t>(c) + 1; k < outline.computations.size(); ++k) {
    Outline::Computation& later = outline.computations[k];
    Move(later.name, by), Move(later.whole, by);
    later.first += more, later.end += more;
  }
  for (Outline::Module& module : outline.modules) {
    if (module.first > c) Move(module.name, by), module.whole.begin = static_cast<uint32_t>(module.whole.begin + by);
    if (module.end > c) module.whole.end = static_cast<uint32_t>(module.whole.end + by);
  }
  if (outline.unclosed != UINT32_MAX) outline.unclosed = static_cast<uint32_t>(outline.unclosed + by);
  return true;
}

// The target of each spot, in the scope of its computation for instructions, of its module for computations.
void Resolve(const Outline& outline, std::string_view text, int32_t c, std::vector<Spot>::iterator first,
             std::vector<Spot>::iterator end) {
  using Names = std::unordered_map<std::string_view, int32_t>;
  Names instructions, computations;
  for (auto spot = first; spot != end; ++spot) {
    if (spot->kind == Spot::Kind::kInstruction) instructions.emplace(spot->range.In(text), -1);
    if (spot->kind == Spot::Kind::kComputation) computations.emplace(spot->range.In(text), -1);
  }
  // Of several of one name, the first.
  const auto look = [&](Names& names, std::string_view name, int32_t index) {
    if (const auto it = names.find(name); it != names.end() && it->second < 0) it->second = index;
  };
  const Outline::Computation& scope = outline.computations[static_cast<size_t>(c)];
  for (int32_t k = scope.first; !instructions.empty() && k < scope.end; ++k)
    look(instructions, outline.instructions[static_cast<size_t>(k)].name.In(text), k);
  const Outline::Module& module = outline.modules[static_cast<size_t>(outline.ModuleOf(c))];
  for (int32_t k = module.first; !computations.empty() && k < module.end; ++k)
    look(computations, outline.computations[static_cast<size_t>(k)].name.In(text), k);
  for (auto spot = first; spot != end; ++spot) {
    if (spot->kind == Spot::Kind::kInstruction)
      spot->target = spot->defines ? spot->owner : instructions.at(spot->range.In(text));
    if (spot->kind == Spot::Kind::kComputation)
      spot->target = spot->defines ? c : computations.at(spot->range.In(text));
  }
}

// The spots of a computation's head (`head`) and of some of its instructions, without targets.
std::vector<Spot> RawSpots(const Outline& outline, std::string_view text, int32_t c, bool head, int32_t first,
                           int32_t end) {
  std::vector<Spot> spots;
  Outline unused;
  Reader reader(text, unused, &spots, nullptr);
  if (head) reader.ReadHeadAt(outline.computations[static_cast<size_t>(c)].whole.begin);
  for (int32_t i = first; i < end; ++i) {
    const size_t before = spots.size();
    reader.ReadStatementAt(outline.instructions[static_cast<size_t>(i)].whole.begin);
    for (size_t k = before; k < spots.size(); ++k) spots[k].owner = i;
  }
  return spots;
}

}  // namespace

Outline ReadOutline(std::string_view text) {
  Outline outline;
  Reader(text, outline, nullptr, nullptr).ReadAll();
  outline.instructions.shrink_to_fit();
  return outline;
}

void UpdateOutline(Outline& outline, std::string_view text, Range replaced, size_t size) {
  if (UpdateBody(outline, text, replaced, size)) return;
  const size_t before = outline.bytes_read;
  outline = ReadOutline(text);
  outline.bytes_read += before;
}

std::vector<Outline::Edit> LayoutOf(std::string_view text) {
  Outline outline;
  std::vector<Outline::Edit> layout;
  Reader(text, outline, nullptr, &layout).ReadAll();
  // Removes duplicates from text that was read twice.
  std::stable_sort(layout.begin(), layout.end(), [](const auto& a, const auto& b) {
    return std::pair(a.range.begin, a.range.end) < std::pair(b.range.begin, b.range.end);
  });
  size_t kept = 0;
  for (const Outline::Edit& edit : layout)
    if (kept == 0 || edit.range.begin > layout[kept - 1].range.end) layout[kept++] = edit;
  layout.resize(kept);
  return layout;
}

std::vector<Spot> SpotsIn(const Outline& outline, std::string_view text, Range within) {
  std::vector<Spot> all;
  const int32_t count = static_cast<int32_t>(outline.computations.size());
  for (int32_t c = std::max(LastBefore(outline.computations, within.begin), 0); c < count; ++c) {
    const Outline::Computation& computation = outline.computations[static_cast<size_t>(c)];
    if (computation.whole.begin > within.end) break;
    const int32_t first = std::max(LastBefore(outline.instructions, within.begin), computation.first);
    const int32_t end = std::min(LastBefore(outline.instructions, within.end) + 1, computation.end);
    // The head ends before the first statement, if there is one.
    const bool head = within.begin <= computation.name.end || first == computation.first;
    const std::vector<Spot> spots = RawSpots(outline, text, c, head, first, end);
    const auto before = static_cast<std::ptrdiff_t>(all.size());
    for (const Spot& spot : spots)
      if (spot.range.begin <= within.end && spot.range.end >= within.begin) all.push_back(spot);
    Resolve(outline, text, c, all.begin() + before, all.end());
  }
  return all;
}

std::optional<Spot> SpotAt(const Outline& outline, std::string_view text, size_t offset) {
  const auto at = static_cast<uint32_t>(std::min(offset, text.size()));
  const std::vector<Spot> spots = SpotsIn(outline, text, {at, at});
  return spots.empty() ? std::nullopt : std::optional(spots.back());
}

std::vector<Spot> SpotsOf(const Outline& outline, std::string_view text, Spot::Kind kind, int32_t target) {
  const bool is_instruction = kind == Spot::Kind::kInstruction;
  const int32_t c = is_instruction ? outline.ComputationOf(target) : target;
  const Outline::Module& module = outline.modules[static_cast<size_t>(outline.ModuleOf(c))];
  const std::string_view name = is_instruction ? outline.instructions[static_cast<size_t>(target)].name.In(text)
                                               : outline.computations[static_cast<size_t>(c)].name.In(text);
  std::vector<Spot> found;
  if (name.empty()) return found;
  // Reads the statements that contain the name (possibly in a string) for spots.
  for (int32_t scope = is_instruction ? c : module.first; scope < (is_instruction ? c + 1 : module.end); ++scope) {
    const Outline::Computation& computation = outline.computations[static_cast<size_t>(scope)];
    int32_t last = -2;  // the statement, or head, that was read
    for (size_t at = computation.whole.begin; (at = text.find(name, at)) < computation.whole.end;) {
      const size_t end = at + name.size();
      const bool is_word = (at == 0 || !IsWordPart(text[at - 1])) && (end == text.size() || !IsWordPart(text[end]));
      const int32_t i = LastBefore(outline.instructions, at);
      const bool head = i < computation.first;
      at = end;
      const int32_t place = head ? -1 : i;
      if (!is_word || place == last) continue;
      last = place;
      std::vector<Spot> spots = RawSpots(outline, text, scope, head, head ? 0 : i, head ? 0 : i + 1);
      for (Spot& spot : spots) {
        if (spot.kind != kind || spot.range.In(text) != name) continue;
        if (spot.defines && (is_instruction ? spot.owner : scope) != target) continue;  // another of that name
        spot.target = target;
        found.push_back(spot);
      }
    }
  }
  return found;
}

int32_t Outline::InstructionAt(size_t offset) const {
  const int32_t k = LastBefore(instructions, offset);
  return k >= 0 && instructions[static_cast<size_t>(k)].whole.Has(offset) ? k : -1;
}
int32_t Outline::ComputationAt(size_t offset) const {
  const int32_t k = LastBefore(computations, offset);
  return k >= 0 && computations[static_cast<size_t>(k)].whole.Has(offset) ? k : -1;
}
int32_t Outline::ComputationOf(int32_t instruction) const { return LastFrom(computations, instruction); }
int32_t Outline::ModuleOf(int32_t computation) const { return LastFrom(modules, computation); }

}  // namespace hloir::lsp
