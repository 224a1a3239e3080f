// See gemm_packing.h. Tests: tests/unit/executable_test.cc, "products of all sizes".
#include "plan/steps/gemm_packing.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "hloir/literal.h"
#include "kernels/transpose_square.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kAhead = 8;  // prefetch distance in steps

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>;

template <class Acc, class T>
Acc Widen(T value) {
  if constexpr (kIsHalf<T>) return static_cast<Acc>(static_cast<float>(value));
  else return static_cast<Acc>(value);
}

// Four contiguous values as the bits of f32.
template <class T>
SquareRow<uint32_t>::V WidenFour(const T* from) {
  using Narrow = SquareRow<uint16_t>::V;
  using Wide = SquareRow<uint32_t>::V;
  using Floats = float __attribute__((vector_size(16)));
  // One instruction puts zeros between them, above those of f16 and below those of bf16.
  Narrow narrow = {};
  std::memcpy(&narrow, from, 4 * sizeof(T));
  constexpr bool kBf16 = std::is_same_v<T, BFloat16>,
                 kZeroFirst = kBf16 == (std::endian::native == std::endian::little);
  constexpr std::make_index_sequence<8> kAll;
  const Wide bits = reinterpret_cast<Wide>(kZeroFirst ? Interleave<0>(Narrow{}, narrow, kAll)
                                                      : Interleave<0>(narrow, Narrow{}, kAll));
  if constexpr (kBf16) {
    return bits;
  } else {
    // The exponent's bias differs by 112: a multiplication corrects it, also for subnormal numbers. Infinity and NaN
    // have the largest exponent.
    const Wide magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    const Floats scaled = reinterpret_cast<Floats>(magnitude) * 0x1p112f;
    const Wide special = reinterpret_cast<Wide>((bits & 0x7c00) == 0x7c00);
    return reinterpret_cast<Wide>(scaled) | (special & 0x7f800000) | sign;
  }
}
template <class T>
void WidenRow(const T* from, int64_t n, float* to) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const auto bits = WidenFour(from + i);
    std::memcpy(to + i, &bits, sizeof(bits));
  }
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

// True if each offset is one more than the previous one. (The ends are not sufficient: a kernel with exchanged spatial
// dimensions has 0, 1, 6, 7, …, 16, 17.)
bool Consecutive(const int64_t* offsets, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (offsets[i] - offsets[i - 1] != 1) return false;
  return true;
}

