// Shapes of ops whose indices are operands: dynamic-slice, dynamic-update-slice, gather and scatter.
#include "internal.h"

namespace hloir::shape_inference {

// Starts: one scalar per dimension, or (in dumps before 2019) one vector of them.
static Status ExpectStartIndices(const Query& q, size_t first, int64_t rank) {
  size_t count = q.operands.size() - first;
  if (count == 1 && q.operand(first).rank() == 1) {
    const Shape& starts = q.operand(first);
    if (!IsInteger(starts.element_type())) return Invalid("start indices must be integers, not {}", Text(starts));
    if (starts.dimensions(0) != rank) return Invalid("{} start indices for rank {}", starts.dimensions(0), rank);
    return OkStatus();
  }
  if (static_cast<int64_t>(count) != rank) return Invalid("{} start indices for an operand of rank {}", count, rank);
  for (size_t i = first; i < q.operands.size(); ++i) {
    const Shape& start = q.operand(i);
    if (!start.IsScalar() || !IsInteger(start.element_type())) {
      return Invalid("start indices must be integer scalars, but operand {} is {}", i, Text(start));
    }
    if (start.element_type() != q.operand(first).element_type()) {
      return Invalid("start indices differ in element type: {} and {}", Text(q.operand(first)), Text(start));
    }
  }
  return OkStatus();
}

StatusOr<Shape> InferDynamicSlice(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape& x = q.operand(0);
  const DimVector& sizes = q.attr<DynamicSliceAttributes>().dynamic_slice_sizes;
  HLOIR_RETURN_IF_ERROR(ExpectStartIndices(q, 1, x.rank()));
  if (static_cast<int64_t>(sizes.size()) != x.rank()) {
    return Invalid("dynamic_slice_sizes={} has {} sizes for an operand of rank {}", Braced(sizes), sizes.size(),
                   x.rank());
  }
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (sizes[i] < 0) return Invalid("the slice size of dimension {} is negative: {}", i, sizes[i]);
    if (sizes[i] > x.dimensions(i) && !x.is_unbounded_dimension(i)) {
      return Invalid("the slice size {} of dimension {} is over the operand's {}", sizes[i], i, x.dimensions(i));
    }
  }
  Shape result = MakeArray(x.element_type(), sizes);
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (sizes[i] == x.dimensions(i)) CopyDynamism(x, i, result, i);
  }
  return result;
}

StatusOr<Shape> InferDynamicUpdateSlice(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape &x = q.operand(0), &update = q.operand(1);
  HLOIR_RETURN_IF_ERROR(ExpectArray(update, "the update"));
  HLOIR_RETURN_IF_ERROR(ExpectStartIndices(q, 2, x.rank()));
  if (update.rank() != x.rank())
    return Invalid("the update {} and the operand {} differ in rank", Text(update), Text(x));
  if (!SameTypeIgnoringFloatPrecision(update.element_type(), x.element_type())) {
    return Invalid("the update {} and the operand {} differ in element type", Text(update), Text(x));
  }
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (update.dimensions(i) > x.dimensions(i) && !x.is_unbounded_dimension(i)) {
      return Invalid("dimension {} of the update is larger than the operand's: {} and {}", i, Text(update), Text(x));
    }
  }
  return x;
}

namespace {
// start_indices or scatter_indices: their dimensions without index_vector_dim are the batch dimensions. An
// index_vector_dim equal to the rank means an implied last dimension of size 1.
struct Indices {
  DimVector batch_sizes;
  DimVector batch_dimensions;  // the position of each in the operand
  int64_t vector_size = 1;
};
}  // namespace
static StatusOr<Indices> SplitIndices(const Shape& indices, int64_t index_vector_dim) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(indices, "the indices operand"));
  if (!IsInteger(indices.element_type())) return Invalid("indices must be integers, not {}", Text(indices));
  if (index_vector_dim < 0 || index_vector_dim > indices.rank()) {
    return Invalid("index_vector_dim={} is out of range for indices of rank {}", index_vector_dim, indices.rank());
  }
  Indices split;
  for (int64_t i = 0; i < indices.rank(); ++i) {
    if (i == index_vector_dim) {
      split.vector_size = indices.dimensions(i);
    } else {
      split.batch_sizes.push_back(indices.dimensions(i));
      split.batch_dimensions.push_back(i);
    }
  }
  return split;
}

