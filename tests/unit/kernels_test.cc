// The kernels of every instruction set that this machine has, against the scalar ones: equal bits for exact operations,
// small errors for products and transcendentals. Tiles of all lengths, to cover vectors and tails.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "hloir/executable.h"
#include "isa/isas.h"
#include "plan/capability/kernel_choice.h"
#include "tests/unit/catch.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kLongest = 300;
constexpr int kF32 = static_cast<int>(TileType::kF32), kF64 = static_cast<int>(TileType::kF64);

struct Tile {
  alignas(64) std::byte bytes[16 * (kLongest + 16)];
};

// An edge, a small number or random bits.
template <class T>
T Number(std::mt19937_64& random) {
  const uint64_t bits = random();
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kEdges[] = {0, T(-0.0), 1, -1, T(0.5), T(2.5), T(-2.5), INFINITY, -INFINITY, NAN, T(1e9), T(-3e9)};
    if (bits % 4 == 0) return kEdges[bits / 4 % std::size(kEdges)];
    if (bits % 4 == 1) return static_cast<T>(static_cast<int64_t>(bits >> 8) % 1000) / 8;
    std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> pattern = random();
    return std::bit_cast<T>(pattern);
  } else {
    if (bits % 4 == 0) return static_cast<T>(bits / 4 % 5 - 2);
    if (bits % 4 == 1) return static_cast<T>(uint64_t{1} << (8 * sizeof(T) - 1)) - static_cast<T>(bits / 4 % 2);
    return static_cast<T>(bits >> 5);
  }
}

template <class T>
void Fill(Tile& tile, int64_t count, std::mt19937_64& random) {
  for (int64_t i = 0; i < count; ++i) {
    const T x = Number<T>(random);
    std::memcpy(tile.bytes + i * sizeof(T), &x, sizeof(T));
  }
}
Tile MakeTile(int type, std::mt19937_64& random) {
  Tile tile;
  const int64_t n = kLongest + 16;
  switch (static_cast<TileType>(type)) {
    case TileType::kPred:
      for (int64_t i = 0; i < n; ++i) tile.bytes[i] = static_cast<std::byte>(random() & 1);
      break;
    case TileType::kS8:
    case TileType::kU8: Fill<uint8_t>(tile, n, random); break;
    case TileType::kS16:
    case TileType::kU16: Fill<uint16_t>(tile, n, random); break;
    case TileType::kS32:
    case TileType::kU32: Fill<uint32_t>(tile, n, random); break;
    case TileType::kS64:
    case TileType::kU64: Fill<uint64_t>(tile, n, random); break;
    case TileType::kF32: Fill<float>(tile, n, random); break;
    case TileType::kF64: Fill<double>(tile, n, random); break;
    case TileType::kC64: Fill<float>(tile, 2 * n, random); break;
    case TileType::kC128: Fill<double>(tile, 2 * n, random); break;
  }
  return tile;
}

// Same bits, but that any NaN is like any other; as floats if the result may be some.
template <class T>
bool SameFloats(const std::byte* a, const std::byte* b, int64_t bytes) {
  for (int64_t at = 0; at + static_cast<int64_t>(sizeof(T)) <= bytes; at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a + at, sizeof(T)), std::memcpy(&y, b + at, sizeof(T));
    if (std::memcmp(&x, &y, sizeof(T)) != 0 && !(x != x && y != y)) return false;
  }
  return true;
}
bool Same(const Tile& a, const Tile& b, int type) {
  const bool wide = type == kF64 || type == static_cast<int>(TileType::kC128);
  const bool narrow = type == kF32 || type == static_cast<int>(TileType::kC64);
  if (narrow) return SameFloats<float>(a.bytes, b.bytes, sizeof(a.bytes));
  if (wide) return SameFloats<double>(a.bytes, b.bytes, sizeof(a.bytes));
  return std::memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}

const KernelTable& Table(const std::string& isa) {
  auto table = ChooseKernels(isa);
  REQUIRE(table.ok());
  return **table;
}

