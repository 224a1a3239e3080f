// Errors and whole modules of hloir_c.h: read, write, print, verify, build. See handles.h.
#include <algorithm>
#include <charconv>
#include <vector>

#include "handles.h"
#include "hloir/io.h"
#include "hloir/memory_limit.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "hloir/version.h"
#include "ir/names.h"

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

StatusOr<PrintOptions> OptionsOf(hloir_style style) {
  switch (style) {
    case HLOIR_PRINT_READABLE: return PrintOptions::Readable();
    case HLOIR_PRINT_XLA: return PrintOptions::Default();
    case HLOIR_PRINT_SHORT: return PrintOptions::ShortParsable();
    case HLOIR_PRINT_CANONICAL: return PrintOptions::Canonical();
    case HLOIR_PRINT_FINGERPRINT: return PrintOptions::Fingerprint();
    case HLOIR_PRINT_STABLEHLO: break;  // has no options
  }
  return InvalidArgument("no such hloir_style");
}

StatusOr<hloir_module*> Parse(std::string text, const char* name) {
  ParserOptions options;
  if (name != nullptr) options.file_name = name;
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseModule(std::move(text), options));
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
    // No memory for the message: an error without one.
    static hloir_error none{HLOIR_RESOURCE_EXHAUSTED, {}};
    *error = &none;
  }
}

}  // namespace hloir::c_api

using namespace hloir;
using namespace hloir::c_api;

const char* hloir_version(void) { return kVersion; }
void hloir_free(char* text) { std::free(text); }

hloir_code hloir_error_code(const hloir_error* error) {
  return error != nullptr ? error->code : static_cast<hloir_code>(0);
}
const char* hloir_error_message(const hloir_error* error) { return error != nullptr ? error->message.c_str() : ""; }
int64_t hloir_error_line(const hloir_error* error) { return error != nullptr ? error->line : 0; }
int64_t hloir_error_column(const hloir_error* error) { return error != nullptr ? error->column : 0; }
void hloir_error_free(hloir_error* error) {
  if (error != nullptr && !error->message.empty()) delete error;
}

hloir_module* hloir_parse(const char* text, size_t size, const char* name, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&]() -> StatusOr<hloir_module*> {
    HLOIR_RETURN_IF_ERROR(Given({{"text", text}}));
    return Parse(std::string(text, size), name);
  });
}

hloir_module* hloir_read(const char* path, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&]() -> StatusOr<hloir_module*> {
    HLOIR_RETURN_IF_ERROR(Given({{"path", path}}));
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ReadModule(path));
    return NewModule(std::move(module));
  });
}

bool hloir_write(const hloir_module* module, const char* path, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}, {"path", path}}));
    HLOIR_RETURN_IF_ERROR(WriteModule(*module->module, path));
    return true;
  });
}

hloir_module* hloir_module_clone(const hloir_module* module, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&]() -> StatusOr<hloir_module*> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}}));
    return NewModule(module->module->Clone());
  });
}

void hloir_module_free(hloir_module* module) { delete module; }

char* hloir_print(const hloir_module* module, hloir_style style, hloir_error** error) {
  return Guarded<char*>(error, [&]() -> StatusOr<char*> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}}));
    if (style == HLOIR_PRINT_STABLEHLO) {
      HLOIR_ASSIGN_OR_RETURN(const std::string text, SerializeModule(*module->module, {FileFormat::Form::kStablehlo}));
      return NewText(text);
    }
    HLOIR_ASSIGN_OR_RETURN(const PrintOptions options, OptionsOf(style));
    return NewText(PrintModule(*module->module, options));
  });
}

bool hloir_verify(const hloir_module* module, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(Given({{"module", module}}));
    HLOIR_RETURN_IF_ERROR(VerifyModule(*module->module));
    return true;
  });
}

// ---- Building: the parts are assembled as text and parsed ----

struct hloir_builder {
  std::string module_name;
  struct Line {
    std::string name, opcode, text;
  };
  struct Computation {
    std::string name;
    std::vector<Line> lines;
  };
  std::vector<Computation> computations;
  Status wrong;  // the first thing that was
};

