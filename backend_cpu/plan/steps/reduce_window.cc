// reduce-window, row by row of results: for each tap of the window, one kernel call combines the row with the elements
// under that tap, as many as lie side by side. A window over all that came before is a scan: each result is made from
// the last. Tests: tests/ops/reduce-window-*.hlo, tests/unit/executable_kernels_test.cc.
#include <algorithm>

#include "support/format.h"
#include "plan/steps/kernel_choice.h"
#include "plan/graph/view.h"
#include "plan/steps/windows.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kMaxWindowWork = int64_t{1} << 32;
constexpr int64_t kElementsPerPart = 1 << 17;  // of combining work, to make a part worth a thread

struct Geometry {
  DimVector dims, out_dims, strides;  // of the operand, the result; operand strides in elements
  Window window;
  int along = 0;      // the last dimension whose window does anything
  int64_t inner = 1;  // elements after it, which lie side by side
  int64_t rows = 1;   // results before it
  int64_t row() const { return out_dims[along] * inner; }
};

bool Trivial(const WindowDimension& w) {
  return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.padding_high == 0 && w.base_dilation == 1;
}

Geometry MakeGeometry(const HloInstruction& instruction, const DimVector& order) {
  Geometry g;
  g.dims = instruction.operand(0)->shape().dimensions();
  g.out_dims = instruction.shape().dimensions();
  g.window = instruction.attributes<WindowAttributes>().window;
  if (!order.empty()) {
    const Geometry given = g;
    for (size_t i = 0; i < order.size(); ++i) {
      g.dims[i] = given.dims[order[i]];
      g.out_dims[i] = given.out_dims[order[i]];
      g.window[i] = given.window[order[i]];
    }
  }
  g.strides = View::RowMajor(g.dims).strides;
  g.along = static_cast<int>(g.dims.size()) - 1;
  while (g.along > 0 && Trivial(g.window[g.along])) g.inner *= g.dims[g.along--];
  for (int d = 0; d < g.along; ++d) g.rows *= g.out_dims[d];
  return g;
}

class ReduceWindowStep : public Step {
 public:
  ReduceWindowStep(Geometry geometry, BinaryOp op, PrimitiveType type, const KernelTable& kernels)
      : g_(std::move(geometry)), narrow_(Narrow(type)), storage_(StorageBytes(type)), kernels_(kernels) {
    TileType tile;
    TileTypeFor(type, &tile);
    const int t = static_cast<int>(tile);
    combine_ = kernels.binary[static_cast<int>(op)][t][kVectorVector];
    splat_ = kernels.splat[t];
    bytes_ = TileBytes(tile);
    strided_ = kernels.strided_load[Log2Bytes(storage_)];
    if (narrow_ && (op == BinaryOp::kAdd || op == BinaryOp::kMultiply)) {
      round_ = kernels.unary[static_cast<int>(*narrow_ == NarrowFloat::kBf16 ? UnaryOp::kRoundToBf16
                                                                             : UnaryOp::kRoundToF16)][t];
    }
    taps_ = TapCount(g_.window);
    const WindowDimension& w = g_.window[g_.along];
    const bool one = std::all_of(g_.window.begin(), g_.window.begin() + g_.along, Trivial);
    const bool plain = w.stride == 1 && w.window_dilation == 1 && w.base_dilation == 1 && w.size >= g_.dims[g_.along] &&
                       g_.out_dims[g_.along] == g_.dims[g_.along];
    scan_ = one && plain && !narrow_ && w.padding_low == w.size - 1 ? kForward
            : one && plain && !narrow_ && w.padding_low == 0        ? kBackward
                                                                    : kNone;
  }
  // Rows of tiles must find room in a thread's scratch memory, and the work be little enough for one step, which cannot
  // be cancelled.
  bool Fits() const {
    const int64_t results = g_.rows * g_.row();
    return scan_ != kNone ||
           (g_.row() <= kScratchBytes / 4 / bytes_ && taps_ <= kMaxWindowWork / std::max<int64_t>(results, 1));
  }

  bool Run(Runtime& runtime) override {
    const int64_t work = g_.rows * g_.row() * (scan_ != kNone ? 4 : taps_);
    const int64_t parts = std::clamp<int64_t>(work / kElementsPerPart, 1, std::min<int64_t>(32, g_.rows));
    runtime.pool->For(parts, 0.3 * static_cast<double>(work), [&](int64_t part, int thread) {
      const int64_t begin = g_.rows * part / parts, end = g_.rows * (part + 1) / parts;
      if (scan_ != kNone) Scan(begin, end);
      else
        for (int64_t row = begin; row < end; ++row) RunRow(row, runtime.scratch[thread]);
    });
    return true;
  }
  double Flops() const override {
    return static_cast<double>(g_.rows * g_.row()) * (scan_ != kNone ? 1 : static_cast<double>(taps_));
  }
  std::string Name() const override {
    return Format("reduce-window {} rows of {}, {}", g_.rows, g_.row(),
                  scan_ != kNone ? "scan" : Format("{} taps", taps_));
  }

 private:
  enum ScanKind { kNone, kForward, kBackward };

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

