// reduce-window, row by row of results: by one kernel call for all taps, or for each tap of the window by one that
// combines the row with the contiguous elements under that tap. A window over all previous elements is a scan: each
// result is computed from the previous one. Tests: tests/ops/reduce-window-*.hlo,
// tests/unit/executable_kernels_test.cc.
#include <algorithm>

#include "kernels/transpose_square.h"
#include "support/format.h"
#include "plan/capability/kernel_choice.h"
#include "plan/capability/reduce_window_plan.h"
#include "plan/steps/windows.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kElementsPerPart = 1 << 17;  // minimal work of a part
constexpr int64_t kMostTaps = 256;             // whose places are listed

class ReduceWindowStep : public Step {
 public:
  ReduceWindowStep(ReduceWindowPlan plan, const KernelTable& kernels)
      : g_(std::move(plan)),
        narrow_(Narrow(g_.type)),
        storage_(StorageBytes(g_.type)),
        bytes_(TileBytes(g_.tile)),
        kernels_(kernels) {
    const int t = static_cast<int>(g_.tile);
    combine_ = kernels.binary[static_cast<int>(g_.op)][t][kVectorVector];
    splat_ = kernels.splat[t];
    strided_ = kernels.strided_load[Log2Bytes(storage_)];
    const WindowDimension& w = g_.window[g_.along];
    if (!narrow_ && w.base_dilation == 1 && (w.stride == 1 || g_.inner > 1) && g_.taps <= kMostTaps)
      rows_ = kernels.window_rows[static_cast<int>(g_.op)][t];
    if (narrow_ && (g_.op == BinaryOp::kAdd || g_.op == BinaryOp::kMultiply)) {
      round_ = kernels.unary[static_cast<int>(*narrow_ == NarrowFloat::kBf16 ? UnaryOp::kRoundToBf16
                                                                             : UnaryOp::kRoundToF16)][t];
    }
  }

  bool Run(Runtime& runtime) override {
    const int64_t work = g_.rows * g_.row() * (g_.scan != ReduceWindowPlan::kNone ? 4 : g_.taps);
    const int64_t parts = std::clamp<int64_t>(work / kElementsPerPart, 1, std::min<int64_t>(32, g_.rows));
    runtime.pool->For(parts, 0.3 * static_cast<double>(work), [&](int64_t part, int thread) {
      const int64_t begin = g_.rows * part / parts, end = g_.rows * (part + 1) / parts;
      if (g_.scan != ReduceWindowPlan::kNone) Scan(begin, end);
      else
        for (int64_t row = begin; row < end; ++row) RunRow(row, runtime.scratch[thread]);
    });
    return true;
  }
  double Flops() const override {
    return static_cast<double>(g_.rows * g_.row()) *
           (g_.scan != ReduceWindowPlan::kNone ? 1 : static_cast<double>(g_.taps));
  }
  std::string Name() const override {
    return Format("reduce-window {} rows of {}, {}", g_.rows, g_.row(),
                  g_.scan != ReduceWindowPlan::kNone ? "scan" : Format("{} taps", g_.taps));
  }

 private:
  void Combine(const void* a, const void* b, void* out, int64_t n) const {
    TileOp op;
    op.in[0] = a, op.in[1] = b, op.out = out;
    combine_(op, n);
  }

  // acc = acc op x, for n elements of memory `stride` apart; acc is a tile.
  void Accumulate(std::byte* acc, const std::byte* x, int64_t stride, int64_t n, std::byte* scratch) const {
    TileOp op;
    if (stride != 1) {
      op.in[0] = x, op.out = scratch, op.extra = stride;
      strided_(op, n);
      x = scratch;
      scratch += (g_.row() * storage_ + 63) / 64 * 64;
    }
    if (narrow_) {
      op = TileOp();
      op.in[0] = x, op.out = scratch;
      kernels_.widen[static_cast<int>(*narrow_)](op, n);
      x = scratch;
    }
    Combine(acc, x, acc, n);
    if (round_ != nullptr) {
      op = TileOp();
      op.in[0] = op.out = acc;
      round_(op, n);
    }
  }

