// Which elements of one summand are those of another: the equations between indices under which their parts are the
// same expression, solved for the variables of either. See summands.h.
#include <algorithm>

#include "equivalence/summands.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int kMostUnified = 400;  // pairs of parts that are tried for two summands

bool HasAny(const std::vector<VarId>& sorted, const std::vector<VarId>& of) {
  return std::any_of(of.begin(), of.end(), [&](VarId v) { return HasVariable(sorted, v); });
}

}  // namespace

bool Regions::UnifyIndex(const Index& p, const Index& q, const Then& then) {
  // Values that the two read at the same place of the index must be equal, too.
  Index a = p, b = q;
  const auto value_of = [&](const Index& index) {
    return std::find_if(index.terms.begin(), index.terms.end(),
                        [&](const auto& term) { return x_.TermAt(term.first).kind == IndexTerm::Kind::kValue; });
  };
  const auto i = value_of(a), j = value_of(b);
  if ((i == a.terms.end()) != (j == b.terms.end())) return false;
  if (i != a.terms.end()) {
    if (i->second != j->second) return false;
    const ExprId one = x_.TermAt(i->first).value, other = x_.TermAt(j->first).value;
    a.terms.erase(i), b.terms.erase(j);
    return Unify(one, other, [&] { return UnifyIndex(a, b, then); });
  }
  if (a == b) return then();
  // A variable that is bound inside has no one value that an equation could use.
  std::vector<VarId> free;
  x_.AddFree(x_.Plus(a, b, -1), free);
  if (std::any_of(free.begin(), free.end(), [&](VarId v) { return inner_.count(v) != 0; })) return false;
  equations_.push_back({std::move(a), std::move(b)});
  const bool done = then();
  equations_.pop_back();
  return done;
}

bool Regions::UnifyIndices(const std::vector<Index>& p, const std::vector<Index>& q, size_t k, const Then& then) {
  if (k == p.size()) return then();
  return UnifyIndex(p[k], q[k], [&, k] { return UnifyIndices(p, q, k + 1, then); });
}

bool Regions::UnifyAll(const std::vector<std::pair<ExprId, ExprId>>& pairs, size_t k, const Then& then) {
  if (k == pairs.size()) return then();
  return Unify(pairs[k].first, pairs[k].second, [&, k] { return UnifyAll(pairs, k + 1, then); });
}

bool Regions::UnifyFactors(const std::vector<Factor>& p, const std::vector<Factor>& q, std::vector<bool>& used,
                           size_t k, const Then& then) {
  if (k == p.size()) return then();
  for (size_t j = 0; j < q.size(); ++j) {
    if (used[j] || p[k].power != q[j].power) continue;
    used[j] = true;
    const bool done = Unify(p[k].base, q[j].base, [&, k] { return UnifyFactors(p, q, used, k + 1, then); });
    used[j] = false;
    if (done) return true;
  }
  return false;
}

bool Regions::UnifySums(const Polynomial& p, const Polynomial& q, std::vector<bool>& used, size_t k, const Then& then) {
  if (k == p.size()) return then();
  for (size_t j = 0; j < q.size(); ++j) {
    if (used[j] || p[k].integer != q[j].integer || !(p[k].real == q[j].real) ||
        p[k].factors.size() != q[j].factors.size())
      continue;
    used[j] = true;
    std::vector<bool> of_factors(q[j].factors.size(), false);
    const bool done =
        UnifyFactors(p[k].factors, q[j].factors, of_factors, 0, [&, k] { return UnifySums(p, q, used, k + 1, then); });
    used[j] = false;
    if (done) return true;
  }
  return false;
}

// Collects the equations between indices under which `p` and `q` are the same expression.
bool Regions::Unify(ExprId p, ExprId q, const Then& then) {
  if (p == q) return then();
  if (--pairs_left_ < 0 || x_.Spent()) return false;
  const Expr &a = x_.At(p), &b = x_.At(q);
  if (a.kind != b.kind || a.type != b.type || a.op != b.op || a.tag != b.tag || a.data != b.data ||
      a.args.size() != b.args.size() || a.index.size() != b.index.size() || a.bound != b.bound ||
      a.sum.size() != b.sum.size())
    return false;
  if (a.kind == Expr::Kind::kSum) {
    std::vector<bool> used(b.sum.size(), false);
    return UnifySums(a.sum, b.sum, used, 0, then);
  }
  inner_.insert(a.bound.begin(), a.bound.end());
  std::vector<std::pair<ExprId, ExprId>> pairs;
  for (size_t k = 0; k < a.args.size(); ++k) pairs.push_back({a.args[k], b.args[k]});
  return UnifyIndices(a.index, b.index, 0, [&] { return UnifyAll(pairs, 0, then); });
}

// Whether `other` sums elements of what `first` sums, each at most once: then under which conditions on the variables
// of `first`, and the equations on the variables of `other` where it does. The variables of either must determine those
// of the other.
bool Regions::IsPiece(const Summand& first, const Summand& other, std::vector<Condition>& conditions,
                      std::vector<Linear>& where) {
  if (first.parts.size() != other.parts.size()) return false;
  pairs_left_ = kMostUnified;
  overflowed_ = false;
  equations_.clear();
  inner_.clear();
  std::vector<bool> used(other.parts.size(), false);
  return UnifyFactors(first.parts, other.parts, used, 0, [&] {
    std::vector<Linear> equations;
    for (const auto& [p, q] : equations_) {
      const std::optional<Linear> left = LinearOf(p, {}), right = LinearOf(q, {});
      const std::optional<Linear> equation = left && right ? Plus(*left, *right, -1) : std::nullopt;
      if (!equation) return false;
      equations.push_back(*equation);
    }
    // A variable inside a quotient is not solved for.
    std::vector<VarId> all = first.over;
    all.insert(all.end(), other.over.begin(), other.over.end());
    for (const auto& [p, q] : equations_) {
      for (const Index* index : {&p, &q}) {
        for (const auto& [term, factor] : index->terms) {
          const IndexTerm& t = x_.TermAt(term);
          if (t.kind != IndexTerm::Kind::kVar && HasAny(t.free, all)) return false;
        }
      }
    }
    std::vector<Linear> rest;
    where.clear();
    if (!Solved(equations, first.over, false, where)) return false;
    const std::optional<Values> back = Solved(equations, other.over, true, rest);
    if (!back) return false;
    conditions.clear();
    for (const Linear& equation : rest) conditions.push_back({Condition::Kind::kZero, equation});
    return AddBounds(other, *back, conditions);
  });
}

}  // namespace hloir::equivalence::inside
