// Whole files in and out. "-" is standard input or output.
#pragma once

#include <string>
#include <string_view>

#include "hloir/status.h"

namespace hloir::tool {

// An error does not name the file; whoever reports it does.
StatusOr<std::string> ReadFile(const std::string& path);
// All or nothing: the text goes to a new file beside `path`, which then takes its name. What is not a regular file
// (a pipe, /dev/null) is written directly.
Status WriteFile(const std::string& path, std::string_view content);
// Makes sure that what was printed has reached stdout: a full disk or closed pipe is an error, not silence.
Status FlushStdout();
// "<stdin>" for "-".
std::string DisplayName(const std::string& path);

}  // namespace hloir::tool
