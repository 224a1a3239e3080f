// See narrow_sum.h. Tests: tests/unit/executable_kernels_test.cc.
#include "plan/steps/narrow_sum.h"

#include <algorithm>

#include "support/format.h"
#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kSumLanes = 16, kSumRun = 32;
constexpr int kLevels = 14;  // runs of runs: 32^13 elements

struct RoundBf16 {
  static float Load(uint16_t bits) { return __builtin_bit_cast(float, uint32_t{bits} << 16); }
  static float Round(float x) { return Load(Bits(x)); }
  static uint16_t Bits(float x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x), rounded = bits + 0x7fff + (bits >> 16 & 1);
    return static_cast<uint16_t>((x != x ? bits | 0x400000 : rounded) >> 16);
  }
};
struct RoundF16 {
  static float Load(uint16_t bits) { return static_cast<float>(__builtin_bit_cast(Half, bits)); }
  static float Round(float x) { return static_cast<float>(Half(x)); }
  static uint16_t Bits(float x) { return __builtin_bit_cast(uint16_t, Half(x)); }
};

// Sums of up to kLanes rows at once; all have the same number of summands so far.
template <class Rounding>
class Sums {
 public:
  explicit Sums(int64_t lanes) : lanes_(lanes) {}
  void Add(const float* x) {
    AddTo(0, x);
    for (int level = 0; count_[level] == kSumRun; ++level) {
      count_[level] = 0;
      AddTo(level + 1, sum_[level]);
      std::fill_n(sum_[level], kSumLanes, 0.0f);
    }
  }
  const float* Total() {
    int level = 0;
    for (; level < used_; ++level) {
      if (count_[level] > 0) AddTo(level + 1, sum_[level]);
    }
    return sum_[level];
  }

 private:
  void AddTo(int level, const float* x) {
    used_ = std::max(used_, level);
    for (int64_t l = 0; l < lanes_; ++l) sum_[level][l] = Rounding::Round(sum_[level][l] + x[l]);
    ++count_[level];
  }
  const int64_t lanes_;
  float sum_[kLevels][kSumLanes] = {};
  int64_t count_[kLevels] = {};
  int used_ = 0;
};

template <class Rounding>
class NarrowSumStep : public Step {
 public:
  explicit NarrowSumStep(ReduceShape shape) : shape_(shape) {}
  bool Run(Runtime& runtime) override {
    const int64_t results = shape_.outer * shape_.inner, groups = (results + kSumLanes - 1) / kSumLanes;
    const int64_t parts = std::clamp<int64_t>(results * shape_.reduced / 16384, 1, std::min<int64_t>(groups, 64));
    runtime.pool->For(parts, 0.12 * Flops(), [&](int64_t part, int) {
      for (int64_t g = groups * part / parts; g < groups * (part + 1) / parts; ++g) {
        Group(g * kSumLanes, std::min(results, (g + 1) * kSumLanes));
      }
    });
    return true;
  }
  double Flops() const override {
    return static_cast<double>(shape_.outer * shape_.inner) * static_cast<double>(shape_.reduced);
  }
  std::string Name() const override {
    return Format("rounded sum {}x{}x{}", shape_.outer, shape_.reduced, shape_.inner);
  }

 private:
  void Group(int64_t begin, int64_t end) {
    const uint16_t *x = ref(0).template as<uint16_t>(), *from[kSumLanes];
    const int64_t lanes = end - begin;
    float numbers[kSumLanes] = {};
    for (int64_t l = 0; l < lanes; ++l) {
      const int64_t result = begin + l;
      from[l] = x + result / shape_.inner * shape_.inner * shape_.reduced + result % shape_.inner;
      numbers[l] = Rounding::Load(*ref(1).template as<uint16_t>());
    }
    Sums<Rounding> sums(lanes);
    sums.Add(numbers);
    for (int64_t i = 0; i < shape_.reduced; ++i) {
      for (int64_t l = 0; l < lanes; ++l) numbers[l] = Rounding::Load(from[l][i * shape_.inner]);
      sums.Add(numbers);
    }
    const float* total = sums.Total();
    for (int64_t l = 0; l < lanes; ++l) written(0).template as<uint16_t>()[begin + l] = Rounding::Bits(total[l]);
  }

  const ReduceShape shape_;
};

}  // namespace

std::unique_ptr<Step> MakeNarrowSum(const HloInstruction& reduce) {
  ReduceShape shape;
  if (reduce.operand_count() != 2 || ReducerOp(*reduce.to_apply()) != BinaryOp::kAdd ||
      !ReduceShapeOf(reduce, &shape) ||
      reduce.to_apply()->root()->shape().element_type() != reduce.shape().element_type()) {
    return nullptr;
  }
  switch (reduce.shape().element_type()) {
    case PrimitiveType::BF16: return std::make_unique<NarrowSumStep<RoundBf16>>(shape);
    case PrimitiveType::F16: return std::make_unique<NarrowSumStep<RoundF16>>(shape);
    default: return nullptr;
  }
}

}  // namespace hloir::cpu
