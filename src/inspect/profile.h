// The profile of a run as a page: a flame graph by op_name, by the plan's loops or by kernel, and the steps as a table.
// Text and JSON: hloir/report.h.
//
// Example:
//
//   ExecutableOptions options;
//   options.profile = true;
//   StatusOr<std::unique_ptr<HloExecutable>> executable = PrepareExecutable(module, options);
//   if (executable.ok()) std::puts(ProfilePage((*executable)->Profile(), module.name()).c_str());
//
// Threads: may be called from any thread. Tested, in a browser, by tests/pages.
#pragma once

#include <string>
#include <string_view>

#include "hloir/executable.h"

namespace hloir {

// One HTML file that needs nothing else.
std::string ProfilePage(const ExecutionProfile& profile, std::string_view title);

}  // namespace hloir
