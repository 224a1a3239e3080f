// The range of an integer expression for all inputs: interval arithmetic in each case of the comparisons among its
// factors, so that remainder(x, 8) + 8 [remainder(x, 8) < 0] is known to lie in 0..7. See expr.h.
#include <algorithm>

#include "equivalence/expr.h"
#include "hloir/attributes.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int kMostNested = 8;
constexpr size_t kMostCases = 4;       // comparisons that are distinguished
constexpr size_t kMostConditions = 8;  // of a sum of nothing but conditions

bool Inside(Range a, Range b) {
  return a.low >= b.low && a.high <= b.high && a.low > -kUnbounded && a.high < kUnbounded;
}

// A product's bounds in 128 bits, where they cannot overflow.
struct Wide {
  __int128 low, high;
};
Wide Scaled(Wide a, Range b) {
  const __int128 corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  Wide out{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  out.low =
      std::clamp<__int128>(out.low, -2 * static_cast<__int128>(kUnbounded), 2 * static_cast<__int128>(kUnbounded));
  out.high =
      std::clamp<__int128>(out.high, -2 * static_cast<__int128>(kUnbounded), 2 * static_cast<__int128>(kUnbounded));
  return out;
}

}  // namespace

Range RangeOfType(PrimitiveType type) {
  const int width = BitWidth(type);
  if (width > 60) return {IsUnsigned(type) ? 0 : -kUnbounded, kUnbounded};
  if (IsUnsigned(type)) return {0, (int64_t{1} << width) - 1};
  return {-(int64_t{1} << (width - 1)), (int64_t{1} << (width - 1)) - 1};
}

Range Exprs::RangeOf(ExprId e) { return RangeOf(e, {}, 0); }

Range Exprs::RangeOf(ExprId e, const std::vector<std::pair<ExprId, Range>>& given, int depth) {
  for (const auto& [value, range] : given) {
    if (value == e) return range;
  }
  const Expr& x = At(e);
  const Range all = RangeOfType(x.type);
  if (!IsInteger(x.type)) return {-kUnbounded, kUnbounded};
  if (const std::optional<int64_t> value = IntegerOf(e)) {
    const bool far = *value <= -kUnbounded || *value >= kUnbounded || (*value < 0 && IsUnsigned(x.type));
    return far ? all : Range{*value, *value};
  }
  if (depth > kMostNested || Spent()) return all;
  if (given.empty()) {
    if (const auto known = range_.find(e); known != range_.end()) return known->second;
  }
  Range result = all;
  switch (x.kind) {
    case Expr::Kind::kIndex: {
      const Range range = RangeOf(x.index[0]);
      if (Inside(range, all)) result = range;
      break;
    }
    case Expr::Kind::kSum: result = RangeOfSum(e, given, depth); break;
    case Expr::Kind::kFunction: result = RangeOfFunction(e, given, depth); break;
    case Expr::Kind::kBind: {
      if (x.tag != kSumOf) break;
      Wide sum{RangeOf(x.args[0], given, depth + 1).low, RangeOf(x.args[0], given, depth + 1).high};
      for (VarId v : x.bound) sum = Scaled(sum, {VariableAt(v).size, VariableAt(v).size});
      if (sum.low >= all.low && sum.high <= all.high)
        result = {static_cast<int64_t>(sum.low), static_cast<int64_t>(sum.high)};
      break;
    }
    default: break;
  }
  if (given.empty()) range_[e] = result;
  return result;
}

Range Exprs::RangeOfFunction(ExprId e, const std::vector<std::pair<ExprId, Range>>& given, int depth) {
  const Expr& x = At(e);
  const Range all = RangeOfType(x.type);
  const auto arg = [&](size_t k) { return RangeOf(x.args[k], given, depth + 1); };
  const std::optional<int64_t> by = x.args.size() == 2 ? IntegerOf(x.args[1]) : std::nullopt;
  switch (x.op) {
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum: {
      Range range = arg(0);
      for (size_t k = 1; k < x.args.size(); ++k) {
        const Range one = arg(k);
        const bool max = x.op == HloOpcode::kMaximum;
        range.low = max ? std::max(range.low, one.low) : std::min(range.low, one.low);
        range.high = max ? std::max(range.high, one.high) : std::min(range.high, one.high);
      }
      return range;
    }
    case HloOpcode::kRemainder: {
      if (!by || *by <= 0) break;
      const Range of = arg(0);
      Range range{of.low >= 0 ? 0 : -(*by - 1), of.high <= 0 ? 0 : *by - 1};
      if (of.low >= 0) range.high = std::min(range.high, of.high);
      return range;
    }
    case HloOpcode::kDivide: {
      const Range of = arg(0);
      if (!by || *by <= 0 || of.low <= -kUnbounded || of.high >= kUnbounded) break;
      return {of.low / *by, of.high / *by};
    }
    case HloOpcode::kAnd:
      for (ExprId part : x.args) {
        const std::optional<int64_t> mask = IntegerOf(part);
        if (mask && *mask >= 0) return {0, *mask};
      }
      break;
    case HloOpcode::kShiftRightLogical:
      if (by && *by > 0 && *by < BitWidth(x.type)) {
        if (BitWidth(x.type) - *by >= 60) break;
        return {0, (int64_t{1} << (BitWidth(x.type) - *by)) - 1};
      }
      break;
    case HloOpcode::kSign:
      if (!IsUnsigned(x.type)) return {-1, 1};
      break;
    case HloOpcode::kConvert:
      if (TypeOf(x.args[0]) == PrimitiveType::PRED) return {0, 1};
      if (IsInteger(TypeOf(x.args[0]))) {
        const Range from = arg(0);
        if (Inside(from, all)) return from;
      }
      break;
    default: break;  // the type's whole range
  }
  return all;
}

