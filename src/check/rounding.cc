// See rounding.h. Covered by tests/unit/check_test.cc.
#include "check/rounding.h"

#include <algorithm>

namespace hloir::check {
namespace {

bool IsChoice(const HloComputation& reducer) {
  const HloOpcode opcode = reducer.root()->opcode();
  return opcode == HloOpcode::kMaximum || opcode == HloOpcode::kMinimum || opcode == HloOpcode::kParameter;
}

}  // namespace

bool Rounds(const HloInstruction& i) {
  if (!i.shape().IsArray() || !IsFloat(ComplexComponentType(i.shape().element_type()))) return false;
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kAdd, HloOpcode::kSubtract, HloOpcode::kMultiply, HloOpcode::kDivide,
              HloOpcode::kRemainder, HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kMap, HloOpcode::kFft,
              HloOpcode::kCholesky, HloOpcode::kTriangularSolve))
    return true;
  if (IsOneOf(opcode, HloOpcode::kReduce, HloOpcode::kReduceWindow, HloOpcode::kScatter, HloOpcode::kAllReduce,
              HloOpcode::kReduceScatter))
    return i.called_computations().empty() || !IsChoice(*i.to_apply());
  if (IsOneOf(opcode, HloOpcode::kSelectAndScatter, HloOpcode::kBatchNormInference)) return true;
  if (opcode == HloOpcode::kGetTupleElement)
    return i.operand(0)->opcode() == HloOpcode::kBatchNormTraining ||
           i.operand(0)->opcode() == HloOpcode::kBatchNormGrad;
  if (opcode == HloOpcode::kAbs) return IsComplex(i.operand(0)->shape().element_type());
  return GetOpcodeInfo(i.opcode()).max_ulps > 0;
}

std::unordered_set<const HloInstruction*> ComputedFromConstants(const HloModule& module) {
  std::unordered_set<const HloInstruction*> found;
  const auto is_constant = [&](const HloInstruction* x) {
    return x->IsConstant() || x->opcode() == HloOpcode::kIota || found.contains(x);
  };
  // A branch's parameter is constant if the conditional passes a constant.
  const auto is_handed_constant = [&](const HloInstruction& i) {
    if (!i.IsParameter() || i.parent()->callers().size() != 1) return false;
    const HloInstruction& caller = *i.parent()->callers().front();
    if (caller.opcode() != HloOpcode::kConditional) return false;
    const auto branches = caller.called_computations();
    const auto branch = std::find(branches.begin(), branches.end(), i.parent()) - branches.begin();
    return is_constant(caller.operand(branch + 1));
  };
  // Callers first: PostOrder lists callees before callers.
  const std::vector<const HloComputation*> computations = module.PostOrder();
  for (auto computation = computations.rbegin(); computation != computations.rend(); ++computation) {
    for (const HloInstruction* i : (*computation)->PostOrder()) {
      if (i->operand_count() > 0 && !i->Is(kImpure) &&
          std::all_of(i->operands().begin(), i->operands().end(), is_constant))
        found.insert(i);
      else if (is_handed_constant(*i)) found.insert(i);
    }
  }
  return found;
}

bool RoundingHasMeaning(const HloInstruction& i, PrimitiveType type, PrimitiveType from) {
  type = ComplexComponentType(type), from = ComplexComponentType(from);
  if (!IsFloat(type)) return false;
  const bool below_f32 = BitWidth(type) < 32;
  if (i.opcode() == HloOpcode::kConvert && IsFloat(from)) return !HoldsFloats(type, from);
  if (i.opcode() == HloOpcode::kConvert) return below_f32 || BitWidth(from) > GetFloatFormat(type).mantissa_bits + 1;
  return below_f32 && Rounds(i);
}

double TermsOf(const HloInstruction& i, const CostAnalysis& costs) {
  const auto count = [](const HloInstruction& x) { return static_cast<double>(x.shape().ElementCount()); };
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, HloOpcode::kDot, HloOpcode::kConvolution))
    return costs.Of(i).once.flops / std::max(2 * count(i), 1.0);
  if (IsOneOf(opcode, HloOpcode::kBatchNormTraining, HloOpcode::kBatchNormGrad))
    return count(*i.operand(0)) / std::max(count(*i.operand(1)), 1.0);
  if (opcode == HloOpcode::kReduce) return Rounds(i) ? count(*i.operand(0)) / std::max(count(i), 1.0) : 0;
  return 0;
}

bool HoldsFloats(PrimitiveType to, PrimitiveType from) {
  if (to == from) return true;
  if (!IsFloat(to) || !IsFloat(from)) return false;
  const FloatFormat a = GetFloatFormat(to), b = GetFloatFormat(from);
  return a.mantissa_bits >= b.mantissa_bits && a.bias >= b.bias;
}

PrimitiveType MadeIn(const HloInstruction& value) {
  constexpr int kMaxSteps = 16;
  const HloInstruction* made = &value;
  for (int step = 0; step < kMaxSteps; ++step) {
    switch (made->opcode()) {
      case HloOpcode::kConvert:
        if (!HoldsFloats(made->shape().element_type(), made->operand(0)->shape().element_type())) break;
        [[fallthrough]];
      case HloOpcode::kBroadcast:
      case HloOpcode::kCopy:
      case HloOpcode::kReshape:
      case HloOpcode::kReverse:
      case HloOpcode::kSlice:
      case HloOpcode::kTranspose: made = made->operand(0); continue;
      default: break;  // computes a value in its own type
    }
    break;
  }
  return made->shape().element_type();
}

std::vector<HloComputation*> ComputationsThatRunOnce(HloModule& module) {
  std::vector<HloComputation*> found = {module.entry_computation()};
  std::unordered_set<const HloComputation*> seen(found.begin(), found.end());
  for (size_t k = 0; k < found.size(); ++k) {
    for (HloInstruction* i = found[k]->first(); i != nullptr; i = i->next()) {
      if (!i->Is(kControlFlow) && i->opcode() != HloOpcode::kFusion && i->opcode() != HloOpcode::kAsyncStart) continue;
      for (HloComputation* called : i->called_computations())
        if (seen.insert(called).second) found.push_back(called);
    }
  }
  return found;
}

}  // namespace hloir::check
