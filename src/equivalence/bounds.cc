// Integer values with two bounds: removes clamps that the bounds make redundant, and finds the one tile of an index
// that contains the integer. A look-up in a table that is partitioned by rows becomes a look-up in the whole table. See
// expr.h.
#include <algorithm>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {

// A sum of integer values and indices as one index, unless the sum may overflow its type.
std::optional<Index> Exprs::MixedIndex(ExprId e, bool needs_index) {
  const PrimitiveType type = TypeOf(e);
  if (const auto plain = AsIndex(e)) return plain;
  if (!IsInteger(type) || BitWidth(type) < 32) return std::nullopt;
  Polynomial data;
  Index sum;
  bool moves = false;
  constexpr int64_t kFar = int64_t{1} << 30;
  for (const Monomial& m : PolynomialOf(e)) {
    if (m.integer > kFar || m.integer < -kFar) return std::nullopt;
    if (m.factors.empty()) sum.constant += m.integer;
    else if (m.factors.size() == 1 && m.factors[0].power == kOne && At(m.factors[0].base).kind == Expr::Kind::kIndex)
      sum = Plus(sum, At(m.factors[0].base).index[0], m.integer), moves = true;
    else data.push_back(m);
  }
  if (needs_index && !moves) return std::nullopt;
  const ExprId rest = Sum(std::move(data), type);
  const Range of_data = RangeOf(rest);
  if (of_data.low < 0 || of_data.high > kFar) return std::nullopt;
  sum = Plus(sum, ValueTerm(rest));
  const Range range = RangeOf(sum);
  if (range.low < (IsUnsigned(type) ? 0 : -kFar) || range.high > kFar) return std::nullopt;
  return sum;
}

bool Exprs::OfDevices(const Index& index) const {
  std::vector<VarId> free;
  AddFree(index, free);
  return std::any_of(free.begin(), free.end(),
                     [&](VarId v) { return VariableAt(v).level == Variable::kTurn && VariableAt(v).place < 0; });
}

// Returns whether the guard is one of the two bounds of a tile: 0 <= u < size, where u is an integer value minus size
// times a variable.
bool Exprs::BoundsTile(const Monomial& m, const Expr& guard) const {
  const auto& terms = guard.index[0].terms;
  return std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) {
    const Expr& other = At(f.base);
    if (other.kind != Expr::Kind::kGuard || other.tag != 0 || other.index[0].terms.size() != terms.size()) return false;
    const int64_t size = guard.index[0].constant + other.index[0].constant + 1;
    bool opposite = size > 1, tiles = false;
    for (size_t k = 0; k < terms.size() && opposite; ++k) {
      const auto& [term, factor] = terms[k];
      opposite = other.index[0].terms[k] == std::pair(term, -factor);
      tiles = tiles || ((factor == size || factor == -size) && TermAt(term).kind == IndexTerm::Kind::kVar);
    }
    return opposite && tiles;
  });
}

// Replaces min(most, max(0, u)) by u in a leaf's index if the product's conditions imply 0 <= u <= most.
bool Exprs::UseBoundsOfClamps(Monomial& m) {
  const auto says = [&](const Index& index) {
    return std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) {
      const Expr& x = At(f.base);
      return x.kind == Expr::Kind::kGuard && x.tag == 0 && x.index[0].terms == index.terms &&
             x.index[0].constant <= index.constant;
    });
  };
  const auto clamped = [&](ExprId e) -> std::optional<Index> {
    const Expr least = At(e);
    if (least.kind != Expr::Kind::kFunction || least.op != HloOpcode::kMinimum || least.args.size() != 2)
      return std::nullopt;
    for (size_t k = 0; k < 2; ++k) {
      const std::optional<int64_t> most = IntegerOf(least.args[k]);
      const Expr inner = At(least.args[1 - k]);
      if (!most || inner.kind != Expr::Kind::kFunction || inner.op != HloOpcode::kMaximum || inner.args.size() != 2)
        continue;
      for (size_t j = 0; j < 2; ++j) {
        if (IntegerOf(inner.args[j]) != std::optional<int64_t>(0)) continue;
        const std::optional<Index> u = MixedIndex(inner.args[1 - j]);
        if (u && says(*u) && says(Plus(Number(*most), *u, -1))) return u;
      }
    }
    return std::nullopt;
  };
  bool changed = false;
  for (Factor& f : m.factors) {
    const Expr x = At(f.base);
    if (x.kind != Expr::Kind::kLeaf) continue;
    std::vector<Index> index = x.index;
    bool here = false;
    for (Index& at : index) {
      for (const auto& [term, factor] : std::vector(at.terms)) {
        if (TermAt(term).kind != IndexTerm::Kind::kValue) continue;
        const std::optional<Index> u = clamped(TermAt(term).value);
        if (!u) continue;
        at = Plus(Plus(at, {0, {{term, 1}}}, -factor), *u, factor);
        here = true;
      }
    }
    if (!here) continue;
    f.base = MakeLeaf(static_cast<int32_t>(x.tag), std::move(index));
    changed = true;
  }
  return changed;
}

// 0 <= r - size v < size means that v is r div size. Replaces the two conditions by the bounds of v.
std::optional<Exprs::Tile> Exprs::TileOf(const std::vector<VarId>& variables, Monomial& m) {
  for (size_t i = 0; i < m.factors.size(); ++i) {
    const Expr low = At(m.factors[i].base);
    if (low.kind != Expr::Kind::kGuard || low.tag != 0) continue;
    for (size_t j = 0; j < m.factors.size(); ++j) {
      const Expr high = At(m.factors[j].base);
      if (i == j || high.kind != Expr::Kind::kGuard || high.tag != 0) continue;
      const Index both = Plus(low.index[0], high.index[0]);
      if (!both.terms.empty() || both.constant < 1) continue;
      const int64_t size = both.constant + 1;
      for (size_t k = 0; k < variables.size(); ++k) {
        const Index self = Var(variables[k]);
        if (self.terms.empty()) continue;
        const Index rest = Plus(low.index[0], self, size);
        const bool again = std::any_of(rest.terms.begin(), rest.terms.end(), [&](const auto& term) {
          return HasVariable(TermAt(term.first).free, variables[k]);
        });
        if (again) continue;
        const Index tile = Div(rest, size);
        m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
        m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
        m.factors.push_back({Guard(false, tile), kOne});
        m.factors.push_back({Guard(false, Plus(Number(VariableAt(variables[k]).size - 1), tile, -1)), kOne});
        return Tile{k, tile};
      }
    }
  }
  return std::nullopt;
}

}  // namespace hloir::equivalence::inside
