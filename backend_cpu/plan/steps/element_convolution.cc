// See element_convolution.h. Tests: tests/ops/convolution-infinite-weight.hlo, tests/unit/executable_kernels_test.cc.
#include "plan/steps/element_convolution.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "hloir/attributes.h"
#include "support/format.h"
#include "hloir/literal.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kMaxConvolutionWork = int64_t{1} << 32;  // products in one go
constexpr int64_t kColumns = 512;                          // sums kept at a time
constexpr int64_t kSlice = 1 << 16;  // elements that a thread looks through, or products it makes, at a time

template <class T>
struct ConvolutionElements {
  const T* data;
  template <class Sum>
  Sum At(int64_t i) const {
    return static_cast<Sum>(data[i]);
  }
};
struct AnyElements {
  PrimitiveType type;
  const std::byte* data;
  template <class Sum>
  Sum At(int64_t i) const {
    constexpr PrimitiveType wide = std::is_same_v<Sum, double> ? PrimitiveType::F64 : PrimitiveType::S64;
    Sum value;
    ConvertElements(type, data + i * StorageBytes(type), wide, &value, 1);
    return value;
  }
};

// True if one of these has all bits of the exponent set and, if `nan`, one of the mantissa.
template <class Bits>
bool HasSpecial(const std::byte* data, int64_t count, Bits exponent, bool nan) {
  const Bits* x = reinterpret_cast<const Bits*>(data);
  const Bits limit = static_cast<Bits>(nan ? exponent : exponent - 1);
  constexpr int64_t kBlock = 64;
  Bits above = 0;  // its sign: something is over the limit
  for (; count >= kBlock; count -= kBlock, x += kBlock) {
    for (int64_t i = 0; i < kBlock; ++i) above |= static_cast<Bits>(limit - (x[i] & std::numeric_limits<Bits>::max()));
  }
  for (int64_t i = 0; i < count; ++i) above |= static_cast<Bits>(limit - (x[i] & std::numeric_limits<Bits>::max()));
  return above < 0;
}
bool HasSpecial(PrimitiveType type, const std::byte* data, int64_t count, bool nan) {
  switch (type) {
    case PrimitiveType::F64: return HasSpecial<int64_t>(data, count, int64_t{0x7ff} << 52, nan);
    case PrimitiveType::F32: return HasSpecial<int32_t>(data, count, 0x7f800000, nan);
    case PrimitiveType::BF16: return HasSpecial<int16_t>(data, count, 0x7f80, nan);
    case PrimitiveType::F16: return HasSpecial<int16_t>(data, count, 0x7c00, nan);
    default: return true;
  }
}

class ElementConvolutionStep : public Step {
 public:
  ElementConvolutionStep(const HloInstruction& convolution, ConvolutionViews views, bool repairs)
      : a_(convolution.attributes<ConvolutionAttributes>()),
        v_(std::move(views)),
        repairs_(repairs),
        input_type_(convolution.operand(0)->shape().element_type()),
        kernel_type_(convolution.operand(1)->shape().element_type()),
        result_type_(convolution.shape().element_type()) {
    for (int64_t d : a_.dim_labels.kernel_spatial) {
      kernel_dims_.push_back(v_.kernel.dims[d]);
      taps_ *= v_.kernel.dims[d];
    }
    terms_ = v_.kernel.dims[a_.dim_labels.kernel_input_feature];
    features_ = v_.result.dims.back();
    groups_ = a_.feature_group_count * a_.batch_group_count;
    group_ = features_ / std::max<int64_t>(1, groups_);
    for (size_t d = 0; d + 1 < v_.result.dims.size(); ++d) rows_ *= v_.result.dims[d];
  }
  bool SumsFloats() const { return IsFloat(input_type_) && IsFloat(kernel_type_) && IsFloat(result_type_); }
  bool Fits() const {
    const bool integers = IsInteger(input_type_) && IsInteger(kernel_type_) && IsInteger(result_type_);
    return (SumsFloats() || integers) && a_.window.size() == kernel_dims_.size() && group_ > 0 &&
           groups_ * group_ == features_;
  }
  double Flops() const override {
    return 2.0 * static_cast<double>(rows_) * static_cast<double>(features_) * static_cast<double>(taps_) *
           static_cast<double>(terms_);
  }
  std::string Name() const override {
    return repairs_ ? Format("convolution's padding under infinite weights")
                    : Format("convolution {} results, {} terms, one by one", rows_ * features_, taps_ * terms_);
  }

