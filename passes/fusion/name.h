// Names of fusions, after the pattern of their bodies if it has a common name.
#pragma once

#include <string_view>

#include "hloir/module.h"

namespace hloir::fusion {

// "softmax_fusion", "log_softmax_fusion", "layer_norm_fusion", "rms_norm_fusion", "gelu_fusion", "attention_fusion"
// (softmax of a dot's result); else "fusion".
std::string_view NameOf(const HloComputation& body);

}  // namespace hloir::fusion
