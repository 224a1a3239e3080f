// Rules of dot.
#include <algorithm>

#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

bool Contains(const DimVector& list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

// dot(A, B) => 0, where one is empty
HloInstruction* OfEmpty(HloInstruction* i, RuleContext& c) {
  if (i->operand(0)->shape().ElementCount() != 0 && i->operand(1)->shape().ElementCount() != 0) return nullptr;
  if (!c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}

// The dimension numbers of one side, as dimensions of what that side's transpose takes; false if the result's
// dimensions would come in another order.
bool ThroughTranspose(const HloInstruction* transpose, DimVector& batch, DimVector& contracting) {
  int64_t last = -1;
  for (int64_t d = 0; d < transpose->shape().rank(); ++d) {
    if (Contains(batch, d) || Contains(contracting, d)) continue;
    if (transpose->dimensions()[d] < last) return false;
    last = transpose->dimensions()[d];
  }
  for (int64_t& d : batch) d = transpose->dimensions()[d];
  for (int64_t& d : contracting) d = transpose->dimensions()[d];
  return true;
}

// dot(transpose(A), B) => dot(A, B), other dimension numbers
HloInstruction* OfTranspose(HloInstruction* i, RuleContext& c) {
  DotAttributes attributes = i->attributes<DotAttributes>();
  HloInstruction *lhs = i->operand(0), *rhs = i->operand(1);
  bool found = false;
  if (lhs->opcode() == HloOpcode::kTranspose) {
    DimVector batch = attributes.lhs_batch_dims, contracting = attributes.lhs_contracting_dims;
    if (ThroughTranspose(lhs, batch, contracting)) {
      attributes.lhs_batch_dims = batch, attributes.lhs_contracting_dims = contracting;
      lhs = lhs->operand(0);
      found = true;
    }
  }
  if (rhs->opcode() == HloOpcode::kTranspose) {
    DimVector batch = attributes.rhs_batch_dims, contracting = attributes.rhs_contracting_dims;
    if (ThroughTranspose(rhs, batch, contracting)) {
      attributes.rhs_batch_dims = batch, attributes.rhs_contracting_dims = contracting;
      rhs = rhs->operand(0);
      found = true;
    }
  }
  if (!found || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kDot, i->shape(), {lhs, rhs}, std::move(attributes));
}

constexpr Rule kRules[] = {
    {HloOpcode::kDot, "dot-empty", "dot(A, B) => 0, if one is empty", kExact, kExact, OfEmpty},
    {HloOpcode::kDot, "dot-transpose",
     "dot(transpose(A), B) => dot(A, B), if the order of the result's dimensions stays", kExact, kExact, OfTranspose},
};

}  // namespace

std::span<const Rule> DotRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
