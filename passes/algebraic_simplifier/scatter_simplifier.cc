// scatter-simplifier: scatters in one form: a list of places, and for each a window of the operand's rank.
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
//   x = s32[10,8]{1,0} parameter(0)
//   rows = s32[2,3]{1,0} parameter(1)
//   updates = s32[8,2,3]{2,1,0} parameter(2)
//   ROOT s = s32[10,8]{1,0} scatter(x, rows, updates), update_window_dims={0}, inserted_window_dims={0},
//   scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add
// }
// AFTER
// HloModule example
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[10,8]{1,0} parameter(0)
//   rows = s32[2,3]{1,0} parameter(1)
//   reshape = s32[6,1]{1,0} reshape(rows)
//   updates = s32[8,2,3]{2,1,0} parameter(2)
//   transpose = s32[2,3,8]{1,0,2} transpose(updates), dimensions={1,2,0}
//   reshape.1 = s32[6,1,8]{2,1,0} reshape(transpose)
//   ROOT scatter = s32[10,8]{1,0} scatter(x, reshape, reshape.1), update_window_dims={1,2}, inserted_window_dims={},
//   scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
// }
// END
//
// The indices become [places, coordinates], the updates [places, window…]. Where places come before others in another
// order than before, the sum of floats may round otherwise. Of one place alone it is a
// dynamic-update-slice. Leaves alone: batching dimensions.
#include <algorithm>

#include "algebraic_simplifier/families.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// The dimensions of the updates that are not of the window: those of the list of places.
DimVector PlaceDimensions(const ScatterAttributes& a, int64_t rank) {
  DimVector places;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(a.update_window_dims, d)) places.push_back(d);
  }
  return places;
}

bool IsSimple(const HloInstruction& i, const ScatterAttributes& a) {
  const int64_t rank = i.operand(0)->shape().rank();
  DimVector window;
  for (int64_t d = 0; d < rank; ++d) window.push_back(d + 1);
  return a.inserted_window_dims.empty() && a.update_window_dims == window && a.index_vector_dim == 1 &&
         i.operand(i.operand_count() / 2)->shape().rank() == 2;
}

HloInstruction* Simplify(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<ScatterAttributes>();
  if (!a.input_batching_dims.empty() || IsSimple(*i, a)) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    ScatterAttributes a = i.attributes<ScatterAttributes>();
    const int64_t arrays = i.operand_count() / 2, rank = x[0]->shape().rank();
    // Coordinates last, then all places in one list.
    Op indices = x[static_cast<size_t>(arrays)];
    const int64_t depth = static_cast<int64_t>(a.scatter_dims_to_operand_dims.size());
    if (a.index_vector_dim < indices->shape().rank()) {
      DimVector order;
      for (int64_t d = 0; d < indices->shape().rank(); ++d) {
        if (d != a.index_vector_dim) order.push_back(d);
      }
      order.push_back(a.index_vector_dim);
      if (!IsIdentity(order)) indices = b.Transpose(indices, order);
    }
    const Op first_update = x[static_cast<size_t>(arrays) + 1];
    const DimVector place_dims = PlaceDimensions(a, first_update->shape().rank());
    int64_t places = 1;
    for (int64_t d : place_dims) places *= first_update->shape().dimensions(d);
    if (indices == nullptr) return Op{nullptr};
    const DimVector listed{places, depth};
    if (indices->shape().dimensions() != listed) indices = b.Reshape(indices, listed);
    std::vector<Op> updates;
    for (int64_t k = 0; k < arrays; ++k) {
      Op update = x[static_cast<size_t>(arrays + 1 + k)];
      DimVector order = place_dims, sizes{places};
      for (int64_t d : a.update_window_dims) order.push_back(d);
      size_t at = 0;
      for (int64_t d = 0; d < rank; ++d) {
        sizes.push_back(Contains(a.inserted_window_dims, d) ? 1
                                                            : update->shape().dimensions(a.update_window_dims[at++]));
      }
      if (!IsIdentity(order)) update = b.Transpose(update, order);
      if (update == nullptr) return Op{nullptr};
      updates.push_back(update->shape().dimensions() == sizes ? update : b.Reshape(update, sizes));
    }
    a.inserted_window_dims.clear();
    a.update_window_dims.clear();
    for (int64_t d = 0; d < rank; ++d) a.update_window_dims.push_back(d + 1);
    a.index_vector_dim = 1;
    return b.Scatter(x.first(static_cast<size_t>(arrays)), indices, updates, a, i.to_apply());
  });
}

