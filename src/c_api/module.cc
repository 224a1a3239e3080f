// Errors and whole modules of hloir_c.h: read, write, print, verify, build. See handles.h.
#include <algorithm>
#include <charconv>
#include <vector>

#include "handles.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "hloir/version.h"

namespace hloir::c_api {
namespace {

hloir_code CodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument: return HLOIR_INVALID_ARGUMENT;
    case StatusCode::kUnimplemented: return HLOIR_UNIMPLEMENTED;
    case StatusCode::kResourceExhausted: return HLOIR_RESOURCE_EXHAUSTED;
    case StatusCode::kDeadlineExceeded: return HLOIR_DEADLINE_EXCEEDED;
    case StatusCode::kCancelled: return HLOIR_CANCELLED;
    case StatusCode::kOk:
    case StatusCode::kInternal: break;
  }
  return HLOIR_INTERNAL;
}

// "FILE:12:7: error: …" => 12, 7.
void FindPlace(hloir_error& error) {
  const std::string_view head = std::string_view(error.message).substr(0, error.message.find(": error: "));
  if (head.size() == error.message.size()) return;
  const size_t second = head.rfind(':');
  if (second == std::string_view::npos || second == 0) return;
  const size_t first = head.rfind(':', second - 1);
  if (first == std::string_view::npos) return;
  const auto number = [](std::string_view text, int64_t* value) {
    return std::from_chars(text.data(), text.data() + text.size(), *value).ptr == text.data() + text.size();
  };
  int64_t line = 0, column = 0;
  if (number(head.substr(first + 1, second - first - 1), &line) && number(head.substr(second + 1), &column))
    error.line = line, error.column = column;
}

PrintOptions OptionsOf(hloir_style style) {
  switch (style) {
    case HLOIR_PRINT_READABLE: break;
    case HLOIR_PRINT_XLA: return PrintOptions::Default();
    case HLOIR_PRINT_SHORT: return PrintOptions::ShortParsable();
    case HLOIR_PRINT_CANONICAL: return PrintOptions::Canonical();
    case HLOIR_PRINT_FINGERPRINT: return PrintOptions::Fingerprint();
  }
  return PrintOptions::Readable();
}

StatusOr<hloir_module*> Parse(std::string text, const char* name) {
  ParserOptions options;
  if (name != nullptr) options.file_name = name;
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloModule(std::move(text), options));
  return NewModule(std::move(module));
}

}  // namespace

void SetError(hloir_error** error, const Status& status) {
  if (error == nullptr) return;
  try {
    auto made = std::make_unique<hloir_error>(hloir_error{CodeOf(status.code()), status.message()});
    FindPlace(*made);
    *error = made.release();
  } catch (...) {
    // No memory even for the message: an error without one.
    static hloir_error none{HLOIR_RESOURCE_EXHAUSTED, {}};
    *error = &none;
  }
}

}  // namespace hloir::c_api

using namespace hloir;
using namespace hloir::c_api;

const char* hloir_version(void) { return kVersion; }
void hloir_free(char* text) { std::free(text); }

hloir_code hloir_error_code(const hloir_error* error) { return error->code; }
const char* hloir_error_message(const hloir_error* error) { return error->message.c_str(); }
int64_t hloir_error_line(const hloir_error* error) { return error->line; }
int64_t hloir_error_column(const hloir_error* error) { return error->column; }
void hloir_error_free(hloir_error* error) {
  if (error != nullptr && !error->message.empty()) delete error;
}

hloir_module* hloir_parse(const char* text, size_t size, const char* name, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&] { return Parse(std::string(text, size), name); });
}

hloir_module* hloir_read(const char* path, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&]() -> StatusOr<hloir_module*> {
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ReadModule(path));
    return NewModule(std::move(module));
  });
}

bool hloir_write(const hloir_module* module, const char* path, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(WriteModule(*module->module, path));
    return true;
  });
}

hloir_module* hloir_module_clone(const hloir_module* module, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&]() -> StatusOr<hloir_module*> { return NewModule(module->module->Clone()); });
}

void hloir_module_free(hloir_module* module) { delete module; }

char* hloir_print(const hloir_module* module, hloir_style style, hloir_error** error) {
  return Guarded<char*>(error,
                        [&]() -> StatusOr<char*> { return NewText(PrintModule(*module->module, OptionsOf(style))); });
}

bool hloir_verify(const hloir_module* module, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(VerifyModule(*module->module));
    return true;
  });
}

// ---- Building: the parts are put together as text, and the parser reads it ----

struct hloir_builder {
  std::string module_name;
  struct Computation {
    std::string name;
    std::vector<std::string> lines;
  };
  std::vector<Computation> computations;
  bool failed = false;  // out of memory, or an instruction before any computation
};

hloir_builder* hloir_builder_new(const char* module_name) {
  return Guarded<hloir_builder*>(nullptr, [&]() -> StatusOr<hloir_builder*> {
    return new hloir_builder{module_name, {}};
  });
}

void hloir_builder_computation(hloir_builder* builder, const char* name) try {
  builder->computations.push_back({name, {}});
} catch (...) {
  builder->failed = true;
}

void hloir_builder_add(hloir_builder* builder, const char* name, const char* opcode, const char* shape,
                       const char* const* operands, size_t operand_count, const char* attributes) try {
  if (builder->computations.empty()) {
    builder->failed = true;
    return;
  }
  std::string line = std::string(name) + " = ";
  if (shape != nullptr) line += std::string(shape) + " ";
  line += std::string(opcode) + "(";
  for (size_t i = 0; i < operand_count; ++i) line += (i == 0 ? "" : ", ") + std::string(operands[i]);
  line += ")";
  if (attributes != nullptr && *attributes != '\0') line += ", " + std::string(attributes);
  builder->computations.back().lines.push_back(std::move(line));
} catch (...) {
  builder->failed = true;
}

hloir_module* hloir_builder_finish(const hloir_builder* builder, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&]() -> StatusOr<hloir_module*> {
    if (builder->failed) return InvalidArgument("an instruction was added before any computation, or memory ran out");
    if (builder->computations.empty()) return InvalidArgument("the module has no computation");
    std::string text = "HloModule " + builder->module_name + "\n";
    for (size_t c = 0; c < builder->computations.size(); ++c) {
      const auto& [name, lines] = builder->computations[c];
      text += (c + 1 == builder->computations.size() ? "\nENTRY " : "\n") + name + " {\n";
      for (size_t i = 0; i < lines.size(); ++i) text += (i + 1 == lines.size() ? "  ROOT " : "  ") + lines[i] + "\n";
      text += "}\n";
    }
    HLOIR_ASSIGN_OR_RETURN(hloir_module * parsed, Parse(std::move(text), "<builder>"));
    std::unique_ptr<hloir_module> module(parsed);
    HLOIR_RETURN_IF_ERROR(VerifyModule(*module->module));
    return module.release();
  });
}

void hloir_builder_free(hloir_builder* builder) { delete builder; }
