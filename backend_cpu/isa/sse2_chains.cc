// Chains for SSE2. See isas.def.
#include "kernels/chain_kernels.h"

namespace hloir::cpu {

const ChainTable& Sse2Chains() {
  static const ChainTable table = MakeChains<xsimd::sse2>();
  return table;
}

}  // namespace hloir::cpu
