// XLA's reports of a module's memory, as files: -buffer-assignment.txt and -memory-usage-report.txt. They have no
// specified format, so unexpected lines are skipped. Tested by tests/unit/dumps_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "inspect/dumps.h"

namespace hloir {

DumpFolder::Memory ParseXlaMemory(std::string_view usage_report, std::string_view buffer_assignment);
// The contents of the files; "" for a missing one.
DumpFolder::Memory ReadXlaMemory(const std::string& usage_report, const std::string& buffer_assignment);

}  // namespace hloir
