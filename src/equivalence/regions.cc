// See regions.h.
#include "equivalence/regions.h"

#include <algorithm>

#include "equivalence/summands.h"

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostPieces = 400;
constexpr int kMostDecided = 40;  // conditions that are decided one inside the other

}  // namespace

bool Regions::SameWithout(const std::vector<Piece>& pieces) {
  if (!sums_) {
    bool of_first = false, of_second = false;
    for (const Piece& piece : pieces) (piece.second ? of_second : of_first) = true;
    return of_first == of_second;
  }
  constexpr double kGone = 0x1p-90;  // DoubleDouble's rounding error
  DoubleDouble real = 0, most = 0;
  uint64_t integer = 0;
  for (const Piece& piece : pieces) {
    real = piece.second ? real - piece.real : real + piece.real;
    most = std::max(most, Abs(piece.real), [](const auto& a, const auto& b) { return a < b; });
    integer += piece.second ? ~static_cast<uint64_t>(piece.integer) + 1 : static_cast<uint64_t>(piece.integer);
  }
  if (IsInteger(type_)) return Wrapped(static_cast<int64_t>(integer), type_) == 0;
  return Abs(real) <= most * kGone;
}

bool Regions::SameInAll(std::vector<Piece> pieces, std::vector<Condition>& facts, int depth) {
  if (work_ <= 0 || depth > kMostDecided) return false;
  const auto open = std::find_if(pieces.begin(), pieces.end(), [](const Piece& p) { return !p.conditions.empty(); });
  if (open == pieces.end()) return SameWithout(pieces) || !MayHold(facts, work_);
  const Condition c = open->conditions.back();
  const auto with = [&](Condition fact, bool holds) {
    facts.push_back(std::move(fact));
    bool same = true;
    if (MayHold(Connected(facts), work_)) {
      std::vector<Piece> rest;
      for (const Piece& piece : pieces) {
        const bool has = std::find(piece.conditions.begin(), piece.conditions.end(), c) != piece.conditions.end();
        if (has && !holds) continue;
        rest.push_back(piece);
        if (has) std::erase(rest.back().conditions, c);
      }
      same = SameInAll(std::move(rest), facts, depth + 1);
    }
    facts.pop_back();
    return same;
  };
  using enum Condition::Kind;
  // An integer other than 0 is at least 1, or at most -1.
  const std::optional<Linear> above = Plus({-1, {}}, c.value, 1), below = Plus({-1, {}}, c.value, -1);
  if (!above || !below) return false;
  switch (c.kind) {
    case kAtLeastZero: return with(c, true) && with({kAtLeastZero, *below}, false);
    case kZero: return with(c, true) && with({kAtLeastZero, *above}, false) && with({kAtLeastZero, *below}, false);
    case kNotZero:
      return with({kZero, c.value}, false) && with({kAtLeastZero, *above}, true) && with({kAtLeastZero, *below}, true);
  }
  return false;
}

bool Regions::Cancel(bool second) {
  std::vector<Summand> left = summands_;
  std::stable_sort(left.begin(), left.end(), [&](const Summand& a, const Summand& b) {
    return std::pair(a.second != second, b.over.size()) < std::pair(b.second != second, a.over.size());
  });
  std::reverse(left.begin(), left.end());
  std::vector<std::pair<Summand, std::vector<Piece>>> groups;
  for (size_t made = 0; !left.empty(); ++made) {
    const Summand s = std::move(left.back());
    left.pop_back();
    if (made > kMostPieces || work_ <= 0) return false;
    std::vector<Condition> conditions;
    std::vector<Linear> where;
    auto group = groups.begin() + static_cast<std::ptrdiff_t>(s.from);
    while (group != groups.end() && !IsPiece(group->first, s, conditions, where)) ++group;
    if (group == groups.end()) {
      conditions.clear(), where.clear();
      if (!AddBounds(s, {}, conditions)) return false;
      groups.push_back({s, {}});
      group = std::prev(groups.end());
    }
    group->second.push_back({s.second, s.real, s.integer, std::move(conditions)});
    // The rest of the summand, where an equation does not hold.
    Summand rest = s;
    rest.from = static_cast<size_t>(group - groups.begin()) + 1;
    for (const Linear& equation : where) {
      for (const int64_t sign : {1, -1}) {
        const std::optional<Linear> apart = Plus({-1, {}}, equation, sign);
        if (!apart) return false;
        rest.given.push_back({Condition::Kind::kAtLeastZero, *apart});
        if (Possible(rest)) left.push_back(rest);
        rest.given.pop_back();
      }
      rest.given.push_back({Condition::Kind::kZero, equation});
    }
  }
  for (auto& [first, pieces] : groups) {
    for (const Piece& p : pieces) {
      for (const Piece& q : pieces)
        finite_only_ = finite_only_ || (p.second == q.second && !IsInteger(type_) && (p.real < 0) != (q.real < 0));
    }
    // What all have in common is decided first.
    std::vector<Condition> facts = Facts();
    const std::vector<Condition> common = pieces[0].conditions;
    for (const Condition& c : common) {
      const bool in_all = std::all_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
        return std::find(p.conditions.begin(), p.conditions.end(), c) != p.conditions.end();
      });
      if (!in_all || c.kind == Condition::Kind::kNotZero) continue;
      facts.push_back(c);
      for (Piece& p : pieces) std::erase(p.conditions, c);
    }
    if (!SameInAll(pieces, facts, 0)) return false;
  }
  return true;
}

bool EqualInRegions(Exprs& exprs, ExprId a, ExprId b) {
  const PrimitiveType type = exprs.TypeOf(a);
  if (a == b) return true;
  if (type != exprs.TypeOf(b) || type == PrimitiveType::PRED || type == PrimitiveType::TOKEN) return false;
  const Expr x = exprs.At(a), y = exprs.At(b);
  // A sum on one side, or a maximum.
  std::optional<HloOpcode> op;
  for (const Expr* e : {&x, &y}) {
    const bool extreme = (e->kind == Expr::Kind::kBind && e->tag == kExtremeOf) || e->kind == Expr::Kind::kFunction;
    if (extreme && (e->op == HloOpcode::kMaximum || e->op == HloOpcode::kMinimum)) op = e->op;
  }
  const uint32_t uses = exprs.TakeUses();
  Regions regions(exprs, type, !op);
  bool equal = false;
  if (op) {
    equal = regions.AddExtreme(*op, a, false) && regions.AddExtreme(*op, b, true);
  } else {
    Polynomial p = exprs.PolynomialOf(a), q = exprs.PolynomialOf(b);
    const auto same = [](const Monomial& m, const Monomial& n) {
      return m.factors == n.factors && m.real == n.real && m.integer == n.integer;
    };
    const Polynomial all = q;
    std::erase_if(q, [&](const Monomial& m) {
      return std::any_of(p.begin(), p.end(), [&](const Monomial& n) { return same(m, n); });
    });
    std::erase_if(p, [&](const Monomial& m) {
      return std::any_of(all.begin(), all.end(), [&](const Monomial& n) { return same(m, n); });
    });
    equal = regions.AddSum(p, false) && regions.AddSum(q, true);
  }
  equal = equal && !exprs.OutOfWork() && (regions.Cancel(false) || regions.Cancel(true));
  exprs.TakeUses();
  exprs.Uses(uses);
  if (equal && !IsInteger(type)) exprs.Uses(regions.finite_only() ? kRounds | kFiniteOnly : kRounds);
  return equal;
}

}  // namespace hloir::equivalence::inside
