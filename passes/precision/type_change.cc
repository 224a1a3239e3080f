// See type_change.h. tests/passes: float-normalization, element-type-converter, bf16-mixed-precision-removal.
#include "type_change.h"

#include <algorithm>

#include "hloir/rules.h"

namespace hloir {
namespace {

// Inserts the new instructions before `i`; returns the replacement.
HloInstruction* ComputeIn(HloInstruction* i, PrimitiveType from, PrimitiveType to) {
  HloComputation& computation = *i->parent();
  const auto converted = [&](HloInstruction* x, PrimitiveType type) {
    HloInstruction* made = computation.AddInstruction(HloOpcode::kConvert, x->shape().WithElementType(type), {x});
    made->CopyMetadataOf(*i);
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

}  // namespace

StatusOr<bool> TypeChangePass::Run(HloModule& module) {
  HLOIR_RETURN_IF_ERROR(CheckTypes());
  bool changed = false;
  for (HloComputation* computation : module.PostOrder()) {
    if (IsWrapped(*computation)) continue;
    for (HloInstruction* i : computation->PostOrder()) {
      if (!Wants(*i) || !Ask(rule_, ClassOf(*i), *i)) continue;
      PutInPlaceOf(i, ComputeIn(i, from_, to_));
      changed = true;
    }
  }
  return changed;
}

bool TypeChangePass::Reads(const HloInstruction& i, PrimitiveType type) {
  return std::any_of(i.operands().begin(), i.operands().end(),
                     [&](const HloInstruction* x) { return x->shape().element_type() == type; });
}

MathMode TypeChangePass::ClassOf(const HloInstruction& i) const {
  if (!rules::HoldsAllOf(to_, from_)) return MathMode::kFast;
  if (i.Is(kMovesData) || i.operand_count() == 0) return MathMode::kExact;
  switch (i.opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kDivide: {
      // Rounded to more than twice as many bits first, a result rounds as if that had not been.
      if (!IsFloat(from_)) return MathMode::kRounding;
      return GetFloatFormat(to_).mantissa_bits >= 2 * GetFloatFormat(from_).mantissa_bits + 2 ? MathMode::kExact
                                                                                              : MathMode::kRounding;
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
    default: return MathMode::kRounding;  // may round
  }
}

}  // namespace hloir
