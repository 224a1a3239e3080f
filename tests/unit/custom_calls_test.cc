// custom_calls.h: calls of GPU libraries equal their HLO definitions, in both engines. As independent checks,
// derivatives of convolutions are adjoint to the convolution, and those of attention equal difference quotients.
#include "hloir/custom_calls.h"

#include <cmath>

#include "hloir/cost.h"
#include "hloir/evaluator.h"
#include "tests/unit/check_module.h"

namespace hloir {
namespace {

std::string Call(const std::string& name, const std::string& shape, const std::string& operands,
                 const std::string& target, const std::string& rest = "") {
  return " " + name + " = " + shape + " custom-call(" + operands + "), custom_call_target=\"" + target + "\"" +
         (rest.empty() ? "" : ", ") + rest + "\n";
}

// Both texts have nearly equal results on the same inputs; both engines run the first.
void CheckSame(const std::string& calls, const std::string& plain, double tolerance) {
  CheckModule(calls, tolerance);
  INFO(calls);
  INFO(plain);
  const CheckedModule a(calls), b(plain);
  const Comparison comparison = CompareResults(b.expected, a.expected, {.relative = tolerance});
  INFO(comparison.ToString("in HLO", "by the call"));
  CHECK(comparison.agree);
}

double Product(const Literal& x, const Literal& y) {
  double sum = 0;
  for (int64_t i = 0; i < x.element_count(); ++i) sum += x.GetAsDouble(i) * y.GetAsDouble(i);
  return sum;
}

const std::string kDot =
    "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"]}";

TEST_CASE("products of cuBLAS") {
  const std::string x =
      " a = f32[5,7] parameter(0)\n b = f32[7,6] parameter(1)\n c = f32[5,6] parameter(2)\n"
      " bias = f32[6] parameter(3)\n";
  const std::string dot =
      " d = f32[5,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n two = f32[] constant(2)\n"
      " twos = f32[5,6] broadcast(two), dimensions={}\n ab = f32[5,6] multiply(d, twos)\n three = f32[] constant(3)\n"
      " threes = f32[5,6] broadcast(three), dimensions={}\n c3 = f32[5,6] multiply(c, threes)\n s = f32[5,6] add(ab, "
      "c3)\n"
      " wide = f32[5,6] broadcast(bias), dimensions={1}\n t = f32[5,6] add(s, wide)\n";
  const auto config = [](const std::string& epilogue) {
    return "backend_config={\"operation_queue_id\":\"0\",\"gemm_backend_config\":{\"alpha_real\":2,\"alpha_imag\":0,"
           "\"beta\":3," +
           kDot + ",\"epilogue\":\"" + epilogue + "\"}}";
  };
  CheckSame(Entry(x + Call("g", "(f32[5,6], s8[64])", "a, b, c", "__cublas$gemm", config("DEFAULT")) +
                  " ROOT r = f32[5,6] get-tuple-element(g), index=0"),
            Entry(x + dot + " ROOT r = f32[5,6] copy(s)"), 1e-5);
  CheckSame(
      Entry(x + Call("ROOT r", "f32[5,6]", "a, b, c, bias", "__cublas$lt$matmul", config("BIAS_RELU"))),
      Entry(x + dot +
            " z = f32[] constant(0)\n zs = f32[5,6] broadcast(z), dimensions={}\n ROOT r = f32[5,6] maximum(t, zs)"),
      1e-5);
  // The second result is the operand of the GELU.
  const CheckedModule gelu(Entry(x + Call("ROOT r", "(f32[5,6], f32[5,6], s8[9])", "a, b, c, bias",
                                          "__cublas$lt$matmul", config("BIAS_GELU_AUX"))));
  const CheckedModule plain(Entry(x + dot + " ROOT r = f32[5,6] copy(t)"));
  for (int64_t i = 0; i < 30; ++i) {
    const double v = plain.expected.GetAsDouble(i);
    CHECK(gelu.expected.elements()[1].GetAsDouble(i) == Approx(v));
    CHECK(gelu.expected.elements()[0].GetAsDouble(i) ==
          Approx(0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)))).margin(1e-5));
    CHECK(gelu.expected.elements()[2].GetAsInt64(i % 9) == 0);
  }
  // The oldest form: all of the config is the product's, and numbers are numbers.
  CheckSame(Entry(x + Call("ROOT r", "f32[5,6]", "a, b", "__cublas$gemm",
                           "backend_config=\"{\\\"alpha_real\\\":1,\\\"dot_dimension_numbers\\\":{\\\"lhs_contracting_"
                           "dimensions\\\":[1],"
                           "\\\"rhs_contracting_dimensions\\\":[0]}}\"")),
            Entry(x + " ROOT r = f32[5,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"), 1e-5);
  // bf16 in, sums in f32, and one rounding at the end.
  const std::string narrow = " a = bf16[5,7] parameter(0)\n b = bf16[7,6] parameter(1)\n";
  CheckSame(
      Entry(narrow +
            Call("ROOT r", "bf16[5,6]", "a, b", "__cublas$gemm", "backend_config={" + kDot + ",\"alpha_real\":3}")),
      Entry(narrow +
            " d = f32[5,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n three = f32[] constant(3)\n"
            " threes = f32[5,6] broadcast(three), dimensions={}\n m = f32[5,6] multiply(d, threes)\n"
            " ROOT r = bf16[5,6] convert(m)"),
      0);
}

