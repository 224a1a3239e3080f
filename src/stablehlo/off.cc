// hloir/stablehlo.h in a build without StableHLO (the CMake option HLOIR_STABLEHLO).
#include "hloir/stablehlo.h"

namespace hloir {

StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string /*text*/, const StablehloOptions& /*options*/) {
  return Unimplemented("this hloir was built without StableHLO (-DHLOIR_STABLEHLO=OFF)");
}

StatusOr<std::string> PrintStablehlo(const HloModule& /*module*/) {
  return Unimplemented("this hloir was built without StableHLO (-DHLOIR_STABLEHLO=OFF)");
}

}  // namespace hloir
