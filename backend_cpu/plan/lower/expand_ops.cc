// See expand_ops.h. Tests: tests/ops (batch-norm*, reduce-precision*, dot-*, complex-*),
// tests/unit/executable_types_test.cc.
#include "plan/lower/expand_ops.h"

#include <algorithm>

#include "hloir/custom_calls.h"
#include "plan/capability/convolution_plan.h"
#include "plan/capability/gemm_problem.h"
#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {
namespace {

using Op = HloInstruction*;

// ---- Contractions.
// ----------------------------------------------------------------------------------------------------------

// Products and sums of real floats under 16 bits are computed in f32, those of integers under a byte and preds in
// bytes, modulo 2^32.
PrimitiveType FactorType(PrimitiveType type, bool f64) {
  if (IsFloat(type)) return f64 ? PrimitiveType::F64 : BitWidth(type) < 16 ? PrimitiveType::F32 : type;
  if (type == PrimitiveType::PRED) return PrimitiveType::U8;
  if (BitWidth(type) < 8) return IsSigned(type) ? PrimitiveType::S8 : PrimitiveType::U8;
  return type;
}
PrimitiveType RealPart(PrimitiveType type) {
  return type == PrimitiveType::C64 ? PrimitiveType::F32 : type == PrimitiveType::C128 ? PrimitiveType::F64 : type;
}

// product(a, b, type): the instruction, on other operands and with another result.
template <class Product>
Op Contract(HloBuilder& b, Op lhs, Op rhs, PrimitiveType result, Product product) {
  const PrimitiveType types[] = {lhs->shape().element_type(), rhs->shape().element_type(), result};
  const bool complex = std::any_of(types, types + 3, [](PrimitiveType t) { return IsComplex(t); });
  const bool floats = std::any_of(types, types + 3, [](PrimitiveType t) { return IsFloat(t) || IsComplex(t); });
  const bool f64 = std::any_of(types, types + 3, [](PrimitiveType t) { return RealPart(t) == PrimitiveType::F64; });
  for (PrimitiveType type : types)
    if (floats && !IsFloat(type) && !IsComplex(type)) return nullptr;  // left to the reference
  auto part = [&](Op x, bool imaginary) -> Op {
    if (IsComplex(x->shape().element_type())) x = imaginary ? b.Imag(x) : b.Real(x);
    else if (imaginary) return nullptr;
    return b.Convert(x, FactorType(x->shape().element_type(), f64));
  };
  PrimitiveType sum = FactorType(RealPart(result), f64);
  if (!floats && BitWidth(sum) < 32) sum = PrimitiveType::S32;
  GemmType compute;
  const PrimitiveType factors[] = {FactorType(RealPart(types[0]), f64), FactorType(RealPart(types[1]), f64)};
  if (!GemmTypeFor(factors[0], factors[1], sum, &compute)) return nullptr;
  const Op a = part(lhs, false), c = part(rhs, false);
  if (!complex) return b.Convert(product(a, c, sum), result);
  if (!IsComplex(result)) return nullptr;
  // (a + ai)(c + ci), without missing parts.
  const Op ai = part(lhs, true), ci = part(rhs, true);
  Op real = product(a, c, sum), imaginary = nullptr;
  if (ai != nullptr && ci != nullptr) real = b.Subtract(real, product(ai, ci, sum));
  if (ci != nullptr) imaginary = product(a, ci, sum);
  if (ai != nullptr) imaginary = imaginary == nullptr ? product(ai, c, sum) : b.Add(imaginary, product(ai, c, sum));
  if (imaginary == nullptr) return nullptr;
  return b.Convert(b.Complex(real, imaginary), result);
}

Op ExpandDot(HloBuilder& b, const HloInstruction& dot, std::span<const Op> x) {
  if (x.size() != 2) return nullptr;
  return Contract(b, x[0], x[1], dot.shape().element_type(), [&](Op lhs, Op rhs, PrimitiveType type) {
    return b.Dot(lhs, rhs, dot.attributes<DotAttributes>(), type);
  });
}
Op ExpandConvolution(HloBuilder& b, const HloInstruction& convolution, std::span<const Op> x) {
  if (x.size() != 2) return nullptr;
  return Contract(b, x[0], x[1], convolution.shape().element_type(), [&](Op lhs, Op rhs, PrimitiveType type) {
    return b.Convolution(lhs, rhs, convolution.attributes<ConvolutionAttributes>(), type);
  });
}

// ---- Batch normalization.
// ---------------------------------------------------------------------------------------------------

// Computed in f32, or f64 if an operand is; results are rounded once.
class Normalization {
 public:
  Normalization(HloBuilder& b, const HloInstruction& i, std::span<const Op> operands)
      : b_(b), shape_(i.operand(0)->shape()), attributes_(i.attributes<BatchNormAttributes>()) {
    const bool f64 = std::any_of(operands.begin(), operands.end(),
                                 [](Op x) { return x->shape().element_type() == PrimitiveType::F64; });
    type_ = f64 ? PrimitiveType::F64 : PrimitiveType::F32;
    for (Op x : operands) x_.push_back(b.Convert(x, type_));
    for (int64_t d = 0; d < shape_.rank(); ++d)
      if (d != attributes_.feature_index) reduced_.push_back(d);
    const int64_t features = shape_.dimensions(attributes_.feature_index);
    feature_shape_ = Shape::Array(type_, {features});
    count_ = static_cast<double>(shape_.ElementCount() / std::max<int64_t>(features, 1));
  }
  // (x - mean) / sqrt(variance + epsilon) * scale + offset
  Op Inference() { return Normalize(Centered(x_[3]), x_[4]); }
  // The same with the mean and variance of x.
  std::vector<Op> Training() {
    const Op mean = Mean(x_[0]), centered = Centered(mean), variance = Mean(b_.Multiply(centered, centered));
    return {Normalize(centered, variance), mean, variance};
  }
  // The formulas are at the reference's EvaluateBatchNormGrad. Operands: x, scale, mean, variance, gradient.
  std::vector<Op> Gradient() {
    const Op centered = Centered(x_[2]), gradient = x_[4], r = InverseDeviation(x_[3]);
    const Op sum = Sum(gradient), moment = Sum(b_.Multiply(gradient, centered)),
             count = b_.Full(feature_shape_, count_);
    const Op along = b_.Multiply(centered, Wide(b_.Multiply(b_.Multiply(r, r), b_.Divide(moment, count))));
    const Op rest = b_.Subtract(b_.Subtract(gradient, Wide(b_.Divide(sum, count))), along);
    return {b_.Multiply(Wide(b_.Multiply(x_[1], r)), rest), b_.Multiply(moment, r), sum};
  }