  // Calls visit(the first element of a row of the operand) for each tap of the other dimensions, if it is inside.
  template <class Visit>
  void ForOuterTaps(int64_t row, const Visit& visit) const {
    int64_t position[64], tap[64] = {};
    for (int64_t d = g_.along, linear = row; d-- > 0; linear /= g_.out_dims[d]) position[d] = linear % g_.out_dims[d];
    while (true) {
      int64_t base = 0;
      bool inside = true;
      for (int d = 0; d < g_.along && inside; ++d) {
        const WindowDimension& wd = g_.window[d];
        int64_t place = position[d] * wd.stride + tap[d] * wd.window_dilation - wd.padding_low;
        inside = place >= 0;
        if (wd.base_dilation != 1) inside = inside && place % wd.base_dilation == 0, place /= wd.base_dilation;
        inside = inside && place < g_.dims[d];
        base += place * g_.strides[d];
      }
      if (inside) visit(base);
      int d = g_.along - 1;
      for (; d >= 0; --d) {
        if (++tap[d] < g_.window[d].size) break;
        tap[d] = 0;
      }
      if (d < 0) break;
    }
  }

  // By one kernel for all taps: results whose whole window is inside along the last dimension, and each of the others.
  void RunWindows(int64_t row) const {
    const WindowDimension& w = g_.window[g_.along];
    const int64_t size = g_.dims[g_.along], results = g_.out_dims[g_.along], inner = g_.inner;
    int64_t bases[kMostTaps], base_count = 0, taps[kMostTaps];
    ForOuterTaps(row, [&](int64_t base) { bases[base_count++] = base; });
    std::byte* out = refs()[first_written()].pointer + row * g_.row() * storage_;
    const auto run = [&](int64_t first, int64_t count) {
      TapRows rows{count, inner, w.stride * inner, 0, taps};
      if (w.stride == 1) rows.results = 1, rows.inner = count * inner;
      for (int64_t b = 0; b < base_count; ++b) {
        for (int64_t t = 0; t < w.size; ++t) {
          const int64_t place = first * w.stride + t * w.window_dilation - w.padding_low;
          if (place >= 0 && place < size) taps[rows.tap_count++] = bases[b] + place * inner;
        }
      }
      rows_(rows, refs()[1].pointer, refs()[0].pointer, out + first * inner * storage_);
    };
    const int64_t room = size - 1 + w.padding_low - (w.size - 1) * w.window_dilation;  // of the last whole window
    const int64_t low = std::clamp<int64_t>((w.padding_low + w.stride - 1) / w.stride, 0, results);
    const int64_t high = std::clamp<int64_t>(room < 0 ? 0 : room / w.stride + 1, low, results);
    for (int64_t j = 0; j < low; ++j) run(j, 1);
    if (low < high) run(low, high - low);
    for (int64_t j = high; j < results; ++j) run(j, 1);
  }

  void RunRow(int64_t row, std::byte* scratch) const {
    if (rows_ != nullptr) return RunWindows(row);
    const WindowDimension& w = g_.window[g_.along];
    const int64_t n = g_.row();
    std::byte* out = refs()[first_written()].pointer + row * n * storage_;
    std::byte* acc = out;
    TileOp op;
    if (narrow_) {
      acc = scratch;
      scratch += (n * bytes_ + 63) / 64 * 64;
      op.in[0] = refs()[1].pointer, op.out = scratch;
      kernels_.widen[static_cast<int>(*narrow_)](op, 1);
      op.in[0] = scratch, op.out = acc;
    } else {
      op.in[0] = refs()[1].pointer, op.out = acc;
    }
    splat_(op, n);
    ForOuterTaps(row, [&](int64_t base) {
      for (int64_t t = 0; t < w.size; ++t) RunTap(refs()[0].pointer + base * storage_, t, acc, scratch);
    });
    if (narrow_) {
      op.in[0] = acc, op.out = out;
      kernels_.narrow[static_cast<int>(*narrow_)](op, n);
    }
  }

  // One tap of the last dimension, for all results with an element under it.
  void RunTap(const std::byte* x, int64_t t, std::byte* acc, std::byte* scratch) const {
    const WindowDimension& w = g_.window[g_.along];
    const int64_t size = g_.dims[g_.along], results = g_.out_dims[g_.along], inner = g_.inner;
    const int64_t shift = t * w.window_dilation - w.padding_low;  // result j reads element j·stride + shift
    if (w.base_dilation == 1 && (w.stride == 1 || inner == 1)) {
      const int64_t low = shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
      const int64_t room = size - 1 - shift;
      const int64_t high = room < 0 ? 0 : std::min(results, room / w.stride + 1);
      if (low < high) {
        Accumulate(acc + low * inner * bytes_, x + (low * w.stride + shift) * inner * storage_,
                   inner == 1 ? w.stride : 1, (high - low) * inner, scratch);
      }
      return;
    }
    for (int64_t j = 0; j < results; ++j) {
      const int64_t place = j * w.stride + shift;
      if (place < 0 || place % w.base_dilation != 0 || place / w.base_dilation >= size) continue;
      Accumulate(acc + j * inner * bytes_, x + place / w.base_dilation * inner * storage_, 1, inner, scratch);
    }
  }

