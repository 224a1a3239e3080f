// Propagation of partial sums through ops that are linear in them, so that values are reduced once and late. See
// PartialsThrough in partition_op.h; tested by tests/passes/spmd-partitioning.
#include <algorithm>

#include "partition_op.h"

namespace hloir::spmd {
namespace {

bool IsZero(const HloInstruction& i) {
  return i.IsScalarConstant() && i.literal().BitwiseEqual(Literal::Zero(i.shape().element_type()));
}

// For an op that moves or sums elements: the operands that must be partial, by index; empty for others.
enum class Needs : uint8_t { kNothing, kAll, kOne, kFirst, kFirstTwo, kLastTwo };

Needs NeedsOfMoves(const HloInstruction& i) {
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kCopy, HloOpcode::kReshape, HloOpcode::kTranspose, HloOpcode::kBroadcast,
              HloOpcode::kSlice, HloOpcode::kReverse, HloOpcode::kConcatenate))
    return Needs::kAll;
  if (IsOneOf(opcode, HloOpcode::kDynamicSlice, HloOpcode::kGather)) return Needs::kFirst;
  if (opcode == HloOpcode::kDynamicUpdateSlice) return Needs::kFirstTwo;
  if (opcode == HloOpcode::kSelect) return Needs::kLastTwo;
  return Needs::kNothing;
}

Needs NeedsOf(const HloInstruction& i, HloOpcode reduction) {
  if (const Needs moves = NeedsOfMoves(i); moves != Needs::kNothing) return moves;
  if (reduction != HloOpcode::kAdd) return i.opcode() == reduction ? Needs::kAll : Needs::kNothing;
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kAdd, HloOpcode::kSubtract, HloOpcode::kNegate)) return Needs::kAll;
  if (IsOneOf(opcode, HloOpcode::kMultiply, HloOpcode::kDot, HloOpcode::kConvolution)) return Needs::kOne;
  if (opcode == HloOpcode::kDivide) return IsFloat(i.shape().element_type()) ? Needs::kFirst : Needs::kNothing;
  if (opcode == HloOpcode::kPad) return IsZero(*i.operand(1)) ? Needs::kFirst : Needs::kNothing;
  if (opcode == HloOpcode::kReduce)
    return i.operand_count() == 2 && SimpleReducer(*i.to_apply()) == HloOpcode::kAdd && IsZero(*i.operand(1))
               ? Needs::kFirst
               : Needs::kNothing;
  return Needs::kNothing;
}

}  // namespace

std::optional<Partials> PartialsThrough(const HloInstruction& i, std::span<const ArraySharding* const> operands) {
  std::optional<Partials> found;
  size_t partial = 0;
  for (const ArraySharding* operand : operands) {
    if (operand->unreduced.empty()) continue;
    ++partial;
    if (!found) found = Partials{operand->unreduced, operand->reduction};
    if (operand->unreduced != found->axes || operand->reduction != found->reduction) return std::nullopt;
  }
  if (!found || !i.shape().IsArray()) return std::nullopt;
  const auto is = [&](size_t k) { return k < operands.size() && !operands[k]->unreduced.empty(); };
  switch (NeedsOf(i, found->reduction)) {
    case Needs::kNothing: return std::nullopt;
    case Needs::kAll: return partial == operands.size() ? found : std::nullopt;
    case Needs::kOne: return partial == 1 ? found : std::nullopt;
    case Needs::kFirst: return partial == 1 && is(0) ? found : std::nullopt;
    case Needs::kFirstTwo: return partial == 2 && is(0) && is(1) ? found : std::nullopt;
    case Needs::kLastTwo: return partial == 2 && is(1) && is(2) ? found : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace hloir::spmd
