// See dot.h. The blocking is Goto's: a block of one operand stays in L2, a panel of the other in L1, a tile of C in
// registers. The part of a thread is packed into its own scratch memory, shared parts into the first thread's.
#include "plan/steps/dot.h"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "support/format.h"
#include "plan/steps/gemm_packing.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kPanelBytes = 48 << 10;    // of B, at most: successive tiles read it from the nearest caches
constexpr int64_t kSharedBytes = 512 << 10;  // of A, if the threads share it: the second cache holds all of it
constexpr int64_t kFarBytes = 2 << 20;       // of B, if they share that: the third cache holds it
constexpr int64_t kOwnBytes = 240 << 10;     // of the block that each has for itself
constexpr int64_t kDirect = 32 * 32 * 32;    // products up to this size are not worth packing
constexpr int64_t kFewRows = 4;              // tiles, one below the other: packing B would take longer than it saves
constexpr int64_t kMostRowsPacked = 128;     // of A, above which packing B before a loop does not pay
constexpr int64_t kNearBytes = 512;          // stride above which steps evict each other from the caches
constexpr int64_t kFewRowsBytes = 16 << 10;  // of their sums, which must fit the first-level cache together with the
                                             // operands
constexpr int64_t kTasks = 8,
                  kRun = 4;     // the least number of tasks, and of panels per task, if threads share a product
constexpr int64_t kParts = 16;  // of a product in place that threads share, at most of its panels
constexpr int64_t kAlign = 64;
// Estimates of time for the number of threads: per column of a tile, which depends on the vector length; the factor for
// hardware tiles; of packing; and of reading a matrix that is used once.
constexpr double kFlopsPerNanoAndColumn = 4, kTilesTimes = 12, kNanosPerPacked = 0.3, kNanosPerByteOnce = 0.04;

int64_t ComputeBytes(GemmType type) { return type == GemmType::kF64 ? 8 : 4; }
int64_t RoundUp(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// The size of the second-level cache; assumed to be large if unknown.
int64_t SecondCacheBytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return 1 << 20;
}

// The common difference of the offsets, if they have one; 0 for a single one.
bool Stride(const std::vector<int64_t>& offsets, int64_t* stride) {
  *stride = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != *stride) return false;
  return true;
}

void StoreNarrowInts(int64_t bytes, const int32_t* from, std::byte* to, int64_t n) {
  if (bytes == 1)
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(from[i]);
  else
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<uint16_t*>(to)[i] = static_cast<uint16_t>(from[i]);
}

