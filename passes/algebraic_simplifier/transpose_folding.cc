// transpose-folding: a transpose of an operand of dot or convolution becomes other dimension numbers.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[4,3]{1,0} parameter(0)
//   b = f32[4,5]{1,0} parameter(1)
//   t = f32[3,4]{1,0} transpose(a), dimensions={1,0}
//   ROOT d = f32[3,5]{1,0} dot(t, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[4,3]{1,0} parameter(0)
//   b = f32[4,5]{1,0} parameter(1)
//   ROOT d = f32[3,5]{1,0} dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
// }
// END
//
// The order in which products are summed stays. Leaves alone: transposes that would change the order of the result's
// dimensions.
#include "algebraic_simplifier/families.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

// The dimension numbers of one side, as dimensions of that side's transpose operand; false if the result's dimensions
// would be in another order.
bool ThroughTranspose(const HloInstruction* transpose, DimVector& batch, DimVector& contracting) {
  int64_t last = -1;
  for (int64_t d = 0; d < transpose->shape().rank(); ++d) {
    if (Contains(batch, d) || Contains(contracting, d)) continue;
    if (transpose->dimensions()[d] < last) return false;
    last = transpose->dimensions()[d];
  }
  for (int64_t& d : batch) d = transpose->dimensions()[d];
  for (int64_t& d : contracting) d = transpose->dimensions()[d];
  return true;
}

// dot(transpose(A), B) => dot(A, B), other dimension numbers
HloInstruction* IntoDot(HloInstruction* i, RuleContext& c) {
  DotAttributes attributes = i->attributes<DotAttributes>();
  HloInstruction *lhs = i->operand(0), *rhs = i->operand(1);
  bool found = false;
  if (lhs->opcode() == HloOpcode::kTranspose) {
    DimVector batch = attributes.lhs_batch_dims, contracting = attributes.lhs_contracting_dims;
    if (ThroughTranspose(lhs, batch, contracting)) {
      attributes.lhs_batch_dims = batch, attributes.lhs_contracting_dims = contracting;
      lhs = lhs->operand(0);
      found = true;
    }
  }
  if (rhs->opcode() == HloOpcode::kTranspose) {
    DimVector batch = attributes.rhs_batch_dims, contracting = attributes.rhs_contracting_dims;
    if (ThroughTranspose(rhs, batch, contracting)) {
      attributes.rhs_batch_dims = batch, attributes.rhs_contracting_dims = contracting;
      rhs = rhs->operand(0);
      found = true;
    }
  }
  if (!found || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kDot, i->shape(), {lhs, rhs}, std::move(attributes));
}

// convolution(transpose(A), transpose(B)) => convolution(A, B), other dimension labels
HloInstruction* IntoConvolution(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 2) return nullptr;
  ConvolutionAttributes attributes = i->attributes<ConvolutionAttributes>();
  ConvDimensionNumbers& labels = attributes.dim_labels;
  HloInstruction *lhs = i->operand(0), *rhs = i->operand(1);
  bool found = false;
  if (lhs->opcode() == HloOpcode::kTranspose) {
    const DimVector& from = lhs->dimensions();
    labels.input_batch = from[labels.input_batch], labels.input_feature = from[labels.input_feature];
    for (int64_t& d : labels.input_spatial) d = from[d];
    lhs = lhs->operand(0);
    found = true;
  }
  if (rhs->opcode() == HloOpcode::kTranspose) {
    const DimVector& from = rhs->dimensions();
    labels.kernel_input_feature = from[labels.kernel_input_feature];
    labels.kernel_output_feature = from[labels.kernel_output_feature];
    for (int64_t& d : labels.kernel_spatial) d = from[d];
    rhs = rhs->operand(0);
    found = true;
  }
  if (!found || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kConvolution, i->shape(), {lhs, rhs}, std::move(attributes));
}

constexpr Rule kTransposeFoldingRules[] = {
    {HloOpcode::kDot, "dot-transpose",
     "dot(transpose(A), B) => dot(A, B), if the order of the result's dimensions stays", kExact, kExact, IntoDot},
    {HloOpcode::kConvolution, "convolution-transpose", "convolution(transpose(A), transpose(B)) => convolution(A, B)",
     kExact, kExact, IntoConvolution},
};

}  // namespace

std::span<const Rule> TransposeFoldingRules() { return kTransposeFoldingRules; }

}  // namespace rules

PassDefinition DefineTransposeFolding() { return rules::DefineRulePass(rules::TransposeFoldingRules()); }

}  // namespace hloir
