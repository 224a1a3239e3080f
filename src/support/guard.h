// A wrapper of the library's entry points, so that no exception leaves it. Our code throws none; the standard library
// does if memory runs out or a size is out of bounds. Exceptions of a caller's own callbacks pass through (the Python
// module relies on that).
//
// Objects that were being changed stay valid, in an intermediate state. Functions that return no Status (PrintModule,
// Clone) let std::bad_alloc out. Tested by tests/memory_test.cc.
#pragma once

#include <new>
#include <stdexcept>

#include "hloir/status.h"

namespace hloir {

// For the handler of an entry, which is a function-try-block: Status F() try { … } catch (...) { return OutOfMemory();
// } Any other exception goes on.
inline Status OutOfMemory() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  // Short enough for the string to need no memory.
  static_assert(sizeof("out of memory") <= 15);
  return ResourceExhausted("out of memory");
}

// The same for a part of a function, or for one call: run(), which returns a Status or a StatusOr.
template <class Run>
auto Guarded(const Run& run) -> decltype(run()) try {
  return run();
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
