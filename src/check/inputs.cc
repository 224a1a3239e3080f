// Generates inputs for a module: MakeFakeInputs() for one device, MakeInputSet() for all. The generator is our own, so
// that a seed gives the same values everywhere; integers that are used as indices stay in bounds. Covered by
// tests/unit/check_compare_test.cc and check_test.cc.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "check/extremes.h"
#include "check/parameter_uses.h"
#include "hloir/check.h"
#include "hloir/cost.h"
#include "support/guard.h"
#include "support/format.h"
#include "support/random.h"

namespace hloir {
namespace {

// Approximately normally distributed within ±3.5: the sum of four uniform numbers.
double NormalNumber(Random& random) {
  return (random.Uniform() + random.Uniform() + random.Uniform() + random.Uniform() - 2) * std::sqrt(3.0);
}

// Finds the parameters of the entry computation that control flow depends on.
class ControlFlow {
 public:
  // Loops with a known trip count terminate for all inputs.
  enum class Kind { kOpenLoops, kLoops, kLoopsAndBranches };
  ControlFlow(const HloModule& module, Kind kind) : kind_(kind), has_(module.computation_id_limit()) {
    for (const HloComputation* computation : module.PostOrder()) {
      for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
        bool has = Counts(*i);
        for (const HloComputation* called : i->called_computations()) has = has || has_[called->id()];
        if (has) has_[computation->id()] = true;
      }
    }
  }

  bool DependsOn(const HloInstruction* parameter) const {
    std::vector<bool> seen(parameter->module()->instruction_id_limit());
    std::vector<const HloInstruction*> todo = {parameter};
    while (!todo.empty()) {
      const HloInstruction* i = todo.back();
      todo.pop_back();
      if (seen[i->id()]) continue;
      seen[i->id()] = true;
      if (Counts(*i)) return true;
      for (const HloComputation* called : i->called_computations()) {
        if (has_[called->id()]) return true;
      }
      todo.insert(todo.end(), i->users().begin(), i->users().end());
    }
    return false;
  }

 private:
  bool Counts(const HloInstruction& i) const {
    if (i.opcode() == HloOpcode::kWhile) return kind_ != Kind::kOpenLoops || !TripCount(i);
    return kind_ == Kind::kLoopsAndBranches && i.opcode() == HloOpcode::kConditional;
  }
  Kind kind_;
  std::vector<bool> has_;  // by computation id: the computation or its callees have such control flow
};

// The module states that all devices have the same value.
bool IsReplicated(const HloInstruction& parameter) {
  const Sharding* sharding = parameter.sharding();
  return sharding != nullptr && sharding->kind == Sharding::Kind::kReplicated;
}

// The module's scalar constants, which its comparisons, clamps and loops use.
struct Constants {
  std::vector<double> floats;
  std::vector<int64_t> integers;
};

Constants ConstantsOf(const HloModule& module) {
  constexpr int64_t kSmall = 4;
  constexpr size_t kMost = 256;
  std::set<double> floats;
  std::set<int64_t> integers;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (!i->IsConstant() || !i->shape().IsArray() || i->literal().element_count() > kSmall) continue;
    const PrimitiveType type = i->shape().element_type();
    for (int64_t k = 0; k < i->literal().element_count(); ++k) {
      if (IsFloat(type) && std::isfinite(i->literal().GetAsDouble(k)) && floats.size() < kMost)
        floats.insert(i->literal().GetAsDouble(k));
      else if (IsInteger(type) && integers.size() < kMost) integers.insert(i->literal().GetAsInt64(k));
    }
  }
  return {{floats.begin(), floats.end()}, {integers.begin(), integers.end()}};
}

// Half of the numbers are multiples of 1/2 up to 2, the others are constants and their neighbours.
double EdgeNumber(PrimitiveType type, Random& random, const Constants& constants) {
  if (constants.floats.empty() || random.Below(2) == 0) return static_cast<double>(random.Below(9) - 4) / 2;
  const double value =
      constants.floats[static_cast<size_t>(random.Below(static_cast<int64_t>(constants.floats.size())))];
  const double unit = value == 0 ? 0 : std::ldexp(1.0, std::ilogb(value) - GetFloatFormat(type).mantissa_bits);
  const int steps[] = {0, 0, 1, -1};
  const double near = value + static_cast<double>(steps[random.Below(std::size(steps))]) * unit;
  return random.Below(8) == 0 ? -near : near;
}

double WideNumber(PrimitiveType type, Random& random) {
  const int largest = std::min(16, GetFloatFormat(type).bias / 2);
  const double size = std::ldexp(1 + random.Uniform(), static_cast<int>(random.Below(largest + 25)) - 24);
  return random.Below(2) == 0 ? -size : size;
}

