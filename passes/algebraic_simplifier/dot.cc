// Rules of dot. (Those of its transposed operands: transpose_folding.cc.)
#include <algorithm>

#include "algebraic_simplifier/families.h"
#include "hloir/rewrite/util.h"

namespace hloir::rules {
namespace {

// dot(A, B) => 0, where one is empty
HloInstruction* DotOfEmpty(HloInstruction* i, RuleContext& c) {
  if (i->operand(0)->shape().ElementCount() != 0 && i->operand(1)->shape().ElementCount() != 0) return nullptr;
  if (!c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}

// dot(A, 0) => 0
HloInstruction* OfZero(HloInstruction* i, RuleContext& c) {
  if ((!IsSplatZero(i->operand(0)) && !IsSplatZero(i->operand(1))) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}

// dot(A, B) => dot(reshape(A), reshape(B)), without batch and contracted dimensions of size 1
HloInstruction* DropOnes(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<DotAttributes>();
  const auto is_one = [&](int64_t d) { return i->operand(0)->shape().dimensions(d) == 1; };
  if (std::none_of(a.lhs_batch_dims.begin(), a.lhs_batch_dims.end(), is_one) &&
      std::none_of(a.lhs_contracting_dims.begin(), a.lhs_contracting_dims.end(), is_one))
    return nullptr;
  DotAttributes smaller = a;
  DimVector* lists[2][2] = {{&smaller.lhs_batch_dims, &smaller.lhs_contracting_dims},
                            {&smaller.rhs_batch_dims, &smaller.rhs_contracting_dims}};
  HloInstruction* operands[2] = {i->operand(0), i->operand(1)};
  // One contracted dimension stays, so that it is a dot still.
  DimVector dropped[2];
  for (size_t which : {size_t{0}, size_t{1}}) {
    DimVector kept[2];
    const DimVector lhs = *lists[0][which], rhs = *lists[1][which];
    for (size_t k = 0; k < lhs.size(); ++k) {
      const bool last_contracted = which == 1 && k + 1 == lhs.size() && kept[0].empty();
      if (operands[0]->shape().dimensions(lhs[k]) == 1 && !last_contracted) {
        dropped[0].push_back(lhs[k]);
        dropped[1].push_back(rhs[k]);
      } else {
        kept[0].push_back(lhs[k]);
        kept[1].push_back(rhs[k]);
      }
    }
    *lists[0][which] = kept[0], *lists[1][which] = kept[1];
  }
  if (dropped[0].empty() || !c.Allow()) return nullptr;
  DimVector sizes;  // of the result, without batch dimensions of size 1
  for (int64_t d : smaller.lhs_batch_dims) sizes.push_back(operands[0]->shape().dimensions(d));
  for (int64_t side : {0, 1}) {
    const Shape& shape = operands[side]->shape();
    const DimVector &batch = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims,
                    &contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
    DimVector moved(static_cast<size_t>(shape.rank())), left;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      moved[d] = static_cast<int64_t>(left.size());
      if (!Contains(dropped[side], d)) left.push_back(shape.dimensions(d));
      if (!Contains(batch, d) && !Contains(contracting, d)) sizes.push_back(shape.dimensions(d));
    }
    for (DimVector* list : lists[side]) {
      for (int64_t& d : *list) d = moved[d];
    }
    operands[side] = c.Reshape(operands[side], Shape::Array(shape.element_type(), left));
  }
  HloInstruction* dot = c.Add(HloOpcode::kDot, Shape::Array(i->shape().element_type(), sizes),
                              {operands[0], operands[1]}, std::move(smaller));
  return dot->shape().SameDimensions(i->shape()) ? dot : c.Reshape(dot, i->shape());
}

// dot(A, B), contracting dimensions of size 1 or none => broadcast(A) * broadcast(B)
HloInstruction* AsMultiply(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<DotAttributes>();
  for (int64_t d : a.lhs_contracting_dims) {
    if (i->operand(0)->shape().dimensions(d) != 1) return nullptr;
  }
  const PrimitiveType type = i->shape().element_type();
  if (i->operand(0)->shape().element_type() != type || i->operand(1)->shape().element_type() != type || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* sides[2];
  int64_t k = static_cast<int64_t>(a.lhs_batch_dims.size());
  for (int64_t side : {0, 1}) {
    HloInstruction* operand = i->operand(side);
    const DimVector &batch = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims,
                    &contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
    DimVector sizes, dimensions;
    for (int64_t d = 0; d < operand->shape().rank(); ++d) {
      if (Contains(contracting, d)) continue;
      sizes.push_back(operand->shape().dimensions(d));
      const auto at = std::find(batch.begin(), batch.end(), d);
      dimensions.push_back(at != batch.end() ? at - batch.begin() : k++);
    }
    if (!contracting.empty()) operand = c.Reshape(operand, Shape::Array(type, sizes));
    if (!std::is_sorted(dimensions.begin(), dimensions.end())) {
      // Batch dimensions in another order than the result's.
      DimVector order(dimensions.size());
      for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
      std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return dimensions[x] < dimensions[y]; });
      operand = c.Transpose(operand, order);
      std::sort(dimensions.begin(), dimensions.end());
    }
    sides[side] = i->shape().rank() == 0 ? operand : c.Broadcast(operand, i->shape(), dimensions);
  }
  return c.Binary(HloOpcode::kMultiply, sides[0], sides[1]);
}

// A matrix product, of [m, k] and [k, n].
bool IsMatMul(const HloInstruction* i) {
  if (i->opcode() != HloOpcode::kDot || i->shape().rank() != 2) return false;
  const auto& a = i->attributes<DotAttributes>();
  return a.lhs_batch_dims.empty() && a.lhs_contracting_dims == DimVector{1} && a.rhs_contracting_dims == DimVector{0} &&
         i->operand(0)->shape().element_type() == i->shape().element_type() &&
         i->operand(1)->shape().element_type() == i->shape().element_type();
}

// (A·B)·C => A·(B·C), or the other way round, where that multiplies less
HloInstruction* ReorderProducts(HloInstruction* i, RuleContext& c) {
  if (!IsMatMul(i)) return nullptr;
  const bool left = IsMatMul(i->operand(0)) && i->operand(0)->user_count() == 1;
  HloInstruction* inner = i->operand(left ? 0 : 1);
  if (!IsMatMul(inner) || inner->user_count() != 1 || inner->HasControlDependencies()) return nullptr;
  HloInstruction* x = left ? inner->operand(0) : i->operand(0);
  HloInstruction* y = left ? inner->operand(1) : inner->operand(0);
  HloInstruction* z = left ? i->operand(1) : inner->operand(1);
  const double m = static_cast<double>(x->shape().dimensions(0)), k = static_cast<double>(y->shape().dimensions(0)),
               n = static_cast<double>(y->shape().dimensions(1)), p = static_cast<double>(z->shape().dimensions(1));
  const double left_first = m * n * (k + p), right_first = k * p * (n + m);
  if (left ? right_first >= left_first : left_first >= right_first) return nullptr;
  if (!c.Allow()) return nullptr;
  auto product = [&](HloInstruction* a, HloInstruction* b) {
    const Shape shape = Shape::Array(i->shape().element_type(), {a->shape().dimensions(0), b->shape().dimensions(1)});
    return c.Add(HloOpcode::kDot, shape, {a, b}, i->attributes<DotAttributes>());
  };
  return left ? product(x, product(y, z)) : product(product(x, y), z);
}

constexpr Rule kDotRules[] = {
    {HloOpcode::kDot, "dot-reorder", "(A·B)·C => A·(B·C), and back, where that multiplies less", kExact, kFast,
     ReorderProducts},
    {HloOpcode::kDot, "dot-empty", "dot(A, B) => 0, if one is empty", kExact, kExact, DotOfEmpty},
    {HloOpcode::kDot, "dot-zero", "dot(A, 0) => 0", kExact, kFast, OfZero},
    {HloOpcode::kDot, "dot-as-multiply", "dot(A, B), contracting nothing but 1s => broadcast(A) * broadcast(B)", kExact,
     kRounding, AsMultiply},
    {HloOpcode::kDot, "dot-drop-ones", "dot(A, B) => dot(reshape(A), reshape(B)), without dimensions of size 1", kExact,
     kExact, DropOnes},
};

}  // namespace

std::span<const Rule> DotRules() { return kDotRules; }
std::span<const Rule> DotDropOnesRules() { return std::span(kDotRules).last(1); }

}  // namespace hloir::rules
