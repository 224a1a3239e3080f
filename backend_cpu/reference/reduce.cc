// reduce, map and scan: a computation called for each element.
#include <algorithm>
#include <span>
#include <utility>

#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"
#include "reference/reducer.h"
#include "reference/scalar_function.h"

namespace hloir::reference {
namespace {

// A sum of f32 elements is computed in f64 and rounded once.
class ExactSum {
 public:
  void Add(float x) { sum_ += static_cast<double>(x); }
  float Total() const { return static_cast<float>(sum_); }

 private:
  double sum_ = -0.0;  // which, unlike 0, is neutral for every number
};

// A sum of narrower floats is rounded after each addition, in runs of 32 whose sums are summed in the same way:
// XLA:CPU's order, with which bf16 sums of ones can exceed 256.
class RoundedSum {
 public:
  explicit RoundedSum(PrimitiveType type) : type_(type) {}
  void Add(float x) { AddAt(0, x); }
  float Total() {
    for (size_t level = 0; level + 1 < levels_.size(); ++level) {
      if (levels_[level].count > 0) AddAt(level + 1, std::exchange(levels_[level], Level()).sum);
    }
    return levels_.empty() ? -0.0f : levels_.back().sum;
  }

 private:
  static constexpr int kRun = 32;
  struct Level {
    float sum = -0.0f;
    int count = 0;
  };
  void AddAt(size_t level, float x) {
    if (level == levels_.size()) levels_.emplace_back();
    const float sum = DecodeSmallFloat(type_, EncodeSmallFloat(type_, static_cast<double>(levels_[level].sum + x)));
    levels_[level].sum = sum;
    if (++levels_[level].count < kRun) return;
    levels_[level] = Level();
    AddAt(level + 1, sum);
  }
  PrimitiveType type_;
  std::vector<Level> levels_;
};

// The sums, along the reduced dimensions, of one array of floats no wider than f32.
template <class MakeSum>
Literal ReduceBySumming(const Literal& array, const Literal& initial, const Literal& zeros, const DimVector& kept_dims,
                        const DimVector& kept_strides, const DimVector& reduced_dims, const DimVector& reduced_strides,
                        MakeSum make_sum) {
  const bool is_f32 = array.shape().element_type() == PrimitiveType::F32;
  const Literal wide = is_f32 ? Literal() : array.Convert(PrimitiveType::F32);
  const std::span<const float> x = (is_f32 ? array : wide).data<float>();
  const float start = static_cast<float>(initial.GetAsDouble(0));
  Literal sums = zeros;
  int64_t out = 0;
  ForEachOffset(kept_dims, kept_strides, [&](int64_t base) {
    auto sum = make_sum();
    sum.Add(start);
    ForEachOffset(reduced_dims, reduced_strides,
                  [&](int64_t offset) { sum.Add(x[static_cast<size_t>(base + offset)]); });
    sums.SetFromDouble(out++, static_cast<double>(sum.Total()));
  });
  return sums;
}

}  // namespace

StatusOr<Reducer> Reducer::Prepare(EvalContext& context) {
  const size_t n = context.operands.size() / 2;
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction function,
                         ScalarFunction::Prepare(context.run, *context.instruction.to_apply()));
  if (function.argument_count() != 2 * n || function.result_count() != n)
    return InvalidArgument(Format("{}'s computation does not reduce {} arrays", context.instruction.name(), n));
  Reducer reducer(context, std::move(function));
  reducer.initial_.resize(n), reducer.next_.resize(n);
  for (size_t k = 0; k < n; ++k)
    LoadElement(context.operand(static_cast<int64_t>(n + k)), 0, reducer.function_.argument_type(k),
                reducer.initial_[k]);
  return reducer;
}

// Operands are n arrays of the same dimensions and n initial values. The computation maps n accumulators and n elements
// to n accumulators. HLO does not specify the order of elements; here it is row-major, from the initial values on,
// except for sums of floats, see above.
StatusOr<Value> EvaluateReduce(EvalContext& context) {
  const size_t n = context.operands.size() / 2;
  HLOIR_ASSIGN_OR_RETURN(Reducer reducer, Reducer::Prepare(context));
  const ScalarFunction& function = reducer.function();
  const DimVector& dims = context.operand(0).shape().dimensions();
  const DimVector strides = RowMajorStrides(dims);
  DimVector result_dims, kept_dims, kept_strides, reduced_dims, reduced_strides;
  const DimVector& reduced = context.attributes<DimensionsAttributes>().dimensions;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) != reduced.end()) {
      AppendDimension(dims[d], strides[d], &reduced_dims, &reduced_strides);
    } else {
      AppendDimension(dims[d], strides[d], &kept_dims, &kept_strides);
      result_dims.push_back(dims[d]);
    }
  }
  std::vector<Literal> results;
  for (size_t k = 0; k < n; ++k) {
    const PrimitiveType type = context.shape.IsTuple()
                                   ? context.shape.tuple_shapes(static_cast<int64_t>(k)).element_type()
                                   : context.shape.element_type();
    results.emplace_back(Shape::Array(type, result_dims));
  }
  HLOIR_RETURN_IF_ERROR(context.run.CountSteps(SaturatingProduct(Product(dims), function.cost())));

  const PrimitiveType type = context.operand(0).shape().element_type();
  if (function.IsBinary(HloOpcode::kAdd) && type == function.argument_type(0) &&
      ComputeType(type) == PrimitiveType::F32) {
    auto sum_up = [&](auto make_sum) {
      return ReduceBySumming(context.operand(0), context.operand(1), results[0], kept_dims, kept_strides, reduced_dims,
                             reduced_strides, make_sum);
    };
    results[0] =
        type == PrimitiveType::F32 ? sum_up([] { return ExactSum(); }) : sum_up([&] { return RoundedSum(type); });
    return Packed(std::move(results), context.shape);
  }

  Status status;
  int64_t out = 0;
  ForEachOffset(kept_dims, kept_strides, [&](int64_t base) {
    if (!status.ok()) return;
    reducer.Begin();
    ForEachOffset(reduced_dims, reduced_strides, [&](int64_t offset) {
      if (status.ok()) status = reducer.Add(base + offset);
    });
    reducer.Store(results, out++);
  });
  HLOIR_RETURN_IF_ERROR(status);
  return Packed(std::move(results), context.shape);
}

