// Turning a small square of elements around in registers: what packing and transposing are made of.
#pragma once

#include <cstdint>

namespace hloir::cpu {

// Four neighbours from each of four rows of 32-bit elements, to where the rows' first ones lie side by side, then their
// second ones, `stride` elements further on.
template <class T>
inline void TransposeFourByFour(const T* a, const T* b, const T* c, const T* d, T* to, int64_t stride) {
  static_assert(sizeof(T) == 4);
  using Four = int32_t __attribute__((vector_size(16)));
  auto load = [](const T* from) {  // from any address
    Four values;
    __builtin_memcpy(&values, from, sizeof(values));
    return values;
  };
  const Four low_ab = __builtin_shufflevector(load(a), load(b), 0, 4, 1, 5),
             low_cd = __builtin_shufflevector(load(c), load(d), 0, 4, 1, 5);
  const Four high_ab = __builtin_shufflevector(load(a), load(b), 2, 6, 3, 7),
             high_cd = __builtin_shufflevector(load(c), load(d), 2, 6, 3, 7);
  auto store = [](T* at, Four values) { __builtin_memcpy(at, &values, sizeof(values)); };
  store(to, __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5));
  store(to + stride, __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7));
  store(to + 2 * stride, __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5));
  store(to + 3 * stride, __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7));
}

// The same of two neighbours from each of two rows of 64-bit elements.
template <class T>
inline void TransposeTwoByTwo(const T* a, const T* b, T* to, int64_t stride) {
  static_assert(sizeof(T) == 8);
  using Two = int64_t __attribute__((vector_size(16)));
  Two first, second;
  __builtin_memcpy(&first, a, sizeof(first));
  __builtin_memcpy(&second, b, sizeof(second));
  const Two low = __builtin_shufflevector(first, second, 0, 2), high = __builtin_shufflevector(first, second, 1, 3);
  __builtin_memcpy(to, &low, sizeof(low));
  __builtin_memcpy(to + stride, &high, sizeof(high));
}

}  // namespace hloir::cpu
