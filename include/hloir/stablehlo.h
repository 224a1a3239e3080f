// StableHLO as text, which JAX prints by default, to HLO: jax.jit(f).lower(x).as_text(), in MLIR's pretty or generic
// form, with `func`, the `stablehlo` and `chlo` ops that JAX writes, and shardings of Shardy and GSPMD. Modules come
// out as XLA's own converter makes them, its simplifications included. ParseModuleFile and ReadModule (io.h) read it as
// they read HLO.
//
// Threads: may be called from any thread; nothing is shared between calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// What StableHLO is read with.
struct StablehloOptions {
  std::string file_name = "<text>";  // for messages
};

// Whether the text begins as MLIR's does: comments and aliases, then a module or a function.
bool LooksLikeMlir(std::string_view text);

// The module that the text describes. Errors begin with "FILE:LINE:COLUMN: error: "; what is not known is named
// (Unimplemented), and what is nested too deep is ResourceExhausted. Instructions have the lines of their ops.
StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string text, const StablehloOptions& options = {});

}  // namespace hloir
#pragma GCC visibility pop