  void RunRow(int64_t row, std::byte* scratch) const {
    const int along = g_.along;
    const WindowDimension& w = g_.window[along];
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
    int64_t position[64], tap[64] = {};
    for (int64_t d = along, linear = row; d-- > 0; linear /= g_.out_dims[d]) position[d] = linear % g_.out_dims[d];
    while (true) {
      int64_t base = 0;
      bool inside = true;
      for (int d = 0; d < along && inside; ++d) {
        const WindowDimension& wd = g_.window[d];
        const int64_t place = position[d] * wd.stride + tap[d] * wd.window_dilation - wd.padding_low;
        inside = place >= 0 && place % wd.base_dilation == 0 && place / wd.base_dilation < g_.dims[d];
        base += place / wd.base_dilation * g_.strides[d];
      }
      if (inside)
        for (int64_t t = 0; t < w.size; ++t) RunTap(refs()[0].pointer + base * storage_, t, acc, scratch);
      int d = along - 1;
      for (; d >= 0; --d) {
        if (++tap[d] < g_.window[d].size) break;
        tap[d] = 0;
      }
      if (d < 0) break;
    }
    if (narrow_) {
      op.in[0] = acc, op.out = out;
      kernels_.narrow[static_cast<int>(*narrow_)](op, n);
    }
  }

  // One tap of the last dimension, for all results that it has an element for.
  void RunTap(const std::byte* x, int64_t t, std::byte* acc, std::byte* scratch) const {
    const WindowDimension& w = g_.window[g_.along];
    const int64_t size = g_.dims[g_.along], results = g_.out_dims[g_.along], inner = g_.inner;
    const int64_t shift = t * w.window_dilation - w.padding_low;  // result j takes place j·stride + shift
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

  // Rows take turns, so that one's latency hides behind the others'.
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
        const int64_t first = scan_ == kForward ? 0 : (length - 1) * step, next = scan_ == kForward ? step : -step;
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

  // Rows as lanes: a block of them is turned around, scanned as vectors, and turned back.
  void ScanShortSteps(int64_t r0, int64_t r1) const {
    if (storage_ == 4) ScanTurned<uint32_t>(r0, r1);
    else ScanTurned<uint64_t>(r0, r1);
  }
  template <class T>
  void ScanTurned(int64_t r0, int64_t r1) const {
    constexpr int64_t kRows = 64, kBlock = 32;
    alignas(64) T in[kBlock * kRows], state[kRows];
    const int64_t length = g_.dims[g_.along], rows = r1 - r0;
    const T* x = reinterpret_cast<const T*>(refs()[0].pointer) + r0 * length;
    T* out = reinterpret_cast<T*>(refs()[first_written()].pointer) + r0 * length;
    for (int64_t r = 0; r < rows; ++r) state[r] = *reinterpret_cast<const T*>(refs()[1].pointer);
    for (int64_t i0 = 0; i0 < length; i0 += kBlock) {
      const int64_t n = std::min(kBlock, length - i0);
      auto at = [&](int64_t i) { return scan_ == kForward ? i0 + i : length - 1 - i0 - i; };
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < n; ++i) in[i * kRows + r] = x[r * length + at(i)];
      for (int64_t i = 0; i < n; ++i)
        Combine(i == 0 ? state : in + (i - 1) * kRows, in + i * kRows, in + i * kRows, rows);
      std::copy_n(in + (n - 1) * kRows, rows, state);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < n; ++i) out[r * length + at(i)] = in[i * kRows + r];
    }
  }

  const Geometry g_;
  const std::optional<NarrowFloat> narrow_;
  const int64_t storage_;  // bytes of an element in memory, and in a tile
  int64_t bytes_ = 4;
  const KernelTable& kernels_;
  TileKernel combine_ = nullptr, splat_ = nullptr, strided_ = nullptr, round_ = nullptr;
  int64_t taps_ = 1;
  ScanKind scan_ = kNone;
};

}  // namespace

int64_t TapCount(const Window& window) {
  int64_t taps = 1;
  for (const WindowDimension& w : window)
    if (__builtin_mul_overflow(taps, w.size, &taps)) return INT64_MAX;
  return taps;
}

std::unique_ptr<Step> MakeReduceWindow(const HloInstruction& instruction, const KernelTable& kernels,
                                       const DimVector& order) {
  if (instruction.operand_count() != 2 || !instruction.shape().IsArray() || instruction.shape().rank() == 0 ||
      instruction.shape().rank() > 64 ||
      instruction.attributes<WindowAttributes>().window.size() != static_cast<size_t>(instruction.shape().rank())) {
    return nullptr;
  }
  const PrimitiveType type = instruction.shape().element_type();
  const auto op = ReducerOp(*instruction.to_apply());
  TileType tile;
  if (!op || IsComplex(type) || !TileTypeFor(type, &tile) || instruction.operand(0)->shape().element_type() != type ||
      instruction.to_apply()->root()->shape().element_type() != type ||
      kernels.binary[static_cast<int>(*op)][static_cast<int>(tile)][kVectorVector] == nullptr) {
    return nullptr;
  }
  auto step = std::make_unique<ReduceWindowStep>(MakeGeometry(instruction, order), *op, type, kernels);
  if (!step->Fits()) return nullptr;
  return step;
}

}  // namespace hloir::cpu
