// Normal forms of elementwise operations, by exact laws alone. See prove_terms.h.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "equivalence/prove_terms.h"

namespace hloir::equivalence {
namespace {

constexpr size_t kMostMonomials = 64, kMostFactors = 8;
constexpr int64_t kMaxReducedElements = 1 << 14;

uint64_t MaskOf(PrimitiveType type) {
  const int width = WidthOfTerm(type);
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}
bool IsReal(PrimitiveType type) { return IsInteger(type) || IsFloat(type) || type == PrimitiveType::PRED; }

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

// The scalar constant of which `t` is a splat, or null.
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

// The condition that `t` converts to a number, or null.
const Term* ConditionOf(const Term* t) {
  const bool converts = IsOp(t, HloOpcode::kConvert) && t->operands[0]->shape.element_type() == PrimitiveType::PRED;
  return converts ? t->operands[0] : nullptr;
}

// Returns whether every element of a float term is +0, positive or NaN.
bool IsPositive(const Term* t, int depth = 0) {
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

}  // namespace

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

// ---- Polynomials ----

bool Terms::Times(Polynomial& a, const Polynomial& b, bool bits) const {
  Polynomial product;
  if (a.size() * b.size() > kMostMonomials * kMostMonomials) return false;
  for (const auto& [x, m] : a) {
    for (const auto& [y, n] : b) {
      std::vector<int32_t> key;
      if (bits) std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(key));
      else std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(key));
      if (key.size() > kMostFactors) return false;
      if (bits) product[std::move(key)] ^= m & n;
      else product[std::move(key)] += m * n;
    }
  }
  std::erase_if(product, [](const auto& entry) { return entry.second == 0; });
  a = std::move(product);
  return a.size() <= kMostMonomials;
}

namespace {

std::map<std::vector<int32_t>, uint64_t> Decoded(const Term* t) {
  std::map<std::vector<int32_t>, uint64_t> p;
  for (size_t at = 0; at < t->data.size();) {
    std::vector<int32_t> key;
    const uint64_t factor = static_cast<uint64_t>(t->data[at]);
    const size_t count = static_cast<size_t>(t->data[at + 1]);
    at += 2;
    for (size_t k = 0; k < count; ++k, ++at) key.push_back(t->operands[static_cast<size_t>(t->data[at])]->id);
    p[key] = factor;
  }
  return p;
}

// Returns whether a condition is the xor of true and of other terms.
bool IsNegated(const Term* condition) {
  return condition->kind == Term::Kind::kBits && Decoded(condition).contains({});
}

}  // namespace

Terms::Polynomial Terms::RingOf(const Term* t) {
  if (t->kind == Term::Kind::kRing) return Decoded(t);
  if (const std::optional<int64_t> value = SplatInteger(t)) return {{{}, static_cast<uint64_t>(*value)}};
  if (IsOp(t, HloOpcode::kSelect)) {
    // One of two numbers is the second plus their difference times the condition.
    const std::optional<int64_t> if_true = SplatInteger(t->operands[1]), if_false = SplatInteger(t->operands[2]);
    if (if_true && if_false) {
      const uint64_t least = static_cast<uint64_t>(*if_false);
      return {{{}, least}, {{Convert(t->shape, t->operands[0])->id}, static_cast<uint64_t>(*if_true) - least}};
    }
  }
  if (const Term* condition = ConditionOf(t); condition != nullptr && IsNegated(condition)) {
    // The conversion of a negated condition is 1 minus that of the condition.
    return {{{}, 1}, {{Convert(t->shape, Not(condition))->id}, ~uint64_t{0}}};
  }
  if (t->kind == Term::Kind::kBits) {
    // not A is -1 - A.
    Polynomial p = Decoded(t);
    if (const auto constant = p.find({}); constant != p.end() && constant->second == MaskOf(t->shape.element_type())) {
      p.erase(constant);
      Polynomial rest = RingOf(FromPolynomial(p, t->shape, true));
      for (auto& [key, factor] : rest) factor = -factor;
      rest[{}] -= 1;
      return rest;
    }
  }
  return {{{t->id}, 1}};
}

Terms::Polynomial Terms::BitsOf(const Term* t) {
  if (t->kind == Term::Kind::kBits) return Decoded(t);
  const uint64_t ones = MaskOf(t->shape.element_type());
  if (const std::optional<int64_t> value = SplatInteger(t)) {
    if ((static_cast<uint64_t>(*value) & ones) == 0) return {};
    return {{{}, static_cast<uint64_t>(*value) & ones}};
  }
  return {{{t->id}, ones}};
}

