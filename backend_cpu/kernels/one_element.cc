// Kernels for a single element, in plain code: the body of a scalar loop, where a kernel with a count costs more than
// its work. See FusedLoop::Bound.
#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {

namespace {

template <Count count>
KernelTable Make() {
  KernelTable made = {};
  FillElementwise<count>(made);
  return made;
}

}  // namespace

const KernelTable& OneElementKernels() {
  static const KernelTable table = Make<Count::kOne>();
  return table;
}

const KernelTable& ChainedKernels() {
  static const KernelTable table = Make<Count::kNext>();
  return table;
}

}  // namespace hloir::cpu
