// What a file is that holds no HLO, for messages that help.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// "it is StableHLO, …; get HLO with …" for the forms that users of XLA have beside it: MLIR's bytecode,
// jaxprs, XLA's reports and graphs, LLVM IR, arrays. "" for what none of these begins so.
std::string ForeignFormat(std::string_view content);

}  // namespace hloir
