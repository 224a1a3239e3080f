// See sort.h. Tests: tests/ops/sort-*.hlo, tests/ops/topk*.hlo, tests/unit/executable_types_test.cc.
#include "plan/steps/sort.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "support/format.h"
#include "hloir/detail/small_vector.h"
#include "plan/graph/view.h"
#include "reference/sort_between_guards.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kRadixFrom = 256;  // shorter rows are sorted by comparisons

// The transformation that the comparator applies to an element before it compares.
struct KeyRule {
  int64_t operand = 0;
  PrimitiveType type = PrimitiveType::INVALID;  // of the key: a complex operand gives its real or imaginary part
  int part = 0;                                 // 1: the imaginary one
  bool descending = false;
  bool total = false;        // floats by total order
  bool zeros_alike = false;  // -0 counts as 0
  bool nans_alike = false;   // each NaN counts as the positive quiet one
};

bool IsScalarConstant(const HloInstruction& x, bool (*is)(double)) {
  return x.IsScalarConstant() && !x.literal().elided() && is(x.literal().GetAsDouble(0));
}

// A parameter, or the real or imaginary part of one.
struct KeySource {
  int64_t parameter = -1;
  int part = -1;  // none
  bool operator==(const KeySource&) const = default;
};
KeySource SourceOf(const HloInstruction& x) {
  const bool part = x.opcode() == HloOpcode::kReal || x.opcode() == HloOpcode::kImag;
  const HloInstruction& from = part ? *x.operand(0) : x;
  if (!from.IsParameter()) return {};
  return {from.parameter_number(), part ? (x.opcode() == HloOpcode::kImag ? 1 : 0) : -1};
}

// Strips select(x == 0, 0, x) and select(x != x, NaN, x); no source unless a parameter is left.
KeySource Peel(const HloInstruction* x, bool* zeros, bool* nans) {
  std::vector<KeySource> tested;
  for (int depth = 0; depth < 4 && x->opcode() == HloOpcode::kSelect; ++depth) {
    const HloInstruction& test = *x->operand(0);
    if (test.opcode() != HloOpcode::kCompare ||
        test.attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder)
      return {};
    tested.push_back(SourceOf(*test.operand(0)));
    const ComparisonDirection direction = test.attributes<CompareAttributes>().direction;
    if (direction == ComparisonDirection::kEq && IsScalarConstant(*test.operand(1), [](double v) { return v == 0; }) &&
        IsScalarConstant(*x->operand(1), [](double v) { return v == 0 && !std::signbit(v); })) {
      *zeros = true;
    } else if (direction == ComparisonDirection::kNe && SourceOf(*test.operand(1)) == tested.back() &&
               IsScalarConstant(*x->operand(1), [](double v) { return std::isnan(v) && !std::signbit(v); })) {
      *nans = true;
    } else {
      return {};
    }
    x = x->operand(2);
  }
  const KeySource source = SourceOf(*x);
  for (const KeySource& each : tested)
    if (!(each == source)) return {};
  return source;
}

// compare(key of one element, the same key of the other), in either order.
std::optional<KeyRule> RuleOfCompare(const HloInstruction& sort, const HloInstruction& root) {
  if (root.opcode() != HloOpcode::kCompare) return std::nullopt;
  const CompareAttributes& compare = root.attributes<CompareAttributes>();
  KeyRule rule;
  bool zeros = false, nans = false;
  const KeySource a = Peel(root.operand(0), &rule.zeros_alike, &rule.nans_alike),
                  b = Peel(root.operand(1), &zeros, &nans);
  if (a.parameter < 0 || b.parameter != (a.parameter ^ 1) || a.part != b.part || zeros != rule.zeros_alike ||
      nans != rule.nans_alike) {
    return std::nullopt;
  }
  rule.operand = a.parameter / 2;
  if (rule.operand >= sort.operand_count()) return std::nullopt;
  rule.part = std::max(a.part, 0);
  rule.type = root.operand(0)->shape().element_type();
  const PrimitiveType type = sort.operand(rule.operand)->shape().element_type();
  const PrimitiveType part = type == PrimitiveType::C64 ? PrimitiveType::F32 : PrimitiveType::F64;
  if (a.part < 0 ? rule.type != type : !IsComplex(type) || rule.type != part) return std::nullopt;
  rule.descending = (compare.direction == ComparisonDirection::kGt) != ((a.parameter & 1) == 1);
  rule.total = compare.type == ComparisonType::kFloatTotalOrder;
  if (compare.type == ComparisonType::kSigned && !IsSigned(type)) return std::nullopt;
  if (compare.type == ComparisonType::kUnsigned && IsSigned(type)) return std::nullopt;
  return rule;
}

