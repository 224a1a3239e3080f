// See sort.h. Tests: tests/ops/sort-*.hlo, tests/ops/topk*.hlo, tests/unit/executable_sort_test.cc.
#include "plan/sort.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "hloir/format.h"
#include "plan/view.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kRadixFrom = 256;  // shorter rows are sorted by comparing

// What the comparator does to an element before it compares.
struct KeyRule {
  int64_t operand = 0;
  bool descending = false;
  bool total = false;         // floats by total order
  bool zeros_alike = false;   // -0 counts as 0
  bool nans_alike = false;    // each NaN counts as the positive quiet one
};

bool IsScalarConstant(const HloInstruction& x, bool (*is)(double)) {
  return x.IsScalarConstant() && !x.literal().elided() && is(x.literal().GetAsDouble(0));
}
bool IsParameter(const HloInstruction& x, int64_t number) { return x.IsParameter() && x.parameter_number() == number; }

// Takes select(x == 0, 0, x) and select(x != x, NaN, x) off; false if something else than the parameter is left.
bool Peel(const HloInstruction* x, int64_t parameter, bool* zeros, bool* nans) {
  for (int depth = 0; depth < 4 && x->opcode() == HloOpcode::kSelect; ++depth) {
    const HloInstruction& test = *x->operand(0);
    if (test.opcode() != HloOpcode::kCompare || !IsParameter(*test.operand(0), parameter) ||
        test.attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder) {
      return false;
    }
    const ComparisonDirection direction = test.attributes<CompareAttributes>().direction;
    if (direction == ComparisonDirection::kEq && IsScalarConstant(*test.operand(1), [](double v) { return v == 0; }) &&
        IsScalarConstant(*x->operand(1), [](double v) { return v == 0 && !std::signbit(v); })) {
      *zeros = true;
    } else if (direction == ComparisonDirection::kNe && IsParameter(*test.operand(1), parameter) &&
               IsScalarConstant(*x->operand(1), [](double v) { return std::isnan(v) && !std::signbit(v); })) {
      *nans = true;
    } else {
      return false;
    }
    x = x->operand(2);
  }
  return IsParameter(*x, parameter);
}

std::optional<KeyRule> RuleOf(const HloInstruction& sort) {
  const HloInstruction* root = sort.to_apply()->root();
  if (root->opcode() != HloOpcode::kCompare) return std::nullopt;
  const CompareAttributes& compare = root->attributes<CompareAttributes>();
  KeyRule rule;
  if (compare.direction != ComparisonDirection::kLt && compare.direction != ComparisonDirection::kGt) return std::nullopt;
  rule.descending = compare.direction == ComparisonDirection::kGt;
  for (int64_t k = 0; k < sort.operand_count(); ++k) {
    for (int64_t swapped : {0, 1}) {
      KeyRule found = rule;
      bool zeros = false, nans = false;
      if (!Peel(root->operand(0), 2 * k + swapped, &found.zeros_alike, &found.nans_alike) ||
          !Peel(root->operand(1), 2 * k + 1 - swapped, &zeros, &nans) || zeros != found.zeros_alike || nans != found.nans_alike) {
        continue;
      }
      const PrimitiveType type = sort.operand(k)->shape().element_type();
      if (root->operand(0)->shape().element_type() != type) return std::nullopt;
      found.operand = k;
      found.descending = found.descending != (swapped == 1);
      found.total = compare.type == ComparisonType::kFloatTotalOrder;
      if (compare.type == ComparisonType::kSigned && !IsSigned(type)) return std::nullopt;
      if (compare.type == ComparisonType::kUnsigned && IsSigned(type)) return std::nullopt;
      return found;
    }
  }
  return std::nullopt;
}

bool HasKeys(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::PRED: case PrimitiveType::S8: case PrimitiveType::U8: case PrimitiveType::S16: case PrimitiveType::U16:
    case PrimitiveType::S32: case PrimitiveType::U32: case PrimitiveType::S64: case PrimitiveType::U64:
    case PrimitiveType::BF16: case PrimitiveType::F16: case PrimitiveType::F32: case PrimitiveType::F64: return true;
    default: return false;
  }
}

