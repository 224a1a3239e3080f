// PerturbModule(), FlushSigns(), FlushFactors() and MoveRoundings(): variants of a module that round differently.
// Covered by tests/unit/check_test.cc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <unordered_set>
#include <vector>

#include "check/compare.h"
#include "check/rounding.h"
#include "check/module_under_test.h"
#include "support/hash.h"

namespace hloir::check {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 22;  // of one result; larger results are not perturbed

// The relative size of a perturbation. `pairs`: c128 stores double-double.
struct Move {
  double size;
  bool pairs;
};

// Factors for a result: 1 plus or minus a random part of `size`, never 1. Large results repeat one pattern along the
// leading dimensions.
HloInstruction* AddFactors(HloComputation* computation, const Shape& shape, uint64_t pattern, const Move& move) {
  constexpr int64_t kMaxFactors = 4096;
  int64_t count = 1, first = shape.rank();
  while (first > 0 && count * shape.dimensions(first - 1) <= kMaxFactors) count *= shape.dimensions(--first);
  DimVector tail, places;
  for (int64_t d = first; d < shape.rank(); ++d) tail.push_back(shape.dimensions(d)), places.push_back(d);
  Literal factors(Shape::Array(shape.element_type(), tail));
  for (int64_t i = 0; i < factors.element_count(); ++i) {
    uint64_t bits = (static_cast<uint64_t>(i) + 1) * kGoldenRatio + pattern * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EB;  // not Scramble: docs/power.md's figures come from these bits
    const double part = 0.25 + 0.75 * static_cast<double>(bits >> 11 & 0xFFFFFFFF) * 0x1p-32;
    const double by = ((bits >> 63) != 0 ? part : -part) * move.size;
    if (move.pairs) factors.data<std::complex<double>>()[static_cast<size_t>(i)] = {1, by};
    else factors.SetFromDouble(i, 1 + by);
  }
  HloInstruction* constant = computation->AddConstant(std::move(factors));
  if (first == 0) return constant;
  DimensionsAttributes dimensions;
  dimensions.dimensions = places;
  return computation->AddInstruction(HloOpcode::kBroadcast, Shape::Array(shape.element_type(), shape.dimensions()),
                                     {constant}, dimensions);
}

HloInstruction* AddMoved(HloInstruction* i, uint64_t pattern, const Move& move) {
  HloComputation* computation = i->parent();
  return computation->AddInstruction(HloOpcode::kMultiply, i->shape(),
                                     {i, AddFactors(computation, i->shape(), pattern, move)});
}

bool IsNormalizing(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kBatchNormTraining || i.opcode() == HloOpcode::kBatchNormInference ||
         i.opcode() == HloOpcode::kBatchNormGrad;
}

// The operand whose elements `i` sums or averages, or that it uses in a rounded step of its own; -1 if none.
int64_t Summed(const HloInstruction& i) {
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kBatchNormTraining, HloOpcode::kBatchNormInference, HloOpcode::kBatchNormGrad,
              HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kReduce, HloOpcode::kReduceWindow,
              HloOpcode::kAllReduce, HloOpcode::kReduceScatter, HloOpcode::kFft, HloOpcode::kCholesky,
              HloOpcode::kTriangularSolve))
    return 0;
  if (opcode == HloOpcode::kSelectAndScatter) return 1;
  if (opcode == HloOpcode::kPower && IsComplex(i.shape().element_type())) return 1;  // exp(y log x) rounds y log x
  if (opcode == HloOpcode::kScatter) return 2;
  return -1;
}

bool IsWide(const Shape& shape) {
  return shape.IsArray() && shape.IsStatic() && shape.ElementCount() > 0 &&
         (shape.element_type() == PrimitiveType::F64 || shape.element_type() == PrimitiveType::C128);
}

