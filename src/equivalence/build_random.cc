// Random bits as integer arithmetic on the state: Threefry2x32-20 and Philox4x32-10, of Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. See build.h.
#include <algorithm>
#include <array>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {
namespace {

constexpr PrimitiveType U32 = PrimitiveType::U32, kU64 = PrimitiveType::U64;

// Arithmetic on words. Large values are named, as those of instructions are.
struct Words {
  Exprs& x;
  ExprId Named(ExprId e) { return x.Named(e); }
  ExprId Word(uint64_t value, PrimitiveType type) { return x.Integer(static_cast<int64_t>(value), type); }
  ExprId Low(ExprId e) { return Named(x.Convert(e, kU64, U32)); }
  ExprId High(ExprId e) { return Low(Named(x.Function(HloOpcode::kShiftRightLogical, kU64, {e, Word(32, kU64)}))); }
  ExprId Wide(ExprId e) { return Named(x.Convert(e, U32, kU64)); }
  ExprId Join(ExprId low, ExprId high) {
    const ExprId upper = Named(x.Function(HloOpcode::kShiftLeft, kU64, {Wide(high), Word(32, kU64)}));
    return Named(x.Function(HloOpcode::kOr, kU64, {Wide(low), upper}));
  }
  ExprId Xor(ExprId a, ExprId b) { return Named(x.Function(HloOpcode::kXor, U32, {a, b})); }
  ExprId Add(ExprId a, ExprId b) { return Named(x.Add(a, b)); }
  ExprId Rotate(ExprId e, uint64_t by) {
    const ExprId left = Named(x.Function(HloOpcode::kShiftLeft, U32, {e, Word(by, U32)}));
    const ExprId right = Named(x.Function(HloOpcode::kShiftRightLogical, U32, {e, Word(32 - by, U32)}));
    return Named(x.Function(HloOpcode::kOr, U32, {left, right}));
  }
};

std::array<ExprId, 2> Threefry(Words w, ExprId counter, ExprId key) {
  constexpr uint64_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const ExprId key0 = w.Low(key), key1 = w.High(key);
  const ExprId keys[3] = {key0, key1, w.Xor(w.Xor(w.Word(0x1BD11BDA, U32), key0), key1)};
  ExprId a = w.Add(w.Low(counter), key0), b = w.Add(w.High(counter), key1);
  for (size_t group = 0; group < 5; ++group) {
    for (uint64_t rotation : kRotations[group % 2]) {
      a = w.Add(a, b);
      b = w.Xor(a, w.Rotate(b, rotation));
    }
    a = w.Add(a, keys[(group + 1) % 3]);
    b = w.Add(w.Add(b, keys[(group + 2) % 3]), w.Word(group + 1, U32));
  }
  return {a, b};
}

std::array<ExprId, 4> Philox(Words w, std::array<ExprId, 4> x, ExprId key) {
  ExprId key0 = w.Low(key), key1 = w.High(key);
  for (uint32_t round = 0; round < kPhiloxRounds; ++round) {
    const ExprId p0 = w.Named(w.x.Multiply(w.Wide(x[0]), w.Word(0xD2511F53, kU64)));
    const ExprId p1 = w.Named(w.x.Multiply(w.Wide(x[2]), w.Word(0xCD9E8D57, kU64)));
    x = {w.Xor(w.Xor(w.High(p1), x[1]), key0), w.Low(p1), w.Xor(w.Xor(w.High(p0), x[3]), key1), w.Low(p0)};
    key0 = w.Add(key0, w.Word(kPhiloxSteps[0], U32));
    key1 = w.Add(key1, w.Word(kPhiloxSteps[1], U32));
  }
  return x;
}

// `high`, plus one if the addition that gave `sum` from `low` overflowed.
ExprId Carried(Words w, ExprId sum, ExprId low, ExprId high) {
  const ExprId less = w.x.Compare(static_cast<int>(ComparisonDirection::kLt), sum, low);
  return w.Named(w.x.If(less, w.x.Add(high, w.Word(1, kU64)), high));
}

int64_t WordsOfCall(PrimitiveType type) { return type == kU64 ? 2 : 4; }
int64_t CallsOfPhilox(int64_t count, PrimitiveType type) { return (count + WordsOfCall(type) - 1) / WordsOfCall(type); }

}  // namespace

size_t PairedDimension(const std::vector<int64_t>& sizes) {
  const auto even = std::find_if(sizes.begin(), sizes.end(), [](int64_t size) { return size % 2 == 0; });
  return static_cast<size_t>((even != sizes.end() ? even : std::max_element(sizes.begin(), sizes.end())) -
                             sizes.begin());
}

// The result of a call: the one of `made` that `which` numbers.
ExprId Builder::OneOf(const std::vector<ExprId>& made, const Shape& line, const std::vector<Index>& call,
                      const Index& which) {
  const PrimitiveType type = line.element_type();
  Polynomial sum;
  for (size_t k = 0; k < made.size(); ++k) {
    const Index past = x_.Plus(which, Exprs::Number(-static_cast<int64_t>(k)));
    const ExprId here = x_.And(x_.Guard(false, past), x_.Guard(false, x_.Times(past, -1)));
    const ExprId part = x_.If(here, Read(made[k], line, call), x_.Integer(0, type));
    for (const Monomial& m : x_.PolynomialOf(part)) sum.push_back(m);
  }
  return x_.Named(x_.Sum(std::move(sum), type));
}

