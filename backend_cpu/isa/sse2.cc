// The kernels for SSE2, which every x86-64 has. Like avx2.cc and avx512.cc: includes and one table, nothing else.
//
// Each of these files is compiled under its own -m flags. A function with external linkage that two of them share, even
// an ordinary inline one or a std:: template, would be merged by the linker into whichever copy comes first, and a
// machine without AVX could run the AVX copy. So kernels are in an unnamed namespace or are templates on xsimd's Arch,
// and they use compiler builtins instead of the standard library.
#include "kernels/all_kernels.h"

namespace hloir::cpu {

const KernelTable& Sse2Kernels() {
  static const KernelTable table = MakeTable<xsimd::sse2>("sse2");
  return table;
}

}  // namespace hloir::cpu
