// Rules of reduce. HLO says that the init value goes in once, and may go in more often if it is an identity of the
// reducer; the rules here never change how often it does, unless it is one.
#include <algorithm>

#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

bool Contains(const DimVector& list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }
bool IsPlain(const HloInstruction* i) { return i->operand_count() == 2 && i->shape().IsArray(); }

HloInstruction* MakeReduce(RuleContext& c, const HloInstruction* like, HloInstruction* a, HloInstruction* init,
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
HloInstruction* OfEmpty(HloInstruction* i, RuleContext& c) {
  if (!IsPlain(i) || i->operand(0)->shape().ElementCount() != 0) return nullptr;
  if (i->shape().rank() == 0) return c.ReplaceWith(i->operand(1));
  return c.Allow() ? c.Broadcast(i->operand(1), i->shape(), {}) : nullptr;
}

// reduce(A, v) over dimensions of size 1 => v op reshape(A), or reshape(A) where v is op's identity
HloInstruction* OfOnes(HloInstruction* i, RuleContext& c) {
  if (!IsPlain(i)) return nullptr;
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
HloInstruction* OfTranspose(HloInstruction* i, RuleContext& c) {
  if (!IsPlain(i) || i->operand(0)->opcode() != HloOpcode::kTranspose) return nullptr;
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
HloInstruction* OfReduce(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (!IsPlain(i) || inner->opcode() != HloOpcode::kReduce || !IsPlain(inner) || inner->user_count() != 1)
    return nullptr;
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || !HasTrait(*op, kAssociative) || BinaryReducer(inner->to_apply()) != op ||
      !IsIdentityElement(*op, i->operand(1))) {
    return nullptr;
  }
  // The inner init goes in once for each of the inner results; merged, once for all.
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
HloInstruction* OfReshape(HloInstruction* i, RuleContext& c) {
  if (!IsPlain(i) || i->operand(0)->opcode() != HloOpcode::kReshape) return nullptr;
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
HloInstruction* OfBroadcast(HloInstruction* i, RuleContext& c) {
  if (!IsPlain(i) || i->operand(0)->opcode() != HloOpcode::kBroadcast || i->operand(0)->shape().ElementCount() == 0)
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
  if (!IsPlain(i) || i->operand(0)->opcode() != HloOpcode::kBroadcast || i->operand(0)->shape().ElementCount() == 0)
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

constexpr Rule kRules[] = {
    {HloOpcode::kReduce, "reduce-empty", "reduce(empty, v) => broadcast(v)", kExact, kExact, OfEmpty},
    {HloOpcode::kReduce, "reduce-ones", "reduce(A, v) over 1s => v op reshape(A)", kExact, kExact, OfOnes},
    {HloOpcode::kReduce, "reduce-broadcast", "reduce(broadcast(s), v) => v op s, op of max, min, and, or", kExact,
     kExact, OfBroadcast},
    {HloOpcode::kReduce, "reduce-sum-of-broadcast", "reduce(broadcast(s), v) with + => v + n * s", kExact, kRounding,
     SumOfBroadcast},
    {HloOpcode::kReduce, "reduce-transpose", "reduce(transpose(A)) => reduce(A)", kExact, kRounding, OfTranspose},
    {HloOpcode::kReduce, "reduce-reduce", "reduce(reduce(A, v), identity) => reduce(A, v), same op", kExact, kRounding,
     OfReduce},
    {HloOpcode::kReduce, "reduce-reshape", "reduce(reshape(A)) => reshape(reduce(A)), if only 1s move", kExact, kExact,
     OfReshape},
};

}  // namespace

std::span<const Rule> ReduceRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
