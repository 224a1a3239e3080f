// Which values of a partitioned program are shards of which values of the program that it came from: candidates come
// from names, origins and kinds of operations, where to cut from the shapes, and equality from the expressions.
//
// In: ShardMatcher::Match, for each value of the second module. Covered by tests/unit/equivalence_devices_test.cc.
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
  // Once the values of the first module are there.
  void Index();
  // The ways to cut an array into shards of a shape: what stands for each of its dimensions.
  static std::vector<Exprs::Substitution> Cuts(Shared& shared, const Shape& whole, const Shape& shard);
  // Puts the shard of an equal value in the place of `value`; true: there is one, or it is that already.
  bool Match(const HloInstruction& i, ExprId& value);
  // True if the value is a shard of an array that its parts do not divide, with anything behind the array's end.
  bool IsPadded(const HloInstruction& i, ExprId value);

 private:
  std::vector<int32_t> Nearest(const std::vector<int32_t>& all, const HloInstruction& i, size_t most) const;

  Shared& shared_;
  const std::vector<Record>& whole_;
  std::unordered_map<std::string_view, std::vector<int32_t>> by_name_, by_origin_;
  std::map<HloOpcode, std::vector<int32_t>> by_opcode_;
  int32_t last_ = 0;  // that was found
};

}  // namespace hloir::equivalence::inside
