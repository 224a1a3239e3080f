// What the library's entries are wrapped in, so that no exception leaves it. Ours throw none themselves; the standard
// library does where memory runs out or a size is past all bounds. What a caller's own callbacks throw goes through
// them as it came (the Python module's rely on it).
//
// Whatever was being changed is whole as an object, but left in the midst of its work. Functions that return no Status
// (PrintModule, Clone) let std::bad_alloc out; their comments' readers are told in docs/tour.md. Tested by
// tests/memory_test.cc.
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
