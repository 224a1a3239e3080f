// Rules of slice.
#include <algorithm>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

const SliceRanges& RangesOf(const HloInstruction* i) { return i->attributes<SliceAttributes>().slice; }

// Everything of dimension d.
bool IsWhole(const SliceRange& r, int64_t size) { return r.start == 0 && r.limit == size && r.stride == 1; }
bool IsWhole(const SliceRanges& ranges, const Shape& shape) {
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (!IsWhole(ranges[d], shape.dimensions(static_cast<int64_t>(d)))) return false;
  }
  return true;
}

// slice(A) => A, all of it
HloInstruction* SliceOfNothing(HloInstruction* i, RuleContext& c) {
  return IsWhole(RangesOf(i), i->operand(0)->shape()) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// slice(A), a stride that skips nothing => stride 1
HloInstruction* NeedlessStride(HloInstruction* i, RuleContext& c) {
  SliceRanges ranges = RangesOf(i);
  bool found = false;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    if (ranges[d].stride == 1 || i->shape().dimensions(d) != 1) continue;
    ranges[d].stride = 1;
    ranges[d].limit = ranges[d].start + 1;
    found = true;
  }
  if (!found || !c.Allow()) return nullptr;
  return c.Slice(i->operand(0), ranges);
}

// slice(slice(A)) => slice(A)
HloInstruction* SliceTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kSlice || !c.Allow()) return nullptr;
  const SliceRanges &x = RangesOf(i), &y = RangesOf(inner);
  SliceRanges ranges;
  for (size_t d = 0; d < x.size(); ++d) {
    SliceRange r;
    r.start = y[d].start + x[d].start * y[d].stride;
    r.stride = x[d].stride * y[d].stride;
    // One past the last element taken, which is inside A. Where nothing is taken, its start may be outside.
    const int64_t count = i->shape().dimensions(static_cast<int64_t>(d));
    r.limit = r.start + (count - 1) * r.stride + 1;
    ranges.push_back(count == 0 ? SliceRange{} : r);
  }
  return c.Slice(inner->operand(0), ranges);
}

// slice(broadcast(A)) => broadcast(slice(A))
HloInstruction* SliceOfBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* broadcast = i->operand(0);
  if (broadcast->opcode() != HloOpcode::kBroadcast || !c.Allow()) return nullptr;
  HloInstruction* a = broadcast->operand(0);
  SliceRanges ranges;
  for (int64_t d : broadcast->dimensions()) ranges.push_back(RangesOf(i)[d]);
  HloInstruction* sliced = IsWhole(ranges, a->shape()) ? a : c.Slice(a, ranges);
  return c.Broadcast(sliced, i->shape(), broadcast->dimensions());
}

// slice(iota) => iota, from its start
HloInstruction* SliceOfIota(HloInstruction* i, RuleContext& c) {
  HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota) return nullptr;
  const SliceRange& r = RangesOf(i)[iota->attributes<IotaAttributes>().iota_dimension];
  if (r.start != 0 || r.stride != 1 || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kIota, i->shape(), {}, iota->attributes<IotaAttributes>());
}

// slice(concatenate(A, B)) => slice(B), all from one operand
HloInstruction* SliceOfConcatenate(HloInstruction* i, RuleContext& c) {
  HloInstruction* concatenate = i->operand(0);
  if (concatenate->opcode() != HloOpcode::kConcatenate || i->shape().ElementCount() == 0) return nullptr;
  const int64_t dimension = concatenate->dimensions()[0];
  SliceRanges ranges = RangesOf(i);
  SliceRange& r = ranges[dimension];
  const int64_t last = r.start + (i->shape().dimensions(dimension) - 1) * r.stride;
  int64_t offset = 0;
  for (HloInstruction* operand : concatenate->operands()) {
    const int64_t size = operand->shape().dimensions(dimension);
    if (r.start < offset + size) {
      if (last >= offset + size) return nullptr;
      r.start -= offset;
      r.limit = last - offset + 1;
      if (IsWhole(ranges, operand->shape())) return c.ReplaceWith(operand);
      return c.Allow() ? c.Slice(operand, ranges) : nullptr;
    }
    offset += size;
  }
  return nullptr;
}

