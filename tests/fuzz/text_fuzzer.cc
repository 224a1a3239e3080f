// Any bytes through the text reader: the result must be modules or one error with a location, with bounded time and
// memory; modules are verified and printed, and parse to modules that print the same lines (computations may be
// reordered, as in XLA). Run: text_fuzzer -dict=hlo.dict CORPUS_DIR
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"

namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hloir::ParserOptions options;
  options.max_literal_bytes = 1 << 20;
  // One bit of the input's size decides, so that a corpus entry means the same whenever it is run.
  options.allow_unknown = size % 2 == 1;
  auto modules = hloir::ParseModules(std::string(reinterpret_cast<const char*>(data), size), options);
  if (!modules.ok()) {
    if (modules.status().message().find(": error: ") == std::string::npos) std::abort();
    return 0;
  }
  const hloir::PrintOptions print = hloir::PrintOptions::Readable();
  options.allow_unknown = true;
  for (const auto& module : *modules) {
    (void)hloir::VerifyModuleAll(*module);
    const std::string printed = hloir::PrintModule(*module, print);
    const auto again = hloir::ParseModule(printed, options);
    if (!again.ok() || Lines(hloir::PrintModule(**again, print)) != Lines(printed)) std::abort();
  }
  return 0;
}
