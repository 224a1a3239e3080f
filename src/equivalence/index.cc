// Index arithmetic: sums of variables with factors, of div and mod by constants, and of integer values, in a normal
// form that undoes reshapes. See expr.h.
#include <algorithm>
#include <numeric>
#include <optional>

#include "equivalence/expr.h"
#include "equivalence/linear.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int64_t kFar = kUnbounded;

int64_t Clipped(__int128 value) {
  if (value > kFar) return kFar;
  if (value < -kFar) return -kFar;
  return static_cast<int64_t>(value);
}
int64_t FloorMod(int64_t a, int64_t b) { return a - FloorDiv(a, b) * b; }

uint64_t HashOfIndex(const Index& a) {
  uint64_t hash = MixHash(7, static_cast<uint64_t>(a.constant));
  for (const auto& [term, factor] : a.terms)
    hash = MixHash(MixHash(hash, static_cast<uint64_t>(term)), static_cast<uint64_t>(factor));
  return hash;
}
bool Unbounded(Range r) { return r.low <= -kFar || r.high >= kFar; }

}  // namespace

VarId Exprs::NewVariable(Variable v) {
  if (v.level != Variable::kFresh) {
    const auto [found, is_new] =
        variable_by_.try_emplace({(int64_t{v.level} << 32) + v.place, v.size}, static_cast<VarId>(variables_.size()));
    if (!is_new) return found->second;
  }
  variables_.push_back(v);
  return static_cast<VarId>(variables_.size()) - 1;
}

void Exprs::Put(Index& a, TermId term, int64_t factor) {
  const auto at = std::lower_bound(a.terms.begin(), a.terms.end(), term,
                                   [](const auto& entry, TermId t) { return entry.first < t; });
  if (at != a.terms.end() && at->first == term) {
    at->second = Clipped(static_cast<__int128>(at->second) + factor);
    if (at->second == 0) a.terms.erase(at);
  } else if (factor != 0) {
    a.terms.insert(at, {term, factor});
  }
}

uint64_t Exprs::HashOf(const IndexTerm& term) {
  uint64_t hash = MixHash(static_cast<uint64_t>(term.kind), static_cast<uint64_t>(term.var));
  hash = MixHash(MixHash(hash, HashOfIndex(term.inner)), static_cast<uint64_t>(term.div));
  return MixHash(MixHash(hash, static_cast<uint64_t>(term.mod)), static_cast<uint64_t>(term.value));
}

Index Exprs::WithTerm(IndexTerm term) {
  const uint64_t hash = HashOf(term);
  TermId id = term_by_hash_.Find(hash, [&](TermId other) {
    const IndexTerm& t = TermAt(other);
    return t.kind == term.kind && t.var == term.var && t.inner == term.inner && t.div == term.div &&
           t.mod == term.mod && t.value == term.value;
  });
  if (id < 0) {
    Spent();
    if (term.kind == IndexTerm::Kind::kVar) term.free = {term.var};
    else if (term.kind == IndexTerm::Kind::kDivMod) AddFree(term.inner, term.free);
    else term.free = At(term.value).free;
    std::sort(term.free.begin(), term.free.end());
    term.free.erase(std::unique(term.free.begin(), term.free.end()), term.free.end());
    id = static_cast<TermId>(terms_.size());
    terms_.push_back(std::make_unique<const IndexTerm>(std::move(term)));
    term_by_hash_.Insert(hash, id);
  }
  return {0, {{id, 1}}};
}

Index Exprs::Var(VarId v) {
  const int64_t size = VariableAt(v).size;
  if (size <= 1) return {};
  IndexTerm term;
  term.var = v;
  term.range = {0, size - 1};
  return WithTerm(std::move(term));
}

Index Exprs::ValueTerm(ExprId e) {
  if (std::optional<Index> index = AsIndex(e)) return *std::move(index);
  IndexTerm term;
  term.kind = IndexTerm::Kind::kValue;
  term.value = e;
  term.range = RangeOf(e);
  return WithTerm(std::move(term));
}

