// select-and-scatter, the gradient of max pooling: select by one comparison, scatter by addition. Windows may overlap,
// so threads divide only leading dimensions without windows. Tests: tests/ops/select-and-scatter*.hlo,
// tests/unit/executable_types_test.cc.
#include <algorithm>
#include <optional>

#include "support/format.h"
#include "plan/graph/view.h"
#include "plan/capability/reduce_window_plan.h"
#include "plan/steps/windows.h"

namespace hloir::cpu {
namespace {

struct Compare {
  ComparisonDirection direction;
  template <class T>
  bool Keeps(T kept, T candidate) const {
    switch (direction) {
      case ComparisonDirection::kGe: return kept >= candidate;
      case ComparisonDirection::kGt: return kept > candidate;
      case ComparisonDirection::kLe: return kept <= candidate;
      default: return kept < candidate;
    }
  }
};

// Narrow floats are compared and added as f32, and rounded after each addition; integers wrap.
template <class T>
auto Wide(T x) {
  if constexpr (std::is_arithmetic_v<T>) return x;
  else return static_cast<float>(x);
}
template <class T>
T Sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return T(Wide(a) + Wide(b));
}

template <class T>
class SelectAndScatterStep : public Step {
 public:
  SelectAndScatterStep(const HloInstruction& instruction, Compare compare)
      : compare_(compare),
        window_(instruction.attributes<WindowAttributes>().window),
        dims_(instruction.shape().dimensions()),
        source_dims_(instruction.operand(1)->shape().dimensions()) {
    strides_ = View::RowMajor(dims_).strides;
    rank_ = static_cast<int>(dims_.size());
    auto trivial = [&](int d) {
      const WindowDimension& w = window_[d];
      return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.base_dilation == 1 && source_dims_[d] == dims_[d];
    };
    last_ = rank_;
    while (last_ > 0 && trivial(last_ - 1)) inner_ *= dims_[--last_];
    taps_ = TapCount(window_);
    while (first_ < last_ && trivial(first_)) outer_ *= dims_[first_++];
    for (int d = first_; d < last_; ++d) positions_ *= source_dims_[d], block_ *= dims_[d];
  }
  bool FewTaps() const { return taps_ <= kMaxTaps; }

  bool Run(Runtime& runtime) override {
    runtime.pool->ForItems(outer_, Flops(), [&](int64_t outer, int) { RunOuter(outer); });
    return true;
  }
  std::string Name() const override {
    return Format("select-and-scatter {} windows of {}", outer_ * positions_ * inner_, taps_);
  }
  // A comparison for each element under a window, and an addition for the selected one.
  double Flops() const override {
    return static_cast<double>(outer_ * positions_ * inner_) * static_cast<double>(taps_);
  }
  static constexpr int64_t kMaxTaps = 256;

 private:
  void RunOuter(int64_t outer) {
    const T* x = reinterpret_cast<const T*>(refs()[0].pointer) + outer * block_ * inner_;
    const T* source = reinterpret_cast<const T*>(refs()[1].pointer) + outer * positions_ * inner_;
    T* out = reinterpret_cast<T*>(refs()[first_written()].pointer) + outer * block_ * inner_;
    std::fill_n(out, block_ * inner_, *reinterpret_cast<const T*>(refs()[2].pointer));
    int64_t position[64] = {}, under[kMaxTaps];
    for (int64_t p = 0; p < positions_; ++p, source += inner_) {
      const int64_t count = Under(position, under);
      for (int64_t c = 0; c < inner_ && count > 0; ++c) {
        int64_t kept = under[0];
        auto best = Wide(x[kept + c]);
        for (int64_t t = 1; t < count; ++t) {
          const auto candidate = Wide(x[under[t] + c]);
          const bool keep = compare_.Keeps(best, candidate);
          best = keep ? best : candidate;
          kept = keep ? kept : under[t];
        }
        out[kept + c] = Sum(out[kept + c], source[c]);
      }
      for (int d = last_; d-- > first_;) {
        if (++position[d] < source_dims_[d]) break;
        position[d] = 0;
      }
    }
  }

