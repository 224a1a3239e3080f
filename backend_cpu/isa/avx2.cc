// The kernels for AVX2 with FMA. See isas.def.
#include "kernels/xsimd_kernels.h"

namespace hloir::cpu {

const ChainTable& Avx2Chains();  // avx2_chains.cc

const KernelTable& Avx2Kernels() {
  static const KernelTable table = MakeXsimdTable<xsimd::fma3<xsimd::avx2>>(Isa::kAvx2, &Avx2Chains);
  return table;
}

}  // namespace hloir::cpu
