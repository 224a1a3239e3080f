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

// Matches min(most, max(0, u)); returns u and most.
std::optional<std::pair<Index, int64_t>> Exprs::Clamped(ExprId e) {
  const Expr* x = &At(e);
  // A conversion of non-negative values to a wider type is exact.
  if (x->kind == Expr::Kind::kFunction && x->op == HloOpcode::kConvert && IsInteger(x->type) &&
      IsInteger(TypeOf(x->args[0])) && BitWidth(x->type) >= BitWidth(TypeOf(x->args[0])) &&
      RangeOf(x->args[0]).low >= 0)
    x = &At(x->args[0]);
  const Expr least = *x;
  if (least.kind != Expr::Kind::kFunction || least.op != HloOpcode::kMinimum || least.args.size() != 2)
    return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const std::optional<int64_t> most = IntegerOf(least.args[k]);
    const Expr& inner = At(least.args[1 - k]);
    if (!most || inner.kind != Expr::Kind::kFunction || inner.op != HloOpcode::kMaximum || inner.args.size() != 2)
      continue;
    for (size_t j = 0; j < 2; ++j) {
      if (IntegerOf(inner.args[j]) != std::optional<int64_t>(0)) continue;
      if (const std::optional<Index> u = MixedIndex(inner.args[1 - j])) return std::pair(*u, *most);
    }
  }
  return std::nullopt;
}

// Matches t >= k, where t is min(most, max(0, u)) and 1 <= k <= most, which is equivalent to u >= k, and t = k, where
// 1 <= k < most, which is equivalent to u = k.
std::optional<Exprs::ClampBound> Exprs::ClampBoundOf(ExprId condition) {
  const Expr& guard = At(condition);
  if (guard.kind != Expr::Kind::kGuard) return std::nullopt;
  const bool equal = guard.tag != 0;
  for (const auto& [term, factor] : guard.index[0].terms) {
    if ((factor != 1 && factor != -1) || TermAt(term).kind != IndexTerm::Kind::kValue) continue;
    const auto clamped = Clamped(TermAt(term).value);
    if (!clamped) continue;
    // t + rest >= 0, or rest - t >= 0, which is not t >= rest + 1.
    const Index rest = Plus(guard.index[0], {0, {{term, 1}}}, -factor);
    const Range k = RangeOf(factor > 0 ? Times(rest, -1) : Plus(rest, Number(equal ? 0 : 1)));
    if (k.low < 1 || k.high > clamped->second - (equal ? 1 : 0)) continue;
    return ClampBound{term, factor, rest, clamped->first, equal};
  }
  return std::nullopt;
}

bool Exprs::Reads(ExprId e, TermId term) {
  bool reads = false;
  ForEachBelow(
      e, [](ExprId) {},
      [&](const Index& index) {
        for (const auto& [t, factor] : index.terms) reads = reads || t == term;
      });
  return reads;
}

// Replaces conditions on a clamped integer that occurs nowhere else by conditions on its operand.
bool Exprs::UseBoundsOfWindows(Monomial& m) {
  for (size_t k = 0; k < m.factors.size(); ++k) {
    const auto bound = ClampBoundOf(m.factors[k].base);
    if (!bound) continue;
    bool elsewhere = false;
    for (size_t j = 0; j < m.factors.size(); ++j)
      elsewhere = elsewhere || (j != k && Reads(m.factors[j].base, bound->term));
    if (elsewhere) continue;
    m.factors[k].base = Guard(bound->equal, Plus(bound->rest, bound->value, bound->factor));
    return true;
  }
  return false;
}

// A device that finds where in its shard a window starts has r - size t if 0 <= r - size t < size, else 0.
std::optional<Exprs::Masked> Exprs::MaskedOf(ExprId e) {
  constexpr size_t kMost = 8;
  constexpr int64_t kFar = int64_t{1} << 30;
  const Expr& x = At(e);
  if (x.kind != Expr::Kind::kSum || !IsInteger(x.type) || IsUnsigned(x.type) || BitWidth(x.type) < 32 ||
      x.sum.empty() || x.sum.size() > kMost)
    return std::nullopt;
  const auto has = [](const Monomial& m, ExprId condition) {
    return std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return f.base == condition; });
  };
  Masked masked;
  for (const Factor& f : x.sum[0].factors) {
    if (At(f.base).kind == Expr::Kind::kGuard &&
        std::all_of(x.sum.begin(), x.sum.end(), [&](const Monomial& m) { return has(m, f.base); }))
      masked.conditions.push_back(f.base);
  }
  if (masked.conditions.empty()) return std::nullopt;
  const PrimitiveType type = x.type;
  Polynomial data;
  for (Monomial m : Polynomial(x.sum)) {
    if (m.integer > kFar || m.integer < -kFar) return std::nullopt;
    std::erase_if(m.factors, [&](const Factor& f) {
      return std::find(masked.conditions.begin(), masked.conditions.end(), f.base) != masked.conditions.end();
    });
    if (m.factors.empty()) masked.inside.constant += m.integer;
    else if (m.factors.size() == 1 && m.factors[0].power == kOne && At(m.factors[0].base).kind == Expr::Kind::kIndex)
      masked.inside = Plus(masked.inside, At(m.factors[0].base).index[0], m.integer);
    else data.push_back(std::move(m));
  }
  if (!data.empty()) masked.inside = Plus(masked.inside, ValueTerm(Sum(std::move(data), type)));
  if (masked.inside.terms.empty()) return std::nullopt;
  // Within these bounds the integer does not overflow.
  std::optional<int64_t> low, high;
  for (ExprId condition : masked.conditions) {
    const Index& bound = At(condition).index[0];
    const bool equal = At(condition).tag == 1;
    const Index above = Plus(masked.inside, bound, -1), below = Plus(masked.inside, bound);
    if (above.terms.empty() && (!low || above.constant > *low)) low = above.constant;
    if (below.terms.empty() && (!high || below.constant < *high)) high = below.constant;
    if (equal && above.terms.empty()) high = above.constant;
    if (equal && below.terms.empty()) low = below.constant;
  }
  if (!low || !high || *low < -kFar || *high > kFar || *low > *high) return std::nullopt;
  masked.range = {std::min<int64_t>(*low, 0), std::max<int64_t>(*high, 0)};
  return masked;
}

