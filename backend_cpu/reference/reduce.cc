// reduce, map and scan: a computation called for each element.
#include <algorithm>
#include <cstring>

#include "fmt/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"
#include "reference/scalar_function.h"

namespace hloir::reference {
namespace {

// The results of an op with one or several results: an array, or a tuple of arrays.
Value Pack(std::vector<Literal> results, const Shape& shape) {
  if (!shape.IsTuple()) return std::move(results[0]);
  std::vector<Value> values;
  for (Literal& literal : results) values.emplace_back(std::move(literal));
  return Value::Tuple(std::move(values));
}

double AsDouble(const Slot& slot, PrimitiveType compute_type) {
  float narrow;
  double wide;
  std::memcpy(&narrow, slot.bytes, sizeof(narrow));
  std::memcpy(&wide, slot.bytes, sizeof(wide));
  return compute_type == PrimitiveType::F32 ? static_cast<double>(narrow) : wide;
}

}  // namespace

// Operands are n arrays of the same dimensions and n initial values. The computation takes n accumulators and n elements
// and gives n accumulators. In which order elements come is not fixed. So for sums of floats narrower than f64 no order is
// more right than another, and the best answer is the sum in f64, rounded once; XLA:CPU's own order is close to that.
StatusOr<Value> EvaluateReduce(EvalContext& context) {
  const size_t n = context.operands.size() / 2;
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction reducer,
                         ScalarFunction::Prepare(context.run, *context.instruction.to_apply(), ScalarFunction::Rounding::kAtTheEnd));
  if (reducer.argument_count() != 2 * n || reducer.result_count() != n) {
    return InvalidArgument(fmt::format("{}'s computation does not reduce {} arrays", context.instruction.name(), n));
  }
  const DimVector& dims = context.operand(0).shape().dimensions();
  const DimVector strides = RowMajorStrides(dims);
  DimVector kept_dims, kept_strides, reduced_dims, reduced_strides;
  const DimVector& reduced = context.attributes<DimensionsAttributes>().dimensions;
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) != reduced.end();
    (is_reduced ? reduced_dims : kept_dims).push_back(dims[d]);
    (is_reduced ? reduced_strides : kept_strides).push_back(strides[d]);
  }
  std::vector<Literal> results;
  for (size_t k = 0; k < n; ++k) {
    const PrimitiveType type = context.shape.IsTuple() ? context.shape.tuple_shapes(static_cast<int64_t>(k)).element_type()
                                                       : context.shape.element_type();
    results.emplace_back(Shape::Array(type, kept_dims));
  }
  HLOIR_RETURN_IF_ERROR(context.run.CountSteps(Product(dims) * reducer.cost()));
  const PrimitiveType compute_type = ComputeType(reducer.argument_type(0));
  const bool is_sum = reducer.IsBinary(HloOpcode::kAdd) && compute_type == PrimitiveType::F32;

  std::vector<Slot> next(n);
  Status status;
  int64_t out = 0;
  ForEachIndex(kept_dims, [&](const DimVector& kept) {
    if (!status.ok()) return;
    const int64_t base = LinearIndex(kept, kept_strides);
    for (size_t k = 0; k < n; ++k) reducer.Load(k, context.operand(static_cast<int64_t>(n + k)), 0);
    if (is_sum) {
      double sum = AsDouble(reducer.argument(0), compute_type);
      Slot element;
      ForEachIndex(reduced_dims, [&](const DimVector& index) {
        LoadElement(context.operand(0), base + LinearIndex(index, reduced_strides), reducer.argument_type(1), element);
        sum += AsDouble(element, compute_type);
      });
      results[0].SetFromDouble(out++, sum);
      return;
    }
    ForEachIndex(reduced_dims, [&](const DimVector& index) {
      if (!status.ok()) return;
      const int64_t at = base + LinearIndex(index, reduced_strides);
      for (size_t k = 0; k < n; ++k) reducer.Load(n + k, context.operand(static_cast<int64_t>(k)), at);
      status = reducer.Run();
      // A result may be another argument's slot: read all, then write.
      for (size_t k = 0; k < n; ++k) next[k] = reducer.result(k);
      for (size_t k = 0; k < n; ++k) reducer.argument(k) = next[k];
    });
    for (size_t k = 0; k < n; ++k) StoreElement(reducer.argument(k), reducer.argument_type(k), results[k], out);
    ++out;
  });
  HLOIR_RETURN_IF_ERROR(status);
  return Pack(std::move(results), context.shape);
}

// The computation on each element of the operands, all at the same index.
StatusOr<Value> EvaluateMap(EvalContext& context) {
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction function, ScalarFunction::Prepare(context.run, *context.instruction.to_apply()));
  if (function.argument_count() != context.operands.size() || function.result_count() != 1) {
    return InvalidArgument(fmt::format("{}'s computation takes other operands", context.instruction.name()));
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
// computation takes the inputs' slices (that dimension gone) and the carries, and gives output slices and new carries.
// The result is the stacked outputs, then the last carries.
StatusOr<Value> EvaluateScan(EvalContext& context) {
  const auto& attributes = context.attributes<ScanAttributes>();
  const size_t dimension = static_cast<size_t>(attributes.dimensions[0]);
  const size_t carries = static_cast<size_t>(attributes.num_carries);
  const size_t inputs = context.operands.size() - carries;
  const size_t outputs = static_cast<size_t>(context.shape.tuple_size()) - carries;
  const int64_t length = inputs > 0 ? context.operand(0).shape().dimensions()[dimension]
                         : outputs > 0 ? context.shape.tuple_shapes(0).dimensions()[dimension] : 0;
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
  for (size_t k = 0; k < outputs; ++k) stacked.emplace_back(context.shape.tuple_shapes(static_cast<int64_t>(k)));
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
      const Literal slice = result.elements()[k].literal().Convert(stacked[k].shape().element_type());
      const DimVector& dims = slice.shape().dimensions();
      CopyRegion(dims, slice, {0, RowMajorStrides(dims)}, stacked[k], slice_region(stacked[k].shape(), i));
    }
    for (size_t k = 0; k < carries; ++k) state[k] = result.elements()[outputs + k];
  }
  std::vector<Value> results;
  for (Literal& literal : stacked) results.emplace_back(std::move(literal));
  for (Value& carry : state) results.push_back(std::move(carry));
  return Value::Tuple(std::move(results));
}

}  // namespace hloir::reference
