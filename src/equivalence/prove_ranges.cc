// The ranges of integer terms, and of what loops carry: they decide comparisons, clamps and remainders exactly. See
// prove_terms.h.
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "equivalence/prove_terms.h"

namespace hloir::equivalence {
namespace {

using Range = Term::Range;

bool IsCounted(PrimitiveType type) { return IsInteger(type) || type == PrimitiveType::PRED; }

// All numbers of the type that an int64_t holds; of u64 the larger half is left out, so it has no range of its own.
Range RangeOfType(PrimitiveType type) {
  if (type == PrimitiveType::PRED) return {0, 1};
  if (type == PrimitiveType::U64) return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  return {Literal::MinValue(type).GetAsInt64(0), Literal::MaxValue(type).GetAsInt64(0)};
}

// Sums and products of bounds, as long as they stay far from the ends of int64_t.
class Bounds {
 public:
  Bounds(__int128 low, __int128 high) : low_(low), high_(high) {}
  explicit Bounds(Range range) : Bounds(range.low, range.high) {}

  Bounds operator+(const Bounds& other) const {
    return Bounds(low_ + other.low_, high_ + other.high_).Checked(*this, other);
  }
  Bounds operator*(const Bounds& other) const {
    if (!Fit() || !other.Fit()) return Bounds(1, 0);
    const auto [low, high] =
        std::minmax({low_ * other.low_, low_ * other.high_, high_ * other.low_, high_ * other.high_});
    return Bounds(low, high);
  }
  // The range, if all of it is in the type: a polynomial modulo 2^n is then the polynomial itself.
  std::optional<Range> Within(Range type) const {
    if (!Fit() || low_ < type.low || high_ > type.high) return std::nullopt;
    return Range{static_cast<int64_t>(low_), static_cast<int64_t>(high_)};
  }

 private:
  bool Fit() const { return low_ <= high_ && low_ >= -kMost && high_ <= kMost; }
  Bounds Checked(const Bounds& a, const Bounds& b) const { return a.Fit() && b.Fit() ? *this : Bounds(1, 0); }