// Lexicographic order of keys: lt, or(lt, and(eq, rest)), select(eq, rest, lt). No keys if the comparator has another
// form.
std::vector<KeyRule> RulesOf(const HloInstruction& sort) {
  std::vector<KeyRule> rules;
  auto directed = [](const HloInstruction& x, ComparisonDirection d, ComparisonDirection e) {
    return x.opcode() == HloOpcode::kCompare &&
           (x.attributes<CompareAttributes>().direction == d || x.attributes<CompareAttributes>().direction == e);
  };
  auto less = [&](const HloInstruction& x) { return directed(x, ComparisonDirection::kLt, ComparisonDirection::kGt); };
  auto equal = [&](const HloInstruction& x) { return directed(x, ComparisonDirection::kEq, ComparisonDirection::kEq); };
  const HloInstruction* at = sort.to_apply()->root();
  constexpr size_t kMaxKeys = 16;
  while (rules.size() < kMaxKeys) {
    const HloInstruction *lt = at, *eq = nullptr, *rest = nullptr;
    if (at->opcode() == HloOpcode::kSelect) {
      eq = at->operand(0), rest = at->operand(1), lt = at->operand(2);
    } else if (at->opcode() == HloOpcode::kOr) {
      const int first = less(*at->operand(0)) ? 0 : 1;
      lt = at->operand(first);
      const HloInstruction* both = at->operand(1 - first);
      if (both->opcode() != HloOpcode::kAnd) return {};
      const int which = equal(*both->operand(0)) ? 0 : 1;
      eq = both->operand(which), rest = both->operand(1 - which);
    }
    if (!less(*lt) || (eq != nullptr && !equal(*eq))) return {};
    const auto rule = RuleOfCompare(sort, *lt);
    if (!rule) return {};
    rules.push_back(*rule);
    if (eq == nullptr) return rules;
    const auto same = RuleOfCompare(sort, *eq);
    if (!same || same->operand != rule->operand || same->part != rule->part || same->total != rule->total ||
        same->zeros_alike != rule->zeros_alike || same->nans_alike != rule->nans_alike) {
      return {};
    }
    at = rest;
  }
  return {};
}

bool HasKeys(PrimitiveType type) { return type == PrimitiveType::PRED || IsInteger(type) || IsFloat(type); }
// The width of a key in bits: integers under a byte take one byte, floats under 16 bits are converted to f32.
int KeyWidth(PrimitiveType type) { return IsFloat(type) && BitWidth(type) < 16 ? 32 : std::max(BitWidth(type), 8); }

