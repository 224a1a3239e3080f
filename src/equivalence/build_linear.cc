// cholesky and triangular-solve as the loops of XLA's expanders for one block of a matrix. Over the reals any algorithm
// gives the same result if the matrix is positive definite, or invertible. See build.h.
#include <cmath>
#include <limits>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int64_t kBlock = 128;  // larger matrices are cut into blocks
constexpr PrimitiveType kCounts = PrimitiveType::S32, kReal = PrimitiveType::F64;
constexpr int kLess = static_cast<int>(ComparisonDirection::kLt), kEqual = static_cast<int>(ComparisonDirection::kEq);

}  // namespace

// The counter `e` as a row index, clamped to `size` rows.
Index Builder::RowAt(ExprId e, int64_t size) {
  ExprId at = x_.Function(HloOpcode::kMaximum, kCounts, {e, x_.Integer(0, kCounts)});
  at = x_.Function(HloOpcode::kMinimum, kCounts, {at, x_.Integer(size - 1, kCounts)});
  return x_.ValueTerm(at);
}

// Computes a column per iteration: s = a - l l^T; column j of l is column j of s divided by the root of s[j, j].
Value Builder::Cholesky(const HloInstruction& i, ExprId a, Inside in) {
  const Shape& shape = i.shape();
  const size_t r = static_cast<size_t>(shape.rank());
  if (r < 2 || !IsFloat(shape.element_type())) return {};
  const int64_t n = shape.dimensions(shape.rank() - 1);
  if (n < 2 || n > kBlock || shape.ElementCount() == 0) return {};
  x_.Uses(kRounds | kFiniteOnly);
  const auto at = [&](std::vector<Index> batch, Index row, Index column) {
    batch.resize(r);
    batch[r - 2] = std::move(row), batch[r - 1] = std::move(column);
    return batch;
  };
  const std::vector<Index> out = Dimensions(shape);
  const Index row = out[r - 2], column = out[r - 1];
  const bool lower = i.attributes<CholeskyAttributes>().lower;
  if (!lower) a = Read(a, shape, at(out, column, row));
  DimVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[r - 2] = sizes[r - 1] = 1;
  const Shape counter = Shape::Scalar(kCounts), one = Shape::Array(shape.element_type(), sizes),
              flag = Shape::Array(PrimitiveType::PRED, sizes);
  LoopForm form;
  form.shapes = {&counter, &shape, &flag};
  form.instructions = 16;
  form.condition = [&](const Value& carried, Inside) {
    return Value{x_.Compare(kLess, carried[0], x_.Integer(n, kCounts))};
  };
  form.body = [&](const Value& carried, Inside) {
    const VarId over = x_.Fresh(n);
    const ExprId product = x_.Multiply(Read(carried[1], shape, at(out, row, x_.Var(over))),
                                       Read(carried[1], shape, at(out, column, x_.Var(over))));
    const ExprId rest = x_.Named(x_.Add(a, x_.Named(x_.SumOver({over}, product)), -1));
    const Index place = RowAt(carried[0], n);
    const ExprId root = x_.Named(x_.Power(x_.Named(Read(rest, shape, at(Dimensions(one), place, place))), kOne / 2));
    const ExprId inverse = x_.Named(x_.Power(root, -kOne));
    const ExprId here = x_.And(x_.Guard(false, x_.Plus(row, column, -1)),
                               x_.Compare(kEqual, x_.IndexValue(column, kCounts), carried[0]));
    const ExprId made = x_.Named(x_.Multiply(rest, Read(inverse, one, at(out, Index(), Index()))));
    const ExprId next = x_.Add(x_.Named(x_.If(here, made, x_.Real(0))), carried[1]);
    const ExprId failed = x_.Or(carried[2], x_.Not(x_.Compare(kEqual, root, root)));
    return Value{x_.Add(carried[0], x_.Integer(1, kCounts)), x_.Named(next), x_.Named(failed)};
  };
  const Value last = Looped(i, form, {x_.Integer(0, kCounts), x_.Real(0), x_.False()}, in);
  if (!why_.empty() || last.size() != 3) return {};
  const ExprId failed = Read(last[2], flag, at(out, Index(), Index()));
  const ExprId result = x_.If(failed, x_.Real(std::numeric_limits<double>::quiet_NaN()), last[1]);
  return {lower ? result : Read(result, shape, at(out, column, row))};
}

