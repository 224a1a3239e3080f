// Conditions among the factors of a product: removes implied ones, detects contradictions, and uses equalities. See
// expr.h.
#include <algorithm>
#include <cstdlib>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {

// Whether a condition holds where `index` is 0, if it speaks of the same terms.
std::optional<bool> Exprs::GivenEquality(const Index& index, ExprId condition) {
  const Expr& y = At(condition);
  if (y.kind != Expr::Kind::kGuard || index.terms.empty()) return std::nullopt;
  const Index same = Plus(y.index[0], index, -1), turned = Plus(y.index[0], index);
  if (!same.terms.empty() && !turned.terms.empty()) return std::nullopt;
  const int64_t value = same.terms.empty() ? same.constant : turned.constant;
  return y.tag == 1 ? value == 0 : value >= 0;
}

bool Exprs::TidyGuards(Monomial& m) {
  // Flattens conjunctions and removes implied conditions.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < m.factors.size() && !changed; ++i) {
      const Expr& x = At(m.factors[i].base);
      if (x.type != PrimitiveType::PRED) continue;
      if (x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kAnd) {
        const std::vector<ExprId> args = x.args;
        m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(i));
        for (ExprId arg : args) m.factors.push_back({arg, kOne});
        changed = true;
        break;
      }
      if (x.kind == Expr::Kind::kGuard && x.index[0].terms.empty()) {
        if (x.index[0].constant < 0) return false;
        m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(i));
        changed = true;
        break;
      }
      for (size_t j = 0; j < m.factors.size() && !changed; ++j) {
        const Expr& y = At(m.factors[j].base);
        if (i == j || y.type != PrimitiveType::PRED) continue;
        if (m.factors[i].base == m.factors[j].base) {
          m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(j));
          changed = true;
          break;
        }
        if (x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kNot && x.args[0] == m.factors[j].base) return false;
        if (x.kind == Expr::Kind::kGuard && x.tag == 1) {
          // Where an index is one number, its other bounds hold or do not.
          const bool negated = y.kind == Expr::Kind::kFunction && y.op == HloOpcode::kNot;
          if (const std::optional<bool> holds = GivenEquality(x.index[0], negated ? y.args[0] : m.factors[j].base)) {
            if (*holds == negated) return false;
            m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(j));
            changed = true;
            break;
          }
        }
        if (x.kind != Expr::Kind::kGuard || y.kind != Expr::Kind::kGuard || x.tag != 0 || y.tag != 0) continue;
        if (x.index[0].terms == y.index[0].terms) {
          // The condition with the smaller constant implies the other.
          const size_t weaker = x.index[0].constant <= y.index[0].constant ? j : i;
          m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(weaker));
          changed = true;
          break;
        }
        Index both = Plus(x.index[0], y.index[0]);
        if (!both.terms.empty()) continue;
        if (both.constant < 0) return false;
        if (both.constant == 0) {
          const ExprId equal = Guard(true, Index(x.index[0]));
          const size_t first = std::min(i, j), second = std::max(i, j);
          m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(second));
          m.factors[first] = {equal, kOne};
          changed = true;
        }
      }
    }
  }
  return true;
}

// The condition that an integer value plus an index equals another index. The comparison is in the integer's type,
// which wraps; the offset is moved to the index side only if the difference stays within the type. -1 if it does not.
ExprId Exprs::EqualsIndex(ExprId e, Index index) {
  const PrimitiveType type = TypeOf(e);
  if (index.terms.empty() || BitWidth(type) < 32) return -1;
  Polynomial data;
  for (const Monomial& m : PolynomialOf(e)) {
    if (m.integer > kUnbounded || m.integer < -kUnbounded) return -1;
    const bool moves = m.factors.empty() || (m.factors.size() == 1 && m.factors[0].power == kOne &&
                                             At(m.factors[0].base).kind == Expr::Kind::kIndex);
    if (!moves) data.push_back(m);
    else if (m.factors.empty()) index = Plus(index, Number(m.integer), -1);
    else index = Plus(index, At(m.factors[0].base).index[0], -m.integer);
  }
  constexpr int64_t kFar = int64_t{1} << 30;
  const Range range = RangeOf(index);
  if (data.empty() || range.low < (IsUnsigned(type) ? 0 : -kFar) || range.high > kFar) return -1;
  const Index value = ValueTerm(Sum(std::move(data), type));
  return Guard(true, Plus(value, index, -1));
}

