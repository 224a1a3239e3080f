// See hloir/source_line.h.
#include "hloir/source_line.h"

#include "hloir/module.h"
#include "support/format.h"

namespace hloir {

std::string SourceLine::ToString() const { return Format("{}:{}", file, line); }

std::optional<SourceLine> SourceOf(const HloInstruction& instruction) {
  const OpMetadata* metadata = instruction.metadata();
  if (metadata == nullptr) return std::nullopt;
  if (!metadata->source_file.empty()) return SourceLine{metadata->source_file, {}, metadata->source_line};
  // Ids are from 1, come from the file, and may be out of range.
  const StackFrameIndex& tables = instruction.module()->config().stack_frames;
  const auto at = [](const auto& table, int64_t id) {
    return id >= 1 && id <= static_cast<int64_t>(table.size()) ? &table[static_cast<size_t>(id - 1)] : nullptr;
  };
  const auto* frame = at(tables.stack_frames, metadata->stack_frame_id);
  const auto* place = frame == nullptr ? nullptr : at(tables.file_locations, frame->file_location_id);
  const std::string* file = place == nullptr ? nullptr : at(tables.file_names, place->file_name_id);
  if (file == nullptr) return std::nullopt;
  const std::string* function = at(tables.function_names, place->function_name_id);
  return SourceLine{*file, function == nullptr ? std::string_view() : *function, place->line};
}

}  // namespace hloir
