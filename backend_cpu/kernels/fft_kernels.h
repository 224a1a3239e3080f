// One stage of a Fourier transform of several lines at once, and the block ciphers of random bits. plan/fft.cc splits
// transforms into stages; plan/random_bits.cc provides the counters of the ciphers. Included by isa/*.cc through
// all_kernels.h only; everything has internal linkage (why: isa/isas.def).
#pragma once

#include "kernels/elementwise_kernels.h"
#include "kernels/fft_lines.h"
#include "kernels/vector.h"

namespace hloir::cpu {
namespace {

// n transforms of kRadix numbers, `step` apart, to numbers `to_step` apart, multiplied by w[kRadix - 1].
template <class T, int kRadix>
inline void Butterflies(int64_t n, const T* xr, const T* xi, int64_t step, const T* w, T* yr, T* yi, int64_t to_step) {
  // exp(-2 pi i / 3), exp(-2 pi i / 5), exp(-4 pi i / 5)
  constexpr T kSin3 = T(0.86602540378443864676L), kCos5 = T(0.30901699437494742410L),
              kSin5 = T(0.95105651629515357212L), kCos52 = T(-0.80901699437494742410L),
              kSin52 = T(0.58778525229247312917L);
  HLOIR_VECTORIZE
  for (int64_t q = 0; q < n; ++q) {
    T r[kRadix], i[kRadix];
    if constexpr (kRadix == 2) {
      const T br = xr[step + q], bi = xi[step + q];
      r[0] = xr[q] + br, i[0] = xi[q] + bi;
      r[1] = xr[q] - br, i[1] = xi[q] - bi;
    } else if constexpr (kRadix == 3) {
      const T sr = xr[step + q] + xr[2 * step + q], si = xi[step + q] + xi[2 * step + q];
      const T dr = (xr[step + q] - xr[2 * step + q]) * kSin3, di = (xi[step + q] - xi[2 * step + q]) * kSin3;
      const T mr = xr[q] - sr * T(0.5), mi = xi[q] - si * T(0.5);
      r[0] = xr[q] + sr, i[0] = xi[q] + si;
      r[1] = mr + di, i[1] = mi - dr;
      r[2] = mr - di, i[2] = mi + dr;
    } else if constexpr (kRadix == 4) {
      const T sr = xr[q] + xr[2 * step + q], si = xi[q] + xi[2 * step + q];
      const T dr = xr[q] - xr[2 * step + q], di = xi[q] - xi[2 * step + q];
      const T tr = xr[step + q] + xr[3 * step + q], ti = xi[step + q] + xi[3 * step + q];
      const T er = xr[step + q] - xr[3 * step + q], ei = xi[step + q] - xi[3 * step + q];
      r[0] = sr + tr, i[0] = si + ti;
      r[1] = dr + ei, i[1] = di - er;
      r[2] = sr - tr, i[2] = si - ti;
      r[3] = dr - ei, i[3] = di + er;
    } else {
      const T s1r = xr[step + q] + xr[4 * step + q], s1i = xi[step + q] + xi[4 * step + q];
      const T d1r = xr[step + q] - xr[4 * step + q], d1i = xi[step + q] - xi[4 * step + q];
      const T s2r = xr[2 * step + q] + xr[3 * step + q], s2i = xi[2 * step + q] + xi[3 * step + q];
      const T d2r = xr[2 * step + q] - xr[3 * step + q], d2i = xi[2 * step + q] - xi[3 * step + q];
      const T m1r = xr[q] + s1r * kCos5 + s2r * kCos52, m1i = xi[q] + s1i * kCos5 + s2i * kCos52;
      const T m2r = xr[q] + s1r * kCos52 + s2r * kCos5, m2i = xi[q] + s1i * kCos52 + s2i * kCos5;
      const T n1r = d1r * kSin5 + d2r * kSin52, n1i = d1i * kSin5 + d2i * kSin52;
      const T n2r = d1r * kSin52 - d2r * kSin5, n2i = d1i * kSin52 - d2i * kSin5;
      r[0] = xr[q] + s1r + s2r, i[0] = xi[q] + s1i + s2i;
      r[1] = m1r + n1i, i[1] = m1i - n1r;
      r[4] = m1r - n1i, i[4] = m1i + n1r;
      r[2] = m2r + n2i, i[2] = m2i - n2r;
      r[3] = m2r - n2i, i[3] = m2i + n2r;
    }
    yr[q] = r[0], yi[q] = i[0];
#pragma GCC unroll 4
    for (int k = 1; k < kRadix; ++k) {
      const T wr = w[2 * k - 2], wi = w[2 * k - 1];
      yr[k * to_step + q] = r[k] * wr - i[k] * wi;
      yi[k * to_step + q] = r[k] * wi + i[k] * wr;
    }
  }
}

// Stockham's autosort: from x[radix][m][s] to y[m][radix][s], multiplied by `twiddles`[m][radix-1] (cosine, sine)
// pairs.
template <class T, int kRadix>
void FftStageOf(int64_t m, int64_t s, const T* xr, const T* xi, T* yr, T* yi, const T* twiddles) {
  for (int64_t p = 0; p < m; ++p) {
    Butterflies<T, kRadix>(s, xr + p * s, xi + p * s, m * s, twiddles + p * 2 * (kRadix - 1), yr + p * kRadix * s,
                           yi + p * kRadix * s, s);
  }
}

// Two stages of radix 4, the first of 4·m, in blocks: intermediate values stay in the first-level cache.
template <class T>
void FftTwoStages(int64_t m, int64_t s, const void* x_r, const void* x_i, void* y_r, void* y_i, const void* twiddles) {
  constexpr int64_t kPart = 64;
  alignas(64) T r[16 * kPart], i[16 * kPart];  // [4][4][kPart]
  const T *xr = static_cast<const T*>(x_r), *xi = static_cast<const T*>(x_i), *first = static_cast<const T*>(twiddles),
          *second = first + 4 * m * 6;
  T *yr = static_cast<T*>(y_r), *yi = static_cast<T*>(y_i);
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < s; q += kPart) {
      const int64_t n = s - q < kPart ? s - q : kPart;
      for (int64_t j = 0; j < 4; ++j) {
        const int64_t at = p + j * m;
        Butterflies<T, 4>(n, xr + at * s + q, xi + at * s + q, 4 * m * s, first + at * 6, r + j * 4 * kPart,
                          i + j * 4 * kPart, kPart);
      }
      for (int64_t k = 0; k < 4; ++k) {
        const int64_t to = (p * 16 + k) * s + q;
        Butterflies<T, 4>(n, r + k * kPart, i + k * kPart, 4 * kPart, second + p * 6, yr + to, yi + to, 4 * s);
      }
    }
  }
}

