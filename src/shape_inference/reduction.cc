// Shapes of reduce, reduce-window, select-and-scatter, map, scan, sort and topk, with the requirements on applied
// computations; and the sizes of windows, also for convolution.
#include <algorithm>

#include "internal.h"

#include "support/format.h"

namespace hloir::shape_inference {

Status ExpectWindow(const Window& window) {
  for (size_t i = 0; i < window.size(); ++i) {
    const WindowDimension& w = window[i];
    if (w.size <= 0) return Invalid("window size {} of dimension {} must be positive", w.size, i);
    if (w.stride <= 0) return Invalid("window stride {} of dimension {} must be positive", w.stride, i);
    if (w.base_dilation < 1) return Invalid("lhs_dilate {} of dimension {} must be at least 1", w.base_dilation, i);
    if (w.window_dilation < 1) return Invalid("rhs_dilate {} of dimension {} must be at least 1", w.window_dilation, i);
  }
  return OkStatus();
}

StatusOr<int64_t> WindowedSize(int64_t base, const WindowDimension& window) {
  if (base == Shape::kUnboundedSize) return Shape::kUnboundedSize;
  auto dilated = [](int64_t size, int64_t dilation) { return size == 0 ? Wide{0} : Wide{size - 1} * dilation + 1; };
  Wide padded = dilated(base, window.base_dilation) + window.padding_low + window.padding_high;
  Wide reach = dilated(window.size, window.window_dilation);
  return Narrow(padded < reach || padded <= 0 ? Wide{0} : (padded - reach) / window.stride + 1);
}

StatusOr<Shape> InferWindowOutput(const Shape& base, const Window& window, PrimitiveType type) {
  HLOIR_RETURN_IF_ERROR(ExpectWindow(window));
  if (static_cast<int64_t>(window.size()) != base.rank()) {
    return Invalid("the window has {} dimensions, the operand {}", window.size(), base.rank());
  }
  DimVector sizes;
  for (int64_t i = 0; i < base.rank(); ++i) {
    HLOIR_ASSIGN_OR_RETURN(int64_t size, WindowedSize(base.dimensions(i), window[i]));
    sizes.push_back(size);
  }
  Shape result = MakeArray(type, sizes);
  for (int64_t i = 0; i < base.rank(); ++i) CopyDynamism(base, i, result, i);
  return result;
}

// The results of the computation: one, or the elements of a tuple.
static std::vector<const Shape*> Results(const HloComputation& computation) {
  const Shape& root = computation.root()->shape();
  if (!root.IsTuple()) return {&root};
  std::vector<const Shape*> results;
  for (const Shape& element : root.tuple_shapes()) results.push_back(&element);
  return results;
}

static Status ExpectParameterCount(const HloComputation& computation, size_t count) {
  if (static_cast<size_t>(computation.parameter_count()) == count) return OkStatus();
  return Invalid("{} must take {} parameters, not {}", computation.name(), count, computation.parameter_count());
}

// A single result is not a tuple, unless the computation returns a tuple of one.
static Shape AsReturnedBy(const HloComputation& computation, std::vector<Shape> results) {
  if (computation.root()->shape().IsTuple()) return Shape::Tuple(std::move(results));
  return OneOrTuple(std::move(results));
}

StatusOr<std::vector<PrimitiveType>> InferReducer(const HloComputation& reducer, std::span<const Shape* const> inits,
                                                  std::span<const Shape* const> inputs) {
  const size_t n = inputs.size();
  HLOIR_RETURN_IF_ERROR(ExpectParameterCount(reducer, 2 * n));
  std::vector<const Shape*> results = Results(reducer);
  if (results.size() != n) return Invalid("{} must return {} values, not {}", reducer.name(), n, results.size());
  std::vector<PrimitiveType> types;
  for (size_t i = 0; i < n; ++i) {
    const Shape &accumulator = *results[i], &left = reducer.parameter(i)->shape(),
                &right = reducer.parameter(n + i)->shape();
    PrimitiveType type = accumulator.element_type();
    if (!accumulator.IsScalar()) return Invalid("{} must return scalars, not {}", reducer.name(), Text(accumulator));
    if (!left.Compatible(accumulator)) {
      return Invalid("parameter {} of {} is {}, but its result is {}", i, reducer.name(), Text(left),
                     Text(accumulator));
    }
    if (!right.IsScalar() || !SameTypeIgnoringFloatPrecision(right.element_type(), type)) {
      return Invalid("parameter {} of {} is {}, but its result is {}", n + i, reducer.name(), Text(right),
                     Text(accumulator));
    }
    if (!SameTypeIgnoringFloatPrecision(inputs[i]->element_type(), right.element_type())) {
      return Invalid("{} takes {} elements, but is given those of {}", reducer.name(),
                     PrimitiveTypeName(right.element_type()), Text(*inputs[i]));
    }
    if (!SameTypeIgnoringFloatPrecision(inits[i]->element_type(), type)) {
      return Invalid("{} accumulates {}, but starts from {}", reducer.name(), PrimitiveTypeName(type), Text(*inits[i]));
    }
    types.push_back(type);
  }
  return types;
}

// n arrays of the same dimensions, then n scalars to start from.
static StatusOr<std::vector<PrimitiveType>> ExpectReduction(const Query& q) {
  if (q.operands.size() % 2 != 0)
    return Invalid("{} takes n arrays and n initial values, not {} operands", OpcodeName(q.opcode), q.operands.size());
  const size_t n = q.operands.size() / 2;
  HLOIR_RETURN_IF_ERROR(ExpectSameDimensions(q, 0, n));
  for (size_t i = n; i < 2 * n; ++i) {
    if (!q.operand(i).IsScalar())
      return Invalid("initial value {} must be a scalar, not {}", i - n, Text(q.operand(i)));
  }
  return InferReducer(*q.called[0], q.operands.subspan(n), q.operands.first(n));
}

StatusOr<Shape> InferReduce(const Query& q) {
  const Shape& x = q.operand(0);
  HLOIR_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types, ExpectReduction(q));
  const DimVector& dims = q.attr<DimensionsAttributes>().dimensions;
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(dims, x.rank(), "reduce dimensions"));
  DimVector sizes, kept;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (Contains(dims, i)) continue;
    sizes.push_back(x.dimensions(i));
    kept.push_back(i);
  }
  std::vector<Shape> results;
  for (PrimitiveType type : types) {
    results.push_back(MakeArray(type, sizes));
    for (size_t i = 0; i < kept.size(); ++i) CopyDynamism(x, kept[i], results.back(), i);
  }
  return AsReturnedBy(*q.called[0], std::move(results));
}