int64_t EdgeInteger(Random& random, const Constants& constants, int64_t bound) {
  if (bound >= 0 && random.Below(4) != 0) {
    const int64_t ends[] = {0, bound, bound / 2, -1, std::min(bound, INT64_MAX - 1) + 1};
    return ends[random.Below(std::size(ends))];
  }
  if (constants.integers.empty() || random.Below(2) == 0) return random.Below(7) - 3;
  const int64_t value =
      constants.integers[static_cast<size_t>(random.Below(static_cast<int64_t>(constants.integers.size())))];
  return static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(random.Below(3)) - 1);
}

int64_t WideInteger(PrimitiveType type, Random& random, int64_t bound) {
  if (bound >= 0 && random.Below(4) != 0) return random.Below(std::min(bound, INT64_MAX - 1) + 1);
  const uint64_t bits = random.Bits() >> random.Below(BitWidth(type));
  return static_cast<int64_t>(random.Below(2) == 0 ? bits : -bits);
}

// Wraps a value to the type's range.
template <class S>
S Wrapped(int64_t value, PrimitiveType type) {
  const int unused = 64 - BitWidth(type);
  if (IsSigned(type)) return static_cast<S>(static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused);
  return static_cast<S>(static_cast<uint64_t>(value) << unused >> unused);
}

double CornerCase(PrimitiveType type, Random& random) {
  const FloatFormat format = GetFloatFormat(type);
  const double denormal = std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
  const double largest = std::ldexp(2 - std::ldexp(1.0, -format.mantissa_bits), format.bias);
  const double cases[] = {std::nan(""),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          0.0,
                          -0.0,
                          denormal,
                          -denormal,
                          3 * denormal,
                          largest,
                          -largest,
                          1.0,
                          -1.0};
  return cases[random.Below(std::size(cases))];
}

// A number of the kind, except corner cases.
double Number(PrimitiveType type, Random& random, InputKind kind, const Constants& constants) {
  if (kind == InputKind::kEdges) return EdgeNumber(type, random, constants);
  if (kind == InputKind::kWide) return WideNumber(type, random);
  return kind == InputKind::kPositive ? 0.25 + 0.75 * random.Uniform() : NormalNumber(random);
}

template <class S>
S Draw(PrimitiveType type, Random& random, InputKind kind, int64_t bound, const Constants& constants) {
  const bool corner = kind == InputKind::kCornerCases && random.Below(8) == 0;
  if constexpr (std::is_same_v<S, bool>) {
    return random.Below(2) == 1;
  } else if constexpr (std::is_integral_v<S>) {
    const int bits = BitWidth(type);
    if (kind == InputKind::kEdges) return Wrapped<S>(EdgeInteger(random, constants, bound), type);
    if (kind == InputKind::kWide) return Wrapped<S>(WideInteger(type, random, bound), type);
    const int64_t room = bits >= 8 ? 10 : IsSigned(type) ? int64_t{1} << (bits - 1) : int64_t{1} << bits;
    if (bound >= 0) {
      constexpr int64_t kTop = static_cast<int64_t>(std::min<uint64_t>(std::numeric_limits<S>::max(), INT64_MAX - 1));
      return static_cast<S>(random.Below(std::min(bound, bits >= 8 ? kTop : room - 1) + 1));
    }
    if (!corner) return static_cast<S>(random.Below(room));
    const auto top = static_cast<S>(bits >= 8 ? std::numeric_limits<S>::max() : room - 1);
    const S cases[] = {static_cast<S>(0), static_cast<S>(1), top, static_cast<S>(IsSigned(type) ? -top - 1 : 0),
                       static_cast<S>(IsSigned(type) ? -1 : top)};
    return cases[random.Below(std::size(cases))];
  } else if constexpr (std::is_same_v<S, std::complex<float>> || std::is_same_v<S, std::complex<double>>) {
    using R = typename S::value_type;
    const PrimitiveType part = ComplexComponentType(type);
    const double real = corner ? CornerCase(part, random) : Number(part, random, kind, constants);
    return S(static_cast<R>(real), static_cast<R>(Number(part, random, kind, constants)));
  } else {
    const double value = corner ? CornerCase(type, random) : Number(type, random, kind, constants);
    return static_cast<S>(GetFloatFormat(type).has_sign ? value : std::abs(value));
  }
}

