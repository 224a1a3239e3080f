// The kernels for AVX-512 (F, BW, CD, DQ, VL). See sse2.cc.
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the deliberately undefined registers of its own avx512fintrin.h for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "kernels/all_kernels.h"

namespace hloir::cpu {

const KernelTable& Avx512Kernels() {
  static const KernelTable table = MakeTable<xsimd::avx512bw>("avx512");
  return table;
}

}  // namespace hloir::cpu
