// convolution in full: any number of spatial dimensions in any order, strides, padding, dilation of input and kernel,
// reversed kernels, feature groups and batch groups. Tests: tests/ops/convolution-*.hlo.
#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"
#include "wide/wide_types.h"

namespace hloir::reference {

// An output element at feature o, batch b and some position is the sum over kernel positions and kernel input features
// i of kernel(o, i, position) * input(batch, feature, place):
//   place    stride * output position + dilation * kernel position - padding; input dilation puts gaps between
//   elements,
//            and a place in a gap or in the padding counts as zero
//   feature  with feature groups the output features are cut into as many groups, each seeing its own input features
//   batch    with batch groups the input batches are cut into as many groups, each for its own output features
StatusOr<Value> EvaluateConvolution(EvalContext& context) {
  const auto& a = context.attributes<ConvolutionAttributes>();
  if (context.operand_count() != 2) return UnimplementedOp(context, "sparse operands");
  const ConvDimensionNumbers& labels = a.dim_labels;
  const PrimitiveType type = context.shape.element_type();
  const PrimitiveType wide = WideType(type, context.operand(0), context.operand(1));
  const Literal input = context.operand(0).Convert(wide), kernel = context.operand(1).Convert(wide);
  const DimVector &input_dims = input.shape().dimensions(), &kernel_dims = kernel.shape().dimensions();
  const DimVector in = RowMajorStrides(input_dims), ker = RowMajorStrides(kernel_dims),
                  out = RowMajorStrides(context.dims());
  const size_t spatial = labels.input_spatial.size();
  auto at = [](const DimVector& list, int64_t i) { return list[static_cast<size_t>(i)]; };

  const int64_t output_features = at(context.dims(), labels.output_feature),
                output_batches = at(context.dims(), labels.output_batch);
  const int64_t kernel_features = at(kernel_dims, labels.kernel_input_feature);
  const int64_t features_per_group = output_features / a.feature_group_count;
  const int64_t features_per_batch_group = output_features / a.batch_group_count;
  if (a.window.size() != spatial ||
      (output_features > 0 && (features_per_group == 0 || features_per_batch_group == 0))) {
    return InvalidArgument(Format("{}'s window or groups do not fit its operands", context.instruction.name()));
  }
  DimVector output_spatial_dims, kernel_spatial_dims;
  for (size_t d = 0; d < spatial; ++d) {
    output_spatial_dims.push_back(at(context.dims(), labels.output_spatial[d]));
    kernel_spatial_dims.push_back(at(kernel_dims, labels.kernel_spatial[d]));
  }
  const int64_t input_step = at(in, labels.input_feature), kernel_step = at(ker, labels.kernel_input_feature);

  Literal sums(context.shape.WithElementType(wide));
  WideSwitch(wide, context.run.pairs(), [&](auto zero) {
    using T = decltype(zero);
    const T* x = WideElements<T>(input);
    const T* w = WideElements<T>(kernel);
    T* y = WideElements<T>(sums);
    ForEachIndex({output_batches, output_features}, [&](const DimVector& pair) {
      const int64_t batch = pair[0], feature = pair[1];
      const int64_t input_batch = feature / features_per_batch_group * output_batches + batch;
      const int64_t first_feature = feature / features_per_group * kernel_features;
      const int64_t x_base = input_batch * at(in, labels.input_batch) + first_feature * input_step;
      const int64_t w_base = feature * at(ker, labels.kernel_output_feature);
      const int64_t y_base = batch * at(out, labels.output_batch) + feature * at(out, labels.output_feature);
      ForEachIndex(output_spatial_dims, [&](const DimVector& position) {
        T sum{};
        ForEachIndex(kernel_spatial_dims, [&](const DimVector& tap) {
          int64_t x_at = x_base, w_at = w_base;
          for (size_t d = 0; d < spatial; ++d) {
            const WindowDimension& window = a.window[d];
            const int64_t place = position[d] * window.stride + tap[d] * window.window_dilation - window.padding_low;
            if (place < 0 || place % window.base_dilation != 0) return;
            const int64_t element = place / window.base_dilation;
            if (element >= at(input_dims, labels.input_spatial[d])) return;
            x_at += element * at(in, labels.input_spatial[d]);
            const int64_t k = window.window_reversal ? kernel_spatial_dims[d] - 1 - tap[d] : tap[d];
            w_at += k * at(ker, labels.kernel_spatial[d]);
          }
          for (int64_t i = 0; i < kernel_features; ++i) {
            sum = MultiplyAdd(sum, x[x_at + i * input_step], w[w_at + i * kernel_step]);
          }
        });
        int64_t y_at = y_base;
        for (size_t d = 0; d < spatial; ++d) y_at += position[d] * at(out, labels.output_spatial[d]);
        y[y_at] = sum;
      });
    });
  });
  return sums.Convert(type);
}

}  // namespace hloir::reference
