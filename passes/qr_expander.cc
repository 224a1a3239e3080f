// qr-expander: the custom-calls of QR's factors, as loops over columns.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   a = f32[4,3]{1,0} parameter(0)
//   ROOT qr = (f32[4,3]{1,0}, f32[3]{0}) custom-call(a), custom_call_target="Qr"
// }
// AFTER
// END
//
// "Qr" gives Householder's reflections I - tau v v' as LAPACK's geqrf does: v below the diagonal, where its 1 is not written,
// r on and above it, and the taus. "ProductOfElementaryHouseholderReflectors" multiplies them out, as orgqr. Golub and Van Loan,
// "Matrix computations", 5.1 and 5.2. Of class rounding: the order of the sums is another. Leaves alone: complex numbers.
#include <algorithm>

#include "algebraic_simplifier/rules.h"
#include "for_loop.h"

namespace hloir {
namespace algebraic_simplifier {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// [batch…, m, n] matrices, and what is said of their columns.
struct Matrices {
  explicit Matrices(const Shape& shape) : dims(shape.dimensions()), rank(shape.rank()), type(shape.element_type()), column(dims), row(dims), one(dims) {
    column[rank - 1] = row[rank - 2] = one[rank - 1] = one[rank - 2] = 1;
    for (int64_t d = 0; d < rank - 2; ++d) batch.push_back(d);
  }
  // What is one number for each matrix, or each row or column of it, everywhere: ones in `from` are spread out.
  Op Spread(HloBuilder& b, Op x, const DimVector& to) const {
    if (x == nullptr) return nullptr;
    DimVector flat, along;
    for (int64_t d = 0; d < rank; ++d) {
      if (d >= rank - 2 && x->shape().dimensions(d) == 1 && to[d] != 1) continue;
      flat.push_back(x->shape().dimensions(d)), along.push_back(d);
    }
    return b.Broadcast(b.Reshape(x, flat), to, along);
  }
  // Place of the column j, or of its element j.
  std::vector<Op> Place(HloBuilder& b, Op j, bool diagonal) const {
    std::vector<Op> place(static_cast<size_t>(rank), b.Constant(int32_t{0}));
    place[static_cast<size_t>(rank - 1)] = j;
    if (diagonal) place[static_cast<size_t>(rank - 2)] = j;
    return place;
  }
  // Row by row, is the row's number so related to j?
  Op Rows(HloBuilder& b, Op j, ComparisonDirection direction) const {
    return b.Compare(b.Iota(Shape::Array(PrimitiveType::S32, column), rank - 2), b.Broadcast(j, column, {}), direction);
  }
  // A with the reflection by v, a column, as is tau, from the left: A - tau v (v' A).
  Op Reflect(HloBuilder& b, Op a, Op v, Op tau) const {
    DotAttributes inner;
    inner.lhs_batch_dims = inner.rhs_batch_dims = batch;
    inner.lhs_contracting_dims = inner.rhs_contracting_dims = {rank - 2};
    const Op product = b.Dot(v, a, inner);
    return b.Subtract(a, b.Multiply(Spread(b, b.Multiply(tau, v), dims), Spread(b, product, dims)));
  }