// Word `at` of `count` words of 32 or 64 bits, from a counter of 128 bits.
ExprId Builder::PhiloxWord(ExprId key, ExprId low, ExprId high, int64_t count, PrimitiveType type, const Index& at) {
  Words w{x_};
  const int64_t calls = CallsOfPhilox(count, type), per_call = WordsOfCall(type);
  const ExprId step = x_.IndexValue(x_.Var(x_.Dimension(0, calls)), kU64);
  const ExprId sum = w.Add(low, step), top = Carried(w, sum, low, high);
  const std::array<ExprId, 4> y = Philox(w, {w.Low(sum), w.High(sum), w.Low(top), w.High(top)}, key);
  std::vector<ExprId> made(y.begin(), y.end());
  if (type == kU64) made = {w.Join(y[0], y[1]), w.Join(y[2], y[3])};
  // The words as an array, a row a call.
  const Shape rows = Shape::Array(type, {calls, per_call});
  const std::vector<Index> row = Dimensions(rows);
  const ExprId all = OneOf(made, Shape::Array(type, {calls}), {row[0]}, row[1]);
  return Read(all, rows, {x_.Div(at, per_call), x_.Mod(at, per_call)});
}

// Returns the new state and the bits. The state is a key and a counter. Threefry has a counter of one word; Philox one
// of 128 bits, of which the state holds one or two words, the low one first. In a state of two words the high one is
// the key.
Value Builder::RandomBits(const HloInstruction& i, ExprId state) {
  const Shape &from = i.operand(0)->shape(), &shape = i.shape().tuple_shapes(1);
  const PrimitiveType type = shape.element_type();
  const int width = BitWidth(type);
  const bool threefry = i.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kRngThreeFry;
  const bool bytes = width == 8 || width == 16 || width == 32 || width == 64;
  if (from.element_type() != kU64 || from.rank() != 1 || from.dimensions(0) < 2 ||
      from.dimensions(0) > (threefry ? 2 : 3) || !bytes || !(IsInteger(type) || IsFloat(type)) ||
      shape.ElementCount() == 0 || shape.rank() == 0)
    return {};
  Words w{x_};
  const int64_t words = from.dimensions(0);
  const auto word = [&](int64_t k) { return Read(state, from, {Exprs::Number(k)}); };
  const ExprId key = word(0), counter = word(1);
  const std::vector<Index> out = Dimensions(shape);
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  const PrimitiveType made_as = width == 64 ? kU64 : U32;
  ExprId bits, next_high = -1;
  int64_t calls = 1;
  if (threefry) {
    std::vector<Index> at = out;
    std::vector<int64_t> half = sizes;
    Index which;
    if (width != 64) {
      const size_t split = PairedDimension(sizes);
      half[split] = (sizes[split] + 1) / 2;
      at[split] = x_.Div(out[split], 2);
      which = x_.Mod(out[split], 2);
    }
    for (int64_t size : half) calls *= size;
    const Shape line = Shape::Array(made_as, DimVector(half.begin(), half.end()));
    const ExprId step = x_.IndexValue(x_.Flatten(Dimensions(line), half), kU64);
    const auto [a, b] = Threefry(w, w.Add(counter, step), key);
    bits = OneOf(width == 64 ? std::vector<ExprId>{w.Join(a, b)} : std::vector<ExprId>{a, b}, line, at, which);
  } else {
    const ExprId top = words == 3 ? word(2) : key;
    calls = CallsOfPhilox(shape.ElementCount(), made_as);
    bits = PhiloxWord(key, counter, top, shape.ElementCount(), made_as, x_.Flatten(out, sizes));
    if (words == 3) next_high = Carried(w, w.Add(counter, w.Word(static_cast<uint64_t>(calls), kU64)), counter, top);
  }
  const PrimitiveType plain = width == 8    ? PrimitiveType::U8
                              : width == 16 ? PrimitiveType::U16
                              : width == 32 ? U32
                                            : kU64;
  bits = x_.Convert(bits, made_as, plain);
  if (IsSigned(type)) bits = x_.Convert(bits, plain, type);
  if (IsFloat(type))
    bits = x_.Function(HloOpcode::kBitcastConvert, PrimitiveType::F64, {bits},
                       {static_cast<int64_t>(plain), static_cast<int64_t>(type)});
  // The state after all calls.
  const ExprId next[3] = {key, x_.Add(counter, w.Word(static_cast<uint64_t>(calls), kU64)), next_high};
  const Index place = Dimensions(from)[0];
  Polynomial after;
  for (int64_t k = 0; k < words; ++k) {
    const Index past = x_.Plus(place, Exprs::Number(-k));
    const ExprId here = x_.And(x_.Guard(false, past), x_.Guard(false, x_.Times(past, -1)));
    for (const Monomial& m : x_.PolynomialOf(x_.If(here, next[k], x_.Integer(0, kU64)))) after.push_back(m);
  }
  return {x_.Sum(std::move(after), kU64), bits};
}

}  // namespace hloir::equivalence::inside
