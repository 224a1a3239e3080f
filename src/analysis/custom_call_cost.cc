// See custom_call_cost.h. The counts of solvers are those of LAPACK Working Note 41 and, where a method iterates, the
// usual estimates of Golub and Van Loan's Matrix Computations.
#include "analysis/custom_call_cost.h"

#include <algorithm>
#include <cmath>

#include "custom_calls/config.h"
#include "hloir/custom_call.h"

namespace hloir {
namespace {

using custom_calls::Choice, custom_calls::DotDimensions, custom_calls::Float, custom_calls::Json;
using custom_calls::Numbers, custom_calls::ReadConfig, custom_calls::Section;

double LeafElements(const Shape& shape) { return shape.IsArray() ? static_cast<double>(shape.ElementCount()) : 0; }
double Dim(const Shape& shape, int64_t from_the_end) {
  return shape.rank() < from_the_end ? 1 : static_cast<double>(shape.dimensions(shape.rank() - from_the_end));
}
// The result, or the first of several.
const Shape& Result(const HloInstruction& i) {
  const Shape& shape = i.shape();
  return shape.IsTuple() && shape.tuple_size() > 0 ? shape.tuple_shapes(0) : shape;
}
const Shape* ArrayOperand(const HloInstruction& i, int64_t k) {
  return k < i.operand_count() && i.operand(k)->shape().IsArray() ? &i.operand(k)->shape() : nullptr;
}
// A multiply-add of complex numbers is four.
double PerElement(const Shape& shape) {
  return shape.element_type() == PrimitiveType::C64 || shape.element_type() == PrimitiveType::C128 ? 4 : 1;
}

// The product of the named dimensions; 0 if some do not exist.
double Width(const Shape& shape, const DimVector& dims) {
  double width = 1;
  for (int64_t d : dims) {
    if (d < 0 || d >= shape.rank()) return 0;
    width *= static_cast<double>(shape.dimensions(d));
  }
  return width;
}

using Model = std::optional<CustomCallModel>;
Model CallModel(double flops, double transcendentals = 0) { return CustomCallModel{{flops, transcendentals, 0}, true}; }

// ---- Each group of targets.

Model Annotation(const HloInstruction&, std::string_view) { return CustomCallModel{{}, false}; }

// (A, B, addend, …): k comes from the config or, if it is missing, from the sizes: for [m,k] x [k,n], the product of
// the operands' sizes is k^2 times the result's size.
Model Product(const HloInstruction& i, std::string_view) {
  const Shape *a = ArrayOperand(i, 0), *b = ArrayOperand(i, 1);
  const Shape& c = Result(i);
  if (a == nullptr || b == nullptr || !c.IsArray()) return std::nullopt;
  const Json config = ReadConfig(i);
  const Json& gemm = Section(config, "gemm_backend_config");
  double width = 0;
  if (gemm.contains("dot_dimension_numbers"))
    width = Width(*a, DotDimensions(gemm, "dot_dimension_numbers").lhs_contracting_dims);
  if (width == 0)
    width = LeafElements(c) == 0 ? 0 : std::round(std::sqrt(LeafElements(*a) * LeafElements(*b) / LeafElements(c)));
  Model model = CallModel(2 * width * LeafElements(c));
  const std::string then = Choice(gemm, "epilogue", custom_calls::kEpilogues);
  if (then.find("BIAS") != std::string::npos) model->operations.flops += LeafElements(c);
  if (then.find("RELU") != std::string::npos) model->operations.flops += LeafElements(c);
  if (then.find("GELU") != std::string::npos || then.find("SILU") != std::string::npos)
    model->operations.transcendentals += LeafElements(c);
  if (Float(gemm, "beta") != 0) model->operations.flops += 2 * LeafElements(c);
  return model;
}

// All three kinds have the window and the dimension numbers of the forward convolution.
Model Convolution(const HloInstruction& i, std::string_view target) {
  const Shape *a = ArrayOperand(i, 0), *b = ArrayOperand(i, 1);
  const Shape& c = Result(i);
  const CustomCallAttributes& attributes = i.attributes<CustomCallAttributes>();
  if (a == nullptr || b == nullptr || !c.IsArray() || !attributes.dim_labels) return std::nullopt;
  const ConvDimensionNumbers& dims = *attributes.dim_labels;
  const Window window = attributes.window.value_or(Window());
  const Shape *input = a, *kernel = b, *output = &c;
  if (target.find("BackwardInput") != std::string_view::npos) input = &c, output = a;
  if (target.find("BackwardFilter") != std::string_view::npos) kernel = &c, output = b;
  const int64_t rank = static_cast<int64_t>(window.size()) + 2;
  for (const Shape* shape : {input, kernel, output})
    if (shape->rank() != rank) return std::nullopt;
  for (const DimVector* spatial : {&dims.input_spatial, &dims.kernel_spatial, &dims.output_spatial}) {
    if (spatial->size() != window.size()) return std::nullopt;
    for (int64_t d : *spatial)
      if (d < 0 || d >= rank) return std::nullopt;
  }
  for (int64_t d : {dims.kernel_input_feature, dims.output_feature, dims.output_batch})
    if (d < 0 || d >= rank) return std::nullopt;
  Model model = CallModel(ConvolutionFlops(*input, *kernel, *output, window, dims));
  if (target.find("BiasActivation") != std::string_view::npos) model->operations.flops += 2 * LeafElements(c);
  return model;
}

// (queries, keys, values, …): products of queries and keys and of weights and values, with a softmax between; five
// products for the gradient.
Model Attention(const HloInstruction& i, std::string_view target) {
  const Shape *q = ArrayOperand(i, 0), *k = ArrayOperand(i, 1);
  if (q == nullptr || k == nullptr || q->rank() != 4 || k->rank() != 4) return std::nullopt;
  const Json config = ReadConfig(i);
  const Json& attention = Section(config, "cudnn_fmha_backend_config");
  double width = Dim(*q, 1), weights = 0;
  if (attention.contains("bmm1_dot_dimension_numbers"))
    width = std::max(1.0, Width(*q, DotDimensions(attention, "bmm1_dot_dimension_numbers").lhs_contracting_dims));
  const auto shape = attention.find("intermediate_tensor_shape");
  if (shape != attention.end() && shape->contains("dimensions")) {
    weights = 1;
    for (int64_t d : Numbers(*shape, "dimensions")) weights *= static_cast<double>(std::max<int64_t>(d, 0));
  }
  // [batch, heads, queries, width] and [batch, heads, keys, width].
  if (weights == 0) weights = LeafElements(*q) / std::max(width, 1.0) * Dim(*k, 2);
  const double products = target.find("Backward") != std::string_view::npos ? 5 : 2;
  return CallModel(products * 2 * weights * width + 3 * weights, weights);
}

Model TopK(const HloInstruction& i, std::string_view) {
  const Shape* x = ArrayOperand(i, 0);
  const Shape& values = Result(i);
  if (x == nullptr || !values.IsArray()) return std::nullopt;
  return CallModel(LeafElements(*x) * std::max(1.0, std::ceil(std::log2(std::max(2.0, Dim(values, 1))))));
}

Model Sort(const HloInstruction& i, std::string_view) {
  const Shape* x = ArrayOperand(i, 0);
  if (x == nullptr) return std::nullopt;
  const double n = LeafElements(*x);
  return CallModel(n <= 1 ? 0 : n * std::ceil(std::log2(n)));
}

Model FourierTransform(const HloInstruction& i, std::string_view) {
  const Shape* x = ArrayOperand(i, 0);
  if (x == nullptr) return std::nullopt;
  const Json config = ReadConfig(i);
  DimVector lengths;
  for (const char* field : {"fft_length", "fft_lengths", "fft_lens"})
    if (config.contains(field)) lengths = Numbers(config, field);
  double log = 1;
  if (lengths.empty()) log = std::floor(std::log2(std::max(1.0, std::max(Dim(*x, 1), Dim(Result(i), 1)))));
  for (int64_t length : lengths) log *= length < 1 ? 0 : std::floor(std::log2(static_cast<double>(length)));
  return CallModel(8 * log * LeafElements(*x));
}

// For [batch…, m, n] matrices: their number times f(m, n).
template <double (*f)(double m, double n)>
Model Solver(const HloInstruction& i, std::string_view) {
  const Shape* a = ArrayOperand(i, 0);
  if (a == nullptr || a->rank() < 2) return std::nullopt;
  const double m = Dim(*a, 2), n = Dim(*a, 1);
  const double matrices = m * n == 0 ? 0 : LeafElements(*a) / (m * n);
  return CallModel(std::floor(PerElement(*a) * matrices * f(m, n)));
}
double CholeskyFlops(double, double n) { return n * n * n / 3; }
double LuFlops(double m, double n) {
  const double k = std::min(m, n);
  return 2 * m * n * k - (m + n) * k * k + 2 * k * k * k / 3;
}
double QrFlops(double m, double n) {
  const double k = std::min(m, n);
  return 4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3;
}
double SymmetricEigenFlops(double, double n) { return 9 * n * n * n; }
double EigenFlops(double, double n) { return 25 * n * n * n; }
double SvdFlops(double m, double n) {
  const double k = std::min(m, n), l = std::max(m, n);
  return 4 * l * l * k + 22 * k * k * k;
}
double HessenbergFlops(double, double n) { return 10 * n * n * n / 3; }
double TridiagonalFlops(double, double n) { return 4 * n * n * n / 3; }
// (reflectors [m,k], their factors, the matrix [m,n])
Model ApplyReflectors(const HloInstruction& i, std::string_view) {
  const Shape *a = ArrayOperand(i, 0), *c = ArrayOperand(i, 2);
  if (a == nullptr || c == nullptr) return std::nullopt;
  return CallModel(PerElement(*c) * 4 * Dim(*a, 1) * LeafElements(*c));
}
Model TriangularSolve(const HloInstruction& i, std::string_view) {
  const Shape *a = ArrayOperand(i, 0), *b = ArrayOperand(i, 1);
  if (a == nullptr || b == nullptr) return std::nullopt;
  return CallModel(2 * Dim(*a, 1) * LeafElements(*b));
}
Model TridiagonalSolve(const HloInstruction& i, std::string_view) {
  const Shape* b = ArrayOperand(i, 3);
  if (b == nullptr) return std::nullopt;
  return CallModel(8 * LeafElements(*b));
}

// (A, C, alpha, beta): one triangle of A A^T, and C.
Model SymmetricProduct(const HloInstruction& i, std::string_view) {
  const Shape *a = ArrayOperand(i, 0), *c = ArrayOperand(i, 1);
  if (a == nullptr || c == nullptr || LeafElements(*c) == 0) return std::nullopt;
  const double width = LeafElements(*a) * Dim(*c, 1) / LeafElements(*c);
  return CallModel(PerElement(*c) * (width + 3) * LeafElements(*c));
}
// (values, their indices, …): a multiply-add for each value and column of the dense factor.
Model SparseProduct(const HloInstruction& i, std::string_view) {
  const Shape *values = ArrayOperand(i, 0), *factor = ArrayOperand(i, 3);
  if (values == nullptr || factor == nullptr) return std::nullopt;
  return CallModel(PerElement(*values) * 2 * LeafElements(*values) * (factor->rank() > 1 ? Dim(*factor, 1) : 1));
}
// To and from dense matrices, and along a dimension.
Model MovesBytes(const HloInstruction&, std::string_view) { return CustomCallModel{{}, true}; }

Model Cholesky(const HloInstruction& i, std::string_view target) { return Solver<CholeskyFlops>(i, target); }
Model Lu(const HloInstruction& i, std::string_view target) { return Solver<LuFlops>(i, target); }
Model Qr(const HloInstruction& i, std::string_view target) { return Solver<QrFlops>(i, target); }
Model SymmetricEigen(const HloInstruction& i, std::string_view target) {
  return Solver<SymmetricEigenFlops>(i, target);
}

Model ByName(const HloInstruction& i, std::string_view target);

using CostFunction = Model (*)(const HloInstruction&, std::string_view target);
// By CustomCall.
constexpr CostFunction kCosts[] = {
    ByName,
#define HLOIR_CUSTOM_CALL(name, target, computes, meaning, evaluate, cost, ...) cost,
#include "hloir/custom_calls.def"
};

struct Family {
  std::string_view text;  // a prefix or a substring of a name
  CostFunction model;
};
constexpr Family kPrefixes[] = {
#define HLOIR_CUSTOM_CALL_FAMILY(prefix, cost) {prefix, cost},
#include "hloir/custom_calls.def"
};
constexpr Family kTransforms[] = {{"cufft", FourierTransform}, {"cuFFT", FourierTransform}};
// Substrings of names after "lapack_s", "cusolver_", "hipsolver_", "cublas_", "blas_s" or "cusparse_".
constexpr Family kRoutines[] = {
    {"potrf", Solver<CholeskyFlops>},
    {"getrf", Solver<LuFlops>},
    {"geqrf", Solver<QrFlops>},
    {"geqp3", Solver<QrFlops>},
    {"orgqr", Solver<QrFlops>},
    {"ungqr", Solver<QrFlops>},
    {"ormqr", ApplyReflectors},
    {"unmqr", ApplyReflectors},
    {"syevd", Solver<SymmetricEigenFlops>},
    {"heevd", Solver<SymmetricEigenFlops>},
    {"syevj", Solver<SymmetricEigenFlops>},
    {"geev", Solver<EigenFlops>},
    {"gees", Solver<EigenFlops>},
    {"gesdd", Solver<SvdFlops>},
    {"gesvd", Solver<SvdFlops>},
    {"gehrd", Solver<HessenbergFlops>},
    {"sytrd", Solver<TridiagonalFlops>},
    {"hetrd", Solver<TridiagonalFlops>},
    {"trsm", TriangularSolve},
    {"gtsv", TridiagonalSolve},
    {"syrk", SymmetricProduct},
    {"_matvec", SparseProduct},
    {"_matmat", SparseProduct},
    {"todense", MovesBytes},
    {"fromdense", MovesBytes},
};
constexpr std::string_view kLibraries[] = {"lapack_",  "cusolver_", "hipsolver_", "cublas_",
                                           "hipblas_", "blas_",     "cusparse_",  "hipsparse_"};

Model ByName(const HloInstruction& i, std::string_view target) {
  const auto model = [&](const Family& family) { return family.model(i, target); };
  const auto is_in = [&](const Family& family) { return target.find(family.text) != std::string_view::npos; };
  for (const Family& family : kPrefixes)
    if (target.starts_with(family.text)) return model(family);
  for (const Family& family : kTransforms)
    if (is_in(family)) return model(family);
  const bool library = std::any_of(std::begin(kLibraries), std::end(kLibraries),
                                   [&](std::string_view prefix) { return target.starts_with(prefix); });
  if (!library) return std::nullopt;
  const auto routine = std::find_if(std::begin(kRoutines), std::end(kRoutines), is_in);
  return routine == std::end(kRoutines) ? std::nullopt : model(*routine);
}

}  // namespace

std::optional<CustomCallModel> ModelOf(const HloInstruction& custom_call) {
  return kCosts[static_cast<size_t>(CustomCallOf(custom_call))](
      custom_call, custom_call.attributes<CustomCallAttributes>().custom_call_target);
}

}  // namespace hloir
