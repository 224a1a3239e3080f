// Equality by case distinction. Conditions in the two expressions are assumed true and false, and indices and integers
// that are compared with numbers are restricted to each interval between those numbers; the two must be equal in each
// case. See expr.h.
#include <algorithm>
#include <set>
#include <tuple>

#include "equivalence/expr.h"
#include "equivalence/regions.h"
#include "hloir/attributes.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int kMostDepth = 10;         // nested case distinctions
constexpr size_t kMostIntervals = 24;  // per index
constexpr int kMostReplaced = 12;      // differing parts that are proved equal in sequence
constexpr int64_t kHeavy = 20000;      // weight limit for the expressions

bool HasMonomial(const Polynomial& all, const Monomial& m) {
  return std::any_of(all.begin(), all.end(), [&](const Monomial& o) {
    return o.factors == m.factors && o.real == m.real && o.integer == m.integer;
  });
}

}  // namespace

// The conditions in the differing parts of the two expressions, without those that contain bound variables.
std::vector<ExprId> Exprs::ConditionsApart(ExprId a, ExprId b) {
  std::set<ExprId> found, seen;
  std::vector<ExprId> work;
  const Expr &x = At(a), &y = At(b);
  if (x.kind == Expr::Kind::kSum && y.kind == Expr::Kind::kSum) {
    for (const auto& [one, other] : {std::pair(&x.sum, &y.sum), std::pair(&y.sum, &x.sum)}) {
      for (const Monomial& m : *one) {
        if (HasMonomial(*other, m)) continue;
        for (const Factor& f : m.factors) work.push_back(f.base);
      }
    }
  } else {
    work = {a, b};
  }
  const int32_t bound = std::max(x.level, y.level);
  while (!work.empty() && !Spent()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!seen.insert(e).second) continue;
    const Expr& z = At(e);
    const bool joins = z.kind == Expr::Kind::kFunction && (z.op == HloOpcode::kAnd || z.op == HloOpcode::kNot);
    if (z.type == PrimitiveType::PRED && !joins) {
      const bool free = std::all_of(z.free.begin(), z.free.end(),
                                    [&](VarId v) { return VariableAt(v).level < 0 || VariableAt(v).level > bound; });
      if (free && !IntegerOf(e)) found.insert(e);
    }
    for (ExprId arg : z.args) work.push_back(arg);
    for (const Monomial& m : z.sum) {
      for (const Factor& f : m.factors) work.push_back(f.base);
    }
    for (const Index& index : z.index) {
      for (const auto& [term, factor] : index.terms) {
        if (TermAt(term).kind == IndexTerm::Kind::kValue) work.push_back(TermAt(term).value);
      }
    }
  }
  return {found.begin(), found.end()};
}

// The bounds of an integer or index under which a condition holds.
std::optional<Exprs::Bounds> Exprs::BoundsOf(ExprId condition) {
  const Expr& x = At(condition);
  if (x.kind == Expr::Kind::kGuard) {
    Bounds bounds;
    bounds.index = x.index[0];
    int64_t c = std::exchange(bounds.index.constant, 0);
    const bool negative = !bounds.index.terms.empty() && bounds.index.terms[0].second < 0;
    if (negative) bounds.index = Times(bounds.index, -1);
    // The guard is t + c >= 0, or c - t >= 0.
    bounds.all = RangeOf(bounds.index);
    if (x.tag == 1) bounds.range = negative ? Range{c, c} : Range{-c, -c};
    else bounds.range = negative ? Range{-kUnbounded, c} : Range{-c, kUnbounded};
    return bounds;
  }
  if (x.kind != Expr::Kind::kFunction || x.op != HloOpcode::kCompare || !IsInteger(TypeOf(x.args[0])))
    return std::nullopt;
  const auto left = IntegerOf(x.args[0]), right = IntegerOf(x.args[1]);
  const ComparisonDirection d = static_cast<ComparisonDirection>(x.data[0]);
  if (left.has_value() == right.has_value() || (d != ComparisonDirection::kLt && d != ComparisonDirection::kEq))
    return std::nullopt;
  const int64_t c = right ? *right : *left;
  if (c <= -kUnbounded || c >= kUnbounded || (IsUnsigned(TypeOf(x.args[0])) && c < 0)) return std::nullopt;
  Bounds bounds;
  bounds.value = x.args[right ? 0 : 1];
  bounds.all = RangeOf(bounds.value);
  if (d == ComparisonDirection::kEq) bounds.range = {c, c};
  else bounds.range = right ? Range{-kUnbounded, c - 1} : Range{c + 1, kUnbounded};
  return bounds;
}

