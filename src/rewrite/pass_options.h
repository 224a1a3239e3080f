// Sets the options of a pass from the text in braces after its name. For the registry.
#pragma once

#include <span>
#include <string_view>

#include "hloir/pass.h"

namespace hloir {

// `text` is "x=1 y=2".
Status SetPassOptions(PassOptions& options, const PassInfo& pass, std::string_view text);

// The error for an unknown rule; an empty pass means all passes.
Status NoRule(std::string_view pass, std::span<const RuleInfo> rules, std::string_view rule);

}  // namespace hloir
