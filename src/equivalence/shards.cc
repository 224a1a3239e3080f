// See shards.h.
#include "equivalence/shards.h"

#include <algorithm>
#include <iterator>

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostAlike = 3;                       // candidates of one name or origin
constexpr size_t kMostUsers = 64;                      // operations that read a value, if they are candidates
constexpr size_t kMostNear = 6;                        // candidates of one opcode
constexpr size_t kMostSeen = 64;                       // values that are examined, those of other shapes included
constexpr size_t kMostShardings = 12;                  // shardings of each candidate
constexpr size_t kMostLooks = 2;                       // shardings of each candidate that are compared by EqualInTiles
constexpr int64_t kPerLook = 20000, kPerSum = 120000;  // the latter for results of collectives

// Operations that are matched without a name, because their normal forms are distinctive.
bool IsLandmark(HloOpcode opcode) {
  using enum HloOpcode;
  return IsOneOf(opcode, kDot, kConvolution, kReduce, kReduceWindow, kExp, kLog, kTanh, kRsqrt, kDivide, kMaximum,
                 kSelect, kGather, kScatter, kDynamicUpdateSlice);
}

// A collective's operand may carry the name: devices sum or concatenate values that they computed, also along one axis
// after the other, with parts of the first sum. Of an update that one device makes and the others do not, the update.
const HloInstruction* MakerOf(const HloInstruction& i) {
  const HloInstruction* made = &i;
  const auto moves = [&] {
    return made->Is(kCollective) || made->opcode() == HloOpcode::kCopy ||
           (i.Is(kCollective) && made->opcode() == HloOpcode::kDynamicSlice && made->operand(0)->Is(kCollective));
  };
  while (made->operand_count() > 0 && moves()) made = made->operand(0);
  const bool masks = made->opcode() == HloOpcode::kSelect &&
                     made->operand(1)->opcode() == HloOpcode::kDynamicUpdateSlice &&
                     made->operand(2) == made->operand(1)->operand(0);
  return masks ? made->operand(1) : made;
}

// Enumerates the device's tile in each dimension: every assignment of distinct axes to the dimensions, in every order.
void Assign(Shared& shared, size_t dimension, const std::vector<int64_t>& parts, std::vector<bool>& used,
            std::vector<inside::Index>& tiles, std::vector<std::vector<inside::Index>>& all) {
  if (all.size() >= kMostShardings) return;
  if (dimension == parts.size()) {
    all.push_back(tiles);
    return;
  }
  Exprs& x = shared.exprs;
  const std::vector<VarId>& axes = shared.devices->axes();
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
      Assign(shared, dimension + 1, parts, used, tiles, all);
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

}  // namespace

void ShardMatcher::Index() {
  for (size_t k = 0; k < whole_.size(); ++k) {
    const HloInstruction& i = *whole_[k].instruction;
    if (whole_[k].value.size() != 1 || !i.shape().IsArray() || i.IsParameter()) continue;
    by_name_[i.name()].push_back(static_cast<int32_t>(k));
    if (i.metadata() != nullptr && !i.metadata()->op_name.empty())
      by_origin_[i.metadata()->op_name].push_back(static_cast<int32_t>(k));
    by_opcode_[i.opcode()].push_back(static_cast<int32_t>(k));
    for (int32_t operand : whole_[k].operands) {
      if (operand < 0 || whole_[static_cast<size_t>(operand)].value.size() != 1) continue;
      std::vector<int32_t>& users = by_operand_[whole_[static_cast<size_t>(operand)].value[0]];
      if (users.empty() || users.back() != static_cast<int32_t>(k)) users.push_back(static_cast<int32_t>(k));
    }
    if (IsLandmark(i.opcode())) landmarks_.push_back(static_cast<int32_t>(k));
  }
}

// Whether the instruction may be a shard of the value, by their shapes and types.
bool ShardMatcher::Fits(int32_t whole, const HloInstruction& i) const {
  const Shape &a = whole_[static_cast<size_t>(whole)].instruction->shape(), &b = i.shape();
  bool fits = a.rank() == b.rank() && a.element_type() == b.element_type();
  for (int64_t d = 0; d < a.rank() && fits; ++d) fits = b.dimensions(d) > 0 && a.dimensions(d) % b.dimensions(d) == 0;
  return fits;
}

// The values of one shape and type nearest to the last match, since layers repeat names.
std::vector<int32_t> ShardMatcher::Nearest(const std::vector<int32_t>& all, const HloInstruction& i,
                                           size_t most) const {
  std::vector<int32_t> near;
  auto above = std::lower_bound(all.begin(), all.end(), last_), below = above;
  for (size_t seen = 0; seen < kMostSeen && near.size() < most; ++seen) {
    const bool up = above != all.end() && (below == all.begin() || *above - last_ <= last_ - *std::prev(below));
    if (!up && below == all.begin()) break;
    const int32_t k = up ? *above++ : *--below;
    if (Fits(k, i)) near.push_back(k);
  }
  return near;
}

