// See role.h.
#include "fusion/role.h"

namespace hloir::fusion {
namespace {

// Beyond this a fused loop is slow to compile and hard to read.
constexpr int64_t kMostConcatenated = 8;

bool IsStaticArray(const Shape& shape) { return shape.IsArray() && shape.IsStatic(); }

}  // namespace

bool MayContract(HloOpcode opcode) {
  return opcode == HloOpcode::kDot || opcode == HloOpcode::kConvolution || opcode == HloOpcode::kReduceWindow;
}

Role RoleOf(const HloInstruction& i) {
  if (i.HasControlDependencies()) return Role::kNone;
  // A role without operands or called computations to visit.
  if (i.Is(kControlFlow) ||
      IsOneOf(i.opcode(), HloOpcode::kFusion, HloOpcode::kGetTupleElement, HloOpcode::kParameter, HloOpcode::kTuple))
    return Role::kNone;
  for (const HloInstruction* operand : i.operands()) {
    if (!IsStaticArray(operand->shape())) return Role::kNone;
  }
  // A reducer with side effects: a copy in a fusion would repeat them, and could not be removed.
  if (!i.called_computations().empty() && ActsOutside(i)) return Role::kNone;
  if (i.opcode() == HloOpcode::kReduce) {
    if (i.shape().IsArray()) return i.shape().IsStatic() ? Role::kReduce : Role::kNone;
    for (const Shape* leaf : i.shape().Leaves()) {
      if (!IsStaticArray(*leaf)) return Role::kNone;
    }
    return Role::kReduce;
  }
  if (!IsStaticArray(i.shape())) return Role::kNone;
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kCopy, HloOpcode::kStochasticConvert)) return Role::kNone;
  if (opcode == HloOpcode::kConstant)
    return i.shape().IsScalar() && !i.literal().elided() ? Role::kScalar : Role::kNone;
  if (IsOneOf(opcode, HloOpcode::kBroadcast, HloOpcode::kIota)) return Role::kFree;
  if (IsOneOf(opcode, HloOpcode::kReshape, HloOpcode::kTranspose, HloOpcode::kReverse, HloOpcode::kSlice,
              HloOpcode::kDynamicSlice, HloOpcode::kGather, HloOpcode::kPad))
    return Role::kMove;
  if (opcode == HloOpcode::kConcatenate) return i.operand_count() <= kMostConcatenated ? Role::kMove : Role::kNone;
  if (IsOneOf(opcode, HloOpcode::kDynamicUpdateSlice, HloOpcode::kScatter)) return Role::kUpdate;
  if (MayContract(i.opcode())) return Role::kContraction;
  // An element that takes another number of bytes is no longer at the operand's index.
  if (i.opcode() == HloOpcode::kBitcastConvert && !i.shape().SameDimensions(i.operand(0)->shape())) return Role::kNone;
  return i.Is(kElementwise) ? Role::kArithmetic : Role::kNone;
}

int Weight(const HloInstruction& i) {
  const int width = IsComplex(i.shape().IsArray() ? i.shape().element_type() : PrimitiveType::F32) ? 4 : 1;
  if (i.opcode() == HloOpcode::kGather) return 4 * width;  // moves, but from anywhere
  switch (CostClass(i.opcode())) {
    case OpCost::kDivision: return 4 * width;
    case OpCost::kTranscendental: return 16 * width;
    case OpCost::kFree:
    case OpCost::kMoves:
    case OpCost::kCheap:
    case OpCost::kByShape:
    case OpCost::kCalled:
    case OpCost::kCommunicates: return width;
  }
  return width;
}

}  // namespace hloir::fusion
