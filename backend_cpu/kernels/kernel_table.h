// KernelTable: every kernel of one instruction set, as function pointers, filled by isa/*.cc. Plain data only: this
// header is compiled under several -m flags, so nothing in it may have code that the linker could share (see
// isa/isas.def).
//
// Most kernels work on a tile: up to some thousand elements of one type that lie side by side. Types narrower than f32
// are computed in f32 tiles and rounded after each operation. Tests: tests/unit/executable_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hloir::cpu {

// The instruction sets of this architecture, slowest first.
enum class Isa : uint8_t {
#define HLOIR_ISA(id, ...) k##id,
#include "isa/isas.def"
  kCount
};

// Types that a tile may hold. pred: one byte, 0 or 1. Complex numbers: pairs of reals.
enum class TileType : uint8_t { kPred, kS8, kU8, kS16, kU16, kS32, kU32, kS64, kU64, kF32, kF64, kC64, kC128 };
inline constexpr int kTileTypes = 13;

// One kernel call. Scalars are read through the same pointers as tiles. in[1] and in[2] of some kernels are numbers.
struct TileOp;
using TileKernel = void (*)(const TileOp& op, int64_t n);
struct TileOp {
  TileKernel kernel = nullptr;
  const void* in[3] = {};
  void* out = nullptr;
  int64_t extra = 0;          // a stride, a row length, two float format widths: see the kernel
  int64_t divisor = 1;        // the kernel is called for n/divisor elements; 0: for one element
  const void* aux = nullptr;  // what a kernel has to know beside that
};

enum class UnaryOp : uint8_t {
  kAbs,
  kNegate,
  kNot,
  kSign,
  kCeil,
  kFloor,
  kRoundAfz,
  kRoundEven,
  kClz,
  kPopcnt,
  kIsFinite,  // kIsFinite gives pred
  kSqrt,
  kRsqrt,
  kCbrt,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLogistic,
  kTanh,
  kSin,
  kCos,
  kTan,
  kSinh,
  kCosh,
  kAsin,
  kAcos,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kRoundToBf16,
  kRoundToF16,  // f32: to the nearest value of the narrower type, still as f32
  kReal,
  kImag,
  kConjugate,        // of complex numbers
  kReducePrecision,  // extra: exponent bits * 256 + mantissa bits
  kCount
};
enum class BinaryOp : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kMaximum,
  kMinimum,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRightArithmetic,
  kShiftRightLogical,
  kMulhi,
  kPower,
  kAtan2,
  kWrap,     // of signed integers: a < 0 ? a + b : a
  kComplex,  // from a real and an imaginary part
  kEq,
  kNe,
  kGe,
  kGt,
  kLe,
  kLt,  // give pred
  kTotalEq,
  kTotalNe,
  kTotalGe,
  kTotalGt,
  kTotalLe,
  kTotalLt,  // floats: -NaN < -inf < … < -0 < +0 < … < NaN
  kCount
};
// The operands of a binary kernel that are scalars. For select: operands 1 and 2; operand 0 is a tile.
enum OperandMode : uint8_t { kVectorVector, kVectorScalar, kScalarVector, kScalarScalar };
inline constexpr int kOperandModes = 4;

// Moves a single element at a single index, in a scalar loop's body. in[1]: the index; extra: the last legal index;
// in[2]: the stride in bytes (a number).
enum class MoveOne : uint8_t {
  kSlice,    // out = in[0][index, clamped]
  kUpdate,   // out[index, clamped] = in[0]
  kScatter,  // out[index] = in[0], if there is such an index
};

// Storage of a narrow float in memory and of its tile in f32.
enum class NarrowFloat : uint8_t { kBf16, kF16 };

