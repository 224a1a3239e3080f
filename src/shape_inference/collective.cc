// Shapes of collectives. The number of devices is unknown here, so a gathered dimension must grow, and a scattered one
// shrink, by an integral factor; the verifier compares the factor with the replica groups.
#include <algorithm>

#include "internal.h"

namespace hloir::shape_inference {

// The result of a collective: one array per operand, in a tuple if there are several.
static StatusOr<std::vector<const Shape*>> ResultsOf(const Shape& result, size_t count) {
  if (count == 1) return std::vector<const Shape*>{&result};
  if (result.IsTuple() && static_cast<size_t>(result.tuple_size()) == count) {
    std::vector<const Shape*> results;
    for (const Shape& element : result.tuple_shapes()) results.push_back(&element);
    return results;
  }
  return Invalid("{} operands give as many results, not {}", count, Text(result));
}

// True if `larger` is `smaller` with dimension `along` multiplied by an integer.
static Status ExpectMultiple(const Shape& smaller, const Shape& larger, int64_t along) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(smaller, "each operand and result"));
  HLOIR_RETURN_IF_ERROR(ExpectArray(larger, "each operand and result"));
  if (smaller.rank() != larger.rank() ||
      !SameTypeIgnoringFloatPrecision(smaller.element_type(), larger.element_type())) {
    return Invalid("operand and result differ in rank or element type: {} and {}", Text(smaller), Text(larger));
  }
  if (!InRange(along, smaller.rank()))
    return Invalid("dimensions={{{}}} is not a dimension of {}", along, Text(smaller));
  for (int64_t i = 0; i < smaller.rank(); ++i) {
    if (smaller.is_unbounded_dimension(i) || larger.is_unbounded_dimension(i)) continue;
    int64_t small = smaller.dimensions(i), large = larger.dimensions(i);
    if (i != along && small != large)
      return Invalid("{} and {} differ in dimension {}, which is not exchanged", Text(smaller), Text(larger), i);
    if (i == along && (small == 0 ? large != 0 : large % small != 0)) {
      return Invalid("dimension {} of {} is not a multiple of that of {}", i, Text(larger), Text(smaller));
    }
  }
  return OkStatus();
}

static Status ExpectOneDimension(const DimVector& dimensions) {
  return dimensions.size() == 1 ? OkStatus() : Invalid("expected one dimension, not dimensions={}", Braced(dimensions));
}

static Status ExpectGathered(const Query& q, const Shape& result) {
  const DimVector& dims = q.attr<AllGatherAttributes>().dimensions;
  HLOIR_RETURN_IF_ERROR(ExpectOneDimension(dims));
  HLOIR_ASSIGN_OR_RETURN(std::vector<const Shape*> results, ResultsOf(result, q.operands.size()));
  for (size_t i = 0; i < results.size(); ++i) HLOIR_RETURN_IF_ERROR(ExpectMultiple(q.operand(i), *results[i], dims[0]));
  return OkStatus();
}

static StatusOr<Shape> OperandsAsResult(const Query& q, size_t count) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) {
    HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(i), "operand {}", i));
    shapes.push_back(q.operand(i));
  }
  return OneOrTuple(std::move(shapes));
}

// A start returns (operands, results[, contexts…]).
static StatusOr<Shape> StartOf(const Query& q, const Shape& operands, const Shape& result) {
  if (!q.stated->IsTuple() || q.stated->tuple_size() < 2)
    return Invalid("{} gives (operands, results), not {}", OpcodeName(q.opcode), Text(*q.stated));
  Shape start = *q.stated;
  start.mutable_tuple_shape(0) = operands;
  start.mutable_tuple_shape(1) = result;
  return start;
}

static StatusOr<Shape> InferDone(const Query& q) {
  if (q.opcode == HloOpcode::kAllReduceDone) return q.operand(0);
  if (!q.operand(0).IsTuple() || q.operand(0).tuple_size() < 2) {
    return Invalid("{} expects the result of its start, not {}", OpcodeName(q.opcode), Text(q.operand(0)));
  }
  return q.operand(0).tuple_shapes(1);
}

