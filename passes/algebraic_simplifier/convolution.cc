// Rules of convolution. (Those of its transposed operands: transpose_folding.cc.)
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

// convolution(A, K) => 0, where one is empty
HloInstruction* ConvolutionOfEmpty(HloInstruction* i, RuleContext& c) {
  if (i->operand(0)->shape().ElementCount() != 0 && i->operand(1)->shape().ElementCount() != 0) return nullptr;
  return c.Allow() ? c.Splat(i->shape(), 0) : nullptr;
}

// Adds the padding of spatial dimensions to `spatial`; false if other dimensions are padded, or with other values than
// +0.
bool PadOfSpatial(const HloInstruction* pad, const DimVector& spatial) {
  if (pad->opcode() != HloOpcode::kPad) return false;
  const HloInstruction* value = SplatConstant(pad->operand(1));
  if (value == nullptr || !value->literal().IsAll(0) || IsNegativeZero(value)) return false;
  const PaddingConfig& padding = pad->attributes<PadAttributes>().padding;
  for (int64_t d = 0; d < pad->shape().rank(); ++d) {
    bool is_spatial = false;
    for (int64_t s : spatial) is_spatial = is_spatial || s == d;
    if (!is_spatial && !(padding[d] == PaddingDimension{})) return false;
    if (padding[d].low < 0 || padding[d].high < 0) return false;
  }
  return true;
}

// convolution(pad(A, 0), K) => convolution(A, K), padded by the window
HloInstruction* ConvolutionOfPad(HloInstruction* i, RuleContext& c) {
  ConvolutionAttributes a = i->attributes<ConvolutionAttributes>();
  HloInstruction* pad = i->operand(0);
  if (i->operand_count() != 2 || !PadOfSpatial(pad, a.dim_labels.input_spatial)) return nullptr;
  for (size_t s = 0; s < a.window.size(); ++s) {
    const PaddingDimension& p = pad->attributes<PadAttributes>().padding[a.dim_labels.input_spatial[s]];
    WindowDimension& w = a.window[s];
    // Both dilating is not one dilation of the edges.
    if (w.base_dilation != 1 || w.padding_low < 0 || w.padding_high < 0) return nullptr;
    w.padding_low += p.low;
    w.padding_high += p.high;
    w.base_dilation = p.interior + 1;
  }
  if (!c.Allow()) return nullptr;
  return c.Add(HloOpcode::kConvolution, i->shape(), {pad->operand(0), i->operand(1)}, std::move(a));
}

// convolution(A, K), a window of one element => dot(A, K)
HloInstruction* ConvolutionOfOne(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<ConvolutionAttributes>();
  if (i->operand_count() != 2 || a.feature_group_count != 1 || a.batch_group_count != 1) return nullptr;
  for (const WindowDimension& w : a.window) {
    if (w.size != 1 || w.stride != 1 || w.padding_low != 0 || w.padding_high != 0 || w.base_dilation != 1)
      return nullptr;
  }
  const ConvDimensionNumbers& n = a.dim_labels;
  HloInstruction* kernel = i->operand(1);
  // The dot's result: A's dimensions without its features, in order, and then K's. It must be the convolution's.
  const int64_t rank = i->shape().rank();
  if (n.input_feature != rank - 1 || n.output_feature != rank - 1 || n.input_batch != n.output_batch ||
      n.input_spatial != n.output_spatial || rank == 2) {
    return nullptr;
  }
  if (i->operand(0)->shape().element_type() != kernel->shape().element_type() || !c.Allow()) return nullptr;
  const bool features_first = n.kernel_input_feature < n.kernel_output_feature;
  const int64_t in = kernel->shape().dimensions(n.kernel_input_feature),
                out = kernel->shape().dimensions(n.kernel_output_feature);
  HloInstruction* matrix = c.Reshape(
      kernel, Shape::Array(kernel->shape().element_type(), features_first ? DimVector{in, out} : DimVector{out, in}));
  DotAttributes dot;
  dot.lhs_contracting_dims = {rank - 1};
  dot.rhs_contracting_dims = {features_first ? 0 : 1};
  dot.operand_precision = a.operand_precision;
  dot.algorithm = a.algorithm;
  return c.Add(HloOpcode::kDot, i->shape(), {i->operand(0), matrix}, std::move(dot));
}

constexpr Rule kConvolutionRules[] = {
    {HloOpcode::kConvolution, "convolution-empty", "convolution(A, K) => 0, if one is empty", kExact, kExact,
     ConvolutionOfEmpty},
    {HloOpcode::kConvolution, "convolution-pad", "convolution(pad(A, 0), K) => convolution(A, K), padded by the window",
     kExact, kRounding, ConvolutionOfPad},
    {HloOpcode::kConvolution, "convolution-one", "convolution(A, K), a window of one element => dot(A, K)", kExact,
     kRounding, ConvolutionOfOne},
};

}  // namespace

std::span<const Rule> ConvolutionRules() { return kConvolutionRules; }

}  // namespace hloir::rules
