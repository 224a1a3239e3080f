// Ranges of integer terms. They decide comparisons, clamps and remainders exactly. See prove_terms.h.
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

// Interval arithmetic; unknown if a bound exceeds 2^62.
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
  // The range if it lies in the type, so that a polynomial modulo 2^n does not wrap around.
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

// The smallest mask of low bits that covers the numbers from 0 to `most`.
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

// The range of a view of iota.
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
        // The arithmetic shift treats the top bit of an unsigned number as a sign.
        const bool arithmetic = t.opcode == kShiftRightArithmetic && IsSigned(t.shape.element_type());
        if (arithmetic || (t.opcode == kShiftRightLogical && operand(0).low >= 0))
          return {operand(0).low >> *c, operand(0).high >> *c};
      }
      break;
    default: break;
  }
  return all;
}

}  // namespace

Range RangeOfType(PrimitiveType type) {
  if (!IsCounted(type) || type == PrimitiveType::U64) return {};
  if (type == PrimitiveType::PRED) return {0, 1};
  return {Literal::MinValue(type).GetAsInt64(0), Literal::MaxValue(type).GetAsInt64(0)};
}

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
        // Of the numbers that are equal modulo 2^n, the one nearest to 0 gives the tightest bounds.
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
      // Without the sign bit, no number exceeds the union of its bits.
      return any <= static_cast<uint64_t>(all.high) ? Range{0, static_cast<int64_t>(any)} : all;
    }
    case Term::Kind::kOp: return OfOperation(t, all);
    case Term::Kind::kParameter: return IsLoopVariable(&t) ? Range{t.data[3], t.data[4]} : all;
    case Term::Kind::kIota: break;
  }
  return all;
}

}  // namespace hloir::equivalence
