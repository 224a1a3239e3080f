// Running through hloir_c.h: a prepared copy of the module, and buffers of the caller's, used where they are. See
// handles.h.
#include <cstddef>
#include <vector>

#include "handles.h"
#include "hloir/executable.h"
#include "hloir/literal.h"
#include "hloir/verifier.h"

using namespace hloir;
using namespace hloir::c_api;

struct hloir_executable {
  std::unique_ptr<HloModule> module;  // outlives what is prepared of it
  std::unique_ptr<HloExecutable> prepared;
  std::vector<Shape> parameters;
  Shape result;
  std::vector<const Shape*> inputs, outputs;  // array leaves of these
};

namespace hloir::c_api {
namespace {

Status AddArrays(const Shape& shape, const std::string& whose, std::vector<const Shape*>& arrays) {
  for (const Shape* leaf : shape.Leaves()) {
    if (!leaf->IsArray()) return Unimplemented(whose + " has a " + leaf->ToString() + ", which is not in a buffer");
    arrays.push_back(leaf);
  }
  return OkStatus();
}

size_t SizeOf(const std::vector<const Shape*>& arrays, size_t i) {
  return i < arrays.size() ? static_cast<size_t>(arrays[i]->ByteSize()) : 0;
}

Status CheckSizes(const char* what, const hloir_buffer* buffers, size_t count,
                  const std::vector<const Shape*>& arrays) {
  if (count != arrays.size()) {
    return InvalidArgument("the module has " + std::to_string(arrays.size()) + " " + what + "s, not " +
                           std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    if (buffers[i].size == SizeOf(arrays, i)) continue;
    return InvalidArgument(std::string(what) + " " + std::to_string(i) + " has " + std::to_string(SizeOf(arrays, i)) +
                           " bytes, not " + std::to_string(buffers[i].size));
  }
  return OkStatus();
}

std::vector<void*> BlocksOf(const hloir_buffer* buffers, size_t count) {
  std::vector<void*> blocks(count);
  for (size_t i = 0; i < count; ++i) blocks[i] = buffers[i].data;
  return blocks;
}

// A caller's function as a handler: buffers for literals.
CustomCallHandler HandlerOf(const hloir_custom_call& given) {
  return [function = given.function, user_data = given.user_data](
             const HloInstruction& call, std::span<const Literal* const> operands) -> StatusOr<Literal> {
    std::vector<hloir_buffer> inputs, outputs;
    const auto add = [](const Literal& leaf, std::vector<hloir_buffer>& buffers) {
      // C has no way to say that operands are only read.
      buffers.push_back({const_cast<std::byte*>(leaf.untyped_data()), static_cast<size_t>(leaf.size_bytes())});
    };
    for (const Literal* operand : operands) {
      for (const Literal* leaf : operand->Leaves())
        if (leaf->shape().IsArray()) add(*leaf, inputs);
    }
    Literal result(call.shape());
    for (const Literal* leaf : result.Leaves())
      if (leaf->shape().IsArray()) add(*leaf, outputs);
    const char* wrong = function(user_data, reinterpret_cast<const hloir_instruction*>(&call), inputs.data(),
                                 inputs.size(), outputs.data(), outputs.size());
    if (wrong != nullptr) return InvalidArgument(std::string(call.name()) + ": its function says: " + wrong);
    return result;
  };
}

// Callers of before a field was added have a smaller struct.
StatusOr<ExecutableOptions> PrepareOptions(const hloir_prepare_options* options) {
  ExecutableOptions wanted;
  if (options == nullptr) return wanted;
  if (options->size < offsetof(hloir_prepare_options, custom_calls))
    return InvalidArgument("hloir_prepare_options.size is not set");
  wanted.threads = options->threads;
  if (options->isa != nullptr) wanted.isa = options->isa;
  if (options->size < sizeof(hloir_prepare_options)) return wanted;
  for (size_t i = 0; i < options->custom_call_count; ++i) {
    const hloir_custom_call& given = options->custom_calls[i];
    if (given.target == nullptr || given.function == nullptr)
      return InvalidArgument("a custom-call's target or function is NULL");
    wanted.evaluator.custom_calls[given.target] = HandlerOf(given);
  }
  return wanted;
}

}  // namespace
}  // namespace hloir::c_api

hloir_executable* hloir_prepare(const hloir_module* module, const hloir_prepare_options* options, hloir_error** error) {
  return Guarded<hloir_executable*>(error, [&]() -> StatusOr<hloir_executable*> {
    HLOIR_RETURN_IF_ERROR(VerifyModule(*module->module));
    HLOIR_ASSIGN_OR_RETURN(const ExecutableOptions wanted, PrepareOptions(options));
    auto made = std::make_unique<hloir_executable>();
    made->module = module->module->Clone();
    HLOIR_ASSIGN_OR_RETURN(made->prepared, PrepareExecutable(*made->module, wanted));
    ProgramShape program = made->module->entry_computation()->program_shape();
    made->parameters = std::move(program.parameters);
    made->result = std::move(program.result);
    for (size_t i = 0; i < made->parameters.size(); ++i)
      HLOIR_RETURN_IF_ERROR(AddArrays(made->parameters[i], "parameter " + std::to_string(i), made->inputs));
    HLOIR_RETURN_IF_ERROR(AddArrays(made->result, "the result", made->outputs));
    return made.release();
  });
}

size_t hloir_executable_input_count(const hloir_executable* executable) { return executable->inputs.size(); }
size_t hloir_executable_output_count(const hloir_executable* executable) { return executable->outputs.size(); }
size_t hloir_executable_input_size(const hloir_executable* executable, size_t i) {
  return SizeOf(executable->inputs, i);
}
size_t hloir_executable_output_size(const hloir_executable* executable, size_t i) {
  return SizeOf(executable->outputs, i);
}
char* hloir_executable_input_shape(const hloir_executable* executable, size_t i) {
  if (i >= executable->inputs.size()) return nullptr;
  return NewTextOf([&] { return executable->inputs[i]->ToString(); });
}
char* hloir_executable_output_shape(const hloir_executable* executable, size_t i) {
  if (i >= executable->outputs.size()) return nullptr;
  return NewTextOf([&] { return executable->outputs[i]->ToString(); });
}

bool hloir_run(hloir_executable* executable, const hloir_buffer* inputs, size_t input_count,
               const hloir_buffer* outputs, size_t output_count, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(CheckSizes("input", inputs, input_count, executable->inputs));
    HLOIR_RETURN_IF_ERROR(CheckSizes("output", outputs, output_count, executable->outputs));
    const std::vector<void*> blocks = BlocksOf(inputs, input_count);
    std::vector<Literal> arguments;
    size_t next = 0;
    for (const Shape& parameter : executable->parameters) {
      const size_t count = parameter.Leaves().size();
      HLOIR_ASSIGN_OR_RETURN(Literal argument, Literal::Borrow(parameter, std::span(blocks).subspan(next, count)));
      arguments.push_back(std::move(argument));
      next += count;
    }
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    HLOIR_ASSIGN_OR_RETURN(Literal result, Literal::Borrow(executable->result, BlocksOf(outputs, output_count)));
    HLOIR_RETURN_IF_ERROR(executable->prepared->RunInto(pointers, &result));
    return true;
  });
}

void hloir_executable_free(hloir_executable* executable) { delete executable; }
