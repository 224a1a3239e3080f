// triangular-solve-expander: systems of equations with a triangular matrix, as a loop over rows.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   a = f32[3,3]{1,0} parameter(0)
//   b = f32[3,2]{1,0} parameter(1)
//   ROOT x = f32[3,2]{1,0} triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
// }
// AFTER
// END
//
// Every form is brought to t x = b: transposes turn a and its triangle over, and x a = b is a' x' = b'. Of class
// rounding: the order of the sums is another.
#include "hloir/rules.h"
#include "for_loop.h"
#include "matrices.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

HloInstruction* ExpandTriangularSolve(HloInstruction* i, RuleContext& c) {
  if ((!IsFloating(i) && !IsComplex(i->shape().element_type())) || i->shape().rank() < 2 ||
      i->shape().ElementCount() == 0)
    return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    const auto& attributes = i.attributes<TriangularSolveAttributes>();
    const int64_t rank = i.shape().rank();
    const DimVector batch = BatchDimensions(rank);
    const bool turned = (attributes.transpose_a != TransposeA::kNoTranspose) == attributes.left_side;
    const bool lower = attributes.lower != turned;
    Op t = turned ? TransposeMatrices(b, x[0]) : x[0];
    if (attributes.transpose_a == TransposeA::kAdjoint) t = Conjugate(b, t);
    const Op right = attributes.left_side ? x[1] : TransposeMatrices(b, x[1]);
    if (t == nullptr || right == nullptr) return Op{nullptr};
    const int64_t n = t->shape().dimensions(rank - 1);
    // Elements outside the triangle may be anything, even NaN.
    const Shape indices = Shape::Array(PrimitiveType::S32, t->shape().dimensions());
    const Op rows = b.Iota(indices, rank - 2), columns = b.Iota(indices, rank - 1);
    const Op inside = b.Compare(rows, columns, lower ? ComparisonDirection::kGt : ComparisonDirection::kLt);
    const Op strict = b.Select(inside, t, b.Full(t->shape(), 0));
    const std::vector<Op> done =
        ForLoop(b, n, {strict, t, right, b.Full(right->shape(), 0)}, [&](HloBuilder& c, Op round, Ops state) {
          const Op at = lower ? round : c.Subtract(c.Constant(static_cast<int32_t>(n - 1)), round);
          std::vector<Op> place(static_cast<size_t>(rank), c.Constant(int32_t{0}));
          place[static_cast<size_t>(rank - 2)] = at;
          DimVector row = state[0]->shape().dimensions(), line = state[2]->shape().dimensions();
          row[rank - 2] = line[rank - 2] = 1;
          DotAttributes numbers;
          numbers.lhs_batch_dims = numbers.rhs_batch_dims = batch;
          numbers.lhs_contracting_dims = {rank - 1};
          numbers.rhs_contracting_dims = {rank - 2};
          Op solved = c.Subtract(c.DynamicSlice(state[2], place, line),
                                 c.Dot(c.DynamicSlice(state[0], place, row), state[3], numbers));
          if (!attributes.unit_diagonal) {
            std::vector<Op> corner = place;
            corner[static_cast<size_t>(rank - 1)] = at;
            DimVector one = row, flat, along = batch;
            one[rank - 1] = 1;
            flat = one;
            flat.pop_back();
            along.push_back(rank - 2);
            solved = c.Divide(solved, c.Broadcast(c.Reshape(c.DynamicSlice(state[1], corner, one), flat), line, along));
          }
          return std::vector<Op>{state[0], state[1], state[2], c.DynamicUpdateSlice(state[3], solved, place)};
        });
    return attributes.left_side ? done[3] : TransposeMatrices(b, done[3]);
  });
}

constexpr Rule kTriangularSolveExpanderRules[] = {
    {HloOpcode::kTriangularSolve, "expand-triangular-solve", "triangular-solve(A, B) => a loop over its rows",
     kRounding, kRounding, ExpandTriangularSolve},
};

}  // namespace
}  // namespace rules

PassDefinition DefineTriangularSolveExpander() { return rules::DefineRulePass(rules::kTriangularSolveExpanderRules); }

}  // namespace hloir