// Clones `i` with perturbed summands. `move_operand` returns the perturbed operand, or null. For a batch norm with a
// tuple result, the elements of the tuple are perturbed.
template <class F>
HloInstruction* WithMovedTerms(HloInstruction* i, F move_operand) {
  const bool is_part = i->opcode() == HloOpcode::kGetTupleElement && IsNormalizing(*i->operand(0));
  HloInstruction* op = is_part ? i->operand(0) : i;
  const int64_t summed = Summed(*op);
  HloInstruction* moved = summed >= 0 && summed < op->operand_count() ? move_operand(op->operand(summed)) : nullptr;
  if (moved == nullptr) return i;
  std::vector<HloInstruction*> operands(op->operands().begin(), op->operands().end());
  operands[static_cast<size_t>(summed)] = moved;
  HloInstruction* clone = i->parent()->AddClone(*op, operands);
  return is_part ? i->parent()->AddGetTupleElement(clone, i->tuple_index()) : clone;
}

HloInstruction* AddIsEqual(HloInstruction* a, HloInstruction* b) {
  return a->parent()->AddInstruction(HloOpcode::kCompare, a->shape().WithElementType(PrimitiveType::PRED), {a, b},
                                     CompareAttributes());
}

// A predicate: the number fits f32 (of pairs: f64), or `spare` bits less.
HloInstruction* AddHasFewDigits(HloInstruction* x, bool pairs, int spare = 0) {
  const PrimitiveType narrow = pairs ? PrimitiveType::F64 : PrimitiveType::F32;
  HloInstruction* few = x->parent()->AddInstruction(HloOpcode::kConvert, x->shape().WithElementType(narrow), {x});
  if (spare > 0) {
    const FloatFormat format = GetFloatFormat(narrow);
    few = x->parent()->AddInstruction(HloOpcode::kReducePrecision, few->shape(), {few},
                                      ReducePrecisionAttributes{format.exponent_bits, format.mantissa_bits - spare});
  }
  return AddIsEqual(x->parent()->AddInstruction(HloOpcode::kConvert, x->shape(), {few}), x);
}

// Compilers replace division by a broadcast number or a constant by multiplication with the reciprocal.
bool IsSharedDivisor(const HloInstruction& divisor) {
  return divisor.IsConstant() || divisor.opcode() == HloOpcode::kBroadcast;
}

// A batch norm divides by a number of elements; compilers multiply by its reciprocal.
bool DividesInside(const HloInstruction& i) {
  const HloInstruction& op = i.opcode() == HloOpcode::kGetTupleElement ? *i.operand(0) : i;
  if (op.opcode() != HloOpcode::kBatchNormTraining && op.opcode() != HloOpcode::kBatchNormGrad) return false;
  const Shape& shape = op.operand(0)->shape();
  const int64_t features = shape.dimensions(op.attributes<BatchNormAttributes>().feature_index);
  return features == 0 || !std::has_single_bit(static_cast<uint64_t>(shape.ElementCount() / features));
}

