// Matrix products of 8-bit integers and of bf16 by AMX: tiles of 16 rows of 64 bytes, for machines and kernels that
// permit them. A tile of the result is two by two of these, which determines the packing of operands, so the packers
// are here too. Not supported: unsigned bytes (dot.cc widens them). Tests: tests/unit/executable_test.cc, "products of
// all sizes".
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // see avx512.cc
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#if defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "isa/avx512_narrow.h"

namespace hloir::cpu {

#if defined(__linux__)

namespace {

#define HLOIR_TILES __attribute__((target("amx-tile,amx-int8,amx-bf16,avx512vbmi")))

constexpr int64_t kTile = 1024;                 // bytes of a tile
constexpr int64_t kSide = 32, kStepBytes = 64;  // of a panel: rows or columns, and bytes of each per step

// The tile configuration of a thread, valid between Enter and Leave.
struct alignas(64) TileConfig {
  uint8_t palette, start, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};
constexpr TileConfig kConfig = {1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
HLOIR_TILES void Enter() { _tile_loadconfig(&kConfig); }
// Tiles left in use slow down each context switch of the thread.
HLOIR_TILES void Leave() { _tile_release(); }

struct TileBytes {
  using Element = int8_t;
  using Sum = __m512i;
  static constexpr int kGroup = 4;
  static Sum Add(Sum x, const void* y) { return _mm512_add_epi32(x, _mm512_loadu_si512(y)); }
  static Sum Load(const void* p) { return _mm512_load_si512(p); }
  static void Store(void* p, Sum x) { _mm512_storeu_si512(p, x); }
};
struct TileBf16 {
  using Element = uint16_t;
  using Sum = __m512;
  static constexpr int kGroup = 2;
  static Sum Add(Sum x, const void* y) { return _mm512_add_ps(x, _mm512_loadu_ps(y)); }
  static Sum Load(const void* p) { return _mm512_load_ps(p); }
  static void Store(void* p, Sum x) { _mm512_storeu_ps(p, x); }
};

// As GemmKernels::tile, for panels by PackRows and PackColumns: two tiles per step, at least one step.
template <class Kind>
HLOIR_TILES void Product(int64_t steps, const void* a_panel, const void* b_panel, void* c_tile, int64_t c_stride,
                         bool accumulate) {
  const char *a = static_cast<const char*>(a_panel), *b = static_cast<const char*>(b_panel);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t p = 0; p < steps; ++p, a += 2 * kTile, b += 2 * kTile) {
    _tile_stream_loadd(4, a, kStepBytes);  // reads each panel of a once, while that of b stays in the first-level cache
    _tile_loadd(6, b, kStepBytes);
    _tile_loadd(7, b + kTile, kStepBytes);
    _tile_stream_loadd(5, a + kTile, kStepBytes);
    if constexpr (Kind::kGroup == 4) {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    } else {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  char* c = static_cast<char*>(c_tile);
  const int64_t stride = c_stride * 4;
  if (!accumulate) {
    _tile_stored(0, c, stride);
    _tile_stored(1, c + kStepBytes, stride);
    _tile_stored(2, c + 16 * stride, stride);
    _tile_stored(3, c + 16 * stride + kStepBytes, stride);
    return;
  }
  alignas(64) char sums[4 * kTile];
  _tile_stored(0, sums, kStepBytes);
  _tile_stored(1, sums + kTile, kStepBytes);
  _tile_stored(2, sums + 2 * kTile, kStepBytes);
  _tile_stored(3, sums + 3 * kTile, kStepBytes);
  __asm__ volatile("" ::"r"(sums) : "memory");  // g++ 12 does not see that the stores above write to it
  for (int64_t tile = 0; tile < 4; ++tile) {
    for (int64_t i = 0; i < 16; ++i) {
      char* to = c + (tile / 2 * 16 + i) * stride + tile % 2 * kStepBytes;
      Kind::Store(to, Kind::Add(Kind::Load(sums + tile * kTile + i * kStepBytes), to));
    }
  }
}

// The offset in bytes of element `p` of row or column `i` of a panel: the values of a left operand's row are
// contiguous; a right operand has `group` of them, followed by those of the next column.
inline int64_t PlaceInRows(int64_t i, int64_t byte) {
  return byte / kStepBytes * 2 * kTile + i / 16 * kTile + i % 16 * kStepBytes + byte % kStepBytes;
}
inline int64_t PlaceInColumns(int64_t j, int64_t byte) {
  return byte / kStepBytes * 2 * kTile + j / 16 * kTile + byte % kStepBytes / 4 * kStepBytes + j % 16 * 4 + byte % 4;
}

inline bool OneApart(const int64_t* offsets, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (offsets[i] - offsets[i - 1] != 1) return false;
  return true;
}

template <class Kind>
void PackRows(const std::byte* data, const int64_t* rows, int64_t row_count, const int64_t* ks, int64_t k_count,
              int64_t, std::byte* to) {
  using Element = typename Kind::Element;
  constexpr int64_t kBytes = sizeof(Element), kValues = kStepBytes / kBytes;
  const Element* from = reinterpret_cast<const Element*>(data);
  const int64_t steps = (k_count + kValues - 1) / kValues;
  const bool runs = OneApart(ks, k_count);
  for (int64_t r = 0; r < row_count; r += kSide, to += steps * 2 * kTile) {
    const int64_t n = row_count - r < kSide ? row_count - r : kSide;
    if (n < kSide || k_count % kValues != 0) __builtin_memset(to, 0, static_cast<size_t>(steps * 2 * kTile));
    for (int64_t i = 0; i < n; ++i) {
      const Element* row = from + rows[r + i];
      int64_t p = 0;
      if (runs) {
        for (; p + kValues <= k_count; p += kValues)
          _mm512_storeu_si512(to + PlaceInRows(i, p * kBytes), _mm512_loadu_si512(row + ks[0] + p));
      }
      for (; p < k_count; ++p) __builtin_memcpy(to + PlaceInRows(i, p * kBytes), row + ks[p], kBytes);
    }
  }
}

// Packs kGroup rows of k, of 32 contiguous columns each, to one line per 16 columns.
HLOIR_TILES inline void Interleave(const uint16_t* const* rows, std::byte* to) {
  alignas(64) static constexpr uint16_t kLow[32] = {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
                                                    8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  const __m512i low = _mm512_load_si512(kLow), high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
  const __m512i first = _mm512_loadu_si512(rows[0]), second = _mm512_loadu_si512(rows[1]);
  _mm512_storeu_si512(to, _mm512_permutex2var_epi16(first, low, second));
  _mm512_storeu_si512(to + kTile, _mm512_permutex2var_epi16(first, high, second));
}
HLOIR_TILES inline void Interleave(const int8_t* const* rows, std::byte* to) {
  // Byte 4i + q: column i of row q; rows are 32 bytes apart in the two registers.
  __m512i low = _mm512_setzero_si512();
  const __m512i columns = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  low = _mm512_add_epi8(_mm512_mullo_epi32(columns, _mm512_set1_epi32(0x01010101)), _mm512_set1_epi32(0x60402000));
  const __m512i high = _mm512_add_epi8(low, _mm512_set1_epi8(16));
  auto two = [](const int8_t* a, const int8_t* b) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a))),
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b)), 1);
  };
  const __m512i first = two(rows[0], rows[1]), second = two(rows[2], rows[3]);
  _mm512_storeu_si512(to, _mm512_permutex2var_epi8(first, low, second));
  _mm512_storeu_si512(to + kTile, _mm512_permutex2var_epi8(first, high, second));
}

