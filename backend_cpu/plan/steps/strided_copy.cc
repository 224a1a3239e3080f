// See strided_copy.h.
#include "plan/steps/strided_copy.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/transpose_square.h"
#include "plan/graph/view.h"

namespace hloir::cpu {
namespace {

struct SixteenBytes {  // c128
  uint64_t a, b;
};

// to[i] = from[-i].
template <class T>
void CopyBackward(const T* from, T* to, int64_t n) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    typedef T V __attribute__((vector_size(16)));
    constexpr int64_t kCount = 16 / sizeof(T);
    for (; i + kCount <= n; i += kCount) {
      V v;
      std::memcpy(&v, from - i - (kCount - 1), sizeof(v));
      if constexpr (kCount == 4) v = __builtin_shufflevector(v, v, 3, 2, 1, 0);
      else v = __builtin_shufflevector(v, v, 1, 0);
      std::memcpy(to + i, &v, sizeof(v));
    }
  }
  for (; i < n; ++i) to[i] = from[-i];
}

template <class T>
void CopyRow(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t n, const KernelTable* kernels) {
  if (to_stride == 1 && from_stride == 1) {
    if (n >= 16) std::memcpy(to, from, n * sizeof(T));
    else
      for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  } else if (to_stride == 1 && from_stride == 0) {
    const T value = *from;
    for (int64_t i = 0; i < n; ++i) to[i] = value;
  } else if (to_stride == 1 && from_stride == -1) {
    if (kernels == nullptr) return CopyBackward(from, to, n);
    const TileOp op{.in = {from}, .out = to, .extra = -1};
    kernels->strided_load[std::countr_zero(sizeof(T))](op, n);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

// A row of a block transposed by CopyPlane.
template <class T>
constexpr int64_t kBlockOf = kStreamedLine / sizeof(T) < 8 ? 8 : kStreamedLine / sizeof(T);

// `rows` × `columns` elements, `from` is contiguous along rows and `to` along columns. With `streams`, whole lines of
// `to` use non-temporal stores.
template <class T>
void CopyPlane(const T* from, int64_t from_row, int64_t from_column, T* to, int64_t to_row, int64_t to_column,
               int64_t rows, int64_t columns, const KernelTable* streams) {
  // Through a buffer: lines of both arrays are accessed once and as a whole, also if their distance is a power of two
  // and few of them fit the cache.
  constexpr int64_t kBlock = kBlockOf<T>;
  alignas(kStreamedLine) T block[kBlock * kBlock];
  // The remainder at an edge is copied in a whole block that overlaps the previous one, which is several times faster.
  for (int64_t next_row = 0; next_row < rows; next_row += kBlock) {
    const int64_t height = std::min(kBlock, rows), r0 = std::min(next_row, rows - height);
    for (int64_t next_column = 0; next_column < columns; next_column += kBlock) {
      const int64_t width = std::min(kBlock, columns), c0 = std::min(next_column, columns - width);
      const T* source = from + r0 * from_row + c0 * from_column;
      T* target = to + r0 * to_row + c0 * to_column;
      if constexpr (sizeof(T) <= 8) {
        if (height == kBlock && width == kBlock && from_row == 1 && to_column == 1) {
          constexpr int kSide = kSquareSide<T>;
          for (int64_t c = 0; c < kBlock; c += kSide) {
            for (int64_t r = 0; r < kBlock; r += kSide) {
              const T* square[kSide];
#pragma GCC unroll 16
              for (int k = 0; k < kSide; ++k) square[k] = source + r + (c + k) * from_column;
              TransposeSquare<T>(square, block + r * kBlock + c, kBlock);
            }
          }
          const int64_t step = to_row * static_cast<int64_t>(sizeof(T));
          if (streams != nullptr &&
              (reinterpret_cast<uintptr_t>(target) | static_cast<uintptr_t>(step)) % kStreamedLine == 0) {
            streams->stream_lines(block, target, step, kBlock);
            continue;
          }
          for (int64_t r = 0; r < kBlock; ++r) std::memcpy(target + r * to_row, block + r * kBlock, sizeof(T) * kBlock);
          continue;
        }
      }
      if (height == kBlock && from_row == 1) {
        for (int64_t c = 0; c < width; ++c)
          std::memcpy(block + c * kBlock, source + c * from_column, sizeof(T) * kBlock);
      } else {
        for (int64_t c = 0; c < width; ++c)
          for (int64_t r = 0; r < height; ++r) block[c * kBlock + r] = source[r * from_row + c * from_column];
      }
      if (width == kBlock && to_column == 1) {
        for (int64_t r = 0; r < height; ++r)
          for (int64_t c = 0; c < kBlock; ++c) target[r * to_row + c] = block[c * kBlock + r];
      } else {
        for (int64_t r = 0; r < height; ++r)
          for (int64_t c = 0; c < width; ++c) target[r * to_row + c * to_column] = block[c * kBlock + r];
      }
    }
  }
}

template <class T>
void Copy(const StridedCopy& copy, const T* from, T* to, int64_t begin, int64_t end, const KernelTable* kernels) {
  const int rank = static_cast<int>(copy.dims.size());
  DimVector dims = copy.dims;
  begin *= copy.slices, end = std::min(end * copy.slices, dims[0]);
  from += begin * copy.from_strides[0];
  to += begin * copy.to_strides[0];
  dims[0] = end - begin;
  // A transpose: the target's innermost dimension is not the source's. Handle those two as a plane, the rest around it.
  const int inner = rank - 1;
  int other = -1;
  if (copy.from_strides[inner] != 1 && copy.from_strides[inner] != 0) {
    for (int d = 0; d < inner; ++d)
      if (copy.from_strides[d] == 1 && dims[d] > 1) other = d;
  }
  const bool streams = other >= 0 && sizeof(T) * kBlockOf<T> == kStreamedLine &&
                       copy.count * copy.bytes >= kLeastStreamed && kernels != nullptr &&
                       kernels->stream_lines != nullptr;
  int64_t index[64] = {};
  while (true) {
    if (other >= 0) {
      CopyPlane(from, copy.from_strides[other], copy.from_strides[inner], to, copy.to_strides[other],
                copy.to_strides[inner], dims[other], dims[inner], streams ? kernels : nullptr);
    } else {
      CopyRow(from, copy.from_strides[inner], to, copy.to_strides[inner], dims[inner], kernels);
    }
    int d = inner - 1;
    for (; d >= 0; --d) {
      if (d == other) continue;
      from += copy.from_strides[d];
      to += copy.to_strides[d];
      if (++index[d] < dims[d]) break;
      from -= dims[d] * copy.from_strides[d];
      to -= dims[d] * copy.to_strides[d];
      index[d] = 0;
    }
    if (d < 0) break;
  }
  if (streams) kernels->end_stream();
}

}  // namespace

StridedCopy StridedCopy::Make(int64_t bytes, const DimVector& dims, const DimVector& from_strides, int64_t from_offset,
                              const DimVector& to_strides, int64_t to_offset) {
  View from{dims, from_strides, 0}, to{dims, to_strides, 0};
  View* both[] = {&from, &to};
  CollapseTogether(both);
  StridedCopy copy;
  copy.bytes = bytes;
  copy.dims = from.dims;
  copy.from_strides = from.strides;
  copy.to_strides = to.strides;
  copy.from_offset = from_offset * bytes;
  copy.to_offset = to_offset * bytes;
  copy.count = from.count();
  const size_t rank = copy.dims.size();
  if (rank > 1 && from.strides[0] == 1 && from.strides[rank - 1] != 0)
    copy.slices = bytes == 1   ? kBlockOf<uint8_t>
                  : bytes == 2 ? kBlockOf<uint16_t>
                  : bytes == 4 ? kBlockOf<uint32_t>
                               : 8;
  copy.whole = copy.dims.empty() || (copy.dims.size() == 1 && from.strides[0] == 1 && to.strides[0] == 1);
  return copy;
}

void StridedCopy::RunPart(const std::byte* from, std::byte* to, int64_t begin, int64_t end,
                          const KernelTable* kernels) const {
  if (count == 0 || begin >= end) return;
  from += from_offset;
  to += to_offset;
  if (whole) {
    std::memcpy(to + begin * bytes, from + begin * bytes, static_cast<size_t>((end - begin) * bytes));
    return;
  }
  const auto copy = [&]<class T>(T) {
    Copy(*this, reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), begin, end, kernels);
  };
  switch (bytes) {
    case 1: return copy(uint8_t());
    case 2: return copy(uint16_t());
    case 4: return copy(uint32_t());
    case 8: return copy(uint64_t());
    default: return copy(SixteenBytes());
  }
}

}  // namespace hloir::cpu
