// Parallel loops on as many threads as this process has cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "support/cores.h"

namespace hloir {

// work(k) for each k below `count`, in any order; it must not throw. `threads` 0: as many as there are cores.
template <class Work>
void ForEachInParallel(size_t count, int threads, const Work& work) {
  std::atomic<size_t> next = 0;
  const auto loop = [&] {
    for (size_t k; (k = next++) < count;) work(k);
  };
  const size_t wanted = threads > 0 ? static_cast<size_t>(threads) : static_cast<size_t>(AvailableCores());
  std::vector<std::thread> pool;
  try {
    for (size_t t = 1; t < std::min(wanted, count); ++t) pool.emplace_back(loop);
  } catch (const std::system_error&) {  // no more threads are available; continue with the existing ones
  }
  loop();
  for (std::thread& thread : pool) thread.join();
}

}  // namespace hloir
