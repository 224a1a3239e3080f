// Integers and conditions that depend on inputs. Sums, products and moves are computed: they obey laws of numbers
// modulo 2^n, which trials test. Any other operation is a random function of its operands, since a difference that
// begins at 2^24, or at one bound, is seldom met by chance; unless the operands' bounds decide it. See evaluate.h.
#include <algorithm>
#include <limits>

#include "proof_check/evaluate.h"
#include "support/hash.h"
#include "support/random.h"

namespace hloir::proof_check {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
constexpr uint64_t kLess = 1, kEqual = 2, kLowBits = 3, kQuotient = 4, kRest = 5, kClamped = 6;  // random functions

bool IsPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

// Bounds of a sum or product.
Bounds Exact(__int128 low, __int128 high, const Bounds& a, const Bounds& b, PrimitiveType type) {
  Bounds bounds = Bounds::Of(type);
  bounds.open = true;
  bounds.wraps = a.wraps || b.wraps || low < (IsUnsigned(type) ? 0 : bounds.low) || high > bounds.high;
  if (!bounds.wraps) bounds.low = static_cast<int64_t>(low), bounds.high = static_cast<int64_t>(high);
  return bounds;
}

Bounds Opened(int64_t low, int64_t high) { return {low, high, true, false}; }

}  // namespace

Bounds Bounds::Of(PrimitiveType type) {
  if (type == PrimitiveType::PRED) return {0, 1};
  const int bits = BitWidth(type);
  if (bits == 64) return {kLeast, kMost};
  if (IsSigned(type)) return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  return {0, (int64_t{1} << bits) - 1};
}

Bounds Bounds::With(const Bounds& other) const {
  return {std::min(low, other.low), std::max(high, other.high), open || other.open, wraps || other.wraps};
}

bool Bounds::Fit(PrimitiveType from, PrimitiveType to) const {
  if (from == to) return true;
  if (from == PrimitiveType::U64 && low < 0) return false;
  const Bounds all = Of(to);
  return low >= (IsUnsigned(to) ? 0 : all.low) && high <= all.high;
}

int64_t Bounds::Within(int64_t value) const {
  const uint64_t size = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  if ((low <= value && value <= high) || low > high || size == 0) return value;
  return static_cast<int64_t>(static_cast<uint64_t>(low) + static_cast<uint64_t>(value) % size);
}

int64_t Trial::Integer(uint64_t key, size_t turn, const Bounds& bounds, const Shared& shared) const {
  Random random(Mix(seed, key));
  const int kind = number % 4;
  if (static_cast<uint64_t>(bounds.high) - static_cast<uint64_t>(bounds.low) == 1) return bounds.low + random.Below(2);
  if (kind < 2) return bounds.Within(random.Between(kind == 0 ? 0 : -3, 9));
  if (kind == 2 && !shared.integers.empty())
    return bounds.Within(shared.integers[(static_cast<size_t>(number / 4) + turn) % shared.integers.size()]);
  return bounds.Within(static_cast<int64_t>(random.Bits()));
}

int64_t Evaluation::Draw(uint64_t key, const Bounds& bounds) const {
  return trial_.Integer(key, static_cast<size_t>(key), bounds, shared_);
}

namespace {

bool IsOrdered(const Bounds& a, const Bounds& b, PrimitiveType type) {
  return type != PrimitiveType::U64 || (a.low >= 0 && b.low >= 0);
}
bool IsAtMost(const Bounds& a, const Bounds& b, PrimitiveType type) { return IsOrdered(a, b, type) && a.high <= b.low; }

}  // namespace

namespace {

// Whether so few differences are possible that trials meet each.
bool IsNear(const Bounds& a, const Bounds& b) {
  if (a.wraps || b.wraps) return false;
  return (static_cast<__int128>(b.high) - a.low) - (static_cast<__int128>(b.low) - a.high) <= 2;
}

}  // namespace

