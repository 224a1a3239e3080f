// Kernels for a single element, in plain code: what the body of a scalar loop is made of, where a kernel that counts
// costs more than its work. See FusedLoop::Bound.
#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {

namespace {

template <Count count>
KernelTable Make(const char* name) {
  KernelTable made = {};
  made.name = name;
  FillElementwise<count>(made);
  return made;
}

}  // namespace

const KernelTable& OneElementKernels() {
  static const KernelTable table = Make<Count::kOne>("one element");
  return table;
}

const KernelTable& ChainedKernels() {
  static const KernelTable table = Make<Count::kNext>("one element, chained");
  return table;
}

}  // namespace hloir::cpu
