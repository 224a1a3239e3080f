// See outline.h. The text is read once, from left to right; whatever is not understood is stepped over, one token at a
// time, until something is again.
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

// The attributes that name computations, and the form of their value: a name, or several in braces.
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
  explicit Reader(std::string_view text) : text_(text) {}

  Outline Read() {
    while (Skip(), at_ < text_.size()) {
      const size_t before = at_;
      ReadTop();
      at_ += at_ == before;
    }
    EndModule();
    if (gap_begin_ > 0 && gap_begin_ < at_) Lay(gap_begin_, at_, gap_has_comment_, "\n");
    // Text that was read twice may have been recorded twice.
    auto& layout = outline_.layout;
    std::stable_sort(layout.begin(), layout.end(), [](const auto& a, const auto& b) {
      return std::pair(a.range.begin, a.range.end) < std::pair(b.range.begin, b.range.end);
    });
    size_t kept = 0;
    for (const Outline::Edit& edit : layout)
      if (kept == 0 || edit.range.begin > layout[kept - 1].range.end) layout[kept++] = edit;
    layout.resize(kept);
    return std::move(outline_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Range From(size_t begin) const { return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}; }

  // Blanks and comments; gap_ has their range, and whether there were comments.
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
  // Skips, and notes that formatting would have `wanted` there. Breaks within a line's parts are the author's.
  void SkipTo(std::string_view wanted) {
    Skip();
    const std::string_view gap = text_.substr(gap_begin_, at_ - gap_begin_);
    if (gap_has_comment_ || gap == wanted) return;
    if (!wanted.starts_with('\n') && gap.find('\n') != std::string_view::npos) return;
    outline_.layout.push_back({From(gap_begin_), wanted});
  }

  // True if the comment that begins here ends.
  bool AtComment() {
    if (text_[at_] != '/' || Peek(1) != '*' || !comments_end_) return false;
    comments_end_ = text_.find("*/", at_ + 2) != std::string_view::npos;
    return comments_end_;
  }
  // The limit of the search for an end, after one without an end: searching the whole text for each would take
  // quadratic time.
  static constexpr size_t kNear = 1024;
  // At a quote: past the string, or past the quote if it has no end.
  void SkipString() {
    const char quote = text_[at_];
    bool& ends = quote == '"' ? strings_end_ : no_;
    size_t p = at_ + 1;
    for (; p < text_.size() && (ends || (text_[p] != '\n' && p - at_ < kNear)); ++p) {
      if (text_[p] == '\\') {
        ++p;
      } else if (text_[p] == quote) {
        at_ = p + 1;
        return;
      }
    }
    if (p >= text_.size()) ends = false;
    ++at_;
  }
  // At an opening bracket: past the one that closes it, or to the end of the line if none does.
  void SkipBalanced() {
    const size_t start = at_;
    int64_t depth = 0;
    while (at_ < text_.size() && (brackets_end_ || (text_[at_] != '\n' && at_ - start < kNear))) {
      const char c = text_[at_];
      if (c == '"') {
        SkipString();
        continue;
      }
      if (AtComment()) {
        at_ = text_.find("*/", at_ + 2) + 2;
        continue;
      }
      ++at_;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth <= 0) return;
    }
    if (at_ >= text_.size()) brackets_end_ = false;
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
  int32_t LineOf(size_t offset) {
    line_ += static_cast<int32_t>(std::count(text_.begin() + static_cast<ptrdiff_t>(line_at_),
                                             text_.begin() + static_cast<ptrdiff_t>(offset), '\n'));
    line_at_ = offset;
    return line_;
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
    const bool is_entry = name.In(text_) == "ENTRY";
    if (is_entry) {
      SkipTo(" ");
      name = ReadName();
      if (name.empty()) return;
    }
    Outline::Computation computation;
    computation.name = name, computation.is_entry = is_entry;
    const size_t first_spot = outline_.spots.size(), first_edit = outline_.layout.size();
    outline_.spots.push_back(
        {name, Spot::Kind::kComputation, true, static_cast<int32_t>(outline_.computations.size()), -1});
    Skip();
    const bool has_parameters = Peek() == '(';
    if (has_parameters) {
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
    if (!NextIs('{', " ")) {  // it was none
      outline_.spots.resize(first_spot), outline_.layout.resize(first_edit);
      return;
    }
    Lay(gap_begin, begin, gap_has_comment, gap_begin > 0 ? "\n\n" : "");
    ++at_;
    if (outline_.modules.empty()) outline_.modules.push_back({});
    computation.module = static_cast<int32_t>(outline_.modules.size()) - 1;
    computation.line = LineOf(name.begin);
    computation.first = static_cast<int32_t>(outline_.instructions.size());
    ReadBody(static_cast<int32_t>(outline_.computations.size()));
    computation.whole = From(begin);
    computation.end = static_cast<int32_t>(outline_.instructions.size());
    outline_.computations.push_back(computation);
    ResolveInstructions(computation, first_spot);
    while (NextIs(',')) ReadAttribute(-1);  // execution_thread="…"
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

  void ReadBody(int32_t computation) {
    bool first = true;
    while (true) {
      Skip();
      const size_t gap_begin = gap_begin_;
      const bool has_comment = gap_has_comment_;
      if (at_ >= text_.size()) return;
      const bool closes = Peek() == '}';
      const size_t begin = at_;
      if (closes) {
        Lay(gap_begin, begin, has_comment, "\n");
        ++at_;
        return;
      }
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
        // `}` of a body that was never closed: the next text looks like another head.
        at_ = std::max(after_name, begin);
        if (LooksLikeHead(begin)) {
          at_ = begin;
          return;
        }
        if (at_ == begin) SkipToken();
        continue;
      }
      // One blank line between statements is the author's.
      const std::string_view gap = text_.substr(gap_begin, begin - gap_begin);
      const bool keeps_line = !first && std::count(gap.begin(), gap.end(), '\n') > 1;
      Lay(gap_begin, begin, has_comment, keeps_line ? "\n\n  " : "\n  ");
      first = false;
      ReadInstruction(computation, begin, name, is_root);
    }
  }
  void Lay(size_t begin, size_t end, bool has_comment, std::string_view wanted) {
    if (!has_comment && text_.substr(begin, end - begin) != wanted)
      outline_.layout.push_back({{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, wanted});
  }
  // `ENTRY …`, `HloModule …` or `name (…) -> … {` at the beginning of a line.
  bool LooksLikeHead(size_t begin) const {
    if (begin > 0 && text_[begin - 1] != '\n') return false;
    const std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
    return line.starts_with("ENTRY ") || line.starts_with("HloModule ") ||
           (line.find('=') == std::string_view::npos && line.ends_with('{'));
  }

  void ReadInstruction(int32_t computation, size_t begin, Range name, bool is_root) {
    const int32_t index = static_cast<int32_t>(outline_.instructions.size());
    outline_.instructions.push_back({});
    outline_.instructions.back().name = name;
    outline_.instructions.back().computation = computation;
    outline_.instructions.back().is_root = is_root;
    outline_.instructions.back().line = LineOf(name.begin);
    AddSpot(name, Spot::Kind::kInstruction, true, index);
    outline_.spots.back().target = index;
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

  // A type with dimensions and layout, or a tuple of such; nothing if there is none.
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
      if (first) SkipTo("");
      else Skip();
      first = false;
      if (at_ >= text_.size()) return;
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
        return;  // the next instruction: this one has no end
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
  // Blanks before a comma or parenthesis are none.
  void SkipToEnd() {
    const size_t before = at_;
    Skip();
    const bool ends = Peek() == ',' || Peek() == ')';
    at_ = before;
    if (ends) SkipTo("");
  }

  // At ",": name=value. Of a computation's or module's head: owner -1.
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
  // A name, or names in braces. A body in place is stepped over.
  void ReadNames(Spot::Kind kind, int32_t owner) {
    if (Peek() != '{') {
      const Range name = ReadName();
      if (!name.empty()) AddSpot(name, kind, false, owner);
      return;
    }
    const size_t begin = at_, first_spot = outline_.spots.size();
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
        outline_.spots.resize(first_spot);
        at_ = begin;
        return SkipBalanced();
      }
      AddSpot(name, kind, false, owner);
      if (Peek() == ',') ++at_;
    }
  }

  void AddSpot(Range range, Spot::Kind kind, bool defines, int32_t owner) {
    outline_.spots.push_back({range, kind, defines, -1, owner});
  }

  void ResolveInstructions(const Outline::Computation& computation, size_t first_spot) {
    names_.clear();
    for (int32_t k = computation.first; k < computation.end; ++k)
      names_.emplace(outline_.instructions[static_cast<size_t>(k)].name.In(text_), k);
    for (size_t k = first_spot; k < outline_.spots.size(); ++k) {
      Spot& spot = outline_.spots[k];
      if (spot.kind != Spot::Kind::kInstruction || spot.defines) continue;
      if (const auto it = names_.find(spot.range.In(text_)); it != names_.end()) spot.target = it->second;
    }
  }
  void EndModule() {
    if (outline_.modules.empty()) return;
    Outline::Module& module = outline_.modules.back();
    module.end = static_cast<int32_t>(outline_.computations.size());
    module.whole.end = module.first < module.end ? outline_.computations.back().whole.end : module.name.end;
    names_.clear();
    for (int32_t k = module.first; k < module.end; ++k)
      names_.emplace(outline_.computations[static_cast<size_t>(k)].name.In(text_), k);
    for (; first_unresolved_ < outline_.spots.size(); ++first_unresolved_) {
      Spot& spot = outline_.spots[first_unresolved_];
      if (spot.kind != Spot::Kind::kComputation || spot.defines) continue;
      if (const auto it = names_.find(spot.range.In(text_)); it != names_.end()) spot.target = it->second;
    }
  }

  std::string_view text_;
  size_t at_ = 0, gap_begin_ = 0, line_at_ = 0, first_unresolved_ = 0;
  int32_t line_ = 1;
  bool gap_has_comment_ = false, strings_end_ = true, comments_end_ = true, brackets_end_ = true, no_ = false;
  std::unordered_map<std::string_view, int32_t> names_;
  Outline outline_;
};

}  // namespace

Outline ReadOutline(std::string_view text) { return Reader(text).Read(); }

const Spot* Outline::SpotAt(size_t offset) const {
  auto it = std::upper_bound(spots.begin(), spots.end(), offset,
                             [](size_t at, const Spot& spot) { return at < spot.range.begin; });
  if (it == spots.begin()) return nullptr;
  --it;
  return it->range.Has(offset) ? &*it : nullptr;
}

int32_t Outline::InstructionAt(size_t offset) const {
  auto it = std::upper_bound(instructions.begin(), instructions.end(), offset,
                             [](size_t at, const Instruction& i) { return at < i.whole.begin; });
  if (it == instructions.begin()) return -1;
  --it;
  return it->whole.Has(offset) ? static_cast<int32_t>(it - instructions.begin()) : -1;
}

std::vector<const Spot*> Outline::SpotsOf(Spot::Kind kind, int32_t target) const {
  std::vector<const Spot*> found;
  for (const Spot& spot : spots)
    if (spot.kind == kind && spot.target == target) found.push_back(&spot);
  return found;
}

}  // namespace hloir::lsp
