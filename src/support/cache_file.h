// Files of a cache, which several processes may share. Tested by tests/unit/plan_cache_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hloir/status.h"

namespace hloir {

// The bytes of a file; nullopt if there is none. InvalidArgument for more than `most` bytes.
StatusOr<std::optional<std::string>> ReadCacheFile(const std::string& path, uint64_t most);
// Others see the file whole or not at all: another name is written first, which then replaces `path`. Makes its folder
// if there is none.
Status WriteAtOnce(const std::string& path, std::string_view contents);

}  // namespace hloir
