// Loops of both modules, side by side. Proves by induction that the carried values of a loop of the second module are
// carried values of a loop of the first, or in a partitioned program shards of them: they are before the loop, and an
// iteration of both loops preserves it. See build.h.
#include <algorithm>
#include <set>

#include "equivalence/build.h"
#include "equivalence/shards.h"

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostLoops = 32;    // candidate loops of the whole program, the last ones first
constexpr int kMostTries = 24;       // iterations that are evaluated to find an invariant sharding
constexpr int64_t kPerTurn = 40000;  // work for a value that seems to differ

// The origin of what an iteration makes of a carried value, in calls and fusions too; empty if it is not known.
std::string_view OriginOf(const HloInstruction& loop, size_t k) {
  using enum HloOpcode;
  const HloInstruction* made = loop.while_body()->root();
  std::vector<int64_t> part{static_cast<int64_t>(k)};  // of nested tuples, the innermost first
  for (int depth = 0; depth < 64; ++depth) {
    if (made->opcode() == kTuple && !part.empty()) {
      if (part.back() >= made->operand_count()) return {};
      made = made->operand(part.back());
      part.pop_back();
    } else if (made->opcode() == kGetTupleElement) {
      part.push_back(made->tuple_index());
      made = made->operand(0);
    } else if (IsOneOf(made->opcode(), kFusion, kCall)) {
      made = made->called_computation(0)->root();
    } else if (made->opcode() == kCopy) {
      made = made->operand(0);
    } else {
      break;
    }
  }
  return made->metadata() == nullptr ? std::string_view() : std::string_view(made->metadata()->op_name);
}

// Values that start as zeros are shards under many shardings. Those come first that cut dimensions as other values are
// cut that allow one sharding only: gradients are sharded as their weights are.
void Prefer(Exprs& x, Ways& ways) {
  const auto cuts_of = [&](const Shards& shards) {
    std::vector<std::pair<int64_t, std::vector<std::pair<TermId, int64_t>>>> cuts;
    for (const auto& [dimension, index] : shards.cut) {
      const Variable whole = x.VariableAt(dimension);
      Index tile = index;
      std::erase_if(tile.terms, [&](const auto& term) {
        const IndexTerm& t = x.TermAt(term.first);
        return t.kind == IndexTerm::Kind::kVar && x.VariableAt(t.var).level == whole.level;
      });
      cuts.push_back({whole.size, std::move(tile.terms)});
    }
    return cuts;
  };
  std::set<decltype(cuts_of({}))::value_type> known;
  for (const std::vector<Shards>& all : ways) {
    if (all.size() != 1) continue;
    for (auto& cut : cuts_of(all[0])) known.insert(std::move(cut));
  }
  for (std::vector<Shards>& all : ways) {
    const auto unlike = [&](const Shards& shards) {
      const auto cuts = cuts_of(shards);
      return std::count_if(cuts.begin(), cuts.end(), [&](const auto& cut) { return known.count(cut) == 0; });
    };
    std::stable_sort(all.begin(), all.end(), [&](const Shards& a, const Shards& b) { return unlike(a) < unlike(b); });
  }
}

}  // namespace

// Records a loop of the first module with its body's values. A loop whose body has effects, or values that
// differ each time, is not recorded, as evaluating the body again would create them twice.
void Builder::Remember(const HloInstruction& i, Loop loop, Inside inner) {
  const auto of_chance = sequence_;
  const size_t effects = effects_.size();
  const int64_t unspecified = x_.unspecified();
  inner.values = &loop.values;
  Evaluate(*i.while_body(), {loop.carried}, inner, {-1});
  x_.SetUnspecified(unspecified);
  if (sequence_ != of_chance || effects_.size() != effects) {
    sequence_ = of_chance;
    effects_.resize(effects);
    return;
  }
  shared_.loops.push_back(std::move(loop));
}

