// Reductions of rows that lie in a tile, and of columns, for the seven operations that programs really use. Several
// vector accumulators keep the latency hidden and the rounding error small; the order depends on the row's length
// alone. Included by isa/*.cc through all_kernels.h only; everything has internal linkage (why: isa/isas.def).
#pragma once

#include <utility>

#include "kernels/elementwise_kernels.h"
#include "kernels/vector.h"

namespace hloir::cpu {
namespace {

#if defined(__aarch64__)  // elsewhere it is not worth its code
// FoldLanes of one vector, of whose lanes those below `half` count: all are combined, and none is taken out before the
// last.
template <class F, class T, int64_t half, class V, size_t... k>
inline T FoldVector(V v, std::index_sequence<k...>) {
  constexpr int64_t kCount = sizeof...(k);
  asm("" : "+w"(v));  // g++ would take integers out of the vectors to add them in another order
  const V moved = __builtin_shufflevector(v, v, ((static_cast<int64_t>(k) + half) % kCount)...);
  T a[kCount], b[kCount];
  __builtin_memcpy(a, &v, sizeof a), __builtin_memcpy(b, &moved, sizeof b);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < kCount; ++i) a[i] = F::Apply(a[i], b[i]);
  if constexpr (half == 1) {
    return a[0];
  } else {
    __builtin_memcpy(&v, a, sizeof a);
    return FoldVector<F, T, half / 2>(v, std::index_sequence<k...>());
  }
}
#endif
// lanes[k] op= lanes[k + half] for halves that get smaller: lanes[0] is the result.
template <class F, class T, int64_t half>
inline T FoldLanes(T* lanes) {
#if defined(__aarch64__)
  constexpr int64_t kCount = 16 / sizeof(T);
  if constexpr (2 * half == kCount) {
    typedef Word<T> V __attribute__((vector_size(16)));
    V v;
    __builtin_memcpy(&v, lanes, sizeof v);
    return FoldVector<F, T, half>(v, std::make_index_sequence<kCount>());
  }
#endif
  HLOIR_VECTORIZE
  for (int64_t k = 0; k < half; ++k) lanes[k] = F::Apply(lanes[k], lanes[k + half]);
  if constexpr (half > 1) return FoldLanes<F, T, half / 2>(lanes);
  else return lanes[0];
}

// An element as it is, or of bf16 as f32.
template <class T, class Stored>
inline T Widened(Stored x) {
  if constexpr (std::is_same_v<T, Stored>) return x;
  else return __builtin_bit_cast(T, static_cast<uint32_t>(x) << 16);
}

template <bool greater>
struct PlainExtremeFn {
  template <class T>
  static T Apply(T best, T x) {
    return (greater ? x > best : x < best) ? x : best;
  }
};
// The largest (or smallest) of a long row of floats by plain comparisons, a quarter of Extreme's work; false if Extreme
// is needed: with NaNs, or if the sign of a zero matters.
template <class T, bool greater, class Stored>
inline bool FindExtreme(const Stored* row, int64_t n, T* result) {
  constexpr int64_t kLanes = 128 / sizeof(T);
  using Bits = Unsigned<T>;
  alignas(64) T lanes[kLanes];
  alignas(64) Bits nan[kLanes];
  HLOIR_VECTORIZE
  for (int64_t k = 0; k < kLanes; ++k) {
    lanes[k] = Widened<T>(row[k]);
    nan[k] = lanes[k] != lanes[k] ? Bits(1) : Bits(0);
  }
  const auto take = [&](int64_t i, int64_t count) {
    HLOIR_VECTORIZE
    for (int64_t k = 0; k < count; ++k) {
      const T x = Widened<T>(row[i + k]);
      nan[k] |= x != x ? Bits(1) : Bits(0);
      lanes[k] = PlainExtremeFn<greater>::Apply(lanes[k], x);
    }
  };
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) take(i, kLanes);
  take(i, n - i);
  *result = FoldLanes<PlainExtremeFn<greater>, T, kLanes / 2>(lanes);
  return (FoldLanes<OrFn, Bits, kLanes / 2>(nan) == 0) & (*result != 0);
}

