// Shapes of whole-array mathematics: fft, cholesky, triangular-solve, the batch-norms; and of the random number ops.
#include "internal.h"

#include "support/format.h"

namespace hloir::shape_inference {

using Type = PrimitiveType;

StatusOr<Shape> InferFft(const Query& q) {
  const Shape& x = q.operand(0);
  const auto& a = q.attr<FftAttributes>();
  const int64_t count = static_cast<int64_t>(a.fft_length.size());
  HLOIR_RETURN_IF_ERROR(ExpectArray(x, "the operand"));
  if (count < 1 || count > 3) return Invalid("fft_length={} must have 1 to 3 sizes", Braced(a.fft_length));
  if (x.rank() < count) return Invalid("fft over {} dimensions of {}", count, Text(x));
  auto last = [&](int64_t i) { return x.rank() - count + i; };
  auto expect_lengths = [&](int64_t full) {
    for (int64_t i = 0; i < full; ++i) {
      int64_t size = x.dimensions(last(i));
      if (size != a.fft_length[i] && size != Shape::kUnboundedSize) {
        return Invalid("fft_length={} does not fit dimension {} of {}", Braced(a.fft_length), last(i), Text(x));
      }
    }
    return OkStatus();
  };
  Shape result = x;
  const bool is_real = x.element_type() == Type::F32 || x.element_type() == Type::F64;
  switch (a.fft_type) {
    case FftType::kFft:
    case FftType::kIfft:
      if (!IsComplex(x.element_type()))
        return Invalid("{} takes complex elements, not {}", EnumWord(a.fft_type), Text(x));
      return result;  // XLA does not compare fft_length here
    case FftType::kRfft:
      if (!is_real) return Invalid("RFFT takes f32 or f64 elements, not {}", Text(x));
      HLOIR_RETURN_IF_ERROR(expect_lengths(count));
      result = x.WithElementType(x.element_type() == Type::F64 ? Type::C128 : Type::C64);
      if (a.fft_length.back() != 0 && !x.is_unbounded_dimension(x.rank() - 1))
        result.set_dimension(x.rank() - 1, a.fft_length.back() / 2 + 1);
      return result;
    case FftType::kIrfft: {
      if (!IsComplex(x.element_type())) return Invalid("IRFFT takes complex elements, not {}", Text(x));
      HLOIR_RETURN_IF_ERROR(expect_lengths(count - 1));
      int64_t size = x.dimensions(x.rank() - 1), length = a.fft_length.back();
      if (size != Shape::kUnboundedSize && size != length / 2 + 1 && (size != 0 || length != 0)) {
        return Invalid("IRFFT to length {} needs a last dimension of {}, not {}", length, length / 2 + 1, Text(x));
      }
      result = x.WithElementType(ComplexComponentType(x.element_type()));
      result.set_dimension(x.rank() - 1, length);
      return result;
    }
  }
  return InvalidArgument("unknown fft_type");
}

static Status ExpectSquare(const Shape& x) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(x, "operand 0"));
  if (!IsFloat(x.element_type()) && !IsComplex(x.element_type()))
    return Invalid("the matrix must be float or complex, not {}", Text(x));
  if (x.rank() < 2) return Invalid("the matrix must have rank 2 or more, not {}", Text(x));
  if (!MeetDimensions(x, x.rank() - 2, x, x.rank() - 1))
    return Invalid("the last two dimensions must be equal: {}", Text(x));
  return OkStatus();
}

