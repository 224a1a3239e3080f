// A canonical order of variables, by hashes that represent a variable by its context. Before, variables are split at
// their div and mod, and pairs that only occur as one index are joined. See expr.h.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>

#include "equivalence/expr.h"
#include "hloir/attributes.h"

namespace hloir::equivalence::inside {

uint64_t Exprs::HashWith(const Index& index, const std::unordered_map<VarId, uint64_t>& colours,
                         std::unordered_map<ExprId, uint64_t>& done) {
  uint64_t sum = MixHash(11, static_cast<uint64_t>(index.constant));
  for (const auto& [term, factor] : index.terms) {
    const IndexTerm& t = TermAt(term);
    uint64_t hash = MixHash(5, static_cast<uint64_t>(factor));
    if (t.kind == IndexTerm::Kind::kVar) {
      // A variable of an enclosing scope counts by its size, since its name is arbitrary.
      const auto colour = colours.find(t.var);
      const Variable& v = VariableAt(t.var);
      hash = MixHash(hash, colour != colours.end() ? colour->second
                           : v.level >= 0 ? MixHash(static_cast<uint64_t>(v.level), static_cast<uint64_t>(v.place))
                                          : MixHash(99, static_cast<uint64_t>(v.size)));
    } else if (t.kind == IndexTerm::Kind::kValue) hash = MixHash(hash, HashWith(t.value, colours, done));
    else
      hash = MixHash(MixHash(MixHash(hash, HashWith(t.inner, colours, done)), static_cast<uint64_t>(t.div)),
                     static_cast<uint64_t>(t.mod));
    sum += hash;
  }
  return MixHash(1, sum);
}

uint64_t Exprs::HashWith(ExprId e, const std::unordered_map<VarId, uint64_t>& colours,
                         std::unordered_map<ExprId, uint64_t>& done) {
  const Expr& x = At(e);
  if (x.free.empty()) return MixHash(2, static_cast<uint64_t>(e));
  const bool plain = std::none_of(x.free.begin(), x.free.end(), [&](VarId v) { return colours.count(v) != 0; });
  if (plain) {
    // A body without these variables always has the same hash.
    if (const auto known = plain_hash_.find(e); known != plain_hash_.end()) return known->second;
  }
  if (const auto found = done.find(e); found != done.end()) return found->second;
  Spent();
  uint64_t hash =
      MixHash(MixHash(static_cast<uint64_t>(x.kind), static_cast<uint64_t>(x.op)), static_cast<uint64_t>(x.tag));
  for (int64_t value : x.data) hash = MixHash(hash, static_cast<uint64_t>(value));
  const bool equality = x.op == HloOpcode::kCompare && !x.data.empty() &&
                        static_cast<ComparisonDirection>(x.data[0]) == ComparisonDirection::kEq;
  const bool unordered =
      x.kind == Expr::Kind::kFunction && (equality || (GetOpcodeInfo(x.op).traits & kCommutative) != 0);
  uint64_t parts = 0;
  for (ExprId arg : x.args) {
    if (unordered || x.op == HloOpcode::kCompare)
      parts += HashWith(arg, colours, done) * (unordered ? 1 : arg == x.args[0] ? 3 : 5);
    else hash = MixHash(hash, HashWith(arg, colours, done));
  }
  for (const Index& index : x.index) {
    uint64_t one = HashWith(index, colours, done);
    // i = 0 and -i = 0 are one condition.
    if (x.kind == Expr::Kind::kGuard && x.tag == 1) one += HashWith(Times(index, -1), colours, done);
    hash = MixHash(hash, one);
  }
  for (const Monomial& m : x.sum) {
    uint64_t product = MixHash(inside::HashOf(m.real), static_cast<uint64_t>(m.integer));
    uint64_t factors = 0;
    for (const Factor& f : m.factors)
      factors += MixHash(HashWith(f.base, colours, done), static_cast<uint64_t>(f.power));
    parts += MixHash(product, factors);
  }
  hash = MixHash(hash, parts);
  if (plain) return plain_hash_[e] = hash;
  return done[e] = hash;
}

// The factors of a sum, apart from variables: f u + 2 f v reads the index u + 2 v, whatever f is.
std::vector<Index> Exprs::IndicesIn(const Polynomial& sum, PrimitiveType type, std::vector<ExprId>& factors) const {
  struct Term {
    const Monomial* product;
    TermId variable;
  };
  std::map<std::vector<Factor>, std::vector<Term>> by_rest;
  for (const Monomial& m : sum) {
    const auto is_index = [&](const Factor& f) {
      const Expr& x = At(f.base);
      return x.kind == Expr::Kind::kIndex && f.power == kOne &&
             TermAt(x.index[0].terms[0].first).kind == IndexTerm::Kind::kVar;
    };
    const bool one = std::count_if(m.factors.begin(), m.factors.end(), is_index) == 1;
    std::vector<Factor> rest;
    TermId variable = -1;
    for (const Factor& f : m.factors) {
      if (one && is_index(f)) {
        variable = At(f.base).index[0].terms[0].first;
        continue;
      }
      factors.push_back(f.base);
      rest.push_back(f);
    }
    if (one) by_rest[std::move(rest)].push_back({&m, variable});
  }
  std::vector<Index> indices;
  for (const auto& [rest, terms] : by_rest) {
    // In units of the smallest of their coefficients, if that divides the others.
    const auto size = [&](const Term& t) {
      return IsInteger(type) ? DoubleDouble(std::abs(static_cast<double>(t.product->integer))) : Abs(t.product->real);
    };
    const Term& least =
        *std::min_element(terms.begin(), terms.end(), [&](const Term& a, const Term& b) { return size(a) < size(b); });
    Index joined;
    bool whole = true;
    for (const Term& t : terms) {
      constexpr double kMost = 0x1p40;
      whole = whole && !(size(t) > DoubleDouble(0x1p62));  // (The least s64 has no quotient by -1.)
      if (!whole) break;
      const double ratio = IsInteger(type) ? static_cast<double>(t.product->integer / least.product->integer)
                                           : std::round(t.product->real.high / least.product->real.high);
      whole = whole && std::abs(ratio) < kMost &&
              (IsInteger(type) ? t.product->integer % least.product->integer == 0
                               : t.product->real == least.product->real * ratio);
      if (whole) Put(joined, t.variable, static_cast<int64_t>(ratio));
    }
    if (whole) {
      indices.push_back(std::move(joined));
      continue;
    }
    for (const Term& t : terms) indices.push_back({0, {{t.variable, 1}}});
  }
  return indices;
}

// Splits one variable at a div or mod, or joins two variables that only occur as one index. Returns whether it did.
bool Exprs::CutOrJoin(Ordered& order) {
  // Collects every index of the bodies, the innermost first.
  std::vector<const Index*> all;
  std::deque<Index> made_of_sums;
  std::unordered_map<ExprId, bool> seen;
  std::vector<ExprId> work = order.bodies;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!seen.emplace(e, true).second) continue;
    const Expr& x = At(e);
    if (x.free.empty()) continue;
    if (x.kind == Expr::Kind::kSum) {
      for (Index& index : IndicesIn(x.sum, x.type, work)) all.push_back(&made_of_sums.emplace_back(std::move(index)));
    } else {
      PushOperands(x, work, [&](const Index& index) { all.push_back(&index); });
    }
    if (Spent()) return false;
  }
  if (all.size() > 4000) return false;
  const auto replace = [&](std::vector<size_t> old, const std::vector<VarId>& made, const std::vector<Index>& in_given,
                           const Substitution& by) {
    std::sort(old.rbegin(), old.rend());
    for (size_t k : old) {
      order.variables.erase(order.variables.begin() + static_cast<std::ptrdiff_t>(k));
      order.in_given.erase(order.in_given.begin() + static_cast<std::ptrdiff_t>(k));
    }
    order.variables.insert(order.variables.end(), made.begin(), made.end());
    order.in_given.insert(order.in_given.end(), in_given.begin(), in_given.end());
    for (ExprId& body : order.bodies) body = Substitute(body, by);
  };
  // Split.
  for (size_t k = 0; k < order.variables.size(); ++k) {
    const VarId v = order.variables[k];
    const int64_t size = VariableAt(v).size;
    const Index self = Var(v);
    std::vector<int64_t> cuts;
    for (const Index* index : all) {
      for (const auto& [term, factor] : index->terms) {
        const IndexTerm& t = TermAt(term);
        if (t.kind != IndexTerm::Kind::kDivMod || !(t.inner == self)) continue;
        cuts.push_back(t.div);
        if (t.mod != 0) cuts.push_back(t.div * t.mod);
      }
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::erase(cuts, 1);
    std::erase(cuts, size);
    if (cuts.empty()) continue;
    bool chain = true;
    int64_t last = 1;
    cuts.push_back(size);
    for (int64_t cut : cuts) chain = chain && cut % last == 0 && cut <= size, last = cut;
    if (!chain) continue;
    std::vector<VarId> made;
    std::vector<Index> in_given;
    Index sum;
    last = 1;
    for (int64_t cut : cuts) {
      made.push_back(Fresh(cut / last));
      sum = Plus(sum, Var(made.back()), last);
      Index given = Div(order.in_given[k], last);
      if (cut != size) given = Mod(given, cut / last);
      in_given.push_back(given);
      last = cut;
    }
    replace({k}, made, in_given, {{v, sum}});
    return true;
  }
  // Join, if every occurrence is size(v) u + v.
  for (size_t i = 0; i < order.variables.size(); ++i) {
    for (size_t j = 0; j < order.variables.size(); ++j) {
      if (i == j) continue;
      const VarId u = order.variables[i], v = order.variables[j];
      const int64_t size = VariableAt(v).size;
      const TermId tu = Var(u).terms.empty() ? -1 : Var(u).terms[0].first,
                   tv = Var(v).terms.empty() ? -1 : Var(v).terms[0].first;
      if (tu < 0 || tv < 0) continue;
      bool together = !all.empty(), occurs = false;
      for (const Index* index : all) {
        int64_t fu = 0, fv = 0;
        for (const auto& [term, factor] : index->terms) {
          if (term == tu) fu = factor;
          if (term == tv) fv = factor;
        }
        if (fu == 0 && fv == 0) continue;
        occurs = true;
        together = together && fu == fv * size;
        if (!together) break;
      }
      if (!together || !occurs) continue;
      const VarId w = Fresh(VariableAt(u).size * size);
      const Index joined = Var(w);
      const Index given = Plus(order.in_given[j], order.in_given[i], size);
      replace({i, j}, {w}, {given}, {{u, Div(joined, size)}, {v, Mod(joined, size)}});
      return true;
    }
  }
  return false;
}