// ReduceRow of bf16, in its order: two neighbours make a word, and those of even and odd places go to lanes of their
// own, which are folded by themselves up to the last step. So a word is widened by two operations, and none moves it.
template <class F, int64_t lanes>
inline float ReduceBf16Pairs(const uint16_t* row, int64_t n) {
  typedef uint32_t Word __attribute__((aligned(2), may_alias));
  constexpr bool kBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  constexpr int64_t kWords = lanes / 2;
  const auto low = [](uint32_t word) { return __builtin_bit_cast(float, word << 16); };
  const auto high = [](uint32_t word) { return __builtin_bit_cast(float, word & 0xffff0000u); };
  const auto even = [=](uint32_t word) { return kBigEndian ? high(word) : low(word); };
  const auto odd = [=](uint32_t word) { return kBigEndian ? low(word) : high(word); };
  alignas(64) float evens[kWords], odds[kWords];
  const Word* words = reinterpret_cast<const Word*>(row);
  for (int64_t k = 0; k < kWords; ++k) evens[k] = even(words[k]), odds[k] = odd(words[k]);
  int64_t i = lanes;
  for (; i + lanes <= n; i += lanes) {
    words += kWords;
    HLOIR_VECTORIZE
    for (int64_t k = 0; k < kWords; ++k) {
      const uint32_t word = words[k];
      evens[k] = F::Apply(evens[k], even(word));
      odds[k] = F::Apply(odds[k], odd(word));
    }
  }
  for (int64_t k = 0; i + k < n; ++k) {
    float& lane = k % 2 == 0 ? evens[k / 2] : odds[k / 2];
    lane = F::Apply(lane, Widened<float>(row[i + k]));
  }
  return F::Apply(FoldLanes<F, float, kWords / 2>(evens), FoldLanes<F, float, kWords / 2>(odds));
}

// How many of ReduceRow's lanes are accumulated at once: all where the registers hold them, or where it is not worth
// its code (bytes, and extremes of floats, which FindExtreme finds).
template <class F, class T, class Arch, int64_t lanes>
constexpr int64_t LanesAtOnce() {
  if (std::is_same_v<Arch, Plain>) return 8;
#if !defined(__AVX2__) && !defined(__aarch64__)
  if (sizeof(T) >= 4 && (!kIsFloat<T> || std::is_same_v<F, AddFn> || std::is_same_v<F, MultiplyFn>)) return lanes / 2;
#endif
  return lanes;
}

// lanes[k] = all that lane k takes of whole `lanes` elements, `at_once` lanes after the other; returns their number.
template <class F, int64_t count, int64_t at_once, class T>
inline int64_t ReduceLanes(const T* row, int64_t n, T* lanes) {
  int64_t i = count;
  for (int64_t first = 0; first < count; first += at_once) {
    T sums[at_once];
    const T* from = row + first;
#pragma GCC unroll 128
    for (int64_t k = 0; k < at_once; ++k) sums[k] = from[k];
    for (i = count; i + count <= n; i += count) {
      from += count;
#pragma GCC unroll 128
      for (int64_t k = 0; k < at_once; ++k) sums[k] = F::Apply(sums[k], from[k]);
    }
#pragma GCC unroll 128
    for (int64_t k = 0; k < at_once; ++k) lanes[first + k] = sums[k];
  }
  return i;
}

// Accumulator lane i takes elements i, i+kLanes, …; then the lanes are folded together.
template <class F, class Arch, class T, class Stored>
inline T ReduceRow(const Stored* row, int64_t n) {
  constexpr int64_t kLanes = 256 / sizeof(T);
  constexpr bool kMaximum = std::is_same_v<F, MaximumFn>, kMinimum = std::is_same_v<F, MinimumFn>;
  if constexpr (kIsFloat<T> && (kMaximum || kMinimum)) {
    T result;
    if (n >= kLanes && FindExtreme<T, kMaximum>(row, n, &result)) return result;
  }
  if (n < kLanes) {
    T result = Widened<T>(row[0]);
    for (int64_t i = 1; i < n; ++i) result = F::Apply(result, Widened<T>(row[i]));
    return result;
  }
  if constexpr (!std::is_same_v<T, Stored>) {
    return ReduceBf16Pairs<F, kLanes>(row, n);
  } else {
    alignas(64) T lanes[kLanes];
    int64_t i = kLanes;
    constexpr int64_t kAtOnce = LanesAtOnce<F, T, Arch, kLanes>();
    if constexpr (kAtOnce < kLanes) {
      i = ReduceLanes<F, kLanes, kAtOnce>(row, n, lanes);
    } else {
      if (n >= 2 * kLanes) {
        // Not a copy of the first lanes, for which compilers take shorter vectors: loads of whole ones would wait for
        // it.
        HLOIR_VECTORIZE
        for (int64_t k = 0; k < kLanes; ++k) lanes[k] = F::Apply(row[k], row[k + kLanes]);
        i = 2 * kLanes;
      } else {
        for (int64_t k = 0; k < kLanes; ++k) lanes[k] = row[k];
      }
      for (; i + kLanes <= n; i += kLanes) {
        HLOIR_VECTORIZE
        for (int64_t k = 0; k < kLanes; ++k) lanes[k] = F::Apply(lanes[k], row[i + k]);
      }
    }
    if (i < n) BinaryOfMany<F, T, kVectorVector>(lanes, row + i, lanes, n - i);
    return FoldLanes<F, T, kLanes / 2>(lanes);
  }
}

