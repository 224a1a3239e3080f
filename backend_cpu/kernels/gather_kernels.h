// The most common gather: single elements by one index each. Blocks of indices are clamped before elements are read, so
// that reads do not wait for clamping. Included by all_kernels.h; everything has internal linkage (why: isa/isas.def).
// Tests: tests/unit/executable_test.cc.
#pragma once

#include "kernels/vector.h"

namespace hloir::cpu {
namespace {

template <class T, class Index>
void GatherLoop(const void* from_data, const void* index_data, int64_t n, int64_t last, int64_t stride, void* to_data) {
  constexpr int64_t kBlock = 256;
  const T* from = static_cast<const T*>(from_data);
  const Index* indices = static_cast<const Index*>(index_data);
  T* to = static_cast<T*>(to_data);
  // An index outside of Index's range is out of bounds.
  const Index end = last > INT32_MAX && sizeof(Index) == 4 ? INT32_MAX : static_cast<Index>(last);
  Index places[kBlock];
  for (int64_t done = 0; done < n; done += kBlock, indices += kBlock, to += kBlock) {
    const int64_t count = n - done < kBlock ? n - done : kBlock;
    HLOIR_VECTORIZE
    for (int64_t i = 0; i < count; ++i) {
      const Index low = indices[i] < 0 ? 0 : indices[i];
      places[i] = low < end ? low : end;
    }
    if (stride == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] = from[places[i]];
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = from[places[i] * stride];
    }
  }
}

inline void FillGather(KernelTable& table) {
  table.gather[0][0] = &GatherLoop<uint32_t, int32_t>;
  table.gather[0][1] = &GatherLoop<uint64_t, int32_t>;
  table.gather[1][0] = &GatherLoop<uint32_t, int64_t>;
  table.gather[1][1] = &GatherLoop<uint64_t, int64_t>;
}

}  // namespace
}  // namespace hloir::cpu
