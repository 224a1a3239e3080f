// dot-decomposer: makes every dot one of matrices: batch dimensions first, then at most one row (or column) dimension
// and one that is contracted.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   a = f32[2,3,4,5]{3,2,1,0} parameter(0)
//   b = f32[5,3,6]{2,1,0} parameter(1)
//   ROOT d = f32[2,4,6]{2,1,0} dot(a, b), lhs_contracting_dims={1,3}, rhs_contracting_dims={1,0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[2,3,4,5]{3,2,1,0} parameter(0)
//   ta = f32[2,4,3,5]{3,1,2,0} transpose(a), dimensions={0,2,1,3}
//   ra = f32[8,15]{1,0} reshape(ta)
//   b = f32[5,3,6]{2,1,0} parameter(1)
//   tb = f32[3,5,6]{2,0,1} transpose(b), dimensions={1,0,2}
//   rb = f32[15,6]{1,0} reshape(tb)
//   d = f32[8,6]{1,0} dot(ra, rb), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT r = f32[2,4,6]{2,1,0} reshape(d)
// }
// END
//
// The order in which products are summed is unchanged. Not in the default pipeline, whose engine supports any dot.
// Leaves alone: dots of matrices, with any order of dimensions. Of class rounding for floats.
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

DimVector FreeDimensions(const Shape& shape, const DimVector& batch, const DimVector& contracting) {
  DimVector free;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d)) free.push_back(d);
  }
  return free;
}

// One side as [batch…, first, second], each of the two one dimension, or none if its list is empty.
Op AsMatrix(HloBuilder& b, Op x, const DimVector& batch, const DimVector& first, const DimVector& second) {
  DimVector order = batch, sizes;
  for (int64_t d : first) order.push_back(d);
  for (int64_t d : second) order.push_back(d);
  for (int64_t d : batch) sizes.push_back(x->shape().dimensions(d));
  for (const DimVector* list : {&first, &second}) {
    int64_t product = 1;
    for (int64_t d : *list) product *= x->shape().dimensions(d);
    if (!list->empty()) sizes.push_back(product);
  }
  if (!IsIdentity(order)) x = b.Transpose(x, order);
  return x->shape().dimensions() == sizes ? x : b.Reshape(x, sizes);
}

// dot(A, B) => reshape(dot(reshape(transpose(A)), reshape(transpose(B))))
HloInstruction* DecomposeDot(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<DotAttributes>();
  const bool matrices = a.lhs_contracting_dims.size() <= 1 &&
                        FreeDimensions(i->operand(0)->shape(), a.lhs_batch_dims, a.lhs_contracting_dims).size() <= 1 &&
                        FreeDimensions(i->operand(1)->shape(), a.rhs_batch_dims, a.rhs_contracting_dims).size() <= 1;
  if (matrices) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    DotAttributes a = i.attributes<DotAttributes>();
    const DimVector lhs_free = FreeDimensions(x[0]->shape(), a.lhs_batch_dims, a.lhs_contracting_dims);
    const DimVector rhs_free = FreeDimensions(x[1]->shape(), a.rhs_batch_dims, a.rhs_contracting_dims);
    Op lhs = AsMatrix(b, x[0], a.lhs_batch_dims, lhs_free, a.lhs_contracting_dims);
    Op rhs = AsMatrix(b, x[1], a.rhs_batch_dims, a.rhs_contracting_dims, rhs_free);
    const int64_t batches = static_cast<int64_t>(a.lhs_batch_dims.size());
    for (int64_t d = 0; d < batches; ++d) a.lhs_batch_dims[d] = a.rhs_batch_dims[d] = d;
    if (!a.lhs_contracting_dims.empty()) {
      a.lhs_contracting_dims = {lhs->shape().rank() - 1};
      a.rhs_contracting_dims = {batches};
    }
    Op dot = b.Dot(lhs, rhs, a, i.shape().element_type());
    return dot == nullptr || dot->shape().SameDimensions(i.shape()) ? dot : b.Reshape(dot, i.shape().dimensions());
  });
}

constexpr Rule kDotDecomposerRules[] = {
    {HloOpcode::kDot, "decompose", "dot(A, B) => reshape(dot(reshape(transpose(A)), reshape(transpose(B))))", kExact,
     kRounding, DecomposeDot},
};

}  // namespace
}  // namespace rules

PassDefinition DefineDotDecomposer() { return rules::DefineRulePass(rules::kDotDecomposerRules); }

}  // namespace hloir