// Of differences, unless these may have wrapped around: a < b is 0 <= b - a - 1, and its opposite 0 <= a - b.
bool Evaluation::Less(const Integer& a, const Integer& b, PrimitiveType type) const {
  if (a.value == b.value || IsAtMost(b.bounds, a.bounds, type)) return false;
  const bool ordered = IsOrdered(a.bounds, b.bounds, type);
  if (ordered && a.bounds.high < b.bounds.low) return true;
  if (type == PrimitiveType::U64 && b.bounds.low == 0 && b.bounds.high == 0) return false;
  if (ordered && IsNear(a.bounds, b.bounds)) return a.value < b.value;
  if (!ordered || a.bounds.wraps || b.bounds.wraps) {
    const uint64_t key = Mix(kLess, static_cast<uint64_t>(type));
    return Draw(Mix(Mix(key, static_cast<uint64_t>(a.value)), static_cast<uint64_t>(b.value)), Opened(0, 1)) != 0;
  }
  const __int128 difference = static_cast<__int128>(b.value) - a.value - 1;
  const __int128 size = std::max(difference, -1 - difference);
  if (size == 0) return difference == 0;  // equal numbers, or one and the next
  return (Draw(Mix(kLess, static_cast<uint64_t>(size)), Opened(0, 1)) != 0) != (difference < 0);
}

// The two do not depend on the operands' order, and one is the other's opposite.
const Evaluation::Integer& Evaluation::Larger(const Integer& a, const Integer& b, PrimitiveType type) const {
  if (IsAtMost(a.bounds, b.bounds, type)) return b;
  if (IsAtMost(b.bounds, a.bounds, type)) return a;
  return (a.value < b.value ? Less(a, b, type) : !Less(b, a, type)) ? b : a;
}

const Evaluation::Integer& Evaluation::Smaller(const Integer& a, const Integer& b, PrimitiveType type) const {
  return &Larger(a, b, type) == &a ? b : a;
}

ArrayPtr Evaluation::Extremum(const HloInstruction& i, const Arrays& x, bool largest) {
  const PrimitiveType type = x[0]->shape.element_type();
  const Bounds &a = x[0]->bounds, &b = x[1]->bounds;
  Bounds bounds = Bounds::Of(type);
  bounds.wraps = a.wraps || b.wraps;
  if (!bounds.wraps && IsOrdered(a, b, type))
    bounds = largest ? Opened(std::max(a.low, b.low), std::max(a.high, b.high))
                     : Opened(std::min(a.low, b.low), std::min(a.high, b.high));
  return ByElement(i, x, bounds, [&](const auto& e) {
    return (largest ? Larger(e[0], e[1], type) : Smaller(e[0], e[1], type)).value;
  });
}

// select(x < y, x, y) of integers is a minimum, and so on: null if the operation does not select from what it compares.
ArrayPtr Evaluation::SelectedByOrder(const Graph::Op& op, const Arrays& x) {
  const HloInstruction& i = *op.instruction;
  const Graph::Op& condition = graph_.OpOf(op.operands[0][0]);
  if (condition.instruction->opcode() != HloOpcode::kCompare || !IsInteger(i.shape().element_type())) return nullptr;
  const bool as_compared = condition.operands[0] == op.operands[1] && condition.operands[1] == op.operands[2],
             exchanged = condition.operands[0] == op.operands[2] && condition.operands[1] == op.operands[1];
  const auto direction = condition.instruction->attributes<CompareAttributes>().direction;
  const bool greater = direction == ComparisonDirection::kGt || direction == ComparisonDirection::kGe;
  if ((!as_compared && !exchanged) || direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe)
    return nullptr;
  return Extremum(i, {x[1], x[2]}, greater == as_compared);
}

bool Evaluation::Equal(const Integer& a, const Integer& b) const {
  if (a.value == b.value) return true;
  if (a.bounds.high < b.bounds.low || b.bounds.high < a.bounds.low) return false;
  if (IsNear(a.bounds, b.bounds)) return false;
  const uint64_t low = static_cast<uint64_t>(std::min(a.value, b.value)),
                 high = static_cast<uint64_t>(std::max(a.value, b.value));
  if (!a.bounds.wraps && !b.bounds.wraps) return Draw(Mix(kEqual, high - low), Opened(0, 1)) != 0;
  return Draw(Mix(Mix(kEqual, low), high), Opened(0, 1)) != 0;
}