// The computation on each element of the operands, all at the same index.
StatusOr<Value> EvaluateMap(EvalContext& context) {
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction function,
                         ScalarFunction::Prepare(context.run, *context.instruction.to_apply()));
  if (function.argument_count() != context.operands.size() || function.result_count() != 1) {
    return InvalidArgument(Format("{}'s computation takes other operands", context.instruction.name()));
  }
  Literal result(context.shape);
  HLOIR_RETURN_IF_ERROR(context.run.CountSteps(result.element_count() * function.cost()));
  for (int64_t i = 0; i < result.element_count(); ++i) {
    for (size_t k = 0; k < context.operands.size(); ++k) {
      function.Load(k, context.operand(static_cast<int64_t>(k)), i);
    }
    HLOIR_RETURN_IF_ERROR(function.Run());
    function.Store(0, result, i);
  }
  return result;
}

// Operands: inputs, then num_carries initial carries. For each index along the dimension, in order or in reverse, the
// computation maps the inputs' slices (without that dimension) and the carries to output slices and new carries. The
// result is the stacked outputs, then the last carries; not a tuple if the computation returns none.
StatusOr<Value> EvaluateScan(EvalContext& context) {
  const auto& attributes = context.attributes<ScanAttributes>();
  const size_t dimension = static_cast<size_t>(attributes.dimensions[0]);
  const size_t carries = static_cast<size_t>(attributes.num_carries);
  const size_t inputs = context.operands.size() - carries;
  const bool several = context.shape.IsTuple();
  const bool returns_several = context.instruction.to_apply()->root()->shape().IsTuple();
  const size_t outputs = (several ? static_cast<size_t>(context.shape.tuple_size()) : 1) - carries;
  const auto result_shape = [&](size_t k) -> const Shape& {
    return several ? context.shape.tuple_shapes(static_cast<int64_t>(k)) : context.shape;
  };
  const int64_t length = inputs > 0    ? context.operand(0).shape().dimensions()[dimension]
                         : outputs > 0 ? result_shape(0).dimensions()[dimension]
                                       : 0;
  auto slice_shape = [&](const Shape& shape) {
    DimVector dims = shape.dimensions();
    dims.erase(dims.begin() + dimension);
    return Shape::Array(shape.element_type(), dims);
  };
  auto slice_region = [&](const Shape& shape, int64_t i) {
    Region region{0, RowMajorStrides(shape.dimensions())};
    region.start = i * region.strides[dimension];
    region.strides.erase(region.strides.begin() + dimension);
    return region;
  };
  std::vector<Literal> stacked;
  for (size_t k = 0; k < outputs; ++k) stacked.emplace_back(result_shape(k));
  std::vector<Value> state(context.operands.begin() + static_cast<std::ptrdiff_t>(inputs), context.operands.end());
  for (int64_t step = 0; step < length; ++step) {
    const int64_t i = attributes.is_reverse ? length - 1 - step : step;
    std::vector<Value> arguments;
    for (size_t k = 0; k < inputs; ++k) {
      const Literal& input = context.operand(static_cast<int64_t>(k));
      arguments.emplace_back(ReadRegion(slice_shape(input.shape()), input, slice_region(input.shape(), i)));
    }
    for (Value& carry : state) arguments.push_back(std::move(carry));
    HLOIR_ASSIGN_OR_RETURN(const Value result, context.run.Call(*context.instruction.to_apply(), std::move(arguments)));
    for (size_t k = 0; k < outputs; ++k) {
      const Literal slice =
          (returns_several ? result.elements()[k] : result).literal().Convert(stacked[k].shape().element_type());
      const DimVector& dims = slice.shape().dimensions();
      CopyRegion(dims, slice, {0, RowMajorStrides(dims)}, stacked[k], slice_region(stacked[k].shape(), i));
    }
    for (size_t k = 0; k < carries; ++k) state[k] = returns_several ? result.elements()[outputs + k] : result;
  }
  std::vector<Value> results;
  for (Literal& literal : stacked) results.emplace_back(std::move(literal));
  for (Value& carry : state) results.push_back(std::move(carry));
  if (!several) return std::move(results[0]);
  return Value::Tuple(std::move(results));
}

}  // namespace hloir::reference
