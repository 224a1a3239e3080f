// See movement.h.
#include "plan/movement.h"

#include <algorithm>
#include <cstring>

#include "hloir/format.h"
#include "plan/fused_loop.h"
#include "plan/strided_copy.h"

namespace hloir::cpu {
namespace {

int64_t ReadIndex(PrimitiveType type, const std::byte* data, int64_t i) {
  switch (StorageBytes(type)) {
    case 1: return IsSigned(type) ? reinterpret_cast<const int8_t*>(data)[i] : reinterpret_cast<const uint8_t*>(data)[i];
    case 2: return IsSigned(type) ? reinterpret_cast<const int16_t*>(data)[i] : reinterpret_cast<const uint16_t*>(data)[i];
    case 4: return IsSigned(type) ? reinterpret_cast<const int32_t*>(data)[i]
                                  : static_cast<int64_t>(reinterpret_cast<const uint32_t*>(data)[i]);
    default: {
      const int64_t value = reinterpret_cast<const int64_t*>(data)[i];
      return !IsSigned(type) && value < 0 ? INT64_MAX : value;
    }
  }
}

void Fill(std::byte* to, const std::byte* value, int64_t bytes, int64_t count) {
  switch (bytes) {
    case 1: std::memset(to, static_cast<int>(*value), count); break;
    case 2: std::fill_n(reinterpret_cast<uint16_t*>(to), count, *reinterpret_cast<const uint16_t*>(value)); break;
    case 4: std::fill_n(reinterpret_cast<uint32_t*>(to), count, *reinterpret_cast<const uint32_t*>(value)); break;
    case 8: std::fill_n(reinterpret_cast<uint64_t*>(to), count, *reinterpret_cast<const uint64_t*>(value)); break;
    default: for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, value, bytes); break;
  }
}

class PadStep : public Step {
 public:
  // Without a padding value among the refs, zeros.
  PadStep(int64_t bytes, const PaddingConfig& config, const DimVector& dims, const View& operand, bool zeros)
      : bytes_(bytes), zeros_(zeros) {
    const View result = View::RowMajor(dims);
    count_ = result.count();
    View from = operand;
    DimVector strides = result.strides;
    int64_t to_offset = 0;
    for (size_t d = 0; d < from.dims.size(); ++d) {
      const PaddingDimension& padding = config[d];
      const int64_t step = padding.interior + 1;
      // Element i comes to low + i·step: those that fall inside.
      const int64_t first = padding.low < 0 ? (-padding.low + step - 1) / step : 0;
      const int64_t room = result.dims[d] - 1 - padding.low;
      const int64_t last = room < 0 ? -1 : std::min(from.dims[d] - 1, room / step);
      from.offset += first * from.strides[d];
      to_offset += (padding.low + first * step) * strides[d];
      from.dims[d] = std::max<int64_t>(0, last - first + 1);
      strides[d] *= step;
    }
    copy_ = StridedCopy::Make(bytes_, from.dims, from.strides, from.offset, strides, to_offset);
  }
  bool Run(Runtime& runtime) override {
    static constexpr std::byte kZero[16] = {};
    std::byte* to = written(0).pointer;
    const std::byte *from = ref(0).pointer, *value = zeros_ ? kZero : ref(1).pointer;
    if (copy_.count < count_) {
      const int64_t parts = std::clamp<int64_t>(count_ * bytes_ / kPartBytes, 1, 16);
      runtime.pool->For(parts, [&](int64_t part, int) {
        const int64_t begin = count_ * part / parts, end = count_ * (part + 1) / parts;
        Fill(to + begin * bytes_, value, bytes_, end - begin);
      });
    }
    const int64_t parts = std::clamp<int64_t>(copy_.count * bytes_ / kPartBytes, 1, std::max<int64_t>(1, std::min<int64_t>(16, copy_.parts())));
    runtime.pool->For(parts, [&](int64_t part, int) {
      copy_.RunPart(from, to, copy_.parts() * part / parts, copy_.parts() * (part + 1) / parts);
    });
    return true;
  }
  std::string Name() const override { return Format("pad to {} elements", count_); }

