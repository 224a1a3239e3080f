// Cases of reductions, windows and order. See case_maker.h.
#include <algorithm>

#include "fuzz/case_maker.h"

namespace hloir::fuzz {
namespace {

using Op = CaseMaker::Op;

}  // namespace

HloOpcode CaseMaker::Reducer(PrimitiveType type) {
  if (type == PrimitiveType::PRED)
    return Pick({HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor, HloOpcode::kMaximum, HloOpcode::kMinimum});
  if (IsComplex(type)) return Pick({HloOpcode::kAdd, HloOpcode::kMultiply});
  if (IsInteger(type) && Chance(30)) return Pick({HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor});
  return Pick({HloOpcode::kAdd, HloOpcode::kAdd, HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kMultiply});
}

Op CaseMaker::Init(HloOpcode opcode, PrimitiveType type) {
  if (!portable_ && Chance(20)) return In(type, {}, Values::kSmall);
  Literal value(Shape::Scalar(type));
  switch (opcode) {
    case HloOpcode::kMaximum: value = Literal::MinValue(type); break;
    case HloOpcode::kMinimum: value = Literal::MaxValue(type); break;
    case HloOpcode::kMultiply:
      if (type == PrimitiveType::S1) value.SetFromInt64(0, -1);  // it has no 1
      else value = Literal::One(type);
      break;
    case HloOpcode::kAnd:
      if (IsSigned(type)) value.SetFromInt64(0, -1);
      else value = Literal::MaxValue(type);
      break;
    default: break;  // zero, the identity of the others
  }
  return Chance(50) ? Given(std::move(value)) : entry_->AddConstant(std::move(value));
}

Values CaseMaker::SumValues(PrimitiveType type, HloOpcode opcode, int64_t terms, Case& result) {
  if (!IsFloat(type) && !IsComplex(type)) return Values::kCorners;
  if (opcode == HloOpcode::kMaximum || opcode == HloOpcode::kMinimum) {
    result.agreement.loose_zero = true;  // the choice of the first zero depends on the order
    return Values::kCorners;
  }
  const bool narrow = IsFloat(type) && BitWidth(type) <= 8;
  if (narrow || opcode == HloOpcode::kMultiply || Chance(30)) {
    result.agreement = {
        .leaf_ulps = 4.0 * static_cast<double>(std::max<int64_t>(terms, 4)), .term = 1, .loose_zero = true};
    // Small enough that no order overflows.
    return opcode == HloOpcode::kMultiply ? Values::kNearOne : narrow ? Values::kSmall : Values::kModerate;
  }
  result.agreement.loose_zero = true;
  return Values::kSmall;
}

Op CaseMaker::Reduce(Case& result) {
  const PrimitiveType type = AnyType();
  const DimVector sizes = Chance(30) ? DimVector{random_.Between(1, 200)} : Sizes(1, 4, 8);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  DimVector dimensions;
  for (int64_t d = 0; d < rank; ++d)
    if (Chance(55)) dimensions.push_back(d);
  if (Chance(25) && !IsComplex(type)) {
    // The largest element and its index, as argmax.
    HloComputation* larger = module_.AddComputation("larger");
    Op p[4];
    for (int64_t k = 0; k < 4; ++k)
      p[k] = larger->AddParameter(k, Shape::Scalar(k % 2 == 0 ? type : PrimitiveType::S32), "q" + std::to_string(k));
    const bool smallest = Chance(50);
    const CompareAttributes attributes{smallest ? ComparisonDirection::kLt : ComparisonDirection::kGt,
                                       ComparisonType::kDefault};
    Op greater = MakeIn(larger, HloOpcode::kCompare, {p[0], p[2]}, attributes);
    Op equal = MakeIn(larger, HloOpcode::kCompare, {p[0], p[2]},
                      CompareAttributes{ComparisonDirection::kEq, ComparisonType::kDefault});
    Op before = MakeIn(larger, HloOpcode::kCompare, {p[1], p[3]},
                       CompareAttributes{ComparisonDirection::kLt, ComparisonType::kDefault});
    Op first = MakeIn(larger, HloOpcode::kOr, {greater, MakeIn(larger, HloOpcode::kAnd, {equal, before})});
    Op value = MakeIn(larger, HloOpcode::kSelect, {greater, p[0], p[2]});
    Op place = MakeIn(larger, HloOpcode::kSelect, {first, p[1], p[3]});
    if (value == nullptr || place == nullptr) return nullptr;
    larger->set_root(larger->AddTuple(Ops{value, place}));
    const Shape shape = Shape::Array(PrimitiveType::S32, sizes);
    Name(result, HloOpcode::kReduce, type, "argmax");
    result.agreement.loose_zero = true;
    Op places = Make(HloOpcode::kIota, {}, IotaAttributes{Below(rank)}, {}, &shape);
    Op x = In(type, sizes, IsFloat(type) ? Values::kModerate : Values::kCorners);
    Op start = entry_->AddConstant(smallest ? Literal::MaxValue(type) : Literal::MinValue(type));
    Op zero = entry_->AddConstant(Literal::Zero(PrimitiveType::S32));
    return AnyElement(Make(HloOpcode::kReduce, {x, places, start, zero}, DimensionsAttributes{dimensions}, {larger}));
  }
  const HloOpcode opcode = Reducer(type);
  int64_t terms = 1;
  for (int64_t d : dimensions) terms *= sizes[static_cast<size_t>(d)];
  Name(result, HloOpcode::kReduce, type, std::string(OpcodeName(opcode)));
  const Values values = SumValues(type, opcode, terms, result);
  Op x = In(type, sizes, values);
  return Make(HloOpcode::kReduce, {x, Init(opcode, type)}, DimensionsAttributes{dimensions},
              {MakeReducer(module_, opcode, type)});
}

Op CaseMaker::ReduceWindow(Case& result) {
  const PrimitiveType type = AnyType();
  const DimVector sizes = Sizes(1, 4, 7);
  Window window;
  int64_t terms = 1;
  for (int64_t size : sizes) {
    WindowDimension w;
    if (Chance(50)) {
      w.size = random_.Between(1, 3), w.stride = random_.Between(1, 3);
      if (Chance(40)) w.padding_low = random_.Between(-1, 3), w.padding_high = random_.Between(-1, 3);
      if (Chance(25)) w.base_dilation = random_.Between(2, 3);
      if (Chance(25)) w.window_dilation = random_.Between(2, 3);
    } else if (Chance(25) && size > 0) {
      w.size = size, (Chance(60) ? w.padding_low : w.padding_high) = size - 1;  // a running sum
    }
    terms *= w.size;
    window.push_back(w);
  }
  const HloOpcode opcode = Reducer(type);
  Name(result, HloOpcode::kReduceWindow, type, std::string(OpcodeName(opcode)));
  const Values values = SumValues(type, opcode, terms, result);
  Op x = In(type, sizes, values);
  Op made = nullptr;
  if (Chance(80)) {
    made = Make(HloOpcode::kReduceWindow, {x, Init(opcode, type)}, WindowAttributes{window},
                {MakeReducer(module_, opcode, type)});
  } else {
    result.what += " two arrays";
    HloComputation* both = module_.AddComputation("both");
    Op p[4];
    for (int64_t k = 0; k < 4; ++k)
      p[k] = both->AddParameter(k, Shape::Scalar(k % 2 == 0 ? type : PrimitiveType::S32), "q" + std::to_string(k));
    Op first = MakeIn(both, opcode, {p[0], p[2]}), second = MakeIn(both, HloOpcode::kAdd, {p[1], p[3]});
    if (first == nullptr || second == nullptr) return nullptr;
    both->set_root(both->AddTuple(Ops{first, second}));
    Op y = In(PrimitiveType::S32, sizes), start = Init(opcode, type);
    made = AnyElement(Make(HloOpcode::kReduceWindow, {x, y, start, Init(HloOpcode::kAdd, PrimitiveType::S32)},
                           WindowAttributes{window}, {both}));
  }
  // Running sums along each of four dimensions would take more steps than the checks allow (ModuleChecks).
  constexpr int64_t kMostTerms = 1 << 16;
  return made == nullptr || terms * made->shape().ElementCount() > kMostTerms ? nullptr : made;
}

Op CaseMaker::SelectAndScatter(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kRealNumber);
  const DimVector sizes = Sizes(1, 3, 6);
  Window window;
  DimVector source;
  for (int64_t size : sizes) {
    WindowDimension w;
    w.size = random_.Between(1, 3), w.stride = random_.Between(1, 3);
    w.padding_low = Chance(40) ? random_.Between(0, w.size - 1) : 0,
    w.padding_high = Chance(40) ? random_.Between(0, w.size - 1) : 0;
    const int64_t padded = size + w.padding_low + w.padding_high;
    if (padded < w.size) return nullptr;
    source.push_back((padded - w.size) / w.stride + 1);
    window.push_back(w);
  }
  const HloOpcode opcode = Chance(70) ? HloOpcode::kAdd : Reducer(type);
  const ComparisonDirection direction = Chance(80) ? ComparisonDirection::kGe : ComparisonDirection::kLe;
  Name(result, HloOpcode::kSelectAndScatter, type, std::string(OpcodeName(opcode)));
  const Values values = SumValues(type, opcode, 9, result);
  const PrimitiveType types[] = {type};
  HloComputation* select = MakeComparator(module_, direction, types);
  Op x = In(type, sizes, Values::kModerate), s = In(type, source, values);
  return Make(HloOpcode::kSelectAndScatter, {x, s, Init(opcode, type)}, WindowAttributes{window},
              {select, MakeReducer(module_, opcode, type)});
}

