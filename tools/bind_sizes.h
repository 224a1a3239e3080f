// Modules with unbounded dimensions (`?`), for run and verify: the sizes come from the given inputs.
#pragma once

#include <vector>

#include "build/bind_sizes.h"
#include "hloir/io.h"
#include "hloir/verifier.h"

namespace hloir::tool {

// `inputs`: in0, in1, … of the first device.
inline Status BindGivenSizes(HloModule& module, const std::vector<Literal>& inputs) {
  std::vector<Shape> shapes;
  for (const Literal& input : inputs) shapes.push_back(input.shape());
  HLOIR_RETURN_IF_ERROR(BindSizes(module, shapes));
  return VerifyModule(module);
}

}  // namespace hloir::tool
