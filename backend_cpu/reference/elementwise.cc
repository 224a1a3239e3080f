// Evaluation of the elementwise ops: operands are converted to the compute type, the op's kernel runs over all
// elements, and the result is rounded to its own type. The kernels are in elementwise_unary.cc and
// elementwise_binary.cc.
#include "reference/elementwise.h"

#include <array>

#include "reference/evaluation.h"
#include "reference/kernels.h"
#include "wide/pairs.h"

namespace hloir::reference {
namespace {

bool IsNarrowFloat(PrimitiveType type) { return IsFloat(type) && ComputeType(type) != type; }

Kernel SelectKernel(PrimitiveType type) {
  return ComputeTypeSwitch(
      type, [](auto tag) -> Kernel { return &TernaryLoop<SelectElement, bool, typename decltype(tag)::type>; });
}

}  // namespace

PrimitiveType BitsType(PrimitiveType type) {
  switch (StorageBytes(type)) {
    case 1: return PrimitiveType::U8;
    case 2: return PrimitiveType::U16;
    case 4: return PrimitiveType::U32;
    case 8: return PrimitiveType::U64;
    default: return PrimitiveType::C128;
  }
}

PrimitiveType ComputeType(PrimitiveType type) {
  if (IsFloat(type) && type != PrimitiveType::F64) return PrimitiveType::F32;
  if (IsSigned(type) && BitWidth(type) < 8) return PrimitiveType::S8;
  if (IsUnsigned(type) && BitWidth(type) < 8) return PrimitiveType::U8;
  return type;
}

Kernel FindKernel(const HloInstruction& instruction, PrimitiveType type, bool pairs) {
  if (pairs && type == PrimitiveType::C128 && instruction.opcode() != HloOpcode::kSelect)
    return FindPairKernel(instruction);
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kCompare) return FindCompareKernel(instruction.attributes<CompareAttributes>(), type);
  if (opcode == HloOpcode::kClamp) return TernaryKernel<ClampOp>(type);
  if (opcode == HloOpcode::kSelect) return SelectKernel(type);
  if (Kernel kernel = FindUnaryKernel(instruction.opcode(), type)) return kernel;
  return FindBinaryKernel(instruction.opcode(), type);
}

StatusOr<Value> EvaluateElementwise(EvalContext& context) {
  const Kernel kernel =
      FindKernel(context.instruction, ComputeType(context.operand(0).shape().element_type()), context.run.pairs());
  if (kernel == nullptr) {
    return InvalidArgument(std::string(context.instruction.opcode_name()) + " does not take the type of " +
                           std::string(context.instruction.name()) + "'s operands");
  }
  KernelArgs args;
  std::array<Literal, 3> widened;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const Literal* operand = &context.operand(static_cast<int64_t>(i));
    const PrimitiveType type = operand->shape().element_type();
    // clamp's bounds and select's predicate may be scalars for array operands.
    args.stride[i] = operand->shape().rank() == 0 && context.shape.rank() > 0 ? 0 : 1;
    if (IsNarrowFloat(type)) {
      widened[i] = operand->Convert(PrimitiveType::F32);
      operand = &widened[i];
    }
    args.in[i] = operand->untyped_data();
    args.bits = BitWidth(type);
  }
  const PrimitiveType type = context.shape.element_type();
  Literal result(context.shape.WithElementType(ComputeType(type)));
  args.out = result.untyped_data();
  args.count = result.element_count();
  kernel(args);
  if (ComputeType(type) == type) return result;
  // Rounds, or truncates to the width.
  Literal narrow(context.shape);
  ConvertElements(ComputeType(type), result.untyped_data(), type, narrow.untyped_data(), narrow.element_count());
  return narrow;
}

// An array predicate selects per element; a scalar one selects whole operands, which may be tuples.
StatusOr<Value> EvaluateSelect(EvalContext& context) {
  const Literal& which = context.operand(0);
  if (which.shape().rank() == 0) return std::move(context.operands[which.data<bool>()[0] ? 1 : 2]);
  Literal result(context.shape);
  KernelArgs args;
  for (int64_t i = 0; i < 3; ++i) args.in[i] = context.operand(i).untyped_data();
  args.out = result.untyped_data();
  args.count = result.element_count();
  SelectKernel(BitsType(context.shape.element_type()))(args);
  return result;
}

// Copies change only layouts.
StatusOr<Value> EvaluateCopy(EvalContext& context) { return std::move(context.operands[0]); }

StatusOr<Value> EvaluateCompare(EvalContext& context) { return EvaluateElementwise(context); }

}  // namespace hloir::reference