// The accumulation type of a matrix product: f32 for itself and narrower floats, s32 for itself and narrower integers.
// The others are for narrow operands alone, on machines that have instructions for them (else their `tile` is null):
// kWords takes s8, u8 and s16 as 16-bit words, two products at a time, kBytes s8, four at a time, both summed modulo
// 2^32 and so equal to kS32; kBf16 takes bf16, two products at a time summed in f32, each sum rounded to nearest even,
// denormals taken for zeros (kF32 widens bf16 and fuses or rounds each product, as the instruction set does). A step of
// theirs takes 2, 4 and 2 values of a row. kTileBytes and kTileBf16 are these by tiles of AMX: a step takes 64 and 32.
enum class GemmType : uint8_t { kF32, kF64, kS32, kWords, kBytes, kBf16, kTileBytes, kTileBf16 };
inline constexpr int kGemmTypes = 8;
// Steps of a product side by side: of an a that is not packed the first one's values lie at a[rows[i] + a], of b, which
// has them all, it is step number b.
struct TileRun {
  int64_t a, b, count;
};
struct GemmKernels {
  int rows, columns;  // of the tile of the result that stays in registers
  // c[rows × columns] = or += a · b in k steps; for each of them a has `rows` values side by side, and b `columns`.
  using Tile = void (*)(int64_t k, const void* a, const void* b, void* c, int64_t c_stride, bool accumulate);
  Tile tile;
  // Of an a that is not packed, and in runs of steps, of which those of a lie a_step apart, and those of b b_step:
  // tile_in_place[i] takes 2·(i + 1) rows, at most rows_in_place; of the narrow types bf16 alone has any.
  using TileInPlace = void (*)(const TileRun* runs, int64_t run_count, const void* a, const int64_t* rows,
                               int64_t a_step, const void* b, int64_t b_step, void* c, int64_t c_stride,
                               bool accumulate);
  int rows_in_place;
  TileInPlace tile_in_place[4];
  // sums[m,n] += a[m,k] · b[k,n], step by step as a tile; n is a multiple of `columns`. The strides are from one row to
  // the next, and from one step of a to the next.
  struct FewRows {
    int64_t m, n, k, a_row, a_k, b_row, sums_row;
  };
  void (*few_rows)(const FewRows& sizes, const void* a, const void* b, void* sums);
  // Packing other than gemm_packing.cc's: as GemmPacker::pack, for the left and right operand.
  using Pack = void (*)(const std::byte* data, const int64_t* rows, int64_t row_count, const int64_t* ks,
                        int64_t k_count, int64_t width, std::byte* to);
  Pack pack_rows, pack_columns;
  // Called by each thread before it calls `tile`, and after, if they are not null.
  void (*enter)();
  void (*leave)();
  // out[i, c] = sum over t of x[places[i] + taps[t] + c] · w[t, c], for n places.
  void (*depthwise)(int64_t n, const int64_t* places, int64_t tap_count, const int64_t* taps, int64_t channels,
                    const void* x, const void* w, void* out);
  // out[n] = x[k] · w[k,n], w's columns side by side.
  void (*vector_matrix)(int64_t k, int64_t n, const void* x, int64_t x_stride, const void* w, int64_t w_stride,
                        void* out);
  // The same of bf16, in f32; of kF32 alone.
  void (*vector_matrix_bf16)(int64_t k, int64_t n, const void* x, int64_t x_stride, const void* w, int64_t w_stride,
                             void* out);
  // out[m] = a[m,k] · x[k], rows of a and x side by side.
  void (*matrix_vector)(int64_t m, int64_t k, const void* a, int64_t a_stride, const void* x, void* out);
};

// Lines begin … begin + lanes - 1 along a dimension of an array of complex numbers: `stored` numbers each, `inner`
// apart.
struct LineGroup {
  int64_t begin, lanes, stored, inner;
  bool is_across;  // the lines' numbers of one place lie side by side
};
inline constexpr int64_t kFftLanes = 24;  // at most

struct ChainTable;  // chain_table.h

// Results of this size have left the caches before they are read again, so they are written past the caches, line by
// line. (Virtual machines report ten times the size of their last cache.)
inline constexpr int64_t kLeastStreamed = 16 << 20;  // bytes
inline constexpr size_t kStreamedLine = 64;

