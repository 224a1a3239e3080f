// A matcher for check lines in the style of LLVM's FileCheck: CHECK, -NEXT, -SAME, -NOT, -DAG and -COUNT-n, with
// {{regex}}, [[NAME:regex]] and [[NAME]]. Regular expressions are RE2's, which take linear time. Not supported: -LABEL,
// -EMPTY and numeric variables, which are errors. Entry point: CheckLines(). Tested by tests/cli/filecheck.test.
#pragma once

#include <string>
#include <string_view>

#include "hloir/status.h"

namespace hloir::tool {

// A message about the first failing check with its location, the searched text and the values of its variables; "" if
// all match. kInvalidArgument: `checks` has no line with this prefix, or an invalid one. `checks_name`, `text_name`:
// for messages.
StatusOr<std::string> CheckLines(std::string_view checks, std::string_view text, std::string_view prefix,
                                 const std::string& checks_name, const std::string& text_name);

}  // namespace hloir::tool