  DimVector dims;
  int64_t rank;
  PrimitiveType type;
  DimVector column, row, one, batch;
};

// The reflection that leaves of a column x nothing below place j: v, with its 1 at j; tau; and what stands at j then.
struct Reflection {
  Op v, tau, beta;
};
Reflection Householder(HloBuilder& b, const Matrices& m, Op x, Op j) {
  const Op zero = b.Full(Shape::Array(m.type, m.one), 0), one = b.Full(Shape::Array(m.type, m.one), 1);
  const Op below = b.Select(m.Rows(b, j, ComparisonDirection::kGt), x, b.Full(Shape::Array(m.type, m.column), 0));
  std::vector<Op> place(static_cast<size_t>(m.rank), b.Constant(int32_t{0}));
  place[static_cast<size_t>(m.rank - 2)] = j;
  const Op alpha = b.DynamicSlice(x, place, m.one);
  const Op sigma = b.Reshape(b.Reduce(b.Multiply(below, below), b.Constant(m.type, 0), {m.rank - 2, m.rank - 1},
                                      MakeReducer(b.module(), HloOpcode::kAdd, m.type)), m.one);
  const Op norm = b.Sqrt(b.Add(b.Multiply(alpha, alpha), sigma));
  const Op nothing = b.Compare(sigma, zero, ComparisonDirection::kEq);
  const Op beta = b.Select(nothing, alpha, b.Select(b.Compare(alpha, zero, ComparisonDirection::kLt), norm, b.Negate(norm)));
  const Op tau = b.Select(nothing, zero, b.Divide(b.Subtract(beta, alpha), beta));
  const Op scale = b.Select(nothing, one, b.Subtract(alpha, beta));
  const Op v = b.Select(m.Rows(b, j, ComparisonDirection::kEq), b.Full(Shape::Array(m.type, m.column), 1),
                        b.Divide(below, m.Spread(b, scale, m.column)));
  return {v, tau, beta};
}

Op Factors(HloBuilder& b, Op a, const Shape& taus) {
  const Matrices m(a->shape());
  DimVector one_tau = taus.dimensions();
  one_tau[one_tau.size() - 1] = 1;
  const std::vector<Op> done = ForLoop(b, std::min(m.dims[m.rank - 2], m.dims[m.rank - 1]), {a, b.Full(taus, 0)}, [&](HloBuilder& c, Op j, Ops state) {
    const Op x = c.DynamicSlice(state[0], m.Place(c, j, false), m.column);
    const Reflection h = Householder(c, m, x, j);
    const Op later = c.Compare(c.Iota(Shape::Array(PrimitiveType::S32, m.dims), m.rank - 1), c.Broadcast(j, m.dims, {}), ComparisonDirection::kGt);
    const Op rest = c.Select(later, m.Reflect(c, state[0], h.v, m.Spread(c, h.tau, m.column)), state[0]);
    const Op above = c.Select(m.Rows(c, j, ComparisonDirection::kLt), x, h.v);
    const Op made = c.Select(m.Rows(c, j, ComparisonDirection::kEq), m.Spread(c, h.beta, m.column), above);
    std::vector<Op> at(static_cast<size_t>(m.rank - 1), c.Constant(int32_t{0}));
    at.back() = j;
    return std::vector<Op>{c.DynamicUpdateSlice(rest, made, m.Place(c, j, false)), c.DynamicUpdateSlice(state[1], c.Reshape(h.tau, one_tau), at)};
  });
  return b.Tuple(done);
}

Op Product(HloBuilder& b, Op a, Op taus) {
  const Matrices m(a->shape());
  const Shape places = Shape::Array(PrimitiveType::S32, m.dims);
  const Op eye = b.Convert(b.Compare(b.Iota(places, m.rank - 2), b.Iota(places, m.rank - 1), ComparisonDirection::kEq), m.type);
  const int64_t last = taus->shape().dimensions(m.rank - 2) - 1;
  DimVector one_tau = taus->shape().dimensions();
  one_tau[one_tau.size() - 1] = 1;
  return ForLoop(b, last + 1, {a, taus, eye}, [&](HloBuilder& c, Op round, Ops state) {
    const Op j = c.Subtract(c.Constant(static_cast<int32_t>(last)), round);
    const Op x = c.DynamicSlice(state[0], m.Place(c, j, false), m.column);
    const Op one = c.Full(Shape::Array(m.type, m.column), 1), zero = c.Full(Shape::Array(m.type, m.column), 0);
    const Op v = c.Select(m.Rows(c, j, ComparisonDirection::kGt), x, c.Select(m.Rows(c, j, ComparisonDirection::kEq), one, zero));
    std::vector<Op> at(static_cast<size_t>(m.rank - 1), c.Constant(int32_t{0}));
    at.back() = j;
    const Op tau = m.Spread(c, c.Reshape(c.DynamicSlice(state[1], at, one_tau), m.one), m.column);
    return std::vector<Op>{state[0], state[1], m.Reflect(c, state[2], v, tau)};
  })[2];
}

HloInstruction* Expand(HloInstruction* i, RuleContext& c) {
  const std::string& target = i->attributes<CustomCallAttributes>().custom_call_target;
  const bool factors = target == "Qr" && i->operand_count() == 1 && i->shape().IsTuple() && i->shape().tuple_size() == 2;
  const bool product = target == "ProductOfElementaryHouseholderReflectors" && i->operand_count() == 2 && i->shape().IsArray();
  if (!factors && !product) return nullptr;
  const Shape &a = i->operand(0)->shape(), &taus = factors ? i->shape().tuple_shapes(1) : i->operand(1)->shape();
  if (a.rank() < 2 || a.ElementCount() == 0 || (a.element_type() != PrimitiveType::F32 && a.element_type() != PrimitiveType::F64)) return nullptr;
  DimVector wanted = a.dimensions();
  wanted.pop_back();
  const int64_t rows = wanted.back(), columns = a.dimensions(a.rank() - 1);
  if (taus.element_type() != a.element_type() || taus.rank() != a.rank() - 1) return nullptr;
  wanted[wanted.size() - 1] = factors ? std::min(rows, columns) : taus.dimensions(taus.rank() - 1);
  if (taus.dimensions() != wanted || (product && (columns > rows || wanted.back() > columns))) return nullptr;
  return c.Expand([](HloBuilder& b, const HloInstruction& i, Ops x) {
    return x.size() == 1 ? Factors(b, x[0], i.shape().tuple_shapes(1)) : Product(b, x[0], x[1]);
  });
}

constexpr Rule kRules[] = {
    {HloOpcode::kCustomCall, "expand-qr", "Qr(A) => a loop over its columns", kRounding, kRounding, Expand},
};

}  // namespace
}  // namespace algebraic_simplifier

std::unique_ptr<HloPass> MakeQrExpander(const PassOptions& options) {
  return algebraic_simplifier::MakeRulePass("qr-expander", algebraic_simplifier::kRules, options);
}

}  // namespace hloir
