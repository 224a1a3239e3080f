// Chains for AArch64's NEON. See isas.def.
#include "kernels/chain_kernels.h"

namespace hloir::cpu {

const ChainTable& NeonChains() {
  static const ChainTable table = MakeChains<xsimd::neon64>();
  return table;
}

}  // namespace hloir::cpu