// Keys in unsigned order: of floats by sign and magnitude, which is their total order. Returns whether one was a NaN.
template <class Bits>
bool FloatKeys(const Bits* x, int64_t stride, int64_t n, Bits infinity, const KeyRule& rule, uint64_t* keys) {
  constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  const Bits quiet = static_cast<Bits>(infinity | (infinity >> 1));
  bool any = false;
  for (int64_t i = 0; i < n; ++i) {
    Bits bits = x[i * stride];
    const bool nan = static_cast<Bits>(bits & ~kSign) > infinity;
    any = any || nan;
    if (rule.zeros_alike && bits == kSign) bits = 0;
    if (rule.nans_alike && nan) bits = quiet;
    keys[i] = static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
  }
  return any;
}
template <class T>
void IntKeys(const T* x, int64_t stride, int64_t n, uint64_t* keys) {
  using Bits = std::make_unsigned_t<T>;
  constexpr Bits kFlip = std::is_signed_v<T> ? Bits(Bits(1) << (8 * sizeof(T) - 1)) : Bits(0);
  for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<Bits>(static_cast<Bits>(x[i * stride]) ^ kFlip);
}

bool MakeKeys(PrimitiveType type, const std::byte* data, int64_t stride, int64_t n, const KeyRule& rule, uint64_t* keys) {
  bool nan = false;
  switch (type) {
    case PrimitiveType::PRED: case PrimitiveType::U8: IntKeys(reinterpret_cast<const uint8_t*>(data), stride, n, keys); break;
    case PrimitiveType::S8: IntKeys(reinterpret_cast<const int8_t*>(data), stride, n, keys); break;
    case PrimitiveType::S16: IntKeys(reinterpret_cast<const int16_t*>(data), stride, n, keys); break;
    case PrimitiveType::U16: IntKeys(reinterpret_cast<const uint16_t*>(data), stride, n, keys); break;
    case PrimitiveType::S32: IntKeys(reinterpret_cast<const int32_t*>(data), stride, n, keys); break;
    case PrimitiveType::U32: IntKeys(reinterpret_cast<const uint32_t*>(data), stride, n, keys); break;
    case PrimitiveType::S64: IntKeys(reinterpret_cast<const int64_t*>(data), stride, n, keys); break;
    case PrimitiveType::U64: IntKeys(reinterpret_cast<const uint64_t*>(data), stride, n, keys); break;
    case PrimitiveType::BF16:
      nan = FloatKeys<uint16_t>(reinterpret_cast<const uint16_t*>(data), stride, n, 0x7f80, rule, keys); break;
    case PrimitiveType::F16:
      nan = FloatKeys<uint16_t>(reinterpret_cast<const uint16_t*>(data), stride, n, 0x7c00, rule, keys); break;
    case PrimitiveType::F32:
      nan = FloatKeys<uint32_t>(reinterpret_cast<const uint32_t*>(data), stride, n, 0x7f800000, rule, keys); break;
    default:
      nan = FloatKeys<uint64_t>(reinterpret_cast<const uint64_t*>(data), stride, n, 0x7ff0000000000000, rule, keys); break;
  }
  if (rule.descending) {
    const int bits = BitWidth(type) < 8 ? 8 : BitWidth(type);
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    for (int64_t i = 0; i < n; ++i) keys[i] ^= mask;
  }
  return nan;
}

// Sorts key << 32 | position by the key's `bits`, 8 at a time; equal keys keep their places. The result is in `a`.
void RadixSort(uint64_t*& a, uint64_t*& b, int64_t n, int bits) {
  constexpr int kDigit = 8, kSize = 1 << kDigit;
  for (int shift = 32; shift < 32 + bits; shift += kDigit) {
    uint32_t count[kSize] = {};
    for (int64_t i = 0; i < n; ++i) ++count[a[i] >> shift & (kSize - 1)];
    if (count[a[0] >> shift & (kSize - 1)] == n) continue;  // all alike in this digit
    uint32_t sum = 0;
    for (uint32_t& c : count) sum += std::exchange(c, sum);
    for (int64_t i = 0; i < n; ++i) b[count[a[i] >> shift & (kSize - 1)]++] = a[i];
    std::swap(a, b);
  }
}

// As the reference does it, so that ties of an unstable sort fall alike, and nonsense with NaNs too.
template <class Before>
void SortOrder(int64_t* order, int64_t* other, int64_t n, bool stable, Before before) {
  if (!stable) {
    // std::sort trusts the comparator to be an order; guards at both ends, before and after which nothing comes.
    constexpr int64_t kGuard = -1;
    order[-1] = order[n] = kGuard;
    std::sort(order, order + n, [&](int64_t a, int64_t b) { return a != kGuard && b != kGuard && before(a, b); });
    return;
  }
  int64_t *from = order, *to = other;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t start = 0; start < n; start += 2 * width) {
      const int64_t middle = std::min(start + width, n), end = std::min(start + 2 * width, n);
      int64_t left = start, right = middle;
      for (int64_t out = start; out < end; ++out) {
        const bool take_right = left == middle || (right < end && before(from[right], from[left]));
        to[out] = from[take_right ? right++ : left++];
      }
    }
    std::swap(from, to);
  }
  if (from != order) std::copy_n(from, n, order);
}

