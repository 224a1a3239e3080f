// constant-folding: computes what depends on constants alone, with PassOptions::evaluator. (Without one it does
// nothing.)
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = s32[3]{0} parameter(0)
//   c = s32[3]{0} constant({1, 2, 3})
//   d = s32[3]{0} constant({10, 20, 30})
//   sum = s32[3]{0} add(c, d)
//   flipped = s32[3]{0} reverse(sum), dimensions={0}
//   ROOT result = s32[3]{0} add(x, flipped)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = s32[3]{0} parameter(0)
//   flipped = s32[3]{0} constant({33, 22, 11})
//   ROOT result = s32[3]{0} add(x, flipped)
// }
// END
//
// At least one operand is a constant, the others constants, broadcasts of constants, or iotas. Leaves alone: broadcast
// and iota, which say shorter what their values are, and operations on those only, which the algebraic simplifier does
// on the scalars; random numbers, side effects, collectives, custom-calls, barriers, fft and linear algebra; loops and
// calls (no bound on their steps is known here); constants whose values the text left out; results over
// max_folded_elements, or much larger than what goes in; work over max_folded_steps; bodies of fusions and async
// operations; control dependencies.
#include <algorithm>

#include "hloir/match.h"
#include "hloir/pass.h"
#include "pass_util.h"

namespace hloir {
namespace {

// What this opcode does is worth computing here, and safe to.
bool IsFoldable(HloOpcode opcode) {
  if (HasTrait(opcode, kElementwise)) return opcode != HloOpcode::kStochasticConvert;
  switch (opcode) {
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kReverse:
    case HloOpcode::kConcatenate:
    case HloOpcode::kSlice:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kPad:
    case HloOpcode::kGather:
    case HloOpcode::kScatter:
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kMap:
    case HloOpcode::kSort:
    case HloOpcode::kGetTupleElement: return true;
    default: return false;
  }
}

// Steps that computing it takes, roughly; saturates.
int64_t Cost(const HloInstruction& i) {
  double cost = static_cast<double>(i.shape().ElementCount());
  for (const HloInstruction* operand : i.operands()) cost += static_cast<double>(operand->shape().ElementCount());
  if (i.opcode() == HloOpcode::kDot) {
    for (int64_t d : i.attributes<DotAttributes>().lhs_contracting_dims) {
      cost *= static_cast<double>(i.operand(0)->shape().dimensions(d));
    }
  } else if (i.opcode() == HloOpcode::kConvolution) {
    cost *= static_cast<double>(i.operand(1)->shape().ElementCount());
  } else if (i.opcode() == HloOpcode::kReduceWindow) {
    for (const WindowDimension& d : i.attributes<WindowAttributes>().window) cost *= static_cast<double>(d.size);
  }
  for (const HloComputation* called : i.called_computations()) cost *= static_cast<double>(called->instruction_count());
  return cost < 9e18 ? static_cast<int64_t>(cost) : INT64_MAX;
}

class ConstantFolding : public HloPass {
 public:
  explicit ConstantFolding(const PassOptions& options) : options_(options), gate_(name(), options_) {}
  std::string_view name() const override { return "constant-folding"; }

  StatusOr<bool> Run(HloModule& module) override {
    if (options_.evaluator == nullptr || !gate_.Enabled("fold", MathMode::kExact)) return false;
    bool changed = false;
    for (HloComputation* computation : module.MakeComputationPostOrder()) {
      if (IsWrapped(*computation)) continue;
      // Operands first, so that a chain folds in one go.
      for (HloInstruction* i : computation->MakeInstructionPostOrder()) {
        if (!MayFold(*i)) continue;
        changed |= Fold(i);
      }
    }
    return changed;
  }

 private:
  bool MayFold(const HloInstruction& i) const {
    if (!IsFoldable(i.opcode()) || i.operand_count() == 0 || (i.user_count() == 0 && !i.IsRoot())) return false;
    if (i.HasControlDependencies() || !i.shape().IsArray() || !i.shape().IsStatic()) return false;
    if (i.opcode() == HloOpcode::kBitcastConvert && BitWidth(i.shape().element_type()) < 8) return false;
    bool constant = false;
    int64_t elements = 0;
    for (const HloInstruction* operand : i.operands()) {
      if (operand->IsConstant() && !operand->literal().elided() && operand->shape().IsStatic()) {
        constant = true;
      } else if (operand->opcode() == HloOpcode::kBroadcast && operand->operand(0)->IsConstant()) {
        if (operand->operand(0)->literal().elided()) return false;
      } else if (operand->opcode() != HloOpcode::kIota) {
        return false;
      }
      const int64_t count = operand->shape().ElementCount();
      if (!operand->IsConstant() && count > options_.max_folded_elements) return false;
      elements = std::max(elements, count);
    }
    if (!constant) return false;
    // A pad of a broadcast says what it is.
    if (i.opcode() == HloOpcode::kPad && !i.operand(0)->IsConstant()) return false;
    constexpr int64_t kSmall = 1024, kGrowth = 4;
    const int64_t result = i.shape().ElementCount();
    if (result > options_.max_folded_elements || (result > kSmall && result > kGrowth * elements)) return false;
    if (i.HasSideEffect() || CallsLoops(i)) return false;
    return Cost(i) <= options_.max_folded_steps;
  }

  // A reducer or comparator that is itself control flow.
  static bool CallsLoops(const HloInstruction& i) {
    for (const HloComputation* called : i.called_computations()) {
      for (const HloInstruction* at = called->first(); at != nullptr; at = at->next()) {
        if (!at->called_computations().empty() || at->Is(kImpure)) return true;
      }
    }
    return false;
  }

  bool Fold(HloInstruction* i) {
    std::vector<Literal> made;
    made.reserve(i->operands().size());
    std::vector<const Literal*> values;
    for (const HloInstruction* operand : i->operands()) {
      if (operand->IsConstant()) {
        values.push_back(&operand->literal());
        continue;
      }
      std::vector<const Literal*> inner;
      if (operand->opcode() == HloOpcode::kBroadcast) inner.push_back(&operand->operand(0)->literal());
      StatusOr<Literal> value = options_.evaluator->EvaluateInstruction(*operand, inner);
      if (!value.ok()) return false;
      made.push_back(std::move(value).value());
      values.push_back(&made.back());
    }
    // What the evaluator cannot do stays as it is.
    StatusOr<Literal> value = options_.evaluator->EvaluateInstruction(*i, values);
    if (!value.ok() || !value->shape().Compatible(i->shape())) return false;
    if (!gate_.Allow("fold", "op(constants) => constant", MathMode::kExact, *i)) return false;
    Literal literal = std::move(value).value();
    literal.set_shape_layout(i->shape());
    HloInstruction* constant = i->parent()->AddConstant(std::move(literal));
    i->parent()->MoveBefore(constant, i);
    InheritAnnotations(constant, *i);
    i->ReplaceAllUsesWith(constant);
    gate_.Done(constant);
    std::string_view name = i->name();
    if (IsDead(*i)) {
      RemoveIfDead(i);  // what goes with it came before it in the walk
      constant->set_name(name);
    }
    return true;
  }

  PassOptions options_;
  RewriteGate gate_;
};

}  // namespace

std::unique_ptr<HloPass> MakeConstantFolding(const PassOptions& options) {
  return std::make_unique<ConstantFolding>(options);
}

}  // namespace hloir
