// Ops whose parts need elements of neighbouring parts: slices, pads, concatenations and reversals along a dimension
// that is cut, windows and convolutions. Each device fetches the interval of the operand for its part of the result:
// the halo comes by collective-permutes from the necessary neighbours, or from an all-gather if that moves less; then
// the op is computed on the interval. See partition_op.h.
#include <algorithm>

#include "hloir/rewrite_util.h"
#include "partition_op.h"

namespace hloir::spmd {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t CeilDivide(int64_t a, int64_t b) { return -FloorDivide(-a, b); }

struct Interval {
  int64_t first = 0, step = 0, size = 0;
  int64_t padding_low = 0, padding_high = 0;  // the remaining padding of the window
};

// The interval of the operand, along one dimension, needed for part `n` of the result: `size` elements from `first + n
// * step` on; those outside of the operand are fill.
Interval IntervalOf(const WindowDimension& w, int64_t part) {
  // In the base-dilated operand, in which element e is at e * base_dilation.
  const int64_t low = -w.padding_low, span = (part - 1) * w.stride + (w.size - 1) * w.window_dilation + 1;
  Interval interval;
  interval.step = part * w.stride / w.base_dilation;
  interval.first = CeilDivide(low, w.base_dilation);
  interval.size = std::max<int64_t>(FloorDivide(low + span - 1, w.base_dilation) - interval.first + 1, 0);
  interval.padding_low = interval.first * w.base_dilation - low;
  const int64_t covered = interval.size == 0 ? 0 : (interval.size - 1) * w.base_dilation + 1;
  interval.padding_high = span - interval.padding_low - covered;
  return interval;
}

// Of a select-and-scatter, the intervals of operand and source with all windows that reach into part `n` of the result.
struct ScatteredWindows {
  ScatteredWindows(const WindowDimension& w, int64_t part) {
    source.first = CeilDivide(w.padding_low - w.size + 1, w.stride);
    source.step = part / w.stride;
    source.size = FloorDivide(part - 1 + w.padding_low, w.stride) - source.first + 1;
    operand.first = source.first * w.stride - w.padding_low;
    operand.step = part;
    operand.size = (source.size - 1) * w.stride + w.size;
  }
  Interval operand, source;
};

// A range of a part.
struct HaloPiece {
  int64_t start = 0, limit = 0;
};

// The smallest range of the part `hop` devices further that all devices need.
HaloPiece PieceOf(int64_t parts, int64_t shard, int64_t whole, int64_t first, int64_t step, int64_t size, int64_t hop) {
  HaloPiece piece{shard, 0};
  for (int64_t n = 0; n < parts; ++n) {
    const int64_t from = n + hop;
    if (from < 0 || from >= parts) continue;
    const int64_t begin = std::max<int64_t>(first + n * step, 0), end = std::min(first + n * step + size, whole);
    const int64_t start = std::max(begin - from * shard, int64_t{0}), limit = std::min(end - from * shard, shard);
    if (start >= limit) continue;
    piece.start = std::min(piece.start, start);
    piece.limit = std::max(piece.limit, limit);
  }
  if (piece.start >= piece.limit) return {0, 0};
  return piece;
}

// True if part `n` needs elements of the part `hop` devices further.
bool NeedsHop(int64_t parts, int64_t shard, int64_t whole, int64_t first, int64_t step, int64_t size, int64_t hop,
              int64_t n) {
  const int64_t from = n + hop;
  if (from < 0 || from >= parts) return false;
  const int64_t begin = std::max<int64_t>(first + n * step, 0), end = std::min(first + n * step + size, whole);
  return std::max(begin, from * shard) < std::min(end, (from + 1) * shard);
}

// From more neighbours, each by a collective of its own, an all-gather takes less time.
constexpr int64_t kMostHops = 8;

double FetchBytes(const DeviceMesh& mesh, int64_t whole, const Axes& axes, int64_t first, int64_t step, int64_t size,
                  double row) {
  const int64_t parts = mesh.SizeOf(axes), shard = (whole + parts - 1) / parts;
  const double gather = static_cast<double>((parts - 1) * shard);
  double halo = 0;
  int64_t hops = 0;
  for (int64_t hop = 1 - parts; hop < parts; ++hop) {
    if (hop == 0) continue;
    const HaloPiece piece = PieceOf(parts, shard, whole, first, step, size, hop);
    int64_t takers = 0;
    for (int64_t n = 0; n < parts; ++n) takers += NeedsHop(parts, shard, whole, first, step, size, hop, n);
    halo += static_cast<double>((piece.limit - piece.start) * takers) / static_cast<double>(parts);
    hops += piece.start < piece.limit;
  }
  return (hops > kMostHops ? gather : std::min(halo, gather)) * row;
}

}  // namespace

