// Buffers of a plan: their live ranges, which may share memory, and where in the one arena each one lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
  int32_t merged_into = -1;
  int64_t offset = 0;         // kArena: bytes from the arena's start
  std::vector<Segment> live;  // in steps' times, ascending
};

// The instruction that a step was planned for; for profiles.
struct StepOrigin {
  std::string instruction, op_name;
};

class BufferTable {
 public:
  int32_t Add(Buffer::Kind kind, int64_t bytes);
  Buffer& operator[](int32_t id) { return buffers_[id]; }
  // The buffer that stands for this one after merging.
  int32_t Representative(int32_t id) const;
  const Buffer& Final(int32_t id) const { return buffers_[Representative(id)]; }

  // Every step of the plan, those of loop bodies too, with the time at which it runs.
  int32_t NextTime() { return ++time_; }
  int32_t time() const { return time_; }
  void Record(Step* step, int32_t time, StepOrigin origin = {}) {
    steps_.push_back({step, time});
    origins_.push_back(std::move(origin));
  }
  // Of steps()[i].
  const StepOrigin& OriginOf(size_t i) const { return origins_[i]; }
  const std::vector<std::pair<Step*, int32_t>>& steps() const { return steps_; }
  void Touch(int32_t id, int32_t time);
  // The buffer was dead; from now on it holds something new.
  void Restart(int32_t id, int32_t time);

  // Merges buffers where a step's result may take its operand's place, then gives arena buffers their offsets.
  // Returns the arena's size in bytes.
  int64_t Assign();

 private:
  bool MayMerge(int32_t a, int32_t b) const;
  bool StepAllows(int32_t time, int32_t from, int32_t to) const;
  void Merge(int32_t from, int32_t to);

  std::vector<Buffer> buffers_;
  std::vector<std::pair<Step*, int32_t>> steps_;
  std::vector<StepOrigin> origins_;  // of steps_
  std::vector<int32_t> step_at_;     // time -> index into steps_
  int32_t time_ = 0;
};

}  // namespace hloir::cpu
