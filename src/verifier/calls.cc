// Rules of instructions that call computations, beyond their shapes: fusion bodies, async wrappers, execution threads,
// composite calls; of results that share a buffer with an operand; of custom calls that XLA knows by name.
#include <charconv>

#include "hloir/custom_call.h"
#include "internal.h"

namespace hloir::verifier {
namespace {

const std::string* FrontendAttribute(const HloInstruction& i, std::string_view key) {
  for (const auto& [name, value] : i.extras().frontend_attributes) {
    if (name == key) return &value;
  }
  return nullptr;
}

// A fusion's body has no other caller and no dead instructions.
void VerifyFusion(const HloInstruction& fusion, Errors& errors) {
  const HloComputation& body = *fusion.fused_computation();
  if (body.callers().size() != 1) {
    errors.Add(&fusion, "the fusion body {} has other callers", body.name());
    return;
  }
  if (body.root()->user_count() != 0) errors.Add(body.root(), "is the root of a fusion body, but has users");
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    const bool acts = i->called_computations().empty() && i->HasSideEffect();
    if (i != body.root() && i->user_count() == 0 && !acts)
      errors.Add(i, "is unused in the fusion body {}", body.name());
  }
}

// A computation on another thread is one instruction, a declared group of collectives, or a barrier.
void VerifyAsyncBody(const HloInstruction& start, Errors& errors) {
  const HloComputation& body = *start.called_computations()[0];
  if (ThreadName(body.execution_thread()) != "main" || FrontendAttribute(start, "_collectives_group") != nullptr)
    return;
  bool one_instruction = true, barrier = true;
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (i == body.root() || i->IsParameter()) continue;
    one_instruction = false;
    barrier &= i->opcode() == HloOpcode::kGetTupleElement;
  }
  if (!one_instruction && !barrier)
    errors.Add(&start, "the async computation {} has more than parameters and a root", body.name());
}

// Fusions and reducers run on their caller's thread; an async-start names another. XLA accepts calls and custom calls
// of computations of another thread; its verifier refuses loops and branches, but XLA runs them if they come as
// StableHLO, which has no threads.
void VerifyThreads(const HloInstruction& caller, Errors& errors) {
  if (IsOneOf(caller.opcode(), HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone, HloOpcode::kWhile,
              HloOpcode::kConditional, HloOpcode::kCall, HloOpcode::kCustomCall))
    return;
  std::string_view own = caller.opcode() == HloOpcode::kAsyncStart
                             ? std::string_view(caller.attributes<AsyncAttributes>().async_execution_thread)
                             : caller.parent()->execution_thread();
  for (const HloComputation* called : caller.called_computations()) {
    if (ThreadName(called->execution_thread()) == ThreadName(own)) continue;
    errors.Add(&caller, "runs on thread {}, but calls {} of thread {}", ThreadName(own), called->name(),
               ThreadName(called->execution_thread()));
    return;
  }
}

// `b(f32[2])` is the buffer of an f32[2], and compatible with it.
const Shape& Buffered(const Shape& shape) {
  return shape.IsBuffer() && !shape.tuple_shapes().empty() ? shape.tuple_shapes(0) : shape;
}

// True if an array may share memory with a buffer of it: only in calls that convert one to the other.
enum class Buffers { kAreArrays, kAreOther };

