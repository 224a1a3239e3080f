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
// "Qr" returns Householder reflections I - tau v v' in the form of LAPACK's geqrf: v below the diagonal, without its
// leading 1, r on and above it, and the taus. "ProductOfElementaryHouseholderReflectors" multiplies them, as orgqr.
// Golub and Van Loan, "Matrix computations", 5.1 and 5.2; for complex numbers v' is conjugated. Of class rounding: the
// order of sums changes. Leaves alone: types other than f32, f64, c64, c128.
#include <algorithm>
#include <cmath>
#include <limits>

#include "hloir/custom_call.h"
#include "hloir/rules.h"
#include "for_loop.h"
#include "matrices.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// [batch…, m, n] matrices, and values for each of their columns.
struct Matrices {
  explicit Matrices(const Shape& shape)
      : dims(shape.dimensions()),
        rank(shape.rank()),
        type(shape.element_type()),
        real(ComplexComponentType(type)),
        column(dims),
        one(dims),
        batch(BatchDimensions(rank)) {
    column[rank - 1] = one[rank - 1] = one[rank - 2] = 1;
  }
  // Broadcasts one number for each matrix, row or column to all elements: dimensions of size 1 in `from` are repeated.
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
  // A mask for the rows of a column: the comparison of the row's number with j.
  Op Rows(HloBuilder& b, Op j, ComparisonDirection direction) const {
    return b.Compare(b.Iota(Shape::Array(PrimitiveType::S32, column), rank - 2), b.Broadcast(j, column, {}), direction);
  }
  Op Zeros(HloBuilder& b, const DimVector& where) const { return b.Full(Shape::Array(type, where), 0); }
  Op Ones(HloBuilder& b, const DimVector& where) const { return b.Full(Shape::Array(type, where), 1); }
  // Right of column j, the matrix with the reflection I - tau v v' from the left: A - v (tau v' A). v is a column, with
  // 0 above row j. As in LAPACK, rows above j and those after v's last number that is not 0 stay as they are, and
  // everything does where tau or v' A is 0, whatever is in the others: 0 times inf is not 0.
  Op Reflect(HloBuilder& b, Op a, Op v, Op tau, Op j) const {
    const Op row = b.Iota(Shape::Array(PrimitiveType::S32, column), rank - 2);
    const Op numbers = b.Select(b.Compare(v, Zeros(b, column), ComparisonDirection::kNe), row,
                                b.Full(Shape::Array(PrimitiveType::S32, column), 0));
    const Op last = b.Reduce(numbers, b.Constant(int32_t{0}), {rank - 2, rank - 1},
                             MakeReducer(b.module(), HloOpcode::kMaximum, PrimitiveType::S32));
    const Op to_last = b.Compare(row, Spread(b, b.Reshape(last, one), column), ComparisonDirection::kLe);
    const Op inside = Spread(b, b.And(Rows(b, j, ComparisonDirection::kGe), to_last), dims);
    DotAttributes inner;
    inner.lhs_batch_dims = inner.rhs_batch_dims = batch;
    inner.lhs_contracting_dims = inner.rhs_contracting_dims = {rank - 2};
    const Op product = b.Dot(Conjugate(b, v), b.Select(inside, a, Zeros(b, dims)), inner);
    if (product == nullptr) return nullptr;
    const DimVector& row_sizes = product->shape().dimensions();
    const Op taus = Spread(b, tau, row_sizes), zeros = Zeros(b, row_sizes);
    const Op made = b.Subtract(a, b.Multiply(Spread(b, v, dims), Spread(b, b.Multiply(taus, product), dims)));
    const Op something = Spread(
        b, b.And(b.Compare(taus, zeros, ComparisonDirection::kNe), b.Compare(product, zeros, ComparisonDirection::kNe)),
        dims);
    const Op right = b.Compare(b.Iota(Shape::Array(PrimitiveType::S32, dims), rank - 1), b.Broadcast(j, dims, {}),
                               ComparisonDirection::kGt);
    return b.Select(b.And(b.And(inside, right), something), made, a);
  }

  DimVector dims;
  int64_t rank;
  PrimitiveType type, real;
  DimVector column, one, batch;
};