  static constexpr __int128 kMost = static_cast<__int128>(1) << 62;
  __int128 low_, high_;  // low_ > high_: unknown
};

// The smallest mask of low bits that holds all numbers from 0 to `most`.
uint64_t BitsUpTo(int64_t most) {
  const uint64_t value = static_cast<uint64_t>(most);
  return value == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(value);
}

Range Union(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Range OfLiteral(const Literal& literal, Range all) {
  constexpr int64_t kMostElements = 1 << 14;
  if (literal.element_count() == 0 || literal.element_count() > kMostElements) return all;
  Range range{literal.GetAsInt64(0), literal.GetAsInt64(0)};
  for (int64_t k = 1; k < literal.element_count(); ++k)
    range = Union(range, {literal.GetAsInt64(k), literal.GetAsInt64(k)});
  return range;
}

// A view of 0, 1, 2, …
Range OfCounts(const Term& view, Range all) {
  Bounds sum(view.data[0], view.data[0]);
  for (int64_t d = 0; d < view.shape.rank(); ++d) {
    const int64_t step = view.data[static_cast<size_t>(d) + 1];
    sum = sum + Bounds(Range{step, step}) * Bounds(0, view.shape.dimensions(d) - 1);
  }
  return sum.Within(all).value_or(all);
}

Range OfOperation(const Term& t, Range all) {
  using enum HloOpcode;
  const auto operand = [&](size_t k) { return t.operands[k]->range; };
  const auto number = [&](size_t k) -> std::optional<int64_t> {
    const Range range = operand(k);
    return range.low == range.high ? std::optional(range.low) : std::nullopt;
  };
  const int width = WidthOfTerm(t.shape.element_type());
  switch (t.opcode) {
    case kMaximum:
    case kMinimum: {
      Range range = operand(0);
      for (size_t k = 1; k < t.operands.size(); ++k) {
        const auto pick = [&](int64_t a, int64_t b) { return t.opcode == kMaximum ? std::max(a, b) : std::min(a, b); };
        range = {pick(range.low, operand(k).low), pick(range.high, operand(k).high)};
      }
      return range;
    }
    case kSelect: return Union(operand(1), operand(2));
    case kConcatenate: {
      Range range = operand(0);
      for (size_t k = 1; k < t.operands.size(); ++k) range = Union(range, operand(k));
      return range;
    }
    case kDynamicSlice:
    case kGather: return operand(0);
    case kDynamicUpdateSlice: return Union(operand(0), operand(1));
    case kAbs:
      if (operand(0).low > all.low) return {0, std::max(operand(0).high, -operand(0).low)};
      break;
    case kSign: return {-1, 1};
    case kPopulationCount:
    case kClz: return {0, width};
    case kConvert:
      if (IsCounted(t.operands[0]->shape.element_type()) && operand(0).low >= all.low && operand(0).high <= all.high &&
          t.operands[0]->shape.element_type() != PrimitiveType::U64)
        return operand(0);
      break;
    case kRemainder:
      if (const std::optional<int64_t> c = number(1); c && *c > 0) {
        const Range x = operand(0);
        return {x.low >= 0 ? 0 : std::max(x.low, 1 - *c), x.high <= 0 ? 0 : std::min(x.high, *c - 1)};
      }
      break;
    case kDivide:
      if (const std::optional<int64_t> c = number(1); c && *c > 0) return {operand(0).low / *c, operand(0).high / *c};
      break;
    case kShiftRightArithmetic:
    case kShiftRightLogical:
      if (const std::optional<int64_t> c = number(1); c && *c >= 0 && *c < width) {
        // (The arithmetic shift takes the top bit of an unsigned number for a sign.)
        const bool arithmetic = t.opcode == kShiftRightArithmetic && IsSigned(t.shape.element_type());
        if (arithmetic || (t.opcode == kShiftRightLogical && operand(0).low >= 0))
          return {operand(0).low >> *c, operand(0).high >> *c};
      }
      break;
    case kGetTupleElement: {
      // Of a loop's state: the parameter has the ranges, three numbers each.
      const std::vector<int64_t>& facts = t.operands[0]->data;
      if (t.operands[0]->kind != Term::Kind::kParameter) break;
      for (size_t k = 1; k + 2 < facts.size(); k += 3) {
        if (facts[k] == t.data[0]) return {facts[k + 1], facts[k + 2]};
      }
      break;
    }
    default: break;
  }
  return all;
}

}  // namespace

Range Terms::RangeOf(const Term& t) {
  const PrimitiveType type = t.shape.IsArray() ? t.shape.element_type() : PrimitiveType::F32;
  if (!IsCounted(type) || type == PrimitiveType::U64) return {};
  const Range all = RangeOfType(type);
  switch (t.kind) {
    case Term::Kind::kConstant: return OfLiteral(*t.literal, all);
    case Term::Kind::kView: return t.operands[0]->kind == Term::Kind::kIota ? OfCounts(t, all) : t.operands[0]->range;
    case Term::Kind::kRing: {
      Bounds sum(0, 0);
      for (const auto& [key, factor] : RingOf(&t)) {
        // Modulo 2^n any number of the class will do: the one nearest to 0.
        const int unused = 64 - WidthOfTerm(type);
        const int64_t near = static_cast<int64_t>(factor << unused) >> unused;
        Bounds product(near, near);
        for (int32_t atom : key) product = product * Bounds(At(atom)->range);
        sum = sum + product;
      }
      return sum.Within(all).value_or(all);
    }
    case Term::Kind::kBits: {
      uint64_t any = 0;
      for (const auto& [key, mask] : BitsOf(&t)) {
        uint64_t bits = mask;
        for (int32_t atom : key) {
          if (At(atom)->range.low >= 0) bits &= BitsUpTo(At(atom)->range.high);
        }
        any |= bits;
      }
      // With the sign's bit out of use, a number is as large as its bits.
      return any <= static_cast<uint64_t>(all.high) ? Range{0, static_cast<int64_t>(any)} : all;
    }
    case Term::Kind::kOp: return OfOperation(t, all);
    case Term::Kind::kParameter:
    case Term::Kind::kIota: break;
  }
  return all;
}

// Ranges of the scalars and arrays of integers in a loop's state, by induction: a counter that begins at a number,
// grows (or falls) by a number each turn, and is compared with a number before each turn; and what no turn changes.
std::vector<int64_t> Terms::RangesInLoop(const Term* initial, const Term* condition, const Term* body) {
  std::vector<int64_t> facts;
  if (!initial->shape.IsTuple() || body->kind != Term::Kind::kOp || body->opcode != HloOpcode::kTuple) return facts;
  // The condition holds if each of these does.
  std::vector<std::pair<const Term*, bool>> holds;
  if (condition->kind != Term::Kind::kBits) {
    holds.push_back({condition, true});
  } else {
    const Polynomial p = BitsOf(condition);
    if (p.size() == 1 && !p.begin()->first.empty()) {
      for (int32_t atom : p.begin()->first) holds.push_back({At(atom), true});
    } else if (p.size() == 2 && p.contains({}) && p.rbegin()->first.size() == 1) {
      holds.push_back({At(p.rbegin()->first[0]), false});
    }
  }
  for (int64_t k = 0; k < initial->shape.tuple_size(); ++k) {
    const Shape& shape = initial->shape.tuple_shapes(k);
    if (!shape.IsArray() || !IsInteger(shape.element_type()) || shape.element_type() == PrimitiveType::U64) continue;
    const Range all = RangeOfType(shape.element_type()), start = Element(initial, k)->range;
    const auto is_carried = [&](const Term* t) {
      return t->kind == Term::Kind::kOp && t->opcode == HloOpcode::kGetTupleElement && t->data[0] == k &&
             t->operands[0]->kind == Term::Kind::kParameter;
    };
    const Term* next = body->operands[static_cast<size_t>(k)];
    Range range = all;
    if (is_carried(next)) {
      range = start;
    } else if (shape.IsScalar() && next->kind == Term::Kind::kRing) {
      const Polynomial p = RingOf(next);
      const auto step = p.find({});
      const int unused = 64 - WidthOfTerm(shape.element_type());
      if (p.size() != 2 || step == p.end() || p.rbegin()->first.size() != 1 || p.rbegin()->second != 1 ||
          !is_carried(At(p.rbegin()->first[0])))
        continue;
      const int64_t by = static_cast<int64_t>(step->second << unused) >> unused;
      for (const auto& [test, expected] : holds) {
        if (test->kind != Term::Kind::kOp || test->opcode != HloOpcode::kCompare || !is_carried(test->operands[0]) ||
            static_cast<ComparisonDirection>(test->data[0]) != ComparisonDirection::kLt)
          continue;
        const Range limit = test->operands[1]->range;
        // Before a turn the counter is below (at or above) the limit, so that no step leaves the type.
        if (expected && by > 0 && limit.high > all.low && limit.high - 1 <= all.high - by && start.low < limit.high)
          range = {start.low, limit.high - 1};
        if (!expected && by < 0 && limit.low >= all.low - by && start.high >= limit.low)
          range = {limit.low, start.high};
      }
    }
    if (range.low > all.low || range.high < all.high) facts.insert(facts.end(), {k, range.low, range.high});
  }
  return facts;
}

}  // namespace hloir::equivalence
