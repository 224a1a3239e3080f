// See random_bits.h; reference/random.cc documents the order of words. Tests: tests/ops/rng-bit-generator*.hlo,
// tests/unit/executable_kernels_test.cc.
#include "plan/steps/random_bits.h"

#include <algorithm>
#include <cstring>

#include "support/endian.h"
#include "support/format.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kCounterBlock = 256;  // counters at once

// Words as elements: the low bits of one word, or two words for 64-bit elements, low first.
void StoreWords(const uint32_t* words, int64_t n, int64_t bytes, std::byte* to) {
  switch (bytes) {
    case 1:
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<std::byte>(words[i]);
      break;
    case 2:
      for (int64_t i = 0; i < n; ++i) reinterpret_cast<uint16_t*>(to)[i] = static_cast<uint16_t>(words[i]);
      break;
    case 4: std::memcpy(to, words, n * 4); break;
    default:
      for (int64_t i = 0; i < n; ++i)
        reinterpret_cast<uint64_t*>(to)[i] = words[2 * i] | static_cast<uint64_t>(words[2 * i + 1]) << 32;
  }
}

class PhiloxStep : public Step {
 public:
  PhiloxStep(int64_t words, int64_t count, int64_t bytes) : state_words_(words), count_(count), bytes_(bytes) {}
  bool Run(Runtime& runtime) override {
    uint64_t state[3] = {};
    std::memcpy(state, ref(0).pointer, state_words_ * 8);
    const uint64_t key = state[0], low = state[1], high = state_words_ == 3 ? state[2] : state[0];
    const int64_t each = bytes_ == 8 ? 2 : 4, counters = (count_ + each - 1) / each;
    const int64_t blocks = (counters + kCounterBlock - 1) / kCounterBlock,
                  parts = std::clamp<int64_t>(blocks / 32, 1, 32);
    std::byte* out = written(1).pointer;
    runtime.pool->For(parts, Flops() / 10, [&](int64_t part, int) {
      uint32_t words[4 * kCounterBlock];
      for (int64_t b = blocks * part / parts; b < blocks * (part + 1) / parts; ++b) {
        const int64_t first = b * kCounterBlock, n = std::min(kCounterBlock, counters - first);
        const uint64_t at = low + static_cast<uint64_t>(first);
        runtime.kernels->philox(key, at, high + (at < low ? 1 : 0), n, words);
        StoreWords(words, std::min(n * each, count_ - first * each), bytes_, out + first * each * bytes_);
      }
    });
    state[1] = low + static_cast<uint64_t>(counters);
    if (state_words_ == 3) state[2] = high + (state[1] < low ? 1 : 0);
    std::memcpy(written(0).pointer, state, state_words_ * 8);
    return true;
  }
  double Flops() const override {
    return static_cast<double>(count_) * 15;
  }  // ten rounds of six operations give four words
  std::string Name() const override { return Format("philox {} elements", count_); }

 private:
  int64_t state_words_, count_, bytes_;
};

// 32-bit words: outer × size × inner elements, where neighbours along `size` are the two words of one counter.
class ThreefryStep : public Step {
 public:
  ThreefryStep(int64_t outer, int64_t size, int64_t inner, int64_t bytes)
      : outer_(outer), size_(size), inner_(inner), bytes_(bytes) {}
  bool Run(Runtime& runtime) override {
    uint64_t state[2];
    std::memcpy(state, ref(0).pointer, 16);
    const int64_t pairs = bytes_ == 8 ? size_ : (size_ + 1) / 2, counters = outer_ * pairs * inner_;
    const int64_t blocks = (counters + kCounterBlock - 1) / kCounterBlock,
                  parts = std::clamp<int64_t>(blocks / 32, 1, 32);
    std::byte* out = written(1).pointer;
    runtime.pool->For(parts, Flops() / 10, [&](int64_t part, int) {
      uint32_t a[kCounterBlock], b[kCounterBlock], both[2 * kCounterBlock];
      for (int64_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block) {
        const int64_t first = block * kCounterBlock, n = std::min(kCounterBlock, counters - first);
        runtime.kernels->threefry(state[0], state[1] + static_cast<uint64_t>(first), n, a, b);
        if (bytes_ == 8 || (inner_ == 1 && size_ % 2 == 0)) {  // all pairs side by side
          for (int64_t i = 0; i < n; ++i) both[2 * i] = a[i], both[2 * i + 1] = b[i];
          StoreWords(both, bytes_ == 8 ? n : 2 * n, bytes_, out + first * (bytes_ == 8 ? 8 : 2 * bytes_));
          continue;
        }
        for (int64_t i = 0; i < n;) {  // a run of counters with the same neighbours
          const int64_t counter = first + i, row = counter / inner_, column = counter % inner_;
          const int64_t run = std::min(n - i, inner_ - column), place = row % pairs * 2;
          const int64_t at = (row / pairs * size_ + place) * inner_ + column;
          StoreWords(a + i, run, bytes_, out + at * bytes_);
          if (place + 1 < size_) StoreWords(b + i, run, bytes_, out + (at + inner_) * bytes_);
          i += run;
        }
      }
    });
    state[1] += static_cast<uint64_t>(counters);
    std::memcpy(written(0).pointer, state, 16);
    return true;
  }
  double Flops() const override {
    return static_cast<double>(outer_ * size_ * inner_) * 50;
  }  // twenty rounds of five give two words
  std::string Name() const override { return Format("threefry {} elements", outer_ * size_ * inner_); }

 private:
  int64_t outer_, size_, inner_, bytes_;
};

}  // namespace

std::unique_ptr<Step> MakeRngBitGenerator(const HloInstruction& rng) {
  const Shape &state = rng.operand(0)->shape(), &bits = rng.shape().tuple_shapes(1);
  const PrimitiveType type = bits.element_type();
  const int64_t words = state.ByteSize() / 8, bytes = StorageBytes(type);
  // For u32, a word's low half comes first, as on a little-endian machine.
  const bool state_fits =
      state.element_type() == PrimitiveType::U64 || (state.element_type() == PrimitiveType::U32 && !kBigEndian);
  if (!state_fits || state.ByteSize() % 8 != 0 || words < 2 || words > 3 || BitWidth(type) < 8 || BitWidth(type) > 64 ||
      BitWidth(type) != 8 * bytes || IsComplex(type) || type == PrimitiveType::PRED) {
    return nullptr;
  }
  const DimVector& dims = bits.dimensions();
  const int64_t count = bits.ElementCount();
  if (rng.attributes<RngBitGeneratorAttributes>().algorithm != RandomAlgorithm::kRngThreeFry) {
    return std::make_unique<PhiloxStep>(words, count, bytes);
  }
  if (words != 2) return nullptr;
  if (bytes == 8 || dims.empty()) return std::make_unique<ThreefryStep>(1, count, 1, bytes);
  size_t split = 0;
  while (split < dims.size() && dims[split] % 2 != 0) ++split;
  if (split == dims.size()) split = static_cast<size_t>(std::max_element(dims.begin(), dims.end()) - dims.begin());
  int64_t outer = 1, inner = 1;
  for (size_t d = 0; d < dims.size(); ++d)
    if (d != split) (d < split ? outer : inner) *= dims[d];
  return std::make_unique<ThreefryStep>(outer, dims[split], inner, bytes);
}

}  // namespace hloir::cpu