Range Exprs::RangeOf(const Index& a) const {
  __int128 low = a.constant, high = a.constant;
  for (const auto& [term, factor] : a.terms) {
    const Range r = TermAt(term).range;
    if (Unbounded(r)) return {-kFar, kFar};
    low += static_cast<__int128>(factor) * (factor > 0 ? r.low : r.high);
    high += static_cast<__int128>(factor) * (factor > 0 ? r.high : r.low);
  }
  return {Clipped(low), Clipped(high)};
}

void Exprs::AddFree(const Index& a, std::vector<VarId>& free) const {
  for (const auto& [term, factor] : a.terms) {
    const std::vector<VarId>& more = TermAt(term).free;
    free.insert(free.end(), more.begin(), more.end());
  }
}

// f (x div a mod m) + f m (x div a m mod n) is f (x div a mod m n).
Index Exprs::Canonical(Index a) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < a.terms.size() && !changed; ++i) {
      const auto [low, factor] = a.terms[i];
      const IndexTerm& x = TermAt(low);
      if (x.kind != IndexTerm::Kind::kDivMod || x.mod == 0) continue;
      for (size_t j = 0; j < a.terms.size() && !changed; ++j) {
        const auto [high, other] = a.terms[j];
        const IndexTerm& y = TermAt(high);
        if (i == j || y.kind != IndexTerm::Kind::kDivMod || !(y.inner == x.inner) || y.div != x.div * x.mod ||
            other != factor * x.mod)
          continue;
        const int64_t mod = y.mod == 0 ? 0 : y.mod * x.mod, div = x.div;
        const Index inner = x.inner;
        Put(a, low, -factor);
        Put(a, high, -other);
        Index joined = Div(inner, div);
        if (mod != 0) joined = Mod(joined, mod);
        a.constant += factor * joined.constant;
        for (const auto& [term, f] : joined.terms) Put(a, term, f * factor);
        changed = true;
      }
    }
  }
  return a;
}

Index Exprs::Plus(const Index& a, const Index& b, int64_t factor) {
  Index sum = a;
  sum.constant = Clipped(static_cast<__int128>(b.constant) * factor + a.constant);
  for (const auto& [term, f] : b.terms) Put(sum, term, Clipped(static_cast<__int128>(f) * factor));
  return b.terms.empty() ? sum : Canonical(std::move(sum));
}
Index Exprs::Times(const Index& a, int64_t factor) { return Plus({}, a, factor); }

std::optional<Exprs::IndexSplit> Exprs::SplitBelow(const Index& index, int64_t multiple) {
  std::vector<int64_t> steps;
  for (const auto& [term, factor] : index.terms) steps.push_back(std::gcd(factor, multiple));
  std::sort(steps.rbegin(), steps.rend());
  for (int64_t g : steps) {
    if (g == 1) break;
    Index u{FloorDiv(index.constant, g), {}}, w{FloorMod(index.constant, g), {}};
    for (const auto& [term, factor] : index.terms) {
      if (factor % g == 0) u.terms.push_back({term, factor / g});
      else w.terms.push_back({term, factor});
    }
    const Range small = RangeOf(w);
    if (small.low >= 0 && small.high < g) return IndexSplit{g, std::move(u), std::move(w)};
  }
  return std::nullopt;
}

