// eigh-expander: eigenvectors and eigenvalues of symmetric and Hermitian matrices, the custom-call "Eigh", by Jacobi's
// rotations.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = f32[3,3]{1,0} parameter(0)
//   xt = f32[3,3]{0,1} transpose(x), dimensions={1,0}
//   a = f32[3,3]{1,0} add(x, xt)
//   eigh = (f32[3,3]{1,0}, f32[3]{0}) custom-call(a), custom_call_target="Eigh", backend_config="1,1,100,1e-6"
//   ROOT w = f32[3]{0} get-tuple-element(eigh), index=1
// }
// AFTER
// END
//
// Its backend_config has: lower triangle (1) or upper (0), sorted eigenvalues (1) or not (0), the maximal number of
// sweeps, the tolerance. A round rotates n/2 pairs of rows at once: element (i, i + n/2) becomes 0 for each i; then
// rows and columns are permuted, so that n - 1 rounds, a sweep, cover all pairs (Brent and Luk, "The solution of
// singular-value and symmetric eigenvalue problems on multiprocessor arrays", 1985). For a complex element the sine of
// a rotation has its phase. The sign, or phase, of an eigenvector is unspecified. Of class rounding. Leaves alone:
// types other than f32, f64, c64, c128.
#include <charconv>
#include <limits>

#include "hloir/custom_call.h"
#include "hloir/parser.h"
#include "hloir/rules.h"
#include "for_loop.h"
#include "matrices.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

struct Config {
  int lower = 0, sort = 0, sweeps = 0;
  double tolerance = 0;
};
std::optional<Config> ReadConfig(std::string_view text) {
  Config config;
  const char *at = text.data(), *end = at + text.size();
  auto number = [&](int& value) {
    const auto [next, error] = std::from_chars(at, end, value);
    at = next;
    return error == std::errc();
  };
  auto tolerance = [&] {
    const auto read = ParseLiteral("f64[] " + std::string(at, end));
    if (read.ok()) config.tolerance = read->data<double>()[0];
    return read.ok();
  };
  auto comma = [&] { return at != end && *at++ == ','; };
  const bool good = number(config.lower) && comma() && number(config.sort) && comma() && number(config.sweeps) &&
                    comma() && tolerance() && config.sweeps >= 0;
  return good ? std::optional(config) : std::nullopt;
}