WindowDimension AsWindow(const PaddingDimension& padding) {
  WindowDimension w;
  w.size = 1;
  w.padding_low = padding.low;
  w.base_dilation = padding.interior + 1;
  return w;
}

std::optional<HloOpcode> SelectedExtreme(const HloInstruction& select_and_scatter) {
  const HloComputation& select = *select_and_scatter.called_computations()[0];
  const HloInstruction& root = *select.root();
  if (root.opcode() != HloOpcode::kCompare || root.operand(0) != select.parameter(0) ||
      root.operand(1) != select.parameter(1))
    return std::nullopt;
  switch (root.attributes<CompareAttributes>().direction) {
    case ComparisonDirection::kGe:
    case ComparisonDirection::kGt: return HloOpcode::kMaximum;
    case ComparisonDirection::kLe:
    case ComparisonDirection::kLt: return HloOpcode::kMinimum;
    default: return std::nullopt;
  }
}

bool OpPartitioner::MayCutWindow(const WindowDimension& w, int64_t result_size) const {
  // All parts have the same phase in a dilated operand.
  for (int64_t parts = 2; parts <= mesh_.device_count(); ++parts) {
    if (mesh_.device_count() % parts != 0) continue;
    const int64_t part = (result_size + parts - 1) / parts;
    if (part * w.stride % w.base_dilation != 0 || IntervalOf(w, part).size < 1) return false;
  }
  return true;
}

std::vector<int64_t> OpPartitioner::StartsOf(const Axes& axes, int64_t first, int64_t step) const {
  std::vector<int64_t> starts;
  for (int64_t device = 0; device < mesh_.device_count(); ++device)
    starts.push_back(first + mesh_.IndexOf(device, axes) * step);
  return starts;
}

OpPartitioner::Op OpPartitioner::Fetch(Op x, int64_t whole, int64_t d, const Axes& axes, int64_t first, int64_t step,
                                       int64_t size, Op fill) {
  if (x == nullptr) return nullptr;
  Op& made = spmd_.fetched[{x, fill, axes, {d, whole, first, step, size}}];
  if (made == nullptr) made = FetchAgain(x, whole, d, axes, first, step, size, fill);
  return made;
}

