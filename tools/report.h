// What the command says when something is wrong, and the one place where a Status becomes an exit status.
#pragma once

#include <string>
#include <string_view>

#include "hloir/status.h"

namespace hloir::tool {

enum ExitStatus : int {
  kExitGood = 0,
  kExitDisagree = 1,     // the modules do not agree
  kExitBadInput = 2,     // the input or the command line is wrong
  kExitUnsupported = 3,  // legal HLO that is not supported, or over a limit
  kExitInternal = 70,    // a bug of ours
};

int ExitStatusOf(StatusCode code);

// Prints the error to stderr and returns its exit status. `file` stands before messages that do not begin with it.
int Fail(const Status& status, std::string_view file = {});

// "FILE:LINE:COLUMN: error: MESSAGE", the line of `text` and a caret, as the parser's errors look. Line 0: no place.
std::string ErrorAt(std::string_view file, std::string_view text, int line, std::string_view message);

}  // namespace hloir::tool
