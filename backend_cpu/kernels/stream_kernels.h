// Copies of tiles past the caches, for results that are larger than these: a plain store reads each line before it
// writes to it. Included by xsimd_kernels.h; everything has internal linkage (why: isa/isas.def).
#pragma once

#include <cstdint>

#include "kernels/kernel_table.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hloir::cpu {
namespace {

#if defined(__SSE2__)

template <class T>
void StreamLoop(const TileOp& op, int64_t n) {
  const std::byte* from = static_cast<const std::byte*>(op.in[0]);
  std::byte* to = static_cast<std::byte*>(op.out);
  size_t left = static_cast<size_t>(n) * sizeof(T);
  const auto copy = [&](size_t bytes) {
    __builtin_memcpy(to, from, bytes);
    from += bytes, to += bytes, left -= bytes;
  };
  const size_t head = (kStreamedLine - reinterpret_cast<uintptr_t>(to) % kStreamedLine) % kStreamedLine;
  copy(head < left ? head : left);
  for (; left >= kStreamedLine; from += kStreamedLine, to += kStreamedLine, left -= kStreamedLine) {
    const __m128i* source = reinterpret_cast<const __m128i*>(from);
    __m128i* line = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1), c = _mm_loadu_si128(source + 2),
                  d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(line, a), _mm_stream_si128(line + 1, b), _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, d);
  }
  copy(left);
}

inline void StreamLines(const void* lines, void* to_data, int64_t step, int64_t count) {
  const std::byte* from = static_cast<const std::byte*>(lines);
  std::byte* to = static_cast<std::byte*>(to_data);
  for (int64_t i = 0; i < count; ++i, from += kStreamedLine, to += step) {
    for (size_t k = 0; k < kStreamedLine; k += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + k), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k)));
    }
  }
}

inline void FillStream(KernelTable& table) {
  table.stream_lines = &StreamLines;
  table.stream[0] = &StreamLoop<uint8_t>;
  table.stream[1] = &StreamLoop<uint16_t>;
  table.stream[2] = &StreamLoop<uint32_t>;
  table.stream[3] = &StreamLoop<uint64_t>;
  table.stream[4] = &StreamLoop<Pair<double>>;
  // After it, other threads see the streamed data.
  table.end_stream = [] { _mm_sfence(); };
}

#else

inline void FillStream(KernelTable&) {}

#endif

}  // namespace
}  // namespace hloir::cpu
