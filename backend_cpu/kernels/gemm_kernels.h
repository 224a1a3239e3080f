// Register-tiled inner kernels of matrix products, and matrix times vector. plan/dot.cc packs, blocks and distributes
// the work. Included by isa/*.cc through all_kernels.h only; everything has internal linkage (why: isa/isas.def).
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/elementwise_kernels.h"
#include "kernels/vector.h"

namespace hloir::cpu {
namespace {

// Stores the sums in registers to c, or adds them.
template <class Batch, class T, int kRows, int kVectors>
__attribute__((always_inline)) inline void StoreTile(Batch (&sums)[kRows][kVectors], T* c, int64_t c_stride,
                                                     bool accumulate) {
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      T* to = c + i * c_stride + j * static_cast<int64_t>(Batch::size);
      if (accumulate) sums[i][j] = sums[i][j] + Batch::load_unaligned(to);
      sums[i][j].store_unaligned(to);
    }
  }
}

// Prefetches rows of c, which are far apart and no longer in the cache.
template <class Batch, class T, int kRows, int kVectors>
__attribute__((always_inline)) inline void ClearTile(Batch (&sums)[kRows][kVectors], const T* c, int64_t c_stride) {
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      __builtin_prefetch(c + i * c_stride + j * static_cast<int64_t>(Batch::size), 1);
      sums[i][j] = Batch(T(0));
    }
  }
}
// One step: row i's value is a(i).
template <class T, class Arch, int kRows, int kVectors, class A>
__attribute__((always_inline)) inline void TileStep(Vector<T, Arch> (&sums)[kRows][kVectors], A&& a, const T* b) {
  using Batch = Vector<T, Arch>;
  Batch values[kVectors];
#pragma GCC unroll 4
  for (int j = 0; j < kVectors; ++j) values[j] = Batch::load_unaligned(b + j * static_cast<int64_t>(Batch::size));
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    const Batch x(a(i));
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) sums[i][j] = VectorTraits<T, Arch>::MultiplyAdd(x, values[j], sums[i][j]);
  }
}

// c[kRows × kVectors·width] (+)= a · b in k steps. For each step a has kRows contiguous values, and b kVectors·width.
template <class T, class Arch, int kRows, int kVectors>
void GemmTile(int64_t k, const void* a_data, const void* b_data, void* c_tile, int64_t c_stride, bool accumulate) {
  using Batch = Vector<T, Arch>;
  const T *a = static_cast<const T*>(a_data), *b = static_cast<const T*>(b_data);
  T* c = static_cast<T*>(c_tile);
  Batch sums[kRows][kVectors];
  ClearTile(sums, c, c_stride);
#pragma GCC unroll 2
  for (int64_t p = 0; p < k; ++p, a += kRows, b += kVectors * Batch::size)
    TileStep<T, Arch>(
        sums, [&](int i) { return a[i]; }, b);
  StoreTile<Batch>(sums, c, c_stride, accumulate);
}
// The same for an unpacked a: see GemmKernels::TileInPlace.
template <class T, class Arch, int kRows, int kVectors>
void GemmTileInPlace(const TileRun* runs, int64_t run_count, const void* a_data, const int64_t* rows, int64_t a_step,
                     const void* b_data, int64_t b_step, void* c_tile, int64_t c_stride, bool accumulate) {
  using Batch = Vector<T, Arch>;
  constexpr int64_t kAhead = 12;  // prefetch distance in steps: the hardware does not prefetch large strides
  const T* row[kRows];
  for (int i = 0; i < kRows; ++i) row[i] = static_cast<const T*>(a_data) + rows[i];
  T* c = static_cast<T*>(c_tile);
  Batch sums[kRows][kVectors];
  ClearTile(sums, c, c_stride);
  for (const TileRun* run = runs; run != runs + run_count; ++run) {
    const T* b = static_cast<const T*>(b_data) + run->b * b_step;
    int64_t at = run->a;
#pragma GCC unroll 2
    for (int64_t p = 0; p < run->count; ++p, at += a_step, b += b_step) {
      // Short vectors lie in one line, or nearly so.
#pragma GCC unroll 4
      for (int j = 0; j < (sizeof(Batch) < 32 ? 1 : kVectors); ++j)
        __builtin_prefetch(b + kAhead * b_step + j * static_cast<int64_t>(Batch::size));
      TileStep<T, Arch>(
          sums, [&](int i) { return row[i][at]; }, b);
    }
  }
  StoreTile<Batch>(sums, c, c_stride, accumulate);
}