namespace {
// The operand dimensions outside the window of a gather or scatter: inserted or collapsed ones, and batching ones.
struct WindowDimensions {
  const DimVector &window, &inserted, &index_map, &operand_batching, &indices_batching;
  std::string_view window_name, inserted_name, map_name, operand_batching_name, indices_batching_name;
};
}  // namespace
static Status ExpectWindowDimensions(const WindowDimensions& w, const Shape& operand, const Shape& indices,
                                     const Indices& split, int64_t index_vector_dim) {
  if (!StrictlyAscending(w.window)) return Invalid("{}={} must ascend", w.window_name, Braced(w.window));
  if (!StrictlyAscending(w.inserted)) return Invalid("{}={} must ascend", w.inserted_name, Braced(w.inserted));
  if (!StrictlyAscending(w.operand_batching)) {
    return Invalid("{}={} must ascend", w.operand_batching_name, Braced(w.operand_batching));
  }
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(w.inserted, operand.rank(), w.inserted_name));
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(w.operand_batching, operand.rank(), w.operand_batching_name));
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(w.index_map, operand.rank(), w.map_name));
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(w.indices_batching, indices.rank(), w.indices_batching_name));
  for (int64_t d : w.operand_batching) {
    if (Contains(w.inserted, d))
      return Invalid("dimension {} is in both {} and {}", d, w.inserted_name, w.operand_batching_name);
  }
  if (Contains(w.indices_batching, index_vector_dim))
    return Invalid("{} contains index_vector_dim", w.indices_batching_name);
  if (static_cast<int64_t>(w.index_map.size()) != split.vector_size && split.vector_size != Shape::kUnboundedSize) {
    return Invalid("{}={} has {} dimensions, but the index vectors have {}", w.map_name, Braced(w.index_map),
                   w.index_map.size(), split.vector_size);
  }
  // Batching dimensions may differ in size: a position past the operand's end is an index out of range like others.
  if (w.operand_batching.size() != w.indices_batching.size()) {
    return Invalid("{} and {} differ in length", w.operand_batching_name, w.indices_batching_name);
  }
  if (w.window.size() + w.inserted.size() + w.operand_batching.size() != operand.dimensions().size()) {
    return Invalid("{}, {} and {} name {} dimensions in all, the operand has {}", w.window_name, w.inserted_name,
                   w.operand_batching_name, w.window.size() + w.inserted.size() + w.operand_batching.size(),
                   operand.rank());
  }
  return OkStatus();
}

StatusOr<Shape> InferGather(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  const Shape &x = q.operand(0), &indices = q.operand(1);
  const auto& a = q.attr<GatherAttributes>();
  HLOIR_ASSIGN_OR_RETURN(Indices split, SplitIndices(indices, a.index_vector_dim));
  WindowDimensions dims{
      a.offset_dims, a.collapsed_slice_dims, a.start_index_map, a.operand_batching_dims, a.start_indices_batching_dims,
      "offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims", "start_indices_batching_dims"};
  HLOIR_RETURN_IF_ERROR(ExpectWindowDimensions(dims, x, indices, split, a.index_vector_dim));
  int64_t rank = static_cast<int64_t>(a.offset_dims.size() + split.batch_sizes.size());
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(a.offset_dims, rank, "offset_dims"));
  if (a.slice_sizes.size() != x.dimensions().size()) {
    return Invalid("slice_sizes={} has {} sizes for an operand of rank {}", Braced(a.slice_sizes), a.slice_sizes.size(),
                   x.rank());
  }
  DimVector window_dims;  // operand dimensions that stay in the slices
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t size = a.slice_sizes[i];
    if (size < 0 || (size > x.dimensions(i) && !x.is_unbounded_dimension(i))) {
      return Invalid("slice size {} of dimension {} is out of range for {}", size, i, Text(x));
    }
    bool dropped = Contains(a.collapsed_slice_dims, i) || Contains(a.operand_batching_dims, i);
    if (dropped && size > 1) return Invalid("slice size {} of dimension {}, which is collapsed, is over 1", size, i);
    if (!dropped) window_dims.push_back(i);
  }
  DimVector sizes(static_cast<size_t>(rank), 0);
  size_t window = 0, batch = 0;
  for (int64_t i = 0; i < rank; ++i) {
    sizes[i] = Contains(a.offset_dims, i) ? a.slice_sizes[window_dims[window++]] : split.batch_sizes[batch++];
  }
  Shape result = MakeArray(x.element_type(), sizes);
  window = batch = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (!Contains(a.offset_dims, i)) {
      CopyDynamism(indices, split.batch_dimensions[batch++], result, i);
    } else if (int64_t d = window_dims[window++]; a.slice_sizes[d] == x.dimensions(d)) {
      CopyDynamism(x, d, result, i);
    }
  }
  return result;
}