// As many contiguous values as 16 bytes of To hold.
template <class From, class To>
auto LoadAs(const From* from) {
  if constexpr (kIsHalf<From>) {
    static_assert(std::is_same_v<To, float>);
    return WidenFour(from);
  } else {
    typedef From Narrow __attribute__((vector_size(16 / sizeof(To) * sizeof(From))));
    typedef To Wide __attribute__((vector_size(16)));
    Narrow narrow;
    std::memcpy(&narrow, from, sizeof(narrow));
    return __builtin_convertvector(narrow, Wide);
  }
}
// Words of `group` values along each of `n` rows, at least four: a step's words, one of each row, lie side by side,
// `width` of them. Of `next` rows those after the first n are prefetched. Returns how many of the steps are done: a
// multiple of four.
template <class From, class T, int64_t group, int flip>
int64_t PackWords(const From* from, const int64_t* rows, int64_t n, int64_t next, int64_t steps, int64_t width,
                  T* out) {
  using V = SquareRow<uint32_t>::V;
  const V flips = V{} + static_cast<uint32_t>(flip) * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
  uint32_t* words = reinterpret_cast<uint32_t*>(out);
  const int64_t whole = steps / 4 * 4;
  // The last four rows may include some twice.
  for (int64_t i = 0; i < n; i = i + 4 < n ? std::min(i + 4, n - 4) : n) {
    const From *a = from + rows[i], *b = from + rows[i + 1], *c = from + rows[i + 2], *d = from + rows[i + 3];
    for (int64_t s = 0; s < whole; s += 4) {
      const int64_t p = s * group;
      if (p * static_cast<int64_t>(sizeof(From)) % 64 == 0 && i + 8 <= next)
        for (int q = 4; q < 8; ++q) __builtin_prefetch(from + rows[i + q] + p);
      const auto load = [p, flips](const From* row) {
        const auto values = LoadAs<From, T>(row + p);
        V bits;
        std::memcpy(&bits, &values, sizeof(bits));
        return bits ^ flips;
      };
      V now[4] = {load(a), load(b), load(c), load(d)};
      TransposeRows<uint32_t>(now);
#pragma GCC unroll 4
      for (int64_t k = 0; k < 4; ++k) std::memcpy(words + (s + k) * width + i, &now[k], sizeof(now[k]));
    }
  }
  return whole;
}
// Panels of `width` rows: for each k step, the rows' values are contiguous; rows past the end are zeros.
template <class Acc, class T>
void PackPanels(const std::byte* data, const int64_t* rows, int64_t row_count, const int64_t* ks, int64_t k_count,
                int64_t width, std::byte* to) {
  const T* from = reinterpret_cast<const T*>(data);
  Acc* out = reinterpret_cast<Acc*>(to);
  const bool runs = Consecutive(ks, k_count);
  for (int64_t r = 0; r < row_count; r += width) {
    const int64_t n = std::min(width, row_count - r);
    const bool side_by_side = Consecutive(rows + r, n);
    if (n == width && side_by_side) {
      // Several panels at once, so that each step reads more than one or two cache lines.
      int64_t panels = 1;
      while (panels < kPanelsTogether && r + (panels + 1) * width <= row_count &&
             Consecutive(rows + r + panels * width - 1, width + 1))
        ++panels;
      const T* base = from + rows[r];
      for (int64_t p = 0; p < k_count; ++p) {
        // Each step's values are in other cache lines, which the hardware does not prefetch.
        const T* ahead = base + ks[std::min(p + kAhead, k_count - 1)];
        for (int64_t i = 0; i < panels * width * static_cast<int64_t>(sizeof(T)); i += 64)
          __builtin_prefetch(reinterpret_cast<const char*>(ahead) + i);
        const T* row = base + ks[p];
        Acc* column = out + p * width;
        for (int64_t q = 0; q < panels; ++q, row += width, column += width * k_count) {
          if constexpr (std::is_same_v<T, Acc>) {
            const int64_t bytes = width * static_cast<int64_t>(sizeof(T));
            for (int64_t i = 0; i + 64 <= bytes; i += 64)  // without a call
              std::memcpy(reinterpret_cast<char*>(column) + i, reinterpret_cast<const char*>(row) + i, 64);
            if (bytes % 64 != 0) std::memcpy(column, row, static_cast<size_t>(bytes));
          } else if constexpr (kIsHalf<T>) {
            WidenRow(row, width, column);
          } else {
            for (int64_t i = 0; i < width; ++i) column[i] = Widen<Acc>(row[i]);
          }
        }
      }
      r += (panels - 1) * width;
      out += panels * width * k_count;
      continue;
    }
    if (n < width) std::fill_n(out, width * k_count, Acc(0));  // in order: faster than writing the missing values only
    if (side_by_side) {
      const T* base = from + rows[r];
      for (int64_t p = 0; p < k_count; ++p, out += width)
        for (int64_t i = 0; i < n; ++i) out[i] = Widen<Acc>(base[ks[p] + i]);
      continue;
    }
    // Reads run along k.
    int64_t i = 0;
    if constexpr (sizeof(Acc) == 4 && (std::is_same_v<T, Acc> || kIsHalf<T>)) {
      if (runs && n >= 4) {
        const T* base = from + ks[0];
        for (int64_t p = PackWords<T, Acc, 1, 0>(base, rows + r, n, row_count - r, k_count, width, out); p < k_count;
             ++p)
          for (int64_t j = 0; j < n; ++j) out[p * width + j] = Widen<Acc>(base[rows[r + j] + p]);
        i = n;
      }
    }
    if constexpr (std::is_same_v<T, Acc> && sizeof(T) == 8) {
      for (; runs && i + 2 <= n; i += 2) {
        const T *a = from + rows[r + i] + ks[0], *b = from + rows[r + i + 1] + ks[0];
        int64_t p = 0;
        for (; p + 2 <= k_count; p += 2) {
          if (p % 8 == 0 && r + i + 4 <= row_count) {  // the next two rows
            for (int q = 2; q < 4; ++q) __builtin_prefetch(from + rows[r + i + q] + ks[0] + p);
          }
          TransposeSquare<T>({a + p, b + p}, out + p * width + i, width);
        }
        for (; p < k_count; ++p) out[p * width + i] = a[p], out[p * width + i + 1] = b[p];
      }
    }
    if (!runs) {
      // Neither is contiguous (weights with their taps minor): at least the writes are.
      const int64_t* row = rows + r;
      for (int64_t p = 0; p < k_count; ++p) {
        const T* base = from + ks[p];
        Acc* column = out + p * width;
        for (int64_t j = 0; j < n; ++j) column[j] = Widen<Acc>(base[row[j]]);
      }
      i = n;
    }
    for (; i < n; ++i) {
      const T* base = from + rows[r + i] + ks[0];
      for (int64_t p = 0; p < k_count; ++p) out[p * width + i] = Widen<Acc>(base[p]);
    }
    out += width * k_count;
  }
}
// Interleaves the values of two contiguous rows, by columns.
template <class From, class To>
void PackPairs(const From* first, const From* second, int64_t n, To* out) {
  constexpr int64_t kCount = 16 / sizeof(To);
  constexpr std::make_index_sequence<kCount> kAll;
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    const auto a = LoadAs<From, To>(first + i), b = LoadAs<From, To>(second + i);
    const auto low = Interleave<0>(a, b, kAll), high = Interleave<kCount / 2>(a, b, kAll);
    std::memcpy(out + 2 * i, &low, sizeof(low));
    std::memcpy(out + 2 * i + kCount, &high, sizeof(high));
  }
  for (; i < n; ++i) {
    const uint32_t low = static_cast<uint16_t>(first[i]), high = static_cast<uint16_t>(second[i]);
    const uint32_t pair = std::endian::native == std::endian::little ? low | high << 16 : low << 16 | high;
    std::memcpy(out + 2 * i, &pair, sizeof(pair));
  }
}
// The same of four rows of bytes.
void PackQuads(const uint8_t* const (&rows)[4], int64_t n, uint8_t flip, uint8_t* __restrict out) {
  const uint8_t *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  for (int64_t i = 0; i < n; ++i) {
    out[4 * i] = a[i] ^ flip;
    out[4 * i + 1] = b[i] ^ flip;
    out[4 * i + 2] = c[i] ^ flip;
    out[4 * i + 3] = d[i] ^ flip;
  }
}
// The correction that a kernel adds for each column, because it reads the other operand's bytes plus 128.
void SumColumns(const int8_t* from, const int64_t* columns, int64_t n, const int64_t* ks, int64_t k_count,
                int32_t* sums) {
  constexpr int64_t kTogether = 32, kRows = 128;  // as many sums fit registers, and as many rows 16 bits
  if (Consecutive(columns, n)) {
    int64_t done = 0;
    for (; done + kTogether <= n; done += kTogether) {
      for (int64_t begin = 0; begin < k_count; begin += kRows) {
        int16_t part[kTogether] = {};
        for (int64_t p = begin; p < std::min(begin + kRows, k_count); ++p) {
          const int8_t* row = from + columns[done] + ks[p];
          for (int64_t i = 0; i < kTogether; ++i) part[i] = static_cast<int16_t>(part[i] + row[i]);
        }
        for (int64_t i = 0; i < kTogether; ++i) sums[done + i] += part[i];
      }
    }
    for (int64_t p = 0; p < k_count && done < n; ++p) {
      const int8_t* row = from + columns[0] + ks[p];
      for (int64_t i = done; i < n; ++i) sums[i] += row[i];
    }
  } else {
    const bool runs = Consecutive(ks, k_count);
    for (int64_t i = 0; i < n; ++i) {
      const int8_t* column = from + columns[i];
      int32_t sum = 0;
      if (runs) {
        column += ks[0];
        for (int64_t p = 0; p < k_count; ++p) sum += column[p];
      } else {
        for (int64_t p = 0; p < k_count; ++p) sum += column[ks[p]];
      }
      sums[i] = sum;
    }
  }
  for (int64_t i = 0; i < n; ++i) sums[i] *= -128;
}
// The same as PackPanels for kernels that take `group` values of a row at a time.
template <class From, class T, int64_t group, T flip, bool header>
void PackGroups(const std::byte* data, const int64_t* rows, int64_t row_count, const int64_t* ks, int64_t k_count,
                int64_t width, std::byte* to) {
  const From* from = reinterpret_cast<const From*>(data);
  const int64_t steps = (k_count + group - 1) / group;
  const bool runs = Consecutive(ks, k_count);
  for (int64_t r = 0; r < row_count; r += width) {
    const int64_t n = std::min(width, row_count - r);
    int32_t* sums = reinterpret_cast<int32_t*>(to);
    if constexpr (header) to += width * static_cast<int64_t>(sizeof(int32_t));
    T* out = reinterpret_cast<T*>(to);
    const bool side_by_side = Consecutive(rows + r, n);
    if (n < width || k_count % group != 0) std::fill_n(out, width * steps * group, flip);
    if (side_by_side) {
      int64_t p = 0;
      if constexpr (group == 2 && sizeof(T) == 2 && flip == 0) {
        for (const From* base = from + rows[r]; p + 2 <= k_count; p += 2)
          PackPairs(base + ks[p], base + ks[p + 1], n, out + p * width);
      }
      if constexpr (group == 4 && sizeof(From) == 1) {
        for (const From* base = from + rows[r]; p + 4 <= k_count; p += 4)
          PackQuads({base + ks[p], base + ks[p + 1], base + ks[p + 2], base + ks[p + 3]}, n, flip, out + p * width);
      }
      for (; p < k_count; ++p) {
        const From* row = from + rows[r] + ks[p];
        T* column = out + p / group * group * width + p % group;
        for (int64_t i = 0; i < n; ++i) column[i * group] = static_cast<T>(row[i] ^ flip);
      }
    } else {
      int64_t done = 0;
      if constexpr (group * sizeof(T) == 4) {
        if (runs && n >= 4)
          done = group *
                 PackWords<From, T, group, flip>(from + ks[0], rows + r, n, row_count - r, k_count / group, width, out);
      }
      for (int64_t i = 0; i < n; ++i) {
        const From* row = from + rows[r + i];
        int64_t p = done;
        T* column = out + i * group + p * width;
        if (runs) {
          for (row += ks[0]; p + group <= k_count; p += group, column += width * group) {
            T values[group];  // written as one word
            for (int64_t q = 0; q < group; ++q) values[q] = static_cast<T>(row[p + q] ^ flip);
            std::memcpy(column, values, sizeof(values));
          }
          row -= ks[0];
        }
        for (; p < k_count; ++p)
          out[p / group * group * width + i * group + p % group] = static_cast<T>(row[ks[p]] ^ flip);
      }
    }
    if constexpr (header) {
      std::fill_n(sums, width, 0);
      SumColumns(reinterpret_cast<const int8_t*>(from), rows + r, n, ks, k_count, sums);
    }
    to += width * steps * group * static_cast<int64_t>(sizeof(T));
  }
}

}  // namespace