std::vector<Exprs::Substitution> ShardMatcher::Cuts(Shared& shared, const Shape& whole, const Shape& shard) {
  Exprs& x = shared.exprs;
  if (!shared.devices) return std::vector<Exprs::Substitution>(whole.dimensions() == shard.dimensions() ? 1 : 0);
  std::vector<int64_t> parts;
  for (int64_t d = 0; d < whole.rank(); ++d) parts.push_back(whole.dimensions(d) / shard.dimensions(d));
  std::vector<bool> used(shared.devices->axes().size(), false);
  std::vector<inside::Index> tiles;
  std::vector<std::vector<inside::Index>> all;
  Assign(shared, 0, parts, used, tiles, all);
  std::vector<Exprs::Substitution> cuts;
  for (const std::vector<inside::Index>& tile : all) {
    Exprs::Substitution& by = cuts.emplace_back();
    for (int64_t d = 0; d < whole.rank(); ++d) {
      const int32_t place = static_cast<int32_t>(d);
      if (parts[static_cast<size_t>(d)] == 1) continue;
      by.push_back(
          {x.Dimension(place, whole.dimensions(d)),
           x.Plus(x.Var(x.Dimension(place, shard.dimensions(d))), tile[static_cast<size_t>(d)], shard.dimensions(d))});
    }
  }
  return cuts;
}

// The match of what a collective concatenates or adds; of any other operation, the same operation of what its operands
// are shards of.
std::vector<int32_t> ShardMatcher::MadeOfMatches(const HloInstruction& i, size_t most) const {
  const HloInstruction* made = MakerOf(i);
  std::vector<int32_t> matches;
  if (const auto found = found_.find(made); found != found_.end() && Fits(found->second, i))
    matches.push_back(found->second);
  for (const HloInstruction* operand : made->operands()) {
    const auto found = found_.find(operand);
    if (found == found_.end()) continue;
    const auto users = by_operand_.find(whole_[static_cast<size_t>(found->second)].value[0]);
    if (users == by_operand_.end() || users->second.size() > kMostUsers) continue;
    for (int32_t k : users->second) {
      if (whole_[static_cast<size_t>(k)].instruction->opcode() == made->opcode() && Fits(k, i) &&
          matches.size() < most && std::find(matches.begin(), matches.end(), k) == matches.end())
        matches.push_back(k);
    }
  }
  return matches;
}

std::vector<int32_t> ShardMatcher::NamedLike(const HloInstruction& i, size_t most) const {
  const HloInstruction* made = MakerOf(i);
  std::vector<int32_t> named;
  const auto add = [&](const auto& table, std::string_view key) {
    const auto found = table.find(key);
    if (found == table.end()) return;
    for (int32_t k : Nearest(found->second, i, most)) {
      if (std::find(named.begin(), named.end(), k) == named.end()) named.push_back(k);
    }
  };
  add(by_name_, made->name());
  if (made->metadata() != nullptr) add(by_origin_, made->metadata()->op_name);
  return named;
}

bool ShardMatcher::Match(const HloInstruction& i, ExprId& value) {
  Exprs& x = shared_.exprs;
  if (!i.shape().IsArray() || i.IsConstant() || x.RealOf(value) || x.IntegerOf(value)) return false;
  const HloInstruction* made = MakerOf(i);
  std::vector<int32_t> named = MadeOfMatches(i, kMostAlike), alike;
  for (int32_t k : NamedLike(i, kMostAlike)) {
    if (std::find(named.begin(), named.end(), k) == named.end()) named.push_back(k);
  }
  if (const auto found = by_opcode_.find(made->opcode()); found != by_opcode_.end()) {
    for (int32_t k : Nearest(found->second, i, kMostNear)) {
      if (std::find(named.begin(), named.end(), k) == named.end()) alike.push_back(k);
    }
  }
  const auto is_shard = [&](int32_t candidate, ExprId shard) {
    last_ = found_[&i] = candidate;
    value = shard;
    return true;
  };
  // First compares ids for all candidates. EqualInTiles then compares the candidates of the same name or origin, or
  // else those whose opcode is distinctive.
  std::vector<std::pair<int32_t, std::vector<ExprId>>> looks;
  std::vector<std::pair<int32_t, ExprId>> names;
  for (const auto* candidates : {&named, &alike}) {
    for (int32_t candidate : *candidates) {
      const Record& record = whole_[static_cast<size_t>(candidate)];
      if (x.TypeOf(record.value[0]) != x.TypeOf(value)) continue;
      std::vector<ExprId> shards;
      for (const Exprs::Substitution& cut : Cuts(shared_, record.instruction->shape(), i.shape())) {
        shards.push_back(x.Substitute(record.value[0], cut));
        if (shards.back() == value) return is_shard(candidate, shards.back());
        if (x.IsNamed(shards.back()) || x.IsNamed(value)) names.push_back({candidate, shards.back()});
      }
      if (candidates == &named || (named.empty() && IsLandmark(made->opcode()) && looks.size() < kMostAlike))
        looks.push_back({candidate, std::move(shards)});
    }
  }
  // Only the shards on the axes that the value depends on.
  const std::vector<VarId> free = x.At(value).free;
  const auto on_same_axes = [&](ExprId shard) {
    return !shared_.devices ||
           std::all_of(shared_.devices->axes().begin(), shared_.devices->axes().end(),
                       [&](VarId axis) { return HasVariable(free, axis) == HasVariable(x.At(shard).free, axis); });
  };
  // Of two equal values one may have a name, or both, of which one stands for a shard of what the other stands for.
  ExprId opened = x.IsNamed(value) ? -1 : value;
  for (const auto& [candidate, shard] : names) {
    if (shared_.search_left <= 0 || !on_same_axes(shard)) continue;
    const int64_t before = x.work_left();
    if (opened < 0) opened = x.Opened(value);
    const bool equal = (x.IsNamed(shard) ? x.Opened(shard) : shard) == opened;
    shared_.search_left -= before - x.work_left();
    if (!equal) continue;
    return is_shard(candidate, shard);
  }
  for (const auto& [candidate, shards] : looks) {
    size_t looked = 0;
    for (ExprId shard : shards) {
      if (!on_same_axes(shard)) continue;
      if (++looked > kMostLooks || shared_.search_left <= 0) break;
      const int64_t before = x.work_left();
      const uint32_t uses = x.TakeUses();
      const bool equal = shared_.devices ? x.EqualInTiles(shard, value, i.Is(kCollective) ? kPerSum : kPerLook)
                                         : x.EqualInside(shard, value, kPerLook);
      if (!equal) x.TakeUses();
      x.Uses(uses);
      shared_.search_left -= before - x.work_left();
      if (!equal) continue;
      return is_shard(candidate, shard);
    }
  }
  return false;
}

