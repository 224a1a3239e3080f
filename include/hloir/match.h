// Patterns over instructions, so that a rewrite reads like its formula.
//
// Example:
//
//   namespace m = hloir::match;
//   HloInstruction *i = module.entry_computation()->root(), *a, *b;
//   bool found = Match(i, m::AddAnyOrder(m::Any(&a), m::Negate(m::Any(&b))));  // A + (-B), and (-B) + A
//   found |= Match(i, m::Multiply(m::Any(&a), m::Splat(1)));                   // A * 1, whatever A's shape
//   found |= Match(i, m::Subtract(m::Any(&a), m::Same(&a)));                   // A - A
//   found |= Match(i, m::Divide(m::Any(&a), m::Exp(m::Any(&b)).WithOneUser()));
//   found |= Match(i, m::AnyOf(m::Abs(m::Any(&a)), m::WithElementType(m::Negate(m::Any(&a)), PrimitiveType::F32)));
//
// There is one function per opcode, named as its enumerator, and one with the suffix AnyOrder that tries both orders of
// two operands. The first argument may be a HloInstruction** that receives the instruction; the others are patterns for
// the operands, all of them or none. Captures are written during matching, left to right, and are unspecified after a
// failure. Tested by tests/unit/match_test.cc.
//
// Threads: matching only reads the graph; see module.h.
#pragma once

#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hloir/instruction.h"
#include "hloir/literal.h"

#pragma GCC visibility push(default)
namespace hloir {

// The scalar constant that every element of `instruction` equals: the instruction itself, or the scalar constant that
// it broadcasts. nullptr for anything else, and for constants with elided values.
template <class I>
requires(std::is_same_v<const I, const HloInstruction>) I* SplatConstant(I* instruction) {
  if (instruction->opcode() == HloOpcode::kBroadcast) instruction = instruction->operand(0);
  return instruction->IsScalarConstant() && !instruction->literal().elided() ? instruction : nullptr;
}
// A constant or a broadcast of one. Canonical forms have it on the right.
inline bool IsConstantLike(const HloInstruction* instruction) {
  return instruction->IsConstant() ||
         (instruction->opcode() == HloOpcode::kBroadcast && instruction->operand(0)->IsConstant());
}

namespace match {

template <class P>
concept Pattern = requires(const P& pattern, HloInstruction* instruction) {
  { pattern.Matches(instruction) } -> std::same_as<bool>;
};

// Anything.
class Any {
 public:
  explicit Any(HloInstruction** capture = nullptr) : capture_(capture) {}
  bool Matches(HloInstruction* instruction) const {
    if (capture_ != nullptr) *capture_ = instruction;
    return true;
  }

 private:
  HloInstruction** capture_;
};
using Op = Any;  // XLA's word for it

// Matches only the instruction that was captured before (to the left).
class Same {
 public:
  explicit Same(HloInstruction** captured) : captured_(captured) {}
  bool Matches(HloInstruction* instruction) const { return *captured_ == instruction; }

 private:
  HloInstruction** captured_;
};

// Matches a scalar constant or a broadcast of one with this value. -0 equals 0; check the sign where it matters.
// Without a number: any splat.
class Splat {
 public:
  explicit Splat(HloInstruction** capture) : capture_(capture) {}
  template <class T>
  requires(std::is_arithmetic_v<T>) explicit Splat(T value) : value_(static_cast<double>(value)) {}
  Splat(HloInstruction** capture, double value) : capture_(capture), value_(value) {}
  Splat() = default;
  bool Matches(HloInstruction* instruction) const {
    const HloInstruction* constant = SplatConstant(instruction);
    if (constant == nullptr || (value_ && !constant->literal().IsAll(*value_))) return false;
    if (capture_ != nullptr) *capture_ = instruction;
    return true;
  }

 private:
  HloInstruction** capture_ = nullptr;
  std::optional<double> value_;
};

// A scalar constant of this value.
class ConstantScalar {
 public:
  explicit ConstantScalar(double value) : value_(value) {}
  bool Matches(HloInstruction* instruction) const {
    return instruction->IsScalarConstant() && !instruction->literal().elided() && instruction->literal().IsAll(value_);
  }

 private:
  double value_;
};

// A constant or a broadcast of one.
class ConstantLike {
 public:
  explicit ConstantLike(HloInstruction** capture = nullptr) : capture_(capture) {}
  bool Matches(HloInstruction* instruction) const {
    if (!IsConstantLike(instruction)) return false;
    if (capture_ != nullptr) *capture_ = instruction;
    return true;
  }

 private:
  HloInstruction** capture_;
};

// A broadcast of a scalar that `operand` matches.
template <Pattern P>
class BroadcastOfScalar {
 public:
  explicit BroadcastOfScalar(P operand) : operand_(std::move(operand)) {}
  bool Matches(HloInstruction* instruction) const {
    return instruction->opcode() == HloOpcode::kBroadcast && instruction->operand(0)->shape().IsScalar() &&
           operand_.Matches(instruction->operand(0));
  }

