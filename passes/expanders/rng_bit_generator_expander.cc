// rng-bit-generator-expander: expands Threefry and Philox to integer operations.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   state = u64[2]{0} parameter(0)
//   ROOT random = (u64[2]{0}, u32[3]{0}) rng-bit-generator(state), algorithm=rng_three_fry
// }
// AFTER
// END
//
// Bit for bit equal to the operation (and XLA:CPU): Threefry2x32-20 and Philox4x32-10, of Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011. rng_default is Philox. Leaves alone: states that are not u64; types
// that are not integers of whole bytes, f16, bf16, f32 or f64.
#include <algorithm>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;
constexpr PrimitiveType U32 = PrimitiveType::U32, kU64 = PrimitiveType::U64;

// Arithmetic on arrays of one shape, in the generators' terms.
struct GeneratedBits {
  HloBuilder& b;
  Op Word(Op like, uint64_t value) {
    Literal scalar = Literal::Scalar(like->shape().element_type(), value);
    return b.Broadcast(b.Constant(std::move(scalar)), like->shape().dimensions(), {});
  }
  Op Low(Op x) { return b.Convert(x, U32); }
  Op High(Op x) { return b.Convert(b.ShiftRightLogical(x, Word(x, 32)), U32); }
  Op Join(Op low, Op high) {
    const Op upper = b.Convert(high, kU64);
    return b.Or(b.Convert(low, kU64), b.ShiftLeft(upper, Word(upper, 32)));
  }
  Op Rotate(Op x, uint64_t by) { return b.Or(b.ShiftLeft(x, Word(x, by)), b.ShiftRightLogical(x, Word(x, 32 - by))); }
  // A word of the state, wherever `like` has an element.
  Op Spread(Op scalar, Op like) { return b.Broadcast(scalar, like->shape().dimensions(), {}); }
};

std::pair<Op, Op> Threefry(GeneratedBits& w, Op counter, Op key) {
  constexpr uint64_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const Op key0 = w.Low(key), key1 = w.High(key);
  const Op third = w.b.Xor(w.b.Xor(key0, key1), w.Word(key0, 0x1BD11BDA));
  const Op keys[3] = {w.Spread(key0, counter), w.Spread(key1, counter), w.Spread(third, counter)};
  Op x = w.b.Add(w.Low(counter), keys[0]), y = w.b.Add(w.High(counter), keys[1]);
  for (size_t group = 0; group < 5; ++group) {
    for (uint64_t rotation : kRotations[group % 2]) {
      x = w.b.Add(x, y);
      y = w.b.Xor(w.Rotate(y, rotation), x);
    }
    x = w.b.Add(x, keys[(group + 1) % 3]);
    y = w.b.Add(w.b.Add(y, keys[(group + 2) % 3]), w.Word(y, group + 1));
  }
  return {x, y};
}

std::vector<Op> Philox(GeneratedBits& w, std::vector<Op> x, Op key) {
  Op key0 = w.Spread(w.Low(key), x[0]), key1 = w.Spread(w.High(key), x[0]);
  for (int round = 0; round < 10; ++round) {
    const Op wide0 = w.b.Convert(x[0], kU64), wide2 = w.b.Convert(x[2], kU64);
    const Op p0 = w.b.Multiply(wide0, w.Word(wide0, 0xD2511F53)), p1 = w.b.Multiply(wide2, w.Word(wide2, 0xCD9E8D57));
    x = {w.b.Xor(w.b.Xor(w.High(p1), x[1]), key0), w.Low(p1), w.b.Xor(w.b.Xor(w.High(p0), x[3]), key1), w.Low(p0)};
    key0 = w.b.Add(key0, w.Word(key0, 0x9E3779B9));
    key1 = w.b.Add(key1, w.Word(key1, 0xBB67AE85));
  }
  return x;
}

Op StateWord(HloBuilder& b, Op state, int64_t k) { return b.Reshape(b.Slice(state, {k}, {k + 1}), {}); }

// [n] arrays next to each other: [n, count], flattened.
Op Interleave(HloBuilder& b, const std::vector<Op>& arrays) {
  std::vector<Op> columns;
  for (Op array : arrays) {
    if (array == nullptr) return nullptr;
    columns.push_back(b.Reshape(array, {array->shape().dimensions(0), 1}));
  }
  const Op matrix = b.Concatenate(columns, 1);
  return matrix == nullptr ? nullptr : b.Reshape(matrix, {matrix->shape().ElementCount()});
}