  // Interleaves rows, to hide latency.
  void Scan(int64_t begin, int64_t end) const {
    constexpr int64_t kRows = 64;
    const int64_t length = g_.dims[g_.along], row = g_.row(), step = g_.inner * storage_;
    const std::byte *x = refs()[0].pointer, *init = refs()[1].pointer;
    std::byte* out = refs()[first_written()].pointer;
    for (int64_t r0 = begin; r0 < end; r0 += kRows) {
      const int64_t r1 = std::min(end, r0 + kRows);
      if (g_.inner == 1 && storage_ >= 4) {
        ScanShortSteps(r0, r1);
        continue;
      }
      for (int64_t r = r0; r < r1; ++r) {
        const int64_t first = g_.scan == ReduceWindowPlan::kForward ? 0 : (length - 1) * step,
                      next = g_.scan == ReduceWindowPlan::kForward ? step : -step;
        std::byte* to = out + r * row * storage_ + first;
        const std::byte* from = x + r * row * storage_ + first;
        TileOp op;
        op.in[0] = init, op.out = to;
        splat_(op, g_.inner);
        Combine(to, from, to, g_.inner);
        for (int64_t i = 1; i < length; ++i, to += next) Combine(to, from += next, to + next, g_.inner);
      }
    }
  }

  // Rows as lanes: a block of them is transposed, scanned as vectors, and transposed back.
  void ScanShortSteps(int64_t r0, int64_t r1) const {
    if (storage_ == 4) ScanTurned<uint32_t>(r0, r1);
    else ScanTurned<uint64_t>(r0, r1);
  }
  template <class T>
  void ScanTurned(int64_t r0, int64_t r1) const {
    constexpr int64_t kRows = 64, kBlock = 32;
    alignas(64) T in[kBlock * kRows], state[kRows];
    const int64_t length = g_.dims[g_.along], rows = r1 - r0;
    const bool forward = g_.scan == ReduceWindowPlan::kForward;
    const T* x = reinterpret_cast<const T*>(refs()[0].pointer) + r0 * length;
    T* out = reinterpret_cast<T*>(refs()[first_written()].pointer) + r0 * length;
    for (int64_t r = 0; r < rows; ++r) state[r] = *reinterpret_cast<const T*>(refs()[1].pointer);
    for (int64_t i0 = 0; i0 < length; i0 += kBlock) {
      const int64_t n = std::min(kBlock, length - i0), first = forward ? i0 : length - i0 - n;
      T* const begin = forward ? in : in + (n - 1) * kRows;
      const int64_t step = forward ? kRows : -kRows;
      TransposeBlock(x + first, length, rows, n, begin, step);
      for (int64_t i = 0; i < n; ++i)
        Combine(i == 0 ? state : in + (i - 1) * kRows, in + i * kRows, in + i * kRows, rows);
      std::copy_n(in + (n - 1) * kRows, rows, state);
      TransposeBlock<T>(begin, step, n, rows, out + first, length, /*writes_rows=*/true);
    }
  }

  const ReduceWindowPlan g_;
  const std::optional<NarrowFloat> narrow_;
  const int64_t storage_, bytes_;  // of an element in memory, and in a tile
  const KernelTable& kernels_;
  TileKernel combine_ = nullptr, splat_ = nullptr, strided_ = nullptr, round_ = nullptr;
  TapRows::Kernel rows_ = nullptr;  // null: tap by tap
};

}  // namespace

std::unique_ptr<Step> MakeReduceWindow(const HloInstruction& instruction, const KernelTable& kernels,
                                       const DimVector& order) {
  std::optional<ReduceWindowPlan> plan = PlanReduceWindow(instruction, kernels, order);
  return plan ? std::make_unique<ReduceWindowStep>(std::move(*plan), kernels) : nullptr;
}

}  // namespace hloir::cpu
