// gzip, in memory, by zlib. Tested by tests/cli/convert.test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hloir/status.h"

namespace hloir {

bool IsGzip(std::string_view bytes);
// What was compressed; several members one after another are one content, as for gzip. Broken input, also one that ends
// too early, is InvalidArgument; more than `limit` bytes are ResourceExhausted.
StatusOr<std::string> Gunzip(std::string_view bytes, uint64_t limit = uint64_t{1} << 33);
// No time of day inside, so that equal contents give equal files.
StatusOr<std::string> Gzip(std::string_view content);

}  // namespace hloir
