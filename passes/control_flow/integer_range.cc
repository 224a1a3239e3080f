// See integer_range.h.
#include "integer_range.h"

#include <algorithm>

namespace hloir {

// Counters and indices are far smaller; arithmetic on two such values does not overflow here.
static constexpr __int128 kLargest = static_cast<__int128>(1) << 62;

std::optional<IntegerRange> RangeHeld(PrimitiveType type, __int128 low, __int128 high) {
  if (low > high || low < -kLargest || high > kLargest) return {};
  const int bits = type == PrimitiveType::PRED ? 1 : BitWidth(type) - IsSigned(type);
  const __int128 end = static_cast<__int128>(1) << bits;
  if (high >= end || low < (IsSigned(type) ? -end : 0)) return {};
  return IntegerRange{low, high};
}

namespace {

using Range = IntegerRange;
using Maybe = std::optional<IntegerRange>;

bool IsIntegerOrPred(PrimitiveType type) { return IsInteger(type) || type == PrimitiveType::PRED; }

Maybe Union(const Maybe& a, const Maybe& b) {
  if (!a || !b) return {};
  return Range{std::min(a->low, b->low), std::max(a->high, b->high)};
}

// 2^k - 1 that is no less.
__int128 AllBitsUpTo(__int128 value) {
  __int128 bits = 0;
  while (bits < value) bits = 2 * bits + 1;
  return bits;
}

Maybe OfConstant(const HloInstruction& i) {
  constexpr int64_t kMostElements = 64;
  const Literal& literal = i.literal();
  const PrimitiveType type = i.shape().element_type();
  const int64_t count = i.shape().ElementCount();
  if (literal.elided() || count == 0 || count > kMostElements) return {};
  Maybe range;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t bits = literal.GetAsInt64(k);
    if (type == PrimitiveType::U64 && bits < 0) return {};
    range = k == 0 ? Range{bits, bits} : Union(range, Range{bits, bits});
  }
  return RangeHeld(type, range->low, range->high);
}

Maybe OfBinary(HloOpcode opcode, PrimitiveType type, Range a, Range b) {
  const bool positive = a.low >= 0 && b.low >= 0;
  switch (opcode) {
    case HloOpcode::kAdd: return RangeHeld(type, a.low + b.low, a.high + b.high);
    case HloOpcode::kSubtract: return RangeHeld(type, a.low - b.high, a.high - b.low);
    case HloOpcode::kMultiply: {
      if (std::max(-a.low, a.high) >> 61 > 0 || std::max(-b.low, b.high) >> 61 > 0) return {};
      const __int128 products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      return RangeHeld(type, *std::min_element(products, products + 4), *std::max_element(products, products + 4));
    }
    case HloOpcode::kMaximum: return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    case HloOpcode::kMinimum: return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
    case HloOpcode::kDivide:
      if (b.low <= 0) return {};
      return Range{a.low / (a.low < 0 ? b.low : b.high), a.high / (a.high < 0 ? b.high : b.low)};
    case HloOpcode::kRemainder:
      if (b.low <= 0) return {};
      return Range{a.low < 0 ? std::max(a.low, 1 - b.high) : 0, a.high < 0 ? 0 : std::min(a.high, b.high - 1)};
    case HloOpcode::kAnd:
      if (type == PrimitiveType::PRED) return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
      return positive ? Maybe(Range{0, std::min(a.high, b.high)}) : Maybe();
    case HloOpcode::kOr:
      if (type == PrimitiveType::PRED) return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
      return positive ? Maybe(Range{std::max(a.low, b.low), AllBitsUpTo(std::max(a.high, b.high))}) : Maybe();
    case HloOpcode::kXor: return positive ? Maybe(Range{0, AllBitsUpTo(std::max(a.high, b.high))}) : Maybe();
    case HloOpcode::kShiftRightLogical:
    case HloOpcode::kShiftRightArithmetic:
      if (!positive || b.high >= BitWidth(type)) return {};
      return Range{a.low >> static_cast<int>(b.high), a.high >> static_cast<int>(b.low)};
    default: return {};  // unknown
  }
}

}  // namespace

