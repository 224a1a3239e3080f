// Copies between lines of complex numbers in memory and blocks [n][lanes] of real and imaginary parts, the format of
// transforms. Included by fft_kernels.h; everything has internal linkage (why: isa/isas.def).
#pragma once

#include "kernels/elementwise_kernels.h"
#include "kernels/transpose_square.h"

namespace hloir::cpu {
namespace {

// The address of number 0 of the l-th line.
inline int64_t PlaceOf(const LineGroup& lines, int64_t l) {
  const int64_t line = lines.begin + l;
  return line / lines.inner * lines.stored * lines.inner + line % lines.inner;
}

template <class T>
void SplitParts(const T* __restrict from, int64_t n, T* __restrict re, T* __restrict im) {
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) re[i] = from[2 * i], im[i] = from[2 * i + 1];
}
template <class T>
void JoinParts(const T* __restrict re, const T* __restrict im, int64_t n, T scale, T* __restrict to) {
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) to[2 * i] = re[i] * scale, to[2 * i + 1] = im[i] * scale;
}

// Squares of complex numbers that change between lines and parts without a detour through memory.
template <class T>
struct PartRow {
  typedef T V __attribute__((vector_size(16)));
};
// re[k][lane] and im[k][lane] of a square's numbers k of each line.
template <class T>
inline void SplitSquare(const T* const (&lines)[kSquareSide<T>], T* re, T* im, int64_t lanes) {
  using V = typename PartRow<T>::V;
  using Bits = typename SquareRow<T>::V;
  constexpr int n = kSquareSide<T>;
  Bits r[n], i[n];
#pragma GCC unroll 4
  for (int l = 0; l < n; ++l) {
    V low, high;
    __builtin_memcpy(&low, lines[l], sizeof(low)), __builtin_memcpy(&high, lines[l] + n, sizeof(high));
    if constexpr (n == 4) {
      r[l] = (Bits)__builtin_shufflevector(low, high, 0, 2, 4, 6);
      i[l] = (Bits)__builtin_shufflevector(low, high, 1, 3, 5, 7);
    } else {
      r[l] = (Bits)__builtin_shufflevector(low, high, 0, 2), i[l] = (Bits)__builtin_shufflevector(low, high, 1, 3);
    }
  }
  TransposeRows<T>(r), TransposeRows<T>(i);
#pragma GCC unroll 4
  for (int k = 0; k < n; ++k) {
    __builtin_memcpy(re + k * lanes, &r[k], sizeof(r[k]));
    __builtin_memcpy(im + k * lanes, &i[k], sizeof(i[k]));
  }
}
// And back, multiplied with `scale`.
template <class T>
inline void JoinSquare(const T* re, const T* im, int64_t lanes, T scale, T* const (&lines)[kSquareSide<T>]) {
  using V = typename PartRow<T>::V;
  using Bits = typename SquareRow<T>::V;
  constexpr int n = kSquareSide<T>;
  Bits r[n], i[n];
#pragma GCC unroll 4
  for (int k = 0; k < n; ++k) {
    __builtin_memcpy(&r[k], re + k * lanes, sizeof(r[k]));
    __builtin_memcpy(&i[k], im + k * lanes, sizeof(i[k]));
  }
  TransposeRows<T>(r), TransposeRows<T>(i);
#pragma GCC unroll 4
  for (int l = 0; l < n; ++l) {
    const V x = (V)r[l] * scale, y = (V)i[l] * scale;
    V low, high;
    if constexpr (n == 4) {
      low = __builtin_shufflevector(x, y, 0, 4, 1, 5), high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    } else {
      low = __builtin_shufflevector(x, y, 0, 2), high = __builtin_shufflevector(x, y, 1, 3);
    }
    __builtin_memcpy(lines[l], &low, sizeof(low)), __builtin_memcpy(lines[l] + n, &high, sizeof(high));
  }
}

constexpr int64_t kLineBlock = 32;  // numbers of a line per block, so that their cache lines fit the cache