template <class T>
void Permute(const std::byte* from, std::byte* to, int64_t stride, int64_t n, const uint64_t* order) {
  const T* x = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) out[i * stride] = x[static_cast<int64_t>(order[i] & 0xffffffffu) * stride];
}

class KeySort : public Step {
 public:
  int64_t scratch_bytes() const { return scratch_each_ * threads_; }

 protected:
  void SetScratch(int64_t length, int threads) {
    scratch_each_ = (3 * (length + 8) * 8 + 63) / 64 * 64;
    threads_ = threads;
  }
  uint64_t* Scratch(int thread) { return reinterpret_cast<uint64_t*>(refs().back().pointer + thread * scratch_each_); }

 private:
  int64_t scratch_each_ = 0;
  int threads_ = 1;
};

class SortStep : public KeySort {
 public:
  SortStep(const HloInstruction& sort, KeyRule rule, int threads)
      : rule_(rule), type_(sort.operand(rule.operand)->shape().element_type()),
        stable_(sort.attributes<SortAttributes>().is_stable) {
    const DimVector& dims = sort.operand(0)->shape().dimensions();
    const int64_t d = sort.attributes<SortAttributes>().dimensions[0];
    length_ = dims[d];
    stride_ = View::RowMajor(dims).strides[d];
    rows_ = View::RowMajor(dims).count() / length_;
    for (const HloInstruction* operand : sort.operands()) bytes_.push_back(StorageBytes(operand->shape().element_type()));
    // Without ties that show, stable and unstable are the same.
    if (bytes_.size() == 1 && (!IsFloat(type_) || (rule.total && !rule.zeros_alike && !rule.nans_alike))) stable_ = true;
    SetScratch(length_, threads);
  }
  bool Run(Runtime& runtime) override {
    const int64_t parts = std::clamp<int64_t>(rows_ * length_ / 4096, 1, std::min<int64_t>(rows_, 64));
    runtime.pool->For(parts, [&](int64_t part, int thread) {
      for (int64_t row = rows_ * part / parts; row < rows_ * (part + 1) / parts; ++row) SortRow(row, Scratch(thread));
    });
    return true;
  }
  std::string Name() const override {
    return Format("sort {} rows of {} by {}{}", rows_, length_, PrimitiveTypeName(type_), stable_ ? ", stable" : "");
  }

 private:
  void SortRow(int64_t row, uint64_t* scratch) {
    const int64_t n = length_, base = row / stride_ * stride_ * n + row % stride_;
    uint64_t *a = scratch + 4, *b = scratch + n + 12, *keys = scratch + 2 * n + 20;
    const int width = std::max(BitWidth(type_), 8);
    const bool plain_float = IsFloat(type_) && !rule_.total;
    KeyRule rule = rule_;
    rule.zeros_alike = rule.zeros_alike || plain_float;
    const bool nan = MakeKeys(type_, refs()[rule_.operand].pointer + base * StorageBytes(type_), stride_, n, rule, keys);
    if (stable_ && width <= 32 && !(plain_float && nan)) {
      for (int64_t i = 0; i < n; ++i) a[i] = keys[i] << 32 | static_cast<uint64_t>(i);
      if (n >= kRadixFrom) RadixSort(a, b, n, width);
      else std::sort(a, a + n);
    } else {
      int64_t* order = reinterpret_cast<int64_t*>(a);
      std::iota(order, order + n, 0);
      // NaNs are neither before nor after anything, as the comparator has it.
      const bool comparing = plain_float && nan;
      uint64_t infinity = 0;
      if (comparing) infinity = InfinityKeyDistance();
      auto is_nan = [&](uint64_t key) {
        const uint64_t top = uint64_t{1} << (width - 1), mask = top | (top - 1);
        if (rule.descending) key ^= mask;
        const uint64_t magnitude = key & top ? key & ~top : ~key & (top - 1);
        return magnitude > infinity;
      };
      SortOrder(order, reinterpret_cast<int64_t*>(b), n, stable_, [&](int64_t x, int64_t y) {
        if (comparing && (is_nan(keys[x]) || is_nan(keys[y]))) return false;
        return keys[x] < keys[y];
      });
    }
    for (size_t k = 0; k < bytes_.size(); ++k) {
      const std::byte* from = refs()[k].pointer + base * bytes_[k];
      std::byte* to = refs()[first_written() + k].pointer + base * bytes_[k];
      switch (bytes_[k]) {
        case 1: Permute<uint8_t>(from, to, stride_, n, a); break;
        case 2: Permute<uint16_t>(from, to, stride_, n, a); break;
        case 4: Permute<uint32_t>(from, to, stride_, n, a); break;
        default: Permute<uint64_t>(from, to, stride_, n, a); break;
      }
    }
  }
  uint64_t InfinityKeyDistance() const {
    switch (type_) {
      case PrimitiveType::BF16: return 0x7f80;
      case PrimitiveType::F16: return 0x7c00;
      case PrimitiveType::F32: return 0x7f800000;
      default: return 0x7ff0000000000000;
    }
  }

