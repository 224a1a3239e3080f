// The functions of rules.h: requests, builders, and predicates that several families use.
#include "hloir/rules.h"

#include <cmath>

#include "hloir/rewrite_util.h"

namespace hloir::rules {

bool RuleContext::Allow(std::string reason) {
  const bool yes = gate_.Allow(rule_->info(), math_, *instruction_, std::move(reason));
  allowed_ |= yes;
  return yes;
}

HloInstruction* RuleContext::ReplaceWith(HloInstruction* existing) {
  if (existing == instruction_ || !MayTakePlaceOf(*existing, *instruction_) || !Allow()) return nullptr;
  return existing;
}

HloInstruction* RuleContext::Unary(HloOpcode opcode, HloInstruction* a) {
  return computation()->AddInstruction(opcode, a->shape(), {a});
}
HloInstruction* RuleContext::Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b) {
  return computation()->AddInstruction(opcode, a->shape(), {a, b});
}
HloInstruction* RuleContext::Select(HloInstruction* p, HloInstruction* a, HloInstruction* b) {
  return computation()->AddInstruction(HloOpcode::kSelect, a->shape(), {p, a, b});
}
HloInstruction* RuleContext::Compare(ComparisonDirection direction, HloInstruction* a, HloInstruction* b,
                                     ComparisonType type) {
  return Add(HloOpcode::kCompare, a->shape().WithElementType(PrimitiveType::PRED), {a, b},
             CompareAttributes{direction, type});
}
HloInstruction* RuleContext::Convert(HloInstruction* a, PrimitiveType type) {
  return computation()->AddInstruction(HloOpcode::kConvert, a->shape().WithElementType(type), {a});
}
HloInstruction* RuleContext::Broadcast(HloInstruction* a, const Shape& shape, DimVector dimensions) {
  return Add(HloOpcode::kBroadcast, Shape::Array(a->shape().element_type(), shape.dimensions()), {a},
             DimensionsAttributes{std::move(dimensions)});
}
HloInstruction* RuleContext::BroadcastScalar(HloInstruction* scalar, const Shape& shape) {
  return shape.rank() == 0 ? scalar : Broadcast(scalar, shape, {});
}
HloInstruction* RuleContext::Reshape(HloInstruction* a, const Shape& shape) {
  return Add(HloOpcode::kReshape, Shape::Array(a->shape().element_type(), shape.dimensions()), {a},
             ReshapeAttributes{});
}
HloInstruction* RuleContext::Transpose(HloInstruction* a, const DimVector& permutation) {
  DimVector sizes;
  for (int64_t d : permutation) sizes.push_back(a->shape().dimensions(d));
  return Add(HloOpcode::kTranspose, Shape::Array(a->shape().element_type(), sizes), {a},
             DimensionsAttributes{permutation});
}
HloInstruction* RuleContext::Slice(HloInstruction* a, const SliceRanges& ranges) {
  DimVector sizes;
  for (const SliceRange& r : ranges) sizes.push_back((r.limit - r.start + r.stride - 1) / r.stride);
  return Add(HloOpcode::kSlice, Shape::Array(a->shape().element_type(), sizes), {a}, SliceAttributes{ranges});
}
HloInstruction* RuleContext::Splat(const Shape& shape, double value) {
  Literal scalar(Shape::Scalar(shape.element_type()));
  scalar.SetFromDouble(0, value);
  return SplatOf(shape, std::move(scalar));
}
HloInstruction* RuleContext::SplatOf(const Shape& shape, Literal scalar) {
  return BroadcastScalar(Constant(std::move(scalar)), shape);
}
HloInstruction* RuleContext::CloneOver(const HloInstruction* original, std::span<HloInstruction* const> operands,
                                       const Shape& dimensions) {
  Shape shape = Shape::Array(original->shape().element_type(), dimensions.dimensions());
  HloInstruction* clone = computation()->AddClone(*original, operands, &shape);
  // Annotations of the value, not of the operation: the result of the rewrite inherits them.
  if (clone->has_extras()) {
    clone->set_sharding(std::nullopt);
    clone->set_frontend_attributes({});
    clone->set_original_value(std::nullopt);
  }
  return clone;
}

HloInstruction* RuleContext::Expand(Expansion build) {
  HloModule& module = *instruction_->module();
  const int64_t computations_before = module.computation_count();
  HloInstruction* result = Built(build);
  if (result != nullptr) return result;
  // Removes computations created for a rewrite that is not made.
  while (module.computation_count() > computations_before) module.RemoveComputation(module.computations().back());
  return nullptr;
}