// A function of each element by itself.
ArrayPtr Evaluation::ByElement(const HloInstruction& i, const Arrays& x, const Bounds& bounds,
                               const std::function<int64_t(const std::vector<Integer>&)>& function) {
  Array result{i.shape(), Literal(i.shape().WithDefaultLayout()), {}, bounds};
  result.bounds.open = true;
  std::vector<Integer> operands;
  for (int64_t k = 0; k < i.shape().ElementCount(); ++k) {
    operands.clear();
    for (const ArrayPtr& array : x) {
      const int64_t value = array->literal.GetAsInt64(array->shape.IsScalar() ? 0 : k);
      operands.push_back({value, array->bounds.open ? array->bounds : Bounds{value, value}});
    }
    result.literal.SetFromInt64(k, bounds.Within(function(operands)));
  }
  return std::make_shared<const Array>(std::move(result));
}

ArrayPtr Evaluation::ConvertIntegers(const HloInstruction& i, const Arrays& x) {
  const PrimitiveType from = x[0]->shape.element_type(), to = i.shape().element_type();
  const Bounds& a = x[0]->bounds;
  if (to == PrimitiveType::PRED)
    return ByElement(i, x, Bounds::Of(to), [&](const auto& e) { return !Equal(e[0], {0, {0, 0}}); });
  if (a.Fit(from, to) && !a.wraps) return Interpreted(i, x, a);
  Bounds bounds = Bounds::Of(to);
  if (BitWidth(to) > BitWidth(from)) {  // the number itself, which is one of those of `from`
    const uint64_t key = Mix(Mix(static_cast<uint64_t>(HloOpcode::kConvert), static_cast<uint64_t>(from)),
                             static_cast<uint64_t>(BitWidth(to)));
    if (a.Fit(from, to)) bounds = a, bounds.wraps = false;
    return ByElement(i, x, bounds,
                     [&](const auto& e) { return Draw(Mix(key, static_cast<uint64_t>(e[0].value)), bounds); });
  }
  bounds.open = bounds.wraps = true;  // modulo a smaller power of 2
  return Interpreted(i, x, bounds);
}

namespace {

// One truth value if the operands' bounds decide.
Bounds BoundsOfComparison(ComparisonDirection direction, const Bounds& a, const Bounds& b, PrimitiveType type) {
  using enum ComparisonDirection;
  if (direction == kGt || direction == kLe) return BoundsOfComparison(direction == kGt ? kLt : kGe, b, a, type);
  const bool holds = direction == kLt || direction == kEq;  // otherwise the opposite of one that does
  Bounds result = Bounds::Of(PrimitiveType::PRED);
  if (direction == kLt || direction == kGe) {
    if (IsAtMost(b, a, type)) result.high = 0;
    else if (IsOrdered(a, b, type) && a.high < b.low) result.low = 1;
  } else {
    if (a.high < b.low || b.high < a.low) result.high = 0;
    else if (a.low == b.high && a.high == b.low) result.low = 1;
  }
  return holds ? result : Bounds{1 - result.high, 1 - result.low};
}

}  // namespace

