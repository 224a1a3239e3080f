// Gather and scatter: see movement.h. Offsets of windows are computed for blocks of index vectors, in loops over one
// type. Tests: tests/ops/gather-*.hlo, tests/ops/scatter-*.hlo, tests/unit/executable_movement_test.cc.
#include "plan/steps/movement.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "support/format.h"
#include "plan/capability/kernel_choice.h"
#include "plan/steps/indices.h"
#include "plan/steps/strided_copy.h"
#include "reference/index.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kWindowCost = 8;  // of finding one, in bytes that are copied meanwhile
constexpr double kGatherNanosPerByte = 0.06;

template <class Index>
void AddIndicesOf(const std::byte* data, int64_t step, int64_t n, int64_t last, int64_t stride, bool clamp,
                  int64_t* starts) {
  const Index* indices = reinterpret_cast<const Index*>(data);
  auto read = [&](int64_t i) {
    const int64_t value = static_cast<int64_t>(indices[i * step]);
    return std::is_same_v<Index, uint64_t> && value < 0 ? INT64_MAX : value;
  };
  if (clamp) {
    for (int64_t i = 0; i < n; ++i) starts[i] += std::clamp<int64_t>(read(i), 0, last) * stride;
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t value = read(i);
      const bool inside = value >= 0 && value <= last;
      starts[i] = inside && starts[i] >= 0 ? starts[i] + value * stride : -1;
    }
  }
}
// starts[i] += the (from + i·step)-th index · stride, clamped to [0, last]; without `clamp`, -1 where one is outside.
void AddIndices(PrimitiveType type, const std::byte* data, int64_t from, int64_t step, int64_t n, int64_t last,
                int64_t stride, bool clamp, int64_t* starts) {
  data += from * StorageBytes(type);
  switch (StorageBytes(type)) {
    case 1:
      return (IsSigned(type) ? AddIndicesOf<int8_t> : AddIndicesOf<uint8_t>)(data, step, n, last, stride, clamp,
                                                                             starts);
    case 2:
      return (IsSigned(type) ? AddIndicesOf<int16_t> : AddIndicesOf<uint16_t>)(data, step, n, last, stride, clamp,
                                                                               starts);
    case 4:
      return (IsSigned(type) ? AddIndicesOf<int32_t> : AddIndicesOf<uint32_t>)(data, step, n, last, stride, clamp,
                                                                               starts);
    default:
      return (IsSigned(type) ? AddIndicesOf<int64_t> : AddIndicesOf<uint64_t>)(data, step, n, last, stride, clamp,
                                                                               starts);
  }
}

// Common parts of gather and scatter: for each index vector, the place of the window in the operand (`big`) and in the
// result or updates (`small`).
struct Windows {
  // Over the index vectors: their places in the index array, and the offset in `small` and (for batching dims) in
  // `big`.
  DimVector dims, index_strides, small_strides, big_strides;
  int64_t index_offset = 0, component_stride = 0;
  PrimitiveType index_type = PrimitiveType::S32;
  // For each component of an index vector: the dimension's stride in `big`, and the last start that fits.
  DimVector component_strides, last;
  // The window itself.
  DimVector window, window_big_strides, window_small_strides;

