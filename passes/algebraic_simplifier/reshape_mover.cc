// reshape-mover: where all operands of an elementwise op are reshaped (or transposed) alike, the result is instead,
// once.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[2,3]{1,0} parameter(0)
//   b = f32[2,3]{1,0} parameter(1)
//   ra = f32[6]{0} reshape(a)
//   rb = f32[6]{0} reshape(b)
//   ROOT sum = f32[6]{0} add(ra, rb)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[2,3]{1,0} parameter(0)
//   b = f32[2,3]{1,0} parameter(1)
//   sum = f32[2,3]{1,0} add(a, b)
//   ROOT reshaped = f32[6]{0} reshape(sum)
// }
// END
//
// At least two operands are moved, the others broadcasts of scalars. Leaves alone: reshapes and transposes that
// somebody else needs too.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

// op(reshape(A), reshape(B)) => reshape(op(A, B)), and so transpose
HloInstruction* Sink(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() < 2 || i->shape().rank() == 0) return nullptr;
  HloInstruction* mover = nullptr;
  int64_t moved = 0;
  for (HloInstruction* operand : i->operands()) {
    if (operand->shape().IsScalar()) continue;  // a bound or a predicate
    if (operand->opcode() == HloOpcode::kReshape || operand->opcode() == HloOpcode::kTranspose) {
      if (operand->user_count() != 1) return nullptr;
      if (mover == nullptr) mover = operand;
      if (operand->opcode() != mover->opcode() || operand->dimensions() != mover->dimensions() ||
          !operand->operand(0)->shape().SameDimensions(mover->operand(0)->shape())) {
        return nullptr;
      }
      ++moved;
    } else if (operand->opcode() != HloOpcode::kBroadcast || !operand->operand(0)->shape().IsScalar()) {
      return nullptr;
    }
  }
  if (moved < 2 || !c.Allow()) return nullptr;
  const Shape& from = mover->operand(0)->shape();
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : i->operands()) {
    if (operand->shape().IsScalar()) operands.push_back(operand);
    else if (operand->opcode() == mover->opcode()) operands.push_back(operand->operand(0));
    else operands.push_back(c.Broadcast(operand->operand(0), from, {}));
  }
  HloInstruction* op = c.CloneOver(i, operands, from);
  return mover->opcode() == HloOpcode::kReshape ? c.Reshape(op, i->shape()) : c.Transpose(op, mover->dimensions());
}

constexpr Rule kReshapeMoverRules[] = {
    {.name = "sink",
     .formula = "op(reshape(A), reshape(B)) => reshape(op(A, B)), and so transpose",
     .integers = kExact,
     .floats = kExact,
     .apply = Sink,
     .every_elementwise = true},
};

}  // namespace
}  // namespace rules

PassDefinition DefineReshapeMover() { return rules::DefineRulePass(rules::kReshapeMoverRules); }

}  // namespace hloir
