// See name.h. Patterns are recognized by the shape of the graph, not by names in metadata; every instruction that makes
// the pattern must be in the body. Tested by tests/passes/fusion.
#include "fusion/name.h"

#include <cmath>

#include "fusion/role.h"
#include "hloir/match.h"

namespace hloir::fusion {
namespace {

// broadcast(…f(reduce(…))): of a row's value to the row; otherwise nullptr. Skips a few elementwise steps with one
// array operand, such as the division by the count and the root of a variance.
const HloInstruction* ReduceBelow(const HloInstruction* i) {
  for (int steps = 0; steps < 8; ++steps) {
    if (i->opcode() == HloOpcode::kReduce) return i;
    if (i->opcode() == HloOpcode::kReshape || i->opcode() == HloOpcode::kBroadcast) {
      i = i->operand(0);
      continue;
    }
    if (!i->Is(kElementwise)) return nullptr;
    const HloInstruction* next = nullptr;
    for (const HloInstruction* operand : i->operands()) {
      if (SplatConstant(operand) != nullptr) continue;
      if (next != nullptr) return nullptr;
      next = operand;
    }
    if (next == nullptr) return nullptr;
    i = next;
  }
  return nullptr;
}

bool Reduces(const HloInstruction* reduce, HloOpcode opcode) {
  return reduce != nullptr && reduce->to_apply()->root()->opcode() == opcode;
}

// exponential(A - broadcast(reduce-max(A)))
bool IsShiftedExponential(const HloInstruction* i) {
  if (i->opcode() != HloOpcode::kExp || i->operand(0)->opcode() != HloOpcode::kSubtract) return false;
  return Reduces(ReduceBelow(i->operand(0)->operand(1)), HloOpcode::kMaximum);
}

// E / broadcast(reduce-add(E)), and the same as a product with the reciprocal, over a shifted exponential
bool IsSoftmax(const HloInstruction* i) {
  if (i->opcode() != HloOpcode::kDivide && i->opcode() != HloOpcode::kMultiply) return false;
  const HloInstruction* sum = ReduceBelow(i->operand(1));
  return Reduces(sum, HloOpcode::kAdd) && sum->operand(0) == i->operand(0) && IsShiftedExponential(i->operand(0));
}

// S - broadcast(log(reduce-add(exponential(S)))), S = A - broadcast(reduce-max(A))
bool IsLogSoftmax(const HloInstruction* i) {
  if (i->opcode() != HloOpcode::kSubtract) return false;
  const HloInstruction* sum = ReduceBelow(i->operand(1));
  return Reduces(sum, HloOpcode::kAdd) && IsShiftedExponential(sum->operand(0)) &&
         sum->operand(0)->operand(0) == i->operand(0);
}

// X * X, summed over rows, under a root: the square of a difference from the mean (layer norm), or of anything else.
enum class Norm { kNone, kLayer, kRms };
Norm IsNorm(const HloInstruction* i) {
  if (i->opcode() != HloOpcode::kRsqrt && i->opcode() != HloOpcode::kSqrt) return Norm::kNone;
  const HloInstruction* sum = ReduceBelow(i->operand(0));
  if (!Reduces(sum, HloOpcode::kAdd)) return Norm::kNone;
  const HloInstruction* square = sum->operand(0);
  if (square->opcode() != HloOpcode::kMultiply || square->operand(0) != square->operand(1)) return Norm::kNone;
  const HloInstruction* x = square->operand(0);
  return x->opcode() == HloOpcode::kSubtract && Reduces(ReduceBelow(x->operand(1)), HloOpcode::kAdd) ? Norm::kLayer
                                                                                                     : Norm::kRms;
}

bool IsSplatNear(const HloInstruction* i, double value) {
  const HloInstruction* constant = SplatConstant(i);
  return constant != nullptr && std::fabs(constant->literal().GetAsDouble(0) - value) < 1e-2 * value;
}

bool HasOperandNear(const HloInstruction* i, double value) {
  for (const HloInstruction* operand : i->operands()) {
    if (IsSplatNear(operand, value)) return true;
  }
  return false;
}

}  // namespace

std::string_view NameOf(const HloComputation& body) {
  bool contraction = false, softmax = false, log_softmax = false, tanh = false, erf = false, cubic = false,
       root_half = false;
  Norm norm = Norm::kNone;
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    contraction = contraction || i->opcode() == HloOpcode::kDot;
    softmax = softmax || IsSoftmax(i);
    log_softmax = log_softmax || IsLogSoftmax(i);
    if (norm == Norm::kNone) norm = IsNorm(i);
    tanh = tanh || i->opcode() == HloOpcode::kTanh;
    erf = erf || i->opcode() == HloOpcode::kErf;
    // The constants of the two forms of GELU: 0.044715 * x^3, and x / sqrt 2 (or -x, for erfc).
    cubic = cubic || (i->opcode() == HloOpcode::kMultiply && HasOperandNear(i, 0.044715));
    root_half = root_half || (i->opcode() == HloOpcode::kMultiply && HasOperandNear(i, std::sqrt(0.5)));
  }
  if (softmax) return contraction ? "attention_fusion" : "softmax_fusion";
  if (log_softmax) return "log_softmax_fusion";
  if (norm == Norm::kLayer) return "layer_norm_fusion";
  if (norm == Norm::kRms) return "rms_norm_fusion";
  if ((tanh && cubic) || (erf && root_half)) return "gelu_fusion";
  return "fusion";
}

}  // namespace hloir::fusion