TEST_CASE("products of f8 matrices saturate, and tell their largest number") {
  const std::string text = Entry(
      " a = f8e4m3fn[4,8] parameter(0)\n b = f8e4m3fn[8,4] parameter(1)\n sa = f32[] constant(100)\n sb = f32[] "
      "constant(2)\n"
      " sd = f32[] constant(0.5)\n" +
      Call(
          "ROOT r", "(f8e4m3fn[4,4], f32[], s8[16])", "a, b, sa, sb, sd", "__cublas$lt$matmul$f8",
          "backend_config={\"gemm_backend_config\":{\"alpha_real\":1,\"beta\":0," + kDot + ",\"damax_output\":true}}"));
  CheckModule(text, 1e-6);
  const CheckedModule m(text);
  double largest = 0;
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 8; ++k) sum += m.inputs[0].GetAsDouble(i * 8 + k) * m.inputs[1].GetAsDouble(k * 4 + j);
      largest = std::max(largest, std::abs(200 * sum));
      const double result = m.expected.elements()[0].GetAsDouble(i * 4 + j);
      if (std::abs(100 * sum) > 448) CHECK(std::abs(result) == 448);
      else CHECK(result == Approx(100 * sum).epsilon(0.07).margin(0.02));
    }
  }
  CHECK(largest > 896);  // something did saturate
  CHECK(m.expected.elements()[1].GetAsDouble(0) == Approx(largest));
}

TEST_CASE("calls of oneDNN") {
  const std::string x =
      " a = f32[2,7,5] parameter(0)\n b = f32[1,7,6] parameter(1)\n bias = f32[6] parameter(2)\n"
      " more = f32[2,5,6] parameter(3)\n";
  const std::string product =
      " one = f32[7,6] reshape(b)\n two = f32[2,7,6] broadcast(one), dimensions={1,2}\n"
      " d = f32[2,5,6] dot(a, two), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}\n wide = f32[2,5,6] broadcast(bias), dimensions={2}\n s = f32[2,5,6] add(d, wide)\n"
      " t = f32[2,5,6] add(s, more)\n z = f32[] constant(0)\n zs = f32[2,5,6] broadcast(z), dimensions={}\n";
  const auto matmul = [](const std::string& rest) {
    return "backend_config={\"outer_dimension_partitions\":[],\"onednn_matmul_config\":{\"transpose_a\":true,"
           "\"transpose_b\":false," +
           rest + "}}";
  };
  CheckSame(Entry(x + Call("ROOT r", "f32[2,5,6]", "a, b, bias, more", "__onednn$matmul",
                           matmul("\"fusions\":{\"ops\":[\"BIAS\",\"BINARY_ADD\",\"RELU\"],\"alpha_typecast\":0}"))),
            Entry(x + product + " ROOT r = f32[2,5,6] maximum(t, zs)"), 1e-5);
  // Early 2024: a list in the config itself. The factor is the bits of 0.5.
  CheckSame(
      Entry(x + Call("ROOT r", "f32[2,5,6]", "a, b, bias, more", "__onednn$matmul",
                     matmul("\"fused_ops\":[\"BIAS\",\"SUM\",\"LINEAR\",\"TANH\"],\"alpha_typecast\":1056964608"))),
      Entry(x + product +
            " h = f32[] constant(0.5)\n hs = f32[2,5,6] broadcast(h), dimensions={}\n"
            " u = f32[2,5,6] multiply(t, hs)\n ROOT r = f32[2,5,6] tanh(u)"),
      1e-5);
  // Layouts of the config: dimensions from 1. The scratch buffer is zeros.
  CheckSame(
      Entry(" a = f32[3,2,4] parameter(0)\n b = f32[2,4,5] parameter(1)\n" +
            Call("c", "(f32[3,2,5], u8[16])", "a, b", "__onednn$matmul",
                 "backend_config={\"onednn_matmul_config\":{\"lhs\":{\"tensor\":{\"dimensions\":[\"2\",\"1\",\"3\"]}},"
                 "\"result\":{\"tensor\":{\"dimensions\":[\"2\",\"1\",\"3\"]}}}}") +
            " ROOT r = f32[3,2,5] get-tuple-element(c), index=0"),
      Entry(" a = f32[3,2,4] parameter(0)\n b = f32[2,4,5] parameter(1)\n"
            " d = f32[2,3,5] dot(a, b), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
            "rhs_contracting_dims={1}\n ROOT r = f32[3,2,5] transpose(d), dimensions={1,0,2}"),
      1e-5);
  CheckSame(
      Entry(
          " x = f32[2,9,8,4] parameter(0)\n w = f32[3,2,2,6] parameter(1)\n bias = f32[6] parameter(2)\n" +
          Call(
              "ROOT r", "f32[2,5,8,6]", "x, w, bias", "__onednn$convolution",
              "backend_config={\"onednn_conv_config\":{\"dims\":\"4\",\"input\":{\"dims\":\"0\",\"data\":{\"batch_"
              "dim\":"
              "\"0\",\"feature_dim\":\"3\",\"spatial_dims\":[\"2\",\"3\"]}},\"kernel\":{\"filter\":{\"input_feature_"
              "dim\":"
              "\"2\",\"output_feature_dim\":\"3\",\"spatial_dims\":[\"1\",\"2\"]}},\"output\":{\"data\":{\"batch_dim\":"
              "\"0\",\"feature_dim\":\"3\",\"spatial_dims\":[\"2\",\"3\"]}},\"window\":{\"pad_left\":[\"2\",\"1\"],"
              "\"pad_right\":[\"2\",\"3\"],\"strides\":[\"3\",\"2\"],\"window_dilations\":[\"2\",\"3\"]},\"fusions\":"
              "{\"ops\":[\"BIAS\",\"RELU6\"]},\"feature_groups\":\"2\"}}")),
      Entry(" x = f32[2,9,8,4] parameter(0)\n w = f32[3,2,2,6] parameter(1)\n bias = f32[6] parameter(2)\n"
            " y = f32[2,5,8,6] convolution(x, w), window={size=3x2 stride=2x1 pad=1_1x0_2 rhs_dilate=1x2}, "
            "dim_labels=b01f_01io->b01f, feature_group_count=2\n b = f32[2,5,8,6] broadcast(bias), dimensions={3}\n"
            " t = f32[2,5,8,6] add(y, b)\n z = f32[] constant(0)\n six = f32[] constant(6)\n"
            " ROOT r = f32[2,5,8,6] clamp(z, t, six)"),
      1e-5);
  const CheckedModule softmax(Entry(" x = f32[3,4,2] parameter(0)\n" +
                                    Call("ROOT r", "f32[3,4,2]", "x", "__onednn$softmax",
                                         "backend_config={\"onednn_softmax_config\":{\"softmax_axis\":1}}")));
  CheckModule(Entry(" x = f32[3,4] parameter(0)\n" + Call("ROOT r", "f32[3,4]", "x", "__onednn$softmax")), 1e-6);
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t k = 0; k < 2; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < 4; ++j) sum += std::exp(softmax.inputs[0].GetAsDouble(i * 8 + j * 2 + k));
      for (int64_t j = 0; j < 4; ++j) {
        const int64_t at = i * 8 + j * 2 + k;
        CHECK(softmax.expected.GetAsDouble(at) == Approx(std::exp(softmax.inputs[0].GetAsDouble(at)) / sum));
      }
    }
  }
  // 925353388 are the bits of 1e-5.
  const CheckedModule norm(
      Entry(" x = f32[3,4] parameter(0)\n g = f32[4] parameter(1)\n s = f32[4] parameter(2)\n" +
            Call("ROOT r", "f32[3,4]", "x, g, s", "__onednn$layernorm",
                 "backend_config={\"onednn_layer_norm_config\":{\"rescale\":\"SCALE_AND_SHIFT\",\"epsilon_typecast\":"
                 "925353388}}")));
  for (int64_t i = 0; i < 3; ++i) {
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < 4; ++j) mean += norm.inputs[0].GetAsDouble(i * 4 + j) / 4;
    for (int64_t j = 0; j < 4; ++j) variance += std::pow(norm.inputs[0].GetAsDouble(i * 4 + j) - mean, 2) / 4;
    for (int64_t j = 0; j < 4; ++j)
      CHECK(norm.expected.GetAsDouble(i * 4 + j) ==
            Approx((norm.inputs[0].GetAsDouble(i * 4 + j) - mean) / std::sqrt(variance + 1e-5) *
                       norm.inputs[1].GetAsDouble(j) +
                   norm.inputs[2].GetAsDouble(j))
                .margin(1e-5));
  }
}

