// See capabilities.h. Tests: tests/unit/executable_reference_steps_test.cc.
#include "plan/lower/capabilities.h"

#include <algorithm>
#include <vector>

#include "ir/one_float_type.h"
#include "plan/steps/kernel_choice.h"
#include "support/ranges.h"

namespace hloir::cpu {
namespace {

// Opcodes that have steps of their own, beside the elementwise ones.
bool HasStep(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kCholesky:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConditional:
    case HloOpcode::kConvolution:
    case HloOpcode::kDot:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFft:
    case HloOpcode::kGather:
    case HloOpcode::kIota:
    case HloOpcode::kPad:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kRngBitGenerator:
    case HloOpcode::kScatter:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSort:
    case HloOpcode::kTopK:
    case HloOpcode::kTriangularSolve:
    case HloOpcode::kWhile: return true;
    default: return HasTrait(opcode, kElementwise);
  }
}

}  // namespace

bool MixesFloats(const HloInstruction& i) {
  // The operands of an elementwise operation with several are converted as they are read, and so are a dot's and a
  // convolution's. One with a single operand works in that one's type.
  const bool is_unary = i.operand_count() == 1 && IsFloat(i.shape().element_type());
  const bool takes_one_type = (MeansOneFloatType(i.opcode()) && (is_unary || i.Is(kMovesData))) ||
                              i.opcode() == HloOpcode::kReduce || i.opcode() == HloOpcode::kReduceWindow ||
                              i.opcode() == HloOpcode::kScatter || i.opcode() == HloOpcode::kSelectAndScatter;
  if (!takes_one_type) return false;
  const std::vector<const Shape*> results = i.shape().Leaves();
  const int64_t count = static_cast<int64_t>(results.size());
  for (int64_t k = 0; k < i.operand_count(); ++k) {
    // Of several arrays, their initial values or updates come last, in the same order.
    const int64_t result = count == 1 ? 0 : k < count ? k : k - (i.operand_count() - count);
    const PrimitiveType type = i.operand(k)->shape().element_type();
    if (IsFloat(type) && result >= 0 && type != results[static_cast<size_t>(result)]->element_type()) return true;
  }
  return false;
}

Support SupportFor(const Graph& graph, const Node& node, const KernelTable& kernels) {
  auto is_dynamic = [&](ValueId id) { return graph.values[id].kind == ValueKind::kDynamic; };
  if (AnyOf(node.inputs, is_dynamic) || AnyOf(node.outputs, is_dynamic))
    return {Support::kReference, {}, "an array has a dynamic size"};
  const HloOpcode opcode = node.opcode();
  if (node.is_copy || !node.graphs.empty()) return {};
  Support support;
  if (opcode == HloOpcode::kReduce && LoopSupportsReduce(*node.instruction, kernels, &support.reduce)) {
    support.kind = Support::kLoopReduction;
    return support;
  }
  if (opcode != HloOpcode::kReduce && node.outputs.size() == 1 && graph.values[node.outputs[0]].count > 0 &&
      LoopSupports(*node.instruction, kernels)) {
    return {Support::kLoop, {}, ""};
  }
  if (HasTrait(opcode, kCollective)) return {Support::kReference, {}, "it exchanges data with other devices"};
  if (!HasStep(opcode)) return {Support::kReference, {}, "it has no kernel"};
  return {};
}

}  // namespace hloir::cpu
