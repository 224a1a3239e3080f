// From a FILE of the command line to a module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::tool {

struct LoadOptions {
  bool verify = true;
};

// Reads and parses one module, and verifies it if told to. Errors carry file, line and column.
StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, const LoadOptions& options = {});

// Everything the verifier finds wrong, as text like the parser's; "" for a legal module.
std::string VerifierReport(const HloModule& module, const std::string& file, const std::string& text);

}  // namespace hloir::tool