// `input(k)` is the shape of operand k of `aliasing`, `output(index)` the part of the result.
template <class Input, class Output>
void VerifyAliasing(const HloInstruction& i, const OutputOperandAliasing& aliasing, int64_t input_count, Input input,
                    Output output, Buffers buffers, Errors& errors) {
  const bool any_shapes = FrontendAttribute(i, "xla_skip_custom_call_alias_shape_check") != nullptr;
  for (const OutputOperandAlias& alias : aliasing) {
    if (alias.operand < 0 || alias.operand >= input_count) {
      errors.Add(&i, "output_to_operand_aliasing names operand {} of {}", alias.operand, input_count);
      continue;
    }
    const Shape& whole = input(alias.operand);
    const Shape* from = whole.AtIndex(alias.operand_index);
    const Shape* to = output(alias.output_index);
    if (to == nullptr) {
      errors.Add(&i, "output_to_operand_aliasing names output {}, which is not in {}", IndexText(alias.output_index),
                 Text(i.shape()));
    } else if (from == nullptr) {
      errors.Add(&i, "output_to_operand_aliasing names {} of operand {}, which is not in {}",
                 IndexText(alias.operand_index), alias.operand, Text(whole));
    } else if (!any_shapes &&
               !(buffers == Buffers::kAreArrays ? Buffered(*to).Compatible(Buffered(*from)) : to->Compatible(*from))) {
      errors.Add(&i, "output_to_operand_aliasing puts {} and {} in one buffer", Text(*to), Text(*from));
    }
  }
}
void VerifyAliasing(const HloInstruction& i, const OutputOperandAliasing& aliasing, Buffers buffers, Errors& errors) {
  VerifyAliasing(
      i, aliasing, i.operand_count(), [&](int64_t k) -> const Shape& { return i.operand(k)->shape(); },
      [&](const ShapeIndex& index) { return i.shape().AtIndex(index); }, buffers, errors);
}

// A start has the aliasing of its computation, whose parameters and result may be bound later. An update forwards only
// the context.
void VerifyAsyncAliasing(const HloInstruction& i, Errors& errors) {
  const OutputOperandAliasing& aliasing = i.attributes<AsyncAttributes>().output_to_operand_aliasing;
  auto in_context = [](const ShapeIndex& index) { return !index.empty() && index[0] == 2; };
  for (const OutputOperandAlias& alias : aliasing) {
    if (i.opcode() == HloOpcode::kAsyncStart && alias.output_index.empty()) {
      errors.Add(&i, "output_to_operand_aliasing names the whole output, which is more than one buffer");
      return;
    }
    if (i.opcode() == HloOpcode::kAsyncUpdate &&
        (alias.operand != 0 || !in_context(alias.operand_index) || !in_context(alias.output_index))) {
      errors.Add(&i, "async-update may alias the context, {{2}}, of its operand 0 alone, not {} of operand {} with {}",
                 IndexText(alias.operand_index), alias.operand, IndexText(alias.output_index));
      return;
    }
  }
  if (i.opcode() == HloOpcode::kAsyncUpdate) return VerifyAliasing(i, aliasing, Buffers::kAreArrays, errors);
  const HloComputation& body = *i.called_computations()[0];
  auto output = [&](const ShapeIndex& index) -> const Shape* {
    auto after = [&](size_t count) { return ShapeIndex(index.begin() + count, index.end()); };
    if (index[0] == 1) return body.root()->shape().AtIndex(after(1));
    if (index[0] != 0) return i.shape().AtIndex(index);
    if (index.size() < 2 || index[1] < 0 || index[1] >= body.parameter_count()) return nullptr;
    return body.parameter(index[1])->shape().AtIndex(after(2));
  };
  VerifyAliasing(
      i, aliasing, body.parameter_count(), [&](int64_t k) -> const Shape& { return body.parameter(k)->shape(); },
      output, Buffers::kAreArrays, errors);
}

void VerifyLayoutConstraints(const HloInstruction& i, const OptionalShapeList& constraints, Errors& errors) {
  if (!constraints || IsCustomCall(i, CustomCall::kLayoutConstraint) || IsCustomCall(i, CustomCall::kControlDep))
    return;
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
    for (const Shape* leaf : (*constraints)[k].Leaves()) VerifyLayout(&i, *leaf, errors);
  }
}

// A composite call names its op by frontend attributes.
void VerifyComposite(const HloInstruction& call, Errors& errors) {
  if (!call.attributes<CallAttributes>().is_composite) return;
  const std::string* name = FrontendAttribute(call, "composite.name");
  if (name == nullptr || name->empty())
    errors.Add(&call, "a composite call needs the frontend attribute composite.name");
  const std::string* attributes = FrontendAttribute(call, "composite.attributes");
  if (attributes != nullptr && attributes->empty())
    errors.Add(&call, "the frontend attribute composite.attributes is empty");
  if (const std::string* text = FrontendAttribute(call, "composite.version")) {
    int64_t version = -1;
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), version);
    if (error != std::errc() || end != text->data() + text->size() || version < 0)
      errors.Add(&call, "the frontend attribute composite.version is \"{}\", not a number from 0 up", *text);
  }
}

