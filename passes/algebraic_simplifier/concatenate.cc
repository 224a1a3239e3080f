// Rules of concatenate.
#include <unordered_set>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

HloInstruction* Concatenate(RuleContext& c, const HloInstruction* like, std::span<HloInstruction* const> operands) {
  return c.computation()->AddInstruction(HloOpcode::kConcatenate, like->shape(), operands,
                                         DimensionsAttributes{like->dimensions()});
}

// concatenate(A) => A
HloInstruction* One(HloInstruction* i, RuleContext& c) {
  return i->operand_count() == 1 ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// concatenate(A, empty, B) => concatenate(A, B)
HloInstruction* Empty(HloInstruction* i, RuleContext& c) {
  std::vector<HloInstruction*> kept;
  for (HloInstruction* operand : i->operands()) {
    if (operand->shape().ElementCount() > 0) kept.push_back(operand);
  }
  if (kept.empty() || kept.size() == i->operands().size()) return nullptr;
  if (kept.size() == 1) return c.ReplaceWith(kept[0]);
  if (!c.Allow()) return nullptr;
  return Concatenate(c, i, kept);
}

// concatenate(concatenate(A, B), C) => concatenate(A, B, C)
HloInstruction* ConcatenateNested(HloInstruction* i, RuleContext& c) {
  std::vector<HloInstruction*> flat;
  std::unordered_set<const HloInstruction*> inner;
  bool repeats = false;
  for (HloInstruction* operand : i->operands()) {
    if (operand->opcode() == HloOpcode::kConcatenate && operand->user_count() == 1 &&
        operand->dimensions() == i->dimensions()) {
      repeats |= !inner.insert(operand).second;
      flat.insert(flat.end(), operand->operands().begin(), operand->operands().end());
    } else {
      flat.push_back(operand);
    }
  }
  // A repeated operand is not expanded: with nesting, each level would double the operands.
  constexpr size_t kMostRepeated = 64;
  if (flat.size() == i->operands().size() || (repeats && flat.size() > kMostRepeated) || !c.Allow()) return nullptr;
  return Concatenate(c, i, flat);
}

// concatenate(slice(A, x:y), slice(A, y:z)) => slice(A, x:z)
HloInstruction* Slices(HloInstruction* i, RuleContext& c) {
  const int64_t dimension = i->dimensions()[0];
  // True if b is the slice after a.
  auto adjacent = [&](const HloInstruction* a, const HloInstruction* b) {
    if (a->opcode() != HloOpcode::kSlice || b->opcode() != HloOpcode::kSlice || a->operand(0) != b->operand(0))
      return false;
    const SliceRanges &x = a->attributes<SliceAttributes>().slice, &y = b->attributes<SliceAttributes>().slice;
    for (int64_t d = 0; d < static_cast<int64_t>(x.size()); ++d) {
      if (d != dimension && !(x[d] == y[d])) return false;
    }
    return x[dimension].stride == 1 && y[dimension].stride == 1 && x[dimension].limit == y[dimension].start;
  };
  bool found = false;
  for (int64_t k = 1; k < i->operand_count() && !found; ++k) found = adjacent(i->operand(k - 1), i->operand(k));
  if (!found || !c.Allow()) return nullptr;
  std::vector<HloInstruction*> merged;
  for (int64_t k = 0; k < i->operand_count();) {
    int64_t end = k + 1;
    while (end < i->operand_count() && adjacent(i->operand(end - 1), i->operand(end))) ++end;
    if (end == k + 1) {
      merged.push_back(i->operand(k));
    } else {
      SliceRanges ranges = i->operand(k)->attributes<SliceAttributes>().slice;
      ranges[dimension].limit = i->operand(end - 1)->attributes<SliceAttributes>().slice[dimension].limit;
      merged.push_back(c.Slice(i->operand(k)->operand(0), ranges));
    }
    k = end;
  }
  return merged.size() == 1 ? merged[0] : Concatenate(c, i, merged);
}

// concatenate(A, A, …) => broadcast(reshape(A)), A of size 1 along the dimension
HloInstruction* Repeated(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  const int64_t dimension = i->dimensions()[0];
  if (i->operand_count() < 2 || a->shape().dimensions(dimension) != 1) return nullptr;
  for (HloInstruction* operand : i->operands()) {
    if (operand != a) return nullptr;
  }
  if (!c.Allow()) return nullptr;
  DimVector sizes, kept;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    if (d == dimension) continue;
    sizes.push_back(i->shape().dimensions(d));
    kept.push_back(d);
  }
  return c.Broadcast(c.Reshape(a, Shape::Array(i->shape().element_type(), sizes)), i->shape(), kept);
}

// concatenate(broadcast(s), broadcast(s)) => broadcast(s), s a scalar
HloInstruction* Broadcasts(HloInstruction* i, RuleContext& c) {
  for (HloInstruction* operand : i->operands()) {
    if (operand->opcode() != HloOpcode::kBroadcast || !operand->operand(0)->shape().IsScalar() ||
        operand->operand(0) != i->operand(0)->operand(0)) {
      return nullptr;
    }
  }
  if (!c.Allow()) return nullptr;
  return c.Broadcast(i->operand(0)->operand(0), i->shape(), {});
}

// concatenate(A, broadcast(s)) => pad(A, s), s a scalar; and on the other side
HloInstruction* OfPadding(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 2) return nullptr;
  const int64_t dimension = i->dimensions()[0];
  for (int64_t side : {1, 0}) {
    HloInstruction *a = i->operand(1 - side), *broadcast = i->operand(side);
    if (broadcast->opcode() != HloOpcode::kBroadcast || !broadcast->operand(0)->shape().IsScalar()) continue;
    if (!c.Allow()) return nullptr;
    PaddingConfig padding;
    for (int64_t d = 0; d < i->shape().rank(); ++d) padding.push_back({});
    (side == 1 ? padding[dimension].high : padding[dimension].low) = broadcast->shape().dimensions(dimension);
    return c.Add(HloOpcode::kPad, i->shape(), {a, broadcast->operand(0)}, PadAttributes{padding});
  }
  return nullptr;
}

constexpr Rule kConcatenateRules[] = {
    {HloOpcode::kConcatenate, "concatenate-one", "concatenate(A) => A", kExact, kExact, One},
    {HloOpcode::kConcatenate, "concatenate-empty", "concatenate(A, empty) => A", kExact, kExact, Empty},
    {HloOpcode::kConcatenate, "concatenate-nested", "concatenate(concatenate(A, B), C) => concatenate(A, B, C)", kExact,
     kExact, ConcatenateNested},
    {HloOpcode::kConcatenate, "concatenate-slices", "concatenate(slice(A, x:y), slice(A, y:z)) => slice(A, x:z)",
     kExact, kExact, Slices},
    {HloOpcode::kConcatenate, "concatenate-broadcasts", "concatenate(broadcast(s), broadcast(s)) => broadcast(s)",
     kExact, kExact, Broadcasts},
    {HloOpcode::kConcatenate, "concatenate-repeated", "concatenate(A, A) => broadcast(A), A of size 1", kExact, kExact,
     Repeated},
    {HloOpcode::kConcatenate, "concatenate-padding", "concatenate(A, broadcast(s)) => pad(A, s)", kExact, kExact,
     OfPadding},
};

}  // namespace

std::span<const Rule> ConcatenateRules() { return kConcatenateRules; }

}  // namespace hloir::rules