// The words of 32 or 64 bits, and the counter after them.
std::pair<Op, Op> ThreefryWords(HloBuilder& b, const DimVector& dims, int width, Op key, Op counter) {
  GeneratedBits w{b};
  DimVector half = dims;
  size_t split = dims.size();
  if (width != 64) {
    // Pairs are neighbours along the first even dimension, else the longest.
    for (size_t d = 0; d < dims.size() && split == dims.size(); ++d) {
      if (dims[d] % 2 == 0) split = d;
    }
    for (size_t d = 0; d < dims.size() && split == dims.size(); ++d) {
      if (dims[d] == *std::max_element(dims.begin(), dims.end())) split = d;
    }
    if (split < dims.size()) half[split] = (dims[split] + 1) / 2;
  }
  int64_t calls = 1;
  for (int64_t size : half) calls *= size;
  const Op steps = b.Reshape(b.Iota(Shape::Array(kU64, {calls}), 0), half);
  if (steps == nullptr) return {nullptr, nullptr};
  const auto [x, y] = Threefry(w, b.Add(w.Spread(counter, steps), steps), key);
  const Op next = b.Add(counter, w.Word(counter, static_cast<uint64_t>(calls)));
  if (width == 64) return {w.Join(x, y), next};
  if (dims.empty()) return {x, next};
  DimVector pair = half, limits = dims, both = half;
  pair.clear();
  for (size_t d = 0; d < half.size(); ++d) {
    pair.push_back(half[d]);
    if (d == split) pair.push_back(1);
  }
  both[split] *= 2;
  const Op joined =
      b.Reshape(b.Concatenate({b.Reshape(x, pair), b.Reshape(y, pair)}, static_cast<int64_t>(split) + 1), both);
  return {b.Slice(joined, DimVector(dims.size(), 0), limits), next};
}

HloInstruction* ExpandRngBitGenerator(HloInstruction* i, RuleContext& c) {
  const Shape &state = i->operand(0)->shape(), &bits = i->shape().tuple_shapes(1);
  const PrimitiveType type = bits.element_type();
  const bool float_type = type == PrimitiveType::F16 || type == PrimitiveType::BF16 || type == PrimitiveType::F32 ||
                          type == PrimitiveType::F64;
  const bool threefry = i->attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kRngThreeFry;
  if (state.element_type() != kU64 || state.rank() != 1 || state.dimensions(0) < 2 ||
      state.dimensions(0) > (threefry ? 2 : 3))
    return nullptr;
  if ((!IsInteger(type) && !float_type) || BitWidth(type) < 8 || bits.ElementCount() == 0) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    GeneratedBits w{b};
    const Shape& bits = i.shape().tuple_shapes(1);
    const int width = BitWidth(bits.element_type());
    const int64_t words = x[0]->shape().dimensions(0);
    const Op key = StateWord(b, x[0], 0), counter = StateWord(b, x[0], 1);
    std::vector<Op> state{b.Slice(x[0], {0}, {1})};
    Op random;
    if (i.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kRngThreeFry) {
      const auto [made, next] = ThreefryWords(b, bits.dimensions(), width, key, counter);
      random = made;
      state.push_back(b.Reshape(next, {1}));
    } else {
      const int64_t per_call = width == 64 ? 2 : 4, calls = (bits.ElementCount() + per_call - 1) / per_call;
      const Op top = words == 3 ? StateWord(b, x[0], 2) : key;  // of the 128 bits that it counts in
      const Op steps = b.Iota(Shape::Array(kU64, {calls}), 0);
      const Op start = w.Spread(counter, steps), low = b.Add(start, steps);
      const Op high = b.Add(w.Spread(top, steps), b.Convert(b.Compare(low, start, ComparisonDirection::kLt), kU64));
      const std::vector<Op> y = Philox(w, {w.Low(low), w.High(low), w.Low(high), w.High(high)}, key);
      const Op all = Interleave(b, width == 64 ? std::vector<Op>{w.Join(y[0], y[1]), w.Join(y[2], y[3])} : y);
      random = b.Reshape(b.Slice(all, {0}, {bits.ElementCount()}), bits.dimensions());
      const Op next = b.Add(counter, w.Word(counter, static_cast<uint64_t>(calls)));
      state.push_back(b.Reshape(next, {1}));
      if (words == 3)
        state.push_back(
            b.Reshape(b.Add(top, b.Convert(b.Compare(next, counter, ComparisonDirection::kLt), kU64)), {1}));
    }
    const PrimitiveType plain = width == 8    ? PrimitiveType::U8
                                : width == 16 ? PrimitiveType::U16
                                : width == 32 ? U32
                                              : kU64;
    return b.Tuple({b.Concatenate(state, 0), b.BitcastConvert(b.Convert(random, plain), bits.element_type())});
  });
}

constexpr Rule kRngBitGeneratorExpanderRules[] = {
    {HloOpcode::kRngBitGenerator, "expand-rng-bit-generator",
     "rng-bit-generator(state) => rounds of integer operations", kExact, kExact, ExpandRngBitGenerator},
};

}  // namespace
}  // namespace rules

PassDefinition DefineRngBitGeneratorExpander() { return rules::DefineRulePass(rules::kRngBitGeneratorExpanderRules); }

}  // namespace hloir
