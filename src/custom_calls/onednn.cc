// Calls of XLA:CPU's oneDNN: matrix products and convolutions with fused ops, softmax, layer normalization. Their
// configs: XLA's service/cpu/onednn_config.proto; their implementations: onednn_matmul.cc, onednn_convolution.cc,
// onednn_softmax.cc, onednn_layer_norm.cc and onednn_util.cc beside it. Quantized and prepacked operands are not
// supported. Tested by tests/unit/custom_calls_test.cc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "custom_calls/call.h"
#include "support/format.h"

namespace hloir::custom_calls {
namespace {

// OneDnnFusionConfig.FusionKind.
constexpr std::string_view kFusions[] = {"UNDEFINED", "BIAS", "RELU",  "TANH",    "GELU_ERF", "GELU_TANH", "BINARY_ADD",
                                         "LINEAR",    "ELU",  "RELU6", "SIGMOID", "SUM",      "SWISH"};

// A float stored as the bits of an int32 field.
double FloatOfBits(const Json& message, const char* field) {
  return std::bit_cast<float>(static_cast<int32_t>(Float(message, field)));
}

std::vector<std::string> FusionsOf(const Json& config) {
  std::vector<std::string> names;
  const Json& fusions = Section(config, "fusions");
  for (const char* field : {"ops", "fused_ops"}) {  // the second: of early 2024
    const auto list = fusions.find(field);
    if (list == fusions.end() || !list->is_array()) continue;
    for (const Json& item : *list) names.push_back(Choice(Json{{"op", item}}, "op", kFusions));
  }
  return names;
}

Op FusedActivation(const Call& call, const std::string& name, Op x) {
  HloBuilder& b = call.b;
  const PrimitiveType type = x->shape().element_type();
  const Op zero = call.Number(type, x->shape().dimensions(), 0);
  if (name == "RELU") return b.Maximum(x, zero);
  if (name == "TANH") return b.Tanh(x);
  if (name == "GELU_TANH") return GeluByTanh(call, x);
  if (name == "GELU_ERF")
    return b.Multiply(call.Scaled(x, 0.5),
                      b.Add(call.Number(type, x->shape().dimensions(), 1), b.Erf(call.Scaled(x, std::sqrt(0.5)))));
  if (name == "ELU") return b.Select(b.Compare(x, zero, ComparisonDirection::kGt), x, b.Expm1(x));
  if (name == "RELU6") return b.Clamp(b.Constant(type, 0), x, b.Constant(type, 6));
  if (name == "SIGMOID") return b.Logistic(x);
  if (name == "SWISH") return b.Multiply(x, b.Logistic(x));
  return nullptr;
}

// Appends the fused ops to `y`. Addends are the call's operands from the third on; one-dimensional addends of
// convolutions have one element per feature (`feature`), others are broadcast along leading dimensions and dimensions
// of size 1.
StatusOr<Op> Fused(const Call& call, const Json& config, Op y, int64_t feature = -1) {
  HloBuilder& b = call.b;
  const Json& fusions = Section(config, "fusions");
  size_t next = 2, factor = 0;
  for (const std::string& name : FusionsOf(config)) {
    if (y == nullptr) return y;
    if (name == "BIAS" || name == "BINARY_ADD" || name == "SUM") {
      if (next >= call.x.size()) return Wrong(call, Format("it lacks the operand of its {}", name));
      const Op addend = call.As(call.x[next++], y->shape().element_type());
      if (addend->shape().rank() > y->shape().rank())
        return Wrong(call, Format("the operand of its {} has more dimensions than the result", name));
      const bool by_feature = feature >= 0 && addend->shape().rank() == 1 && y->shape().rank() > 1;
      y = b.Add(y, by_feature ? b.Broadcast(addend, y->shape().dimensions(), {feature})
                              : call.Spread(addend, y->shape().dimensions()));
    } else if (name == "LINEAR") {
      const auto factors = fusions.find("alpha");
      double alpha = FloatOfBits(fusions, "alpha_typecast");
      if (factors != fusions.end() && factors->is_array() && factor < factors->size()) {
        const Json& one = (*factors)[factor++];
        alpha = one.is_number() ? one.get<double>() : NAN;
      }
      y = call.Scaled(y, alpha);
    } else {
      y = FusedActivation(call, name, y);
      if (y == nullptr && b.status().ok()) return Unknown(call, Format("its fused op {}", name));
    }
  }
  if (next != call.x.size())
    return Wrong(call, Format("expected {} operands by its config, got {}", next, call.x.size()));
  return y;
}

// Of quantized or prepacked operands.
Status CheckPlain(const Call& call, const Json& config) {
  if (call.x.size() < 2) return Wrong(call, "it takes two operands at least");
  if (Flag(Section(config, "optimization_config"), "weights_prepacked")) return Unknown(call, "prepacked weights");
  for (size_t i = 0; i < 2; ++i)
    if (!IsFloat(call.x[i]->shape().element_type())) return Unknown(call, "operands that are no floats");
  return OkStatus();
}

// The dimensions in a layout of the config, which counts from 1; {} without a layout.
DimVector OrderOf(const Json& config, const char* name) {
  const auto layout = config.find(name);
  if (layout == config.end()) return {};
  const auto tensor = layout->find("tensor");
  if (tensor == layout->end()) return {};
  DimVector order = Numbers(*tensor, "dimensions");
  for (int64_t& d : order) --d;
  return order;
}

Op Transposed(const Call& call, Op x, const DimVector& order, bool swap_last) {
  DimVector dims = order;
  if (dims.empty())
    for (int64_t d = 0; d < x->shape().rank(); ++d) dims.push_back(d);
  if (swap_last && dims.size() >= 2) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return call.b.Transpose(x, dims);
}

}  // namespace

// Leading dimensions are batch dimensions; those of size 1 are broadcast.
StatusOr<Op> OneDnnMatmul(const Call& call) {
  HloBuilder& b = call.b;
  const Json& config = call.Section("onednn_matmul_config");
  HLOIR_RETURN_IF_ERROR(CheckPlain(call, config));
  if (call.x[0]->shape().rank() < 2 || call.x[1]->shape().rank() < 2) return Unknown(call, "operands of one dimension");
  Op lhs = Transposed(call, call.x[0], OrderOf(config, "lhs"), Flag(config, "transpose_a"));
  Op rhs = Transposed(call, call.x[1], OrderOf(config, "rhs"), Flag(config, "transpose_b"));
  if (lhs == nullptr || rhs == nullptr) return lhs;
  const int64_t rank = lhs->shape().rank();
  if (rhs->shape().rank() != rank) return Wrong(call, "its operands differ in their number of dimensions");
  DimVector left = lhs->shape().dimensions(), right = rhs->shape().dimensions();
  DotAttributes dims;
  for (int64_t d = 0; d < rank - 2; ++d) {
    left[d] = right[d] = std::max(left[d], right[d]);
    dims.lhs_batch_dims.push_back(d), dims.rhs_batch_dims.push_back(d);
  }
  dims.lhs_contracting_dims = {rank - 1}, dims.rhs_contracting_dims = {rank - 2};
  Op y = b.Dot(call.Spread(lhs, left), call.Spread(rhs, right), dims, Accumulator(lhs->shape().element_type()));
  if (y == nullptr) return y;
  // The result's layout maps its dimensions to those of the product.
  if (const DimVector order = OrderOf(config, "result"); !order.empty()) {
    DimVector back(order.size());
    for (size_t d = 0; d < order.size(); ++d) {
      if (order[d] < 0 || order[d] >= static_cast<int64_t>(order.size())) return Wrong(call, "its result's layout");
      back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
    }
    y = b.Transpose(y, back);
  }
  HLOIR_ASSIGN_OR_RETURN(y, Fused(call, config, y));
  return y == nullptr ? y : call.Give({y});
}

// The config has the window and the dimensions: sizes are stored with 1 added, spatial dimensions count from 1.
StatusOr<Op> OneDnnConvolution(const Call& call) {
  HloBuilder& b = call.b;
  const Json& config = call.Section("onednn_conv_config");
  HLOIR_RETURN_IF_ERROR(CheckPlain(call, config));
  const Json &window = Section(config, "window"), &filter = Section(Section(config, "kernel"), "filter"),
             &input = Section(Section(config, "input"), "data"), &output = Section(Section(config, "output"), "data");
  const auto dimension = [](const Json& message, const char* field) {
    return static_cast<int64_t>(Float(message, field));
  };
  const auto spatial = [](const Json& message) {
    DimVector dims = Numbers(message, "spatial_dims");
    for (int64_t& d : dims) --d;
    return dims;
  };
  ConvolutionAttributes a;
  a.dim_labels.input_batch = dimension(input, "batch_dim");
  a.dim_labels.input_feature = dimension(input, "feature_dim");
  a.dim_labels.input_spatial = spatial(input);
  a.dim_labels.kernel_input_feature = dimension(filter, "input_feature_dim");
  a.dim_labels.kernel_output_feature = dimension(filter, "output_feature_dim");
  a.dim_labels.kernel_spatial = spatial(filter);
  a.dim_labels.output_batch = dimension(output, "batch_dim");
  a.dim_labels.output_feature = dimension(output, "feature_dim");
  a.dim_labels.output_spatial = spatial(output);
  a.feature_group_count = std::max<int64_t>(1, dimension(config, "feature_groups"));
  const DimVector low = Numbers(window, "pad_left"), high = Numbers(window, "pad_right"),
                  strides = Numbers(window, "strides"), dilations = Numbers(window, "window_dilations");
  const size_t dims = a.dim_labels.kernel_spatial.size();
  const Shape& kernel = call.x[1]->shape();
  if (low.size() != dims || high.size() != dims || strides.size() != dims || dilations.size() != dims)
    return Wrong(call, "its window does not fit its dimensions");
  for (size_t d = 0; d < dims; ++d) {
    const int64_t k = a.dim_labels.kernel_spatial[d];
    if (k < 0 || k >= kernel.rank()) return Wrong(call, "its filter has no such dimension");
    WindowDimension w;
    w.size = kernel.dimensions(k), w.padding_low = low[d] - 1, w.padding_high = high[d] - 1;
    w.stride = strides[d] - 1, w.window_dilation = dilations[d] - 1;
    a.window.push_back(w);
  }
  Op y = b.Convolution(call.x[0], call.x[1], a, Accumulator(call.x[0]->shape().element_type()));
  HLOIR_ASSIGN_OR_RETURN(y, Fused(call, config, y, a.dim_labels.output_feature));
  return y == nullptr ? y : call.Give({y});
}

// Along softmax_axis. Without that field (older XLA), along the last dimension.
StatusOr<Op> OneDnnSoftmax(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.size() != 1 || call.x[0]->shape().rank() == 0) return Wrong(call, "it takes one array");
  const Op x = call.As(call.x[0], Accumulator(call.x[0]->shape().element_type()));
  const DimVector sizes = x->shape().dimensions();
  const PrimitiveType type = x->shape().element_type();
  const Json& config = call.Section("onednn_softmax_config");
  const auto axis = static_cast<int64_t>(Float(config, "softmax_axis", static_cast<double>(sizes.size()) - 1));
  if (axis < 0 || axis >= static_cast<int64_t>(sizes.size())) return Wrong(call, "it has no such dimension");
  DimVector kept;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    if (d != axis) kept.push_back(d);
  const auto along = [&](Op y, HloOpcode opcode, double initial) {
    return b.Broadcast(b.Reduce(y, b.Constant(type, initial), {axis}, MakeReducer(b.module(), opcode, type)), sizes,
                       kept);
  };
  const Op e = b.Exp(b.Subtract(x, along(x, HloOpcode::kMaximum, -std::numeric_limits<double>::infinity())));
  return call.Give({b.Divide(e, along(e, HloOpcode::kAdd, 0))});
}

