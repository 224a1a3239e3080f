// The kernels of an instruction set with xsimd vectors, instantiated by isa/*.cc except scalar.cc. Everything has
// internal linkage (why: isa/isas.def).
#pragma once

#include <xsimd/xsimd.hpp>

#include "kernels/all_kernels.h"
#include "kernels/complex_kernels.h"
#include "kernels/division_kernels.h"
#include "kernels/half_kernels.h"
#include "kernels/math_kernels.h"
#include "kernels/stream_kernels.h"
#include "kernels/window_kernels.h"
#include "kernels/word_gemm_kernels.h"

namespace hloir::cpu {
namespace {

template <class T, class Arch>
struct VectorTraits {
  using Type = xsimd::batch<T, Arch>;
  // As many accumulators as the register file holds beside two vectors of b and one of a.
#if defined(__aarch64__)
  static constexpr int kGemmRows = 8;
#else
  static constexpr int kGemmRows = sizeof(Type) == 64 ? 12 : sizeof(Type) == 32 ? 6 : 4;
#endif
  static constexpr int kGemmVectors = 2;

  // sum + a * b, with one rounding where the machine has FMA. Without it, emulating one rounding would cost too much.
  static Type MultiplyAdd(const Type& a, const Type& b, const Type& sum) {
#if defined(__aarch64__)
    if constexpr (std::is_same_v<T, int32_t>) return Type(vmlaq_s32(sum, a, b));
#endif
    if constexpr (kIsInt<T> && std::is_signed_v<T>) {
      // Unsigned, as elements may overflow: where the machine cannot multiply them side by side, xsimd does it one by
      // one.
      using UnsignedType = xsimd::batch<Unsigned<T>, Arch>;
      auto bits = [](const Type& x) { return xsimd::bitwise_cast<UnsignedType>(x); };
      return xsimd::bitwise_cast<Type>(bits(sum) + bits(a) * bits(b));
    }
#if defined(__AVX512F__)
    // Of AVX-512, xsimd 8 knows the registers but not their FMA.
    if constexpr (std::is_same_v<T, float>) return _mm512_fmadd_ps(a, b, sum);
    else if constexpr (std::is_same_v<T, double>) return _mm512_fmadd_pd(a, b, sum);
    else return sum + a * b;
#else
    if constexpr (kIsFloat<T> && !std::is_same_v<Arch, xsimd::sse2>) return xsimd::fma(a, b, sum);
    else return sum + a * b;
#endif
  }
};

template <class Arch>
KernelTable MakeXsimdTable(Isa isa, const ChainTable& (*chains)() = nullptr) {
  KernelTable table = MakeTable<Arch>(isa);
  table.chains = chains;
  constexpr int kBytes = sizeof(typename xsimd::batch<float, Arch>::register_type);
  FillVectorDivision<kBytes>(table);
  FillWindows<kBytes>(table);
  FillMath<Arch>(table);
  FillWordGemm<Arch>(table);
  FillHalf(table);
  FillStream(table);
  FillComplexVectors<Arch>(table);
  return table;
}

}  // namespace
}  // namespace hloir::cpu