// all-to-all: with dimensions={d} one array is split along d and reassembled; otherwise operand i goes to device i.
StatusOr<Shape> InferAllToAll(const Query& q) {
  const DimVector& dims = q.attr<AllToAllAttributes>().dimensions;
  if (q.operands.empty()) return InvalidArgument("all-to-all without operands");
  if (!dims.empty()) {
    HLOIR_RETURN_IF_ERROR(ExpectOneDimension(dims));
    if (!InRange(dims[0], q.operand(0).rank()))
      return Invalid("dimensions={} is not a dimension of {}", Braced(dims), Text(q.operand(0)));
  }
  if (!dims.empty()) {
    if (q.operands.size() != 1)
      return Invalid("all-to-all with dimensions takes one operand, not {}", q.operands.size());
    return q.operand(0);
  }
  // Received data replaces sent data, byte for byte.
  for (const Shape* operand : q.operands) {
    const Shape& first = q.operand(0);
    if (!SameBuffer(*operand, first) || (first.has_layout() && operand->has_layout() &&
                                         first.layout().minor_to_major() != operand->layout().minor_to_major())) {
      return Invalid("the operands of all-to-all must be alike: {} and {}", first.ToString(), operand->ToString());
    }
  }
  std::vector<Shape> shapes;
  for (const Shape* operand : q.operands) shapes.push_back(*operand);
  return Shape::Tuple(std::move(shapes));
}

// (input, output, input offsets, sizes to send, output offsets, sizes to receive); the result is the output.
StatusOr<Shape> InferRaggedAllToAll(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(1), "operand 1"));
  const Shape& offsets = q.operand(2);
  if (!offsets.IsArray() || offsets.rank() < 1 || offsets.rank() > 2)
    return Invalid("offsets and sizes must be of rank 1 or 2, but operand 2 is {}", Text(offsets));
  for (size_t i = 3; i < q.operands.size(); ++i) {
    if (!SameBuffer(offsets, q.operand(i)))
      return Invalid("offsets and sizes must be alike, but operands 2 and {} are {} and {}", i, Text(offsets),
                     Text(q.operand(i)));
  }
  return q.operand(1);
}

// In place: (input, output, tuple of input starts, tuple of output starts), and the result is the output.
static bool PermutesInPlace(const Query& q) {
  return q.operands.size() == 4 && q.operand(2).IsTuple() && q.operand(3).IsTuple();
}

// The start of one slice, an index per dimension of the buffer, or a tuple of starts.
static Status ExpectStarts(const Shape& buffer, const Shape& starts) {
  auto is_start = [&](const Shape& shape) {
    return shape.IsTuple() && shape.tuple_size() == buffer.rank() &&
           std::all_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                       [](const Shape& index) { return index.IsArray(); });
  };
  if (is_start(starts)) return OkStatus();
  if (starts.IsTuple() && starts.tuple_size() > 0 &&
      std::all_of(starts.tuple_shapes().begin(), starts.tuple_shapes().end(), is_start))
    return OkStatus();
  return Invalid("{} is neither a start of a slice of {} nor a tuple of starts", Text(starts), Text(buffer));
}

// One buffer and the starts of its slices, or tuples of as many of each.
static Status ExpectSlices(const Shape& buffers, const Shape& starts) {
  if (buffers.IsArray()) return ExpectStarts(buffers, starts);
  if (!buffers.IsTuple() || !starts.IsTuple() || buffers.tuple_size() != starts.tuple_size() ||
      buffers.tuple_size() == 0)
    return Invalid("starts must be given for each buffer, but {} are given for {}", Text(starts), Text(buffers));
  for (int64_t i = 0; i < buffers.tuple_size(); ++i)
    HLOIR_RETURN_IF_ERROR(ExpectStarts(buffers.tuple_shapes(i), starts.tuple_shapes(i)));
  return OkStatus();
}

