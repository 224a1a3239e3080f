// See linear.h.
#include "equivalence/linear.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hloir::equivalence {
namespace {

constexpr size_t kMostConditions = 300;
constexpr int64_t kLinearFar = int64_t{1} << 60;

int64_t CommonFactor(const Linear& a) {
  int64_t common = 0;
  for (const auto& [unknown, factor] : a.terms) common = std::gcd(common, factor);
  return common;
}

// Conditions without kNotZero, which are eliminated unknown by unknown.
class System {
 public:
  explicit System(int64_t& work) : work_(work) {}

  // Adds a condition in lowest terms. False if it cannot hold.
  bool Add(Condition c) {
    --work_;
    const bool equation = c.kind == Condition::Kind::kZero;
    const int64_t common = CommonFactor(c.value);
    if (common == 0) return equation ? c.value.constant == 0 : c.value.constant >= 0;
    if (equation && c.value.constant % common != 0) return false;
    c.value.constant = FloorDiv(c.value.constant, common);
    for (auto& [unknown, factor] : c.value.terms) factor /= common;
    if (equation) {
      equations_.push_back(std::move(c.value));
      return true;
    }
    // Of conditions that differ by a constant the strictest counts.
    const auto [found, is_new] = least_.try_emplace(c.value.terms, c.value.constant);
    if (!is_new) found->second = std::min(found->second, c.value.constant);
    Linear opposite{0, c.value.terms};
    for (auto& [unknown, factor] : opposite.terms) factor = -factor;
    const auto other = least_.find(opposite.terms);
    if (other == least_.end()) return true;
    const int64_t room = found->second + other->second;
    if (room < 0) return false;
    if (room == 0) {
      Linear equal{found->second, found->first};
      least_.erase(other);
      least_.erase(equal.terms);
      equations_.push_back(std::move(equal));
    }
    return true;
  }

  bool MayHold() {
    while (work_ > 0) {
      if (!equations_.empty()) {
        if (!UseEquation()) return false;
        continue;
      }
      if (least_.empty() || least_.size() > kMostConditions || overflowed_) return true;
      if (!Eliminate()) return false;
    }
    return true;
  }

 private:
  bool Put(const std::optional<Linear>& value, Condition::Kind kind) {
    if (!value) {
      overflowed_ = true;
      return true;
    }
    return Add({kind, *value});
  }

  // Replaces an unknown by what an equation says it is.
  bool UseEquation() {
    const Linear equation = std::move(equations_.back());
    equations_.pop_back();
    const auto unit = std::find_if(equation.terms.begin(), equation.terms.end(),
                                   [](const auto& term) { return term.second == 1 || term.second == -1; });
    if (unit == equation.terms.end()) {
      // Weaker: two bounds.
      for (const int64_t sign : {1, -1}) {
        const std::optional<Linear> bound = Plus({}, equation, sign);
        if (!bound) return overflowed_ = true;
        least_.emplace(bound->terms, bound->constant);
        int64_t& least = least_[bound->terms];
        least = std::min(least, bound->constant);
      }
      return true;
    }
    const auto [unknown, factor] = *unit;
    std::vector<Condition> all;
    for (Linear& other : equations_) all.push_back({Condition::Kind::kZero, std::move(other)});
    for (const auto& [terms, constant] : least_) all.push_back({Condition::Kind::kAtLeastZero, {constant, terms}});
    equations_.clear();
    least_.clear();
    for (const Condition& c : all) {
      const int64_t has = c.value.FactorOf(unknown);
      if (!(has == 0 ? Add(c) : Put(Plus(c.value, equation, -has * factor), c.kind))) return false;
    }
    return true;
  }

  // Combines each lower bound of one unknown with each upper bound. Nothing is lost where one of the two has the factor
  // 1; such unknowns come first.
  bool Eliminate() {
    struct Bounds {
      int64_t low = 0, high = 0;
      bool low_units = true, high_units = true;
    };
    std::map<int32_t, Bounds> bounds;
    for (const auto& [terms, constant] : least_) {
      for (const auto& [unknown, factor] : terms) {
        Bounds& of = bounds[unknown];
        ++(factor > 0 ? of.low : of.high);
        if (factor > 1) of.low_units = false;
        if (factor < -1) of.high_units = false;
      }
    }
    const auto cost = [](const Bounds& of) {
      return std::pair(!of.low_units && !of.high_units, of.low * of.high - of.low - of.high);
    };
    const auto best = std::min_element(bounds.begin(), bounds.end(),
                                       [&](const auto& a, const auto& b) { return cost(a.second) < cost(b.second); });
    const int32_t unknown = best->first;
    std::vector<Linear> low, high;
    for (auto entry = least_.begin(); entry != least_.end();) {
      Linear value{entry->second, entry->first};
      const int64_t factor = value.FactorOf(unknown);
      if (factor == 0) {
        ++entry;
        continue;
      }
      (factor > 0 ? low : high).push_back(std::move(value));
      entry = least_.erase(entry);
    }
    for (const Linear& a : low) {
      for (const Linear& b : high) {
        const std::optional<Linear> scaled = Plus({}, a, -b.FactorOf(unknown));
        if (!Put(scaled ? Plus(*scaled, b, a.FactorOf(unknown)) : std::nullopt, Condition::Kind::kAtLeastZero))
          return false;
      }
    }
    return true;
  }

  int64_t& work_;
  std::vector<Linear> equations_;
  std::map<std::vector<std::pair<int32_t, int64_t>>, int64_t> least_;  // bounds: the terms, and the least constant
  bool overflowed_ = false;
};

}  // namespace

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

int64_t Linear::FactorOf(int32_t unknown) const {
  const auto at = std::lower_bound(terms.begin(), terms.end(), unknown,
                                   [](const auto& term, int32_t wanted) { return term.first < wanted; });
  return at != terms.end() && at->first == unknown ? at->second : 0;
}

std::optional<Linear> Plus(const Linear& a, const Linear& b, int64_t factor) {
  bool fits = true;
  const auto sum = [&](int64_t one, int64_t other) {
    const __int128 value = static_cast<__int128>(other) * factor + one;
    fits = fits && value < kLinearFar && value > -kLinearFar;
    return static_cast<int64_t>(value);
  };
  Linear out{sum(a.constant, b.constant), {}};
  auto p = a.terms.begin(), q = b.terms.begin();
  while (p != a.terms.end() || q != b.terms.end()) {
    const bool first = q == b.terms.end() || (p != a.terms.end() && p->first <= q->first);
    const bool second = p == a.terms.end() || (q != b.terms.end() && q->first <= p->first);
    const int32_t unknown = first ? p->first : q->first;
    const int64_t value = sum(first ? p->second : 0, second ? q->second : 0);
    if (value != 0) out.terms.push_back({unknown, value});
    if (first) ++p;
    if (second) ++q;
  }
  return fits ? std::optional(std::move(out)) : std::nullopt;
}

bool MayHold(const std::vector<Condition>& conditions, int64_t& work) {
  System system(work);
  for (const Condition& c : conditions) {
    if (c.kind != Condition::Kind::kNotZero && !system.Add(c)) return false;
  }
  return system.MayHold();
}

}  // namespace hloir::equivalence
