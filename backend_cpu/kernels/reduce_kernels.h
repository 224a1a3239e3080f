// Reductions of rows that lie in a tile, for the seven operations that programs really use. Several vector accumulators
// keep the latency hidden and the rounding error small; the order depends on the row's length alone. Included by
// isa/*.cc through all_kernels.h only; everything has internal linkage (why: isa/isas.def).
#pragma once

#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {
namespace {

// lanes[k] op= lanes[k + half] for halves that get smaller: lanes[0] is the result.
template <class F, class T, int64_t half>
inline T FoldLanes(T* lanes) {
  HLOIR_VECTORIZE
  for (int64_t k = 0; k < half; ++k) lanes[k] = F::Apply(lanes[k], lanes[k + half]);
  if constexpr (half > 1) return FoldLanes<F, T, half / 2>(lanes);
  else return lanes[0];
}

// An element as it is, or of bf16 as f32.
template <class T, class Stored>
inline T Widened(Stored x) {
  if constexpr (std::is_same_v<T, Stored>) return x;
  else return __builtin_bit_cast(T, static_cast<uint32_t>(x) << 16);
}

// The largest (or smallest) of a long row of floats by plain comparisons, a quarter of Extreme's work; false where it
// takes Extreme: among NaNs, or where the sign of a zero is asked.
template <class T, bool greater, class Stored>
inline bool FindExtreme(const Stored* row, int64_t n, T* result) {
  constexpr int64_t kLanes = 128 / sizeof(T);
  using Bits = Unsigned<T>;
  alignas(64) T lanes[kLanes];
  alignas(64) Bits nan[kLanes] = {};
  for (int64_t k = 0; k < kLanes; ++k) lanes[k] = Widened<T>(row[k]);
  const auto take = [&](int64_t i, int64_t count) {
    HLOIR_VECTORIZE
    for (int64_t k = 0; k < count; ++k) {
      const T x = Widened<T>(row[i + k]);
      nan[k] |= x != x ? Bits(1) : Bits(0);
      lanes[k] = (greater ? x > lanes[k] : x < lanes[k]) ? x : lanes[k];
    }
  };
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) take(i, kLanes);
  take(i, n - i);
  T best = lanes[0];
  bool plain = true;
  for (int64_t k = 0; k < kLanes; ++k) {
    plain &= (nan[k] == 0) & (lanes[k] == lanes[k]);
    best = (greater ? lanes[k] > best : lanes[k] < best) ? lanes[k] : best;
  }
  *result = best;
  return plain & (best != 0);
}

// Accumulator lane i takes elements i, i+kLanes, …; then the lanes are folded together.
template <class F, class T, class Stored>
inline T ReduceRow(const Stored* row, int64_t n) {
  constexpr int64_t kLanes = 256 / sizeof(T);
  constexpr bool kMaximum = std::is_same_v<F, MaximumFn>, kMinimum = std::is_same_v<F, MinimumFn>;
  if constexpr (kIsFloat<T> && (kMaximum || kMinimum)) {
    T result;
    if (n >= kLanes && FindExtreme<T, kMaximum>(row, n, &result)) return result;
  }
  if (n < kLanes) {
    T result = Widened<T>(row[0]);
    for (int64_t i = 1; i < n; ++i) result = F::Apply(result, Widened<T>(row[i]));
    return result;
  }
  alignas(64) T lanes[kLanes];
  for (int64_t k = 0; k < kLanes; ++k) lanes[k] = Widened<T>(row[k]);
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    HLOIR_VECTORIZE
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] = F::Apply(lanes[k], Widened<T>(row[i + k]));
  }
  if constexpr (std::is_same_v<T, Stored>) {
    if (i < n) BinaryOfMany<F, T, kVectorVector>(lanes, row + i, lanes, n - i);
  } else {
    for (int64_t k = 0; i + k < n; ++k) lanes[k] = F::Apply(lanes[k], Widened<T>(row[i + k]));
  }
  return FoldLanes<F, T, kLanes / 2>(lanes);
}

// Many rows of a few elements each, side by side, in ReduceRow's order.
template <class F, class T, int64_t length>
inline void ReduceShortRows(const T* a, T* out, int64_t rows) {
  HLOIR_VECTORIZE
  for (int64_t j = 0; j < rows; ++j) {
    T result = a[j * length];
    for (int64_t i = 1; i < length; ++i) result = F::Apply(result, a[j * length + i]);
    out[j] = result;
  }
}

template <class F, class T>
void ReduceRowsLoop(const TileOp& op, int64_t n) {
  const T* a = static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  const int64_t length = op.extra > 0 ? op.extra : n;
  if constexpr (std::is_same_v<F, AddFn> && kIsFloat<T>) {  // each costs build time
    if (length == 2 && n % 2 == 0) return ReduceShortRows<F, T, 2>(a, out, n / 2);
    if (length == 3 && n % 3 == 0) return ReduceShortRows<F, T, 3>(a, out, n / 3);
    if (length == 4 && n % 4 == 0) return ReduceShortRows<F, T, 4>(a, out, n / 4);
  }
  for (int64_t j = 0; j * length < n; ++j) out[j] = ReduceRow<F, T>(a + j * length, length);
}

template <class F>
void ReduceBf16RowsLoop(const TileOp& op, int64_t n) {
  const uint16_t* a = static_cast<const uint16_t*>(op.in[0]);
  float* out = static_cast<float*>(op.out);
  const int64_t length = op.extra > 0 ? op.extra : n;
  for (int64_t j = 0; j * length < n; ++j) out[j] = ReduceRow<F, float>(a + j * length, length);
}

template <TileType P>
void FillReduceOf(KernelTable& table) {
  using T = Cpp<P>;
  auto set = [&]<class F>(BinaryOp op, F) {
    if constexpr (F::template kHas<T>) {
      table.reduce_rows[static_cast<int>(op)][static_cast<int>(P)] = &ReduceRowsLoop<F, LoopType<F, T>>;
    }
  };
  set(BinaryOp::kAdd, AddFn());
  set(BinaryOp::kMultiply, MultiplyFn());
  set(BinaryOp::kMaximum, MaximumFn());
  set(BinaryOp::kMinimum, MinimumFn());
  set(BinaryOp::kAnd, AndFn());
  set(BinaryOp::kOr, OrFn());
  set(BinaryOp::kXor, XorFn());
}

inline void FillReduce(KernelTable& table) {
  FillReduceOf<TileType::kPred>(table);
  FillReduceOf<TileType::kS8>(table);
  FillReduceOf<TileType::kU8>(table);
  FillReduceOf<TileType::kS16>(table);
  FillReduceOf<TileType::kU16>(table);
  FillReduceOf<TileType::kS32>(table);
  FillReduceOf<TileType::kU32>(table);
  FillReduceOf<TileType::kS64>(table);
  FillReduceOf<TileType::kU64>(table);
  FillReduceOf<TileType::kF32>(table);
  FillReduceOf<TileType::kF64>(table);
  table.reduce_bf16_rows[static_cast<int>(BinaryOp::kAdd)] = &ReduceBf16RowsLoop<AddFn>;
  table.reduce_bf16_rows[static_cast<int>(BinaryOp::kMaximum)] = &ReduceBf16RowsLoop<MaximumFn>;
  table.reduce_bf16_rows[static_cast<int>(BinaryOp::kMinimum)] = &ReduceBf16RowsLoop<MinimumFn>;
}

}  // namespace
}  // namespace hloir::cpu
