// Coverage of a module by inputs: directions of branches, results of comparisons, positions of indices.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hloir/module.h"

namespace hloir::check {

// The number of the branch that a conditional runs where its selector has this value.
int64_t BranchFor(const HloInstruction& conditional, int64_t selector);

// Records the coverage of one module by the values of reference runs. The module must outlive it.
class Reach {
 public:
  explicit Reach(const HloModule& module);
  void See(const HloInstruction& instruction, const Literal& value);
  // The number of covered places.
  int64_t reached() const { return reached_; }
  int64_t total() const { return static_cast<int64_t>(places_.size()); }
  // "compare.3 is never true", "slice.2 never has an index of 0": in text order.
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
  std::unordered_map<const HloInstruction*, size_t> first_;  // the first place of each instruction
  // The last values of instructions that other values are compared with.
  std::unordered_set<const HloInstruction*> kept_;
  std::unordered_map<const HloInstruction*, Literal> values_;
  // Loops by the roots of their conditions, and the iterations of each since it last ended.
  std::unordered_map<const HloInstruction*, const HloInstruction*> loops_;
  std::unordered_map<const HloInstruction*, int64_t> turns_;
};

}  // namespace hloir::check
