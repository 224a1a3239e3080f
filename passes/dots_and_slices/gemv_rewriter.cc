// gemv-rewriter: products of a matrix and a vector as products of matrices, one of which has one row or column.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[3,4]{1,0} parameter(0)
//   x = f32[4]{0} parameter(1)
//   ROOT y = f32[3]{0} dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[3,4]{1,0} parameter(0)
//   x = f32[4]{0} parameter(1)
//   column = f32[4,1]{1,0} bitcast(x)
//   product = f32[3,1]{1,0} dot(a, column), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT y = f32[3]{0} bitcast(product)
// }
// END
//
// For kernels that support only matrices; both may have leading batch dimensions. Leaves alone: vectors with vectors,
// and layouts other than row-major.
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

bool IsPlainRowMajor(const Shape& shape) {
  return shape.IsArray() && shape.IsStatic() && shape.has_layout() && !shape.layout().has_extras() &&
         shape.layout().IsMajorToMinor();
}
Shape WithLastOne(const Shape& shape) {
  DimVector sizes = shape.dimensions();
  sizes.push_back(1);
  return Shape::Array(shape.element_type(), sizes);
}

// dot(A, x) => bitcast(dot(A, bitcast(x)))
HloInstruction* WithColumn(HloInstruction* i, RuleContext& c) {
  const DotAttributes& a = i->attributes<DotAttributes>();
  const int64_t batch = static_cast<int64_t>(a.lhs_batch_dims.size());
  if (a.lhs_contracting_dims.size() != 1 || a.rhs_contracting_dims.size() != 1) return nullptr;
  HloInstruction *lhs = i->operand(0), *rhs = i->operand(1);
  for (const Shape* shape : {&lhs->shape(), &rhs->shape(), &i->shape()})
    if (!IsPlainRowMajor(*shape)) return nullptr;
  const int64_t rows = lhs->shape().rank() - batch - 1, columns = rhs->shape().rank() - batch - 1;
  if ((rows == 0) == (columns == 0) || !c.Allow()) return nullptr;
  HloInstruction*& vector = rows == 0 ? lhs : rhs;
  vector = c.Add(HloOpcode::kBitcast, WithLastOne(vector->shape()), {vector}, NoAttributes());
  // The new dimension is the last of its operand; of the result it is the first behind the batch, or the last.
  DimVector sizes = i->shape().dimensions();
  sizes.insert(rows == 0 ? sizes.begin() + batch : sizes.end(), 1);
  HloInstruction* product =
      c.Add(HloOpcode::kDot, Shape::Array(i->shape().element_type(), sizes), {lhs, rhs}, DotAttributes(a));
  product->CopyMetadataOf(*i);
  return c.Add(HloOpcode::kBitcast, i->shape(), {product}, NoAttributes());
}

constexpr Rule kGemvRules[] = {
    {HloOpcode::kDot, "vector-as-column", "dot(A, x) => bitcast(dot(A, bitcast(x)))", kExact, kExact, WithColumn},
};

}  // namespace
}  // namespace rules

PassDefinition DefineGemvRewriter() { return rules::DefineRulePass(rules::kGemvRules); }

}  // namespace hloir