  int64_t count() const {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    return n;
  }
  // One index for each window, side by side.
  bool HasPlainIndices() const {
    return dims.size() == 1 && component_strides.size() == 1 && index_strides[0] == 1 && big_strides[0] == 0;
  }
  // Calls f(n, starts, small, step) for index vectors [begin, end), some neighbours at a time: the i-th one's window
  // starts at starts[i] in `big` and at small + i·step in the other array; offsets in elements. Starts are clamped if
  // `clamp`; else one that lies outside is negative.
  template <class F>
  void ForEach(const std::byte* indices, int64_t begin, int64_t end, bool clamp, F&& f) const {
    constexpr int64_t kBlock = 256;
    int64_t starts[kBlock];
    const int inner = static_cast<int>(dims.size()) - 1;
    for (int64_t i = begin, n; i < end; i += n) {
      int64_t index = index_offset, small = 0, big = 0, at = 0;
      for (int64_t d = inner, linear = i; d >= 0; linear /= dims[d], --d) {
        at = linear % dims[d];
        index += at * index_strides[d], small += at * small_strides[d], big += at * big_strides[d];
        if (d == inner) n = std::min({kBlock, end - i, dims[d] - at});
      }
      for (int64_t k = 0; k < n; ++k) starts[k] = big + k * big_strides[inner];
      for (size_t c = 0; c < component_strides.size(); ++c) {
        const int64_t from = index + static_cast<int64_t>(c) * component_stride;
        AddIndices(index_type, indices, from, index_strides[inner], n, last[c], component_strides[c], clamp, starts);
      }
      f(n, starts, small, small_strides[inner]);
    }
  }
};

// window_dims: the dimensions of `small` that walk the window; removed: dimensions of `big` that have none there.
Windows MakeWindows(const View& big, const View& small, const View& indices, PrimitiveType index_type,
                    const DimVector& window_dims, const DimVector& removed, const DimVector& big_batching,
                    const DimVector& index_batching, const DimVector& index_map, int64_t index_vector_dim,
                    const DimVector& window_sizes) {
  Windows w;
  w.index_type = index_type;
  w.index_offset = indices.offset;
  w.component_stride =
      index_vector_dim < static_cast<int64_t>(indices.dims.size()) ? indices.strides[index_vector_dim] : 0;
  DimVector small_batch;
  for (int64_t d = 0; d < static_cast<int64_t>(small.dims.size()); ++d)
    if (!Contains(window_dims, d)) small_batch.push_back(d);
  size_t k = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(indices.dims.size()); ++d) {
    if (d == index_vector_dim) continue;
    w.dims.push_back(indices.dims[d]);
    w.index_strides.push_back(indices.strides[d]);
    w.small_strides.push_back(small.strides[small_batch[k++]]);
    int64_t stride = 0;
    for (size_t b = 0; b < index_batching.size(); ++b)
      if (index_batching[b] == d) stride = big.strides[big_batching[b]];
    w.big_strides.push_back(stride);
  }
  if (w.dims.empty())
    w.dims.push_back(1), w.index_strides.push_back(0), w.small_strides.push_back(0), w.big_strides.push_back(0);
  View along[] = {{w.dims, w.index_strides, 0}, {w.dims, w.small_strides, 0}, {w.dims, w.big_strides, 0}};
  View* views[] = {&along[0], &along[1], &along[2]};
  CollapseTogether(views);
  if (!along[0].dims.empty()) {
    w.dims = along[0].dims;
    w.index_strides = along[0].strides, w.small_strides = along[1].strides, w.big_strides = along[2].strides;
  } else {
    w.dims = {1};
    w.index_strides = w.small_strides = w.big_strides = {0};
  }
  for (int64_t d : index_map) {
    w.component_strides.push_back(big.strides[d]);
    w.last.push_back(big.dims[d] - window_sizes[d]);
  }
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(big.dims.size()); ++d) {
    if (Contains(removed, d) || Contains(big_batching, d)) continue;
    w.window.push_back(window_sizes[d]);
    w.window_big_strides.push_back(big.strides[d]);
    w.window_small_strides.push_back(small.strides[window_dims[next++]]);
  }
  return w;
}

