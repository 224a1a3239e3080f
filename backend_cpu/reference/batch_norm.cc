// The three batch-norm ops. `feature` is the position along feature_index; statistics are over all other dimensions.
#include <algorithm>
#include <cmath>

#include "reference/evaluation.h"
#include "reference/index.h"
#include "wide/wide_types.h"

namespace hloir::reference {
namespace {

double SquareRoot(double x) { return std::sqrt(x); }
DoubleDouble SquareRoot(DoubleDouble x) { return Sqrt(x); }

template <class T>
std::vector<T> Numbers(const Literal& literal) {
  const Literal wide = literal.Convert(WideType(literal.shape().element_type(), literal, literal));
  const T* elements = WideElements<T>(wide);
  return {elements, elements + wide.element_count()};
}

// The operand and its features, in double, or double-double.
template <class T>
struct Normalized {
  Normalized(EvalContext& context)
      : x(Numbers<T>(context.operand(0))),
        epsilon(static_cast<double>(context.attributes<BatchNormAttributes>().epsilon)) {
    const DimVector& dims = context.operand(0).shape().dimensions();
    const size_t feature_index = static_cast<size_t>(context.attributes<BatchNormAttributes>().feature_index);
    stride = RowMajorStrides(dims)[feature_index];
    features = dims[feature_index];
    per_feature = features == 0 ? 0 : static_cast<double>(count() / features);
  }
  int64_t count() const { return static_cast<int64_t>(x.size()); }
  size_t Feature(int64_t i) const { return static_cast<size_t>(i / stride % features); }
  // The sum, over each feature's elements, of f(i), and their mean: NaN without elements.
  template <class F>
  std::vector<T> Sum(F f) const {
    std::vector<T> sums(static_cast<size_t>(features));
    for (int64_t i = 0; i < count(); ++i) sums[Feature(i)] = sums[Feature(i)] + f(i);
    return sums;
  }
  template <class F>
  std::vector<T> Mean(F f) const {
    std::vector<T> means = Sum(f);
    for (T& mean : means) mean = mean / T(per_feature);
    return means;
  }
  T at(int64_t i) const { return x[static_cast<size_t>(i)]; }

  std::vector<T> x;
  T epsilon;
  int64_t stride = 1, features = 0;
  double per_feature = 0;
};

template <class T>
Literal Rounded(const std::vector<T>& values, const Shape& shape) {
  Literal wide(shape.WithElementType(std::is_same_v<T, double> ? PrimitiveType::F64 : PrimitiveType::C128));
  std::copy(values.begin(), values.end(), WideElements<T>(wide));
  return wide.Convert(shape.element_type());
}

// (x - mean) / sqrt(variance + epsilon) * scale + offset
template <class T>
Literal Normalize(const Normalized<T>& n, const std::vector<T>& scale, const std::vector<T>& offset,
                  const std::vector<T>& mean, const std::vector<T>& variance, const Shape& shape) {
  std::vector<T> result(n.x.size());
  for (int64_t i = 0; i < n.count(); ++i) {
    const size_t f = n.Feature(i);
    result[static_cast<size_t>(i)] = (n.at(i) - mean[f]) / SquareRoot(variance[f] + n.epsilon) * scale[f] + offset[f];
  }
  return Rounded(result, shape);
}

template <class T>
std::vector<Value> Training(EvalContext& context) {
  const Normalized<T> n(context);
  const std::vector<T> mean = n.Mean([&](int64_t i) { return n.at(i); });
  const std::vector<T> variance = n.Mean([&](int64_t i) {
    const T distance = n.at(i) - mean[n.Feature(i)];
    return distance * distance;
  });
  std::vector<Value> results;
  results.emplace_back(Normalize(n, Numbers<T>(context.operand(1)), Numbers<T>(context.operand(2)), mean, variance,
                                 context.shape.tuple_shapes(0)));
  results.emplace_back(Rounded(mean, context.shape.tuple_shapes(1)));
  results.emplace_back(Rounded(variance, context.shape.tuple_shapes(2)));
  return results;
}

template <class T>
std::vector<Value> Gradient(EvalContext& context) {
  const Normalized<T> n(context);
  const std::vector<T> scale = Numbers<T>(context.operand(1)), mean = Numbers<T>(context.operand(2)),
                       variance = Numbers<T>(context.operand(3)), gradient = Numbers<T>(context.operand(4));
  auto distance = [&](int64_t i) { return n.at(i) - mean[n.Feature(i)]; };
  auto g = [&](int64_t i) { return gradient[static_cast<size_t>(i)]; };
  const std::vector<T> sum_g = n.Sum(g), sum_gd = n.Sum([&](int64_t i) { return g(i) * distance(i); });
  std::vector<T> x_gradient(gradient.size()), scale_gradient(mean.size());
  for (size_t f = 0; f < mean.size(); ++f) scale_gradient[f] = sum_gd[f] / SquareRoot(variance[f] + n.epsilon);
  for (int64_t i = 0; i < n.count(); ++i) {
    const size_t f = n.Feature(i);
    const T r2 = T(1) / (variance[f] + n.epsilon);
    x_gradient[static_cast<size_t>(i)] =
        scale[f] * SquareRoot(r2) *
        (g(i) - sum_g[f] / T(n.per_feature) - distance(i) * r2 * sum_gd[f] / T(n.per_feature));
  }
  std::vector<Value> results;
  results.emplace_back(Rounded(x_gradient, context.shape.tuple_shapes(0)));
  results.emplace_back(Rounded(scale_gradient, context.shape.tuple_shapes(1)));
  results.emplace_back(Rounded(sum_g, context.shape.tuple_shapes(2)));
  return results;
}

// Calls f(T()) for the compute type; Unimplemented if the operand is neither floats nor pairs.
template <class F>
StatusOr<Value> InWideType(EvalContext& context, F f) {
  const PrimitiveType type = context.operand(0).shape().element_type();
  if (context.run.pairs() && type == PrimitiveType::C128) return f(DoubleDouble());
  if (!IsFloat(type)) return UnimplementedOp(context, "takes real floats");
  return f(double());
}

}  // namespace

// Operands: x, scale, offset. Results: normalized x, mean, variance (of the whole population: divided by n).
StatusOr<Value> EvaluateBatchNormTraining(EvalContext& context) {
  return InWideType(context, [&](auto zero) { return Value::Tuple(Training<decltype(zero)>(context)); });
}

// Operands: x, scale, offset, mean, variance.
StatusOr<Value> EvaluateBatchNormInference(EvalContext& context) {
  return InWideType(context, [&](auto zero) -> Value {
    using T = decltype(zero);
    return Normalize(Normalized<T>(context), Numbers<T>(context.operand(1)), Numbers<T>(context.operand(2)),
                     Numbers<T>(context.operand(3)), Numbers<T>(context.operand(4)), context.shape);
  });
}

// Operands: x, scale, mean, variance, gradient of the output. Results: gradients of x, scale and offset. With r =
// 1/sqrt(variance + epsilon) and all means over a feature:
//   scale'  = sum of gradient * (x - mean) * r          offset' = sum of gradient
//   x'      = scale * r * (gradient - mean(gradient) - (x - mean) * r^2 * mean(gradient * (x - mean)))
StatusOr<Value> EvaluateBatchNormGrad(EvalContext& context) {
  return InWideType(context, [&](auto zero) { return Value::Tuple(Gradient<decltype(zero)>(context)); });
}

}  // namespace hloir::reference
