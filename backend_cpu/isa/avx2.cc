// The kernels for AVX2 with FMA and F16C. See sse2.cc.
#include "kernels/all_kernels.h"

namespace hloir::cpu {

const KernelTable& Avx2Kernels() {
  static const KernelTable table = MakeTable<xsimd::fma3<xsimd::avx2>>("avx2");
  return table;
}

}  // namespace hloir::cpu
