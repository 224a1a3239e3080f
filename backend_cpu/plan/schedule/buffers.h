// Buffers of a plan: their live ranges, merging, and their location: in the arena, or in the memory of a result that is
// written later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hloir/detail/small_vector.h"
#include "plan/run/step.h"

namespace hloir::cpu {

struct Buffer {
  enum Kind : uint8_t { kArena, kFixed, kParameter, kResult };
  struct Segment {
    int32_t first, last;
  };
  Kind kind = kArena;
  int64_t bytes = 0;
  const std::byte* fixed = nullptr;  // kFixed: a constant's data
  int32_t index = 0;                 // kParameter, kResult: which leaf
  int64_t alignment = 64;            // kArena: required by its elements; kResult: guaranteed by the caller
  int32_t merged_into = -1;
  int32_t host = -1;             // kArena: the result whose memory it uses; -1: the arena
  int64_t offset = 0;            // kArena: bytes from the arena's or the host's start
  SmallVector<Segment, 2> live;  // in steps' times, ascending
};

class BufferTable {
 public:
  int32_t Add(Buffer::Kind kind, int64_t bytes, int64_t alignment = 64);
  Buffer& operator[](int32_t id) { return buffers_[id]; }
  // The buffer into which this one was merged.
  int32_t Representative(int32_t id) const;
  const Buffer& Final(int32_t id) const { return buffers_[Representative(id)]; }

  // Every step of the plan, those of loop bodies too, with the time at which it runs.
  int32_t NextTime() { return ++time_; }
  int32_t time() const { return time_; }
  // `origin`: the instruction that it was planned for, or nullptr; for profiles.
  void Record(Step* step, int32_t time, const HloInstruction* origin) {
    steps_.push_back({step, time});
    origins_.push_back(origin);
  }
  // Of steps()[i].
  const HloInstruction* OriginOf(size_t i) const { return origins_[i]; }
  const std::vector<std::pair<Step*, int32_t>>& steps() const { return steps_; }
  void Touch(int32_t id, int32_t time);
  // Starts a new live range of a dead buffer.
  void Restart(int32_t id, int32_t time);

  // Merges buffers if a step's result may reuse its operand's memory, then allocates arena buffers. Returns the arena's
  // size in bytes.
  int64_t Assign();
  // Where Assign put the buffers, as words; AssignAs repeats it. False, and nothing is changed, if these words cannot
  // be of a table with these buffers.
  std::vector<int64_t> Assigned(int64_t arena_bytes) const;
  bool AssignAs(std::span<const int64_t> words, int64_t* arena_bytes);

 private:
  bool MayMerge(int32_t a, int32_t b) const;
  bool StepAllows(int32_t time, int32_t from, int32_t to) const;
  void Merge(int32_t from, int32_t to);
  bool IsAliveAround(int32_t id, int32_t time) const;
  void MergeAll();

  std::vector<Buffer> buffers_;
  std::vector<std::pair<Step*, int32_t>> steps_;
  std::vector<const HloInstruction*> origins_;  // of steps_
  std::vector<int32_t> step_at_;                // time -> index into steps_
  int32_t time_ = 0;
};

}  // namespace hloir::cpu
