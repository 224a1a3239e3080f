// See stable_sort.h.
#include "support/stable_sort.h"

#include <algorithm>
#include <numeric>

namespace hloir {

std::vector<size_t> StableOrder(size_t size, bool (*less)(const void*, size_t, size_t), const void* context) {
  std::vector<size_t> order(size);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return less(context, a, b); });
  return order;
}

}  // namespace hloir
