// Rules of instructions that call computations, beyond their shapes: fusion bodies, async wrappers, execution threads,
// composite calls; and of results that share a buffer with an operand.
#include <charconv>

#include "internal.h"

namespace hloir::verification {
namespace {

// A fusion's body is the fusion's own, and has nothing in it that the fusion does not need.
void VerifyFusion(const HloInstruction& fusion, Errors& errors) {
  const HloComputation& body = *fusion.fused_computation();
  if (body.callers().size() != 1) {
    errors.Add(&fusion, "the fusion body {} has other callers", body.name());
    return;
  }
  if (body.root()->user_count() != 0) errors.Add(body.root(), "is the root of a fusion body, but has users");
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (i != body.root() && i->user_count() == 0) errors.Add(i, "is unused in the fusion body {}", body.name());
  }
}

// What runs beside the main program is one instruction, or a group of transfers and collectives.
void VerifyAsyncBody(const HloInstruction& start, Errors& errors) {
  const HloComputation& body = *start.called_computations()[0];
  bool only_transfers = true, only_root = true;
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    only_root &= i == body.root() || i->IsParameter();
    switch (i->opcode()) {
      case HloOpcode::kSend:
      case HloOpcode::kRecv:
      case HloOpcode::kSendDone:
      case HloOpcode::kRecvDone:
      case HloOpcode::kParameter:
      case HloOpcode::kTuple:
      case HloOpcode::kGetTupleElement: break;
      default: only_transfers &= i->Is(kCollective);
    }
  }
  if (!only_root && !only_transfers)
    errors.Add(&start, "the async computation {} has more in it than parameters and a root", body.name());
}

// A call stays on its thread, and an async-start says where it goes. Elsewhere XLA runs what names another thread.
void VerifyThreads(const HloInstruction& caller, Errors& errors) {
  const bool is_async = caller.opcode() == HloOpcode::kAsyncStart;
  if (!is_async && caller.opcode() != HloOpcode::kCall && caller.opcode() != HloOpcode::kFusion) return;
  std::string_view own = is_async ? std::string_view(caller.attributes<AsyncAttributes>().async_execution_thread)
                                  : caller.parent()->execution_thread();
  for (const HloComputation* called : caller.called_computations()) {
    if (ThreadName(called->execution_thread()) == ThreadName(own)) continue;
    errors.Add(&caller, "runs on thread {}, but calls {} of thread {}", ThreadName(own), called->name(),
               ThreadName(called->execution_thread()));
  }
}

// `b(f32[2])` is the buffer of an f32[2], and may be put in place of one.
const Shape& Buffered(const Shape& shape) {
  return shape.IsBuffer() && !shape.tuple_shapes().empty() ? shape.tuple_shapes(0) : shape;
}

void VerifyAliasing(const HloInstruction& i, const OutputOperandAliasing& aliasing, Errors& errors) {
  for (const OutputOperandAlias& alias : aliasing) {
    if (alias.operand < 0 || alias.operand >= i.operand_count()) {
      errors.Add(&i, "output_to_operand_aliasing names operand {} of {}", alias.operand, i.operand_count());
      continue;
    }
    const Shape* output = i.shape().AtIndex(alias.output_index);
    const Shape* operand = i.operand(alias.operand)->shape().AtIndex(alias.operand_index);
    if (output == nullptr) {
      errors.Add(&i, "output_to_operand_aliasing names output {}, which is not in {}", IndexText(alias.output_index),
                 Text(i.shape()));
    } else if (operand == nullptr) {
      errors.Add(&i, "output_to_operand_aliasing names {} of operand {}, which is not in {}",
                 IndexText(alias.operand_index), alias.operand, Text(i.operand(alias.operand)->shape()));
    } else if (!Buffered(*output).Compatible(Buffered(*operand))) {
      errors.Add(&i, "output_to_operand_aliasing puts {} and {} in one buffer", Text(*output), Text(*operand));
    }
  }
}

void VerifyLayoutConstraints(const HloInstruction& i, const OptionalShapeList& constraints, Errors& errors) {
  if (!constraints || i.attributes<CustomCallAttributes>().custom_call_target == "LayoutConstraint") return;
  if (static_cast<int64_t>(constraints->size()) != i.operand_count()) {
    errors.Add(&i, "operand_layout_constraints gives {} shapes for {} operands", constraints->size(),
               i.operand_count());
    return;
  }
  for (int64_t k = 0; k < i.operand_count(); ++k) {
    if (!(*constraints)[k].Compatible(i.operand(k)->shape())) {
      errors.Add(&i, "operand_layout_constraints says that operand {} is {}, but it is {}", k, Text((*constraints)[k]),
                 Text(i.operand(k)->shape()));
    }
  }
}

// A composite call says by frontend attributes which op it stands for.
void VerifyComposite(const HloInstruction& call, Errors& errors) {
  if (!call.attributes<CallAttributes>().is_composite) return;
  const std::string* name = nullptr;
  for (const auto& [key, value] : call.extras().frontend_attributes) {
    if (key == "composite.name") name = &value;
    if (key == "composite.attributes" && value.empty())
      errors.Add(&call, "the frontend attribute composite.attributes is empty");
    if (key == "composite.version") {
      int64_t version = -1;
      auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), version);
      if (error != std::errc() || end != value.data() + value.size() || version < 0) {
        errors.Add(&call, "the frontend attribute composite.version is \"{}\", not a number from 0 up", value);
      }
    }
  }
  if (name == nullptr || name->empty())
    errors.Add(&call, "a composite call needs the frontend attribute composite.name");
}

}  // namespace

void VerifyCalls(const HloInstruction& instruction, Errors& errors) {
  if (!instruction.called_computations().empty()) VerifyThreads(instruction, errors);
  switch (instruction.opcode()) {
    case HloOpcode::kFusion:
      VerifyFusion(instruction, errors);
      VerifyAliasing(instruction, instruction.attributes<FusionAttributes>().output_to_operand_aliasing, errors);
      break;
    case HloOpcode::kCustomCall: {
      const auto& attributes = instruction.attributes<CustomCallAttributes>();
      VerifyAliasing(instruction, attributes.output_to_operand_aliasing, errors);
      VerifyLayoutConstraints(instruction, attributes.operand_layout_constraints, errors);
      break;
    }
    case HloOpcode::kAsyncStart: VerifyAsyncBody(instruction, errors); break;
    case HloOpcode::kCall: VerifyComposite(instruction, errors); break;
    default: break;
  }
}

}  // namespace hloir::verification