constexpr int64_t kRowsOfPanel[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

class GemmStep : public Step {
 public:
  GemmStep(GemmProblem problem, const KernelTable& kernels)
      : p_(std::move(problem)),
        type_(KernelsFor(p_, kernels)),
        kernels_(kernels.gemm[static_cast<int>(type_)]),
        bytes_(ComputeBytes(p_.compute)),
        table_(kernels),
        pack_a_(PackerFor(p_.a.type, type_, kernels_, true)),
        pack_b_(PackerFor(p_.b.type, type_, kernels_, false)) {
    if (p_.c_row == 0) p_.c_row = p_.n;
    if (p_.c_offsets.empty())
      for (int64_t b = 0; b < p_.batch; ++b) p_.c_offsets.push_back(b * p_.m * p_.n);
    Choose();
    nanoseconds_ = NanosOf(p_.m, p_.n, p_.k) * static_cast<double>(p_.batch);
    if (how_ == kPacked || how_ == kPackedB)
      nanoseconds_ += kNanosPerPacked * static_cast<double>(p_.batch * p_.k * (how_ == kPacked ? p_.m + p_.n : p_.n));
    if (how_ == kRowTimesMatrix || how_ == kMatrixTimesColumn || how_ == kRowsTimesTransposed) {
      const double matrix = static_cast<double>(p_.batch * std::max(p_.m, p_.n) * p_.k * bytes_);
      nanoseconds_ = std::max(nanoseconds_, kNanosPerByteOnce * matrix);
    }
    parallel_ = nanoseconds_ >= 2 * kNanosPerThread;
    by_batch_ = p_.batch >= 4;
    a_ = {&p_.a, &pack_a_, p_.m, how_ == kPackedB || how_ == kInPlace ? kernels_.rows_in_place : kernels_.rows};
    b_ = {&p_.b, &pack_b_, p_.n, kernels_.columns};
    ChooseBlockK();
    if (p_.b_packed) packed_ = {p_.b, pack_b_, p_.n, p_.k, block_k_, b_.width};
    // All panels of A are read again for each panel of B: A's block must fit half of the second-level cache. A is
    // shared as a whole if it fits; otherwise B is, in blocks of equal size. Packing B for hardware tiles is slow, so
    // it is done once.
    auto most = [&](const Side& side, int64_t bytes) {
      return bytes / side.pack->PanelBytes(block_k_, side.width) * side.width;
    };
    const int64_t half = SecondCacheBytes() / 2;
    const int64_t a_bytes = pack_a_.PanelBytes(block_k_, p_.m), b_bytes = pack_b_.PanelBytes(block_k_, p_.n);
    if (how_ == kPacked && !HasTiles() && p_.m <= most(a_, std::min(kSharedBytes, half)) && a_bytes <= b_bytes)
      how_ = kPackedShareA;
    const bool share_a = how_ == kPackedShareA;
    Side &shared = share_a ? a_ : b_, &own = share_a ? b_ : a_;
    shared.block = EqualBlocks(shared, share_a ? p_.m : most(b_, kFarBytes));
    own.block = share_a ? kPanelsTogether * own.width
                        : EqualBlocks(own, std::max(own.width, most(a_, std::min(kOwnBytes, half))));
    if (how_ == kInPlace && parallel_ && !by_batch_) {
      // Enough rows for blocks and panels to be the parts.
      const int64_t rows = p_.m * std::min(kParts, p_.n / kernels_.columns) / kParts;
      a_.block = std::min(a_.block, RoundUp(std::max(rows, 2 * a_.width), a_.width));
    }
    if (how_ == kPackedB) PlanWindows();
    tile_bytes_ = RoundUp(kernels_.rows * kernels_.columns * bytes_, kAlign);
    if (how_ == kPacked || how_ == kPackedShareA) {
      const bool single = pack_a_.group == 1 && kernels_.tile_in_place[0] != nullptr && kernels_.pack_rows == nullptr;
      if (single) rows_at_edge_ = std::min<int64_t>(kernels_.rows_in_place, a_.width - 1);
    }
    shared_bytes_ = IsPacked() ? RoundUp(shared.pack->PanelBytes(block_k_, shared.block), kAlign) : 0;
    const int64_t result_bytes = StorageBytes(p_.result);
    by_tile_ = result_bytes != bytes_ && IsPacked() && block_k_ >= p_.k;
    c_bytes_ = by_tile_ ? result_bytes : bytes_;
    wide_bytes_ = result_bytes != bytes_ && !by_tile_ ? RoundUp(p_.batch * p_.m * p_.n * bytes_, kAlign) : 0;
    shared_at_ =
        RoundUp(kAlign + tile_bytes_ + (how_ == kPackedB ? 0 : own.pack->PanelBytes(block_k_, own.block)), kAlign);
  }
  int64_t scratch_bytes() const { return wide_bytes_; }
  const PackedOperand& packed_b() const { return packed_; }
  // True if each run packs B, or reads it in rows that are far apart.
  bool GainsByPackedB() const { return how_ != kInPlace || TakesFewRows() || b_k_ * bytes_ > 2 * kNearBytes; }
  double Flops() const override { return 2.0 * static_cast<double>(p_.batch) * p_.m * p_.n * p_.k; }

  bool Run(Runtime& runtime) override {
    std::byte* c = wide_bytes_ > 0 ? written(1).pointer : written(0).pointer;
    auto batch = [&](int64_t b, int thread) {
      const std::byte* a_data = ref(0).pointer + p_.a.batch_offsets[b] * StorageBytes(p_.a.type);
      const std::byte* b_data =
          ref(1).pointer + (p_.b_packed ? packed_.PanelAt(b, 0, 0) : p_.b.batch_offsets[b] * StorageBytes(p_.b.type));
      std::byte* c_batch = c + p_.c_offsets[b] * c_bytes_;
      switch (how_) {
        case kPacked:
        case kPackedShareA:
        case kPackedB: RunPacked(runtime, a_data, b_data, c_batch, thread); break;
        case kInPlace: RunInPlace(runtime, a_data, b_data, c_batch, thread); break;
        case kRowTimesMatrix: RunRows(runtime, a_data, b_data, c_batch); break;
        case kMatrixTimesColumn: RunColumn(runtime, a_data, b_data, c_batch); break;
        case kRowsTimesTransposed: RunTransposed(runtime, a_data, b_data, c_batch); break;
      }
    };
    backwards_ = !backwards_;
    if (by_batch_ && parallel_) runtime.pool->For(p_.batch, nanoseconds_, batch);
    else
      for (int64_t b = 0; b < p_.batch; ++b) batch(b, 0);
    if (wide_bytes_ > 0) {
      const int64_t count = p_.batch * p_.m * p_.n, parts = std::clamp<int64_t>(count >> 15, 1, 16);
      runtime.pool->For(parts, 0.5 * static_cast<double>(count), [&](int64_t part, int) {
        const int64_t begin = count * part / parts, n = count * (part + 1) / parts - begin;
        std::byte* to = written(0).pointer + begin * StorageBytes(p_.result);
        std::byte* from = c + begin * bytes_;
        Round(from, n);
        Narrow(from, to, n);
      });
    }
    return true;
  }

  std::string Name() const override {
    return Format("{} {}[{}x{}x{}] {}{}", p_.name, p_.batch > 1 ? Format("{}*", p_.batch) : "", p_.m, p_.n, p_.k,
                  PrimitiveTypeName(p_.a.type),
                  shared_bytes_ > 0  ? ""
                  : how_ == kInPlace ? " in place"
                                     : " direct");
  }

 private:
  // Packed: the threads share B, or A, and each packs the other itself; or A is read in place.
  enum How { kPacked, kPackedShareA, kPackedB, kInPlace, kRowTimesMatrix, kMatrixTimesColumn, kRowsTimesTransposed };

  // An operand's rows, or columns, in panels of `width`, of which a block is packed at a time.
  struct Side {
    const GemmOperand* operand = nullptr;
    const GemmPacker* pack = nullptr;
    int64_t size = 0, width = 0, block = 0;
  };
  static int64_t EqualBlocks(const Side& side, int64_t most) {
    const int64_t blocks = std::max<int64_t>(1, (side.size + most - 1) / most);
    return RoundUp((side.size + blocks - 1) / blocks, side.width);
  }

  bool HasTiles() const { return kernels_.enter != nullptr; }
  bool IsPacked() const { return how_ == kPacked || how_ == kPackedShareA || how_ == kPackedB; }

  // Blocks of equal size; with all of k if the result is narrower than the sums and cannot store partial sums.
  void ChooseBlockK() {
    // An unpacked A leaves the caches to B, so that the result is written and read less often.
    const int64_t bytes = how_ == kPackedB ? 2 * kPanelBytes : kPanelBytes;
    const int64_t most = bytes / (kernels_.columns * pack_a_.element_bytes), blocks = (p_.k + most - 1) / most,
                  all = RoundUp(p_.k, pack_a_.group);
    block_k_ = RoundUp((p_.k + blocks - 1) / blocks, pack_a_.group);
    const int64_t panel = std::max(pack_a_.PanelBytes(all, a_.width), pack_b_.PanelBytes(all, b_.width));
    if (StorageBytes(p_.result) != bytes_ && panel <= kOwnBytes / 2) block_k_ = all;
  }

  // Sums as their type has them, to the result's; they are overwritten.
  void Round(std::byte* sums, int64_t n) const {
    if (p_.compute != GemmType::kF32) return;
    const UnaryOp round = p_.result == PrimitiveType::BF16 ? UnaryOp::kRoundToBf16 : UnaryOp::kRoundToF16;
    const TileOp op{.in = {sums}, .out = sums};
    table_.unary[static_cast<int>(round)][static_cast<int>(TileType::kF32)](op, n);
  }
  void Narrow(const std::byte* rounded, std::byte* to, int64_t n) const {
    if (p_.compute != GemmType::kF32)
      return StoreNarrowInts(StorageBytes(p_.result), reinterpret_cast<const int32_t*>(rounded), to, n);
    const NarrowFloat type = p_.result == PrimitiveType::BF16 ? NarrowFloat::kBf16 : NarrowFloat::kF16;
    const TileOp op{.in = {rounded}, .out = to};
    table_.narrow[static_cast<int>(type)](op, n);
  }

  double NanosOf(int64_t m, int64_t n, int64_t k) const {
    return (HasTiles() ? 2.0 / kTilesTimes : 2.0) *
           static_cast<double>(RoundUp(m, how_ == kPacked ? kernels_.rows : 1)) * static_cast<double>(n) *
           static_cast<double>(k) / (kFlopsPerNanoAndColumn * kernels_.columns);
  }

  // Vectors and small matrices are multiplied in place, if their types and strides allow it.
  void Choose() {
    how_ = kPacked;
    if (!p_.windows.empty()) {
      how_ = kPackedB;
      return;
    }
    if (p_.b_packed) {
      Stride(p_.a.row_offsets, &a_row_), Stride(p_.a.k_offsets, &a_k_);
      MultiplyInPlace();
      return;
    }
    const bool bf16 = TakesBf16();
    if (!bf16 && (!IsTakenInPlace(p_.compute, p_.a.type) || !IsTakenInPlace(p_.compute, p_.b.type))) return;
    if (p_.c_row != p_.n) return;
    if (!Stride(p_.a.row_offsets, &a_row_) || !Stride(p_.a.k_offsets, &a_k_) || !Stride(p_.b.row_offsets, &b_row_) ||
        !Stride(p_.b.k_offsets, &b_k_)) {
      return;
    }
    if (bf16) {
      if (b_row_ == 1 && p_.m <= 2 && p_.n >= kernels_.columns) how_ = kRowTimesMatrix;
      return;
    }
    const bool small = p_.m * p_.n * p_.k <= kDirect;
    if ((b_row_ == 1 || p_.n == 1) && (p_.m <= 2 || small) && p_.n > 1) how_ = kRowTimesMatrix;
    else if (p_.n == 1 && (a_k_ == 1 || p_.k == 1) && (b_k_ == 1 || p_.k == 1)) how_ = kMatrixTimesColumn;
    // With few columns, a tile would be mostly zeros.
    else if ((p_.m == 1 || (small && 2 * p_.n <= kernels_.columns)) && (a_k_ == 1 || p_.k == 1) &&
             (b_k_ == 1 || p_.k == 1))
      how_ = kRowsTimesTransposed;
    else if (p_.n >= kernels_.columns && b_row_ == 1 &&
             (p_.m <= kFewRows * kernels_.rows || std::max(a_k_, b_k_) * bytes_ <= kNearBytes))
      MultiplyInPlace();
  }
  void MultiplyInPlace() {
    how_ = kInPlace;
    if (p_.m % 2 != 0) p_.a.row_offsets.push_back(p_.a.row_offsets.back());  // see RowsInPlace
  }
  bool TakesBf16() const {
    return p_.compute == GemmType::kF32 && p_.a.type == PrimitiveType::BF16 && p_.b.type == PrimitiveType::BF16;
  }
  // The height of the first of several tiles of similar height. It is even: a row past the last repeats it, and its
  // results are dropped.
  int64_t RowsInPlace(int64_t rows) const {
    const int64_t tiles = (rows + kernels_.rows_in_place - 1) / kernels_.rows_in_place;
    return std::min(rows, RoundUp((rows + tiles - 1) / tiles, 2));
  }

  // Runs f(begin, end) over `count` columns or rows, in parallel if there is much to do. The sum of a column does not
  // depend on the length of runs; long runs of a row are read faster.
  template <class F>
  void Split(Runtime& runtime, int64_t count, int64_t unit, F&& f) const {
    const double nanoseconds = nanoseconds_ / static_cast<double>(p_.batch);
    const int64_t units = (count + unit - 1) / unit,
                  threads = parallel_ && !by_batch_ ? runtime.pool->ThreadsFor(units, nanoseconds) : 1;
    if (threads == 1) return f(0, count);
    const int64_t parts = std::min(units, 2 * threads), step = RoundUp((count + parts - 1) / parts, unit);
    runtime.pool->For(parts, nanoseconds, [&](int64_t part, int) {
      if (part * step < count) f(part * step, std::min(count, (part + 1) * step));
    });
  }
  void RunRows(Runtime& runtime, const std::byte* a, const std::byte* b, std::byte* c) const {
    const int64_t bytes = StorageBytes(p_.b.type);
    const auto multiply =
        TakesBf16() ? table_.gemm[static_cast<int>(GemmType::kF32)].vector_matrix_bf16 : kernels_.vector_matrix;
    Split(runtime, p_.n, 128, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < p_.m; ++i) {
        multiply(p_.k, end - begin, a + (p_.a.row_offsets[i] + p_.a.k_offsets[0]) * bytes, a_k_,
                 b + (p_.b.row_offsets[begin] + p_.b.k_offsets[0]) * bytes, b_k_, c + (i * p_.n + begin) * bytes_);
      }
    });
  }
  void RunColumn(Runtime& runtime, const std::byte* a, const std::byte* b, std::byte* c) const {
    Split(runtime, p_.m, 16, [&](int64_t begin, int64_t end) {
      kernels_.matrix_vector(end - begin, p_.k, a + (p_.a.row_offsets[begin] + p_.a.k_offsets[0]) * bytes_, a_row_,
                             b + (p_.b.row_offsets[0] + p_.b.k_offsets[0]) * bytes_, c + begin * bytes_, backwards_);
    });
  }
  void RunTransposed(Runtime& runtime, const std::byte* a, const std::byte* b, std::byte* c) const {
    Split(runtime, p_.n, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < p_.m; ++i) {
        kernels_.matrix_vector(end - begin, p_.k, b + (p_.b.row_offsets[begin] + p_.b.k_offsets[0]) * bytes_, b_row_,
                               a + (p_.a.row_offsets[i] + p_.a.k_offsets[0]) * bytes_, c + (i * p_.n + begin) * bytes_,
                               backwards_ != (i % 2 != 0));
      }
    });
  }

  // Panels of B's columns, each multiplied with a block of rows; only the last one, if it is narrower, is packed.
  void RunInPlace(Runtime& runtime, const std::byte* a, const std::byte* b, std::byte* c, int thread) {
    const int64_t columns = kernels_.columns, panels = (p_.n + columns - 1) / columns;
    const bool share = parallel_ && !by_batch_;
    const int64_t blocks = (p_.m + a_.block - 1) / a_.block, runs = share ? std::min(kParts, panels) : 1;
    const double nanoseconds = share ? nanoseconds_ / static_cast<double>(p_.batch) : 0;
    runtime.pool->For(blocks * runs, nanoseconds, [&](int64_t part, int t) {
      std::byte* tile = runtime.scratch[static_cast<size_t>(share ? t : thread)];
      std::byte* b_pack = tile + tile_bytes_;
      const int64_t run = part % runs, first = part / runs * a_.block, last = std::min(p_.m, first + a_.block);
      const int64_t end = std::min(p_.n, panels * (run + 1) / runs * columns);
      int64_t begin = panels * run / runs * columns;
      if (TakesFewRows()) begin = RunFewRows(a, b, c, first, last, begin, end, tile);
      for (int64_t k0 = 0; k0 < p_.k; k0 += block_k_) {
        const int64_t ks = std::min(p_.k - k0, block_k_);
        const TileRun run_of_k{p_.a.k_offsets[k0], 0, ks};
        for (int64_t n = begin; n < end; n += columns) {
          const int64_t width = std::min(columns, p_.n - n);
          const std::byte* b_panel =
              p_.b_packed ? b + packed_.PanelAt(0, k0, n) : b + (p_.b.row_offsets[n] + p_.b.k_offsets[k0]) * bytes_;
          if (width < columns && !p_.b_packed) {
            pack_b_.pack(b, p_.b.row_offsets.data() + n, width, p_.b.k_offsets.data() + k0, ks, columns, b_pack);
            b_panel = b_pack;
          }
          for (int64_t m = first, rows = 0; m < last; m += rows) {
            rows = RowsInPlace(last - m);
            const auto multiply = kernels_.tile_in_place[(rows - 1) / 2];
            const int64_t* a_rows = p_.a.row_offsets.data() + m;
            std::byte* to = c + (m * p_.c_row + n) * bytes_;
            const int64_t step = width < columns || p_.b_packed ? columns : b_k_;
            if (rows % 2 == 0 && width == columns) {
              multiply(&run_of_k, 1, a, a_rows, a_k_, b_panel, step, to, p_.c_row, k0 > 0);
            } else {
              multiply(&run_of_k, 1, a, a_rows, a_k_, b_panel, step, tile, columns, false);
              StoreEdge(tile, columns, to, rows, width, k0 > 0);
            }
          }
        }
      }
    });
  }

  // If several tiles would read a panel of B with distant rows, and tiles are so low that a line is used up before the
  // next arrives.
  bool TakesFewRows() const {
    constexpr int kHigh = 8;
    return !p_.b_packed && kernels_.rows_in_place < kHigh && p_.m > kernels_.rows_in_place &&
           b_k_ * bytes_ > kNearBytes;
  }
  // Rows [first, last) times whole panels of columns from `begin` on; returns where these end. Few at a time, as A's
  // rows, too, may be so far apart that they drive each other from the first cache.
  int64_t RunFewRows(const std::byte* a, const std::byte* b, std::byte* c, int64_t first, int64_t last, int64_t begin,
                     int64_t end, std::byte* sums) const {
    constexpr int64_t kRows = 8;
    const int64_t columns = kernels_.columns,
                  most = std::max<int64_t>(1, kFewRowsBytes / (kRows * columns * bytes_)) * columns;
    for (int64_t n = 0; begin + columns <= end; begin += n) {
      n = std::min(most, (end - begin) / columns * columns);
      const int64_t row = n + columns;  // not a power of two, for which all rows would share a few cache sets
      for (int64_t k0 = 0; k0 < p_.k; k0 += block_k_) {
        for (int64_t m = first, rows = 0; m < last; m += rows) {
          rows = (last - m) / ((last - m + kRows - 1) / kRows);
          std::memset(sums, 0, static_cast<size_t>(rows * row * bytes_));
          kernels_.few_rows({rows, n, std::min(p_.k - k0, block_k_), a_row_, a_k_, b_k_, row},
                            a + (p_.a.row_offsets[m] + p_.a.k_offsets[k0]) * bytes_,
                            b + (p_.b.row_offsets[begin] + p_.b.k_offsets[k0]) * bytes_, sums);
          StoreEdge(sums, row, c + (m * p_.c_row + begin) * bytes_, rows, n, k0 > 0);
        }
      }
    }
    return begin;
  }

  void RunPacked(Runtime& runtime, const std::byte* a, const std::byte* b, std::byte* c, int thread) {
    const bool share = parallel_ && !by_batch_, share_a = how_ == kPackedShareA;
    const Side &shared = share_a ? a_ : b_, &own = share_a ? b_ : a_;
    const std::byte *shared_data = share_a ? a : b, *own_data = share_a ? b : a;
    const int set = parallel_ && by_batch_ ? thread : 0;
    std::byte* shared_pack = runtime.scratch[static_cast<size_t>(set)] + shared_at_;
    const int64_t own_blocks =
        how_ == kPackedB ? static_cast<int64_t>(window_blocks_.size()) : (own.size + own.block - 1) / own.block;
    for (int64_t s0 = 0; s0 < shared.size; s0 += shared.block) {
      const int64_t s1 = std::min(shared.size, s0 + shared.block), panels = (s1 - s0 + shared.width - 1) / shared.width;
      // The number of tasks for each block of a single thread: runs of the shared panels.
      const int64_t runs =
          share ? std::clamp<int64_t>((kTasks + own_blocks - 1) / own_blocks, 1, (panels + kRun - 1) / kRun) : 1;
      for (int64_t k0 = 0; k0 < p_.k; k0 += block_k_) {
        const int64_t ks = std::min(p_.k - k0, block_k_), steps = pack_a_.Steps(ks);
        const int64_t shared_bytes = shared.pack->PanelBytes(ks, shared.width),
                      own_bytes = own.pack->PanelBytes(ks, own.width);
        const int64_t together = kPanelsTogether * shared.width;
        auto pack_shared = [&](int64_t part, int) {
          const int64_t s = s0 + part * together;
          shared.pack->pack(shared_data, shared.operand->row_offsets.data() + s, std::min(together, s1 - s),
                            shared.operand->k_offsets.data() + k0, ks, shared.width,
                            shared_pack + part * kPanelsTogether * shared_bytes);
        };
        const int64_t packs = (s1 - s0 + together - 1) / together;
        auto scratch_of = [&](int t) { return runtime.scratch[static_cast<size_t>(share ? t : thread)]; };
        auto packed_of = [&](int t) { return reinterpret_cast<int64_t*>(scratch_of(t)); };
        auto multiply = [&](int64_t task, int t) {
          const int64_t part = task / runs, run = task % runs;
          if (how_ == kPackedB) {
            for (int64_t panel = panels * run / runs; panel < panels * (run + 1) / runs; ++panel) {
              const int64_t n = s0 + panel * shared.width;
              MultiplyWindows(window_blocks_[static_cast<size_t>(part)], k0, a, shared_pack + panel * shared_bytes,
                              c + n * c_bytes_, std::min(b_.width, p_.n - n), scratch_of(t) + kAlign);
            }
            return;
          }
          const int64_t o0 = part * own.block, o1 = std::min(own.size, o0 + own.block);
          int64_t* packed = packed_of(t);  // which block this thread has packed last
          std::byte *tile = scratch_of(t) + kAlign, *own_pack = tile + tile_bytes_;
          if (*packed != part) {
            own.pack->pack(own_data, own.operand->row_offsets.data() + o0, o1 - o0, own.operand->k_offsets.data() + k0,
                           ks, own.width, own_pack);
            *packed = part;
          }
          if (HasTiles()) kernels_.enter();
          for (int64_t panel = panels * run / runs; panel < panels * (run + 1) / runs; ++panel) {
            const int64_t s = s0 + panel * shared.width;
            const std::byte* shared_panel = shared_pack + panel * shared_bytes;
            for (int64_t o = o0; o < o1; o += own.width) {
              const std::byte* own_panel = own_pack + (o - o0) / own.width * own_bytes;
              const int64_t m = share_a ? s : o, n = share_a ? o : s;
              const int64_t rows = std::min(a_.width, p_.m - m), columns = std::min(b_.width, p_.n - n);
              // The last rows, if they are few, by a lower tile: with the same bits, as its order of terms is the same.
              const bool low = rows <= rows_at_edge_;
              const bool whole = (rows == a_.width || (low && rows % 2 == 0)) && columns == b_.width && !by_tile_;
              std::byte* const to = c + (m * p_.c_row + n) * c_bytes_;
              std::byte* const into = whole ? to : tile;
              const int64_t stride = whole ? p_.c_row : kernels_.columns;
              const std::byte *a_panel = share_a ? shared_panel : own_panel,
                              *b_panel = share_a ? own_panel : shared_panel;
              if (low) {
                const TileRun all{0, 0, steps};
                kernels_.tile_in_place[(rows - 1) / 2](&all, 1, a_panel, kRowsOfPanel, a_.width, b_panel,
                                                       kernels_.columns, into, stride, whole && k0 > 0);
              } else {
                kernels_.tile(steps, a_panel, b_panel, into, stride, whole && k0 > 0);
              }
              if (by_tile_) StoreNarrow(tile, to, rows, columns);
              else if (!whole) StoreEdge(tile, kernels_.columns, to, rows, columns, k0 > 0);
            }
          }
          if (HasTiles()) kernels_.leave();
        };
        for (int t = 0; t < (share ? runtime.pool->threads() : 1); ++t) *packed_of(t) = -1;
        if (share) {
          // The same number for parts as for the whole, because threads that sleep in between wake up late.
          const double nanoseconds = nanoseconds_ / static_cast<double>(p_.batch);
          runtime.pool->For(packs, nanoseconds, pack_shared);
          runtime.pool->For(own_blocks * runs, nanoseconds, multiply);
        } else {
          for (int64_t i = 0; i < packs; ++i) pack_shared(i, thread);
          for (int64_t i = 0; i < own_blocks; ++i) multiply(i, thread);
        }
      }
    }
  }

  // Some rows of windows times a panel of B's columns, of which c has `columns`.
  struct WindowBlock {
    size_t window;
    int64_t begin, end;  // rows
  };
  void MultiplyWindows(const WindowBlock& block, int64_t k0, const std::byte* a, const std::byte* b, std::byte* c,
                       int64_t columns, std::byte* tile) const {
    const std::vector<TileRun>& runs = window_runs_[static_cast<size_t>(k0 / block_k_)][block.window];
    for (int64_t m = block.begin, rows = 0; m < block.end; m += rows) {
      rows = RowsInPlace(block.end - m);
      const int64_t *to = p_.c_rows.data() + m, stride = rows > 1 ? to[1] - to[0] : 0;
      bool whole = rows % 2 == 0 && columns == b_.width && !by_tile_;
      for (int64_t i = 2; i < rows; ++i) whole = whole && to[i] - to[i - 1] == stride;
      kernels_.tile_in_place[(rows - 1) / 2](
          runs.data(), static_cast<int64_t>(runs.size()), a, p_.a.row_offsets.data() + m, a_k_, b, b_.width,
          whole ? c + to[0] * c_bytes_ : tile, whole ? stride : b_.width, whole && k0 > 0);
      if (whole) continue;
      for (int64_t i = 0; i < rows; ++i) {
        std::byte *row = tile + i * b_.width * bytes_, *at = c + to[i] * c_bytes_;
        if (by_tile_) StoreNarrow(row, at, 1, columns);
        else StoreEdge(row, columns, at, 1, columns, k0 > 0);
      }
    }
  }
  // Blocks of rows, each of one window's, and for each block of k the runs of steps that a window has.
  void PlanWindows() {
    if (p_.c_rows.empty())
      for (size_t i = 0; i < p_.a.row_offsets.size(); ++i) p_.c_rows.push_back(static_cast<int64_t>(i) * p_.c_row);
    for (size_t w = 0; w < p_.windows.size(); ++w) {
      const int64_t end = p_.windows[w].begin + p_.windows[w].count;
      for (int64_t m = p_.windows[w].begin; m < end; m += a_.block)
        window_blocks_.push_back({w, m, std::min(end, m + a_.block)});
    }
    // In steps of several adjacent terms, or of one.
    const std::vector<int64_t>& ks = p_.a.k_offsets;
    const int64_t group = pack_a_.group;
    a_k_ = group > 1 ? group : p_.k > 1 ? ks[1] - ks[0] : 1;
    for (int64_t k0 = 0; k0 < p_.k; k0 += block_k_) {
      const int64_t k1 = std::min(p_.k, k0 + block_k_);
      auto& runs = window_runs_.emplace_back(p_.windows.size());
      for (size_t w = 0; w < p_.windows.size(); ++w) {
        for (const auto& [begin, end] : p_.windows[w].terms) {
          for (int64_t p = std::max(begin, k0), next = p; p < std::min(end, k1); p = next) {
            do next += group;
            while (next < std::min(end, k1) && ks[next] - ks[next - group] == a_k_);
            runs[w].push_back({ks[p], (p - k0) / group, (next - p) / group});
          }
        }
      }
    }
  }

  template <class T>
  void StoreEdgeOf(const T* tile, int64_t stride, T* to, int64_t rows, int64_t columns, bool accumulate) const {
    using Sum = std::conditional_t<std::is_integral_v<T>, uint32_t, T>;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const T value = tile[i * stride + j];
        T& at = to[i * p_.c_row + j];
        at = accumulate ? static_cast<T>(static_cast<Sum>(at) + static_cast<Sum>(value)) : value;
      }
    }
  }
  void StoreNarrow(std::byte* tile, std::byte* to, int64_t rows, int64_t columns) const {
    Round(tile, rows * kernels_.columns);
    for (int64_t i = 0; i < rows; ++i)
      Narrow(tile + i * kernels_.columns * bytes_, to + i * p_.c_row * c_bytes_, columns);
  }
  void StoreEdge(const std::byte* tile, int64_t stride, std::byte* to, int64_t rows, int64_t columns,
                 bool accumulate) const {
    switch (p_.compute) {
      case GemmType::kF32:
        StoreEdgeOf(reinterpret_cast<const float*>(tile), stride, reinterpret_cast<float*>(to), rows, columns,
                    accumulate);
        break;
      case GemmType::kF64:
        StoreEdgeOf(reinterpret_cast<const double*>(tile), stride, reinterpret_cast<double*>(to), rows, columns,
                    accumulate);
        break;
      default:
        StoreEdgeOf(reinterpret_cast<const int32_t*>(tile), stride, reinterpret_cast<int32_t*>(to), rows, columns,
                    accumulate);
        break;
    }
  }

  GemmProblem p_;
  const GemmType type_;
  const GemmKernels& kernels_;
  const int64_t bytes_;  // of a sum
  const KernelTable& table_;
  const GemmPacker pack_a_, pack_b_;
  How how_ = kPacked;
  double nanoseconds_ = 0;  // of the whole product: a guess
  bool parallel_ = false, by_batch_ = false;
  int64_t a_row_ = 0, a_k_ = 0, b_row_ = 0, b_k_ = 0;
  Side a_, b_;
  PackedOperand packed_;  // B, if it is packed
  int64_t block_k_ = 0, tile_bytes_ = 0;
  int64_t rows_at_edge_ = 0;  // as many last rows, or fewer, are multiplied as if A were not packed
  std::vector<WindowBlock> window_blocks_;
  std::vector<std::vector<std::vector<TileRun>>> window_runs_;  // by block of k, and window
  bool backwards_ = false;  // a loop's next product with a matrix begins with the rows that the caches still have
  bool by_tile_ = false;    // each tile's sums are narrowed as soon as they are complete
  int64_t c_bytes_ = 0;     // of a value where tiles are stored
  // Scratch in the arena: sums wider than the result. Scratch of a thread: which block it has packed last, a tile, its
  // own panels, and the shared ones: the first thread's are all threads', unless they share out batches.
  int64_t shared_bytes_ = 0, shared_at_ = 0, wide_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Step> MakeGemmStep(GemmProblem problem, const KernelTable& kernels) {
  return std::make_unique<GemmStep>(std::move(problem), kernels);
}

bool GainsByPackedB(const GemmProblem& p, const KernelTable& kernels) {
  const GemmKernels& of = kernels.gemm[static_cast<int>(p.compute)];
  int64_t stride = 0;
  return p.windows.empty() && (p.c_row == 0 || p.c_row == p.n) && KernelsFor(p, kernels) == p.compute && p.m > 2 &&
         p.m <= kMostRowsPacked && p.n >= of.columns && p.m * p.n * p.k > kDirect &&
         IsTakenInPlace(p.compute, p.a.type) && Stride(p.a.row_offsets, &stride) && Stride(p.a.k_offsets, &stride) &&
         GemmStep(p, kernels).GainsByPackedB();
}
PackedOperand PackedB(const Step& step) { return static_cast<const GemmStep&>(step).packed_b(); }

int64_t GemmScratchBytes(const Step& step) { return static_cast<const GemmStep&>(step).scratch_bytes(); }

}  // namespace hloir::cpu
