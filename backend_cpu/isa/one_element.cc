// Kernels for a single element, in plain code: what the body of a scalar loop is made of, where a kernel that counts costs more
// than its work. See FusedLoop::Bound.
#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {

const KernelTable& OneElementKernels() {
  static const KernelTable table = [] {
    KernelTable made = {};
    made.name = "one element";
    FillElementwise<true>(made);
    return made;
  }();
  return table;
}

}  // namespace hloir::cpu
