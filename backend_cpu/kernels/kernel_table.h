// KernelTable: every kernel of one instruction set, as function pointers, filled by isa/*.cc. Plain data only: this
// header is compiled under several -m flags, so it must not define code that the linker could merge (see isa/isas.def).
//
// Most kernels work on a tile: up to some thousand contiguous elements of one type. Types narrower than f32 are
// computed in f32 tiles and rounded after each operation. Tests: tests/unit/executable_test.cc.
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

// One kernel call. Scalars are read through the same pointers as tiles. For some kernels in[1] and in[2] are numbers.
struct TileOp;
using TileKernel = void (*)(const TileOp& op, int64_t n);
struct TileOp {
  TileKernel kernel = nullptr;
  const void* in[3] = {};
  void* out = nullptr;
  int64_t extra = 0;          // a stride, a row length, two float format widths: see the kernel
  int64_t divisor = 1;        // the kernel is called for n/divisor elements; 0: for one element
  const void* aux = nullptr;  // further data of a kernel
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
// The scalar operands of a binary kernel; for select, of operands 1 and 2 (operand 0 is a tile).
enum OperandMode : uint8_t { kVectorVector, kVectorScalar, kScalarVector, kScalarScalar };
inline constexpr int kOperandModes = 4;

// Moves a single element at a single index, in a scalar loop's body. in[1]: the index; extra: the last legal index;
// in[2]: the stride in bytes (a number).
enum class MoveOne : uint8_t {
  kSlice,    // out = in[0][index, clamped]
  kUpdate,   // out[index, clamped] = in[0]
  kScatter,  // out[index] = in[0], if the index is in bounds
};

// Storage of a narrow float in memory and of its tile in f32.
enum class NarrowFloat : uint8_t { kBf16, kF16 };

// The accumulation type of a matrix product: f32 for itself and narrower floats, s32 for itself and narrower integers.
// The others are for narrow operands only, on machines with instructions for them (otherwise their `tile` is null):
// kWords takes s8, u8 and s16 as 16-bit words, two products at a time, kBytes s8, four at a time, both summed modulo
// 2^32 and so equal to kS32; kBf16 takes bf16, two products at a time summed in f32, each sum rounded to nearest even,
// denormals treated as zeros (kF32 widens bf16 and fuses or rounds each product, as the instruction set does). Their
// steps take 2, 4 and 2 values of a row. kTileBytes and kTileBf16 are the same with tiles of AMX: a step takes 64 and
// 32.
enum class GemmType : uint8_t { kF32, kF64, kS32, kWords, kBytes, kBf16, kTileBytes, kTileBf16 };
inline constexpr int kGemmTypes = 8;
// Consecutive steps of a product: for an unpacked a, the values of the first step are at a[rows[i] + a]; in b, which
// has all steps, it is step b.
struct TileRun {
  int64_t a, b, count;
};
struct GemmKernels {
  int rows, columns;  // of the tile of the result in registers
  // c[rows × columns] = or += a · b in k steps; for each step a has `rows` contiguous values, and b `columns`.
  using Tile = void (*)(int64_t k, const void* a, const void* b, void* c, int64_t c_stride, bool accumulate);
  Tile tile;
  // For an unpacked a, and runs of steps that are a_step apart in a and b_step in b: tile_in_place[i] takes 2·(i + 1)
  // rows, at most rows_in_place; of the narrow types only bf16 has these.
  using TileInPlace = void (*)(const TileRun* runs, int64_t run_count, const void* a, const int64_t* rows,
                               int64_t a_step, const void* b, int64_t b_step, void* c, int64_t c_stride,
                               bool accumulate);
  int rows_in_place;
  TileInPlace tile_in_place[4];
  // sums[m,n] += a[m,k] · b[k,n], step by step as a tile; n is a multiple of `columns`. The strides are those of rows,
  // and of the steps of a.
  struct FewRows {
    int64_t m, n, k, a_row, a_k, b_row, sums_row;
  };
  void (*few_rows)(const FewRows& sizes, const void* a, const void* b, void* sums);
  // Special packing instead of gemm_packing.cc's: as GemmPacker::pack, for the left and right operand.
  using Pack = void (*)(const std::byte* data, const int64_t* rows, int64_t row_count, const int64_t* ks,
                        int64_t k_count, int64_t width, std::byte* to);
  Pack pack_rows, pack_columns;
  // Called by each thread before it calls `tile`, and after, if they are not null.
  void (*enter)();
  void (*leave)();
  // out[i, c] = sum over t of x[places[i] + taps[t] + c] · w[t, c], for n places.
  void (*depthwise)(int64_t n, const int64_t* places, int64_t tap_count, const int64_t* taps, int64_t channels,
                    const void* x, const void* w, void* out);
  // out[n] = x[k] · w[k,n], with contiguous rows of w.
  void (*vector_matrix)(int64_t k, int64_t n, const void* x, int64_t x_stride, const void* w, int64_t w_stride,
                        void* out);
  // The same for bf16, in f32; only for kF32.
  void (*vector_matrix_bf16)(int64_t k, int64_t n, const void* x, int64_t x_stride, const void* w, int64_t w_stride,
                             void* out);
  // out[m] = a[m,k] · x[k], with contiguous rows of a, and x; the last rows first if `backwards`.
  void (*matrix_vector)(int64_t m, int64_t k, const void* a, int64_t a_stride, const void* x, void* out,
                        bool backwards);
};

// Lines begin … begin + lanes - 1 along a dimension of an array of complex numbers: `stored` numbers each, `inner`
// apart.
struct LineGroup {
  int64_t begin, lanes, stored, inner;
  bool is_across;  // numbers at one position of all lines are contiguous
};
inline constexpr int64_t kFftLanes = 24;  // at most

// Rows of `inner` results of a reduce-window, side by side: the elements under a result's window are at taps[t], in
// this order, and those of the next row are `step` further.
struct TapRows {
  using Kernel = void (*)(const TapRows& rows, const void* init, const void* x, void* out);
  int64_t results, inner, step, tap_count;
  const int64_t* taps;
};

// An operand whose elements lie in runs at a fixed distance: its tile begins at in[0], with a run. (number)in[1]: the
// distance << kRunBits | the runs' length, both in elements; in[2]: the number of the first element to load.
inline constexpr int kRunBits = 8;
inline constexpr int64_t kLongestRun = (1 << kRunBits) - 1;

struct ChainTable;  // chain_table.h

// Results above this size leave the caches before they are read again, so they are written with non-temporal stores,
// line by line. (Virtual machines report ten times the size of their last-level cache.)
inline constexpr int64_t kLeastStreamed = 16 << 20;  // bytes
inline constexpr size_t kStreamedLine = 64;

struct KernelTable {
  Isa isa;
  const ChainTable& (*chains)();  // null: the set has none
  TileKernel unary[static_cast<int>(UnaryOp::kCount)][kTileTypes];
  TileKernel binary[static_cast<int>(BinaryOp::kCount)][kTileTypes][3];
  TileKernel select[kTileTypes][kOperandModes];
  TileKernel convert[kTileTypes][kTileTypes];  // [from][to]
  TileKernel to_odd[kTileTypes];               // to f32, of numbers that it may not hold; see ToOdd
  TileKernel splat[kTileTypes];                // out[i] = in[0][0]
  TileKernel iota[kTileTypes];                 // out[i] = (number)in[0] + i * extra
  TileKernel strided_load[5];                  // by log2 of the element's bytes; extra: stride in elements
  TileKernel copy[5];
  TileKernel stream[5];  // the same with non-temporal stores; null: the set has none
  // Copies contiguous lines to lines that are `step` bytes apart, with non-temporal stores; null: as `stream`.
  void (*stream_lines)(const void* lines, void* to, int64_t step, int64_t count);
  void (*end_stream)();            // called by each thread after non-temporal stores
  TileKernel widen[2], narrow[2];  // NarrowFloat in memory <-> f32 tile
  // out[j] = in[0][j*extra] op … op in[0][j*extra + extra-1], for n/extra rows; extra 0: all n elements are one row.
  // For add, multiply, maximum, minimum, and, or, xor.
  TileKernel reduce_rows[static_cast<int>(BinaryOp::kCount)][kTileTypes];
  TileKernel reduce_bf16_rows[static_cast<int>(BinaryOp::kCount)];  // the same for bf16 in memory, in f32
  // out[j] = x[0][j] op x[1][j] op … for `extra` rows x[r], from in[0] on, (number)in[1] bytes apart. For the same
  // operations, and for bf16 in memory as above.
  TileKernel reduce_columns[static_cast<int>(BinaryOp::kCount)][kTileTypes];
  TileKernel reduce_bf16_columns[static_cast<int>(BinaryOp::kCount)];
  // out[p] = out[p] op in[1][i*(number)in[2]] for each of the n places p = in[0][i], in order; positions outside of [0,
  // extra] are skipped. For the same operations, and indices of s32 and s64; only in OneElementKernels, because
  // neighbours may have the same position.
  TileKernel combine_at[static_cast<int>(BinaryOp::kCount)][kTileTypes][2];
  TileKernel move_one[3][2][4];  // by MoveOne, the index's type (s32, s64) and log2 of the element's bytes; no
                                 // instruction set's
  // to[i] = from[index[i] · stride] for n indices, which are clamped to 0 … last; by the index's type (s32, s64) and
  // whether elements have 4 or 8 bytes.
  void (*gather[2][2])(const void* from, const void* index, int64_t n, int64_t last, int64_t stride, void* to);
  // out[j][c] = init op x[taps[0] + j · step + c] op x[taps[1] + …] …; for add, maximum and minimum of f32, f64 and
  // s32, if the set has vectors.
  TapRows::Kernel window_rows[static_cast<int>(BinaryOp::kCount)][kTileTypes];
  GemmKernels gemm[kGemmTypes];  // by GemmType
  // One stage of Fourier transforms, of floats and of doubles: from x[radix][m][s] to y[m][radix][s], with separate
  // real and imaginary parts, and m·(radix-1) twiddle factors as pairs. Radix 2, 3, 4 or 5.
  void (*fft_stage[2])(int radix, int64_t m, int64_t s, const void* xr, const void* xi, void* yr, void* yi,
                       const void* twiddles);
  // Two stages: radix 4 with 4·m, and radix 4 with m.
  void (*fft_two_stages[2])(int64_t m, int64_t s, const void* xr, const void* xi, void* yr, void* yi,
                            const void* twiddles);
  // Copies the first n numbers of each line to re[n][lanes] and im[n][lanes]; and back, multiplied by `scale`.
  void (*fft_load[2])(const LineGroup& lines, int64_t n, const void* from, void* re, void* im);
  void (*fft_store[2])(const LineGroup& lines, int64_t n, const void* re, const void* im, double scale, void* to);
  // Converts the transform [half][lanes] of 2·half reals, paired as complex numbers, to the spectrum [half + 1][lanes]
  // of the reals; from a[0], a[1] to a[2], a[3], and back (times 2·half, with exchanged parts). turn[half + 1]:
  // exp(-πik / half) as pairs.
  void (*fft_unfold[2])(int64_t half, int64_t lanes, const void* turn, void* const* a);
  void (*fft_fold[2])(int64_t half, int64_t lanes, const void* turn, void* const* a);
  // Random words: 4 from each value of a 128-bit counter, or one for each of two lists.
  void (*philox)(uint64_t key, uint64_t low, uint64_t high, int64_t count, uint32_t* out);
  void (*threefry)(uint64_t key, uint64_t counter, int64_t count, uint32_t* first, uint32_t* second);
};

// The elementwise kernels for one element, which ignore n; null for names without one. Independent of instruction sets.
const KernelTable& OneElementKernels();
// The same, each of which then calls the op that follows in memory.
const KernelTable& ChainedKernels();
// The kernels of each instruction set, in isa/*.cc. Call them only on machines with the set: the function itself is
// compiled for it. Other code calls ChooseKernels (isas.h).
#define HLOIR_ISA(id, ...) const KernelTable& id##Kernels();
#include "isa/isas.def"

// The initial entries of every table: see per_element.cc.
void FillPerElement(KernelTable& table);

}  // namespace hloir::cpu
