// HLOIR_CHECK: an error of the program that uses hloir (an index out of range, the value of an error, attributes of
// another opcode) ends the process with the place and a message, in every build. This is the one place where the
// library prints and ends the process; whatever depends on input is a Status. Tested by tests/unit/misuse_test.cc.
#pragma once

#pragma GCC visibility push(default)
namespace hloir::internal {

// Writes "hloir: FILE:LINE: MESSAGE" to stderr and aborts.
[[noreturn, gnu::cold]] void CheckFailed(const char* file, int line, const char* message) noexcept;

}  // namespace hloir::internal
#pragma GCC visibility pop

#define HLOIR_CHECK(condition, message)                                              \
  do {                                                                               \
    if (!(condition)) [[unlikely]]                                                   \
      ::hloir::internal::CheckFailed(__builtin_FILE(), __builtin_LINE(), (message)); \
  } while (false)
