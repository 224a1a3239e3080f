// convert-mover: moves converts so that data is moved in its narrower type: narrowing converts before data movement,
// widening ones after it.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[4,3]{1,0} parameter(0)
//   b = bf16[4,3]{1,0} parameter(1)
//   ta = f32[3,4]{1,0} transpose(a), dimensions={1,0}
//   narrow = bf16[3,4]{1,0} convert(ta)
//   wide = f32[4,3]{1,0} convert(b)
//   tb = f32[3,4]{1,0} transpose(wide), dimensions={1,0}
//   ROOT result = (bf16[3,4]{1,0}, f32[3,4]{1,0}) tuple(narrow, tb)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[4,3]{1,0} parameter(0)
//   narrow = bf16[4,3]{1,0} convert(a)
//   ta = bf16[3,4]{1,0} transpose(narrow), dimensions={1,0}
//   b = bf16[4,3]{1,0} parameter(1)
//   tb = bf16[3,4]{1,0} transpose(b), dimensions={1,0}
//   wide = f32[3,4]{1,0} convert(tb)
//   ROOT result = (bf16[3,4]{1,0}, f32[3,4]{1,0}) tuple(ta, wide)
// }
// END
//
// Data movement: reshape, transpose and reverse; slice too for widening ones, as it then converts less. Leaves
// alone: converts and movements with another user.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

int ElementBits(const HloInstruction* i) { return BitWidth(i->shape().element_type()); }

// The same movement over another operand.
HloInstruction* Move(RuleContext& c, const HloInstruction* movement, HloInstruction* operand) {
  Shape shape = Shape::Array(operand->shape().element_type(), movement->shape().dimensions());
  HloInstruction* moved = c.computation()->AddClone(*movement, std::span(&operand, 1), &shape);
  if (moved->has_extras()) {
    moved->set_sharding(std::nullopt);
    moved->set_frontend_attributes({});
    moved->set_original_value(std::nullopt);
  }
  return moved;
}

// convert(move(A)) => move(convert(A)), to a narrower type
HloInstruction* Narrow(HloInstruction* i, RuleContext& c) {
  HloInstruction* movement = i->operand(0);
  if (!IsOneOf(movement->opcode(), HloOpcode::kReshape, HloOpcode::kTranspose, HloOpcode::kReverse)) return nullptr;
  if (movement->user_count() != 1 || ElementBits(i) >= ElementBits(movement) || !c.Allow()) return nullptr;
  return Move(c, movement, c.Convert(movement->operand(0), i->shape().element_type()));
}

// move(convert(A)) => convert(move(A)), from a narrower type
HloInstruction* Wide(HloInstruction* i, RuleContext& c) {
  HloInstruction* convert = i->operand(0);
  if (convert->opcode() != HloOpcode::kConvert || convert->user_count() != 1 ||
      ElementBits(convert) <= ElementBits(convert->operand(0)) || !c.Allow()) {
    return nullptr;
  }
  return c.Convert(Move(c, i, convert->operand(0)), i->shape().element_type());
}

constexpr std::string_view kWide = "move(convert(A)) => convert(move(A)), from a narrower type";
constexpr Rule kConvertMoverRules[] = {
    {HloOpcode::kConvert, "narrow-first", "convert(move(A)) => move(convert(A)), to a narrower type", kExact, kExact,
     Narrow},
    {HloOpcode::kReshape, "reshape-first", kWide, kExact, kExact, Wide},
    {HloOpcode::kTranspose, "transpose-first", kWide, kExact, kExact, Wide},
    {HloOpcode::kReverse, "reverse-first", kWide, kExact, kExact, Wide},
    {HloOpcode::kSlice, "slice-first", kWide, kExact, kExact, Wide},
};

}  // namespace
}  // namespace rules

PassDefinition DefineConvertMover() { return rules::DefineRulePass(rules::kConvertMoverRules); }

}  // namespace hloir
