// The kernels for SSE2, which every x86-64 has. See isas.def.
#include "kernels/xsimd_kernels.h"

namespace hloir::cpu {

const ChainTable& Sse2Chains();  // sse2_chains.cc

const KernelTable& Sse2Kernels() {
  static const KernelTable table = MakeXsimdTable<xsimd::sse2>(Isa::kSse2, &Sse2Chains);
  return table;
}

}  // namespace hloir::cpu
