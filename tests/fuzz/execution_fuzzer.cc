// Any legal module on the reference and on the engine, within limits of time and memory: both give results of one
// shape, or an error in words. Run: execution_fuzzer -dict=hlo.dict CORPUS_DIR
#include <cstdlib>
#include <optional>

#include "hloir/check.h"
#include "hloir/runner.h"
#include "hloir/io.h"
#include "tests/fuzz/small_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::unique_ptr<hloir::HloModule> module = SmallModule(data, size);
  if (module == nullptr) return 0;
  const auto inputs = hloir::MakeFakeInputs(*module, size);
  if (!inputs.ok()) return 0;
  std::optional<hloir::Shape> shape;
  for (const hloir::Engine engine : {hloir::Engine::kReference, hloir::Engine::kFast}) {
    hloir::RunnerOptions options;
    options.engine = engine;
    options.threads = 1;
    options.max_steps = 1 << 12;
    options.max_bytes = 1 << 24;
    auto runner = hloir::Runner::Prepare(*module, options);
    if (!runner.ok()) continue;
    const auto result = runner->Run(hloir::Pointers(*inputs));
    if (!result.ok()) {
      if (result.status().message().empty()) std::abort();
      continue;
    }
    if (shape && !shape->Compatible(result->shape())) std::abort();
    shape = result->shape();
  }
  return 0;
}
