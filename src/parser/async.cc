// The async forms. `op-start(…), op's attributes` means an async-start of a computation of parameters and that op;
// `op-update` and `op-done` continue it. The parser checks that chains are complete; the verifier checks their shapes.

#include <unordered_set>

#include "module_reader.h"

#include "support/format.h"

namespace hloir {

// The async-start of a chain of updates; nullptr if the chain contains another instruction (a tuple, a loop).
HloInstruction* ModuleReader::ChainStart(HloInstruction* instruction) {
  if (instruction->opcode() == HloOpcode::kAsyncStart) return instruction;
  auto it = chain_starts_.find(instruction);
  return it != chain_starts_.end() ? it->second : nullptr;
}

bool ModuleReader::WrapAsyncStart(HloInstruction* start, HloOpcode wrapped, const char* place) {
  if (!GraphLoader::has_shape(*start) || !start->shape().IsTuple() || start->shape().tuple_size() < 2) {
    return Fail(place, Format("{}-start needs a shape ((operands), result, …) before it", OpcodeName(wrapped)));
  }
  loader_.attributes<AsyncAttributes>(start);
  if (!CheckArity(wrapped, start->operands().size(), place)) return false;

  HloComputation* body = loader_.NewComputation("async_wrapped", start->line());
  std::vector<HloInstruction*> parameters;
  for (HloInstruction* operand : start->operands()) {
    HloInstruction* parameter = NewParameter(static_cast<int64_t>(parameters.size()), &operand->shape(), body);
    parameter->set_line(start->line());
    NameAnonymous(parameter, "async_param");
    GraphLoader::Append(body, parameter);
    parameters.push_back(parameter);
  }
  const Shape* shape = loader_.KeepShape(start->shape().tuple_shapes(1));
  HloInstruction* op = loader_.NewInstruction(wrapped, shape, parameters, body);
  op->set_line(start->line());
  if (!ParseAttributes(op, start, /*is_nested=*/false, place)) return false;
  if (!CheckInstruction(op, {wrapped}, place)) return false;
  // It is named as if the body were inline.
  has_inline_computations_ = true;
  NameAnonymous(op, OpcodeName(wrapped));
  if (op->name() != OpcodeName(wrapped)) renamed_from_.push_back({op, OpcodeName(wrapped)});
  GraphLoader::Append(body, op);
  if (!FinishComputation(body, op, place)) return false;
  start->AddCalledComputation(body);
  return true;
}

// Attributes of an async op apply to the wrapped op as well.
void ModuleReader::ShareWithWrapped(HloInstruction* async, HloInstruction* wrapped) {
  if (async->metadata() != nullptr) GraphLoader::set_metadata(wrapped, async->metadata());
  if (!async->has_extras()) return;
  const InstructionExtras& extras = async->extras();
  if (!extras.frontend_attributes.empty())
    GraphLoader::extras(wrapped).frontend_attributes = extras.frontend_attributes;
  if (extras.statistics.has_value()) GraphLoader::extras(wrapped).statistics = extras.statistics;
  if (extras.original_value.has_value()) GraphLoader::extras(wrapped).original_value = extras.original_value;
}

bool ModuleReader::CheckAsync(HloInstruction* instruction, const Opcode& opcode, const char* place) {
  if (instruction->opcode() == HloOpcode::kAsyncStart) {
    const Shape& shape = instruction->shape();
    if (!shape.IsTuple() || shape.tuple_size() < 2 || !shape.tuple_shapes(0).IsTuple()) {
      return Fail(place, Format("async-start has the shape ((operands), result, …), not {}", shape.ToString()));
    }
    SetExecutionThread(instruction->called_computations()[0],
                       instruction->attributes<AsyncAttributes>().async_execution_thread);
    ShareWithWrapped(instruction, instruction->called_computations()[0]->root());
    return true;
  }
  if (instruction->operand_count() == 0) {
    // An update without operands is parsed; the verifier reports it.
    if (instruction->opcode() == HloOpcode::kAsyncUpdate) return true;
    return Fail(place, "async-done takes the async op before it in its chain");
  }
  HloInstruction* start = ChainStart(instruction->operand(0));
  if (start == nullptr) return true;
  if (instruction->opcode() == HloOpcode::kAsyncUpdate) chain_starts_[instruction] = start;
  HloComputation* body = start->called_computations()[0];
  ShareWithWrapped(instruction, body->root());
  if (opcode.is_sugar && body->root()->opcode() != opcode.wrapped) {
    return Fail(
        place, Format("the chain is of {}, not of {}", OpcodeName(body->root()->opcode()), OpcodeName(opcode.wrapped)));
  }
  // Operands of an update are further operands of the wrapped op.
  for (int64_t i = 1; opcode.is_sugar && i < instruction->operand_count(); ++i) {
    HloComputation* wrapped = start->called_computation(0);
    HloInstruction* parameter = NewParameter(wrapped->parameter_count(), &instruction->operand(i)->shape(), wrapped);
    parameter->set_line(instruction->line());
    NameAnonymous(parameter, "async_param");
    GraphLoader::Append(wrapped, parameter);
    wrapped->root()->AppendOperand(parameter);
  }
  // Results may be bound late as well: while the links of a chain with updates have none, the wrapped op has the
  // results of the next link.
  const auto is_nothing = [](const Shape& shape) { return shape.IsTuple() && shape.tuple_size() == 0; };
  const Shape& shape = instruction->shape();
  const bool is_update = instruction->opcode() == HloOpcode::kAsyncUpdate;
  const bool has_result = is_update ? shape.IsTuple() && shape.tuple_size() > 1 : instruction->operand(0) != start;
  if (opcode.is_sugar && has_result && is_nothing(body->root()->shape()))
    GraphLoader::set_shape(body->root(), loader_.KeepShape(is_update ? shape.tuple_shapes(1) : shape));
  const std::string& thread = instruction->attributes<AsyncAttributes>().async_execution_thread;
  const std::string& start_thread = start->attributes<AsyncAttributes>().async_execution_thread;
  if (!thread.empty() && thread != start_thread && !(thread == "main" && start_thread.empty())) {
    return Fail(place, Format("the chain's thread is '{}', not '{}'", start_thread, thread));
  }
  return true;
}

bool ModuleReader::CheckAsyncCalls(HloInstruction* instruction, HloComputation* named, const char* place) {
  HloInstruction* start = instruction->operand_count() > 0 ? ChainStart(instruction->operand(0)) : nullptr;
  if (start == nullptr) {
    // Only the start of a chain calls its computation.
    instruction->AddCalledComputation(named);
    return true;
  }
  if (start->called_computations()[0] == named) return true;
  return Fail(place, Format("the chain is of computation '{}', not '{}'", start->called_computations()[0]->name(),
                            named->name()));
}

// The execution thread of an async op applies to its computation and all transitive callees; the last setting wins.
void ModuleReader::SetExecutionThread(HloComputation* computation, std::string_view thread) {
  if (thread == "main") thread = {};
  if (thread.empty() && !has_threads_) return;
  has_threads_ = true;
  thread = loader_.KeepText(thread);
  std::vector<HloComputation*> todo{computation};
  std::unordered_set<const HloComputation*> seen{computation};
  while (!todo.empty()) {
    HloComputation* next = todo.back();
    todo.pop_back();
    GraphLoader::set_execution_thread(next, thread);
    for (HloInstruction* i = next->first(); i != nullptr; i = i->next()) {
      for (HloComputation* callee : i->called_computations()) {
        if (seen.insert(callee).second) todo.push_back(callee);
      }
    }
  }
}

}  // namespace hloir
