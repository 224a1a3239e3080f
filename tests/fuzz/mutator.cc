// The mutator of passes_fuzzer and execution_fuzzer: usually makes another legal module (src/fuzz/mutate.h), because
// most changes of a legal module's bytes make it illegal; sometimes changes bytes.
#include <algorithm>
#include <string>

#include "fuzz/mutate.h"
#include "hloir/printer.h"
#include "tests/fuzz/small_module.h"

// libFuzzer's own mutations. Weak: other engines that take this function may not have it.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  if (seed % 8 != 0) {
    if (const std::unique_ptr<hloir::HloModule> module = SmallModule(data, size)) {
      const std::string text =
          hloir::PrintModule(*hloir::fuzz::MutateModule(*module, seed), hloir::PrintOptions::Readable());
      if (text.size() <= max_size) {
        std::copy(text.begin(), text.end(), data);
        return text.size();
      }
    }
  }
  return LLVMFuzzerMutate == nullptr ? size : LLVMFuzzerMutate(data, size, max_size);
}
