// The kernels in plain C++, for machines without kernels for their vector instructions. See isas.def.
#include "kernels/all_kernels.h"

namespace hloir::cpu {

const KernelTable& ScalarKernels() {
  static const KernelTable table = MakeTable<Plain>(Isa::kScalar);
  return table;
}

}  // namespace hloir::cpu
