// The strided copy behind slices, transposes, broadcasts, pads, concatenations and similar ops.
#include "reference/index.h"

#include <cstring>

namespace hloir::reference {
namespace {

struct Bytes16 {
  uint64_t halves[2];
};

template <class T>
void CopyElements(const DimVector& dims, const std::byte* source, const Region& from, std::byte* target,
                  const Region& to) {
  const T* in = reinterpret_cast<const T*>(source);
  T* out = reinterpret_cast<T*>(target);
  if (dims.empty()) {
    out[to.start] = in[from.start];
    return;
  }
  // The last dimension is the inner loop.
  DimVector outer = dims;
  outer.pop_back();
  const int64_t n = dims.back(), in_step = from.strides.back(), out_step = to.strides.back();
  ForEachIndex(outer, [&](const DimVector& index) {
    const T* x = in + from.start + LinearIndex(index, from.strides);
    T* y = out + to.start + LinearIndex(index, to.strides);
    for (int64_t i = 0; i < n; ++i) y[i * out_step] = x[i * in_step];
  });
}

}  // namespace

DimVector RowMajorStrides(const DimVector& dims) {
  DimVector strides(dims.size(), 1);
  // For an array without elements they are arbitrary, but must not overflow.
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = SaturatingProduct(strides[d], dims[d]);
  return strides;
}

void AppendDimension(int64_t size, int64_t stride, DimVector* dims, DimVector* strides) {
  if (!dims->empty() && strides->back() == SaturatingProduct(size, stride)) {
    dims->back() = SaturatingProduct(dims->back(), size);
    strides->back() = stride;
  } else {
    dims->push_back(size);
    strides->push_back(stride);
  }
}

DimVector AtBounds() { return {}; }

int64_t Product(const DimVector& dims) {
  if (Contains(dims, 0)) return 0;
  int64_t product = 1;
  for (int64_t size : dims) product = SaturatingProduct(product, size);
  return product;
}

void CopyRegion(const DimVector& dims, const Literal& source, const Region& from, Literal& target, const Region& to) {
  if (Product(dims) == 0) return;
  switch (StorageBytes(source.shape().element_type())) {
    case 1: return CopyElements<uint8_t>(dims, source.untyped_data(), from, target.untyped_data(), to);
    case 2: return CopyElements<uint16_t>(dims, source.untyped_data(), from, target.untyped_data(), to);
    case 4: return CopyElements<uint32_t>(dims, source.untyped_data(), from, target.untyped_data(), to);
    case 8: return CopyElements<uint64_t>(dims, source.untyped_data(), from, target.untyped_data(), to);
    default: return CopyElements<Bytes16>(dims, source.untyped_data(), from, target.untyped_data(), to);
  }
}

Literal ReadRegion(const Shape& shape, const Literal& source, const Region& from) {
  Literal result(shape);
  CopyRegion(shape.dimensions(), source, from, result, {0, RowMajorStrides(shape.dimensions())});
  return result;
}

}  // namespace hloir::reference