TEST_CASE("convolutions of cuDNN") {
  const std::string x =
      " x = f32[2,9,8,4] parameter(0)\n w = f32[3,2,2,6] parameter(1)\n bias = f32[6] parameter(2)\n"
      " side = f32[2,5,8,6] parameter(3)\n";
  const std::string form =
      "window={size=3x2 stride=2x1 pad=1_1x0_2 rhs_dilate=1x2}, dim_labels=b01f_01io->b01f, feature_group_count=2";
  const std::string config =
      "backend_config={\"cudnn_conv_backend_config\":{\"conv_result_scale\":0.5,\"side_input_scale\":2,"
      "\"activation_mode\":\"kRelu\"}}";
  CheckSame(
      Entry(x +
            Call("c", "(f32[2,5,8,6], u8[0])", "x, w, bias, side", "__cudnn$convBiasActivationForward",
                 form + ", " + config) +
            " ROOT r = f32[2,5,8,6] get-tuple-element(c), index=0"),
      Entry(x + " y = f32[2,5,8,6] convolution(x, w), " + form +
            "\n h = f32[] constant(0.5)\n hs = f32[2,5,8,6] broadcast(h), dimensions={}\n p = f32[2,5,8,6] multiply(y, "
            "hs)\n"
            " q = f32[2,5,8,6] add(side, side)\n s = f32[2,5,8,6] add(p, q)\n b = f32[2,5,8,6] broadcast(bias), "
            "dimensions={3}\n"
            " t = f32[2,5,8,6] add(s, b)\n z = f32[] constant(0)\n zs = f32[2,5,8,6] broadcast(z), dimensions={}\n"
            " ROOT r = f32[2,5,8,6] maximum(t, zs)"),
      1e-5);
}

// <conv(x, w), dy> = <x, backward_input(dy, w)> = <w, backward_filter(x, dy)>, for each form of a window.
TEST_CASE("derivatives of convolutions are adjoint to them") {
  struct Form {
    std::string x, w, y, attributes;
  };
  for (const Form& form : {
           Form{"f32[2,9,8,4]", "f32[3,2,4,6]", "f32[2,9,7,6]",
                "window={size=3x2 pad=1_1x0_0}, dim_labels=b01f_01io->b01f"},
           Form{"f32[2,9,8,4]", "f32[3,2,2,6]", "f32[2,5,8,6]",
                "window={size=3x2 stride=2x1 pad=1_1x0_2 rhs_dilate=1x2}, dim_labels=b01f_01io->b01f, "
                "feature_group_count=2"},
           Form{"f32[2,6,10]", "f32[9,2,3]", "f32[2,9,4]",
                "window={size=3 stride=3 pad=2_0}, dim_labels=bf0_oi0->bf0, feature_group_count=3"},
           Form{"f32[3,4,7,5]", "f32[8,4,3,3]", "f32[3,8,5,3]",
                "window={size=3x3 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01"},
       }) {
    const std::string inputs =
        " x = " + form.x + " parameter(0)\n w = " + form.w + " parameter(1)\n dy = " + form.y + " parameter(2)\n";
    const CheckedModule forward(Entry(inputs + " y = " + form.y + " convolution(x, w), " + form.attributes +
                                      "\n ROOT r = " + form.y + " copy(y)"));
    const std::string dx =
        Entry(inputs + Call("c", "(" + form.x + ", u8[0])", "dy, w", "__cudnn$convBackwardInput", form.attributes) +
              " ROOT r = " + form.x + " get-tuple-element(c), index=0");
    const std::string dw =
        Entry(inputs + Call("c", "(" + form.w + ", u8[0])", "x, dy", "__cudnn$convBackwardFilter", form.attributes) +
              " ROOT r = " + form.w + " get-tuple-element(c), index=0");
    CheckModule(dx, 1e-5);
    CheckModule(dw, 1e-5);
    const double product = Product(forward.expected, forward.inputs[2]);
    CHECK(Product(CheckedModule(dx).expected, forward.inputs[0]) == Approx(product).epsilon(1e-4));
    CHECK(Product(CheckedModule(dw).expected, forward.inputs[1]) == Approx(product).epsilon(1e-4));
  }
}