OpPartitioner::Op OpPartitioner::FetchAgain(Op x, int64_t whole, int64_t d, const Axes& axes, int64_t first,
                                            int64_t step, int64_t size, Op fill) {
  const int64_t parts = mesh_.SizeOf(axes), shard = x->shape().dimensions(d);
  std::vector<HaloPiece> pieces;
  int64_t halo = 0, before = 0, behind = 0;  // halo: of all parts
  for (int64_t hop = 1 - parts; hop < parts; ++hop) {
    pieces.push_back(hop == 0 ? HaloPiece{0, shard} : PieceOf(parts, shard, whole, first, step, size, hop));
    const HaloPiece& piece = pieces.back();
    for (int64_t n = 0; n < parts && hop != 0; ++n)
      if (NeedsHop(parts, shard, whole, first, step, size, hop, n)) halo += piece.limit - piece.start;
    if (piece.start < piece.limit && hop < 0) before = std::max(before, -hop);
    if (piece.start < piece.limit && hop > 0) behind = std::max(behind, hop);
  }
  Op together = nullptr;
  std::vector<int64_t> origin;  // of `together`, in the whole, by device
  const auto is_piece = [](const HaloPiece& piece) { return piece.start < piece.limit; };
  const auto hops = std::count_if(pieces.begin(), pieces.end(), is_piece) - 1;  // without its own part
  if (hops > kMostHops || halo >= (parts - 1) * shard * parts) {
    together = spmd_.AllGather(x, d, axes);
    origin.assign(static_cast<size_t>(mesh_.device_count()), 0);
  } else {
    // Joins the needed ranges of neighbours' parts; elements between them are never read.
    std::vector<Op> sides;
    for (int64_t hop = -before; hop <= behind; ++hop) {
      const HaloPiece& piece = pieces[static_cast<size_t>(hop + parts - 1)];
      const DimVector& sizes = x->shape().dimensions();
      const auto blank = [&](int64_t n) {
        DimVector blank_sizes = sizes;
        blank_sizes[static_cast<size_t>(d)] = n;
        return b.Broadcast(spmd_.Zero(x->shape()), blank_sizes, {});
      };
      if (hop == 0) {
        sides.push_back(x);
        continue;
      }
      // The outermost ones need not be whole.
      const int64_t lead = hop == -before ? 0 : piece.start, trail = hop == behind ? 0 : shard - piece.limit;
      if (piece.start >= piece.limit) {
        sides.push_back(blank(shard));
        continue;
      }
      Int64Pairs pairs;
      for (int64_t device = 0; device < mesh_.device_count(); ++device) {
        if (!NeedsHop(parts, shard, whole, first, step, size, hop, mesh_.IndexOf(device, axes))) continue;
        for (int64_t other = 0; other < mesh_.device_count(); ++other) {
          if (mesh_.IndexOf(other, axes) - mesh_.IndexOf(device, axes) != hop) continue;
          bool same = true;
          for (int64_t a : mesh_.AllAxes()) {
            const bool along = std::find(axes.begin(), axes.end(), a) != axes.end();
            same = same && (along || mesh_.Coordinate(device, a) == mesh_.Coordinate(other, a));
          }
          if (same) pairs.emplace_back(other, device);
        }
      }
      std::sort(pairs.begin(), pairs.end());
      if (lead > 0) sides.push_back(blank(lead));
      sides.push_back(spmd_.Permute(spmd_.SliceOf(x, d, piece.start, piece.limit), std::move(pairs)));
      if (trail > 0) sides.push_back(blank(trail));
    }
    const int64_t skipped = before == 0 ? 0 : pieces[static_cast<size_t>(parts - 1 - before)].start;
    together = sides.size() == 1 ? sides[0] : b.Concatenate(sides, d);
    origin = StartsOf(axes, -before * shard + skipped, shard);
  }
  if (together == nullptr) return nullptr;
  // Room for intervals that reach behind the ends.
  const int64_t length = together->shape().dimensions(d);
  int64_t low = 0, high = std::max<int64_t>(size - length, 0);
  std::vector<int64_t> offsets = StartsOf(axes, first, step);
  std::vector<bool> outside;  // all of it: where it is taken from is no matter
  for (size_t n = 0; n < offsets.size(); ++n) {
    outside.push_back(offsets[n] + size <= 0 || offsets[n] >= whole);
    offsets[n] -= origin[n];
    if (outside[n]) continue;
    low = std::max(low, -offsets[n]);
    high = std::max(high, offsets[n] + size - length);
  }
  for (size_t n = 0; n < offsets.size(); ++n) offsets[n] = outside[n] ? 0 : offsets[n] + low;
  together = spmd_.PadOf(together, d, low, high, fill != nullptr ? fill : spmd_.Zero(x->shape()));
  Op interval = spmd_.DynamicSliceOf(together, d, spmd_.PerDevice(offsets), size);
  if (interval == nullptr || fill == nullptr) return interval;
  bool reaches_out = false;
  for (int64_t n = 0; n < parts; ++n)
    reaches_out = reaches_out || first + n * step < 0 || first + n * step + size > whole;
  if (!reaches_out) return interval;
  Op start = spmd_.PerDevice(StartsOf(axes, first, step));
  Op inside = spmd_.IndexIsWithin(interval->shape(), d, start, 0, whole);
  return b.Select(inside, interval, b.Broadcast(fill, interval->shape().dimensions(), {}));
}