// Calls both kernels on the same operands. Bytes after the tile must stay.
void Compare(TileKernel expected, TileKernel actual, TileOp op, int result_type, int64_t n, const std::string& what) {
  if ((expected == nullptr) != (actual == nullptr)) FAIL_CHECK(what << " is only in one table");
  if (expected == nullptr || actual == nullptr) return;
  Tile a, b;
  std::memset(&a, 0x5A, sizeof(a)), std::memset(&b, 0x5A, sizeof(b));
  op.out = a.bytes;
  expected(op, n);
  op.out = b.bytes;
  actual(op, n);
  if (!Same(a, b, result_type)) FAIL_CHECK(what << ", " << n << " elements");
}

bool IsApproximate(int op) {
  switch (static_cast<UnaryOp>(op)) {
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kLogistic:
    case UnaryOp::kTanh:
    case UnaryOp::kExpm1:
    case UnaryOp::kLog1p:
    case UnaryOp::kSin:
    case UnaryOp::kCos:
    case UnaryOp::kErf: return true;
    default: return false;
  }
}

void CompareElementwise(const KernelTable& scalar, const KernelTable& table) {
  std::mt19937_64 random(1);
  for (int type = 0; type < kTileTypes; ++type) {
    for (int64_t n : {1, 3, 16, 67, 300}) {
      const Tile x = MakeTile(type, random), y = MakeTile(type, random), which = MakeTile(0, random);
      TileOp op;
      op.in[0] = x.bytes, op.in[1] = y.bytes;
      const std::string on = " on type " + std::to_string(type);
      for (int u = 0; u < static_cast<int>(UnaryOp::kCount); ++u) {
        if (IsApproximate(u)) continue;
        Compare(scalar.unary[u][type], table.unary[u][type], op, type, n, "unary " + std::to_string(u) + on);
      }
      for (int b = 0; b < static_cast<int>(BinaryOp::kCount); ++b) {
        for (int mode = 0; mode < 3; ++mode) {
          Compare(scalar.binary[b][type][mode], table.binary[b][type][mode], op, type, n,
                  "binary " + std::to_string(b) + on + ", mode " + std::to_string(mode));
        }
        op.extra = 0;
        Compare(scalar.reduce_rows[b][type], table.reduce_rows[b][type], op, type, n,
                "reduction " + std::to_string(b) + on);
        // Rows of a third of the tile; the last ones overlap.
        const auto columns = [&](TileKernel expected, TileKernel actual, int64_t bytes, int64_t rows) {
          TileOp call = op;
          call.in[1] = reinterpret_cast<const void*>(n / 3 * bytes), call.extra = rows;
          Compare(expected, actual, call, type, n / 3, "columns' reduction " + std::to_string(b) + on);
        };
        for (int64_t rows : {1, 2, 3}) {
          columns(scalar.reduce_columns[b][type], table.reduce_columns[b][type], TileBytes(static_cast<TileType>(type)),
                  rows);
          if (type != kF32) continue;
          columns(scalar.reduce_bf16_columns[b], table.reduce_bf16_columns[b], 2, 2 * rows);
        }
        if (type == kF32)
          Compare(scalar.reduce_bf16_rows[b], table.reduce_bf16_rows[b], op, type, n, "bf16 rows' reduction" + on);
      }
      for (int to = 0; to < kTileTypes; ++to) {
        Compare(scalar.convert[type][to], table.convert[type][to], op, to, n,
                "conversion" + on + " to " + std::to_string(to));
      }
      op.in[0] = which.bytes, op.in[1] = x.bytes, op.in[2] = y.bytes;
      for (int mode = 0; mode < kOperandModes; ++mode) {
        Compare(scalar.select[type][mode], table.select[type][mode], op, type, n, "select" + on);
      }
      op.in[0] = x.bytes;
      Compare(scalar.to_odd[type], table.to_odd[type], op, kF32, n, "rounding to odd" + on);
      Compare(scalar.splat[type], table.splat[type], op, type, n, "splat" + on);
      op.in[0] = reinterpret_cast<const void*>(intptr_t{-5}), op.extra = 7;
      Compare(scalar.iota[type], table.iota[type], op, type, n, "iota" + on);
    }
  }
}

