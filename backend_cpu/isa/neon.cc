// The kernels for AArch64's NEON. See isas.def.
#include "kernels/xsimd_kernels.h"

namespace hloir::cpu {

const ChainTable& NeonChains();  // neon_chains.cc

const KernelTable& NeonKernels() {
  static const KernelTable table = MakeXsimdTable<xsimd::neon64>(Isa::kNeon, &NeonChains);
  return table;
}

}  // namespace hloir::cpu
