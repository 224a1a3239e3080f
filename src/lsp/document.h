// Document: a text in an editor, with its outline, which is updated on each edit, and the last Reading of parser and
// verifier, which may be of an earlier version of the text. Positions are the protocol's: lines and UTF-16 units (or
// bytes, if the client takes those), both from 0. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/inspect.h"
#include "hloir/module.h"
#include "lsp/outline.h"
#include "lsp/reading.h"

namespace hloir::lsp {

struct Position {
  int64_t line = 0, character = 0;
};

class Document {
 public:
  // If `reads`, parses the text at once; otherwise Install provides the reading.
  Document(std::string text, bool utf8_positions, bool reads = true);

  const std::string& text() const { return *text_; }
  const Outline& outline() const { return outline_; }
  const std::vector<Diagnostic>& diagnostics() const { return reading_.diagnostics; }
  bool parses() const { return reading_.parses; }

  // Positions beyond the end of a line or of the text are clamped to it.
  size_t OffsetOf(Position position) const;
  Position PositionOf(size_t offset) const;
  // Replaces the text from `begin` to `end`, or all of it. Does not change the reading. After many edits, the outline
  // is read anew at the last one.
  enum class Outlining { kFollow, kWait };
  void Replace(size_t begin, size_t end, std::string_view by, Outlining outlining = Outlining::kFollow);
  void ReplaceAll(std::string text);
  void OutlineAnew();
  // Parses and verifies the text.
  void Read() { Install(ReadModules(text_)); }

  // For reading in another thread: the text, and the resulting reading. Install returns false and changes nothing if
  // the text was edited since.
  std::shared_ptr<const std::string> snapshot() const { return text_; }
  bool Install(Reading reading);

  // The modules of the last reading; nullptr if no version parsed. Valid until the next edit or Install.
  const HloInstruction* InstructionOf(int32_t index) const;
  const HloComputation* ComputationOf(int32_t index) const;
  // The costs; nullptr for an illegal module and for a very long text.
  const ModuleStats* StatsOf(const HloModule& module) const;

 private:
  // The instructions of a computation, by name; of a module, by line.
  using ByName = std::vector<std::pair<uint32_t, const HloInstruction*>>;
  using ByLine = std::vector<std::pair<int32_t, const HloInstruction*>>;

  void Forget();
  void IndexLines();
  size_t LineEnd(size_t line) const;
  int32_t LineOf(size_t offset) const;  // from 1
  const HloModule* ModuleOf(int32_t computation) const;
  bool IsCurrent() const { return reading_.parses && read_version_ == version_; }

  std::shared_ptr<std::string> text_;  // shared with the reading until the next edit
  bool utf8_;
  int64_t version_ = 0, read_version_ = -1;
  std::vector<uint32_t> line_starts_;
  mutable std::pair<size_t, int64_t> last_;  // an offset, and its column
  Outline outline_;
  Reading reading_;
  mutable std::unordered_map<const HloComputation*, ByName> by_name_;
  mutable std::unordered_map<const HloModule*, ByLine> by_line_;
  mutable std::vector<std::unique_ptr<ModuleStats>> stats_;
};

}  // namespace hloir::lsp
