// Cases of elementwise operations. See case_maker.h.
#include <cmath>

#include "fuzz/case_maker.h"

namespace hloir::fuzz {
namespace {

using Op = CaseMaker::Op;

bool IsPlainElementwise(HloOpcode opcode) {
  const bool plain =
      AttributesTypeSwitch(opcode, []<class T>(std::type_identity<T>) { return std::is_same_v<T, NoAttributes>; });
  return HasTrait(opcode, kElementwise) && plain && opcode != HloOpcode::kConvert &&
         opcode != HloOpcode::kBitcastConvert && opcode != HloOpcode::kStochasticConvert &&
         opcode != HloOpcode::kClamp && opcode != HloOpcode::kSelect && opcode != HloOpcode::kCopy;
}

}  // namespace

Op CaseMaker::Elementwise(Case& result) {
  HloOpcode opcode;
  do {
    opcode = static_cast<HloOpcode>(Below(kOpcodeCount));
  } while (!IsPlainElementwise(opcode) || (portable_ && opcode == HloOpcode::kMulhi));
  const OpcodeInfo& info = GetOpcodeInfo(opcode);
  const PrimitiveType type = TypeOf(info.operand_types);
  if (opcode == HloOpcode::kImag && type == PrimitiveType::F8E8M0FNU) return nullptr;  // it has no 0
  Name(result, opcode, type);
  if (info.max_ulps > 0) result.agreement = {.ulps = 2.0 * info.max_ulps, .loose_zero = true};
  if (IsComplex(type) && info.cost != OpCost::kMoves && opcode != HloOpcode::kAdd && opcode != HloOpcode::kSubtract)
    result.agreement = {.ulps = 32, .loose_zero = true};
  const DimVector sizes = Chance(70) ? DimVector{random_.Between(1, 80)} : Sizes(0, 4, 5);
  Ops operands;
  // Few zeros, which are on the branch cut, where internal rounding decides between pi and -pi.
  const bool cut_at_zero = opcode == HloOpcode::kAtan2 && IsComplex(type);
  const Values values = cut_at_zero ? Values::kModerate : Values::kCorners;
  for (int k = 0; k < info.arity; ++k) operands.push_back(In(type, sizes, values));
  return Make(opcode, operands);
}

Op CaseMaker::Compare(Case& result) {
  const PrimitiveType type = AnyType();
  const bool total = IsFloat(type) && Chance(40);
  const CompareAttributes attributes{static_cast<ComparisonDirection>(Below(6)),
                                     total ? ComparisonType::kFloatTotalOrder : ComparisonType::kDefault};
  Name(result, HloOpcode::kCompare, type, std::string(EnumWord(attributes.direction)) + (total ? " total order" : ""));
  const DimVector sizes{random_.Between(1, 80)};
  Op x = In(type, sizes);
  return Make(HloOpcode::kCompare, {x, Chance(10) ? x : In(type, sizes)}, attributes);
}

Op CaseMaker::Convert(Case& result) {
  const PrimitiveType from = AnyType(), to = AnyType();
  if (IsComplex(from) && !IsComplex(to)) return nullptr;
  Name(result, HloOpcode::kConvert, from, "to " + std::string(TypeName(to)));
  const Shape shape = Shape::Array(to, {random_.Between(1, 80)});
  return Make(HloOpcode::kConvert, {In(from, shape.dimensions())}, NoAttributes(), {}, &shape);
}

Op CaseMaker::BitcastConvert(Case& result) {
  const PrimitiveType from = AnyType(), to = AnyType();
  if (IsComplex(from) != IsComplex(to) || (from == PrimitiveType::PRED) != (to == PrimitiveType::PRED)) return nullptr;
  const int64_t wide = BitWidth(from), narrow = BitWidth(to);
  DimVector sizes = Sizes(0, 2, 6), result_sizes = sizes;
  if (wide > narrow) {
    if (wide % narrow != 0) return nullptr;
    result_sizes.push_back(wide / narrow);
  } else if (wide < narrow) {
    if (narrow % wide != 0) return nullptr;
    sizes.push_back(narrow / wide);
  }
  Name(result, HloOpcode::kBitcastConvert, from, "to " + std::string(TypeName(to)));
  const Shape shape = Shape::Array(to, result_sizes);
  return Make(HloOpcode::kBitcastConvert, {In(from, sizes)}, NoAttributes(), {}, &shape);
}

// Bitcast: the same bytes as another shape or, with another layout, as a transposed one.
Op CaseMaker::Bitcast(Case& result) {
  const PrimitiveType type = AnyType();
  if (portable_) return nullptr;  // StableHLO has none
  const DimVector sizes = Sizes(0, 4, 5);
  Op x = In(type, sizes);
  if (Chance(40)) {
    PrimitiveType to = AnyType();
    if (BitWidth(to) != BitWidth(type) || type == PrimitiveType::PRED || to == PrimitiveType::PRED) to = type;
    DimVector other;
    for (int64_t size : sizes) {
      if (!other.empty() && Chance(40)) other.back() *= size;
      else other.push_back(size);
      if (Chance(15)) other.push_back(1);
    }
    Name(result, HloOpcode::kBitcast, type, to == type ? "reshapes" : "to " + std::string(TypeName(to)));
    const Shape shape = Shape::Array(to, other);
    return Make(HloOpcode::kBitcast, {x}, NoAttributes(), {}, &shape);
  }
  // Dimension k of the result is order[k] of the operand; the order in memory is unchanged.
  DimVector order, transposed, minor_to_major(sizes.size(), 0);
  for (size_t d = 0; d < sizes.size(); ++d) order.push_back(static_cast<int64_t>(d));
  random_.Shuffle(order);
  for (size_t k = 0; k < order.size(); ++k) {
    transposed.push_back(sizes[static_cast<size_t>(order[k])]);
    minor_to_major[order.size() - 1 - static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  }
  Name(result, HloOpcode::kBitcast, type, "transposes");
  Shape shape = Shape::Array(type, transposed);
  shape.set_layout(Layout(minor_to_major));
  Op other = entry_->AddInstruction(HloOpcode::kBitcast, shape, {x});
  return Make(HloOpcode::kCopy, {other});
}

Op CaseMaker::ReducePrecision(Case& result) {
  const PrimitiveType type = FloatType();
  const ReducePrecisionAttributes attributes{Chance(50) ? random_.Between(1, 11) : Pick<int64_t>({4, 5, 8}),
                                             Chance(50) ? random_.Between(0, 52) : Pick<int64_t>({2, 3, 7, 10, 23})};
  Name(result, HloOpcode::kReducePrecision, type);
  return Make(HloOpcode::kReducePrecision, {In(type, {random_.Between(1, 80)})}, attributes);
}

Op CaseMaker::StochasticConvert(Case& result) {
  const PrimitiveType from = FloatType(), to = Chance(50) ? FloatType() : TypeOf(OperandTypes::kInteger);
  PrimitiveType random = PrimitiveType::U32;
  for (PrimitiveType type : {PrimitiveType::U4, PrimitiveType::U8, PrimitiveType::U16, PrimitiveType::U64})
    if (BitWidth(type) == BitWidth(from)) random = type;
  Name(result, HloOpcode::kStochasticConvert, from, "to " + std::string(TypeName(to)));
  const Shape shape = Shape::Array(to, {random_.Between(1, 40)});
  return Make(HloOpcode::kStochasticConvert, {In(from, shape.dimensions()), In(random, shape.dimensions())},
              NoAttributes(), {}, &shape);
}

Op CaseMaker::ClampOrSelect(Case& result) {
  const PrimitiveType type = AnyType();
  const DimVector sizes = Chance(50) ? DimVector{random_.Between(1, 60)} : Sizes(0, 3, 4);
  if (Chance(50)) {
    Name(result, HloOpcode::kClamp, type);
    const bool scalar = Chance(50);
    const DimVector bounds = scalar ? DimVector{} : sizes;
    Op low = In(type, bounds), x = In(type, sizes), high = In(type, bounds);
    return Make(HloOpcode::kClamp, {low, x, high});
  }
  Name(result, HloOpcode::kSelect, type);
  Op which = In(PrimitiveType::PRED, Chance(30) ? DimVector{} : sizes), yes = In(type, sizes);
  return Make(HloOpcode::kSelect, {which, yes, In(type, sizes)});
}

// A few exact operations in sequence, with broadcasts and conversions between them: engines fuse them into one loop.
Op CaseMaker::Chain(Case& result) {
  PrimitiveType type = Chance(60) ? TypeOf(OperandTypes::kInteger) : TypeOf(OperandTypes::kOrdered);
  const PrimitiveType first = type;
  const DimVector sizes = Chance(50) ? DimVector{random_.Between(1, 70)} : Sizes(1, 3, 7);
  Op x = In(type, sizes);
  std::string steps;
  for (int64_t k = random_.Between(2, 5); k > 0 && x != nullptr; --k) {
    const auto other = [&] {
      if (Chance(40)) return In(type, sizes);
      DimVector some, dimensions;
      for (size_t d = 0; d < sizes.size(); ++d)
        if (Chance(40)) some.push_back(sizes[d]), dimensions.push_back(static_cast<int64_t>(d));
      const Shape shape = Shape::Array(type, sizes);
      return Make(HloOpcode::kBroadcast, {In(type, some)}, DimensionsAttributes{dimensions}, {}, &shape);
    };
    HloOpcode opcode;
    if (Chance(20)) {
      type = Chance(50) ? TypeOf(OperandTypes::kInteger) : TypeOf(OperandTypes::kOrdered);
      const Shape shape = Shape::Array(type, sizes);
      x = Make(HloOpcode::kConvert, {x}, NoAttributes(), {}, &shape);
      opcode = HloOpcode::kConvert;
    } else if (Chance(20)) {
      const CompareAttributes attributes{static_cast<ComparisonDirection>(Below(6)), ComparisonType::kDefault};
      Op p = Make(HloOpcode::kCompare, {x, other()}, attributes);
      x = Make(HloOpcode::kSelect, {p, other(), x});
      opcode = HloOpcode::kSelect;
    } else if (Chance(10)) {
      x = Make(HloOpcode::kClamp, {other(), x, other()});
      opcode = HloOpcode::kClamp;
    } else {
      // At most one rounding of floats, because a compiler may contract two.
      do {
        opcode = static_cast<HloOpcode>(Below(kOpcodeCount));
      } while (!IsPlainElementwise(opcode) || (portable_ && opcode == HloOpcode::kMulhi) ||
               !Takes(GetOpcodeInfo(opcode).operand_types, type) || GetOpcodeInfo(opcode).max_ulps > 0 ||
               GetOpcodeInfo(opcode).shape != OpShape::kAsOperand ||
               (IsFloat(type) &&
                (opcode == HloOpcode::kAdd || opcode == HloOpcode::kSubtract || opcode == HloOpcode::kMultiply ||
                 opcode == HloOpcode::kDivide || opcode == HloOpcode::kRemainder)));
      x = GetOpcodeInfo(opcode).arity == 1 ? Make(opcode, {x}) : Make(opcode, {x, other()});
    }
    steps += " " + std::string(OpcodeName(opcode));
  }
  Name(result, HloOpcode::kFusion, first, "of" + steps);
  return x;
}

Op CaseMaker::Map(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kNumber);
  HloComputation* body = module_.AddComputation("mapped");
  Op a = body->AddParameter(0, Shape::Scalar(type), "a"), b = body->AddParameter(1, Shape::Scalar(type), "b");
  Op root = MakeIn(body, IsComplex(type) || Chance(50) ? HloOpcode::kAdd : HloOpcode::kMaximum, {a, b});
  body->set_root(root);
  const DimVector sizes = Sizes(1, 2, 8);
  DimVector dimensions;
  for (size_t d = 0; d < sizes.size(); ++d) dimensions.push_back(static_cast<int64_t>(d));
  Name(result, HloOpcode::kMap, type);
  Op x = In(type, sizes);
  return Make(HloOpcode::kMap, {x, In(type, sizes)}, DimensionsAttributes{dimensions}, {body});
}

}  // namespace hloir::fuzz