// Batches first, then positions or heads: BTNH in JAX.
const std::string kForwardDims =
    "\"bmm1_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_dimensions\":[\"3\"],"
    "\"lhs_batch_dimensions\":[\"0\",\"2\"],\"rhs_batch_dimensions\":[\"0\",\"2\"]},"
    "\"bmm2_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_dimensions\":[\"1\"],"
    "\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"2\"]}";
const std::string kBackwardDims =
    "\"bmm1_grad_gemm1_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],\"rhs_contracting_dimensions\":["
    "\"1\"],"
    "\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"2\"]},"
    "\"bmm1_grad_gemm2_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_dimensions\":["
    "\"1\"],"
    "\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"2\"]},"
    "\"bmm2_grad_gemm1_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],\"rhs_contracting_dimensions\":["
    "\"1\"],"
    "\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"2\"]},"
    "\"bmm2_grad_gemm2_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_dimensions\":["
    "\"3\"],"
    "\"lhs_batch_dimensions\":[\"0\",\"2\"],\"rhs_batch_dimensions\":[\"0\",\"2\"]}";

std::string AttentionConfig(const std::string& dims, const std::string& rest) {
  return "backend_config={\"cudnn_fmha_backend_config\":{\"fmha_scale\":0.5," + dims + ",\"dropout_rate\":0" + rest +
         "}}";
}

// Written out by hand, element by element.
TEST_CASE("attention of cuDNN") {
  constexpr int64_t kBatches = 2, kQueries = 5, kKeys = 6, kHeads = 3, kWidth = 4;
  struct Form {
    std::string config;
    bool causal, padded;
    int64_t window;
  };
  for (const Form& form : {Form{"", false, false, 0}, Form{",\"mask_type\":\"CAUSAL\"", true, false, 0},
                           Form{",\"mask_type\":\"PADDING_CAUSAL\"", true, true, 0},
                           Form{",\"mask_type\":\"CAUSAL\",\"sliding_window_length\":3", true, false, 3}}) {
    const std::string text = Entry(
        " q = f32[2,5,3,4] parameter(0)\n k = f32[2,6,3,4] parameter(1)\n v = f32[2,6,3,4] parameter(2)\n"
        " bias = f32[1,3,5,6] parameter(3)\n ql = s32[2] constant({5, 2})\n kl = s32[2] constant({3, 6})\n" +
        Call("ROOT r", "(f32[2,3,5,4], f32[2,3,5], u8[0])",
             std::string("q, k, v, bias") + (form.padded ? ", ql, kl" : ""), "__cudnn$fmhaScaleBiasSoftmax",
             AttentionConfig(kForwardDims, form.config)));
    CheckModule(text, 1e-5);
    const CheckedModule m(text);
    const auto at = [&](size_t input, int64_t b, int64_t t, int64_t n, int64_t h) {
      const int64_t places = input == 0 ? kQueries : kKeys;
      return m.inputs[input].GetAsDouble(((b * places + t) * kHeads + n) * kWidth + h);
    };
    for (int64_t b = 0; b < kBatches; ++b) {
      for (int64_t n = 0; n < kHeads; ++n) {
        for (int64_t t = 0; t < kQueries; ++t) {
          if (form.padded && t >= (b == 0 ? 5 : 2)) continue;
          double weights[kKeys], sum = 0;
          for (int64_t s = 0; s < kKeys; ++s) {
            double score = m.inputs[3].GetAsDouble((n * kQueries + t) * kKeys + s);
            for (int64_t h = 0; h < kWidth; ++h) score += 0.5 * at(0, b, t, n, h) * at(1, b, s, n, h);
            const bool out = (form.causal && s > t) || (form.padded && s >= (b == 0 ? 3 : 6)) ||
                             (form.window > 0 && s <= t - form.window);
            sum += weights[s] = out ? 0 : std::exp(score);
          }
          const int64_t row = (b * kHeads + n) * kQueries + t;
          CHECK(m.expected.elements()[1].GetAsDouble(row) == Approx(std::log(sum)).margin(1e-4));
          for (int64_t h = 0; h < kWidth; ++h) {
            double value = 0;
            for (int64_t s = 0; s < kKeys; ++s) value += weights[s] / sum * at(2, b, s, n, h);
            CHECK(m.expected.elements()[0].GetAsDouble(row * kWidth + h) == Approx(value).margin(1e-4));
          }
        }
      }
    }
  }
}

