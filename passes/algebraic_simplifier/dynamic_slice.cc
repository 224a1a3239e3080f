// Rules of dynamic-slice and dynamic-update-slice. Start indices are clamped so that the slice is in bounds; a
// replacement must clamp as well.
#include <algorithm>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

// The operand number of the first scalar start index, and whether the op has scalar indices (old text has one array of
// them, which may have one element).
constexpr int64_t kSliceIndices = 1, kUpdateIndices = 2;
bool HasScalarIndices(const HloInstruction* i, int64_t first) {
  const int64_t rank = i->shape().rank();
  return i->operand_count() == first + rank && (rank == 0 || i->operand(first)->shape().rank() == 0);
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
      // The largest u64 is not a negative number.
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
HloInstruction* DynamicSliceOfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (a->opcode() != HloOpcode::kBroadcast || !a->operand(0)->shape().IsScalar() || !c.Allow()) return nullptr;
  return c.Broadcast(a->operand(0), i->shape(), {});
}

// The same start indices, operand by operand.
bool SameIndices(const HloInstruction* a, int64_t first_a, const HloInstruction* b, int64_t first_b) {
  if (!HasScalarIndices(a, first_a) || !HasScalarIndices(b, first_b)) return false;
  return std::equal(a->operands().begin() + first_a, a->operands().end(), b->operands().begin() + first_b,
                    b->operands().end());
}

// dynamic-update-slice(A, dynamic-slice(A, k), k) => A
HloInstruction* UpdateWithItself(HloInstruction* i, RuleContext& c) {
  const HloInstruction* slice = i->operand(1);
  if (slice->opcode() != HloOpcode::kDynamicSlice || slice->operand(0) != i->operand(0) ||
      !SameIndices(slice, kSliceIndices, i, kUpdateIndices)) {
    return nullptr;
  }
  return c.ReplaceWith(i->operand(0));
}

// dynamic-update-slice(dynamic-update-slice(A, B, k), C, k) => dynamic-update-slice(A, C, k), B and C of one size
HloInstruction* UpdateTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kDynamicUpdateSlice ||
      !inner->operand(1)->shape().SameDimensions(i->operand(1)->shape()) ||
      !SameIndices(inner, kUpdateIndices, i, kUpdateIndices) || !c.Allow()) {
    return nullptr;
  }
  std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
  operands[0] = inner->operand(0);
  return c.CloneOver(i, operands, i->shape());
}

// dynamic-slice(dynamic-update-slice(A, B, k), k) => B, of one size
HloInstruction* SliceOfUpdate(HloInstruction* i, RuleContext& c) {
  HloInstruction* update = i->operand(0);
  if (update->opcode() != HloOpcode::kDynamicUpdateSlice || !update->operand(1)->shape().SameDimensions(i->shape()) ||
      !SameIndices(i, kSliceIndices, update, kUpdateIndices)) {
    return nullptr;
  }
  return c.ReplaceWith(update->operand(1));
}

// A dynamic-slice of `a` like `i`, with indices and sizes of these dimensions of i's operand (-1: a dimension of size
// 1).
HloInstruction* SliceLike(RuleContext& c, HloInstruction* i, HloInstruction* a, const DimVector& dimensions) {
  std::vector<HloInstruction*> operands{a};
  DimVector sizes;
  for (int64_t d : dimensions) {
    operands.push_back(d < 0 ? c.Splat(i->operand(kSliceIndices)->shape(), 0) : i->operand(kSliceIndices + d));
    sizes.push_back(d < 0 ? 1 : i->shape().dimensions(d));
  }
  return c.computation()->AddInstruction(HloOpcode::kDynamicSlice, Shape::Array(a->shape().element_type(), sizes),
                                         operands, DynamicSliceAttributes{sizes});
}

// dynamic-slice(broadcast(A)) => broadcast(dynamic-slice(A))
HloInstruction* OfWiderBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast || broadcast->operand(0)->shape().rank() == 0 ||
      !HasScalarIndices(i, kSliceIndices) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* a = broadcast->operand(0);
  bool whole = true;
  for (int64_t d : broadcast->dimensions())
    whole = whole && i->shape().dimensions(d) == broadcast->shape().dimensions(d);
  return c.Broadcast(whole ? a : SliceLike(c, i, a, broadcast->dimensions()), i->shape(), broadcast->dimensions());
}

