// Chains for AVX2 with FMA. See isas.def.
#include "kernels/chain_kernels.h"

namespace hloir::cpu {

const ChainTable& Avx2Chains() {
  static const ChainTable table = MakeChains<xsimd::fma3<xsimd::avx2>>();
  return table;
}

}  // namespace hloir::cpu
