// Rules of reduce. In HLO the init value is counted once, or more often if it is an identity of the reducer; the rules
// do not change this number unless it is an identity.
#include <algorithm>

#include "algebraic_simplifier/families.h"
#include "hloir/rewrite_util.h"

namespace hloir::rules {
namespace {

bool IsPlainReduce(const HloInstruction* i) { return i->operand_count() == 2 && i->shape().IsArray(); }

HloInstruction* MakeReduce(RuleContext& c, HloInstruction* like, HloInstruction* a, HloInstruction* init,
                           DimVector dimensions) {
  std::sort(dimensions.begin(), dimensions.end());
  DimVector sizes;
  for (int64_t d = 0; d < a->shape().rank(); ++d) {
    if (!Contains(dimensions, d)) sizes.push_back(a->shape().dimensions(d));
  }
  HloInstruction* reduce = c.Add(HloOpcode::kReduce, Shape::Array(a->shape().element_type(), sizes), {a, init},
                                 DimensionsAttributes{dimensions});
  reduce->AddCalledComputation(like->to_apply());
  return reduce;
}

// reduce(empty, v) => broadcast(v)
HloInstruction* ReduceOfEmpty(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduce(i) || i->operand(0)->shape().ElementCount() != 0) return nullptr;
  if (i->shape().rank() == 0) return c.ReplaceWith(i->operand(1));
  return c.Allow() ? c.Broadcast(i->operand(1), i->shape(), {}) : nullptr;
}

// reduce(A, v) over dimensions of size 1 => v op reshape(A), or reshape(A) where v is op's identity
HloInstruction* OfOnes(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduce(i)) return nullptr;
  HloInstruction *a = i->operand(0), *init = i->operand(1);
  for (int64_t d : i->dimensions()) {
    if (a->shape().dimensions(d) != 1) return nullptr;
  }
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || a->shape().element_type() != i->shape().element_type()) return nullptr;
  const bool identity = IsIdentityElement(*op, init);
  if (identity && a->shape().SameDimensions(i->shape())) return c.ReplaceWith(a);
  if (!c.Allow()) return nullptr;
  HloInstruction* same = a->shape().SameDimensions(i->shape()) ? a : c.Reshape(a, i->shape());
  if (identity) return same;
  return c.CloneOver(i->to_apply()->root(), std::vector{c.BroadcastScalar(init, i->shape()), same}, i->shape());
}

// reduce(transpose(A)) => reduce(A); for floats another order of summation
HloInstruction* ReduceOfTranspose(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduce(i) || i->operand(0)->opcode() != HloOpcode::kTranspose) return nullptr;
  HloInstruction* transpose = i->operand(0);
  DimVector dimensions;
  int64_t last = -1;
  for (int64_t d = 0; d < transpose->shape().rank(); ++d) {
    const int64_t of_a = transpose->dimensions()[d];
    if (Contains(i->dimensions(), d)) {
      dimensions.push_back(of_a);
    } else {
      if (of_a < last) return nullptr;  // the result would need a transpose
      last = of_a;
    }
  }
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !HasTrait(*op, kAssociative) || !c.Allow()) return nullptr;
  return MakeReduce(c, i, transpose->operand(0), i->operand(1), dimensions);
}

// reduce(reduce(A, v), identity) => reduce(A, v), same op
HloInstruction* ReduceOfReduce(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (!IsPlainReduce(i) || inner->opcode() != HloOpcode::kReduce || !IsPlainReduce(inner) || inner->user_count() != 1)
    return nullptr;
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !HasTrait(*op, kAssociative) || BinaryReducer(inner->to_apply()) != op ||
      !IsIdentityElement(*op, i->operand(1))) {
    return nullptr;
  }
  // The inner init value is counted once per inner result; in the merged reduce once in total.
  if (!IsIdentityElement(*op, inner->operand(1)) || !c.Allow()) return nullptr;
  DimVector dimensions = inner->dimensions();
  int64_t position = 0;
  for (int64_t d = 0; d < inner->operand(0)->shape().rank(); ++d) {
    if (Contains(inner->dimensions(), d)) continue;
    if (Contains(i->dimensions(), position++)) dimensions.push_back(d);
  }
  return MakeReduce(c, i, inner->operand(0), inner->operand(1), dimensions);
}