ArrayPtr Evaluation::OpenElementwise(const HloInstruction& i, const Arrays& x) {
  using enum HloOpcode;
  const PrimitiveType from = x[0]->shape.element_type(), to = i.shape().element_type();
  const HloOpcode op = i.opcode();
  const Bounds &a = x[0]->bounds, &b = x.back()->bounds;
  if (!x[0]->shape.IsScalar() && !x[0]->shape.SameDimensions(i.shape())) return nullptr;  // (A word of several bytes.)
  const auto exact = [&](std::initializer_list<__int128> ends) {
    return Interpreted(i, x, Exact(std::min(ends), std::max(ends), a, b, to));
  };
  const auto products = [&](__int128 low, __int128 high) {
    return exact({a.low * low, a.low * high, a.high * low, a.high * high});
  };
  // A condition, or another number with two possible values, is met in all its states.
  const auto is_two_valued = [](const ArrayPtr& array) {
    return !array->bounds.open ||
           static_cast<uint64_t>(array->bounds.high) - static_cast<uint64_t>(array->bounds.low) <= 1;
  };
  if (op == kSelect) {
    Bounds either = a.low != a.high ? x[1]->bounds.With(b) : a.low != 0 ? x[1]->bounds : b;
    either.open = true;
    return Interpreted(i, x, either);
  }
  if (op == kAdd && from != PrimitiveType::PRED)
    return exact({static_cast<__int128>(a.low) + b.low, static_cast<__int128>(a.high) + b.high});
  if (op == kSubtract) return exact({static_cast<__int128>(a.low) - b.high, static_cast<__int128>(a.high) - b.low});
  if (op == kMultiply && from != PrimitiveType::PRED) return products(b.low, b.high);
  if (op == kNegate) return exact({-static_cast<__int128>(a.low), -static_cast<__int128>(a.high)});
  if (op == kNot && IsSigned(from))
    return exact({-1 - static_cast<__int128>(a.low), -1 - static_cast<__int128>(a.high)});
  const bool by_one_number = x.size() == 2 && !b.open && b.low == b.high;
  if (op == kShiftLeft && by_one_number && b.low >= 0 && b.low < std::min(BitWidth(from), 63))
    return products(int64_t{1} << b.low, int64_t{1} << b.low);
  if (op == kConvert || (op == kBitcastConvert && BitWidth(from) == BitWidth(to) && from != PrimitiveType::PRED))
    return ConvertIntegers(i, x);
  const Integer zero{0, {0, 0}};
  // Shifts that leave the sign alone.
  if (by_one_number && IsSigned(from) && b.low == BitWidth(from) - 1 &&
      (op == kShiftRightLogical || op == kShiftRightArithmetic)) {
    const int64_t negative = op == kShiftRightLogical ? 1 : -1;
    return ByElement(i, x, Opened(std::min<int64_t>(negative, 0), std::max<int64_t>(negative, 0)),
                     [&](const auto& e) { return Less(e[0], zero, from) ? negative : 0; });
  }
  if (std::all_of(x.begin(), x.end(), is_two_valued) && op != kBitcastConvert) {
    Bounds bounds = Bounds::Of(to);
    if (op == kShiftRightLogical && by_one_number && b.low > 0 && b.low < BitWidth(from))
      bounds = Opened(0, (int64_t{1} << (BitWidth(from) - b.low)) - 1);
    if (op == kCompare) bounds = BoundsOfComparison(i.attributes<CompareAttributes>().direction, a, b, from);
    if (op == kAnd && to == PrimitiveType::PRED) bounds = Opened(std::min(a.low, b.low), std::min(a.high, b.high));
    if (op == kOr && to == PrimitiveType::PRED) bounds = Opened(std::max(a.low, b.low), std::max(a.high, b.high));
    if (op == kNot && to == PrimitiveType::PRED) bounds = Opened(1 - a.high, 1 - a.low);
    bounds.open = true;
    return Interpreted(i, x, bounds);
  }

  // Choices. A chosen number that may have wrapped around is still known modulo 2^n only.
  const bool wraps = std::any_of(x.begin(), x.end(), [](const ArrayPtr& array) { return array->bounds.wraps; });
  switch (op) {
    case kCompare: {
      const ComparisonDirection direction = i.attributes<CompareAttributes>().direction;
      return ByElement(i, x, BoundsOfComparison(direction, a, b, from), [&](const auto& e) {
        switch (direction) {
          case ComparisonDirection::kEq: return Equal(e[0], e[1]);
          case ComparisonDirection::kNe: return !Equal(e[0], e[1]);
          case ComparisonDirection::kLt: return Less(e[0], e[1], from);
          case ComparisonDirection::kGe: return !Less(e[0], e[1], from);
          case ComparisonDirection::kGt: return Less(e[1], e[0], from);
          case ComparisonDirection::kLe: return !Less(e[1], e[0], from);
        }
        return false;
      });
    }
    case kMaximum:
    case kMinimum: return Extremum(i, x, op == kMaximum);
    case kClamp: {
      const Bounds& of = x[1]->bounds;
      if (!wraps) return Extremum(i, {Extremum(i, {x[0], x[1]}, true), x[2]}, false);
      if (a.wraps || b.wraps || !IsOrdered(a, b, from) || (from == PrimitiveType::U64 && of.low < 0)) break;
      const Bounds bounds =
          Opened(std::min(std::max(a.low, of.low), b.low), std::min(std::max(a.high, of.high), b.high));
      return ByElement(i, x, bounds, [&](const auto& e) {
        const Integer& chosen = Smaller(Larger(e[0], e[1], from), e[2], from);
        if (&chosen != &e[1]) return chosen.value;
        return Draw(Mix(kClamped, static_cast<uint64_t>(chosen.value)), bounds);
      });
    }
    case kAbs:
      if (wraps || a.low == Bounds::Of(from).low) break;
      return ByElement(i, x, Opened(0, std::max(-a.low, a.high)),
                       [&](const auto& e) { return Less(e[0], zero, from) ? -e[0].value : e[0].value; });
    case kSign:
      return ByElement(i, x, Opened(-1, 1), [&](const auto& e) {
        return Less(e[0], zero, from) ? -1 : Less(zero, e[0], from) ? 1 : 0;
      });
    // Any other operation is a random function.
    default: break;
  }

  // Quotients and remainders by one positive number. Those of a negative number by 2^k are those of x + 2^k - 1,
  // rounded down.
  const bool shifts = op == kShiftRightLogical || op == kShiftRightArithmetic;
  int64_t divisor = by_one_number && (op == kDivide || op == kRemainder) ? b.low : 0;
  if (by_one_number && shifts && b.low >= 0 && b.low < std::min(BitWidth(from), 63)) divisor = int64_t{1} << b.low;
  if (by_one_number && op == kAnd && b.low >= 0 && b.low < kMost && IsPowerOfTwo(b.low + 1)) divisor = b.low + 1;
  if (divisor == 1 && op != kAnd && op != kRemainder) return Interpreted(i, x, a);
  const bool positive = a.low >= 0 || IsUnsigned(from), in_bits = IsPowerOfTwo(divisor);
  const uint64_t mask = static_cast<uint64_t>(divisor - 1);
  const bool rounds_up = !positive && in_bits && (op == kDivide || op == kRemainder);
  const auto raised = [&](const Integer& e) {
    if (!rounds_up || !Less(e, zero, from)) return std::pair(e.value, int64_t{0});
    Literal sum(Shape::Scalar(from));
    sum.SetFromInt64(0, static_cast<int64_t>(static_cast<uint64_t>(e.value) + mask));
    return std::pair(sum.GetAsInt64(0), static_cast<int64_t>(mask));
  };
  if (divisor > 0 && (op == kAnd || op == kRemainder) && (positive || in_bits)) {
    if (!a.wraps && a.low >= 0 && a.high < divisor) return Interpreted(i, x, Opened(a.low, a.high));
    const uint64_t key = Mix(in_bits ? kLowBits : kRest, static_cast<uint64_t>(divisor));
    const Bounds rest = Opened(0, divisor - 1);
    return ByElement(i, x, Opened(rounds_up ? 1 - divisor : 0, divisor - 1), [&](const auto& e) {
      const auto [value, added] = raised(e[0]);
      const uint64_t bits = static_cast<uint64_t>(value);
      if (!in_bits) return Draw(Mix(key, bits), rest) - added;
      // As ~x has the opposite bits, -(-x & mask) is (x + mask & mask) - mask.
      const uint64_t low = bits & mask, other = mask - low;
      const int64_t drawn = Draw(Mix(key, std::min(low, other)), rest);
      return (low <= other ? drawn : static_cast<int64_t>(mask) - drawn) - added;
    });
  }
  // (An arithmetic shift takes the highest bit of an unsigned number for a sign.)
  const bool has_sign = IsSigned(from) || (a.low >= 0 && a.high <= Bounds::Of(from).high / 2);
  if (divisor > 0 && (op == kShiftRightArithmetic ? has_sign
                      : shifts                    ? positive
                                                  : op == kDivide && (positive || rounds_up))) {
    const uint64_t key = Mix(kQuotient, static_cast<uint64_t>(divisor));
    Bounds quotient = Bounds::Of(to);  // (The largest u64 is no int64_t.)
    if (from != PrimitiveType::U64 || a.low >= 0)
      quotient = Opened(a.low / divisor - (a.low < 0 ? 1 : 0), a.high / divisor);
    return ByElement(i, x, quotient, [&](const auto& e) {
      return Draw(Mix(key, static_cast<uint64_t>(raised(e[0]).first)), quotient);
    });
  }
  Bounds bounds = Bounds::Of(to);
  if (op == kPopulationCount || op == kClz) bounds = Opened(0, BitWidth(from));
  if (op == kAnd && from != PrimitiveType::PRED) {
    for (const ArrayPtr& array : x) {
      if (array->bounds.low >= 0) bounds = Opened(0, std::min(bounds.high, array->bounds.high));
    }
  }
  const uint64_t key = Mix(Mix(64 + static_cast<uint64_t>(op), static_cast<uint64_t>(from)), static_cast<uint64_t>(to));
  return ByElement(i, x, bounds, [&](const auto& e) {
    uint64_t hash = key;
    std::vector<uint64_t> values;
    for (const Integer& operand : e) values.push_back(static_cast<uint64_t>(operand.value));
    if (i.Is(kCommutative)) std::sort(values.begin(), values.end());
    for (uint64_t value : values) hash = Mix(hash, value);
    return Draw(hash, bounds);
  });
}

