// Stack frame tables, reduced to the used entries. In XLA's text a frame's parent_frame_id is its parent's id plus one;
// 1 means no parent. See ir/stack_frames.h.
#include "ir/stack_frames.h"

#include <bit>
#include <functional>
#include <initializer_list>
#include <unordered_map>

#include "ir/graph_loader.h"
#include "support/hash.h"

namespace hloir {
namespace {

uint64_t Hash(std::initializer_list<int64_t> parts) {
  uint64_t hash = 0;
  for (int64_t part : parts) hash = Mix(hash, static_cast<uint64_t>(part));
  return hash;
}

template <class T>
bool IsEntry(const std::vector<T>& table, int64_t id) {
  return id >= 1 && id <= static_cast<int64_t>(table.size());
}

}  // namespace

void StackFrameCompactor::Begin(Entries& entries, size_t count) {
  entries.new_id.resize(count);
  entries.slots.resize(std::bit_ceil(2 * count));
}

// The id of `entry` in `used`, after adding it if it is new.
template <class T>
int64_t StackFrameCompactor::IdOf(Entries& entries, uint64_t hash, std::vector<T>& used, T entry) {
  const size_t mask = entries.slots.size() - 1;
  size_t at = hash & mask;
  for (; entries.slots[at].id != 0; at = (at + 1) & mask) {
    const int64_t id = entries.slots[at].id;
    if (entries.slots[at].hash == hash && used[static_cast<size_t>(id) - 1] == entry) return id;
  }
  used.push_back(std::move(entry));
  entries.slots[at] = {hash, static_cast<int64_t>(used.size())};
  return entries.slots[at].id;
}

StackFrameCompactor::StackFrameCompactor(StackFrameIndex tables) : tables_(std::move(tables)) {
  Begin(files_, tables_.file_names.size());
  Begin(functions_, tables_.function_names.size());
  Begin(locations_, tables_.file_locations.size());
  Begin(frames_, tables_.stack_frames.size());
}

int64_t StackFrameCompactor::UseName(std::vector<std::string>& all, int64_t id, Entries& names,
                                     std::vector<std::string>& used) {
  if (!IsEntry(all, id)) return 0;
  int64_t& new_id = names.new_id[id - 1];
  if (new_id != 0) return new_id;
  std::string& text = all[id - 1];  // no longer used
  const uint64_t hash = std::hash<std::string>()(text);
  return new_id = IdOf(names, hash, used, std::move(text));
}

int64_t StackFrameCompactor::UseLocation(int64_t location_id) {
  if (!IsEntry(tables_.file_locations, location_id)) return 0;
  int64_t& new_id = locations_.new_id[location_id - 1];
  if (new_id != 0) return new_id;
  StackFrameIndex::FileLocation location = tables_.file_locations[location_id - 1];
  location.file_name_id = UseName(tables_.file_names, location.file_name_id, files_, used_.file_names);
  location.function_name_id =
      UseName(tables_.function_names, location.function_name_id, functions_, used_.function_names);
  const uint64_t hash = Hash({location.file_name_id, location.function_name_id, location.line, location.end_line,
                              location.column, location.end_column});
  return new_id = IdOf(locations_, hash, used_.file_locations, location);
}

int64_t StackFrameCompactor::Use(int64_t frame_id) {
  if (!IsEntry(tables_.stack_frames, frame_id)) return 0;
  // The new frames from this one up to a known ancestor; a parent has a lower id.
  chain_.clear();
  int64_t at = frame_id;
  while (at >= 1 && frames_.new_id[at - 1] == 0) {
    chain_.push_back(at);
    const int64_t parent = tables_.stack_frames[at - 1].parent_frame_id - 1;
    at = parent < at ? parent : 0;
  }
  int64_t id = at >= 1 ? frames_.new_id[at - 1] : 0;
  for (auto it = chain_.rbegin(); it != chain_.rend(); ++it) {
    const int64_t location_id = UseLocation(tables_.stack_frames[*it - 1].file_location_id);
    const StackFrameIndex::StackFrame frame = {location_id, id + 1};
    id = frames_.new_id[*it - 1] = IdOf(frames_, Hash({location_id, id + 1}), used_.stack_frames, frame);
  }
  return id;
}

void CompactStackFrames(HloModule& module, bool merged) {
  if (module.config().stack_frames.empty()) return;
  StackFrameCompactor tables(std::move(module.config().stack_frames));
  GraphLoader loader(module);
  std::unordered_map<const OpMetadata*, const OpMetadata*> renumbered;  // instructions share it
  const auto renumber = [&](const OpMetadata* old) {
    if (old == nullptr || old->stack_frame_id == 0) return old;
    auto [at, is_new] = renumbered.emplace(old, old);
    if (!is_new) return at->second;
    OpMetadata metadata = *old;
    metadata.stack_frame_id = tables.Use(old->stack_frame_id);
    if (metadata.stack_frame_id != old->stack_frame_id) at->second = loader.KeepMetadata(metadata);
    return at->second;
  };
  for (HloInstruction* i : module.AllInstructions()) {
    GraphLoader::set_metadata(i, renumber(i->metadata()));
    if (!merged && !i->merged_metadata().empty()) i->ClearMergedMetadata();
  }
  // After the frames of all instructions, which every reader keeps.
  for (HloInstruction* i : module.AllInstructions()) {
    if (i->merged_metadata().empty()) continue;
    for (const OpMetadata*& metadata : GraphLoader::merged_metadata(i)) metadata = renumber(metadata);
  }
  module.config().stack_frames = tables.TakeTables();
}

}  // namespace hloir