// reduce(reshape(A)) => reshape(reduce(A)), where the reshape only inserts and drops 1s
HloInstruction* ReduceOfReshape(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduce(i) || i->operand(0)->opcode() != HloOpcode::kReshape) return nullptr;
  HloInstruction *reshape = i->operand(0), *a = reshape->operand(0);
  if (!EqualIgnoringOnes(a->shape(), reshape->shape())) return nullptr;
  DimVector dimensions;
  int64_t of_a = 0;
  for (int64_t d = 0; d < reshape->shape().rank(); ++d) {
    if (reshape->shape().dimensions(d) == 1) continue;
    while (a->shape().dimensions(of_a) == 1) ++of_a;
    if (Contains(i->dimensions(), d)) dimensions.push_back(of_a);
    ++of_a;
  }
  if (dimensions.empty() || !c.Allow()) return nullptr;
  HloInstruction* reduce = MakeReduce(c, i, a, i->operand(1), dimensions);
  return reduce->shape().SameDimensions(i->shape()) ? reduce : c.Reshape(reduce, i->shape());
}

// reduce(broadcast(s), v) => v op s, op of max, min, and, or
HloInstruction* ReduceOfBroadcast(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduce(i) || i->operand(0)->opcode() != HloOpcode::kBroadcast ||
      i->operand(0)->shape().ElementCount() == 0)
    return nullptr;
  HloInstruction* scalar = i->operand(0)->operand(0);
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !scalar->shape().IsScalar() ||
      (*op != HloOpcode::kMaximum && *op != HloOpcode::kMinimum && *op != HloOpcode::kAnd && *op != HloOpcode::kOr) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.BroadcastScalar(c.Binary(*op, i->operand(1), scalar), i->shape());
}

// reduce(broadcast(s), v), + => v + n * s
HloInstruction* SumOfBroadcast(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduce(i) || i->operand(0)->opcode() != HloOpcode::kBroadcast ||
      i->operand(0)->shape().ElementCount() == 0)
    return nullptr;
  HloInstruction* scalar = i->operand(0)->operand(0);
  PrimitiveType type = i->shape().element_type();
  if (!scalar->shape().IsScalar() || BinaryReducer(i->to_apply()) != HloOpcode::kAdd || BitWidth(type) < 8)
    return nullptr;
  int64_t count = 1;
  for (int64_t d : i->dimensions()) count *= i->operand(0)->shape().dimensions(d);
  // A count that the type does not hold would be more than rounding.
  Literal n(Shape::Scalar(type));
  if (IsInteger(type)) n.SetFromInt64(0, count);
  else n.SetFromDouble(0, static_cast<double>(count));
  if ((!IsInteger(type) && n.GetAsDouble(0) != static_cast<double>(count)) || !c.Allow()) return nullptr;
  HloInstruction* product = c.Binary(HloOpcode::kMultiply, scalar, c.Constant(std::move(n)));
  return c.BroadcastScalar(c.Binary(HloOpcode::kAdd, i->operand(1), product), i->shape());
}

// reduce(broadcast(A), v) => v op A, over dimensions that A does not have; op of max, min, and, or
HloInstruction* OverNewDimensions(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (!IsPlainReduce(i) || broadcast->opcode() != HloOpcode::kBroadcast || broadcast->operand(0)->shape().rank() == 0 ||
      broadcast->shape().ElementCount() == 0) {
    return nullptr;
  }
  DimVector kept;
  for (int64_t d = 0; d < broadcast->shape().rank(); ++d) {
    if (!Contains(i->dimensions(), d)) kept.push_back(d);
  }
  DimVector dimensions;
  for (int64_t d : broadcast->dimensions()) {
    if (Contains(i->dimensions(), d)) return nullptr;
    dimensions.push_back(std::find(kept.begin(), kept.end(), d) - kept.begin());
  }
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (op != HloOpcode::kMaximum && op != HloOpcode::kMinimum && op != HloOpcode::kAnd && op != HloOpcode::kOr)
    return nullptr;
  if (!c.Allow()) return nullptr;
  HloInstruction* a = c.Broadcast(broadcast->operand(0), i->shape(), dimensions);
  return IsIdentityElement(*op, i->operand(1)) ? a : c.Binary(*op, c.BroadcastScalar(i->operand(1), i->shape()), a);
}

