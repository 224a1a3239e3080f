// See document.h.
#include "lsp/document.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "hloir/parser.h"
#include "hloir/verifier.h"

namespace hloir::lsp {
namespace {

// A text in an editor is written by hand, or at least looked at.
ParserOptions EditorOptions() {
  ParserOptions options;
  options.file_name = "";
  options.max_literal_bytes = int64_t{1} << 28;
  return options;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// UTF-16 units of the code point, or broken byte, that begins with `c`.
int64_t Units(char c) { return IsContinuation(c) ? 0 : static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1; }

}  // namespace

Document::Document(std::string text, bool utf8_positions) : edited_(std::move(text)), utf8_(utf8_positions) {
  IndexLines();
  Finish();
}

void Document::IndexLines() {
  line_starts_.assign(1, 0);
  for (size_t at = edited_.find('\n'); at != std::string::npos; at = edited_.find('\n', at + 1))
    line_starts_.push_back(at + 1);
  last_ = {};
}

size_t Document::LineEnd(size_t line) const {
  size_t end = line + 1 < line_starts_.size() ? line_starts_[line + 1] - 1 : edited_.size();
  if (end > line_starts_[line] && edited_[end - 1] == '\r') --end;
  return end;
}

size_t Document::OffsetOf(Position position) const {
  if (position.line < 0) return 0;
  if (position.line >= static_cast<int64_t>(line_starts_.size())) return edited_.size();
  const size_t line = static_cast<size_t>(position.line), end = LineEnd(line);
  size_t at = line_starts_[line];
  if (utf8_) return std::min(at + static_cast<size_t>(std::max<int64_t>(position.character, 0)), end);
  int64_t left = position.character;
  while (at < end && left > 0) {
    left -= Units(edited_[at++]);
    while (at < end && IsContinuation(edited_[at])) ++at;
  }
  return at;
}

Position Document::PositionOf(size_t offset) const {
  offset = std::min(offset, edited_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const size_t start = *(next - 1);
  Position position{next - line_starts_.begin() - 1, 0};
  if (utf8_) {
    position.character = static_cast<int64_t>(offset - start);
  } else {
    // Mostly they are asked for in order, and a line may be all of a text.
    size_t at = start;
    if (last_.first >= start && last_.first <= offset) at = last_.first, position.character = last_.second;
    for (; at < offset; ++at) position.character += Units(edited_[at]);
    last_ = {offset, position.character};
  }
  return position;
}

void Document::Replace(size_t begin, size_t end, std::string_view by) {
  begin = std::min(begin, edited_.size());
  end = std::clamp(end, begin, edited_.size());
  edited_.replace(begin, end - begin, by);
  IndexLines();
}

void Document::ReplaceAll(std::string text) {
  edited_ = std::move(text);
  IndexLines();
}

void Document::Finish() {
  text_ = std::make_shared<const std::string>(edited_);
  outline_ = ReadOutline(*text_);
  diagnostics_.clear();
  stats_.clear();
  auto modules = ParseModules(text_, EditorOptions());
  const Status strict = modules.status();
  if (!modules.ok()) {
    // Text of a newer XLA, perhaps: unknown names are warnings, if there is no other error.
    ParserOptions options = EditorOptions();
    options.allow_unknown = true;
    modules = ParseModules(text_, options);
  }
  parses_ = modules.ok();
  if (parses_) modules_ = *std::move(modules);
  if (text_->find_first_not_of(" \t\r\n") == std::string::npos) modules_.clear();  // nothing is not wrong
  else if (!strict.ok()) AddParserErrors(strict.message());
  stats_.resize(modules_.size());
  Link();
  if (parses_) Diagnose();
}

// "FILE:LINE:COLUMN: error: MESSAGE
// SOURCE
//   ^": the parser's message, at the word where it stopped.
Diagnostic Document::ParserError(const std::string& whole) const {
  const char* at = whole.c_str() + whole.find(':') + 1;
  char* end = nullptr;
  const int64_t line = std::max(std::strtoll(at, &end, 10), 1LL) - 1;
  const int64_t column = std::max(*end == ':' ? std::strtoll(end + 1, &end, 10) : 1, 1LL) - 1;
  const size_t row = std::min(static_cast<size_t>(line), line_starts_.size() - 1), row_end = LineEnd(row);
  const size_t begin = std::min(line_starts_[row] + static_cast<size_t>(column), row_end);
  size_t stop = std::min(begin + 1, row_end);
  while (stop < row_end && (std::isalnum(static_cast<unsigned char>((*text_)[stop])) != 0 ||
                            std::string_view("_.-").find((*text_)[stop]) != std::string_view::npos))
    ++stop;
  const size_t message = whole.find("error: ");
  std::string text = message == std::string::npos ? whole : whole.substr(message + 7);
  text.resize(std::min(text.find('\n'), text.size()));
  return {{static_cast<uint32_t>(begin), static_cast<uint32_t>(stop)},
          Diagnostic::Severity::kError,
          "parser",
          std::move(text)};
}

// The parser ends with its first error. So the text is parsed again, with that instruction replaced by one of the same
// name and shape without operands and attributes; later errors are then reported, too. That ends at an instruction that
// cannot be replaced: its shape is missing or wrong, or it is a parameter, which is counted.
void Document::AddParserErrors(const std::string& first) {
  constexpr size_t kMostErrors = 20, kMostBytes = size_t{4} << 20;  // read again, as somebody waits
  diagnostics_.push_back(ParserError(first));
  std::set<int32_t> stood_for;
  for (size_t bytes = text_->size(); diagnostics_.size() < kMostErrors && bytes <= kMostBytes; bytes += text_->size()) {
    const int32_t wrong = outline_.InstructionAt(diagnostics_.back().range.begin);
    if (wrong < 0) return;
    const Outline::Instruction& instruction = outline_.instructions[static_cast<size_t>(wrong)];
    if (instruction.shape.empty() || instruction.opcode.In(*text_) == "parameter") return;
    stood_for.insert(wrong);
    std::string text;
    size_t at = 0;
    for (const int32_t k : stood_for) {
      const Outline::Instruction& i = outline_.instructions[static_cast<size_t>(k)];
      text += text_->substr(at, i.shape.end - at) + " custom-call(), custom_call_target=\"?\"";
      // Lines keep their numbers.
      text.append(static_cast<size_t>(std::count(text_->begin() + i.shape.end, text_->begin() + i.whole.end, '\n')),
                  '\n');
      at = i.whole.end;
    }
    text += text_->substr(at);
    const auto again = ParseModules(std::make_shared<const std::string>(std::move(text)), EditorOptions());
    if (again.ok()) return;
    Diagnostic next = ParserError(again.status().message());
    if (stood_for.contains(outline_.InstructionAt(next.range.begin))) return;
    diagnostics_.push_back(std::move(next));
  }
}

// By line and name if the text parses; else the last parsed instructions, by their names.
void Document::Link() {
  linked_.assign(outline_.instructions.size(), nullptr);
  linked_computations_.assign(outline_.computations.size(), nullptr);
  for (size_t m = 0; m < std::min(outline_.modules.size(), modules_.size()); ++m) {
    const HloModule& module = *modules_[m];
    const Outline::Module& outlined = outline_.modules[m];
    std::vector<std::pair<int32_t, const HloInstruction*>> by_line;
    std::vector<std::pair<int32_t, const HloComputation*>> computations_by_line;
    if (parses_) {
      for (const HloComputation* computation : module.computations()) {
        computations_by_line.emplace_back(computation->line(), computation);
        for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
          by_line.emplace_back(i->line(), i);
      }
      const auto by_first = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::stable_sort(by_line.begin(), by_line.end(), by_first);
      std::stable_sort(computations_by_line.begin(), computations_by_line.end(), by_first);
    }
    // Of those on the line, the one of that name; the parser distinguishes names that two computations share.
    const auto find = [](const auto& sorted, int32_t line, std::string_view name) {
      auto it =
          std::lower_bound(sorted.begin(), sorted.end(), line, [](const auto& a, int32_t l) { return a.first < l; });
      const auto first = it;
      for (; it != sorted.end() && it->first == line; ++it)
        if (it->second->name() == name) return it->second;
      for (it = first; it != sorted.end() && it->first == line; ++it)
        if (it->second->name().starts_with(name)) return it->second;
      return decltype(it->second){nullptr};
    };
    for (int32_t c = outlined.first; c < outlined.end; ++c) {
      const Outline::Computation& computation = outline_.computations[static_cast<size_t>(c)];
      const std::string_view name = computation.name.In(*text_);
      const HloComputation* known =
          parses_ ? find(computations_by_line, computation.line, name) : module.FindComputation(name);
      linked_computations_[static_cast<size_t>(c)] = known;
      for (int32_t i = computation.first; i < computation.end; ++i) {
        const Outline::Instruction& instruction = outline_.instructions[static_cast<size_t>(i)];
        const std::string_view called = instruction.name.In(*text_);
        linked_[static_cast<size_t>(i)] = parses_            ? find(by_line, instruction.line, called)
                                          : known != nullptr ? known->FindInstruction(called)
                                                             : nullptr;
      }
    }
  }
}

void Document::Diagnose() {
  std::vector<int32_t> of_id;
  legal_.clear();
  for (const std::unique_ptr<HloModule>& module : modules_) {
    of_id.assign(static_cast<size_t>(module->instruction_id_limit()), -1);
    for (size_t k = 0; k < linked_.size(); ++k)
      if (linked_[k] != nullptr && linked_[k]->module() == module.get())
        of_id[static_cast<size_t>(linked_[k]->id())] = static_cast<int32_t>(k);
    const auto place = [&](const HloInstruction* instruction) {
      const int32_t k = instruction == nullptr ? -1 : of_id[static_cast<size_t>(instruction->id())];
      if (k >= 0) return outline_.instructions[static_cast<size_t>(k)].name;
      // The header's line, or the first.
      for (size_t m = 0; m < modules_.size() && m < outline_.modules.size(); ++m)
        if (modules_[m] == module) return outline_.modules[m].name;
      return Range{};
    };
    VerifierOptions options;
    options.max_errors = 100;
    std::vector<VerifierError> errors = VerifyModuleAll(*module, options);
    legal_.push_back(errors.empty());
    for (VerifierError& error : errors)
      diagnostics_.push_back(
          {place(error.instruction), Diagnostic::Severity::kError, "verifier", std::move(error.message)});
    for (const HloInstruction* i : module->AllInstructions())
      if (of_id[static_cast<size_t>(i->id())] >= 0 && IsDead(*i))
        diagnostics_.push_back({place(i), Diagnostic::Severity::kHint, "unused", "nothing uses this"});
  }
}

const ModuleStats* Document::StatsOf(const HloModule& module) const {
  size_t m = 0;
  while (m + 1 < modules_.size() && modules_[m].get() != &module) ++m;
  if (!legal_[m]) return nullptr;
  if (stats_[m] == nullptr) stats_[m] = std::make_unique<ModuleStats>(*modules_[m]);
  return stats_[m].get();
}

}  // namespace hloir::lsp
