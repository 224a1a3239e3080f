// See repeats.h.
#include "scopes/repeats.h"

#include <algorithm>
#include <unordered_map>

#include "scopes/waist.h"
#include "support/hash.h"

namespace hloir {
namespace {

constexpr size_t kShortest = 6;    // the minimal period for a separate box
constexpr size_t kCandidates = 8;  // the number of periods tried, the most frequent ones
constexpr size_t kGram = 4;        // the number of equal tokens for a match of two positions
constexpr int64_t kNowhere = -1;

using Tokens = std::vector<uint64_t>;

Tokens TokensOf(const Flow& flow, const std::vector<int32_t>& members, bool shapes) {
  Tokens tokens;
  tokens.reserve(members.size());
  for (const int32_t m : members) {
    const HloInstruction& i = *flow.nodes[static_cast<size_t>(m)].instruction;
    // Equal shapes of a module are one object.
    uint64_t token = Mix(static_cast<uint64_t>(i.opcode()), shapes ? reinterpret_cast<uintptr_t>(&i.shape()) : 0);
    for (const HloComputation* callee : i.called_computations())
      token = Mix(token, static_cast<uint64_t>(callee->instruction_count()));
    tokens.push_back(token);
  }
  return tokens;
}

// Distances at which sequences of tokens repeat, the most frequent first.
std::vector<size_t> Periods(const Tokens& tokens) {
  std::unordered_map<uint64_t, size_t> last;
  std::unordered_map<size_t, size_t> votes;
  for (size_t k = 0; k + kGram <= tokens.size(); ++k) {
    uint64_t gram = 0;
    for (size_t j = 0; j < kGram; ++j) gram = Mix(gram, tokens[k + j]);
    const auto [it, inserted] = last.try_emplace(gram, k);
    if (inserted) continue;
    if (k - it->second >= kShortest) ++votes[k - it->second];
    it->second = k;
  }
  std::vector<std::pair<size_t, size_t>> sorted;
  for (const auto& [period, count] : votes) sorted.push_back({count, period});
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<size_t> periods;
  for (size_t k = 0; k < std::min(kCandidates, sorted.size()); ++k) periods.push_back(sorted[k].second);
  return periods;
}

// The position at which each token repeats about one period later, in the same order; kNowhere: none.
std::vector<int64_t> Aligned(const Tokens& tokens, size_t period) {
  constexpr size_t kMostSkipped = 12;
  std::vector<int64_t> again(tokens.size(), kNowhere);
  const auto alike = [&](size_t i, size_t j) {
    for (size_t k = 0; k < kGram; ++k)
      if (j + k >= tokens.size() || tokens[i + k] != tokens[j + k]) return false;
    return true;
  };
  const auto skip = [&](size_t& i, size_t& j) {
    for (size_t sum = 1; sum <= kMostSkipped; ++sum) {
      for (size_t a = 0; a <= sum; ++a) {
        const size_t b = sum - a, distance = j + b - i - a;
        if (distance < period - period / 4 || distance > period + period / 4 || !alike(i + a, j + b)) continue;
        i += a, j += b;
        return true;
      }
    }
    return false;
  };
  for (size_t i = 0, j = period; j < tokens.size();) {
    if (tokens[i] == tokens[j]) again[i++] = static_cast<int64_t>(j++);
    else if (!skip(i, j)) ++i, ++j;
  }
  return again;
}

// A stretch of tokens that come again.
struct Run {
  size_t begin = 0, end = 0, period = 0, matched = 0;
};
Run LongestRun(const std::vector<int64_t>& again, size_t period) {
  Run best, run;
  size_t missed = 0;
  for (size_t i = 0; i < again.size(); ++i) {
    if (again[i] == kNowhere) {
      ++missed;
      continue;
    }
    if (missed > std::max<size_t>(period / 6, 2)) run = {};
    if (run.matched == 0) run = {i, i, period, 0};
    run.end = i + 1, ++run.matched, missed = 0;
    if (run.matched > best.matched) best = run;
  }
  return best;
}

// The corresponding position in the next layer.
size_t Next(const std::vector<int64_t>& again, size_t at, size_t period) {
  for (size_t k = at; k < std::min(at + period, again.size()); ++k)
    if (again[k] != kNowhere)
      return static_cast<size_t>(
          std::max<int64_t>(again[k] - static_cast<int64_t>(k - at), static_cast<int64_t>(at) + 1));
  return at + period;
}

// The begins of matching layers from a position on, with the end of the last. A partly matching layer counts if most of
// it matches.
std::vector<size_t> LayersFrom(const std::vector<int64_t>& again, const Run& run, size_t shift) {
  std::vector<size_t> begins;
  const size_t size = again.size(), last = static_cast<size_t>(again[run.end - 1]) + 1;
  const auto most = [&](size_t part) { return part * 4 >= run.period * 3; };
  size_t at = run.begin + shift;
  if (shift * 2 >= run.period && most(std::min(run.period, at))) begins.push_back(at - std::min(run.period, at));
  while (at < run.end) begins.push_back(at), at = Next(again, at, run.period);
  begins.push_back(at);
  if (at < last && (last - at) * 2 >= run.period) {
    const size_t end = std::min(size, at + run.period);
    if (most(end - at)) begins.push_back(end);
  }
  while (begins.size() > 1 && begins.back() > size) begins.pop_back();
  return begins;
}

struct Found {
  Run run;
  std::vector<int64_t> again;
};
Found BestRun(const Tokens& tokens) {
  Found best;
  for (const size_t period : Periods(tokens)) {
    std::vector<int64_t> again = Aligned(tokens, period);
    const Run run = LongestRun(again, period);
    if (run.matched * 4 < run.period * 3) continue;  // not one layer that comes again
    // Prefers the shorter of two periods with about the same cover, so that two layers do not count as one.
    const size_t covered = run.matched + run.period, known = best.run.matched + best.run.period;
    if (covered > known + known / 5 || (covered + covered / 5 > known && run.period < best.run.period))
      best = {run, std::move(again)};
  }
  return best;
}

}  // namespace

Repeat FindRepeat(const Flow& flow, const std::vector<int32_t>& members) {
  if (members.size() < 2 * kShortest) return {};
  Found best = BestRun(TokensOf(flow, members, true));
  // An optimizer repeats the same ops for each weight, with different shapes.
  if (Found any = BestRun(TokensOf(flow, members, false)); any.run.matched > 2 * best.run.matched)
    best = std::move(any);
  if (best.run.matched == 0 || (best.run.matched + best.run.period) * 5 < members.size()) return {};
  // The repetition may begin anywhere in a layer; the begin is moved to a position crossed by few values.
  const std::vector<int32_t> passing = ValuesPassing(flow, members);
  Repeat repeat;
  double least = 0;
  // Not every position of a very long layer is tried.
  const size_t step = best.run.period / 2048 + 1;
  for (size_t shift = 0; shift < best.run.period; shift += step) {
    std::vector<size_t> begins = LayersFrom(best.again, best.run, shift);
    if (begins.size() < 3) continue;
    double sum = 0;
    for (const size_t at : begins) sum += at < passing.size() ? passing[at] : 0;
    // Penalizes layers lost by a better cut.
    const double cost = (sum / static_cast<double>(begins.size()) + 1) *
                        (repeat.begins.empty() || begins.size() >= repeat.begins.size() ? 1 : 1.3);
    if (repeat.begins.empty() || cost < least) least = cost, repeat.begins = std::move(begins);
  }
  return repeat;
}

}  // namespace hloir
