// hloir/export.h in a build without it (the CMake option HLOIR_EXPORT).
#include "hloir/export.h"

namespace hloir {
namespace {

Status LeftOut() { return Unimplemented("this hloir was built without export (-DHLOIR_EXPORT=OFF)"); }

}  // namespace

StatusOr<std::string> ParagraphGraph(const HloModule& /*module*/, const Roofline& /*roofline*/,
                                     const ParagraphOptions& /*options*/) {
  return LeftOut();
}

StatusOr<ChakraTraces> ChakraTrace(const HloModule& /*module*/, const Roofline& /*roofline*/) { return LeftOut(); }

}  // namespace hloir
