// Rules of transpose and reverse. transpose(A), dimensions={…}: dimension k of the result is dimension dimensions[k] of
// A.
#include <algorithm>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

// transpose(A) => A, same order
HloInstruction* TransposeOfNothing(HloInstruction* i, RuleContext& c) {
  return IsIdentity(i->dimensions()) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// transpose(transpose(A)) => transpose(A)
HloInstruction* TransposeTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kTranspose) return nullptr;
  DimVector permutation;
  for (int64_t d : i->dimensions()) permutation.push_back(inner->dimensions()[d]);
  if (IsIdentity(permutation)) return c.ReplaceWith(inner->operand(0));
  if (!c.Allow()) return nullptr;
  return c.Transpose(inner->operand(0), permutation);
}

// transpose(A) => reshape(A), where only dimensions of size 1 move
HloInstruction* OnlyOnes(HloInstruction* i, RuleContext& c) {
  int64_t last = -1;
  for (int64_t d : i->dimensions()) {
    if (i->operand(0)->shape().dimensions(d) == 1) continue;
    if (d < last) return nullptr;
    last = d;
  }
  if (IsIdentity(i->dimensions()) || !c.Allow()) return nullptr;
  return c.Reshape(i->operand(0), i->shape());
}

// transpose(broadcast(A)) => broadcast(A)
HloInstruction* TransposeOfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast || !c.Allow()) return nullptr;
  DimVector where(i->dimensions().size()), dimensions;
  for (size_t k = 0; k < where.size(); ++k) where[i->dimensions()[k]] = static_cast<int64_t>(k);
  for (int64_t d : broadcast->dimensions()) dimensions.push_back(where[d]);
  return c.Broadcast(broadcast->operand(0), i->shape(), dimensions);
}

// transpose(iota) => iota
HloInstruction* TransposeOfIota(HloInstruction* i, RuleContext& c) {
  HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !c.Allow()) return nullptr;
  const DimVector& permutation = i->dimensions();
  int64_t where = std::find(permutation.begin(), permutation.end(), iota->attributes<IotaAttributes>().iota_dimension) -
                  permutation.begin();
  return c.Add(HloOpcode::kIota, i->shape(), {}, IotaAttributes{where});
}

// reverse(A) => A, along dimensions of size 1 (or drops those)
HloInstruction* ReverseOnes(HloInstruction* i, RuleContext& c) {
  DimVector kept;
  for (int64_t d : i->dimensions()) {
    if (i->shape().dimensions(d) > 1) kept.push_back(d);
  }
  if (kept.empty()) return c.ReplaceWith(i->operand(0));
  if (kept.size() == i->dimensions().size() || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kReverse, i->shape(), {i->operand(0)}, DimensionsAttributes{kept});
}

// reverse(reverse(A)) => A, or a reverse along the dimensions that only one of them has
HloInstruction* ReverseTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kReverse) return nullptr;
  const DimVector &x = i->dimensions(), &y = inner->dimensions();
  DimVector odd;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    bool in_x = std::find(x.begin(), x.end(), d) != x.end(), in_y = std::find(y.begin(), y.end(), d) != y.end();
    if (in_x != in_y) odd.push_back(d);
  }
  if (odd.empty()) return c.ReplaceWith(inner->operand(0));
  if (!c.Allow()) return nullptr;
  return c.Add(HloOpcode::kReverse, i->shape(), {inner->operand(0)}, DimensionsAttributes{odd});
}

// reverse(broadcast(A)) => broadcast(A), along dimensions that A does not have
HloInstruction* ReverseBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast) return nullptr;
  for (int64_t d : i->dimensions()) {
    const DimVector& of_a = broadcast->dimensions();
    if (std::find(of_a.begin(), of_a.end(), d) != of_a.end()) return nullptr;
  }
  return c.ReplaceWith(broadcast);
}

// transpose(dot(A, B)) => dot(B, A), where it swaps rows and columns; floats: a kernel may sum rows in another order
HloInstruction* TransposeOfDot(HloInstruction* i, RuleContext& c) {
  HloInstruction* dot = i->operand(0);
  if (dot->opcode() != HloOpcode::kDot || dot->user_count() != 1) return nullptr;
  DotAttributes a = dot->attributes<DotAttributes>();
  const int64_t batch = static_cast<int64_t>(a.lhs_batch_dims.size());
  const int64_t lhs_free =
      dot->operand(0)->shape().rank() - batch - static_cast<int64_t>(a.lhs_contracting_dims.size());
  // [batch, rows, columns] to [batch, columns, rows]
  DimVector swapped;
  for (int64_t d = 0; d < batch; ++d) swapped.push_back(d);
  for (int64_t d = batch + lhs_free; d < dot->shape().rank(); ++d) swapped.push_back(d);
  for (int64_t d = batch; d < batch + lhs_free; ++d) swapped.push_back(d);
  if (i->dimensions() != swapped || !c.Allow()) return nullptr;
  std::swap(a.lhs_batch_dims, a.rhs_batch_dims);
  std::swap(a.lhs_contracting_dims, a.rhs_contracting_dims);
  if (a.operand_precision.size() == 2) std::reverse(a.operand_precision.begin(), a.operand_precision.end());
  return c.Add(HloOpcode::kDot, i->shape(), {dot->operand(1), dot->operand(0)}, std::move(a));
}

constexpr Rule kTransposeRules[] = {
    {HloOpcode::kTranspose, "transpose-nothing", "transpose(A) => A, same order", kExact, kExact, TransposeOfNothing},
    {HloOpcode::kTranspose, "transpose-transpose", "transpose(transpose(A)) => transpose(A)", kExact, kExact,
     TransposeTwice},
    {HloOpcode::kTranspose, "transpose-ones", "transpose(A) => reshape(A), if only 1s move", kExact, kExact, OnlyOnes},
    {HloOpcode::kTranspose, "transpose-broadcast", "transpose(broadcast(A)) => broadcast(A)", kExact, kExact,
     TransposeOfBroadcast},
    {HloOpcode::kTranspose, "transpose-iota", "transpose(iota) => iota", kExact, kExact, TransposeOfIota},
    {HloOpcode::kReverse, "reverse-ones", "reverse(A) => A, along dimensions of size 1", kExact, kExact, ReverseOnes},
    {HloOpcode::kReverse, "reverse-reverse", "reverse(reverse(A)) => A", kExact, kExact, ReverseTwice},
    {HloOpcode::kReverse, "reverse-broadcast", "reverse(broadcast(A)) => broadcast(A), along new dimensions", kExact,
     kExact, ReverseBroadcast},
    {HloOpcode::kTranspose, "transpose-dot", "transpose(dot(A, B)) => dot(B, A), if it swaps rows and columns", kExact,
     kRounding, TransposeOfDot},
};

}  // namespace

std::span<const Rule> TransposeRules() { return kTransposeRules; }

}  // namespace hloir::rules