TEST_CASE("derivatives of attention are its slopes") {
  for (const std::string config : {"", ",\"mask_type\":\"CAUSAL\""}) {
    const std::string inputs =
        " q = f32[2,5,3,4] parameter(0)\n k = f32[2,6,3,4] parameter(1)\n v = f32[2,6,3,4] parameter(2)\n"
        " bias = f32[1,3,5,6] parameter(3)\n dy = f32[2,5,3,4] parameter(4)\n" +
        Call("f", "(f32[2,3,5,4], f32[2,3,5], u8[0])", "q, k, v, bias", "__cudnn$fmhaScaleBiasSoftmax",
             AttentionConfig(kForwardDims, config));
    // The output as dy lies, times dy: a number whose derivatives the backward call gives.
    const std::string forward = Entry(
        inputs +
        " o = f32[2,3,5,4] get-tuple-element(f), index=0\n ROOT r = f32[2,5,3,4] transpose(o), dimensions={0,2,1,3}");
    const std::string backward =
        Entry(inputs + " st = f32[2,3,5] get-tuple-element(f), index=1\n" +
              Call("ROOT r", "(f32[2,3,5,4], f32[2,3,6,4], f32[2,3,6,4], f32[1,3,5,6], u8[0])", "q, k, v, st, dy, bias",
                   "__cudnn$fmhaScaleBiasSoftmaxBackward", AttentionConfig(kBackwardDims, config)));
    CheckModule(backward, 1e-4);
    const CheckedModule f(forward), g(backward);
    auto module = ParseModule(forward);
    const auto value = [&](const std::vector<const Literal*>& arguments) {
      auto result = MakeReferenceEvaluator()->EvaluateComputation(*(*module)->entry_computation(), arguments);
      REQUIRE(result.ok());
      return Product(*result, f.inputs[4]);
    };
    constexpr double kStep = 1.0 / 64;
    for (size_t input = 0; input < 4; ++input) {
      for (int64_t i = 0; i < f.inputs[input].element_count(); i += 17) {
        Literal more = f.inputs[input], less = f.inputs[input];
        more.SetFromDouble(i, more.GetAsDouble(i) + kStep);
        less.SetFromDouble(i, less.GetAsDouble(i) - kStep);
        std::vector<const Literal*> arguments = f.arguments;
        arguments[input] = &more;
        const double above = value(arguments);
        arguments[input] = &less;
        // Inputs have places before heads, derivatives behind them.
        int64_t j = i;
        if (input < 3) {
          const int64_t places = input == 0 ? 5 : 6;
          j = ((i / (12 * places) * 3 + i / 4 % 3) * places + i / 12 % places) * 4 + i % 4;
        }
        CHECK(g.expected.elements()[input].GetAsDouble(j) ==
              Approx((above - value(arguments)) / (2 * kStep)).epsilon(0.02).margin(0.02));
      }
    }
  }
}

TEST_CASE("layer normalization of cuDNN, and its derivatives") {
  const std::string inputs =
      " x = f32[3,4,1,5] parameter(0)\n scale = f32[1,4,1,5] parameter(1)\n bias = f32[1,4,1,5] parameter(2)\n dy = "
      "f32[3,4,1,5] parameter(3)\n";
  const std::string train =
      "backend_config={\"cudnn_norm_backend_config\":{\"epsilon\":0.001,\"kind\":\"LAYER_FWD_TRAIN\"}}";
  const std::string back = "backend_config={\"cudnn_norm_backend_config\":{\"epsilon\":0.001,\"kind\":\"LAYER_BWD\"}}";
  const std::string call =
      Call("f", "(f32[3,4,1,5], f32[3,1,1,1], f32[3,1,1,1], u8[0])", "x, scale, bias", "__cudnn$norm", train);
  const std::string forward = Entry(inputs + call + " ROOT r = f32[3,4,1,5] get-tuple-element(f), index=0");
  const std::string backward = Entry(
      inputs + call +
      " m = f32[3,1,1,1] get-tuple-element(f), index=1\n d = f32[3,1,1,1] get-tuple-element(f), index=2\n" +
      Call("ROOT r", "(f32[3,4,1,5], f32[1,4,1,5], f32[1,4,1,5], u8[0])", "x, scale, dy, m, d", "__cudnn$norm", back));
  CheckModule(forward, 1e-5);
  CheckModule(backward, 1e-4);
  const CheckedModule f(forward), g(backward);
  for (int64_t row = 0; row < 3; ++row) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < 20; ++i) sum += f.inputs[0].GetAsDouble(row * 20 + i);
    for (int64_t i = 0; i < 20; ++i) squares += std::pow(f.inputs[0].GetAsDouble(row * 20 + i) - sum / 20, 2);
    for (int64_t i = 0; i < 20; ++i) {
      const double normal = (f.inputs[0].GetAsDouble(row * 20 + i) - sum / 20) / std::sqrt(squares / 20 + 0.001);
      CHECK(f.expected.GetAsDouble(row * 20 + i) ==
            Approx(normal * f.inputs[1].GetAsDouble(i) + f.inputs[2].GetAsDouble(i)).margin(1e-4));
    }
  }
  auto module = ParseModule(forward);
  for (size_t input = 0; input < 3; ++input) {
    for (int64_t i = 0; i < f.inputs[input].element_count(); i += 7) {
      double slope = 0;
      for (const double step : {1.0 / 256, -1.0 / 256}) {
        Literal moved = f.inputs[input];
        moved.SetFromDouble(i, moved.GetAsDouble(i) + step);
        std::vector<const Literal*> arguments = f.arguments;
        arguments[input] = &moved;
        auto result = MakeReferenceEvaluator()->EvaluateComputation(*(*module)->entry_computation(), arguments);
        REQUIRE(result.ok());
        slope += Product(*result, f.inputs[3]) / (2 * step);
      }
      CHECK(g.expected.elements()[input].GetAsDouble(i) == Approx(slope).epsilon(0.02).margin(0.02));
    }
  }
}