std::optional<bool> DecideComparison(ComparisonDirection direction, IntegerRange a, IntegerRange b) {
  auto decide = [](bool always, bool never) {
    return always ? std::optional(true) : never ? std::optional(false) : std::nullopt;
  };
  const bool same = a.is_one_value() && b.is_one_value() && a.low == b.low, apart = a.high < b.low || a.low > b.high;
  switch (direction) {
    case ComparisonDirection::kLt: return decide(a.high < b.low, a.low >= b.high);
    case ComparisonDirection::kLe: return decide(a.high <= b.low, a.low > b.high);
    case ComparisonDirection::kGt: return decide(a.low > b.high, a.high <= b.low);
    case ComparisonDirection::kGe: return decide(a.low >= b.high, a.high < b.low);
    case ComparisonDirection::kEq: return decide(same, apart);
    case ComparisonDirection::kNe: return decide(apart, same);
  }
  __builtin_unreachable();
}

IntegerRanges::IntegerRanges(const HloComputation& computation, const Known& known) {
  const std::vector<const HloInstruction*> order = computation.PostOrder();
  for (const HloInstruction* i : order) {
    if (!i->shape().IsArray() || !IsIntegerOrPred(i->shape().element_type())) continue;
    Maybe range = known(*i);
    if (!range) range = Find(*i);
    if (range) ranges_.emplace(i->id(), *range);
  }
}

Maybe IntegerRanges::of(const HloInstruction* i) const {
  const auto found = ranges_.find(i->id());
  return found != ranges_.end() ? Maybe(found->second) : Maybe();
}

Maybe IntegerRanges::Find(const HloInstruction& i) const {
  const PrimitiveType type = i.shape().element_type();
  const auto operand = [&](int64_t k) { return of(i.operand(k)); };
  switch (i.opcode()) {
    case HloOpcode::kConstant: return OfConstant(i);
    case HloOpcode::kIota:
      if (i.shape().ElementCount() == 0) return {};
      return RangeHeld(type, 0, i.shape().dimensions(i.attributes<IotaAttributes>().iota_dimension) - 1);
    case HloOpcode::kBroadcast:
    case HloOpcode::kCopy:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose: return operand(0);
    case HloOpcode::kConvert: {
      const Maybe a = operand(0);  // floats have no range
      return a ? RangeHeld(type, a->low, a->high) : a;
    }
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kPad: {
      Maybe all = operand(0);
      const int64_t values = i.opcode() == HloOpcode::kConcatenate ? i.operand_count() : 2;
      for (int64_t k = 1; k < values && all; ++k) all = Union(all, operand(k));
      return all;
    }
    case HloOpcode::kCompare: {
      const Maybe a = operand(0), b = operand(1);
      if (!a || !b) return {};
      const std::optional<bool> answer = DecideComparison(i.attributes<CompareAttributes>().direction, *a, *b);
      return answer ? Maybe(Range{*answer, *answer}) : Maybe();
    }
    case HloOpcode::kSelect: {
      const Maybe which = operand(0);
      if (which && which->is_one_value()) return operand(which->low != 0 ? 1 : 2);
      return Union(operand(1), operand(2));
    }
    case HloOpcode::kClamp: {
      const Maybe low = operand(0), x = operand(1), high = operand(2);
      if (!low || !high || low->high > high->low) return {};
      if (!x) return Range{low->low, high->high};
      return Range{std::clamp(x->low, low->low, high->low), std::clamp(x->high, low->high, high->high)};
    }
    case HloOpcode::kNegate: {
      const Maybe a = operand(0);
      return a ? RangeHeld(type, -a->high, -a->low) : a;
    }
    case HloOpcode::kNot: {
      const Maybe a = operand(0);
      return a && type == PrimitiveType::PRED ? Maybe(Range{1 - a->high, 1 - a->low}) : Maybe();
    }
    default: break;  // by OfBinary, or unknown
  }
  if (i.operand_count() != 2 || !i.Is(kElementwise)) return {};
  const Maybe a = operand(0), b = operand(1);
  if (a && b) return OfBinary(i.opcode(), type, *a, *b);
  return {};
}

}  // namespace hloir
