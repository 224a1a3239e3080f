// See movement.h.
#include "plan/steps/movement.h"

#include <algorithm>
#include <cstring>

#include "support/format.h"
#include "plan/steps/indices.h"
#include "plan/steps/strided_copy.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kFewElements = 16;  // at most this many bytes are moved by one operation of a scalar loop

void Fill(std::byte* to, const std::byte* value, int64_t bytes, int64_t count) {
  switch (bytes) {
    case 1: std::memset(to, static_cast<int>(*value), count); break;
    case 2: std::fill_n(reinterpret_cast<uint16_t*>(to), count, *reinterpret_cast<const uint16_t*>(value)); break;
    case 4: std::fill_n(reinterpret_cast<uint32_t*>(to), count, *reinterpret_cast<const uint32_t*>(value)); break;
    case 8: std::fill_n(reinterpret_cast<uint64_t*>(to), count, *reinterpret_cast<const uint64_t*>(value)); break;
    default:
      for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, value, bytes);
      break;
  }
}

class PadStep : public Step {
 public:
  // Without a padding value among the refs, zeros.
  PadStep(int64_t bytes, const PaddingConfig& config, const DimVector& dims, const View& operand, bool zeros)
      : bytes_(bytes), zeros_(zeros) {
    const View result = View::RowMajor(dims);
    count_ = result.count();
    result_ = result;
    View from = operand;
    DimVector strides = result.strides;
    int64_t to_offset = 0;
    for (size_t d = 0; d < from.dims.size(); ++d) {
      const PaddingDimension& padding = config[d];
      const int64_t step = padding.interior + 1;
      // Element i moves to low + i·step: the range of i inside the result.
      const int64_t first = padding.low < 0 ? (-padding.low + step - 1) / step : 0;
      const int64_t room = result.dims[d] - 1 - padding.low;
      const int64_t last = room < 0 ? -1 : std::min(from.dims[d] - 1, room / step);
      from.offset += first * from.strides[d];
      to_offset += (padding.low + first * step) * strides[d];
      from.dims[d] = std::max<int64_t>(0, last - first + 1);
      strides[d] *= step;
      box_.push_back({padding.low + first * step, from.dims[d]});
      dense_ &= step == 1;
      if (from.dims[d] < dims[d]) last_padded_ = d;
    }
    copy_ = StridedCopy::Make(bytes_, from.dims, from.strides, from.offset, strides, to_offset);
  }
  bool Run(Runtime& runtime) override {
    static constexpr std::byte kZero[16] = {};
    std::byte* to = written(0).pointer;
    const std::byte *from = ref(0).pointer, *value = zeros_ ? kZero : ref(1).pointer;
    if (dense_ && 2 * copy_.count >= count_) {
      FillAround(to, value, 0);
    } else if (copy_.count < count_) {
      const int64_t parts = std::clamp<int64_t>(count_ * bytes_ / kPartBytes, 1, 16);
      runtime.pool->For(parts, kNanosPerByte * static_cast<double>(count_ * bytes_), [&](int64_t part, int) {
        const int64_t begin = count_ * part / parts, end = count_ * (part + 1) / parts;
        Fill(to + begin * bytes_, value, bytes_, end - begin);
      });
    }
    const int64_t parts = std::clamp<int64_t>(copy_.count * bytes_ / kPartBytes, 1,
                                              std::max<int64_t>(1, std::min<int64_t>(16, copy_.parts())));
    runtime.pool->For(parts, kNanosPerByte * static_cast<double>(copy_.count * bytes_), [&](int64_t part, int) {
      copy_.RunPart(from, to, copy_.parts() * part / parts, copy_.parts() * (part + 1) / parts, runtime.kernels);
    });
    return true;
  }
  std::string Name() const override { return Format("pad to {} elements", count_); }

 private:
  static constexpr int64_t kPartBytes = 1 << 18;
  static constexpr double kNanosPerByte = 0.1;  // memory's

  // The part of the result, from dimension d on, outside the operand.
  void FillAround(std::byte* to, const std::byte* value, size_t d) const {
    if (d > last_padded_ || copy_.count == count_) return;
    const int64_t step = result_.strides[d] * bytes_, low = box_[d].low, end = low + box_[d].size;
    Fill(to, value, bytes_, low * result_.strides[d]);
    if (d + 1 < box_.size())
      for (int64_t i = low; i < end; ++i) FillAround(to + i * step, value, d + 1);
    Fill(to + end * step, value, bytes_, (result_.dims[d] - end) * result_.strides[d]);
  }

  struct Extent {
    int64_t low, size;
  };
  int64_t bytes_, count_;
  bool zeros_;
  View result_;
  SmallVector<Extent, 6> box_;  // the operand's range, if it is dense there
  bool dense_ = true;
  size_t last_padded_ = 0;
  StridedCopy copy_;
};

