// See depthwise.h. Tests: tests/ops/convolution-*.hlo.
#include "plan/steps/depthwise.h"

#include <algorithm>

#include "support/format.h"

namespace hloir::cpu {
namespace {

class DepthwiseStep : public Step {
 public:
  DepthwiseStep(const ConvolutionPlan& plan, const KernelTable& kernels)
      : places_(plan.problem.a.row_offsets),
        taps_(plan.problem.a.k_offsets),
        channels_(plan.problem.batch),
        bytes_(StorageBytes(plan.problem.result)),
        kernel_(kernels.gemm[static_cast<int>(plan.problem.compute)].depthwise) {}
  bool Run(Runtime& runtime) override {
    const int64_t count = static_cast<int64_t>(places_.size()), taps = static_cast<int64_t>(taps_.size());
    const int64_t parts = std::clamp<int64_t>(count * taps * channels_ / 200000, 1, std::min<int64_t>(32, count));
    runtime.pool->For(parts, Flops() / 16, [&](int64_t part, int) {
      const int64_t begin = count * part / parts, end = count * (part + 1) / parts;
      kernel_(end - begin, places_.data() + begin, taps, taps_.data(), channels_, ref(0).pointer, ref(1).pointer,
              written(0).pointer + begin * channels_ * bytes_);
    });
    return true;
  }
  double Flops() const override {
    return 2.0 * static_cast<double>(places_.size() * taps_.size()) * static_cast<double>(channels_);
  }
  std::string Name() const override {
    return Format("depthwise convolution {} places, {} taps, {} channels", places_.size(), taps_.size(), channels_);
  }

 private:
  const std::vector<int64_t> places_, taps_;
  const int64_t channels_, bytes_;
  void (*const kernel_)(int64_t, const int64_t*, int64_t, const int64_t*, int64_t, const void*, const void*, void*);
};

}  // namespace

std::unique_ptr<Step> MakeDepthwiseStep(const ConvolutionPlan& plan, const KernelTable& kernels) {
  return std::make_unique<DepthwiseStep>(plan, kernels);
}

}  // namespace hloir::cpu
