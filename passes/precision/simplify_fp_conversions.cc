// simplify-fp-conversions: removes conversions of a float to a narrower type and back.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   narrow = bf16[8]{0} convert(x)
//   wide = f32[8]{0} convert(narrow)
//   ROOT r = f32[8]{0} tanh(wide)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   ROOT r = f32[8]{0} tanh(x)
// }
// END
//
// The result is more exact than that of the text, so the class is rounding. Conversions to a wider type and back are
// exact: the algebraic simplifier removes them. Leaves alone: integers; a narrower type that cannot hold large numbers,
// which become infinite.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

// convert(convert(A)) => A, floats through a narrower type of the same range
HloInstruction* DropConvertPair(HloInstruction* i, RuleContext& c) {
  HloInstruction* narrow = i->operand(0);
  if (narrow->opcode() != HloOpcode::kConvert || !IsFloating(i) || !IsFloating(narrow)) return nullptr;
  HloInstruction* a = narrow->operand(0);
  if (a->shape().element_type() != i->shape().element_type() ||
      GetFloatFormat(narrow->shape().element_type()).exponent_bits <
          GetFloatFormat(i->shape().element_type()).exponent_bits) {
    return nullptr;
  }
  return c.ReplaceWith(a);
}

constexpr Rule kSimplifyFpConversionsRules[] = {
    {HloOpcode::kConvert, "there-and-back",
     "convert(convert(A)) => A, floats through a narrower type of the same range", kExact, kRounding, DropConvertPair},
};

}  // namespace
}  // namespace rules

PassDefinition DefineSimplifyFpConversions() { return rules::DefineRulePass(rules::kSimplifyFpConversionsRules); }

}  // namespace hloir
