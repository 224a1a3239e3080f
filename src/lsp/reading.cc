// See reading.h.
#include "lsp/reading.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "hloir/inspect.h"
#include "hloir/parser.h"
#include "hloir/verifier.h"

namespace hloir::lsp {
namespace {

// Options for texts in an editor.
ParserOptions EditorOptions() {
  ParserOptions options;
  options.file_name = "";
  options.max_literal_bytes = int64_t{1} << 28;
  return options;
}

bool IsNamePart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_.-").find(c) != std::string_view::npos;
}

// Positions of lines. The lines are counted at the first request, because most texts have no error.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}

  // The word at a line and column, both from 1.
  Range Word(int64_t line, int64_t column) {
    const Range row = Row(line);
    const size_t begin = std::min<size_t>(row.begin + static_cast<size_t>(std::max<int64_t>(column, 1)) - 1, row.end);
    size_t end = std::min<size_t>(begin + 1, row.end);
    while (end < row.end && IsNamePart(text_[end])) ++end;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  // The name defined on a line: `name`, or the first word of the line if the parser renamed it.
  Range Definition(int64_t line, std::string_view name) {
    const Range row = Row(line);
    const std::string_view text = row.In(text_);
    const auto found = [&](size_t at, size_t size) {
      return Range{row.begin + static_cast<uint32_t>(at), row.begin + static_cast<uint32_t>(at + size)};
    };
    for (size_t at = text.find(name); !name.empty() && at < text.size(); at = text.find(name, at + 1)) {
      const size_t end = at + name.size(), next = text.find_first_not_of(" \t", end);
      if ((at == 0 || !IsNamePart(text[at - 1])) && next < text.size() && text[next] == '=') return found(at, end - at);
    }
    size_t at = std::min(text.find_first_not_of(" \t"), text.size());
    if (text.substr(at).starts_with("ROOT ")) at = std::min(text.find_first_not_of(" \t", at + 5), text.size());
    at += at < text.size() && text[at] == '%';
    size_t end = at;
    while (end < text.size() && IsNamePart(text[end])) ++end;
    return found(at, end - at);
  }

 private:
  Range Row(int64_t line) {
    if (starts_.empty()) {
      starts_.push_back(0);
      for (size_t at = text_.find('\n'); at != std::string_view::npos; at = text_.find('\n', at + 1))
        starts_.push_back(static_cast<uint32_t>(at + 1));
    }
    const size_t row = std::min(static_cast<size_t>(std::max<int64_t>(line, 1)) - 1, starts_.size() - 1);
    size_t end = row + 1 < starts_.size() ? starts_[row + 1] - 1 : text_.size();
    if (end > starts_[row] && text_[end - 1] == '\r') --end;
    return {starts_[row], static_cast<uint32_t>(end)};
  }

  std::string_view text_;
  std::vector<uint32_t> starts_;
};

// "FILE:LINE:COLUMN: error: MESSAGE
// SOURCE
//   ^": the parser's message, at the word of its position.
Diagnostic ParserError(Places& places, const std::string& whole) {
  const char* at = whole.c_str() + whole.find(':') + 1;
  char* end = nullptr;
  const int64_t line = std::strtoll(at, &end, 10);
  const int64_t column = *end == ':' ? std::strtoll(end + 1, &end, 10) : 1;
  const size_t message = whole.find("error: ");
  std::string text = message == std::string::npos ? whole : whole.substr(message + 7);
  text.resize(std::min(text.find('\n'), text.size()));
  return {places.Word(line, column), Diagnostic::Severity::kError, "parser", std::move(text)};
}

// The parser stops at the first error. To report later errors, the text is parsed again with that instruction replaced
// by one of the same name and shape without operands and attributes. This ends at an instruction that cannot be
// replaced: one with a missing or wrong shape, or a parameter.
void AddParserErrors(Reading& reading, Places& places, const std::string& first) {
  constexpr size_t kMostErrors = 20, kMostBytes = size_t{4} << 20;  // read again, as somebody waits
  const std::string_view whole = *reading.text;
  std::vector<Diagnostic>& diagnostics = reading.diagnostics;
  diagnostics.push_back(ParserError(places, first));
  if (whole.size() > kMostBytes) return;
  const Outline outline = ReadOutline(whole);
  std::set<int32_t> stood_for;
  for (size_t bytes = whole.size(); diagnostics.size() < kMostErrors && bytes <= kMostBytes; bytes += whole.size()) {
    const int32_t wrong = outline.InstructionAt(diagnostics.back().range.begin);
    if (wrong < 0) return;
    const Outline::Instruction& instruction = outline.instructions[static_cast<size_t>(wrong)];
    if (instruction.shape.empty() || instruction.opcode.In(whole) == "parameter") return;
    stood_for.insert(wrong);
    std::string text;
    size_t at = 0;
    for (const int32_t k : stood_for) {
      const Outline::Instruction& i = outline.instructions[static_cast<size_t>(k)];
      text.append(whole.substr(at, i.shape.end - at)).append(" custom-call(), custom_call_target=\"?\"");
      // Lines keep their numbers.
      text.append(static_cast<size_t>(std::count(whole.begin() + i.shape.end, whole.begin() + i.whole.end, '\n')),
                  '\n');
      at = i.whole.end;
    }
    text += whole.substr(at);
    const auto again = ParseModules(std::make_shared<const std::string>(std::move(text)), EditorOptions());
    if (again.ok()) return;
    Diagnostic next = ParserError(places, again.status().message());
    if (stood_for.contains(outline.InstructionAt(next.range.begin))) return;
    diagnostics.push_back(std::move(next));
  }
}

void Verify(Reading& reading, Places& places) {
  for (const std::unique_ptr<HloModule>& module : reading.modules) {
    VerifierOptions options;
    options.max_errors = 100;
    std::vector<VerifierError> errors = VerifyModuleAll(*module, options);
    reading.legal.push_back(errors.empty());
    const auto place = [&](const HloInstruction* i) {
      if (i != nullptr) return places.Definition(i->line(), i->name());
      // The header's name.
      size_t at = reading.text->find("HloModule " + std::string(module->name()));
      if (at == std::string::npos) return Range{};
      at += std::string_view("HloModule ").size();
      return Range{static_cast<uint32_t>(at), static_cast<uint32_t>(at + module->name().size())};
    };
    for (VerifierError& error : errors)
      reading.diagnostics.push_back(
          {place(error.instruction), Diagnostic::Severity::kError, "verifier", std::move(error.message)});
    for (const HloComputation* computation : module->computations())
      for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
        if (i->line() > 0 && IsDead(*i))
          reading.diagnostics.push_back({place(i), Diagnostic::Severity::kHint, "unused", "nothing uses this"});
  }
}

}  // namespace

Reading ReadModules(std::shared_ptr<const std::string> text) {
  Reading reading;
  reading.text = std::move(text);
  Places places(*reading.text);
  auto modules = ParseModules(reading.text, EditorOptions());
  const Status strict = modules.status();
  if (!modules.ok()) {
    // The text may be from a newer XLA: unknown names are warnings if there is no other error.
    ParserOptions options = EditorOptions();
    options.allow_unknown = true;
    modules = ParseModules(reading.text, options);
  }
  reading.parses = modules.ok();
  if (reading.text->find_first_not_of(" \t\r\n") == std::string::npos) return reading;  // nothing is not wrong
  if (!strict.ok()) AddParserErrors(reading, places, strict.message());
  if (!modules.ok()) return reading;
  reading.modules = *std::move(modules);
  Verify(reading, places);
  return reading;
}

}  // namespace hloir::lsp
