// Stack frame tables: keeping what is used. A frame's parent_frame_id in text is one more than its parent's id, 1
// meaning none; that is how XLA writes it. See hloir/analysis/stack_frames.h.
#include "hloir/analysis/stack_frames.h"

#include "ir/graph_loader.h"

namespace hloir {
namespace {

// The id of `entry` in `used`, where it is added if it is new; `known` tells by `key` which are there.
template <class Map, class Key, class T>
int64_t IdOf(Map& known, const Key& key, std::vector<T>& used, const T& entry) {
  auto [at, is_new] = known.emplace(key, static_cast<int64_t>(used.size()) + 1);
  if (is_new) used.push_back(entry);
  return at->second;
}

template <class T>
const T* EntryOf(const std::vector<T>& table, int64_t id) {
  return id >= 1 && id <= static_cast<int64_t>(table.size()) ? &table[id - 1] : nullptr;
}

}  // namespace

StackFrameCompactor::StackFrameCompactor(StackFrameIndex tables) : tables_(std::move(tables)) {
  files_.new_id.resize(tables_.file_names.size());
  functions_.new_id.resize(tables_.function_names.size());
  new_location_.resize(tables_.file_locations.size());
  new_frame_.resize(tables_.stack_frames.size());
}

int64_t StackFrameCompactor::UseName(const std::vector<std::string>& all, int64_t id, Names& names,
                                     std::vector<std::string>& used) {
  const std::string* text = EntryOf(all, id);
  if (text == nullptr) return 0;
  int64_t& new_id = names.new_id[id - 1];
  if (new_id == 0) new_id = IdOf(names.known, *text, used, *text);
  return new_id;
}

int64_t StackFrameCompactor::UseLocation(int64_t location_id) {
  const StackFrameIndex::FileLocation* old = EntryOf(tables_.file_locations, location_id);
  if (old == nullptr) return 0;
  int64_t& new_id = new_location_[location_id - 1];
  if (new_id != 0) return new_id;
  StackFrameIndex::FileLocation location = *old;
  location.file_name_id = UseName(tables_.file_names, old->file_name_id, files_, used_.file_names);
  location.function_name_id = UseName(tables_.function_names, old->function_name_id, functions_, used_.function_names);
  const std::array<int64_t, 6> key = {location.file_name_id, location.function_name_id, location.line,
                                      location.end_line,     location.column,           location.end_column};
  return new_id = IdOf(locations_, key, used_.file_locations, location);
}

int64_t StackFrameCompactor::Use(int64_t frame_id) {
  if (EntryOf(tables_.stack_frames, frame_id) == nullptr) return 0;
  // The frames not met before, from this one up to one that was; each stands on one with a lower id, or on none.
  chain_.clear();
  int64_t at = frame_id;
  while (at >= 1 && new_frame_[at - 1] == 0) {
    chain_.push_back(at);
    const int64_t parent = tables_.stack_frames[at - 1].parent_frame_id - 1;
    at = parent < at ? parent : 0;
  }
  int64_t id = at >= 1 ? new_frame_[at - 1] : 0;
  for (auto it = chain_.rbegin(); it != chain_.rend(); ++it) {
    const int64_t location_id = UseLocation(tables_.stack_frames[*it - 1].file_location_id);
    const StackFrameIndex::StackFrame frame = {location_id, id + 1};
    id = new_frame_[*it - 1] = IdOf(frames_, std::array{location_id, id + 1}, used_.stack_frames, frame);
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
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      GraphLoader::set_metadata(i, renumber(i->metadata()));
      if (!merged && !i->merged_metadata().empty()) i->ClearMergedMetadata();
    }
  }
  // After all that every reader keeps.
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->merged_metadata().empty()) continue;
      for (const OpMetadata*& metadata : GraphLoader::merged_metadata(i)) metadata = renumber(metadata);
    }
  }
  module.config().stack_frames = tables.TakeTables();
}

}  // namespace hloir
