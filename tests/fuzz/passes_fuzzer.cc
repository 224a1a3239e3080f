// Any legal module through the default pipeline and through one pass by itself: the result must be legal or an error.
// Run: passes_fuzzer -dict=hlo.dict CORPUS_DIR
#include <cstdio>
#include <cstdlib>

#include "hloir/passes.h"
#include "tests/fuzz/small_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::unique_ptr<hloir::HloModule> module = SmallModule(data, size);
  if (module == nullptr) return 0;
  // The bytes decide which pass, so that a corpus entry means the same whenever it is run.
  uint32_t hash = 0;
  for (size_t k = 0; k < size; ++k) hash = hash * 31 + data[k];
  const auto passes = hloir::BuiltinPasses().passes();
  const std::vector<std::string> one{std::string(passes[hash % passes.size()].name)};
  for (const auto& names : {std::vector<std::string>(), one}) {
    const std::unique_ptr<hloir::HloModule> copy = module->Clone();
    auto pipeline = hloir::MakePipeline(names, {});
    if (!pipeline.ok()) std::abort();
    const auto ran = pipeline->RunOnce(*copy);
    const hloir::Status legal = ran.ok() ? hloir::VerifyModule(*copy) : hloir::OkStatus();
    if (legal.ok() && (ran.ok() || !ran.status().message().empty())) continue;
    std::fprintf(stderr, "after %s: %s\n", names.empty() ? "the pipeline" : one[0].c_str(), legal.message().c_str());
    std::abort();
  }
  return 0;
}