Axes OpPartitioner::WindowAxes(int64_t d) const {
  for (int64_t f : rule_.results[0][static_cast<size_t>(d)]) {
    if (rule_.factors[static_cast<size_t>(f)].kind == FactorKind::kWindow) return choice_.axes[static_cast<size_t>(f)];
  }
  return {};
}

OpPartitioner::Op OpPartitioner::EmitSlice() {
  SliceRanges slice = i_.attributes<SliceAttributes>().slice;
  Op x = local_[0];
  for (int64_t d = 0; d < i_.shape().rank(); ++d) {
    SliceRange& range = slice[static_cast<size_t>(d)];
    const Axes axes = WindowAxes(d);
    const int64_t whole = i_.operand(0)->shape().dimensions(d);
    if (axes.empty()) {
      if (range == SliceRange{0, whole, 1} && x != nullptr) range.limit = x->shape().dimensions(d);
      continue;
    }
    const int64_t part = mesh_.ShardShape(i_.shape(), choice_.results[0]).dimensions(d);
    const int64_t size = (part - 1) * range.stride + 1;
    x = Fetch(x, whole, d, axes, range.start, part * range.stride, size, nullptr);
    range = {0, size, range.stride};
  }
  DimVector starts, limits, strides;
  for (const SliceRange& range : slice) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  if (x == nullptr || mesh_.ShardShape(i_.shape(), choice_.results[0]).SameDimensions(x->shape())) return x;
  return b.Slice(x, starts, limits, strides);
}

OpPartitioner::Op OpPartitioner::EmitPad() {
  PaddingConfig padding = i_.attributes<PadAttributes>().padding;
  Op x = local_[0];
  bool pads = false;
  for (int64_t d = 0; d < i_.shape().rank(); ++d) {
    PaddingDimension& of = padding[static_cast<size_t>(d)];
    const Axes axes = WindowAxes(d);
    if (!axes.empty()) {
      const int64_t part = mesh_.ShardShape(i_.shape(), choice_.results[0]).dimensions(d);
      const Interval interval = IntervalOf(AsWindow(of), part);
      x = Fetch(x, i_.operand(0)->shape().dimensions(d), d, axes, interval.first, interval.step, interval.size,
                local_[1]);
      of = {interval.padding_low, interval.padding_high, of.interior};
      if (x != nullptr && x->shape().dimensions(d) == part) of = {};
    }
    pads = pads || !(of == PaddingDimension{});
  }
  return pads ? b.Pad(x, local_[1], padding) : x;
}

// Each operand as if it were padded to the whole; where an element lies decides from which it is taken.
OpPartitioner::Op OpPartitioner::EmitConcatenate() {
  const int64_t d = i_.dimensions()[0];
  const Axes axes = WindowAxes(d);
  if (axes.empty()) return Clone(local_);
  const int64_t part = mesh_.ShardShape(i_.shape(), choice_.results[0]).dimensions(d);
  Op result = nullptr, start = spmd_.Offset(axes, part);
  int64_t before = 0;
  for (size_t k = 0; k < local_.size(); ++k) {
    const int64_t size = i_.operand(static_cast<int64_t>(k))->shape().dimensions(d);
    Op fetched = Fetch(local_[k], size, d, axes, -before, part, part, nullptr);
    if (fetched == nullptr) return nullptr;
    before += size;
    result = result == nullptr
                 ? fetched
                 : b.Select(spmd_.IndexIsWithin(result->shape(), d, start, INT64_MIN, before - size), result, fetched);
  }
  return result;
}