namespace {

// Whether a computation adds, multiplies or replaces: a law of numbers modulo 2^n, or of conditions modulo 2.
bool IsSum(const HloComputation& computation) {
  const HloInstruction& root = *computation.root();
  if (root.IsParameter()) return true;
  const HloOpcode op = root.opcode();
  const bool known = root.shape().IsArray() && root.shape().element_type() == PrimitiveType::PRED
                         ? op == HloOpcode::kXor
                         : op == HloOpcode::kAdd || op == HloOpcode::kMultiply;
  return known && root.operand(0)->IsParameter() && root.operand(1)->IsParameter();
}

// Of how many elements at most the operation adds up each result, if it adds.
int64_t TermsOf(const HloInstruction& i) {
  const HloInstruction& root = *i.to_apply()->root();
  if (root.opcode() != HloOpcode::kAdd || root.operand(0) == root.operand(1)) return 0;
  int64_t terms = 1;
  const auto times = [&](int64_t size) {
    if (__builtin_mul_overflow(terms, size, &terms)) terms = kMost - 1;
  };
  if (i.opcode() == HloOpcode::kReduceWindow) {
    for (const WindowDimension& w : i.attributes<WindowAttributes>().window) times(w.size);
  } else {
    times(i.operand(i.opcode() == HloOpcode::kScatter ? 2 : 0)->shape().ElementCount());
  }
  return terms + 1;
}

}  // namespace

