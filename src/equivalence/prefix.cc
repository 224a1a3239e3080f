// Tiled prefix sums and extremes: the prefix within a tile, combined with the totals of the tiles before it, is the
// prefix of the whole. See expr.h.
#include <algorithm>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {
// Opens a sum's or an extreme's variables and separates the bounds of variables; empty for any other expression.
std::optional<Exprs::Scan> Exprs::ScanOf(ExprId e) {
  if (IsNamed(e)) {
    const Expr& inside = Unnamed(e);
    if (inside.kind != Expr::Kind::kBind || inside.tag == kRow) return std::nullopt;
    e = Opened(e);
  }
  const Expr& x = At(e);
  if (x.kind != Expr::Kind::kBind || x.tag == kRow || x.type == PrimitiveType::PRED) return std::nullopt;
  Scan scan;
  scan.op = x.tag == kSumOf ? HloOpcode::kAdd : x.op;
  Substitution open;
  for (VarId v : x.bound) {
    scan.variables.push_back(Fresh(VariableAt(v).size));
    open.push_back({v, Var(scan.variables.back())});
  }
  scan.body = Substitute(x.args[0], open);
  std::vector<ExprId> conditions;
  if (x.tag == kSumOf) {
    const Polynomial p = PolynomialOf(scan.body);
    if (p.size() != 1) return std::nullopt;
    Monomial rest = p[0];
    std::erase_if(rest.factors, [&](const Factor& f) {
      if (IsPlainGuard(f.base)) conditions.push_back(f.base);
      return IsPlainGuard(f.base);
    });
    scan.body = Sum({std::move(rest)}, x.type);
  } else {
    const ExprId mask = Substitute(x.args[1], open);
    conditions = {mask};
    if (At(mask).kind == Expr::Kind::kFunction && At(mask).op == HloOpcode::kAnd) conditions = At(mask).args;
  }
  scan.conditions = std::move(conditions);
  return scan;
}

ExprId Exprs::OfScan(const Scan& scan) {
  ExprId mask = True();
  for (ExprId condition : scan.conditions) mask = And(mask, condition);
  if (scan.op != HloOpcode::kAdd) return ExtremeOver(scan.op, scan.variables, scan.body, mask);
  const PrimitiveType type = TypeOf(scan.body);
  const ExprId zero = IsInteger(type) ? Integer(0, type) : Real(0);
  return SumOver(scan.variables, If(mask, scan.body, zero));
}

// Joins `tile`, the sum of f(T, c) over c <= R, and `before`, the sum of f(t, c) over t < T and all c, into the sum
// over n t + c <= n T + R, or the same from the other end. -1 if the two do not match.
ExprId Exprs::JoinedScans(ExprId tile, ExprId before) {
  const std::optional<Scan> part = ScanOf(tile), all = ScanOf(before);
  if (!part || !all || part->op != all->op || all->variables.size() < 2 || TypeOf(part->body) != TypeOf(all->body))
    return -1;
  const auto factor_of = [&](const Index& index, VarId v) -> int64_t {
    const TermId self = Var(v).terms[0].first;
    int64_t factor = 0;
    for (const auto& [term, f] : index.terms) {
      if (term == self) factor = f;
      else if (HasVariable(TermAt(term).free, v)) return 0;
    }
    return factor;
  };
  const auto only = [&](const Index& index, const Scan& scan, VarId v) {
    std::vector<VarId> free;
    AddFree(index, free);
    return std::none_of(free.begin(), free.end(), [&](VarId f) {
      return f != v && std::find(scan.variables.begin(), scan.variables.end(), f) != scan.variables.end();
    });
  };
  const ExprId wanted = tile;
  for (size_t g = 0; g < all->conditions.size(); ++g) {
    const Expr& guard = At(all->conditions[g]);
    if (guard.kind != Expr::Kind::kGuard || guard.tag != 0) continue;
    const Index bound = guard.index[0];
    for (VarId t : all->variables) {
      const int64_t sign = factor_of(bound, t);
      if ((sign != 1 && sign != -1) || !only(bound, *all, t)) continue;
      // The bound is T - 1 - t >= 0, or t - T - 1 >= 0.
      Index at = Plus(Plus(bound, Var(t), -sign), Number(1));
      if (sign == 1) at = Times(at, -1);
      if (const Range tiles = RangeOf(at); tiles.low < 0 || tiles.high >= VariableAt(t).size) continue;
      for (size_t h = 0; h < part->conditions.size(); ++h) {
        const Expr& inner = At(part->conditions[h]);
        if (inner.kind != Expr::Kind::kGuard || inner.tag != 0) continue;
        for (VarId c : part->variables) {
          if (VariableAt(c).size < 2 || factor_of(inner.index[0], c) != sign || !only(inner.index[0], *part, c))
            continue;
          Index last = Plus(inner.index[0], Var(c), -sign);
          if (sign == 1) last = Times(last, -1);
          for (VarId c2 : all->variables) {
            const int64_t n = VariableAt(c2).size;
            const Range range = RangeOf(last);
            if (c2 == t || range.low < 0 || range.high >= n || Spent(16)) continue;
            Scan rest = *all, whole = *all;
            rest.conditions.erase(rest.conditions.begin() + static_cast<std::ptrdiff_t>(g));
            whole.conditions = rest.conditions;
            rest.conditions.push_back(Guard(false, Times(Plus(last, Var(c2), -1), -sign)));
            std::erase(rest.variables, t);
            const Substitution by{{t, at}};
            rest.body = Substitute(rest.body, by);
            for (ExprId& condition : rest.conditions) condition = Substitute(condition, by);
            if (OfScan(rest) != wanted) continue;
            const Index end = Plus(last, at, n), here = Plus(Var(c2), Var(t), n);
            whole.conditions.push_back(Guard(false, Times(Plus(end, here, -1), -sign)));
            return OfScan(whole);
          }
        }
      }
    }
  }
  return -1;
}