// dynamic-slice(transpose(A)) => transpose(dynamic-slice(A))
HloInstruction* DynamicSliceOfTranspose(HloInstruction* i, RuleContext& c) {
  HloInstruction* transpose = i->operand(0);
  if (transpose->opcode() != HloOpcode::kTranspose || transpose->user_count() != 1 ||
      !HasScalarIndices(i, kSliceIndices) || !c.Allow()) {
    return nullptr;
  }
  const DimVector& permutation = transpose->dimensions();
  DimVector where(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) where[permutation[k]] = static_cast<int64_t>(k);
  return c.Transpose(SliceLike(c, i, transpose->operand(0), where), permutation);
}

// dynamic-slice(reshape(A)) => reshape(dynamic-slice(A)), where the reshape only inserts and drops 1s
HloInstruction* DynamicSliceOfReshape(HloInstruction* i, RuleContext& c) {
  HloInstruction* reshape = i->operand(0);
  if (reshape->opcode() != HloOpcode::kReshape || reshape->user_count() != 1 || !HasScalarIndices(i, kSliceIndices))
    return nullptr;
  const Shape &from = reshape->operand(0)->shape(), &to = reshape->shape();
  if (!EqualIgnoringOnes(from, to) || i->shape().ElementCount() == 0 || to.rank() == 0) return nullptr;
  if (!c.Allow()) return nullptr;
  return c.Reshape(SliceLike(c, i, reshape->operand(0), WhereDimensionsWent(from, to)), i->shape());
}

// dynamic-slice(f(A)) => f(dynamic-slice(A)), f elementwise of one operand
HloInstruction* DynamicSliceOfUnary(HloInstruction* i, RuleContext& c) {
  HloInstruction* f = i->operand(0);
  if (!f->Is(kElementwise) || f->operand_count() != 1 || f->user_count() != 1 || f->opcode() == HloOpcode::kCopy ||
      !f->operand(0)->shape().SameDimensions(f->shape()) || !HasScalarIndices(i, kSliceIndices) || !c.Allow()) {
    return nullptr;
  }
  DimVector all;
  for (int64_t d = 0; d < i->shape().rank(); ++d) all.push_back(d);
  return c.CloneOver(f, std::vector{SliceLike(c, i, f->operand(0), all)}, i->shape());
}

// dynamic-slice(iota, k) => clamp(0, k, n - 1), one element along the iota's dimension
HloInstruction* DynamicSliceOfIota(HloInstruction* i, RuleContext& c) {
  const HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !HasScalarIndices(i, kSliceIndices)) return nullptr;
  const int64_t dimension = iota->attributes<IotaAttributes>().iota_dimension,
                size = iota->shape().dimensions(dimension);
  HloInstruction* index = i->operand(kSliceIndices + dimension);
  const PrimitiveType from = index->shape().element_type(), to = i->shape().element_type();
  if (i->shape().dimensions(dimension) != 1 || !IsInteger(to)) return nullptr;
  for (PrimitiveType type : {from, to}) {
    const int bits = BitWidth(type) - IsSigned(type);
    if (bits < 63 && size > int64_t{1} << bits) return nullptr;
  }
  if (!c.Allow()) return nullptr;
  HloInstruction* clamped = c.Add(
      HloOpcode::kClamp, index->shape(),
      {c.Splat(index->shape(), 0), index, c.Splat(index->shape(), static_cast<double>(size - 1))}, NoAttributes{});
  return c.BroadcastScalar(from == to ? clamped : c.Convert(clamped, to), i->shape());
}

// The index clamp(0, k, n - size) => k: it is clamped anyway
HloInstruction* ClampedIndex(HloInstruction* i, RuleContext& c) {
  const int64_t first = i->opcode() == HloOpcode::kDynamicSlice ? kSliceIndices : kUpdateIndices;
  if (!HasScalarIndices(i, first)) return nullptr;
  std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
  bool found = false;
  for (int64_t d = 0; d < i->operand(0)->shape().rank(); ++d) {
    HloInstruction*& index = operands[static_cast<size_t>(first + d)];
    if (index->opcode() != HloOpcode::kClamp) continue;
    std::optional<int64_t> low = SplatInteger(index->operand(0)), high = SplatInteger(index->operand(2));
    const int64_t room = i->operand(0)->shape().dimensions(d) - SlicedShape(i).dimensions(d);
    if (!low || !high || *low > 0 || *high < room) continue;
    index = index->operand(1);
    found = true;
  }
  if (!found || !c.Allow()) return nullptr;
  return c.CloneOver(i, operands, i->shape());
}

