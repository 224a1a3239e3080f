// Numbers that `rng` draws, as XLA expands it: Philox bits of a key that the compiler chooses and of the generator's
// state become numbers between two bounds, or by the transform of Box and Muller (1958) normal ones. HLO leaves the
// numbers open, so that a module that draws and one whose draws are expanded are equal under an assumption. See
// build.h.
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {
namespace {

// The number that all elements of an operand have, if it is a constant or one broadcast.
std::optional<uint32_t> Word(const HloInstruction& i) {
  const HloInstruction* at = &i;
  while (at->opcode() == HloOpcode::kBroadcast || at->opcode() == HloOpcode::kReshape ||
         at->opcode() == HloOpcode::kBitcast)
    at = at->operand(0);
  if (!at->IsConstant() || !at->shape().IsArray() || at->shape().element_type() != PrimitiveType::U32 ||
      at->literal().elided() || at->literal().element_count() == 0 || !at->literal().IsAllSame())
    return std::nullopt;
  return static_cast<uint32_t>(at->literal().GetAsInt64(0));
}

// The words that meet the values made from a state, also in called computations.
std::set<uint32_t> WordsBeside(const HloInstruction& state) {
  std::set<uint32_t> words;
  std::unordered_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> work{&state};
  while (!work.empty()) {
    const HloInstruction* at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) continue;
    for (const HloInstruction* user : at->users()) {
      for (const HloInstruction* operand : user->operands()) {
        if (const auto word = Word(*operand)) words.insert(*word);
      }
      work.push_back(user);
      if (user->opcode() != HloOpcode::kFusion && user->opcode() != HloOpcode::kCall) continue;
      for (int64_t k = 0; k < user->operand_count(); ++k) {
        if (user->operand(k) == at) work.push_back(user->called_computation(0)->parameter(k));
      }
    }
  }
  return words;
}

// The first of as many words a step apart as there are rounds; nothing if there is none, or more than one.
std::optional<uint32_t> FirstOfRounds(const std::set<uint32_t>& words, uint32_t step) {
  std::optional<uint32_t> found;
  for (uint32_t first : words) {
    bool all = true;
    for (uint32_t round = 1; round < kPhiloxRounds && all; ++round) all = words.count(first + round * step) > 0;
    if (!all) continue;
    if (found) return std::nullopt;
    found = first;
  }
  return found;
}

// The 32-bit words of the numbers, by which an expanded draw moves the state on.
int64_t WordsOfDraw(const Shape& shape) { return shape.ElementCount() * (BitWidth(shape.element_type()) / 32); }

bool IsSupported(const HloInstruction& i) {
  using enum PrimitiveType;
  const PrimitiveType type = i.shape().element_type();
  const bool normal = i.attributes<RngAttributes>().distribution == RandomDistribution::kRngNormal;
  const bool is_float = type == F32 || type == F64;
  const bool is_integer = type == S32 || type == U32 || type == S64 || type == U64;
  return i.operand_count() == 2 && (is_float || (is_integer && !normal)) && i.shape().ElementCount() > 0 &&
         i.operand(0)->shape().IsScalar() && i.operand(1)->shape().IsScalar();
}

}  // namespace

// If one module draws numbers and the other has expanded draws: the states in the entry of the latter from which Philox
// bits are made, and the keys. Nothing unless each draw has a state that moves on by as many words, in order, and no
// draw is inside a loop or branch.
std::vector<Draw> DrawsOf(const HloModule& before, const HloModule& after) {
  std::vector<const HloInstruction*> draws;
  const HloModule* expanded = nullptr;
  for (const HloModule* module : {&before, &after}) {
    bool any = false;
    for (const HloInstruction* i : module->AllInstructions()) {
      if (i->opcode() != HloOpcode::kRng) continue;
      if (i->parent() != module->entry_computation() || !IsSupported(*i)) return {};
      any = true;
    }
    if (!any) {
      expanded = module;
      continue;
    }
    for (const HloInstruction* i : module->entry_computation()->PostOrder()) {
      if (i->opcode() == HloOpcode::kRng) draws.push_back(i);
    }
  }
  if (draws.empty() || expanded == nullptr) return {};
  std::vector<Draw> found;
  for (const HloInstruction* i : expanded->entry_computation()->PostOrder()) {
    if (i->opcode() != HloOpcode::kRngGetAndUpdateState) continue;
    const std::set<uint32_t> words = WordsBeside(*i);
    const auto low = FirstOfRounds(words, kPhiloxSteps[0]), high = FirstOfRounds(words, kPhiloxSteps[1]);
    if (low && high) found.push_back({i, *low | uint64_t{*high} << 32});
  }
  if (found.size() != draws.size()) return {};
  for (size_t k = 0; k < draws.size(); ++k) {
    if (found[k].state->attributes<RngGetAndUpdateStateAttributes>().delta != WordsOfDraw(draws[k]->shape())) return {};
  }
  return found;
}