// The rules of custom_calls.def.

bool IsBufferOf(const Shape& buffer, const Shape& array) {
  return buffer.IsBuffer() && buffer.tuple_shapes().size() == 1 && array.IsArray() &&
         buffer.tuple_shapes(0).Compatible(array);
}
bool AliasesOnce(const HloInstruction& call) {
  return call.attributes<CustomCallAttributes>().output_to_operand_aliasing.size() == 1;
}
void VerifyNoRule(const HloInstruction&, Errors&) {}
void VerifyGetRngSeed(const HloInstruction& call, Errors& errors) {
  if (call.operand_count() != 0 || !call.shape().Compatible(Shape::Scalar(PrimitiveType::U64)))
    errors.Add(&call, "GetRngSeed takes nothing and gives u64[]");
}
void VerifyPin(const HloInstruction& call, Errors& errors) {
  if (call.operand_count() != 1 || !IsBufferOf(call.shape(), call.operand(0)->shape()))
    errors.Add(&call, "Pin makes an array a buffer of its shape, and nothing else");
  else if (!AliasesOnce(call)) errors.Add(&call, "Pin needs an output_to_operand_aliasing of its buffer and array");
}
void VerifyUnpin(const HloInstruction& call, Errors& errors) {
  if (call.operand_count() != 1 || !IsBufferOf(call.operand(0)->shape(), call.shape()))
    errors.Add(&call, "Unpin makes a buffer an array of its shape, and nothing else");
  else if (!AliasesOnce(call)) errors.Add(&call, "Unpin needs an output_to_operand_aliasing of its array and buffer");
}
void VerifyCreateBuffer(const HloInstruction& call, Errors& errors) {
  if (call.operand_count() != 0 || !call.shape().IsBuffer())
    errors.Add(&call, "CreateBuffer takes nothing and gives a buffer");
}

// By CustomCall.
constexpr void (*kCustomCallRules[])(const HloInstruction&, Errors&) = {
    VerifyNoRule,
#define HLOIR_CUSTOM_CALL(name, target, computes, meaning, evaluate, cost, verify, ...) Verify##verify,
#include "hloir/custom_calls.def"
};

}  // namespace

void VerifyCalls(const HloInstruction& instruction, Errors& errors) {
  if (!instruction.called_computations().empty()) VerifyThreads(instruction, errors);
  switch (instruction.opcode()) {
    case HloOpcode::kFusion:
      VerifyFusion(instruction, errors);
      VerifyAliasing(instruction, instruction.attributes<FusionAttributes>().output_to_operand_aliasing,
                     Buffers::kAreOther, errors);
      break;
    case HloOpcode::kCustomCall: {
      const auto& attributes = instruction.attributes<CustomCallAttributes>();
      const CustomCall call = CustomCallOf(instruction);
      const bool converts = GetCustomCallInfo(call).Is(kBufferBoundary);
      VerifyAliasing(instruction, attributes.output_to_operand_aliasing,
                     converts ? Buffers::kAreArrays : Buffers::kAreOther, errors);
      VerifyLayoutConstraints(instruction, attributes.operand_layout_constraints, errors);
      kCustomCallRules[static_cast<size_t>(call)](instruction, errors);
      break;
    }
    case HloOpcode::kAsyncStart: VerifyAsyncBody(instruction, errors); [[fallthrough]];
    case HloOpcode::kAsyncUpdate: VerifyAsyncAliasing(instruction, errors); break;
    case HloOpcode::kCall: VerifyComposite(instruction, errors); break;
    default: break;  // has no attributes of calls
  }
}

}  // namespace hloir::verifier