// reduce(broadcast(A), v) => broadcast(reduce(A, v)), over dimensions of A alone
HloInstruction* UnderBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (!IsPlainReduce(i) || broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  HloInstruction* a = broadcast->operand(0);
  const DimVector& of_a = broadcast->dimensions();
  DimVector kept, reduced, dimensions;
  for (int64_t d = 0; d < broadcast->shape().rank(); ++d) {
    if (!Contains(i->dimensions(), d)) kept.push_back(d);
    else if (!Contains(of_a, d)) return nullptr;
  }
  if (a->shape().rank() == broadcast->shape().rank() || !std::is_sorted(of_a.begin(), of_a.end())) return nullptr;
  for (size_t k = 0; k < of_a.size(); ++k) {
    if (Contains(i->dimensions(), of_a[k])) reduced.push_back(static_cast<int64_t>(k));
    else dimensions.push_back(std::find(kept.begin(), kept.end(), of_a[k]) - kept.begin());
  }
  if (reduced.empty() || !c.Allow()) return nullptr;
  return c.Broadcast(MakeReduce(c, i, a, i->operand(1), reduced), i->shape(), dimensions);
}

// reduce(pad(A, identity), v) => reduce(A, v), padded along reduced dimensions alone
HloInstruction* ReduceOfPad(HloInstruction* i, RuleContext& c) {
  HloInstruction* pad = i->operand(0);
  if (!IsPlainReduce(i) || pad->opcode() != HloOpcode::kPad) return nullptr;
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !IsIdentityElement(*op, pad->operand(1))) return nullptr;
  for (int64_t d = 0; d < pad->shape().rank(); ++d) {
    const PaddingDimension& p = pad->attributes<PadAttributes>().padding[d];
    if (p.low < 0 || p.high < 0 || (!(p == PaddingDimension{}) && !Contains(i->dimensions(), d))) return nullptr;
  }
  if (pad->operand(0)->shape().ElementCount() == 0 || !c.Allow()) return nullptr;
  return MakeReduce(c, i, pad->operand(0), i->operand(1), i->dimensions());
}

// reduce(reverse(A), v) => reduce(A, v), reversed along reduced dimensions alone
HloInstruction* ReduceOfReverse(HloInstruction* i, RuleContext& c) {
  HloInstruction* reverse = i->operand(0);
  if (!IsPlainReduce(i) || reverse->opcode() != HloOpcode::kReverse) return nullptr;
  for (int64_t d : reverse->dimensions()) {
    if (!Contains(i->dimensions(), d)) return nullptr;
  }
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !HasTrait(*op, kAssociative) || !c.Allow()) return nullptr;
  return MakeReduce(c, i, reverse->operand(0), i->operand(1), i->dimensions());
}

// reduce(-A, 0), + => -reduce(A, 0)
HloInstruction* SumOfNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction* negate = i->operand(0);
  if (!IsPlainReduce(i) || negate->opcode() != HloOpcode::kNegate || negate->user_count() != 1 ||
      !IsSplatZero(i->operand(1)) || BinaryReducer(i->to_apply()) != HloOpcode::kAdd || !c.Allow()) {
    return nullptr;
  }
  return c.Unary(HloOpcode::kNegate, MakeReduce(c, i, negate->operand(0), i->operand(1), i->dimensions()));
}

// reduce(reshape(A), v) of everything => reduce(A, v) of everything
HloInstruction* AllOfReshape(HloInstruction* i, RuleContext& c) {
  HloInstruction* reshape = i->operand(0);
  if (!IsPlainReduce(i) || i->shape().rank() != 0 || reshape->opcode() != HloOpcode::kReshape ||
      reshape->operand(0)->shape().rank() == 0) {
    return nullptr;
  }
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !HasTrait(*op, kAssociative) || !c.Allow()) return nullptr;
  DimVector all;
  for (int64_t d = 0; d < reshape->operand(0)->shape().rank(); ++d) all.push_back(d);
  return MakeReduce(c, i, reshape->operand(0), i->operand(1), all);
}