Op CaseMaker::Sort(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kOrdered);
  const DimVector sizes = Chance(50) ? DimVector{random_.Between(1, 70)} : Sizes(1, 3, 9);
  const int64_t along = Below(static_cast<int64_t>(sizes.size()));
  const bool total = IsFloat(type) && Chance(60);
  std::vector<PrimitiveType> types{type};
  // The order of NaNs depends on bits that a conversion through a wider type loses.
  const bool plain = IsFloat(type) && (!total || BitWidth(type) <= 8);
  // Numbers below 0 would be NaNs in f8e8m0fnu.
  const Values ordered = type == PrimitiveType::F8E8M0FNU ? Values::kPositive : Values::kModerate;
  Ops operands{In(type, sizes, plain ? ordered : Values::kCorners)};
  for (int64_t k = Below(3); k > 0; --k) types.push_back(AnyType()), operands.push_back(In(types.back(), sizes));
  std::vector<PrimitiveType> compared{type};
  HloComputation* less = module_.AddComputation("order");
  for (size_t k = 0; k < 2 * types.size(); ++k)
    less->AddParameter(static_cast<int64_t>(k), Shape::Scalar(types[k / 2]), "q" + std::to_string(k));
  const CompareAttributes attributes{Pick({ComparisonDirection::kLt, ComparisonDirection::kGt}),
                                     total ? ComparisonType::kFloatTotalOrder : ComparisonType::kDefault};
  less->set_root(MakeIn(less, HloOpcode::kCompare, {less->parameter(0), less->parameter(1)}, attributes));
  // Always stable, because otherwise the order of values with equal keys is unspecified.
  Name(result, HloOpcode::kSort, type,
       std::string(EnumWord(attributes.direction)) + (total ? " total order" : "") + " of " +
           std::to_string(types.size()));
  Op sorted = Make(HloOpcode::kSort, operands, SortAttributes{{along}, true}, {less});
  if (sorted == nullptr) return nullptr;
  return operands.size() == 1 ? sorted : AnyElement(sorted);
}