// For rows of b that are far apart: some rows at a time are read once from left to right, and the sums, which should
// fit the first-level cache, go to memory and back. A loop over tiles of columns would evict each line before its next
// use.
template <class T, class Arch, int kVectors, int kSteps>
inline void FewRowsSteps(const GemmKernels::FewRows s, const T* a, const T* b, T* sums) {
  using Batch = Vector<T, Arch>;
  constexpr int64_t kWidth = Batch::size;
  for (int64_t j = 0; j < s.n; j += kVectors * kWidth) {
    Batch values[kSteps][kVectors];
#pragma GCC unroll 4
    for (int p = 0; p < kSteps; ++p) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) values[p][v] = Batch::load_unaligned(b + p * s.b_row + j + v * kWidth);
      __builtin_prefetch(b + (p + kSteps) * s.b_row + j);  // the hardware does not follow so many short rows
    }
    const T* x = a;
    T* to = sums + j;
    for (int64_t i = 0; i < s.m; ++i, x += s.a_row, to += s.sums_row) {
      Batch sum[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[v] = Batch::load_unaligned(to + v * kWidth);
#pragma GCC unroll 4
      for (int p = 0; p < kSteps; ++p) {
        const Batch value(x[p * s.a_k]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[v] = VectorTraits<T, Arch>::MultiplyAdd(value, values[p][v], sum[v]);
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[v].store_unaligned(to + v * kWidth);
    }
  }
}
template <class T, class Arch, int kVectors>
void FewRows(const GemmKernels::FewRows& s, const void* a_data, const void* b_data, void* sums_data) {
  constexpr int kSteps = 4;
  const T *a = static_cast<const T*>(a_data), *b = static_cast<const T*>(b_data);
  T* sums = static_cast<T*>(sums_data);
  int64_t p = 0;
  for (; p + kSteps <= s.k; p += kSteps)
    FewRowsSteps<T, Arch, kVectors, kSteps>(s, a + p * s.a_k, b + p * s.b_row, sums);
  for (; p < s.k; ++p) FewRowsSteps<T, Arch, kVectors, 1>(s, a + p * s.a_k, b + p * s.b_row, sums);
}

// out[i·channels + c] = sum over taps t of x[places[i] + taps[t] + c] · w[t·channels + c], i < n: a depthwise
// convolution.
template <class T, class Arch>
void Depthwise(int64_t n, const int64_t* places, int64_t tap_count, const int64_t* taps, int64_t channels,
               const void* x_data, const void* w_data, void* out_data) {
  using Batch = Vector<T, Arch>;
  constexpr int64_t kWidth = Batch::size;
  constexpr int kPlaces = 4;
  const T* x = static_cast<const T*>(x_data);
  const T* w = static_cast<const T*>(w_data);
  T* out = static_cast<T*>(out_data);
  for (int64_t i = 0; i < n; i += kPlaces) {
    const int64_t last = n - 1 - i;  // the last positions are computed twice, to avoid another code path
    const T* from[kPlaces];
    T* to[kPlaces];
    for (int q = 0; q < kPlaces; ++q) {
      const int64_t place = i + (q < last ? q : last);
      from[q] = x + places[place];
      to[q] = out + place * channels;
    }
    int64_t c = 0;
    for (; c + kWidth <= channels; c += kWidth) {
      Batch acc[kPlaces];
#pragma GCC unroll 4
      for (int q = 0; q < kPlaces; ++q) acc[q] = Batch(T(0));
      for (int64_t t = 0; t < tap_count; ++t) {
        const Batch weight = Batch::load_unaligned(w + t * channels + c);
        const int64_t at = taps[t] + c;
#pragma GCC unroll 4
        for (int q = 0; q < kPlaces; ++q)
          acc[q] = VectorTraits<T, Arch>::MultiplyAdd(Batch::load_unaligned(from[q] + at), weight, acc[q]);
      }
#pragma GCC unroll 4
      for (int q = 0; q < kPlaces; ++q) acc[q].store_unaligned(to[q] + c);
    }
    for (; c < channels; ++c) {
      for (int q = 0; q < kPlaces; ++q) {
        T sum = 0;
        for (int64_t t = 0; t < tap_count; ++t) {
          sum = AddFn::Apply(sum, MultiplyFn::Apply(from[q][taps[t] + c], w[t * channels + c]));
        }
        to[q][c] = sum;
      }
    }
  }
}

// Numbers, or the bits of bf16.
template <class T, class W>
inline T ToNumber(W x) {
  if constexpr (std::is_same_v<T, W>) return x;
  else return __builtin_bit_cast(T, static_cast<uint32_t>(x) << 16);
}
template <int count>
struct WideningParts {
  typedef uint16_t Halves __attribute__((vector_size(count * 2)));
  typedef uint32_t Words __attribute__((vector_size(count * 4)));
};
template <class Batch, class W>
inline Batch LoadNumbers(const W* from) {
  using T = decltype(ToNumber<std::conditional_t<sizeof(W) == 2, float, W>>(W()));
  if constexpr (std::is_same_v<T, W>) return Batch::load_unaligned(from);
  else if constexpr (Batch::size == 1) return Batch(ToNumber<T>(*from));
  else {
    using Parts = WideningParts<Batch::size>;
    typename Parts::Halves halves;
    __builtin_memcpy(&halves, from, sizeof(halves));
    return Batch((typename Batch::register_type)(__builtin_convertvector(halves, typename Parts::Words) << 16));
  }
}

// out[j] = sum over p of x[p·x_stride] · w[p·w_stride + j], j < n. Blocks of columns keep their sums in registers.
template <class T, class Arch, int kVectors, class W>
inline void VectorTimesColumns(int64_t k, const W* x, int64_t x_stride, const W* w, int64_t w_stride, T* out) {
  using Batch = Vector<T, Arch>;
  constexpr int kWidth = Batch::size;
  Batch acc[kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) acc[j] = Batch(T(0));
  for (int64_t p = 0; p < k; ++p) {
    const Batch value(ToNumber<T>(x[p * x_stride]));
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      acc[j] = VectorTraits<T, Arch>::MultiplyAdd(value, LoadNumbers<Batch>(w + p * w_stride + j * kWidth), acc[j]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) acc[j].store_unaligned(out + j * kWidth);
}
// sums[j] += x times kRows rows of w, j < columns, in whole vectors.
template <class T, class Arch, int kRows, class W>
void AddVectorTimesRows(int64_t columns, const W* x, int64_t x_stride, const W* w, int64_t w_stride, T* sums) {
  using Batch = Vector<T, Arch>;
  Batch values[kRows];
#pragma GCC unroll 8
  for (int q = 0; q < kRows; ++q) values[q] = Batch(ToNumber<T>(x[q * x_stride]));
  for (int64_t j = 0; j < columns; j += Batch::size) {
    Batch acc = Batch::load_unaligned(sums + j);
#pragma GCC unroll 8
    for (int q = 0; q < kRows; ++q)
      acc = VectorTraits<T, Arch>::MultiplyAdd(values[q], LoadNumbers<Batch>(w + q * w_stride + j), acc);
    acc.store_unaligned(sums + j);
  }
}
// VectorTimesColumns by rows, eight at a time and then one by one: reading eight rows is faster than reading columns of
// all rows. The order of additions is the same.
template <class T, class Arch, class W>
void VectorTimesRows(int64_t k, int64_t columns, const W* x, int64_t x_stride, const W* w, int64_t w_stride, T* out) {
  constexpr int kRows = 8;
  for (int64_t j = 0; j < columns; ++j) out[j] = T(0);
  int64_t p = 0;
  for (; p + kRows <= k; p += kRows)
    AddVectorTimesRows<T, Arch, kRows>(columns, x + p * x_stride, x_stride, w + p * w_stride, w_stride, out);
  for (; p < k; ++p)
    AddVectorTimesRows<T, Arch, 1>(columns, x + p * x_stride, x_stride, w + p * w_stride, w_stride, out);
}
template <class T, class Arch, class W>
void VectorMatrix(int64_t k, int64_t n, const void* x_data, int64_t x_stride, const void* w_data, int64_t w_stride,
                  void* out_data) {
  constexpr int64_t kWidth = Vector<T, Arch>::size;
  constexpr int64_t kNear = 1 << 18;  // bytes for which the access order does not matter (they fit caches)
  const W* x = static_cast<const W*>(x_data);
  const W* w = static_cast<const W*>(w_data);
  T* out = static_cast<T*>(out_data);
  int64_t j = 0;
  if (n >= 8 * kWidth && k * n * static_cast<int64_t>(sizeof(W)) > kNear) {
    j = n / kWidth * kWidth;
    VectorTimesRows<T, Arch>(k, j, x, x_stride, w, w_stride, out);
  }
  for (; j + 8 * kWidth <= n; j += 8 * kWidth) VectorTimesColumns<T, Arch, 8>(k, x, x_stride, w + j, w_stride, out + j);
  for (; j + 2 * kWidth <= n; j += 2 * kWidth) VectorTimesColumns<T, Arch, 2>(k, x, x_stride, w + j, w_stride, out + j);
  for (; j + kWidth <= n; j += kWidth) VectorTimesColumns<T, Arch, 1>(k, x, x_stride, w + j, w_stride, out + j);
  if (j < n) {
    T sums[kWidth] = {};
    for (int64_t p = 0; p < k; ++p) {
      const T value = ToNumber<T>(x[p * x_stride]);
      for (int64_t i = 0; i < n - j; ++i)
        sums[i] = AddFn::Apply(sums[i], MultiplyFn::Apply(value, ToNumber<T>(w[p * w_stride + j + i])));
    }
    for (int64_t i = 0; i < n - j; ++i) out[j + i] = sums[i];
  }
}

template <class T, int count>
struct LaneVector {
  typedef T Type __attribute__((vector_size(count * sizeof(T))));
};
// The lanes' sum: the upper half is added to the lower one until one element is left.
template <class T, size_t... k>
inline T SumOfHalves(typename LaneVector<T, 2 * sizeof...(k)>::Type v, std::index_sequence<k...>) {
  constexpr int n = sizeof...(k);
  if constexpr (n == 1) {
    return v[0] + v[1];
  } else {
    typename LaneVector<T, n>::Type low = __builtin_shufflevector(v, v, static_cast<int>(k)...),
                                    high = __builtin_shufflevector(v, v, (static_cast<int>(k) + n)...);
    return SumOfHalves<T>(low + high, std::make_index_sequence<n / 2>());
  }
}
template <class T, class Batch>
inline T SumOfLanes(const Batch& sums) {
  if constexpr (Batch::size == 1) {
    T sum;
    sums.store_unaligned(&sum);
    return sum;
  } else {
    using U = std::conditional_t<kIsFloat<T>, T, Unsigned<T>>;  // integers may overflow
    using V = typename LaneVector<U, Batch::size>::Type;
    return static_cast<T>(
        SumOfHalves<U>((V)(typename Batch::register_type)sums, std::make_index_sequence<Batch::size / 2>()));
  }
}
// The sums of four vectors' lanes, each in SumOfLanes' order: groups of 2·w lanes become groups of w.
template <class T, int w, class V, size_t... k>
inline typename LaneVector<T, sizeof...(k)>::Type Folded(V a, V b, std::index_sequence<k...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(k / w * w + k)...) +
         __builtin_shufflevector(a, b, static_cast<int>(k / w * w + k + w)...);
}
template <class T, int w, class V>
inline typename LaneVector<T, 4>::Type FourGroups(V v) {
  if constexpr (w == 1) return v;
  else return FourGroups<T, w / 2>(Folded<T, w / 2>(v, v, std::make_index_sequence<2 * w>()));
}
template <class T, class Batch>
inline void StoreSumsOfLanes(const Batch (&sums)[4], T* out) {
  constexpr int n = Batch::size;
  using U = std::conditional_t<kIsFloat<T>, T, Unsigned<T>>;
  using V = typename LaneVector<U, n>::Type;
  const auto of = [&](int r) { return (V)(typename Batch::register_type)sums[r]; };
  constexpr auto kAll = std::make_index_sequence<n>();
  const V ab = Folded<U, n / 2>(of(0), of(1), kAll), cd = Folded<U, n / 2>(of(2), of(3), kAll);
  const auto four = FourGroups<U, n / 4>(Folded<U, n / 4>(ab, cd, kAll));
  __builtin_memcpy(out, &four, sizeof four);
}

// out[i] = sum over p of a[i·a_stride + p] · x[p], i < rows. The order of a sum does not depend on the number of rows.
template <class T, class Arch, int rows>
inline void RowsByVector(int64_t k, const T* a, int64_t a_stride, const T* x, T* out) {
  using Batch = Vector<T, Arch>;
  constexpr int64_t kWidth = Batch::size;
  constexpr int kSums = 4;
  Batch acc[rows][kSums];
#pragma GCC unroll 4
  for (auto& sums : acc) {
#pragma GCC unroll 4
    for (Batch& sum : sums) sum = Batch(T(0));
  }
  const auto add = [&](int64_t p, int s) {
    const Batch from_x = Batch::load_unaligned(x + p);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
      acc[r][s] = VectorTraits<T, Arch>::MultiplyAdd(Batch::load_unaligned(a + r * a_stride + p), from_x, acc[r][s]);
  };
  int64_t p = 0;
  for (; p + kSums * kWidth <= k; p += kSums * kWidth) {
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) add(p + s * kWidth, s);
  }
  for (; p + kWidth <= k; p += kWidth) add(p, 0);
  if constexpr (rows == 4) {
    Batch sums[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sums[r] = (acc[r][0] + acc[r][1]) + (acc[r][2] + acc[r][3]);
    StoreSumsOfLanes(sums, out);
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    T sum = rows == 4 ? out[r] : SumOfLanes<T>((acc[r][0] + acc[r][1]) + (acc[r][2] + acc[r][3]));
    for (int64_t q = p; q < k; ++q) sum = AddFn::Apply(sum, MultiplyFn::Apply(a[r * a_stride + q], x[q]));
    out[r] = sum;
  }
}
// The same for i < m. Several rows together read x once: as many as have their sums in 16 or 32 registers.
template <class T, class Arch>
void MatrixVector(int64_t m, int64_t k, const void* a_data, int64_t a_stride, const void* x_data, void* out_data,
                  bool backwards) {
  constexpr int kRows = sizeof(Vector<T, Arch>) == 64 && kIsFloat<T> ? 4 : 3;
  const T *a = static_cast<const T*>(a_data), *x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  // Not worth its code with vectors of 16 bytes.
  const bool turned = sizeof(Vector<T, Arch>) > 16 && backwards;
  int64_t i = 0;
  for (; i + kRows <= m; i += kRows) {
    const int64_t row = turned ? m - kRows - i : i;
    RowsByVector<T, Arch, kRows>(k, a + row * a_stride, a_stride, x, out + row);
  }
  for (; i < m; ++i) {
    const int64_t row = turned ? m - 1 - i : i;
    RowsByVector<T, Arch, 1>(k, a + row * a_stride, a_stride, x, out + row);
  }
}

template <class T, class Arch, int kVectors, int kRows>
void FillGemmInPlace(GemmKernels& kernels) {
  if constexpr (kRows > 2) FillGemmInPlace<T, Arch, kVectors, kRows - 2>(kernels);
  kernels.rows_in_place = kRows;
  kernels.tile_in_place[kRows / 2 - 1] = &GemmTileInPlace<T, Arch, kRows, kVectors>;
}

template <class T, class Arch>
void FillGemmOf(GemmKernels& kernels) {
  constexpr int kWidth = Vector<T, Arch>::size;
  constexpr int kRows = VectorTraits<T, Arch>::kGemmRows, kVectors = VectorTraits<T, Arch>::kGemmVectors;
  kernels.rows = kRows;
  kernels.columns = kVectors * kWidth;
  kernels.tile = &GemmTile<T, Arch, kRows, kVectors>;
  FillGemmInPlace<T, Arch, kVectors, (kRows < 8 ? kRows : 8)>(
      kernels);  // more rows would use too many pointer registers
  kernels.few_rows = &FewRows<T, Arch, kVectors>;
  kernels.depthwise = &Depthwise<T, Arch>;
  kernels.vector_matrix = &VectorMatrix<T, Arch, T>;
  if constexpr (std::is_same_v<T, float>) kernels.vector_matrix_bf16 = &VectorMatrix<T, Arch, uint16_t>;
  kernels.matrix_vector = &MatrixVector<T, Arch>;
}

template <class Arch>
void FillGemm(KernelTable& table) {
  FillGemmOf<float, Arch>(table.gemm[static_cast<int>(GemmType::kF32)]);
  FillGemmOf<double, Arch>(table.gemm[static_cast<int>(GemmType::kF64)]);
  FillGemmOf<int32_t, Arch>(table.gemm[static_cast<int>(GemmType::kS32)]);
}

}  // namespace
}  // namespace hloir::cpu