// A number of this type, which may be too small for it.
bool IndexTypeHolds(PrimitiveType type, int64_t value) {
  return BitWidth(type) - IsSigned(type) >= 63 || value >> (BitWidth(type) - IsSigned(type)) == 0;
}

// The only window of a scatter: its start in each dimension of the array, its size, and a predicate that it lies inside
// (nullptr: always).
struct Place {
  std::vector<Op> starts;
  DimVector sizes;
  Op inside = nullptr;
};
Place PlaceOf(HloBuilder& b, const ScatterAttributes& a, const Shape& array, Op index, const Shape& update) {
  Place place;
  const PrimitiveType type = index->shape().element_type();
  const int64_t depth = static_cast<int64_t>(a.scatter_dims_to_operand_dims.size());
  Op list = index->shape().rank() == 1 ? index : b.Reshape(index, {depth});
  size_t at = 0;
  for (int64_t d = 0; d < array.rank(); ++d) {
    place.sizes.push_back(Contains(a.inserted_window_dims, d) ? 1 : update.dimensions(a.update_window_dims[at++]));
    const auto found = std::find(a.scatter_dims_to_operand_dims.begin(), a.scatter_dims_to_operand_dims.end(), d);
    if (found == a.scatter_dims_to_operand_dims.end()) {
      place.starts.push_back(b.Constant(type, 0));
      continue;
    }
    const int64_t k = found - a.scatter_dims_to_operand_dims.begin(), room = array.dimensions(d) - place.sizes[d];
    Op start = b.Reshape(depth == 1 ? list : b.Slice(list, {k}, {k + 1}), {});
    place.starts.push_back(start);
    auto also = [&](Op condition) {
      place.inside = place.inside == nullptr ? condition : b.And(place.inside, condition);
    };
    if (IsSigned(type)) also(b.Compare(start, b.Constant(type, 0), ComparisonDirection::kGe));
    if (IndexTypeHolds(type, room))
      also(b.Compare(start, b.Constant(Literal::Scalar(type, room)), ComparisonDirection::kLe));
  }
  return place;
}

// scatter(A, index, B) => dynamic-update-slice(A, select(inside, f(slice, B), slice), index), one place
HloInstruction* OnePlace(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<ScatterAttributes>();
  if (i->operand_count() != 3 || !a.input_batching_dims.empty() || i->shape().rank() == 0 ||
      a.scatter_dims_to_operand_dims.empty() || i->operand(2)->shape().ElementCount() == 0) {
    return nullptr;
  }
  for (int64_t d : PlaceDimensions(a, i->operand(2)->shape().rank())) {
    if (i->operand(2)->shape().dimensions(d) != 1) return nullptr;
  }
  const HloInstruction* combined = i->to_apply()->root();
  const bool replaces = combined->IsParameter() && combined->parameter_number() == 1;
  if (!replaces && !BinaryReducer(i->to_apply())) return nullptr;
  if (combined->shape().element_type() != i->shape().element_type() ||
      i->operand(2)->shape().element_type() != i->shape().element_type()) {
    return nullptr;
  }
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) -> Op {
    const Place place = PlaceOf(b, i.attributes<ScatterAttributes>(), x[0]->shape(), x[1], x[2]->shape());
    Op before = b.DynamicSlice(x[0], place.starts, place.sizes);
    Op after = x[2]->shape().dimensions() == place.sizes ? x[2] : b.Reshape(x[2], place.sizes);
    if (!i.to_apply()->root()->IsParameter()) after = b.Make(*BinaryReducer(i.to_apply()), {before, after});
    if (place.inside != nullptr) after = b.Select(place.inside, after, before);
    return b.DynamicUpdateSlice(x[0], after, place.starts);
  });
}

constexpr Rule kScatterSimplifierRules[] = {
    {HloOpcode::kScatter, "scatter-one-place",
     "scatter(A, index, B) => dynamic-update-slice(A, select(inside, f(slice, B), slice), index), one place", kExact,
     kExact, OnePlace},
    {HloOpcode::kScatter, "list-places", "scatter(A, i, B) => scatter(A, reshape(i), reshape(B)), one list of places",
     kExact, kRounding, Simplify},
};

}  // namespace

std::span<const Rule> ScatterRules() { return std::span(kScatterSimplifierRules).first(1); }

}  // namespace rules

PassDefinition DefineScatterSimplifier() { return rules::DefineRulePass(rules::kScatterSimplifierRules); }

}  // namespace hloir
