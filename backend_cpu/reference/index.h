// Walking through arrays: strides, indices in row-major order, and the copying loop of all data movement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hloir/literal.h"

namespace hloir::reference {

// The strides of a row-major array, in elements.
DimVector RowMajorStrides(const DimVector& dims);
// The product; INT64_MAX if it is larger, 0 if one of them is 0.
int64_t Product(const DimVector& dims);
inline int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// Increments `index`, last dimension fastest; false when it wraps around to zeros.
inline bool NextIndex(DimVector& index, const DimVector& dims) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

// Calls f(index) for each index of an array of these dimensions, in row-major order.
template <class F>
void ForEachIndex(const DimVector& dims, F&& f) {
  if (Product(dims) == 0) return;
  DimVector index(dims.size());
  do f(index);
  while (NextIndex(index, dims));
}

inline int64_t LinearIndex(const DimVector& index, const DimVector& strides) {
  int64_t linear = 0;
  for (size_t d = 0; d < index.size(); ++d) linear += index[d] * strides[d];
  return linear;
}

// For Literal::set_dynamic_sizes: all dimensions as large as their bounds.
DimVector AtBounds();

// Adds an inner dimension; merges it with the last one if their strides allow it.
void AppendDimension(int64_t size, int64_t stride, DimVector* dims, DimVector* strides);
// Calls f(offset) for each index of these dimensions, in row-major order.
template <class F>
void ForEachOffset(const DimVector& dims, const DimVector& strides, F&& f) {
  if (dims.empty()) return f(int64_t{0});
  DimVector outer = dims;
  outer.pop_back();
  const int64_t n = dims.back(), step = strides.back();
  ForEachIndex(outer, [&](const DimVector& index) {
    const int64_t base = LinearIndex(index, strides);
    for (int64_t i = 0; i < n; ++i) f(base + i * step);
  });
}

// A region of an array: its offset and its stride along each dimension, in elements.
struct Region {
  int64_t start = 0;
  DimVector strides;
};

// Copies elements of `from` to `to`, for each index of `dims`.
void CopyRegion(const DimVector& dims, const Literal& source, const Region& from, Literal& target, const Region& to);
// A new array of `shape` whose elements are those of `from`.
Literal ReadRegion(const Shape& shape, const Literal& source, const Region& from);

}  // namespace hloir::reference
