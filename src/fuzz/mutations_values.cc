// Mutations of values: constants, factors, types, special values, and single elements, as from a kernel with a wrong
// tail, a wrong lane or a stale buffer. See mutations.h.
#include <cmath>
#include <limits>

#include "fuzz/mutations.h"

namespace hloir::fuzz {
namespace {

using Instruction = HloInstruction*;
using O = HloOpcode;

bool IsReal(const Shape& shape) { return shape.IsArray() && IsFloat(shape.element_type()); }
bool IsNumber(const Shape& shape) {
  return shape.IsArray() &&
         (IsFloat(shape.element_type()) || IsInteger(shape.element_type()) || IsComplex(shape.element_type()));
}
bool IsOf(const Shape& shape, PrimitiveType type) { return shape.IsArray() && shape.element_type() == type; }

Instruction MakeOp(O opcode, const Shape& shape, std::initializer_list<Instruction> operands) {
  return (*operands.begin())->parent()->AddInstruction(opcode, shape, operands);
}
Instruction Compared(Instruction a, Instruction b, ComparisonDirection direction) {
  CompareAttributes attributes;
  attributes.direction = direction;
  return a->parent()->AddInstruction(O::kCompare, a->shape().WithElementType(PrimitiveType::PRED), {a, b}, attributes);
}

// Computed values only: not parameters, constants or moved values.
bool IsComputed(const HloInstruction* i) {
  return i->shape().IsArray() && i->shape().IsStatic() && i->shape().ElementCount() > 0 && !i->IsParameter() &&
         !i->IsConstant() && !i->Is(kMovesData) && i->opcode() != O::kGetTupleElement && i->opcode() != O::kIota;
}

// Replaces i's elements by those of `from` where `where` is true.
bool Where(Instruction i, Instruction where, Instruction from) {
  return Rewire(i, MakeOp(O::kSelect, i->shape(), {where, from, i}));
}

// True in the elements whose index along `d` is `at`, counted modulo `modulus` if that is positive.
Instruction At(Instruction i, int64_t d, int64_t at, int64_t modulus = 0) {
  HloComputation* computation = i->parent();
  const Shape index = Shape::Array(PrimitiveType::S32, i->shape().dimensions());
  IotaAttributes iota;
  iota.iota_dimension = d;
  Instruction where = computation->AddInstruction(O::kIota, index, std::initializer_list<Instruction>{}, iota);
  if (modulus > 0)
    where = MakeOp(O::kRemainder, index, {where, Filled(computation, index, static_cast<double>(modulus))});
  return Compared(where, Filled(computation, index, static_cast<double>(at)), ComparisonDirection::kEq);
}

Instruction OneElement(Instruction i, bool last, uint64_t seed) {
  Instruction all = nullptr;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const int64_t size = i->shape().dimensions(d);
    Instruction here = At(i, d, last ? size - 1 : static_cast<int64_t>(seed / 3 % static_cast<uint64_t>(size)));
    all = all == nullptr ? here : MakeOp(O::kAnd, here->shape(), {all, here});
  }
  return all;
}

Instruction Twice(Instruction i) { return MakeOp(O::kAdd, i->shape(), {i, i}); }

Mutation Value(const std::string& name, const std::string& what, std::function<bool(Instruction, uint64_t)> apply,
               bool below_rounding = false) {
  return {{name, what, below_rounding}, std::move(apply)};
}

void AddConstants(std::vector<Mutation>& m) {
  const auto edit = [](const std::string& name, const std::string& what, bool below, auto change) {
    return Value(
        name, what,
        [change](Instruction i, uint64_t seed) {
          if (!i->IsConstant() || !i->shape().IsArray() || i->literal().elided() || i->literal().element_count() == 0)
            return false;
          Literal literal = i->literal();
          if (!change(literal, seed) || literal.BitwiseEqual(i->literal())) return false;
          i->mutable_attributes<ConstantAttributes>().literal = std::move(literal);
          return true;
        },
        below);
  };
  const auto unit_up = [](Literal& literal, int64_t k) {
    const int digits = GetFloatFormat(literal.shape().element_type()).mantissa_bits;
    const double value = literal.GetAsDouble(k);
    if (value == 0 || !std::isfinite(value)) return;
    literal.SetFromDouble(k, value + std::ldexp(1.0, std::ilogb(value) - digits));
  };
  m.push_back(edit("constant-one-unit-off", "the next number of its type", true, [unit_up](Literal& literal, uint64_t) {
    if (!IsOf(literal.shape(), PrimitiveType::F32) && !IsOf(literal.shape(), PrimitiveType::F64)) return false;
    for (int64_t k = 0; k < literal.element_count(); ++k) unit_up(literal, k);
    return true;
  }));
  m.push_back(edit("constant-element-one-unit-off", "one element is the next number", true,
                   [unit_up](Literal& literal, uint64_t seed) {
                     if (!IsOf(literal.shape(), PrimitiveType::F32) || literal.element_count() < 2) return false;
                     unit_up(literal, static_cast<int64_t>(seed % static_cast<uint64_t>(literal.element_count())));
                     return true;
                   }));
  m.push_back(edit("constant-other-sign", "the sign is wrong", false, [](Literal& literal, uint64_t) {
    if (!IsReal(literal.shape())) return false;
    for (int64_t k = 0; k < literal.element_count(); ++k) literal.SetFromDouble(k, -literal.GetAsDouble(k));
    return true;
  }));
  m.push_back(edit("constant-doubled", "twice as large", false, [](Literal& literal, uint64_t) {
    if (!IsReal(literal.shape())) return false;
    for (int64_t k = 0; k < literal.element_count(); ++k) literal.SetFromDouble(k, 2 * literal.GetAsDouble(k));
    return true;
  }));
  m.push_back(edit("constant-one-more", "an integer is one more", false, [](Literal& literal, uint64_t) {
    if (!IsInteger(literal.shape().element_type())) return false;
    for (int64_t k = 0; k < literal.element_count(); ++k) literal.SetFromInt64(k, literal.GetAsInt64(k) + 1);
    return true;
  }));
  m.push_back(edit("constant-one-less", "an integer is one less", false, [](Literal& literal, uint64_t) {
    if (!IsInteger(literal.shape().element_type())) return false;
    for (int64_t k = 0; k < literal.element_count(); ++k) literal.SetFromInt64(k, literal.GetAsInt64(k) - 1);
    return true;
  }));
  m.push_back(edit("constant-other-digit", "a thousandth more", false, [](Literal& literal, uint64_t) {
    if (!IsReal(literal.shape())) return false;
    for (int64_t k = 0; k < literal.element_count(); ++k) literal.SetFromDouble(k, 1.001 * literal.GetAsDouble(k));
    return true;
  }));
  m.push_back(edit("constant-zero", "nothing", false, [](Literal& literal, uint64_t) {
    literal = Literal(literal.shape());
    return true;
  }));
  m.push_back(edit("constant-not", "true for false", false, [](Literal& literal, uint64_t) {
    if (!IsOf(literal.shape(), PrimitiveType::PRED)) return false;
    for (bool& value : literal.data<bool>()) value = !value;
    return true;
  }));
}

void AddFactors(std::vector<Mutation>& m) {
  for (const int k : {4, 8, 12, 16, 18, 20, 21, 22}) {
    m.push_back(Value(
        "factor-1-plus-2^-" + std::to_string(k), "a factor next to 1",
        [k](Instruction i, uint64_t) {
          if (!IsComputed(i) || !IsOf(i->shape(), PrimitiveType::F32)) return false;
          return Rewire(
              i, MakeOp(O::kMultiply, i->shape(), {i, Filled(i->parent(), i->shape(), 1 + std::ldexp(1.0, -k))}));
        },
        k >= 18));
  }
  for (const int k : {40, 48, 51}) {
    m.push_back(Value(
        "f64-factor-1-plus-2^-" + std::to_string(k), "a factor next to 1",
        [k](Instruction i, uint64_t) {
          if (!IsComputed(i) || !IsOf(i->shape(), PrimitiveType::F64)) return false;
          return Rewire(
              i, MakeOp(O::kMultiply, i->shape(), {i, Filled(i->parent(), i->shape(), 1 + std::ldexp(1.0, -k))}));
        },
        true));
  }
  m.push_back(Value(
      "factor-of-one-element", "1 + 2^-20 in one element",
      [](Instruction i, uint64_t seed) {
        if (!IsComputed(i) || !IsOf(i->shape(), PrimitiveType::F32) || i->shape().ElementCount() < 2) return false;
        return Where(i, OneElement(i, false, seed),
                     MakeOp(O::kMultiply, i->shape(), {i, Filled(i->parent(), i->shape(), 1 + 0x1p-20)}));
      },
      true));
  for (const auto& [name, type] : {std::pair("bf16", PrimitiveType::BF16), std::pair("f16", PrimitiveType::F16)}) {
    const PrimitiveType through = type;
    m.push_back(
        Value(std::string("step-through-") + name, "rounded to a narrower type", [through](Instruction i, uint64_t) {
          if (!IsComputed(i) || !IsOf(i->shape(), PrimitiveType::F32)) return false;
          return Rewire(
              i, MakeOp(O::kConvert, i->shape(), {MakeOp(O::kConvert, i->shape().WithElementType(through), {i})}));
        }));
  }
  const std::tuple<const char*, PrimitiveType, PrimitiveType> steps[] = {
      {"s32-through-s16", PrimitiveType::S32, PrimitiveType::S16},
      {"s32-through-u8", PrimitiveType::S32, PrimitiveType::U8},
      {"u32-through-f32", PrimitiveType::U32, PrimitiveType::F32},
      {"s32-through-f32", PrimitiveType::S32, PrimitiveType::F32},
      {"s64-through-s32", PrimitiveType::S64, PrimitiveType::S32},
      {"f64-through-f32", PrimitiveType::F64, PrimitiveType::F32},
      {"f32-through-s32", PrimitiveType::F32, PrimitiveType::S32}};
  for (const auto& [name, from, through] : steps) {
    const PrimitiveType a = from, b = through;
    m.push_back(Value(name, "converted to another type and back", [a, b](Instruction i, uint64_t) {
      if (!IsComputed(i) || !IsOf(i->shape(), a)) return false;
      return Rewire(i, MakeOp(O::kConvert, i->shape(), {MakeOp(O::kConvert, i->shape().WithElementType(b), {i})}));
    }));
  }
}

void AddSpecialValues(std::vector<Mutation>& m) {
  const auto real = [](const std::string& name, const std::string& what, std::function<bool(Instruction)> apply) {
    return Value(name, what,
                 [apply](Instruction i, uint64_t) { return IsComputed(i) && IsReal(i->shape()) && apply(i); });
  };
  const auto filled = [](Instruction i, double value) { return Filled(i->parent(), i->shape(), value); };
  m.push_back(real("nan-as-zero", "0 in place of NaN", [filled](Instruction i) {
    return Where(i, Compared(i, i, ComparisonDirection::kNe), filled(i, 0));
  }));
  m.push_back(real("infinity-as-largest", "the largest number in place of infinity", [filled](Instruction i) {
    const FloatFormat format = GetFloatFormat(i->shape().element_type());
    const double largest = std::ldexp(2 - std::ldexp(1.0, -format.mantissa_bits), format.bias);
    return Where(i, Compared(i, filled(i, largest), ComparisonDirection::kGt), filled(i, largest));
  }));
  m.push_back(real("wrong-at-zero", "1 in place of 0", [filled](Instruction i) {
    return Where(i, Compared(i, filled(i, 0), ComparisonDirection::kEq), filled(i, 1));
  }));
  m.push_back(real("wrong-at-one", "2 in place of 1", [filled](Instruction i) {
    return Where(i, Compared(i, filled(i, 1), ComparisonDirection::kEq), filled(i, 2));
  }));
  m.push_back(real("sign-lost", "negative numbers come out positive", [filled](Instruction i) {
    return Where(i, Compared(i, filled(i, 0), ComparisonDirection::kLt), MakeOp(O::kNegate, i->shape(), {i}));
  }));
  m.push_back(real("wrong-if-large", "doubled above 1000", [filled](Instruction i) {
    return Where(i, Compared(i, filled(i, 1000), ComparisonDirection::kGt), Twice(i));
  }));
  m.push_back(real("wrong-if-small", "0 below 2^-20", [filled](Instruction i) {
    return Where(i, Compared(MakeOp(O::kAbs, i->shape(), {i}), filled(i, 0x1p-20), ComparisonDirection::kLt),
                 filled(i, 0));
  }));
  m.push_back(Value("negative-as-zero", "an integer below 0 comes out as 0", [](Instruction i, uint64_t) {
    if (!IsComputed(i) || !IsInteger(i->shape().element_type()) || !IsSigned(i->shape().element_type())) return false;
    return Rewire(i, MakeOp(O::kMaximum, i->shape(), {i, Filled(i->parent(), i->shape(), 0)}));
  }));
  m.push_back(Value("integer-one-more", "one more everywhere", [](Instruction i, uint64_t) {
    if (!IsComputed(i) || !IsInteger(i->shape().element_type())) return false;
    return Rewire(i, MakeOp(O::kAdd, i->shape(), {i, Filled(i->parent(), i->shape(), 1)}));
  }));
  m.push_back(Value("conjugate", "the other imaginary part", [](Instruction i, uint64_t) {
    if (!IsComputed(i) || !IsComplex(i->shape().element_type())) return false;
    const Shape part = i->shape().WithElementType(ComplexComponentType(i->shape().element_type()));
    return Rewire(i, MakeOp(O::kComplex, i->shape(),
                            {MakeOp(O::kReal, part, {i}), MakeOp(O::kNegate, part, {MakeOp(O::kImag, part, {i})})}));
  }));
  m.push_back(Value("predicate-not", "the opposite", [](Instruction i, uint64_t) {
    return IsComputed(i) && IsOf(i->shape(), PrimitiveType::PRED) && Rewire(i, MakeOp(O::kNot, i->shape(), {i}));
  }));
}

void AddKernels(std::vector<Mutation>& m) {
  const auto arrays = [](const std::string& name, const std::string& what,
                         std::function<bool(Instruction, uint64_t)> apply) {
    return Value("kernel-" + name, what, [apply](Instruction i, uint64_t seed) {
      return IsComputed(i) && IsNumber(i->shape()) && i->shape().rank() > 0 && i->shape().ElementCount() > 1 &&
             apply(i, seed);
    });
  };
  const auto last = [](Instruction i) { return i->shape().rank() - 1; };
  m.push_back(arrays("wrong-tail", "the last of each row is doubled", [last](Instruction i, uint64_t) {
    return Where(i, At(i, last(i), i->shape().dimensions(last(i)) - 1), Twice(i));
  }));
  m.push_back(arrays("wrong-lane", "every eighth of a row is doubled", [last](Instruction i, uint64_t seed) {
    const int64_t size = i->shape().dimensions(last(i));
    return Where(i, At(i, last(i), static_cast<int64_t>(seed % static_cast<uint64_t>(std::min<int64_t>(8, size))), 8),
                 Twice(i));
  }));
  m.push_back(arrays("lost-row", "the last row is zero", [](Instruction i, uint64_t) {
    return Where(i, At(i, 0, i->shape().dimensions(0) - 1), Filled(i->parent(), i->shape(), 0));
  }));
  m.push_back(arrays("last-element", "the last element is doubled",
                     [](Instruction i, uint64_t) { return Where(i, OneElement(i, true, 0), Twice(i)); }));
  m.push_back(arrays("one-element", "one element is one more", [](Instruction i, uint64_t seed) {
    return Where(i, OneElement(i, false, seed), MakeOp(O::kAdd, i->shape(), {i, Filled(i->parent(), i->shape(), 1)}));
  }));
  m.push_back(arrays("stale-buffer", "an operand in place of the result", [](Instruction i, uint64_t) {
    for (Instruction operand : i->operands())
      if (operand->shape().Compatible(i->shape())) return Rewire(i, operand);
    return false;
  }));
  m.push_back(arrays("stale-row", "the last row of an operand in place of the result's", [](Instruction i, uint64_t) {
    for (Instruction operand : i->operands())
      if (operand->shape().Compatible(i->shape())) return Where(i, At(i, 0, i->shape().dimensions(0) - 1), operand);
    return false;
  }));
  m.push_back(arrays("sum-without-last", "a sum leaves out its last term", [](Instruction i, uint64_t) {
    if (i->opcode() != O::kReduce || i->shape().IsTuple() || i->operand_count() != 2) return false;
    Instruction x = i->operand(0);
    const int64_t d = i->attributes<DimensionsAttributes>().dimensions.empty()
                          ? -1
                          : i->attributes<DimensionsAttributes>().dimensions[0];
    if (d < 0 || !x->shape().IsStatic()) return false;
    Instruction init = x->parent()->AddInstruction(O::kBroadcast, x->shape(), {i->operand(1)}, DimensionsAttributes());
    Instruction without = MakeOp(O::kSelect, x->shape(), {At(x, d, x->shape().dimensions(d) - 1), init, x});
    return Rewire(i, i->parent()->AddClone(*i, std::vector<Instruction>{without, i->operand(1)}));
  }));
}

}  // namespace

void AddMutationsOfValues(std::vector<Mutation>& mutations) {
  AddConstants(mutations);
  AddFactors(mutations);
  AddSpecialValues(mutations);
  AddKernels(mutations);
}

}  // namespace hloir::fuzz
