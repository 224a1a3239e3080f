// Normal forms of comparisons, selects and converts, by exact laws alone. See prove_terms.h.
#include <algorithm>
#include <cmath>
#include <utility>

#include "equivalence/prove_algebra.h"

namespace hloir::equivalence {
namespace {

// Returns whether every value of `from` converts to `to` exactly. Independent of the passes' table.
bool Holds(PrimitiveType to, PrimitiveType from) {
  if (to == from) return true;
  if (from == PrimitiveType::PRED) return IsInteger(to) ? WidthOfTerm(to) > 1 : IsFloat(to) && BitWidth(to) >= 16;
  if (IsInteger(from) && IsInteger(to)) {
    return IsSigned(from) == IsSigned(to) ? BitWidth(to) >= BitWidth(from)
                                          : IsSigned(to) && BitWidth(to) > BitWidth(from);
  }
  const auto is = [](PrimitiveType type, std::initializer_list<PrimitiveType> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  using enum PrimitiveType;
  if (IsInteger(from)) return (to == F32 && BitWidth(from) <= 16) || (to == F64 && BitWidth(from) <= 32);
  if (to == F32) return is(from, {F16, BF16});
  return to == F64 && is(from, {F16, BF16, F32});
}

// The largest n such that the type represents every integer from 0 to n; 0 for narrow floats.
int64_t LargestOfAll(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::U64: return INT64_MAX;
    case PrimitiveType::BF16: return 1 << 8;
    case PrimitiveType::F16: return 1 << 11;
    case PrimitiveType::F32: return 1 << 24;
    case PrimitiveType::F64: return int64_t{1} << 53;
    default: return 0;
  }
}

}  // namespace

bool IsPositive(const Term* t, int depth) {
  constexpr int kMostSteps = 6;
  if (const std::optional<double> number = SplatNumber(t)) return !std::signbit(*number);
  if (t->kind == Term::Kind::kView) {
    const Term* base = t->operands[0];
    if (base->kind == Term::Kind::kIota)
      return std::all_of(t->data.begin(), t->data.end(), [](int64_t step) { return step >= 0; });
    t = base;
  }
  if (t->kind != Term::Kind::kOp || depth > kMostSteps) return false;
  const auto operand = [&](size_t k) { return IsPositive(t->operands[k], depth + 1); };
  switch (t->opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kExp:
    case HloOpcode::kLogistic: return true;
    case HloOpcode::kSqrt:
    case HloOpcode::kRemainder: return operand(0);
    case HloOpcode::kMultiply: return t->operands[0] == t->operands[1] || (operand(0) && operand(1));
    case HloOpcode::kAdd:
    case HloOpcode::kDivide:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum: return operand(0) && operand(1);
    case HloOpcode::kSelect: return operand(1) && operand(2);
    case HloOpcode::kConvert: {
      const PrimitiveType from = t->operands[0]->shape.element_type();
      return IsFloat(from) ? operand(0) : IsReal(from) && t->operands[0]->range.low >= 0;
    }
    default: return false;  // its sign is not known
  }
}

// Laws of a comparison of floats by <, <= or = in which NaN is unordered; null if none applies.
const Term* Terms::CompareFloats(const Shape& shape, const Operands& x, const std::vector<int64_t>& data) {
  const PrimitiveType type = x[0]->shape.element_type();
  const bool less = static_cast<ComparisonDirection>(data[0]) == ComparisonDirection::kLt;
  const bool equal = static_cast<ComparisonDirection>(data[0]) == ComparisonDirection::kEq;
  if (x[0] == x[1] && less) return SplatOf(shape, 0);
  // No such number is less than 0 or a negative one.
  const std::optional<double> limit = SplatNumber(x[1]);
  if (less && limit && *limit <= 0 && IsPositive(x[0])) return SplatOf(shape, 0);
  // -a < -b if b < a.
  const auto negates = [](const Term* t) { return IsOp(t, HloOpcode::kNegate); };
  const auto may_negate = [&](const Term* t) { return negates(t) || SplatBase(t) != nullptr; };
  if (GetFloatFormat(type).has_sign && (negates(x[0]) || negates(x[1])) && may_negate(x[0]) && may_negate(x[1])) {
    const auto negated = [&](const Term* t) { return Elementwise(HloOpcode::kNegate, type, {t}); };
    return Compare(shape, {negated(x[1]), negated(x[0])}, data);
  }
  // a < max(a, b) if a < b, and max(a, b) <= a if b <= a: a NaN in either makes all four false.
  for (size_t k : {0, 1}) {
    const HloOpcode outer = less == (k == 1) ? HloOpcode::kMaximum : HloOpcode::kMinimum;
    if (equal || !IsOp(x[k], outer) || x[k]->operands.size() != 2) continue;
    for (size_t of : {0, 1}) {
      if (x[k]->operands[of] != x[1 - k]) continue;
      const Term* other = x[k]->operands[1 - of];
      return k == 0 ? Compare(shape, {other, x[1]}, data) : Compare(shape, {x[0], other}, data);
    }
  }
  return nullptr;
}

const Term* Terms::Compare(const Shape& shape, Operands x, std::vector<int64_t> data) {
  using enum ComparisonDirection;
  const PrimitiveType type = x[0]->shape.element_type();
  const bool integers = IsInteger(type), pred = type == PrimitiveType::PRED;
  const bool ordered = integers || pred || static_cast<ComparisonType>(data[1]) == ComparisonType::kFloatTotalOrder;
  if (integers || pred || (IsFloat(type) && !ordered)) data[1] = static_cast<int64_t>(ComparisonType::kDefault);
  const auto with = [&](ComparisonDirection direction, const Term* a, const Term* b) {
    return Compare(shape, {a, b}, {static_cast<int64_t>(direction), data[1]});
  };
  switch (static_cast<ComparisonDirection>(data[0])) {
    case kNe: return Not(with(kEq, x[0], x[1]));
    case kGt: return with(kLt, x[1], x[0]);
    case kGe: return ordered ? Not(with(kLt, x[0], x[1])) : with(kLe, x[1], x[0]);
    case kLe:
      if (ordered) return Not(with(kLt, x[1], x[0]));
      break;
    default: break;
  }
  // A comparison of a constant with a converted predicate or a select of two constants.
  for (size_t k : {0, 1}) {
    const Term *choice = x[k], *number = x[1 - k], *outcomes[2] = {nullptr, nullptr};
    const bool is_select = IsOp(choice, HloOpcode::kSelect);
    if ((!is_select && ConditionOf(choice) == nullptr) || SplatBase(number) == nullptr || !IsReal(type)) continue;
    for (size_t of : {0, 1}) {
      const Term* value = is_select ? choice->operands[2 - of] : SplatOf(number->shape, static_cast<int64_t>(of));
      if (SplatBase(value) == nullptr) break;
      outcomes[of] =
          Folded(HloOpcode::kCompare, shape, k == 0 ? Operands{value, number} : Operands{number, value}, data);
    }
    if (outcomes[0] == nullptr || outcomes[1] == nullptr) continue;
    if (outcomes[0] == outcomes[1]) return outcomes[0];
    return SplatInteger(outcomes[1]) == 1 ? choice->operands[0] : Not(choice->operands[0]);
  }
  const bool equal = static_cast<ComparisonDirection>(data[0]) == kEq;
  if (x[0] == x[1] && ordered) return SplatOf(shape, equal ? 1 : 0);
  if (IsFloat(type) && !ordered) {
    if (const Term* known = CompareFloats(shape, x, data)) return known;
  }
  if (integers && type != PrimitiveType::U64) {
    const Term::Range a = x[0]->range, b = x[1]->range;
    if (a.high < b.low) return SplatOf(shape, equal ? 0 : 1);
    if (equal ? b.high < a.low : b.high <= a.low) return SplatOf(shape, 0);
  }
  if (pred) {
    if (equal) return Not(Elementwise(HloOpcode::kXor, type, x));
    return Elementwise(HloOpcode::kAnd, type, {Not(x[0]), x[1]});
  }
  if (integers && equal) {
    Polynomial p = RingOf(x[0]);
    for (const auto& [key, factor] : RingOf(x[1])) p[key] -= factor;
    if (p.size() <= kMostMonomials) {
      Polynomial q = p;
      for (auto& [key, factor] : q) factor = -factor;
      const Shape of = shape.WithElementType(type);
      const Term *a = FromPolynomial(p, of, false), *b = FromPolynomial(q, of, false);
      if (const std::optional<int64_t> value = SplatInteger(a)) return SplatOf(shape, *value == 0 ? 1 : 0);
      // Compares a number with a choice of two numbers.
      const uint64_t mask = MaskOf(type);
      std::erase_if(p, [&](const auto& entry) { return (entry.second & mask) == 0; });
      const uint64_t constant = p.contains({}) ? p[{}] : 0;
      p.erase(std::vector<int32_t>());
      if (p.size() == 1 && p.begin()->first.size() == 1) {
        const Term* atom = At(p.begin()->first[0]);
        const uint64_t factor = p.begin()->second;
        if (const Term* condition = ConditionOf(atom)) {
          const bool one = ((factor + constant) & mask) == 0, zero = (constant & mask) == 0;
          if (one == zero) return SplatOf(shape, one ? 1 : 0);
          return one ? condition : Not(condition);
        }
      }
      return Op(HloOpcode::kCompare, shape, {a->id < b->id ? a : b, SplatOf(of, 0)}, std::move(data));
    }
  }
  if (equal && x[0]->id > x[1]->id) std::swap(x[0], x[1]);
  if (integers && !equal) {
    const int64_t lowest = Literal::MinValue(type).GetAsInt64(0), highest = Literal::MaxValue(type).GetAsInt64(0);
    const std::optional<int64_t> c = SplatInteger(x[0]), d = SplatInteger(x[1]);
    if (c && d) {
      const bool less = IsSigned(type) ? *c < *d : static_cast<uint64_t>(*c) < static_cast<uint64_t>(*d);
      return SplatOf(shape, less ? 1 : 0);
    }
    if (d == lowest) return SplatOf(shape, 0);
    if (c) {
      if (*c == highest) return SplatOf(shape, 0);
      return Not(with(kLt, x[1], SplatOf(x[0]->shape, *c + 1)));
    }
  }
  return Op(HloOpcode::kCompare, shape, std::move(x), std::move(data));
}

const Term* Terms::Select(const Shape& shape, Operands x) {
  const Term *&p = x[0], *&a = x[1], *&b = x[2];
  const PrimitiveType type = shape.element_type();
  if (const std::optional<int64_t> known = SplatInteger(p)) return *known != 0 ? a : b;
  if (a == b) return a;
  if (IsNegated(p)) {
    p = Not(p);
    std::swap(a, b);
    return Select(shape, std::move(x));
  }
  if (type == PrimitiveType::PRED) {
    Polynomial of_p = BitsOf(p), difference = BitsOf(a), result = BitsOf(b);
    for (const auto& [key, mask] : result) difference[key] ^= mask;
    std::erase_if(difference, [](const auto& entry) { return entry.second == 0; });
    if (Times(of_p, difference, true)) {
      for (const auto& [key, mask] : of_p) result[key] ^= mask;
      if (result.size() <= kMostMonomials) return FromPolynomial(result, shape, true);
    }
  }
  if (IsOp(a, HloOpcode::kSelect) && a->operands[0] == p) return Select(shape, {p, a->operands[1], b});
  if (IsOp(b, HloOpcode::kSelect) && b->operands[0] == p) return Select(shape, {p, a, b->operands[2]});
  const Shape condition = p->shape;
  if (IsReal(type) && type != PrimitiveType::PRED) {
    // A choice between 0, 1 and converted conditions is a converted condition.
    const auto as_condition = [&](const Term* t) -> const Term* {
      if (const Term* converted = ConditionOf(t)) return converted;
      return IsSplat(t, 0) || IsSplat(t, 1) ? SplatOf(condition, IsSplat(t, 1) ? 1 : 0) : nullptr;
    };
    const Term *u = as_condition(a), *v = u == nullptr ? nullptr : as_condition(b);
    if (v != nullptr) return Convert(shape, Select(condition, {p, u, v}));
  }
  if (IsOp(a, HloOpcode::kSelect) && a->operands[2] == b) {
    return Select(shape, {Elementwise(HloOpcode::kAnd, PrimitiveType::PRED, {p, a->operands[0]}), a->operands[1], b});
  }
  if (IsOp(b, HloOpcode::kSelect) && b->operands[1] == a)
    return Select(shape, {Elementwise(HloOpcode::kOr, PrimitiveType::PRED, {p, b->operands[0]}), a, b->operands[2]});
  if (a->IsElementwise() && a->opcode == b->opcode && a->kind == b->kind && a->kind == Term::Kind::kOp &&
      a->operands.size() == 1 && b->IsElementwise() && a->data == b->data) {
    // The same function of two values is that of the one chosen.
    const Shape& inner = a->operands[0]->shape;
    if (inner.element_type() == b->operands[0]->shape.element_type())
      return Elementwise(a->opcode, type, {Select(inner, {p, a->operands[0], b->operands[0]})}, a->data);
  }
  if (IsInteger(type) && IsOp(p, HloOpcode::kCompare) && p->operands[0]->shape.element_type() == type) {
    const auto compare = [&](ComparisonDirection direction, const Term* u, const Term* v) {
      return Compare(condition, {u, v}, {static_cast<int64_t>(direction), 0});
    };
    if (compare(ComparisonDirection::kEq, a, b) == p) return b;
    if (compare(ComparisonDirection::kLt, a, b) == p || compare(ComparisonDirection::kLe, a, b) == p)
      return Extreme(HloOpcode::kMinimum, shape, {a, b});
    if (compare(ComparisonDirection::kGt, a, b) == p || compare(ComparisonDirection::kGe, a, b) == p)
      return Extreme(HloOpcode::kMaximum, shape, {a, b});
  }
  return Op(HloOpcode::kSelect, shape, std::move(x));
}

const Term* Terms::Convert(const Shape& shape, const Term* x) {
  const PrimitiveType to = shape.element_type(), from = x->shape.element_type();
  if (to == from) return x;
  if (const Term* folded = Folded(HloOpcode::kConvert, shape, {x}, {})) return folded;
  if (IsInteger(to) && IsInteger(from) && BitWidth(to) <= BitWidth(from) && x->kind == Term::Kind::kRing) {
    // Truncation commutes with sums and products.
    Polynomial sum;
    for (const auto& [key, factor] : RingOf(x)) {
      Polynomial product{{{}, factor}};
      for (int32_t atom : key) {
        if (!Times(product, RingOf(Convert(shape, At(atom))), false)) return Op(HloOpcode::kConvert, shape, {x});
      }
      for (const auto& [k, f] : product) sum[k] += f;
    }
    if (sum.size() <= kMostMonomials) return FromPolynomial(sum, shape, false);
  }
  if (x->kind == Term::Kind::kView && x->operands[0]->kind == Term::Kind::kIota && IsInteger(from)) {
    // All numbers fit if the extremes do.
    int64_t low = x->data[0], high = low;
    for (size_t k = 0; k < shape.dimensions().size(); ++k) {
      const int64_t reach = x->data[k + 1] * (shape.dimensions()[k] - 1);
      (reach > 0 ? high : low) += reach;
    }
    const auto largest = [](PrimitiveType type) {
      return IsInteger(type) && type != PrimitiveType::U64 ? RangeOfType(type).high : LargestOfAll(type);
    };
    if (low >= 0 && high <= largest(from) && high <= largest(to)) {
      Term iota = *x->operands[0];
      iota.shape = Shape::Scalar(to);
      return View({Make(std::move(iota)), x->data[0], {x->data.begin() + 1, x->data.end()}}, shape);
    }
  }
  if (IsOp(x, HloOpcode::kConvert)) {
    const Term* inner = x->operands[0];
    const PrimitiveType first = inner->shape.element_type();
    // Conversion from floats to integers saturates; conversion between integers truncates.
    const bool saturates = IsInteger(first) && IsFloat(from) && IsInteger(to) && !Holds(to, first);
    if (IsReal(to) && IsReal(first) && to != PrimitiveType::PRED && Holds(from, first) && !saturates)
      return Convert(shape, inner);
    if (IsInteger(first) && IsInteger(from) && IsInteger(to) && BitWidth(to) <= BitWidth(from))
      return Convert(shape, inner);
  }
  if (IsOp(x, HloOpcode::kSelect) && SplatBase(x->operands[1]) != nullptr && SplatBase(x->operands[2]) != nullptr)
    return Select(shape, {x->operands[0], Convert(shape, x->operands[1]), Convert(shape, x->operands[2])});
  return Op(HloOpcode::kConvert, shape, {x});
}

}  // namespace hloir::equivalence
