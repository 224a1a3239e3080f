// Recognizes files of other kinds than HLO, for better messages.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// "it is StableHLO, …; get HLO with …" for MLIR's bytecode, jaxprs, XLA's reports and graphs, LLVM IR, and arrays. ""
// for other files.
std::string ForeignFormat(std::string_view content);

}  // namespace hloir