struct KernelTable {
  Isa isa;
  const ChainTable& (*chains)();  // null: the set has none
  TileKernel unary[static_cast<int>(UnaryOp::kCount)][kTileTypes];
  TileKernel binary[static_cast<int>(BinaryOp::kCount)][kTileTypes][3];
  TileKernel select[kTileTypes][kOperandModes];
  TileKernel convert[kTileTypes][kTileTypes];  // [from][to]
  TileKernel splat[kTileTypes];                // out[i] = in[0][0]
  TileKernel iota[kTileTypes];                 // out[i] = (number)in[0] + i * extra
  TileKernel strided_load[5];                  // by log2 of the element's bytes; extra: stride in elements
  TileKernel copy[5];
  TileKernel stream[5];  // the same past the caches, to memory; null: the set has none
  // Lines that lie side by side, to lines of memory that are `step` bytes apart; null: as `stream`.
  void (*stream_lines)(const void* lines, void* to, int64_t step, int64_t count);
  void (*end_stream)();            // by each thread that has streamed
  TileKernel widen[2], narrow[2];  // NarrowFloat in memory <-> f32 tile
  // out[j] = in[0][j*extra] op … op in[0][j*extra + extra-1], for n/extra rows; extra 0: all n elements are one row.
  // For add, multiply, maximum, minimum, and, or, xor.
  TileKernel reduce_rows[static_cast<int>(BinaryOp::kCount)][kTileTypes];
  TileKernel reduce_bf16_rows[static_cast<int>(BinaryOp::kCount)];  // the same of bf16 in memory, in f32
  // out[j] = x[0][j] op x[1][j] op … for `extra` rows x[r], from in[0] on, (number)in[1] bytes from one to the next.
  // For the same operations; of bf16 in memory as above.
  TileKernel reduce_columns[static_cast<int>(BinaryOp::kCount)][kTileTypes];
  TileKernel reduce_bf16_columns[static_cast<int>(BinaryOp::kCount)];
  // out[p] = out[p] op in[1][i*(number)in[2]] for each of the n places p = in[0][i], in order; those outside of
  // [0, extra] are left out. For the same operations, and places of s32 and s64; in OneElementKernels alone, as
  // neighbours may be one place.
  TileKernel combine_at[static_cast<int>(BinaryOp::kCount)][kTileTypes][2];
  TileKernel move_one[3][2][4];  // by MoveOne, the index's type (s32, s64) and log2 of the element's bytes; no
                                 // instruction set's
  // to[i] = from[index[i] · stride] for n indices, which are clamped to 0 … last; by the index's type (s32, s64) and
  // whether elements have 4 or 8 bytes.
  void (*gather[2][2])(const void* from, const void* index, int64_t n, int64_t last, int64_t stride, void* to);
  GemmKernels gemm[kGemmTypes];  // by GemmType
  // One stage of Fourier transforms, of floats and of doubles: from x[radix][m][s] to y[m][radix][s], real and
  // imaginary parts apart, with m·(radix-1) twiddle factors as pairs. Radix 2, 3, 4 or 5.
  void (*fft_stage[2])(int radix, int64_t m, int64_t s, const void* xr, const void* xi, void* yr, void* yi,
                       const void* twiddles);
  // A stage of radix 4 and 4·m, and one of radix 4 and m.
  void (*fft_two_stages[2])(int64_t m, int64_t s, const void* xr, const void* xi, void* yr, void* yi,
                            const void* twiddles);
  // Of each line its first n numbers to re[n][lanes] and im[n][lanes]; and back, multiplied with `scale`.
  void (*fft_load[2])(const LineGroup& lines, int64_t n, const void* from, void* re, void* im);
  void (*fft_store[2])(const LineGroup& lines, int64_t n, const void* re, const void* im, double scale, void* to);
  // Between the transform [half][lanes] of complex numbers that are two neighbours each of 2·half reals, and the
  // spectrum [half + 1][lanes] of the reals; from a[0], a[1] to a[2], a[3], and back (times 2·half; its parts
  // exchanged). turn[half + 1]: exp(-πik / half) as pairs.
  void (*fft_unfold[2])(int64_t half, int64_t lanes, const void* turn, void* const* a);
  void (*fft_fold[2])(int64_t half, int64_t lanes, const void* turn, void* const* a);
  // Random words: 4 from each value of a 128-bit counter, or one to each of two lists.
  void (*philox)(uint64_t key, uint64_t low, uint64_t high, int64_t count, uint32_t* out);
  void (*threefry)(uint64_t key, uint64_t counter, int64_t count, uint32_t* first, uint32_t* second);
};

// Elementwise kernels of the same names for one element, which ignore n; null for names without one. They belong to no
// instruction set.
const KernelTable& OneElementKernels();
// The same, each going on with the op that follows its own in memory.
const KernelTable& ChainedKernels();
// The kernels of each instruction set, in isa/*.cc. Call them only on machines with the set: the function itself is
// compiled for it. Other code calls ChooseKernels (isas.h).
#define HLOIR_ISA(id, ...) const KernelTable& id##Kernels();
#include "isa/isas.def"

// The first entries of every table: see per_element.cc.
void FillPerElement(KernelTable& table);

}  // namespace hloir::cpu
