// Wrappers of the library's entry points that catch exceptions. The library throws none itself; the standard library
// throws if memory runs out or a size is out of bounds. Exceptions of a caller's own callbacks pass through (the Python
// module relies on that).
//
// Objects under modification stay valid, in an intermediate state. Functions without a Status (PrintModule, Clone)
// throw std::bad_alloc. Tested by tests/memory_test.cc.
#pragma once

#include <new>
#include <stdexcept>

#include "hloir/status.h"

namespace hloir {

// For the handler of an entry, which is a function-try-block: Status F() try { … } catch (...) { return OutOfMemory();
// } Other exceptions are rethrown.
inline Status OutOfMemory() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  // Short enough for the string's inline buffer.
  static_assert(sizeof("out of memory") <= 15);
  return ResourceExhausted("out of memory");
}

// The same for part of a function: calls run(), which returns a Status or a StatusOr.
template <class Run>
auto Guarded(const Run& run) -> decltype(run()) try {
  return run();
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