// Many rows of a few elements each, side by side, in ReduceRow's order.
template <class F, class T, int64_t length>
inline void ReduceShortRows(const T* a, T* out, int64_t rows) {
  HLOIR_VECTORIZE
  for (int64_t j = 0; j < rows; ++j) {
    T result = a[j * length];
    for (int64_t i = 1; i < length; ++i) result = F::Apply(result, a[j * length + i]);
    out[j] = result;
  }
}

template <class F, class Arch, class T>
void ReduceRowsLoop(const TileOp& op, int64_t n) {
  const T* a = static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  const int64_t length = op.extra > 0 ? op.extra : n;
  if constexpr (std::is_same_v<F, AddFn> && kIsFloat<T>) {  // each costs build time
    if (length == 2 && n % 2 == 0) return ReduceShortRows<F, T, 2>(a, out, n / 2);
    if (length == 3 && n % 3 == 0) return ReduceShortRows<F, T, 3>(a, out, n / 3);
    if (length == 4 && n % 4 == 0) return ReduceShortRows<F, T, 4>(a, out, n / 4);
  }
  for (int64_t j = 0; j * length < n; ++j) out[j] = ReduceRow<F, Arch, T>(a + j * length, length);
}

template <class F, class Arch>
void ReduceBf16RowsLoop(const TileOp& op, int64_t n) {
  const uint16_t* a = static_cast<const uint16_t*>(op.in[0]);
  float* out = static_cast<float*>(op.out);
  const int64_t length = op.extra > 0 ? op.extra : n;
  for (int64_t j = 0; j * length < n; ++j) out[j] = ReduceRow<F, Arch, float>(a + j * length, length);
}

// out[j] = Extreme of out[j] and of x[0][j] … x[7][j], by plain comparisons. They keep a NaN in `out` and skip those in
// `x`, which are looked for by pairs. A result of 0 has the sign that all signs give together.
template <class T, bool greater, class Stored>
inline void TakeExtremes(T* out, const Stored* const (&x)[8], int64_t n) {
  using Bits = Unsigned<T>;
  constexpr Bits kSign = Bits(1) << (kBits<T> - 1);
  const Stored *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3], *x4 = x[4], *x5 = x[5], *x6 = x[6], *x7 = x[7];
  HLOIR_VECTORIZE
  for (int64_t j = 0; j < n; ++j) {
    T best = out[j];
    Bits signs = __builtin_bit_cast(Bits, best);
    bool nan = false;
    const auto take = [&](Stored stored, Stored other) {
      const T a = Widened<T>(stored), b = Widened<T>(other);
      const Bits p = __builtin_bit_cast(Bits, a), q = __builtin_bit_cast(Bits, b);
      signs = greater ? signs & p & q : signs | p | q;
      best = PlainExtremeFn<greater>::Apply(best, a);
      best = PlainExtremeFn<greater>::Apply(best, b);
      nan |= __builtin_isunordered(a, b) != 0;
    };
    take(x0[j], x1[j]), take(x2[j], x3[j]), take(x4[j], x5[j]), take(x6[j], x7[j]);
    best = best == 0 ? __builtin_bit_cast(T, signs & kSign) : best;
    out[j] = nan ? __builtin_nanf("") : best;
  }
}

