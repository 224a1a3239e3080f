// while-loop-fusible-sinking: sinks loop-invariant values that are computed from a few scalars into the loop, where
// they fuse with their users and take no memory.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], f32[64]{0}, f32[64]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   ten = s32[] constant(10)
//   ROOT less = pred[] compare(i, ten), direction=LT
// }
//
// body {
//   p = (s32[], f32[64]{0}, f32[64]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   x = f32[64]{0} get-tuple-element(p), index=1
//   wide = f32[64]{0} get-tuple-element(p), index=2
//   next_x = f32[64]{0} multiply(x, wide)
//   ROOT next = (s32[], f32[64]{0}, f32[64]{0}) tuple(next_i, next_x, wide)
// }
//
// ENTRY main {
//   x = f32[64]{0} parameter(0)
//   s = f32[] parameter(1)
//   zero = s32[] constant(0)
//   wide = f32[64]{0} broadcast(s), dimensions={}
//   init = (s32[], f32[64]{0}, f32[64]{0}) tuple(zero, x, wide)
//   loop = (s32[], f32[64]{0}, f32[64]{0}) while(init), condition=condition, body=body
//   ROOT result = f32[64]{0} get-tuple-element(loop), index=1
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], f32[64]{0}, f32[64]{0}, f32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   ten = s32[] constant(10)
//   ROOT less = pred[] compare(i, ten), direction=LT
// }
//
// body {
//   p = (s32[], f32[64]{0}, f32[64]{0}, f32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   x = f32[64]{0} get-tuple-element(p), index=1
//   s = f32[] get-tuple-element(p), index=3
//   wide = f32[64]{0} broadcast(s), dimensions={}
//   next_x = f32[64]{0} multiply(x, wide)
//   old = f32[64]{0} get-tuple-element(p), index=2
//   ROOT next = (s32[], f32[64]{0}, f32[64]{0}, f32[]) tuple(next_i, next_x, old, s)
// }
//
// ENTRY main {
//   x = f32[64]{0} parameter(0)
//   s = f32[] parameter(1)
//   zero = s32[] constant(0)
//   wide = f32[64]{0} broadcast(s), dimensions={}
//   init = (s32[], f32[64]{0}, f32[64]{0}, f32[]) tuple(zero, x, wide, s)
//   loop = (s32[], f32[64]{0}, f32[64]{0}, f32[]) while(init), condition=condition, body=body
//   ROOT result = f32[64]{0} get-tuple-element(loop), index=1
// }
// END
//
// Broadcasts, iotas and cheap elementwise operations on them, at most 16. while-loop-simplifier drops the element
// itself. Leaves alone: constants (see while-loop-constant-sinking); values computed from whole arrays; values not
// larger than their operands.
#include <algorithm>
#include <unordered_map>

#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSinkIntoLoop = {"sink", "while((f(s), ...)), f(s) loop-invariant, s scalars => f(s) inside"};

constexpr size_t kMostInstructions = 16;

bool IsFusible(const HloInstruction& i) {
  const bool made_from_scalars = i.opcode() == HloOpcode::kBroadcast || i.opcode() == HloOpcode::kIota;
  return made_from_scalars || (i.Is(kElementwise) && CostClass(i.opcode()) == OpCost::kCheap);
}

// Instructions that make a value again.
struct Recipe {
  std::vector<HloInstruction*> steps;    // operands first
  std::vector<HloInstruction*> scalars;  // that it starts from, besides constants
};