// For each row of the last dimension: (x - mean) / sqrt(variance + epsilon) * scale + shift.
StatusOr<Op> OneDnnLayerNorm(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.size() != 3 || call.x[0]->shape().rank() == 0) return Wrong(call, "it takes an array, scale and shift");
  const Json& config = call.Section("onednn_layer_norm_config");
  const Op x = call.As(call.x[0], Accumulator(call.x[0]->shape().element_type()));
  const DimVector sizes = x->shape().dimensions();
  const PrimitiveType type = x->shape().element_type();
  const double n = static_cast<double>(sizes.back());
  const auto mean = [&](Op y) { return call.Spread(call.Scaled(call.Along(y, HloOpcode::kAdd, 0), 1 / n), sizes); };
  const Op centered = b.Subtract(x, mean(x));
  const Op variance = mean(b.Multiply(centered, centered));
  const Op epsilon = call.Number(type, sizes, FloatOfBits(config, "epsilon_typecast"));
  const auto row = [&](size_t i) { return call.Spread(b.Reshape(call.As(call.x[i], type), {sizes.back()}), sizes); };
  const Op normal = b.Multiply(centered, b.Rsqrt(b.Add(variance, epsilon)));
  return call.Give({b.Add(b.Multiply(normal, row(1)), row(2))});
}

}  // namespace hloir::custom_calls