// The result has the types of the initial values, unlike reduce, whose result has the computation's types; they may
// differ in precision.
StatusOr<Shape> InferReduceWindow(const Query& q) {
  HLOIR_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types, ExpectReduction(q));
  std::vector<Shape> results;
  for (size_t i = 0; i < types.size(); ++i) {
    HLOIR_ASSIGN_OR_RETURN(Shape result, InferWindowOutput(q.operand(i), q.attr<WindowAttributes>().window,
                                                           q.operand(types.size() + i).element_type()));
    results.push_back(std::move(result));
  }
  return AsReturnedBy(*q.called[0], std::move(results));
}

StatusOr<Shape> InferSelectAndScatter(const Query& q) {
  const Shape &x = q.operand(0), &source = q.operand(1), &init = q.operand(2);
  HLOIR_RETURN_IF_ERROR(ExpectArray(x, "operand 0"));
  HLOIR_RETURN_IF_ERROR(ExpectArray(source, "operand 1"));
  const HloComputation& select = *q.called[0];
  HLOIR_RETURN_IF_ERROR(ExpectParameterCount(select, 2));
  if (!select.root()->shape().Compatible(Shape::Scalar(PrimitiveType::PRED))) {
    return Invalid("{} must return pred[], not {}", select.name(), Text(select.root()->shape()));
  }
  for (int64_t i : {0, 1}) {
    const Shape& parameter = select.parameter(i)->shape();
    if (!parameter.IsScalar() || !SameTypeIgnoringFloatPrecision(parameter.element_type(), x.element_type())) {
      return Invalid("parameter {} of {} is {}, but is given elements of {}", i, select.name(), Text(parameter),
                     Text(x));
    }
  }
  if (!init.IsScalar()) return Invalid("the initial value must be a scalar, not {}", Text(init));
  const Shape* inits[] = {&init};
  const Shape* sources[] = {&source};
  HLOIR_RETURN_IF_ERROR(InferReducer(*q.called[1], inits, sources).status());
  HLOIR_ASSIGN_OR_RETURN(Shape windowed, InferWindowOutput(x, q.attr<WindowAttributes>().window, x.element_type()));
  if (!CompatibleIgnoringFloatPrecision(windowed, source)) {
    return Invalid("the window over {} gives {}, but the source is {}", Text(x), Text(windowed), Text(source));
  }
  return x;
}

