// scatter-determinism-expander: replaces scatters with repeated indices by scatters with unique ones, so that results
// do not depend on the order of updates.
//
// BEFORE
// HloModule example
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[5,3]{1,0} parameter(0)
//   at = s32[4,1]{1,0} parameter(1)
//   updates = s32[4,3]{1,0} parameter(2)
//   ROOT y = s32[5,3]{1,0} scatter(x, at, updates), update_window_dims={1}, inserted_window_dims={0},
//   scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
// }
// AFTER
// END
//
// Each element of the updates gets its place in the flattened operand, and past its end if its window does not fit.
// Sorted by place, those that meet are neighbours; a running sum over each such run (in steps of 1, 2, 4, …) ends in
// their sum, and that alone is scattered. Of class rounding for floats, which are then added up in another order.
// Leaves alone: unique indices, batches (batched-gather-scatter-normalizer), several operands, computations other than
// an associative operation or the update itself.
#include <algorithm>

#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;
constexpr PrimitiveType S64 = PrimitiveType::S64;

// The last update stays, whatever was there.
bool TakesUpdate(const HloInstruction& i) { return i.to_apply()->root() == i.to_apply()->parameter(1); }

Op Splat(HloBuilder& b, int64_t value, const DimVector& sizes) { return b.Broadcast(b.Constant(value), sizes, {}); }

// The target of each update in the flattened operand: [scatter indices, elements of a window].
Op Places(HloBuilder& b, const ScatterAttributes& a, const DimVector& sizes, Op indices, const DimVector& window) {
  const int64_t rank = static_cast<int64_t>(sizes.size()), total = Shape::Array(S64, sizes).ElementCount();
  DimVector strides(sizes.size(), 1);
  for (int64_t d = rank - 2; d >= 0; --d) strides[d] = strides[d + 1] * sizes[d + 1];
  // The index vectors as rows.
  DimVector order, flat = indices->shape().dimensions();
  const int64_t vector = a.index_vector_dim;
  for (int64_t d = 0; d < indices->shape().rank(); ++d) {
    if (d != vector) order.push_back(d);
  }
  if (vector < indices->shape().rank()) order.push_back(vector);
  const int64_t width = static_cast<int64_t>(a.scatter_dims_to_operand_dims.size());
  const int64_t count = width == 0 ? 1 : indices->shape().ElementCount() / width;
  const Op rows = b.Reshape(b.Transpose(b.Convert(indices, S64), order), {count, width});
  Op start = Splat(b, 0, {count}), fits = b.Broadcast(b.Constant(true), {count}, {});
  for (int64_t k = 0; k < width; ++k) {
    const int64_t d = a.scatter_dims_to_operand_dims[k];
    const Op index = b.Reshape(b.Slice(rows, {0, k}, {count, k + 1}), {count});
    start = b.Add(start, b.Multiply(index, Splat(b, strides[d], {count})));
    fits = b.And(fits, b.And(b.Compare(index, Splat(b, 0, {count}), ComparisonDirection::kGe),
                             b.Compare(index, Splat(b, sizes[d] - window[d], {count}), ComparisonDirection::kLe)));
  }
  DimVector kept;
  std::vector<int64_t> steps;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(a.inserted_window_dims, d)) kept.push_back(window[d]), steps.push_back(strides[d]);
  }
  Op offset = Splat(b, 0, kept);
  for (size_t k = 0; k < steps.size(); ++k) {
    offset =
        b.Add(offset, b.Multiply(b.Iota(Shape::Array(S64, kept), static_cast<int64_t>(k)), Splat(b, steps[k], kept)));
  }
  const int64_t elements = Shape::Array(S64, kept).ElementCount();
  const DimVector both{count, elements};
  const Op place = b.Add(b.Broadcast(start, both, {0}), b.Broadcast(b.Reshape(offset, {elements}), both, {1}));
  return b.Reshape(b.Select(b.Broadcast(fits, both, {0}), place, Splat(b, total, both)), {count * elements});
}

