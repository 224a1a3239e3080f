// What a fusion is called: after the pattern that its body is, where it is one that people have a name for.
#pragma once

#include <string_view>

#include "hloir/module.h"

namespace hloir::fusion {

// "softmax_fusion", "log_softmax_fusion", "layer_norm_fusion", "rms_norm_fusion", "gelu_fusion", "attention_fusion"
// (softmax over what a dot gives); else "fusion".
std::string_view NameOf(const HloComputation& body);

}  // namespace hloir::fusion