// The start of a slice of `sizes` in an array of `dims`: indices clamped so that it fits.
class SliceStart {
 public:
  SliceStart(PrimitiveType type, const DimVector& dims, const DimVector& sizes, const DimVector& strides, int64_t bytes)
      : type_(type) {
    for (size_t d = 0; d < dims.size(); ++d) {
      last_.push_back(dims[d] - sizes[d]);
      strides_.push_back(strides[d] * bytes);
    }
  }
  // The only dimension along which the start can move, or -1; and the known parts of the start.
  int only() const {
    int found = -1;
    for (size_t d = 0; d < last_.size(); ++d) {
      if (last_[d] != 0 && found >= 0) return -1;
      if (last_[d] != 0) found = static_cast<int>(d);
    }
    return found;
  }
  PrimitiveType type() const { return type_; }
  int64_t last(int d) const { return last_[static_cast<size_t>(d)]; }
  int64_t bytes(int d) const { return strides_[static_cast<size_t>(d)]; }
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

class DynamicSliceStep : public Step {
 public:
  DynamicSliceStep(const HloInstruction& slice, const View& operand)
      : start_(IndexType(slice, 1), operand.dims, slice.shape().dimensions(), operand.strides,
               StorageBytes(slice.shape().element_type())),
        copy_(StridedCopy::Make(StorageBytes(slice.shape().element_type()), slice.shape().dimensions(), operand.strides,
                                operand.offset, View::RowMajor(slice.shape().dimensions()).strides, 0)) {}
  bool Run(Runtime&) override {
    Move();
    return true;
  }
  bool AppendScalarOps(std::vector<TileOp>& ops) const override {
    if (copy_.count > kFewElements) return false;
    TileOp op;
    const int d = start_.only();
    const TileKernel one =
        copy_.count == 1 && d >= 0 ? MoveOneKernel(MoveOne::kSlice, start_.type(), copy_.bytes) : nullptr;
    if (one != nullptr) {
      op.kernel = one;
      op.in[0] = refs()[0].pointer + copy_.from_offset;
      op.in[1] = refs()[static_cast<size_t>(1 + d)].pointer;
      op.in[2] = reinterpret_cast<const void*>(start_.bytes(d));
      op.extra = start_.last(d);
      op.out = refs()[static_cast<size_t>(first_written())].pointer;
    } else {
      op.kernel = [](const TileOp& self, int64_t) { static_cast<const DynamicSliceStep*>(self.aux)->Move(); };
      op.aux = this;
    }
    ops.push_back(op);
    return true;
  }
  std::string Name() const override { return Format("dynamic-slice {} elements", copy_.count); }

 private:
  void Move() const {
    copy_.Run(refs()[0].pointer + start_.Offset(refs().data() + 1),
              refs()[static_cast<size_t>(first_written())].pointer);
  }

  SliceStart start_;
  StridedCopy copy_;
};

class DynamicUpdateSliceStep : public Step {
 public:
  DynamicUpdateSliceStep(const HloInstruction& instruction, const View& update)
      : start_(IndexType(instruction, 2), instruction.shape().dimensions(), update.dims,
               View::RowMajor(instruction.shape().dimensions()).strides,
               StorageBytes(instruction.shape().element_type())),
        copy_(StridedCopy::Make(StorageBytes(instruction.shape().element_type()), update.dims, update.strides,
                                update.offset, View::RowMajor(instruction.shape().dimensions()).strides, 0)),
        bytes_(instruction.shape().ByteSize()) {}
  bool Run(Runtime&) override {
    std::byte* to = written(0).pointer;
    if (to != ref(0).pointer) std::memcpy(to, ref(0).pointer, bytes_);
    Move();
    return true;
  }
  bool AppendScalarOps(std::vector<TileOp>& ops) const override {
    std::byte* to = refs()[static_cast<size_t>(first_written())].pointer;
    if (copy_.count > kFewElements || to != refs()[0].pointer) return false;
    TileOp op;
    const int d = start_.only();
    const TileKernel one =
        copy_.count == 1 && d >= 0 ? MoveOneKernel(MoveOne::kUpdate, start_.type(), copy_.bytes) : nullptr;
    if (one != nullptr) {
      op.kernel = one;
      op.in[0] = refs()[1].pointer + copy_.from_offset;
      op.in[1] = refs()[static_cast<size_t>(2 + d)].pointer;
      op.in[2] = reinterpret_cast<const void*>(start_.bytes(d));
      op.extra = start_.last(d);
      op.out = to;
    } else {
      op.kernel = [](const TileOp& self, int64_t) { static_cast<const DynamicUpdateSliceStep*>(self.aux)->Move(); };
      op.aux = this;
    }
    ops.push_back(op);
    return true;
  }
  bool MayShare(int read, int) const override { return read == 0; }
  std::string Name() const override { return Format("dynamic-update-slice {} elements", copy_.count); }

 private:
  void Move() const {
    copy_.Run(refs()[1].pointer,
              refs()[static_cast<size_t>(first_written())].pointer + start_.Offset(refs().data() + 2));
  }

  SliceStart start_;
  StridedCopy copy_;
  int64_t bytes_;
};

}  // namespace

std::unique_ptr<Step> MakePad(const HloInstruction& pad, const View& operand) {
  return std::make_unique<PadStep>(StorageBytes(pad.shape().element_type()), pad.attributes<PadAttributes>().padding,
                                   pad.shape().dimensions(), operand, false);
}
std::unique_ptr<Step> MakeZeroPad(PrimitiveType type, const PaddingConfig& padding, const DimVector& dims,
                                  const View& operand) {
  return std::make_unique<PadStep>(StorageBytes(type), padding, dims, operand, true);
}
namespace {
// A single vector of starts, as in old modules, is left to the reference.
bool TakesList(const HloInstruction& i, int64_t first) {
  return i.operand_count() > first && i.operand(first)->shape().rank() != 0;
}
}  // namespace
std::unique_ptr<Step> MakeDynamicSlice(const HloInstruction& slice, const View& operand) {
  if (TakesList(slice, 1)) return nullptr;
  return std::make_unique<DynamicSliceStep>(slice, operand);
}
std::unique_ptr<Step> MakeDynamicUpdateSlice(const HloInstruction& update_slice, const View& update) {
  if (TakesList(update_slice, 2)) return nullptr;
  return std::make_unique<DynamicUpdateSliceStep>(update_slice, update);
}

}  // namespace hloir::cpu