// Sets some elements to one special value: NaN, infinity, -0 or a denormal. Their propagation is visible since no
// number is large enough to overflow.
void AddSpecial(Literal& value, uint64_t which, Random& random) {
  const PrimitiveType type = value.shape().element_type();
  if (!IsFloat(type) || value.element_count() == 0) return;
  const FloatFormat format = GetFloatFormat(type);
  const double denormal = std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double specials[] = {std::nan(""), kInfinity, -kInfinity, random.Below(2) == 0 ? -0.0 : denormal};
  // Random counts: many meet operations that read few elements, few leave sums finite.
  const int64_t count = int64_t{1} << random.Below(1 + std::ilogb(static_cast<double>(value.element_count())));
  for (int64_t i = 0; i < count; ++i)
    value.SetFromDouble(random.Below(value.element_count()), specials[which % std::size(specials)]);
}

// Scales the values, or makes them equal or mostly zero, to reveal errors that depend on all values being so. Integers
// and predicates have no bits or all bits, but for one bit of some elements.
void Vary(Literal& value, bool is_index, Random& random) {
  const PrimitiveType type = value.shape().element_type();
  const int64_t count = value.element_count();
  if (!is_index && count > 0 && (IsInteger(type) || type == PrimitiveType::PRED)) {
    const int64_t bits = -random.Below(2);
    const bool varies = random.Below(2) == 0;
    for (int64_t i = 0; varies && i < count; ++i)
      value.SetFromInt64(i, random.Below(8) == 0 ? bits ^ int64_t{1} << random.Below(BitWidth(type)) : bits);
  }
  if (!IsFloat(type) || count == 0) return;
  switch (random.Below(8)) {
    case 0:
    case 1: {
      const int room = GetFloatFormat(type).bias - 3, low = std::min(48, room), high = std::min(24, room);
      const double scale = std::ldexp(1.0, static_cast<int>(random.Below(low + high + 1)) - low);
      for (int64_t i = 0; i < count; ++i) value.SetFromDouble(i, value.GetAsDouble(i) * scale);
      break;
    }
    case 2:
      for (int64_t i = 1; i < count; ++i) value.SetFromDouble(i, value.GetAsDouble(0));
      break;
    case 3:
      for (int64_t i = 0; i < count; ++i)
        if (random.Below(8) != 0) value.SetFromDouble(i, 0);
      break;
    default: break;
  }
}

// Scales floats by 2^exponent, or as far as their type reaches.
void Scale(Literal& value, int exponent) {
  for (Literal& element : value.elements()) Scale(element, exponent);
  if (!value.shape().IsArray() || !IsFloat(value.shape().element_type())) return;
  const int room = std::max(0, GetFloatFormat(value.shape().element_type()).bias - 3);
  const double by = std::ldexp(1.0, std::clamp(exponent, -room, room));
  for (int64_t i = 0; i < value.element_count(); ++i) value.SetFromDouble(i, value.GetAsDouble(i) * by);
}

// Adds a large offset, so that differences stay small while the numbers themselves may overflow. The offset is limited
// to the range in which the type represents all integers.
void Shift(Literal& value, Random& random) {
  const PrimitiveType type = value.shape().element_type();
  if (!IsFloat(type)) return;
  constexpr int kNearest = 4, kFarthest = 24;
  const FloatFormat format = GetFloatFormat(type);
  const int farthest = std::min({kFarthest, static_cast<int>(format.mantissa_bits), format.bias - 1});
  const int exponent = kNearest + static_cast<int>(random.Below(std::max(1, farthest - kNearest + 1)));
  if (exponent > farthest) return;
  const double by = std::ldexp(random.Below(2) == 0 && format.has_sign ? -1.0 : 1.0, exponent);
  for (int64_t i = 0; i < value.element_count(); ++i) value.SetFromDouble(i, value.GetAsDouble(i) + by);
}

// Makes the values equal along one dimension, or all equal: sums, products and transforms of such numbers are exact.
void MakeUniform(Literal& value, Random& random) {
  const Shape& shape = value.shape();
  const int64_t dimension = random.Below(shape.rank() + 1);
  int64_t stride = 1, size = value.element_count();
  if (dimension < shape.rank()) {
    size = shape.dimensions(dimension);
    for (int64_t d = dimension + 1; d < shape.rank(); ++d) stride *= shape.dimensions(d);
  }
  const size_t bytes = static_cast<size_t>(StorageBytes(shape.element_type()));
  for (int64_t i = 0; i < value.element_count(); ++i) {
    const int64_t first = i - i / stride % size * stride;
    std::memcpy(value.untyped_data() + static_cast<size_t>(i) * bytes,
                value.untyped_data() + static_cast<size_t>(first) * bytes, bytes);
  }
}

