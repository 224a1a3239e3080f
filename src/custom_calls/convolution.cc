// Convolutions of cuDNN, forward with bias and activation, and the two derivatives. A call for a derivative carries the
// window and dim_labels of the convolution that it derives (XLA's conv_rewriter.cc).
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "custom_calls/call.h"
#include "support/format.h"

namespace hloir::custom_calls {
namespace {

// stream_executor::dnn::ActivationMode.
constexpr std::string_view kActivations[] = {"kNone", "kSigmoid",  "kRelu", "kRelu6",     "kReluX",
                                             "kTanh", "kBandPass", "kElu",  "kLeakyRelu", "kGeluExact"};

struct Form {
  Window window;
  ConvDimensionNumbers dims;
  int64_t groups = 1;
};

StatusOr<Form> FormOf(const Call& call) {
  const CustomCallAttributes& a = call.attributes();
  if (!a.dim_labels) return Wrong(call, "a convolution has dim_labels");
  if (a.batch_group_count != 1) return Unknown(call, "batch groups");
  Form form{a.window.value_or(Window()), *a.dim_labels, a.feature_group_count};
  if (form.window.size() != form.dims.input_spatial.size())
    return Wrong(call, "its window does not fit its dim_labels");
  const int64_t rank = static_cast<int64_t>(form.window.size()) + 2;
  if (!call.x.empty() && call.x[0]->shape().rank() == rank + 1)
    return Unknown(call, "features in vectors (int8x4, int8x32)");
  return form;
}

Op Activated(const Call& call, const Json& config, std::string_view mode, Op x) {
  HloBuilder& b = call.b;
  if (x == nullptr || mode == "kNone") return x;
  const PrimitiveType type = x->shape().element_type();
  const Op zero = call.Number(type, x->shape().dimensions(), 0);
  if (mode == "kSigmoid") return b.Logistic(x);
  if (mode == "kRelu") return b.Maximum(x, zero);
  if (mode == "kRelu6") return b.Clamp(b.Constant(type, 0), x, b.Constant(type, 6));
  if (mode == "kTanh") return b.Tanh(x);
  const Op positive = b.Compare(x, zero, ComparisonDirection::kGt);
  if (mode == "kElu") return b.Select(positive, x, b.Expm1(x));
  if (mode == "kLeakyRelu") return b.Select(positive, x, call.Scaled(x, Float(config, "leakyrelu_alpha")));
  return nullptr;
}

}  // namespace

StatusOr<Op> ConvolutionForward(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(const Form form, FormOf(call));
  const size_t given = call.x.size();
  if (given < 2 || given > 4) return Wrong(call, "it takes input and filter, a bias, and a side input");
  const Json& config = call.Section("cudnn_conv_backend_config");
  if (Flag(config, "reordered_int8_nchw_vect")) return Unknown(call, "a reordered filter");
  const std::string mode = Choice(config, "activation_mode", kActivations);
  ConvolutionAttributes a;
  a.window = form.window, a.dim_labels = form.dims, a.feature_group_count = form.groups;
  const PrimitiveType sum = Accumulator(call.x[0]->shape().element_type());
  Op y = b.Convolution(call.x[0], call.x[1], a, sum);
  if (y == nullptr) return y;
  const double scale = Float(config, "conv_result_scale", 1);
  const PrimitiveType result = call.Result().element_type();
  // A sum of s8 is an s32 until an operation with floats.
  const PrimitiveType type = IsInteger(sum) && (given > 2 || scale != 1 || IsFloat(result)) ? PrimitiveType::F32 : sum;
  if (type != sum) y = call.As(y, type);
  y = call.Scaled(y, scale == 0 ? 1 : scale);  // an empty config has 0
  const double side = Float(config, "side_input_scale");
  if (given == 4 && side != 0) y = b.Add(y, call.Scaled(call.As(call.x[3], type), side));
  if (given > 2) {
    const DimVector sizes = y == nullptr ? DimVector() : y->shape().dimensions();
    if (call.x[2]->shape().rank() != 1) return Wrong(call, "its bias is one number a feature");
    y = b.Add(y, b.Broadcast(call.As(call.x[2], type), sizes, {form.dims.output_feature}));
  }
  y = Activated(call, config, mode, y);
  if (y == nullptr && b.status().ok()) return Unknown(call, Format("its activation {}", mode));
  return call.Give({Saturated(b, y, result)});
}

// A convolution and its epilogue, as XLA's cudnn_fused_conv_rewriter.cc writes it for cuDNN's graphs, into the config's
// serialized_graph: "28:[f32]conv();30:[f32]scale(28);16:[f8e4m3fn]relu(30);25:[f32]amax(30);", with the name, type, op
// and operands of each. A binary op with one named operand takes the call's next operand as the other. The result is
// the last op that is not an amax; those follow it.
StatusOr<Op> ConvolutionGraph(const Call& call) {
  HloBuilder& b = call.b;
  const Json& config = call.Section("cudnn_conv_backend_config");
  const auto at = config.find("serialized_graph");
  if (at == config.end() || !at->is_string()) return ConvolutionForward(call);
  HLOIR_ASSIGN_OR_RETURN(const Form form, FormOf(call));
  if (call.x.size() < 2) return Wrong(call, "it takes input and filter");
  const std::string& graph = at->get_ref<const std::string&>();
  size_t place = 0;  // in it
  std::map<std::string, Op> made;
  std::vector<Op> largest;
  Op last = nullptr;
  size_t next = 2;
  // The text before the next `end`, which is skipped.
  const auto until = [&](char end) {
    const size_t begin = std::min(place, graph.size());
    const size_t length = std::min(graph.find(end, begin), graph.size()) - begin;
    place = begin + length + 1;
    return graph.substr(begin, length);
  };
  while (place < graph.size()) {
    const std::string name = until(':');
    until('[');
    const PrimitiveType type = ParsePrimitiveType(until(']')).value_or(PrimitiveType::INVALID);
    const std::string op = until('(');
    const std::string list = until(')');
    until(';');
    if (!IsArrayType(type)) return Wrong(call, Format("its graph's {} has a type that is not known", name));
    std::vector<Op> operands;
    for (size_t begin = 0; begin < list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      const auto found = made.find(list.substr(begin, end - begin));
      if (found == made.end()) return Wrong(call, Format("its graph's {} reads a later value", name));
      operands.push_back(found->second);
      begin = end + 1;
    }
    Op y = nullptr;
    if (op == "conv") {
      ConvolutionAttributes a;
      a.window = form.window, a.dim_labels = form.dims, a.feature_group_count = form.groups;
      const double scale = Float(config, "conv_result_scale", 1);
      y = call.Scaled(b.Convolution(call.x[0], call.x[1], a, Accumulator(call.x[0]->shape().element_type())),
                      scale == 0 ? 1 : scale);
    } else if (operands.empty() || operands[0] == nullptr) {
      return Wrong(call, Format("its graph's {} has no operand", name));
    } else {
      Op x = operands[0];
      const DimVector sizes = x->shape().dimensions();
      const PrimitiveType computed = Accumulator(x->shape().element_type());
      x = call.As(x, computed);
      const auto other = [&]() -> Op {
        Op z = operands.size() > 1 ? operands[1] : next < call.x.size() ? call.x[next++] : nullptr;
        if (z == nullptr) return nullptr;
        z = call.As(z, computed);
        return z->shape().rank() == 1 && sizes.size() > 1 ? b.Broadcast(z, sizes, {form.dims.output_feature})
                                                          : call.Spread(z, sizes);
      };
      if (op == "relu") y = b.Maximum(x, call.Number(computed, sizes, 0));
      else if (op == "amax") {
        DimVector all;
        for (size_t d = 0; d < sizes.size(); ++d) all.push_back(static_cast<int64_t>(d));
        y = b.Reduce(b.Abs(x), b.Constant(computed, 0), all, MakeReducer(b.module(), HloOpcode::kMaximum, computed));
      } else if (op == "scale" || op == "invscale" || op == "add" || op == "bias") {
        const Op z = other();
        if (z == nullptr) return Wrong(call, Format("its graph's {} lacks an operand", name));
        y = op == "scale" ? b.Multiply(x, z) : op == "invscale" ? b.Divide(x, z) : b.Add(x, z);
      } else {
        return Unknown(call, Format("its graph's {}", op));
      }
    }
    if (y == nullptr) return y;
    y = Saturated(b, y, type);
    made[name] = y;
    if (op == "amax") largest.push_back(y);
    else last = y;
  }
  if (last == nullptr) return Wrong(call, "its graph is empty");
  std::vector<Op> results{call.As(last, call.Result().element_type())};
  for (Op y : largest) results.push_back(y);
  if (!call.instruction.shape().IsTuple()) return results[0];
  for (int64_t i = 0; i < call.Results(); ++i) {
    if (i >= static_cast<int64_t>(results.size())) results.push_back(b.Full(call.Result(i), 0));
    else results[static_cast<size_t>(i)] = call.As(results[static_cast<size_t>(i)], call.Result(i).element_type());
  }
  return b.Tuple(results);
}

// Convolves the derivative, dilated by the strides, with the reversed filter, whose input and output features are
// exchanged.
StatusOr<Op> ConvolutionBackwardInput(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(const Form form, FormOf(call));
  if (call.x.size() != 2) return Wrong(call, "it takes a derivative and a filter");
  const Shape& result = call.Result();
  const Op derivative = call.x[0];
  Op filter = call.x[1];
  ConvDimensionNumbers dims = form.dims;
  const Shape& filter_shape = filter->shape();
  if (form.groups > 1) {
    // I/g x O to O/g x I: moves the groups from the outputs to the front of the inputs.
    const int64_t in = dims.kernel_input_feature, out = dims.kernel_output_feature;
    DimVector apart = filter_shape.dimensions();
    if (apart[out] % form.groups != 0) return Wrong(call, "its groups do not divide its features");
    apart[out] /= form.groups;
    apart.insert(apart.begin() + out, form.groups);  // … g, O/g …
    DimVector order;
    const auto moved = [&](int64_t d) { return d < out ? d : d + 1; };  // the new position of dimension d of the filter
    for (int64_t d = 0; d < filter_shape.rank(); ++d) {
      if (d == in) order.push_back(out);
      order.push_back(moved(d));
    }
    DimVector together = filter_shape.dimensions();
    together[out] /= form.groups;
    together[in] *= form.groups;
    filter = b.Reshape(b.Transpose(b.Reshape(filter, apart), order), together);
  }
  std::swap(dims.kernel_input_feature, dims.kernel_output_feature);
  dims.input_batch = form.dims.output_batch, dims.input_feature = form.dims.output_feature;
  dims.input_spatial = form.dims.output_spatial;
  dims.output_batch = form.dims.input_batch, dims.output_feature = form.dims.input_feature;
  dims.output_spatial = form.dims.input_spatial;
  ConvolutionAttributes a;
  a.dim_labels = dims, a.feature_group_count = form.groups;
  for (size_t i = 0; i < form.window.size(); ++i) {
    const WindowDimension& w = form.window[i];
    if (w.base_dilation != 1) return Unknown(call, "a dilated input");
    const int64_t reach = (w.size - 1) * w.window_dilation;
    const int64_t outputs = derivative->shape().dimensions(form.dims.output_spatial[i]);
    WindowDimension turned;
    turned.size = w.size, turned.window_dilation = w.window_dilation, turned.base_dilation = w.stride;
    turned.window_reversal = !w.window_reversal;
    turned.padding_low = reach - w.padding_low;
    turned.padding_high = result.dimensions(form.dims.input_spatial[i]) - 1 - (outputs - 1) * w.stride + w.padding_low;
    a.window.push_back(turned);
  }
  const double scale = Float(call.Section("cudnn_conv_backend_config"), "conv_result_scale", 1);
  const Op x = b.Convolution(derivative, filter, a, Accumulator(derivative->shape().element_type()));
  return call.Give({call.Scaled(x, scale == 0 ? 1 : scale)});
}

// Input and derivative, with batch and features exchanged: the derivative is the new window.
StatusOr<Op> ConvolutionBackwardFilter(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(const Form form, FormOf(call));
  if (call.x.size() != 2) return Wrong(call, "it takes an input and a derivative");
  const Op input = call.x[0], derivative = call.x[1];
  ConvDimensionNumbers dims = form.dims;
  dims.input_batch = form.dims.input_feature, dims.input_feature = form.dims.input_batch;
  dims.kernel_input_feature = form.dims.output_batch, dims.kernel_output_feature = form.dims.output_feature;
  dims.kernel_spatial = form.dims.output_spatial;
  dims.output_batch = form.dims.kernel_input_feature, dims.output_feature = form.dims.kernel_output_feature;
  dims.output_spatial = form.dims.kernel_spatial;
  ConvolutionAttributes a;
  a.dim_labels = dims, a.batch_group_count = form.groups;
  DimVector reversed;
  for (size_t i = 0; i < form.window.size(); ++i) {
    const WindowDimension& w = form.window[i];
    if (w.base_dilation != 1) return Unknown(call, "a dilated input");
    const int64_t inputs = input->shape().dimensions(form.dims.input_spatial[i]);
    const int64_t outputs = derivative->shape().dimensions(form.dims.output_spatial[i]);
    WindowDimension turned;
    turned.size = outputs, turned.window_dilation = w.stride, turned.stride = w.window_dilation;
    turned.padding_low = w.padding_low;
    turned.padding_high = (w.size - 1) * w.window_dilation + (outputs - 1) * w.stride + 1 - inputs - w.padding_low;
    a.window.push_back(turned);
    if (w.window_reversal) reversed.push_back(form.dims.kernel_spatial[i]);
  }
  Op filter = b.Convolution(input, derivative, a, Accumulator(input->shape().element_type()));
  if (!reversed.empty()) filter = b.Reverse(filter, reversed);
  const double scale = Float(call.Section("cudnn_conv_backend_config"), "conv_result_scale", 1);
  return call.Give({call.Scaled(filter, scale == 0 ? 1 : scale)});
}

}  // namespace hloir::custom_calls