// [batch…, n, n] matrices of even n = 2 * half.
struct Jacobi {
  explicit Jacobi(const Shape& shape)
      : shape(shape),
        rank(shape.rank()),
        half(shape.dimensions(rank - 1) / 2),
        type(shape.element_type()),
        real(ComplexComponentType(type)) {}
  Op Zero(HloBuilder& b) const { return b.Full(shape, 0); }
  // A mask of the elements with column - row == `distance`.
  Op Diagonal(HloBuilder& b, int64_t distance) const {
    const Shape places = Shape::Array(PrimitiveType::S32, shape.dimensions());
    return b.Compare(b.Add(b.Iota(places, rank - 2), b.Full(places, static_cast<double>(distance))),
                     b.Iota(places, rank - 1), ComparisonDirection::kEq);
  }
  // The elements on that diagonal, row by row; 0 where the row has none.
  Op Along(HloBuilder& b, Op a, int64_t distance) const {
    return b.Reduce(b.Select(Diagonal(b, distance), a, Zero(b)), b.Constant(type, 0), {rank - 1},
                    MakeReducer(b.module(), HloOpcode::kAdd, type));
  }
  // Broadcasts a vector's element of each row (dimension rank - 2) or column (rank - 1) along that row or column.
  Op Spread(HloBuilder& b, Op v, int64_t dimension) const {
    DimVector along;
    for (int64_t d = 0; d < rank - 2; ++d) along.push_back(d);
    along.push_back(dimension);
    return b.Broadcast(v, shape.dimensions(), along);
  }
  static Op Part(HloBuilder& b, Op x, int64_t dimension, int64_t from, int64_t to) {
    if (x == nullptr) return nullptr;
    DimVector starts(x->shape().dimensions().size(), 0), limits = x->shape().dimensions();
    starts[dimension] = from, limits[dimension] = to;
    return b.Slice(x, starts, limits);
  }
  Op Halves(HloBuilder& b, Op x, int64_t dimension, bool second) const {
    return Part(b, x, dimension, second ? half : 0, second ? 2 * half : half);
  }
  // A real vector as numbers of the matrices' type.
  Op Number(HloBuilder& b, Op x) const { return type == real ? x : b.Convert(x, type); }
  // Rows (or columns) of both halves against each other: first * c - second * s, second * c + first * conjugate s.
  Op Rotate(HloBuilder& b, Op a, Op c, Op s, int64_t dimension) const {
    const Op swapped = b.Concatenate({Halves(b, a, dimension, true), Halves(b, a, dimension, false)}, dimension);
    const Op cosines = b.Concatenate({c, c}, rank - 2), sines = b.Concatenate({b.Negate(s), Conjugate(b, s)}, rank - 2);
    return b.Add(b.Multiply(a, Spread(b, cosines, dimension)), b.Multiply(swapped, Spread(b, sines, dimension)));
  }
  // All but the first row move on by one seat around the table of the two halves.
  Op MoveOn(HloBuilder& b, Op a, int64_t dimension) const {
    if (half == 1) return a;
    return b.Concatenate(
        {Part(b, a, dimension, 0, 1), Part(b, a, dimension, half, half + 1), Part(b, a, dimension, 1, half - 1),
         Part(b, a, dimension, half + 1, 2 * half), Part(b, a, dimension, half - 1, half)},
        dimension);
  }
  // One round: the matrix, and the conjugated eigenvectors as rows.
  std::vector<Op> Round(HloBuilder& b, Op a, Op v) const {
    const Op diagonal = RealPart(b, Along(b, a, 0)), element = Halves(b, Along(b, a, half), rank - 2, false);
    const Op p = Halves(b, diagonal, rank - 2, false), q = Halves(b, diagonal, rank - 2, true),
             off = type == real ? element : b.Abs(element);
    if (off == nullptr) return {nullptr, nullptr};
    auto full = [&](double value) { return b.Full(off->shape(), value); };
    const Op tau = b.Divide(b.Subtract(q, p), b.Multiply(full(2), off));
    const Op root = b.Sqrt(b.Add(full(1), b.Multiply(tau, tau)));
    const Op signed_root = b.Select(b.Compare(tau, full(0), ComparisonDirection::kGe), root, b.Negate(root));
    const double epsilon =
        real == PrimitiveType::F32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    const Op tiny =
        b.Compare(b.Abs(off), b.Multiply(full(0.1 * epsilon), b.Minimum(b.Abs(p), b.Abs(q))), ComparisonDirection::kLe);
    const Op t = b.Select(tiny, full(0), b.Divide(full(1), b.Add(tau, signed_root)));
    const Op cosine = b.Rsqrt(b.Add(full(1), b.Multiply(t, t))), sine = b.Multiply(t, cosine);
    const Op c = Number(b, cosine);
    Op s = Number(b, sine);
    if (type != real)
      s = b.Select(b.Compare(off, full(0), ComparisonDirection::kEq), s, b.Multiply(s, DivideByReal(b, element, off)));
    const Op rest = Rotate(b, Rotate(b, a, c, s, rank - 2), c, Conjugate(b, s), rank - 1);
    const Op change = b.Multiply(t, off);
    const Op values = b.Concatenate({b.Subtract(p, change), b.Add(q, change)}, rank - 2);
    const Op cleared = b.Select(b.Or(Diagonal(b, half), Diagonal(b, -half)), Zero(b), rest);
    const Op rotated = b.Select(Diagonal(b, 0), Spread(b, Number(b, values), rank - 2), cleared);
    return {MoveOn(b, MoveOn(b, rotated, rank - 2), rank - 1), MoveOn(b, Rotate(b, v, c, s, rank - 2), rank - 2)};
  }
  // True while the off-diagonal elements of a matrix exceed the tolerance.
  Op Unfinished(HloBuilder& b, Op a, double tolerance) const {
    const Op whole = SumOfSquares(b, a), off = SumOfSquares(b, b.Select(Diagonal(b, 0), Zero(b), a));
    if (whole == nullptr) return nullptr;
    const Op more =
        b.Compare(off, b.Multiply(whole, b.Full(whole->shape(), tolerance * tolerance)), ComparisonDirection::kGt);
    return b.Reduce(more, b.Constant(false), BatchDimensions(rank),
                    MakeReducer(b.module(), HloOpcode::kOr, PrimitiveType::PRED));
  }

  Shape shape;
  int64_t rank, half;
  PrimitiveType type, real;
};