  const KeyRule rule_;
  const PrimitiveType type_;
  bool stable_;
  int64_t length_ = 1, stride_ = 1, rows_ = 1;
  std::vector<int64_t> bytes_;
};

// Keeps the k best in a heap, the worst on top; most elements are not even better than that.
class TopKStep : public KeySort {
 public:
  TopKStep(const Shape& operand, int64_t k, bool largest, int threads) : type_(operand.element_type()), k_(k) {
    rule_.descending = !largest;
    rule_.total = true;
    length_ = operand.dimensions().back();
    rows_ = operand.ElementCount() / length_;
    SetScratch(length_, threads);
  }
  bool Run(Runtime& runtime) override {
    const int64_t parts = std::clamp<int64_t>(rows_ * length_ / 16384, 1, std::min<int64_t>(rows_, 64));
    runtime.pool->For(parts, [&](int64_t part, int thread) {
      for (int64_t row = rows_ * part / parts; row < rows_ * (part + 1) / parts; ++row) Select(row, Scratch(thread));
    });
    return true;
  }
  std::string Name() const override { return Format("top {} of {} rows of {}", k_, rows_, length_); }

 private:
  void Select(int64_t row, uint64_t* scratch) {
    const int64_t bytes = StorageBytes(type_);
    const std::byte* x = refs()[0].pointer + row * length_ * bytes;
    uint64_t *heap = scratch, *keys = scratch + length_ + 8;
    MakeKeys(type_, x, 1, length_, rule_, keys);
    auto entry = [&](int64_t i) { return keys[i] << 32 | (0xffffffffu - static_cast<uint64_t>(i)); };  // the first is better
    for (int64_t i = 0; i < k_; ++i) heap[i] = entry(i);
    std::make_heap(heap, heap + k_, std::greater<>());
    for (int64_t i = k_; i < length_; ++i) {
      if (keys[i] <= heap[0] >> 32) continue;
      std::pop_heap(heap, heap + k_, std::greater<>());
      heap[k_ - 1] = entry(i);
      std::push_heap(heap, heap + k_, std::greater<>());
    }
    std::sort(heap, heap + k_, std::greater<>());
    std::byte* values = refs()[first_written()].pointer + row * k_ * bytes;
    int32_t* positions = refs()[first_written() + 1].as<int32_t>() + row * k_;
    for (int64_t i = 0; i < k_; ++i) {
      const int64_t at = static_cast<int64_t>(0xffffffffu - (heap[i] & 0xffffffffu));
      std::memcpy(values + i * bytes, x + at * bytes, bytes);
      positions[i] = static_cast<int32_t>(at);
    }
  }

  const PrimitiveType type_;
  const int64_t k_;
  KeyRule rule_;
  int64_t length_ = 1, rows_ = 1;
};

}  // namespace

std::unique_ptr<Step> MakeSort(const HloInstruction& sort, int threads, int64_t* scratch) {
  const auto rule = RuleOf(sort);
  if (!rule || !HasKeys(sort.operand(rule->operand)->shape().element_type())) return nullptr;
  for (const HloInstruction* operand : sort.operands()) {
    if (StorageBytes(operand->shape().element_type()) > 8) return nullptr;
  }
  const int64_t d = sort.attributes<SortAttributes>().dimensions[0];
  if (d < 0 || d >= sort.operand(0)->shape().rank() || sort.operand(0)->shape().dimensions(d) > INT32_MAX) return nullptr;
  auto step = std::make_unique<SortStep>(sort, *rule, threads);
  *scratch = step->scratch_bytes();
  return step;
}

std::unique_ptr<Step> MakeTopK(const HloInstruction& topk, int threads, int64_t* scratch) {
  const Shape& operand = topk.operand(0)->shape();
  const auto& attributes = topk.attributes<TopKAttributes>();
  if (!HasKeys(operand.element_type()) || BitWidth(operand.element_type()) > 32 || operand.rank() == 0 || attributes.k < 1 ||
      attributes.k > operand.dimensions().back() || operand.dimensions().back() > INT32_MAX ||
      topk.shape().tuple_shapes(1).element_type() != PrimitiveType::S32) {
    return nullptr;
  }
  auto step = std::make_unique<TopKStep>(operand, attributes.k, attributes.largest, threads);
  *scratch = step->scratch_bytes();
  return step;
}

}  // namespace hloir::cpu