 private:
  P operand_;
};

// Matches an instruction by its opcode and its operands' patterns.
template <Pattern... Operands>
class OpcodePattern {
 public:
  OpcodePattern(HloOpcode opcode, bool any_order, HloInstruction** capture, Operands... operands)
      : opcode_(opcode), any_order_(any_order), capture_(capture), operands_(std::move(operands)...) {}
  // It has this many users, each user counted once.
  OpcodePattern WithOneUser() const {
    OpcodePattern result = *this;
    result.one_user_ = true;
    return result;
  }
  bool Matches(HloInstruction* instruction) const {
    if (instruction->opcode() != opcode_ || (one_user_ && instruction->user_count() != 1)) return false;
    if constexpr (sizeof...(Operands) > 0) {
      if (instruction->operand_count() != sizeof...(Operands)) return false;
      if (!InOrder(instruction, std::index_sequence_for<Operands...>()) && !Swapped(instruction)) return false;
    }
    if (capture_ != nullptr) *capture_ = instruction;
    return true;
  }

 private:
  template <size_t... I>
  bool InOrder(HloInstruction* instruction, std::index_sequence<I...>) const {
    return (std::get<I>(operands_).Matches(instruction->operand(I)) && ...);
  }
  bool Swapped(HloInstruction* instruction) const {
    if constexpr (sizeof...(Operands) == 2) {
      return any_order_ && std::get<0>(operands_).Matches(instruction->operand(1)) &&
             std::get<1>(operands_).Matches(instruction->operand(0));
    } else {
      return false;
    }
  }

  HloOpcode opcode_;
  bool any_order_, one_user_ = false;
  HloInstruction** capture_;
  std::tuple<Operands...> operands_;
};

// Narrows a pattern: an instruction matches if `pattern` matches and `condition` returns true for it.
//
//   m::With(m::Dot(m::Any(&a), m::Any(&b)), [](const HloInstruction& dot) { return dot.shape().rank() == 2; })
template <Pattern P, std::predicate<const HloInstruction&> F>
class With {
 public:
  With(P pattern, F condition) : pattern_(std::move(pattern)), condition_(std::move(condition)) {}
  bool Matches(HloInstruction* instruction) const { return condition_(*instruction) && pattern_.Matches(instruction); }

 private:
  P pattern_;
  F condition_;
};
template <Pattern P>
auto WithOneUser(P pattern) {
  return With(std::move(pattern), [](const HloInstruction& i) { return i.user_count() == 1; });
}
template <Pattern P>
auto WithElementType(P pattern, PrimitiveType type) {
  return With(std::move(pattern), [type](const HloInstruction& i) { return i.shape().element_type() == type; });
}
// Layouts count; see Shape::operator==.
template <Pattern P>
auto WithShape(P pattern, const Shape& shape) {
  return With(std::move(pattern), [shape](const HloInstruction& i) { return i.shape() == shape; });
}

// The first of these patterns that matches.
template <Pattern... P>
class AnyOf {
 public:
  explicit AnyOf(P... patterns) : patterns_(std::move(patterns)...) {}
  bool Matches(HloInstruction* instruction) const {
    return std::apply([&](const P&... pattern) { return (pattern.Matches(instruction) || ...); }, patterns_);
  }

 private:
  std::tuple<P...> patterns_;
};

#define HLOIR_OP(name, ...)                                                                             \
  template <Pattern... P>                                                                               \
  auto name(P... operands) {                                                                            \
    return OpcodePattern<P...>(HloOpcode::k##name, false, nullptr, std::move(operands)...);             \
  }                                                                                                     \
  template <Pattern... P>                                                                               \
  auto name(HloInstruction** capture, P... operands) {                                                  \
    return OpcodePattern<P...>(HloOpcode::k##name, false, capture, std::move(operands)...);             \
  }                                                                                                     \
  template <Pattern P, Pattern Q>                                                                       \
  auto name##AnyOrder(P first, Q second) {                                                              \
    return OpcodePattern<P, Q>(HloOpcode::k##name, true, nullptr, std::move(first), std::move(second)); \
  }                                                                                                     \
  template <Pattern P, Pattern Q>                                                                       \
  auto name##AnyOrder(HloInstruction** capture, P first, Q second) {                                    \
    return OpcodePattern<P, Q>(HloOpcode::k##name, true, capture, std::move(first), std::move(second)); \
  }
#include "hloir/opcodes.def"
#undef HLOIR_OP

}  // namespace match

template <match::Pattern P>
bool Match(HloInstruction* instruction, const P& pattern) {
  return pattern.Matches(instruction);
}

}  // namespace hloir
#pragma GCC visibility pop
