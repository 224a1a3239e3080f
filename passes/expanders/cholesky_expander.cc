// cholesky-expander: the Cholesky factor as a loop over columns.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   a = f32[3,3]{1,0} parameter(0)
//   ROOT l = f32[3,3]{1,0} cholesky(a), lower=true
// }
// AFTER
// END
//
// Column j of l is (a's column j - l times l's row j) over the root of that at j. The result is NaN for a matrix that
// is not positive definite, as for the operation. Complex rows are conjugated; the real part of the diagonal is used.
// Of class rounding: the order of sums changes.
#include <cmath>

#include "hloir/rules.h"
#include "for_loop.h"
#include "matrices.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

HloInstruction* ExpandCholesky(HloInstruction* i, RuleContext& c) {
  if ((!IsFloating(i) && !IsComplex(i->shape().element_type())) || i->shape().rank() < 2 ||
      i->shape().ElementCount() == 0)
    return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    const Shape& shape = i.shape();
    const PrimitiveType type = shape.element_type(), real = ComplexComponentType(type);
    const int64_t rank = shape.rank(), n = shape.dimensions(rank - 1);
    const bool lower = i.attributes<CholeskyAttributes>().lower;
    DimVector column = shape.dimensions(), row = column;
    const DimVector batch = BatchDimensions(rank);
    column[rank - 1] = row[rank - 2] = 1;
    const Op a = lower ? x[0] : Adjoint(b, x[0]);
    const std::vector<Op> done = ForLoop(b, n, {a, b.Full(shape, 0)}, [&](HloBuilder& c, Op j, Ops state) {
      const Op zero = c.Constant(int32_t{0});
      std::vector<Op> at_column(static_cast<size_t>(rank), zero), at_row = at_column;
      at_column[static_cast<size_t>(rank - 1)] = at_row[static_cast<size_t>(rank - 2)] = j;
      DotAttributes numbers;
      numbers.lhs_batch_dims = numbers.rhs_batch_dims = batch;
      numbers.lhs_contracting_dims = numbers.rhs_contracting_dims = {rank - 1};
      const Op known = c.Dot(state[1], Conjugate(c, c.DynamicSlice(state[1], at_row, row)), numbers);
      const Op rest = c.Subtract(c.DynamicSlice(state[0], at_column, column), known);
      DimVector one = column, along = batch;
      one[rank - 2] = 1;
      along.push_back(rank - 1);
      const Op diagonal = c.Sqrt(RealPart(c, c.DynamicSlice(rest, at_row, one)));
      DimVector flat = one;
      flat.pop_back();  // of sizes [batch…, 1]
      const Op root = c.Broadcast(c.Reshape(diagonal, flat), column, along);
      const Shape indices = Shape::Array(PrimitiveType::S32, column);
      const Op line = c.Iota(indices, rank - 2), here = c.Broadcast(j, column, {});
      Op made = c.Select(c.Compare(line, here, ComparisonDirection::kEq), real == type ? root : c.Convert(root, type),
                         DivideByReal(c, rest, root));
      made = c.Select(c.Compare(line, here, ComparisonDirection::kLt), c.Full(Shape::Array(type, column), 0), made);
      return std::vector<Op>{state[0], c.DynamicUpdateSlice(state[1], made, at_column)};
    });
    // A root of 0 or of less shows on the diagonal as 0 or NaN.
    Op l = done[1];
    const Op on_diagonal =
        b.Compare(b.Iota(Shape::Array(PrimitiveType::S32, shape.dimensions()), rank - 2),
                  b.Iota(Shape::Array(PrimitiveType::S32, shape.dimensions()), rank - 1), ComparisonDirection::kEq);
    const Op positive =
        b.Or(b.Not(on_diagonal),
             b.Compare(RealPart(b, l), b.Full(Shape::Array(real, shape.dimensions()), 0), ComparisonDirection::kGt));
    const Op all = b.Reduce(positive, b.Constant(true), {rank - 2, rank - 1},
                            MakeReducer(b.module(), HloOpcode::kAnd, PrimitiveType::PRED));
    const Op nan = b.Full(Shape::Array(real, shape.dimensions()), std::nan(""));
    l = b.Select(b.Broadcast(all, shape.dimensions(), batch), l, real == type ? nan : b.Complex(nan, nan));
    return lower ? l : Adjoint(b, l);
  });
}

constexpr Rule kCholeskyExpanderRules[] = {
    {HloOpcode::kCholesky, "expand-cholesky", "cholesky(A) => a loop over its columns", kRounding, kRounding,
     ExpandCholesky},
};

}  // namespace
}  // namespace rules

PassDefinition DefineCholeskyExpander() { return rules::DefineRulePass(rules::kCholeskyExpanderRules); }

}  // namespace hloir