// Makes square matrices diagonally dominant.
void MakeDominant(Literal& value) {
  const int64_t rank = value.shape().rank();
  if (rank < 2 || !IsFloat(value.shape().element_type())) return;
  const int64_t n = value.shape().dimensions(rank - 1);
  if (n == 0 || value.shape().dimensions(rank - 2) != n) return;
  for (int64_t matrix = 0; matrix < value.element_count(); matrix += n * n) {
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = matrix + k * (n + 1);
      value.SetFromDouble(i, value.GetAsDouble(i) + 2 * static_cast<double>(n));
    }
  }
}

// Values in the ranges of a trained network's weights.
void MakeTypical(Literal& value, const check::ParameterUses& uses, const HloInstruction* parameter,
                 const ShapeIndex& index, Random& random) {
  if (!IsFloat(value.shape().element_type())) return;
  const bool positive = uses.IsPositive(parameter, index);
  const double scale = 1 / std::sqrt(static_cast<double>(uses.FanIn(parameter, index)));
  if (!positive && scale == 1) return;
  for (int64_t i = 0; i < value.element_count(); ++i)
    value.SetFromDouble(i, positive ? 0.25 + 0.75 * random.Uniform() : scale * value.GetAsDouble(i));
}

// Sorts vectors of `size` integers.
void SortVectors(Literal& value, int64_t size) {
  const int64_t count = value.element_count();
  if (!IsInteger(value.shape().element_type()) || count % size != 0) return;
  std::vector<std::vector<int64_t>> vectors(static_cast<size_t>(count / size));
  for (int64_t i = 0; i < count; ++i) vectors[static_cast<size_t>(i / size)].push_back(value.GetAsInt64(i));
  std::sort(vectors.begin(), vectors.end());
  for (int64_t i = 0; i < count; ++i)
    value.SetFromInt64(i, vectors[static_cast<size_t>(i / size)][static_cast<size_t>(i % size)]);
}

// Properties of the module for which inputs are made.
struct Known {
  const check::ParameterUses& uses;
  Constants constants;
  bool undefined_for_some;
};

StatusOr<Literal> MakeValue(const Shape& shape, const HloInstruction* parameter, ShapeIndex& index, const Known& known,
                            InputKind kind, uint64_t seed, Random& random) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (int64_t i = 0; i < shape.tuple_size(); ++i) {
      index.push_back(i);
      HLOIR_ASSIGN_OR_RETURN(Literal element,
                             MakeValue(shape.tuple_shapes(i), parameter, index, known, kind, seed, random));
      index.pop_back();
      elements.push_back(std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (shape.IsToken()) return Literal(shape);
  if (!shape.IsArray())
    return Unimplemented("no input can be made up for a parameter of shape " + shape.ToString(false));
  Literal value(shape);
  int64_t bound = known.uses.IndexBound(parameter, index);
  // Small integers alone would not meet all positions that they are compared with.
  if (bound < 0 && kind != InputKind::kCornerCases) bound = known.uses.PositionBound(parameter, index);
  const bool mixed = kind == InputKind::kMixed, specials = kind == InputKind::kSpecials;
  const bool far = kind == InputKind::kFar, uniform = kind == InputKind::kUniform;
  if (specials) kind = random.Below(4) == 0 ? InputKind::kEdges : InputKind::kPlain;
  if (far) kind = InputKind::kPlain;
  if (uniform) kind = InputKind::kEdges;
  if (mixed) {
    const InputKind kinds[] = {InputKind::kPlain,    InputKind::kPlain, InputKind::kPlain,
                               InputKind::kPositive, InputKind::kEdges, InputKind::kWide};
    kind = kinds[random.Below(std::size(kinds))];
  }
  PrimitiveTypeSwitch(shape.element_type(), [&](auto tag) {
    using S = typename decltype(tag)::Storage;
    for (S& element : value.data<S>()) element = Draw<S>(tag.kType, random, kind, bound, known.constants);
  });
  if (kind == InputKind::kTypical) MakeTypical(value, known.uses, parameter, index, random);
  if (const int64_t size = known.uses.SortedVectors(parameter, index); size > 0) SortVectors(value, size);
  if (mixed) Vary(value, bound >= 0, random);
  if (far && random.Below(4) != 0) Shift(value, random);
  if (uniform) MakeUniform(value, random);
  if (kind == InputKind::kDominant || (specials && known.undefined_for_some)) MakeDominant(value);
  // Consecutive seeds cover each special value and each parameter.
  const uint64_t turn = seed / 4 + static_cast<uint64_t>(parameter->parameter_number());
  if (specials && (turn % static_cast<uint64_t>(parameter->parent()->parameter_count()) == 0 || random.Below(4) == 0))
    AddSpecial(value, seed, random);
  return value;
}

}  // namespace