// A mask: the element `distance` before (or, if negative, after) this one has the same target.
Op SamePlace(HloBuilder& b, Op places, int64_t distance, int64_t n) {
  const int64_t apart = std::abs(distance);
  const Op same = b.Compare(b.Slice(places, {0}, {n - apart}), b.Slice(places, {apart}, {n}), ComparisonDirection::kEq);
  const Op none = b.Broadcast(b.Constant(false), {apart}, {});
  return distance > 0 ? b.Concatenate({none, same}, 0) : b.Concatenate({same, none}, 0);
}

Op BuildScatterDeterminism(HloBuilder& b, HloInstruction& i, Ops x) {
  const auto& a = i.attributes<ScatterAttributes>();
  const DimVector& sizes = i.shape().dimensions();
  const int64_t total = i.shape().ElementCount(), n = x[2]->shape().ElementCount();
  DimVector window(sizes.size(), 1), order;
  for (int64_t d = 0, k = 0; d < i.shape().rank(); ++d) {
    if (!Contains(a.inserted_window_dims, d)) window[d] = x[2]->shape().dimensions(a.update_window_dims[k++]);
  }
  for (int64_t d = 0; d < x[2]->shape().rank(); ++d) {
    if (!Contains(a.update_window_dims, d)) order.push_back(d);
  }
  for (int64_t d : a.update_window_dims) order.push_back(d);
  const Op updates = b.Reshape(b.Transpose(x[2], order), {n});
  const PrimitiveType types[] = {S64, i.shape().element_type()};
  const Op sorted = b.Sort({Places(b, a, sizes, x[1], window), updates}, 0,
                           MakeComparator(b.module(), ComparisonDirection::kLt, types), true);
  const Op places = b.GetTupleElement(sorted, 0);
  Op sums = b.GetTupleElement(sorted, 1);
  if (!TakesUpdate(i)) {
    const HloOpcode op = *BinaryReducer(i.to_apply());
    for (int64_t distance = 1; distance < n; distance *= 2) {
      const Op before = b.Concatenate({b.Slice(sums, {0}, {distance}), b.Slice(sums, {0}, {n - distance})}, 0);
      sums = b.Select(SamePlace(b, places, distance, n), b.Make(op, {before, sums}), sums);
    }
  }
  // All but the last of a run get targets past the end, each a different one.
  const Op past = b.Add(b.Iota(Shape::Array(S64, {n}), 0), Splat(b, total, {n}));
  const Op outside = b.Compare(places, Splat(b, total, {n}), ComparisonDirection::kGe);
  const Op last = n == 1 ? outside : b.Or(outside, SamePlace(b, places, -1, n));
  ScatterAttributes numbers;
  numbers.inserted_window_dims = {0};
  numbers.scatter_dims_to_operand_dims = {0};
  numbers.index_vector_dim = 1;
  numbers.unique_indices = true;
  return b.Reshape(
      b.Scatter(b.Reshape(x[0], {total}), b.Reshape(b.Select(last, past, places), {n, 1}), sums, numbers, i.to_apply()),
      sizes);
}

HloInstruction* ExpandScatterDeterminism(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<ScatterAttributes>();
  if (i->operand_count() != 3 || a.unique_indices || !a.input_batching_dims.empty()) return nullptr;
  const HloInstruction *x = i->operand(0), *updates = i->operand(2);
  if (i->shape().ElementCount() == 0 || updates->shape().ElementCount() == 0 ||
      x->shape().element_type() != updates->shape().element_type())
    return nullptr;
  // Places past the end must be numbers too.
  if (i->shape().ElementCount() > INT64_MAX - updates->shape().ElementCount()) return nullptr;
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  return (op && HasTrait(*op, kAssociative)) || TakesUpdate(*i) ? c.Expand(BuildScatterDeterminism) : nullptr;
}

constexpr Rule kScatterDeterminismExpanderRules[] = {
    {HloOpcode::kScatter, "expand-meeting-updates", "scatter(A, I, B) => scatter(A, sorted I, sums of B at each)",
     kExact, kRounding, ExpandScatterDeterminism},
};

}  // namespace
}  // namespace rules

PassDefinition DefineScatterDeterminismExpander() {
  return rules::DefineRulePass(rules::kScatterDeterminismExpanderRules);
}

}  // namespace hloir
