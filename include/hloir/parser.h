// Parses text to a graph; the entry point is ParseModule. It accepts all that XLA's parser accepts, and dumps of
// older versions.
//
// Threads: may be called from any thread; nothing is shared between calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Options and limits of the parser.
struct ParserOptions {
  std::string file_name = "<text>";  // for messages
  // Keep unknown attributes of instructions and of the module header and print them back, instead of reporting an
  // error.
  bool allow_unknown = false;
  // Give arrays without a layout the default, row-major one.
  bool fill_missing_layouts = true;
  int max_depth = 8192;                          // nesting of shapes, literals, operands, shardings
  int64_t max_literal_bytes = int64_t{1} << 32;  // of one constant
  int64_t max_instructions = int64_t{1} << 28;
};

// One module. Errors are InvalidArgument (or ResourceExhausted, for limits) and read
// "FILE:LINE:COLUMN: error: …", the source line, and a caret under the column. The module keeps the text.
StatusOr<std::unique_ptr<HloModule>> ParseModule(std::string text, const ParserOptions& options = {});
// All the modules of a text: several may follow one another, or stand between `// -----` lines.
StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseModules(std::string text, const ParserOptions& options = {});
// The same for a text whose ownership is shared with the caller.
StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseModules(std::shared_ptr<const std::string> text,
                                                               const ParserOptions& options = {});
// The name of ParseModule in version 0.1.0.
inline StatusOr<std::unique_ptr<HloModule>> ParseHloModule(std::string text, const ParserOptions& options = {}) {
  return ParseModule(std::move(text), options);
}

// Fragments: a single shape, literal, … in the syntax of module text. The result does not reference the text.
StatusOr<Shape> ParseShape(std::string_view text);
StatusOr<Sharding> ParseSharding(std::string_view text);
StatusOr<ReplicaGroups> ParseReplicaGroups(std::string_view text);
StatusOr<Window> ParseWindow(std::string_view text);
StatusOr<ConvDimensionNumbers> ParseConvDimensionNumbers(std::string_view text);
StatusOr<PaddingConfig> ParsePadding(std::string_view text);
// A literal with its shape before it: "f32[2] {1, 2}".
StatusOr<Literal> ParseLiteral(std::string_view text);

}  // namespace hloir
#pragma GCC visibility pop