namespace hloir::c_api {
namespace {

Status Named(const char* what, const char* name) {
  HLOIR_RETURN_IF_ERROR(Given({{what, name}}));
  const std::string_view text(name);
  if (IsWord(text.substr(text.starts_with('%')))) return OkStatus();
  return InvalidArgument(std::string(what) + " is '" + name + "', which is no name");
}

// Keeps the first error of the adding functions.
template <class Body>
void Add(hloir_builder* builder, Body body) noexcept {
  if (builder == nullptr || !builder->wrong.ok()) return;
  try {
    builder->wrong = body();
  } catch (...) {
    builder->wrong = ResourceExhausted("out of memory");
  }
}

StatusOr<hloir_builder::Line> LineOf(const char* name, const char* opcode, const char* shape,
                                     const char* const* operands, size_t operand_count, const char* attributes) {
  HLOIR_RETURN_IF_ERROR(Named("an instruction's name", name));
  HLOIR_RETURN_IF_ERROR(Named("an opcode", opcode));
  std::string text = std::string(name) + " = ";
  if (shape != nullptr) text += std::string(shape) + " ";
  text += std::string(opcode) + "(";
  if (operand_count > 0) HLOIR_RETURN_IF_ERROR(Given({{"operands", operands}}));
  for (size_t i = 0; i < operand_count; ++i) {
    HLOIR_RETURN_IF_ERROR(Given({{"an operand", operands[i]}}));
    text += (i == 0 ? "" : ", ") + std::string(operands[i]);
  }
  text += ")";
  if (attributes != nullptr && *attributes != '\0') text += ", " + std::string(attributes);
  return hloir_builder::Line{name, opcode, std::move(text)};
}

// An operand or attribute with further text would add or change instructions, which is an error.
Status CheckIsWhatWasAdded(const HloModule& module, const hloir_builder& builder) {
  const auto same = [](std::string_view name, std::string_view added) {
    return name == added.substr(added.starts_with('%'));
  };
  const auto error = [](const std::string& where) {
    return InvalidArgument(where + ": its operands or attributes are more than that");
  };
  if (module.computations().size() != builder.computations.size()) return error(builder.module_name);
  for (size_t c = 0; c < builder.computations.size(); ++c) {
    const auto& [name, lines] = builder.computations[c];
    const HloInstruction* i = module.computations()[c]->first();
    for (const hloir_builder::Line& line : lines) {
      if (i == nullptr || !same(i->name(), line.name) || i->opcode_name() != line.opcode) return error(line.name);
      i = i->next();
    }
    if (i != nullptr) return error(name);
  }
  return OkStatus();
}

}  // namespace
}  // namespace hloir::c_api

hloir_builder* hloir_builder_new(const char* module_name) {
  return Guarded<hloir_builder*>(nullptr, [&]() -> StatusOr<hloir_builder*> {
    return new hloir_builder{module_name != nullptr ? module_name : "", {}, Named("the module's name", module_name)};
  });
}

void hloir_builder_computation(hloir_builder* builder, const char* name) {
  Add(builder, [&] {
    HLOIR_RETURN_IF_ERROR(Named("a computation's name", name));
    builder->computations.push_back({name, {}});
    return OkStatus();
  });
}

void hloir_builder_add(hloir_builder* builder, const char* name, const char* opcode, const char* shape,
                       const char* const* operands, size_t operand_count, const char* attributes) {
  Add(builder, [&]() -> Status {
    if (builder->computations.empty()) return InvalidArgument("an instruction was added before any computation");
    HLOIR_ASSIGN_OR_RETURN(hloir_builder::Line line, LineOf(name, opcode, shape, operands, operand_count, attributes));
    builder->computations.back().lines.push_back(std::move(line));
    return OkStatus();
  });
}

hloir_module* hloir_builder_finish(const hloir_builder* builder, hloir_error** error) {
  return Guarded<hloir_module*>(error, [&]() -> StatusOr<hloir_module*> {
    HLOIR_RETURN_IF_ERROR(Given({{"builder", builder}}));
    HLOIR_RETURN_IF_ERROR(builder->wrong);
    if (builder->computations.empty()) return InvalidArgument("the module has no computation");
    std::string text = "HloModule " + builder->module_name + "\n";
    for (size_t c = 0; c < builder->computations.size(); ++c) {
      const auto& [name, lines] = builder->computations[c];
      text += (c + 1 == builder->computations.size() ? "\nENTRY " : "\n") + name + " {\n";
      for (size_t i = 0; i < lines.size(); ++i)
        text += (i + 1 == lines.size() ? "  ROOT " : "  ") + lines[i].text + "\n";
      text += "}\n";
    }
    HLOIR_ASSIGN_OR_RETURN(hloir_module * parsed, Parse(std::move(text), "<builder>"));
    std::unique_ptr<hloir_module> module(parsed);
    HLOIR_RETURN_IF_ERROR(CheckIsWhatWasAdded(*module->module, *builder));
    HLOIR_RETURN_IF_ERROR(VerifyModule(*module->module));
    return module.release();
  });
}

void hloir_builder_free(hloir_builder* builder) { delete builder; }

// ---- The process ----

bool hloir_limit_memory(uint64_t bytes, hloir_error** error) {
  return Guarded<bool>(error, [&]() -> StatusOr<bool> {
    HLOIR_RETURN_IF_ERROR(LimitMemory(bytes));
    return true;
  });
}
