// constant-folding: evaluates instructions that depend on constants alone, by PassOptions::evaluator. (Without one it
// does nothing.)
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
// At least one operand must be a constant, the others constants, broadcasts of constants, iotas, or tuples of these.
// Loops with known trip count fold as a whole; a parameter with the same constant argument in all calls is replaced by
// the constant. Leaves alone: broadcast and iota, which are shorter than their values, and operations on these only,
// which the algebraic simplifier moves to the scalars; random numbers, side effects, collectives, custom-calls,
// barriers; elided constants; results over max-elements, or much larger than the operands; work over max-steps (loops
// by their trip counts), which bounds the time of folding; bodies of fusions and async operations; control
// dependencies.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "hloir/evaluator.h"
#include "hloir/cost.h"
#include "hloir/match.h"
#include "control_flow/loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kFoldParameter = {"fold-parameter", "call(C), f in every place => the constant in f"};
constexpr RuleInfo kFoldConstant = {"fold", "op(constants) => constant"};
constexpr NumberOption kMaxElements = {"max-elements", "of a result, or of an operand that has to be made for it",
                                       int64_t{1} << 16};
constexpr NumberOption kMaxSteps = {"max-steps", "roughly, to compute one result", int64_t{1} << 20};

// An array, or a tuple of arrays, of known sizes.
bool IsPlain(const Shape& shape) {
  if (shape.IsArray()) return shape.IsStatic();
  if (!shape.IsTuple() || shape.tuple_size() == 0) return false;
  for (const Shape& element : shape.tuple_shapes()) {
    if (!element.IsArray() || !element.IsStatic()) return false;
  }
  return true;
}
// Of an array or a tuple of arrays.
int64_t LargestLeaf(const Shape& shape) {
  int64_t largest = shape.IsArray() ? shape.ElementCount() : 0;
  for (const Shape& element : shape.tuple_shapes()) largest = std::max(largest, element.ElementCount());
  return largest;
}

