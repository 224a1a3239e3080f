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
// rarely twenty. The limit stops decompression bombs; users with larger files can unpack them first.
uint64_t UnpackLimit(uint64_t packed, uint64_t always);
// The unpacked bytes; several members are concatenated, as by gzip. Corrupt or truncated input is InvalidArgument; more
// than UnpackLimit(size, 64 MiB) bytes are ResourceExhausted.
StatusOr<std::string> Gunzip(std::string_view bytes);
// Without a timestamp, so that equal contents give equal files.
StatusOr<std::string> Gzip(std::string_view content);
// The same for a content that `produce` passes in pieces, written to `write`.
Status Gzip(const std::function<Status(const WriteText&)>& produce, const WriteText& write);

}  // namespace hloir