OpPartitioner::Op OpPartitioner::EmitReduceWindow() {
  Window window = i_.attributes<WindowAttributes>().window;
  std::vector<Op> operands = local_;
  const size_t arrays = operands.size() / 2;
  const Shape local = mesh_.ShardShape(i_.shape(), choice_.results[0]);
  bool any = false;
  for (int64_t d = 0; d < local.rank(); ++d) {
    const Axes axes = WindowAxes(d);
    if (axes.empty()) continue;
    any = true;
    WindowDimension& w = window[static_cast<size_t>(d)];
    const Interval interval = IntervalOf(w, local.dimensions(d));
    for (size_t k = 0; k < arrays; ++k)
      operands[k] = Fetch(operands[k], i_.operand(static_cast<int64_t>(k))->shape().dimensions(d), d, axes,
                          interval.first, interval.step, interval.size, operands[arrays + k]);
    w.padding_low = interval.padding_low;
    w.padding_high = interval.padding_high;
  }
  if (!any) return Clone(local_);
  Op made = Clone(operands);
  if (made != nullptr) made->mutable_attributes<WindowAttributes>().window = window;
  return made;
}

bool OpPartitioner::MayCutSelectAndScatter(int64_t d) const {
  const WindowDimension& w = i_.attributes<WindowAttributes>().window[static_cast<size_t>(d)];
  if (w.size < w.stride || w.window_dilation != 1 || w.base_dilation != 1) return false;
  if (!padded_by_value_ && (w.padding_low != 0 || w.padding_high != 0)) return false;
  if (!SelectedExtreme(i_) || !i_.operand(2)->IsConstant()) return false;
  const std::optional<HloOpcode> reducer = SimpleReducer(*i_.called_computations()[1]);
  if (!reducer || !i_.operand(2)->literal().BitwiseEqual(IdentityOf(*reducer, i_.shape().element_type()))) return false;
  const int64_t whole = i_.shape().dimensions(d), windows = i_.operand(1)->shape().dimensions(d);
  for (int64_t parts = 2; parts <= mesh_.device_count(); ++parts) {
    if (mesh_.device_count() % parts != 0) continue;
    const int64_t part = CeilDivide(whole, parts);
    if (part % w.stride != 0 || CeilDivide(windows, parts) != part / w.stride) return false;
  }
  return true;
}

// Each device scatters all windows that reach into its part, also those of neighbours.
OpPartitioner::Op OpPartitioner::EmitSelectAndScatter() {
  Window window = i_.attributes<WindowAttributes>().window;
  std::vector<Op> operands = local_;
  const Shape local = mesh_.ShardShape(i_.shape(), choice_.results[0]);
  std::vector<std::pair<int64_t, int64_t>> cut;  // the dimension, and the start of the part in what is fetched
  for (int64_t d = 0; d < local.rank(); ++d) {
    const Axes axes = WindowAxes(d);
    WindowDimension& w = window[static_cast<size_t>(d)];
    Op fill = b.Constant(IdentityOf(SelectedExtreme(i_).value_or(HloOpcode::kMaximum), local.element_type()));
    if (axes.empty()) {
      if (!padded_by_value_ || (w.padding_low == 0 && w.padding_high == 0)) continue;
      operands[0] = spmd_.PadOf(operands[0], d, w.padding_low, w.padding_high, fill);
      cut.emplace_back(d, w.padding_low);
      w.padding_low = w.padding_high = 0;
      continue;
    }
    const auto [operand, source] = ScatteredWindows(w, local.dimensions(d));

    operands[0] =
        Fetch(operands[0], i_.shape().dimensions(d), d, axes, operand.first, operand.step, operand.size, fill);
    operands[1] = Fetch(operands[1], i_.operand(1)->shape().dimensions(d), d, axes, source.first, source.step,
                        source.size, operands[2]);
    w.padding_low = w.padding_high = 0;
    cut.emplace_back(d, -operand.first);
  }
  if (cut.empty()) return Clone(local_);
  if (operands[0] == nullptr || operands[1] == nullptr || !b.status().ok()) return nullptr;
  const Shape shape = operands[0]->shape();
  Op made = b.computation()->AddClone(i_, operands, &shape);
  made->set_sharding(std::nullopt);
  made->mutable_attributes<WindowAttributes>().window = window;
  for (const auto& [d, start] : cut) made = spmd_.SliceOf(made, d, start, start + local.dimensions(d));
  return made;
}