template <class Kind>
HLOIR_TILES void PackColumns(const std::byte* data, const int64_t* columns, int64_t column_count, const int64_t* ks,
                             int64_t k_count, int64_t, std::byte* to) {
  using Element = typename Kind::Element;
  constexpr int64_t kBytes = sizeof(Element), kValues = kStepBytes / kBytes, kGroup = Kind::kGroup;
  const Element* from = reinterpret_cast<const Element*>(data);
  const int64_t steps = (k_count + kValues - 1) / kValues;
  const bool runs = OneApart(ks, k_count);
  for (int64_t c = 0; c < column_count; c += kSide, to += steps * 2 * kTile) {
    const int64_t n = column_count - c < kSide ? column_count - c : kSide;
    if (n < kSide || k_count % kValues != 0) __builtin_memset(to, 0, static_cast<size_t>(steps * 2 * kTile));
    int64_t begin = 0;
    if (n == kSide && OneApart(columns + c, n)) {
      const Element* base = from + columns[c];
      for (; begin + kGroup <= k_count; begin += kGroup) {
        const Element* rows[kGroup];
        for (int64_t q = 0; q < kGroup; ++q) {
          rows[q] = base + ks[begin + q];
          const int64_t ahead = begin + q + 4 * kGroup;
          __builtin_prefetch(base + ks[ahead < k_count ? ahead : k_count - 1]);
        }
        Interleave(rows, to + PlaceInColumns(0, begin * kBytes));
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      const Element* column = from + columns[c + j];
      int64_t p = begin;
      if (runs) {
        for (; p + kGroup <= k_count; p += kGroup)
          __builtin_memcpy(to + PlaceInColumns(j, p * kBytes), column + ks[0] + p, 4);
      }
      for (; p < k_count; ++p) __builtin_memcpy(to + PlaceInColumns(j, p * kBytes), column + ks[p], kBytes);
    }
  }
}

template <class Kind>
void Fill(GemmKernels& kernels) {
  kernels.rows = kernels.columns = kSide;
  kernels.tile = &Product<Kind>;
  kernels.pack_rows = &PackRows<Kind>;
  kernels.pack_columns = &PackColumns<Kind>;
  kernels.enter = &Enter;
  kernels.leave = &Leave;
}

// The processor has tiles of both types, and the operating system permits them for this process, including later
// threads.
bool HasTiles() {
  unsigned a, b, c, d;
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25, kVbmi = 1u << 1;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (c & kVbmi) == 0) return false;
  constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return (d & kBf16) != 0 && (d & kTiles) != 0 && (d & kInt8) != 0 && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

}  // namespace

void FillTileGemm(GemmKernels& bytes, GemmKernels& bf16) {
  if (!HasTiles()) return;
  Fill<TileBytes>(bytes);
  Fill<TileBf16>(bf16);
}

#else

void FillTileGemm(GemmKernels&, GemmKernels&) {}

#endif

}  // namespace hloir::cpu
