// fft: the four kinds of discrete Fourier transform, over the last dimensions, in double.
#include <complex>
#include <numbers>

#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"

namespace hloir::reference {
namespace {

using Complex = std::complex<double>;

// sum over j of x[j * step] * exp(sign * 2 pi i * j * k / n), for each k. Even lengths split into their even and odd
// elements, odd lengths are summed by definition.
std::vector<Complex> Transform(const Complex* x, int64_t n, int64_t step, double sign) {
  std::vector<Complex> y(static_cast<size_t>(n));
  auto root = [&](int64_t k) {
    return std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  };
  if (n % 2 == 0 && n > 0) {
    const std::vector<Complex> even = Transform(x, n / 2, 2 * step, sign),
                               odd = Transform(x + step, n / 2, 2 * step, sign);
    for (int64_t k = 0; k < n / 2; ++k) {
      const Complex turned = root(k) * odd[static_cast<size_t>(k)];
      y[static_cast<size_t>(k)] = even[static_cast<size_t>(k)] + turned;
      y[static_cast<size_t>(k + n / 2)] = even[static_cast<size_t>(k)] - turned;
    }
    return y;
  }
  std::vector<Complex> roots;
  for (int64_t k = 0; k < n; ++k) roots.push_back(root(k));
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) y[static_cast<size_t>(k)] += x[j * step] * roots[static_cast<size_t>(j * k % n)];
  }
  return y;
}

// Transforms every line along one dimension, in place.
void TransformDimension(std::vector<Complex>& data, const DimVector& dims, size_t dimension, double sign) {
  const DimVector strides = RowMajorStrides(dims);
  DimVector lines = dims;
  lines[dimension] = 1;
  ForEachIndex(lines, [&](const DimVector& index) {
    Complex* line = data.data() + LinearIndex(index, strides);
    const std::vector<Complex> y = Transform(line, dims[dimension], strides[dimension], sign);
    for (size_t k = 0; k < y.size(); ++k) line[static_cast<int64_t>(k) * strides[dimension]] = y[k];
  });
}

}  // namespace

// FFT has the minus sign, IFFT the plus and a division by the number of points. RFFT transforms reals and keeps the
// first n/2+1 results of the last dimension, whose conjugates are the others; IRFFT is the inverse, with n reals.
StatusOr<Value> EvaluateFft(EvalContext& context) {
  const auto& attributes = context.attributes<FftAttributes>();
  const Literal& operand = context.operand(0);
  const size_t rank = static_cast<size_t>(operand.shape().rank()), transformed = attributes.fft_length.size();
  if (transformed == 0 || transformed > rank) return InvalidArgument("fft_length does not fit fft's operand");
  DimVector dims = operand.shape().dimensions();  // of the complex array
  const DimVector in = RowMajorStrides(dims);
  for (size_t i = 0; i < transformed; ++i) dims[rank - transformed + i] = attributes.fft_length[i];
  const int64_t n = dims[rank - 1], half = n / 2 + 1;
  const bool inverse = attributes.fft_type == FftType::kIfft || attributes.fft_type == FftType::kIrfft;
  const bool from_half = attributes.fft_type == FftType::kIrfft, to_half = attributes.fft_type == FftType::kRfft;
  const double sign = inverse ? 1 : -1;
  if (operand.shape().dimensions().back() != (from_half ? half : n) && operand.element_count() > 0) {
    return InvalidArgument(Format("{}'s fft_length does not fit its operand", context.instruction.name()));
  }

  // Half-spectrum input: the other dimensions are transformed first, then each last line is completed.
  DimVector half_dims = dims;
  if (from_half) half_dims[rank - 1] = half;
  std::vector<Complex> data(static_cast<size_t>(operand.element_count()));
  for (size_t i = 0; i < data.size(); ++i) data[i] = operand.GetAsComplex(static_cast<int64_t>(i));
  for (size_t d = rank - transformed; d + 1 < rank; ++d) TransformDimension(data, half_dims, d, sign);
  if (from_half) {
    std::vector<Complex> whole(static_cast<size_t>(Product(dims)));
    for (size_t i = 0; i < whole.size(); ++i) {
      const int64_t line = static_cast<int64_t>(i) / n, k = static_cast<int64_t>(i) % n;
      whole[i] = k < half ? data[static_cast<size_t>(line * half + k)]
                          : std::conj(data[static_cast<size_t>(line * half + n - k)]);
      // The result is real, so the ends of the spectrum are treated as real.
      if (k == 0 || 2 * k == n) whole[i] = whole[i].real();
    }
    data = std::move(whole);
  }
  TransformDimension(data, dims, rank - 1, sign);

  double scale = 1;
  for (int64_t length : attributes.fft_length) scale *= static_cast<double>(length);
  const int64_t kept = to_half ? half : n;
  Literal wide(context.shape.WithElementType(IsComplex(context.shape.element_type()) ? PrimitiveType::C128
                                                                                     : PrimitiveType::F64));
  for (int64_t i = 0; i < wide.element_count(); ++i) {
    Complex value = data[static_cast<size_t>(i / kept * n + i % kept)];
    if (inverse) value /= scale;
    if (IsComplex(context.shape.element_type())) wide.data<Complex>()[static_cast<size_t>(i)] = value;
    else wide.data<double>()[static_cast<size_t>(i)] = value.real();
  }
  return wide.Convert(context.shape.element_type());
}

}  // namespace hloir::reference
