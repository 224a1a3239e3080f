// The kernels for AVX-512 (F, BW, CD, DQ, VL), and those of avx512_narrow.cc and avx512_tiles.cc on machines with their
// extensions. See isas.def.
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 warns of the deliberately undefined registers in its own avx512fintrin.h (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "isa/avx512_narrow.h"
#include "kernels/xsimd_kernels.h"

namespace hloir::cpu {

const ChainTable& Avx512Chains();  // avx512_chains.cc

const KernelTable& Avx512Kernels() {
  static const KernelTable table = [] {
    KernelTable made = MakeXsimdTable<xsimd::avx512bw>(Isa::kAvx512, &Avx512Chains);
    if (__builtin_cpu_supports("avx512vnni")) FillBytesGemm(made.gemm[static_cast<int>(GemmType::kBytes)]);
    if (__builtin_cpu_supports("avx512bf16")) FillBf16Gemm(made.gemm[static_cast<int>(GemmType::kBf16)]);
    FillTileGemm(made.gemm[static_cast<int>(GemmType::kTileBytes)], made.gemm[static_cast<int>(GemmType::kTileBf16)]);
    return made;
  }();
  return table;
}

}  // namespace hloir::cpu