template <bool gather, class T>
void MoveElementsOf(const std::byte* from_bytes, std::byte* to_bytes, const int64_t* starts, int64_t step, int64_t n) {
  const T* from = reinterpret_cast<const T*>(from_bytes);
  T* to = reinterpret_cast<T*>(to_bytes);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (gather) to[i * step] = from[starts[i]];
    else if (starts[i] >= 0) to[starts[i]] = from[i * step];
  }
}
// Single elements: to[i·step] = from[starts[i]], or the reverse for offsets in bounds.
template <bool gather>
void MoveElements(int64_t bytes, const std::byte* from, std::byte* to, const int64_t* starts, int64_t step, int64_t n) {
  struct Wide {
    uint64_t a, b;
  };
  switch (bytes) {
    case 1: return MoveElementsOf<gather, uint8_t>(from, to, starts, step, n);
    case 2: return MoveElementsOf<gather, uint16_t>(from, to, starts, step, n);
    case 4: return MoveElementsOf<gather, uint32_t>(from, to, starts, step, n);
    case 8: return MoveElementsOf<gather, uint64_t>(from, to, starts, step, n);
    default: return MoveElementsOf<gather, Wide>(from, to, starts, step, n);
  }
}

class GatherStep : public Step {
 public:
  GatherStep(Windows windows, int64_t bytes, int64_t big_offset, int64_t small_offset)
      : windows_(std::move(windows)), bytes_(bytes), result_offset_(small_offset * bytes) {
    copy_ = StridedCopy::Make(bytes, windows_.window, windows_.window_big_strides, big_offset,
                              windows_.window_small_strides, 0);
    block_ = copy_.dims.empty() || (copy_.dims.size() == 1 && copy_.from_strides[0] == 1 && copy_.to_strides[0] == 1);
    const Windows& w = windows_;
    elements_ = copy_.count == 1 && (bytes == 4 || bytes == 8) && w.HasPlainIndices() && w.small_strides[0] == 1 &&
                (w.index_type == PrimitiveType::S32 || w.index_type == PrimitiveType::S64);
  }
  bool Run(Runtime& runtime) override {
    const std::byte* from = ref(0).pointer + copy_.from_offset;
    std::byte* to = written(0).pointer + result_offset_;
    const int64_t count = windows_.count(), work = count * (copy_.count * bytes_ + kWindowCost);
    const int64_t parts = std::clamp<int64_t>(work / (1 << 17), 1, std::min<int64_t>(16, std::max<int64_t>(count, 1)));
    runtime.pool->For(parts, kGatherNanosPerByte * static_cast<double>(work), [&](int64_t part, int) {
      if (elements_) {
        const int64_t begin = count * part / parts, n = count * (part + 1) / parts - begin;
        const int64_t index_bytes = StorageBytes(windows_.index_type);
        return runtime.kernels->gather[index_bytes == 8][bytes_ == 8](
            from, ref(1).pointer + (windows_.index_offset + begin) * index_bytes, n, windows_.last[0],
            windows_.component_strides[0], to + begin * bytes_);
      }
      windows_.ForEach(ref(1).pointer, count * part / parts, count * (part + 1) / parts, true,
                       [&](int64_t n, const int64_t* starts, int64_t small, int64_t step) {
                         if (copy_.count == 1)
                           return MoveElements<true>(bytes_, from, to + small * bytes_, starts, step, n);
                         for (int64_t i = 0; i < n; ++i) {
                           const std::byte* source = from + starts[i] * bytes_;
                           std::byte* target = to + (small + i * step) * bytes_;
                           if (block_) std::memcpy(target, source, copy_.count * bytes_);
                           else copy_.Run(source - copy_.from_offset, target);
                         }
                       });
    });
    return true;
  }
  std::string Name() const override { return Format("gather {} windows of {}", windows_.count(), copy_.count); }

 private:
  Windows windows_;
  int64_t bytes_, result_offset_;
  StridedCopy copy_;
  bool block_;
  bool elements_ = false;  // contiguous single elements by one index each
};

