// See machine.h.
#include "triage/machine.h"

#include "check/module_under_test.h"
#include "check/rounding.h"

namespace hloir::triage {
namespace {

std::unique_ptr<HloModule> WithFlushedDenormals(const HloModule& module) {
  return check::FlushSigns(module, check::FlushMode::kPlus, /*denormals=*/true);
}

// The factors of a product that only this sum uses, or null.
HloInstruction* FusedProduct(HloInstruction* sum, int64_t k) {
  HloInstruction* product = sum->operand(k);
  return product->opcode() == HloOpcode::kMultiply && product->user_count() == 1 ? product : nullptr;
}

// Fused multiply-add: the product of two f32 is exact in f64, so the sum rounds once.
std::unique_ptr<HloModule> WithFusedProducts(const HloModule& module) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  bool any = false;
  for (HloComputation* computation : check::ComputationsThatRunOnce(*copy)) {
    for (HloInstruction* sum : computation->instructions()) {
      const bool adds = sum->opcode() == HloOpcode::kAdd || sum->opcode() == HloOpcode::kSubtract;
      if (!adds || sum->shape().element_type() != PrimitiveType::F32) continue;
      const int64_t at = FusedProduct(sum, 0) != nullptr ? 0 : 1;
      HloInstruction* product = FusedProduct(sum, at);
      if (product == nullptr) continue;
      const Shape wide = sum->shape().WithElementType(PrimitiveType::F64);
      const auto widened = [&](HloInstruction* x) {
        return computation->AddInstruction(HloOpcode::kConvert, wide, {x});
      };
      HloInstruction* exact = computation->AddInstruction(HloOpcode::kMultiply, wide,
                                                          {widened(product->operand(0)), widened(product->operand(1))});
      HloInstruction* other = widened(sum->operand(1 - at));
      HloInstruction* total = at == 0 ? computation->AddInstruction(sum->opcode(), wide, {exact, other})
                                      : computation->AddInstruction(sum->opcode(), wide, {other, exact});
      HloInstruction* rounded = computation->AddInstruction(HloOpcode::kConvert, sum->shape(), {total});
      sum->ReplaceAllUsesWith(rounded);
      if (sum->IsRoot()) computation->set_root(rounded);
      any = true;
    }
  }
  return any ? std::move(copy) : nullptr;
}

// Rounds the factors of f32 products to a number of bits; the sums are in f32.
template <int mantissa_bits>
std::unique_ptr<HloModule> WithRoundedFactors(const HloModule& module) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  bool any = false;
  for (HloComputation* computation : check::ComputationsThatRunOnce(*copy)) {
    for (HloInstruction* i : computation->instructions()) {
      if (i->opcode() != HloOpcode::kDot && i->opcode() != HloOpcode::kConvolution) continue;
      for (int64_t k = 0; k < 2; ++k) {
        HloInstruction* factor = i->operand(k);
        if (factor->shape().element_type() != PrimitiveType::F32) continue;
        i->ReplaceOperandWith(k, computation->AddInstruction(HloOpcode::kReducePrecision, factor->shape(), {factor},
                                                             ReducePrecisionAttributes{8, mantissa_bits}));
        any = true;
      }
    }
  }
  return any ? std::move(copy) : nullptr;
}

constexpr MachineHabit kHabits[] = {
    {"flush-denormals", "denormals are flushed to zero", FindingKind::kUndefined, WithFlushedDenormals},
    {"fused-multiply-add", "a product and its sum are rounded once", FindingKind::kRounding, WithFusedProducts},
    {"tf32-products", "factors of f32 dots and convolutions are rounded to TF32, 10 bits", FindingKind::kLessAccurate,
     WithRoundedFactors<10>},
    {"bf16-products", "factors of f32 dots and convolutions are rounded to bf16, 7 bits", FindingKind::kLessAccurate,
     WithRoundedFactors<7>},
};

}  // namespace

std::span<const MachineHabit> MachineHabits() { return kHabits; }

}  // namespace hloir::triage