// The matrix is multiplied with the rows of b on the left side, with its columns on the right side.
StatusOr<Shape> InferTriangularSolve(const Query& q) {
  const Shape &a = q.operand(0), &b = q.operand(1);
  const auto& options = q.attr<TriangularSolveAttributes>();
  HLOIR_RETURN_IF_ERROR(ExpectSquare(a));
  HLOIR_RETURN_IF_ERROR(ExpectArray(b, "operand 1"));
  if (a.element_type() != b.element_type())
    return Invalid("operands differ in element type: {} and {}", Text(a), Text(b));
  if (a.rank() != b.rank()) return Invalid("operands differ in rank: {} and {}", Text(a), Text(b));
  int64_t met = b.rank() - (options.left_side ? 2 : 1);
  if (!MeetDimensions(a, a.rank() - 1, b, met))
    return Invalid("the matrix {} does not fit dimension {} of {}", Text(a), met, Text(b));
  for (int64_t i = 0; i < a.rank() - 2; ++i) {
    if (!MeetDimensions(a, i, b, i))
      return Invalid("operands differ in batch dimension {}: {} and {}", i, Text(a), Text(b));
  }
  if (options.transpose_a == TransposeA::kInvalid)
    return InvalidArgument("transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return b;
}

// operand and output-gradient are whole arrays; everything else is one number per feature.
static StatusOr<Shape> InferBatchNorm(const Query& q) {
  const Shape& x = q.operand(0);
  const int64_t feature = q.attr<BatchNormAttributes>().feature_index;
  HLOIR_RETURN_IF_ERROR(ExpectArray(x, "the operand"));
  if (!InRange(feature, x.rank())) return Invalid("feature_index={} is not a dimension of {}", feature, Text(x));
  if (!IsFloat(x.element_type())) return Invalid("the operand must be float, not {}", Text(x));
  for (size_t i = 1; i < q.operands.size(); ++i) {
    const Shape& s = q.operand(i);
    HLOIR_RETURN_IF_ERROR(ExpectArray(s, "operand {}", i));
    if (!IsFloat(s.element_type())) return Invalid("operand {} must be float, not {}", i, Text(s));
    if (q.opcode == HloOpcode::kBatchNormGrad && i == 4) {
      if (!CompatibleIgnoringFloatPrecision(s, x))
        return Invalid("the output gradient {} differs from the operand {}", Text(s), Text(x));
    } else if (s.rank() != 1 || !MeetDimensions(s, 0, x, feature)) {
      return Invalid("operand {} must have one element for each of the {} features, but is {}", i,
                     x.dimensions(feature), Text(s));
    }
  }
  if (q.opcode == HloOpcode::kBatchNormInference) return x;
  Shape per_feature = MakeArray(q.operand(1).element_type(), {x.dimensions(feature)});
  CopyDynamism(x, feature, per_feature, 0);
  return Shape::Tuple({x, per_feature, per_feature});
}

static StatusOr<Shape> InferRandom(const Query& q) {
  const Shape& result = *q.stated;
  if (q.opcode == HloOpcode::kRng) {
    HLOIR_RETURN_IF_ERROR(ExpectArray(result, "the result"));
    if (q.operands.size() != 2) return Invalid("rng takes 2 operands, not {}", q.operands.size());
    const Type type = q.operand(0).element_type();
    for (const Shape* operand : q.operands) {
      if (!operand->IsScalar() || !SameTypeIgnoringFloatPrecision(operand->element_type(), result.element_type())) {
        return Invalid("the distribution's parameters must be scalars of the result's type {}, not {}", Text(result),
                       Text(*operand));
      }
      if (operand->element_type() != type)
        return Invalid("the distribution's parameters differ in element type: {} and {}", Text(q.operand(0)),
                       Text(*operand));
    }
    const RandomDistribution distribution = q.attr<RngAttributes>().distribution;
    if (distribution == RandomDistribution::kRngInvalid) return InvalidArgument("the distribution is none");
    if (distribution == RandomDistribution::kRngNormal && !IsFloat(type))
      return Invalid("a normal distribution takes float elements, not {}", PrimitiveTypeName(type));
    if (IsComplex(type)) return Invalid("rng does not support complex elements: {}", Text(q.operand(0)));
    return result;
  }
  if (q.opcode == HloOpcode::kRngGetAndUpdateState) {
    if (!result.Compatible(Shape::Array(Type::U64, {2})))
      return Invalid("the state must be u64[2], not {}", Text(result));
    return result;
  }
  if (!result.IsTuple()) return result;  // old form: the bits alone
  if (result.tuple_size() != 2) return Invalid("rng-bit-generator gives (state, bits), not {}", Text(result));
  HLOIR_RETURN_IF_ERROR(ExpectArray(result.tuple_shapes(1), "the bits"));
  if (!result.tuple_shapes(0).Compatible(q.operand(0))) {
    return Invalid("the new state {} differs from the old one {}", Text(result.tuple_shapes(0)), Text(q.operand(0)));
  }
  return result;
}

StatusOr<Shape> InferCholesky(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectSquare(q.operand(0)));
  return q.operand(0);
}
StatusOr<Shape> InferBatchNormTraining(const Query& q) { return InferBatchNorm(q); }
StatusOr<Shape> InferBatchNormInference(const Query& q) { return InferBatchNorm(q); }
StatusOr<Shape> InferBatchNormGrad(const Query& q) { return InferBatchNorm(q); }
StatusOr<Shape> InferRng(const Query& q) { return InferRandom(q); }
StatusOr<Shape> InferRngBitGenerator(const Query& q) { return InferRandom(q); }
StatusOr<Shape> InferRngGetAndUpdateState(const Query& q) { return InferRandom(q); }

}  // namespace hloir::shape_inference