Exprs::Ordered Exprs::Order(std::vector<VarId> variables, std::vector<ExprId> bodies, bool reshape) {
  Ordered order{std::move(variables), std::move(bodies), {}};
  for (VarId v : order.variables) order.in_given.push_back(Var(v));
  if (reshape) {
    for (int turn = 0; turn < 16 && CutOrJoin(order) && !Spent(); ++turn) continue;
  }
  if (order.variables.size() > 1) {
    std::unordered_map<VarId, uint64_t> colours;
    for (VarId v : order.variables) colours[v] = MixHash(17, static_cast<uint64_t>(VariableAt(v).size));
    for (int round = 0; round < 2; ++round) {
      std::unordered_map<VarId, uint64_t> next;
      for (VarId v : order.variables) {
        std::unordered_map<VarId, uint64_t> marked = colours;
        marked[v] = MixHash(colours[v], 0x5EEF);
        std::unordered_map<ExprId, uint64_t> done;
        uint64_t hash = 0;
        for (ExprId body : order.bodies) hash = MixHash(hash, HashWith(body, marked, done));
        next[v] = hash;
      }
      colours = std::move(next);
    }
    std::vector<size_t> places(order.variables.size());
    std::iota(places.begin(), places.end(), size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](size_t a, size_t b) { return colours[order.variables[a]] < colours[order.variables[b]]; });
    Ordered sorted{{}, std::move(order.bodies), {}};
    for (size_t k : places) {
      sorted.variables.push_back(order.variables[k]);
      sorted.in_given.push_back(std::move(order.in_given[k]));
    }
    return sorted;
  }
  return order;
}

}  // namespace hloir::equivalence::inside
