// The kernels of elementwise ops with one operand. scalar_ops.h has the operations on elements.
#include "reference/kernels.h"

namespace hloir::reference {
namespace {

template <int arity, class Op>
Kernel UnaryKernelFor(PrimitiveType type) {
  if constexpr (arity == 1 && HasScalarOp<Op>) return UnaryKernel<Op>(type);
  else return nullptr;  // another file's, or none
}

}  // namespace

Kernel FindUnaryKernel(HloOpcode opcode, PrimitiveType type) {
  using namespace opcode_rows;
  if (opcode == HloOpcode::kCopy) return UnaryKernel<CopyElement>(type);
  switch (opcode) {
#define HLOIR_OP(name, text, arity, ...) \
  case HloOpcode::k##name:               \
    return UnaryKernelFor<arity, name##Op>(type);
#include "hloir/opcodes.def"
#undef HLOIR_OP
  }
  return nullptr;
}

}  // namespace hloir::reference