static Status ExpectInPlace(const Query& q) {
  const Shape &input = q.operand(0), &output = q.operand(1);
  if (input.IsTuple() != output.IsTuple() || input.tuple_shapes().size() != output.tuple_shapes().size())
    return Invalid("there must be as many buffers to send from as to receive in: {} and {}", Text(input), Text(output));
  HLOIR_RETURN_IF_ERROR(ExpectSlices(input, q.operand(2)));
  return ExpectSlices(output, q.operand(3));
}

StatusOr<Shape> InferAllGather(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectGathered(q, *q.stated));
  return *q.stated;
}
StatusOr<Shape> InferAllGatherStart(const Query& q) {
  if (!q.stated->IsTuple() || q.stated->tuple_size() != 2)
    return Invalid("all-gather-start gives (operands, results), not {}", Text(*q.stated));
  HLOIR_RETURN_IF_ERROR(ExpectGathered(q, q.stated->tuple_shapes(1)));
  HLOIR_ASSIGN_OR_RETURN(Shape operands, OperandsAsResult(q, q.operands.size()));
  return StartOf(q, operands, q.stated->tuple_shapes(1));
}
StatusOr<Shape> InferAllReduce(const Query& q) { return OperandsAsResult(q, q.operands.size()); }
StatusOr<Shape> InferAllReduceStart(const Query& q) { return OperandsAsResult(q, q.operands.size()); }
StatusOr<Shape> InferReduceScatter(const Query& q) {
  const DimVector& dims = q.attr<ReduceScatterAttributes>().dimensions;
  HLOIR_RETURN_IF_ERROR(ExpectOneDimension(dims));
  HLOIR_ASSIGN_OR_RETURN(std::vector<const Shape*> results, ResultsOf(*q.stated, q.operands.size()));
  for (size_t i = 0; i < results.size(); ++i) HLOIR_RETURN_IF_ERROR(ExpectMultiple(*results[i], q.operand(i), dims[0]));
  return *q.stated;
}
StatusOr<Shape> InferCollectivePermute(const Query& q) {
  if (!PermutesInPlace(q)) return OperandsAsResult(q, q.operands.size());
  HLOIR_RETURN_IF_ERROR(ExpectInPlace(q));
  return q.operand(1);
}
StatusOr<Shape> InferCollectivePermuteStart(const Query& q) {
  if (PermutesInPlace(q)) {
    HLOIR_RETURN_IF_ERROR(ExpectInPlace(q));
    return StartOf(q, q.operand(0), q.operand(1));
  }
  HLOIR_ASSIGN_OR_RETURN(Shape both, OperandsAsResult(q, q.operands.size()));
  return StartOf(q, both, both);
}
StatusOr<Shape> InferCollectiveBroadcast(const Query& q) {
  if (!q.attr<CollectiveBroadcastAttributes>().has_dynamic_root) {
    if (q.operands.size() != 1)
      return Invalid("collective-broadcast without a dynamic root takes one operand, not {}", q.operands.size());
    return OperandsAsResult(q, 1);
  }
  if (q.operands.size() < 2) return InvalidArgument("collective-broadcast with a dynamic root lacks operands");
  const size_t count = q.operands.size() - 1;
  const Shape wanted = MakeArray(PrimitiveType::S32, {static_cast<int64_t>(count)});
  if (!q.operand(count).Compatible(wanted))
    return Invalid("the last operand must give a root for each of the others, as {}, not {}", Text(wanted),
                   Text(q.operand(count)));
  return OperandsAsResult(q, count);
}
StatusOr<Shape> InferAllGatherDone(const Query& q) { return InferDone(q); }
StatusOr<Shape> InferAllReduceDone(const Query& q) { return InferDone(q); }
StatusOr<Shape> InferCollectivePermuteDone(const Query& q) { return InferDone(q); }

}  // namespace hloir::shape_inference
