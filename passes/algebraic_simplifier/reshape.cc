// Rules of reshape, which keeps the elements' row-major order.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

// reshape(A) => A, same dimensions
HloInstruction* ReshapeOfNothing(HloInstruction* i, RuleContext& c) {
  return i->operand(0)->shape().SameDimensions(i->shape()) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// reshape(reshape(A)) => reshape(A)
HloInstruction* ReshapeTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kReshape || !c.Allow()) return nullptr;
  return c.Reshape(inner->operand(0), i->shape());
}

// reshape(broadcast(A)) => broadcast(A), A a scalar or the reshape of 1s only
HloInstruction* ReshapeOfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  HloInstruction* a = broadcast->operand(0);
  DimVector dimensions;
  if (!a->shape().IsScalar()) {
    if (!EqualIgnoringOnes(broadcast->shape(), i->shape())) return nullptr;
    DimVector where = WhereDimensionsWent(broadcast->shape(), i->shape());
    for (int64_t d : broadcast->dimensions()) {
      if (where[d] < 0) return nullptr;
      dimensions.push_back(where[d]);
    }
  }
  if (i->shape().rank() == 0) return c.ReplaceWith(a);
  if (!c.Allow()) return nullptr;
  return c.Broadcast(a, i->shape(), dimensions);
}

// reshape(iota) => iota, where it only inserts and drops 1s
HloInstruction* ReshapeOfIota(HloInstruction* i, RuleContext& c) {
  HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !EqualIgnoringOnes(iota->shape(), i->shape())) return nullptr;
  int64_t where = WhereDimensionsWent(iota->shape(), i->shape())[iota->attributes<IotaAttributes>().iota_dimension];
  if (where < 0 || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kIota, i->shape(), {}, IotaAttributes{where});
}

// reshape(iota) => iota * n + iota, integers; the iota's dimension is split into two, the second with n elements
HloInstruction* OfIotaInTwo(HloInstruction* i, RuleContext& c) {
  HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !IsIntegral(i) || iota->user_count() != 1) return nullptr;
  // The other dimensions are before and after the two, apart from dimensions of size 1.
  const int64_t d = iota->attributes<IotaAttributes>().iota_dimension, n = iota->shape().dimensions(d);
  int64_t before = 1, product = 1, k = 0;
  for (int64_t e = 0; e < d; ++e) before *= iota->shape().dimensions(e);
  while (k < i->shape().rank() && (product < before || i->shape().dimensions(k) == 1))
    product *= i->shape().dimensions(k++);
  int64_t second = k + 1;
  while (second < i->shape().rank() && i->shape().dimensions(second) == 1) ++second;
  if (product != before || second >= i->shape().rank() ||
      i->shape().dimensions(k) * i->shape().dimensions(second) != n || i->shape().dimensions(second) == 1 ||
      !c.Allow()) {
    return nullptr;
  }
  const Shape shape = Shape::Array(i->shape().element_type(), i->shape().dimensions());
  HloInstruction* high = c.Add(HloOpcode::kIota, shape, {}, IotaAttributes{k});
  HloInstruction* low = c.Add(HloOpcode::kIota, shape, {}, IotaAttributes{second});
  HloInstruction* stride = c.Splat(shape, static_cast<double>(i->shape().dimensions(second)));
  return c.Binary(HloOpcode::kAdd, c.Binary(HloOpcode::kMultiply, high, stride), low);
}

constexpr Rule kReshapeRules[] = {
    {HloOpcode::kReshape, "reshape-nothing", "reshape(A) => A, same dimensions", kExact, kExact, ReshapeOfNothing},
    {HloOpcode::kReshape, "reshape-reshape", "reshape(reshape(A)) => reshape(A)", kExact, kExact, ReshapeTwice},
    {HloOpcode::kReshape, "reshape-broadcast", "reshape(broadcast(A)) => broadcast(A), A a scalar or only 1s move",
     kExact, kExact, ReshapeOfBroadcast},
    {HloOpcode::kReshape, "reshape-iota", "reshape(iota) => iota, if only 1s move", kExact, kExact, ReshapeOfIota},
    {HloOpcode::kReshape, "reshape-iota-in-two", "reshape(iota) => iota * n + iota, its dimension cut in two", kExact,
     kFast, OfIotaInTwo},
};

}  // namespace

std::span<const Rule> ReshapeRules() { return kReshapeRules; }

}  // namespace hloir::rules