// Operations with an error bound instead of equal bits.
template <class T>
void CompareMath(const KernelTable& scalar, const KernelTable& table, int type) {
  std::mt19937_64 random(2);
  std::vector<T> x(kLongest), a(kLongest), b(kLongest);
  for (UnaryOp op : {UnaryOp::kExp, UnaryOp::kLog, UnaryOp::kLogistic, UnaryOp::kTanh, UnaryOp::kSin, UnaryOp::kCos}) {
    for (T& value : x) value = static_cast<T>(std::uniform_real_distribution<double>(-30, 30)(random));
    TileOp call;
    call.in[0] = x.data();
    call.out = a.data();
    scalar.unary[static_cast<int>(op)][type](call, kLongest);
    call.out = b.data();
    table.unary[static_cast<int>(op)][type](call, kLongest);
    for (int64_t i = 0; i < kLongest; ++i) {
      if (a[i] != a[i] && b[i] != b[i]) continue;
      INFO("unary " << static_cast<int>(op) << " of " << x[i] << ": " << a[i] << ", " << b[i]);
      CHECK(std::abs(a[i] - b[i]) <= 8 * std::numeric_limits<T>::epsilon() * std::abs(a[i]));
    }
  }
}

template <class T>
void CompareProducts(const GemmKernels& kernels) {
  std::mt19937_64 random(3);
  constexpr int64_t kDepth = 37;
  const int64_t rows = kernels.rows, columns = kernels.columns;
  std::vector<T> a(rows * kDepth), b(columns * (kDepth + 16)), c(rows * columns), x(kDepth), y(kDepth * 41), out(41);
  for (auto* v : {&a, &b, &c, &x, &y})
    for (T& value : *v) value = static_cast<T>(static_cast<int>(random() % 17) - 8);
  auto sum = [&](int64_t i, int64_t j, bool accumulate) {
    T s = accumulate ? c[i * columns + j] : T(0);
    for (int64_t p = 0; p < kDepth; ++p) s += a[p * rows + i] * b[p * columns + j];
    return s;
  };
  for (bool accumulate : {false, true}) {
    std::vector<T> result = c;
    kernels.tile(kDepth, a.data(), b.data(), result.data(), columns, accumulate);
    std::vector<int64_t> row_places(rows);
    const TileRun runs[] = {{0, 0, 20}, {20 * rows, 20, kDepth - 20}};
    for (int64_t i = 0; i < rows; ++i) row_places[i] = i;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) CHECK(result[i * columns + j] == sum(i, j, accumulate));
    }
    for (int64_t height = 2; height <= kernels.rows_in_place; height += 2) {
      std::vector<T> in_place = c, expected = c;
      std::copy_n(result.begin(), height * columns, expected.begin());
      kernels.tile_in_place[height / 2 - 1](runs, 2, a.data(), row_places.data(), rows, b.data(), columns,
                                            in_place.data(), columns, accumulate);
      INFO(height << " rows in place");
      CHECK(in_place == expected);
    }
  }
  std::vector<T> sums = c;
  kernels.few_rows({rows, columns, kDepth, 1, rows, columns, columns}, a.data(), b.data(), sums.data());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) CHECK(sums[i * columns + j] == sum(i, j, true));
  kernels.vector_matrix(kDepth, 41, x.data(), 1, y.data(), 41, out.data());
  for (int64_t j = 0; j < 41; ++j) {
    T s = 0;
    for (int64_t p = 0; p < kDepth; ++p) s += x[p] * y[p * 41 + j];
    CHECK(out[j] == s);
  }
  for (bool backwards : {false, true}) {
    out.assign(41, T(-1));
    kernels.matrix_vector(41, kDepth, y.data(), kDepth, x.data(), out.data(), backwards);
    for (int64_t i = 0; i < 41; ++i) {
      T s = 0;
      for (int64_t p = 0; p < kDepth; ++p) s += y[i * kDepth + p] * x[p];
      CHECK(out[i] == s);
    }
  }
}

}  // namespace

// Sums of small integers are exact in any order and with any rounding.
TEST_CASE("every instruction set has the scalar kernels' results") {
  const KernelTable& scalar = Table("scalar");
  for (const std::string& isa : SupportedIsas()) {
    INFO(isa);
    const KernelTable& table = Table(isa);
    CompareElementwise(scalar, table);
    CompareMath<float>(scalar, table, kF32);
    CompareMath<double>(scalar, table, kF64);
    CompareProducts<float>(table.gemm[static_cast<int>(GemmType::kF32)]);
    CompareProducts<double>(table.gemm[static_cast<int>(GemmType::kF64)]);
    CompareProducts<int32_t>(table.gemm[static_cast<int>(GemmType::kS32)]);
  }
}

}  // namespace hloir::cpu