class ScatterStep : public Step {
 public:
  // Without kernels, updates replace elements. combine_at is for windows of one element, with 64-bit offsets;
  // combine_indexed is the same on the indices themselves.
  ScatterStep(Windows windows, int64_t element_bytes, int64_t result_bytes, int64_t updates_offset, TileKernel combine,
              TileKernel combine_at, TileKernel combine_indexed)
      : windows_(std::move(windows)),
        bytes_(element_bytes),
        result_bytes_(result_bytes),
        combine_(combine),
        combine_at_(combine_at) {
    copy_ = StridedCopy::Make(bytes_, windows_.window, windows_.window_small_strides, updates_offset,
                              windows_.window_big_strides, 0);
    if (copy_.count == 1 && windows_.HasPlainIndices() && windows_.component_strides[0] == 1)
      combine_indexed_ = combine_indexed;
  }
  bool Run(Runtime&) override {
    std::byte* to = written(0).pointer;
    if (to != ref(0).pointer) std::memcpy(to, ref(0).pointer, result_bytes_);
    const std::byte* from = ref(2).pointer + copy_.from_offset;
    if (combine_indexed_ != nullptr) {
      const std::byte* indices = ref(1).pointer + windows_.index_offset * StorageBytes(windows_.index_type);
      const TileOp op = CombineAt(indices, from, windows_.small_strides[0], windows_.last[0], to);
      combine_indexed_(op, windows_.count());
      return true;
    }
    windows_.ForEach(ref(1).pointer, 0, windows_.count(), false,
                     [&](int64_t n, const int64_t* starts, int64_t small, int64_t step) {
                       const std::byte* source = from + small * bytes_;
                       if (copy_.count == 1 && combine_ == nullptr)
                         return MoveElements<false>(bytes_, source, to, starts, step, n);
                       if (copy_.count == 1 && combine_at_ != nullptr)
                         return combine_at_(CombineAt(starts, source, step, INT64_MAX, to), n);
                       for (int64_t i = 0; i < n; ++i, source += step * bytes_) {
                         if (starts[i] < 0) continue;
                         if (combine_ == nullptr) copy_.Run(source - copy_.from_offset, to + starts[i] * bytes_);
                         else Combine(source, to + starts[i] * bytes_, 0);
                       }
                     });
    return true;
  }
  bool AppendScalarOps(std::vector<TileOp>& ops) const override {
    std::byte* to = refs()[static_cast<size_t>(first_written())].pointer;
    const bool one = windows_.count() == 1 && windows_.last.size() == 1 && copy_.count == 1;
    TileOp op;
    if (one) op.kernel = MoveOneKernel(MoveOne::kScatter, windows_.index_type, bytes_);
    if (op.kernel == nullptr || combine_ != nullptr || to != refs()[0].pointer) return false;
    op.in[0] = refs()[2].pointer + copy_.from_offset;
    op.in[1] = refs()[1].pointer + windows_.index_offset * StorageBytes(windows_.index_type);
    op.in[2] = reinterpret_cast<const void*>(windows_.component_strides[0] * bytes_);
    op.extra = windows_.last[0];
    op.out = to;
    ops.push_back(op);
    return true;
  }
  bool MayShare(int read, int) const override { return read == 0; }
  std::string Name() const override { return Format("scatter {} windows of {}", windows_.count(), copy_.count); }

 private:
  static TileOp CombineAt(const void* places, const void* from, int64_t step, int64_t last, void* to) {
    TileOp op;
    op.in[0] = places, op.in[1] = from, op.in[2] = reinterpret_cast<const void*>(step);
    op.extra = last, op.out = to;
    return op;
  }
  void Combine(const std::byte* from, std::byte* to, size_t d) const {
    const size_t rank = copy_.dims.size();
    TileOp op;
    if (rank == 0 || (d + 1 == rank && copy_.from_strides[d] == 1 && copy_.to_strides[d] == 1)) {
      op.in[0] = to;
      op.in[1] = from;
      op.out = to;
      combine_(op, rank == 0 ? 1 : copy_.dims[d]);
      return;
    }
    for (int64_t i = 0; i < copy_.dims[d]; ++i) {
      const std::byte* source = from + i * copy_.from_strides[d] * bytes_;
      std::byte* target = to + i * copy_.to_strides[d] * bytes_;
      if (d + 1 < rank) {
        Combine(source, target, d + 1);
      } else {
        op.in[0] = op.out = target;
        op.in[1] = source;
        combine_(op, 1);
      }
    }
  }

