// See document.h.
#include "lsp/document.h"

#include <algorithm>
#include <functional>

namespace hloir::lsp {
namespace {

// For longer texts, modules are kept only until the next edit, and costs, which take more memory than the text, are not
// kept.
constexpr size_t kLongText = size_t{4} << 20;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// UTF-16 units of the code point, or broken byte, that begins with `c`.
int64_t Units(char c) { return IsContinuation(c) ? 0 : static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1; }

}  // namespace

Document::Document(std::string text, bool utf8_positions, bool reads) : utf8_(utf8_positions) {
  ReplaceAll(std::move(text));
  if (reads) Read();
}

void Document::IndexLines() {
  line_starts_.assign(1, 0);
  for (size_t at = text_->find('\n'); at != std::string::npos; at = text_->find('\n', at + 1))
    line_starts_.push_back(static_cast<uint32_t>(at + 1));
  last_ = {};
}

size_t Document::LineEnd(size_t line) const {
  size_t end = line + 1 < line_starts_.size() ? line_starts_[line + 1] - 1 : text_->size();
  if (end > line_starts_[line] && (*text_)[end - 1] == '\r') --end;
  return end;
}

size_t Document::OffsetOf(Position position) const {
  if (position.line < 0) return 0;
  if (position.line >= static_cast<int64_t>(line_starts_.size())) return text_->size();
  const size_t line = static_cast<size_t>(position.line), end = LineEnd(line);
  size_t at = line_starts_[line];
  if (utf8_) return std::min(at + static_cast<size_t>(std::max<int64_t>(position.character, 0)), end);
  int64_t left = position.character;
  while (at < end && left > 0) {
    left -= Units((*text_)[at++]);
    while (at < end && IsContinuation((*text_)[at])) ++at;
  }
  return at;
}

Position Document::PositionOf(size_t offset) const {
  offset = std::min(offset, text_->size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const size_t start = *(next - 1);
  Position position{next - line_starts_.begin() - 1, 0};
  if (utf8_) {
    position.character = static_cast<int64_t>(offset - start);
  } else {
    // Positions are usually requested in order, and a line may be a whole text.
    size_t at = start;
    if (last_.first >= start && last_.first <= offset) at = last_.first, position.character = last_.second;
    for (; at < offset; ++at) position.character += Units((*text_)[at]);
    last_ = {offset, position.character};
  }
  return position;
}

int32_t Document::LineOf(size_t offset) const {
  return static_cast<int32_t>(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) -
                              line_starts_.begin());
}

void Document::Replace(size_t begin, size_t end, std::string_view by, Outlining outlining) {
  begin = std::min(begin, text_->size());
  end = std::clamp(end, begin, text_->size());
  if (text_->size() > kLongText) Forget();
  if (text_.use_count() > 1) text_ = std::make_shared<std::string>(*text_);
  text_->replace(begin, end - begin, by);
  ++version_, last_ = {};
  // Replaces the lines that begin in the replaced bytes.
  const auto first = std::upper_bound(line_starts_.begin(), line_starts_.end(), begin);
  const auto next = std::upper_bound(first, line_starts_.end(), end);
  const auto more = static_cast<uint32_t>(by.size() - (end - begin));  // wraps, where it is less
  for (auto line = next; line != line_starts_.end(); ++line) *line += more;
  std::vector<uint32_t> starts;
  for (size_t at = by.find('\n'); at != std::string_view::npos; at = by.find('\n', at + 1))
    starts.push_back(static_cast<uint32_t>(begin + at + 1));
  line_starts_.insert(line_starts_.erase(first, next), starts.begin(), starts.end());
  if (outlining == Outlining::kWait) return;
  UpdateOutline(outline_, *text_, {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, by.size());
}

void Document::ReplaceAll(std::string text) {
  text_ = std::make_shared<std::string>(std::move(text));
  ++version_;
  IndexLines();
  OutlineAnew();
}

void Document::OutlineAnew() {
  const size_t before = outline_.bytes_read;
  outline_ = ReadOutline(*text_);
  outline_.bytes_read += before;
}

void Document::Forget() {
  stats_.clear(), by_name_.clear(), by_line_.clear();
  reading_.modules.clear(), reading_.legal.clear();
  reading_.text.reset();
  reading_.parses = false;
}

// A text that does not parse keeps the previous modules.
bool Document::Install(Reading reading) {
  if (reading.text != text_) return false;  // an edit copies a text that a reading shares
  if (!reading.parses) {
    reading.modules = std::move(reading_.modules), reading.legal = std::move(reading_.legal);
  } else {
    Forget();
  }
  reading.text.reset();  // the modules keep theirs
  reading_ = std::move(reading);
  read_version_ = version_;
  stats_.resize(reading_.modules.size());
  return true;
}

const HloModule* Document::ModuleOf(int32_t computation) const {
  const auto m = static_cast<size_t>(outline_.ModuleOf(computation));
  return m < reading_.modules.size() ? reading_.modules[m].get() : nullptr;
}

// By line and name if the modules are current; otherwise by name.
const HloComputation* Document::ComputationOf(int32_t index) const {
  const HloModule* module = ModuleOf(index);
  if (module == nullptr) return nullptr;
  const Range place = outline_.computations[static_cast<size_t>(index)].name;
  const std::string_view name = place.In(*text_);
  const HloComputation* known = module->FindComputation(name);
  if (!IsCurrent()) return known;
  // The parser renames duplicates in different computations.
  const int32_t line = LineOf(place.begin);
  if (known != nullptr && known->line() == line) return known;
  for (const HloComputation* computation : module->computations())
    if (computation->line() == line && computation->name().starts_with(name)) return computation;
  return nullptr;
}

const HloInstruction* Document::InstructionOf(int32_t index) const {
  const int32_t c = outline_.ComputationOf(index);
  const HloModule* module = ModuleOf(c);
  if (module == nullptr) return nullptr;
  const Range place = outline_.instructions[static_cast<size_t>(index)].name;
  const std::string_view name = place.In(*text_);
  const auto add_by = [](auto& list, const HloComputation& computation, const auto& key) {
    for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) list.emplace_back(key(*i), i);
  };
  const auto range = [](const auto& list, auto key) {
    const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
    return std::equal_range(list.begin(), list.end(), std::pair(key, static_cast<const HloInstruction*>(nullptr)),
                            by_key);
  };
  if (IsCurrent()) {
    ByLine& lines = by_line_[module];
    if (lines.empty()) {
      for (const HloComputation* computation : module->computations())
        add_by(lines, *computation, [](const HloInstruction& i) { return i.line(); });
      std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    const auto [first, end] = range(lines, LineOf(place.begin));
    for (auto it = first; it != end; ++it)
      if (it->second->name() == name) return it->second;
    for (auto it = first; it != end; ++it)
      if (it->second->name().starts_with(name)) return it->second;
    return nullptr;
  }
  const HloComputation* computation = ComputationOf(c);
  if (computation == nullptr) return nullptr;
  const auto hash = [](std::string_view text) { return static_cast<uint32_t>(std::hash<std::string_view>()(text)); };
  ByName& names = by_name_[computation];
  if (names.empty()) {
    add_by(names, *computation, [&](const HloInstruction& i) { return hash(i.name()); });
    std::sort(names.begin(), names.end());
  }
  const auto [first, end] = range(names, hash(name));
  for (auto it = first; it != end; ++it)
    if (it->second->name() == name) return it->second;
  return nullptr;
}

const ModuleStats* Document::StatsOf(const HloModule& module) const {
  size_t m = 0;
  while (m + 1 < reading_.modules.size() && reading_.modules[m].get() != &module) ++m;
  if (!reading_.legal[m] || text_->size() > kLongText) return nullptr;
  if (stats_[m] == nullptr) stats_[m] = std::make_unique<ModuleStats>(*reading_.modules[m]);
  return stats_[m].get();
}

}  // namespace hloir::lsp
