// Document: a text in an editor, with its outline, its modules as far as they parse (or as they last parsed), and the
// errors of parser and verifier. Positions are the protocol's: lines and UTF-16 units (or bytes, if the client takes
// those), both from 0. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/inspect.h"
#include "hloir/module.h"
#include "lsp/outline.h"

namespace hloir::lsp {

struct Position {
  int64_t line = 0, character = 0;
};
struct Diagnostic {
  enum class Severity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };
  Range range;
  Severity severity = Severity::kError;
  std::string_view source;  // "parser", "verifier", "unused"
  std::string message;
};

class Document {
 public:
  Document(std::string text, bool utf8_positions);

  const std::string& text() const { return *text_; }
  const Outline& outline() const { return outline_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  bool parses() const { return parses_; }

  // Positions beyond a line's end are its end, and beyond the text's the text's.
  size_t OffsetOf(Position position) const;
  Position PositionOf(size_t offset) const;
  // Replaces the text from `begin` to `end`, or all of it. Finish parses the whole text again.
  void Replace(size_t begin, size_t end, std::string_view by);
  void ReplaceAll(std::string text);
  void Finish();

  // The parsed modules; nullptr: the text never parsed. Valid until the next Finish.
  const HloInstruction* InstructionOf(int32_t index) const { return linked_[static_cast<size_t>(index)]; }
  const HloComputation* ComputationOf(int32_t index) const { return linked_computations_[static_cast<size_t>(index)]; }
  // nullptr for a module that is not legal HLO, of which nothing can be counted.
  const ModuleStats* StatsOf(const HloModule& module) const;

 private:
  void IndexLines();
  void Link();
  Diagnostic ParserError(const std::string& whole) const;
  void AddParserErrors(const std::string& first);
  void Diagnose();
  size_t LineEnd(size_t line) const;

  std::shared_ptr<const std::string> text_;
  std::string edited_;  // between Replace and Finish
  bool utf8_, parses_ = false;
  std::vector<size_t> line_starts_;
  mutable std::pair<size_t, int64_t> last_;  // an offset, and its column
  Outline outline_;
  std::vector<std::unique_ptr<HloModule>> modules_;
  std::vector<const HloInstruction*> linked_;
  std::vector<const HloComputation*> linked_computations_;
  std::vector<Diagnostic> diagnostics_;
  std::vector<bool> legal_;  // of modules_
  mutable std::vector<std::unique_ptr<ModuleStats>> stats_;
};

}  // namespace hloir::lsp