template <class T>
void FftStage(int radix, int64_t m, int64_t s, const void* xr, const void* xi, void* yr, void* yi,
              const void* twiddles) {
  auto call = [&](auto stage) {
    stage(m, s, static_cast<const T*>(xr), static_cast<const T*>(xi), static_cast<T*>(yr), static_cast<T*>(yi),
          static_cast<const T*>(twiddles));
  };
  switch (radix) {
    case 2: return call(&FftStageOf<T, 2>);
    case 3: return call(&FftStageOf<T, 3>);
    case 4: return call(&FftStageOf<T, 4>);
    default: return call(&FftStageOf<T, 5>);
  }
}

template <class T>
void UnfoldReals(int64_t half, int64_t lanes, const void* turn, void* const* a) {
  const T *zr = static_cast<const T*>(a[0]), *zi = static_cast<const T*>(a[1]);
  for (int64_t k = 0; k <= half; ++k) {
    const T c = static_cast<const T*>(turn)[2 * k], s = static_cast<const T*>(turn)[2 * k + 1];
    const int64_t p = k % half * lanes, q = (half - k) % half * lanes;
    const T *pr = zr + p, *pi = zi + p, *qr = zr + q, *qi = zi + q;
    T *re = static_cast<T*>(a[2]) + k * lanes, *im = static_cast<T*>(a[3]) + k * lanes;
    HLOIR_VECTORIZE
    for (int64_t l = 0; l < lanes; ++l) {  // the spectrum of the even elements, and that of the odd ones times the
                                           // twiddle factor
      const T odd_r = (pi[l] + qi[l]) * T(0.5), odd_i = (qr[l] - pr[l]) * T(0.5);
      re[l] = (pr[l] + qr[l]) * T(0.5) + (odd_r * c - odd_i * s);
      im[l] = (pi[l] - qi[l]) * T(0.5) + (odd_r * s + odd_i * c);
    }
  }
}