 private:
  static constexpr int64_t kPartBytes = 1 << 18;
  int64_t bytes_, count_;
  bool zeros_;
  StridedCopy copy_;
};

// Where a slice of `sizes` starts in an array of `dims`: indices clamped so that it fits.
class SliceStart {
 public:
  SliceStart(PrimitiveType type, const DimVector& dims, const DimVector& sizes, const DimVector& strides, int64_t bytes)
      : type_(type) {
    for (size_t d = 0; d < dims.size(); ++d) {
      last_.push_back(dims[d] - sizes[d]);
      strides_.push_back(strides[d] * bytes);
    }
  }
  // In bytes; the index of dimension d is the scalar refs[d].
  int64_t Offset(const Ref* refs) const {
    int64_t offset = 0;
    for (size_t d = 0; d < last_.size(); ++d) {
      if (last_[d] == 0) continue;
      offset += std::clamp<int64_t>(ReadIndex(type_, refs[d].pointer, 0), 0, last_[d]) * strides_[d];
    }
    return offset;
  }

 private:
  PrimitiveType type_;
  DimVector last_, strides_;
};

PrimitiveType IndexType(const HloInstruction& instruction, int64_t first) {
  return instruction.operand_count() > first ? instruction.operand(first)->shape().element_type() : PrimitiveType::S32;
}

class DynamicSliceStep : public Step {
 public:
  DynamicSliceStep(const HloInstruction& slice, const View& operand)
      : start_(IndexType(slice, 1), operand.dims, slice.shape().dimensions(), operand.strides,
               StorageBytes(slice.shape().element_type())),
        copy_(StridedCopy::Make(StorageBytes(slice.shape().element_type()), slice.shape().dimensions(), operand.strides,
                                operand.offset, View::RowMajor(slice.shape().dimensions()).strides, 0)) {}
  bool Run(Runtime&) override {
    copy_.Run(ref(0).pointer + start_.Offset(refs().data() + 1), written(0).pointer);
    return true;
  }
  std::string Name() const override { return Format("dynamic-slice {} elements", copy_.count); }

 private:
  SliceStart start_;
  StridedCopy copy_;
};

class DynamicUpdateSliceStep : public Step {
 public:
  DynamicUpdateSliceStep(const HloInstruction& instruction, const View& update)
      : start_(IndexType(instruction, 2), instruction.shape().dimensions(), update.dims,
               View::RowMajor(instruction.shape().dimensions()).strides, StorageBytes(instruction.shape().element_type())),
        copy_(StridedCopy::Make(StorageBytes(instruction.shape().element_type()), update.dims, update.strides, update.offset,
                                View::RowMajor(instruction.shape().dimensions()).strides, 0)),
        bytes_(instruction.shape().ByteSize()) {}
  bool Run(Runtime&) override {
    std::byte* to = written(0).pointer;
    const int64_t offset = start_.Offset(refs().data() + 2);
    if (to != ref(0).pointer) std::memcpy(to, ref(0).pointer, bytes_);
    copy_.Run(ref(1).pointer, to + offset);
    return true;
  }
  bool MayShare(int read, int) const override { return read == 0; }
  std::string Name() const override { return Format("dynamic-update-slice {} elements", copy_.count); }

