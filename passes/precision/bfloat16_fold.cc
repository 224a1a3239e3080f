// bfloat16-fold: dots and convolutions take and give bf16 themselves, without conversions around them.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = bf16[4,8]{1,0} parameter(0)
//   a = f32[4,8]{1,0} convert(x)
//   y = bf16[8,2]{1,0} parameter(1)
//   b = f32[8,2]{1,0} convert(y)
//   d = f32[4,2]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT narrow = bf16[4,2]{1,0} convert(d)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = bf16[4,8]{1,0} parameter(0)
//   y = bf16[8,2]{1,0} parameter(1)
//   ROOT d = bf16[4,2]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// END
//
// operand-upcaster and result-caster undo it. The sum may be in another type, so of class rounding. Leaves alone: dots
// whose algorithm is given; results that are also used in f32.
#include <algorithm>

#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

using PrimitiveType::BF16, PrimitiveType::F32;

bool MayFold(const HloInstruction& i) {
  if (i.HasControlDependencies() || i.operand_count() != 2) return false;
  if (i.opcode() == HloOpcode::kDot) return i.attributes<DotAttributes>().algorithm == DotAlgorithm::kUnset;
  return i.opcode() == HloOpcode::kConvolution;
}
bool IsWidened(const HloInstruction* i) {
  return i->opcode() == HloOpcode::kConvert && i->shape().element_type() == F32 &&
         i->operand(0)->shape().element_type() == BF16;
}

HloInstruction* FoldOperands(HloInstruction* i, RuleContext& c) {
  if (!MayFold(*i) || !std::all_of(i->operands().begin(), i->operands().end(), IsWidened) || !c.Allow()) return nullptr;
  const std::vector<HloInstruction*> operands{i->operand(0)->operand(0), i->operand(1)->operand(0)};
  return c.computation()->AddClone(*i, operands);
}
HloInstruction* FoldResult(HloInstruction* i, RuleContext& c) {
  HloInstruction* op = i->operand(0);
  if (i->shape().element_type() != BF16 || op->shape().element_type() != F32 || op->user_count() != 1 || op->IsRoot() ||
      !MayFold(*op))
    return nullptr;
  for (const HloInstruction* operand : op->operands()) {
    if (operand->shape().element_type() != BF16) return nullptr;
  }
  if (!c.Allow()) return nullptr;
  const Shape shape = op->shape().WithElementType(BF16);
  return c.computation()->AddClone(*op, op->operands(), &shape);
}

constexpr Rule kBfloat16FoldRules[] = {
    {HloOpcode::kDot, "fold-operands-of-dot", "dot(convert(A), convert(B)) => dot(A, B), of bf16", kRounding, kRounding,
     FoldOperands},
    {HloOpcode::kConvolution, "fold-operands-of-convolution",
     "convolution(convert(A), convert(B)) => convolution(A, B), of bf16", kRounding, kRounding, FoldOperands},
    {HloOpcode::kConvert, "fold-result", "convert(op(A, B)) => op(A, B), to bf16", kRounding, kRounding, FoldResult},
};

}  // namespace
}  // namespace rules

PassDefinition DefineBfloat16Fold() { return rules::DefineRulePass(rules::kBfloat16FoldRules); }

}  // namespace hloir
