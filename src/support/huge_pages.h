// Pages of 2 MB for large blocks, if the system has them: they cause far fewer page faults and TLB misses, and the
// hardware prefetcher continues within them.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hloir {

inline constexpr size_t kHugePage = size_t{2} << 20;

// Requests them for the part of the block that they fit (a hint to the system).
inline void WishForHugePages([[maybe_unused]] void* block, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t at = reinterpret_cast<uintptr_t>(block);
  const uintptr_t begin = (at + kHugePage - 1) / kHugePage * kHugePage, end = (at + bytes) / kHugePage * kHugePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace hloir
