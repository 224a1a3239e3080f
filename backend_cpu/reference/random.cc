// rng-bit-generator, bit for bit as XLA:CPU's; rng and rng-get-and-update-state, whose values HLO does not specify.
// Philox4x32-10 and Threefry2x32-20: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "reference/evaluation.h"
#include "reference/index.h"
#include "support/endian.h"

namespace hloir::reference {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint64_t Join(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

std::array<uint32_t, 2> Threefry(uint64_t counter, uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {Low(key), High(key), Low(key) ^ High(key) ^ 0x1BD11BDAu};
  uint32_t a = Low(counter) + keys[0], b = High(counter) + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += keys[(group + 1) % 3];
    b += keys[(group + 2) % 3] + group + 1;
  }
  return {a, b};
}

std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> x, uint64_t key) {
  uint32_t key0 = Low(key), key1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{x[0]} * 0xD2511F53u, p1 = uint64_t{x[2]} * 0xCD9E8D57u;
    x = {High(p1) ^ x[1] ^ key0, Low(p1), High(p0) ^ x[3] ^ key1, Low(p0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}

// The state is (key, counter). Words of 32 bits come in pairs from one counter value, and the two halves of a pair are
// adjacent along one dimension: the first even one, otherwise the longest.
void ThreefryBits(const DimVector& dims, int width, uint64_t key, uint64_t* counter, std::vector<uint64_t>* bits) {
  const int64_t count = Product(dims);
  if (width == 64) {
    for (int64_t i = 0; i < count; ++i) {
      const auto [low, high] = Threefry(*counter + static_cast<uint64_t>(i), key);
      bits->push_back(Join(low, high));
    }
    *counter += static_cast<uint64_t>(count);
    return;
  }
  if (dims.empty()) {
    bits->push_back(Threefry((*counter)++, key)[0]);
    return;
  }
  size_t split = dims.size();
  for (size_t d = 0; d < dims.size() && split == dims.size(); ++d) {
    if (dims[d] % 2 == 0) split = d;
  }
  for (size_t d = 0; d < dims.size() && split == dims.size(); ++d) {
    if (dims[d] == *std::max_element(dims.begin(), dims.end())) split = d;
  }
  DimVector half = dims;
  half[split] = (dims[split] + 1) / 2;
  const DimVector strides = RowMajorStrides(half);
  ForEachIndex(dims, [&](const DimVector& index) {
    DimVector pair = index;
    pair[split] /= 2;
    const uint64_t at = *counter + static_cast<uint64_t>(LinearIndex(pair, strides));
    bits->push_back(Threefry(at, key)[static_cast<size_t>(index[split] % 2)]);
  });
  *counter += static_cast<uint64_t>(Product(half));
}

// Four words of 32 bits from each value of a 128-bit counter, low half first.
void PhiloxBits(int64_t count, int width, uint64_t key, uint64_t* low, uint64_t* high, std::vector<uint64_t>* bits) {
  const int64_t per_call = width == 64 ? 2 : 4;
  while (static_cast<int64_t>(bits->size()) < count) {
    const std::array<uint32_t, 4> x = Philox({Low(*low), High(*low), Low(*high), High(*high)}, key);
    for (int64_t i = 0; i < per_call && static_cast<int64_t>(bits->size()) < count; ++i) {
      const size_t at = static_cast<size_t>(i);
      bits->push_back(width == 64 ? Join(x[2 * at], x[2 * at + 1]) : x[at]);
    }
    if (++*low == 0) ++*high;
  }
}

double UniformDouble(Evaluation& run) { return static_cast<double>(run.NextRandom() >> 11) * 0x1p-53; }

}  // namespace

// The state is u64[2] or u64[3]. Its first word is the key; Threefry counts in the second. Philox counts in 128 bits:
// the second word low and the third high, or for a state of two words the second low and the first, the key, high.
// Types under 32 bits take the low bits of a 32-bit word.
StatusOr<Value> EvaluateRngBitGenerator(EvalContext& context) {
  const Shape& shape = context.shape.tuple_shapes(1);
  Literal state = std::move(context.operands[0]).TakeLiteral();
  // A u32 state is the same bits, low half first.
  const size_t words = static_cast<size_t>(state.size_bytes()) / sizeof(uint64_t);
  uint64_t* s = reinterpret_cast<uint64_t*>(state.untyped_data());
  auto exchange_halves = [&, narrow = state.shape().element_type() == PrimitiveType::U32] {
    for (size_t i = 0; kBigEndian && narrow && i < words; ++i) s[i] = std::rotl(s[i], 32);
  };
  const int width = BitWidth(shape.element_type());
  if (words < 2 || words > 3 || !IsArrayType(shape.element_type()) || width > 64 || IsComplex(shape.element_type())) {
    return UnimplementedOp(context, "for this state or type");
  }
  exchange_halves();
  std::vector<uint64_t> bits;
  if (context.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kRngThreeFry) {
    if (words != 2) return UnimplementedOp(context, "Threefry with a state of other than two words");
    ThreefryBits(shape.dimensions(), width, s[0], &s[1], &bits);
  } else {
    // rng_default is Philox, as on XLA:CPU.
    uint64_t low = s[1], high = words == 3 ? s[2] : s[0];
    PhiloxBits(shape.ElementCount(), width, s[0], &low, &high, &bits);
    s[1] = low;
    if (words == 3) s[2] = high;
  }
  exchange_halves();
  Literal result(shape);
  Literal wide(Shape::Array(PrimitiveType::U64, shape.dimensions()));
  std::copy(bits.begin(), bits.end(), wide.data<uint64_t>().begin());
  if (IsFloat(shape.element_type()) || shape.element_type() == PrimitiveType::PRED) {
    const int bytes = StorageBytes(shape.element_type());
    for (size_t i = 0; i < bits.size(); ++i) {
      const std::byte* low = reinterpret_cast<const std::byte*>(&bits[i]) + (kBigEndian ? 8 - bytes : 0);
      std::memcpy(result.untyped_data() + i * static_cast<size_t>(bytes), low, static_cast<size_t>(bytes));
    }
  } else {
    result = wide.Convert(shape.element_type());
  }
  std::vector<Value> results;
  results.emplace_back(std::move(state));
  results.emplace_back(std::move(result));
  return Value::Tuple(std::move(results));
}

// rng_uniform: from [a, b); rng_normal: mean a, deviation b. The numbers are unspecified; here each run has the same.
StatusOr<Value> EvaluateRng(EvalContext& context) {
  if (context.operand_count() != 2) return InvalidArgument("rng takes two operands");
  const bool normal = context.attributes<RngAttributes>().distribution == RandomDistribution::kRngNormal;
  const PrimitiveType type = context.shape.element_type();
  Literal result(context.shape);
  if (IsComplex(type)) return UnimplementedOp(context, "for complex numbers");
  if (!normal && (IsInteger(type) || type == PrimitiveType::PRED)) {
    const uint64_t low = static_cast<uint64_t>(context.operand(0).GetAsInt64(0));
    const uint64_t range = static_cast<uint64_t>(context.operand(1).GetAsInt64(0)) - low;
    Literal wide(context.shape.WithElementType(PrimitiveType::U64));
    for (uint64_t& x : wide.data<uint64_t>()) x = range == 0 ? low : low + context.run.NextRandom() % range;
    return wide.Convert(type);
  }
  const double a = context.operand(0).GetAsDouble(0), b = context.operand(1).GetAsDouble(0);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    const double u = UniformDouble(context.run);
    if (!normal) {
      result.SetFromDouble(i, a + u * (b - a));
      continue;
    }
    // Box-Muller; 1 - u is never 0.
    const double radius = std::sqrt(-2 * std::log(1 - u)), angle = 2 * std::numbers::pi * UniformDouble(context.run);
    result.SetFromDouble(i, a + b * radius * std::cos(angle));
  }
  return result;
}

// The state before `delta` is added to it, a 128-bit number in two words.
StatusOr<Value> EvaluateRngGetAndUpdateState(EvalContext& context) {
  Literal state(context.shape);
  const int64_t delta = context.attributes<RngGetAndUpdateStateAttributes>().delta;
  if (state.element_count() > 0) {
    const uint64_t value = context.run.AdvanceRngState(static_cast<uint64_t>(delta));
    state.SetFromInt64(0, static_cast<int64_t>(value));
  }
  return state;
}

}  // namespace hloir::reference