// Keys in unsigned order: for floats from sign and magnitude, which is their total order. Returns true if there was a
// NaN. kQuiets: a signalling NaN becomes quiet, as in every comparison of f16, which is computed in f32.
template <class Bits, bool kQuiets = false>
bool FloatKeys(const Bits* x, int64_t stride, int64_t n, Bits infinity, const KeyRule& rule, uint64_t* keys) {
  constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  const Bits quiet = static_cast<Bits>(infinity | (infinity >> 1));
  bool any = false;
  for (int64_t i = 0; i < n; ++i) {
    Bits bits = x[i * stride];
    const bool nan = static_cast<Bits>(bits & ~kSign) > infinity;
    any = any || nan;
    if (kQuiets && nan) bits |= quiet;
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

// Types of 8 bits and fewer, by their values: a NaN without a sign counts as positive.
bool SmallFloatKeys(PrimitiveType type, const uint8_t* x, int64_t stride, int64_t n, const KeyRule& rule,
                    uint64_t* keys) {
  bool any = false;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t wide = __builtin_bit_cast(uint32_t, DecodeSmallFloat(type, x[i * stride]));
    any = FloatKeys<uint32_t>(&wide, 1, 1, 0x7f800000, rule, keys + i) || any;
  }
  return any;
}

bool MakeKeys(PrimitiveType type, const std::byte* data, int64_t stride, int64_t n, const KeyRule& rule,
              uint64_t* keys) {
  bool nan = false;
  switch (type) {
    case PrimitiveType::U1:
    case PrimitiveType::U2:
    case PrimitiveType::U4:
    case PrimitiveType::PRED:
    case PrimitiveType::U8: IntKeys(reinterpret_cast<const uint8_t*>(data), stride, n, keys); break;
    case PrimitiveType::S1:
    case PrimitiveType::S2:
    case PrimitiveType::S4:
    case PrimitiveType::S8: IntKeys(reinterpret_cast<const int8_t*>(data), stride, n, keys); break;
    case PrimitiveType::S16: IntKeys(reinterpret_cast<const int16_t*>(data), stride, n, keys); break;
    case PrimitiveType::U16: IntKeys(reinterpret_cast<const uint16_t*>(data), stride, n, keys); break;
    case PrimitiveType::S32: IntKeys(reinterpret_cast<const int32_t*>(data), stride, n, keys); break;
    case PrimitiveType::U32: IntKeys(reinterpret_cast<const uint32_t*>(data), stride, n, keys); break;
    case PrimitiveType::S64: IntKeys(reinterpret_cast<const int64_t*>(data), stride, n, keys); break;
    case PrimitiveType::U64: IntKeys(reinterpret_cast<const uint64_t*>(data), stride, n, keys); break;
    case PrimitiveType::BF16:
      nan = FloatKeys<uint16_t>(reinterpret_cast<const uint16_t*>(data), stride, n, 0x7f80, rule, keys);
      break;
    case PrimitiveType::F16:
      nan = FloatKeys<uint16_t, true>(reinterpret_cast<const uint16_t*>(data), stride, n, 0x7c00, rule, keys);
      break;
    case PrimitiveType::F32:
      nan = FloatKeys<uint32_t>(reinterpret_cast<const uint32_t*>(data), stride, n, 0x7f800000, rule, keys);
      break;
    case PrimitiveType::F64:
      nan = FloatKeys<uint64_t>(reinterpret_cast<const uint64_t*>(data), stride, n, 0x7ff0000000000000, rule, keys);
      break;
    default: nan = SmallFloatKeys(type, reinterpret_cast<const uint8_t*>(data), stride, n, rule, keys); break;
  }
  if (rule.descending) {
    const int bits = KeyWidth(type);
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    for (int64_t i = 0; i < n; ++i) keys[i] ^= mask;
  }
  return nan;
}

// Sorts key << 32 | position by the key's `bits`, 8 at a time; equal keys keep their order. The result is in `a`.
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

// The algorithm of the reference, for the same order of ties in an unstable sort, and with NaNs.
template <class Before>
void SortOrder(int64_t* order, int64_t* other, int64_t n, bool stable, Before before) {
  if (reference::kGuardsHold && !stable) {
    order[-1] = order[n] = reference::kSortGuard;
    reference::SortBetweenGuards(order, n, before);
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
  void SetScratch(int64_t length, int threads, int64_t keys = 1) {
    scratch_each_ = ((2 + keys) * (length + 8) * 8 + 63) / 64 * 64;
    threads_ = threads;
  }
  uint64_t* Scratch(int thread) { return reinterpret_cast<uint64_t*>(refs().back().pointer + thread * scratch_each_); }

 private:
  int64_t scratch_each_ = 0;
  int threads_ = 1;
};

class SortStep : public KeySort {
 public:
  SortStep(const HloInstruction& sort, std::vector<KeyRule> rules, int threads)
      : rules_(std::move(rules)), stable_(sort.attributes<SortAttributes>().is_stable) {
    const DimVector& dims = sort.operand(0)->shape().dimensions();
    const int64_t d = sort.attributes<SortAttributes>().dimensions[0];
    length_ = dims[d];
    stride_ = View::RowMajor(dims).strides[d];
    rows_ = View::RowMajor(dims).count() / length_;
    for (const HloInstruction* operand : sort.operands())
      bytes_.push_back(StorageBytes(operand->shape().element_type()));
    // Without distinguishable ties, stable and unstable sorts are equal.
    const KeyRule& rule = rules_[0];
    if (bytes_.size() == 1 && rules_.size() == 1 && sort.operand(0)->shape().element_type() == rule.type &&
        (!IsFloat(rule.type) || (rule.total && !rule.zeros_alike && !rule.nans_alike))) {
      stable_ = true;
    }
    SetScratch(length_, threads, static_cast<int64_t>(rules_.size()));
  }
  bool Run(Runtime& runtime) override {
    const int64_t parts = std::clamp<int64_t>(rows_ * length_ / 4096, 1, std::min<int64_t>(rows_, 64));
    runtime.pool->For(parts, 8.0 * static_cast<double>(rows_ * length_), [&](int64_t part, int thread) {
      for (int64_t row = rows_ * part / parts; row < rows_ * (part + 1) / parts; ++row) SortRow(row, Scratch(thread));
    });
    return true;
  }
  std::string Name() const override {
    const std::string more = rules_.size() > 1 ? Format(" and {} keys more", rules_.size() - 1) : "";
    return Format("sort {} rows of {} by {}{}{}", rows_, length_, PrimitiveTypeName(rules_[0].type), more,
                  stable_ ? ", stable" : "");
  }

 private:
  // One key of a row, for comparing.
  struct Key {
    const uint64_t* of;
    uint64_t infinity = 0, flip = 0, top = 0;
    bool has_nans = false;  // unordered elements of the comparator
    bool IsNan(uint64_t key) const {
      key ^= flip;
      return (key & top ? key & ~top : ~key & (top - 1)) > infinity;
    }
    bool Unordered(int64_t x, int64_t y) const { return has_nans && (IsNan(of[x]) || IsNan(of[y])); }
  };

  Key MakeKey(const KeyRule& given, int64_t base, uint64_t* keys) const {
    const bool plain_float = IsFloat(given.type) && !given.total;
    KeyRule rule = given;
    rule.zeros_alike = rule.zeros_alike || plain_float;
    const int64_t parts = bytes_[rule.operand] / StorageBytes(rule.type);  // 2 if the key is a part of a complex number
    const std::byte* data = refs()[rule.operand].pointer + (base * parts + rule.part) * StorageBytes(rule.type);
    const bool nan = MakeKeys(rule.type, data, stride_ * parts, length_, rule, keys);
    Key key{keys};
    key.has_nans = plain_float && nan;
    if (key.has_nans) {
      key.top = uint64_t{1} << (KeyWidth(rule.type) - 1);
      key.flip = rule.descending ? key.top | (key.top - 1) : 0;
      key.infinity = Infinity(rule.type);
    }
    return key;
  }

  void SortRow(int64_t row, uint64_t* scratch) const {
    const int64_t n = length_, base = row / stride_ * stride_ * n + row % stride_;
    uint64_t *a = scratch + 4, *b = scratch + n + 12, *keys = scratch + 2 * n + 20;
    const Key first = MakeKey(rules_[0], base, keys);
    const int width = KeyWidth(rules_[0].type);
    if (rules_.size() == 1 && stable_ && width <= 32 && !first.has_nans) {
      for (int64_t i = 0; i < n; ++i) a[i] = keys[i] << 32 | static_cast<uint64_t>(i);
      if (n >= kRadixFrom) RadixSort(a, b, n, width);
      else std::sort(a, a + n);
    } else {
      int64_t *order = reinterpret_cast<int64_t*>(a), *other = reinterpret_cast<int64_t*>(b);
      std::iota(order, order + n, 0);
      if (rules_.size() == 1) {
        SortOrder(order, other, n, stable_,
                  [&](int64_t x, int64_t y) { return keys[x] < keys[y] && !first.Unordered(x, y); });
      } else {
        SmallVector<Key, 4> all{first};
        for (size_t k = 1; k < rules_.size(); ++k)
          all.push_back(MakeKey(rules_[k], base, keys + static_cast<int64_t>(k) * (n + 8)));
        SortOrder(order, other, n, stable_, [&](int64_t x, int64_t y) {
          for (const Key& key : all) {
            if (key.Unordered(x, y)) return false;
            if (key.of[x] != key.of[y]) return key.of[x] < key.of[y];
          }
          return false;
        });
      }
    }
    for (size_t k = 0; k < bytes_.size(); ++k) {
      const std::byte* from = refs()[k].pointer + base * bytes_[k];
      std::byte* to = refs()[first_written() + k].pointer + base * bytes_[k];
      switch (bytes_[k]) {
        case 1: Permute<uint8_t>(from, to, stride_, n, a); break;
        case 2: Permute<uint16_t>(from, to, stride_, n, a); break;
        case 4: Permute<uint32_t>(from, to, stride_, n, a); break;
        case 8: Permute<uint64_t>(from, to, stride_, n, a); break;
        default: Permute<unsigned __int128>(from, to, stride_, n, a); break;
      }
    }
  }
  static uint64_t Infinity(PrimitiveType type) {
    switch (type) {
      case PrimitiveType::BF16: return 0x7f80;
      case PrimitiveType::F16: return 0x7c00;
      case PrimitiveType::F64: return 0x7ff0000000000000;
      default: return 0x7f800000;
    }
  }

  const std::vector<KeyRule> rules_;
  bool stable_;
  int64_t length_ = 1, stride_ = 1, rows_ = 1;
  std::vector<int64_t> bytes_;
};

// Keeps the k best in a heap, the worst on top; most elements are worse than that. Keys of common types are signed
// 32-bit numbers, for which every instruction set has vector comparisons.
int32_t FloatTopKey(uint32_t bits) {
  const int32_t number = static_cast<int32_t>(bits);
  return number ^ (number >> 31 & 0x7fffffff);
}
int32_t TopKey(int32_t x) { return x; }
int32_t TopKey(float x) { return FloatTopKey(__builtin_bit_cast(uint32_t, x)); }
int32_t TopKey(uint16_t bf16) { return FloatTopKey(static_cast<uint32_t>(bf16) << 16); }

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
    runtime.pool->For(parts, 1.5 * static_cast<double>(rows_ * length_), [&](int64_t part, int thread) {
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
    std::byte* values = refs()[first_written()].pointer + row * k_ * bytes;
    int32_t* positions = refs()[first_written() + 1].as<int32_t>() + row * k_;
    auto store = [&](int64_t i, int64_t at) {
      std::memcpy(values + i * bytes, x + at * bytes, bytes);
      positions[i] = static_cast<int32_t>(at);
    };
    if (KeyWidth(type_) > 32) {
      // The position does not fit next to the key: positions are sorted by keys.
      MakeKeys(type_, x, 1, length_, rule_, keys);
      auto better = [&](uint64_t a, uint64_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; };
      std::iota(heap, heap + length_, uint64_t{0});
      std::partial_sort(heap, heap + k_, heap + length_, better);
      for (int64_t i = 0; i < k_; ++i) store(i, static_cast<int64_t>(heap[i]));
      return;
    }
    switch (type_) {
      case PrimitiveType::F32: SelectByBlocks(reinterpret_cast<const float*>(x), heap); break;
      case PrimitiveType::BF16: SelectByBlocks(reinterpret_cast<const uint16_t*>(x), heap); break;
      case PrimitiveType::S32: SelectByBlocks(reinterpret_cast<const int32_t*>(x), heap); break;
      default:
        MakeKeys(type_, x, 1, length_, rule_, keys);
        Begin(heap, [=](int64_t i) { return keys[i]; });
        for (int64_t i = k_; i < length_; ++i)
          if (keys[i] > heap[0] >> 32) TakeIn(heap, keys[i], i);
    }
    std::sort(heap, heap + k_, std::greater<>());
    for (int64_t i = 0; i < k_; ++i) store(i, static_cast<int64_t>(0xffffffffu - (heap[i] & 0xffffffffu)));
  }

  // The heap's entries are keys in unsigned order and, for equal keys, the first position.
  static uint64_t Entry(uint64_t key, int64_t i) { return key << 32 | (0xffffffffu - static_cast<uint64_t>(i)); }
  template <class KeyAt>
  void Begin(uint64_t* heap, KeyAt key) const {
    for (int64_t i = 0; i < k_; ++i) heap[i] = Entry(key(i), i);
    std::make_heap(heap, heap + k_, std::greater<>());
  }
  void TakeIn(uint64_t* heap, uint64_t key, int64_t i) const {
    std::pop_heap(heap, heap + k_, std::greater<>());
    heap[k_ - 1] = Entry(key, i);
    std::push_heap(heap, heap + k_, std::greater<>());
  }
  // Most blocks have no element better than the worst of the heap, which is a fast test.
  template <class T>
  void SelectByBlocks(const T* x, uint64_t* heap) const {
    constexpr int64_t kBlock = 64;
    constexpr uint32_t kSign = 0x80000000;
    const int32_t flip = rule_.descending ? -1 : 0;
    const auto key = [=](int64_t i) { return TopKey(x[i]) ^ flip; };
    const auto in_order = [=](int64_t i) { return static_cast<uint32_t>(key(i)) ^ kSign; };
    Begin(heap, in_order);
    for (int64_t i = k_; i < length_;) {
      const int64_t end = std::min(i + kBlock, length_);
      const int32_t worst = static_cast<int32_t>(static_cast<uint32_t>(heap[0] >> 32) ^ kSign);
      if (end == i + kBlock) {
        int32_t better = 0;
        for (int64_t j = 0; j < kBlock; ++j) better |= key(i + j) > worst;
        if (better == 0) {
          i = end;
          continue;
        }
      }
      for (; i < end; ++i)
        if (in_order(i) > heap[0] >> 32) TakeIn(heap, in_order(i), i);
    }
  }

  const PrimitiveType type_;
  const int64_t k_;
  KeyRule rule_;
  int64_t length_ = 1, rows_ = 1;
};

}  // namespace

std::unique_ptr<Step> MakeSort(const HloInstruction& sort, int threads, int64_t* scratch) {
  std::vector<KeyRule> rules = RulesOf(sort);
  if (rules.empty()) return nullptr;
  for (const KeyRule& rule : rules)
    if (!HasKeys(rule.type)) return nullptr;
  const int64_t d = sort.attributes<SortAttributes>().dimensions[0];
  if (d < 0 || d >= sort.operand(0)->shape().rank() || sort.operand(0)->shape().dimensions(d) > INT32_MAX)
    return nullptr;
  auto step = std::make_unique<SortStep>(sort, std::move(rules), threads);
  *scratch = step->scratch_bytes();
  return step;
}

std::unique_ptr<Step> MakeTopK(const HloInstruction& topk, int threads, int64_t* scratch) {
  const Shape& operand = topk.operand(0)->shape();
  const auto& attributes = topk.attributes<TopKAttributes>();
  if (!HasKeys(operand.element_type()) || operand.rank() == 0 || attributes.k < 1 ||
      attributes.k > operand.dimensions().back() || operand.dimensions().back() > INT32_MAX ||
      topk.shape().tuple_shapes(1).element_type() != PrimitiveType::S32) {
    return nullptr;
  }
  auto step = std::make_unique<TopKStep>(operand, attributes.k, attributes.largest, threads);
  *scratch = step->scratch_bytes();
  return step;
}

}  // namespace hloir::cpu