// The final values of a loop of the second module as shards of the final values of a loop of the first; -1 for a value
// without a match.
Value Builder::Related(const HloInstruction& i, const Value& init, Inside inner, const KnownOfLoop& known,
                       const Loop** with) {
  Value best(init.size(), -1);
  // A turn of an unlike loop takes much work: those come first that carry most values of this one.
  struct Candidate {
    const Loop* loop;
    Ways ways;
    std::ptrdiff_t matched;
  };
  std::vector<Candidate> candidates;
  for (auto loop = shared_.loops.rbegin(); loop != shared_.loops.rend() && candidates.size() < kMostLoops; ++loop) {
    if (loop->level != inner.level || (!shared_.devices && loop->turns != known.turns)) continue;
    Ways ways = WaysOf(*loop, i, init, known);
    const auto matched = std::count_if(ways.begin(), ways.end(), [](const auto& all) { return !all.empty(); });
    // A loop may carry a value twice, or not carry one that does not change; but most of its values are carried by
    // both.
    const auto fixed = std::count(known.fixed.begin(), known.fixed.end(), true);
    const bool alike = init.size() == loop->init.size() && shared_.devices;
    if (matched == 0 || (!alike && 2 * matched <= std::ssize(init) - fixed)) continue;
    candidates.push_back({&*loop, std::move(ways), matched});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.matched > b.matched; });
  const int64_t unspecified = x_.unspecified();
  for (Candidate& candidate : candidates) {
    x_.SetUnspecified(unspecified);
    Value result(init.size(), -1);
    if (!RelatedTo(*candidate.loop, std::move(candidate.ways), i, inner, known, result)) {
      if (!why_.empty()) return {};
      continue;
    }
    const auto found = [](const Value& value) {
      return std::count_if(value.begin(), value.end(), [](ExprId e) { return e >= 0; });
    };
    if (found(result) > found(best)) {
      best = std::move(result);
      if (with != nullptr) *with = candidate.loop;
    }
    const auto needed = std::ssize(best) - std::count(known.fixed.begin(), known.fixed.end(), true);
    if (found(best) >= needed) break;
  }
  return best;
}

// Keeps the iteration that relates most values.
void Builder::Suspect(const HloInstruction& i, const LoopTurn& turn) {
  const auto known = shared_.turns.find(&i);
  if (known == shared_.turns.end() || known->second.count() < turn.count()) shared_.turns[&i] = turn;
}

// For each initial value of a loop of the second module: the initial values of a loop of the first of which it is a
// shard.
Ways Builder::WaysOf(const Loop& loop, const HloInstruction& i, const Value& init, const KnownOfLoop& known) {
  const std::vector<const Shape*> shapes = i.shape().Leaves();
  const size_t n = init.size();
  Ways ways(n);
  const auto add_ways = [&](size_t k, size_t place) {
    const Shape &whole = *loop.shapes[place], &shard = *shapes[k];
    if (x_.TypeOf(loop.init[place]) != x_.TypeOf(init[k]) || whole.IsArray() != shard.IsArray()) return;
    if (!whole.IsArray()) {
      if (loop.init[place] == init[k]) ways[k].push_back({place, {}});
      return;
    }
    if (whole.rank() != shard.rank()) return;
    for (int64_t d = 0; d < whole.rank(); ++d) {
      if (shard.dimensions(d) == 0 || whole.dimensions(d) % shard.dimensions(d) != 0) return;
    }
    for (Exprs::Substitution& cut : ShardMatcher::Cuts(shared_, whole, shard)) {
      if (x_.Substitute(loop.init[place], cut) == init[k]) ways[k].push_back({place, std::move(cut)});
    }
  };
  if (shared_.devices) {
    for (size_t k = 0; k < n; ++k) {
      if (k < loop.init.size()) add_ways(k, k);
      for (size_t place = 0; place < loop.init.size() && ways[k].empty(); ++place) {
        if (place != k) add_ways(k, place);
      }
    }
    Prefer(x_, ways);
    return ways;
  }
  // All that start alike, those that are made by the same line first.
  for (size_t k = 0; k < n; ++k) {
    if (known.fixed[k]) continue;
    for (size_t place = 0; place < loop.init.size(); ++place) {
      const bool seen = std::any_of(ways[k].begin(), ways[k].end(), [&](const Shards& other) {
        return loop.carried[other.place] == loop.carried[place];
      });
      if (!seen) add_ways(k, place);
    }
    const std::string_view origin = OriginOf(i, k);
    const auto unlike = [&](const Shards& shards) {
      return origin.empty() || OriginOf(*loop.instruction, shards.place) != origin;
    };
    std::stable_sort(ways[k].begin(), ways[k].end(),
                     [&](const Shards& a, const Shards& b) { return unlike(a) < unlike(b); });
  }
  return ways;
}

