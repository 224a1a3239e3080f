// convolution-pred-expander: convolutions of truth values, in f16.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = pred[1,5,2]{2,1,0} parameter(0)
//   k = pred[3,2,3]{2,1,0} parameter(1)
//   ROOT y = pred[1,3,3]{2,1,0} convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = pred[1,5,2]{2,1,0} parameter(0)
//   input = f16[1,5,2]{2,1,0} convert(x)
//   k = pred[3,2,3]{2,1,0} parameter(1)
//   kernel = f16[3,2,3]{2,1,0} convert(k)
//   sums = f16[1,3,3]{2,1,0} convolution(input, kernel), window={size=3}, dim_labels=b0f_0io->b0f
//   ROOT y = pred[1,3,3]{2,1,0} convert(sums)
// }
// END
//
// Sums of ones and zeros: however they round, none that is not 0 becomes 0. Leaves alone: other results than truth
// values.
#include <algorithm>

#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

HloInstruction* ExpandConvolutionPred(HloInstruction* i, RuleContext& c) {
  const bool preds = std::all_of(i->operands().begin(), i->operands().end(), IsPred);
  if (!IsPred(i) || !preds || i->operand_count() != 2 || !c.Allow()) return nullptr;
  const std::vector<HloInstruction*> operands{c.Convert(i->operand(0), PrimitiveType::F16),
                                              c.Convert(i->operand(1), PrimitiveType::F16)};
  const Shape shape = i->shape().WithElementType(PrimitiveType::F16);
  return c.Convert(c.computation()->AddClone(*i, operands, &shape), PrimitiveType::PRED);
}

constexpr Rule kConvolutionPredExpanderRules[] = {
    {HloOpcode::kConvolution, "expand-pred",
     "convolution(A, B), of pred => convert(convolution(convert(A), convert(B)))", kExact, kExact,
     ExpandConvolutionPred},
};

}  // namespace
}  // namespace rules

PassDefinition DefineConvolutionPredExpander() { return rules::DefineRulePass(rules::kConvolutionPredExpanderRules); }

}  // namespace hloir