// Row after row, as the combining kernel would take them, but four at a time: the sums so far go to memory and back
// once for these.
template <class F, class T, class Stored>
void ReduceColumnsLoop(const TileOp& op, int64_t n) {
  const std::byte* from = static_cast<const std::byte*>(op.in[0]);
  const int64_t step = reinterpret_cast<intptr_t>(op.in[1]), rows = op.extra;
  T* out = static_cast<T*>(op.out);
  const auto row = [=](int64_t r) { return reinterpret_cast<const Stored*>(from + r * step); };
  const Stored* first = row(0);
  HLOIR_VECTORIZE
  for (int64_t j = 0; j < n; ++j) out[j] = Widened<T>(first[j]);
  int64_t r = 1;
  constexpr bool kMaximum = std::is_same_v<F, MaximumFn>, kMinimum = std::is_same_v<F, MinimumFn>;
  if constexpr (kIsFloat<T> && (kMaximum || kMinimum)) {
    for (; r + 8 <= rows; r += 8) {
      const Stored* const x[] = {row(r),     row(r + 1), row(r + 2), row(r + 3),
                                 row(r + 4), row(r + 5), row(r + 6), row(r + 7)};
      TakeExtremes<T, kMaximum>(out, x, n);
    }
  }
  for (; r + 4 <= rows; r += 4) {
    const Stored *a = row(r), *b = row(r + 1), *c = row(r + 2), *d = row(r + 3);
    HLOIR_VECTORIZE
    for (int64_t j = 0; j < n; ++j) {
      const T two = F::Apply(F::Apply(out[j], Widened<T>(a[j])), Widened<T>(b[j]));
      out[j] = F::Apply(F::Apply(two, Widened<T>(c[j])), Widened<T>(d[j]));
    }
  }
  for (; r < rows; ++r) {
    const Stored* a = row(r);
    HLOIR_VECTORIZE
    for (int64_t j = 0; j < n; ++j) out[j] = F::Apply(out[j], Widened<T>(a[j]));
  }
}

template <TileType P, class Arch>
void FillReduceOf(KernelTable& table) {
  using T = Cpp<P>;
  auto set = [&]<class F>(BinaryOp op, F) {
    if constexpr (F::template kHas<T>) {
      using U = LoopType<F, T>;
      table.reduce_rows[static_cast<int>(op)][static_cast<int>(P)] = &ReduceRowsLoop<F, Arch, U>;
      table.reduce_columns[static_cast<int>(op)][static_cast<int>(P)] = &ReduceColumnsLoop<F, U, U>;
    }
  };
  set(BinaryOp::kAdd, AddFn());
  set(BinaryOp::kMultiply, MultiplyFn());
  set(BinaryOp::kMaximum, MaximumFn());
  set(BinaryOp::kMinimum, MinimumFn());
  set(BinaryOp::kAnd, AndFn());
  set(BinaryOp::kOr, OrFn());
  set(BinaryOp::kXor, XorFn());
}

template <class Arch>
void FillReduce(KernelTable& table) {
  FillReduceOf<TileType::kPred, Arch>(table);
  FillReduceOf<TileType::kS8, Arch>(table);
  FillReduceOf<TileType::kU8, Arch>(table);
  FillReduceOf<TileType::kS16, Arch>(table);
  FillReduceOf<TileType::kU16, Arch>(table);
  FillReduceOf<TileType::kS32, Arch>(table);
  FillReduceOf<TileType::kU32, Arch>(table);
  FillReduceOf<TileType::kS64, Arch>(table);
  FillReduceOf<TileType::kU64, Arch>(table);
  FillReduceOf<TileType::kF32, Arch>(table);
  FillReduceOf<TileType::kF64, Arch>(table);
  auto set = [&]<class F>(BinaryOp op, F) {
    table.reduce_bf16_rows[static_cast<int>(op)] = &ReduceBf16RowsLoop<F, Arch>;
    table.reduce_bf16_columns[static_cast<int>(op)] = &ReduceColumnsLoop<F, float, uint16_t>;
  };
  set(BinaryOp::kAdd, AddFn());
  set(BinaryOp::kMaximum, MaximumFn());
  set(BinaryOp::kMinimum, MinimumFn());
}

}  // namespace
}  // namespace hloir::cpu