// slice(pad(A, v)) => slice(A), all from A; => broadcast(v), all from the padding
HloInstruction* SliceOfPad(HloInstruction* i, RuleContext& c) {
  HloInstruction* pad = i->operand(0);
  if (pad->opcode() != HloOpcode::kPad || i->shape().ElementCount() == 0) return nullptr;
  const PaddingConfig& padding = pad->attributes<PadAttributes>().padding;
  SliceRanges ranges = RangesOf(i);
  bool inside = true;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    SliceRange& r = ranges[d];
    const int64_t size = pad->operand(0)->shape().dimensions(d);
    const int64_t last = r.start + (i->shape().dimensions(d) - 1) * r.stride;
    // A's elements stand from low on.
    const int64_t end = padding[d].low + size + (size > 0 ? (size - 1) * padding[d].interior : 0);
    if (last < padding[d].low || r.start >= end) {
      if (i->shape().rank() == 0 || !c.Allow()) return nullptr;
      return c.Broadcast(pad->operand(1), i->shape(), {});
    }
    inside = inside && padding[d].interior == 0 && r.start >= padding[d].low && last < end;
    r.start -= padding[d].low;
    r.limit = last - padding[d].low + 1;
  }
  if (!inside) return nullptr;
  if (IsWhole(ranges, pad->operand(0)->shape())) return c.ReplaceWith(pad->operand(0));
  return c.Allow() ? c.Slice(pad->operand(0), ranges) : nullptr;
}

// slice(reverse(A)) => reverse(slice(A)), along dimensions that are taken whole or with stride 1
HloInstruction* SliceOfReverse(HloInstruction* i, RuleContext& c) {
  HloInstruction* reverse = i->operand(0);
  if (reverse->opcode() != HloOpcode::kReverse || reverse->user_count() != 1) return nullptr;
  SliceRanges ranges = RangesOf(i);
  for (int64_t d : reverse->dimensions()) {
    const int64_t size = reverse->shape().dimensions(d);
    if (ranges[d].stride != 1) return nullptr;
    ranges[d] = {size - ranges[d].limit, size - ranges[d].start, 1};
  }
  if (!c.Allow()) return nullptr;
  return c.Add(HloOpcode::kReverse, i->shape(), {c.Slice(reverse->operand(0), ranges)},
               DimensionsAttributes{reverse->dimensions()});
}

// slice(reshape(A)) => reshape(slice(A)), where the reshape only inserts and drops 1s
HloInstruction* SliceOfReshape(HloInstruction* i, RuleContext& c) {
  HloInstruction* reshape = i->operand(0);
  if (reshape->opcode() != HloOpcode::kReshape || reshape->user_count() != 1) return nullptr;
  HloInstruction* a = reshape->operand(0);
  if (!EqualIgnoringOnes(a->shape(), reshape->shape()) || i->shape().ElementCount() == 0) return nullptr;
  SliceRanges ranges;
  int64_t k = 0;
  for (int64_t d = 0; d < a->shape().rank(); ++d) {
    if (a->shape().dimensions(d) == 1) {
      ranges.push_back({0, 1, 1});
      continue;
    }
    while (reshape->shape().dimensions(k) == 1) ++k;
    ranges.push_back(RangesOf(i)[k++]);
  }
  if (IsWhole(ranges, a->shape()) || !c.Allow()) return nullptr;
  return c.Reshape(c.Slice(a, ranges), i->shape());
}

