// Partial results of a partitioned program: values whose sum, or largest or smallest element, over some axes of the
// mesh is a shard of a value of the original program. They are looked for only to name the first wrong step
// (first_wrong.h). See shards.h.
#include <algorithm>

#include "equivalence/shards.h"

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostCandidates = 4;
constexpr size_t kMostAxes = 3;     // above that: each axis alone, and all
constexpr int64_t kPerTest = 8000;  // work for a comparison
constexpr int64_t kForShard = 40000;
constexpr int kMostComparisons = 4;  // of one value with shards, beyond a look at the ids

// Sets of the axes, the small ones first. Over none, the value itself is compared, with more work than the proof
// spends.
std::vector<std::vector<VarId>> SetsOf(const std::vector<VarId>& axes) {
  std::vector<std::vector<VarId>> sets(1);
  for (size_t set = 1; axes.size() <= kMostAxes && set < size_t{1} << axes.size(); ++set) {
    std::vector<VarId>& members = sets.emplace_back();
    for (size_t k = 0; k < axes.size(); ++k)
      if ((set >> k & 1) != 0) members.push_back(axes[k]);
  }
  if (axes.size() > kMostAxes) {
    for (VarId axis : axes) sets.push_back({axis});
    sets.push_back(axes);
  }
  std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return sets;
}

}  // namespace

ShardMatcher::Relation ShardMatcher::RelationOf(const HloInstruction& i, ExprId value) {
  Exprs& x = shared_.exprs;
  if (!i.shape().IsArray() || i.IsConstant() || i.shape().element_type() == PrimitiveType::PRED) return Relation::kNone;
  std::vector<VarId> axes;
  for (VarId axis : shared_.devices->axes())
    if (HasVariable(x.At(value).free, axis)) axes.push_back(axis);
  if (IsPadded(i, value)) return Relation::kShard;
  std::vector<int32_t> candidates = NamedLike(i, kMostCandidates);
  if (candidates.empty()) candidates = Nearest(landmarks_, i, kMostCandidates);
  int comparisons = 0;
  for (const std::vector<VarId>& over : SetsOf(axes)) {
    std::vector<VarId> fresh;
    Exprs::Substitution by;
    for (VarId axis : over) {
      fresh.push_back(x.Fresh(x.VariableAt(axis).size));
      by.push_back({axis, x.Var(fresh.back())});
    }
    const ExprId each = x.Substitute(value, by);
    std::vector<ExprId> combined{over.empty() ? value : x.SumOver(fresh, each)};
    for (HloOpcode op : {HloOpcode::kMaximum, HloOpcode::kMinimum}) {
      if (!over.empty() && !IsComplex(x.TypeOf(value))) combined.push_back(x.ExtremeOver(op, fresh, each, x.True()));
    }
    for (int32_t candidate : candidates) {
      const Record& record = whole_[static_cast<size_t>(candidate)];
      if (x.TypeOf(record.value[0]) != x.TypeOf(value)) continue;
      for (const Exprs::Substitution& cut : Cuts(shared_, record.instruction->shape(), i.shape())) {
        const ExprId shard = x.Substitute(record.value[0], cut);
        for (ExprId all : combined) {
          if (x.OutOfWork()) return Relation::kNone;
          if (all == shard) return over.empty() ? Relation::kShard : Relation::kPartial;
          bool same = true;
          for (VarId axis : shared_.devices->axes())
            same = same && HasVariable(x.At(all).free, axis) == HasVariable(x.At(shard).free, axis);
          if (!same || comparisons >= kMostComparisons) continue;
          ++comparisons;
          if (x.EqualInTiles(shard, all, over.empty() ? kForShard : kPerTest))
            return over.empty() ? Relation::kShard : Relation::kPartial;
        }
      }
    }
  }
  return Relation::kNone;
}

int32_t ShardMatcher::NamesakeOf(const HloInstruction& i) const {
  if (!i.shape().IsArray() || i.IsConstant()) return -1;
  const std::vector<int32_t> named = NamedLike(i, 1);
  return named.empty() || WaysToCut(named[0], i) == 0 ? -1 : named[0];
}

const HloInstruction* ShardMatcher::Original(const HloInstruction& i) const {
  const std::vector<int32_t> named = NamedLike(i, 1);
  if (!named.empty()) return whole_[static_cast<size_t>(named[0])].instruction;
  // Of another shape: the step that the instruction was made for.
  if (i.metadata() == nullptr) return nullptr;
  const auto found = by_origin_.find(i.metadata()->op_name);
  return found == by_origin_.end() ? nullptr : whole_[static_cast<size_t>(found->second.back())].instruction;
}

}  // namespace hloir::equivalence::inside
