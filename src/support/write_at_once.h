// WriteAtOnce: a file that other processes see whole or not at all. Tested by tests/unit/plan_cache_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "hloir/status.h"

namespace hloir {

// Writes the file under another name first, which then replaces `path`, and makes its folder if there is none.
Status WriteAtOnce(const std::string& path, std::string_view contents);

}  // namespace hloir
