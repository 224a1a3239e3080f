// Walking the graph through hloir_c.h: names, edges, shapes, and attributes as text. See handles.h.
#include <optional>

#include "handles.h"
#include "hloir/printer.h"

namespace hloir::c_api {
namespace {

// "dimensions={0}, metadata={…}".
std::string AttributesOf(const HloInstruction& instruction) {
  std::string text;
  for (const auto& [name, value] : PrintAttributes(instruction))
    text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text;
}

std::optional<std::string> AttributeOf(const HloInstruction& instruction, std::string_view wanted) {
  for (auto& [name, value] : PrintAttributes(instruction)) {
    if (name == wanted) return std::move(value);
  }
  return std::nullopt;
}

}  // namespace
}  // namespace hloir::c_api

using namespace hloir;
using namespace hloir::c_api;

hloir_text hloir_module_name(const hloir_module* module) { return Text(module->module->name()); }
size_t hloir_module_instruction_count(const hloir_module* module) {
  return static_cast<size_t>(module->module->instruction_count());
}
size_t hloir_module_computation_count(const hloir_module* module) {
  return static_cast<size_t>(module->module->computation_count());
}
const hloir_computation* hloir_module_computation(const hloir_module* module, size_t i) {
  const HloModule& graph = *module->module;
  return i < graph.computations().size() ? Handle(graph.computations()[i]) : nullptr;
}
const hloir_computation* hloir_module_entry(const hloir_module* module) {
  return Handle(std::as_const(*module->module).entry_computation());
}

hloir_text hloir_computation_name(const hloir_computation* computation) { return Text(Of(computation).name()); }
size_t hloir_computation_parameter_count(const hloir_computation* computation) {
  return static_cast<size_t>(Of(computation).parameter_count());
}
const hloir_instruction* hloir_computation_parameter(const hloir_computation* computation, size_t i) {
  const HloComputation& graph = Of(computation);
  return static_cast<int64_t>(i) < graph.parameter_count() ? Handle(graph.parameter(static_cast<int64_t>(i))) : nullptr;
}
const hloir_instruction* hloir_computation_root(const hloir_computation* computation) {
  return Handle(Of(computation).root());
}
const hloir_instruction* hloir_computation_first(const hloir_computation* computation) {
  return Handle(Of(computation).first());
}
const hloir_instruction* hloir_instruction_next(const hloir_instruction* instruction) {
  return Handle(Of(instruction).next());
}

hloir_text hloir_instruction_name(const hloir_instruction* instruction) { return Text(Of(instruction).name()); }
hloir_text hloir_instruction_opcode(const hloir_instruction* instruction) {
  return Text(Of(instruction).opcode_name());
}
int32_t hloir_instruction_id(const hloir_instruction* instruction) { return Of(instruction).id(); }
const hloir_computation* hloir_instruction_parent(const hloir_instruction* instruction) {
  return Handle(Of(instruction).parent());
}
size_t hloir_instruction_operand_count(const hloir_instruction* instruction) {
  return Of(instruction).operands().size();
}
const hloir_instruction* hloir_instruction_operand(const hloir_instruction* instruction, size_t i) {
  const auto operands = Of(instruction).operands();
  return i < operands.size() ? Handle(operands[i]) : nullptr;
}
size_t hloir_instruction_user_count(const hloir_instruction* instruction) { return Of(instruction).users().size(); }
const hloir_instruction* hloir_instruction_user(const hloir_instruction* instruction, size_t i) {
  const auto users = Of(instruction).users();
  return i < users.size() ? Handle(users[i]) : nullptr;
}
size_t hloir_instruction_called_count(const hloir_instruction* instruction) {
  return Of(instruction).called_computations().size();
}
const hloir_computation* hloir_instruction_called(const hloir_instruction* instruction, size_t i) {
  const auto called = Of(instruction).called_computations();
  return i < called.size() ? Handle(called[i]) : nullptr;
}
char* hloir_instruction_shape(const hloir_instruction* instruction) {
  return NewTextOf([&] { return Of(instruction).shape().ToString(); });
}
char* hloir_instruction_attributes(const hloir_instruction* instruction) {
  return NewTextOf([&] { return AttributesOf(Of(instruction)); });
}
char* hloir_instruction_attribute(const hloir_instruction* instruction, const char* name) {
  return Guarded<char*>(nullptr, [&]() -> StatusOr<char*> {
    const std::optional<std::string> value = AttributeOf(Of(instruction), name);
    return value.has_value() ? NewText(*value) : nullptr;
  });
}
char* hloir_instruction_print(const hloir_instruction* instruction) {
  return NewTextOf([&] { return Of(instruction).ToString(); });
}
