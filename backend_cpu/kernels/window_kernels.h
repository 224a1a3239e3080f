// Sums and extremes of windows whose elements lie in short rows, as a pooling reads them: all taps of a result are
// taken in registers. Bits are those of the plain operations one after the other. Included by xsimd_kernels.h;
// everything has internal linkage (why: isa/isas.def). Tests: tests/unit/executable_kernels_test.cc, by every
// instruction set.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/elementwise_kernels.h"
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace hloir::cpu {
namespace {

template <class T, int bytes>
struct WindowVectors {
  static constexpr int64_t kCount = bytes / sizeof(T);
  typedef T V __attribute__((vector_size(bytes)));
  typedef Unsigned<T> U __attribute__((vector_size(bytes)));
  typedef SignedBits<T> S __attribute__((vector_size(bytes)));

  static V Load(const T* from, int64_t count = kCount) {
    V v = {};
    __builtin_memcpy(&v, from, static_cast<size_t>(count) * sizeof(T));
    return v;
  }
  static void Store(V v, T* to, int64_t count = kCount) {
    __builtin_memcpy(to, &v, static_cast<size_t>(count) * sizeof(T));
  }
};

template <class W, BinaryOp op>
struct WindowSum {
  typename W::V sum;
  void Begin(typename W::V init) { sum = init; }
  void Take(typename W::V x) {
    if constexpr (kIsFloat<std::decay_t<decltype(x[0])>>) sum = sum + x;
    else sum = (typename W::V)((typename W::U)sum + (typename W::U)x);
  }
  typename W::V Result() const { return sum; }
};
template <class W, BinaryOp op>
struct WindowExtreme {
  using V = typename W::V;
  V best;
  void Begin(V init) { best = init; }
  void Take(V x) { best = (op == BinaryOp::kMaximum ? x > best : x < best) ? x : best; }
  V Result() const { return best; }
};
#if defined(__aarch64__)
// NEON's extremes are a NaN beside one, and know the zeros' signs.
template <class W, BinaryOp op>
struct WindowFloatExtreme {
  using V = typename W::V;
  V best;
  void Begin(V init) { best = init; }
  void Take(V x) {
    using F = std::conditional_t<sizeof(x[0]) == 4, float32x4_t, float64x2_t>;
    best = (V)Extreme((F)best, (F)x);
  }
  V Result() const { return best; }
  static float32x4_t Extreme(float32x4_t a, float32x4_t b) {
    return op == BinaryOp::kMaximum ? vmaxq_f32(a, b) : vminq_f32(a, b);
  }
  static float64x2_t Extreme(float64x2_t a, float64x2_t b) {
    return op == BinaryOp::kMaximum ? vmaxq_f64(a, b) : vminq_f64(a, b);
  }
};
#else
// A plain comparison keeps a NaN in `best` but skips those of x. A result of 0 has the sign that all signs give
// together.
template <class W, BinaryOp op>
struct WindowFloatExtreme {
  using V = typename W::V;
  using U = typename W::U;
  using S = typename W::S;
  V best;
  U signs;
  S nan;
  void Begin(V init) { best = init, signs = (U)init, nan = S{}; }
  void Take(V x) {
    constexpr bool kGreater = op == BinaryOp::kMaximum;
    best = (kGreater ? x > best : x < best) ? x : best;
    signs = kGreater ? signs & (U)x : signs | (U)x;
    nan |= (S)(x != x);
  }
  V Result() const {
    const U sign = (U)(-V{});
    const U zero = (U)(best == V{});
    return (V)((zero & signs & sign) | (~zero & (U)best) | (U)nan);
  }
};
#endif

template <class W, class State, int vectors, class T>
inline void WindowsOf(const TapRows& rows, T init, const T* x, T* out, int64_t count = W::kCount) {
  using V = typename W::V;
  const V start = V{} + init;
  State state[vectors];
#pragma GCC unroll 8
  for (int k = 0; k < vectors; ++k) state[k].Begin(start);
  for (int64_t t = 0; t < rows.tap_count; ++t) {
    const T* from = x + rows.taps[t];
#pragma GCC unroll 8
    for (int k = 0; k < vectors; ++k) state[k].Take(W::Load(from + k * W::kCount, count));
  }
#pragma GCC unroll 8
  for (int k = 0; k < vectors; ++k) W::Store(state[k].Result(), out + k * W::kCount, count);
}

template <class T, int bytes, class State>
void TapRowsLoop(const TapRows& rows, const void* init_data, const void* x_data, void* out_data) {
  using W = WindowVectors<T, bytes>;
#if defined(__aarch64__)
  constexpr int kVectors = 4;
#else
  constexpr int kVectors = bytes == 64 || sizeof(State) == bytes ? 4 : 2;  // whose states registers hold
#endif
  const T init = *static_cast<const T*>(init_data);
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  for (int64_t j = 0; j < rows.results; ++j, x += rows.step, out += rows.inner) {
    int64_t c = 0;
    for (; c + kVectors * W::kCount <= rows.inner; c += kVectors * W::kCount)
      WindowsOf<W, State, kVectors>(rows, init, x + c, out + c);
    for (; c + W::kCount <= rows.inner; c += W::kCount) WindowsOf<W, State, 1>(rows, init, x + c, out + c);
    if (c == rows.inner) continue;
    if (c > 0) c = rows.inner - W::kCount;  // computes some results again
    WindowsOf<W, State, 1>(rows, init, x + c, out + c, std::min(W::kCount, rows.inner));
  }
}

template <TileType P, int bytes>
void FillWindowsOf(KernelTable& table) {
  using T = Cpp<P>;
  using W = WindowVectors<T, bytes>;
  auto& entries = table.window_rows;
  constexpr int p = static_cast<int>(P);
  entries[static_cast<int>(BinaryOp::kAdd)][p] = &TapRowsLoop<T, bytes, WindowSum<W, BinaryOp::kAdd>>;
  if constexpr (kIsFloat<T>) {
    entries[static_cast<int>(BinaryOp::kMaximum)][p] =
        &TapRowsLoop<T, bytes, WindowFloatExtreme<W, BinaryOp::kMaximum>>;
    entries[static_cast<int>(BinaryOp::kMinimum)][p] =
        &TapRowsLoop<T, bytes, WindowFloatExtreme<W, BinaryOp::kMinimum>>;
  } else {
    entries[static_cast<int>(BinaryOp::kMaximum)][p] = &TapRowsLoop<T, bytes, WindowExtreme<W, BinaryOp::kMaximum>>;
    entries[static_cast<int>(BinaryOp::kMinimum)][p] = &TapRowsLoop<T, bytes, WindowExtreme<W, BinaryOp::kMinimum>>;
  }
}
template <int bytes>
void FillWindows(KernelTable& table) {
  FillWindowsOf<TileType::kF32, bytes>(table);
  FillWindowsOf<TileType::kF64, bytes>(table);
  FillWindowsOf<TileType::kS32, bytes>(table);
}

}  // namespace
}  // namespace hloir::cpu
