// The three batch-norm ops. `feature` is the position along feature_index; statistics are over all other dimensions.
#include <algorithm>
#include <cmath>

#include "reference/evaluation.h"
#include "reference/index.h"

namespace hloir::reference {
namespace {

// The operand and its features, in double.
struct Normalized {
  Normalized(EvalContext& context)
      : x(context.operand(0).Convert(PrimitiveType::F64)),
        epsilon(static_cast<double>(context.attributes<BatchNormAttributes>().epsilon)) {
    const DimVector& dims = x.shape().dimensions();
    const size_t feature_index = static_cast<size_t>(context.attributes<BatchNormAttributes>().feature_index);
    stride = RowMajorStrides(dims)[feature_index];
    features = dims[feature_index];
    per_feature = features == 0 ? 0 : static_cast<double>(x.element_count() / features);
  }
  size_t Feature(int64_t i) const { return static_cast<size_t>(i / stride % features); }
  // The sum, over each feature's elements, of f(i), and their mean: NaN of no elements.
  template <class F>
  std::vector<double> Sum(F f) const {
    std::vector<double> sums(static_cast<size_t>(features));
    for (int64_t i = 0; i < x.element_count(); ++i) sums[Feature(i)] += f(i);
    return sums;
  }
  template <class F>
  std::vector<double> Mean(F f) const {
    std::vector<double> means = Sum(f);
    for (double& mean : means) mean /= per_feature;
    return means;
  }
  double at(int64_t i) const { return x.data<double>()[static_cast<size_t>(i)]; }

  Literal x;
  double epsilon;
  int64_t stride = 1, features = 0;
  double per_feature = 0;
};

Literal Vector(const std::vector<double>& values, const Shape& shape) {
  Literal wide(shape.WithElementType(PrimitiveType::F64));
  std::copy(values.begin(), values.end(), wide.data<double>().begin());
  return wide.Convert(shape.element_type());
}

std::vector<double> Doubles(const Literal& literal) {
  std::vector<double> values(static_cast<size_t>(literal.element_count()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = literal.GetAsDouble(static_cast<int64_t>(i));
  return values;
}

// (x - mean) / sqrt(variance + epsilon) * scale + offset
Literal Normalize(const Normalized& n, const std::vector<double>& scale, const std::vector<double>& offset,
                  const std::vector<double>& mean, const std::vector<double>& variance, const Shape& shape) {
  Literal result(shape.WithElementType(PrimitiveType::F64));
  for (int64_t i = 0; i < n.x.element_count(); ++i) {
    const size_t f = n.Feature(i);
    result.data<double>()[static_cast<size_t>(i)] =
        (n.at(i) - mean[f]) / std::sqrt(variance[f] + n.epsilon) * scale[f] + offset[f];
  }
  return result.Convert(shape.element_type());
}

}  // namespace

// Operands: x, scale, offset. Results: normalized x, mean, variance (of the whole population: divided by n).
StatusOr<Value> EvaluateBatchNormTraining(EvalContext& context) {
  if (!IsFloat(context.operand(0).shape().element_type())) return UnimplementedOp(context, "takes real floats");
  const Normalized n(context);
  const std::vector<double> mean = n.Mean([&](int64_t i) { return n.at(i); });
  const std::vector<double> variance = n.Mean([&](int64_t i) {
    const double distance = n.at(i) - mean[n.Feature(i)];
    return distance * distance;
  });
  std::vector<Value> results;
  results.emplace_back(Normalize(n, Doubles(context.operand(1)), Doubles(context.operand(2)), mean, variance,
                                 context.shape.tuple_shapes(0)));
  results.emplace_back(Vector(mean, context.shape.tuple_shapes(1)));
  results.emplace_back(Vector(variance, context.shape.tuple_shapes(2)));
  return Value::Tuple(std::move(results));
}

// Operands: x, scale, offset, mean, variance.
StatusOr<Value> EvaluateBatchNormInference(EvalContext& context) {
  if (!IsFloat(context.operand(0).shape().element_type())) return UnimplementedOp(context, "takes real floats");
  const Normalized n(context);
  return Normalize(n, Doubles(context.operand(1)), Doubles(context.operand(2)), Doubles(context.operand(3)),
                   Doubles(context.operand(4)), context.shape);
}

// Operands: x, scale, mean, variance, gradient of the output. Results: gradients of x, scale and offset. With r =
// 1/sqrt(variance + epsilon) and all means over a feature:
//   scale'  = sum of gradient * (x - mean) * r          offset' = sum of gradient
//   x'      = scale * r * (gradient - mean(gradient) - (x - mean) * r^2 * mean(gradient * (x - mean)))
StatusOr<Value> EvaluateBatchNormGrad(EvalContext& context) {
  if (!IsFloat(context.operand(0).shape().element_type())) return UnimplementedOp(context, "takes real floats");
  const Normalized n(context);
  const std::vector<double> scale = Doubles(context.operand(1)), mean = Doubles(context.operand(2)),
                            variance = Doubles(context.operand(3)), gradient = Doubles(context.operand(4));
  auto distance = [&](int64_t i) { return n.at(i) - mean[n.Feature(i)]; };
  auto g = [&](int64_t i) { return gradient[static_cast<size_t>(i)]; };
  const std::vector<double> sum_g = n.Sum(g), sum_gd = n.Sum([&](int64_t i) { return g(i) * distance(i); });
  std::vector<double> x_gradient(gradient.size()), scale_gradient(mean.size());
  for (size_t f = 0; f < mean.size(); ++f) scale_gradient[f] = sum_gd[f] / std::sqrt(variance[f] + n.epsilon);
  for (int64_t i = 0; i < n.x.element_count(); ++i) {
    const size_t f = n.Feature(i);
    const double r2 = 1 / (variance[f] + n.epsilon);
    x_gradient[static_cast<size_t>(i)] =
        scale[f] * std::sqrt(r2) * (g(i) - (sum_g[f] + distance(i) * r2 * sum_gd[f]) / n.per_feature);
  }
  std::vector<Value> results;
  results.emplace_back(Vector(x_gradient, context.shape.tuple_shapes(0)));
  results.emplace_back(Vector(scale_gradient, context.shape.tuple_shapes(1)));
  results.emplace_back(Vector(sum_g, context.shape.tuple_shapes(2)));
  return Value::Tuple(std::move(results));
}

}  // namespace hloir::reference