Op BuildEigh(HloBuilder& b, HloInstruction& i, Ops x) {
  const Config config = *ReadConfig(i.extras().backend_config);
  const Shape whole = Shape::Array(x[0]->shape().element_type(), x[0]->shape().dimensions());
  const PrimitiveType type = whole.element_type(), real = ComplexComponentType(type);
  const int64_t rank = whole.rank(), n = whole.dimensions(rank - 1);
  const DimVector batch = BatchDimensions(rank);
  // One triangle is read, and of the diagonal the real part; the other is its mirror.
  const Shape places = Shape::Array(PrimitiveType::S32, whole.dimensions());
  const Op read = b.Compare(b.Iota(places, rank - 2), b.Iota(places, rank - 1),
                            config.lower != 0 ? ComparisonDirection::kGe : ComparisonDirection::kLe);
  Op a = b.Select(read, x[0], Adjoint(b, x[0]));
  const Op diagonal = b.Compare(b.Iota(places, rank - 2), b.Iota(places, rank - 1), ComparisonDirection::kEq);
  if (type != real) a = b.Select(diagonal, b.Convert(b.Real(a), type), a);
  // Numbers up to 1, so that squares neither overflow nor vanish.
  const Op most = LargestPart(b, a);
  if (most == nullptr) return nullptr;
  const Op scale =
      b.Select(b.Compare(most, b.Full(most->shape(), 0), ComparisonDirection::kEq), b.Full(most->shape(), 1), most);
  a = DivideByReal(b, a, b.Broadcast(scale, whole.dimensions(), batch));
  if (n % 2 == 1) {
    PaddingConfig padding(static_cast<size_t>(rank));
    padding[rank - 2].high = padding[rank - 1].high = 1;
    a = b.Pad(a, b.Constant(type, 0), padding);
  }
  if (a == nullptr) return nullptr;
  const Jacobi jacobi(a->shape());
  const Op eye = b.Convert(jacobi.Diagonal(b, 0), type);
  const std::vector<Op> done = WhileLoop(
      b, "jacobi", {a, eye, b.Constant(int32_t{0})},
      [&](HloBuilder& c, Ops state) {
        return c.And(c.Compare(state[2], c.Constant(static_cast<int32_t>(config.sweeps)), ComparisonDirection::kLt),
                     jacobi.Unfinished(c, state[0], config.tolerance));
      },
      [&](HloBuilder& c, Ops state) {
        std::vector<Op> next = ForLoop(c, 2 * jacobi.half - 1, {state[0], state[1]},
                                       [&](HloBuilder& d, Op, Ops now) { return jacobi.Round(d, now[0], now[1]); });
        next.push_back(c.Add(state[2], c.Constant(int32_t{1})));
        return next;
      });
  DimVector starts(whole.dimensions().size(), 0), some = whole.dimensions();
  some.pop_back();
  Op w = b.Slice(RealPart(b, jacobi.Along(b, done[0], 0)), DimVector(some.size(), 0), some);
  Op v = Adjoint(b, b.Slice(done[1], starts, whole.dimensions()));
  w = b.Multiply(w, b.Broadcast(scale, some, batch));
  if (config.sort != 0) {
    DimVector along = batch, row = whole.dimensions();
    along.push_back(rank - 1);
    row[rank - 2] = 1;
    const PrimitiveType types[] = {real, type};
    const Op sorted = b.Sort({b.Broadcast(w, whole.dimensions(), along), v}, rank - 1,
                             MakeComparator(b.module(), ComparisonDirection::kLt, types), true);
    w = b.Reshape(b.Slice(b.GetTupleElement(sorted, 0), starts, row), some);
    v = b.GetTupleElement(sorted, 1);
  }
  return b.Tuple({v, w});
}

HloInstruction* ExpandEigh(HloInstruction* i, RuleContext& c) {
  if (!IsCustomCall(*i, CustomCall::kEigh) || i->operand_count() != 1) return nullptr;
  const Shape& a = i->operand(0)->shape();
  const PrimitiveType real = ComplexComponentType(a.element_type());
  if (a.rank() < 2 || a.ElementCount() == 0 || (real != PrimitiveType::F32 && real != PrimitiveType::F64))
    return nullptr;
  if (a.dimensions(a.rank() - 1) != a.dimensions(a.rank() - 2) || !ReadConfig(i->extras().backend_config))
    return nullptr;
  return c.Expand(BuildEigh);
}

constexpr Rule kEighExpanderRules[] = {
    {HloOpcode::kCustomCall, "expand-eigh", "Eigh(A) => rotations until A is diagonal", kRounding, kRounding,
     ExpandEigh},
};

}  // namespace
}  // namespace rules

PassDefinition DefineEighExpander() { return rules::DefineRulePass(rules::kEighExpanderRules); }

}  // namespace hloir