// The minima and maxima of `value` and other operands that `range` decides, with their results.
Exprs::Replacement Exprs::ClampsWithin(ExprId e, ExprId value, Range range) {
  Replacement result;
  const auto visit = [&](ExprId at) {
    const Expr& x = At(at);
    if (x.kind != Expr::Kind::kFunction || !IsInteger(x.type) || x.args.size() != 2) return;
    if (x.op != HloOpcode::kMaximum && x.op != HloOpcode::kMinimum) return;
    for (size_t k = 0; k < 2; ++k) {
      const ExprId one = x.args[k], other = x.args[1 - k];
      if (one != value && other != value) continue;
      const Range r = RangeOf(one, {{value, range}}, 0), s = RangeOf(other, {{value, range}}, 0);
      const bool chosen = x.op == HloOpcode::kMaximum ? r.low >= s.high && s.high < kUnbounded && r.low > -kUnbounded
                                                      : r.high <= s.low && r.high < kUnbounded && s.low > -kUnbounded;
      if (chosen) result[at] = one;
    }
  };
  ForEachBelow(e, visit, [](const Index&) {});
  return result;
}

// What is decided where an integer is in `range` about conditions that an index is that integer, or that integer plus a
// number: those that hold for none of the range are false, and where the sum does not wrap, they are about the integer.
Exprs::Replacement Exprs::ReadsWithin(ExprId e, ExprId value, Range range) {
  constexpr int64_t kFar = int64_t{1} << 30;  // of these, no two are equal where integers of 32 bits wrap
  Replacement result;
  const PrimitiveType type = TypeOf(value);
  if (BitWidth(type) < 32) return result;
  const auto visit = [&](ExprId at) {
    const Expr& x = At(at);
    if (x.kind != Expr::Kind::kGuard || x.tag != 1) return;
    Index rest = x.index[0];
    const auto read = std::find_if(rest.terms.begin(), rest.terms.end(), [&](const auto& term) {
      return TermAt(term.first).kind == IndexTerm::Kind::kValue && TypeOf(TermAt(term.first).value) == type;
    });
    if (read == rest.terms.end() || (read->second != 1 && read->second != -1)) return;
    const auto [term, factor] = *read;
    rest.terms.erase(read);
    const ExprId sum = TermAt(term).value;
    const std::optional<int64_t> more = IntegerOf(Add(sum, value, -1));
    if (!more || *more <= -kFar || *more >= (IsUnsigned(type) ? 1 : kFar)) return;
    // The condition is that the sum is this index.
    const Range index = RangeOf(Times(rest, -factor));
    if (index.low <= -kFar || index.high >= kFar) return;
    if (index.high < range.low + *more || index.low > range.high + *more) {
      result[at] = False();
    } else if (*more != 0 && range.low > -kFar && range.high < kFar && (!IsUnsigned(type) || range.low + *more >= 0)) {
      result[at] = Guard(true, Plus(Plus(rest, ValueTerm(value), factor), Number(*more), factor));
    }
  };
  ForEachBelow(e, visit, [](const Index&) {});
  return result;
}

