// See reference_formula.h. Covered by tests/unit/check_test.cc.
#include "check/reference_formula.h"

#include <cmath>
#include <limits>

#include "check/extremes.h"
#include "hloir/builder.h"
#include "support/format.h"

namespace hloir::check {
namespace {

using Op = HloBuilder::Op;

// The batch dimensions of an array of matrices.
DimVector BatchOf(const HloInstruction& i) {
  DimVector batch;
  for (int64_t d = 0; d + 2 < i.shape().rank(); ++d) batch.push_back(d);
  return batch;
}

HloInstruction* Clone(HloInstruction& i) {
  return i.parent()->AddClone(i, std::vector<HloInstruction*>(i.operands().begin(), i.operands().end()));
}

// `number` for each matrix of `solver`'s result for which some element of `tested` is NaN or infinite.
Op NumberIfNonfinite(HloBuilder& b, HloInstruction& solver, Op tested, double number) {
  const int64_t rows = solver.shape().rank() - 2, columns = rows + 1;
  HloComputation* either = MakeReducer(*solver.module(), HloOpcode::kOr, PrimitiveType::PRED);
  const Op any = b.Reduce(b.Not(b.IsFinite(b.Abs(tested))), b.Constant(false), {rows, columns}, either);
  const Op spread = b.Broadcast(any, solver.shape().dimensions(), BatchOf(solver));
  return b.Select(spread, b.Full(solver.shape(), number), Clone(solver));
}

// A predicate for the matrices of `shape`: the element is on the diagonal.
Op OnDiagonal(HloBuilder& b, const Shape& shape) {
  const Shape places = Shape::Array(PrimitiveType::S32, shape.dimensions());
  const int64_t rows = shape.rank() - 2, columns = rows + 1;
  return b.Compare(b.Iota(places, rows), b.Iota(places, columns), ComparisonDirection::kEq);
}

// Makes cholesky return `number` for a matrix that is not positive definite. The reference returns NaN.
template <int number>
void OutsideItsDomain(HloInstruction& cholesky) {
  HloBuilder b(&cholesky);
  const Op result = NumberIfNonfinite(b, cholesky, Clone(cholesky), number);
  if (b.status().ok()) cholesky.ReplaceAllUsesWith(result);
}

// Makes cholesky return 0 for a matrix that is positive definite by no more than some units in the last place of its
// diagonal: another order of sums may find that it is not.
void AtTheBoundary(HloInstruction& cholesky) {
  constexpr double kUnits = 4;  // for each term of a sum
  HloBuilder b(&cholesky);
  const Op a = cholesky.operand(0);
  const FloatFormat format = GetFloatFormat(ComplexComponentType(a->shape().element_type()));
  const double less =
      kUnits * static_cast<double>(a->shape().dimensions(a->shape().rank() - 1)) * std::ldexp(1, -format.mantissa_bits);
  const Op factor = b.Select(OnDiagonal(b, a->shape()), b.Full(a->shape(), 1 - less), b.Full(a->shape(), 1));
  const Op smaller = b.Cholesky(b.Multiply(a, factor), cholesky.attributes<CholeskyAttributes>().lower);
  const Op result = NumberIfNonfinite(b, cholesky, smaller, 0);
  if (b.status().ok()) cholesky.ReplaceAllUsesWith(result);
}

Op InverseFor(HloBuilder& b, HloInstruction& solve) {
  const Op a = solve.operand(0);
  return b.TriangularSolve(a, b.Convert(OnDiagonal(b, a->shape()), a->shape().element_type()),
                           solve.attributes<TriangularSolveAttributes>());
}

// Makes triangular-solve return NaN for a singular matrix.
void NanIfSingular(HloInstruction& solve) {
  HloBuilder b(&solve);
  const Op result = NumberIfNonfinite(b, solve, InverseFor(b, solve), std::numeric_limits<double>::quiet_NaN());
  if (b.status().ok()) solve.ReplaceAllUsesWith(result);
}

// Solves by multiplying with the inverse matrix. The result differs where the inverse is infinite, or where an infinity
// or NaN is multiplied by its zeros.
void ByInverse(HloInstruction& solve) {
  HloBuilder b(&solve);
  const int64_t rows = solve.shape().rank() - 2, columns = rows + 1;
  const Op inverse = InverseFor(b, solve);
  DotAttributes product;
  product.lhs_batch_dims = product.rhs_batch_dims = BatchOf(solve);
  product.lhs_contracting_dims = {columns}, product.rhs_contracting_dims = {rows};
  const Op result = solve.attributes<TriangularSolveAttributes>().left_side ? b.Dot(inverse, solve.operand(1), product)
                                                                            : b.Dot(solve.operand(1), inverse, product);
  if (b.status().ok()) solve.ReplaceAllUsesWith(result);
}

// x * f + (offset - mean * f), with f = scale / sqrt(variance + epsilon), which XLA uses instead of (x - mean) * f +
// offset. The result differs where the offset is rounded away beside mean * f, or where mean * f is infinite.
void FactorFirst(HloInstruction& norm) {
  const auto& [epsilon, feature] = norm.attributes<BatchNormAttributes>();
  HloBuilder b(&norm);
  const Op x = norm.operand(0), scale = norm.operand(1), offset = norm.operand(2), mean = norm.operand(3),
           variance = norm.operand(4);
  const auto spread = [&, at = feature](Op y) { return b.Broadcast(y, norm.shape().dimensions(), {at}); };
  const Op factor = b.Multiply(scale, b.Rsqrt(b.Add(variance, b.Full(variance->shape(), epsilon))));
  const Op shift = b.Subtract(offset, b.Multiply(mean, factor));
  const Op result = b.Add(b.Multiply(x, spread(factor)), spread(shift));
  if (b.status().ok()) norm.ReplaceAllUsesWith(result);
}

}  // namespace

std::vector<ReferenceFormula> FindReferenceFormulas(const HloModule& module, const HloModule& other) {
  const bool solvers = !HaveSameSolvers(module, other), norms = CountOf(other, {HloOpcode::kBatchNormInference}) <
                                                                CountOf(module, {HloOpcode::kBatchNormInference});
  std::vector<ReferenceFormula> all;
  if (!solvers && !norms) return all;
  for (const HloInstruction* i : module.AllInstructions()) {
    switch (i->opcode()) {
      case HloOpcode::kCholesky:
        if (solvers)
          all.push_back({i,
                         {OutsideItsDomain<0>, OutsideItsDomain<1>, AtTheBoundary},
                         /*is_known=*/false,
                         Format("the result of {} for a matrix that is not positive definite", i->name())});
        break;
      case HloOpcode::kTriangularSolve:
        if (solvers)
          all.push_back(
              {i,
               {ByInverse, NanIfSingular},
               /*is_known=*/false,
               Format("the formula of {}: multiplication by the inverse matrix gives another result", i->name())});
        break;
      case HloOpcode::kBatchNormInference:
        if (norms) all.push_back({i, {FactorFirst}, /*is_known=*/true, Format("the formula of {}", i->name())});
        break;
      default: break;  // has one formula
    }
  }
  return all;
}

}  // namespace hloir::check
