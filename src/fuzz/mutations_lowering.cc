// Lowerings that are wrong for some values: signs, powers of two, NaN, saturation, repeated indices. All are faults
// found in compilers. See mutations.h.
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "fuzz/mutations.h"
#include "hloir/attributes.h"
#include "hloir/module.h"

namespace hloir::fuzz {
namespace {

using Op = HloOpcode;
using Node = HloInstruction*;

Node Make(Op opcode, const Shape& shape, const std::vector<Node>& operands) {
  return operands.front()->parent()->AddInstruction(opcode, shape, operands);
}

bool IsIntegerArray(const HloInstruction* i) { return i->shape().IsArray() && IsInteger(i->shape().element_type()); }

PrimitiveType OtherSign(PrimitiveType type) {
  using enum PrimitiveType;
  constexpr std::pair<PrimitiveType, PrimitiveType> kPairs[] = {{S8, U8}, {S16, U16}, {S32, U32}, {S64, U64}};
  for (const auto& [a, b] : kPairs) {
    if (type == a) return b;
    if (type == b) return a;
  }
  return type;
}

// The same bits with the other sign.
Node AsOtherSign(Node i) {
  return Make(Op::kBitcastConvert, i->shape().WithElementType(OtherSign(i->shape().element_type())), {i});
}

// The exponent of a power of two above 1 in every element of a constant, or 0.
int64_t PowerOfTwo(const HloInstruction* i) {
  while (i->opcode() == Op::kBroadcast) i = i->operand(0);
  if (!i->IsConstant() || i->literal().elided() || i->literal().element_count() != 1) return 0;
  const int64_t value = i->literal().GetAsInt64(0);
  return value > 1 && std::has_single_bit(static_cast<uint64_t>(value)) ? std::countr_zero(static_cast<uint64_t>(value))
                                                                        : 0;
}

Mutation Lowering(const std::string& name, const std::string& what, std::function<bool(Node)> apply) {
  return {{name, what}, [apply = std::move(apply)](Node i, uint64_t) { return apply(i); }};
}

void AddIntegers(std::vector<Mutation>& m) {
  m.push_back(Lowering("compare-other-sign", "unsigned for signed, or signed for unsigned", [](Node i) {
    if (i->opcode() != Op::kCompare || !IsIntegerArray(i->operand(0))) return false;
    if (OtherSign(i->operand(0)->shape().element_type()) == i->operand(0)->shape().element_type()) return false;
    CompareAttributes attributes;
    attributes.direction = i->attributes<CompareAttributes>().direction;
    return Rewire(i, i->parent()->AddInstruction(Op::kCompare, i->shape(),
                                                 {AsOtherSign(i->operand(0)), AsOtherSign(i->operand(1))}, attributes));
  }));
  m.push_back(Lowering("convert-other-sign", "zeros for the sign, or the sign for zeros", [](Node i) {
    if (i->opcode() != Op::kConvert || !IsIntegerArray(i->operand(0))) return false;
    if (OtherSign(i->operand(0)->shape().element_type()) == i->operand(0)->shape().element_type()) return false;
    return Rewire(i, Make(Op::kConvert, i->shape(), {AsOtherSign(i->operand(0))}));
  }));
  m.push_back(Lowering("divide-as-shift", "a shift for a signed division by a power of two", [](Node i) {
    const int64_t by = i->opcode() == Op::kDivide && IsIntegerArray(i) ? PowerOfTwo(i->operand(1)) : 0;
    if (by == 0 || !IsSigned(i->shape().element_type())) return false;
    return Rewire(i, Make(Op::kShiftRightArithmetic, i->shape(),
                          {i->operand(0), Filled(i->parent(), i->shape(), static_cast<double>(by))}));
  }));
  m.push_back(Lowering("remainder-as-and", "the low bits for a signed remainder by a power of two", [](Node i) {
    const int64_t by = i->opcode() == Op::kRemainder && IsIntegerArray(i) ? PowerOfTwo(i->operand(1)) : 0;
    if (by == 0 || !IsSigned(i->shape().element_type())) return false;
    return Rewire(i, Make(Op::kAnd, i->shape(),
                          {i->operand(0), Filled(i->parent(), i->shape(), std::ldexp(1.0, static_cast<int>(by)) - 1)}));
  }));
}

void AddNan(std::vector<Mutation>& m) {
  for (const auto& [name, opcode, direction] : {std::tuple("max-as-select", Op::kMaximum, ComparisonDirection::kGt),
                                                std::tuple("min-as-select", Op::kMinimum, ComparisonDirection::kLt)}) {
    const Op of = opcode;  // clang 14 cannot capture structured bindings
    const ComparisonDirection by = direction;
    m.push_back(Lowering(name, "a comparison and a select, which lose NaN", [of, by](Node i) {
      if (i->opcode() != of || !IsFloat(i->shape().element_type())) return false;
      CompareAttributes attributes;
      attributes.direction = by;
      Node which = i->parent()->AddInstruction(Op::kCompare, i->shape().WithElementType(PrimitiveType::PRED),
                                               {i->operand(0), i->operand(1)}, attributes);
      return Rewire(i, Make(Op::kSelect, i->shape(), {which, i->operand(0), i->operand(1)}));
    }));
  }
  m.push_back(Lowering("compare-as-not-opposite", "not (a >= b) for a < b, which NaN makes true", [](Node i) {
    if (i->opcode() != Op::kCompare || !IsFloat(i->operand(0)->shape().element_type())) return false;
    CompareAttributes attributes = i->attributes<CompareAttributes>();
    using enum ComparisonDirection;
    switch (attributes.direction) {
      case kLt: attributes.direction = kGe; break;
      case kLe: attributes.direction = kGt; break;
      case kGt: attributes.direction = kLe; break;
      case kGe: attributes.direction = kLt; break;
      default: return false;
    }
    return Rewire(i, Make(Op::kNot, i->shape(),
                          {i->parent()->AddInstruction(Op::kCompare, i->shape(), i->operands(), attributes)}));
  }));
}

void AddConversions(std::vector<Mutation>& m) {
  m.push_back(Lowering("convert-to-nearest", "a float rounded to the nearest integer in place of toward 0", [](Node i) {
    if (i->opcode() != Op::kConvert || !IsIntegerArray(i) || !IsFloat(i->operand(0)->shape().element_type()))
      return false;
    return Rewire(
        i, Make(Op::kConvert, i->shape(), {Make(Op::kRoundNearestEven, i->operand(0)->shape(), {i->operand(0)})}));
  }));
  m.push_back(
      Lowering("convert-that-wraps", "the low bits of a large float in place of the end of the range", [](Node i) {
        if (i->opcode() != Op::kConvert || !IsIntegerArray(i) || !IsFloat(i->operand(0)->shape().element_type()) ||
            BitWidth(i->shape().element_type()) > 32)
          return false;
        return Rewire(i, Make(Op::kConvert, i->shape(),
                              {Make(Op::kConvert, i->shape().WithElementType(PrimitiveType::S64), {i->operand(0)})}));
      }));
}

void AddCombiners(std::vector<Mutation>& m) {
  m.push_back(Lowering("scatter-overwrites", "the update in place of the combiner's result", [](Node i) {
    if (i->opcode() != Op::kScatter || i->to_apply()->parameter_count() != 2) return false;
    HloComputation* by = i->module()->CloneComputation(*i->to_apply());
    if (by->root() == by->parameter(1)) return false;
    by->set_root(by->parameter(1));
    i->set_called_computation(0, by);
    return true;
  }));
  m.push_back(Lowering("reduce-from-zero", "0 for the initial value", [](Node i) {
    if ((i->opcode() != Op::kReduce && i->opcode() != Op::kReduceWindow) || i->operand_count() != 2) return false;
    Node init = i->operand(1);
    if (!init->IsConstant() || init->literal().BitwiseEqual(Literal(init->literal().shape()))) return false;
    return Rewire(i,
                  i->parent()->AddClone(*i, std::vector<Node>{i->operand(0), Filled(i->parent(), init->shape(), 0)}));
  }));
  m.push_back(Lowering("iota-backwards", "from the last to 0", [](Node i) {
    if (i->opcode() != Op::kIota || i->shape().element_type() == PrimitiveType::PRED) return false;
    const int64_t size = i->shape().dimensions(i->attributes<IotaAttributes>().iota_dimension);
    return size > 1 && Rewire(i, Make(Op::kSubtract, i->shape(),
                                      {Filled(i->parent(), i->shape(), static_cast<double>(size - 1)), i}));
  }));
}

}  // namespace

void AddMutationsOfLowering(std::vector<Mutation>& mutations) {
  AddIntegers(mutations);
  AddNan(mutations);
  AddConversions(mutations);
  AddCombiners(mutations);
}

}  // namespace hloir::fuzz