bool Exprs::IsPlainGuard(ExprId e) const {
  const Expr& x = At(e);
  return x.kind == Expr::Kind::kGuard && x.tag == 0 &&
         std::none_of(x.index[0].terms.begin(), x.index[0].terms.end(),
                      [&](const auto& term) { return TermAt(term.first).kind == IndexTerm::Kind::kValue; });
}

// The variable that a condition fixes, and its value.
std::optional<std::pair<VarId, int64_t>> Exprs::PlaceOf(ExprId condition) const {
  const Expr& x = At(condition);
  if (x.kind != Expr::Kind::kGuard || x.index[0].terms.size() != 1) return std::nullopt;
  const auto [id, factor] = x.index[0].terms[0];
  const IndexTerm& term = TermAt(id);
  if (term.kind != IndexTerm::Kind::kVar || std::abs(factor) != 1) return std::nullopt;
  const int64_t place = -factor * x.index[0].constant;
  if (x.tag == 0 && place != (factor > 0 ? VariableAt(term.var).size - 1 : 0)) return std::nullopt;
  return std::pair(term.var, place);
}

// f [i = 0] + f [i = 1] + … over all values of a variable is f. Returns whether any were joined.
bool Exprs::JoinPlaces(Polynomial& p, PrimitiveType type) {
  for (const Monomial& one : p) {
    for (size_t k = 0; k < one.factors.size(); ++k) {
      const auto place = PlaceOf(one.factors[k].base);
      if (!place || place->second != 0) continue;
      const auto [v, zero] = *place;
      Polynomial all;
      Monomial rest = one;
      rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(k));
      for (int64_t at = 0; at < VariableAt(v).size; ++at) {
        Monomial there = rest;
        there.factors.push_back({Guard(true, Plus(Var(v), Number(-at))), kOne});
        std::sort(there.factors.begin(), there.factors.end());
        const auto found = std::find_if(p.begin(), p.end(), [&](const Monomial& m) {
          return m.factors == there.factors && m.real == one.real && m.integer == one.integer;
        });
        if (found == p.end()) break;
        all.push_back(*found);
      }
      if (std::ssize(all) < VariableAt(v).size) continue;
      std::erase_if(p, [&](const Monomial& m) {
        return std::any_of(all.begin(), all.end(), [&](const Monomial& o) { return o.factors == m.factors; });
      });
      if (Tidy(rest, type)) p.push_back(std::move(rest));
      return true;
    }
  }
  return false;
}

// Under the condition that i equals an integer value, replaces that value by i in indices.
bool Exprs::UseEqualities(Monomial& m) {
  bool changed = false;
  for (size_t k = 0; k < m.factors.size() && opens_tables_; ++k) {
    const auto place = PlaceOf(m.factors[k].base);
    for (size_t j = 0; j < m.factors.size() && place; ++j) {
      if (j == k || !HasVariable(At(m.factors[j].base).free, place->first)) continue;
      m.factors[j].base = Substitute(m.factors[j].base, {{place->first, Number(place->second)}});
      changed = true;
    }
  }
  for (size_t k = 0; k < m.factors.size(); ++k) {
    const Expr& guard = At(m.factors[k].base);
    if (guard.kind != Expr::Kind::kGuard || guard.tag != 1) continue;
    TermId data = -1;
    int64_t factor = 0;
    int count = 0;
    for (const auto& [term, f] : guard.index[0].terms) {
      if (TermAt(term).kind == IndexTerm::Kind::kValue) data = term, factor = f, ++count;
    }
    if (count != 1 || (factor != 1 && factor != -1)) continue;
    // The condition is data = rest.
    const Index rest = Times(Plus(guard.index[0], {0, {{data, 1}}}, -factor), -factor);
    for (size_t j = 0; j < m.factors.size(); ++j) {
      if (j == k) continue;
      const Expr& x = At(m.factors[j].base);
      if (x.kind != Expr::Kind::kLeaf && x.kind != Expr::Kind::kGuard) continue;
      std::vector<Index> index = x.index;
      bool here = false;
      for (Index& i : index) {
        const auto at =
            std::find_if(i.terms.begin(), i.terms.end(), [&](const auto& entry) { return entry.first == data; });
        if (at == i.terms.end()) continue;
        const int64_t f = at->second;
        i = Plus(Plus(i, {0, {{data, 1}}}, -f), rest, f);
        here = true;
      }
      if (!here) continue;
      m.factors[j].base = x.kind == Expr::Kind::kLeaf ? MakeLeaf(static_cast<int32_t>(x.tag), std::move(index))
                                                      : Guard(x.tag != 0, std::move(index[0]));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hloir::equivalence::inside
