// See type_change.h. tests/passes/float-normalization, tests/passes/element-type-converter.
#include "type_change.h"

#include "algebraic_simplifier/rules.h"

namespace hloir {

HloInstruction* ComputeIn(HloInstruction* i, PrimitiveType from, PrimitiveType to) {
  HloComputation& computation = *i->parent();
  const auto converted = [&](HloInstruction* x, PrimitiveType type) {
    HloInstruction* made = computation.AddInstruction(HloOpcode::kConvert, x->shape().WithElementType(type), {x});
    made->set_metadata(i->metadata());
    computation.MoveBefore(made, i);
    return made;
  };
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : i->operands()) {
    operands.push_back(operand->shape().element_type() == from ? converted(operand, to) : operand);
  }
  const bool back = i->shape().element_type() == from;
  const Shape shape = back ? i->shape().WithElementType(to) : i->shape();
  HloInstruction* made = computation.AddClone(*i, operands, &shape);
  computation.MoveBefore(made, i);
  return back ? converted(made, from) : made;
}

MathMode ClassOfComputingIn(const HloInstruction& i, PrimitiveType from, PrimitiveType to) {
  if (!algebraic_simplifier::HoldsAllOf(to, from)) return MathMode::kFast;
  if (i.Is(kMovesData) || i.operand_count() == 0) return MathMode::kExact;
  switch (i.opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kDivide: {
      // Rounded to more than twice as many bits first, a result rounds as if that had not been.
      if (!IsFloat(from)) return MathMode::kRounding;
      return GetFloatFormat(to).mantissa_bits >= 2 * GetFloatFormat(from).mantissa_bits + 2 ? MathMode::kExact : MathMode::kRounding;
    }
    case HloOpcode::kAbs:
    case HloOpcode::kNegate:
    case HloOpcode::kSign:
    case HloOpcode::kFloor:
    case HloOpcode::kCeil:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kIsFinite:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kClamp:
    case HloOpcode::kCompare:
    case HloOpcode::kSelect: return MathMode::kExact;
    default: return MathMode::kRounding;
  }
}

}  // namespace hloir
