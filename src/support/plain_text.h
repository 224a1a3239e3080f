// What of a text a terminal only shows, and does not act on: whole UTF-8 without control characters, but for the ends
// of lines and tabs. Tested by tests/unit/hostile_strings_test.cc and tests/cli/terminal.test.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

bool IsPlainText(std::string_view text);
// All other bytes as \x1b.
std::string WithoutControls(std::string_view text);

}  // namespace hloir