// dynamic-update-slice(broadcast(s), B, constants) => pad(B, s)
HloInstruction* UpdateOfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (a->opcode() != HloOpcode::kBroadcast || !a->operand(0)->shape().IsScalar() ||
      !HasScalarIndices(i, kUpdateIndices)) {
    return nullptr;
  }
  PaddingConfig padding;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    std::optional<int64_t> index = SplatInteger(i->operand(kUpdateIndices + d));
    const int64_t room = i->shape().dimensions(d) - i->operand(1)->shape().dimensions(d);
    if (!index) return nullptr;
    const int64_t start = std::clamp<int64_t>(*index, 0, room);
    padding.push_back({start, room - start, 0});
  }
  if (i->shape().rank() == 0 || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kPad, i->shape(), {i->operand(1), a->operand(0)}, PadAttributes{padding});
}

constexpr Rule kDynamicSliceRules[] = {
    {HloOpcode::kDynamicSlice, "dynamic-slice-whole", "dynamic-slice(A) => A, of full size", kExact, kExact,
     WholeSlice},
    {HloOpcode::kDynamicSlice, "dynamic-slice-constant", "dynamic-slice(A, constants) => slice(A)", kExact, kExact,
     ConstantIndices},
    {HloOpcode::kDynamicSlice, "dynamic-slice-broadcast", "dynamic-slice(broadcast(s)) => broadcast(s)", kExact, kExact,
     DynamicSliceOfBroadcast},
    {HloOpcode::kDynamicSlice, "dynamic-slice-needless-index", "the index of a dimension that is taken whole => 0",
     kExact, kExact, NeedlessIndex},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-whole", "dynamic-update-slice(A, B) => B, of full size",
     kExact, kExact, WholeUpdate},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-empty", "dynamic-update-slice(A, empty) => A", kExact,
     kExact, EmptyUpdate},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-needless-index",
     "the index of a dimension that is replaced whole => 0", kExact, kExact, NeedlessIndex},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-with-itself",
     "dynamic-update-slice(A, dynamic-slice(A, k), k) => A", kExact, kExact, UpdateWithItself},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-twice",
     "dynamic-update-slice(dynamic-update-slice(A, B, k), C, k) => dynamic-update-slice(A, C, k)", kExact, kExact,
     UpdateTwice},
    {HloOpcode::kDynamicSlice, "dynamic-slice-of-update", "dynamic-slice(dynamic-update-slice(A, B, k), k) => B",
     kExact, kExact, SliceOfUpdate},
    {HloOpcode::kDynamicSlice, "dynamic-slice-wider-broadcast",
     "dynamic-slice(broadcast(A)) => broadcast(dynamic-slice(A))", kExact, kExact, OfWiderBroadcast},
    {HloOpcode::kDynamicSlice, "dynamic-slice-transpose", "dynamic-slice(transpose(A)) => transpose(dynamic-slice(A))",
     kExact, kExact, DynamicSliceOfTranspose},
    {HloOpcode::kDynamicSlice, "dynamic-slice-reshape",
     "dynamic-slice(reshape(A)) => reshape(dynamic-slice(A)), if only 1s move", kExact, kExact, DynamicSliceOfReshape},
    {HloOpcode::kDynamicSlice, "dynamic-slice-unary", "dynamic-slice(f(A)) => f(dynamic-slice(A)), f elementwise",
     kExact, kExact, DynamicSliceOfUnary},
    {HloOpcode::kDynamicSlice, "dynamic-slice-iota", "dynamic-slice(iota, k) => clamp(0, k, n - 1), one element",
     kExact, kExact, DynamicSliceOfIota},
    {HloOpcode::kDynamicSlice, "dynamic-slice-clamped-index", "the index clamp(0, k, n - size) => k", kExact, kExact,
     ClampedIndex},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-clamped-index", "the index clamp(0, k, n - size) => k",
     kExact, kExact, ClampedIndex},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice-broadcast",
     "dynamic-update-slice(broadcast(s), B, constants) => pad(B, s)", kExact, kExact, UpdateOfBroadcast},
};

}  // namespace

std::span<const Rule> DynamicSliceRules() { return kDynamicSliceRules; }

}  // namespace hloir::rules