 private:
  SliceStart start_;
  StridedCopy copy_;
  int64_t bytes_;
};

// What gather and scatter have in common: for each index vector, where the window lies in the operand (`big`) and in the
// result or updates (`small`).
struct Windows {
  // Over the index vectors: their places in the index array, and the offset in `small` and (for batching dims) in `big`.
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
  // Calls f(big offset, small offset, inside) for index vectors [begin, end); offsets in elements. Starts are clamped if
  // `clamp`; else inside says whether the window lies within.
  template <class F>
  void ForEach(const std::byte* indices, int64_t begin, int64_t end, bool clamp, F&& f) const {
    const int rank = static_cast<int>(dims.size());
    DimVector at(rank, 0);
    int64_t index = index_offset, small = 0, big = 0;
    for (int64_t d = rank, linear = begin; d-- > 0; linear /= dims[d]) {
      at[d] = linear % dims[d];
      index += at[d] * index_strides[d], small += at[d] * small_strides[d], big += at[d] * big_strides[d];
    }
    for (int64_t i = begin; i < end; ++i) {
      int64_t start = big;
      bool inside = true;
      for (size_t c = 0; c < component_strides.size(); ++c) {
        int64_t value = ReadIndex(index_type, indices, index + static_cast<int64_t>(c) * component_stride);
        if (clamp) value = std::clamp<int64_t>(value, 0, last[c]);
        else if (value < 0 || value > last[c]) inside = false, value = 0;
        start += value * component_strides[c];
      }
      f(start, small, inside);
      for (int d = rank; d-- > 0;) {
        index += index_strides[d], small += small_strides[d], big += big_strides[d];
        if (++at[d] < dims[d]) break;
        index -= index_strides[d] * dims[d], small -= small_strides[d] * dims[d], big -= big_strides[d] * dims[d];
        at[d] = 0;
      }
    }
  }
};

bool Contains(const DimVector& list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

// window_dims: the dimensions of `small` that walk the window; removed: dimensions of `big` that have none there.
Windows MakeWindows(const View& big, const View& small, const View& indices, PrimitiveType index_type,
                    const DimVector& window_dims, const DimVector& removed, const DimVector& big_batching,
                    const DimVector& index_batching, const DimVector& index_map, int64_t index_vector_dim,
                    const DimVector& window_sizes) {
  Windows w;
  w.index_type = index_type;
  w.index_offset = indices.offset;
  w.component_stride = index_vector_dim < static_cast<int64_t>(indices.dims.size()) ? indices.strides[index_vector_dim] : 0;
  DimVector small_batch;
  for (int64_t d = 0; d < static_cast<int64_t>(small.dims.size()); ++d) if (!Contains(window_dims, d)) small_batch.push_back(d);
  size_t k = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(indices.dims.size()); ++d) {
    if (d == index_vector_dim) continue;
    w.dims.push_back(indices.dims[d]);
    w.index_strides.push_back(indices.strides[d]);
    w.small_strides.push_back(small.strides[small_batch[k++]]);
    int64_t stride = 0;
    for (size_t b = 0; b < index_batching.size(); ++b) if (index_batching[b] == d) stride = big.strides[big_batching[b]];
    w.big_strides.push_back(stride);
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

class GatherStep : public Step {
 public:
  GatherStep(Windows windows, int64_t bytes, int64_t big_offset) : windows_(std::move(windows)), bytes_(bytes) {
    copy_ = StridedCopy::Make(bytes, windows_.window, windows_.window_big_strides, big_offset, windows_.window_small_strides, 0);
    block_ = copy_.dims.empty() || (copy_.dims.size() == 1 && copy_.from_strides[0] == 1 && copy_.to_strides[0] == 1);
  }
  bool Run(Runtime& runtime) override {
    const std::byte* from = ref(0).pointer + copy_.from_offset;
    std::byte* to = written(0).pointer;
    const int64_t count = windows_.count(), total = count * copy_.count * bytes_;
    const int64_t parts = std::clamp<int64_t>(total / (1 << 17), 1, std::min<int64_t>(16, std::max<int64_t>(count, 1)));
    runtime.pool->For(parts, [&](int64_t part, int) {
      windows_.ForEach(ref(1).pointer, count * part / parts, count * (part + 1) / parts, true,
                       [&](int64_t big, int64_t small, bool) {
        const std::byte* source = from + big * bytes_;
        std::byte* target = to + small * bytes_;
        if (!block_) copy_.Run(source - copy_.from_offset, target);
        else if (copy_.count == 1 && bytes_ == 4) std::memcpy(target, source, 4);
        else std::memcpy(target, source, copy_.count * bytes_);
      });
    });
    return true;
  }
  std::string Name() const override { return Format("gather {} windows of {}", windows_.count(), copy_.count); }

 private:
  Windows windows_;
  int64_t bytes_;
  StridedCopy copy_;
  bool block_;
};

class ScatterStep : public Step {
 public:
  // Without a kernel, updates replace what is there.
  ScatterStep(Windows windows, int64_t element_bytes, int64_t result_bytes, int64_t updates_offset, TileKernel combine)
      : windows_(std::move(windows)), bytes_(element_bytes), result_bytes_(result_bytes), combine_(combine) {
    copy_ = StridedCopy::Make(bytes_, windows_.window, windows_.window_small_strides, updates_offset,
                              windows_.window_big_strides, 0);
  }
  bool Run(Runtime&) override {
    std::byte* to = written(0).pointer;
    if (to != ref(0).pointer) std::memcpy(to, ref(0).pointer, result_bytes_);
    const std::byte* from = ref(2).pointer;
    windows_.ForEach(ref(1).pointer, 0, windows_.count(), false, [&](int64_t big, int64_t small, bool inside) {
      if (!inside) return;
      if (combine_ == nullptr) copy_.Run(from + small * bytes_, to + big * bytes_);
      else Combine(from + copy_.from_offset + small * bytes_, to + big * bytes_, 0);
    });
    return true;
  }
  bool MayShare(int read, int) const override { return read == 0; }
  std::string Name() const override { return Format("scatter {} windows of {}", windows_.count(), copy_.count); }

 private:
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
  TileKernel combine_;
  StridedCopy copy_;
};

}  // namespace

std::unique_ptr<Step> MakePad(const HloInstruction& pad, const View& operand) {
  return std::make_unique<PadStep>(StorageBytes(pad.shape().element_type()), pad.attributes<PadAttributes>().padding,
                                   pad.shape().dimensions(), operand, false);
}
std::unique_ptr<Step> MakeZeroPad(PrimitiveType type, const PaddingConfig& padding, const DimVector& dims, const View& operand) {
  return std::make_unique<PadStep>(StorageBytes(type), padding, dims, operand, true);
}
std::unique_ptr<Step> MakeDynamicSlice(const HloInstruction& slice, const View& operand) {
  return std::make_unique<DynamicSliceStep>(slice, operand);
}
std::unique_ptr<Step> MakeDynamicUpdateSlice(const HloInstruction& update_slice, const View& update) {
  return std::make_unique<DynamicUpdateSliceStep>(update_slice, update);
}

std::unique_ptr<Step> MakeGather(const HloInstruction& gather, const View& operand, const View& indices) {
  const GatherAttributes& a = gather.attributes<GatherAttributes>();
  Windows windows = MakeWindows(operand, View::RowMajor(gather.shape().dimensions()), indices, IndexType(gather, 1),
                                a.offset_dims, a.collapsed_slice_dims, a.operand_batching_dims,
                                a.start_indices_batching_dims, a.start_index_map, a.index_vector_dim, a.slice_sizes);
  return std::make_unique<GatherStep>(std::move(windows), StorageBytes(gather.shape().element_type()), operand.offset);
}

std::unique_ptr<Step> MakeScatter(const HloInstruction& scatter, const View& indices, const View& updates,
                                  const KernelTable& kernels) {
  if (scatter.operand_count() != 3 || !scatter.shape().IsArray()) return nullptr;
  const PrimitiveType type = scatter.shape().element_type();
  TileKernel combine = nullptr;
  const HloInstruction* root = scatter.to_apply()->root();
  if (!(root->IsParameter() && root->parameter_number() == 1)) {
    combine = ReducerKernel(*scatter.to_apply(), type, kernels);
    if (combine == nullptr) return nullptr;
  }
  const ScatterAttributes& a = scatter.attributes<ScatterAttributes>();
  const View big = View::RowMajor(scatter.shape().dimensions());
  // The window's size in each dimension of the operand: 1 where the updates have none.
  DimVector sizes(big.dims.size(), 1);
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(big.dims.size()); ++d) {
    if (Contains(a.inserted_window_dims, d) || Contains(a.input_batching_dims, d)) continue;
    sizes[d] = updates.dims[a.update_window_dims[next++]];
  }
  Windows windows = MakeWindows(big, updates, indices, IndexType(scatter, 1), a.update_window_dims, a.inserted_window_dims,
                                a.input_batching_dims, a.scatter_indices_batching_dims, a.scatter_dims_to_operand_dims,
                                a.index_vector_dim, sizes);
  return std::make_unique<ScatterStep>(std::move(windows), StorageBytes(type), scatter.shape().ByteSize(), updates.offset, combine);
}

}  // namespace hloir::cpu