bool PacksAs(PrimitiveType type, PrimitiveType computed) {
  if (computed == PrimitiveType::F64) return type == PrimitiveType::F32;
  return computed == PrimitiveType::F32 && (type == PrimitiveType::BF16 || type == PrimitiveType::F16);
}

GemmPacker PackerFor(PrimitiveType type, GemmType gemm, const GemmKernels& kernels, bool left) {
  GemmPacker packer;
  switch (gemm) {
    case GemmType::kF32:
      packer.pack = type == PrimitiveType::F32    ? &PackPanels<float, float>
                    : type == PrimitiveType::BF16 ? &PackPanels<float, BFloat16>
                                                  : &PackPanels<float, Half>;
      break;
    case GemmType::kF64:
      packer.pack = type == PrimitiveType::F32 ? &PackPanels<double, float> : &PackPanels<double, double>;
      packer.element_bytes = 8;
      break;
    case GemmType::kS32:
      packer.pack = type == PrimitiveType::S32   ? &PackPanels<int32_t, int32_t>
                    : type == PrimitiveType::U32 ? &PackPanels<int32_t, int32_t>
                    : type == PrimitiveType::S8  ? &PackPanels<int32_t, int8_t>
                    : type == PrimitiveType::U8  ? &PackPanels<int32_t, uint8_t>
                    : type == PrimitiveType::S16 ? &PackPanels<int32_t, int16_t>
                                                 : &PackPanels<int32_t, uint16_t>;
      break;
    case GemmType::kWords:
      packer.pack = type == PrimitiveType::S8   ? &PackGroups<int8_t, int16_t, 2, 0, false>
                    : type == PrimitiveType::U8 ? &PackGroups<uint8_t, int16_t, 2, 0, false>
                                                : &PackGroups<int16_t, int16_t, 2, 0, false>;
      packer.element_bytes = 2, packer.group = 2;
      break;
    case GemmType::kBytes:
      packer.pack = left ? &PackGroups<uint8_t, uint8_t, 4, 0x80, false> : &PackGroups<uint8_t, uint8_t, 4, 0, true>;
      packer.element_bytes = 1, packer.group = 4, packer.header = left ? 0 : 4;
      break;
    case GemmType::kBf16:
      packer.pack = &PackGroups<uint16_t, uint16_t, 2, 0, false>;
      packer.element_bytes = 2, packer.group = 2;
      break;
    case GemmType::kTileBytes:
    case GemmType::kTileBf16:
      packer.pack = left ? kernels.pack_rows : kernels.pack_columns;
      packer.element_bytes = gemm == GemmType::kTileBf16 ? 2 : 1, packer.group = 64 / packer.element_bytes;
      break;
  }
  return packer;
}

}  // namespace hloir::cpu