StatusOr<Shape> InferMap(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectSameDimensions(q, 0, q.operands.size()));
  const Shape& x = q.operand(0);
  const HloComputation& mapped = *q.called[0];
  HLOIR_RETURN_IF_ERROR(ExpectParameterCount(mapped, q.operands.size()));
  // The attribute `dimensions` is obsolete and ignored: map covers all dimensions.
  for (size_t i = 0; i < q.operands.size(); ++i) {
    const Shape& parameter = mapped.parameter(i)->shape();
    if (!parameter.IsScalar() ||
        !SameTypeIgnoringFloatPrecision(parameter.element_type(), q.operand(i).element_type())) {
      return Invalid("parameter {} of {} is {}, but is given elements of {}", i, mapped.name(), Text(parameter),
                     Text(q.operand(i)));
    }
  }
  const Shape& element = mapped.root()->shape();
  if (!element.IsScalar()) return Invalid("{} must return a scalar, not {}", mapped.name(), Text(element));
  return MakeArray(element.element_type(), x.dimensions());
}

// Inputs are sliced along one dimension, which the slices lack; carries are passed unsliced: (slices…, carries…) ->
// (output slices…, carries…).
StatusOr<Shape> InferScan(const Query& q) {
  const auto& a = q.attr<ScanAttributes>();
  if (a.dimensions.size() != 1) return Invalid("scan takes one dimension, not dimensions={}", Braced(a.dimensions));
  const int64_t along = a.dimensions[0];
  const HloComputation& body = *q.called[0];
  std::vector<const Shape*> results = Results(body);
  const int64_t operand_count = static_cast<int64_t>(q.operands.size()),
                result_count = static_cast<int64_t>(results.size());
  if (a.num_carries < 0 || a.num_carries > operand_count || a.num_carries > result_count) {
    return Invalid("num_carries={} with {} operands and {} results of {}", a.num_carries, operand_count, result_count,
                   body.name());
  }
  const int64_t inputs = operand_count - a.num_carries, outputs = result_count - a.num_carries;
  HLOIR_RETURN_IF_ERROR(ExpectParameterCount(body, q.operands.size()));
  if (inputs == 0 && outputs == 0) return InvalidArgument("a scan has an input or an output, not carries alone");
  if (inputs == 0 && q.stated == nullptr)
    return InvalidArgument("the result shape of a scan without inputs must be stated");
  int64_t length = 0;
  if (inputs == 0 && outputs > 0) {
    const Shape* first = q.stated->IsTuple() && q.stated->tuple_size() > 0 ? &q.stated->tuple_shapes(0) : q.stated;
    if (!InRange(along, first->rank())) return Invalid("scan along dimension {} of {}", along, Text(*first));
    length = first->dimensions(along);
  }
  for (int64_t i = 0; i < inputs; ++i) {
    const Shape& x = q.operand(i);
    HLOIR_RETURN_IF_ERROR(ExpectArray(x, "operand {}", i));
    if (!InRange(along, x.rank())) return Invalid("scan along dimension {} of {}", along, Text(x));
    if (i == 0) length = x.dimensions(along);
    if (x.dimensions(along) != length)
      return Invalid("inputs differ in length along dimension {}: {} and {}", along, length, x.dimensions(along));
    DimVector slice = x.dimensions();
    slice.erase(slice.begin() + along);
    if (!CompatibleIgnoringFloatPrecision(Shape(x.element_type(), slice), body.parameter(i)->shape())) {
      return Invalid("parameter {} of {} is {}, which is not a slice of {}", i, body.name(),
                     Text(body.parameter(i)->shape()), Text(x));
    }
  }
  for (int64_t i = 0; i < a.num_carries; ++i) {
    const Shape &init = q.operand(inputs + i), &parameter = body.parameter(inputs + i)->shape(),
                &carry = *results[outputs + i];
    if (!CompatibleIgnoringFloatPrecision(init, parameter) || !CompatibleIgnoringFloatPrecision(carry, parameter)) {
      return Invalid("carry {} is {} at first, {} as a parameter of {} and {} as its result", i, Text(init),
                     Text(parameter), body.name(), Text(carry));
    }
  }
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < result_count; ++i) {
    if (i >= outputs) {
      shapes.push_back(*results[i]);
      continue;
    }
    HLOIR_RETURN_IF_ERROR(ExpectArray(*results[i], "result {} of {}", i, body.name()));
    DimVector sizes = results[i]->dimensions();
    if (along > results[i]->rank()) return Invalid("scan along dimension {} of result {}", along, Text(*results[i]));
    sizes.insert(sizes.begin() + along, length);
    shapes.push_back(MakeArray(results[i]->element_type(), sizes));
  }
  // XLA may make an array of a computation's tuple of one element, while the scan remains a tuple.
  if (q.stated != nullptr && q.stated->IsTuple() && result_count == 1) return Shape::Tuple(std::move(shapes));
  return AsReturnedBy(body, std::move(shapes));
}