bool ShardMatcher::IsPadded(const HloInstruction& i, ExprId value) {
  using enum HloOpcode;
  Exprs& x = shared_.exprs;
  const Shape& shard = i.shape();
  if (!shard.IsArray() || shard.element_type() == PrimitiveType::PRED || i.IsConstant()) return false;
  // (What only moves data, or masks it, has the name of nothing.)
  const HloInstruction* made = &i;
  while (IsOneOf(made->opcode(), kPad, kDynamicSlice, kSlice, kSelect, kConcatenate, kCopy) || made->Is(kCollective)) {
    const int64_t from = made->opcode() == kSelect ? 1 : 0;
    if (made->operand_count() <= from) return false;
    made = made->operand(from);
  }
  const auto named = by_name_.find(made->name());
  if (named == by_name_.end()) return false;
  const int64_t count = shared_.devices->count();
  for (size_t n = 0; n < named->second.size() && n < kMostAlike; ++n) {
    const Record& record = whole_[static_cast<size_t>(named->second[n])];
    const Shape& whole = record.instruction->shape();
    if (whole.rank() != shard.rank() || x.TypeOf(record.value[0]) != x.TypeOf(value)) continue;
    std::vector<int64_t> parts;
    bool fits = true, padded = false;
    for (int64_t d = 0; d < whole.rank() && fits; ++d) {
      const int64_t all = whole.dimensions(d), part = shard.dimensions(d);
      int64_t most = 0;
      for (int64_t p = 1; p <= count && part > 0; ++p) {
        if (count % p == 0 && p * part >= all && p * part < all + count * part) most = most == 0 ? p : most;
      }
      // The most parts of this size: devices may have none of it.
      for (int64_t p = count; p > most && part > 0; --p) {
        if (count % p == 0 && (all + p - 1) / p == part) {
          most = p;
          break;
        }
      }
      fits = most > 0;
      padded = padded || most * part != all;
      parts.push_back(most);
    }
    if (!fits || !padded) continue;
    std::vector<bool> used(shared_.devices->axes().size(), false);
    std::vector<inside::Index> tiles;
    std::vector<std::vector<inside::Index>> all;
    Assign(shared_, 0, parts, used, tiles, all);
    for (const std::vector<inside::Index>& tile : all) {
      Exprs::Substitution by;
      ExprId inside = x.True();
      for (int64_t d = 0; d < whole.rank(); ++d) {
        const int32_t place = static_cast<int32_t>(d);
        if (whole.dimensions(d) == shard.dimensions(d)) continue;
        const inside::Index at =
            x.Plus(x.Var(x.Dimension(place, shard.dimensions(d))), tile[static_cast<size_t>(d)], shard.dimensions(d));
        by.push_back({x.Dimension(place, whole.dimensions(d)), at});
        inside = x.And(inside, x.Guard(false, x.Plus(Exprs::Number(whole.dimensions(d) - 1), at, -1)));
      }
      const PrimitiveType type = x.TypeOf(value);
      const ExprId zero = IsInteger(type) ? x.Integer(0, type) : x.Real(0);
      const uint32_t uses = x.TakeUses();
      const bool equal = x.If(inside, value, zero) == x.If(inside, x.Substitute(record.value[0], by), zero);
      x.TakeUses();
      x.Uses(uses);
      if (equal) return true;
    }
  }
  return false;
}

}  // namespace hloir::equivalence::inside
