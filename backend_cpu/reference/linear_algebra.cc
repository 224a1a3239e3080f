// cholesky and triangular-solve, for a batch of matrices in the last two dimensions, in double.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"

namespace hloir::reference {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> ReadMatrices(const Literal& literal) {
  std::vector<Complex> elements(static_cast<size_t>(literal.element_count()));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = literal.GetAsComplex(static_cast<int64_t>(i));
  return elements;
}

Literal WriteMatrices(const std::vector<Complex>& elements, const Shape& shape) {
  Literal wide(shape.WithElementType(PrimitiveType::C128));
  std::copy(elements.begin(), elements.end(), wide.data<Complex>().begin());
  return wide.Convert(shape.element_type());
}

}  // namespace

// a = l l^H with l lower triangular, or a = u^H u with u upper triangular. Only that triangle of `a` is read, and the
// other triangle of the result is zero. The result is NaN for a matrix that is not positive definite.
StatusOr<Value> EvaluateCholesky(EvalContext& context) {
  const bool lower = context.attributes<CholeskyAttributes>().lower;
  const std::vector<Complex> a = ReadMatrices(context.operand(0));
  const size_t n = static_cast<size_t>(context.dims().back());
  std::vector<Complex> result(a.size());
  for (size_t base = 0; base < a.size(); base += n * n) {
    std::vector<Complex> l(n * n);
    bool positive = true;
    for (size_t i = 0; i < n && positive; ++i) {
      for (size_t j = 0; j <= i && positive; ++j) {
        Complex sum = lower ? a[base + i * n + j] : std::conj(a[base + j * n + i]);
        for (size_t k = 0; k < j; ++k) sum -= l[i * n + k] * std::conj(l[j * n + k]);
        if (i != j) {
          l[i * n + j] = sum / l[j * n + j].real();
        } else {
          positive = sum.real() > 0;
          l[i * n + i] = std::sqrt(sum.real());
        }
      }
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        const Complex value = lower ? l[i * n + j] : std::conj(l[j * n + i]);
        result[base + i * n + j] = positive ? value : Complex(nan, nan);
      }
    }
  }
  return WriteMatrices(result, context.shape);
}

// op(a) x = b, or x op(a) = b (left_side=false), with a triangular; op is identity, transpose or adjoint. Only the
// selected triangle of a is read, and with unit_diagonal not its diagonal, which is assumed to be ones.
StatusOr<Value> EvaluateTriangularSolve(EvalContext& context) {
  const auto& attributes = context.attributes<TriangularSolveAttributes>();
  const std::vector<Complex> a = ReadMatrices(context.operand(0));
  std::vector<Complex> x = ReadMatrices(context.operand(1));
  const DimVector& dims = context.dims();
  if (dims.size() < 2) return InvalidArgument("triangular-solve takes matrices");
  if (x.empty()) return WriteMatrices(x, context.shape);
  const size_t rows = static_cast<size_t>(dims[dims.size() - 2]), columns = static_cast<size_t>(dims.back());
  const size_t n = attributes.left_side ? rows : columns, lines = attributes.left_side ? columns : rows;
  const size_t matrices = x.size() / (rows * columns);
  if (a.size() != matrices * n * n) {
    return InvalidArgument(Format("{}'s matrices do not fit each other", context.instruction.name()));
  }
  const bool transposed = attributes.transpose_a != TransposeA::kNoTranspose;
  // x op(a) = b is op(a)^T x^T = b^T: another transposition of a, with rows of x as columns.
  const bool flipped = transposed == attributes.left_side;
  const bool forward = attributes.lower != flipped;  // op(a), as it acts on a column, is lower triangular
  // Not every library's complex division is exact for real numbers.
  const bool real = !IsComplex(context.shape.element_type());
  for (size_t m = 0; m < matrices; ++m) {
    auto element = [&](size_t i, size_t j) {
      const Complex value = a[m * n * n + (flipped ? j * n + i : i * n + j)];
      return attributes.transpose_a == TransposeA::kAdjoint ? std::conj(value) : value;
    };
    for (size_t line = 0; line < lines; ++line) {
      auto unknown = [&](size_t i) -> Complex& {
        return x[m * rows * columns + (attributes.left_side ? i * columns + line : line * columns + i)];
      };
      for (size_t step = 0; step < n; ++step) {
        const size_t i = forward ? step : n - 1 - step;
        Complex sum = unknown(i);
        for (size_t done = 0; done < step; ++done) {
          const size_t k = forward ? done : n - 1 - done;
          sum -= element(i, k) * unknown(k);
        }
        if (attributes.unit_diagonal) unknown(i) = sum;
        else unknown(i) = real ? Complex(sum.real() / element(i, i).real()) : sum / element(i, i);
      }
    }
  }
  return WriteMatrices(x, context.shape);
}

}  // namespace hloir::reference