TEST_CASE("small custom-calls") {
  // Random123's known answers for Threefry-2x32 with 20 rounds.
  const auto threefry = [](const std::string& key, const std::string& counter) {
    const CheckedModule m(Entry(" k = u32[] constant(" + key + ")\n c = u32[2] constant({" + counter + ", " + counter +
                                "})\n" + Call("ROOT r", "(u32[2], u32[2])", "k, k, c, c", "cu_threefry2x32_ffi")));
    return std::pair(m.expected.elements()[0].GetAsInt64(1), m.expected.elements()[1].GetAsInt64(0));
  };
  CHECK(threefry("0", "0") == std::pair<int64_t, int64_t>(0x6b200159, 0x99ba4efe));
  CHECK(threefry("4294967295", "4294967295") == std::pair<int64_t, int64_t>(0x1cb996fc, 0xbb002be7));
  const std::string rows = " k = f32[3,9] parameter(0)\n v = s32[3,9] parameter(1)\n";
  CheckSame(Entry(rows +
                  Call("s", "(f32[3,9], s32[3,9], u8[77])", "k, v", "__cub$DeviceRadixSort",
                       "backend_config={\"descending\":true}") +
                  " a = f32[3,9] get-tuple-element(s), index=0\n b = s32[3,9] get-tuple-element(s), index=1\n ROOT r = "
                  "(f32[3,9], s32[3,9]) tuple(a, b)"),
            "HloModule m\nc { a = f32[] parameter(0)\n b = f32[] parameter(1)\n i = s32[] parameter(2)\n j = s32[] "
            "parameter(3)\n"
            " ROOT r = pred[] compare(a, b), direction=GT }\nENTRY e {\n" +
                rows + " ROOT s = (f32[3,9], s32[3,9]) sort(k, v), dimensions={1}, is_stable=true, to_apply=c }",
            0);
  const std::string wide = " x = s64[5] constant({-1, 4294967297, -4294967296, 7, 9223372036854775807})\n";
  CheckSame(Entry(wide + Call("l", "u32[5]", "x", "X64SplitLow") + Call("h", "u32[5]", "x", "X64SplitHigh") +
                  Call("ROOT r", "s64[5]", "l, h", "X64Combine")),
            Entry(wide + " ROOT r = s64[5] copy(x)"), 0);
}

// As text has bytes: three octal digits each.
std::string Words(std::initializer_list<int32_t> words) {
  std::string text;
  for (const int32_t word : words) {
    for (int byte = 0; byte < 4; ++byte) {
      const int value = (word >> (8 * byte)) & 255;
      text += {'\\', static_cast<char>('0' + value / 64), static_cast<char>('0' + value / 8 % 8),
               static_cast<char>('0' + value % 8)};
    }
  }
  return "backend_config=\"" + text + "\"";
}

TEST_CASE("solvers that HLO has ops for") {
  const std::string x = " a = f64[2,3,3] parameter(0)\n b = f64[2,3,2] parameter(1)\n";
  const auto trsm = [&](const std::string& target, std::initializer_list<int32_t> descriptor) {
    return Entry(x + Call("t", "(f64[2,3,2], s8[16], s8[16])", "a, b", target, Words(descriptor)) +
                 " ROOT r = f64[2,3,2] get-tuple-element(t), index=0");
  };
  const auto plain = [&](const std::string& how) {
    return Entry(x + " ROOT r = f64[2,3,2] triangular-solve(a, b), left_side=true, " + how);
  };
  CheckSame(trsm("cublas_trsm_batched", {1, 2, 3, 2, 0, 0, 0, 0}), plain("lower=true, transpose_a=NO_TRANSPOSE"), 0);
  CheckSame(trsm("cublas_trsm_batched", {1, 2, 3, 2, 0, 1, 2, 1}),
            plain("lower=false, unit_diagonal=true, transpose_a=ADJOINT"), 0);
  CheckSame(trsm("hipblas_trsm_batched", {1, 2, 3, 2, 141, 122, 112, 131}), plain("lower=true, transpose_a=TRANSPOSE"),
            0);
  const std::string c =
      " a = f32[4,3] parameter(0)\n c = f32[4,4] parameter(1)\n two = f32[] constant(2)\n three = f32[] constant(3)\n";
  const std::string scaled =
      " twos = f32[4,4] broadcast(two), dimensions={}\n threes = f32[4,4] broadcast(three), dimensions={}\n"
      " p = f32[4,4] multiply(d, twos)\n q = f32[4,4] multiply(c, threes)\n ROOT r = f32[4,4] add(p, q)";
  CheckSame(Entry(c + Call("ROOT r", "f32[4,4]", "a, c, two, three", "cusolver_syrk_ffi",
                           "backend_config={transpose = false}")),
            Entry(c + " d = f32[4,4] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n" + scaled), 1e-6);
  const std::string turned =
      " t = f32[3,4] parameter(0)\n c = f32[4,4] parameter(1)\n two = f32[] constant(2)\n three = f32[] constant(3)\n";
  CheckSame(Entry(turned + Call("ROOT r", "f32[4,4]", "t, c, two, three", "hipsolver_syrk_ffi",
                                "backend_config={transpose = true}")),
            Entry(turned + " d = f32[4,4] dot(t, t), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n" + scaled),
            1e-6);
  // R^T R is the matrix and the vector's square more.
  const CheckedModule m(Entry(" r = f64[2,2] constant({{2, 1}, {0, 3}})\n w = f64[2] constant({1, -2})\n" +
                              Call("ROOT u", "(f64[2,2], f64[2])", "r, w", "cu_cholesky_update_ffi")));
  const auto u = [&](int64_t i) { return m.expected.elements()[0].GetAsDouble(i); };
  CHECK(u(2) == 0);
  CHECK(u(0) * u(0) == Approx(4 + 1));
  CHECK(u(0) * u(1) == Approx(2 - 2));
  CHECK(u(1) * u(1) + u(3) * u(3) == Approx(10 + 4));
}