OpPartitioner::Op OpPartitioner::EmitConvolution() {
  const auto& convolution = i_.attributes<ConvolutionAttributes>();
  Window window = convolution.window;
  std::vector<Op> operands = local_;
  const Shape local = mesh_.ShardShape(i_.shape(), choice_.results[0]);
  bool any = false;
  for (size_t k = 0; k < window.size(); ++k) {
    const int64_t in = convolution.dim_labels.input_spatial[k], out = convolution.dim_labels.output_spatial[k];
    const int64_t kernel = convolution.dim_labels.kernel_spatial[k];
    WindowDimension& w = window[k];
    const int64_t whole = i_.operand(0)->shape().dimensions(in);
    if (const int64_t f = CutFactor(1, kernel, FactorKind::kReduce); f >= 0) {
      // The kernel is cut: each device has some of its elements, and needs the input elements that these meet for the
      // whole output.
      const Axes& axes = choice_.axes[static_cast<size_t>(f)];
      const int64_t part = operands[1]->shape().dimensions(kernel), results = i_.shape().dimensions(out);
      w.size = part;
      operands[0] =
          Fetch(operands[0], whole, in, axes, -w.padding_low, part * w.window_dilation,
                (results - 1) * w.stride + (part - 1) * w.window_dilation + 1, spmd_.Zero(i_.operand(0)->shape()));
      w.padding_low = w.padding_high = 0;
      any = true;
      continue;
    }
    const Axes axes = WindowAxes(out);
    if (axes.empty()) continue;
    any = true;
    const Interval interval = IntervalOf(w, local.dimensions(out));
    operands[0] = Fetch(operands[0], whole, in, axes, interval.first, interval.step, interval.size,
                        spmd_.Zero(i_.operand(0)->shape()));
    w.padding_low = interval.padding_low;
    w.padding_high = interval.padding_high;
  }
  Op made = b.status().ok() ? Clone(operands) : nullptr;
  if (made != nullptr && any) made->mutable_attributes<ConvolutionAttributes>().window = window;
  return made;
}

// Parts change places, and each is reversed; where parts are of unequal size the interval reaches before the beginning.
OpPartitioner::Op OpPartitioner::EmitReverse() {
  Op x = local_[0];
  for (int64_t d : i_.dimensions()) {
    const Axes axes = WindowAxes(d);
    if (axes.empty() || x == nullptr) continue;
    const int64_t part = x->shape().dimensions(d), whole = i_.shape().dimensions(d);
    if (mesh_.DividesEvenly(whole, axes)) {
      Int64Pairs pairs;
      for (const std::vector<int64_t>& group : mesh_.Groups(axes)) {
        for (size_t n = 0; n < group.size(); ++n) pairs.emplace_back(group[group.size() - 1 - n], group[n]);
      }
      std::sort(pairs.begin(), pairs.end());
      x = spmd_.Permute(x, std::move(pairs));
      continue;
    }
    x = Fetch(x, whole, d, axes, whole - part, -part, part, nullptr);
  }
  const Op operands[] = {x};
  return x == nullptr ? nullptr : Clone(operands);
}