 private:
  Op Wide(Op per_feature) { return b_.Broadcast(per_feature, shape_.dimensions(), {attributes_.feature_index}); }
  Op Sum(Op x) {
    return b_.Reduce(x, b_.Constant(type_, 0), reduced_, MakeReducer(b_.module(), HloOpcode::kAdd, type_));
  }
  Op Mean(Op x) { return b_.Divide(Sum(x), b_.Full(feature_shape_, count_)); }
  Op Centered(Op mean) { return b_.Subtract(x_[0], Wide(mean)); }
  Op InverseDeviation(Op variance) {
    const Op epsilon = b_.Full(feature_shape_, static_cast<double>(attributes_.epsilon));
    return b_.Divide(b_.Full(feature_shape_, 1), b_.Sqrt(b_.Add(variance, epsilon)));
  }
  Op Normalize(Op centered, Op variance) {
    return b_.Add(b_.Multiply(b_.Multiply(centered, Wide(InverseDeviation(variance))), Wide(x_[1])), Wide(x_[2]));
  }

  HloBuilder& b_;
  const Shape& shape_;
  const BatchNormAttributes& attributes_;
  PrimitiveType type_;
  std::vector<Op> x_;
  DimVector reduced_;
  Shape feature_shape_;
  double count_ = 0;  // elements of each feature
};

Op Rounded(HloBuilder& b, std::vector<Op> results, const Shape& shape) {
  for (size_t k = 0; k < results.size(); ++k) {
    results[k] = b.Convert(results[k], shape.tuple_shapes(static_cast<int64_t>(k)).element_type());
  }
  return b.Tuple(results);
}

// ---- reduce-precision.
// ------------------------------------------------------------------------------------------------------

// On the bits: round to nearest even at the lowest mantissa bit kept, in which a carry into the exponent is correct;
// then values beyond the exponent's range become infinity or a zero of the same sign. NaN and infinity are unchanged.
Op ExpandReducePrecision(HloBuilder& b, const HloInstruction& i, Op x) {
  const auto& attributes = i.attributes<ReducePrecisionAttributes>();
  const PrimitiveType type = x->shape().element_type();
  const bool f64 = type == PrimitiveType::F64;
  if (!f64 && type != PrimitiveType::F32 && !Narrow(type)) return nullptr;
  if (attributes.exponent_bits < 1 || attributes.mantissa_bits < 0) return nullptr;
  // A range that the type itself does not exceed is not reduced: f16's denormals survive exponent_bits=5.
  const FloatFormat format = GetFloatFormat(type);
  const bool fewer_mantissa = attributes.mantissa_bits < format.mantissa_bits,
             fewer_exponent = attributes.exponent_bits < format.exponent_bits;
  const PrimitiveType wide = f64 ? PrimitiveType::F64 : PrimitiveType::F32,
                      word = f64 ? PrimitiveType::U64 : PrimitiveType::U32;
  const int mantissa = f64 ? 52 : 23, exponent = f64 ? 11 : 8;
  x = b.Convert(x, wide);
  const Shape shape = Shape::Array(word, x->shape().dimensions());
  auto constant = [&](uint64_t bits) {
    Literal literal(Shape::Scalar(word));
    literal.SetFromInt64(0, static_cast<int64_t>(bits));
    return b.Broadcast(b.Constant(std::move(literal)), shape.dimensions(), {});
  };
  Op bits = b.BitcastConvert(x, word);
  const uint64_t sign = uint64_t{1} << (mantissa + exponent);
  if (fewer_mantissa) {
    const int dropped = mantissa - static_cast<int>(attributes.mantissa_bits);
    const uint64_t low = (uint64_t{1} << dropped) - 1;
    const Op lowest_kept = b.And(b.ShiftRightLogical(bits, constant(static_cast<uint64_t>(dropped))), constant(1));
    bits = b.And(b.Add(b.Add(bits, constant((uint64_t{1} << (dropped - 1)) - 1)), lowest_kept),
                 constant(~low & (sign | (sign - 1))));
  }
  if (fewer_exponent) {
    const uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1,
                   small = (uint64_t{1} << (attributes.exponent_bits - 1)) - 1;
    const Op sign_bit = b.And(bits, constant(sign)), magnitude = b.And(bits, constant(sign - 1));
    const Op above = b.Compare(magnitude, constant((bias + small + 1) << mantissa), ComparisonDirection::kGe);
    const Op below = b.Compare(magnitude, constant((bias - small + 1) << mantissa), ComparisonDirection::kLt);
    const Op infinity = b.Or(sign_bit, constant(((uint64_t{1} << exponent) - 1) << mantissa));
    bits = b.Select(above, infinity, b.Select(below, sign_bit, bits));
  }
  return b.Convert(b.Select(b.IsFinite(x), b.BitcastConvert(bits, wide), x), type);
}

// ---- Sums of complex numbers.
// -----------------------------------------------------------------------------------------------

template <class Reduce>
Op PartByPart(HloBuilder& b, const HloInstruction& i, std::span<const Op> x, Reduce reduce) {
  const PrimitiveType type = i.shape().IsArray() ? i.shape().element_type() : PrimitiveType::INVALID;
  if (x.size() != 2 || !IsComplex(type) || x[0]->shape().element_type() != type ||
      x[1]->shape().element_type() != type || ReducerOp(*i.to_apply()) != BinaryOp::kAdd ||
      i.to_apply()->root()->shape().element_type() != type) {
    return nullptr;
  }
  HloComputation* add = MakeReducer(b.module(), HloOpcode::kAdd, RealPart(type));
  return b.Complex(reduce(b.Real(x[0]), b.Real(x[1]), add), reduce(b.Imag(x[0]), b.Imag(x[1]), add));
}

Op ExpandedRoot(HloBuilder& b, const HloInstruction& i, const std::vector<Op>& x) {
  switch (i.opcode()) {
    case HloOpcode::kDot: return ExpandDot(b, i, x);
    case HloOpcode::kConvolution: return ExpandConvolution(b, i, x);
    case HloOpcode::kBatchNormInference: return b.Convert(Normalization(b, i, x).Inference(), i.shape().element_type());
    case HloOpcode::kBatchNormTraining: return Rounded(b, Normalization(b, i, x).Training(), i.shape());
    case HloOpcode::kBatchNormGrad: return Rounded(b, Normalization(b, i, x).Gradient(), i.shape());
    case HloOpcode::kReducePrecision: return ExpandReducePrecision(b, i, x[0]);
    case HloOpcode::kReduce:
      return PartByPart(
          b, i, x, [&](Op part, Op init, HloComputation* add) { return b.Reduce(part, init, i.dimensions(), add); });
    case HloOpcode::kReduceWindow:
      return PartByPart(b, i, x, [&](Op part, Op init, HloComputation* add) {
        return b.ReduceWindow(part, init, i.attributes<WindowAttributes>().window, add);
      });
    default: return nullptr;  // not expanded
  }
}

// The kernels of f32 read rows of windows in place, of its own type only; otherwise each element is widened and packed
// once for each tap. And packing widens f16 by integer operations, a loop by the machine's.
bool GainsByWidening(const HloInstruction& i, const KernelTable& kernels) {
  GemmProblem problem;
  problem.a.type = i.operand(0)->shape().element_type(), problem.b.type = i.operand(1)->shape().element_type();
  if (!Narrow(problem.a.type) ||
      !GemmTypeFor(problem.a.type, problem.b.type, i.shape().element_type(), &problem.compute) ||
      KernelsFor(problem, kernels) != GemmType::kF32)
    return false;
  if (i.opcode() == HloOpcode::kConvolution) {
    const auto& window = i.attributes<ConvolutionAttributes>().window;
    return std::any_of(window.begin(), window.end(), [](const WindowDimension& w) { return w.size > 1; });
  }
  constexpr int64_t kUses = 32;  // of each element, at least
  const int64_t count = i.shape().ElementCount();
  const auto is_used = [&](int operand) {
    const DotAttributes& a = i.attributes<DotAttributes>();
    int64_t terms = 1;
    for (int64_t d : a.lhs_contracting_dims) terms *= i.operand(0)->shape().dimensions(d);
    return i.operand(operand)->shape().element_type() == PrimitiveType::F16 &&
           count * terms >= kUses * i.operand(operand)->shape().ElementCount();
  };
  return is_used(0) && is_used(1);
}

}  // namespace