TEST_CASE("batch normalization of cuDNN") {
  const std::string x =
      " x = f32[3,4,5] parameter(0)\n scale = f32[4] parameter(1)\n offset = f32[4] parameter(2)\n"
      " mean = f32[4] parameter(3)\n g = f32[3,4,5] parameter(4)\n e = f32[] constant(0.01)\n f = s64[] constant(1)\n"
      " half = f32[] constant(0.5)\n halves = f32[4] broadcast(half), dimensions={}\n"
      " squares = f32[4] multiply(mean, mean)\n variance = f32[4] add(squares, halves)\n"
      " epsilons = f32[4] broadcast(e), dimensions={}\n";
  CheckSame(Entry(x + Call("ROOT r", "f32[3,4,5]", "x, scale, offset, mean, variance, e, f",
                           "__cudnn$batchNormalizationForwardInference")),
            Entry(x + " ROOT r = f32[3,4,5] batch-norm-inference(x, scale, offset, mean, variance), epsilon=0.01, "
                      "feature_index=1"),
            1e-6);
  CheckSame(Entry(x + Call("ROOT r", "(f32[3,4,5], f32[4], f32[4])", "x, scale, offset, e, f",
                           "__cudnn$batchNormalizationForwardTraining")),
            Entry(x + " t = (f32[3,4,5], f32[4], f32[4]) batch-norm-training(x, scale, offset), epsilon=0.01, "
                      "feature_index=1\n y = f32[3,4,5] get-tuple-element(t), index=0\n"
                      " m = f32[4] get-tuple-element(t), index=1\n v = f32[4] get-tuple-element(t), index=2\n"
                      " w = f32[4] add(v, epsilons)\n i = f32[4] rsqrt(w)\n ROOT r = (f32[3,4,5], f32[4], f32[4]) "
                      "tuple(y, m, i)"),
            1e-5);
  CheckSame(Entry(x + " w = f32[4] add(variance, epsilons)\n i = f32[4] rsqrt(w)\n" +
                  Call("ROOT r", "(f32[3,4,5], f32[4], f32[4])", "x, scale, mean, i, g, e, f",
                       "__cudnn$batchNormalizationBackward")),
            Entry(x + " ROOT r = (f32[3,4,5], f32[4], f32[4]) batch-norm-grad(x, scale, mean, variance, g), "
                      "epsilon=0.01, feature_index=1"),
            1e-4);
}

TEST_CASE("rotations and checks of a program") {
  const std::string x = " x = s32[2,5] parameter(0)\n";
  CheckSame(Entry(x + Call("ROOT r", "s32[2,5]", "x", "_SPMDInternalOp_RotateRight",
                           "backend_config=\"dimension=1,amount=7\"")),
            Entry(x + " a = s32[2,2] slice(x), slice={[0:2], [3:5]}\n b = s32[2,3] slice(x), slice={[0:2], [0:3]}\n"
                      " ROOT r = s32[2,5] concatenate(a, b), dimensions={1}"),
            0);
  CheckSame(Entry(x + Call("ROOT r", "s32[2,5]", "x", "AssumeGatherIndicesInBound")),
            Entry(x + " ROOT r = s32[2,5] copy(x)"), 0);
  const auto run = [](const std::string& holds) {
    auto module =
        ParseModule(Entry(" p = pred[] constant(" + holds + ")\n x = f32[2] constant({1, 2})\n" +
                          Call("a", "token[]", "p", "__xla_gpu_assert", "backend_config={error_msg = \"x is small\"}") +
                          Call("l", "()", "x", "xla.debug.Log") +
                          Call("t", "token[]", "x", "__xla_gpu_debug_print", "backend_config={format = \"$0\"}") +
                          " both = token[] after-all(a, t)\n ROOT r = (f32[2], token[]) tuple(x, both)"));
    REQUIRE(module.status().message() == "");
    return MakeReferenceEvaluator()->EvaluateComputation(*(*module)->entry_computation(), {});
  };
  CHECK(run("true").status().message() == "");
  CHECK(std::string(run("false").status().message()).find("x is small") != std::string::npos);
}

TEST_CASE("a custom-call that does not fit its name is refused in words") {
  const auto refusal = [](const std::string& text) {
    auto module = ParseModule(Entry(text));
    REQUIRE(module.status().message() == "");
    const HloInstruction& call = *(*module)->entry_computation()->root();
    CHECK(IsKnownCustomCall(call));
    return std::string(CustomCallAsModule(call).status().message());
  };
  const std::string a = " a = f32[2,3] parameter(0)\n b = f32[3,4] parameter(1)\n";
  CHECK(refusal(a + Call("ROOT r", "f32[2,5]", "a, b", "__cublas$gemm", "backend_config={" + kDot + "}"))
            .find("its result is f32[2,4]") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,4]", "a", "__cublas$gemm")).find("two operands") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,4]", "a, b", "__cublas$gemm", "backend_config={\"beta\":1," + kDot + "}"))
            .find("expected 3 operands") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,4]", "a, b", "__cublas$lt$matmul",
                         "backend_config={\"epilogue\":\"SWISH\"," + kDot + "}"))
            .find("epilogue SWISH") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,4]", "a, b", "__cudnn$convForward")).find("dim_labels") != std::string::npos);
  CHECK(refusal(" q = f32[2,5,3,4] parameter(0)\n" + Call("ROOT r", "(f32[2,3,5,4], u8[0])", "q, q, q",
                                                          "__cudnn$fmhaSoftmaxDropout",
                                                          "backend_config={\"dropout_rate\":0.1," + kForwardDims + "}"))
            .find("random") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[3,4]", "a, b", "cublas_trsm_batched")).find("descriptor") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,2]", "a, b", "cusolver_syrk_ffi")).find("two numbers") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,3]", "a", "cu_cholesky_update_ffi")).find("a vector") != std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,3]", "a", "_SPMDInternalOp_RotateRight")).find("dimension") !=
        std::string::npos);
  CHECK(refusal(a + Call("ROOT r", "f32[2,3]", "a, b", "__cudnn$batchNormalizationForwardTraining"))
            .find("expected 5 operands") != std::string::npos);
  CHECK(refusal(
            " x = f32[2,3] parameter(0)\n s = f32[3] parameter(1)\n e = f32[] parameter(2)\n" +
            Call("ROOT r", "(f32[2,3], f32[3], f32[3])", "x, s, s, e, e", "__cudnn$batchNormalizationForwardTraining"))
            .find("not a constant") != std::string::npos);
  CHECK(refusal(" d = u8[4] parameter(0)\n x = c64[4] parameter(1)\n" +
                Call("ROOT r", "c64[4]", "d, x", "dynamic_ducc_fft"))
            .find("must be a constant") != std::string::npos);
  CHECK(refusal(a +
                Call("ROOT r", "f32[2,4]", "a, b", "__cublas$gemm", "backend_config=\"" + std::string(200, '[') + "\""))
            .find("too deep") != std::string::npos);
}