bool Builder::RelatedTo(const Loop& loop, Ways ways, const HloInstruction& i, Inside inner, const KnownOfLoop& known,
                        Value& result) {
  const std::vector<const Shape*> shapes = i.shape().Leaves();
  const size_t n = ways.size();
  const auto of_chance = sequence_;
  const size_t effects = effects_.size();
  std::vector<size_t> way(n, 0), failed(n, 0);
  ShardMatcher matcher(shared_, loop.values);
  matcher.Index();
  inner.matcher = &matcher;
  Inside bare = inner;
  bare.matcher = nullptr;
  const auto equal = [&](ExprId a, ExprId b) {
    return shared_.devices ? x_.EqualInTiles(a, b, kPerTurn) : x_.EqualInside(a, b, kPerTurn);
  };
  LoopTurn turn{{}, {}, &loop, {}};
  inner.values = &turn.values, inner.found = &turn.found;
  // Of values that start alike each is taken for another one first.
  const auto taker_of = [&](size_t place, size_t but) {
    size_t k = 0;
    while (k < n && (k == but || ways[k].empty() || ways[k][way[k]].place != place)) ++k;
    return k;
  };
  for (size_t k = 0; k < n && !shared_.devices; ++k) {
    for (size_t w = 0; w < ways[k].size() && taker_of(ways[k][way[k]].place, k) < k; ++w) way[k] = w;
    if (!ways[k].empty() && taker_of(ways[k][way[k]].place, k) < k) way[k] = 0;
  }
  const int64_t unspecified = x_.unspecified();
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    x_.SetUnspecified(unspecified);
    Value carried(n);
    for (size_t k = 0; k < n; ++k) {
      if (!known.fixed.empty() && known.fixed[k]) {
        carried[k] = known.carried[k];
        continue;
      }
      if (!ways[k].empty()) {
        const Shards& shards = ways[k][way[k]];
        carried[k] = x_.Substitute(loop.carried[shards.place], shards.cut);
        continue;
      }
      carried[k] = UnspecifiedArray(-19, *shapes[k]);
    }
    turn.values.clear(), turn.found.clear(), turn.lost.clear();
    const Value next = Evaluate(*i.while_body(), {carried}, inner, {-1});
    if (out_of_budget_) Suspect(i, turn);
    if (!why_.empty()) return false;
    const Value condition = Evaluate(*i.while_condition(), {carried}, bare, {-1});
    if (!why_.empty()) return false;
    if (sequence_ != of_chance || effects_.size() != effects) {
      sequence_ = of_chance;
      effects_.resize(effects);
      return false;
    }
    // What value k is to be after the iteration, in its way w.
    const auto wanted = [&](size_t k, size_t w) {
      const Shards& shards = ways[k][w];
      return x_.Substitute(loop.next[shards.place], shards.cut);
    };
    // (A shard may have a name though the whole, which is smaller, has none.)
    const auto is_next = [&](size_t k, size_t w) {
      const ExprId opened = x_.IsNamed(next[k]) ? x_.Opened(next[k]) : next[k], of_first = wanted(k, w);
      return of_first == next[k] || of_first == opened;
    };
    for (size_t k = 0; k < n; ++k) {
      if (ways[k].empty() || is_next(k, way[k]) || equal(wanted(k, way[k]), next[k])) continue;
      turn.lost.emplace_back(k, ways[k][way[k]].place);
    }
    // A value with no other way may be lost because of one that has another.
    const bool other_ways = std::any_of(turn.lost.begin(), turn.lost.end(), [&](const auto& lost) {
      return ways[lost.first].size() > 1 && failed[lost.first] + 1 < 2 * ways[lost.first].size();
    });
    std::vector<bool> swapped(n, false);
    for (const auto& [k, place] : turn.lost) {
      if (swapped[k] || (ways[k].size() == 1 && other_ways && !shared_.devices)) continue;
      if (++failed[k] >= 2 * ways[k].size()) {
        ways[k].clear();
        continue;
      }
      // Chooses the sharding that the iteration produced, also of what it adds to the carried value, or else the next
      // candidate.
      const size_t before = way[k];
      way[k] = (before + 1) % ways[k].size();
      for (size_t w = 0; w < ways[k].size(); ++w) {
        if (w == before) continue;
        const Shards& shards = ways[k][w];
        const ExprId cut = x_.Substitute(loop.carried[shards.place], shards.cut);
        if (is_next(k, w) || wanted(k, w) == x_.Replaced(next[k], {{carried[k], cut}})) way[k] = w;
      }
      // The value that was taken for that one is taken for what this one was, if it may be.
      const size_t other = shared_.devices ? n : taker_of(ways[k][way[k]].place, k);
      for (size_t w = 0; other < n && w < ways[other].size(); ++w) {
        if (ways[other][w].place == ways[k][before].place) way[other] = w, swapped[other] = true;
      }
    }
    if (!turn.lost.empty()) {
      Suspect(i, turn);
      continue;
    }
    if (condition[0] != loop.condition && !equal(loop.condition, condition[0])) return false;
    if (!SameForAll(i, loop.condition)) return false;
    for (size_t k = 0; k < n; ++k) {
      if (ways[k].empty()) continue;
      const Shards& shards = ways[k][way[k]];
      result[k] = x_.Substitute(loop.result[shards.place], shards.cut);
    }
    return true;
  }
  return false;
}

}  // namespace hloir::equivalence::inside
