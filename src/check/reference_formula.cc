// See reference_formula.h. Covered by tests/unit/check_test.cc.
#include "check/reference_formula.h"

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

// Makes cholesky return `number` for a matrix that is not positive definite. The reference returns NaN.
template <int number>
void OutsideItsDomain(HloInstruction& cholesky) {
  HloInstruction* clone = Clone(cholesky);
  HloBuilder b(&cholesky);
  const int64_t rows = clone->shape().rank() - 2, columns = rows + 1;
  HloComputation* either = MakeReducer(*cholesky.module(), HloOpcode::kOr, PrimitiveType::PRED);
  const Op any = b.Reduce(b.Not(b.IsFinite(b.Abs(clone))), b.Constant(false), {rows, columns}, either);
  const Op spread = b.Broadcast(any, cholesky.shape().dimensions(), BatchOf(cholesky));
  const Op result = b.Select(spread, b.Full(cholesky.shape(), number), clone);
  if (b.status().ok()) cholesky.ReplaceAllUsesWith(result);
}

// Solves by multiplying with the inverse matrix. The result differs where the inverse is infinite, or where an infinity
// or NaN is multiplied by its zeros.
void ByInverse(HloInstruction& solve) {
  HloBuilder b(&solve);
  const Op a = solve.operand(0);
  const int64_t rows = a->shape().rank() - 2, columns = rows + 1;
  const Shape places = Shape::Array(PrimitiveType::S32, a->shape().dimensions());
  const Op diagonal = b.Compare(b.Iota(places, rows), b.Iota(places, columns), ComparisonDirection::kEq);
  const auto& attributes = solve.attributes<TriangularSolveAttributes>();
  const Op inverse = b.TriangularSolve(a, b.Convert(diagonal, a->shape().element_type()), attributes);
  DotAttributes product;
  product.lhs_batch_dims = product.rhs_batch_dims = BatchOf(solve);
  product.lhs_contracting_dims = {columns}, product.rhs_contracting_dims = {rows};
  const Op result =
      attributes.left_side ? b.Dot(inverse, solve.operand(1), product) : b.Dot(solve.operand(1), inverse, product);
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
                         {OutsideItsDomain<0>, OutsideItsDomain<1>},
                         /*is_known=*/false,
                         Format("the result of {} for a matrix that is not positive definite", i->name())});
        break;
      case HloOpcode::kTriangularSolve:
        if (solvers)
          all.push_back(
              {i,
               {ByInverse},
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