// The range of a sum of products of a few conditions, by all their values.
std::optional<Range> Exprs::RangeOfConditions(const Expr& sum) const {
  std::vector<ExprId> conditions;
  for (const Monomial& m : sum.sum) {
    if (m.integer <= -(1 << 30) || m.integer >= 1 << 30 || sum.sum.size() > kMostCases * kMostConditions) return {};
    for (const Factor& f : m.factors) {
      if (TypeOf(f.base) != PrimitiveType::PRED) return {};
      if (std::find(conditions.begin(), conditions.end(), f.base) == conditions.end()) conditions.push_back(f.base);
    }
  }
  if (conditions.size() > kMostConditions) return {};
  Range range{kUnbounded, -kUnbounded};
  for (size_t which = 0; which < size_t{1} << conditions.size(); ++which) {
    int64_t value = 0;
    for (const Monomial& m : sum.sum) {
      const bool holds = std::all_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) {
        return (which >> (std::find(conditions.begin(), conditions.end(), f.base) - conditions.begin()) & 1) != 0;
      });
      if (holds) value += m.integer;
    }
    range = {std::min(range.low, value), std::max(range.high, value)};
  }
  if (!Inside(range, RangeOfType(sum.type))) return {};
  return range;
}

Range Exprs::RangeOfSum(ExprId e, const std::vector<std::pair<ExprId, Range>>& given, int depth) {
  const Expr& x = At(e);
  const Range all = RangeOfType(x.type);
  if (const std::optional<Masked> masked = MaskedOf(e)) return masked->range;
  if (const std::optional<Range> range = RangeOfConditions(x)) return *range;
  // Comparisons of a value with a number. Each outcome narrows the value's range.
  struct Case {
    ExprId condition, value;
    Range if_true, if_false;
  };
  std::vector<Case> cases;
  for (const Monomial& m : x.sum) {
    for (const Factor& f : m.factors) {
      const Expr& c = At(f.base);
      if (c.type != PrimitiveType::PRED || c.kind != Expr::Kind::kFunction || c.op != HloOpcode::kCompare ||
          cases.size() >= kMostCases ||
          std::any_of(cases.begin(), cases.end(), [&](const Case& known) { return known.condition == f.base; }))
        continue;
      const ComparisonDirection direction = static_cast<ComparisonDirection>(c.data[0]);
      const auto left = IntegerOf(c.args[0]), right = IntegerOf(c.args[1]);
      if (!IsInteger(TypeOf(c.args[0])) || IsUnsigned(TypeOf(c.args[0])) || left.has_value() == right.has_value())
        continue;
      const ExprId value = c.args[right ? 0 : 1];
      const int64_t number = right ? *right : *left;
      if (number <= -kUnbounded || number >= kUnbounded) continue;
      Range yes = RangeOf(value, given, depth + 1), no = yes;
      if (direction == ComparisonDirection::kEq) {
        no.low += no.low == number, no.high -= no.high == number;
        yes.low = std::max(yes.low, number), yes.high = std::min(yes.high, number);
      } else if (direction != ComparisonDirection::kLt) {
        continue;
      } else if (right) {
        yes.high = std::min(yes.high, number - 1), no.low = std::max(no.low, number);
      } else {
        yes.low = std::max(yes.low, number + 1), no.high = std::min(no.high, number);
      }
      cases.push_back({f.base, value, yes, no});
    }
  }
  std::optional<Range> result;
  for (size_t which = 0; which < (size_t{1} << cases.size()); ++which) {
    std::vector<std::pair<ExprId, Range>> known = given;
    bool possible = true;
    for (size_t k = 0; k < cases.size(); ++k) {
      Range range = (which >> k & 1) != 0 ? cases[k].if_true : cases[k].if_false;
      for (auto& [value, before] : known) {
        if (value != cases[k].value) continue;
        range.low = std::max(range.low, before.low), range.high = std::min(range.high, before.high);
      }
      possible = possible && range.low <= range.high;
      known.insert(known.begin(), {cases[k].value, range});
    }
    if (!possible) continue;
    Wide sum{0, 0};
    for (const Monomial& m : x.sum) {
      Wide product{1, 1};
      for (const Factor& f : m.factors) {
        if (TypeOf(f.base) == PrimitiveType::PRED) {
          const auto found =
              std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.condition == f.base; });
          const bool is_known = found != cases.end();
          const bool value = is_known && (which >> (found - cases.begin()) & 1) != 0;
          product = Scaled(product, is_known ? Range{value, value} : Range{0, 1});
        } else {
          const Range base = RangeOf(f.base, known, depth + 1);
          for (int32_t k = 0; k < f.power; k += kOne) product = Scaled(product, base);
        }
      }
      product = Scaled(product, {m.integer, m.integer});
      sum.low += product.low, sum.high += product.high;
    }
    if (sum.low < all.low || sum.high > all.high || sum.low <= -kUnbounded || sum.high >= kUnbounded) return all;
    const Range one{static_cast<int64_t>(sum.low), static_cast<int64_t>(sum.high)};
    result = result ? Range{std::min(result->low, one.low), std::max(result->high, one.high)} : one;
  }
  return result.value_or(all);
}

}  // namespace hloir::equivalence::inside