  bool Run(Runtime& runtime) override {
    if (repairs_ && !HasNan(runtime)) return true;
    if (input_type_ == kernel_type_ && input_type_ == result_type_) {
      switch (input_type_) {
        case PrimitiveType::F32:
          return RunAs<double>(runtime, ConvolutionElements<float>{ref(0).as<float>()},
                               ConvolutionElements<float>{ref(1).as<float>()});
        case PrimitiveType::F64:
          return RunAs<double>(runtime, ConvolutionElements<double>{ref(0).as<double>()},
                               ConvolutionElements<double>{ref(1).as<double>()});
        case PrimitiveType::S64:
        case PrimitiveType::U64:
          return RunAs<uint64_t>(runtime, ConvolutionElements<uint64_t>{ref(0).as<uint64_t>()},
                                 ConvolutionElements<uint64_t>{ref(1).as<uint64_t>()});
        default: break;
      }
    }
    const AnyElements x{input_type_, ref(0).pointer}, w{kernel_type_, ref(1).pointer};
    return SumsFloats() ? RunAs<double>(runtime, x, w) : RunAs<uint64_t>(runtime, x, w);
  }

 private:
  // The kernel's operands may make a NaN, and the result has one. The shorter array is searched first.
  bool HasNan(Runtime& runtime) {
    const int64_t count = rows_ * features_;
    return KernelSpan() <= count ? KernelHasSpecial() && ResultHasNan(runtime, count)
                                 : ResultHasNan(runtime, count) && KernelHasSpecial();
  }
  bool ResultHasNan(Runtime& runtime, int64_t count) {
    std::atomic<bool> found{false};
    runtime.pool->For((count + kSlice - 1) / kSlice, 0.5 * static_cast<double>(count), [&](int64_t part, int) {
      const int64_t begin = part * kSlice;
      if (HasSpecial(result_type_, written(0).pointer + begin * StorageBytes(result_type_),
                     std::min(kSlice, count - begin), true))
        found = true;
    });
    return found;
  }
  // Other elements between those of a strided kernel only cost time.
  int64_t KernelSpan() const {
    int64_t span = 1;
    for (size_t d = 0; d < v_.kernel.dims.size(); ++d) span += std::abs(v_.kernel.strides[d]) * (v_.kernel.dims[d] - 1);
    return span;
  }
  bool KernelHasSpecial() {
    int64_t first = v_.kernel.offset;
    for (size_t d = 0; d < v_.kernel.dims.size(); ++d)
      first += std::min<int64_t>(0, v_.kernel.strides[d]) * (v_.kernel.dims[d] - 1);
    return HasSpecial(kernel_type_, ref(1).pointer + first * StorageBytes(kernel_type_), KernelSpan(), false);
  }

  template <class Sum, class Input, class Kernel>
  bool RunAs(Runtime& runtime, Input x, Kernel w) {
    // A task: some neighbouring results of a row, all of one group.
    const int64_t chunks = (group_ + kColumns - 1) / kColumns, tasks = rows_ * groups_ * chunks;
    const int64_t work = std::max<int64_t>(1, std::min(group_, kColumns) * taps_ * terms_);
    const int64_t parts = std::clamp<int64_t>(tasks / std::max<int64_t>(1, kSlice / work), 1, 4096);
    runtime.pool->For(parts, static_cast<double>(tasks) * static_cast<double>(work), [&](int64_t part, int) {
      Sum sums[kColumns];
      for (int64_t task = tasks * part / parts; task < tasks * (part + 1) / parts; ++task) {
        const int64_t chunk = task % chunks, group = task / chunks % groups_, row = task / chunks / groups_;
        const int64_t first = group * group_ + chunk * kColumns, n = std::min(kColumns, group_ - chunk * kColumns);
        RunColumns(x, w, row, group, first, n, sums);
      }
    });
    return true;
  }

