// SortBetweenGuards: an unstable sort with XLA:CPU's order of ties (std::sort), but safe with a comparator that is not
// an order, with which std::sort reads out of bounds. Used by both engines. Test: tests/ops/sort-no-order.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hloir::reference {

constexpr int64_t kSortGuard = -1;

// libstdc++ stops at an element that comes neither before nor after any other. libc++ does not, so a stable sort is
// used there.
#ifdef __GLIBCXX__
constexpr bool kGuardsHold = true;
#else
constexpr bool kGuardsHold = false;
#endif

// Sorts the n positions from `order` on, by before(a, b): "a must come before b". order[-1] and order[n] are
// kSortGuard.
template <class Before>
void SortBetweenGuards(int64_t* order, int64_t n, Before before) {
  std::sort(order, order + n, [&](int64_t a, int64_t b) { return a != kSortGuard && b != kSortGuard && before(a, b); });
}

}  // namespace hloir::reference