ArrayPtr Evaluation::OpenIntegers(const HloInstruction& i, const Arrays& x) {
  const PrimitiveType type = i.shape().element_type();
  if (i.Is(kElementwise)) return OpenElementwise(i, x);
  Bounds bounds = Bounds::Of(type);
  bounds.open = true;
  bounds.wraps = type != PrimitiveType::PRED;
  if (i.Is(kMovesData)) {
    bounds = {};
    for (const ArrayPtr& array : x) {
      if (array->shape.element_type() == type) bounds = bounds.With(array->bounds);
    }
    bounds.open = true;
    return Interpreted(i, x, bounds);
  }
  switch (i.opcode()) {
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter: {
      if (!IsSum(*i.to_apply())) return nullptr;
      const Bounds either = x[0]->bounds.With(x.back()->bounds);
      if (i.to_apply()->root()->IsParameter()) {
        bounds = either;
        bounds.open = true;
      } else if (const int64_t terms = TermsOf(i); terms > 0 && type != PrimitiveType::PRED) {
        bounds = Exact(static_cast<__int128>(terms) * std::min<int64_t>(either.low, 0),
                       static_cast<__int128>(terms) * std::max<int64_t>(either.high, 0), either, either, type);
      }
      return Interpreted(i, x, bounds);
    }
    case HloOpcode::kDot:
    case HloOpcode::kConvolution: {
      const bool widens = std::any_of(x.begin(), x.end(), [&](const ArrayPtr& array) {
        return array->bounds.wraps && array->shape.element_type() != type;
      });
      return widens ? nullptr : Interpreted(i, x, bounds);
    }
    // Any other operation is unsupported.
    default: return nullptr;
  }
}

}  // namespace hloir::proof_check