// The Householder reflection that makes a column x zero below place j: v, with its 1 at j; tau; and the new, real
// element at j. As LAPACK's larfg: safe for large and tiny numbers, and for both signs of zero.
struct Reflection {
  Op v, tau, beta;
};
Reflection Householder(HloBuilder& b, const Matrices& m, Op x, Op j) {
  const Shape one = Shape::Array(m.real, m.one);
  const Op zero = b.Full(one, 0);
  auto of_each = [&](Op number) { return b.Reshape(number, m.one); };
  auto number = [&](Op real) { return m.type == m.real ? real : b.Convert(real, m.type); };
  auto divide = [&](Op column, Op real) { return DivideByReal(b, column, m.Spread(b, real, m.column)); };
  // Denormal numbers have few digits: they are taken times 2^126 (or 2^1022), which loses none.
  const FloatFormat format = GetFloatFormat(m.real);
  const double least = std::ldexp(1.0, 1 - format.bias);
  const Op from_j = b.Select(m.Rows(b, j, ComparisonDirection::kGe), x, m.Zeros(b, m.column));
  const Op tiny = b.Compare(of_each(LargestPart(b, from_j)), b.Full(one, std::ldexp(least, format.mantissa_bits)),
                            ComparisonDirection::kLt);
  const Op unit = b.Select(tiny, b.Full(one, least), b.Full(one, 1));
  const Op scaled = divide(from_j, unit);
  const Op below = b.Select(m.Rows(b, j, ComparisonDirection::kGt), scaled, m.Zeros(b, m.column));
  std::vector<Op> place(static_cast<size_t>(m.rank), b.Constant(int32_t{0}));
  place[static_cast<size_t>(m.rank - 2)] = j;
  const Op alpha = b.DynamicSlice(scaled, place, m.one);
  // Squares of large numbers would overflow.
  const Op most = of_each(LargestPart(b, scaled));
  const Op finite =
      b.And(b.Compare(most, zero, ComparisonDirection::kGt),
            b.Compare(most, b.Full(one, std::numeric_limits<double>::infinity()), ComparisonDirection::kLt));
  const Op size = b.Select(finite, most, b.Full(one, 1));
  const Op norm = b.Multiply(size, b.Sqrt(of_each(SumOfSquares(b, divide(scaled, size)))));
  Op nothing = b.Compare(of_each(LargestPart(b, below)), zero, ComparisonDirection::kEq);
  const Op real = RealPart(b, alpha);
  if (m.type != m.real) nothing = b.And(nothing, b.Compare(b.Imag(alpha), zero, ComparisonDirection::kEq));
  const Op negative = b.Compare(real, zero, ComparisonDirection::kLt, ComparisonType::kFloatTotalOrder);
  const Op beta = b.Select(nothing, real, b.Select(negative, norm, b.Negate(norm)));
  const Op tau = b.Select(nothing, m.Zeros(b, m.one), DivideByReal(b, b.Subtract(number(beta), alpha), beta));
  const Op length = b.Select(nothing, m.Ones(b, m.one), b.Subtract(alpha, number(beta)));
  const Op v = b.Select(m.Rows(b, j, ComparisonDirection::kEq), m.Ones(b, m.column),
                        b.Divide(below, m.Spread(b, length, m.column)));
  return {v, tau, number(b.Multiply(beta, unit))};
}

Op Factors(HloBuilder& b, Op a, const Shape& taus) {
  const Matrices m(a->shape());
  DimVector one_tau = taus.dimensions();
  one_tau[one_tau.size() - 1] = 1;
  const std::vector<Op> done = ForLoop(
      b, std::min(m.dims[m.rank - 2], m.dims[m.rank - 1]), {a, b.Full(taus, 0)}, [&](HloBuilder& c, Op j, Ops state) {
        const Op x = c.DynamicSlice(state[0], m.Place(c, j, false), m.column);
        const Reflection h = Householder(c, m, x, j);
        const Op rest = m.Reflect(c, state[0], h.v, Conjugate(c, h.tau), j);
        const Op above = c.Select(m.Rows(c, j, ComparisonDirection::kLt), x, h.v);
        const Op made = c.Select(m.Rows(c, j, ComparisonDirection::kEq), m.Spread(c, h.beta, m.column), above);
        std::vector<Op> at(static_cast<size_t>(m.rank - 1), c.Constant(int32_t{0}));
        at.back() = j;
        return std::vector<Op>{c.DynamicUpdateSlice(rest, made, m.Place(c, j, false)),
                               c.DynamicUpdateSlice(state[1], c.Reshape(h.tau, one_tau), at)};
      });
  return b.Tuple(done);
}

