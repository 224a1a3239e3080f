// gzip, by zlib. Tested by tests/cli/convert.test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hloir/printer.h"
#include "hloir/status.h"

namespace hloir {

bool IsGzip(std::string_view bytes);
// The largest size to which `packed` bytes may unpack: deflate reaches a factor of a thousand, modules and values
// seldom twenty. A file made to fill the memory is refused before it does; users who need more unpack it themselves.
uint64_t UnpackLimit(uint64_t packed, uint64_t always);
// The unpacked bytes; several members one after another are one content, as for gzip. Broken input, also one that ends
// too early, is InvalidArgument; more than UnpackLimit(size, 64 MiB) bytes are ResourceExhausted.
StatusOr<std::string> Gunzip(std::string_view bytes);
// No time of day inside, so that equal contents give equal files.
StatusOr<std::string> Gzip(std::string_view content);
// The same of a content that `produce` gives in pieces, to `write`.
Status Gzip(const std::function<Status(const WriteText&)>& produce, const WriteText& write);

}  // namespace hloir