template <class T>
void FoldReals(int64_t half, int64_t lanes, const void* turn, void* const* a) {
  const T* xr = static_cast<const T*>(a[2]);
  T* xi = static_cast<T*>(a[3]);
  for (int64_t l = 0; l < lanes; ++l) xi[l] = xi[half * lanes + l] = T(0);  // the ends are treated as real
  for (int64_t k = 0; k < half; ++k) {
    const T c = static_cast<const T*>(turn)[2 * k], s = static_cast<const T*>(turn)[2 * k + 1];
    const int64_t p = k * lanes, q = (half - k) * lanes;
    const T *pr = xr + p, *pi = xi + p, *qr = xr + q, *qi = xi + q;
    T *re = static_cast<T*>(a[1]) + k * lanes, *im = static_cast<T*>(a[0]) + k * lanes;
    HLOIR_VECTORIZE
    for (int64_t l = 0; l < lanes; ++l) {
      const T odd_r = pr[l] - qr[l], odd_i = pi[l] + qi[l];
      re[l] = pr[l] + qr[l] - (odd_i * c - odd_r * s);
      im[l] = pi[l] - qi[l] + (odd_r * c + odd_i * s);
    }
  }
}

// Philox4x32-10 and Threefry2x32-20: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Philox in
// blocks, so that the compiler vectorizes over counters. A block has more than 16, because g++ unrolls shorter loops
// completely before it vectorizes.
constexpr int kCipherBlock = 32;

template <class Arch>
void Philox(uint64_t key, uint64_t low, uint64_t high, int64_t count, uint32_t* out) {
  for (int64_t i0 = 0; i0 < count; i0 += kCipherBlock) {
    const int64_t n = count - i0 < kCipherBlock ? count - i0 : kCipherBlock;
    uint32_t x[4][kCipherBlock];
    for (int k = 0; k < kCipherBlock; ++k) {
      const uint64_t l = low + static_cast<uint64_t>(i0 + k), h = high + (l < low ? 1 : 0);
      x[0][k] = static_cast<uint32_t>(l), x[1][k] = static_cast<uint32_t>(l >> 32);
      x[2][k] = static_cast<uint32_t>(h), x[3][k] = static_cast<uint32_t>(h >> 32);
    }
    uint32_t key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      HLOIR_VECTORIZE
      for (int k = 0; k < kCipherBlock; ++k) {
        const uint64_t p0 = uint64_t{x[0][k]} * 0xD2511F53u, p1 = uint64_t{x[2][k]} * 0xCD9E8D57u;
        const uint32_t a = static_cast<uint32_t>(p1 >> 32) ^ x[1][k] ^ key0,
                       b = static_cast<uint32_t>(p0 >> 32) ^ x[3][k] ^ key1;
        x[0][k] = a, x[1][k] = static_cast<uint32_t>(p1);
        x[2][k] = b, x[3][k] = static_cast<uint32_t>(p0);
      }
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    for (int64_t k = 0; k < n; ++k)
      for (int j = 0; j < 4; ++j) out[4 * (i0 + k) + j] = x[j][k];
  }
}

