// Running through hloir_c.h: a prepared copy of the module, and the caller's buffers, used in place. See handles.h.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "handles.h"
#include "hloir/executable.h"
#include "hloir/literal.h"
#include "hloir/verifier.h"

using namespace hloir;
using namespace hloir::c_api;

struct hloir_executable {
  std::unique_ptr<HloModule> module;  // outlives the executables prepared from it
  std::unique_ptr<HloExecutable> prepared;
  std::vector<Shape> parameters;
  Shape result;
  std::vector<const Shape*> inputs, outputs;  // array leaves of these
  std::atomic<bool> is_running = false;
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
  if (count > 0) HLOIR_RETURN_IF_ERROR(Given({{what, buffers}}));
  for (size_t i = 0; i < count; ++i) {
    if (buffers[i].size == SizeOf(arrays, i)) continue;
    return InvalidArgument(std::string(what) + " " + std::to_string(i) + " has " + std::to_string(SizeOf(arrays, i)) +
                           " bytes, not " + std::to_string(buffers[i].size));
  }
  return OkStatus();
}

// Outputs are written while inputs are still read.
Status CheckApart(const hloir_buffer* inputs, size_t input_count, const hloir_buffer* outputs, size_t output_count) {
  struct Range {
    uintptr_t begin, end;
    bool is_output;
  };
  std::vector<Range> ranges;
  const auto add = [&](const hloir_buffer* buffers, size_t count, bool is_output) {
    for (size_t i = 0; i < count; ++i) {
      const uintptr_t begin = reinterpret_cast<uintptr_t>(buffers[i].data);
      if (buffers[i].size > 0) ranges.push_back({begin, begin + buffers[i].size, is_output});
    }
  };
  add(inputs, input_count, false);
  add(outputs, output_count, true);
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  uintptr_t end = 0, output_end = 0;  // of all before, of the outputs before
  for (const Range& range : ranges) {
    if (range.begin < (range.is_output ? end : output_end)) return InvalidArgument("an output overlaps another buffer");
    end = std::max(end, range.end);
    if (range.is_output) output_end = std::max(output_end, range.end);
  }
  return OkStatus();
}

// Marks an executable as running during its lifetime; is_first() is false if it was running.
class Running {
 public:
  explicit Running(std::atomic<bool>& flag) : flag_(flag), is_first_(!flag.exchange(true)) {}
  ~Running() {
    if (is_first_) flag_ = false;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  bool is_first() const { return is_first_; }

 private:
  std::atomic<bool>& flag_;
  const bool is_first_;
};

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
      // The C type has no const for operands.
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

// Callers compiled before a field was added pass a smaller struct.
StatusOr<ExecutableOptions> PrepareOptions(const hloir_prepare_options* options) {
  ExecutableOptions wanted;
  if (options == nullptr) return wanted;
  if (options->size < offsetof(hloir_prepare_options, custom_calls))
    return InvalidArgument("hloir_prepare_options.size is not set");
  constexpr int kMostThreads = 1024;
  if (options->threads < 0 || options->threads > kMostThreads)
    return InvalidArgument("hloir_prepare_options.threads is not from 0 to 1024");
  wanted.threads = options->threads;
  if (options->isa != nullptr) wanted.isa = options->isa;
  if (options->size < offsetof(hloir_prepare_options, cache)) return wanted;
  if (options->custom_call_count > 0) HLOIR_RETURN_IF_ERROR(Given({{"custom_calls", options->custom_calls}}));
  for (size_t i = 0; i < options->custom_call_count; ++i) {
    const hloir_custom_call& given = options->custom_calls[i];
    if (given.target == nullptr || given.function == nullptr)
      return InvalidArgument("a custom-call's target or function is NULL");
    wanted.evaluator.custom_calls[given.target] = HandlerOf(given);
  }
  if (options->size >= sizeof(hloir_prepare_options) && options->cache != nullptr) wanted.cache = options->cache;
  return wanted;
}

}  // namespace
}  // namespace hloir::c_api

hloir_executable* hloir_prepare(const hloir_module* module, const hloir_prepare_options* options, hloir_error** error) {
  return Guarded<hloir_executable*>(error, [&]() -> StatusOr<hloir_executable*> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}}));
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

size_t hloir_executable_input_count(const hloir_executable* executable) {
  return executable != nullptr ? executable->inputs.size() : 0;
}
size_t hloir_executable_output_count(const hloir_executable* executable) {
  return executable != nullptr ? executable->outputs.size() : 0;
}
size_t hloir_executable_input_size(const hloir_executable* executable, size_t i) {
  return executable != nullptr ? SizeOf(executable->inputs, i) : 0;
}
size_t hloir_executable_output_size(const hloir_executable* executable, size_t i) {
  return executable != nullptr ? SizeOf(executable->outputs, i) : 0;
}
char* hloir_executable_input_shape(const hloir_executable* executable, size_t i) {
  if (i >= hloir_executable_input_count(executable)) return nullptr;
  return NewTextOf([&] { return executable->inputs[i]->ToString(); });
}
char* hloir_executable_output_shape(const hloir_executable* executable, size_t i) {
  if (i >= hloir_executable_output_count(executable)) return nullptr;
  return NewTextOf([&] { return executable->outputs[i]->ToString(); });
}

bool hloir_run(hloir_executable* executable, const hloir_buffer* inputs, size_t input_count,
               const hloir_buffer* outputs, size_t output_count, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(Given({{"executable", executable}}));
    HLOIR_RETURN_IF_ERROR(CheckSizes("input", inputs, input_count, executable->inputs));
    HLOIR_RETURN_IF_ERROR(CheckSizes("output", outputs, output_count, executable->outputs));
    HLOIR_RETURN_IF_ERROR(CheckApart(inputs, input_count, outputs, output_count));
    const Running running(executable->is_running);
    if (!running.is_first()) return InvalidArgument("the executable is running already: each thread needs its own");
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
