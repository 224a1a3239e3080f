// The planner's loops and branches, whose bodies are planned into the same arena: see planner.h. Each loop-carried
// value has a separate buffer, unless the body returns it unchanged.
#include <algorithm>
#include <utility>

#include "plan/schedule/planner.h"
#include "plan/steps/node_work.h"
#include "plan/steps/simple_steps.h"

namespace hloir::cpu {

int64_t Planner::ExtraSteps(bool invariant) const {
  // Elementwise on so few elements, each of at most 16 bytes, that no step is added: most nodes of many.
  const auto is_small = [&](const Node& node) {
    constexpr int64_t kFew = 1024 / 16;
    return node.support.kind == Support::kLoop &&
           graph_.values[node.outputs[0]].count * static_cast<int64_t>(node.inputs.size() + 2) < kFew;
  };
  int64_t steps = 0;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if ((!invariant_.empty() && invariant_[i]) == invariant && !is_small(node)) steps += ExtraStepsOf(node);
  }
  return steps;
}

Status Planner::PlanWhile(const Node& node) {
  CloseAll();
  BufferTable& buffers = context_.buffers;
  const Graph &condition = *node.graphs[0], &body = *node.graphs[1];
  std::vector<Ref> carries(node.inputs.size());
  std::vector<bool> varies(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    if (graph_.values[input].kind == ValueKind::kToken) continue;
    const GraphValue& next = body.values[body.results[i]];
    const bool same = next.root == body.parameters[i] && body.IsWhole(body.results[i]) &&
                      next.type == body.values[body.parameters[i]].type;
    if (same) {  // the body returns it unchanged: no copy
      HLOIR_ASSIGN_OR_RETURN(carries[i], Locate(input));
    } else {
      varies[i] = true;
      carries[i] = NewBufferFor(input);
      HLOIR_RETURN_IF_ERROR(CopyTo(input, carries[i]));
    }
  }
  // A loop that changes nothing ends at once or never: assumed to end, as in XLA.
  if (std::find(varies.begin(), varies.end(), true) == varies.end()) {
    for (size_t i = 0; i < carries.size(); ++i) places_[node.outputs[i]] = carries[i];
    return OkStatus();
  }
  const int32_t begin = buffers.NextTime();
  for (const Ref& carry : carries)
    if (carry.buffer >= 0) buffers.Touch(carry.buffer, begin);
  auto step = std::make_unique<WhileStep>();
  Planner plan_body(context_, body, step->body, carries);
  HLOIR_RETURN_IF_ERROR(plan_body.PlanInvariant(varies, step->prologue));
  Planner plan_condition(context_, condition, step->condition, carries);
  HLOIR_RETURN_IF_ERROR(plan_condition.PlanNodes());
  HLOIR_ASSIGN_OR_RETURN(Ref going, plan_condition.Locate(condition.results[0]));
  plan_condition.CloseAll();
  // The loop may end here, when every carry is a result: the condition must not overwrite them; the body may.
  const int32_t exit = buffers.NextTime();
  buffers.Touch(going.buffer, exit);
  for (const Ref& carry : carries)
    if (carry.buffer >= 0) buffers.Touch(carry.buffer, exit);
  HLOIR_RETURN_IF_ERROR(plan_body.PlanNodes());
  plan_body.CloseAll();
  step->extra_steps = plan_condition.ExtraSteps() + plan_body.ExtraSteps();
  step->prologue_extra_steps = plan_body.ExtraSteps(/*invariant=*/true);
  // All carries change at once: a value that is still in another carry's buffer is saved first.
  std::vector<Ref> next(carries.size());
  for (size_t i = 0; i < carries.size(); ++i) {
    if (!varies[i]) continue;
    HLOIR_ASSIGN_OR_RETURN(next[i], plan_body.Locate(body.results[i]));
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    if (!varies[i]) continue;
    bool lies_in_carry = false;
    for (size_t k = 0; k < carries.size(); ++k)
      lies_in_carry = lies_in_carry || (varies[k] && next[i].buffer == carries[k].buffer);
    if (!lies_in_carry) continue;
    const int64_t bytes = body.values[body.results[i]].bytes();
    const Ref saved = NewBuffer(bytes);
    plan_body.Append(std::make_unique<BlockCopy>(bytes), {next[i]}, {saved});
    next[i] = saved;
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    if (!varies[i]) continue;
    const int32_t time = buffers.NextTime();
    buffers.Restart(carries[i].buffer, time);
    plan_body.Append(std::make_unique<BlockCopy>(body.values[body.results[i]].bytes()), {next[i]}, {carries[i]}, time);
  }
  const int32_t end = buffers.NextTime();
  plan_body.KeepInvariant(end);
  std::vector<Ref> read = {going};
  for (size_t i = 0; i < carries.size(); ++i) {
    if (carries[i].buffer >= 0) buffers.Touch(carries[i].buffer, end);
    places_[node.outputs[i]] = carries[i];
    if (!varies[i] || carries[i].buffer < 0) continue;
    read.push_back(carries[i]);
    step->carry_bytes.push_back(body.values[body.results[i]].bytes());
  }
  Append(std::move(step), read, {}, end);
  return OkStatus();
}

Status Planner::PlanConditional(const Node& node) {
  CloseAll();
  BufferTable& buffers = context_.buffers;
  std::vector<Ref> inputs, outputs;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    inputs.push_back(ref);
  }
  for (ValueId id : node.outputs) {
    outputs.push_back(graph_.values[id].kind == ValueKind::kToken ? Ref() : NewBufferFor(id));
    places_[id] = outputs.back();
  }
  auto step =
      std::make_unique<ConditionalStep>(node.instruction->operand(0)->shape().element_type() == PrimitiveType::PRED);
  step->branches.resize(node.graphs.size());
  size_t first = 1;
  for (size_t b = 0; b < node.graphs.size(); ++b) {
    const Graph& branch = *node.graphs[b];
    std::vector<Ref> parameters(inputs.begin() + first, inputs.begin() + first + branch.parameters.size());
    first += branch.parameters.size();
    Planner plan(context_, branch, step->branches[b], parameters);
    HLOIR_RETURN_IF_ERROR(plan.PlanNodes());
    plan.CloseAll();
    step->extra_steps.push_back(plan.ExtraSteps());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].buffer >= 0) HLOIR_RETURN_IF_ERROR(plan.CopyTo(branch.results[i], outputs[i]));
    }
  }
  const int32_t end = buffers.NextTime();
  for (const Ref& output : outputs)
    if (output.buffer >= 0) buffers.Restart(output.buffer, end);
  Append(std::move(step), {inputs[0]}, {}, end);
  return OkStatus();
}

}  // namespace hloir::cpu