// Words that Threefry computes on side by side.
template <class Arch>
struct CipherWords {
  typedef uint32_t V __attribute__((vector_size(sizeof(Vector<uint32_t, Arch>))));
};
template <>
struct CipherWords<Plain> {
  using V = uint32_t;
};
// Several vectors by turns, as each operation waits for the one before.
constexpr int kCipherVectors = 4;
template <int... rotations, class V>
inline void ThreefryRounds(V (&a)[kCipherVectors], V (&b)[kCipherVectors]) {
  const auto round = [&]<int rotation>(std::integral_constant<int, rotation>) {
#pragma GCC unroll 4
    for (int k = 0; k < kCipherVectors; ++k) {
      a[k] += b[k];
      b[k] = (b[k] << rotation | b[k] >> (32 - rotation)) ^ a[k];
    }
  };
  (round(std::integral_constant<int, rotations>()), ...);
}

template <class Arch>
void Threefry(uint64_t key, uint64_t counter, int64_t count, uint32_t* first, uint32_t* second) {
  using V = typename CipherWords<Arch>::V;
  constexpr int kLanes = sizeof(V) / sizeof(uint32_t), kBlock = kCipherVectors * kLanes;
  const uint32_t low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {low, high, low ^ high ^ 0x1BD11BDAu};
  V places[kCipherVectors];
  uint32_t numbers[kBlock];
  for (uint32_t k = 0; k < kBlock; ++k) numbers[k] = k;
  __builtin_memcpy(places, numbers, sizeof places);
  for (int64_t i = 0; i < count; i += kBlock) {
    const uint64_t at = counter + static_cast<uint64_t>(i);
    const V from = V{} + static_cast<uint32_t>(at);
    V a[kCipherVectors], b[kCipherVectors];
#pragma GCC unroll 4
    for (int k = 0; k < kCipherVectors; ++k) {
      a[k] = from + places[k];
      b[k] = static_cast<uint32_t>(at >> 32) + (V)(a[k] < from ? V{} + 1 : V{}) + keys[1];
      a[k] += keys[0];
    }
    for (uint32_t group = 1;; ++group) {
      const auto add_keys = [&] {
        const uint32_t add_a = keys[group % 3], add_b = keys[(group + 1) % 3] + group;
#pragma GCC unroll 4
        for (int k = 0; k < kCipherVectors; ++k) a[k] += add_a, b[k] += add_b;
      };
      ThreefryRounds<13, 15, 26, 6>(a, b);
      add_keys();
      if (group++ == 5) break;
      ThreefryRounds<17, 29, 16, 24>(a, b);
      add_keys();
    }
    if (count - i >= kBlock) {
      __builtin_memcpy(first + i, a, sizeof a);
      __builtin_memcpy(second + i, b, sizeof b);
    } else {
      const size_t left = static_cast<size_t>(count - i) * sizeof(uint32_t);
      __builtin_memcpy(first + i, a, left);
      __builtin_memcpy(second + i, b, left);
    }
  }
}

template <class Arch>
void FillFft(KernelTable& table) {
  table.fft_stage[0] = &FftStage<float>;
  table.fft_stage[1] = &FftStage<double>;
  table.fft_two_stages[0] = &FftTwoStages<float>;
  table.fft_two_stages[1] = &FftTwoStages<double>;
  table.fft_load[0] = &LoadLines<float>;
  table.fft_load[1] = &LoadLines<double>;
  table.fft_store[0] = &StoreLines<float>;
  table.fft_store[1] = &StoreLines<double>;
  table.fft_unfold[0] = &UnfoldReals<float>;
  table.fft_unfold[1] = &UnfoldReals<double>;
  table.fft_fold[0] = &FoldReals<float>;
  table.fft_fold[1] = &FoldReals<double>;
  table.philox = &Philox<Arch>;
  table.threefry = &Threefry<Arch>;
}

}  // namespace
}  // namespace hloir::cpu
