// Recognizes files that hold no HLO, for messages that help.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// "it is StableHLO, …; get HLO with …" for other files that users of XLA have: MLIR's bytecode, jaxprs, XLA's reports
// and graphs, LLVM IR, arrays. "" for any other beginning.
std::string ForeignFormat(std::string_view content);

}  // namespace hloir