  Windows windows_;
  int64_t bytes_, result_bytes_;
  TileKernel combine_, combine_at_, combine_indexed_ = nullptr;
  StridedCopy copy_;
};

// Windows has no bounds for batching dimensions: positions past the end are not supported.
bool BatchFits(const View& big, const View& indices, const DimVector& big_batching, const DimVector& index_batching) {
  for (size_t b = 0; b < index_batching.size(); ++b) {
    if (indices.dims[index_batching[b]] > big.dims[big_batching[b]]) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Step> MakeGather(const HloInstruction& gather, const View& operand, const View& indices,
                                 const View* result) {
  const GatherAttributes& a = gather.attributes<GatherAttributes>();
  if (!BatchFits(operand, indices, a.operand_batching_dims, a.start_indices_batching_dims)) return nullptr;
  if (Contains(a.slice_sizes, 0)) return nullptr;  // a collapsed dimension may be mapped, which leaves no bound
  const View small = result != nullptr ? *result : View::RowMajor(gather.shape().dimensions());
  Windows windows = MakeWindows(operand, small, indices, IndexType(gather, 1), a.offset_dims, a.collapsed_slice_dims,
                                a.operand_batching_dims, a.start_indices_batching_dims, a.start_index_map,
                                a.index_vector_dim, a.slice_sizes);
  return std::make_unique<GatherStep>(std::move(windows), StorageBytes(gather.shape().element_type()), operand.offset,
                                      small.offset);
}

std::unique_ptr<Step> MakeScatter(const HloInstruction& scatter, const View& indices, const View& updates,
                                  const KernelTable& kernels) {
  if (scatter.operand_count() != 3 || !scatter.shape().IsArray()) return nullptr;
  const PrimitiveType type = scatter.shape().element_type();
  TileKernel combine = nullptr, combine_at = nullptr, combine_indexed = nullptr;
  const HloInstruction* root = scatter.to_apply()->root();
  if (!(root->IsParameter() && root->parameter_number() == 1)) {
    combine = ReducerKernel(*scatter.to_apply(), type, kernels);
    if (combine == nullptr) return nullptr;
    combine_at = ScatterKernel(*scatter.to_apply(), type, PrimitiveType::S64);
    combine_indexed = ScatterKernel(*scatter.to_apply(), type, IndexType(scatter, 1));
  }
  const ScatterAttributes& a = scatter.attributes<ScatterAttributes>();
  const View big = View::RowMajor(scatter.shape().dimensions());
  if (!BatchFits(big, indices, a.input_batching_dims, a.scatter_indices_batching_dims)) return nullptr;
  // The window's size in each dimension of the operand: 1 for dimensions that the updates lack.
  DimVector sizes(big.dims.size(), 1);
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(big.dims.size()); ++d) {
    if (Contains(a.inserted_window_dims, d) || Contains(a.input_batching_dims, d)) continue;
    sizes[d] = updates.dims[a.update_window_dims[next++]];
  }
  Windows windows = MakeWindows(big, updates, indices, IndexType(scatter, 1), a.update_window_dims,
                                a.inserted_window_dims, a.input_batching_dims, a.scatter_indices_batching_dims,
                                a.scatter_dims_to_operand_dims, a.index_vector_dim, sizes);
  return std::make_unique<ScatterStep>(std::move(windows), StorageBytes(type), scatter.shape().ByteSize(),
                                       updates.offset, combine, combine_at, combine_indexed);
}

}  // namespace hloir::cpu
