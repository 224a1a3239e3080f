// Rules of reshape, which keeps the elements' row-major order.
#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

// reshape(A) => A, same dimensions
HloInstruction* Nothing(HloInstruction* i, RuleContext& c) {
  return i->operand(0)->shape().SameDimensions(i->shape()) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// reshape(reshape(A)) => reshape(A)
HloInstruction* Twice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kReshape || !c.Allow()) return nullptr;
  return c.Reshape(inner->operand(0), i->shape());
}

// reshape(broadcast(A)) => broadcast(A), A a scalar or the reshape of 1s only
HloInstruction* OfBroadcast(HloInstruction* i, RuleContext& c) {
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
HloInstruction* OfIota(HloInstruction* i, RuleContext& c) {
  HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !EqualIgnoringOnes(iota->shape(), i->shape())) return nullptr;
  int64_t where = WhereDimensionsWent(iota->shape(), i->shape())[iota->attributes<IotaAttributes>().iota_dimension];
  if (where < 0 || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kIota, i->shape(), {}, IotaAttributes{where});
}

constexpr Rule kRules[] = {
    {HloOpcode::kReshape, "reshape-nothing", "reshape(A) => A, same dimensions", kExact, kExact, Nothing},
    {HloOpcode::kReshape, "reshape-reshape", "reshape(reshape(A)) => reshape(A)", kExact, kExact, Twice},
    {HloOpcode::kReshape, "reshape-broadcast", "reshape(broadcast(A)) => broadcast(A), A a scalar or only 1s move",
     kExact, kExact, OfBroadcast},
    {HloOpcode::kReshape, "reshape-iota", "reshape(iota) => iota, if only 1s move", kExact, kExact, OfIota},
};

}  // namespace

std::span<const Rule> ReshapeRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