  template <class Sum, class Input, class Kernel>
  void RunColumns(Input x, Kernel w, int64_t row, int64_t group, int64_t first, int64_t n, Sum* sums) {
    const size_t spatial = kernel_dims_.size();
    const ConvDimensionNumbers& labels = a_.dim_labels;
    DimVector position(spatial + 1), tap(spatial);
    int64_t to = v_.result.offset + first * v_.result.strides.back();
    for (size_t d = spatial + 1; d-- > 0; row /= v_.result.dims[d]) {
      position[d] = row % v_.result.dims[d];
      to += position[d] * v_.result.strides[d];
    }
    const int64_t batch = a_.batch_group_count > 1 ? group * v_.result.dims[0] + position[0] : position[0];
    const int64_t feature = a_.batch_group_count > 1 ? 0 : group * terms_;
    const int64_t x_start = v_.input.offset + batch * v_.input.strides[0] + feature * v_.input.strides.back();
    const int64_t w_step = v_.kernel.strides[labels.kernel_input_feature],
                  w_column = v_.kernel.strides[labels.kernel_output_feature];
    const int64_t w_start = v_.kernel.offset + first * w_column;
    std::fill_n(sums, n, Sum{});
    for (int64_t t = 0; t < taps_; ++t) {
      int64_t x_at = x_start, w_at = w_start;
      bool inside = true;
      for (size_t d = spatial, rest = static_cast<size_t>(t); inside && d-- > 0;
           rest /= static_cast<size_t>(kernel_dims_[d])) {
        const WindowDimension& window = a_.window[d];
        const int64_t k = static_cast<int64_t>(rest % static_cast<size_t>(kernel_dims_[d]));
        const int64_t place = position[d + 1] * window.stride + k * window.window_dilation - window.padding_low;
        inside = place >= 0 && place % window.base_dilation == 0 && place / window.base_dilation < v_.input.dims[d + 1];
        x_at += place / window.base_dilation * v_.input.strides[d + 1];
        w_at += (window.window_reversal ? kernel_dims_[d] - 1 - k : k) * v_.kernel.strides[labels.kernel_spatial[d]];
      }
      if (!inside) continue;
      for (int64_t i = 0; i < terms_; ++i) {
        const Sum value = x.template At<Sum>(x_at + i * v_.input.strides.back());
        const int64_t from = w_at + i * w_step;
        for (int64_t o = 0; o < n; ++o) sums[o] += value * w.template At<Sum>(from + o * w_column);
      }
    }
    constexpr PrimitiveType wide = std::is_same_v<Sum, double> ? PrimitiveType::F64 : PrimitiveType::S64;
    for (int64_t o = 0; o < n; ++o) {
      ConvertElements(wide, sums + o, result_type_,
                      written(0).pointer + (to + o * v_.result.strides.back()) * StorageBytes(result_type_), 1);
    }
  }

  const ConvolutionAttributes a_;
  const ConvolutionViews v_;
  const bool repairs_;
  const PrimitiveType input_type_, kernel_type_, result_type_;
  DimVector kernel_dims_;
  int64_t taps_ = 1, terms_ = 1, features_ = 1, rows_ = 1;  // a row: the features at one position of one batch
  int64_t groups_ = 1, group_ = 1;                          // of output features
};

std::unique_ptr<ElementConvolutionStep> Make(const HloInstruction& convolution, ConvolutionViews views, bool repairs) {
  if (convolution.operand_count() != 2) return nullptr;
  auto step = std::make_unique<ElementConvolutionStep>(convolution, std::move(views), repairs);
  return step->Fits() ? std::move(step) : nullptr;
}

}  // namespace

std::unique_ptr<Step> MakeElementConvolution(const HloInstruction& convolution, ConvolutionViews views) {
  auto step = Make(convolution, std::move(views), false);
  return step != nullptr && step->Flops() <= static_cast<double>(kMaxConvolutionWork) ? std::move(step) : nullptr;
}

std::unique_ptr<Step> MakePaddingRepair(const HloInstruction& convolution, ConvolutionViews views) {
  auto step = Make(convolution, std::move(views), true);
  return step != nullptr && step->SumsFloats() ? std::move(step) : nullptr;
}

}  // namespace hloir::cpu