const Term* Terms::FromPolynomial(const Polynomial& given, const Shape& shape, bool bits) {
  const PrimitiveType type = shape.element_type();
  const uint64_t ones = MaskOf(type);
  Polynomial p;
  for (const auto& [key, factor] : given) {
    if ((factor & ones) != 0) p[key] = factor & ones;
  }
  if (p.empty()) return SplatOf(shape, 0);
  const auto constant = p.find({});
  if (p.size() == 1) {
    const auto& [key, factor] = *p.begin();
    if (key.empty()) {
      // The factor as a number of the type: sign-extended if the type is signed.
      int64_t value = static_cast<int64_t>(factor);
      if (IsSigned(type) && WidthOfTerm(type) < 64 && (factor >> (WidthOfTerm(type) - 1) & 1) != 0)
        value = static_cast<int64_t>(factor | ~ones);
      return SplatOf(shape, value);
    }
    if (key.size() == 1 && factor == (bits ? ones : 1)) return At(key[0]);
  }
  const bool is_not = p.size() == 2 && constant != p.end() && constant->second == ones && p.rbegin()->second == ones;
  if ((!bits || is_not) && p.size() == (constant != p.end() ? 2 : 1) && p.rbegin()->first.size() == 1) {
    // A multiple of a converted condition, plus a number, is one of two numbers.
    if (const Term* condition = ConditionOf(At(p.rbegin()->first[0]))) {
      const uint64_t least = constant != p.end() ? constant->second : 0;
      const Term* if_true = FromPolynomial({{{}, least + p.rbegin()->second}}, shape, false);
      return Select(shape, {condition, if_true, FromPolynomial({{{}, least}}, shape, false)});
    }
  }
  // -1 - A is not A; if A is a sum, not A is a sum.
  if (is_not) {
    const std::vector<int32_t>& key = p.rbegin()->first;
    if (key.size() == 1) {
      const Term* atom = At(key[0]);
      const bool is_sum = atom->kind == Term::Kind::kRing;
      if (bits && is_sum) {
        Polynomial sum = RingOf(atom);
        for (auto& [unused, f] : sum) f = -f;
        sum[{}] -= 1;
        return FromPolynomial(sum, shape, false);
      }
      bits = true;  // both have the same normal form
    }
  }
  Term t;
  t.kind = bits ? Term::Kind::kBits : Term::Kind::kRing;
  t.shape = shape.WithoutLayout();
  std::vector<int32_t> atoms;
  for (const auto& [key, factor] : p) atoms.insert(atoms.end(), key.begin(), key.end());
  std::sort(atoms.begin(), atoms.end());
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  for (int32_t atom : atoms) t.operands.push_back(At(atom));
  for (const auto& [key, factor] : p) {
    t.data.push_back(static_cast<int64_t>(factor));
    t.data.push_back(static_cast<int64_t>(key.size()));
    for (int32_t atom : key) t.data.push_back(std::lower_bound(atoms.begin(), atoms.end(), atom) - atoms.begin());
  }
  return Make(std::move(t));
}

const Term* Terms::Not(const Term* x) {
  Polynomial p = BitsOf(x);
  p[{}] ^= MaskOf(x->shape.element_type());
  return FromPolynomial(p, x->shape, true);
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
  if (x[0] == x[1] && IsFloat(type) && static_cast<ComparisonDirection>(data[0]) == kLt) return SplatOf(shape, 0);
  if (IsFloat(type) && !ordered) {
    // No such number is less than 0 or a negative one.
    const std::optional<double> limit = SplatNumber(x[1]);
    const bool is_less = static_cast<ComparisonDirection>(data[0]) == kLt;
    if (is_less && limit && *limit <= 0 && IsPositive(x[0])) return SplatOf(shape, 0);
    // -a < -b if b < a.
    const auto negates = [](const Term* t) { return IsOp(t, HloOpcode::kNegate); };
    const auto may_negate = [&](const Term* t) { return negates(t) || SplatBase(t) != nullptr; };
    if (GetFloatFormat(type).has_sign && (negates(x[0]) || negates(x[1])) && may_negate(x[0]) && may_negate(x[1])) {
      const auto negated = [&](const Term* t) { return Elementwise(HloOpcode::kNegate, type, {t}); };
      return Compare(shape, {negated(x[1]), negated(x[0])}, std::move(data));
    }
    // a < max(a, b) if a < b, and max(a, b) <= a if b <= a: a NaN in either makes all four false.
    const bool less = static_cast<ComparisonDirection>(data[0]) == kLt;
    for (size_t k : {0, 1}) {
      const HloOpcode outer = less == (k == 1) ? HloOpcode::kMaximum : HloOpcode::kMinimum;
      if (equal || !IsOp(x[k], outer) || x[k]->operands.size() != 2) continue;
      for (size_t of : {0, 1}) {
        if (x[k]->operands[of] != x[1 - k]) continue;
        const Term* other = x[k]->operands[1 - of];
        return k == 0 ? Compare(shape, {other, x[1]}, std::move(data)) : Compare(shape, {x[0], other}, std::move(data));
      }
    }
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
    for (const auto& [key, factor] : Decoded(x)) {
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
