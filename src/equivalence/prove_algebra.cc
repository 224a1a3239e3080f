// Normal forms of elementwise operations on integers and floats, by exact laws alone. Polynomials are in
// prove_polynomials.cc, comparisons, selects and converts in prove_conditions.cc. See prove_terms.h.
#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "equivalence/prove_algebra.h"

namespace hloir::equivalence {
namespace {

constexpr int64_t kMaxReducedElements = 1 << 14;

}  // namespace

uint64_t MaskOf(PrimitiveType type) {
  const int width = WidthOfTerm(type);
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}
bool IsReal(PrimitiveType type) { return IsInteger(type) || IsFloat(type) || type == PrimitiveType::PRED; }

std::vector<const Term*> PartsOf(std::vector<const Term*> parts) {
  std::unordered_set<const Term*> seen(parts.begin(), parts.end());
  for (size_t at = 0; at < parts.size(); ++at) {
    for (const Term* operand : parts[at]->operands) {
      if (seen.insert(operand).second) parts.push_back(operand);
    }
  }
  std::sort(parts.begin(), parts.end(), [](const Term* a, const Term* b) { return a->id < b->id; });
  return parts;
}

const Term* SplatBase(const Term* t) {
  if (t->kind == Term::Kind::kView) t = t->operands[0];
  return t->kind == Term::Kind::kConstant && t->shape.IsScalar() ? t : nullptr;
}
std::optional<double> SplatNumber(const Term* t) {
  const Term* base = SplatBase(t);
  if (base == nullptr || !IsReal(t->shape.element_type())) return std::nullopt;
  return base->literal->GetAsDouble(0);
}
bool IsOp(const Term* t, HloOpcode opcode) { return t->kind == Term::Kind::kOp && t->opcode == opcode; }

const Term* ConditionOf(const Term* t) {
  const bool converts = IsOp(t, HloOpcode::kConvert) && t->operands[0]->shape.element_type() == PrimitiveType::PRED;
  return converts ? t->operands[0] : nullptr;
}

int WidthOfTerm(PrimitiveType type) { return type == PrimitiveType::PRED ? 1 : BitWidth(type); }

std::optional<int64_t> Terms::SplatInteger(const Term* t) {
  const Term* base = SplatBase(t);
  const PrimitiveType type = t->shape.element_type();
  if (base == nullptr || !(IsInteger(type) || type == PrimitiveType::PRED)) return std::nullopt;
  return base->literal->GetAsInt64(0);
}
bool Terms::IsSplat(const Term* t, double value) {
  const std::optional<double> number = SplatNumber(t);
  return number && *number == value && std::signbit(*number) == std::signbit(value);
}

// ---- Constants ----

std::optional<Literal> Terms::Evaluate(HloOpcode opcode, const Shape& shape, std::span<const Literal* const> operands,
                                       const std::vector<int64_t>& data, const HloInstruction* like) {
  HloModule module("constant");
  HloComputation* computation = module.AddComputation("constant");
  std::vector<HloInstruction*> parameters;
  for (const Literal* operand : operands) {
    parameters.push_back(computation->AddParameter(static_cast<int64_t>(parameters.size()), operand->shape(), "p"));
  }
  const Shape with_layout = shape.WithDefaultLayout();
  HloInstruction* made;
  if (opcode == HloOpcode::kCompare) {
    CompareAttributes attributes{static_cast<ComparisonDirection>(data[0]), static_cast<ComparisonType>(data[1])};
    made = computation->AddInstruction(opcode, with_layout, parameters, attributes);
  } else if (opcode == HloOpcode::kReducePrecision) {
    made = computation->AddInstruction(opcode, with_layout, parameters, ReducePrecisionAttributes{data[0], data[1]});
  } else if (like != nullptr) {
    made = computation->AddInstructionWithAttributes(opcode, with_layout, parameters, like->attributes());
  } else {
    made = computation->AddInstruction(opcode, with_layout, parameters);
  }
  StatusOr<Literal> value = evaluator_->EvaluateInstruction(*made, operands);
  if (!value.ok() || !value->shape().Compatible(shape)) return std::nullopt;
  return *std::move(value);
}

const Term* Terms::Folded(HloOpcode opcode, const Shape& shape, const Operands& x, const std::vector<int64_t>& data) {
  // Minima and maxima may have more operands than the instruction.
  if (opcode == HloOpcode::kStochasticConvert || GetOpcodeInfo(opcode).arity != static_cast<int>(x.size()))
    return nullptr;
  bool splats = true;
  for (const Term* t : x) {
    splats = splats && SplatBase(t) != nullptr;
    if (SplatBase(t) == nullptr && t->kind != Term::Kind::kConstant) return nullptr;
  }
  std::vector<Literal> values;
  for (const Term* t : x) {
    if (splats) {
      values.push_back(*SplatBase(t)->literal);
      continue;
    }
    if (shape.ElementCount() > kMaxReducedElements) return nullptr;
    std::optional<Literal> value = ConstantOf(t);
    if (!value) return nullptr;
    values.push_back(*std::move(value));
  }
  Spent(1 + (splats ? 0 : shape.ElementCount() / 16));
  std::vector<const Literal*> operands;
  for (const Literal& value : values) operands.push_back(&value);
  const Shape of = splats ? Shape::Scalar(shape.element_type()) : shape;
  std::optional<Literal> value = Evaluate(opcode, of, operands, data, nullptr);
  if (!value) return nullptr;
  return splats ? Splat(shape, *value) : Constant(*std::move(value));
}

// ---- Operations ----

// The maximum or minimum of integers as a flattened set of operands.
const Term* Terms::Extreme(HloOpcode opcode, const Shape& shape, const Operands& x) {
  const bool largest = opcode == HloOpcode::kMaximum;
  const HloOpcode other = largest ? HloOpcode::kMinimum : HloOpcode::kMaximum;
  const PrimitiveType type = shape.element_type();
  const auto less = [&](int64_t a, int64_t b) {
    return IsSigned(type) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  };
  const int64_t lowest = Literal::MinValue(type).GetAsInt64(0), highest = Literal::MaxValue(type).GetAsInt64(0);
  Operands parts;
  std::optional<int64_t> bound;
  const std::function<void(const Term*)> add = [&](const Term* t) {
    if (IsOp(t, opcode)) {
      for (const Term* operand : t->operands) add(operand);
    } else if (const std::optional<int64_t> value = SplatInteger(t)) {
      if (!bound || less(*bound, *value) == largest) bound = value;
    } else {
      parts.push_back(t);
    }
  };
  for (const Term* t : x) add(t);
  if (bound && type != PrimitiveType::U64) {
    const auto beyond = [&](const Term* t) { return largest ? t->range.low >= *bound : t->range.high <= *bound; };
    const auto within = [&](const Term* t) { return largest ? t->range.high <= *bound : t->range.low >= *bound; };
    if (std::any_of(parts.begin(), parts.end(), beyond)) bound.reset();
    else if (std::all_of(parts.begin(), parts.end(), within)) return SplatOf(shape, *bound);
  }
  if (bound && *bound == (largest ? highest : lowest)) return SplatOf(shape, *bound);
  if (bound && *bound == (largest ? lowest : highest)) bound.reset();
  std::sort(parts.begin(), parts.end(), [](const Term* a, const Term* b) { return a->id < b->id; });
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  // max(min(A, B), A) is A.
  std::erase_if(parts, [&](const Term* t) {
    return IsOp(t, other) && std::any_of(t->operands.begin(), t->operands.end(), [&](const Term* operand) {
             return std::find(parts.begin(), parts.end(), operand) != parts.end();
           });
  });
  if (bound && parts.size() == 1 && IsOp(parts[0], other)) {
    // A clamp has its upper bound outside.
    Operands rest;
    std::optional<int64_t> end;
    for (const Term* operand : parts[0]->operands) {
      if (const std::optional<int64_t> value = SplatInteger(operand)) end = value;
      else rest.push_back(operand);
    }
    if (end && (largest ? less(*end, *bound) : less(*bound, *end))) return SplatOf(shape, *bound);
    if (end && largest) {
      const Term* inner = rest.size() == 1 ? rest[0] : Op(other, shape, rest);
      return Extreme(other, shape, {Extreme(opcode, shape, {inner, SplatOf(shape, *bound)}), SplatOf(shape, *end)});
    }
  }
  if (bound) parts.push_back(SplatOf(shape, *bound));
  if (parts.size() == 1) return parts[0];
  return Op(opcode, shape, std::move(parts));
}

const Term* Terms::OnIntegers(HloOpcode opcode, const Shape& shape, Operands& x) {
  using enum HloOpcode;
  const PrimitiveType type = shape.element_type();
  const bool pred = type == PrimitiveType::PRED;
  const int width = WidthOfTerm(type);
  const std::optional<int64_t> c = x.size() > 1 ? SplatInteger(x[1]) : std::nullopt;
  const auto power_of_two = [&]() {
    const uint64_t value = c ? static_cast<uint64_t>(*c) & MaskOf(type) : 0;
    return value != 0 && (value & (value - 1)) == 0 ? std::countr_zero(value) : -1;
  };
  const Term::Range range = x[0]->range;
  const bool non_negative = !pred && type != PrimitiveType::U64 && range.low >= 0;
  // Divides a non-negative number by a power of two.
  // 2^k - 1 for negative numbers, else 0: added before a shift by k, it makes the quotient round towards 0.
  const auto bias = [&] {
    const Term* signs = Elementwise(kShiftRightArithmetic, type, {x[0], SplatOf(shape, width - 1)});
    return Elementwise(kShiftRightLogical, type, {signs, SplatOf(shape, width - power_of_two())});
  };
  const bool by_bits = (IsUnsigned(type) || non_negative) && (!c || *c > 0 || IsUnsigned(type)) && power_of_two() >= 0;
  switch (opcode) {
    case kAdd:
    case kSubtract:
    case kNegate: {
      if (pred) break;
      Polynomial sum = opcode == kNegate ? Polynomial() : RingOf(x[0]);
      for (const auto& [key, factor] : RingOf(x.back())) sum[key] += opcode == kAdd ? factor : -factor;
      if (sum.size() > kMostMonomials) break;
      return FromPolynomial(sum, shape, false);
    }
    case kMultiply: {
      if (pred) break;
      Polynomial product = RingOf(x[0]);
      if (!Times(product, RingOf(x[1]), false)) break;
      return FromPolynomial(product, shape, false);
    }
    case kNot: return Not(x[0]);
    case kAnd:
    case kOr:
    case kXor: {
      Polynomial a = BitsOf(x[0]), b = BitsOf(x[1]), both = a;
      for (size_t k : {0, 1}) {
        // A mask that covers the range of the other operand.
        const std::optional<int64_t> mask = SplatInteger(x[k]);
        const Term::Range other = x[1 - k]->range;
        const bool masks = !pred && mask && (*mask & (*mask + 1)) == 0 && other.low >= 0 && other.high <= *mask;
        if (opcode == kAnd && type != PrimitiveType::U64 && masks) return x[1 - k];
      }
      const bool fits = opcode == kXor || Times(both, b, true);
      if (!fits) break;
      if (opcode == kAnd) return FromPolynomial(both, shape, true);
      for (const auto& [key, mask] : b) a[key] ^= mask;
      if (opcode == kOr) {
        for (const auto& [key, mask] : both) a[key] ^= mask;
      }
      if (a.size() > kMostMonomials) break;
      return FromPolynomial(a, shape, true);
    }
    case kMaximum:
    case kMinimum:
      if (!pred) return Extreme(opcode, shape, x);
      return OnIntegers(opcode == kMaximum ? kOr : kAnd, shape, x);
    case kClamp: {
      if (pred) break;
      return Extreme(kMinimum, shape, {Extreme(kMaximum, shape, {x[1], x[0]}), x[2]});
    }
    case kAbs: {
      if (non_negative) return x[0];
      Polynomial p = RingOf(x[0]), q = p;
      for (auto& [key, factor] : q) factor = -factor;
      const Term *a = FromPolynomial(p, shape, false), *b = FromPolynomial(q, shape, false);
      x[0] = a->id < b->id ? a : b;
      if (IsOp(x[0], kAbs)) return x[0];
      break;
    }
    case kDivide:
      if (non_negative && c && *c > range.high) return SplatOf(shape, 0);
      if (c && *c == 1) return x[0];
      if (IsSigned(type) && c && *c == -1) return OnIntegers(kNegate, shape, x = {x[0]});
      if (by_bits) return Elementwise(kShiftRightLogical, type, {x[0], SplatOf(shape, power_of_two())});
      if (c && *c > 0 && power_of_two() > 0)
        return Elementwise(kShiftRightArithmetic, type,
                           {Elementwise(kAdd, type, {x[0], bias()}), SplatOf(shape, power_of_two())});
      break;
    case kRemainder:
      if (c && (*c == 1 || (IsSigned(type) && *c == -1))) return SplatOf(shape, 0);
      if (non_negative && c && *c > range.high) return x[0];
      if (by_bits) return OnIntegers(kAnd, shape, x = {x[0], SplatOf(shape, *c - 1)});
      if (c && *c > 0 && power_of_two() > 0) {
        const Term* sum = Elementwise(kAdd, type, {x[0], bias()});
        return Elementwise(kSubtract, type, {Elementwise(kAnd, type, {sum, SplatOf(shape, *c - 1)}), bias()});
      }
      break;
    case kPower:
      if (c && *c == 0) return SplatOf(shape, 1);
      if (c && *c >= 1 && *c <= 3) {
        const Term* result = x[0];
        for (int64_t k = 1; k < *c; ++k) result = Elementwise(kMultiply, type, {result, x[0]});
        return result;
      }
      break;
    case kShiftLeft:
    case kShiftRightLogical:
    case kShiftRightArithmetic: {
      if (c && *c == 0) return x[0];
      if (SplatInteger(x[0]) == 0) return x[0];
      if (opcode == kShiftRightArithmetic && IsSigned(type) && non_negative && c && *c > 0 && *c < width)
        return Elementwise(kShiftRightLogical, type, std::move(x));
      if (!c) break;
      const bool out = static_cast<uint64_t>(*c) >= static_cast<uint64_t>(width);
      if (out && opcode != kShiftRightArithmetic) return SplatOf(shape, 0);
      if (out) break;
      if (opcode == kShiftLeft)
        return Elementwise(kMultiply, type, {x[0], FromPolynomial({{{}, uint64_t{1} << *c}}, shape, false)});
      if (IsOp(x[0], opcode)) {
        const std::optional<int64_t> first = SplatInteger(x[0]->operands[1]);
        if (first && *first >= 0 && *first < width && *first + *c < width)
          return Elementwise(opcode, type, {x[0]->operands[0], SplatOf(shape, *first + *c)});
      }
      break;
    }
    default: break;
  }
  if (HasTrait(opcode, kCommutative) && x.size() == 2 && x[0]->id > x[1]->id) std::swap(x[0], x[1]);
  return nullptr;
}

const Term* Terms::OnFloats(HloOpcode opcode, const Shape& shape, Operands& x) {
  using enum HloOpcode;
  const PrimitiveType type = shape.element_type();
  const bool has_sign = GetFloatFormat(type).has_sign;  // without a sign, negation gives NaN
  const auto is_negated = [&](const Term* t) { return has_sign && IsOp(t, kNegate); };
  const auto negate = [&](const Term* t) { return Elementwise(kNegate, type, {t}); };
  const bool wide = type == PrimitiveType::F32 || type == PrimitiveType::F64 || type == PrimitiveType::BF16 ||
                    type == PrimitiveType::F16;
  switch (opcode) {
    case kNegate:
      if (is_negated(x[0])) return x[0]->operands[0];
      break;
    case kAbs:
      if (is_negated(x[0])) return Elementwise(kAbs, type, {x[0]->operands[0]});
      if (IsOp(x[0], kAbs) || (wide && IsPositive(x[0]))) return x[0];
      break;
    case kSubtract:
      if (!wide) break;
      return Elementwise(kAdd, type, {x[0], negate(x[1])});
    case kAdd:
      // -0 is the identity of addition.
      for (size_t k : {0, 1}) {
        if (wide && IsSplat(x[k], -0.0)) return x[1 - k];
      }
      break;
    case kMultiply:
    case kDivide: {
      if (!wide) break;
      // Negation moves outward.
      bool negative = false;
      for (const Term*& t : x) {
        const std::optional<double> number = SplatNumber(t);
        if (is_negated(t)) t = t->operands[0], negative = !negative;
        else if (number && std::signbit(*number) && !std::isnan(*number)) t = negate(t), negative = !negative;
      }
      if (negative) return negate(Elementwise(opcode, type, x));
      if (opcode == kMultiply && IsOp(x[0], kAbs) && IsOp(x[1], kAbs) &&
          x[0]->operands[0]->shape.element_type() == type && x[1]->operands[0]->shape.element_type() == type)
        return Elementwise(kAbs, type, {Elementwise(kMultiply, type, {x[0]->operands[0], x[1]->operands[0]})});
      if (opcode == kMultiply && IsSplat(x[0], 1)) return x[1];
      if (IsSplat(x[1], 1)) return x[0];
      if (opcode == kDivide) {
        // Division by a power of two is multiplication by its reciprocal, which is exact.
        const std::optional<double> number = SplatNumber(x[1]);
        int exponent = 0;
        const int most = GetFloatFormat(type).bias - 1;  // the reciprocal is a normal number, too
        if (number && std::isfinite(*number) && std::frexp(*number, &exponent) == 0.5 &&
            std::abs(exponent - 1) <= most) {
          Literal inverse(Shape::Scalar(type));
          inverse.SetFromDouble(0, 1 / *number);
          return Elementwise(kMultiply, type, {x[0], Splat(shape, inverse)});
        }
      }
      break;
    }
    case kPower:
      if (IsSplat(x[1], 1)) return x[0];
      break;
    case kMaximum:
    case kMinimum:
      if (x[0] == x[1]) return x[0];
      // The result is one of the operands. Which of -0 and +0 it is may depend on their order.
      for (size_t k : {0, 1})
        if (IsOp(x[k], opcode) && x[k]->operands[1 - k] == x[1 - k]) return x[k];
      for (size_t k : {0, 1}) {
        const double neutral = opcode == kMaximum ? -INFINITY : INFINITY;
        if (wide && IsSplat(x[k], neutral)) return x[1 - k];
      }
      break;
    default: break;
  }
  if ((opcode == kAdd || opcode == kMultiply) && x[0]->id > x[1]->id) std::swap(x[0], x[1]);
  return nullptr;
}

const Term* Terms::Elementwise(HloOpcode opcode, PrimitiveType type, Operands x, std::vector<int64_t> data) {
  const Term* t = Normalized(opcode, type, std::move(x), std::move(data));
  const bool is_number = t->shape.element_type() == type && IsInteger(type) && t->range.low == t->range.high;
  return is_number && SplatBase(t) == nullptr ? SplatOf(t->shape, t->range.low) : t;
}

const Term* Terms::Normalized(HloOpcode opcode, PrimitiveType type, Operands x, std::vector<int64_t> data) {
  using enum HloOpcode;
  const Shape shape = Shape::Array(type, x[0]->shape.dimensions());
  if (Spent()) return x[0];
  if (opcode == kCopy) return x[0];
  if (const Term* folded = Folded(opcode, shape, x, data)) return folded;
  switch (opcode) {
    case kCompare: return Compare(shape, std::move(x), std::move(data));
    case kSelect: return Select(shape, std::move(x));
    case kConvert: return Convert(shape, x[0]);
    case kIsFinite:
      while (IsOp(x[0], kNegate) || (IsOp(x[0], kAbs) && !IsComplex(x[0]->operands[0]->shape.element_type())))
        x[0] = x[0]->operands[0];
      break;
    case kBitcastConvert:
      if (IsOp(x[0], kBitcastConvert)) x[0] = x[0]->operands[0];
      if (x[0]->shape.element_type() == type) return x[0];
      break;
    case kReal:
      if (IsOp(x[0], kComplex)) return x[0]->operands[0];
      if (!IsComplex(x[0]->shape.element_type())) return x[0];
      break;
    case kImag:
      if (IsOp(x[0], kComplex)) return x[0]->operands[1];
      break;
    case kComplex:
      if (IsOp(x[0], kReal) && IsOp(x[1], kImag) && x[0]->operands[0] == x[1]->operands[0] &&
          IsComplex(x[0]->operands[0]->shape.element_type()))
        return x[0]->operands[0];
      break;
    default: {
      const Term* found = nullptr;
      if (IsInteger(type) || type == PrimitiveType::PRED) found = OnIntegers(opcode, shape, x);
      else if (IsFloat(type)) found = OnFloats(opcode, shape, x);
      if (found != nullptr) return found;
      break;
    }
  }
  return Op(opcode, shape, std::move(x), std::move(data));
}

}  // namespace hloir::equivalence