// The bytes that fetching moves, for the choice among partitionings.
double OpPartitioner::WindowBytes(const OpChoice& choice) const {
  double bytes = 0;
  const auto fetch = [&](int64_t k, int64_t d, int64_t f, int64_t first, int64_t step, int64_t size) {
    const Axes& axes = choice.axes[static_cast<size_t>(f)];
    const Shape& whole = i_.operand(k)->shape();
    const Shape local = mesh_.ShardShape(whole, choice.operands[static_cast<size_t>(k)]);
    const double row =
        static_cast<double>(local.ByteSize()) / static_cast<double>(std::max<int64_t>(local.dimensions(d), 1));
    bytes += FetchBytes(mesh_, whole.dimensions(d), axes, first, step, size, row);
  };
  const Shape local = mesh_.ShardShape(*leaves_[0], choice.results[0]);
  for (int64_t d = 0; d < leaves_[0]->rank(); ++d) {
    for (int64_t f : rule_.results[0][static_cast<size_t>(d)]) {
      if (rule_.factors[static_cast<size_t>(f)].kind != FactorKind::kWindow ||
          choice.axes[static_cast<size_t>(f)].empty())
        continue;
      const int64_t part = local.dimensions(d);
      switch (i_.opcode()) {
        case HloOpcode::kSlice: {
          const SliceRange& range = i_.attributes<SliceAttributes>().slice[static_cast<size_t>(d)];
          fetch(0, d, f, range.start, part * range.stride, (part - 1) * range.stride + 1);
          break;
        }
        case HloOpcode::kPad: {
          const Interval interval =
              IntervalOf(AsWindow(i_.attributes<PadAttributes>().padding[static_cast<size_t>(d)]), part);
          fetch(0, d, f, interval.first, interval.step, interval.size);
          break;
        }
        case HloOpcode::kSelectAndScatter: {
          const ScatteredWindows windows(i_.attributes<WindowAttributes>().window[static_cast<size_t>(d)], part);
          fetch(0, d, f, windows.operand.first, windows.operand.step, windows.operand.size);
          fetch(1, d, f, windows.source.first, windows.source.step, windows.source.size);
          break;
        }
        case HloOpcode::kReverse:
          if (mesh_.DividesEvenly(i_.shape().dimensions(d), choice.axes[static_cast<size_t>(f)]))
            bytes += static_cast<double>(local.ByteSize());
          else fetch(0, d, f, i_.shape().dimensions(d) - part, -part, part);
          break;
        case HloOpcode::kConcatenate: {
          int64_t before = 0;
          for (int64_t k = 0; k < i_.operand_count(); ++k) {
            fetch(k, d, f, -before, part, part);
            before += i_.operand(k)->shape().dimensions(d);
          }
          break;
        }
        case HloOpcode::kReduceWindow: {
          const Interval interval = IntervalOf(i_.attributes<WindowAttributes>().window[static_cast<size_t>(d)], part);
          for (int64_t k = 0; k < i_.operand_count() / 2; ++k)
            fetch(k, d, f, interval.first, interval.step, interval.size);
          break;
        }
        case HloOpcode::kConvolution: {
          const auto& convolution = i_.attributes<ConvolutionAttributes>();
          for (size_t k = 0; k < convolution.window.size(); ++k) {
            if (convolution.dim_labels.output_spatial[k] != d) continue;
            const Interval interval = IntervalOf(convolution.window[k], part);
            fetch(0, convolution.dim_labels.input_spatial[k], f, interval.first, interval.step, interval.size);
          }
          break;
        }
        default: break;  // other ops have no windows
      }
    }
  }
  if (i_.opcode() != HloOpcode::kConvolution) return bytes;
  const auto& convolution = i_.attributes<ConvolutionAttributes>();
  for (size_t k = 0; k < convolution.window.size(); ++k) {
    const int64_t kernel = convolution.dim_labels.kernel_spatial[k];
    for (int64_t f : rule_.operands[1][static_cast<size_t>(kernel)]) {
      const Axes& axes = choice.axes[static_cast<size_t>(f)];
      if (axes.empty()) continue;
      const WindowDimension& w = convolution.window[k];
      const int64_t part = CeilDivide(w.size, mesh_.SizeOf(axes));
      const int64_t results = i_.shape().dimensions(convolution.dim_labels.output_spatial[k]);
      fetch(0, convolution.dim_labels.input_spatial[k], f, -w.padding_low, part * w.window_dilation,
            (results - 1) * w.stride + (part - 1) * w.window_dilation + 1);
    }
  }
  return bytes;
}

