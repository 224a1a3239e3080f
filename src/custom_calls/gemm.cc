// Matrix products of cuBLAS and cuBLASLt: D = epilogue(alpha A B + beta C + bias). Which operand is which: XLA's
// ThunkEmitter::EmitCublasLtMatmulThunk and its F8 twin (service/gpu/thunk_emitter.cc).
#include <algorithm>
#include <cmath>
#include <iterator>

#include "custom_calls/call.h"
#include "support/format.h"

namespace hloir::custom_calls {

Op GeluByTanh(const Call& call, Op x) {
  HloBuilder& b = call.b;
  const Op cube = b.Multiply(x, b.Multiply(x, x));
  const Op inner = call.Scaled(b.Add(x, call.Scaled(cube, 0.044715)), std::sqrt(2 / M_PI));
  const Op one = x == nullptr ? nullptr : call.Number(x->shape().element_type(), x->shape().dimensions(), 1);
  return b.Multiply(call.Scaled(x, 0.5), b.Add(one, b.Tanh(inner)));
}

namespace {

struct Product {
  Op value = nullptr;  // alpha A B, in the accumulator's type
  const Json* config = nullptr;
  std::string epilogue;
  bool has_bias = false, has_c = false;
  double beta = 0;
};

StatusOr<Product> Multiply(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.size() < 2) return Wrong(call, "a matrix product has two operands");
  Product p;
  p.config = &call.Section("gemm_backend_config");
  p.epilogue = Choice(*p.config, "epilogue", kEpilogues);
  if (std::find(std::begin(kEpilogues), std::end(kEpilogues), p.epilogue) == std::end(kEpilogues))
    return Unknown(call, Format("its epilogue {}", p.epilogue));
  p.has_bias = p.epilogue.starts_with("BIAS");
  p.beta = Float(*p.config, "beta");
  p.has_c = p.beta != 0;
  DotAttributes dims = DotDimensions(*p.config, "dot_dimension_numbers");
  const auto rank = [&](size_t i) { return call.x[i]->shape().rank(); };
  // Tests often have empty configs, which mean the plain product.
  if (dims.lhs_contracting_dims.empty() && !p.config->contains("dot_dimension_numbers") && rank(0) > 0 && rank(1) > 0)
    dims.lhs_contracting_dims = {rank(0) - 1}, dims.rhs_contracting_dims = {rank(1) > 1 ? rank(1) - 2 : 0};
  const PrimitiveType sum = Accumulator(call.x[0]->shape().element_type());
  p.value = b.Dot(call.x[0], call.x[1], dims, sum);
  if (p.value == nullptr) return p;
  if (IsInteger(sum) && IsFloat(call.Result().element_type())) p.value = call.As(p.value, PrimitiveType::F32);
  const double alpha = Float(*p.config, "alpha_real", 1), imaginary = Float(*p.config, "alpha_imag");
  if (imaginary != 0) {
    const PrimitiveType type = p.value->shape().element_type();
    if (!IsComplex(type)) return Wrong(call, "alpha is complex, and its matrices are not");
    const PrimitiveType part = ComplexComponentType(type);
    const DimVector sizes = p.value->shape().dimensions();
    p.value = b.Multiply(p.value, b.Complex(call.Number(part, sizes, alpha), call.Number(part, sizes, imaginary)));
  } else {
    p.value = call.Scaled(p.value, alpha);
  }
  return p;
}

// The epilogue after products and sums, XLA's gpublas_lt::Epilogue.
Op Activated(const Call& call, const Product& p, Op x) {
  if (p.epilogue.ends_with("RELU") && x != nullptr)
    return call.b.Maximum(x, call.Number(x->shape().element_type(), x->shape().dimensions(), 0));
  if (p.epilogue.find("GELU") != std::string::npos) return GeluByTanh(call, x);
  if (p.epilogue.ends_with("SILU")) return call.b.Multiply(x, call.b.Logistic(x));
  return x;
}

}  // namespace

StatusOr<Op> Gemm(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(Product p, Multiply(call));
  if (p.value == nullptr) return p.value;
  const size_t needed = 2 + size_t{p.has_c} + size_t{p.has_bias};
  if (call.x.size() != needed)
    return Wrong(call, Format("expected {} operands by its config, got {}", needed, call.x.size()));
  const PrimitiveType type = p.value->shape().element_type();
  Op sum = p.value;
  if (p.has_c) sum = b.Add(sum, call.Scaled(call.As(call.x[2], type), p.beta));
  if (p.has_bias && sum != nullptr)
    sum = b.Add(sum, call.Spread(call.As(call.x.back(), type), sum->shape().dimensions()));
  const Op result = Saturated(b, Activated(call, p, sum), call.Result().element_type());
  if (p.epilogue.ends_with("_AUX")) return call.Give({result, sum});  // the operand of the GELU
  return call.Give({result});
}

// Scales of A and B, in older XLA versions also of C, and of a narrow D. With damax_output, the largest |D| before
// scaling is the result after D.
StatusOr<Op> GemmF8(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(Product p, Multiply(call));
  if (p.value == nullptr) return p.value;
  const size_t scales = 2 + size_t{p.has_c};
  const size_t bias = size_t{p.has_bias};
  if (call.x.size() < scales + 2 + bias || call.x.size() > scales + 4 + bias)
    return Wrong(call, Format("{} operands do not fit its config", call.x.size()));
  const PrimitiveType type = p.value->shape().element_type();
  const DimVector sizes = p.value->shape().dimensions();
  const auto scale = [&](size_t i) { return call.Spread(call.As(b.Reshape(call.x[i], {}), type), sizes); };
  Op sum = b.Multiply(p.value, b.Multiply(scale(scales), scale(scales + 1)));
  const size_t others = call.x.size() - bias - scales - 2;  // none, D's, or C's and D's
  if (p.has_c) {
    Op c = call.Scaled(call.As(call.x[2], type), p.beta);
    if (others == 2) c = b.Multiply(c, scale(scales + 2));
    sum = b.Add(sum, c);
  }
  if (p.has_bias) sum = b.Add(sum, call.Spread(call.As(call.x.back(), type), sizes));
  sum = Activated(call, p, sum);
  if (sum == nullptr) return sum;
  Op result = others == 0 ? sum : b.Multiply(sum, scale(scales + 1 + others));
  result = Saturated(b, result, call.Result().element_type());
  if (!Flag(*p.config, "damax_output")) return call.Give({result});
  DimVector all;
  for (int64_t d = 0; d < sum->shape().rank(); ++d) all.push_back(d);
  const Op largest = b.Reduce(b.Abs(sum), b.Constant(type, 0), all, MakeReducer(b.module(), HloOpcode::kMaximum, type));
  return call.Give({result, largest});
}

}  // namespace hloir::custom_calls
