// Finds which values of a partitioned program are shards of which values of the original program. Candidates come from
// names, origins and opcodes, the partitioned dimensions from the shapes, and equality from the expressions.
//
// Interface: ShardMatcher::Match, for each value of the second module. Covered by
// tests/unit/equivalence_devices_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {

class ShardMatcher {
 public:
  ShardMatcher(Shared& shared, const std::vector<Record>& whole) : shared_(shared), whole_(whole) {}
  // Call it after the first module is read.
  void Index();
  // The shardings of an array that give shards of a shape: an index for each of the array's dimensions.
  static std::vector<Exprs::Substitution> Cuts(Shared& shared, const Shape& whole, const Shape& shard);
  // Replaces `value` by the equal shard. Returns whether there is one, or `value` is one already.
  bool Match(const HloInstruction& i, ExprId& value);
  // True if the value is a shard of an array that its parts do not divide, with anything behind the array's end.
  bool IsPadded(const HloInstruction& i, ExprId value);
  // How the value is related to one of the original program: as a shard, or as a partial result, whose sum or extreme
  // over some axes of the mesh is a shard (partials.cc).
  enum class Relation { kNone, kShard, kPartial };
  Relation RelationOf(const HloInstruction& i, ExprId value);
  // The instruction of the original program with the name or origin of this one; null if there is none.
  const HloInstruction* Original(const HloInstruction& i) const;
  // The same as a record, if this one may be its shard; -1 if not.
  int32_t NamesakeOf(const HloInstruction& i) const;
  // The number of ways in which it may be one.
  size_t WaysToCut(int32_t original, const HloInstruction& i) const {
    return Cuts(shared_, whole_[static_cast<size_t>(original)].instruction->shape(), i.shape()).size();
  }

 private:
  std::vector<int32_t> MadeOfMatches(const HloInstruction& i, size_t most) const;
  // Values with the name or origin of an instruction, whose shape may be that of a shard of theirs.
  std::vector<int32_t> NamedLike(const HloInstruction& i, size_t most) const;
  bool Fits(int32_t whole, const HloInstruction& i) const;
  std::vector<int32_t> Nearest(const std::vector<int32_t>& all, const HloInstruction& i, size_t most) const;

  Shared& shared_;
  const std::vector<Record>& whole_;
  std::unordered_map<std::string_view, std::vector<int32_t>> by_name_, by_origin_;
  std::map<HloOpcode, std::vector<int32_t>> by_opcode_;
  std::vector<int32_t> landmarks_;                               // with opcodes that are matched without a name
  std::unordered_map<ExprId, std::vector<int32_t>> by_operand_;  // by value: the operations that read it
  std::unordered_map<const HloInstruction*, int32_t> found_;     // the matches
  int32_t last_ = 0;                                             // the last match
};

}  // namespace hloir::equivalence::inside
