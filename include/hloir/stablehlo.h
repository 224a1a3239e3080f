// StableHLO as text to HLO, and back. ParseStablehlo reads what JAX prints by default, jax.jit(f).lower(x).as_text(),
// in MLIR's pretty or generic form, with `func`, the `stablehlo` and `chlo` ops that JAX writes, and shardings of
// Shardy and GSPMD. The modules equal those of XLA's own converter, including its simplifications. ParseModuleFile and
// ReadModule (io.h) read it as they read HLO, and WriteModule writes it to a file NAME.mlir.
//
// Threads: may be called from any thread; nothing is shared between calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Options for reading StableHLO.
struct StablehloOptions {
  std::string file_name = "<text>";  // for messages
  // Simplify as XLA's converter does. Otherwise each op becomes the instruction of its name, dead ones too.
  bool simplify = true;
  // Binds unbounded dimensions (tensor<?x4xf32>): the sizes of each argument of main, as {{3, 4}, {}}. The sizes of ops
  // such as dynamic_reshape must follow from them; calls are inlined, and assertions on shapes are checked.
  std::vector<std::vector<int64_t>> argument_sizes = {};
};

// True if the text begins like MLIR: comments and aliases, then a module or a function.
bool LooksLikeMlir(std::string_view text);

// The module that the text describes. Errors begin with "FILE:LINE:COLUMN: error: ". Unsupported constructs are
// Unimplemented, with their name; too deep nesting is ResourceExhausted. Instructions have the lines of their ops.
StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string text, const StablehloOptions& options = {});

// The module as StableHLO text, which jaxlib and ParseStablehlo read. What StableHLO cannot express is Unimplemented;
// the message names the instruction. Left out, as they do not change what a module computes: layouts, schedule, control
// dependencies, the configuration of a backend.
StatusOr<std::string> PrintStablehlo(const HloModule& module);

}  // namespace hloir
#pragma GCC visibility pop
