// See foreign.h. Only the beginning of a file is examined, and its content for MLIR bytecode. Tested by
// tests/cli/foreign.test.
#include "foreign.h"

#include <algorithm>

namespace hloir {
namespace {

constexpr std::string_view kFromJax =
    "; JAX gives StableHLO text, which is read, by jax.jit(f).lower(…).as_text(), and HLO by as_text('hlo') or into a "
    "folder by XLA_FLAGS=--xla_dump_to=DIR";

constexpr std::string_view kPortable = "ML\xEFR\rStableHLO_v";

struct Beginning {
  std::string_view bytes, what;
  bool from_jax = false;
};
constexpr Beginning kBeginnings[] = {
    {kPortable,
     "it is a portable artifact of StableHLO (MLIR bytecode); its text, which is read, is "
     "str(stablehlo.deserialize_portable_artifact(context, bytes)), of jaxlib.mlir.dialects.stablehlo"},
    {"ML\xEFR", "it is MLIR bytecode (StableHLO or another dialect), not HLO", true},
    {"BufferAssignment:", "it is XLA's buffer assignment report, not a module"},
    {"Total bytes used:", "it is XLA's report of buffer values, not a module"},
    {"HloLiveRange", "it is XLA's live range report, not a module"},
    {"Memory Space:", "it is XLA's memory usage report, not a module"},
    {"xla_", "it is XLA's debug options, not a module"},
    {"; ModuleID", "it is LLVM IR, not HLO"},
    {"digraph", "it is a graph for Graphviz, not a module"},
    {"<html", "it is an HTML page, not a module"},
    {"<!DOCTYPE", "it is an HTML page, not a module"},
    {"\x7F"
     "ELF",
     "it is machine code (ELF), not a module"},
    {"PK\x03\x04", "it is a zip archive; an .npz holds values, not a module (see --inputs)"},
    {"\x93NUMPY", "it is a NumPy array, not a module"},
    {"\xFF\xFE", "it is UTF-16 text; HLO text is ASCII or UTF-8"},
    {"\xFE\xFF", "it is UTF-16 text; HLO text is ASCII or UTF-8"},
};

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view SkipBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

// {"lambda ; a:f32[4]. let …}: with optional blanks after the brace.
bool IsJaxpr(std::string_view text) {
  return text.starts_with('{') && SkipBlanks(text.substr(1)).starts_with("lambda");
}

// The output of jax.export: a FlatBuffer, which begins with an offset, around a portable artifact.
bool IsJaxExport(std::string_view content) {
  constexpr size_t kMostLookedAt = 1 << 16;
  if (content.size() < 8 || content[1] != 0 || content[2] != 0 || content[3] != 0) return false;
  return content.substr(0, kMostLookedAt).find(kPortable) != std::string_view::npos;
}

// A serialized module: its name, as a field of so many bytes, and the field behind it. Both bytes before a name of 32
// bytes are blanks of a text.
bool IsMessage(std::string_view content) {
  if (content.size() < 2 || content[0] != '\n') return false;
  const size_t behind = 2 + static_cast<unsigned char>(content[1]);
  return content[1] > 0 && behind < content.size() && content[behind] == '\x12';
}

}  // namespace

std::string ForeignFormat(std::string_view content) {
  if (IsMessage(content)) return "";
  const std::string_view begin = SkipBlanks(content.substr(0, 4096));
  if (begin.empty() && content.size() <= 4096) return "it is empty";
  for (const Beginning& known : kBeginnings) {
    if (begin.starts_with(known.bytes)) return std::string(known.what) + std::string(known.from_jax ? kFromJax : "");
  }
  if (IsJaxExport(content))
    return "it is a program that jax.export serialized; its text, which is read, is "
           "jax.export.deserialize(bytearray(bytes)).mlir_module()";
  if (IsJaxpr(begin)) return "it is a jaxpr, not HLO" + std::string(kFromJax);
  return "";
}

}  // namespace hloir