// False: not cheap, or of whole arrays.
bool FindRecipe(HloInstruction* value, Recipe& recipe) {
  std::vector<HloInstruction*> stack{value};
  while (!stack.empty()) {
    HloInstruction* top = stack.back();
    auto known = [&](const HloInstruction* i) {
      return std::find(recipe.steps.begin(), recipe.steps.end(), i) != recipe.steps.end() ||
             std::find(recipe.scalars.begin(), recipe.scalars.end(), i) != recipe.scalars.end();
    };
    if (known(top)) {
      stack.pop_back();
      continue;
    }
    if (HasAnnotations(*top) || top->HasControlDependencies() || !top->shape().IsArray() || !top->shape().IsStatic() ||
        recipe.steps.size() + stack.size() > kMostInstructions) {
      return false;
    }
    const bool made_again =
        top->IsScalarConstant() ? !top->literal().elided() : IsFusible(*top) && !top->shape().IsScalar();
    if (!made_again) {
      if (!top->shape().IsScalar()) return false;
      recipe.scalars.push_back(top);
      stack.pop_back();
      continue;
    }
    const size_t below = stack.size();
    for (HloInstruction* operand : top->operands()) {
      if (!known(operand)) stack.push_back(operand);
    }
    if (stack.size() > below) continue;
    recipe.steps.push_back(top);
    stack.pop_back();
  }
  return true;
}

class WhileLoopFusibleSinking : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (module.config().is_scheduled) return false;
    std::vector<HloComputation*> order = ControlFlowComputations(module);
    // Outer loops first: a value that sinks into them may sink into the inner one too.
    for (size_t at = order.size(); at-- > 0;) {
      for (HloInstruction* loop : InstructionsOf(*order[at], HloOpcode::kWhile)) {
        if (!IsTupleLoop(*loop)) continue;
        const int64_t elements = loop->shape().tuple_size();  // sinking adds some
        for (int64_t k = 0; k < elements; ++k) changed |= Sink(loop, k);
      }
    }
    return changed;
  }

 private:
  // while((f(s), …)), f(s) loop-invariant => f(s) inside
  bool Sink(HloInstruction* loop, int64_t element) {
    HloInstruction* value = InitialValue(*loop, element);
    Recipe recipe;
    if (value == nullptr || value->shape().IsScalar() || !IsPassedThrough(*loop, element) ||
        !IsReadInBody(*loop, element) || !FindRecipe(value, recipe)) {
      return false;
    }
    int64_t bytes = 0;
    for (const HloInstruction* scalar : recipe.scalars) bytes += scalar->shape().ByteSize();
    if (value->shape().ByteSize() <= bytes) return false;
    if (!Ask(kSinkIntoLoop, *loop)) return false;
    OwnLoopComputations(loop);
    std::unordered_map<const HloInstruction*, HloInstruction*> inside;
    for (HloInstruction* scalar : recipe.scalars) inside[scalar] = ReadOf(loop, scalar);
    HloComputation& body = *loop->while_body();
    std::vector<HloInstruction*> reads(body.parameter(0)->users().begin(), body.parameter(0)->users().end());
    for (HloInstruction* step : recipe.steps) {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : step->operands()) operands.push_back(inside.at(operand));
      inside[step] = body.AddClone(*step, operands);
    }
    for (HloInstruction* read : reads) {
      if (read->tuple_index() != element) continue;
      std::vector<HloInstruction*> users(read->users().begin(), read->users().end());
      for (HloInstruction* user : users) {
        if (user != body.root()) read->ReplaceUseWith(user, inside.at(value));
      }
    }
    gate_.Done(inside.at(value));
    return true;
  }

  // By something besides the root, which hands it on.
  static bool IsReadInBody(const HloInstruction& loop, int64_t element) {
    for (const HloInstruction* read : loop.while_body()->parameter(0)->users()) {
      if (read->tuple_index() != element) continue;
      for (const HloInstruction* user : read->users()) {
        if (user != loop.while_body()->root()) return true;
      }
    }
    return false;
  }
  // The body's read of a value from before the loop, which may be carried along already.
  static HloInstruction* ReadOf(HloInstruction* loop, HloInstruction* value) {
    for (int64_t k = 0; k < loop->shape().tuple_size(); ++k) {
      if (InitialValue(*loop, k) == value && IsPassedThrough(*loop, k)) return NextValue(*loop, k);
    }
    return AddLoopElement(loop, value);
  }
};

}  // namespace

PassDefinition DefineWhileLoopFusibleSinking() { return {MakePassOf<WhileLoopFusibleSinking>, {kSinkIntoLoop}}; }

}  // namespace hloir