// Replaces such integers by their indices where the product's conditions include theirs.
bool Exprs::UseMasks(Monomial& m) {
  bool changed = false;
  for (Factor& f : m.factors) {
    const Expr& x = At(f.base);
    if (x.kind != Expr::Kind::kLeaf && x.kind != Expr::Kind::kGuard) continue;
    std::vector<Index> index = x.index;
    bool here = false;
    for (Index& at : index) {
      for (const auto& [term, factor] : std::vector(at.terms)) {
        if (TermAt(term).kind != IndexTerm::Kind::kValue) continue;
        const std::optional<Masked> masked = MaskedOf(TermAt(term).value);
        const bool holds =
            masked && std::all_of(masked->conditions.begin(), masked->conditions.end(), [&](ExprId condition) {
              return std::any_of(m.factors.begin(), m.factors.end(),
                                 [&](const Factor& g) { return g.base == condition && &g != &f; });
            });
        if (!holds) continue;
        at = Plus(Plus(at, {0, {{term, 1}}}, -factor), masked->inside, factor);
        here = true;
      }
    }
    if (!here) continue;
    f.base = x.kind == Expr::Kind::kLeaf ? MakeLeaf(static_cast<int32_t>(x.tag), std::move(index))
                                         : Guard(x.tag != 0, std::move(index[0]));
    changed = true;
  }
  return changed;
}

// In f(t) [u >= k] - f(t) [u >= l], where t is min(most, max(0, u)) and k and l lie in [1, most], t is u between the
// bounds. Returns whether a replacement was made.
bool Exprs::UseWindowsOfClamps(Polynomial& p, PrimitiveType type) {
  constexpr size_t kMost = 16;
  if (p.size() < 2 || p.size() > kMost) return false;
  const auto bounds = [&](ExprId condition, const Index& u, int64_t most) -> std::optional<Index> {
    const Expr& guard = At(condition);
    if (guard.kind != Expr::Kind::kGuard || guard.tag != 0) return std::nullopt;
    const Index k = Plus(u, guard.index[0], -1);
    const Range range = RangeOf(k);
    return range.low >= 1 && range.high <= most ? std::optional(k) : std::nullopt;
  };
  const auto without = [](Monomial m, size_t k) {
    m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(k));
    return m;
  };
  for (size_t i = 0; i < p.size(); ++i) {
    for (const Factor& read : std::vector(p[i].factors)) {
      if (At(read.base).kind != Expr::Kind::kLeaf) continue;
      for (const Index& place : std::vector(At(read.base).index)) {
        for (const auto& [term, factor] : place.terms) {
          if (TermAt(term).kind != IndexTerm::Kind::kValue) continue;
          const auto clamped = Clamped(TermAt(term).value);
          if (!clamped) continue;
          const auto& [u, most] = *clamped;
          for (size_t k = 0; k < p[i].factors.size(); ++k) {
            const auto first = bounds(p[i].factors[k].base, u, most);
            if (!first) continue;
            const Monomial rest = without(p[i], k);
            for (size_t j = 0; j < p.size(); ++j) {
              if (j == i || p[j].factors.size() != p[i].factors.size() ||
                  (IsInteger(type) ? p[j].integer != -p[i].integer : !(p[j].real == -p[i].real)))
                continue;
              for (size_t l = 0; l < p[j].factors.size(); ++l) {
                const auto second = bounds(p[j].factors[l].base, u, most);
                if (!second || without(p[j], l).factors != rest.factors) continue;
                // The larger bound implies the other.
                const Range apart = RangeOf(Plus(*first, *second, -1));
                if (apart.low < 0 && apart.high > 0) continue;
                std::vector<Factor> read_at;
                for (const Factor& f : rest.factors) {
                  const Expr& x = At(f.base);
                  std::vector<Index> index = x.index;
                  for (Index& at : index) {
                    for (const auto& [t, by] : std::vector(at.terms)) {
                      if (t == term) at = Plus(Plus(at, {0, {{t, 1}}}, -by), u, by);
                    }
                  }
                  const bool here = x.kind == Expr::Kind::kLeaf && !(index == x.index);
                  read_at.push_back({here ? MakeLeaf(static_cast<int32_t>(x.tag), std::move(index)) : f.base, f.power});
                }
                for (const auto& [which, at] : {std::pair(i, k), std::pair(j, l)}) {
                  const Factor condition = p[which].factors[at];
                  p[which].factors = read_at;
                  p[which].factors.push_back(condition);
                  std::sort(p[which].factors.begin(), p[which].factors.end());
                }
                return true;
              }
            }
          }
        }
      }
    }
  }
  return false;
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
    const auto found = Clamped(e);
    if (!found || !says(found->first) || !says(Plus(Number(found->second), found->first, -1))) return std::nullopt;
    return found->first;
  };
  bool changed = false;
  for (Factor& f : m.factors) {
    const Expr& x = At(f.base);
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
    const Expr& low = At(m.factors[i].base);
    if (low.kind != Expr::Kind::kGuard || low.tag != 0) continue;
    for (size_t j = 0; j < m.factors.size(); ++j) {
      const Expr& high = At(m.factors[j].base);
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
