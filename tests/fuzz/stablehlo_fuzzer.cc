// Any bytes through the reader of StableHLO: the result must be a module or one error with a location, with bounded
// time and memory; a module is verified, printed and parsed again. Run: stablehlo_fuzzer CORPUS_DIR seeds/stablehlo
#include <cstdint>
#include <cstdlib>
#include <string>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/stablehlo.h"
#include "hloir/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = hloir::ParseStablehlo(std::string(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) {
    if (module.status().message().find(": error: ") == std::string::npos) std::abort();
    return 0;
  }
  if (!hloir::VerifyModuleAll(**module).empty()) return 0;
  if (!hloir::ParseModule(hloir::PrintModule(**module, hloir::PrintOptions::Readable())).ok()) std::abort();
  return 0;
}