  // The offsets of the elements under the window, in order, without those in padding.
  int64_t Under(const int64_t* position, int64_t* under) const {
    int64_t tap[64] = {}, count = 0;
    for (int64_t t = 0; t < taps_; ++t) {
      int64_t at = 0;
      bool inside = true;
      for (int d = first_; d < last_ && inside; ++d) {
        const WindowDimension& w = window_[d];
        const int64_t place = position[d] * w.stride + tap[d] * w.window_dilation - w.padding_low;
        inside = place >= 0 && place % w.base_dilation == 0 && place / w.base_dilation < dims_[d];
        at += place / w.base_dilation * strides_[d];
      }
      if (inside) under[count++] = at;
      for (int d = last_; d-- > first_;) {
        if (++tap[d] < window_[d].size) break;
        tap[d] = 0;
      }
    }
    return count;
  }

  const Compare compare_;
  const Window window_;
  const DimVector dims_, source_dims_;
  DimVector strides_;
  int rank_ = 0, first_ = 0, last_ = 0;  // dimensions [first_, last_) have windows
  int64_t outer_ = 1, inner_ = 1, positions_ = 1, taps_ = 1, block_ = 1;
};

template <class T>
std::unique_ptr<Step> Make(const HloInstruction& instruction, Compare compare) {
  auto step = std::make_unique<SelectAndScatterStep<T>>(instruction, compare);
  if (!step->FewTaps()) return nullptr;
  return step;
}

}  // namespace

std::unique_ptr<Step> MakeSelectAndScatter(const HloInstruction& instruction) {
  const HloInstruction* select = instruction.called_computations()[0]->root();
  const HloInstruction* scatter = instruction.called_computations()[1]->root();
  auto of_parameters = [](const HloInstruction& root, bool ordered) {
    if (root.operand_count() != 2 || !root.operand(0)->IsParameter() || !root.operand(1)->IsParameter()) return false;
    const int64_t a = root.operand(0)->parameter_number(), b = root.operand(1)->parameter_number();
    return a != b && (!ordered || a == 0);
  };
  if (select->opcode() != HloOpcode::kCompare || !of_parameters(*select, true) ||
      scatter->opcode() != HloOpcode::kAdd || !of_parameters(*scatter, false) || instruction.shape().rank() > 64) {
    return nullptr;
  }
  const CompareAttributes& compare = select->attributes<CompareAttributes>();
  const PrimitiveType type = instruction.shape().element_type();
  for (int i = 0; i < 3; ++i)
    if (instruction.operand(i)->shape().element_type() != type) return nullptr;
  if ((compare.type == ComparisonType::kSigned && IsUnsigned(type)) ||
      (compare.type == ComparisonType::kUnsigned && IsSigned(type)))
    return nullptr;
  if (compare.type == ComparisonType::kFloatTotalOrder || compare.direction == ComparisonDirection::kEq ||
      compare.direction == ComparisonDirection::kNe) {
    return nullptr;
  }
  switch (type) {
    case PrimitiveType::F32: return Make<float>(instruction, {compare.direction});
    case PrimitiveType::F64: return Make<double>(instruction, {compare.direction});
    case PrimitiveType::BF16: return Make<BFloat16>(instruction, {compare.direction});
    case PrimitiveType::F16: return Make<Half>(instruction, {compare.direction});
    case PrimitiveType::S8: return Make<int8_t>(instruction, {compare.direction});
    case PrimitiveType::U8: return Make<uint8_t>(instruction, {compare.direction});
    case PrimitiveType::S32: return Make<int32_t>(instruction, {compare.direction});
    case PrimitiveType::U32: return Make<uint32_t>(instruction, {compare.direction});
    case PrimitiveType::S64: return Make<int64_t>(instruction, {compare.direction});
    default: return nullptr;
  }
}

}  // namespace hloir::cpu
