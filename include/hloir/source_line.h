// The line of a program's source that an instruction comes from, as its metadata says. Tested by
// tests/unit/stats_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hloir/instruction.h"

#pragma GCC visibility push(default)
namespace hloir {

// The source line of an instruction: from its metadata, or from the innermost of its stack frames.
struct SourceLine {
  std::string_view file, function;  // the module's texts; either may be empty
  int64_t line = 0;
  bool operator==(const SourceLine&) const = default;
  std::string ToString() const;  // "a.py:3"
};
std::optional<SourceLine> SourceOf(const HloInstruction& instruction);

}  // namespace hloir
#pragma GCC visibility pop
