// Solvers of XLA's and jaxlib's GPU calls with equivalent HLO ops. Other LAPACK routines are in
// backend_cpu/calls/lapack.cc.
#include "custom_calls/call.h"
#include "support/endian.h"
#include "support/format.h"

namespace hloir::custom_calls {
namespace {

constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

Op Transposed(const Call& call, Op x) {
  const int64_t rank = x->shape().rank();
  DimVector order;
  for (int64_t d = 0; d < rank - 2; ++d) order.push_back(d);
  order.push_back(rank - 1), order.push_back(rank - 2);
  return call.b.Transpose(x, order);
}

// x times its transpose, for each matrix.
Op TimesTransposed(const Call& call, Op x) {
  DotAttributes dims;
  const int64_t last = x->shape().rank() - 1;
  for (int64_t d = 0; d + 1 < last; ++d) dims.lhs_batch_dims.push_back(d), dims.rhs_batch_dims.push_back(d);
  dims.lhs_contracting_dims = dims.rhs_contracting_dims = {last};
  return call.b.Dot(x, x, dims);
}

}  // namespace

StatusOr<Op> Cholesky(const Call& call) {
  if (call.x.size() != 1) return Wrong(call, "it takes a matrix");
  return call.Give({call.b.Cholesky(call.x[0], Flag(call.config, "lower"))});
}

StatusOr<Op> TriangularSolve(const Call& call) {
  if (call.x.size() != 2) return Wrong(call, "it takes two matrices");
  TriangularSolveAttributes a;
  a.left_side = Flag(call.config, "left_side"), a.lower = Flag(call.config, "lower");
  a.unit_diagonal = Flag(call.config, "unit_diagonal");
  const std::string form = Choice(call.config, "transpose_a", kTransposes);
  a.transpose_a = form == "TRANSPOSE" ? TransposeA::kTranspose
                  : form == "ADJOINT" ? TransposeA::kAdjoint
                                      : TransposeA::kNoTranspose;
  return call.Give({call.b.TriangularSolve(call.x[0], call.x[1], a)});
}

// The same with jaxlib's descriptor, until 2023: numbers of four bytes: type, batch, m, n, side, uplo, operation,
// diagonal. CUDA counts the enumerators from 0, ROCm from 111 (operation), 121 (uplo), 131 (diagonal), 141 (side).
StatusOr<Op> TrsmBatched(const Call& call) {
  const std::string_view bytes = call.instruction.extras().backend_config;
  if (call.x.size() != 2 || bytes.size() < 32) return Wrong(call, "it takes two matrices and a descriptor");
  const auto choice = [&](size_t i, int32_t first_of_rocm) {
    const int32_t value = LoadLittleEndian<int32_t>(bytes.data() + 4 * i);
    return value >= first_of_rocm ? value - first_of_rocm : value;
  };
  TriangularSolveAttributes a;
  const int32_t uplo = choice(5, 200);
  a.left_side = choice(4, 141) == 0, a.lower = uplo == 0 || uplo == 122, a.unit_diagonal = choice(7, 131) == 1;
  const int32_t operation = choice(6, 111);
  a.transpose_a = operation == 0   ? TransposeA::kNoTranspose
                  : operation == 1 ? TransposeA::kTranspose
                                   : TransposeA::kAdjoint;
  return call.Give({call.b.TriangularSolve(call.x[0], call.x[1], a)});
}

// (A, C, alpha, beta) to alpha A·A^T + beta C, or of A^T·A. The library writes one triangle; this builds both.
StatusOr<Op> SymmetricProduct(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.size() != 4 || call.x[0]->shape().rank() < 2 || !call.x[2]->shape().IsScalar() ||
      !call.x[3]->shape().IsScalar())
    return Wrong(call, "it takes two matrices and two numbers");
  const bool transposed = call.instruction.extras().backend_config.find("transpose = true") != std::string::npos;
  const Op product = TimesTransposed(call, transposed ? Transposed(call, call.x[0]) : call.x[0]);
  if (product == nullptr) return Wrong(call, "it takes a matrix");
  const DimVector sizes = product->shape().dimensions();
  return call.Give({b.Add(b.Multiply(b.Broadcast(call.x[2], sizes, {}), product),
                          b.Multiply(b.Broadcast(call.x[3], sizes, {}), call.x[1]))});
}

// (R, w), R upper triangular, to the Cholesky factor of R^T·R + w·w^T; the second result is scratch.
StatusOr<Op> CholeskyUpdate(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.size() != 2 || call.x[0]->shape().rank() != 2 || call.x[1]->shape().rank() != 1)
    return Wrong(call, "it takes a matrix and a vector");
  const DimVector sizes = call.x[0]->shape().dimensions();
  const Op column = b.Reshape(call.x[1], {call.x[1]->shape().dimensions(0), 1});
  const Op sum = b.Add(TimesTransposed(call, Transposed(call, call.x[0])), TimesTransposed(call, column));
  const Shape places = Shape::Array(PrimitiveType::S32, sizes);
  const Op upper = b.Compare(b.Iota(places, 0), b.Iota(places, 1), ComparisonDirection::kLe);
  const Op factor = b.Cholesky(sum, /*lower=*/false);
  return call.Give({b.Select(upper, factor, b.Full(Shape::Array(call.x[0]->shape().element_type(), sizes), 0))});
}

}  // namespace hloir::custom_calls
