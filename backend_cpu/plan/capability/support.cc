// See support.h. Tests: tests/unit/executable_reference_steps_test.cc.
#include "plan/capability/support.h"

#include "plan/capability/kernel_choice.h"
#include "support/ranges.h"

namespace hloir::cpu {
namespace {

bool HasStep(HloOpcode opcode) {
  switch (opcode) {
#define HLOIR_STEP(name) case HloOpcode::k##name:
#define HLOIR_PLANNED(name) case HloOpcode::k##name:
#include "plan/capability/steps.def"
    return true;
    default: return HasTrait(opcode, kElementwise);  // all others run in the reference
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