Op Product(HloBuilder& b, Op a, Op taus) {
  const Matrices m(a->shape());
  const Shape places = Shape::Array(PrimitiveType::S32, m.dims);
  const Op eye =
      b.Convert(b.Compare(b.Iota(places, m.rank - 2), b.Iota(places, m.rank - 1), ComparisonDirection::kEq), m.type);
  const int64_t last = taus->shape().dimensions(m.rank - 2) - 1;
  DimVector one_tau = taus->shape().dimensions();
  one_tau[one_tau.size() - 1] = 1;
  return ForLoop(b, last + 1, {a, taus, eye}, [&](HloBuilder& c, Op round, Ops state) {
    const Op j = c.Subtract(c.Constant(static_cast<int32_t>(last)), round);
    const Op x = c.DynamicSlice(state[0], m.Place(c, j, false), m.column);
    const Op below = c.Select(m.Rows(c, j, ComparisonDirection::kGt), x, m.Zeros(c, m.column)),
             here = m.Rows(c, j, ComparisonDirection::kEq);
    std::vector<Op> at(static_cast<size_t>(m.rank - 1), c.Constant(int32_t{0}));
    at.back() = j;
    const Op tau = c.Reshape(c.DynamicSlice(state[1], at, one_tau), m.one);
    const Op rest = m.Reflect(c, state[2], c.Select(here, m.Ones(c, m.column), below), tau, j);
    // Column j was the identity's.
    const Op made = c.Select(here, m.Spread(c, c.Subtract(m.Ones(c, m.one), tau), m.column),
                             c.Multiply(below, m.Spread(c, c.Negate(tau), m.column)));
    return std::vector<Op>{state[0], state[1], c.DynamicUpdateSlice(rest, made, m.Place(c, j, false))};
  })[2];
}

HloInstruction* ExpandQr(HloInstruction* i, RuleContext& c) {
  const bool factors = IsCustomCall(*i, CustomCall::kQr) && i->operand_count() == 1 && i->shape().IsTuple() &&
                       i->shape().tuple_size() == 2;
  const bool product =
      IsCustomCall(*i, CustomCall::kHouseholderProduct) && i->operand_count() == 2 && i->shape().IsArray();
  if (!factors && !product) return nullptr;
  const Shape &a = i->operand(0)->shape(), &taus = factors ? i->shape().tuple_shapes(1) : i->operand(1)->shape();
  const PrimitiveType real = ComplexComponentType(a.element_type());
  if (a.rank() < 2 || a.ElementCount() == 0 || (real != PrimitiveType::F32 && real != PrimitiveType::F64))
    return nullptr;
  DimVector wanted = a.dimensions();
  wanted.pop_back();
  const int64_t rows = wanted.back(), columns = a.dimensions(a.rank() - 1);
  if (taus.element_type() != a.element_type() || taus.rank() != a.rank() - 1) return nullptr;
  wanted[wanted.size() - 1] = factors ? std::min(rows, columns) : taus.dimensions(taus.rank() - 1);
  if (taus.dimensions() != wanted || (product && (columns > rows || wanted.back() > columns))) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    return x.size() == 1 ? Factors(b, x[0], i.shape().tuple_shapes(1)) : Product(b, x[0], x[1]);
  });
}

constexpr Rule kQrExpanderRules[] = {
    {HloOpcode::kCustomCall, "expand-qr", "Qr(A) => a loop over its columns", kRounding, kRounding, ExpandQr},
};

}  // namespace
}  // namespace rules

PassDefinition DefineQrExpander() { return rules::DefineRulePass(rules::kQrExpanderRules); }

}  // namespace hloir
