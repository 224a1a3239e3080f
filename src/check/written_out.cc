// See written_out.h. Covered by tests/unit/check_test.cc.
#include "check/written_out.h"

#include "check/extremes.h"
#include "hloir/builder.h"
#include "support/format.h"

namespace hloir::check {
namespace {

using Op = HloBuilder::Op;

HloInstruction* Clone(HloInstruction& i) {
  return i.parent()->AddClone(i, std::vector<HloInstruction*>(i.operands().begin(), i.operands().end()));
}

// Of a matrix that is not positive definite, is singular, or is not finite, a solver gives `number`. (The reference's
// cholesky gives NaN.)
template <int number>
void OutsideItsDomain(HloInstruction& solver) {
  const bool factors = solver.opcode() == HloOpcode::kCholesky;
  HloInstruction* clone = Clone(solver);
  HloBuilder b(&solver);
  const Op size = b.Abs(factors ? clone : solver.operand(0));
  const Shape& shape = size->shape();
  const int64_t rows = shape.rank() - 2, columns = shape.rank() - 1;
  Op bad = b.Not(b.IsFinite(size));
  if (!factors && !solver.attributes<TriangularSolveAttributes>().unit_diagonal) {
    const Shape places = Shape::Array(PrimitiveType::S32, shape.dimensions());
    const Op diagonal = b.Compare(b.Iota(places, rows), b.Iota(places, columns), ComparisonDirection::kEq);
    bad = b.Or(bad, b.And(diagonal, b.Compare(size, b.Full(shape, 0), ComparisonDirection::kEq)));
  }
  HloComputation* either = MakeReducer(*solver.module(), HloOpcode::kOr, PrimitiveType::PRED);
  const Op any = b.Reduce(bad, b.Constant(false), {rows, columns}, either);
  DimVector batch;
  for (int64_t d = 0; d < rows; ++d) batch.push_back(d);
  const Op spread = b.Broadcast(any, solver.shape().dimensions(), batch);
  const Op result = b.Select(spread, b.Full(solver.shape(), number), clone);
  if (b.status().ok()) solver.ReplaceAllUsesWith(result);
}

// x * f + (offset - mean * f), where f = scale / sqrt(variance + epsilon), as XLA has it, in place of (x - mean) * f +
// offset: another number where the offset is lost beside mean * f, or that is infinite.
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

std::vector<WrittenOut> FindWrittenOut(const HloModule& module, const HloModule& other) {
  const bool solvers = !SolveAlike(module, other), norms = CountOf(other, {HloOpcode::kBatchNormInference}) <
                                                           CountOf(module, {HloOpcode::kBatchNormInference});
  std::vector<WrittenOut> all;
  if (!solvers && !norms) return all;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      switch (i->opcode()) {
        case HloOpcode::kCholesky:
        case HloOpcode::kTriangularSolve:
          if (!solvers) break;
          all.push_back(
              {i,
               {OutsideItsDomain<0>, OutsideItsDomain<1>},
               /*is_known=*/false,
               Format("what {} gives of a matrix that is {}", i->name(),
                      i->opcode() == HloOpcode::kCholesky ? "not positive definite" : "singular or not finite")});
          break;
        case HloOpcode::kBatchNormInference:
          if (norms)
            all.push_back({i, {FactorFirst}, /*is_known=*/true, Format("by which formula {} is computed", i->name())});
          break;
        default: break;
      }
    }
  }
  return all;
}

}  // namespace hloir::check