// Inverts the triangle t = m d, where d is its diagonal: each iteration computes a row of the inverse of m.
Value Builder::TriangularSolve(const HloInstruction& i, ExprId a, ExprId b, Inside in) {
  const TriangularSolveAttributes& solve = i.attributes<TriangularSolveAttributes>();
  const Shape &of = i.operand(0)->shape(), &shape = i.shape();
  const size_t r = static_cast<size_t>(of.rank());
  if (r < 2 || shape.rank() != of.rank() || !IsFloat(shape.element_type()) || solve.unit_diagonal) return {};
  const int64_t n = of.dimensions(of.rank() - 1);
  if (n < 2 || n > kBlock || of.ElementCount() == 0 || shape.ElementCount() == 0) return {};
  x_.Uses(kRounds | kFiniteOnly);
  const std::vector<int64_t> batch_sizes(of.dimensions().begin(), of.dimensions().end() - 2);
  int64_t batches = 1;
  for (int64_t size : batch_sizes) batches *= size;
  const Shape flat = Shape::Array(shape.element_type(), {batches, n, n}), counter = Shape::Scalar(kCounts);
  const auto of_batch = [&](const Index& batch, Index row, Index column) {
    std::vector<Index> index = x_.Unflatten(batch, batch_sizes);
    index.push_back(std::move(row)), index.push_back(std::move(column));
    return index;
  };
  const std::vector<Index> out = Dimensions(flat);
  const Index batch = out[0], row = out[1], column = out[2];
  // The triangle as [batch, row, column], with columns divided by the diagonal.
  const Index below = solve.lower ? x_.Plus(row, column, -1) : x_.Plus(column, row, -1);
  const ExprId triangle =
      x_.Named(x_.If(x_.Guard(false, below), Read(a, of, of_batch(batch, row, column)), x_.Real(0)));
  const auto by_diagonal = [&](ExprId e, const Index& at) {
    return x_.Named(x_.Multiply(e, x_.Power(Read(triangle, flat, {batch, at, at}), -kOne)));
  };
  const ExprId scaled = by_diagonal(triangle, column);
  // 1 in the first computed row, -1 on the rest of the diagonal.
  const int64_t first = solve.lower ? 0 : n - 1;
  const auto is_first = [&](const Index& at) {
    return x_.And(x_.Guard(false, x_.Plus(at, Exprs::Number(-first))),
                  x_.Guard(false, x_.Plus(Exprs::Number(first), at, -1)));
  };
  const ExprId unit = x_.Convert(x_.Guard(true, x_.Plus(row, column, -1)), PrimitiveType::PRED, kReal);
  const ExprId start = x_.If(x_.And(is_first(row), is_first(column)), x_.Real(1), x_.Add(x_.Real(0), unit, -1));
  LoopForm form;
  form.shapes = {&counter, &flat};
  form.instructions = 16;
  form.condition = [&](const Value& carried, Inside) {
    return Value{x_.Compare(kLess, carried[0], x_.Integer(n, kCounts))};
  };
  form.body = [&](const Value& carried, Inside) {
    const ExprId place = solve.lower ? carried[0] : x_.Add(x_.Integer(n - 1, kCounts), carried[0], -1);
    const Index at = RowAt(place, n);
    const VarId over = x_.Fresh(n);
    const ExprId product = x_.Multiply(Read(scaled, flat, {batch, at, x_.Var(over)}),
                                       Read(carried[1], flat, {batch, x_.Var(over), column}));
    const ExprId made = x_.Named(x_.Add(x_.Real(0), x_.Named(x_.SumOver({over}, product)), -1));
    const Index past = x_.Plus(row, at, -1);
    const ExprId here = x_.And(x_.Guard(false, past), x_.Guard(false, x_.Times(past, -1)));
    return Value{x_.Add(carried[0], x_.Integer(1, kCounts)), x_.Named(x_.If(here, made, carried[1]))};
  };
  const Value last = Looped(i, form, {x_.Integer(1, kCounts), start}, in);
  if (!why_.empty() || last.size() != 2) return {};
  const ExprId inverse = by_diagonal(last[1], row);
  // The product with the right-hand side.
  const std::vector<Index> to = Dimensions(shape);
  const std::vector<Index> outer(to.begin(), to.end() - 2);
  const Index which = x_.Flatten(outer, batch_sizes);
  const VarId over = x_.Fresh(n);
  const Index k = x_.Var(over), mine = solve.left_side ? to[r - 2] : to[r - 1];
  const bool turned = (solve.transpose_a != TransposeA::kNoTranspose) == solve.left_side;
  std::vector<Index> of_b = to;
  of_b[solve.left_side ? r - 2 : r - 1] = k;
  const std::vector<Index> of_a{which, turned ? k : mine, turned ? mine : k};
  return {x_.SumOver({over}, x_.Multiply(Read(inverse, flat, of_a), Read(b, shape, of_b)))};
}

}  // namespace hloir::equivalence::inside
