// bfloat16-propagation: computes values that are only used as bf16 in bf16.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = bf16[4,6]{1,0} parameter(0)
//   wide = f32[4,6]{1,0} convert(x)
//   y = f32[4,6]{1,0} parameter(1)
//   sum = f32[4,6]{1,0} add(wide, y)
//   t = f32[6,4]{1,0} transpose(sum), dimensions={1,0}
//   ROOT narrow = bf16[6,4]{1,0} convert(t)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = bf16[4,6]{1,0} parameter(0)
//   y = f32[4,6]{1,0} parameter(1)
//   narrow = bf16[4,6]{1,0} convert(y)
//   sum = bf16[4,6]{1,0} add(x, narrow)
//   ROOT t = bf16[6,4]{1,0} transpose(sum), dimensions={1,0}
// }
// END
//
// One step at a time: a conversion of a value without other users moves to that value's operands. Of class rounding,
// and never part of the default pipeline: each operation then rounds to bf16. Leaves alone: ops that call computations,
// elements of tuples, and ops with a fixed type.
#include <algorithm>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using PrimitiveType::BF16, PrimitiveType::F32;

bool MayNarrow(const HloInstruction& i) {
  if (!i.called_computations().empty() || i.operand_count() == 0 || i.HasControlDependencies()) return false;
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kConvert, HloOpcode::kBitcast, HloOpcode::kBitcastConvert, HloOpcode::kReducePrecision,
              HloOpcode::kReal, HloOpcode::kImag))
    return false;
  if (opcode == HloOpcode::kDot) return i.attributes<DotAttributes>().algorithm == DotAlgorithm::kUnset;
  // Not of a complex number.
  if (opcode == HloOpcode::kAbs) return i.operand(0)->shape().element_type() == F32;
  return i.Is(kElementwise | kMovesData);
}

HloInstruction* Propagate(HloInstruction* i, RuleContext& c) {
  HloInstruction* op = i->operand(0);
  if (i->shape().element_type() != BF16 || op->shape().element_type() != F32 || op->user_count() != 1 || op->IsRoot() ||
      !MayNarrow(*op) || !c.Allow()) {
    return nullptr;
  }
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : op->operands()) {
    if (operand->shape().element_type() != F32) {
      operands.push_back(operand);
      continue;
    }
    // If it is converted already, by that; so that it has one reader where it may be narrowed too. In a schedule, that
    // may be later.
    HloInstruction* narrow = nullptr;
    for (HloInstruction* user : operand->users()) {
      if (i->module()->config().is_scheduled) break;
      if (user->opcode() == HloOpcode::kConvert && user != i && user->shape() == operand->shape().WithElementType(BF16))
        narrow = user;
    }
    operands.push_back(narrow != nullptr && !narrow->HasControlDependencies() ? narrow : c.Convert(operand, BF16));
  }
  const Shape shape = op->shape().WithElementType(BF16);
  return c.computation()->AddClone(*op, operands, &shape);
}

// convert(convert(A)) => A, A of bf16
HloInstruction* DropRoundTrip(HloInstruction* i, RuleContext& c) {
  HloInstruction* wide = i->operand(0);
  if (i->shape().element_type() != BF16 || wide->opcode() != HloOpcode::kConvert || wide->shape().element_type() != F32)
    return nullptr;
  return wide->operand(0)->shape().element_type() == BF16 ? c.ReplaceWith(wide->operand(0)) : nullptr;
}

constexpr Rule kBfloat16PropagationRules[] = {
    {HloOpcode::kConvert, "there-and-back", "convert(convert(A)) => A, A of bf16", kExact, kExact, DropRoundTrip},
    {HloOpcode::kConvert, "propagate", "convert(op(A)) => op(convert(A)), to bf16", kRounding, kRounding, Propagate},
};

}  // namespace
}  // namespace rules

PassDefinition DefineBfloat16Propagation() { return rules::DefineRulePass(rules::kBfloat16PropagationRules); }

}  // namespace hloir