Op CaseMaker::TopK(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kRealNumber);
  const DimVector sizes = Sizes(1, 2, 20);
  if (sizes.back() == 0) return nullptr;
  Name(result, HloOpcode::kTopK, type);
  const TopKAttributes attributes{random_.Between(1, sizes.back()), Chance(80)};
  Op x = In(type, sizes, IsFloat(type) ? Values::kModerate : Values::kCorners);
  return AnyElement(Make(HloOpcode::kTopK, {x}, attributes));
}

Op CaseMaker::While(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kInteger),
                      counter = Pick({PrimitiveType::S32, PrimitiveType::U8, PrimitiveType::S64});
  const DimVector sizes = Sizes(0, 2, 6);
  const Shape array = Shape::Array(type, sizes), state = Shape::Tuple({Shape::Scalar(counter), array, array});
  HloComputation* condition = module_.AddComputation("condition");
  Op p = condition->AddParameter(0, state, "p");
  Op i = condition->AddGetTupleElement(p, 0);
  condition->set_root(MakeIn(condition, HloOpcode::kCompare,
                             {i, condition->AddConstant(Literal::Scalar(counter, random_.Between(0, 6)))},
                             CompareAttributes{ComparisonDirection::kLt, ComparisonType::kDefault}));
  HloComputation* body = module_.AddComputation("body");
  p = body->AddParameter(0, state, "p");
  i = MakeIn(body, HloOpcode::kAdd, {body->AddGetTupleElement(p, 0), body->AddConstant(Literal::One(counter))});
  Op x = body->AddGetTupleElement(p, 1), y = body->AddGetTupleElement(p, 2);
  const HloOpcode opcode = Pick({HloOpcode::kAdd, HloOpcode::kXor, HloOpcode::kSubtract, HloOpcode::kMaximum});
  Op next = MakeIn(body, opcode, {x, y});
  Ops results{i, next, y};
  if (Chance(50)) results[2] = x;  // the two change places
  body->set_root(body->AddTuple(results));
  Name(result, HloOpcode::kWhile, type, std::string(OpcodeName(opcode)));
  Op start = Integers(counter, {}, 0, 2), a = In(type, sizes);
  return AnyElement(
      Make(HloOpcode::kWhile, {entry_->AddTuple(Ops{start, a, In(type, sizes)})}, NoAttributes(), {condition, body}));
}

Op CaseMaker::Conditional(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kInteger);
  const bool pred = Chance(40);
  const DimVector sizes = Sizes(0, 2, 6);
  Ops operands{pred ? In(PrimitiveType::PRED, {}) : Integers(PrimitiveType::S32, {}, -2, 5)};
  std::vector<HloComputation*> branches;
  for (int64_t k = pred ? 2 : random_.Between(1, 4); k > 0; --k) {
    HloComputation* branch = module_.AddComputation("branch");
    Op p = branch->AddParameter(0, Shape::Array(type, sizes), "p");
    branch->set_root(MakeIn(
        branch,
        Pick({HloOpcode::kNot, HloOpcode::kNegate, HloOpcode::kPopulationCount, HloOpcode::kClz, HloOpcode::kCopy}),
        {p}));
    branches.push_back(branch), operands.push_back(In(type, sizes));
  }
  Name(result, HloOpcode::kConditional, type, pred ? "pred" : "index");
  return Make(HloOpcode::kConditional, operands, NoAttributes(), branches);
}

}  // namespace hloir::fuzz
