// convolution-group-converter: convolutions in groups as plain ones.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4,6,2]{2,1,0} parameter(0)
//   k = f32[3,2,4]{2,1,0} parameter(1)
//   ROOT y = f32[2,4,4]{2,1,0} convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=2
// }
// AFTER
// END
//
// Batch groups become feature groups, after moving the groups from the batch to the features. Each feature group
// becomes a convolution, whose results are concatenated. (XLA uses one convolution with a kernel that is 0 between
// groups, or sums over a dimension of groups, which compute more, including 0 times infinity.) Leaves alone: more than
// 64 groups of features, sparse operands.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

constexpr int64_t kMostGroups = 64;

// [a, b, …] => [.., groups, a / groups, …] at dimension d
Op Cut(HloBuilder& b, Op x, int64_t d, int64_t groups) {
  if (x == nullptr) return nullptr;
  DimVector sizes = x->shape().dimensions();
  sizes.insert(sizes.begin() + d, groups);
  sizes[d + 1] /= groups;
  return b.Reshape(x, sizes);
}

Op BatchGroups(HloBuilder& b, HloInstruction& i, Ops x) {
  auto attributes = i.attributes<ConvolutionAttributes>();
  const ConvDimensionNumbers& labels = attributes.dim_labels;
  const int64_t batch = labels.input_batch, feature = labels.input_feature, groups = attributes.batch_group_count,
                rank = x[0]->shape().rank();
  // Moves the groups' dimension before the features'.
  const Op cut = Cut(b, x[0], batch, groups);
  DimVector order;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == feature) order.push_back(batch);
    order.push_back(d + (d >= batch ? 1 : 0));
  }
  DimVector sizes = x[0]->shape().dimensions();
  sizes[batch] /= groups, sizes[feature] *= groups;
  attributes.feature_group_count = groups, attributes.batch_group_count = 1;
  return b.Convolution(b.Reshape(b.Transpose(cut, order), sizes), x[1], attributes, i.shape().element_type());
}

Op Part(HloBuilder& b, Op x, int64_t d, int64_t part, int64_t parts) {
  DimVector starts(x->shape().dimensions().size(), 0), limits = x->shape().dimensions();
  const int64_t size = limits[d] / parts;
  starts[d] = part * size, limits[d] = (part + 1) * size;
  return b.Slice(x, starts, limits);
}

Op FeatureGroups(HloBuilder& b, HloInstruction& i, Ops x) {
  auto attributes = i.attributes<ConvolutionAttributes>();
  const ConvDimensionNumbers labels = attributes.dim_labels;
  const int64_t groups = attributes.feature_group_count;
  attributes.feature_group_count = 1;
  std::vector<Op> parts;
  for (int64_t g = 0; g < groups; ++g) {
    parts.push_back(b.Convolution(Part(b, x[0], labels.input_feature, g, groups),
                                  Part(b, x[1], labels.kernel_output_feature, g, groups), attributes,
                                  i.shape().element_type()));
  }
  return b.Concatenate(parts, labels.output_feature);
}

HloInstruction* Convert(HloInstruction* i, RuleContext& c) {
  const auto& attributes = i->attributes<ConvolutionAttributes>();
  if (i->operand_count() != 2 || !(attributes.sparsity_config == SparsityConfig{}) || i->shape().ElementCount() == 0)
    return nullptr;
  if (i->operand(0)->shape().ElementCount() == 0 || i->operand(1)->shape().ElementCount() == 0) return nullptr;
  if (attributes.batch_group_count > 1) return attributes.feature_group_count == 1 ? c.Expand(BatchGroups) : nullptr;
  return attributes.feature_group_count > 1 && attributes.feature_group_count <= kMostGroups ? c.Expand(FeatureGroups)
                                                                                             : nullptr;
}

constexpr Rule kConvolutionGroupConverterRules[] = {
    {HloOpcode::kConvolution, "ungroup",
     "convolution(A, B) in groups => concatenate(convolution(slice(A), slice(B)), …)", kExact, kExact, Convert},
};

}  // namespace
}  // namespace rules

PassDefinition DefineConvolutionGroupConverter() {
  return rules::DefineRulePass(rules::kConvolutionGroupConverterRules);
}

}  // namespace hloir