// Joins factors that are one tiled prefix product.
bool Exprs::JoinPrefixes(Monomial& m) {
  std::vector<size_t> products;
  for (size_t k = 0; k < m.factors.size(); ++k) {
    const Expr& x = Unnamed(m.factors[k].base);
    if (x.kind == Expr::Kind::kBind && x.tag == kExtremeOf && x.op == HloOpcode::kMultiply) products.push_back(k);
  }
  for (size_t i : products) {
    for (size_t j : products) {
      if (i == j || m.factors[i].power != m.factors[j].power || m.factors[i].power % kOne != 0) continue;
      joining_ = true;
      const ExprId joined = JoinedScans(m.factors[i].base, m.factors[j].base);
      joining_ = false;
      if (joined < 0) continue;
      Uses(kRounds);
      m.factors[i].base = joined;
      m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(j));
      std::sort(m.factors.begin(), m.factors.end());
      return true;
    }
  }
  return false;
}

// Joins summands that are one tiled prefix sum, and factors that are one tiled prefix product. Returns whether it
// joined any.
bool Exprs::JoinPrefixes(Polynomial& p, PrimitiveType type) {
  constexpr size_t kMost = 12;
  if (p.size() > kMost || joining_) return false;
  for (Monomial& m : p) {
    if (m.factors.size() > 1 && JoinPrefixes(m)) return true;
  }
  if (p.size() < 2) return false;
  const auto sum_at = [&](const Monomial& m) -> size_t {
    for (size_t k = 0; k < m.factors.size(); ++k) {
      const Expr& x = Unnamed(m.factors[k].base);
      if (x.kind == Expr::Kind::kBind && x.tag == kSumOf && m.factors[k].power == kOne && x.has_bounds) return k;
    }
    return m.factors.size();
  };
  for (size_t i = 0; i < p.size(); ++i) {
    const size_t k = sum_at(p[i]);
    if (k == p[i].factors.size()) continue;
    for (size_t j = 0; j < p.size(); ++j) {
      const size_t l = i == j ? p[j].factors.size() : sum_at(p[j]);
      if (l == p[j].factors.size() || p[i].real != p[j].real || p[i].integer != p[j].integer) continue;
      Monomial rest = p[i], other = p[j];
      const ExprId a = rest.factors[k].base, b = other.factors[l].base;
      rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(k));
      other.factors.erase(other.factors.begin() + static_cast<std::ptrdiff_t>(l));
      if (rest.factors != other.factors) continue;
      joining_ = true;
      const ExprId joined = JoinedScans(a, b);
      joining_ = false;
      if (joined < 0) continue;
      Uses(kRounds);
      p.erase(p.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      p.erase(p.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      for (Monomial& m : Product({rest}, PolynomialOf(joined), type)) p.push_back(std::move(m));
      return true;
    }
  }
  return false;
}

// Joins operands of an extreme that are one tiled prefix extreme.
bool Exprs::JoinPrefixes(std::vector<ExprId>& parts) {
  constexpr size_t kMost = 8;
  if (parts.size() < 2 || parts.size() > kMost || joining_) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = 0; j < parts.size(); ++j) {
      if (i == j) continue;
      joining_ = true;
      const ExprId joined = JoinedScans(parts[i], parts[j]);
      joining_ = false;
      if (joined < 0) continue;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      parts.push_back(joined);
      return true;
    }
  }
  return false;
}

}  // namespace hloir::equivalence::inside