ExprId Builder::StateOfDraw(size_t number, const Shape& shape) {
  x_.Uses(kSameDraws);
  return LeafArray({-21, static_cast<int64_t>(number)}, shape);
}

Value Builder::Drawn(const HloInstruction& i, const std::vector<ExprId>& x) {
  using enum HloOpcode;
  const Shape &shape = i.shape(), state_shape = Shape::Array(PrimitiveType::U64, {2});
  const PrimitiveType type = shape.element_type(), real = PrimitiveType::F64;
  const int width = BitWidth(type);
  const PrimitiveType word = width == 64 ? PrimitiveType::U64 : PrimitiveType::U32;
  const bool normal = i.attributes<RngAttributes>().distribution == RandomDistribution::kRngNormal;
  const size_t number = next_draw_++;
  const ExprId state = StateOfDraw(number, state_shape);
  const ExprId low = Read(state, state_shape, {Exprs::Number(0)}), high = Read(state, state_shape, {Exprs::Number(1)});
  const ExprId key = x_.Integer(static_cast<int64_t>(shared_.draws[number].key), PrimitiveType::U64);
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<Index> out = Dimensions(shape);
  const ExprId a = Read(x[0], Shape::Scalar(type), {}), b = Read(x[1], Shape::Scalar(type), {});
  if (!IsFloat(type)) {
    const auto bits_of = [&](ExprId e, PrimitiveType from, PrimitiveType to) {
      if (from == to) return e;
      return x_.Function(kBitcastConvert, to, {e}, {static_cast<int64_t>(from), static_cast<int64_t>(to)});
    };
    const ExprId bits = PhiloxWord(key, low, high, shape.ElementCount(), word, x_.Flatten(out, sizes));
    const ExprId range = x_.Add(bits_of(b, type, word), bits_of(a, type, word), -1);
    const ExprId rest = x_.Named(x_.Function(kRemainder, word, {bits, range}));
    const ExprId half = x_.Named(x_.Function(kShiftRightLogical, word, {rest, x_.Integer(1, word)}));
    return {x_.Add(x_.Add(a, bits_of(half, word, type)), bits_of(x_.Named(x_.Add(rest, half, -1)), word, type))};
  }
  const int mantissa = width == 64 ? 52 : 23;
  const auto constant = [&](double value) { return x_.Real(width == 64 ? value : static_cast<float>(value)); };
  x_.Uses(kRounds);
  // Numbers from 0 to 1.
  const auto between = [&](int64_t count, const Index& at) {
    const ExprId bits = PhiloxWord(key, low, high, count, word, at);
    const ExprId whole = x_.Function(kShiftRightLogical, word, {bits, x_.Integer(width - mantissa, word)});
    return x_.Named(x_.Multiply(FromInteger(x_.Named(whole), word, type), x_.Real(std::ldexp(1.0, -mantissa))));
  };
  if (!normal) {
    const ExprId part = between(shape.ElementCount(), x_.Flatten(out, sizes));
    return {x_.Add(x_.Multiply(part, x_.Add(b, a, -1)), a)};
  }
  const size_t split = PairedDimension(sizes);
  Index which;
  if (sizes.empty()) {
    sizes = {2}, out = {Index{}};
  } else {
    which = x_.Mod(out[split], 2);
    out[split] = x_.Times(x_.Div(out[split], 2), 2);
    sizes[split] += sizes[split] % 2;
  }
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  const auto at = [&](int64_t second) {
    std::vector<Index> place = out;
    place[split] = x_.Plus(place[split], Exprs::Number(second));
    return between(count, x_.Flatten(place, sizes));
  };
  const ExprId radius = x_.Named(x_.Function(
      kSqrt, real,
      {x_.Multiply(x_.Real(-2), x_.Function(kLog, real, {x_.Function(kMaximum, real, {at(0), x_.Real(1e-7f)})}))}));
  const ExprId angle = x_.Multiply(constant(width == 64 ? 2 * M_PI : 2.0f * static_cast<float>(M_PI)), at(1));
  const ExprId first = x_.Multiply(x_.Function(kSin, real, {angle}), radius),
               second = x_.Multiply(x_.Function(kCos, real, {angle}), radius);
  const ExprId is_first = x_.Guard(false, x_.Times(which, -1));
  return {x_.Add(a, x_.Multiply(b, x_.If(is_first, first, second)))};
}

}  // namespace hloir::equivalence::inside