Index Exprs::Div(const Index& a, int64_t by) {
  if (by == 1) return a;
  // Extracts multiples of the divisor; the rest may be smaller than the divisor.
  Index whole{FloorDiv(a.constant, by), {}}, rest{FloorMod(a.constant, by), {}};
  for (const auto& [term, factor] : a.terms) {
    const int64_t q = FloorDiv(factor, by), r = FloorMod(factor, by);
    // Only whole multiples, so that the other terms keep their form.
    if (r == 0) Put(whole, term, q);
    else Put(rest, term, factor);
  }
  const Range range = RangeOf(rest);
  if (!Unbounded(range) && FloorDiv(range.low, by) == FloorDiv(range.high, by)) {
    whole.constant += FloorDiv(range.low, by);
    return whole;
  }
  // g u + w: u div (by / g).
  if (const auto split = SplitBelow(rest, by)) return Plus(Div(split->whole, by / split->by), whole);
  if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].second == 1) {
    const IndexTerm t = TermAt(rest.terms[0].first);
    if (t.kind == IndexTerm::Kind::kDivMod) {
      if (t.mod == 0) return Plus(Div(t.inner, t.div * by), whole);
      if (t.mod % by == 0) return Plus(Mod(Div(t.inner, t.div * by), t.mod / by), whole);
    }
  }
  IndexTerm term;
  term.kind = IndexTerm::Kind::kDivMod;
  term.inner = rest;
  term.div = by;
  term.range = Unbounded(range) ? Range{-kFar, kFar} : Range{FloorDiv(range.low, by), FloorDiv(range.high, by)};
  return Plus(WithTerm(std::move(term)), whole);
}

Index Exprs::Mod(const Index& a, int64_t by) {
  if (by == 1) return {};
  Index rest{FloorMod(a.constant, by), {}};
  for (const auto& [term, factor] : a.terms)
    Put(rest, term, factor < 0 || factor >= by ? FloorMod(factor, by) : factor);
  // f (x div a mod m) + g (x div a m) is f (x div a), where g is f m modulo `by`.
  for (const auto& [low, factor] : rest.terms) {
    const IndexTerm& x = TermAt(low);
    if (x.kind != IndexTerm::Kind::kDivMod || x.mod == 0) continue;
    for (const auto& [high, other] : rest.terms) {
      const IndexTerm& y = TermAt(high);
      const int64_t wanted = factor * x.mod;
      if (y.kind != IndexTerm::Kind::kDivMod || !(y.inner == x.inner) || y.div != x.div * x.mod || other == wanted ||
          FloorMod(other - wanted, by) != 0)
        continue;
      const TermId term = high;
      const int64_t more = wanted - other;
      Put(rest, term, more);
      return Mod(Canonical(std::move(rest)), by);
    }
  }
  const Range range = RangeOf(rest);
  if (!Unbounded(range) && FloorDiv(range.low, by) == FloorDiv(range.high, by)) {
    rest.constant -= FloorDiv(range.low, by) * by;
    return rest;
  }
  if (const auto split = SplitBelow(rest, by)) return Plus(split->rest, Mod(split->whole, by / split->by), split->by);
  IndexTerm term;
  term.kind = IndexTerm::Kind::kDivMod;
  term.inner = rest;
  term.mod = by;
  if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].second == 1) {
    const IndexTerm t = TermAt(rest.terms[0].first);
    if (t.kind == IndexTerm::Kind::kDivMod && (t.mod == 0 || t.mod % by == 0)) {
      term.inner = t.inner;
      term.div = t.div;
    }
  }
  term.range = {0, by - 1};
  return WithTerm(std::move(term));
}

Index Exprs::Flatten(std::span<const Index> index, std::span<const int64_t> sizes) {
  Index flat;
  for (size_t d = 0; d < sizes.size(); ++d) flat = Plus(index[d], flat, sizes[d]);
  return flat;
}

std::vector<Index> Exprs::Unflatten(const Index& flat, std::span<const int64_t> sizes) {
  std::vector<Index> index(sizes.size());
  int64_t stride = 1;
  size_t outermost = 0;
  while (outermost < sizes.size() && sizes[outermost] == 1) ++outermost;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    index[d] = Div(flat, stride);
    if (d != outermost) index[d] = Mod(index[d], sizes[d]);
    stride *= sizes[d];
  }
  return index;
}

}  // namespace hloir::equivalence::inside