class ConstantFolding : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (options_.evaluator == nullptr) return false;
    bool changed = false;
    const std::vector<HloComputation*> order = module.PostOrder();
    // Callers first: constants that they pass are then folded in the callee.
    for (size_t at = order.size(); at-- > 0;) changed |= FoldParameters(order[at]);
    if (!gate_.Enabled(kFoldConstant)) return changed;
    cost_.reset();
    for (HloComputation* computation : InFetchedOrder(order)) {
      if (!IsWrapped(*computation) && MayFoldAny(*computation)) {
        // Operands first, so that a chain folds in one go.
        for (HloInstruction* i : computation->PostOrder()) {
          if (MayFold(*i)) changed |= Fold(i);
        }
      }
      if (cost_ && changed) cost_->Update(*computation);
    }
    return changed;
  }

 private:
  // Known before it is computed: a constant, a broadcast of one, an iota.
  bool IsKnown(const HloInstruction& i) const {
    const HloInstruction* constant = i.opcode() == HloOpcode::kBroadcast ? i.operand(0) : &i;
    if (!i.shape().IsArray() || !i.shape().IsStatic())
      return i.IsConstant() && !i.literal().elided() && IsPlain(i.shape());
    if (!i.IsConstant() && i.shape().ElementCount() > max_elements_) return false;
    return i.opcode() == HloOpcode::kIota || (constant->IsConstant() && !constant->literal().elided());
  }

  bool MayFold(const HloInstruction& i) const {
    if (!i.Is(kFoldable) || i.operand_count() == 0 || (i.user_count() == 0 && !i.IsRoot())) return false;
    if (i.HasControlDependencies() || !IsPlain(i.shape())) return false;
    // An element of a tuple is the tuple simplifier's. Asked first: the tuple may be long, and have as many readers.
    if (i.opcode() == HloOpcode::kGetTupleElement && !i.operand(0)->IsConstant()) return false;
    if (i.opcode() == HloOpcode::kBitcastConvert && BitWidth(i.shape().element_type()) < 8) return false;
    bool constant = false;
    int64_t elements = 0;
    auto look = [&](const HloInstruction& operand) {
      constant = constant || operand.IsConstant();
      elements = std::max(elements, LargestLeaf(operand.shape()));
      return IsKnown(operand);
    };
    for (const HloInstruction* operand : i.operands()) {
      if (operand->opcode() == HloOpcode::kTuple) {
        for (const HloInstruction* element : operand->operands()) {
          if (!look(*element)) return false;
        }
        if (operand->HasControlDependencies()) return false;
      } else if (!look(*operand)) {
        return false;
      }
    }
    if (!constant) return false;
    // A pad of a broadcast is shorter than its values.
    if (i.opcode() == HloOpcode::kPad && !i.operand(0)->IsConstant()) return false;
    constexpr int64_t kSmall = 1024, kGrowth = 4;
    const int64_t result = LargestLeaf(i.shape());
    if (result > max_elements_ || (result > kSmall && result > kGrowth * elements)) return false;
    return Steps(i) <= static_cast<double>(max_steps_) && !i.HasSideEffect() && IsPure(i);
  }

  // True unless no instruction can fold, which the constants and their users show; mostly there is none.
  bool MayFoldAny(const HloComputation& computation) const {
    if (!computation.MayHave(HloOpcode::kConstant)) return false;
    constexpr int64_t kMostOperands = 8;  // of a user of a constant; with more operands, it may fold
    for (const HloInstruction* i : computation.AllInstructions()) {
      if (!i->IsConstant()) continue;
      for (const HloInstruction* user : i->users()) {
        const bool many = user->operand_count() > kMostOperands;
        if (many || user->opcode() == HloOpcode::kTuple || MayFold(*user)) return true;
      }
    }
    return false;
  }

  // True if no instruction that it calls can differ between two runs, or runs only on other devices.
  static bool IsPure(const HloInstruction& i) {
    std::vector<const HloComputation*> stack(i.called_computations().begin(), i.called_computations().end()),
        seen = stack;
    while (!stack.empty()) {
      const HloComputation* computation = stack.back();
      stack.pop_back();
      for (const HloInstruction* at = computation->first(); at != nullptr; at = at->next()) {
        if (at->Is(kImpure | kSideEffect | kCollective | kAsyncPart) || at->opcode() == HloOpcode::kCustomCall)
          return false;
        if (at->opcode() == HloOpcode::kPartitionId || at->opcode() == HloOpcode::kReplicaId) return false;
        if (at->IsConstant() && at->literal().elided()) return false;
        for (const HloComputation* called : at->called_computations()) {
          if (std::find(seen.begin(), seen.end(), called) != seen.end()) continue;
          seen.push_back(called);
          stack.push_back(called);
        }
      }
    }
    return true;
  }

  // An estimate of the steps to evaluate it: each operation, and each element read or written, is one.
  double Steps(const HloInstruction& i) const {
    if (!cost_) cost_.emplace(*i.module());
    const CostResult cost = cost_->Of(i);
    if (cost.unknown_loops > 0) return kForEver;
    constexpr double kBytesOfElement = 4;
    return 1 + cost.repeated.flops + cost.repeated.transcendentals + cost.repeated.bytes / kBytesOfElement;
  }
  static constexpr double kForEver = 1e300;

  // The value of something known; false where the evaluator can't make it.
  bool Evaluate(const HloInstruction& i, Literal& value) const {
    if (i.IsConstant()) {
      value = i.literal();
      return true;
    }
    std::vector<const Literal*> operands;
    if (i.opcode() == HloOpcode::kBroadcast) operands.push_back(&i.operand(0)->literal());
    StatusOr<Literal> made = options_.evaluator->EvaluateInstruction(i, operands);
    if (!made.ok()) return false;
    value = std::move(made).value();
    return true;
  }

  // op(constants) => constant
  bool Fold(HloInstruction* i) {
    std::vector<Literal> made;
    made.reserve(i->operands().size());
    std::vector<const Literal*> values;
    for (const HloInstruction* operand : i->operands()) {
      if (operand->IsConstant()) {
        values.push_back(&operand->literal());
        continue;
      }
      if (operand->opcode() == HloOpcode::kTuple) {
        std::vector<Literal> elements(operand->operands().size());
        for (size_t k = 0; k < elements.size(); ++k) {
          if (!Evaluate(*operand->operand(static_cast<int64_t>(k)), elements[k])) return false;
        }
        made.push_back(Literal::Tuple(std::move(elements)));
      } else if (!Evaluate(*operand, made.emplace_back())) {
        return false;
      }
      values.push_back(&made.back());
    }
    // Instructions that the evaluator does not support stay.
    StatusOr<Literal> value = options_.evaluator->EvaluateInstruction(*i, values);
    if (!value.ok() || !value->shape().Compatible(i->shape()) || !HasText(*value)) return false;
    if (!gate_.Allow(kFoldConstant, *i)) return false;
    HloInstruction* folded = MakeConstants(i, std::move(value).value());
    InheritAnnotations(folded, *i);
    i->ReplaceAllUsesWith(folded);
    gate_.Done(folded);
    std::string_view name = i->name();
    if (IsDead(*i)) {
      RemoveIfDead(i);  // instructions removed with it precede it in the walk
      folded->set_name(name);
    }
    return true;
  }

  // As XLA reads text, a complex number with a NaN as its real part has the same one as its imaginary part, and of c64
  // no NaN that is an imaginary part alone has a payload.
  static bool HasText(const Literal& value) {
    const auto told = [](const auto& number) {
      const auto real = number.real(), imaginary = number.imag();
      if (std::isnan(real)) return std::memcmp(&real, &imaginary, sizeof real) == 0;
      if (sizeof imaginary > 4 || !std::isnan(imaginary)) return true;
      const auto usual = std::copysign(std::numeric_limits<decltype(+imaginary)>::quiet_NaN(), imaginary);
      return std::memcmp(&usual, &imaginary, sizeof imaginary) == 0;
    };
    if (value.shape().IsTuple()) return std::all_of(value.elements().begin(), value.elements().end(), HasText);
    const auto all_told = [&](const auto& numbers) { return std::all_of(numbers.begin(), numbers.end(), told); };
    if (value.shape().element_type() == PrimitiveType::C64) return all_told(value.data<std::complex<float>>());
    return value.shape().element_type() != PrimitiveType::C128 || all_told(value.data<std::complex<double>>());
  }

  // A constant; of a tuple, a tuple of constants.
  static HloInstruction* MakeConstants(HloInstruction* i, Literal value) {
    auto constant = [&](Literal literal, const Shape& shape) {
      literal.set_shape_layout(shape);
      HloInstruction* made = i->parent()->AddConstant(std::move(literal));
      i->parent()->MoveBefore(made, i);
      return made;
    };
    if (!i->shape().IsTuple()) return constant(std::move(value), i->shape());
    std::vector<HloInstruction*> elements;
    for (size_t k = 0; k < value.elements().size(); ++k) {
      elements.push_back(constant(value.elements()[k], i->shape().tuple_shapes(static_cast<int64_t>(k))));
    }
    HloInstruction* tuple = i->parent()->AddTuple(elements);
    i->parent()->MoveBefore(tuple, i);
    return tuple;
  }

  // call(C), f; call(C), f => the constant in f
  bool FoldParameters(HloComputation* computation) {
    if (computation->IsEntry() || computation->callers().empty()) return false;
    for (const HloInstruction* caller : computation->callers()) {
      const bool call =
          caller->opcode() == HloOpcode::kCall && caller->operand_count() == computation->parameter_count();
      if (!call && caller->opcode() != HloOpcode::kConditional) return false;
    }
    bool changed = false;
    for (HloInstruction* parameter : computation->parameters()) {
      if (parameter->user_count() == 0 || parameter->IsRoot() || parameter->HasControlDependencies()) continue;
      const HloInstruction* constant = SameConstant(*computation, parameter->parameter_number());
      if (constant == nullptr || constant->shape().ByteSize() > kMostBytes) continue;
      if (!Ask(kFoldParameter, *parameter)) continue;
      HloInstruction* copy = computation->AddClone(*constant, {});
      computation->MoveBefore(copy, parameter->next());
      parameter->ReplaceAllUsesWith(copy);
      gate_.Done(copy);
      changed = true;
    }
    return changed;
  }
  static constexpr int64_t kMostBytes = 4096;  // it is then there twice

  // The constant that every caller passes as parameter k; nullptr if there is none.
  static const HloInstruction* SameConstant(const HloComputation& computation, int64_t k) {
    const HloInstruction* constant = nullptr;
    for (const HloInstruction* caller : computation.callers()) {
      for (size_t branch = 0; branch < caller->called_computations().size(); ++branch) {
        if (caller->called_computations()[branch] != &computation) continue;
        const bool call = caller->opcode() == HloOpcode::kCall;
        const HloInstruction* operand = caller->operand(call ? k : static_cast<int64_t>(branch) + 1);
        if (!operand->IsConstant() || !operand->shape().IsArray() || operand->literal().elided()) return nullptr;
        if (constant != nullptr &&
            !(operand->shape() == constant->shape() && operand->literal().BitwiseEqual(constant->literal()))) {
          return nullptr;
        }
        constant = operand;
      }
    }
    return constant;
  }

  const int64_t max_elements_ = options_.Get(kMaxElements), max_steps_ = options_.Get(kMaxSteps);
  mutable std::optional<CostAnalysis> cost_;  // of callees as they are after folding. Counted when there is a candidate
};

}  // namespace

PassDefinition DefineConstantFolding() {
  return {MakePassOf<ConstantFolding>, {kFoldConstant, kFoldParameter}, {kMaxElements, kMaxSteps}};
}

}  // namespace hloir
