// The page of `hloir triage -o`: findings by class with their details. Tested by tests/cli/triage.test and tests/pages.
#pragma once

#include <span>
#include <string>

#include "triage/finding.h"

namespace hloir {

// A self-contained HTML file. `name`: the folders.
std::string TriagePage(const std::string& name, std::span<const Finding> findings);

}  // namespace hloir