bool Exprs::EqualByCases(ExprId a, ExprId b, int depth) {
  if (a == b) return true;
  if (depth >= kMostDepth || OutOfWork() || At(a).weight > kHeavy || At(b).weight > kHeavy) return false;
  if (EqualClosed(a, b)) return true;
  if (depth == 0 && in_tiles_ && EqualInRegions(*this, a, b)) return true;
  std::vector<ExprId> conditions = ConditionsApart(a, b);
  if (conditions.empty()) return false;
  // Conditions on one index or integer are decided together; those on integers first, as indices are compared with
  // them.
  std::stable_partition(conditions.begin(), conditions.end(), [&](ExprId condition) {
    const std::optional<Bounds> bounds = BoundsOf(condition);
    return bounds && bounds->value >= 0;
  });
  for (ExprId condition : conditions) {
    const std::optional<Bounds> first = BoundsOf(condition);
    if (!first) continue;
    std::vector<std::pair<ExprId, Range>> group;
    std::set<int64_t> cuts;
    for (ExprId other : conditions) {
      const std::optional<Bounds> bounds = BoundsOf(other);
      if (!bounds || bounds->value != first->value || !(bounds->index == first->index)) continue;
      group.push_back({other, bounds->range});
      if (bounds->range.low > first->all.low) cuts.insert(bounds->range.low);
      if (bounds->range.high < first->all.high) cuts.insert(bounds->range.high + 1);
    }
    cuts.insert(first->all.low);
    if (cuts.size() > kMostIntervals) continue;
    bool equal = true;
    for (auto low = cuts.begin(); low != cuts.end() && equal; ++low) {
      const auto next = std::next(low);
      const int64_t high = next == cuts.end() ? first->all.high : *next - 1;
      if (*low > first->all.high) break;
      Replacement instead;
      for (const auto& [other, range] : group)
        instead[other] = *low >= range.low && high <= range.high ? True() : False();
      ExprId p = Replaced(a, instead), q = Replaced(b, instead);
      // An interval of one number replaces the index by that number.
      const auto& terms = first->index.terms;
      if (*low == high && terms.size() == 1 && terms[0].second == 1 &&
          TermAt(terms[0].first).kind == IndexTerm::Kind::kVar) {
        const Substitution by{{TermAt(terms[0].first).var, Number(high)}};
        p = Substitute(p, by), q = Substitute(q, by);
      }
      // The integer's range decides its clamps.
      constexpr int kMostPasses = 3;
      for (int pass = 0; pass < kMostPasses && first->value >= 0; ++pass) {
        Replacement clamps = ClampsWithin(p, first->value, {*low, high});
        clamps.merge(ClampsWithin(q, first->value, {*low, high}));
        if (clamps.empty()) break;
        p = Replaced(p, clamps), q = Replaced(q, clamps);
      }
      if (first->value >= 0 && p != q) {
        p = Replaced(p, ReadsWithin(p, first->value, {*low, high}));
        q = Replaced(q, ReadsWithin(q, first->value, {*low, high}));
      }
      equal = EqualByCases(p, q, depth + 1);
    }
    return equal;
  }
  const Expr& split = At(conditions.front());
  bool equal = true;
  if (split.kind == Expr::Kind::kFunction && split.op == HloOpcode::kCompare) {
    // Trichotomy: less, greater, equal, or (floats) unordered.
    const ExprId x = split.args[0], y = split.args[1];
    const PrimitiveType type = TypeOf(x);
    const bool real = type == PrimitiveType::F64;
    enum { kLess, kGreater, kEqual, kNone };
    for (int which = kLess; which <= (real ? kNone : kEqual) && equal; ++which) {
      Replacement instead;
      for (ExprId condition : conditions) {
        const Expr& c = At(condition);
        if (c.kind != Expr::Kind::kFunction || c.op != HloOpcode::kCompare) continue;
        const bool here = c.args[0] == x && c.args[1] == y, turned = c.args[0] == y && c.args[1] == x;
        if (!here && !turned) continue;
        const int less = here ? kLess : kGreater;
        const ComparisonDirection d = static_cast<ComparisonDirection>(c.data[0]);
        const bool holds = d == ComparisonDirection::kEq   ? which == kEqual
                           : d == ComparisonDirection::kLt ? which == less
                                                           : which == less || which == kEqual;
        instead[condition] = holds ? True() : False();
      }
      if (which != kNone && (IsInteger(type) || real)) {
        for (HloOpcode op : {HloOpcode::kMaximum, HloOpcode::kMinimum}) {
          const bool first = (op == HloOpcode::kMaximum) == (which == kGreater);
          const ExprId extreme = Function(op, type, {x, y});
          if (extreme != x && extreme != y) instead[extreme] = which == kEqual || first ? x : y;
        }
      }
      ExprId p = Replaced(a, instead), q = Replaced(b, instead);
      if (which == kEqual && IsInteger(type) && p != q) p = Replaced(p, {{y, x}}), q = Replaced(q, {{y, x}});
      equal = EqualByCases(p, q, depth + 1);
    }
    return equal;
  }
  for (const ExprId value : {True(), False()}) {
    const Replacement instead{{conditions.front(), value}};
    equal = equal && EqualByCases(Replaced(a, instead), Replaced(b, instead), depth + 1);
  }
  return equal;
}

// Compares by cases, first the whole, then the differing parts in sequence.
bool Exprs::EqualCloser(ExprId a, ExprId b) {
  bool equal = a == b;
  for (int turn = 0; turn < kMostReplaced && !equal && !OutOfWork(); ++turn) {
    std::vector<std::pair<ExprId, ExprId>> around;
    auto [p, q] = Difference(a, b, &around);
    if (p == a && q == b) {
      equal = EqualByCases(a, b, 0);
      break;
    }
    bool closer = EqualByCases(p, q, 0);
    // Bodies of sums and extremes may differ where the sums do not.
    for (size_t k = around.size(); k-- > 1 && !closer && in_tiles_;) {
      std::tie(p, q) = around[k];
      closer = At(p).kind == Expr::Kind::kBind && EqualInRegions(*this, p, q);
    }
    if (!closer) {
      equal = EqualByCases(a, b, 0);
      break;
    }
    const ExprId next = Replaced(b, {{q, p}});
    if (next == b) break;
    b = next;
    equal = a == b && !OutOfWork();
  }
  return equal && !OutOfWork();
}

}  // namespace hloir::equivalence::inside