std::unique_ptr<HloModule> WidenFactors(const HloInstruction& i, const KernelTable& kernels) {
  if (!GainsByWidening(i, kernels)) return nullptr;
  auto module = std::make_unique<HloModule>("widened");
  HloBuilder b(*module, "entry");
  const auto factor = [&](int64_t k) {
    const Shape& shape = i.operand(k)->shape();
    return b.Parameter(k, Shape::Array(shape.element_type(), shape.dimensions()));
  };
  const Op lhs = factor(0), rhs = factor(1), a = b.Convert(lhs, PrimitiveType::F32);
  const PrimitiveType type = i.shape().element_type();
  const Op root = i.opcode() == HloOpcode::kDot
                      ? b.Dot(a, b.Convert(rhs, PrimitiveType::F32), i.attributes<DotAttributes>(), type)
                      : b.Convolution(a, rhs, i.attributes<ConvolutionAttributes>(), type);
  return b.BuildEntry(root).ok() ? std::move(module) : nullptr;
}

std::unique_ptr<HloModule> ExpandOp(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kCustomCall) {
    auto meaning = CustomCallAsModule(instruction);
    return meaning.ok() ? std::move(*meaning) : nullptr;
  }
  auto module = std::make_unique<HloModule>("expanded");
  HloBuilder b(*module, "entry");
  std::vector<Op> x;
  for (const HloInstruction* operand : instruction.operands()) {
    const Shape& shape = operand->shape();
    if (!shape.IsArray()) return nullptr;
    x.push_back(b.Parameter(static_cast<int64_t>(x.size()), Shape::Array(shape.element_type(), shape.dimensions())));
  }
  const Op root = ExpandedRoot(b, instruction, x);
  return root != nullptr && b.BuildEntry(root).ok() ? std::move(module) : nullptr;
}

}  // namespace hloir::cpu
