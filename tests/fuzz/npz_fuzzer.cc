// Any bytes through the readers of arrays, as an .npy and as an .npz: the result must be arrays or one error, within
// the limits; arrays are written and read back to the same bits. Run: npz_fuzzer CORPUS_DIR
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "hloir/io.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const hloir::NpzLimits limits{.max_bytes = 1 << 20, .max_arrays = 64};
  for (const char* dtype : {"", "bfloat16", "int4", "float8_e4m3fn"}) {
    const auto array = hloir::ParseNpy(bytes, dtype, limits);
    if (!array.ok()) {
      if (array.status().message().empty()) std::abort();
      continue;
    }
    const auto again = hloir::ParseNpy(hloir::PrintNpy(*array), hloir::MlDtypesName(array->shape().element_type()));
    if (!again.ok() || !again->BitwiseEqual(*array)) std::abort();
  }
  // libzip wants a file: one in memory.
  static const int file = memfd_create("npz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  for (const char* prefix : {"in", "out"}) {
    const auto leaves = hloir::ReadNpz(path, prefix, limits);
    if (!leaves.ok() && leaves.status().message().empty()) std::abort();
  }
  return 0;
}
