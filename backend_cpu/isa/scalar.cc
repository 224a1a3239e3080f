// The kernels in plain C++, for machines whose vector instructions have none of their own. See isas.def.
#include "kernels/all_kernels.h"

namespace hloir::cpu {

const KernelTable& ScalarKernels() {
  static const KernelTable table = MakeTable<Plain>(Isa::kScalar);
  return table;
}

}  // namespace hloir::cpu