StatusOr<Shape> InferScatter(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  if (q.operands.size() % 2 == 0)
    return Invalid("scatter takes n operands, the indices and n updates, not {} in all", q.operands.size());
  const size_t n = q.operands.size() / 2;
  const auto& a = q.attr<ScatterAttributes>();
  const Shape& indices = q.operand(n);
  HLOIR_ASSIGN_OR_RETURN(Indices split, SplitIndices(indices, a.index_vector_dim));
  WindowDimensions dims{a.update_window_dims,           a.inserted_window_dims,          a.scatter_dims_to_operand_dims,
                        a.input_batching_dims,          a.scatter_indices_batching_dims, "update_window_dims",
                        "inserted_window_dims",         "scatter_dims_to_operand_dims",  "input_batching_dims",
                        "scatter_indices_batching_dims"};
  HLOIR_RETURN_IF_ERROR(ExpectSameDimensions(q, 0, n));
  HLOIR_RETURN_IF_ERROR(ExpectSameDimensions(q, n + 1, n));
  const Shape &x = q.operand(0), &update = q.operand(n + 1);
  HLOIR_RETURN_IF_ERROR(ExpectWindowDimensions(dims, x, indices, split, a.index_vector_dim));
  int64_t rank = static_cast<int64_t>(a.update_window_dims.size() + split.batch_sizes.size());
  if (update.rank() != rank) return Invalid("updates must have rank {}, but are {}", rank, Text(update));
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(a.update_window_dims, rank, "update_window_dims"));
  int64_t operand_dim = 0;
  size_t batch = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (!Contains(a.update_window_dims, i)) {
      if (!MeetDimensions(update, i, indices, split.batch_dimensions[batch++])) {
        return Invalid("dimension {} of updates {} differs from the indices' {}", i, Text(update), Text(indices));
      }
      continue;
    }
    while (Contains(a.inserted_window_dims, operand_dim) || Contains(a.input_batching_dims, operand_dim)) ++operand_dim;
    if (update.dimensions(i) > x.dimensions(operand_dim) && !x.is_unbounded_dimension(operand_dim)) {
      return Invalid("dimension {} of updates {} is larger than dimension {} of {}", i, Text(update), operand_dim,
                     Text(x));
    }
    ++operand_dim;
  }
  std::vector<Shape> results;
  std::vector<const Shape*> init_pointers, update_pointers;
  for (size_t k = 0; k < n; ++k) {
    init_pointers.push_back(q.operands[k]);
    update_pointers.push_back(q.operands[n + 1 + k]);
  }
  HLOIR_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types, InferReducer(*q.called[0], init_pointers, update_pointers));
  for (size_t k = 0; k < n; ++k) {
    results.push_back(q.operand(k).element_type() == types[k] ? q.operand(k) : q.operand(k).WithElementType(types[k]));
  }
  return OneOrTuple(std::move(results));
}

}  // namespace hloir::shape_inference