// reduce(concatenate(A, B), v) => reduce(A, v) op reduce(B, v), along the dimension; v an identity
HloInstruction* ReduceOfConcatenate(HloInstruction* i, RuleContext& c) {
  HloInstruction* whole = i->operand(0);
  constexpr int64_t kMostParts = 8;
  if (!IsPlainReduce(i) || whole->opcode() != HloOpcode::kConcatenate || whole->user_count() != 1 ||
      whole->operand_count() < 2 || whole->operand_count() > kMostParts ||
      !Contains(i->dimensions(), whole->dimensions()[0])) {
    return nullptr;
  }
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !HasTrait(*op, kAssociative) || !IsIdentityElement(*op, i->operand(1)) || !c.Allow()) return nullptr;
  HloInstruction* result = nullptr;
  for (HloInstruction* part : whole->operands()) {
    HloInstruction* reduced = MakeReduce(c, i, part, i->operand(1), i->dimensions());
    result = result == nullptr ? reduced : c.CloneOver(i->to_apply()->root(), std::vector{result, reduced}, i->shape());
  }
  return result;
}
// The same with +, where v is 0 and not -0: it is counted once more, and makes +0 of -0.
HloInstruction* SumOfConcatenate(HloInstruction* i, RuleContext& c) {
  HloInstruction* whole = i->operand(0);
  if (!IsPlainReduce(i) || whole->opcode() != HloOpcode::kConcatenate || whole->user_count() != 1 ||
      whole->operand_count() != 2 || !Contains(i->dimensions(), whole->dimensions()[0]) ||
      BinaryReducer(i->to_apply()) != HloOpcode::kAdd || !IsPositiveZero(i->operand(1)) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* second = MakeReduce(c, i, whole->operand(1), i->operand(1), i->dimensions());
  return c.Binary(HloOpcode::kAdd, MakeReduce(c, i, whole->operand(0), i->operand(1), i->dimensions()), second);
}

constexpr Rule kReduceRules[] = {
    {HloOpcode::kReduce, "reduce-concatenate",
     "reduce(concatenate(A, B), v) => reduce(A, v) op reduce(B, v), v an identity", kExact, kRounding,
     ReduceOfConcatenate},
    {HloOpcode::kReduce, "reduce-sum-of-concatenate",
     "reduce(concatenate(A, B), 0) with + => reduce(A, 0) + reduce(B, 0)", kRounding, kRounding, SumOfConcatenate},
    {HloOpcode::kReduce, "reduce-empty", "reduce(empty, v) => broadcast(v)", kExact, kExact, ReduceOfEmpty},
    {HloOpcode::kReduce, "reduce-ones", "reduce(A, v) over 1s => v op reshape(A)", kExact, kExact, OfOnes},
    {HloOpcode::kReduce, "reduce-broadcast", "reduce(broadcast(s), v) => v op s, op of max, min, and, or", kExact,
     kExact, ReduceOfBroadcast},
    {HloOpcode::kReduce, "reduce-sum-of-broadcast", "reduce(broadcast(s), v) with + => v + n * s", kExact, kRounding,
     SumOfBroadcast},
    {HloOpcode::kReduce, "reduce-transpose", "reduce(transpose(A)) => reduce(A)", kExact, kRounding, ReduceOfTranspose},
    {HloOpcode::kReduce, "reduce-reduce", "reduce(reduce(A, v), identity) => reduce(A, v), same op", kExact, kRounding,
     ReduceOfReduce},
    {HloOpcode::kReduce, "reduce-reshape", "reduce(reshape(A)) => reshape(reduce(A)), if only 1s move", kExact, kExact,
     ReduceOfReshape},
    {HloOpcode::kReduce, "reduce-over-new-dimensions",
     "reduce(broadcast(A), v) => v op A, over new dimensions, op of max, min, and, or", kExact, kExact,
     OverNewDimensions},
    {HloOpcode::kReduce, "reduce-under-broadcast",
     "reduce(broadcast(A), v) => broadcast(reduce(A, v)), over dimensions of A", kExact, kRounding, UnderBroadcast},
    {HloOpcode::kReduce, "reduce-pad", "reduce(pad(A, identity), v) => reduce(A, v)", kExact, kRounding, ReduceOfPad},
    {HloOpcode::kReduce, "reduce-reverse", "reduce(reverse(A), v) => reduce(A, v)", kExact, kRounding, ReduceOfReverse},
    {HloOpcode::kReduce, "reduce-sum-of-negate", "reduce(-A, 0) with + => -reduce(A, 0)", kExact, kRounding,
     SumOfNegate},
    {HloOpcode::kReduce, "reduce-all-of-reshape", "reduce(reshape(A), v) of everything => reduce(A, v)", kExact,
     kRounding, AllOfReshape},
};

}  // namespace

std::span<const Rule> ReduceRules() { return kReduceRules; }

}  // namespace hloir::rules
