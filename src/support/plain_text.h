// Text that is safe for a terminal: valid UTF-8 without control characters other than line ends and tabs. Tested by
// tests/unit/hostile_strings_test.cc and tests/cli/terminal.test.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

bool IsPlainText(std::string_view text);
// All other bytes as \x1b.
std::string WithoutControls(std::string_view text);

}  // namespace hloir
