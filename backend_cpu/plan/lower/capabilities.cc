// See capabilities.h. Tests: tests/unit/executable_reference_steps_test.cc.
#include "plan/lower/capabilities.h"

#include <algorithm>

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