// A predicate: `i` was computed without rounding, as integers usually are. An exact result has few digits, but the
// converse is false: 1 + 10^-23 and exp(10^-23) are 1 too, and 6 * (1 / 3) need not be 2.
HloInstruction* AddIsExact(HloInstruction* i, bool pairs) {
  HloComputation* computation = i->parent();
  const Shape& shape = i->shape();
  // A sum with an exact result may have rounded intermediate sums: 2^24 + 1 + 1.
  constexpr int kSpareOfSums = 3;
  HloInstruction* exact = AddHasFewDigits(i, pairs, Summed(*i) >= 0 ? kSpareOfSums : 0);
  const auto op = [&](HloOpcode opcode, HloInstruction* a, HloInstruction* b) {
    return computation->AddInstruction(opcode, a->shape(), {a, b});
  };
  const auto all = [&](HloInstruction* a, HloInstruction* b) { return op(HloOpcode::kAnd, a, b); };
  switch (i->opcode()) {
    // The difference of the sum and its larger term is exact (Dekker, 1971), and equals the smaller term if the sum is
    // exact.
    case HloOpcode::kAdd:
      return all(exact, all(AddIsEqual(op(HloOpcode::kSubtract, i, i->operand(0)), i->operand(1)),
                            AddIsEqual(op(HloOpcode::kSubtract, i, i->operand(1)), i->operand(0))));
    case HloOpcode::kSubtract:
      return all(exact, all(AddIsEqual(op(HloOpcode::kSubtract, i->operand(0), i), i->operand(1)),
                            AddIsEqual(op(HloOpcode::kAdd, i, i->operand(1)), i->operand(0))));
    case HloOpcode::kDivide: {
      if (!IsSharedDivisor(*i->operand(1))) return exact;
      HloInstruction* one = computation->AddConstant(Literal::One(shape.element_type()));
      one = computation->AddInstruction(HloOpcode::kBroadcast, shape, {one}, DimensionsAttributes());
      return all(exact, AddHasFewDigits(op(HloOpcode::kDivide, one, i->operand(1)), pairs));
    }
    // These functions approach their limits.
    case HloOpcode::kCos:
    case HloOpcode::kCosh:
    case HloOpcode::kErf:
    case HloOpcode::kExp:
    case HloOpcode::kExpm1:
    case HloOpcode::kLogistic:
    case HloOpcode::kSin:
    case HloOpcode::kTanh: {
      HloInstruction* zero = computation->AddConstant(Literal::Zero(shape.element_type()));
      zero = computation->AddInstruction(HloOpcode::kBroadcast, shape, {zero}, DimensionsAttributes());
      return all(exact, AddIsEqual(i->operand(0), zero));
    }
    default: return exact;  // away from limits, few digits mean an exact result
  }
}

// Perturbs `x` by `units` in the last place; 0 stays 0.
HloInstruction* AddNearly(HloInstruction* x, uint64_t pattern, double units = 1) {
  HloComputation* computation = x->parent();
  const auto op = [&](HloOpcode opcode, HloInstruction* a, Literal b) {
    return computation->AddInstruction(opcode, x->shape(), {a, computation->AddConstant(std::move(b))});
  };
  Literal factors(Shape::Array(x->shape().element_type(), x->shape().dimensions()));
  FillWithNearlyOne(factors, pattern, units);
  const PrimitiveType type = x->shape().element_type();
  if (IsComplex(type) || !MayFlushDenormals(type)) return op(HloOpcode::kMultiply, x, std::move(factors));
  // A factor near 1 does not change a denormal.
  const FloatFormat format = GetFloatFormat(type);
  const double smallest = std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
  Literal steps(factors.shape());
  for (int64_t k = 0; k < steps.element_count(); ++k)
    steps.SetFromDouble(k, factors.GetAsDouble(k) > 1 ? smallest : -smallest);
  HloInstruction* sign = computation->AddInstruction(HloOpcode::kSign, x->shape(), {x});
  return computation->AddInstruction(
      HloOpcode::kAdd, x->shape(),
      {op(HloOpcode::kMultiply, x, std::move(factors)), op(HloOpcode::kMultiply, sign, std::move(steps))});
}

// Replaces the current uses of `i`, including as the root, by the result of `make`.
template <class F>
void PutInPlace(HloInstruction* i, F make) {
  const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
  const bool was_root = i->IsRoot();
  HloInstruction* made = make();
  for (HloInstruction* user : users) i->ReplaceUseWith(user, made);
  if (was_root) i->parent()->set_root(made);
}

// The instruction selects a number and computes none.
bool IsInputOrSelection(const HloInstruction& i) {
  return IsOneOf(i.opcode(), HloOpcode::kParameter, HloOpcode::kConstant, HloOpcode::kMaximum, HloOpcode::kMinimum,
                 HloOpcode::kClamp, HloOpcode::kSelect);
}