int64_t RotationOf(const HloInstruction& concatenate) {
  if (concatenate.opcode() != HloOpcode::kConcatenate || concatenate.operand_count() != 2) return -1;
  const HloInstruction &a = *concatenate.operand(0), &b = *concatenate.operand(1);
  if (a.opcode() != HloOpcode::kSlice || b.opcode() != HloOpcode::kSlice || a.operand(0) != b.operand(0)) return -1;
  const Shape& whole = a.operand(0)->shape();
  if (!whole.SameDimensions(concatenate.shape())) return -1;
  const SliceRanges &first = a.attributes<SliceAttributes>().slice, &second = b.attributes<SliceAttributes>().slice;
  int64_t by = -1;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const SliceRange &p = first[static_cast<size_t>(d)], &q = second[static_cast<size_t>(d)];
    const int64_t size = whole.dimensions(d);
    if (d != concatenate.dimensions()[0]) {
      if (!(p == SliceRange{0, size, 1}) || !(q == p)) return -1;
      continue;
    }
    if (!(p == SliceRange{p.start, size, 1}) || !(q == SliceRange{0, p.start, 1})) return -1;
    by = p.start;
  }
  return by;
}

std::optional<Part> PartitionRotation(SpmdBuilder& spmd, const HloInstruction& concatenate, const Part& x) {
  const int64_t d = concatenate.dimensions()[0], whole = concatenate.shape().dimensions(d);
  const int64_t by = RotationOf(concatenate), back = whole - by;
  const Axes& axes = x.sharding.dims[static_cast<size_t>(d)];
  if (by <= 0 || back <= 0 || x.local == nullptr || axes.empty() || !spmd.mesh.DividesEvenly(whole, axes))
    return std::nullopt;
  const int64_t shard = x.local->shape().dimensions(d);
  const bool forward = by <= shard;  // missing elements come from the next part, otherwise from the previous one
  if (!forward && back > shard) return std::nullopt;
  Int64Pairs pairs;
  for (const std::vector<int64_t>& group : spmd.mesh.Groups(axes)) {
    for (size_t n = 0; n < group.size(); ++n) {
      const size_t next = (n + 1) % group.size();
      if (forward) pairs.emplace_back(group[next], group[n]);
      else pairs.emplace_back(group[n], group[next]);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  const int64_t moved = forward ? by : back;
  SpmdBuilder::Op sent = forward ? spmd.SliceOf(x.local, d, 0, moved) : spmd.SliceOf(x.local, d, shard - moved, shard);
  SpmdBuilder::Op received = spmd.Permute(sent, std::move(pairs));
  if (moved == shard) return Part{received, x.sharding};
  SpmdBuilder::Op kept = forward ? spmd.SliceOf(x.local, d, moved, shard) : spmd.SliceOf(x.local, d, 0, shard - moved);
  return Part{forward ? spmd.b.Concatenate({kept, received}, d) : spmd.b.Concatenate({received, kept}, d), x.sharding};
}

}  // namespace hloir::spmd