TEST_CASE("a graph of cuDNN's, read from its text") {
  const std::string x =
      " x = f32[2,6,5,4] parameter(0)\n w = f32[3,3,4,8] parameter(1)\n s = f32[] parameter(2)\n"
      " side = f32[2,6,5,8] parameter(3)\n d = f32[] parameter(4)\n bias = f32[8] parameter(5)\n";
  const std::string form = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  const auto graph = [&](const std::string& text) {
    return form + ", backend_config={\"cudnn_conv_backend_config\":{\"conv_result_scale\":1,\"serialized_graph\":\"" +
           text + "\"}}";
  };
  const auto with_max = [](std::string text) {
    return text.insert(text.find("ENTRY"),
                       "max { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT m = f32[] maximum(a, b) }\n");
  };
  CheckSame(
      Entry(x +
            Call("g", "(f32[2,6,5,8], f32[], u8[16])", "x, w, s, side, bias, d", "__cudnn$convForwardGraph",
                 graph("28:[f32]conv();30:[f32]scale(28);32:[f32]add(30);33:[f32]add(32);16:[f32]relu(33);"
                       "25:[f32]amax(16);40:[f32]invscale(16);")) +
            " y = f32[2,6,5,8] get-tuple-element(g), index=0\n m = f32[] get-tuple-element(g), index=1\n"
            " ROOT r = (f32[2,6,5,8], f32[]) tuple(y, m)"),
      with_max(Entry(x + " c = f32[2,6,5,8] convolution(x, w), " + form +
                     "\n ss = f32[2,6,5,8] broadcast(s), dimensions={}\n cs = f32[2,6,5,8] multiply(c, ss)\n"
                     " a = f32[2,6,5,8] add(cs, side)\n bb = f32[2,6,5,8] broadcast(bias), dimensions={3}\n"
                     " ab = f32[2,6,5,8] add(a, bb)\n zero = f32[] constant(0)\n"
                     " zeros = f32[2,6,5,8] broadcast(zero), dimensions={}\n p = f32[2,6,5,8] maximum(ab, zeros)\n"
                     " m = f32[] reduce(p, zero), dimensions={0,1,2,3}, to_apply=max\n"
                     " dd = f32[2,6,5,8] broadcast(d), dimensions={}\n y = f32[2,6,5,8] divide(p, dd)\n"
                     " ROOT r = (f32[2,6,5,8], f32[]) tuple(y, m)")),
      1e-5);
  // Without a graph it is the convolution; the error names an unknown node of a graph.
  CheckSame(Entry(x + Call("ROOT r", "f32[2,6,5,8]", "x, w", "__cudnn$convForwardGraph", form)),
            Entry(x + " ROOT r = f32[2,6,5,8] convolution(x, w), " + form), 1e-6);
  for (const auto& [text, word] : {std::pair("1:[f32]conv();2:[f32]softmax(1);", "softmax"),
                                   std::pair("1:[f32]conv();2:[f32]scale(7);", "a later value"),
                                   std::pair("1:[f99]conv();", "type"), std::pair("", "empty")}) {
    auto module =
        ParseModule(Entry(x + Call("ROOT r", "f32[2,6,5,8]", "x, w", "__cudnn$convForwardGraph", graph(text))));
    REQUIRE(module.ok());
    const auto made = CustomCallAsModule(*(*module)->entry_computation()->root());
    REQUIRE_FALSE(made.ok());
    CHECK(made.status().message().find(word) != std::string::npos);
  }
}

// The JSON reader recurses on nesting, with 8 MB of stack.
TEST_CASE("a backend_config that nests a million deep overflows no stack") {
  constexpr int kDeep = 1000000;
  std::string config;
  for (int i = 0; i < kDeep; ++i) config += "{\\\"a\\\":";
  config += "1" + std::string(kDeep, '}');
  auto module = ParseModule(Entry(" a = f32[2,2] parameter(0)\n" + Call("ROOT r", "f32[2,2]", "a, a", "__cublas$gemm",
                                                                        "backend_config=\"" + config + "\"")));
  REQUIRE(module.status().message() == "");
  CHECK(CostAnalysis(**module).total().once.flops >= 0);
  CHECK(!CustomCallAsModule(*(*module)->entry_computation()->root()).ok());
}

}  // namespace
}  // namespace hloir
