// Rules of broadcast. broadcast(A), dimensions={…}: dimension k of A is dimension dimensions[k] of the result, of equal
// size.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

bool IsSorted(const DimVector& dimensions) {
  for (size_t k = 1; k < dimensions.size(); ++k) {
    if (dimensions[k] <= dimensions[k - 1]) return false;
  }
  return true;
}

// broadcast(A) => A, where it adds nothing
HloInstruction* BroadcastOfNothing(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  return a->shape().SameDimensions(i->shape()) && IsIdentity(i->dimensions()) ? c.ReplaceWith(a) : nullptr;
}

// broadcast(A) => transpose(A), where it only permutes
HloInstruction* Permutes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (a->shape().rank() != i->shape().rank() || IsSorted(i->dimensions()) || !c.Allow()) return nullptr;
  DimVector permutation(i->dimensions().size());
  for (size_t k = 0; k < permutation.size(); ++k) permutation[i->dimensions()[k]] = static_cast<int64_t>(k);
  return c.Transpose(a, permutation);
}

// broadcast(A) => reshape(A), where it only adds dimensions of size 1
HloInstruction* AddsOnes(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (a->shape().rank() == i->shape().rank() || !IsSorted(i->dimensions()) || a->IsConstant() ||
      a->shape().ElementCount() != i->shape().ElementCount() || !c.Allow()) {
    return nullptr;
  }
  return c.Reshape(a, i->shape());
}

// broadcast(broadcast(A)) => broadcast(A)
HloInstruction* BroadcastTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kBroadcast || !c.Allow()) return nullptr;
  DimVector dimensions;
  for (int64_t d : inner->dimensions()) dimensions.push_back(i->dimensions()[d]);
  return c.Broadcast(inner->operand(0), i->shape(), dimensions);
}

// broadcast(iota) => iota
HloInstruction* BroadcastOfIota(HloInstruction* i, RuleContext& c) {
  HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kIota, i->shape(), {},
               IotaAttributes{i->dimensions()[iota->attributes<IotaAttributes>().iota_dimension]});
}

// broadcast(reshape(A)) => broadcast(A), where the reshape only inserts dimensions of size 1
HloInstruction* BroadcastOfReshape(HloInstruction* i, RuleContext& c) {
  HloInstruction* reshape = i->operand(0);
  if (reshape->opcode() != HloOpcode::kReshape) return nullptr;
  HloInstruction* a = reshape->operand(0);
  DimVector dimensions;
  int64_t k = 0;
  for (int64_t d = 0; d < a->shape().rank(); ++d, ++k) {
    while (k < reshape->shape().rank() && reshape->shape().dimensions(k) == 1 && a->shape().dimensions(d) != 1) ++k;
    if (k == reshape->shape().rank() || reshape->shape().dimensions(k) != a->shape().dimensions(d)) return nullptr;
    dimensions.push_back(i->dimensions()[k]);
  }
  if (!c.Allow()) return nullptr;
  return c.Broadcast(a, i->shape(), dimensions);
}

// broadcast(transpose(A)) => broadcast(A), where A's dimensions come in order then
HloInstruction* BroadcastOfTranspose(HloInstruction* i, RuleContext& c) {
  HloInstruction* transpose = i->operand(0);
  if (transpose->opcode() != HloOpcode::kTranspose) return nullptr;
  DimVector dimensions(transpose->dimensions().size());
  for (size_t k = 0; k < dimensions.size(); ++k) dimensions[transpose->dimensions()[k]] = i->dimensions()[k];
  if (!IsSorted(dimensions) || !c.Allow()) return nullptr;
  return c.Broadcast(transpose->operand(0), i->shape(), dimensions);
}

constexpr Rule kBroadcastRules[] = {
    {HloOpcode::kBroadcast, "broadcast-nothing", "broadcast(A) => A, if it adds nothing", kExact, kExact,
     BroadcastOfNothing},
    {HloOpcode::kBroadcast, "broadcast-permutes", "broadcast(A) => transpose(A), if it only permutes", kExact, kExact,
     Permutes},
    {HloOpcode::kBroadcast, "broadcast-adds-ones", "broadcast(A) => reshape(A), if it only adds dimensions of size 1",
     kExact, kExact, AddsOnes},
    {HloOpcode::kBroadcast, "broadcast-broadcast", "broadcast(broadcast(A)) => broadcast(A)", kExact, kExact,
     BroadcastTwice},
    {HloOpcode::kBroadcast, "broadcast-iota", "broadcast(iota) => iota", kExact, kExact, BroadcastOfIota},
    {HloOpcode::kBroadcast, "broadcast-reshape",
     "broadcast(reshape(A)) => broadcast(A), if the reshape only inserts 1s", kExact, kExact, BroadcastOfReshape},
    {HloOpcode::kBroadcast, "broadcast-transpose",
     "broadcast(transpose(A)) => broadcast(A), if its dimensions come in order", kExact, kExact, BroadcastOfTranspose},
};

}  // namespace

std::span<const Rule> BroadcastRules() { return kBroadcastRules; }

}  // namespace hloir::rules
