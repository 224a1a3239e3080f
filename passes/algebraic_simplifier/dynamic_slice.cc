// Rules of dynamic-slice and dynamic-update-slice. Start indices are clamped so that the slice lies inside, and so must
// be whatever stands for it.
#include <algorithm>

#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

// Where the scalar start indices begin among the operands, and whether the op has that form (old text has one array of
// them).
constexpr int64_t kSliceIndices = 1, kUpdateIndices = 2;
bool HasScalarIndices(const HloInstruction* i, int64_t first) {
  return i->operand_count() == first + i->shape().rank();
}
const Shape& SlicedShape(const HloInstruction* i) {
  return i->opcode() == HloOpcode::kDynamicSlice ? i->shape() : i->operand(1)->shape();
}

// dynamic-slice(A) => A, of full size
HloInstruction* WholeSlice(HloInstruction* i, RuleContext& c) {
  return i->operand(0)->shape().SameDimensions(i->shape()) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// dynamic-update-slice(A, B) => B, of full size
HloInstruction* WholeUpdate(HloInstruction* i, RuleContext& c) {
  return i->operand(1)->shape().SameDimensions(i->shape()) ? c.ReplaceWith(i->operand(1)) : nullptr;
}

// dynamic-update-slice(A, empty) => A
HloInstruction* EmptyUpdate(HloInstruction* i, RuleContext& c) {
  return i->operand(1)->shape().ElementCount() == 0 ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// dynamic-slice(A, constants) => slice(A)
HloInstruction* ConstantIndices(HloInstruction* i, RuleContext& c) {
  if (!HasScalarIndices(i, kSliceIndices)) return nullptr;
  SliceRanges ranges;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const HloInstruction* index = i->operand(kSliceIndices + d);
    const int64_t size = i->shape().dimensions(d), room = i->operand(0)->shape().dimensions(d) - size;
    int64_t start = 0;
    if (room > 0) {
      if (!index->IsScalarConstant() || index->literal().elided()) return nullptr;
      start = index->literal().GetAsInt64(0);
      // The largest u64 is no negative number.
      if (index->shape().element_type() == PrimitiveType::U64 && start < 0) start = room;
      start = std::clamp<int64_t>(start, 0, room);
    }
    ranges.push_back({start, start + size, 1});
  }
  if (!c.Allow()) return nullptr;
  return c.Slice(i->operand(0), ranges);
}

// An index into a dimension that is taken whole => 0
HloInstruction* NeedlessIndex(HloInstruction* i, RuleContext& c) {
  const int64_t first = i->opcode() == HloOpcode::kDynamicSlice ? kSliceIndices : kUpdateIndices;
  if (!HasScalarIndices(i, first)) return nullptr;
  const Shape &whole = i->operand(0)->shape(), &part = SlicedShape(i);
  std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
  auto is_needless = [&](int64_t d) {
    return whole.dimensions(d) == part.dimensions(d) && !operands[static_cast<size_t>(first + d)]->IsConstant();
  };
  bool found = false;
  for (int64_t d = 0; d < whole.rank(); ++d) found = found || is_needless(d);
  if (!found || !c.Allow()) return nullptr;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    HloInstruction*& index = operands[static_cast<size_t>(first + d)];
    if (is_needless(d)) index = c.Splat(index->shape(), 0);
  }
  return c.CloneOver(i, operands, i->shape());
}

// dynamic-slice(broadcast(s)) => broadcast(s), s a scalar
HloInstruction* OfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (a->opcode() != HloOpcode::kBroadcast || !a->operand(0)->shape().IsScalar() || !c.Allow()) return nullptr;
  return c.Broadcast(a->operand(0), i->shape(), {});
}

constexpr Rule kRules[] = {
    {HloOpcode::kDynamicSlice, "dynamic-slice-whole", "dynamic-slice(A) => A, of full size", kExact, kExact,
     WholeSlice},
    {HloOpcode::kDynamicSlice, "dynamic-slice-constant", "dynamic-slice(A, constants) => slice(A)", kExact, kExact,
     ConstantIndices},
    {HloOpcode::kDynamicSlice, "dynamic-slice-broadcast", "dynamic-slice(broadcast(s)) => broadcast(s)", kExact, kExact,
     OfBroadcast},
    {HloOpcode::kDynamicSlice, "dynamic-slice-needless-index", "the index of a dimension that is taken whole => 0",
     kExact, kExact, NeedlessIndex},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-whole", "dynamic-update-slice(A, B) => B, of full size",
     kExact, kExact, WholeUpdate},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-empty", "dynamic-update-slice(A, empty) => A", kExact,
     kExact, EmptyUpdate},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-needless-index",
     "the index of a dimension that is replaced whole => 0", kExact, kExact, NeedlessIndex},
};

}  // namespace

std::span<const Rule> DynamicSliceRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
