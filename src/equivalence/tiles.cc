// Equality tile by tile. An index that is split into a tile and an offset, as on the devices of a mesh, is compared for
// each tile number in turn, which decides conditions on tiles and names neighbours. See expr.h.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int64_t kMostTiles = 64;  // total number of tiles
constexpr int64_t kFewPlaces = 16;  // of a variable

}  // namespace

// The largest tile size below a free variable's own size by which the expression splits the variable, or 1.
std::map<VarId, int64_t> Exprs::CutsOf(ExprId e) {
  std::map<VarId, int64_t> cuts;
  const std::vector<VarId> free = At(e).free;
  const auto cut_by = [&](const Index& index) {
    for (const auto& [term, factor] : index.terms) {
      const IndexTerm& t = TermAt(term);
      if (t.kind != IndexTerm::Kind::kDivMod) continue;
      for (const auto& [inside, f] : t.inner.terms) {
        const IndexTerm& of = TermAt(inside);
        if (of.kind != IndexTerm::Kind::kVar || !HasVariable(free, of.var)) continue;
        const int64_t size = VariableAt(of.var).size;
        int64_t& cut = cuts[of.var];
        for (int64_t by : {t.div, t.mod, t.mod * t.div}) {
          by /= std::gcd(by, f);
          if (by > 1 && by < size) cut = std::max(cut, by);
          // An index that crosses the edge of a tile is compared position by position.
          else if (by >= size && size <= kFewPlaces) cut = std::max<int64_t>(cut, 1);
        }
      }
    }
  };
  ForEachBelow(
      e, [](ExprId) {}, cut_by);
  std::erase_if(cuts, [](const auto& entry) { return entry.second == 0; });
  return cuts;
}

// Unrolls small window sums, so that two halves of a window on two devices add up to the whole window.
ExprId Exprs::Unrolled(ExprId e) {
  constexpr int64_t kMostTaps = 8, kMostTerms = 128;
  Replacement instead;
  std::set<ExprId> seen;
  std::vector<ExprId> work{e};
  while (!work.empty() && !Spent()) {
    const ExprId at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) continue;
    const Expr& x = At(at);
    if (x.kind != Expr::Kind::kBind) {
      for (ExprId arg : x.args) work.push_back(arg);
      for (const Monomial& m : x.sum) {
        for (const Factor& f : m.factors) work.push_back(f.base);
      }
      continue;
    }
    if (x.tag != kSumOf) continue;
    std::vector<VarId> taps, rest;
    Substitution to;
    int64_t terms = 1;
    for (VarId v : x.bound) {
      const int64_t size = VariableAt(v).size;
      if (size <= kMostTaps && terms * size <= kMostTerms && MovesIn(x.args[0], v)) {
        taps.push_back(v);
        terms *= size;
      } else {
        rest.push_back(Fresh(size));
        to.push_back({v, Var(rest.back())});
      }
    }
    if (taps.empty()) continue;
    Polynomial sum;
    for (int64_t term = 0; term < terms && !OutOfWork(); ++term) {
      Substitution by = to;
      int64_t left = term;
      for (VarId v : taps) {
        by.push_back({v, Number(left % VariableAt(v).size)});
        left /= VariableAt(v).size;
      }
      for (Monomial& m : PolynomialOf(SumOver(rest, Substitute(x.args[0], by)))) sum.push_back(std::move(m));
    }
    instead[at] = Sum(std::move(sum), x.type);
  }
  return instead.empty() ? e : Replaced(e, instead);
}

// Returns whether a leaf's index combines the variable with another term.
bool Exprs::MovesIn(ExprId e, VarId v) {
  std::set<ExprId> seen;
  std::vector<ExprId> work{e};
  const TermId self = Var(v).terms.empty() ? -1 : Var(v).terms[0].first;
  while (!work.empty() && self >= 0) {
    const ExprId at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) continue;
    const Expr& x = At(at);
    if (!HasVariable(x.free, v)) continue;
    for (const Index& index : x.index) {
      const bool has = std::any_of(index.terms.begin(), index.terms.end(),
                                   [&](const auto& term) { return HasVariable(TermAt(term.first).free, v); });
      if (has && (index.terms.size() > 1 || index.constant != 0 || index.terms[0].first != self)) return true;
    }
    for (ExprId arg : x.args) work.push_back(arg);
    for (const Monomial& m : x.sum) {
      for (const Factor& f : m.factors) work.push_back(f.base);
    }
  }
  return false;
}

bool Exprs::EqualUnrolled(ExprId a, ExprId b, int64_t budget) {
  constexpr int kMostRounds = 4;
  const int64_t left = work_left_;
  work_left_ = std::min(left, budget);
  const bool was = std::exchange(naming_, true);
  bool equal = false;
  for (int round = 0; round < kMostRounds && !equal && !OutOfWork(); ++round) {
    const ExprId p = Unrolled(a), q = Unrolled(b);
    equal = (p != a || q != b) && EqualCloser(p, q);
    const ExprId r = OpenedOnly(a, NamesIn(a)), s = OpenedOnly(b, NamesIn(b));
    if (r == a && s == b) break;
    a = r, b = s;
  }
  naming_ = was;
  work_left_ = left - (std::min(left, budget) - work_left_);
  return equal;
}

bool Exprs::EqualInTiles(ExprId a, ExprId b, int64_t budget) {
  constexpr int64_t kForAll = 5;  // budgets for the whole and all tiles together
  const int64_t left = work_left_, most = std::min(left, budget * kForAll);
  work_left_ = most;
  const bool was = std::exchange(in_tiles_, true);
  const bool equal = EqualInTiles(a, b, budget, 1);
  in_tiles_ = was;
  work_left_ = left - (most - work_left_);
  return equal;
}

bool Exprs::EqualInTiles(ExprId a, ExprId b, int64_t budget, int64_t tiles) {
  if (a == b) return true;
  if (OutOfWork()) return false;
  std::map<VarId, int64_t> cuts = CutsOf(a);
  for (const auto& [v, cut] : CutsOf(b)) cuts[v] = std::max(cuts[v], cut);
  // Values that depend on the device are compared for each device.
  for (ExprId e : {a, b}) {
    for (VarId v : At(e).free) {
      if (VariableAt(v).level == Variable::kTurn && VariableAt(v).place < 0) cuts[v] = 1;
    }
  }
  // Most values are equal for all tiles alike. Others are not: substituting a tile's number decides conditions on
  // tiles.
  if (tiles == 1 && !cuts.empty() && EqualInside(a, b, budget)) return true;
  for (const auto& [v, cut] : cuts) {
    const Variable variable = VariableAt(v);
    const int64_t count = (variable.size + cut - 1) / cut;
    if (count * tiles > kMostTiles) continue;
    bool equal = true;
    for (int64_t tile = 0; tile < count && equal; ++tile) {
      const VarId inside = NewVariable({std::min(cut, variable.size - tile * cut), variable.level, variable.place});
      const Substitution by{{v, Plus(Var(inside), Number(tile * cut))}};
      equal = EqualInTiles(Substitute(a, by), Substitute(b, by), budget, tiles * count);
    }
    return equal;
  }
  return EqualInside(a, b, budget) || EqualUnrolled(a, b, budget);
}

}  // namespace hloir::equivalence::inside