namespace check {
namespace {

StatusOr<std::vector<Literal>> MakeForDevice(const HloModule& module, const ParameterUses& uses, uint64_t seed,
                                             InputKind kind) {
  constexpr int64_t kMaxBytes = int64_t{1} << 34;
  const std::span<const HloInstruction* const> parameters = module.entry_computation()->parameters();
  int64_t bytes = 0;
  for (const HloInstruction* parameter : parameters) {
    for (const Shape* leaf : parameter->shape().Leaves())
      for (int64_t d = 0; leaf->IsArray() && d < leaf->rank(); ++d)
        if (leaf->is_unbounded_dimension(d))
          return Unimplemented(
              Format("parameter {} is {}, whose sizes are not known: run it on given inputs (--inputs)",
                     parameter->name(), parameter->shape().ToString(false)));
    if (__builtin_add_overflow(bytes, parameter->shape().ByteSize(), &bytes) || bytes > kMaxBytes) {
      return ResourceExhausted("the module's inputs would take more than 16 GiB");
    }
  }
  // A loop's sums may be in any order, which decides the result of corner cases.
  const ControlFlow loops(module,
                          kind == InputKind::kCornerCases ? ControlFlow::Kind::kLoops : ControlFlow::Kind::kOpenLoops);
  // Constants are rarely integers; without them, sums cancel and numbers coincide more often.
  const bool with_constants =
      (kind == InputKind::kEdges || kind == InputKind::kMixed || kind == InputKind::kUniform) && seed / 2 % 2 == 1;
  const Known known = {uses, with_constants ? ConstantsOf(module) : Constants(), IsUndefinedForSome(module)};
  Random random = Random::FromState(seed);
  std::vector<Literal> inputs;
  for (const HloInstruction* parameter : parameters) {
    // These kinds may make a loop endless.
    const bool tame = (kind == InputKind::kCornerCases || kind == InputKind::kWide || kind == InputKind::kMixed ||
                       kind == InputKind::kSpecials || kind == InputKind::kFar) &&
                      loops.DependsOn(parameter);
    ShapeIndex index;
    HLOIR_ASSIGN_OR_RETURN(Literal input, MakeValue(parameter->shape(), parameter, index, known,
                                                    tame ? InputKind::kPlain : kind, seed, random));
    inputs.push_back(std::move(input));
  }
  // All parameters are large, or, more often, small: scaled one by one, they leave sums as large as the largest term.
  if (kind == InputKind::kMixed && random.Below(3) == 0) {
    constexpr int kRange = 25;
    const int size = static_cast<int>(random.Below(kRange));
    const int exponent = random.Below(3) == 0 ? size : -size - kRange;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (!loops.DependsOn(parameters[k])) Scale(inputs[k], exponent);
  }
  return inputs;
}

}  // namespace

StatusOr<InputSet> MakeInputSet(const HloModule& module, const ParameterUses& uses, const DeviceCounts& counts,
                                uint64_t seed, InputKind kind) try {
  InputSet set;
  set.kind = kind;
  HLOIR_ASSIGN_OR_RETURN(set.devices.emplace_back(), MakeForDevice(module, uses, seed, kind));
  if (counts.devices() <= 1) return set;
  const ControlFlow control_flow(module, ControlFlow::Kind::kLoopsAndBranches);
  for (int64_t d = 1; d < counts.devices(); ++d) {
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> inputs,
                           MakeForDevice(module, uses, seed + 100 * static_cast<uint64_t>(d), kind));
    for (const HloInstruction* parameter : module.entry_computation()->parameters()) {
      const size_t k = static_cast<size_t>(parameter->parameter_number());
      if (IsReplicated(*parameter) || control_flow.DependsOn(parameter)) inputs[k] = set.devices[0][k];
    }
    set.devices.push_back(std::move(inputs));
  }
  return set;
} catch (...) {
  return OutOfMemory();
}

}  // namespace check

StatusOr<InputSet> MakeInputSet(const HloModule& module, const DeviceCounts& counts, uint64_t seed,
                                InputKind kind) try {
  return check::MakeInputSet(module, check::ParameterUses(module), counts, seed, kind);
} catch (...) {
  return OutOfMemory();
}

StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed) {
  return MakeFakeInputs(module, seed, seed % 2 == 1 ? InputKind::kCornerCases : InputKind::kPlain);
}

StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed, InputKind kind) {
  HLOIR_ASSIGN_OR_RETURN(InputSet set, MakeInputSet(module, DeviceCounts(), seed, kind));
  return std::move(set.devices[0]);
}

}  // namespace hloir