StatusOr<Shape> InferSort(const Query& q) {
  const auto& dims = q.attr<SortAttributes>().dimensions;
  HLOIR_RETURN_IF_ERROR(ExpectSameDimensions(q, 0, q.operands.size()));
  if (dims.size() != 1) return Invalid("sort takes one dimension, not dimensions={}", Braced(dims));
  if (!InRange(dims[0], q.operand(0).rank()))
    return Invalid("sort along dimension {} of {}", dims[0], Text(q.operand(0)));
  const HloComputation& before = *q.called[0];
  HLOIR_RETURN_IF_ERROR(ExpectParameterCount(before, 2 * q.operands.size()));
  if (!before.root()->shape().Compatible(Shape::Scalar(PrimitiveType::PRED))) {
    return Invalid("{} must return pred[], not {}", before.name(), Text(before.root()->shape()));
  }
  std::vector<Shape> results;
  for (size_t i = 0; i < q.operands.size(); ++i) {
    for (size_t k : {2 * i, 2 * i + 1}) {
      const Shape& parameter = before.parameter(k)->shape();
      if (!parameter.IsScalar() ||
          !SameTypeIgnoringFloatPrecision(parameter.element_type(), q.operand(i).element_type())) {
        return Invalid("parameter {} of {} is {}, but is given elements of {}", k, before.name(), Text(parameter),
                       Text(q.operand(i)));
      }
    }
    results.push_back(q.operand(i));
  }
  return OneOrTuple(std::move(results));
}

StatusOr<Shape> InferTopK(const Query& q) {
  const Shape& x = q.operand(0);
  const int64_t k = q.attr<TopKAttributes>().k;
  HLOIR_RETURN_IF_ERROR(ExpectArray(x, "the operand"));
  if (x.rank() < 1) return InvalidArgument("topk of a scalar");
  int64_t last = x.dimensions(x.rank() - 1);
  if (k < 0 || (last != Shape::kUnboundedSize && k > last))
    return Invalid("k={} is out of range for a last dimension of {}", k, last);
  DimVector sizes = x.dimensions();
  sizes.back() = k;
  std::vector<Shape> results{MakeArray(x.element_type(), sizes), MakeArray(PrimitiveType::S32, sizes)};
  for (Shape& result : results) {
    for (int64_t i = 0; i + 1 < x.rank(); ++i) result.set_dynamic_dimension(i, x.is_dynamic_dimension(i));
  }
  return Shape::Tuple(std::move(results));
}

}  // namespace hloir::shape_inference
