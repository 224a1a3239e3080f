// The kernels for WebAssembly's vectors of 128 bits, by emscripten's SSE2 intrinsics. See isas.def.
#include "kernels/xsimd_kernels.h"

namespace hloir::cpu {

const KernelTable& Simd128Kernels() {
  static const KernelTable table = MakeXsimdTable<xsimd::sse2>(Isa::kSimd128);
  return table;
}

}  // namespace hloir::cpu
