// See shards.h.
#include "equivalence/shards.h"

#include <algorithm>

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostAlike = 3;       // values that one is held against
constexpr size_t kMostShardings = 12;  // of each
constexpr size_t kMostLooks = 2;       // of these by a closer look
constexpr int64_t kPerLook = 20000;

// Operations that are compared without a name: those that normal forms may tell apart.
bool IsLandmark(HloOpcode opcode) {
  using enum HloOpcode;
  return IsOneOf(opcode, kDot, kConvolution, kReduce, kReduceWindow, kExp, kLog, kTanh, kRsqrt, kDivide, kMaximum,
                 kSelect, kGather, kScatter);
}

}  // namespace

void ShardMatcher::Index() {
  const auto& records = whole_.records();
  for (size_t k = 0; k < records.size(); ++k) {
    const HloInstruction& i = *records[k].instruction;
    if (records[k].value.size() != 1 || !i.shape().IsArray() || i.IsParameter()) continue;
    by_name_[i.name()].push_back(static_cast<int32_t>(k));
    if (i.metadata() != nullptr && !i.metadata()->op_name.empty())
      by_origin_[i.metadata()->op_name].push_back(static_cast<int32_t>(k));
    if (IsLandmark(i.opcode())) by_opcode_[i.opcode()].push_back(static_cast<int32_t>(k));
  }
}

std::vector<int32_t> ShardMatcher::CandidatesFor(const HloInstruction& i) {
  std::vector<int32_t> candidates;
  const auto add = [&](const std::vector<int32_t>& all) {
    size_t added = 0;
    for (int32_t k : all) {
      const HloInstruction& other = *whole_.records()[static_cast<size_t>(k)].instruction;
      const Shape &a = other.shape(), &b = i.shape();
      bool fits = a.rank() == b.rank() && a.element_type() == b.element_type();
      for (int64_t d = 0; d < a.rank() && fits; ++d)
        fits = b.dimensions(d) > 0 && a.dimensions(d) % b.dimensions(d) == 0;
      if (!fits || std::find(candidates.begin(), candidates.end(), k) != candidates.end()) continue;
      candidates.push_back(k);
      if (++added == kMostAlike) return;
    }
  };
  if (const auto found = by_name_.find(i.name()); found != by_name_.end()) add(found->second);
  if (i.metadata() != nullptr) {
    if (const auto found = by_origin_.find(i.metadata()->op_name); found != by_origin_.end()) add(found->second);
  }
  if (const auto found = by_opcode_.find(i.opcode()); candidates.empty() && found != by_opcode_.end())
    add(found->second);
  return candidates;
}

// Which tile of each dimension a device has: every way to give the dimensions different axes, in some order.
void ShardMatcher::Assign(size_t dimension, const std::vector<int64_t>& parts, std::vector<bool>& used,
                          std::vector<inside::Index>& tiles, std::vector<std::vector<inside::Index>>& all) {
  if (all.size() >= kMostShardings) return;
  if (dimension == parts.size()) {
    all.push_back(tiles);
    return;
  }
  Exprs& x = shared_.exprs;
  const std::vector<VarId>& axes = shared_.devices->axes();
  struct Choice {
    int64_t left;
    inside::Index tile;
    std::vector<size_t> axes;
  };
  std::vector<Choice> open{{parts[dimension], {}, {}}};
  while (!open.empty() && all.size() < kMostShardings) {
    Choice choice = std::move(open.back());
    open.pop_back();
    if (choice.left == 1) {
      for (size_t a : choice.axes) used[a] = true;
      tiles.push_back(choice.tile);
      Assign(dimension + 1, parts, used, tiles, all);
      tiles.pop_back();
      for (size_t a : choice.axes) used[a] = false;
      continue;
    }
    for (size_t a = axes.size(); a-- > 0;) {
      const int64_t size = x.VariableAt(axes[a]).size;
      if (used[a] || choice.left % size != 0 ||
          std::find(choice.axes.begin(), choice.axes.end(), a) != choice.axes.end())
        continue;
      Choice next = choice;
      next.left /= size;
      next.tile = x.Plus(x.Var(axes[a]), choice.tile, size);
      next.axes.push_back(a);
      open.push_back(std::move(next));
    }
  }
}

std::vector<ExprId> ShardMatcher::ShardsOf(const Builder::Record& record, const Shape& shard) {
  Exprs& x = shared_.exprs;
  const Shape& whole = record.instruction->shape();
  std::vector<int64_t> parts;
  for (int64_t d = 0; d < whole.rank(); ++d) parts.push_back(whole.dimensions(d) / shard.dimensions(d));
  std::vector<bool> used(shared_.devices->axes().size(), false);
  std::vector<inside::Index> tiles;
  std::vector<std::vector<inside::Index>> all;
  Assign(0, parts, used, tiles, all);
  std::vector<ExprId> shards;
  for (const std::vector<inside::Index>& tile : all) {
    Exprs::Substitution by;
    for (int64_t d = 0; d < whole.rank(); ++d) {
      const int32_t place = static_cast<int32_t>(d);
      if (parts[static_cast<size_t>(d)] == 1) continue;
      by.push_back(
          {x.Dimension(place, whole.dimensions(d)),
           x.Plus(x.Var(x.Dimension(place, shard.dimensions(d))), tile[static_cast<size_t>(d)], shard.dimensions(d))});
    }
    shards.push_back(x.Substitute(record.value[0], by));
  }
  return shards;
}

bool ShardMatcher::Match(const HloInstruction& i, ExprId& value) {
  Exprs& x = shared_.exprs;
  if (!i.shape().IsArray() || i.IsConstant() || x.RealOf(value) || x.IntegerOf(value)) return false;
  for (int32_t candidate : CandidatesFor(i)) {
    const Builder::Record& record = whole_.records()[static_cast<size_t>(candidate)];
    if (x.TypeOf(record.value[0]) != x.TypeOf(value)) continue;
    const std::vector<ExprId> shards = ShardsOf(record, i.shape());
    if (std::find(shards.begin(), shards.end(), value) != shards.end()) return true;
    // Those on the axes that the value depends on come first.
    const std::vector<VarId> free = x.At(value).free;
    std::vector<ExprId> likely;
    for (ExprId shard : shards) {
      bool same = true;
      for (VarId axis : shared_.devices->axes())
        same = same && HasVariable(free, axis) == HasVariable(x.At(shard).free, axis);
      if (same) likely.push_back(shard);
    }
    for (size_t k = 0; k < likely.size() && k < kMostLooks && search_left_ > 0; ++k) {
      const int64_t before = x.count();
      const bool equal = x.EqualInTiles(likely[k], value, kPerLook);
      search_left_ -= kPerLook + (x.count() - before);
      if (!equal) continue;
      value = likely[k];
      return true;
    }
  }
  return false;
}

}  // namespace hloir::equivalence::inside