HloInstruction* RuleContext::Built(Expansion build) {
  HloModule& module = *instruction_->module();
  HloBuilder builder(module, "expansion");
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* operand : instruction_->operands()) {
    parameters.push_back(builder.Parameter(static_cast<int64_t>(parameters.size()), operand->shape()));
  }
  HloInstruction* root = build(builder, *instruction_, parameters);
  if (root == nullptr || !builder.status().ok()) return nullptr;
  StatusOr<HloComputation*> body = builder.Build(root);
  if (!body.ok()) return nullptr;
  HloInstruction* result = nullptr;
  if ((*body)->root()->shape().Compatible(instruction_->shape()) && Allow()) {
    // Appends to the computation; the driver expects new instructions there.
    HloInstruction* place = computation()->AddTuple({});
    result = InlineBefore(place, **body, instruction_->operands());
    computation()->RemoveInstruction(place);
  }
  module.RemoveComputation(*body);
  return result;
}

PrimitiveType ComputedType(const HloInstruction& i) {
  const HloInstruction* typed = i.opcode() == HloOpcode::kCompare ? i.operand(0) : &i;
  const Shape* shape = &typed->shape();
  while (shape->IsTuple() && shape->tuple_size() > 0) shape = &shape->tuple_shapes(0);
  return shape->element_type();
}

bool IsAllOnes(const HloInstruction* i) {
  const HloInstruction* constant = SplatConstant(i);
  if (constant == nullptr) return false;
  PrimitiveType type = constant->shape().element_type();
  if (type == PrimitiveType::PRED) return constant->literal().GetAsInt64(0) != 0;
  if (!IsInteger(type)) return false;
  int64_t value = constant->literal().GetAsInt64(0);
  return IsSigned(type) || BitWidth(type) == 64 ? value == -1 : value == (int64_t{1} << BitWidth(type)) - 1;
}

int PowerOfTwoExponent(const HloInstruction* i) {
  const HloInstruction* constant = SplatConstant(i);
  if (constant == nullptr || !IsInteger(constant->shape().element_type())) return -1;
  uint64_t value = static_cast<uint64_t>(constant->literal().GetAsInt64(0));
  if (IsSigned(constant->shape().element_type()) && static_cast<int64_t>(value) < 0) return -1;
  return value != 0 && (value & (value - 1)) == 0 ? __builtin_ctzll(value) : -1;
}

namespace {
// 0: no zero; else the sign.
int SignOfZero(const HloInstruction* i) {
  const HloInstruction* constant = SplatConstant(i);
  if (constant == nullptr || !IsFloat(constant->shape().element_type())) return 0;
  double value = constant->literal().GetAsDouble(0);
  return value != 0 || std::isnan(value) ? 0 : std::signbit(value) ? -1 : 1;
}
}  // namespace
bool IsNegativeZero(const HloInstruction* i) { return SignOfZero(i) < 0; }
bool IsPositiveZero(const HloInstruction* i) { return SignOfZero(i) > 0; }

// Formats without infinity use its exponent for numbers.
namespace {
int LargestExponent(const FloatFormat& f) { return (1 << f.exponent_bits) - (f.has_infinity ? 2 : 1) - f.bias; }
}  // namespace

bool HoldsAllOf(PrimitiveType to, PrimitiveType from) {
  if (to == from) return true;
  if (from == PrimitiveType::PRED) return IsInteger(to) ? BitWidth(to) > 1 : IsFloat(to) && GetFloatFormat(to).has_zero;
  if (to == PrimitiveType::PRED || IsComplex(from) != IsComplex(to)) return false;
  if (IsComplex(from)) return to == PrimitiveType::C128;
  if (IsInteger(from)) {
    const bool sign = IsSigned(from);
    if (IsInteger(to))
      return sign == IsSigned(to) ? BitWidth(to) >= BitWidth(from) : !sign && BitWidth(to) > BitWidth(from);
    // A float with enough mantissa bits and exponents.
    FloatFormat f = GetFloatFormat(to);
    const int digits = BitWidth(from) - sign;
    return f.has_sign && f.has_zero && digits <= f.mantissa_bits + 1 && digits < f.bias;
  }
  if (!IsFloat(from) || !IsFloat(to)) return false;
  FloatFormat a = GetFloatFormat(from), b = GetFloatFormat(to);
  // The smallest subnormal and the largest number both must fit.
  return b.mantissa_bits >= a.mantissa_bits && b.bias + b.mantissa_bits >= a.bias + a.mantissa_bits &&
         LargestExponent(b) >= LargestExponent(a) && (!a.has_sign || b.has_sign) &&
         (!a.has_infinity || b.has_infinity) && (!a.has_nan || b.has_nan) &&
         (!a.has_negative_zero || b.has_negative_zero) && b.has_zero && b.has_infinity;
}

