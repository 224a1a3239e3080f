// convolution-4d-expander: convolutions over more than three dimensions lose those of size 1.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[1,5,1,4,1,2]{5,4,3,2,1,0} parameter(0)
//   k = f32[3,1,2,1,2,3]{5,4,3,2,1,0} parameter(1)
//   ROOT y = f32[1,3,1,3,1,3]{5,4,3,2,1,0} convolution(x, k), window={size=3x1x2x1}, dim_labels=b0123f_0123io->b0123f
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[1,5,1,4,1,2]{5,4,3,2,1,0} parameter(0)
//   input = f32[1,5,4,2]{3,2,1,0} reshape(x)
//   k = f32[3,1,2,1,2,3]{5,4,3,2,1,0} parameter(1)
//   kernel = f32[3,2,2,3]{3,2,1,0} reshape(k)
//   result = f32[1,3,3,3]{3,2,1,0} convolution(input, kernel), window={size=3x2}, dim_labels=b01f_01io->b01f
//   ROOT y = f32[1,3,1,3,1,3]{5,4,3,2,1,0} reshape(result)
// }
// END
//
// Leaves alone: dimensions that are padded; three dimensions and fewer, which engines know.
#include <algorithm>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// Of size 1 in the input and the kernel, and so in the result.
bool IsTrivial(const HloInstruction& i, size_t d) {
  const auto& attributes = i.attributes<ConvolutionAttributes>();
  const WindowDimension& window = attributes.window[d];
  return i.operand(0)->shape().dimensions(attributes.dim_labels.input_spatial[d]) == 1 &&
         i.operand(1)->shape().dimensions(attributes.dim_labels.kernel_spatial[d]) == 1 && window.padding_low == 0 &&
         window.padding_high == 0;
}

// The dimensions that remain without those in `gone`, and the new number of each.
struct Without {
  Without(const DimVector& sizes, DimVector gone) : gone(std::move(gone)) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      if (std::find(this->gone.begin(), this->gone.end(), d) == this->gone.end()) left.push_back(sizes[d]);
    }
  }
  int64_t operator()(int64_t d) const {
    return d - std::count_if(gone.begin(), gone.end(), [&](int64_t g) { return g < d; });
  }
  DimVector gone, left;
};

Op BuildConvolution4d(HloBuilder& b, HloInstruction& i, Ops x) {
  auto attributes = i.attributes<ConvolutionAttributes>();
  const ConvDimensionNumbers old = attributes.dim_labels;
  DimVector gone_input, gone_kernel, gone_output;
  Window window;
  for (size_t d = 0; d < old.input_spatial.size(); ++d) {
    if (IsTrivial(i, d))
      gone_input.push_back(old.input_spatial[d]), gone_kernel.push_back(old.kernel_spatial[d]),
          gone_output.push_back(old.output_spatial[d]);
    else window.push_back(attributes.window[d]);
  }
  const Without input(x[0]->shape().dimensions(), gone_input), kernel(x[1]->shape().dimensions(), gone_kernel),
      output(i.shape().dimensions(), gone_output);
  ConvDimensionNumbers& labels = attributes.dim_labels;
  labels = {.input_batch = input(old.input_batch),
            .input_feature = input(old.input_feature),
            .kernel_input_feature = kernel(old.kernel_input_feature),
            .kernel_output_feature = kernel(old.kernel_output_feature),
            .output_batch = output(old.output_batch),
            .output_feature = output(old.output_feature),
            .input_spatial = {},
            .kernel_spatial = {},
            .output_spatial = {}};
  for (size_t d = 0; d < old.input_spatial.size(); ++d) {
    if (IsTrivial(i, d)) continue;
    labels.input_spatial.push_back(input(old.input_spatial[d]));
    labels.kernel_spatial.push_back(kernel(old.kernel_spatial[d]));
    labels.output_spatial.push_back(output(old.output_spatial[d]));
  }
  attributes.window = window;
  return b.Reshape(
      b.Convolution(b.Reshape(x[0], input.left), b.Reshape(x[1], kernel.left), attributes, i.shape().element_type()),
      i.shape().dimensions());
}

HloInstruction* ExpandConvolution4d(HloInstruction* i, RuleContext& c) {
  const auto& attributes = i->attributes<ConvolutionAttributes>();
  const size_t spatial = attributes.dim_labels.input_spatial.size();
  if (i->operand_count() != 2 || spatial <= 3 || attributes.window.size() != spatial ||
      !(attributes.sparsity_config == SparsityConfig{}))
    return nullptr;
  for (size_t d = 0; d < spatial; ++d) {
    if (IsTrivial(*i, d)) return c.Expand(BuildConvolution4d);
  }
  return nullptr;
}

constexpr Rule kConvolution4dExpanderRules[] = {
    {HloOpcode::kConvolution, "drop-dimensions", "convolution(A, B) over dimensions of size 1 => without them", kExact,
     kExact, ExpandConvolution4d},
};

}  // namespace
}  // namespace rules

PassDefinition DefineConvolution4dExpander() { return rules::DefineRulePass(rules::kConvolution4dExpanderRules); }

}  // namespace hloir
