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

// The properties of a NULL handle are empty, 0 or NULL.

hloir_text hloir_module_name(const hloir_module* module) {
  return module != nullptr ? Text(module->module->name()) : hloir_text{};
}
size_t hloir_module_instruction_count(const hloir_module* module) {
  return module != nullptr ? static_cast<size_t>(module->module->instruction_count()) : 0;
}
size_t hloir_module_computation_count(const hloir_module* module) {
  return module != nullptr ? static_cast<size_t>(module->module->computation_count()) : 0;
}
const hloir_computation* hloir_module_computation(const hloir_module* module, size_t i) {
  if (module == nullptr) return nullptr;
  const HloModule& graph = *module->module;
  return i < graph.computations().size() ? Handle(graph.computations()[i]) : nullptr;
}
const hloir_computation* hloir_module_entry(const hloir_module* module) {
  return module != nullptr ? Handle(std::as_const(*module->module).entry_computation()) : nullptr;
}

hloir_text hloir_computation_name(const hloir_computation* computation) {
  return computation != nullptr ? Text(Of(computation).name()) : hloir_text{};
}
size_t hloir_computation_parameter_count(const hloir_computation* computation) {
  return computation != nullptr ? static_cast<size_t>(Of(computation).parameter_count()) : 0;
}
const hloir_instruction* hloir_computation_parameter(const hloir_computation* computation, size_t i) {
  if (i >= hloir_computation_parameter_count(computation)) return nullptr;
  return Handle(Of(computation).parameter(static_cast<int64_t>(i)));
}
const hloir_instruction* hloir_computation_root(const hloir_computation* computation) {
  return computation != nullptr ? Handle(Of(computation).root()) : nullptr;
}
const hloir_instruction* hloir_computation_first(const hloir_computation* computation) {
  return computation != nullptr ? Handle(Of(computation).first()) : nullptr;
}
const hloir_instruction* hloir_instruction_next(const hloir_instruction* instruction) {
  return instruction != nullptr ? Handle(Of(instruction).next()) : nullptr;
}

hloir_text hloir_instruction_name(const hloir_instruction* instruction) {
  return instruction != nullptr ? Text(Of(instruction).name()) : hloir_text{};
}
hloir_text hloir_instruction_opcode(const hloir_instruction* instruction) {
  return instruction != nullptr ? Text(Of(instruction).opcode_name()) : hloir_text{};
}
int32_t hloir_instruction_id(const hloir_instruction* instruction) {
  return instruction != nullptr ? Of(instruction).id() : -1;
}
const hloir_computation* hloir_instruction_parent(const hloir_instruction* instruction) {
  return instruction != nullptr ? Handle(Of(instruction).parent()) : nullptr;
}
size_t hloir_instruction_operand_count(const hloir_instruction* instruction) {
  return instruction != nullptr ? Of(instruction).operands().size() : 0;
}
const hloir_instruction* hloir_instruction_operand(const hloir_instruction* instruction, size_t i) {
  return i < hloir_instruction_operand_count(instruction) ? Handle(Of(instruction).operands()[i]) : nullptr;
}
size_t hloir_instruction_user_count(const hloir_instruction* instruction) {
  return instruction != nullptr ? Of(instruction).users().size() : 0;
}
const hloir_instruction* hloir_instruction_user(const hloir_instruction* instruction, size_t i) {
  return i < hloir_instruction_user_count(instruction) ? Handle(Of(instruction).users()[i]) : nullptr;
}
size_t hloir_instruction_called_count(const hloir_instruction* instruction) {
  return instruction != nullptr ? Of(instruction).called_computations().size() : 0;
}
const hloir_computation* hloir_instruction_called(const hloir_instruction* instruction, size_t i) {
  return i < hloir_instruction_called_count(instruction) ? Handle(Of(instruction).called_computations()[i]) : nullptr;
}
char* hloir_instruction_shape(const hloir_instruction* instruction) {
  if (instruction == nullptr) return nullptr;
  return NewTextOf([&] { return Of(instruction).shape().ToString(); });
}
char* hloir_instruction_attributes(const hloir_instruction* instruction) {
  if (instruction == nullptr) return nullptr;
  return NewTextOf([&] { return AttributesOf(Of(instruction)); });
}
char* hloir_instruction_attribute(const hloir_instruction* instruction, const char* name) {
  if (instruction == nullptr || name == nullptr) return nullptr;
  return Guarded<char*>(nullptr, [&]() -> StatusOr<char*> {
    const std::optional<std::string> value = AttributeOf(Of(instruction), name);
    return value.has_value() ? NewText(*value) : nullptr;
  });
}
char* hloir_instruction_print(const hloir_instruction* instruction) {
  if (instruction == nullptr) return nullptr;
  return NewTextOf([&] { return Of(instruction).ToString(); });
}