// slice(transpose(A)) => transpose(slice(A))
HloInstruction* SliceOfTranspose(HloInstruction* i, RuleContext& c) {
  HloInstruction* transpose = i->operand(0);
  if (transpose->opcode() != HloOpcode::kTranspose || transpose->user_count() != 1 || !c.Allow()) return nullptr;
  SliceRanges ranges = RangesOf(i);
  for (size_t d = 0; d < ranges.size(); ++d) ranges[transpose->dimensions()[d]] = RangesOf(i)[d];
  return c.Transpose(c.Slice(transpose->operand(0), ranges), transpose->dimensions());
}

// slice(f(A)) => f(slice(A)), f elementwise of one operand
HloInstruction* SliceOfUnary(HloInstruction* i, RuleContext& c) {
  HloInstruction* f = i->operand(0);
  if (!f->Is(kElementwise) || f->operand_count() != 1 || f->user_count() != 1 || f->opcode() == HloOpcode::kCopy ||
      !f->operand(0)->shape().SameDimensions(f->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.CloneOver(f, std::vector{c.Slice(f->operand(0), RangesOf(i))}, i->shape());
}

// slice(concatenate(A, B, C)) => slice(concatenate(B, C)), without operands that nothing is taken from
HloInstruction* OfSomeConcatenated(HloInstruction* i, RuleContext& c) {
  HloInstruction* concatenate = i->operand(0);
  if (concatenate->opcode() != HloOpcode::kConcatenate || concatenate->user_count() != 1 ||
      i->shape().ElementCount() == 0) {
    return nullptr;
  }
  const int64_t dimension = concatenate->dimensions()[0];
  SliceRanges ranges = RangesOf(i);
  SliceRange& r = ranges[dimension];
  const int64_t last = r.start + (i->shape().dimensions(dimension) - 1) * r.stride;
  std::vector<HloInstruction*> kept;
  int64_t offset = 0, first_kept = -1, size = 0;
  for (HloInstruction* operand : concatenate->operands()) {
    const int64_t end = offset + operand->shape().dimensions(dimension);
    if (r.start < end && last >= offset) {
      if (first_kept < 0) first_kept = offset;
      size += end - offset;
      kept.push_back(operand);
    }
    offset = end;
  }
  // From one operand alone: slice-concatenate.
  if (kept.size() < 2 || kept.size() == concatenate->operands().size() || !c.Allow()) return nullptr;
  Shape shape = Shape::Array(i->shape().element_type(), concatenate->shape().dimensions());
  shape.set_dimension(dimension, size);
  r.start -= first_kept;
  r.limit = last - first_kept + 1;
  return c.Slice(
      c.computation()->AddInstruction(HloOpcode::kConcatenate, shape, kept, DimensionsAttributes{{dimension}}), ranges);
}

// slice(reduce(A, v)) => reduce(slice(A), v)
HloInstruction* SliceOfReduce(HloInstruction* i, RuleContext& c) {
  HloInstruction* reduce = i->operand(0);
  if (reduce->opcode() != HloOpcode::kReduce || reduce->operand_count() != 2 || reduce->user_count() != 1)
    return nullptr;
  HloInstruction* a = reduce->operand(0);
  SliceRanges ranges;
  int64_t k = 0;
  for (int64_t d = 0; d < a->shape().rank(); ++d) {
    const DimVector& reduced = reduce->dimensions();
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    ranges.push_back(is_reduced ? SliceRange{0, a->shape().dimensions(d), 1} : RangesOf(i)[k++]);
  }
  if (!c.Allow()) return nullptr;
  HloInstruction* result = c.Add(HloOpcode::kReduce, Shape::Array(i->shape().element_type(), i->shape().dimensions()),
                                 {c.Slice(a, ranges), reduce->operand(1)}, DimensionsAttributes{reduce->dimensions()});
  result->AddCalledComputation(reduce->to_apply());
  return result;
}

// slice(dot(A, B)) => dot(slice(A), slice(B))
HloInstruction* OfDot(HloInstruction* i, RuleContext& c) {
  HloInstruction* dot = i->operand(0);
  if (dot->opcode() != HloOpcode::kDot || dot->user_count() != 1) return nullptr;
  const auto& a = dot->attributes<DotAttributes>();
  const int64_t batch = static_cast<int64_t>(a.lhs_batch_dims.size());
  SliceRanges sides[2];
  int64_t k = batch;  // the result's dimensions: batch, then the left side's, then the right side's
  for (int64_t side : {0, 1}) {
    const Shape& shape = dot->operand(side)->shape();
    const DimVector &batches = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims,
                    &contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const auto at = std::find(batches.begin(), batches.end(), d);
      if (at != batches.end()) sides[side].push_back(RangesOf(i)[at - batches.begin()]);
      else if (std::find(contracting.begin(), contracting.end(), d) != contracting.end())
        sides[side].push_back({0, shape.dimensions(d), 1});
      else sides[side].push_back(RangesOf(i)[k++]);
    }
  }
  if (!c.Allow()) return nullptr;
  HloInstruction* operands[2];
  for (int64_t side : {0, 1}) {
    HloInstruction* operand = dot->operand(side);
    operands[side] = IsWhole(sides[side], operand->shape()) ? operand : c.Slice(operand, sides[side]);
  }
  return c.Add(HloOpcode::kDot, Shape::Array(i->shape().element_type(), i->shape().dimensions()),
               {operands[0], operands[1]}, DotAttributes(a));
}

constexpr Rule kSliceRules[] = {
    {HloOpcode::kSlice, "slice-nothing", "slice(A) => A, all of it", kExact, kExact, SliceOfNothing},
    {HloOpcode::kSlice, "slice-needless-stride", "slice(A), a stride that skips nothing => stride 1", kExact, kExact,
     NeedlessStride},
    {HloOpcode::kSlice, "slice-slice", "slice(slice(A)) => slice(A)", kExact, kExact, SliceTwice},
    {HloOpcode::kSlice, "slice-broadcast", "slice(broadcast(A)) => broadcast(slice(A))", kExact, kExact,
     SliceOfBroadcast},
    {HloOpcode::kSlice, "slice-iota", "slice(iota) => iota, from its start", kExact, kExact, SliceOfIota},
    {HloOpcode::kSlice, "slice-concatenate", "slice(concatenate(A, B)) => slice(B), all from one", kExact, kExact,
     SliceOfConcatenate},
    {HloOpcode::kSlice, "slice-pad", "slice(pad(A, v)) => slice(A) or broadcast(v), all from one", kExact, kExact,
     SliceOfPad},
    {HloOpcode::kSlice, "slice-reverse", "slice(reverse(A)) => reverse(slice(A))", kExact, kExact, SliceOfReverse},
    {HloOpcode::kSlice, "slice-reshape", "slice(reshape(A)) => reshape(slice(A)), if only 1s move", kExact, kExact,
     SliceOfReshape},
    {HloOpcode::kSlice, "slice-transpose", "slice(transpose(A)) => transpose(slice(A))", kExact, kExact,
     SliceOfTranspose},
    {HloOpcode::kSlice, "slice-unary", "slice(f(A)) => f(slice(A)), f elementwise", kExact, kExact, SliceOfUnary},
    {HloOpcode::kSlice, "slice-some-concatenated", "slice(concatenate(A, B, C)) => slice(concatenate(B, C))", kExact,
     kExact, OfSomeConcatenated},
    {HloOpcode::kSlice, "slice-reduce", "slice(reduce(A, v)) => reduce(slice(A), v)", kExact, kRounding, SliceOfReduce},
    {HloOpcode::kSlice, "slice-dot", "slice(dot(A, B)) => dot(slice(A), slice(B))", kExact, kRounding, OfDot},
};

}  // namespace

std::span<const Rule> SliceRules() { return kSliceRules; }

}  // namespace hloir::rules