// Static arrays of floats or complex numbers.
bool IsFlushed(const Shape& shape) {
  if (!shape.IsArray() || !shape.IsStatic()) return false;
  const PrimitiveType type = ComplexComponentType(shape.element_type());
  return IsFloat(type) && GetFloatFormat(type).has_zero;
}

// Replaces zeros (and denormals, if `flush_denormals`) by `zero`, and all NaNs by one NaN. Denormals of types with a
// smaller range than f32 are never flushed.
HloInstruction* AddFlushed(HloInstruction* x, bool flush_denormals, double zero = 0) {
  HloComputation* computation = x->parent();
  const Shape shape = Shape::Array(x->shape().element_type(), x->shape().dimensions());
  if (IsComplex(shape.element_type())) {
    const Shape part = shape.WithElementType(ComplexComponentType(shape.element_type()));
    HloInstruction* real = AddFlushed(computation->AddInstruction(HloOpcode::kReal, part, {x}), flush_denormals, zero);
    HloInstruction* imag = AddFlushed(computation->AddInstruction(HloOpcode::kImag, part, {x}), flush_denormals, zero);
    return computation->AddInstruction(HloOpcode::kComplex, shape, {real, imag});
  }
  const auto splat = [&](double value) {
    HloInstruction* scalar = computation->AddConstant(Literal::Scalar(shape.element_type(), value));
    return computation->AddInstruction(HloOpcode::kBroadcast, shape, {scalar}, DimensionsAttributes());
  };
  const bool denormals = flush_denormals && MayFlushDenormals(shape.element_type());
  const auto replace = [&](HloInstruction* a, ComparisonDirection direction, HloInstruction* b, double by) {
    HloInstruction* where = computation->AddInstruction(HloOpcode::kCompare, shape.WithElementType(PrimitiveType::PRED),
                                                        {a, b}, CompareAttributes{direction});
    x = computation->AddInstruction(HloOpcode::kSelect, shape, {where, splat(by), x});
  };
  if (GetFloatFormat(shape.element_type()).has_nan)
    replace(x, ComparisonDirection::kNe, x, std::numeric_limits<double>::quiet_NaN());
  HloInstruction* size = computation->AddInstruction(HloOpcode::kAbs, shape, {x});
  replace(size, denormals ? ComparisonDirection::kLt : ComparisonDirection::kEq,
          splat(denormals ? SmallestNormal(shape.element_type()) : 0), zero);
  return x;
}

}  // namespace

std::unique_ptr<HloModule> PerturbModule(const HloModule& module, uint64_t pattern, bool of_constants_alone) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  constexpr double kMostUnitsOfASum = 16;
  const CostAnalysis costs(*copy);
  std::unordered_set<const HloInstruction*> of_constants;
  if (of_constants_alone) of_constants = ComputedFromConstants(*copy);
  for (HloComputation* computation : ComputationsThatRunOnce(*copy)) {
    for (HloInstruction* i : computation->instructions()) {
      if (of_constants_alone && !of_constants.contains(i)) continue;
      if (!Rounds(*i) || !i->shape().IsStatic() || i->shape().ElementCount() > kMaxElements) continue;
      const auto nearly = [&](HloInstruction* x, uint64_t which, double units = 1) {
        return AddNearly(x, pattern + static_cast<uint64_t>(i->id()) * 7919 + which, units);
      };
      // A sum rounds once for each term; the error grows as a random walk, and is largest for equal terms.
      const double units = std::clamp(std::sqrt(TermsOf(*i, costs)) / 4, 1.0, kMostUnitsOfASum);
      // Summands, and the inputs of a batch norm's mean, may be much larger than the result.
      const auto move_terms = [&](HloInstruction* x) -> HloInstruction* {
        const bool rounds = IsFloat(ComplexComponentType(x->shape().element_type()));
        return rounds && x->shape().IsStatic() && x->shape().ElementCount() <= kMaxElements ? nearly(x, 1) : nullptr;
      };
      PutInPlace(i, [&] { return nearly(WithMovedTerms(i, move_terms), 0, units); });
    }
  }
  return copy;
}

