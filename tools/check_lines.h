// Lines of checks, as LLVM's FileCheck reads them, matched against a text: CHECK, -NEXT, -SAME, -NOT, -DAG and
// -COUNT-n, with {{regex}}, [[NAME:regex]] and [[NAME]]. Regular expressions are RE2's, so that no text takes long.
// Left out of FileCheck: -LABEL, -EMPTY and numeric variables, which are errors. Entry point: CheckLines(). Tested by
// tests/cli/filecheck.test.
#pragma once

#include <string>
#include <string_view>

#include "hloir/status.h"

namespace hloir::tool {

// The first check that fails, with its place, the text that it was searched in and the values of its variables; "" if
// all hold. kInvalidArgument: `checks` has no line of this prefix, or a wrong one. `checks_name`, `text_name`: for
// messages.
StatusOr<std::string> CheckLines(std::string_view checks, std::string_view text, std::string_view prefix,
                                 const std::string& checks_name, const std::string& text_name);

}  // namespace hloir::tool
