// See matrices.h. Tests: those of qr-, eigh-, cholesky- and triangular-solve-expander.
#include "matrices.h"

namespace hloir {

using Op = HloBuilder::Op;

namespace {

bool IsComplexArray(Op x) { return IsComplex(x->shape().element_type()); }

Op Total(HloBuilder& b, Op x, HloOpcode op) {
  if (x == nullptr) return nullptr;
  const PrimitiveType type = x->shape().element_type();
  const int64_t rank = x->shape().rank();
  return b.Reduce(x, b.Constant(type, 0), {rank - 2, rank - 1}, MakeReducer(b.module(), op, type));
}

}  // namespace

DimVector BatchDimensions(int64_t rank) {
  DimVector batch;
  for (int64_t d = 0; d < rank - 2; ++d) batch.push_back(d);
  return batch;
}

Op TransposeMatrices(HloBuilder& b, Op x) {
  if (x == nullptr) return nullptr;
  DimVector swapped = BatchDimensions(x->shape().rank());
  swapped.push_back(x->shape().rank() - 1);
  swapped.push_back(x->shape().rank() - 2);
  return b.Transpose(x, swapped);
}

Op Conjugate(HloBuilder& b, Op x) {
  return x == nullptr || !IsComplexArray(x) ? x : b.Complex(b.Real(x), b.Negate(b.Imag(x)));
}

Op RealPart(HloBuilder& b, Op x) { return x == nullptr || !IsComplexArray(x) ? x : b.Real(x); }

Op DivideByReal(HloBuilder& b, Op x, Op divisor) {
  if (x == nullptr || !IsComplexArray(x)) return b.Divide(x, divisor);
  return b.Complex(b.Divide(b.Real(x), divisor), b.Divide(b.Imag(x), divisor));
}

Op SumOfSquares(HloBuilder& b, Op x) {
  if (x == nullptr) return nullptr;
  const Op real = RealPart(b, x), squares = b.Multiply(real, real);
  if (!IsComplexArray(x)) return Total(b, squares, HloOpcode::kAdd);
  const Op imag = b.Imag(x);
  return Total(b, b.Add(squares, b.Multiply(imag, imag)), HloOpcode::kAdd);
}

Op LargestPart(HloBuilder& b, Op x) {
  if (x == nullptr) return nullptr;
  const Op real = b.Abs(RealPart(b, x));
  return Total(b, IsComplexArray(x) ? b.Maximum(real, b.Abs(b.Imag(x))) : real, HloOpcode::kMaximum);
}

}  // namespace hloir
