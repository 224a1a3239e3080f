// Chains for AVX-512. See isas.def.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // as in avx512.cc
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "kernels/chain_kernels.h"

namespace hloir::cpu {

const ChainTable& Avx512Chains() {
  static const ChainTable table = MakeChains<xsimd::avx512bw>();
  return table;
}

}  // namespace hloir::cpu