std::unique_ptr<HloModule> FlushSigns(const HloModule& module, FlushMode mode, bool denormals) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  for (HloComputation* computation : ComputationsThatRunOnce(*copy)) {
    for (HloInstruction* i : computation->instructions()) {
      if (!IsFlushed(i->shape()) || i->Is(kMovesData)) continue;
      if (i->IsParameter() && computation != copy->entry_computation()) continue;
      if (mode == FlushMode::kPlusIfComputed && IsInputOrSelection(*i)) continue;
      if (mode == FlushMode::kMinusIfRounded && !Rounds(*i)) continue;
      PutInPlace(i, [&] { return AddFlushed(i, denormals, mode == FlushMode::kMinusIfRounded ? -0.0 : 0.0); });
    }
  }
  return copy;
}

std::unique_ptr<HloModule> FlushFactors(const HloModule& module) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  bool any = false;
  for (HloComputation* computation : ComputationsThatRunOnce(*copy)) {
    for (HloInstruction* i : computation->instructions()) {
      if (i->opcode() != HloOpcode::kDot && i->opcode() != HloOpcode::kConvolution) continue;
      for (int64_t k = 0; k < 2; ++k) {
        HloInstruction* factor = i->operand(k);
        if (factor->shape().element_type() != PrimitiveType::BF16 || !factor->shape().IsStatic()) continue;
        i->ReplaceOperandWith(k, AddFlushed(factor, /*flush_denormals=*/true));
        any = true;
      }
    }
  }
  return any ? std::move(copy) : nullptr;
}

void MoveRoundings(HloModule& ideal, uint64_t pattern, double size, bool exact_too, bool pairs) {
  const Move move{size, pairs};
  for (HloComputation* computation : ComputationsThatRunOnce(ideal)) {
    for (HloInstruction* i : computation->instructions()) {
      if (!Rounds(*i) || !IsWide(i->shape())) continue;
      const uint64_t own = pattern * 1000003 + static_cast<uint64_t>(i->id()) * 7919;
      PutInPlace(i, [&] {
        HloInstruction* source = WithMovedTerms(
            i, [&](HloInstruction* x) { return IsWide(x->shape()) ? AddMoved(x, own + 1, move) : nullptr; });
        HloInstruction* moved = AddMoved(source, own, move);
        if (exact_too || DividesInside(*i) || !(pairs || i->shape().element_type() == PrimitiveType::F64)) return moved;
        HloInstruction* exact = AddIsExact(i, pairs);
        // Rounded terms may cancel to a number of few digits, as to 0: then the sum is no other one if they are moved.
        HloInstruction* cancels = WithMovedTerms(i, [&](HloInstruction* x) -> HloInstruction* {
          const PrimitiveType narrow = pairs ? PrimitiveType::F64 : PrimitiveType::F32;
          if (!IsWide(x->shape()) || HoldsFloats(narrow, MadeIn(*x))) return nullptr;
          return computation->AddInstruction(HloOpcode::kSelect, x->shape(),
                                             {AddHasFewDigits(x, pairs), x, AddMoved(x, own + 1, move)});
        });
        if (cancels != i) {
          exact = computation->AddInstruction(HloOpcode::kAnd, exact->shape(), {exact, AddIsEqual(cancels, i)});
        }
        return computation->AddInstruction(HloOpcode::kSelect, i->shape(), {exact, i, moved});
      });
    }
  }
}

void FillWithNearlyOne(Literal& literal, uint64_t pattern, double units) {
  const double ulp =
      std::ldexp(units, -GetFloatFormat(ComplexComponentType(literal.shape().element_type())).mantissa_bits);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const bool up = ((static_cast<uint64_t>(i) + pattern) * kGoldenRatio >> 63) != 0;
    literal.SetFromDouble(i, up ? 1 + ulp : 1 - ulp);
  }
}

}  // namespace hloir::check