// The first n numbers of each line to re[n][lanes] and im[n][lanes]; at most kFftLanes.
template <class T>
void LoadLines(const LineGroup& lines, int64_t n, const void* data, void* to_re, void* to_im) {
  const T* from = static_cast<const T*>(data);
  T *re = static_cast<T*>(to_re), *im = static_cast<T*>(to_im);
  const int64_t lanes = lines.lanes;
  if (lines.is_across) {
    from += 2 * PlaceOf(lines, 0);
    for (int64_t k = 0; k < n; ++k) SplitParts(from + 2 * k * lines.inner, lanes, re + k * lanes, im + k * lanes);
    return;
  }
  constexpr int64_t kSide = kSquareSide<T>;
  const bool squares = lines.inner == 1 && lanes % kSide == 0;
  alignas(64) T parts[2][kFftLanes * kLineBlock];
  for (int64_t begin = 0; begin < n; begin += kLineBlock) {
    const int64_t count = n - begin < kLineBlock ? n - begin : kLineBlock;
    if (squares && count % kSide == 0) {
      for (int64_t l = 0; l < lanes; l += kSide) {
        const T* square[kSide];
        for (int64_t k = 0; k < kSide; ++k) square[k] = from + 2 * (PlaceOf(lines, l + k) + begin);
        for (int64_t k = begin; k < begin + count; k += kSide) {
          SplitSquare<T>(square, re + k * lanes + l, im + k * lanes + l, lanes);
          for (int64_t j = 0; j < kSide; ++j) square[j] += 2 * kSide;
        }
      }
      continue;
    }
    for (int64_t l = 0; l < lanes; ++l) {
      const T* line = from + 2 * (PlaceOf(lines, l) + begin * lines.inner);
      T *line_re = parts[0] + l * kLineBlock, *line_im = parts[1] + l * kLineBlock;
      if (lines.inner == 1) {
        SplitParts(line, count, line_re, line_im);
      } else {
        for (int64_t k = 0; k < count; ++k) SplitParts(line + 2 * k * lines.inner, 1, line_re + k, line_im + k);
      }
    }
    TransposeBlock(parts[0], kLineBlock, lanes, count, re + begin * lanes, lanes);
    TransposeBlock(parts[1], kLineBlock, lanes, count, im + begin * lanes, lanes);
  }
}

// And back, multiplied with `scale`.
template <class T>
void StoreLines(const LineGroup& lines, int64_t n, const void* from_re, const void* from_im, double by, void* data) {
  const T *re = static_cast<const T*>(from_re), *im = static_cast<const T*>(from_im), scale = static_cast<T>(by);
  T* to = static_cast<T*>(data);
  const int64_t lanes = lines.lanes;
  if (lines.is_across) {
    to += 2 * PlaceOf(lines, 0);
    for (int64_t k = 0; k < n; ++k) JoinParts(re + k * lanes, im + k * lanes, lanes, scale, to + 2 * k * lines.inner);
    return;
  }
  constexpr int64_t kSide = kSquareSide<T>;
  const bool squares = lines.inner == 1 && lanes % kSide == 0;
  alignas(64) T parts[2][kFftLanes * kLineBlock];
  for (int64_t begin = 0; begin < n; begin += kLineBlock) {
    const int64_t count = n - begin < kLineBlock ? n - begin : kLineBlock;
    if (squares && count % kSide == 0) {
      for (int64_t l = 0; l < lanes; l += kSide) {
        T* square[kSide];
        for (int64_t k = 0; k < kSide; ++k) square[k] = to + 2 * (PlaceOf(lines, l + k) + begin);
        for (int64_t k = begin; k < begin + count; k += kSide) {
          JoinSquare<T>(re + k * lanes + l, im + k * lanes + l, lanes, scale, square);
          for (int64_t j = 0; j < kSide; ++j) square[j] += 2 * kSide;
        }
      }
      continue;
    }
    TransposeBlock(re + begin * lanes, lanes, count, lanes, parts[0], kLineBlock);
    TransposeBlock(im + begin * lanes, lanes, count, lanes, parts[1], kLineBlock);
    for (int64_t l = 0; l < lanes; ++l) {
      T* line = to + 2 * (PlaceOf(lines, l) + begin * lines.inner);
      const T *line_re = parts[0] + l * kLineBlock, *line_im = parts[1] + l * kLineBlock;
      if (lines.inner == 1) {
        JoinParts(line_re, line_im, count, scale, line);
      } else {
        for (int64_t k = 0; k < count; ++k) JoinParts(line_re + k, line_im + k, 1, scale, line + 2 * k * lines.inner);
      }
    }
  }
}

}  // namespace
}  // namespace hloir::cpu
