// StableSort: std::stable_sort for short lists whose elements are large. Each instantiation of std::stable_sort is some
// 10 kB of code; this one sorts positions, by one function for all lists. Tested by tests/unit/stable_sort_test.cc.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace hloir {

// The positions 0 … size-1 in the stable order of `less`, which gets `context` and two positions.
std::vector<size_t> StableOrder(size_t size, bool (*less)(const void*, size_t, size_t), const void* context);

template <class T, class Less>
void StableSort(std::vector<T>& items, const Less& less) {
  const auto context = std::pair(&items, &less);
  const std::vector<size_t> order = StableOrder(
      items.size(),
      [](const void* erased, size_t a, size_t b) {
        const auto& [list, compare] = *static_cast<const std::pair<std::vector<T>*, const Less*>*>(erased);
        return (*compare)(std::as_const((*list)[a]), std::as_const((*list)[b]));
      },
      &context);
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (size_t position : order) sorted.push_back(std::move(items[position]));
  items = std::move(sorted);
}

}  // namespace hloir
