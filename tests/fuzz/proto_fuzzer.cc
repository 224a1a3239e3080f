// Any bytes through the readers of XLA's messages and of their JSON: the result must be a module or one error, with
// bounded time and memory; a module is verified, printed, written and read back to the same text. Run: proto_fuzzer
// CORPUS_DIR
#include <cstdint>
#include <cstdlib>
#include <string>

#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool is_json = size > 0 && data[0] == '{';
  auto file = is_json ? hloir::ParseHloProtoJson(bytes) : hloir::ParseHloProto(bytes);
  if (!file.ok()) {
    if (file.status().message().empty()) std::abort();
    return 0;
  }
  (void)hloir::VerifyModuleAll(*file->module);
  const std::string printed = hloir::PrintModule(*file->module);
  auto written = hloir::SerializeHloProto(*file);
  if (!written.ok()) std::abort();
  auto again = hloir::ParseHloProto(*written);
  if (!again.ok() || hloir::PrintModule(*again->module) != printed) std::abort();
  if (!hloir::SerializeHloProtoAsJson(*file).ok()) std::abort();
  return 0;
}
