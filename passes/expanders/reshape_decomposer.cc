// reshape-decomposer: reshapes as bitcasts, with copies where the elements have to move.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4,6]{0,1} parameter(0)
//   ROOT y = f32[8,3]{1,0} reshape(x)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4,6]{0,1} parameter(0)
//   rows = f32[4,6]{1,0} copy(x)
//   ROOT y = f32[8,3]{1,0} bitcast(rows)
// }
// END
//
// A reshape reads and writes row by row: an array that lies so is the same bytes in the other shape. Other passes look
// into reshapes, not bitcasts: so the default pipeline ends with this, with the first rule alone. Leaves alone: bodies
// of fusions, where a reshape costs nothing; arrays without a layout, or with tiles and the like in it.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

bool HasPlainLayouts(const HloInstruction* i) {
  for (const Shape* shape : {&i->operand(0)->shape(), &i->shape()}) {
    if (!shape->has_layout() || shape->layout().has_extras()) return false;
  }
  return true;
}

// reshape(A) => bitcast(A), both row by row
HloInstruction* AsBitcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* operand = i->operand(0);
  if (!HasPlainLayouts(i) || !operand->shape().layout().IsMajorToMinor() || !i->shape().layout().IsMajorToMinor() ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Add(HloOpcode::kBitcast, i->shape(), {operand}, NoAttributes());
}

// reshape(A) => copy(bitcast(copy(A)))
HloInstruction* DecomposeReshape(HloInstruction* i, RuleContext& c) {
  HloInstruction* operand = i->operand(0);
  if (!HasPlainLayouts(i) || !c.Allow()) return nullptr;
  if (!operand->shape().layout().IsMajorToMinor()) {
    operand = c.Add(HloOpcode::kCopy, Shape::Array(operand->shape().element_type(), operand->shape().dimensions()),
                    {operand}, NoAttributes());
  }
  HloInstruction* bitcast = c.Add(HloOpcode::kBitcast, Shape::Array(i->shape().element_type(), i->shape().dimensions()),
                                  {operand}, NoAttributes());
  return i->shape().layout().IsMajorToMinor() ? bitcast
                                              : c.Add(HloOpcode::kCopy, i->shape(), {bitcast}, NoAttributes());
}

constexpr Rule kReshapeDecomposerRules[] = {
    {HloOpcode::kReshape, "reshape-is-bitcast", "reshape(A) => bitcast(A), both row by row", kExact, kExact, AsBitcast},
    {HloOpcode::kReshape, "decompose-reshape", "reshape(A) => copy(bitcast(copy(A)))", kExact, kExact,
     DecomposeReshape},
};

}  // namespace
}  // namespace rules

PassDefinition DefineReshapeDecomposer() { return rules::DefineRulePass(rules::kReshapeDecomposerRules); }

}  // namespace hloir