bool IsStaticArray(const HloInstruction* i) { return i->shape().IsArray() && i->shape().IsStatic(); }

DimVector WhereDimensionsWent(const Shape& from, const Shape& to) {
  DimVector where;
  int64_t k = 0;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (from.dimensions(d) == 1) {
      where.push_back(-1);
      continue;
    }
    while (to.dimensions(k) == 1) ++k;
    where.push_back(k++);
  }
  return where;
}

bool IsIdentity(const DimVector& dimensions) {
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

bool EqualIgnoringOnes(const Shape& a, const Shape& b) {
  size_t i = 0, k = 0;
  const DimVector &x = a.dimensions(), &y = b.dimensions();
  while (true) {
    while (i < x.size() && x[i] == 1) ++i;
    while (k < y.size() && y[k] == 1) ++k;
    if (i == x.size() || k == y.size()) return i == x.size() && k == y.size();
    if (x[i++] != y[k++]) return false;
  }
}

bool IsIdentityElement(HloOpcode opcode, const HloInstruction* value) {
  const HloInstruction* constant = SplatConstant(value);
  if (constant == nullptr) return false;
  const Literal& literal = constant->literal();
  PrimitiveType type = literal.shape().element_type();
  switch (opcode) {
    case HloOpcode::kAdd: return IsFloat(type) ? IsNegativeZero(constant) : IsInteger(type) && literal.IsAll(0);
    // (a+bi)(1+0i) = (a - b*0) + (a*0 + b)i makes NaN of infinities.
    case HloOpcode::kMultiply: return !IsComplex(type) && literal.IsAll(1);
    case HloOpcode::kMaximum: return !IsComplex(type) && literal.BitwiseEqual(Literal::MinValue(type));
    case HloOpcode::kMinimum: return !IsComplex(type) && literal.BitwiseEqual(Literal::MaxValue(type));
    case HloOpcode::kAnd: return IsAllOnes(constant);
    case HloOpcode::kOr:
    case HloOpcode::kXor: return literal.IsAll(0);
    default: return false;  // no identity is known
  }
}

std::optional<int64_t> SplatInteger(const HloInstruction* i) {
  const HloInstruction* constant = SplatConstant(i);
  if (constant == nullptr || !IsIntegral(constant)) return std::nullopt;
  const int64_t value = constant->literal().GetAsInt64(0);
  if (constant->shape().element_type() == PrimitiveType::U64 && value < 0) return std::nullopt;
  return value;
}

bool IsSplatZero(const HloInstruction* i) {
  const HloInstruction* constant = SplatConstant(i);
  return constant != nullptr && constant->literal().IsAll(0);
}

HloInstruction* ConstantRight(HloInstruction* i, RuleContext& c) {
  if (!IsConstantLike(i->operand(0)) || IsConstantLike(i->operand(1)) || !c.Allow()) return nullptr;
  return c.Binary(i->opcode(), i->operand(1), i->operand(0));
}

HloInstruction* MergeConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *inner = i->operand(0), *c2 = i->operand(1);
  if (inner->opcode() != i->opcode() || SplatConstant(c2) == nullptr || SplatConstant(inner->operand(1)) == nullptr ||
      IsConstantLike(inner->operand(0)) || !c.Allow()) {
    return nullptr;
  }
  // One scalar operation, for constant folding.
  HloInstruction* x = SplatConstant(inner->operand(1));
  HloInstruction* y = SplatConstant(c2);
  return c.Binary(i->opcode(), inner->operand(0), c.BroadcastScalar(c.Binary(i->opcode(), x, y), i->shape()));
}

std::optional<HloOpcode> BinaryReducer(const HloComputation* computation) {
  const HloInstruction* root = computation->root();
  if (computation->parameter_count() != 2 || root->operand_count() != 2 || !root->Is(kElementwise)) return std::nullopt;
  const HloInstruction *a = root->operand(0), *b = root->operand(1);
  if (!a->IsParameter() || !b->IsParameter() || a == b) return std::nullopt;
  if (a->parameter_number() != 0 && !root->Is(kCommutative)) return std::nullopt;
  // One type throughout, so that the result can be an operand again.
  if (!(a->shape() == root->shape()) || !(b->shape() == root->shape())) return std::nullopt;
  return root->opcode();
}

}  // namespace hloir::rules
