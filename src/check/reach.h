// Coverage of a module by inputs: directions of branches, results of comparisons, positions of indices.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hloir/module.h"

namespace hloir::check {

// Is told each value of runs by the reference evaluator. One module's; it outlives this.
class Reach {
 public:
  explicit Reach(const HloModule& module);
  void See(const HloInstruction& instruction, const Literal& value);
  // How many of the places have been reached: it grows as more is.
  int64_t reached() const { return reached_; }
  int64_t total() const { return static_cast<int64_t>(places_.size()); }
  // "compare.3 is never true", "slice.2 never has an index of 0": in the order of the text.
  std::vector<std::string> Missing() const;

 private:
  struct Place {
    const HloInstruction* instruction;
    std::string what;  // "is never true"
    bool reached = false;
  };
  size_t Add(const HloInstruction& instruction, std::string what);
  void Mark(size_t place);
  void MarkAll(const HloInstruction& instruction, size_t offset) { Mark(first_.at(&instruction) + offset); }
  void SeeClamp(const HloInstruction& clamp, const Literal& result);
  void SeeIndices(const HloInstruction& user);
  const Literal* ValueOf(const HloInstruction* instruction) const;

  std::vector<Place> places_;
  int64_t reached_ = 0;
  std::unordered_map<const HloInstruction*, size_t> first_;  // of its places
  // Values that others are held against, as they were last.
  std::unordered_set<const HloInstruction*> kept_;
  std::unordered_map<const HloInstruction*, Literal> values_;
  // Of loops: by their conditions' roots, and how often each has said yes since it was last done.
  std::unordered_map<const HloInstruction*, const HloInstruction*> loops_;
  std::unordered_map<const HloInstruction*, int64_t> turns_;
};

}  // namespace hloir::check
